"""Figures, animations and the browser viewer. Matplotlib is loaded on first use."""
