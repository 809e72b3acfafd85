"""Rows of programs of motions with contacts, one kind in each file."""
