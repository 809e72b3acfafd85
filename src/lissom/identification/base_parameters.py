"""Base parameters: the combinations of parameters that torques depend on, with names that can be read.

Some parameters of an arm have no effect on any torque, others act together only. Of random states, columns of the
torque model are taken one after the other, links near the base first; one of which nothing is left when the earlier
ones are subtracted depends on them, and its parameter joins theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from lissom.identification.torque_model import OF_LINKS, States, TorqueModel
from lissom.spatial.rotations import Array

SAMPLES = 400  # random states, or more for arms with many parameters
LEFT = 1e-7  # of a column of length 1: less is rounding
SMALL = 1e-9  # coefficients below it are rounding
WITHIN_LINK = (4, 5, 6, 7, 8, 9, 1, 2, 3, 0)  # moments of inertia first, the mass last: it joins the link before


class BaseParameters(NamedTuple):
    """Columns of a torque model that are independent, and what joins them.

    columns : (k,)            the independent columns
    dependent : (m,)          columns that depend on them
    combination : (k, m)      the parameter k is ``p[columns] + combination @ p[dependent]``
    names : (k,) of str       such as ``arm.mcz + 0.6 (forearm.m + hand.m)``
    """

    columns: NDArray[np.intp]
    dependent: NDArray[np.intp]
    combination: Array
    names: tuple[str, ...]

    def values(self, parameters: Array) -> Array:
        """(k,) base parameters of all parameters of a model."""
        return np.asarray(parameters[self.columns] + self.combination @ parameters[self.dependent])


def base_parameters(model: TorqueModel, measured: NDArray[np.bool_], held: dict[int, float]) -> BaseParameters:
    """Return the base parameters of a model.

    measured : (dof,)     whose torque is known
    held : positions of coordinates that do not move
    """
    W = model.columns(_random_states(model, held))[:, measured].reshape(-1, len(model.names))
    W = qr(W, mode="r")[0]  # its columns depend on each other as those of W do
    scale = np.linalg.norm(W, axis=0)
    acting = scale > SMALL * scale.max(initial=0.0)
    order = [int(k) for k in _order(model) if acting[k]]
    chosen = _independent(W / np.where(acting, scale, 1.0), order)
    columns = np.array(sorted(chosen), int)
    dependent = np.array([k for k in sorted(order) if k not in chosen], int)
    combination = np.asarray(np.linalg.lstsq(W[:, columns], W[:, dependent], rcond=None)[0], float)
    combination[np.abs(combination) < SMALL] = 0.0
    names = tuple(_name(model.names, int(k), dependent, row) for k, row in zip(columns, combination, strict=True))
    return BaseParameters(columns, dependent, combination, names)


def _random_states(model: TorqueModel, held: dict[int, float]) -> States:
    n, rng = model.arm.dof, np.random.default_rng(0)
    count = max(SAMPLES, 2 * len(model.names) // max(n, 1))
    q, qd, qdd = (rng.uniform(-size, size, (count, n)) for size in (np.pi, 2.0, 5.0))
    for k, position in held.items():
        q[:, k], qd[:, k], qdd[:, k] = position, 0.0, 0.0
    return States(q, qd, qdd)


def _order(model: TorqueModel) -> list[int]:
    """Columns of links from the base outwards, then those of joints."""
    ten = len(OF_LINKS)
    links = [ten * i + k for i in range(len(model.arm.links)) for k in WITHIN_LINK]
    return [*links, *range(model.inertial, len(model.names))]


def _independent(W: Array, order: Sequence[int]) -> set[int]:
    """Gram and Schmidt, twice, as once loses digits."""
    Q = np.zeros((len(W), len(order)))
    chosen: list[int] = []
    for k in order:
        known = Q[:, : len(chosen)]
        v = W[:, k] - known @ (known.T @ W[:, k])
        v -= known @ (known.T @ v)
        left = np.linalg.norm(v)
        if left > LEFT and len(chosen) < len(W):
            Q[:, len(chosen)] = v / left
            chosen.append(k)
    return set(chosen)


def _name(names: Sequence[str], own: int, dependent: NDArray[np.intp], row: Array) -> str:
    """The name of a base parameter; what joins it with one coefficient is in brackets."""
    groups: dict[float, list[str]] = {}
    for k in np.flatnonzero(row):
        groups.setdefault(float(f"{row[k]:.4g}"), []).append(names[dependent[k]])
    parts = [names[own]]
    for factor, members in groups.items():
        together = members[0] if len(members) == 1 else f"({' + '.join(members)})"
        size = "" if abs(factor) == 1.0 else f"{abs(factor):g} "
        parts.append(f"{'-' if factor < 0 else '+'} {size}{together}")
    return " ".join(parts)
