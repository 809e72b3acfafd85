"""An arm read as a planar chain: points are complex numbers, a turn is a factor of size one.

Link i has a frame W_i with origin r_i on its joint; a point of it is at

    p = r_i + W_i (x + sum_k phi_k delta_k)

with complex constants x and phi_k: i times a real one for a transversal shape, 0 on the hub, and
``shift_k + i turn_k x_p`` for a point x_p fixed to the tip. All mass of a link (hub, beam, payload) enters through

    m = int dm    S = int x dm    J = int |x|^2 dm    v_k = int phi_k dm    w_k = int conj(x) phi_k dm
    z_kl = int conj(phi_k) phi_l dm

which are De Luca and Siciliano's (24) for a transversal beam. Links that do not bend have no phi; an elastic joint
is a link without mass and one behind its spring; a beam on the tip of another has no joint of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.bodies import BASE, Bodies, Body
from lissom.errors import UnsupportedError
from lissom.spatial.rotations import Array

PARALLEL = 1e-9  # an axis, and how far modes may leave the plane, relative
ROUNDING = 1e-13  # relative; smaller parts of a constant are meant to be zero

Axes = NDArray[np.complex128]


class Integrals(NamedTuple):
    """The inertial constants of a link; complex numbers but for mass and J."""

    mass: Any
    moment: Any  # S
    inertia: Any  # J
    v: Sequence[Any]
    w: Sequence[Any]
    z: Sequence[Sequence[Any]]


class Spot(NamedTuple):
    """A place on a link: at x + sum shift_k delta_k, turned by sum turn_k delta_k.

    axes : a vector u in the axes of the place is the complex number axes . u in the link's, undeformed
    """

    link: int
    x: Any
    shift: Sequence[Any]
    turn: Sequence[Any]
    axes: Axes


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

    spots : places of the bodies, by their number
    axes, normal : (3,) of the plane in the world, the first complex; gravity : complex
    turns : (coordinate, sign) of the joints, from the base outward
    """

    def __init__(self, bodies: Bodies):
        self.bodies, self.dof = bodies, bodies.dof
        self.links: list[PlanarLink] = []
        self.spots: dict[int, Spot] = {}
        self.turns: list[tuple[int, int]] = []
        self._normals: dict[int, Array] = {}
        _refuse_branches(bodies)
        normal = _normal(bodies)
        self.normal, self.axes = normal, _axes(normal)
        self._normals[BASE] = normal
        self._read()
        self.gravity = complex(_clean(self.axes @ bodies.arm.gravity))

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
        for k, body in enumerate(self.bodies.list):
            if body.beam_owner >= 0:
                self._station(k, body)

    def _add(self, joint: tuple[int, Body] | None, beam: tuple[int, Body] | None) -> None:
        """Add a body: a joint, a beam, or a beam behind its joint."""
        first = (joint or beam)[1]  # type: ignore[index]
        offset, heading = self._reached(first.parent, first)
        if self.links:
            self._attach(self.spots[first.parent], offset)
        link, m = len(self.links), 0 if beam is None else beam[1].width
        total, root = _nothing(m), 0j
        if joint is not None:
            k, body = joint
            sign = self._refuse_oblique(body, body.R.T @ self._normals[body.parent])
            self.turns.append((body.coordinate, sign))
            self._normals[k] = sign * np.array([0.0, 0.0, 1.0])
            axes = _axes(self._normals[k])
            if beam is not None:  # the link's axes are those of the beam
                turned = complex(_clean(axes @ (beam[1].R @ _axes(beam[1].R.T @ self._normals[k]).real)))
                heading, axes = complex(_clean(heading * turned)), _clean(axes * turned.conjugate())
                root = complex(_clean(axes @ beam[1].p))
            self.spots[k] = Spot(link, 0j, [0j] * m, [0.0] * m, axes)
            total = _joined(total, _rigid(body, self.spots[k], self._normals[k]))
        self.links.append(
            PlanarLink(
                first.joint, None if joint is None else first.coordinate, 0 if joint is None else self.turns[-1][1],
                range(0), len(self.turns), heading, 0j, [], [], total, [], [], None if joint is None else first,
            )
        )  # fmt: skip
        if beam is not None:
            self._bend(beam[0], beam[1], root)

    def _bend(self, k: int, body: Body, root: complex) -> None:
        """Add the beam of the last link, and what is fixed to its tip."""
        t = self._tables(k)
        self._normals[k] = body.R.T @ self._normals[body.parent]
        tip = self.spots[k] = self._end(body, len(self.links) - 1, root, self._normals[k])
        total = _joined(self.links[-1].integrals, _of_beam(t, root, tip.axes))
        K, damping = (np.array(table, float).tolist() for table in (t.K, t.damping))
        self.links[-1] = self.links[-1]._replace(
            modes=self.bodies.coordinates(k), reach=tip.x, reach_shift=tip.shift, turn=tip.turn,
            integrals=_joined(total, _rigid(body, tip, self._normals[k])), K=K, damping=damping,
        )  # fmt: skip

    def _reached(self, before: int, body: Body) -> tuple[complex, complex]:
        """Origin and heading of a body's frame at rest, in the axes of what carries it."""
        axes = self.axes if before == BASE else self.spots[before].axes
        own = _axes(body.R.T @ self._normals[before]).real
        return complex(_clean(axes @ body.p)), complex(_clean(axes @ (body.R @ own)))

    def _attach(self, spot: Spot, offset: complex) -> None:
        """The next link's joint is at an offset from the tip of the last: r_{i+1} of (2)."""
        shift = [s + 1j * t * offset for s, t in zip(spot.shift, spot.turn, strict=True)]
        self.links[-1] = self.links[-1]._replace(reach=spot.x + offset, reach_shift=shift)

    def _end(self, body: Body, link: int, at: complex, normal: Array) -> Spot:
        """The end of a beam: its tip, or a place along it."""
        assert body.beam is not None
        t = body.beam.layout.unpacked(body.beam.values)
        axes = _axes(normal)
        shift, turn = np.array(t.shift, float), np.array(t.turn, float)
        self._refuse_out_of_plane(body, t, normal)
        return Spot(
            link,
            complex(at + axes @ np.array(t.point, float)),
            [complex(x) for x in _clean(shift @ axes)],
            [float(x) for x in turn @ normal],
            axes,
        )

    def _station(self, k: int, body: Body) -> None:
        """A place along a beam, where loads act."""
        tip = self.spots[body.beam_owner]
        assert body.beam is not None
        point = np.array(self._tables(body.beam_owner).point, float)
        at = tip.x - complex(tip.axes @ point)
        self._normals[k] = self._normals[body.beam_owner]
        self.spots[k] = self._end(body, tip.link, at, self._normals[k])

    def _tables(self, k: int) -> Any:
        beam = self.bodies.list[k].beam
        assert beam is not None
        return beam.layout.unpacked(beam.values)

    def _refuse_oblique(self, body: Body, normal: Array) -> int:
        """Direction of rotation of a joint about the normal of the plane, +1 or -1; raises an error for others."""
        if body.kind != "revolute":
            raise UnsupportedError(f"joint {body.joint!r} is {body.kind}")
        if abs(normal[0]) > PARALLEL or abs(normal[1]) > PARALLEL:
            raise UnsupportedError(f"the axis of joint {body.joint!r} is not parallel to the first one")
        return 1 if normal[2] > 0 else -1

    @staticmethod
    def _refuse_out_of_plane(body: Body, t: Any, normal: Array) -> None:
        """Raise an error for modes that leave the plane."""
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


def _clean(x: Any) -> Any:
    """Complex numbers without the rounding in one of their parts."""
    x = np.asarray(x, complex)
    tiny = ROUNDING * np.abs(x).max(initial=0.0)
    return np.where(np.abs(x.real) > tiny, x.real, 0.0) + 1j * np.where(np.abs(x.imag) > tiny, x.imag, 0.0)


# ---- integrals -----------------------------------------------------------------------------------


def _nothing(m: int) -> Integrals:
    return Integrals(0.0, 0j, 0.0, [0j] * m, [0j] * m, [[0j] * m for _ in range(m)])


def _joined(a: Integrals, b: Integrals) -> Integrals:
    """Integrals of a link that consists of two parts."""

    def both(x: Any, y: Any) -> list[complex]:
        return [p + q for p, q in zip(x, y, strict=True)]

    z = [both(x, y) for x, y in zip(a.z, b.z, strict=True)]
    return Integrals(a.mass + b.mass, a.moment + b.moment, a.inertia + b.inertia, both(a.v, b.v), both(a.w, b.w), z)


def _rigid(body: Body, at: Spot, normal: Array) -> Integrals:
    """A rigid body fixed at a place of the link: phi_k = shift_k + i turn_k x_p for its points x + x_p."""
    m, S, J = body.mass, complex(_clean(at.axes @ body.moment)), float(normal @ body.inertia @ normal)
    x, modes = at.x, range(len(at.shift))
    s, t = at.shift, [1j * turn for turn in at.turn]
    v = [m * s[k] + t[k] * S for k in modes]
    w = [x.conjugate() * v[k] + S.conjugate() * s[k] + t[k] * J for k in modes]
    z = [
        [s[k].conjugate() * (m * s[l] + t[l] * S) + t[k].conjugate() * (S.conjugate() * s[l] + t[l] * J) for l in modes]
        for k in modes
    ]
    return Integrals(m, m * x + S, m * abs(x) ** 2 + 2 * (x.conjugate() * S).real + J, v, w, z)


def _of_beam(t: Any, at: complex, axes: Axes) -> Integrals:
    """A beam whose root is at a place of the link."""
    C, D, Y = (np.array(x, float) for x in (t.C, t.D, t.Y))
    m, S = float(C[0, 0]), complex(axes @ C[0, 1:])
    J = float((axes @ C[1:, 1:] @ axes.conj()).real)
    v = np.einsum("i,ki->k", axes, D[:, :, 0])
    w = np.conj(at) * v + np.einsum("i,j,kij->k", axes, axes.conj(), D[:, :, 1:])
    z = np.einsum("i,j,klij->kl", axes.conj(), axes, Y)
    v, w, z = (_clean(x) for x in (v, w, z))
    moment = complex(_clean(m * at + S))
    return Integrals(
        m, moment, m * abs(at) ** 2 + 2 * (np.conj(at) * S).real + J, [complex(x) for x in v],
        [complex(x) for x in w], [[complex(x) for x in row] for row in z],
    )  # fmt: skip
