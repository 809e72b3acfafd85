"""Motions as datasets, NetCDF files and tables."""
