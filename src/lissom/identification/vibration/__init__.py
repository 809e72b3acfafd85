"""Stiffness and damping of an arm from its vibration: natural frequencies, damping ratios, free decay."""
