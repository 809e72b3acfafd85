"""Export of an arm's functions as C."""
