"""Gauss-Newton on measured frequencies and damping ratios, relative to what was measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, LissomError
from lissom.identification.vibration.eigenvalues import Eigenvalues, Predicted
from lissom.spatial.rotations import Array

MOST = 60  # iterations
FAR = 0.7  # largest step of a coordinate
CLOSE = 1e-9  # steps that change nothing
SILENT = 1e-7  # singular values relative to the largest that count as zero
USUAL_HZ, USUAL_DAMPING = 0.005, 0.1  # relative errors where none are given, before the fit finds them
LEAST_DAMPING = 1e-3  # ratios below are weighed like this one


class Residuals(NamedTuple):
    """Weighted residuals (rows,), their derivatives (rows, numbers), and which rows are of damping ratios."""

    r: Array
    J: Array
    damping: NDArray[np.bool_]


class ModalFit(NamedTuple):
    """Coordinates of the numbers, their covariance (infinite where nothing is known), and the predictions.

    scale : of the largest class of errors, relative to their standard deviations
    redundant : whether there are more measured numbers than parameters
    """

    x: Array
    covariance: Array
    predicted: list[Predicted]
    converged: bool
    scale: float
    redundant: bool


def fit(eigenvalues: Eigenvalues, free: NDArray[np.bool_] | None = None) -> ModalFit:
    """The numbers that explain the measured modes best; those that the modes do not show stay as they are.

    free : (numbers,) or None      which may change
    """
    count = len(eigenvalues.numbers)
    x = np.zeros(count)
    predicted = eigenvalues.at(x)
    rows = residuals(eigenvalues, predicted)
    known = _shown(rows.J) if free is None else free
    if not known.any():
        raise InputError("identify_modes: no chosen parameter changes the measured modes; choose others.")
    converged = False
    for _ in range(MOST):
        dx = np.zeros(count)
        dx[known] = np.linalg.lstsq(rows.J[:, known], rows.r, rcond=None)[0]
        dx *= min(1.0, FAR / max(np.abs(dx).max(), 1e-300))
        x, predicted, rows, moved = _improved(eigenvalues, x, dx, predicted, rows)
        if moved <= CLOSE:
            converged = True
            break
    return _result(eigenvalues, x, predicted, rows, known, converged)


def _improved(
    eigenvalues: Eigenvalues, x: Array, dx: Array, predicted: list[Predicted], rows: Residuals
) -> tuple[Array, list[Predicted], Residuals, float]:
    """The state after a step, halved until the residuals fall; and how far it moved."""
    part = 1.0
    while part > 1e-6:
        new = eigenvalues.numbers.bounded(x + part * dx)
        try:
            there = eigenvalues.at(new)
        except LissomError:
            there = None
        if there is not None:
            tried = residuals(eigenvalues, there)
            if tried.r @ tried.r <= rows.r @ rows.r * (1 + 1e-12) + 1e-24:
                return new, there, tried, float(np.abs(new - x).max())
        part /= 2
    return x, predicted, rows, 0.0


def _result(
    eigenvalues: Eigenvalues,
    x: Array,
    predicted: list[Predicted],
    rows: Residuals,
    known: NDArray[np.bool_],
    converged: bool,
) -> ModalFit:
    known = known & _shown(rows.J)
    J, room = rows.J[:, known], len(rows.r) - int(known.sum())
    inverse = np.linalg.pinv(J.T @ J, hermitian=True)
    scale = np.ones(len(rows.r))
    for which, given in ((~rows.damping, "std_hz"), (rows.damping, "std_damping")):
        if which.any() and room > 0:
            spread = float(np.sqrt(np.mean(rows.r[which] ** 2) * len(rows.r) / room))
            stated = all(getattr(one, given) is not None for one in eigenvalues.measured)
            scale[which] = max(spread, 1.0) if stated else spread
    middle = J.T @ (scale[:, None] ** 2 * J)
    covariance = np.full((len(x), len(x)), np.inf)
    covariance[np.ix_(known, known)] = inverse @ middle @ inverse
    return ModalFit(x, covariance, predicted, converged, float(scale.max()), room > 0)


def residuals(eigenvalues: Eigenvalues, predicted: list[Predicted]) -> Residuals:
    """Measured less predicted, over standard deviations; frequencies by their logarithms.

    Damping ratios count where damping is sought: without, they say nothing.
    """
    r, J, damped = [], [], []
    sought = any("damping" in name for name in eigenvalues.numbers.names)
    for one, there in zip(eigenvalues.measured, predicted, strict=True):
        f = one.frequencies_hz
        spread = USUAL_HZ if one.std_hz is None else one.std_hz / f
        r.append(np.log(f / there.frequencies_hz) / spread)
        J.append(there.by_frequency / there.frequencies_hz[:, None] / np.broadcast_to(spread, f.shape)[:, None])
        damped.append(np.zeros(len(f), bool))
        if sought and one.damping is not None:
            there_is = np.isfinite(one.damping)
            usual = USUAL_DAMPING * np.maximum(np.abs(one.damping), LEAST_DAMPING)
            wide = usual if one.std_damping is None else one.std_damping
            r.append(((one.damping - there.damping) / wide)[there_is])
            J.append((there.by_damping / wide[:, None])[there_is])
            damped.append(np.ones(int(there_is.sum()), bool))
    return Residuals(np.concatenate(r), np.concatenate(J), np.concatenate(damped))


def _shown(J: Array) -> NDArray[np.bool_]:
    """Which numbers the rows determine: those that no combination without effect contains."""
    sizes = np.linalg.norm(J, axis=0)
    alive = sizes > SILENT * max(float(sizes.max()), 1e-300)
    out = alive.copy()
    if alive.any():
        _, s, V = np.linalg.svd(J[:, alive] / sizes[alive], full_matrices=True)
        silent = V[np.count_nonzero(s > SILENT * s[0]) :]
        out[np.flatnonzero(alive)] = (np.abs(silent) < np.sqrt(SILENT)).all(axis=0) if len(silent) else True
    return out
