"""The constants of a flexible body: integrals over its displacement field.

A point with undeformed place x and modal amplitudes eta is at

    p = x + sum_k phi_k eta_k + 1/2 eta psi eta,      psi: foreshortening, and transverse terms of bending with torsion

In the integrals over mass psi enters through its mass-weighted affine part ``Lam h``, h = [1 x y z]: the
resultants that kinetic energy and gravity need to second order are kept exactly, and no integrals but
Book's (1983) are needed. At the tip, and where loads act, psi itself is used.

    psi_kl  = (-I[y_k' y_l' + z_k' z_l'], -II[t_k z_l'' + t_l z_k''], II[t_k y_l'' + t_l y_k''])
    turn    = (t_k, -z_k', y_k')
    turn2_kl = (-I[y_k'' z_l' + y_l'' z_k'], -I[t_k y_l'' + t_l y_k''], -I[t_k z_l'' + t_l z_k''])

C, D, Y are twice Book's (30), (28), (25) and make up his (26)-(29); K is his (42)-(45), from the energy (40), (46) with
the turns (41). For transversal shapes in a plane C, D, Y are (24a)-(24f) of De Luca and Siciliano 1991, and K is (24g)
with second derivatives.

I integrates from the root; y, z, t are deflections along y and z and the twist. The elastic energy is
``1/2 eta K eta + 1/2 sum_j (1/2 eta bend_j eta)^2``; the quartic part is the bending of the shortened axis.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lissom.flexible.bending import KEPT
from lissom.flexible.modes import along
from lissom.flexible.quadrature import Panels, refined
from lissom.flexible.ritz import assumed_tips, shapes_of, stations_of
from lissom.flexible.shapes import Shapes
from lissom.later import cached_property
from lissom.model.beam import PLANES, Beam, Tip
from lissom.model.modal_integrals import ModalIntegrals
from lissom.spatial.rotations import Array

PANELS = 6
SLOPES = 17  # places along a beam at which its slope is looked at
NOTHING = 1e-13  # relative; entries below are rounding, and zeros fold away
QUARTIC_MODES = 2  # of each plane; higher ones stay small


@dataclass(frozen=True, eq=False)
class Station:
    """A place on the beam: undeformed point, and its first- and second-order motion with the amplitudes.

    point (3,); shift (m, 3), shift2 (m, m, 3) displacement; turn (m, 3), turn2 (m, m, 3) section angles about x, y, z
    """

    point: Array
    shift: Array
    shift2: Array
    turn: Array
    turn2: Array

    @property
    def linear(self) -> Station:
        """The station without its second-order motion."""
        return replace(self, shift2=np.zeros_like(self.shift2), turn2=np.zeros_like(self.turn2))


@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """Constants of a flexible body with m modes.

    C (4, 4)          int h h^T dm
    D (m, 3, 4)       int phi_k h^T dm
    Y (m, m, 3, 3)    int phi_k phi_l^T dm
    Lam (3, 4, m, m)  affine part of psi
    K, damping (m, m)
    bend (j, m, m)    quartic elastic energy
    tip : Station
    line : Line or None   its axis, where it is known
    """

    C: Array
    D: Array
    Y: Array
    Lam: Array
    K: Array
    damping: Array
    bend: Array
    tip: Station
    line: Line | None = None

    @property
    def m(self) -> int:
        """Number of modes."""
        return len(self.K)

    @property
    def linear(self) -> FlexibleBody:
        """The body with a displacement field that is linear in the amplitudes."""
        line = self.line and Line(self.line.beam.replace(third_order=False), self.line.shapes, linear=True)
        none = np.zeros((0, self.m, self.m))
        return replace(self, Lam=np.zeros_like(self.Lam), bend=none, tip=self.tip.linear, line=line)

    @cached_property
    def slopes(self) -> tuple[Array, Array]:
        """(m, places) turns about y and z of unit amplitudes from root to tip; of the tip where no more is known."""
        if self.line is None:
            turns = self.tip.turn[:, None]
        else:
            turns = self.line.field.linear(np.linspace(0.0, self.line.beam.length, SLOPES))[1]
        return turns[..., 1], turns[..., 2]


@dataclass(frozen=True, eq=False)
class Line:
    """The axis of a beam: stations anywhere along it.

    linear : what two amplitudes do together is left out
    """

    beam: Beam
    shapes: dict[str, Shapes]
    linear: bool = False

    def station(self, s: float) -> Station:
        """The station at a distance s from the root."""
        edges = np.unique(np.concatenate([x.edges for x in self.shapes.values()]))
        inside = np.unique(np.append(edges[edges < s], s))
        count = max((x.count for x in self.shapes.values()), default=0)
        panels = Panels(refined(inside, max(PANELS, count)) if s > 0 else np.array([0.0, 1e-300]))
        field = Field(self.beam, self.shapes, panels)
        shift, turn = (part[:, 0] for part in field.linear(np.array([s])))
        _, _, shift2, turn2 = field.quadratic()
        found = Station(np.array([s, 0.0, 0.0]), _clean(shift), _clean(shift2), _clean(turn), _clean(turn2))
        return found.linear if self.linear else found

    @property
    def field(self) -> Field:
        """The displacement field that is linear in the amplitudes."""
        return Field(self.beam, self.shapes, Panels(np.array([0.0, self.beam.length])))

    def strains(self, s: Array) -> Array:
        """(m, points, 4) stretch, twist per length and curvatures about y and z of unit amplitudes."""
        parts = (("stretch", 1, 1.0), ("torsion", 1, 1.0), ("bending_y", 2, -1.0), ("bending_z", 2, 1.0))
        return np.stack([sign * self.field.columns(word, s, order) for word, order, sign in parts], axis=-1)


class Field:
    """Displacements of a beam at given positions: linear and quadratic in the amplitudes."""

    def __init__(self, beam: Beam, shapes: dict[str, Shapes], panels: Panels):
        self.beam, self.panels = beam, panels
        self.sets = shapes
        self.m = sum(s.count for s in shapes.values())
        self._known: dict[tuple[str, int], Array] = {}  # at the nodes

    def columns(self, word: str, s: Array, derivative: int) -> Array:
        """(m, points) of one kind of motion; zero rows for modes of other kinds."""
        if s is self.panels.s:
            if (word, derivative) not in self._known:
                self._known[word, derivative] = self._columns(word, s, derivative)
            return self._known[word, derivative]
        return self._columns(word, s, derivative)

    def _columns(self, word: str, s: Array, derivative: int) -> Array:
        out, at = np.zeros((self.m, len(s))), 0
        for name, shapes in self.sets.items():
            if name == word:
                out[at : at + shapes.count] = shapes.at(s, derivative).T
            at += shapes.count
        return out

    def linear(self, s: Array) -> tuple[Array, Array]:
        """(m, points, 3) displacement and section angles of unit amplitudes."""
        y, z = (self.columns(w, s, 0) for w in ("bending_z", "bending_y"))
        dy, dz = (self.columns(w, s, 1) for w in ("bending_z", "bending_y"))
        t, x = self.columns("torsion", s, 0), self.columns("stretch", s, 0)
        return np.stack([x, y, z], axis=-1), np.stack([t, -dz, dy], axis=-1)

    def quadratic(self) -> tuple[Array, Array, Array, Array]:
        """psi and turn2 at the nodes (m, m, nodes, 3), and at the tip (m, m, 3)."""
        s = self.panels.s
        dy, dz = (self.columns(w, s, 1) for w in ("bending_z", "bending_y"))
        ddy, ddz = (self.columns(w, s, 2) for w in ("bending_z", "bending_y"))
        t = self.columns("torsion", s, 0)
        ty, tz, yz = _pairs(t, ddy), _pairs(t, ddz), _pairs(ddy, dz)
        short = 0.5 * (_pairs(dy, dy) + _pairs(dz, dz))
        (a2, a2_tip), (b2, b2_tip), (c2, c2_tip) = (self._upto(f) for f in (-tz, -ty, -yz))
        x2, x2_tip = self._upto(-short)
        y2, y2_tip = self._upto(a2)
        z2, z2_tip = self._upto(-b2)
        return (
            np.stack([x2, y2, z2], -1), np.stack([c2, b2, a2], -1),
            np.stack([x2_tip, y2_tip, z2_tip], -1), np.stack([c2_tip, b2_tip, a2_tip], -1),
        )  # fmt: skip

    def _upto(self, f: Array) -> tuple[Array, Array]:
        """Integral from the root to the nodes, and to the tip."""
        return f @ self.panels.upto.T, f @ self.panels.w


def _pairs(f: Array, g: Array) -> Array:
    """f_k g_l + f_l g_k at every point."""
    return f[:, None] * g[None] + g[:, None] * f[None]


def beam_body(beam: Beam, tip: Tip, across: Tip) -> FlexibleBody:
    """The constants of a beam; `tip` is its tip inertia for bending about z, `across` for bending about y."""
    shapes = shapes_of(beam, tip, across)
    tip, across = assumed_tips(beam, tip, across)
    moved = _moved(_Mass(beam), tuple(shapes.items()))
    field, station = moved.field, moved.tip
    bend = _quartic(beam, field) if beam.third_order else np.zeros((0, field.m, field.m))
    K = _stiffness(beam, field)
    damping = _damping(beam, K, moved.M, moved.shift, moved.turn, tip, across)
    return FlexibleBody(
        moved.C, moved.D, moved.Y, moved.Lam, K, damping, _clean(bend), station, Line(beam, shapes),
    )  # fmt: skip


class _Mass:
    """A beam without its stiffness, a key for mass integrals shared by beams that differ in stiffness only."""

    def __init__(self, beam: Beam):
        self.beam = beam
        parts = (beam.mass_per_length, beam.gyration, stations_of(beam))
        self._key = (beam.length, beam.resists_spin, *(np.asarray(part, float).tobytes() for part in parts))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Mass) and self._key == other._key


class _Moved(NamedTuple):
    """Quantities that depend on shapes and mass only: field, integrals (see `FlexibleBody`), tip station."""

    field: Field
    C: Array
    D: Array
    Y: Array
    Lam: Array
    M: Array
    tip: Station
    shift: Array
    turn: Array


@functools.lru_cache(maxsize=KEPT)
def _moved(mass: _Mass, sets: tuple[tuple[str, Shapes], ...]) -> _Moved:
    beam, shapes = mass.beam, dict(sets)
    count = max((s.count for s in shapes.values()), default=0)
    edges = np.unique(np.concatenate([s.edges for s in shapes.values()] + [stations_of(beam)]))
    panels = Panels(refined(edges, max(PANELS, count)))
    field = Field(beam, shapes, panels)
    phi, angle = field.linear(panels.s)
    psi, _, psi_tip, turn2_tip = field.quadratic()
    x, dm, phi_m, psi_m = _points(beam, panels, phi, angle, psi)
    h = np.column_stack([np.ones(len(x)), x])
    C = np.einsum("p,pi,pj->ij", dm, h, h)
    Lam = np.einsum("p,klpi,pj->ijkl", dm, psi_m, h)
    Lam = np.einsum("ijkl,jn->inkl", Lam, np.linalg.pinv(C, rcond=1e-12))
    shift, turn = (part[:, 0] for part in field.linear(np.array([beam.length])))
    tip = Station(np.array([beam.length, 0.0, 0.0]), _clean(shift), _clean(psi_tip), _clean(turn), _clean(turn2_tip))
    D, Y = np.einsum("p,kpi,pj->kij", dm, phi_m, h), np.einsum("p,kpi,lpj->klij", dm, phi_m, phi_m)
    M = np.einsum("p,kpi,lpi->kl", dm, phi_m, phi_m)
    return _Moved(field, C, _clean(D), _clean(Y), _clean(Lam), M, tip, shift, turn)


def _points(beam: Beam, panels: Panels, phi: Array, angle: Array, psi: Array) -> tuple[Array, Array, Array, Array]:
    """Mass points: places (p, 3), masses (p,), phi (m, p, 3), psi (m, m, p, 3).

    Rotary inertia: each section becomes four points that turn with it.
    """
    s = panels.s
    x = np.column_stack([s, 0 * s, 0 * s])
    dm = panels.w * along(beam, beam.mass_per_length, s)
    if not beam.resists_spin:
        return x, dm, phi, psi
    r_y, r_z = beam.gyration  # r_y goes with turning about y, the extent along z
    offsets = np.sqrt(2.0) * np.array([[0, r_z, 0], [0, -r_z, 0], [0, 0, r_y], [0, 0, -r_y]])
    turned = np.concatenate([phi + np.cross(angle, o) for o in offsets], axis=1)
    return np.concatenate([x + o for o in offsets]), np.tile(dm / 4, 4), turned, np.concatenate([psi] * 4, axis=2)


def _stiffness(beam: Beam, field: Field) -> Array:
    """(m, m) elastic energy, quadratic part: Book's (42)-(45), and stretch."""
    s, w = field.panels.s, field.panels.w
    K = np.zeros((field.m, field.m))
    for word in PLANES:
        f = field.columns(word, s, 2 if word.startswith("bending") else 1)
        K += (f * (w * along(beam, beam.stiffness(word), s))) @ f.T
    return K


def _quartic(beam: Beam, field: Field) -> Array:
    """Few matrices B_j with sum_j (1/2 eta B_j eta)^2 = int (sqrt(EI_z) y' y'' + sqrt(EI_y) z' z'')^2 ds."""
    s, w, m = field.panels.s, field.panels.w, field.m
    axial = np.zeros((m, m, len(s)))
    for word, stiffness in (("bending_z", beam.EI[1]), ("bending_y", beam.EI[0])):
        slope, bent = field.columns(word, s, 1), field.columns(word, s, 2)
        axial += np.sqrt(along(beam, stiffness, s)) * _pairs(slope, bent)
    low = np.concatenate([np.arange(shapes.count) < QUARTIC_MODES for shapes in field.sets.values()]).astype(float)
    axial *= low[:, None, None] * low[None, :, None]
    U, S, _ = np.linalg.svd(axial.reshape(m * m, -1) * np.sqrt(w), full_matrices=False)
    rank_ = int((1e-9 * S.max(initial=1e-300) < S).sum()) if S.max(initial=0.0) > 0 else 0
    return (U[:, :rank_] * S[:rank_]).T.reshape(rank_, m, m)


def _damping(beam: Beam, K: Array, M: Array, shift: Array, turn: Array, tip: Tip, across: Tip) -> Array:
    """Modal damping 2 zeta w m of every clamped mode, tip included."""
    ratios = np.broadcast_to(np.asarray(beam.damping, float), len(K))
    if not ratios.any():
        return np.zeros_like(K)
    own = np.diag(M).copy()
    own += (
        tip.mass * shift[:, 1] ** 2 + tip.inertia * turn[:, 2] ** 2 + 2 * tip.offset_moment * shift[:, 1] * turn[:, 2]
    )
    own += across.mass * shift[:, 2] ** 2 + across.inertia * turn[:, 1] ** 2
    own -= 2 * across.offset_moment * shift[:, 2] * turn[:, 1]
    own += tip.polar * turn[:, 0] ** 2 + tip.mass * shift[:, 0] ** 2
    return np.diag(2 * ratios * np.sqrt(np.diag(K) * own))


def given_body(data: ModalIntegrals) -> FlexibleBody:
    """The constants of a link given by its modal integrals; quadratic terms only where they are given."""
    m = data.count
    none = np.zeros((m, m, 3))
    shift2, turn2 = (none if table is None else np.array(table) for table in (data.tip_shift2, data.tip_turn2))
    Lam = np.zeros((3, 4, m, m)) if data.Lam is None else np.array(data.Lam)
    station = Station(np.array(data.tip), np.array(data.tip_shift), shift2, np.array(data.tip_turn), turn2)
    D, Y = 2 * np.transpose(data.Ck[:, :, 1:], (0, 2, 1)), 2 * np.array(data.Ckl[:, :, 1:, 1:])
    return FlexibleBody(
        2 * np.array(data.C), _clean(D), _clean(Y), Lam, np.array(data.K), np.array(data.D),
        np.zeros((0, m, m)), station,
    )  # fmt: skip


def _clean(A: Array) -> Array:
    """An array with rounding errors set to zero."""
    size = float(np.abs(A).max(initial=0.0))
    return np.where(np.abs(A) > NOTHING * size, A, 0.0)
