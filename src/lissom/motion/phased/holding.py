"""Which rows hold contacts: as many as each direction of a spline has freedoms, and none twice.

A contact that holds does not move along the normal of its plane and the tangents. Of several contacts of one foot some
directions follow from others; rows are chosen that are independent, normals first. A direction that is held through a
phase with K segments has K + 3 control points. Its rows vanish at all knots; its rate vanishes where it begins and
ends, and where accelerations jump because another contact begins. That is a complete spline in every stretch, with
as many conditions as control points; more would contradict the joins, fewer would let the contact wander.

A tangent's row is relative to an anchor, a variable: where the contact holds is found. One row where an anchor is first
used defines it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lissom.motion.phased.layout import Layout, Reflection
from lissom.spatial.rotations import Array

INDEPENDENT = 1e-4  # of a row: what is left of one that others do not imply
NOISE = 0.05  # rad or m: the guess may be at a singular posture, what is beside it is not


class Direction(NamedTuple):
    """A direction of a contact: the number of the contact and of the direction among those of its plane."""

    contact: int
    part: int


class HeldRow(NamedTuple):
    """The place of a contact along a direction, less variables, is constant: d . x - sum c_k x_k - constant = 0."""

    phase: int
    s: float
    at: Direction
    places: tuple[int, ...] = ()
    factors: tuple[float, ...] = ()


class StillRow(NamedTuple):
    """The rate of a contact along a direction is zero."""

    phase: int
    s: float
    at: Direction


class Ends(NamedTuple):
    """Coordinates (n,) that are free at the start and the goal of a motion that is not periodic: positions, rates."""

    start: Array
    start_rate: Array
    goal: Array
    goal_rate: Array


@dataclass
class Holding:
    """Rows of all phases.

    held : directions of each phase that are independent
    places, rates : rows of places, and of rates
    jumps : (phases,) whether accelerations may jump where a phase begins
    """

    held: list[list[Direction]] = field(default_factory=list)
    places: list[HeldRow] = field(default_factory=list)
    rates: list[StillRow] = field(default_factory=list)
    jumps: list[bool] = field(default_factory=list)


class _Span:
    """Rows that are independent so far."""

    def __init__(self, rows: Sequence[Array] = ()) -> None:
        self._basis: list[Array] = []
        for row in rows:
            self.add(row)

    def left(self, row: Array) -> float:
        """What is left of a row, relative to its size."""
        size = float(np.linalg.norm(row))
        return float(np.linalg.norm(self._rest(row))) / size if size > 0 else 0.0

    def add(self, row: Array) -> bool:
        """Add a row, if it is independent; whether it is."""
        if self.left(row) <= INDEPENDENT:
            return False
        rest = self._rest(row)
        self._basis.append(rest / np.linalg.norm(rest))
        return True

    def _rest(self, row: Array) -> Array:
        for _ in range(2):
            for one in self._basis:
                row = row - (one @ row) * one
        return row


class _Chooser:
    """Chooses the rows of a layout, at postures (phases, n) where its phases begin."""

    def __init__(self, layout: Layout, reflection: Reflection, postures: Array, ends: Ends | None) -> None:
        self.layout, self.reflection, self.ends = layout, reflection, ends
        noise = np.random.default_rng(0).normal(scale=NOISE, size=postures.shape)
        at = layout.kinematics.at(postures + noise)
        self._slopes = [np.zeros((len(postures), layout.n, 3)) for _ in layout.contacts]
        for i, chain in enumerate(layout.kinematics.chains):
            self._slopes[i][:, chain] = at.slopes(i)
        self.anchors: dict[tuple[int, int, int], int] = {}
        self._ties: dict[Direction, tuple[int, int, int]] = {}
        self._defined: set[tuple[int, int, int]] = set()
        self.out = Holding()

    # ---- directions ---------------------------------------------------------------------------------

    def row(self, phase: int, at: Direction) -> Array:
        """(n,) slope of a contact's place along a direction where a phase begins."""
        return np.asarray(self._slopes[at.contact][phase] @ self.layout.planes[at.contact].directions[at.part])

    def before(self, phase: int) -> int | None:
        """The phase before one; None where the motion begins and is not periodic."""
        return phase - 1 if phase else None if self.ends is not None else len(self.layout.phases) - 1

    def earlier(self, phase: int, held: Sequence[Sequence[Direction]]) -> list[Direction]:
        """Directions that the phase before holds, as contacts where this one begins."""
        last = self.before(phase)
        if last is None:
            return []
        return [self._image(at) if phase == 0 else at for at in held[last]]

    def _image(self, at: Direction) -> Direction:
        return Direction(self.reflection.partner[at.contact], at.part)

    def contacts_before(self, phase: int) -> set[int]:
        """Contacts that hold in the phase before, as they are called where this one begins."""
        last = self.before(phase)
        if last is None:
            return set()
        found = self.layout.phases[last].contacts
        return {self.reflection.partner[i] for i in found} if phase == 0 else set(found)

    def chosen(self, phase: int, known: Sequence[Direction]) -> list[Direction]:
        """Independent directions of the contacts of a phase: normals first, those held before preferred."""
        layout = self.layout
        every = [Direction(i, k) for i in layout.phases[phase].contacts for k in range(layout.components[i])]
        span, out = _Span(), list[Direction]()
        for normal in (True, False):
            for preferred in (True, False):
                some = [at for at in every if (at.part == 0) == normal and (at in known) == preferred]
                while some:
                    best = max(some, key=lambda at: span.left(self.row(phase, at)))
                    if not span.add(self.row(phase, best)):
                        break
                    out.append(best)
                    some.remove(best)
        return out

    def choose(self) -> Holding:
        """Return the rows."""
        held: list[list[Direction]] = [[] for _ in self.layout.phases]
        for _ in range(2):  # where a motion is periodic, the first phase follows the last
            for p in range(len(held)):
                held[p] = self.chosen(p, self.earlier(p, held))
        self.out.held = held
        self.out.jumps = [
            self.before(p) is None or bool(set(mesh.contacts) - self.contacts_before(p))
            for p, mesh in enumerate(self.layout.phases)
        ]
        for p in range(len(held)):
            self._begin(p)
        for p in range(len(held)):
            self._hold(p)
        if self.ends is not None:
            self._end_rates()
        self.layout.anchors = len(self.anchors)
        return self.out

    # ---- rows ---------------------------------------------------------------------------------------

    def _begin(self, p: int) -> None:
        """Rows where a phase begins: new normals, definitions of anchors, rates."""
        out, held = self.out, self.out.held
        earlier = self.earlier(p, held)
        span = _Span([self.row(p, at) for at in earlier])
        free = np.ones(self.layout.n, bool) if p or self.ends is None else self.ends.start
        begun = _Span()
        for at in held[p]:
            new = span.add(self.row(p, at))
            if at.part == 0 and new and begun.add(self.row(p, at) * free):
                out.places.append(HeldRow(p, 0.0, at))
            elif at.part and self._key(p, at) not in self._defined and not self._tied(p, at, earlier):
                self._anchor(self._key(p, at))
                self._defined.add(self._key(p, at))
                out.places.append(self._placed(p, 0.0, at))
        self._begin_rates(p, earlier)

    def _begin_rates(self, p: int, earlier: Sequence[Direction]) -> None:
        out, last = self.out, self.before(p)
        free = np.ones(self.layout.n, bool) if p or self.ends is None else self.ends.start_rate
        span = _Span()
        for at in self.out.held[p]:
            if span.add(self.row(p, at) * free) and out.jumps[p]:
                out.rates.append(StillRow(p, 0.0, at))
        for at, own in zip(earlier, [] if last is None else out.held[last], strict=True):
            if last is not None and span.add(self.row(p, at)):
                out.rates.append(StillRow(last, 1.0, own))

    def _hold(self, p: int) -> None:
        """Rows at the knots of a phase; at a given goal only those that it leaves free."""
        segments, last = self.layout.phases[p].basis.segments, p == len(self.layout.phases) - 1
        for j in range(1, segments + 1):
            span = _Span()
            for at in self.out.held[p]:
                if last and j == segments and self.ends is not None:
                    own = np.zeros(self.layout.n + len(self.anchors))
                    own[: self.layout.n] = self.row(p, at) * self.ends.goal
                    key = self._key(p, at)
                    if at.part and (key[1] > 0 or self.ends.start.any()):
                        own[self.layout.n + self.anchors[key] - self.layout.first_anchor] = 1.0
                    if not span.add(own):
                        continue
                self.out.places.append(self._placed(p, j / segments, at))

    def _end_rates(self) -> None:
        assert self.ends is not None
        p, span = len(self.layout.phases) - 1, _Span()
        for at in self.out.held[p]:
            if span.add(self.row(p, at) * self.ends.goal_rate):
                self.out.rates.append(StillRow(p, 1.0, at))

    # ---- anchors ------------------------------------------------------------------------------------

    def _anchor(self, key: tuple[int, int, int]) -> None:
        self.anchors.setdefault(key, self.layout.first_anchor + len(self.anchors))

    def _key(self, p: int, at: Direction) -> tuple[int, int, int]:
        """The contact, the phase in which it began to hold, and the tangent."""
        while p and at.contact in self.layout.phases[p - 1].contacts:
            p -= 1
        return at.contact, p, at.part

    def _tied(self, p: int, at: Direction, earlier: Sequence[Direction]) -> bool:
        """The anchor of a contact that holds across the end of a periodic motion is the image of one before."""
        if p or self.ends is not None or at not in earlier:
            return False
        last = len(self.layout.phases) - 1
        own = self._image(at)  # an involution
        key = self._key(last, own)
        if key[1] == 0:  # it holds all the time
            return False
        self._anchor(key)
        self._ties[at] = key
        return True

    def _placed(self, p: int, s: float, at: Direction) -> HeldRow:
        """The row of a direction: normals are relative to the plane, tangents to their anchor."""
        if at.part == 0:
            return HeldRow(p, s, at)
        key = self._key(p, at)
        if at not in self._ties or key in self._defined:
            return HeldRow(p, s, at, (self.anchors[key],), (1.0,))
        return self._image_row(p, s, at, self._ties[at])

    def _image_row(self, p: int, s: float, at: Direction, key: tuple[int, int, int]) -> HeldRow:
        """d . x = d . S d' a - sum (d . e_k) L_k, for the image of an anchor a along d' moved back by travels L_k."""
        layout = self.layout
        d = layout.planes[at.contact].directions[at.part]
        other = layout.planes[key[0]].directions[key[2]]
        factors = [float(d @ self.reflection.S @ other), *(-float(d @ e) for e in travel_directions(layout))]
        places = (self.anchors[key], *layout.travels.tolist())
        return HeldRow(p, s, at, places, tuple(factors))


def travel_directions(layout: Layout) -> list[Array]:
    """World directions (3,) in which unit travels move the arm."""
    q = np.zeros((1, layout.n))
    at = layout.kinematics.at(q)
    out = []
    for one in layout.task.travel:
        k = layout.arm.coordinates.index(one.coordinate)
        i = next((i for i, chain in enumerate(layout.kinematics.chains) if k in chain), None)
        d = np.zeros(3) if i is None else at.slopes(i)[0, int(np.flatnonzero(layout.kinematics.chains[i] == k)[0])]
        out.append(d)
    return out


def choose_rows(layout: Layout, reflection: Reflection, postures: Array, ends: Ends | None) -> Holding:
    """Return the rows of a layout, whose number of anchors is then known.

    postures : (phases, n) where phases begin, of the first guess
    ends : what is free at both ends; None: the motion is periodic
    """
    return _Chooser(layout, reflection, postures, ends).choose()


def anchor_places(rows: Sequence[HeldRow]) -> dict[int, HeldRow]:
    """Rows that define anchors, by the places of these."""
    found: dict[int, HeldRow] = {}
    for row in rows:
        if len(row.places) == 1:
            found.setdefault(row.places[0], row)
    return found
