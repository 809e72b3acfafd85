"""Logs of real arms: reading, names of columns, repair of what loggers do to data."""
