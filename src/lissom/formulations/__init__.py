"""Published formulations of manipulator dynamics, one file each, to read beside their papers.

Each is written once, for one state, on any kind of number: floats, NumPy arrays (a batch), casadi
symbols (to compile), counting numbers. They are witnesses of the fast path and of each other.
"""
