"""The kernel that joins forward dynamics, derivatives of inverse dynamics and a sparse solution."""

import numpy as np
import pytest

from lissom.engine import sparse_tables
from lissom.engine.joined import joined_kernel
from lissom.engine.kernel import graph_of, straight_kernel

PARENTS = ([-1], [-1, 0, 0], [-1, 0, -1, 2, 2, 1], [-1, 0, 1, 1, 3, 4, 5, -1, 7])
ROWS = 11
BOUND = 1e-13  # of the largest entry: well-conditioned matrices of few unknowns


def path(parents, k):
    return [*path(parents, parents[k]), k] if k >= 0 else []


def given(parents, rng):
    """qdd, then derivatives on branches and a positive definite M with the sparsity of the tree."""
    n = len(parents)
    related = np.zeros((n, n), bool)
    for k in range(n):
        related[k, path(parents, k)] = related[path(parents, k), k] = True
    A, B, R = rng.normal(size=(3, ROWS, n, n)) * related
    lower = np.tril(R) + 3 * np.eye(n)  # L^T L of a lower L on branches has entries on branches only
    return rng.normal(size=(ROWS, n)), A, B, np.swapaxes(lower, 1, 2) @ lower


def kernels(n):
    """Forward dynamics returns the third input; the derivatives are the last three inputs."""
    sizes = (n, n, n, n * n, n * n, n * n)

    def forward(run):
        run.output([run.input(size) for size in sizes][2])

    def slopes(run):
        for x in [run.input(size) for size in sizes][3:]:
            run.output(x)

    return (straight_kernel(f"test forward {n}", sizes, [n], lambda: graph_of(forward)),
            straight_kernel(f"test slopes {n}", sizes, sizes[3:], lambda: graph_of(slopes)))  # fmt: skip


def solved(parents, arrays, rows=slice(None), threads=1):
    n = len(parents)
    flat = [np.ascontiguousarray(x.reshape(ROWS, -1)[rows]) for x in arrays]
    outputs = [np.full((len(flat[0]), n * n), np.nan) for _ in range(3)]
    zero = np.zeros_like(flat[0])
    fine = joined_kernel(*kernels(n), parents).run([zero, zero, *flat], outputs, threads)
    return fine, [x.reshape(-1, n, n) for x in outputs]


@pytest.mark.parametrize("parents", PARENTS, ids=len)
@pytest.mark.parametrize("one_list", [False, True], ids=["lists of each panel", "one list of rows"])
def test_solution_on_a_tree(parents, one_list, monkeypatch):
    if one_list:
        monkeypatch.setattr(sparse_tables, "MOST_ENTRIES", 0)
    arrays = given(parents, np.random.default_rng(len(parents)))
    _, A, B, M = arrays
    fine, found = solved(parents, arrays)
    assert fine
    for mine, right in zip(found, (-A, -B, np.eye(len(parents))), strict=True):
        want = np.linalg.solve(M, np.broadcast_to(right, M.shape))
        assert np.abs(mine - want).max() < BOUND * np.abs(want).max()
    assert np.array_equal(found[2], np.swapaxes(found[2], 1, 2))


def test_any_number_of_rows_gives_the_same_bits():
    parents = PARENTS[-1]
    arrays = given(parents, np.random.default_rng(1))
    _, everything = solved(parents, arrays)
    for rows in (slice(0, 1), slice(3, 6), slice(2, 9)):
        _, some = solved(parents, arrays, rows)
        for x, y in zip(some, everything, strict=True):
            assert np.array_equal(x, y[rows])


def test_a_row_that_is_not_finite_says_so_and_leaves_the_others():
    parents = PARENTS[-2]
    arrays = given(parents, np.random.default_rng(2))
    _, right = solved(parents, arrays)
    arrays[0][5, 2] = np.inf  # an acceleration that the results do not depend on here
    fine, found = solved(parents, arrays)
    assert not fine
    others = np.arange(ROWS) != 5
    assert np.isnan(found[2][5]).any()
    for x, y in zip(found, right, strict=True):
        assert np.array_equal(x[others], y[others])
