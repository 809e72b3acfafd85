"""A walk of an arm as curves of its legs over time: angles, ground forces, moments and powers of the joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.errors import InputError
from lissom.gait.axes import Axes
from lissom.gait.cycles import Interval, Leg, joined, repeated, stances_of
from lissom.gait.legs import SIDES, feet_of, legs_of
from lissom.gait.samples import GaitSamples
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose, poses

LEAST_TRAVEL = 0.05  # m
LEAST_FORCE = 1e-6  # of the weight: planar arms have no force to the side
SAME = 1e-2  # rad: angles of a walk that repeats itself
PERIODS = 5  # of a walk that repeats itself: enough for whole cycles of both legs in the middle


class Walk:
    """Geometry and curves of whole samples of a walk.

    neutral : (dof,)    standing upright: angles of the joints count from there
    """

    def __init__(self, samples: GaitSamples, neutral: Array, joints: Mapping[str, Any] | None = None):
        self.samples, self.neutral = samples, neutral
        self.arm: Arm = samples.arm
        self.feet = feet_of(samples.contacts or ())
        self.mass = float(self.arm.mass)
        self.weight = self.mass * float(np.linalg.norm(self.arm.gravity))
        if self.weight <= 0.0:
            raise InputError("gait_report: the arm has no weight; expected masses, and gravity.")
        self.X = poses(self.arm, samples.q)
        self.axes = Axes.of(self._travel, -self.arm.gravity)
        self.rest = poses(self.arm, neutral)
        self.legs = legs_of(self.arm, joints, self.axes, neutral)
        if not self.distance > LEAST_TRAVEL:
            raise InputError(
                f"gait_report: the body travels {self.distance:.3g} m forward in the samples; expected a walk."
            )

    @cached_property
    def _travel(self) -> Array:
        """(3,) how far the centre of mass of the links travels."""
        masses = np.array([link.body.mass for link in self.arm.links])
        ends = self.X[[0, -1], :, :3, 3]
        return np.asarray((masses @ (ends[1] - ends[0])) / masses.sum())

    @cached_property
    def way(self) -> Array:
        """(3,) unit vector along the way: forward, and up or down a slope."""
        ahead = self._travel - (self._travel @ self.axes.left) * self.axes.left
        return np.asarray(ahead / max(float(np.linalg.norm(ahead)), 1e-12))

    @property
    def distance(self) -> float:
        """How far the body travels along the way in the samples [m]."""
        return float(self._travel @ self.way)

    @property
    def periodic(self) -> bool:
        """Whether the samples end in the posture in which they begin, some distance further."""
        change = (self.samples.q[-1] - self.samples.q[0])[self._angles]
        return bool(np.abs(change).max(initial=0.0) < SAME)

    @cached_property
    def _angles(self) -> Array:
        pairs = zip(self.arm.joints, self.arm.joint_index, strict=True)
        return np.array([k for joint, k in pairs if joint.angular], int)

    # ---- curves ---------------------------------------------------------------------------------------

    @cached_property
    def curves(self) -> dict[str, Leg]:
        """{side: curves of the leg over time, and when its foot stands}; several periods where it repeats itself."""
        return {side: self._leg(side) for side in SIDES}

    def _leg(self, side: str) -> Leg:
        signals = self._turns(side) | self._forces(side) | self._efforts(side)
        t = self.samples.t - self.samples.t[0]
        if not self.periodic:
            return Leg({name: (t, y) for name, y in signals.items()}, self._stances(side, t, signals["vertical"]))
        known = self._holds(side)
        leg = repeated(Leg({name: (t, y) for name, y in signals.items()}, known), float(t[-1]), PERIODS)
        if self.samples.holds is None:
            leg = leg._replace(stances=stances_of(*leg.signals["vertical"]))
        return leg._replace(stances=leg.stances[1:-1])  # those at both ends may be cut

    def _stances(self, side: str, t: Array, vertical: Array) -> list[Interval]:
        return stances_of(t, vertical) if self.samples.holds is None else joined(self._holds(side))

    def _holds(self, side: str) -> list[Interval]:
        """Intervals in which contacts of a foot hold, from the first sample on."""
        start, names = self.samples.t[0], [(self.samples.contacts or ())[k].name for k in self.feet[side]]
        holds = self.samples.holds or {}
        return [(a - start, b - start) for name in names for a, b in holds.get(name, ())]

    def _turns(self, side: str) -> dict[str, Array]:
        """Angles of the joints [deg], of those that are there."""
        leg, out = self.legs[side], {}
        turns = {word: self.axes.turn(self.X[:, joint.below], self.rest[joint.below]) for word, joint in leg.items()}
        if "hip" in leg:
            out["hip"] = np.rad2deg(turns["hip"])
        if "knee" in leg:
            above = leg["knee"].above
            out["knee"] = np.rad2deg(self.axes.turn(self.X[:, above], self.rest[above]) - turns["knee"])
        if "ankle" in leg:
            above, foot = leg["ankle"].above, leg["ankle"].below
            lift = self.axes.lift(self.X[:, foot], self.rest[foot])
            out["ankle"] = np.rad2deg(lift - self.axes.turn(self.X[:, above], self.rest[above]))
        return out

    def force(self, side: str) -> Array:
        """(nt, 3) force of the ground on a foot [N], world axes."""
        return np.asarray(self.samples.forces[:, self.feet[side]].sum(axis=1))

    def _forces(self, side: str) -> dict[str, Array]:
        f, axes = self.force(side) / self.weight, self.axes
        out = {"vertical": f @ axes.up, "fore_aft": f @ axes.forward}
        inward = f @ axes.left * (1.0 if side == "right" else -1.0)
        return out | ({"medial": inward} if np.abs(inward).max() > LEAST_FORCE else {})

    def _efforts(self, side: str) -> dict[str, Array]:
        """Moments [N m/kg], positive in extension, and powers [W/kg], with those of springs and dampers in joints."""
        net, out = self.net_torques / self.mass, {}
        for word, joint in self.legs[side].items():
            flexing = -joint.sign if word == "knee" else joint.sign  # a knee bends backward
            out[f"{word}_moment"] = -flexing * net[:, joint.flexion]
            out[f"{word}_power"] = (net * self.samples.qd)[:, joint.coordinates].sum(axis=1)
        return out

    @cached_property
    def net_torques(self) -> Array:
        """(nt, dof) torques of the joints [N m or N]: of motors, springs and dampers together."""
        net = np.array(self.samples.tau)
        for joint, k in zip(self.arm.joints, self.arm.joint_index, strict=True):
            net[:, k] -= joint.stiffness * (self.samples.q[:, k] - joint.rest) + joint.damping * self.samples.qd[:, k]
        return net

    # ---- places of the feet -----------------------------------------------------------------------------

    @cached_property
    def heels(self) -> dict[str, Array]:
        """{side: (nt, 3)} the place of the hindmost contact of each foot, the mean of those side by side."""
        return {side: self._heel(places) for side, places in self.feet.items()}

    def _heel(self, places: list[int]) -> Array:
        points = [(self.samples.contacts or ())[k] for k in places]
        at_rest = [pose(self.arm, self.neutral, one.link, one.point)[:3, 3] @ self.axes.forward for one in points]
        hindmost = [one for one, x in zip(points, at_rest, strict=True) if x < min(at_rest) + 1e-3]
        return np.mean([pose(self.arm, self.samples.q, one.link, one.point)[..., :3, 3] for one in hindmost], axis=0)
