"""Criteria that a motion may minimise, one in each file; `known` finds them."""
