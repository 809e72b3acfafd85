"""Torques of a planned motion as a piecewise polynomial, so that compiled steps read them at any time.

Between the breaks of the motion its torques are smooth, except where friction changes its direction; polynomials
through Chebyshev points reproduce them to `SAME` of their largest value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.errors import InputError
from lissom.simulation.held_splines import HeldSpline
from lissom.spatial.rotations import Array

POINTS = 8  # of a piece
NODES = (1 - np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)) / 2
BETWEEN = (NODES[1:] + NODES[:-1]) / 2
TO_POWERS = np.linalg.inv(np.vander(NODES))  # highest power first
SAME = 1e-10  # of the largest value of a column: error of the polynomials between their points
DEPTH = 6  # halvings of a piece, beyond which it contains a jump
BISECTIONS = 50
Function = Callable[[Array], Array]


def is_planned_motion(value: Any) -> bool:
    """Whether a value has the interface of a `Motion`: a duration, and q, qd, qdd at any time within it."""
    return hasattr(value, "duration") and callable(getattr(value, "at", None))


def refuse_motion_as_torques(what: str, tau: Any) -> None:
    """Refuse a motion where torques are expected: it does not say whether and how its path is tracked."""
    if is_planned_motion(tau):
        raise InputError(
            f"{what}: tau is a Motion. To track it with its torques as feedforward, use "
            "tau=ls.Follow(motion, kp=..., kd=...); for its torques alone, tau=ls.Profile(motion.t, motion.tau)."
        )


def refuse_planned_samples(controller: str, motion: Any, tau: Any) -> None:
    """Refuse feedforward torques that are the samples of the motion to track: rows would be read as runs."""
    refuse_motion_as_torques(controller, tau)
    if not is_planned_motion(motion) or callable(tau) or np.ndim(tau) != 2:
        return
    planned = np.asarray(motion.tau)
    if np.array_equal(tau, planned) or np.array_equal(tau, planned[:, motion.arm.joint_index]):
        raise InputError(
            f"{controller}: tau has the {len(planned)} samples of the motion, but rows of numbers are one for each run "
            "of an ensemble. To track a motion with its torques as feedforward, use "
            "ls.Follow(motion, kp=..., kd=...)."
        )


def planned_torques(motion: Any) -> HeldSpline:
    """Return the torques of a motion over time, followed by those that hold the arm at its end."""
    end = float(motion.duration)
    inside = lambda t: np.where(motion.arm.actuated, motion.torques(np.clip(t, 0.0, end)), 0.0)  # noqa: E731
    x, c = _pieces(inside, motion.finest_breaks * end)
    q = motion.at(np.array([end]))[0]
    held = motion.required(np.ones(1), q, 0 * q, 0 * q, motion.loads_at(np.array([end])))
    last = np.zeros((POINTS, 1, c.shape[2]))
    last[-1, 0] = np.where(motion.arm.actuated, held[0], 0.0)
    return HeldSpline(np.append(x, end + float(np.diff(x).min())), np.concatenate([c, last], axis=1))


def _pieces(function: Function, breaks: Array) -> tuple[Array, Array]:
    """Return breaks and coefficients (POINTS, pieces, n) of polynomials, with pieces halved where needed."""
    size = np.maximum(np.abs(function(breaks)).max(axis=0), 1e-300)
    left = [(a, b, 0) for a, b in zip(breaks[:-1].tolist(), breaks[1:].tolist(), strict=True)]
    done: list[tuple[float, Array]] = []
    while left:
        a, b, depth = left.pop()
        c = np.tensordot(TO_POWERS, function(a + (b - a) * NODES), axes=1)
        powers = np.vander(BETWEEN, POINTS)
        error = (np.abs(powers @ c - function(a + (b - a) * BETWEEN)) / size).max()
        if error <= SAME or depth > DEPTH:
            done.append((a, c / (b - a) ** np.arange(POINTS - 1, -1, -1)[:, None]))
            continue
        middle = (a + b) / 2 if depth < DEPTH else _jump(function, a, b)
        left += [(a, middle, depth + 1), (middle, b, depth + 1)]
    done.sort(key=lambda piece: piece[0])
    x = np.append([a for a, _ in done], breaks[-1])
    return x, np.stack([c for _, c in done], axis=1)


def _jump(function: Function, a: float, b: float) -> float:
    """Return the time of the largest change of a function between a and b."""
    low, high = a, b
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        ends = function(np.array([low, middle, high]))
        first = np.abs(ends[1] - ends[0]).max() > np.abs(ends[2] - ends[1]).max()
        low, high = (low, middle) if first else (middle, high)
    return min(max((low + high) / 2, a + 1e-9 * (b - a)), b - 1e-9 * (b - a))
