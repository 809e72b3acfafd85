"""Commands of a planned motion for actuators with lag: what makes the planned torques act.

An actuator passes a command u on as tau, lag tau' = u - tau, so that planned torques act under

    u = tau + lag tau'                                                                                     (1)

where they have a derivative. Between the breaks of the splines they are polynomials, which are differentiated. Where
they jump, by accelerations that jump or by friction that changes its direction, no command makes them act; planned
torques are then blended over a short time around the jump, so that both sides meet at their mean:

    s = t - jump,  |s| < w:    tau - sign(s) (1 - |s|/w) step/2      in the place of tau in (1)            (2)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.simulation.controllers.planned import Exact, Pieces, continuity, held_at_end, planned_torques, torques_of
from lissom.simulation.interpolated import polynomials
from lissom.spatial.rotations import Array

SIDE = 1e-13  # of the duration: beside a jump
SMALL = 1e-9  # of the largest torque: smaller jumps are rounding


class Command(Exact):
    """Torques to command over time, for a simulation (``tau=``) or at times (nt,): ``command(t)`` -> (nt, dof).

    note : str      what the command cannot do, a sentence; empty if the planned torques act exactly
    """

    note: str

    def __repr__(self) -> str:
        return f"<Command of {self.t[-1]:.6g} s{': ' if self.note else ''}{self.note}>"


def commanded_torques(motion: Any) -> Exact:
    """Return what to command for a motion on its arm: the planned torques where no actuator has a lag."""
    lags = motion.arm.expanded(motion.arm.actuator_lag)
    return command(motion, lags) if lags.any() else planned_torques(motion)


def command(motion: Any, lags: Array) -> Command:
    """Return the command of a motion for actuators with lags (dof,), followed by the torques at its end."""
    pieces, end = Pieces.of(motion), float(motion.duration)
    tau, _ = polynomials(torques_of(motion), pieces.smooth)
    slope, blend = tau.derivative, _Blend(tau, pieces, lags, end)

    def function(t: Array) -> Array:
        more, rate = blend(t)
        return np.asarray(tau(t) + more + lags * (slope(t) + rate))

    kinks = pieces.breaks[1:-1] if continuity(motion) < 3 else np.zeros(0)  # rates of torques jump
    leaps = np.unique(np.concatenate([kinks, blend.ends, [end]]))
    made = Command(pieces.breaks, function, leaps[(leaps > 0) & (leaps <= end)], held_at_end(motion))
    object.__setattr__(made, "note", blend.note(motion))
    return made


class _Blend:
    """Blending of torques around their jumps (2).

    Parameters
    ----------
    tau : f(t) (nt,) -> (nt, dof), the polynomials of a piece continued to its ends
    lags : (dof,)        widths; less where jumps are close to each other or to an end
    """

    def __init__(self, tau: Any, pieces: Pieces, lags: Array, end: float) -> None:
        self.at, self.lags = pieces.leaps, lags
        beside = SIDE * end
        self.steps = np.where(lags > 0, tau(self.at + beside) - tau(self.at - beside), 0.0)
        first, last = self.at[:1], self.at[-1:]
        gaps = np.diff(np.concatenate([-first, self.at, 2 * end - last])) / 2  # half the way to the next, or to an end
        room = np.minimum(gaps[:-1], gaps[1:])
        self.widths = np.minimum(room[:, None], np.where(lags > 0, lags, np.inf))
        self.largest = float(np.abs(tau(pieces.breaks)).max(initial=0.0))

    def __call__(self, t: Array) -> tuple[Array, Array]:
        """Return what is added to the torques (nt, dof) at times (nt,), and its derivative."""
        if not len(self.at):
            nothing = np.zeros((len(t), len(self.lags)))
            return nothing, nothing
        near = np.searchsorted((self.at[1:] + self.at[:-1]) / 2, t)
        s, w, step = (t - self.at[near])[:, None], self.widths[near], self.steps[near]
        inside = np.maximum(1.0 - np.abs(s) / w, 0.0)
        return -np.where(s < 0, -1.0, 1.0) * inside * step / 2, np.where(inside > 0, step / (2 * w), 0.0)

    @property
    def ends(self) -> Array:
        """Times at which the command jumps."""
        used = self.widths[:, self.lags > 0]
        return np.concatenate([self.at, (self.at[:, None] - used).ravel(), (self.at[:, None] + used).ravel()])

    def note(self, motion: Any) -> str:
        """Say by how much torques behind a lag jump, and where; empty if they do not."""
        sizes = np.abs(self.steps)
        if not sizes.size or sizes.max() <= SMALL * self.largest:
            return ""
        jump, joint = np.unravel_index(int(sizes.argmax()), sizes.shape)
        count = int((sizes.max(axis=1) > SMALL * self.largest).sum())
        return (
            f"The planned torque jumps at {count} times, most by {sizes[jump, joint]:.2g} at "
            f"{motion.arm.coordinates[joint]!r} at t = {self.at[jump]:.4g} s, which no actuator with lag follows: the "
            f"command blends both sides over {2 * self.widths[jump, joint]:.2g} s. Splines of all coordinates with two "
            "continuous derivatives, without Coulomb friction, have no such jumps."
        )
