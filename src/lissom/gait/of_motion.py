"""Samples of a motion with contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lissom.errors import InputError
from lissom.gait.cycles import Interval, joined
from lissom.gait.samples import GaitSamples
from lissom.model.contact import Mirror

if TYPE_CHECKING:
    from lissom.motion.result.motion import Motion
    from lissom.motion.task.phases import Phase


def has_contacts(motion: Motion) -> bool:
    """Whether a motion has contacts, and forces at them."""
    return getattr(motion, "contacts", None) is not None


def samples_of(motion: Motion) -> GaitSamples:
    """Samples of a motion at its own times; contacts hold by its phases."""
    task, found = motion.task, motion.contacts
    if found is None:
        raise InputError(
            "gait_report: the motion has no contacts, so it is no walk; expected a Motion of predict_walk, or of a task "
            "with phases."
        )
    names = list(found.names)
    points = tuple(contact for contact in motion.arm.contacts if contact.name in names)
    forces = np.asarray(found.forces)[:, [names.index(point.name) for point in points]]
    mirror: Mirror | None = motion.arm.mirror if task.mirror is True else task.mirror
    holds = holds_of(task.phases, found.times, names)
    return GaitSamples(motion.arm, motion.t, motion.q, motion.qd, motion.tau, forces, points, mirror, holds)


def holds_of(phases: Sequence[Phase], ends: Sequence[float], names: Sequence[str]) -> dict[str, list[Interval]]:
    """{contact: intervals in which it holds}; `ends`: times from which each phase lasts, and the end of the last [s]."""
    spans = list(zip(phases, ends[:-1], ends[1:], strict=True))
    return {
        name: joined([(float(a), float(b)) for phase, a, b in spans if name in phase.contacts]) for name in names
    }
