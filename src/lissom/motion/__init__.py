"""Motions that are best for a task: B-spline profiles, compiled samples, nonlinear programming."""
