"""An arm read as a planar chain: points are complex numbers, a turn is a factor of size one.

Link i has a frame W_i with origin r_i on its joint; a point of it is at

    p = r_i + W_i (x + sum_k phi_k delta_k)

with complex constants x and phi_k: i times a real one for a transversal shape, 0 on the hub, and
``shift_k + i turn_k x_p`` for a point x_p fixed to the tip. All mass of a link (hub, beam, payload) enters through

    m = int dm    S = int x dm    J = int |x|^2 dm    v_k = int phi_k dm    w_k = int conj(x) phi_k dm
    z_kl = int conj(phi_k) phi_l dm

which are De Luca and Siciliano's (24) for a transversal beam. Links that do not bend have no phi; an elastic joint
is a link without mass and one behind its spring; a beam on the tip of another has no joint of its own.

The plane and the directions of the joints are numbers, all else may be values of a program (see `varied`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE, Body
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.planar.complex_numbers import clean, dot, known, number
from lissom.dynamics.planar.integrals import Axes, Integrals, Spot, joined, nothing, of_beam, rigid
from lissom.elements.tables import Tables
from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.model.slot import constants_stored
from lissom.spatial.rotations import Array

PARALLEL = 1e-9  # an axis, and how far modes may leave the plane, relative
DIGITS = 9  # of normals that are compared


class PlanarLink(NamedTuple):
    """One link, in its own axes: those of its beam, or of its joint where it has none.

    coordinate, sign : of its joint, and +1 or -1 where it turns the other way; None and 0 where it has none
    modes : coordinates of its amplitudes
    phase : number of joints up to its own
    heading : complex, of its axes at rest in those of the tip before it
    reach, reach_shift, turn : where the next link's joint is, and what amplitudes do there
    """

    name: str
    coordinate: int | None
    sign: int
    modes: range
    phase: int
    heading: Any
    reach: Any
    reach_shift: Sequence[Any]
    turn: Sequence[Any]
    integrals: Integrals
    K: Sequence[Sequence[Any]]
    damping: Sequence[Sequence[Any]]
    drive: Body | None


class Planar:
    """The links of a planar arm, from the base outward; `UnsupportedError` says why an arm is not one.

    spots : places of the bodies that carry others, by their number
    axes, normal : (3,) of the plane in the world, the first complex; gravity : complex
    normals : (3,) of the plane in the axes of every body
    turns : (coordinate, sign) of the joints, from the base outward
    """

    def __init__(self, bodies: Bodies):
        self.bodies, self.dof = bodies, bodies.dof
        self.links: list[PlanarLink] = []
        self.spots: dict[int, Spot] = {}
        self.turns: list[tuple[int, int]] = []
        self.normals: dict[int, Array] = {}
        _refuse_branches(bodies)
        normal = _normal(bodies)
        self.normal, self.axes = normal, _axes(normal)
        self.normals[BASE] = normal
        self._read()
        [self.gravity] = clean([dot(self.axes, bodies.gravity)])

    def _read(self) -> None:
        movers = self.bodies.movers
        at = 0
        while at < len(movers):
            k, body = movers[at]
            follows = movers[at + 1] if at + 1 < len(movers) else None
            if body.beam is not None:
                self._add(None, (k, body))
            elif follows is not None and follows[1].beam is not None:
                self._add((k, body), follows)
                at += 1
            else:
                self._add((k, body), None)
            at += 1

    def _add(self, joint: tuple[int, Body] | None, beam: tuple[int, Body] | None) -> None:
        """Add a body: a joint, a beam, or a beam behind its joint."""
        first = (joint or beam)[1]  # type: ignore[index]
        offset, heading = self._reached(first)
        if self.links:
            self._attach(self.spots[first.parent], offset)
        m, root = 0 if beam is None else beam[1].width, 0j
        total = nothing(m)
        if joint is not None:
            total, root, turned = self._turn(*joint, beam, total)
            [heading] = clean([heading * turned])
        self.links.append(
            PlanarLink(
                first.joint, None if joint is None else first.coordinate, 0 if joint is None else self.turns[-1][1],
                range(0), len(self.turns), heading, 0j, [], [], total, [], [], None if joint is None else first,
            )
        )  # fmt: skip
        if beam is not None:
            self._bend(beam[0], beam[1], root)

    def _turn(self, k: int, body: Body, beam: tuple[int, Body] | None, total: Integrals) -> tuple[Integrals, Any, Any]:
        """Add the body of a joint; the integrals with it, where the beam begins, and the direction of the beam.

        The axes of a link are those of its beam, so what is known in those of the joint is turned back.
        """
        sign = _refuse_oblique(body, body.R.T @ self.normals[body.parent])
        self.turns.append((body.coordinate, sign))
        self.normals[k] = sign * np.array([0.0, 0.0, 1.0])
        axes, m = _axes(self.normals[k]), len(total.v)
        self.spots[k] = Spot(len(self.links), 0j, [0j] * m, [0.0] * m, axes)
        own = rigid(body, self.spots[k], self.normals[k])
        if beam is None:
            return joined(total, own), 0j, 1.0
        R, p = _pose(beam[1])
        [turned] = clean([dot(np.outer(axes, _axes(beam[1].R.T @ self.normals[k]).real), R)])
        back = turned.conjugate()
        [moment], [root] = clean([own.moment * back]), clean([dot(axes, p) * back])
        return joined(total, own._replace(moment=moment)), root, turned

    def _bend(self, k: int, body: Body, root: Any) -> None:
        """Add the beam of the last link, and what is fixed to its tip."""
        t = _tables(body)
        self.normals[k] = body.R.T @ self.normals[body.parent]
        tip = self.spots[k] = _end(body, t, len(self.links) - 1, root, self.normals[k])
        total = joined(self.links[-1].integrals, of_beam(t, root, tip.axes))
        self.links[-1] = self.links[-1]._replace(
            modes=self.bodies.coordinates(k), reach=tip.x, reach_shift=tip.shift, turn=tip.turn,
            integrals=joined(total, rigid(body, tip, self.normals[k])), K=t.K.tolist(), damping=t.damping.tolist(),
        )  # fmt: skip

    def _reached(self, body: Body) -> tuple[Any, Any]:
        """Origin and heading of a body's frame at rest, in the axes of what carries it."""
        axes = self.axes if body.parent == BASE else self.spots[body.parent].axes
        own = _axes(body.R.T @ self.normals[body.parent]).real
        R, p = _pose(body)
        [offset], [heading] = clean([dot(axes, p)]), clean([dot(np.outer(axes, own), R)])
        return offset, heading

    def _attach(self, spot: Spot, offset: Any) -> None:
        """The next link's joint is at an offset from the tip of the last: r_{i+1} of (2)."""
        shift = [s + 1j * t * offset for s, t in zip(spot.shift, spot.turn, strict=True)]
        self.links[-1] = self.links[-1]._replace(reach=spot.x + offset, reach_shift=shift)


def planar_chain(bodies: Bodies) -> Planar:
    """The arm as a planar chain; raises an error for other arms."""
    try:
        return Planar(bodies)
    except UnsupportedError as problem:
        raise UnsupportedError(
            f"arm {bodies.arm.name!r} has flexibility={bodies.arm.flexibility!r}, which covers planar serial arms with "
            f"revolute joints only, and {problem}. Use 'linear', the same field without its truncation, or "
            "'second_order'."
        ) from None


def plane_of(arm: Arm) -> tuple[tuple[float, ...], ...]:
    """Normals of the plane in the axes of the world and of every body; of arms with one plane they are equal."""

    def make() -> tuple[tuple[float, ...], ...]:
        normals = planar_chain(Bodies(arm).tree).normals
        return tuple(tuple((np.round(normal, DIGITS) + 0.0).tolist()) for normal in normals.values())

    return constants_stored(arm, "plane", make)


def _end(body: Body, t: Tables, link: int, at: Any, normal: Array) -> Spot:
    """The tip of a beam whose root is at a place of the link."""
    _refuse_out_of_plane(body, t, normal)
    axes = _axes(normal)
    shift = clean([dot(axes, row) for row in t.shift])
    return Spot(link, at + dot(axes, t.point), shift, [number(dot(normal, row).real) for row in t.turn], axes)


def _tables(body: Body) -> Tables:
    assert body.beam is not None
    return body.beam.layout.unpacked(body.beam.values)


def _pose(body: Body) -> tuple[Any, Any]:
    """Rotation (9) and origin (3) of a body on what carries it."""
    if body.beam is not None:
        t = _tables(body)
        return t.root.ravel(), t.p
    row = constants_of(body)
    return row[0:9], row[9:12]


def _refuse_oblique(body: Body, normal: Array) -> int:
    """Direction of rotation of a joint about the normal of the plane, +1 or -1; raises an error for others."""
    if body.kind != "revolute":
        raise UnsupportedError(f"joint {body.joint!r} is {body.kind}")
    if abs(normal[0]) > PARALLEL or abs(normal[1]) > PARALLEL:
        raise UnsupportedError(f"the axis of joint {body.joint!r} is not parallel to the first one")
    return 1 if normal[2] > 0 else -1


def _refuse_out_of_plane(body: Body, t: Tables, normal: Array) -> None:
    """Raise an error for modes that leave the plane; those of values of a program were looked at as numbers."""
    if not known(t.shift.ravel()) or not known(t.Y.ravel()):
        return
    parts = ((t.shift, "ki,i->k"), (t.D, "kij,i->kj"), (t.Y, "klij,i->klj"))
    leaves = [_beside(np.einsum(how, np.array(x, float), normal), x) for x, how in parts]
    leaves.append(_beside(np.cross(np.array(t.turn, float), normal), t.turn))
    if max(leaves, default=0.0) > PARALLEL:
        raise UnsupportedError(
            f"link {body.joint!r} has modes that leave the plane (bending across it, or torsion); "
            "keep those in the plane only"
        )


def _beside(part: Array, whole: Any) -> float:
    """The largest entry of a part, relative to the largest of the whole."""
    size = float(np.abs(np.array(whole, float)).max(initial=0.0))
    return float(np.abs(part).max(initial=0.0)) / size if size else 0.0


def _refuse_branches(bodies: Bodies) -> None:
    last = BASE
    for k, body in bodies.movers:
        if body.parent != last:
            along = body.parent != BASE and bodies.list[body.parent].mount
            where = "has a joint along a beam" if along and bodies.list[body.parent].beam_owner == last else "branches"
            raise UnsupportedError(f"it {where} at {body.joint!r}")
        last = k


def _normal(bodies: Bodies) -> Array:
    """Normal of the plane in the world: the axis of the first joint."""
    R = np.eye(3)
    for _, body in bodies.movers:
        R = R @ body.R
        if body.beam is None:
            return R[:, 2]
    if bodies.movers:
        raise UnsupportedError("it has no moving joint to define the plane")
    return R[:, 2]


def _axes(normal: Array) -> Axes:
    """Two axes across a normal, as complex numbers: u is axes . u; the first is x, or y where x is along the normal."""
    first = np.eye(3)[int(abs(normal[0]) > 0.9)]
    across = first - (first @ normal) * normal
    across /= np.linalg.norm(across)
    return np.asarray(across + 1j * np.cross(normal, across))
