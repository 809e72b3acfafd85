"""Frames, rotations and inertias: the small algebra everything else stands on."""
