"""Functions of an arm with first and second derivatives, for frameworks with automatic differentiation."""
