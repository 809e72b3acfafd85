"""What an experiment is about: the motion's task, the parameters that are estimated, and those that count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, UnsupportedError, shown, suggest
from lissom.identification.excitation.limits import HELD, VERB
from lissom.identification.excitation.torque_model import FRICTION, TorqueModel
from lissom.identification.fit.masks import Indices, Mask
from lissom.kernels.arguments import as_numbers
from lissom.model.arm import Arm
from lissom.motion.task.bounds import Bounds
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

SLOW = 0.05  # of the velocity limit: Coulomb friction changes its sign smoothly below it
NOISE = 0.01  # of the torque limit
DRAWN = 64  # random states, where a joint has no torque limit


class Parameters(NamedTuple):
    """Base parameters of an experiment.

    model : TorqueModel
    columns : (k,)      columns of the model that are estimated
    names : (k,) of str
    values : (k,)       of the arm
    counts : (k,)       which of them count
    """

    model: TorqueModel
    columns: Indices
    names: tuple[str, ...]
    values: Array
    counts: Mask

    def named(self, counting: bool) -> tuple[str, ...]:
        """Names of those that count, or of the others."""
        return tuple(name for name, counts in zip(self.names, self.counts, strict=True) if counts == counting)


def refuse_arm(arm: Arm) -> None:
    """Refuse arms whose parameters no motion of this kind identifies."""
    if arm.flexible:
        raise UnsupportedError(
            f"{VERB}: arm {arm.name!r} has flexible links, which is not supported; excite rigid arms."
        )
    if arm.loops:
        raise UnsupportedError(f"{VERB}: arm {arm.name!r} has closed loops, which is not supported.")
    if not arm.joints:
        raise UnsupportedError(f"{VERB}: arm {arm.name!r} has no joint that moves.")
    if not arm.actuated.all():
        word = arm.coordinates[int(np.argmin(arm.actuated))]
        raise UnsupportedError(
            f"{VERB}: {word!r} of arm {arm.name!r} is unactuated, so no motion of it can be prescribed. Lock the joint "
            "with arm.lock, or leave out its elasticity."
        )


def parameters(
    arm: Arm, bounds: Bounds, start: Array, noise: Array, friction: bool, ignore: Sequence[str]
) -> Parameters:
    """Return what is estimated from the torques of an arm.

    friction : bool      viscous and Coulomb friction and an offset of every joint are estimated too
    ignore : names of links, joints or parameters that are estimated too, but do not count
    """
    still = held(bounds)
    model = TorqueModel(arm, SLOW * np.where(still, 1.0, bounds.upper["velocity"]))
    base = model.base(np.isfinite(noise), {int(k): float(start[k]) for k in np.flatnonzero(still)})
    lead = [model.names[k] for k in base.kept]
    rubs = np.array([name.rsplit(".", 1)[1] in FRICTION for name in lead])
    counts, kept = ~rubs & ~_ignored(lead, ignore), np.flatnonzero(~rubs | friction)
    if not counts.any():
        raise InputError(f"{VERB}: nothing is left to identify: ignore and noise leave out every parameter.")
    values = base.of_parameters(model.prior)
    return Parameters(model, base.kept[kept], tuple(base.names[k] for k in kept), values[kept], counts[kept])


def held(bounds: Bounds) -> Mask:
    """(dof,) which coordinates cannot move."""
    none = bounds.upper["position"] - bounds.lower["position"] < HELD
    for word in ("velocity", "acceleration"):
        none |= (bounds.upper[word] <= 0) | (bounds.lower[word] >= 0)
    return none


def _ignored(lead: Sequence[str], ignore: Sequence[str]) -> Mask:
    """(k,) base parameters whose link, joint or name is on a list."""
    words = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    known = {*lead, *(name.rsplit(".", 1)[0] for name in lead)}
    for word in words:
        if word not in known:
            raise InputError(
                f"{VERB}: ignore has {shown(word)}, which is no link, joint or base parameter that is estimated; "
                f"{suggest(str(word), sorted(known))}"
            )
    return np.array([name in words or name.rsplit(".", 1)[0] in words for name in lead])


def as_noise(arm: Arm, noise: Any, bounds: Bounds, start: Array, notes: list[str]) -> Array:
    """(dof,) standard deviations of torques, infinite where they are not measured."""
    if noise is None:
        notes.append(f"Noise of torques is not given; assumed: {100 * NOISE:g} % of what each joint may use")
        return NOISE * _strength(arm, bounds, start)
    given = np.asarray(noise, float) if np.ndim(noise) <= 1 else as_numbers(noise, "noise", VERB)
    if given.shape not in ((), (arm.dof,)):
        raise InputError(f"{VERB}: noise has shape {given.shape}; expected one number, or {arm.dof}, one per joint.")
    out = np.broadcast_to(given, (arm.dof,)).copy()
    for k in np.flatnonzero(~(out > 0)):
        raise InputError(
            f"{VERB}: noise of joint {arm.coordinates[k]!r} is {out[k]:g}; expected a standard deviation above 0, or "
            "infinity where the torque is not measured."
        )
    if not np.isfinite(out).any():
        raise InputError(f"{VERB}: noise is infinite for every joint, so no torque is measured.")
    return out


def _strength(arm: Arm, bounds: Bounds, start: Array) -> Array:
    """(dof,) torque limits; where there is none, the largest torque of random states."""
    limit = np.minimum(-bounds.lower["torque"], bounds.upper["torque"])
    rng = np.random.default_rng(0)
    q, qd, qdd = (rng.uniform(-1, 1, (DRAWN, arm.dof)) * (bounds.upper[word] - bounds.lower[word]) / 2
                  for word in ("position", "velocity", "acceleration"))  # fmt: skip
    largest = np.abs(inverse_dynamics(arm, start + q, qd, qdd)).max(axis=0)
    limit = np.where(np.isfinite(limit) & (limit > 0), limit, largest)
    return np.where(limit > 0, limit, 1.0)
