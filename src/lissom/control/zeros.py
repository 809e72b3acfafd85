"""Invariant zeros of a linear plant, its relative degree, and whether it is minimum phase.

Of a square plant, output i has relative degree r_i if its derivatives below order r_i do not depend on the inputs:

    c_i A^k B = 0 for k < r_i - 1,        E = [c_i A^(r_i - 1) B]  regular                                   (1)

Then u = -E^-1 [c_i A^r_i] x keeps all outputs at zero, and what still moves are the states with c_i A^k x = 0. The
zeros are the eigenvalues of the plant under this feedback, on that subspace (A. Isidori, Nonlinear Control Systems,
section 5.1, for linear plants):

    zeros = eig(N^T (A - B E^-1 [c_i A^r_i]) N),        N an orthonormal basis of ker [c_i A^k], k < r_i          (2)

Where E is singular (a link side of one elastic joint beside the motor side of another, say), states that the outputs
hold at zero are removed step by step, until the inputs act on what is left of the outputs by a matrix D of full rank
(A. Emami-Naeini, P. Van Dooren, Computation of zeros of linear multivariable systems, Automatica 18 (1982) 415-430):

    zeros = eig(A - B D^-1 C)        of the reduced plant                                                 (3)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.control.plant import Plant
from lissom.errors import InputError, SolveError
from lissom.spatial.rotations import Array

Complex = NDArray[np.complex128]

NO_EFFECT = 1e-12  # of the sum of sizes: a smaller c A^k B is zero but for rounding
SINGULAR = 1e-13  # of the largest singular value: E with a smaller one has no inverse
RANK = 1e-11  # of a plant scaled to size one: smaller singular values are rounding
ON_AXIS = 1e-6  # of a zero's size: a smaller real part counts as none
NEAR_ZERO = 1e-8  # of the largest zero: what is smaller is zero but for rounding


class _System(NamedTuple):
    """The matrices of a plant."""

    A: Array
    B: Array
    C: Array
    D: Array


class _Chain(NamedTuple):
    """Derivatives of an output up to its relative degree r: rows c A^k, k < r; c A^r; its row of E in (1)."""

    rows: list[Array]
    last: Array
    inputs: Array


def relative_degree(plant: Plant) -> tuple[int, ...] | None:
    """Relative degree of each output; None where (1) has no regular E."""
    _refuse_unequal(plant, "relative_degree")
    chains = _chains(plant)
    return None if chains is None else tuple(len(chain.rows) for chain in chains)


def invariant_zeros(plant: Plant) -> Complex:
    """Zeros, smallest first [1/s; dimensionless when sampled]."""
    _refuse_unequal(plant, "zeros")
    scaled, speed = _scaled(plant)
    chains = _chains(scaled)
    rest = _of_reduced(scaled) if chains is None else _of_rest(scaled, chains)
    if rest is None:
        raise SolveError(
            f"zeros: the outputs {', '.join(plant.outputs)} cannot be moved independently by {', '.join(plant.inputs)} "
            "about this state. Choose other outputs, or another pose."
        )
    found = speed * rest
    size = np.log(np.abs(found) + np.finfo(float).tiny).round(7)  # pairs of equal size: left before right
    return found[np.lexsort((found.imag, found.real, size))]


def zeros_or_reason(plant: Plant) -> tuple[Complex | None, str]:
    """The zeros and an empty text, or None and the reason why there are none to show."""
    p, m = plant.D.shape
    if p != m:
        return (
            None,
            f"zeros need as many outputs as inputs; there {'is' if p == 1 else 'are'} {_sizes(plant)}",
        )
    try:
        return invariant_zeros(plant), ""
    except SolveError:
        return None, "the outputs cannot be moved independently about this state, so that zeros are not defined"


def phase_verdict(zeros: Complex, dt: float | None) -> str:
    """ "yes" if all zeros are inside the stable region, "marginal" if some are on its boundary, otherwise "no"."""
    return {-1: "yes", 0: "marginal", 1: "no"}[int(sides(zeros, dt).max(initial=-1))]


def sides(zeros: Complex, dt: float | None) -> NDArray[np.intp]:
    """-1 for zeros inside the stable region, 0 on its boundary, 1 outside."""
    size = np.abs(zeros)
    off = zeros.real if dt is None else size - 1.0
    margin = ON_AXIS * (size if dt is None else np.ones(len(zeros)))
    margin = np.maximum(margin, NEAR_ZERO * size.max(initial=0.0))
    return np.where(np.abs(off) <= margin, 0, np.sign(off)).astype(np.intp)


def _sizes(plant: Plant) -> str:
    """The numbers of outputs and inputs, such as ``1 output and 2 inputs``."""
    p, m = plant.D.shape
    return f"{p} output{'s' * (p != 1)} and {m} input{'s' * (m != 1)}"


def _refuse_unequal(plant: Plant, what: str) -> None:
    p, m = plant.D.shape
    if p != m:
        raise InputError(
            f"{what}: the plant has {_sizes(plant)}; expected as many outputs as inputs. Choose outputs "
            f"with linearise(..., output=..., rows=...), for example output=Encoder() or rows={'xyz'[:m]!r}."
        )


def _scaled(plant: Plant) -> tuple[_System, float]:
    """The plant with states, inputs and outputs of similar size, in units of time in which its fastest pole is 1."""
    from scipy.linalg import matrix_balance

    A, (scale, _) = matrix_balance(plant.A, permute=False, separate=True)
    speed = 1.0 if plant.dt is not None else float(np.abs(np.linalg.eigvals(A)).max(initial=0.0)) or 1.0
    B, C = plant.B / scale[:, None], plant.C * scale
    columns, rows = (np.abs(X).max(axis=k, initial=0.0) for X, k in ((B, 0), (C, 1)))
    columns, rows = np.where(columns > 0, columns, 1.0), np.where(rows > 0, rows, 1.0)
    D = plant.D / rows[:, None] / columns
    return _System(A / speed, B / columns, C / rows[:, None], D * speed), speed


def _chains(plant: Plant | _System) -> list[_Chain] | None:
    chains = [_chain(plant, i) for i in range(len(plant.C))]
    if any(chain is None for chain in chains):
        return None
    found = [chain for chain in chains if chain is not None]
    sizes = np.linalg.svd(_unit_rows(np.array([chain.inputs for chain in found])), compute_uv=False)
    return found if sizes[-1] > SINGULAR * sizes[0] else None


def _chain(plant: Plant | _System, i: int) -> _Chain | None:
    """Differentiate one output until an input acts on it; None if none ever does."""
    if plant.D[i].any():
        return _Chain([], plant.C[i], plant.D[i])
    row, rows = plant.C[i], []
    for _ in range(len(plant.A)):
        rows.append(row)
        acts = row @ plant.B
        if (np.abs(acts) > NO_EFFECT * (np.abs(row) @ np.abs(plant.B))).any():
            return _Chain(rows, row @ plant.A, acts)
        row = row @ plant.A
    return None


def _of_rest(plant: _System, chains: list[_Chain]) -> Complex:
    """Zeros by (2)."""
    from scipy.linalg import null_space

    n = len(plant.A)
    held = [row for chain in chains for row in chain.rows]
    E, last = np.array([chain.inputs for chain in chains]), np.array([chain.last for chain in chains])
    A = plant.A - plant.B @ np.linalg.solve(E, last)
    N = null_space(_unit_rows(np.array(held)), rcond=SINGULAR) if held else np.eye(n)
    return np.linalg.eigvals(N.T @ A @ N).astype(complex)


def _of_reduced(plant: _System) -> Complex | None:
    """Zeros by (3); None where the outputs cannot be moved independently."""
    A, B, C, D = plant.A, plant.B, plant.C, plant.D
    while True:
        U, sizes, _ = np.linalg.svd(D)
        rank = int((sizes > RANK).sum())
        C, D = U.T @ C, U.T @ D
        free = C[rank:]  # outputs on which no input acts: states are zero along their rows
        _, sizes, V = np.linalg.svd(free)
        held = int((sizes > RANK).sum())
        if not held:
            break
        V = np.roll(V, -held, axis=0)  # what is left first, then what is held at zero
        n = len(A) - held
        A, B = V @ A @ V.T, V @ B
        C, D = np.vstack([(C @ V.T)[:rank, :n], A[n:, :n]]), np.vstack([D[:rank], B[n:]])
        A, B = A[:n, :n], B[:n]
    if rank < D.shape[1]:
        return None
    return np.linalg.eigvals(A - B @ np.linalg.solve(D[:rank], C[:rank])).astype(complex)


def _unit_rows(X: Array) -> Array:
    return np.asarray(X / np.linalg.norm(X, axis=1, keepdims=True))
