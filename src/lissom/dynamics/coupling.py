"""Mimic joints in programs.

The recursions run on the tree of all joints, with one coordinate each. Where joints follow others (`Arm.mimics`), the
tree's coordinates depend on those of the arm,

    q_tree = G q + g0,    qd_tree = G qd,    qdd_tree = G qdd,

with one entry m per row of G, the multiplier, or 1. By virtual work generalized forces are then G^T tau_tree,
Jacobians J_tree G, and the mass matrix G^T M_tree G.

`Bodies.expanded` hands a recursion the tree and its state; `Coupling` brings results back.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from lissom.engine.program import Entries
from lissom.engine.step import Step
from lissom.model.arm import Arm

Key = TypeVar("Key", bound=Hashable)
SIZES = (1, 6, 10)  # of what is brought back: forces and entries of matrices; columns; rows of a regressor


class Row(NamedTuple):
    """A coordinate of the tree: multiplier times a coordinate of the arm, plus an offset."""

    coordinate: int
    multiplier: float = 1.0
    offset: float = 0.0


class Coupling(NamedTuple):
    """The tree's coordinates from those of the arm, dof in number."""

    rows: tuple[Row, ...]
    dof: int

    # ---- to the tree -----------------------------------------------------------------------------

    def state(self, run: Any, q: Any, *rates: Any) -> list[Any]:
        """Positions, and velocities or accelerations, of the tree."""
        return [self._expanded(run, q, True), *self.rates(run, *rates)]

    def rates(self, run: Any, *rates: Any) -> list[Any]:
        """Velocities or accelerations of the tree."""
        return [self._expanded(run, x, False) for x in rates]

    def _expanded(self, run: Any, x: Any, positions: bool) -> Any:
        if isinstance(x, Entries):
            x = run.gathered([x[k : k + 1] for k in range(self.dof)])
        return run.apply(_expand(self, positions), x)

    # ---- back to the arm -------------------------------------------------------------------------

    def force(self, run: Any, tau: Sequence[Any]) -> list[Any]:
        """G^T tau of forces by coordinate of the tree, vectors of one entry."""
        found = self.columns(run, dict(enumerate(tau)))
        return [found[k] for k in range(self.dof)]

    def columns(self, run: Any, tree: Mapping[int, Any], size: int = 1) -> dict[int, Any]:
        """G^T x of vectors of one size, by coordinate; missing ones are zero."""
        return _summed(run, ((self.rows[k].coordinate, self.rows[k].multiplier, x) for k, x in tree.items()), size)

    def matrix(self, run: Any, tree: Mapping[tuple[int, int], Any], symmetric: bool) -> dict[tuple[int, int], Any]:
        """G^T A G of the entries of a matrix; symmetric: entries (i, j) with i <= j stand for both."""

        def parts() -> Iterable[tuple[tuple[int, int], float, Any]]:
            for (i, j), x in tree.items():
                (a, m, _), (b, n, _) = self.rows[i], self.rows[j]
                if not symmetric:
                    yield (a, b), m * n, x
                elif i == j or a != b:
                    yield (min(a, b), max(a, b)), m * n, x
                else:  # two joints that move together
                    yield (a, a), 2 * m * n, x

        return _summed(run, parts(), 1)

    def carriers(self, tree: Sequence[Sequence[int]]) -> list[list[int]]:
        """Carriers as in `Bodies.carriers`, from those of the tree, with fill-in of the elimination."""
        touch: list[set[int]] = [set() for _ in range(self.dof)]
        for k, above in enumerate(tree):
            for i in above:
                a, b = sorted((self.rows[i].coordinate, self.rows[k].coordinate))
                touch[b].add(a)
        for k in range(self.dof - 1, -1, -1):
            touch[k].discard(k)
            for i in touch[k]:
                touch[i] |= {j for j in touch[k] if j < i}
        return [sorted(some, reverse=True) for some in touch]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of a coupling, for tapes."""
        return (_expand(self, True), _expand(self, False), *FIRST.values(), *MORE.values())


def coupling_of(arm: Arm, widths: Sequence[int]) -> Coupling | None:
    """The coupling of an arm, from the numbers of coordinates of its tree by body; None without mimic joints."""
    if not arm.mimics:
        return None
    place = dict(zip((joint.name for joint in arm.joints), map(int, arm.joint_index), strict=True))
    rows: list[Row] = []
    for i, link in enumerate(arm.links):
        mimic, own = arm.mimics.get(link.joint.name), range(link.coordinate_count)
        if mimic is not None:
            rows.append(Row(place[mimic.joint], mimic.multiplier, mimic.offset))
        rows += [Row(int(arm.coordinate_start[i]) + k) for k in own]
    assert len(rows) == sum(widths)
    return Coupling(tuple(rows), arm.dof)


def _summed(run: Any, parts: Iterable[tuple[Key, float, Any]], size: int) -> dict[Key, Any]:
    """Sums of vectors times numbers, by key."""
    out: dict[Key, Any] = {}
    for key, factor, x in parts:
        if key in out:
            out[key] = run.apply(MORE[size], out[key], x, constants=[factor])
        else:
            out[key] = x if factor == 1.0 else run.apply(FIRST[size], x, constants=[factor])
    return out


FIRST = {n: Step(f"times_{n}", lambda x, K: [[K[0] * y for y in x]], (n,), (n,), 1) for n in SIZES}
MORE = {
    n: Step(f"add_times_{n}", lambda a, x, K: [[y + K[0] * z for y, z in zip(a, x, strict=True)]], (n, n), (n,), 1)
    for n in SIZES
}


@functools.cache
def _expand(coupling: Coupling, positions: bool) -> Step:
    """The step that makes a vector of the tree from one of the arm."""

    def step(x: Any) -> list[list[Any]]:
        return [[m * x[k] + (o if positions else 0.0) for k, m, o in coupling.rows]]

    word = hashlib.sha256(repr(coupling).encode()).hexdigest()[:12]
    return Step(f"{'positions' if positions else 'rates'}_{word}", step, (coupling.dof,), (len(coupling.rows),))
