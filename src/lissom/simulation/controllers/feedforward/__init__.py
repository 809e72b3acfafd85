"""Feedforward of planned motions, beyond their torques."""
