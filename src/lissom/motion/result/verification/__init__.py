"""Verification of a motion by an independent simulation."""
