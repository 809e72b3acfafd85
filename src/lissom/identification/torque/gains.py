"""Torques per current of the drives, from runs without and with a payload of known mass.

Errors are those of the currents: i_j = kappa_j (A_j y + a_j) with the columns A_j of all other unknowns y and the
torques a_j that are known, those of the payload's mass among them. (Errors of torques, K i = A y + a, would make K
small: noise in the regressor.) Rows are compressed joint by joint, and Gauss-Newton steps find log |kappa| and y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.errors import InputError
from lissom.identification.columns.model import Model
from lissom.identification.columns.rows import Rows
from lissom.identification.fit.base import BaseParameters
from lissom.identification.fit.masks import Indices
from lissom.identification.fit.spread import memory
from lissom.spatial.rotations import Array

STEPS = 60
LONGEST = 0.5  # of log |kappa| in a step
PRECISE = 1e-9
SMALLEST = 1e-2  # of the largest gain: where the search begins
RIDGE = 1e-12  # of the scaled normal matrix


class Gains(NamedTuple):
    """Torques per current (n,) [N m/A or N/A], and their standard deviations."""

    values: Array
    std: Array


def gains_of(model: Model, base: BaseParameters, rows: list[Rows], used: Indices, mass: float) -> Gains:
    """Find gains from rows whose torques are currents, with the base parameters `used` and a payload of `mass` [kg]."""
    known = [k for k, name in enumerate(model.terms.names) if name.startswith("payload") and name.endswith("].m")]
    known += [k for k, name in enumerate(model.terms.names) if name == "payload.m"]
    leaders = [int(k) for k in base.kept[used] if k not in known]
    if not known or not leaders:
        raise InputError("identify: torques per current need logs without and with a payload of known mass.")
    blocks = [[_block(row, j, leaders, known, mass) for row in rows] for j in range(model.arm.dof)]
    parts = [_compressed(block) for block in blocks]
    sign, kappa = _start(parts)
    kappa, y, sigma = _gauss_newton(parts, sign, kappa)
    errors = [[b[:, -1] - s * k * (b[:, :-2] @ y + b[:, -2]) for b in block]
              for block, s, k in zip(blocks, sign, kappa, strict=True)]  # fmt: skip
    J, _ = _linearised(parts, sign, kappa, y, sigma)
    return Gains(sign / kappa, _spread(J, np.array([memory(e) for e in errors]), len(parts)) / kappa)


class Part(NamedTuple):
    """Compressed rows of a joint: columns A, known torques a, currents b, and the number of rows."""

    A: Array
    a: Array
    b: Array
    rows: int


def _block(row: Rows, j: int, leaders: list[int], known: list[int], mass: float) -> Array:
    """Rows [A, a, b] of joint j in one log."""
    weight = mass * row.columns[:, j, known].sum(axis=1) + row.known[:, j]
    current = row.measured[:, j]
    return np.column_stack([row.columns[:, j, leaders], weight, current])


def _compressed(blocks: list[Array]) -> Part:
    R = np.asarray(np.linalg.qr(np.vstack(blocks), mode="r"))
    return Part(R[:, :-2], R[:, -2], R[:, -1], sum(len(block) for block in blocks))


def _start(parts: list[Part]) -> tuple[Array, Array]:
    """Signs of the gains, and first values of |kappa|: those of the least errors of torques of all joints."""
    columns = [np.zeros((len(part.a), len(parts))) for part in parts]
    for j, part in enumerate(parts):
        columns[j][:, j] = part.b
    W = np.vstack([np.column_stack([own, -part.A]) for own, part in zip(columns, parts, strict=True)])
    size = np.maximum(np.linalg.norm(W, axis=0), 1e-300)
    x = np.linalg.lstsq(W / size, np.concatenate([part.a for part in parts]), rcond=1e-10)[0] / size
    gains = x[: len(parts)]
    least = SMALLEST * np.abs(gains).max()
    return np.where(gains < 0.0, -1.0, 1.0), 1.0 / np.maximum(np.abs(gains), least)


def _gauss_newton(parts: list[Part], sign: Array, kappa: Array) -> tuple[Array, Array, Array]:
    """Steps of log kappa and y, with the standard deviation sigma of each joint's currents as its weight."""
    n, count = len(parts), parts[0].A.shape[1]
    y, sigma = np.zeros(count), np.array([np.linalg.norm(part.b) / np.sqrt(part.rows) for part in parts])
    for step in range(STEPS):
        J, e = _linearised(parts, sign, kappa, y, sigma)
        H = J.T @ J
        size = np.sqrt(np.maximum(np.diag(H), 1e-300))
        change = np.linalg.solve(H / np.outer(size, size) + RIDGE * np.eye(n + count), (J.T @ e) / size) / size
        grown = np.clip(change[:n], -LONGEST, LONGEST)
        kappa, y = kappa * np.exp(grown), y + change[n:]
        if step and np.abs(grown).max() < PRECISE:
            break
        errors = [part.b - sign[j] * kappa[j] * (part.A @ y + part.a) for j, part in enumerate(parts)]
        sigma = np.array([np.linalg.norm(e) / np.sqrt(part.rows) for e, part in zip(errors, parts, strict=True)])
        sigma = np.maximum(sigma, 1e-9 * np.array([np.linalg.norm(part.b) / np.sqrt(part.rows) for part in parts]))
    return kappa, y, sigma


def _spread(J: Array, memories: Array, count: int) -> Array:
    """Standard deviations (count,) of log kappa; `memories` are the samples per independent one of each joint."""
    size = np.sqrt(np.maximum((J**2).sum(axis=0), 1e-300))
    scaled = J / size
    H = np.linalg.pinv(scaled.T @ scaled, hermitian=True)
    rows = scaled * np.sqrt(np.repeat(memories, len(J) // len(memories)))[:, None]
    return np.asarray(np.sqrt(np.diag(H @ (rows.T @ rows) @ H))[:count] / size[:count])


def _linearised(parts: list[Part], sign: Array, kappa: Array, y: Array, sigma: Array) -> tuple[Array, Array]:
    """Jacobian by (log kappa, y) and errors of all rows, in standard deviations."""
    J, e = [], []
    for j, part in enumerate(parts):
        current = sign[j] * kappa[j] * (part.A @ y + part.a)
        block = np.zeros((len(current), len(parts) + len(y)))
        block[:, j], block[:, len(parts) :] = current, sign[j] * kappa[j] * part.A
        J.append(block / sigma[j])
        e.append((part.b - current) / sigma[j])
    return np.vstack(J), np.concatenate(e)
