"""Rows that are linear in the variables: joins of positions, ends, friction, load transfer, travels, speeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from scipy import sparse

from lissom.motion.phased.layout import Layout, Reflection
from lissom.motion.phased.rows.block import LinearRows
from lissom.motion.phased.rows.joins import Join
from lissom.motion.task.bounds import Bounds
from lissom.spatial.rotations import Array

FAR = np.inf
SLACK = 5e-4  # of the weight, at the ends of phases: a load that passes to others leaves no force inside the cone


def joined(parts: Iterable[LinearRows], size: int) -> LinearRows:
    """Return rows one after the other."""
    some = [part for part in parts if len(part.lower)]
    if not some:
        return LinearRows(sparse.csr_array((0, size)), np.zeros(0), np.zeros(0), [])
    A = sparse.csr_array(sparse.vstack([part.A for part in some]))
    names = [name for part in some for name in part.names]
    lower, upper = (np.concatenate([getattr(part, word) for part in some]) for word in ("lower", "upper"))
    return LinearRows(A, lower, upper, names)


def joined_positions(layout: Layout, joins: Sequence[Join], reflection: Reflection) -> Iterator[LinearRows]:
    """Positions at the ends of phases, reflected and moved back by the travels at the end of a periodic motion."""
    zero = np.zeros(layout.n)
    for join in joins:
        A = layout.curve(join.before, np.array([1.0]), 0)
        if join.reflected:
            A = sparse.csr_array(sparse.diags_array(reflection.sign) @ A[reflection.order])
        A = A - layout.curve(join.after, np.array([0.0]), 0)
        if join.reflected and len(layout.travels):
            at = [layout.arm.coordinates.index(one.coordinate) for one in layout.task.travel]
            entries = (np.ones(len(at)), (at, layout.travels))
            A = A - sparse.csr_array(sparse.coo_array(entries, shape=A.shape))
        names = [("joined position", name, join.before + 1.0) for name in layout.arm.coordinates]
        yield LinearRows(sparse.csr_array(A), zero, zero, names)


def friction(layout: Layout, unit: float, margins: Array) -> Iterator[LinearRows]:
    """Forces inside a pyramid inside the cone of friction, at samples and, by straight lines, at the ends of phases.

    On straight lines between the samples forces are then inside the cone too, as it is convex.

    unit : of forces [N]
    margins : (phases, contacts, 3) by which forces are inside where a phase begins, at samples and where it ends, as
        they leave the lines between, in units
    """
    for p, mesh in enumerate(layout.phases):
        lines = _with_ends(mesh.s)
        at = np.concatenate([[0.0], mesh.s, [1.0]])
        for i, places in layout.forces[p].items():
            plane = layout.planes[i]
            begin, inner, end = margins[p, i]
            least = np.concatenate([[begin - SLACK], np.full(len(mesh.s), inner), [end - SLACK]])
            names = [("friction of contact", layout.names[i], p + float(s)) for s in at]
            normal = lines @ layout.picked(places[:, 0])
            bounds = dict(layout.task.phases[p].normal_force).get(layout.names[i], (0.0, FAR))
            half = (bounds[1] - bounds[0]) / unit / 2
            slack = np.maximum(SLACK - np.array([begin, end]), -half)
            low, high = bounds[0] / unit - slack, bounds[1] / unit + slack
            yield LinearRows(normal[[0, -1]], low, high, [names[0], names[-1]])
            if plane.friction == 0.0:
                continue  # bounds say it
            for k in range(1, len(plane.directions)):
                along = lines @ layout.picked(places[:, k])
                for sign in (1.0, -1.0):
                    A = sparse.csr_array(plane.along * normal + sign * along)
                    yield LinearRows(A, least, np.full(len(at), FAR), names)


def _with_ends(s: Array) -> sparse.csr_array:
    """Matrix from values at samples (N,) to those at 0, the samples, and 1, by straight lines through the outermost."""
    first, last = s[0] / (s[1] - s[0]), (1 - s[-1]) / (s[-1] - s[-2])
    N = len(s)
    values = np.concatenate([[1 + first, -first], np.ones(N), [-last, 1 + last]])
    rows = np.concatenate([[0, 0], np.arange(1, N + 1), [N + 1, N + 1]])
    columns = np.concatenate([[0, 1], np.arange(N), [N - 2, N - 1]])
    return sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape=(N + 2, N)))


def transfers(layout: Layout, typical: Array) -> Iterator[LinearRows]:
    """Parts of the whole normal force that go linearly in time, with the durations of `typical` (phases,)."""
    for one in layout.task.transfer:
        words = [mesh.name for mesh in layout.phases]
        phases = [words.index(word) for word in one.phases]
        ends = np.cumsum([0.0, *typical[phases]])
        for p, begin in zip(phases, ends[:-1], strict=True):
            mesh = layout.phases[p]
            N, rows = len(mesh.s), np.arange(len(mesh.s))
            done = (begin + mesh.s * typical[p]) / ends[-1]
            part = one.start + (one.end - one.start) * done
            A = sparse.csr_array((N, layout.size))
            for i, places in layout.forces[p].items():
                value = (layout.names[i] in one.contacts) - part
                A = A + sparse.csr_array(sparse.coo_array((value, (rows, places[:, 0])), shape=A.shape))
            names = [("load transfer", one.contacts[0], p + float(s)) for s in mesh.s]
            yield LinearRows(sparse.csr_array(A), np.zeros(N), np.zeros(N), names)


def durations(layout: Layout) -> Iterator[LinearRows]:
    """Speeds of travels, and the duration of the whole."""
    count = len(layout.durations)

    def row(entries: Sequence[tuple[int, float]], least: float, most: float, name: str) -> LinearRows:
        columns, values = zip(*entries, strict=True)
        A = sparse.csr_array(sparse.coo_array((values, (np.zeros(len(columns), int), columns)), shape=(1, layout.size)))
        return LinearRows(A, np.array([least]), np.array([most]), [(name, "whole motion", np.nan)])

    for place, one in zip(layout.travels.tolist(), layout.task.travel, strict=True):
        if one.speed is not None:
            yield row([(place, 1.0), *((t, -one.speed) for t in layout.durations.tolist())], 0.0, 0.0, "speed")
    asked = layout.task.duration
    if asked is not None and count:
        least, most = asked if isinstance(asked, tuple) else (asked, asked)
        yield row([(t, 1.0) for t in layout.durations.tolist()], least, most, "duration")


def rates(layout: Layout, bounds: Bounds) -> Iterator[LinearRows]:
    """Limits of rates, on the control points of the rates, so that they hold at all times."""
    some = np.flatnonzero(bounds.limited("velocity"))
    if not len(some):
        return
    for p, mesh in enumerate(layout.phases):
        D = mesh.basis.differences(1).tocoo()
        count = D.shape[0]
        for k in some:
            for side, limit in ((1.0, bounds.upper["velocity"][k]), (-1.0, -bounds.lower["velocity"][k])):
                if not np.isfinite(limit):
                    continue
                T = layout.durations[p]
                values = np.concatenate([-side * D.data, np.full(count, limit)])
                places = (np.concatenate([D.row, np.arange(count)]),
                          np.concatenate([layout.points[p][D.col, k], np.full(count, T)]))  # fmt: skip
                A = sparse.csr_array(sparse.coo_array((values, places), shape=(count, layout.size)))
                names = [("velocity", layout.arm.coordinates[k], p + j / count) for j in range(count)]
                yield LinearRows(A, np.zeros(count), np.full(count, FAR), names)


def end_rates(layout: Layout, given: Sequence[Array], fixed: tuple[Array, Array]) -> Iterator[LinearRows]:
    """Rates given at both ends (n,), NaN where free; where position and rest are given, bounds say it."""
    for p, first, rate, known in ((0, 0, given[0], fixed[0]), (len(layout.phases) - 1, -1, given[1], fixed[1])):
        some = np.flatnonzero(np.isfinite(rate) & ~(known & (rate == 0.0)))
        if not len(some):
            continue
        w = layout.phases[p].basis.differences(1)[[first]].tocoo()
        rows, columns, values = [], [], []
        for r, k in enumerate(some):
            rows += [r] * (len(w.data) + 1)
            columns += [*layout.points[p][w.col, k].tolist(), int(layout.durations[p])]
            values += [*w.data.tolist(), -float(rate[k])]
        A = sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape=(len(some), layout.size)))
        names = [("rate at the end", layout.arm.coordinates[k], float(p - first)) for k in some]
        yield LinearRows(A, np.zeros(len(some)), np.zeros(len(some)), names)
