"""Predicted walking: phases, first guess and weights, as a task of motion prediction."""
