"""Closed loops in motions: positions that close, forces in closures, singular configurations."""
