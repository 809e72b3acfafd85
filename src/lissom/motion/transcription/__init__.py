"""From an arm and a task to a nonlinear program."""
