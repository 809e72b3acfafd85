"""Predicted lifting: postures at both ends, and the motion between them."""
