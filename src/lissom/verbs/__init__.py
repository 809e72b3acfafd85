"""The public functions: shapes, broadcasting, refusals; the physics lives in `dynamics`."""
