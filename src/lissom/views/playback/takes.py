"""Records that the viewer can play: the state at every instant, and curves over time."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from lissom.errors import InputError, differing, shown
from lissom.gait.of_motion import has_contacts, samples_of
from lissom.gait.samples import GaitSamples
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.motion.result.motion import Motion
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.modes import ArmModes
from lissom.views.films.animate import PERIOD, shown_pace
from lissom.views.plots.vibration import mode_title, swing
from lissom.views.scene.contacts import beside_shapes
from lissom.views.scene.scene import State

MOST_SAMPLES = 400  # of curves and trails


class Curves(NamedTuple):
    """Samples (n,) and what belongs to them (n, dof)."""

    t: Array
    q: Array
    qd: Array
    tau: Array


class Take(Protocol):
    """A record that plays from `start` to `end` [s]."""

    title: str
    start: float
    end: float

    def at(self, t: float) -> State:
        """What is shown at one instant."""


class RunTake:
    """A run of a simulation."""

    def __init__(self, arm: Arm, run: Run):
        self.arm, self.run = arm, run
        self.title = "run"
        self.start, self.end = float(run.t[0]), float(run.t[-1])

    def at(self, t: float) -> State:
        """Return the state at one instant, interpolated between samples."""
        if len(self.run.t) < 2:
            return State(self.run.q[0], self.run.tau[0])
        one = self.run.at([float(np.clip(t, self.start, self.end))])
        return State(one.q[0], one.tau[0])

    def sampled(self, t: Array) -> Curves:
        """Return the run at any times (n,) between its start and its end."""
        some = self.run.at(t)
        return Curves(t, some.q, some.qd, some.tau)

    @cached_property
    def curves(self) -> Curves:
        """The samples of the run, or fewer."""
        some = np.unique(np.linspace(0, len(self.run.t) - 1, MOST_SAMPLES).astype(int))
        return Curves(self.run.t[some], self.run.q[some], self.run.qd[some], self.run.tau[some])

    @property
    def peaks(self) -> dict[str, float]:
        """Largest torques and loads of the take."""
        return peaks_of(self.arm, self.run.tau, self.arm.loads)


class MotionTake:
    """A predicted motion."""

    def __init__(self, arm: Arm, motion: Motion):
        self.arm, self.motion = arm, motion
        self.title = "motion"
        self.start, self.end = 0.0, float(motion.duration)

    def at(self, t: float) -> State:
        """Return the state at one instant from the splines; torques interpolated."""
        when = float(np.clip(t, 0.0, self.end))
        tau = np.array([np.interp(when, self.motion.t, column) for column in self.motion.tau.T])
        loads = [Load(load.link, *(x[0] for x in (load.force, load.moment, load.point)))
                 for load in self.motion.loads_at(np.array([when]))]  # fmt: skip
        return State(self.motion.at(when)[0], tau, loads)

    @cached_property
    def curves(self) -> Curves:
        """Samples of the motion at equal intervals."""
        return self.sampled(np.linspace(0.0, self.end, MOST_SAMPLES))

    def sampled(self, t: Array) -> Curves:
        """Return the motion at any times (n,) between its start and its end."""
        q, qd, _ = self.motion.at(t)
        tau = np.stack([np.interp(t, self.motion.t, column) for column in self.motion.tau.T], axis=1)
        return Curves(t, q, qd, tau)

    @property
    def peaks(self) -> dict[str, float]:
        """Largest torques and loads of the take."""
        return peaks_of(self.arm, self.motion.tau, (*self.arm.loads, *self.motion.loads_at(self.motion.t)))


class ContactTake:
    """A motion with contacts: of one that repeats itself two cycles, with the forces of its contacts."""

    def __init__(self, arm: Arm, samples: GaitSamples):
        self.arm, self.samples = arm, beside_shapes(samples.whole())
        self.title = "motion"
        self.start = float(self.samples.t[0])
        self.end = float(self.samples.t[-1])

    def at(self, t: float) -> State:
        """Return the state at one instant, interpolated between samples; motor torques are not shown."""
        q, forces = self.samples.at(np.array([t]))
        points = zip(self.samples.contacts or (), forces[0], strict=True)
        return State(q[0], contacts=[Load(one.link, force, point=one.point) for one, force in points])

    @cached_property
    def curves(self) -> Curves:
        """The samples, or fewer."""
        some = np.unique(np.linspace(0, len(self.samples.t) - 1, MOST_SAMPLES).astype(int))
        return Curves(self.samples.t[some], self.samples.q[some], self.samples.qd[some], self.samples.tau[some])

    def sampled(self, t: Array) -> Curves:
        """Return the motion at any times (n,) between its start and its end."""
        own = self.samples
        q, qd, tau = (np.stack([np.interp(t, own.t, x) for x in some.T], axis=1) for some in (own.q, own.qd, own.tau))
        return Curves(t, q, qd, tau)

    @property
    def peaks(self) -> dict[str, float]:
        """Largest loads of the take; an arrow as long as that of the largest load stands for the weight of the arm."""
        largest = float(np.linalg.norm(self.samples.forces, axis=-1).max(initial=0.0))
        weight = float(self.arm.mass * np.linalg.norm(self.arm.gravity))
        return peaks_of(self.arm, 0.0 * self.samples.tau, self.arm.loads) | {"contact": weight or largest}


RecordTake = RunTake | MotionTake | ContactTake


class ModeTake:
    """One period of a mode, at a size that can be seen, times an amplitude."""

    def __init__(self, found: ArmModes, k: int):
        self.title = mode_title(found, k)
        self.start, self.end = 0.0, PERIOD
        self.amplitude = 1.0
        self.pace = shown_pace(found.frequencies_hz[k])
        self.rest, self._swing = found.q, swing(found, k)

    def at(self, t: float) -> State:
        """Return the state at one instant; the vibration starts from the rest pose."""
        return State(self.rest + self.amplitude * np.sin(2 * np.pi * t / PERIOD) * self._swing)


class Still:
    """A pose that does not move by itself."""

    title = "joint sliders"
    start = end = 0.0

    def __init__(self, q: Array):
        self.q = q

    def at(self, t: float) -> State:
        """Return the pose."""
        return State(self.q)


def take_of(arm: Arm, record: Run | Motion | GaitSamples, member: int = 0) -> RecordTake:
    """A record as something to play, for an arm whose coordinates it has."""
    refuse_other(arm, record.arm, f"the {type(record).__name__.lower()} is")
    if isinstance(record, GaitSamples):
        return ContactTake(arm, record)
    if isinstance(record, Motion):
        return ContactTake(arm, samples_of(record)) if has_contacts(record) else MotionTake(arm, record)
    one = record if record.count is None else _member(record, member)
    if not len(one.t):
        raise InputError(f"view: the run has no valid samples ({one.status}).")
    return RunTake(arm, one)


def refuse_other(arm: Arm, other: Arm, what: str) -> None:
    """A record of an arm whose coordinates are others, by name or in what they mean, says nothing about this one."""
    if other.coordinates != arm.coordinates:
        raise InputError(
            f"view: {what} of arm {other.name!r}, whose coordinates are not those of the arm to show: "
            f"{differing(other.coordinates, arm.coordinates, 'the record', 'the arm')}. Show the record with its own "
            "arm: view(record.arm, record)."
        )
    for a, b in zip(other.joints, arm.joints, strict=True):
        if a.kind != b.kind:
            raise InputError(
                f"view: {what} of arm {other.name!r}, where joint {a.name!r} is {a.kind}; on arm {arm.name!r} it is "
                f"{b.kind}. Show the record with its own arm."
            )


def _member(run: Run, member: int) -> Run:
    if isinstance(member, bool) or not isinstance(member, int | np.integer):
        raise InputError(f"view: member is {shown(member)}; expected a whole number.")
    return run.member(int(member))


def peaks_of(arm: Arm, tau: Array, loads: tuple[Load, ...]) -> dict[str, float]:
    """Largest of each kind of arrow."""
    push = np.zeros(arm.dof, bool)
    push[arm.joint_index] = [not joint.angular for joint in arm.joints]
    turn = np.zeros(arm.dof, bool)
    turn[arm.joint_index] = ~push[arm.joint_index]
    return {
        "push": float(np.abs(tau[..., push]).max(initial=0.0)),
        "torque": float(np.abs(tau[..., turn]).max(initial=0.0)),
        "force": max((float(np.linalg.norm(load.force, axis=-1).max()) for load in loads), default=0.0),
        "moment": max((float(np.linalg.norm(load.moment, axis=-1).max()) for load in loads), default=0.0),
    }
