"""What is wanted of a motion: ends, via points, obstacles, limits, the minimised criterion."""
