"""Flexible links: shapes of beams, their integrals, and their tip inertias."""
