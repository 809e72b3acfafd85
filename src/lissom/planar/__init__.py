"""The closed form of planar arms beyond its numbers: parameters and regressor, symbols, LaTeX and C."""
