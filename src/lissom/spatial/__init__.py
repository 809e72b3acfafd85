"""Frames, rotations and inertias: basic spatial algebra."""
