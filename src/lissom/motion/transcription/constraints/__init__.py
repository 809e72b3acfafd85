"""Constraints of a motion, one kind in each file: rows of a program, and a look between the samples."""
