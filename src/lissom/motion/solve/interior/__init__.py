"""An interior-point method on condensed, banded systems."""
