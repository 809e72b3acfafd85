"""`plot`: one file of figures for each kind of result."""
