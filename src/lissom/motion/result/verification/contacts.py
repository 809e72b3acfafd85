"""Verification of a motion with contacts: equations of the base, contacts that hold, friction, replayed segments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.markup import paragraphs
from lissom.motion.result.contact_path import ContactPath, balanced, contacts_named
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.verification.phased.base_residual import RESIDUAL, base_residual, sample_residual
from lissom.motion.result.verification.phased.contact_replay import replayed_defects
from lissom.motion.result.verification.phased.force_excess import force_excess, weight_of
from lissom.motion.result.verification.phased.task_errors import TaskErrors, task_errors
from lissom.motion.result.verification.self_collision import self_collision
from lissom.motion.result.verification.verify import limit_peaks
from lissom.motion.result.verification.wander import wander_of
from lissom.motion.splines.basis import grid
from lissom.motion.transcription.peak import EXCESS, Peak
from lissom.spatial.rotations import Array

WANDER = 1e-3  # m, that contacts may slip, or be off their plane
CONE = 1e-3  # of the weight, by which forces may leave the cone between samples
LATE = 1e-6  # s, of durations
LOADED = 0.01  # of the weight, from which the utilisation of friction is looked at
APART = "a segment, replayed, ends"
HARDLY = 1e-2  # of the joint that moves most: joints that move less stand still but for the tolerance of the search


@dataclass(frozen=True, eq=False)
class ContactVerification:
    """Whether a motion with contacts obeys the equations of motion, holds its contacts, and keeps its limits.

    Attributes
    ----------
    ok : bool
    status : str                  "verified", or what is wrong
    root_residual : float         largest force on coordinates without a motor at the samples, by `inverse_dynamics`
                                  with the contact forces as loads [N or N m]
    residual_between : float      the same between the samples, with forces as `MotionContacts` gives them
    slip : float                  largest displacement of a contact along its plane while it holds [m]
    penetration : float           largest distance of a contact that holds from its plane, or of another below it [m]
    friction_utilisation : float  largest tangential force over what friction allows; of contacts with a normal force of
                                  more than 1 % of the weight
    cone_excess : float           by how much forces leave their cones, or pull, at most, in parts of the weight
    defects : (segments, dof)     positions at the ends of segments, replayed under torques and contact forces, minus
                                  planned [rad or m]
    force_bound_excess : float    by how much normal forces leave the bounds of their phase, in parts of the weight
    task : TaskErrors             by how much ends, travels, durations, transfers and swings miss those of the task
    peaks : tuple of Peak         largest utilisation of every limit on a fine grid
    tolerance : float             of defects
    self_collision : str          whether links overlap along the motion, by their shapes; it does not decide `ok`
    """

    ok: bool
    status: str
    root_residual: float
    residual_between: float
    slip: float
    penetration: float
    friction_utilisation: float
    cone_excess: float
    force_bound_excess: float
    task: TaskErrors
    defects: Array
    peaks: tuple[Peak, ...]
    tolerance: float
    self_collision: str = ""

    @property
    def torque_utilisation(self) -> float:
        """Largest |torque| over its limit; 0 where none is limited."""
        return max((peak.utilisation for peak in self.peaks if peak.quantity == "torque"), default=0.0)

    def summary(self) -> dict[str, Any]:
        """Return the verdict and its numbers."""
        words = ("ok", "status", "root_residual", "residual_between", "slip", "penetration", "friction_utilisation",
                 "cone_excess", "force_bound_excess", "self_collision")  # fmt: skip
        largest = float(np.abs(self.defects).max(initial=0.0))
        return {word: getattr(self, word) for word in words} | {
            "task": self.task._asdict(), "defect": largest, "peaks": [vars(peak) for peak in self.peaks],
        }  # fmt: skip

    def describe(self) -> str:
        """Return the verification as text."""
        return "\n".join([
            self.status,
            f"forces on coordinates without a motor: {self.root_residual:.2g} N or N m at the samples, "
            f"{self.residual_between:.2g} between them",
            f"contacts slip by at most {1e3 * self.slip:.2g} mm, and are off their planes by "
            f"{1e3 * self.penetration:.2g} mm",
            f"friction: {100 * self.friction_utilisation:.4g} % of the cone; forces leave it by {self.cone_excess:.2g} "
            f"of the weight, and bounds of normal forces by {self.force_bound_excess:.2g}",
            f"the task: ends within {self.task.end:.2g} rad or m, travels within {1e3 * self.task.travel:.2g} mm",
            f"each of {len(self.defects)} segments, simulated from its planned state under torques and contact forces, "
            f"ends where planned within {np.abs(self.defects).max(initial=0.0):.2g} rad or m",
            *([self.self_collision] if self.self_collision else []),
            *(peak.describe() for peak in self.peaks),
        ])  # fmt: skip

    def _repr_html_(self) -> str:
        return paragraphs(self.describe().splitlines())

    def __repr__(self) -> str:
        return f"<ContactVerification: {self.status}; slip {1e3 * self.slip:.2g} mm>"


def verify_contacts(
    motion: AbstractMotion, tolerance: float, per_segment: int, show: Callable[[str], None] = lambda _: None
) -> ContactVerification:
    """Return the verification of a motion with phases."""
    path = motion.contact_path
    assert path is not None
    s = grid(motion.breaks, per_segment)
    show("contact forces")
    q, qd, qdd = motion.profiles(s * motion.duration)
    forces = balanced(motion.arm, path, s, (q, qd, qdd), motion.loads_at(s * motion.duration))
    at_samples, between = sample_residual(motion), base_residual(motion, s, forces)
    wander = wander_of(motion, per_segment)
    slip, deep = wander.slip, wander.penetration
    use = _friction_use(motion, path, s, forces)
    excess = force_excess(motion, per_segment)
    cone, bound = (float(part.max(initial=0.0)) for part in excess)
    task = task_errors(motion)
    show("replaying segments")
    found = replayed_defects(motion, tolerance)
    peaks = limit_peaks(motion, per_segment)
    wrong = _wrong(at_samples, slip, deep, cone, found, tolerance) or _off_task(task, bound, tolerance)
    beyond = [peak.beyond() for peak in peaks if peak.utilisation > 1 + EXCESS]
    if wrong.startswith(APART):
        wrong += friction_at_rest(motion, found)
    status = wrong or ", and ".join(beyond)
    if not status and not motion.ok:
        status = f"the motion is no solution of its task ({motion.outcome.sentence})"
    return ContactVerification(
        not status, status or "verified", at_samples, between, slip, deep, use, cone, bound, task, found, peaks,
        tolerance, self_collision(motion),
    )  # fmt: skip


def _wrong(residual: float, slip: float, deep: float, excess: float, found: Array, tolerance: float) -> str:
    largest = float(np.abs(found).max(initial=0.0))
    checks = (
        (residual > RESIDUAL, f"coordinates without a motor need up to {residual:.3g} N or N m at the samples"),
        (slip > WANDER, f"a contact slips by {1e3 * slip:.3g} mm"),
        (deep > WANDER, f"a contact is {1e3 * deep:.3g} mm off its plane, or below it"),
        (excess > CONE, f"contact forces leave their cones by {excess:.3g} of the weight"),
        (not largest <= tolerance, f"{APART} {largest:.3g} rad or m from the plan"),
    )
    return next((words for wrong, words in checks if wrong), "")


def friction_at_rest(motion: AbstractMotion, found: Array) -> str:
    """Return why segments end apart: a joint with Coulomb friction hardly moves; empty where none does.

    found : (segments, dof) defects
    """
    arm = motion.arm
    moved = np.ptp(motion.q, axis=0)
    idle = (arm.expanded(arm.breakaway) > 0) & (moved < HARDLY * max(float(moved.max()), HARDLY))
    if not idle.any():
        return ""
    k = int(np.argmax(np.where(idle, np.abs(found).max(axis=0), -1.0)))
    name = arm.coordinates[k]
    return (
        f"; {name!r} has Coulomb friction but hardly moves ({moved[k]:.1e}), and its friction takes the sign of "
        f"smallest rates: lock it by arm.lock({{{name!r}: {motion.q[0, k]:.4g}}}), or give it friction=0"
    )


def _off_task(task: TaskErrors, bound: float, tolerance: float) -> str:
    """What the motion does that its task does not ask for; empty if it does what is asked."""
    checks = (
        (bool(task.phases), task.phases),
        (task.end > tolerance, f"the ends are {task.end:.3g} rad or m from those of the task"),
        (task.travel > tolerance, f"the travel is {task.travel:.3g} m from that of the task"),
        (task.duration > LATE, f"a duration is {task.duration:.3g} s outside the range of the task"),
        (bound > CONE, f"normal forces leave their bounds by {bound:.3g} of the weight"),
        (task.transfer > CONE, f"a transfer of load is off by {task.transfer:.3g} of the weight"),
        (task.clearance > WANDER, f"a swing is {1e3 * task.clearance:.3g} mm lower than the task asks for"),
    )
    return next((words for wrong, words in checks if wrong), "")


def _friction_use(motion: AbstractMotion, path: ContactPath, s: Array, forces: Array) -> float:
    """Largest utilisation of friction."""
    arm, use = motion.arm, 0.0
    for i, one in enumerate(contacts_named(arm, path.contacts)):
        normal = forces[:, i] @ one.normal
        along = np.linalg.norm(forces[:, i] - np.outer(normal, one.normal), axis=1)
        loaded = (path.active[path.phase_at(s), i] > 0) & (normal > LOADED * weight_of(arm))
        if one.friction and loaded.any():
            use = max(use, float((along[loaded] / (one.friction * normal[loaded])).max()))
    return use
