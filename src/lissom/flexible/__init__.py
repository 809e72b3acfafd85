"""Flexible links: shapes of beams, their integrals, and what hangs on their tips."""
