"""Samples of a motion with contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.errors import InputError
from lissom.gait.cycles import joined
from lissom.gait.samples import GaitSamples
from lissom.model.contact import Mirror

if TYPE_CHECKING:
    from lissom.motion.result.motion import Motion

PER_PHASE = 40  # samples
BEFORE = 1e-9  # of a phase: its last sample lies before its end


def has_contacts(motion: Motion) -> bool:
    """Whether a motion has contacts, and forces at them."""
    return getattr(motion, "contacts", None) is not None


def samples_of(motion: Motion) -> GaitSamples:
    """Samples of a motion at its own times; contacts hold by its phases."""
    task, found = motion.task, motion.contacts
    if found is None:
        raise InputError(
            "gait_report: the motion has no contacts, so it is no walk; expected a Motion of predict_walk, or of a "
            "task with phases."
        )
    spans = [(phase.begin, phase.end) for phase in found.phases]
    t = np.concatenate(
        [np.linspace(a, b - BEFORE * (b - a), PER_PHASE) for a, b in spans]
    )  # forces jump between phases
    known = {contact.name: contact for contact in motion.arm.contacts}
    points = tuple(known[name] for name in found.names)
    mirror: Mirror | None = motion.arm.mirror if task.mirror is True else task.mirror
    holds = {
        name: joined([(phase.begin, phase.end) for phase in found.phases if name in phase.contacts])
        for name in found.names
    }
    q, qd, _ = motion.at(t)
    return GaitSamples(motion.arm, t, q, qd, motion.torques(t), found.forces_at(t), points, mirror, holds)
