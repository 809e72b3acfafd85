"""Integrators, one file each, and their choice."""
