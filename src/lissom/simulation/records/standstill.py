"""Joints that stop short of their reference: those that Coulomb friction holds, and the one with the largest error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import gravity_forces

STILL = 1e-3  # of a joint's largest rate: slower counts as at rest,
CREEPS = 0.1  # if in another duration of the run it would not change its error by more than this part
SHORT = 1e-3  # rad or m: smaller errors are not worth a note
MOSTLY = 0.5  # of the proportional torque: what friction must hold of it; else weight or feedforward explain the error
HOLDS = 1.01  # of its friction: what it may be said to hold; a joint gets there asymptotically, from above
KNOWN = ("controller.", "arm")  # names of signals; with loads, base motion or payloads more than weight acts


def error_notes(loop: ClosedLoop, run: Run) -> tuple[str, ...]:
    """Return a sentence for each joint that rests at an error because its Coulomb friction holds it there, largest
    errors first; and one about the joint with the largest error of all, if it is another one."""
    signals = dict(loop.inputs.signals)
    proportional = loop.controller is not None and loop.controller.proportional and "controller.kp" in signals
    if not proportional or run.failures or run.interrupted:
        return ()
    plain = all(name.startswith(KNOWN) for name in signals) and not loop.looped
    goal, rate, kp = (np.atleast_2d(signals[f"controller.{x}"].at(float(run.t[-1]))) for x in ("q", "qd", "kp"))
    q, qd, tau = (x[None] if run.count is None else x for x in (run.q, run.qd, run.tau))
    arms = [run.arm] if run.arms is None else list(run.arms)
    friction = np.array([arm.expanded(arm.breakaway) for arm in arms])
    error, fastest = goal - q[:, -1], np.abs(qd).max(axis=1)
    error[:, ~run.arm.actuated] = 0.0
    short = np.abs(error) > SHORT
    if not short.any():
        return ()
    still = (np.abs(qd[:, -1]) <= STILL * fastest) & (np.abs(rate) <= STILL * fastest)
    still &= np.abs(qd[:, -1]) * run.t[-1] <= CREEPS * np.abs(error)
    held = np.zeros_like(short)
    if plain and loop.sliding and (still & short & (friction > 0)).any():
        taken = (tau[:, -1] - _weight(arms, q[:, -1])) / np.where(kp * error == 0, np.inf, kp * error)
        held = still & short & (taken > MOSTLY) & (np.abs(kp * error) <= HOLDS * friction)
    largest = np.abs(error).max(axis=0)
    joints = sorted(np.flatnonzero(held.any(axis=0)).tolist(), key=lambda k: -largest[k])
    rows = [_Held.of(run, k, error[:, k], (kp * error)[:, k], friction[:, k], held[:, k]) for k in joints]
    notes = [rows[0].sentence(), *([_others(rows[1:])] if len(rows) > 1 else [])] if rows else []
    first = int(np.argmax(largest))
    return (*([] if first in joints else [_largest(run, first, error[:, first], still[:, first])]), *notes)


def _largest(run: Run, k: int, error: Array, still: NDArray[np.bool_]) -> str:
    """Return the note about the joint that is farthest from its reference, for whatever reason."""
    worst = int(np.argmax(np.abs(error)))
    many = "" if run.count is None else f" in run {worst}"
    why = (
        "what acts on it (weight, loads, feedforward, torque limits) is balanced by kp times this error; compensate it "
        "or use PID"
    )
    return (
        f"The largest error at the end is that of {run.arm.coordinates[k]}: {abs(error[worst]):.3g} "
        f"{units(run.arm)[k]} away from its reference{many}{f', at rest: {why}' if still[worst] else ', still moving'}."
    )


def _weight(arms: Sequence[Arm], q: Array) -> Array:
    """(runs, dof) forces that hold each run's arm at its last position."""
    if len(arms) == 1:
        return np.asarray(gravity_forces(arms[0], q))
    return np.array([gravity_forces(arm, row) for arm, row in zip(arms, q, strict=True)])


class _Held(NamedTuple):
    """A joint that friction holds; of an ensemble, in the run with the largest error."""

    name: str
    away: str
    many: str
    kind: str
    friction: str
    pulling: str

    @classmethod
    def of(cls, run: Run, k: int, error: Array, pull: Array, friction: Array, held: NDArray[np.bool_]) -> _Held:
        """Return joint k, with its errors, the torques of kp and its friction in all runs."""
        worst = int(np.argmax(np.where(held, np.abs(error), 0.0)))
        size, pulling, least = (np.broadcast_to(x, error.shape)[worst] for x in (error, pull, friction))
        unit, torque = units(run.arm)[k], units(run.arm, "tau")[k]
        many = "" if run.count is None else f" in {int(held.sum())} of {run.count} runs, most in run {worst}"
        kind = "own" if run.arm.expanded(run.arm.breakaway)[k] != run.arm.expanded(run.arm.friction)[k] else "Coulomb"
        away, size_of = f"{abs(size):.3g} {unit}", f"{abs(pulling):.3g} {torque}"
        return cls(run.arm.coordinates[k], away, many, kind, f"{least:g} {torque}", size_of)

    def sentence(self) -> str:
        """Return the note about the first of them, with the reason and what to do."""
        return (
            f"{self.name} comes to rest {self.away} away from its reference{self.many}: its "
            f"{self.kind} friction, {self.friction}, holds it against the {self.pulling} of kp times this error. Raise "
            "kp, use PID, or reduce the friction of the joint."
        )


def _others(rows: Sequence[_Held]) -> str:
    """Return the note about the others."""
    parts = [f"{row.name} {row.away} away{row.many} ({row.friction} against {row.pulling})" for row in rows]
    return f"Friction holds in the same way {', '.join(parts)}."
