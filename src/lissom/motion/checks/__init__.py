"""All refusals: what is certain to be impossible before a solver runs."""
