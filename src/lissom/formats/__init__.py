"""Readers and writers of arm descriptions."""
