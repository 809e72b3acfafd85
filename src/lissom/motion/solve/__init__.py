"""The search for a motion: solvers, starts, exchange between samples, refinement."""
