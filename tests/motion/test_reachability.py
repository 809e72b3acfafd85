"""Controllable sets and the forward pass, against linear programming."""

import numpy as np
import pytest
from scipy.optimize import linprog

from lissom.errors import NoSpeed
from lissom.motion.retiming.reachability import Rows, controllable_sets, fastest_profile, lines_of


def random_rows(rng, N, n, speed):
    """Limits around a speed x without acceleration."""
    a, b = rng.normal(size=(2, N, 2, n))
    value = speed * b
    return Rows(a, b, value - rng.uniform(0.1, 2, (N, 2, n)), value + rng.uniform(0.1, 2, (N, 2, n)))


def largest(rows, h, ceiling, first, start=None):
    """The largest x at a grid point from which rest at the end can be reached, as one linear program; None: none."""
    N = len(h)
    G, g = [], []
    for i in range(first, N):
        for end in range(2):
            for a, b, low, high in zip(*(part[i, end] for part in rows), strict=True):
                row = np.zeros(N + 1)
                row[i], row[i + 1] = -a / (2 * h[i]), a / (2 * h[i])
                row[i + end] += b
                G += [row, -row]
                g += [high, -low]
    bounds = [(0, top) for top in ceiling]
    bounds[-1] = (0, 0)
    if start is not None:
        bounds[first] = (start, start)
    best = linprog(-np.eye(N + 1)[first], np.array(G), np.array(g), bounds=bounds)
    return best.x[first] if best.status == 0 else None


def holds(rows, h, x):
    """A profile satisfies all rows at both ends of its intervals."""
    u = np.diff(x)[:, None, None] / (2 * h)[:, None, None]
    value = rows.a * u + rows.b * np.stack([x[:-1], x[1:]], axis=1)[:, :, None]
    return bool(((value < rows.upper + 1e-9) & (value > rows.lower - 1e-9)).all())


@pytest.mark.parametrize("seed", range(8))
def test_controllable_sets_are_those_of_linear_programs(seed):
    rng = np.random.default_rng(seed)
    h, ceiling = rng.uniform(0.05, 0.15, 10), rng.uniform(0.3, 3, 11)
    rows = random_rows(rng, 10, 3, 0.0)
    lines = lines_of([rows], h, ceiling)
    least, most = controllable_sets(lines, h)
    assert most[:-1] == pytest.approx([largest(rows, h, ceiling, i) for i in range(10)], abs=1e-8)
    assert (least == 0).all()
    x = fastest_profile(lines, h)
    assert holds(rows, h, x)
    assert (x <= most + 1e-12).all()


def test_no_profile_is_found_where_a_linear_program_finds_none():
    """Limits around a speed: some forbid to stand still."""
    none = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        h, ceiling = np.full(8, 0.1), np.full(9, 3.0)
        rows = random_rows(rng, 8, 2, rng.uniform(0, 1))
        feasible = largest(rows, h, ceiling, 0, start=0.0) is not None
        try:
            assert holds(rows, h, fastest_profile(lines_of([rows], h, ceiling), h))
            assert feasible
        except NoSpeed:
            none += 1
            assert not feasible
    assert 0 < none < 20


def test_rows_without_acceleration_limit_the_speed_alone():
    h, ceiling = np.full(5, 0.2), np.full(6, np.inf)
    a, b = np.zeros((5, 2, 2)), np.zeros((5, 2, 2))
    a[..., 0], b[..., 1] = 1.0, 2.0  # |u| < 10, |2 x| < 1
    bound = np.tile([10.0, 1.0], (5, 2, 1))
    x = fastest_profile(lines_of([Rows(a, b, -bound, bound)], h, ceiling), h)
    assert x == pytest.approx([0, 0.5, 0.5, 0.5, 0.5, 0])
