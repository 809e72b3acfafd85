"""Motions as records: report, files, verification, replay in a simulation."""
