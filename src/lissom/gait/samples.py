"""Samples of a walk: all that a gait report is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.arrays import as_floats
from lissom.errors import InputError, shown
from lissom.gait.cycles import Interval
from lissom.keywords import KnownKeywords
from lissom.model.arm import Arm
from lissom.model.contact import Contact, Mirror
from lissom.spatial.rotations import Array

FEWEST = 10  # samples
SAME = 1e-5  # rad, m, and part of the largest velocity: postures that differ less are the same


@dataclass(frozen=True, eq=False, repr=False)
class GaitSamples(KnownKeywords):
    """Motion, torques and contact forces of an arm that walks, at the times of one step, one cycle or several.

    Parameters
    ----------
    arm : Arm                     with legs; its `contacts` belong to the feet
    t : (nt,)                     times [s]
    q, qd, tau : (nt, dof)        motion, and the torques of the motors [N m or N]
    forces : (nt, contacts, 3)    of the ground on the arm [N], world axes
    contacts : sequence of Contact or None    their points; None: `arm.contacts`
    mirror : Mirror or None       the samples are one step; the next is its mirror image. None: they are whole cycles
    holds : mapping or None       {contact: [(begin, end), ...]}: when contacts hold [s]; None: feet stand by forces
    """

    arm: Arm
    t: Any
    q: Any
    qd: Any
    tau: Any
    forces: Any
    contacts: Sequence[Contact] | None = None
    mirror: Mirror | None = None
    holds: Mapping[str, Sequence[Interval]] | None = None

    def __post_init__(self) -> None:
        points = tuple(self.arm.contacts if self.contacts is None else self.contacts)
        object.__setattr__(self, "contacts", points)
        t = self._numbers("t", (len(np.atleast_1d(self.t)),))
        if len(t) < FEWEST or (np.diff(t) < 0).any():
            raise InputError(f"GaitSamples: t has {len(t)} times; expected at least {FEWEST}, in order.")
        for word in ("q", "qd", "tau"):
            self._numbers(word, (len(t), self.arm.dof))
        self._numbers("forces", (len(t), len(points), 3))

    def _numbers(self, word: str, shape: tuple[int, ...]) -> Array:
        """Store a field as finite numbers of a shape."""
        value = getattr(self, word)
        try:
            values = np.array(as_floats(value))
        except TypeError as error:
            raise InputError(f"GaitSamples: {word} is {shown(value)}; expected an array of {error}.") from None
        if values.shape != shape:
            raise InputError(f"GaitSamples: {word} has shape {values.shape}; expected {shape}.")
        if not np.isfinite(values).all():
            raise InputError(f"GaitSamples: {word} has entries that are not finite.")
        values.flags.writeable = False
        object.__setattr__(self, word, values)
        return values

    @property
    def duration(self) -> float:
        """Time from the first to the last sample [s]."""
        return float(self.t[-1] - self.t[0])

    def whole(self) -> GaitSamples:
        """Return the samples with the second step, where there is one only."""
        return self if self.mirror is None else _completed(self, self.mirror)

    def at(self, t: Array) -> tuple[Array, Array]:
        """Return q (n, dof) and the forces (n, contacts, 3) at times (n,), interpolated between samples."""
        k = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 2)
        length = self.t[k + 1] - self.t[k]
        share = np.clip((t - self.t[k]) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)[:, None]
        q = (1 - share) * self.q[k] + share * self.q[k + 1]
        share = share[..., None]
        return q, (1 - share) * self.forces[k] + share * self.forces[k + 1]

    def frames(self, count: int) -> tuple[Array, Array, Array]:
        """Return times (count,) at equal intervals from the first to the last, and q and the forces at them.

        Forces may jump where feet are set down. The last frame of a cycle has those of its first: they are one
        instant.
        """
        t = np.linspace(self.t[0], self.t[-1], count)
        q, forces = self.at(t)
        if self.is_cycle:
            forces[-1] = forces[0]
        return t, q, forces

    @property
    def is_cycle(self) -> bool:
        """Whether the last sample has the posture and the velocities of the first, somewhere else."""
        names, moved = list(self.arm.coordinates), np.abs(self.q[-1] - self.q[0])
        free = [names.index(joint.name) for joint in self.arm.joints if joint.travel and not joint.actuated]
        faster = np.abs(self.qd[-1] - self.qd[0]).max()
        same = np.delete(moved, free).max(initial=0.0) < SAME and faster < SAME * np.abs(self.qd).max()
        return bool(same and moved[free].max(initial=0.0) > SAME)

    def __repr__(self) -> str:
        what = "a step" if self.mirror is not None else "a walk"
        return f"<GaitSamples: {what} of {self.arm.name!r}, {len(self.t)} samples in {self.duration:.4g} s>"


def _completed(one: GaitSamples, mirror: Mirror) -> GaitSamples:
    """The step and its mirror image behind it."""
    points = tuple(one.contacts or ())
    image = mirror.image(one.arm.coordinates, [point.name for point in points])
    q = image(one.q)
    q = q + (one.q[-1] - q[0])  # what has travelled goes on from where it is
    holds = None if one.holds is None else _mirrored(one.holds, one.duration, mirror)
    return GaitSamples(
        one.arm, np.concatenate([one.t, one.t + one.duration]), np.concatenate([one.q, q]),
        np.concatenate([one.qd, image(one.qd)]), np.concatenate([one.tau, image(one.tau)]),
        np.concatenate([one.forces, one.forces[:, image.contacts] @ image.S]), points, None, holds,
    )  # fmt: skip


def _mirrored(holds: Mapping[str, Sequence[Interval]], step: float, mirror: Mirror) -> dict[str, list[Interval]]:
    """Intervals of a step and of its mirror image behind it."""
    other = {name: mirror.partner("contacts", name) for name in holds}
    return {name: [*own, *((a + step, b + step) for a, b in holds[other[name]])] for name, own in holds.items()}
