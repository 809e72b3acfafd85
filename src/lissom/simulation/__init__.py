"""Simulation of arms over time: controllers, integrators, events, and the record of a run."""
