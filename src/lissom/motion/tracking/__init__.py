"""Motions that make a frame follow a path, also of arms whose links bend."""
