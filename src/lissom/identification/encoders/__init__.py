"""Elastic joints from two encoders: the deflection between motor and link, over the torque in between."""
