"""What the columns of a table mean, by their names and units; logs and tables of motions share it."""
