"""Signals of a log as the fit needs them: filtered without delay, differentiated, with clocks of sensors aligned."""
