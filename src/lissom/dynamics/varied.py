"""Parameterised arms that differ in numbers only: these become inputs of the programs, the rest is constant.

`Varied` describes what may differ. It is made from a base arm and samples; the constants of every arm that differs from
the base in nothing else are then one row of numbers, and one compiled function serves them all. A row does not depend
on other arms, nor does what is computed from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.acting import standing_frames
from lissom.dynamics.alike import refuse_unlike
from lissom.dynamics.bodies import GEAR, PLAIN_DRIVE, Bodies
from lissom.dynamics.numbers import Key, Numbers, drive_length, numbers_of
from lissom.dynamics.stations import MARK, spoken
from lissom.errors import InputError
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.elements.tables import Layout

SAME = 1e-13  # relative to the table that an entry stands in; what differs by less is rounding
FIELDS = {
    "body": "mass, inertia or placement", "drive": "drive, damping, friction or spring", "beam": "beam",
    "gravity": "gravity", "load": "loads", "place": "frames", "link": "frame",
    "part": "mass or inertia", "weld": "the place of the joint",
}  # fmt: skip


class Piece(NamedTuple):
    """Constants that are used together, one slice of the row.

    entries : their places in the table `key` of `Numbers`
    known : of these, by place in the stretch, those that do not vary
    layout : of a beam, the pattern of all samples
    """

    key: Key
    entries: tuple[int, ...]
    known: dict[int, float]
    where: slice
    layout: Layout | None = None


class Varied:
    """The numbers that may differ between the arms of a batch.

    Parameters
    ----------
    arm : Arm                   the base; what does not vary is as here
    samples : arms              of the same structure; numbers in which any of them differs from the base may vary
    frames : names of frames    places along beams (`stations.station_name`) that loads act on, or that are outputs
    rounded : bool              as of `Bodies`; kinematics takes them as they are
    """

    def __init__(self, arm: Arm, samples: Iterable[Arm], frames: Iterable[str] = (), rounded: bool = True):
        self.arm, self.rounded = arm, rounded
        self.samples = tuple(samples)
        stations = [frame for frame in (*frames, *standing_frames(arm)) if MARK in frame]
        self.frames = tuple(sorted(set(stations)))
        found = [self._numbers(k, other) for k, other in enumerate(self.samples)]
        self._base = numbers_of(arm, self.frames, rounded)
        self._scales = {key: _scale(self._base, found, key) for key in self._base.tables}
        self._moving: dict[Key, NDArray[np.bool_]] = {}  # of every piece, which entries vary
        self.pieces = tuple(self._pieces(found))
        self.size = self.pieces[-1].where.stop if self.pieces else 0
        self._text = repr([(p.key, p.entries, sorted(p.known), p.layout) for p in self.pieces])

    # ---- what it is ------------------------------------------------------------------------------

    @cached_property
    def key(self) -> str:
        """Fingerprint of the numbers that vary."""
        return hashlib.sha256(self._text.encode()).hexdigest()

    @cached_property
    def geared(self) -> bool:
        """Whether friction of any joint depends on its load."""
        drives = [len(piece.entries) == GEAR.stop for piece in self.pieces if piece.key[0] == "drive"]
        return any(drives) or self._bodies.geared

    def __repr__(self) -> str:
        return f"Varied({self.key})"

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Varied) and self.key == other.key

    @cached_property
    def unrounded(self) -> Varied:
        """The parameterised arm with unrounded numbers, for kinematics."""
        return self if not self.rounded else Varied(self.arm, self.samples, self.frames, rounded=False)

    def covers(self, frames: Iterable[str], verb: str) -> None:
        """Raise an error for places along beams that are not among its frames."""
        for frame in frames:
            if MARK in frame and frame not in self.frames:
                raise InputError(
                    f"{verb}: {spoken(frame)} is a place along a beam that is not among the frames of this batch of "
                    "arms; name it in `frames`."
                )

    @cached_property
    def _bodies(self) -> Bodies:
        return Bodies(self.arm, self.rounded).with_stations(self.frames)

    # ---- rows ------------------------------------------------------------------------------------

    def rows(self, arms: Sequence[Arm]) -> Array:
        """Numbers (arms, size) of arms; raises an error if an arm differs in a number that does not vary."""
        out = np.empty((len(arms), self.size))
        for k, arm in enumerate(arms):
            self._fill(out[k], k, arm)
        return out

    def _numbers(self, k: int, arm: Arm) -> Numbers:
        refuse_unlike(self.arm, arm, k)
        return numbers_of(arm, self.frames, self.rounded)

    def _fill(self, row: Array, k: int, arm: Arm) -> None:
        numbers = self._numbers(k, arm)
        varying = {piece.key: piece for piece in self.pieces}
        for key, base in self._base.tables.items():
            table, piece = numbers.tables[key], varying.get(key)
            off = np.abs(table - base) > SAME * self._scales[key]
            if piece is not None:
                own = np.array(piece.entries)
                off[own] &= ~self._moving[key]
                row[piece.where] = np.where(self._moving[key], table[own], base[own])
            if off.any():
                raise InputError(
                    f"arms: arm {k}{self._spot(key)}: {FIELDS[key[0]]} differs from {self.arm.name!r} in a number that "
                    "does not vary between the samples; give samples that differ in it."
                )

    def _spot(self, key: Key) -> str:
        """The place of a table, as text."""
        what, at = key
        if what in ("body", "drive", "beam"):
            return f", {spoken(at) if isinstance(at, str) else repr(self._bodies.list[at].joint)}"
        if what in ("link", "weld", "part"):
            return f", link {self.arm.links[at.link if what == 'part' else at].name!r}"
        return ""

    # ---- what varies -----------------------------------------------------------------------------

    def _pieces(self, found: Sequence[Numbers]) -> Iterable[Piece]:
        at = 0
        for key, base in self._base.tables.items():
            others = np.array([numbers.tables[key] for numbers in found]).reshape(len(found), len(base))
            moves: NDArray[np.bool_] = np.any(np.abs(others - base) > SAME * self._scales[key], axis=0)
            if not moves.any():
                continue
            entries = np.arange(drive_length([base, *others]) if key[0] == "drive" else len(base))
            layout = None
            if key[0] == "beam":
                some = (base != 0.0) | moves
                entries, layout = np.flatnonzero(some), self._base.layout(key, some)
            self._moving[key] = moves[entries]
            known = {int(k): float(base[entries[k]]) for k in np.flatnonzero(~moves[entries])}
            yield Piece(key, tuple(map(int, entries)), known, slice(at, at + len(entries)), layout)
            at += len(entries)

    def drive(self, row: Any, coordinate: int) -> Any:
        """The entries of the drive of a joint in a row; None where it does not vary."""
        for piece in self.pieces:
            what, k = piece.key
            body = self._bodies.list[k] if what == "drive" else None
            if body is not None and body.coordinate == coordinate and not body.follows:
                return row[piece.where]
        return None

    def has_laws(self, coordinate: int) -> bool:
        """Whether the drive of a joint varies and has further laws of friction."""
        entries = self.drive(range(self.size), coordinate)
        return entries is not None and len(entries) > PLAIN_DRIVE

    # ---- programs --------------------------------------------------------------------------------

    def filled(self, run: Any, bodies: Bodies, row: Any) -> Bodies:
        """The bodies of a program with the numbers of a row, a vector of it, in place of their own."""
        columns: dict[str, dict[int, Any]] = {"constants": {}, "drive": {}, "beam": {}}
        given = dict(bodies.given)
        links = list(bodies.links)
        for piece in self.pieces:
            what, at = piece.key
            values = run.partly(row[piece.where], piece.known)
            if what == "body":
                columns["constants"][at] = values
            elif what == "drive":
                columns["drive"][at] = values
            elif what == "link":
                links[at] = links[at]._replace(given=values)
            elif what != "beam":
                given[piece.key] = values
            else:
                k = bodies.station(at) if isinstance(at, str) else at
                if k is not None:
                    beam = bodies.list[k].beam
                    assert beam is not None
                    assert piece.layout is not None
                    columns["beam"][k] = beam._replace(layout=piece.layout, values=values)
        other = bodies.changed(**columns)
        other.given, other.links = given, links
        return other


def _scale(base: Numbers, found: Sequence[Numbers], key: Key) -> Array:
    """Largest size in the table of every entry, in any of the arms."""
    sizes = np.max([np.abs(x.tables[key]) for x in (base, *found)], axis=0)
    out = np.empty_like(sizes)
    for part in base.parts(key):
        out[part] = sizes[part].max(initial=0.0)
    return out


class Several(NamedTuple):
    """Arms, and what may vary between them."""

    varied: Varied
    arms: Sequence[Arm]
