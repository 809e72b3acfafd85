"""An arm's functions for casadi: compiled functions with their derivatives, and expressions."""
