"""Identification from measured torques along a measured motion (``method="torque"``)."""
