"""Arms as plants: equilibria and linear models around them."""
