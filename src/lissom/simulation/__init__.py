"""Arms in time: controllers, integrators, events, and the record of a run."""
