"""Segments, joints, soles and pictures of a human body, scaled with height and mass."""
