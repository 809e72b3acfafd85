"""Walks over their cycle: curves, numbers and likeness to references."""
