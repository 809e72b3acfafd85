"""The friction law whose torques on data that it was not fitted to are best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lissom.identification.columns.friction import LAWS, SMOOTH, Frictions
from lissom.identification.columns.model import Model
from lissom.identification.columns.rows import Rows
from lissom.identification.fit.base import BaseParameters
from lissom.identification.fit.equations import compressed
from lissom.identification.fit.least_squares import solve
from lissom.identification.fit.masks import Indices, Mask
from lissom.identification.torque.regression import Regression, Regressor
from lissom.spatial.rotations import Array

PARTS = 6  # into which the logs are divided; each is left out once
BETTER = 0.99  # of the error: a law with more terms must be at least that much better


def used_by(model: Model, law: tuple[str, ...]) -> Mask:
    """Whether each parameter of a model (p,) is in use with a friction law."""
    at = np.flatnonzero(model.kinds == "friction")
    used = np.ones(len(model.kinds), bool)
    used[at] = [model.frictions.law[k % len(model.frictions.law)] in law for k in range(len(at))]
    return used


def choose_smoothing(
    model: Model, base: BaseParameters, rows: list[Rows], used: Mask, given: Array | None, passes: int = 3
) -> tuple[Frictions, Regression]:
    """The friction of the model, with the smoothing of signs that fits best at each joint, and that fit.

    given : (n,) or None     delays; None: fitted
    """
    n, frictions = model.arm.dof, model.frictions
    regressor = Regressor(rows, base, used, model.terms.prior)
    free = np.full(n, given is None)
    least, best = np.full(n, np.inf), frictions.smooth
    for smooth in SMOOTH if {"coulomb", "load", "stribeck"} & set(frictions.law) else ():
        for row in rows:
            row.use_friction(replace(frictions, smooth=np.full(n, smooth)))
        first = regressor.run(np.zeros(n) if given is None else given, free, False, passes)
        sigma = np.sqrt(np.mean(np.concatenate(first.residuals) ** 2, axis=0))
        best = np.where(sigma < BETTER * least, smooth, best)
        least = np.where(sigma < BETTER * least, sigma, least)
    chosen = replace(frictions, smooth=best)
    for row in rows:
        row.use_friction(chosen)
    return chosen, regressor.run(np.zeros(n) if given is None else given, free, False, passes)


def choose_law(
    model: Model, base: BaseParameters, rows: list[Rows], weights: list[Array]
) -> tuple[tuple[str, ...], dict[str, float]]:
    """The simplest law that is not clearly worse than the best one, and the held-out error of each law.

    Errors are those of rows in units of their standard deviations.
    """
    parts, sizes = _parts(base, rows, weights)
    prior = base.of_parameters(model.terms.prior)
    errors: dict[tuple[str, ...], float] = {}
    for law in LAWS:
        at = np.flatnonzero(used_by(model, law)[base.kept])
        errors[law] = float(np.sqrt(sum(_held_out(parts, k, at, prior[at]) for k in range(len(parts))) / sum(sizes)))
    chosen: tuple[str, ...] = LAWS[0]
    least = errors[chosen]
    for law in sorted(LAWS[1:], key=lambda law: (len(law), errors[law])):
        if errors[law] < BETTER * least:
            chosen, least = law, errors[law]
    return chosen, {"+".join(law): error for law, error in errors.items()}


def _parts(
    base: BaseParameters, rows: list[Rows], weights: list[Array]
) -> tuple[list[tuple[Array, Array, float]], list[int]]:
    """R, z and the constant rest of the squared error of each part of the logs, and its number of rows."""
    total = sum(len(row.known) for row in rows)
    parts, sizes = [], []
    for row, weight in zip(rows, weights, strict=True):
        equations = row.equations(base.kept)
        count = max(1, round(PARTS * len(row.known) / total)) if len(rows) < PARTS else 1
        for A, b, w in zip(*(np.array_split(x, count) for x in (equations.A, equations.b, weight)), strict=True):
            R, z = compressed([type(equations)(A, b)], [w])
            parts.append((R, z, float(((b * w) ** 2).sum() - z @ z)))
            sizes.append(b.size)
    return parts, sizes


def _held_out(parts: list[tuple[Array, Array, float]], k: int, at: Indices, prior: Array) -> float:
    """Squared error on part k of a fit to the others."""
    others = [part for j, part in enumerate(parts) if j != k or len(parts) == 1]
    R, z = np.linalg.qr(np.vstack([part[0][:, at] for part in others])), np.concatenate([p[1] for p in others])
    x = solve(R.R, R.Q.T @ z, prior).x
    own, right, rest = parts[k]
    return float(((own[:, at] @ x - right) ** 2).sum() + rest)
