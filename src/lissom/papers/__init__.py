"""Reproduction of papers: each claim with lissom's result and a verdict."""
