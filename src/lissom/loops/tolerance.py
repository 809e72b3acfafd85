"""Tolerance within which loops count as closed, for all functions.

States that verbs are given (`inverse_dynamics`, `forward_dynamics`, `closure_forces`, `linearise`, `simulate`), ends of
tasks, and splines of a motion between their knots are all held to it. States that verbs return are closed to rounding.
"""

CLOSED = 1e-5  # m or rad; of rates and accelerations relative to those of the coordinates
