"""Places of points of an arm, with derivatives of three orders.

A joint of one freedom moves a point x that it carries by w x x + v, with its twist (w, v) in world axes. Joints further
in turn what joints further out do, so for joints k <= l <= m of a chain, the innermost first,

    dx / dk = w_k x x + v_k,      d2x / dk dl = w_k x dx/dl,      d3x / dk dl dm = w_k x (w_l x dx/dm)

in whatever order the derivatives are taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lissom.kernels.cache import cache_of
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.contact import Contact
from lissom.spatial.frames import inverse
from lissom.spatial.rotations import Array


class Points:
    """Points of links of a rigid arm.

    Parameters
    ----------
    arm : Arm
    contacts : sequence of Contact    the points

    Attributes
    ----------
    chains : list of (c,)      coordinates that move each point, the innermost joint first; each once
    """

    def __init__(self, arm: Arm, contacts: Sequence[Contact]) -> None:
        self.arm, self.contacts = arm, tuple(contacts)
        self._poses = cache_of(arm).functions.get("poses", None, "tape")
        self._joints = [_joints(arm, arm.frame(contact.link).link) for contact in contacts]
        self.chains: list[NDArray[np.intp]] = []
        self._factors: list[Array] = []
        for joints in self._joints:
            owners = [_coordinate(arm, k) for k in joints]
            chain = np.array(list(dict.fromkeys(at for at, _ in owners)), np.intp)
            factors = np.zeros((len(joints), len(chain)))  # several joints may share a coordinate
            for row, (at, factor) in enumerate(owners):
                factors[row, int(np.flatnonzero(chain == at)[0])] = factor
            self.chains.append(chain)
            self._factors.append(factors)
        self._local = [_local(arm, contact) for contact in contacts]
        self._prepare_twists()

    def _prepare_twists(self) -> None:
        """Joints that carry a point, as arrays; where each point finds its own."""
        arm = self.arm
        self._links = sorted({link for joints in self._joints for link in joints})
        joints = [arm.links[k].joint for k in self._links]
        self._frames = np.array([inverse(arm.links[k].frame) for k in self._links]).reshape(-1, 4, 4)
        self._axes = np.array([joint.axis for joint in joints]).reshape(-1, 3)
        self._turns = np.array([[joint.rotation] for joint in joints]).reshape(-1, 1)
        self._travels = np.array([[joint.travel] for joint in joints]).reshape(-1, 1)
        self._own = [[self._links.index(k) for k in joints] for joints in self._joints]
        self._pairs = [np.sort(np.indices(2 * (len(own),)), axis=0) for own in self._own]

    def at(self, q: Array) -> PointsAt:
        """The points at postures (N, n)."""
        return PointsAt(self, np.asarray(self._poses(np.ascontiguousarray(q), threads=1)).reshape(len(q), -1, 4, 4))


class PointsAt:
    """Places of points at N postures, with derivatives that are computed when they are asked for."""

    def __init__(self, points: Points, X: Array) -> None:
        self._points, self._X = points, X
        self._first: dict[int, tuple[Array, Array]] = {}
        self._known: dict[int, tuple[Array, Array, Array]] = {}

    def place(self, i: int) -> Array:
        """(N, 3) where a point is."""
        link, point = self._points._local[i]
        X = self._X[:, link]
        return np.asarray(X[:, :3, :3] @ point + X[:, :3, 3])

    def slopes(self, i: int) -> Array:
        """(N, c, 3) derivatives by the coordinates of its chain."""
        return np.asarray(self._points._factors[i].T @ self._by_joint(i)[1])

    def curvature(self, i: int, direction: Array) -> Array:
        """(N, c, c) second derivatives of its place along a direction (3,) or (N, 3)."""
        F, (_, J, H) = self._points._factors[i], self._second(i)
        whole = (H @ np.broadcast_to(direction, (len(J), 3))[:, None, :, None])[..., 0]
        return np.asarray(F.T @ whole @ F)

    def turned(self, i: int, rates: Array) -> Array:
        """(N, c, 3) derivatives by the coordinates of the velocity that rates (N, n) give it."""
        F, (_, _, H) = self._points._factors[i], self._second(i)
        turned = (H.swapaxes(2, 3) @ (rates[:, self._points.chains[i]] @ F.T)[:, None, :, None])[..., 0]
        return np.asarray(F.T @ turned)

    def turned_curvature(self, i: int, rates: Array, direction: Array) -> Array:
        """(N, c, c) second derivatives by the coordinates of that velocity along directions (N, 3)."""
        F, (w, _, H) = self._points._factors[i], self._second(i)
        k, l, m = np.sort(np.indices(3 * H.shape[1:2]), axis=0)
        third = (cross(w[:, k], H[:, l, m]) @ direction[:, None, None, :, None])[..., 0]
        return np.asarray(F.T @ (third @ (rates[:, self._points.chains[i]] @ F.T)[:, None, :, None])[..., 0] @ F)

    def _by_joint(self, i: int) -> tuple[Array, Array]:
        """Turning rates and velocities (N, k, 3) of a point under unit rates of the joints that carry it."""
        if i not in self._first:
            w, v = (part[:, self._points._own[i]] for part in self._twists)
            self._first[i] = w, cross(w, self.place(i)[:, None]) + v
        return self._first[i]

    def _second(self, i: int) -> tuple[Array, Array, Array]:
        if i not in self._known:
            w, J = self._by_joint(i)
            k, l = self._points._pairs[i]
            self._known[i] = w, J, cross(w[:, k], J[:, l])
        return self._known[i]

    @cached_property
    def _twists(self) -> tuple[Array, Array]:
        """Twists (N, joints, 3), (N, joints, 3) of all joints that carry a point."""
        points = self._points
        X = self._X[:, points._links] @ points._frames
        axis = (X[:, :, :3, :3] @ points._axes[:, :, None])[..., 0]
        w = points._turns * axis
        return w, cross(X[:, :, :3, 3], w) + points._travels * axis


def cross(a: Array, b: Array) -> Array:
    """Return the cross products of vectors (..., 3)."""
    a, b = np.broadcast_arrays(a, b)
    out = np.empty(a.shape)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return out


def _joints(arm: Arm, link: int) -> list[int]:
    """Links whose joints move a link, the innermost first."""
    found = []
    while link >= 0:
        if arm.links[link].joint.moves:
            found.append(link)
        link = int(arm.parent_index[link])
    return found[::-1]


def _coordinate(arm: Arm, link: int) -> tuple[int, float]:
    """Coordinate that moves the joint of a link, and how far its unit does."""
    joint = arm.links[link].joint
    mimic = arm.mimics.get(joint.name)
    name, factor = (joint.name, 1.0) if mimic is None else (mimic.joint, mimic.multiplier)
    return arm.coordinates.index(name), factor


def _local(arm: Arm, contact: Contact) -> tuple[int, Array]:
    """The link that carries a contact, and its place in that link's axes (3,)."""
    frame = arm.frame(contact.link)
    return frame.link, frame.offset[:3, :3] @ contact.point + frame.offset[:3, 3]
