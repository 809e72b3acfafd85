"""The time-optimal motion of example 1 of Xiang, Arora and Abdel-Malek 2008, without splines.

The shortest motion under limits of torque is bang-bang: every torque is at a limit at all times. With the two joints at
rest at both ends there are four end conditions, so three switches and the duration are determined by shooting. Which
joint switches when is read off a motion found otherwise, whose torques nearly are bang-bang.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from lissom.errors import SolveError
from lissom.papers.xiang2008.closed_form import TORQUE, TwoLink, gradient, torques
from lissom.spatial.rotations import Array

EXACT = 1e-12


class BangBang(NamedTuple):
    """signs (pieces, 2) of the torques between times (pieces + 1,), the first 0, the last the duration [s]."""

    times: Array
    signs: Array

    @property
    def duration(self) -> float:
        return float(self.times[-1])


def read_off(t: Array, tau: Array) -> BangBang:
    """Signs and switches of torques (nt, 2) over t (nt,)."""
    signs = np.where(tau > 0, 1.0, -1.0)
    at = np.flatnonzero(np.any(np.diff(signs, axis=0), axis=1))
    some = np.concatenate([[0], at + 1])
    return BangBang(np.concatenate([[0.0], (t[at] + t[at + 1]) / 2, [t[-1]]]), signs[some])


def shot(p: TwoLink, guess: BangBang, start: Array, goal: Array) -> BangBang:
    """Switches and duration that lead from rest to rest; the guess decides which torque switches when."""
    if len(guess.times) != 5:
        raise SolveError(f"bang-bang: {len(guess.times) - 2} switches cannot meet four end conditions; expected 3.")

    def miss(times: Array) -> Array:
        return flight(p, BangBang(np.append(0.0, times), guess.signs), start) - np.append(goal, [0.0, 0.0])

    found, _, good, words = fsolve(miss, guess.times[1:], xtol=EXACT, full_output=True)
    if good != 1 or np.any(np.diff(found) <= 0):
        raise SolveError(f"bang-bang: no switches were found that lead to the goal ({' '.join(words.split())}).")
    return BangBang(np.append(0.0, found), guess.signs)


def flight(p: TwoLink, law: BangBang, start: Array) -> Array:
    """Angles and rates (4,) at the end of the motion."""
    z = np.append(np.asarray(start, float), [0.0, 0.0])
    for a, b, sign in zip(law.times[:-1], law.times[1:], law.signs, strict=True):
        z = solve_ivp(rates, (a, b), z, "DOP853", args=(p, TORQUE * sign), rtol=EXACT, atol=EXACT).y[:, -1]
    return z


def rates(_t: float, z: Array, p: TwoLink, tau: Array) -> Array:
    """Rates of the state, with accelerations from (69), (70)."""
    q, qd = z[:2], z[2:]
    still = torques(p, q, qd, 0 * q)
    return np.concatenate([qd, np.linalg.solve(gradient(p, q, qd, 0 * q).qdd, tau - still)])
