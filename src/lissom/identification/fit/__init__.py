"""Linear algebra of the fit: base parameters, robust least squares, standard deviations, consistent inertias."""
