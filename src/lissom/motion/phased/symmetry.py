"""What acts on an arm and limits it, refused where half a period is asked for and the other half would differ."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError
from lissom.motion.phased.layout import Layout, Reflection
from lissom.motion.task.bounds import Bounds
from lissom.motion.task.loads import loads_over
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

VERB = "predict_motion"
STATES = 5
CLOSE = 1e-6  # relative
LIMITS = ("position", "velocity", "torque")
INSTEAD = "Give phases of the whole period with periodic=True instead of the mirror."


def refuse_asymmetry(layout: Layout, reflection: Reflection, bounds: Bounds) -> None:
    """Refuse a mirror of an arm whose forces, contacts or limits change with the reflection.

    Its places and inertias have been compared before.
    """
    across = float(np.linalg.norm(layout.arm.gravity - reflection.S @ layout.arm.gravity)) / 2
    if across > CLOSE:
        raise InputError(f"{VERB}: mirror: gravity has a component of {across:.3g} m/s^2 across its plane.")
    _compare_forces(layout, reflection)
    for i, contact in enumerate(layout.contacts):
        other = layout.contacts[reflection.partner[i]]
        if abs(contact.friction - other.friction) > CLOSE:
            raise InputError(
                f"{VERB}: mirror: friction of contact {contact.name!r} is {contact.friction:g}, of its partner "
                f"{other.name!r} {other.friction:g}, so the steps of both sides differ. {INSTEAD}"
            )
    for quantity in LIMITS:
        _compare_limits(layout, reflection, bounds, quantity)


def _compare_forces(layout: Layout, reflection: Reflection) -> None:
    """Refuse springs, damping, friction, gravity and loads that are not symmetric, by inverse dynamics."""
    arm, rng = layout.arm, np.random.default_rng(0)
    state = rng.uniform(-0.6, 0.6, size=(3, STATES, layout.n))
    loads = loads_over(layout.task.loads, np.linspace(0.0, 1.0, STATES))
    here, there = (np.asarray(inverse_dynamics(arm, x[0], x[1], x[2], loads=loads)) for x in (state, reflection(state)))
    error = np.abs(reflection(here) - there).max(axis=0)
    k = int(np.argmax(error))
    if error[k] > CLOSE * max(float(np.abs(here).max()), CLOSE):
        raise InputError(
            f"{VERB}: mirror: the force on coordinate {arm.coordinates[k]!r} in a reflected state differs by "
            f"{error[k]:.3g} N or N m from the image, so springs, damping, friction, loads or gravity are not "
            f"symmetric. {INSTEAD}"
        )


def _compare_limits(layout: Layout, reflection: Reflection, bounds: Bounds, quantity: str) -> None:
    lower, upper = bounds.lower[quantity], bounds.upper[quantity]
    image = np.sort(reflection(np.stack([lower, upper])), axis=0)
    for k, name in enumerate(layout.arm.coordinates):
        pair: Array = np.array([lower[k], upper[k]])
        if not np.allclose(image[:, k], pair, rtol=CLOSE, atol=CLOSE):
            other = layout.arm.coordinates[int(reflection.order[k])]
            raise InputError(
                f"{VERB}: mirror: the {quantity} limits of {name!r} are {pair[0]:g} to {pair[1]:g}, but those of "
                f"{other!r}, reflected, {image[0, k]:g} to {image[1, k]:g}, so the steps of both sides differ. "
                f"{INSTEAD}"
            )
