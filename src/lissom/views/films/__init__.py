"""Animations, and the files they are saved in."""
