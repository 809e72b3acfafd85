"""Numbers of an arm by the error of simulations over short windows of a log."""
