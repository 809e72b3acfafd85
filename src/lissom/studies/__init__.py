"""Studies: one evaluation for many values of parameters, on one core, many cores, or a cluster."""
