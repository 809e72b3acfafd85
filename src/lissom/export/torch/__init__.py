"""An arm's functions for PyTorch."""
