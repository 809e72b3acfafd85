"""Motion of arms: kinematics in plain NumPy, the reference for everything faster."""
