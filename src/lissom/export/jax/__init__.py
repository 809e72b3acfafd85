"""An arm's functions for JAX."""
