"""A posture of least static effort in which a person who stands holds a load at a place."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.errors import InputError
from lissom.humans.requests import PARTS, foot_points
from lissom.humans.walk.weights import SPARE
from lissom.model.arm import Arm
from lissom.model.contact import Contact
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import gravity_forces
from lissom.verbs.kinematics import jacobian, pose

STEP = 1e-6  # of differences
HOLD = 0.2  # m: half the distance of the hands in space
DISCOMFORT = 0.1  # of squared joint angles [1/rad^2]: joint displacement, as posture prediction has it
CLOSE = 1e-6  # m and body weights
ROUNDS = 400
BEHIND = ("shank_r", "thigh_r")  # frames that the box is in front of: knee and hip
AHEAD = 5e-3  # m, by which it is at both ends, so that nothing is at its limit there


class Stance:
    """Postures (dof,) of a person whose right and left are mirror images, with both soles on the ground.

    By symmetry and without friction only the vertical force on the pelvis and its pitching moment must vanish.

    Unknown are the coordinates of the midline and of the right side, and the normal forces of the right sole in body
    weights. Torques are those that gravity asks for, with springs of the joints.
    """

    def __init__(self, arm: Arm, depth: float):
        self.arm, self.depth, self.weight = arm, depth, arm.mass * float(np.linalg.norm(arm.gravity))
        assert arm.mirror is not None
        image = arm.mirror.image(arm.coordinates, [one.name for one in arm.contacts])
        self.kept = [k for k, name in enumerate(arm.coordinates) if image.sign[k] > 0 and not name.endswith("_l")]
        self.partner = image.order[self.kept]
        right = set(foot_points(arm, PARTS, "r"))
        self.soles = [(one, arm.contacts[image.contacts[i]]) for i, one in enumerate(arm.contacts) if one.name in right]
        self.flat = [*foot_points(arm, ["heel"], "r"), *(foot_points(arm, [part], "r")[0] for part in ("ball", "tip"))]
        low, high = arm.bounds("torque")
        self.strong = np.maximum(-low, high) / SPARE
        self.low, self.high = (side[self.kept] for side in arm.bounds("position"))

    def whole(self, z: Array) -> Array:
        """(dof,) posture from the unknowns."""
        q = np.zeros(self.arm.dof)
        q[self.kept] = q[self.partner] = z[: len(self.kept)]
        return q

    def torques(self, z: Array) -> Array:
        """(dof,) generalised forces that the joints, and the free pelvis, have to give."""
        q = self.whole(z)
        tau = np.array(gravity_forces(self.arm, q))
        for joint, k in zip(self.arm.joints, self.arm.joint_index, strict=True):
            tau[k] += joint.stiffness * (q[k] - joint.rest)
        for pair, force in zip(self.soles, z[len(self.kept) :] * self.weight, strict=True):
            for contact in pair:
                tau -= force * jacobian(self.arm, q, contact.link, contact.point)[2]
        return tau

    def effort(self, z: Array) -> float:
        """Sum of squared torques, each relative to the one that counts as one, and of squared joint angles."""
        some = self.arm.actuated
        effort = ((self.torques(z)[some] / self.strong[some]) ** 2).sum()
        return float(effort + DISCOMFORT * (self.whole(z)[some] ** 2).sum())

    def hand(self, z: Array) -> Array:
        """(3,) place of the right grip, x from the ankles at home."""
        return np.asarray(pose(self.arm, self.whole(z), "grip_r")[:3, 3])

    def rows(self, z: Array, place: Array) -> Array:
        """Equalities: soles where they are, the grip at its place, the pelvis without a force."""
        q, spatial = self.whole(z), "pelvis_y" in self.arm.coordinates
        here = {one.name: self._moved(q, one) for one, _ in self.soles}
        held = [here[name][2] for name in self.flat] + [here[self.flat[0]][0]]
        if spatial:
            held += [here[name][1] for name in (self.flat[0], self.flat[-2])]
        hand = self.hand(z)
        grip = [hand[0] - place[0], hand[2] - place[1]] + ([hand[1] + HOLD] if spatial else [])
        free = self.torques(z)[[self.arm.coordinates.index(name) for name in ("pelvis_z", "pelvis_pitch")]]
        return np.array([*held, *grip, *(free / self.weight)])

    def _moved(self, q: Array, one: Contact) -> Array:
        """(3,) how far a contact of the sole is from where it stands."""
        rest = pose(self.arm, np.zeros(self.arm.dof), one.link, one.point)[:3, 3] * (1.0, 1.0, 0.0)
        return np.asarray(pose(self.arm, q, one.link, one.point)[:3, 3] - rest)

    def clear(self, z: Array) -> Array:
        """Inequalities: the box is in front of knees and hips, forces push."""
        q = self.whole(z)
        front = self.hand(z)[0] - self.depth - AHEAD
        ahead = [front - pose(self.arm, q, name)[0, 3] for name in BEHIND]
        return np.array([*ahead, *z[len(self.kept) :]])

    def least(self, place: Array, begin: dict[str, float], what: str) -> Array:
        """The posture (dof,) of least effort with the grips at a place (x, z)."""
        from scipy.optimize import minimize

        names = [self.arm.coordinates[k] for k in self.kept]
        z0 = np.array([*(begin.get(name, 0.0) for name in names), *np.full(len(self.soles), 0.5 / len(self.soles))])
        bounds = [*zip(self.low, self.high, strict=True), *[(0.0, 1.0)] * len(self.soles)]
        rows: list[dict[str, Any]] = [{"type": "eq", "fun": lambda z: self.rows(z, place)},
                                      {"type": "ineq", "fun": self.clear}]  # fmt: skip
        found = minimize(self.effort, z0, method="SLSQP", bounds=bounds, constraints=rows,
                         options={"maxiter": ROUNDS, "ftol": 1e-9, "eps": STEP})  # fmt: skip
        off = float(np.abs(self.rows(found.x, place)).max())
        if off > 1e2 * CLOSE:
            hand = self.hand(found.x)
            raise InputError(
                f"predict_lift: {what} is at {place[0]:.3g} m forward and {place[1]:.3g} m high, out of reach of a "
                f"person whose feet stand: the hands get to {hand[0]:.3g} m forward and {hand[2]:.3g} m high."
            )
        return self.whole(found.x)
