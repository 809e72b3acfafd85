"""Rows of a study evaluated: one by one, or many at once in compiled code."""
