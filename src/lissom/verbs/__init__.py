"""The public functions: shapes, broadcasting and checks of arguments; the physics lives in `dynamics`."""
