"""Identification: the numbers of an arm from measurements of the real machine."""
