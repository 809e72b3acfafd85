"""Kinematics and dynamics of arms as recursions over their bodies."""
