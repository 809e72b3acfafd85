"""Joints that stop short of their reference because Coulomb friction holds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import gravity_forces

STILL = 1e-3  # of a joint's largest rate: slower counts as at rest
SHORT = 1e-3  # rad or m: smaller errors are not worth a note
MOSTLY = 0.5  # of the proportional torque: what friction must hold of it; else weight or feedforward explain the error
KNOWN = ("controller.", "arm")  # names of signals; with loads, base motion or payloads more than weight acts


def friction_notes(loop: ClosedLoop, run: Run) -> tuple[str, ...]:
    """Return a sentence for each joint that rests at an error because its Coulomb friction holds it there."""
    signals = dict(loop.inputs.signals)
    proportional = loop.controller is not None and loop.controller.proportional and "controller.kp" in signals
    plain = all(name.startswith(KNOWN) for name in signals) and not loop.looped
    if not proportional or not plain or run.failures or run.interrupted or not loop.sliding:
        return ()
    goal, rate, kp = (np.atleast_2d(signals[f"controller.{x}"].at(float(run.t[-1]))) for x in ("q", "qd", "kp"))
    q, qd, tau = (x[None] if run.count is None else x for x in (run.q, run.qd, run.tau))
    arms = [run.arm] if run.arms is None else list(run.arms)
    friction = np.array([arm.expanded(arm.breakaway) for arm in arms])
    error, fastest = goal - q[:, -1], np.abs(qd).max(axis=1)
    rests = (np.abs(qd[:, -1]) <= STILL * fastest) & (np.abs(rate) <= STILL * fastest) & (friction > 0)
    if not (rests & (np.abs(error) > SHORT)).any():
        return ()
    taken = (tau[:, -1] - _weight(arms, q[:, -1])) / np.where(kp * error == 0, np.inf, kp * error)
    held = rests & (np.abs(error) > SHORT) & (taken > MOSTLY)
    joints = np.flatnonzero(held.any(axis=0)).tolist()
    return tuple(_sentence(run, k, error[:, k], (kp * error)[:, k], friction[:, k], held[:, k]) for k in joints)


def _weight(arms: Sequence[Arm], q: Array) -> Array:
    """(runs, dof) forces that hold each run's arm at its last position."""
    if len(arms) == 1:
        return np.asarray(gravity_forces(arms[0], q))
    return np.array([gravity_forces(arm, row) for arm, row in zip(arms, q, strict=True)])


def _sentence(run: Run, k: int, error: Array, pull: Array, friction: Array, held: NDArray[np.bool_]) -> str:
    """Return the note about one joint; of an ensemble, about the run with the largest error."""
    worst = int(np.argmax(np.where(held, np.abs(error), 0.0)))
    size, pulling, least = (np.broadcast_to(x, error.shape)[worst] for x in (error, pull, friction))
    unit, torque = units(run.arm)[k], units(run.arm, "tau")[k]
    kind = "own" if run.arm.expanded(run.arm.breakaway)[k] != run.arm.expanded(run.arm.friction)[k] else "Coulomb"
    many = "" if run.count is None else f" in {int(held.sum())} of {run.count} runs, most in run {worst}"
    return (
        f"{run.arm.coordinates[k]} comes to rest {abs(size):.3g} {unit} away from its reference{many}: its {kind} "
        f"friction, {least:g} {torque}, holds it against the {abs(pulling):.3g} {torque} of kp times this error. Raise "
        "kp, use PID, or reduce the friction of the joint."
    )
