"""What the papers claim, tried: each claim with our figure and a verdict."""
