"""Feedback that makes an arm unstable: found before a simulation, from the poles of the closed loop at its start."""

from __future__ import annotations

import numpy as np

from lissom.errors import LissomError
from lissom.simulation.controllers.sampled import SampledController
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.loop.friction import settled
from lissom.simulation.loop.slopes import TorqueSlopes, in_balance, slopes_of, slopes_without_feedback
from lissom.spatial.rotations import Array

LONG = 5.0  # growth rate times duration: an error that grows by less than exp(LONG) does little
MORE = 1.5  # times the growth without feedback: gravity lets an arm fall by itself
ROUNDING = 1e-6  # of the largest pole
SIGNS = ". Check the signs of the gains and the torques."


def unstable_at_start(loop: ClosedLoop, y: Array, until: float) -> str:
    """What to say of feedback that makes one run unstable at its start (q, qd, z); empty if it does not.

    The poles are those about the pose of the start as if it were an equilibrium: accelerations of a transient are not
    part of them. Looked at where feedback may act on other coordinates than it comes from, unactuated ones. Left out
    are arms with closed loops, and laws that evaluate a model, whose derivatives would take long to compile.
    """
    control = loop.controller
    if isinstance(control, SampledController):
        return control.instability
    if loop.looped or loop.arm.actuated.all():
        return ""
    if control is not None and (control.needs_model or not control.reads_unactuated):
        return ""
    try:
        way = settled(loop, 0.0, y)
        found = in_balance(loop, 0.0, y)
        poles = np.linalg.eigvals(slopes_of(loop, way, found))
        alone = np.linalg.eigvals(slopes_without_feedback(loop, way, found)).real.max()
    except (LissomError, np.linalg.LinAlgError):
        return ""
    worst = poles[poles.real.argmax()]
    if worst.real * until < LONG or worst.real < MORE * alone + ROUNDING * np.abs(poles).max():
        return ""
    swing = f" +- {abs(worst.imag):.3g}i" if worst.imag else ""
    return f"The closed loop is unstable at the start (pole +{worst.real:.3g}{swing} 1/s){_cause(loop, found)}"


def cause_at(loop: ClosedLoop, t: float, y: Array) -> str:
    """The likely cause of an unstable loop at a state, as the continuation of a sentence."""
    if loop.looped or (loop.controller is not None and not loop.controller.reads_unactuated):
        return SIGNS
    return _cause(loop, in_balance(loop, t, y))


def _cause(loop: ClosedLoop, found: TorqueSlopes) -> str:
    """See `cause_at`, from the derivatives of the torques."""
    arm, n = loop.arm, loop.dof
    read = (np.hstack([found.law.q[:n], found.law.qd[:n]]) != 0.0).any(axis=0).reshape(2, n).any(axis=0)
    names = [arm.coordinates[k] for k in np.flatnonzero(read & ~arm.actuated)]
    if not names:
        return SIGNS
    listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return (
        f": output and actuators are not collocated (unactuated between them: {listed}). Feed back the positions of "
        "actuated joints instead (PD), or reduce the gains."
    )
