"""Motions from which the parameters of an arm can be identified best."""
