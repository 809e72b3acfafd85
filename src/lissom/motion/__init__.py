"""Optimal motions for a task: B-spline trajectories, compiled samples, nonlinear programming."""
