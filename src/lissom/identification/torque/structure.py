"""Base parameters of a model, from random states within the limits of its joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lissom.identification.columns.model import Model
from lissom.identification.fit.base import BaseParameters
from lissom.identification.fit.pseudo_inertia import COUNT, WITHIN
from lissom.identification.signals.ranges import position_limits
from lissom.identification.signals.samples import Samples, at_states
from lissom.spatial.rotations import Array

ROWS = 8  # per parameter


def base_parameters(model: Model, loads: list[str], seed: int = 0) -> BaseParameters:
    """Base parameters of logs with these loads."""
    rng = np.random.default_rng(seed)
    count = max(ROWS * len(model.terms.names) // max(model.arm.dof, 1), 40)
    parts = [_columns(model, _random(model, rng, count, load)) for load in dict.fromkeys(loads)]
    W = np.concatenate(parts).reshape(-1, len(model.terms.names))
    bodies = int(model.bodies.sum()) // COUNT
    order = [COUNT * i + k for i in range(bodies) for k in WITHIN]
    return BaseParameters.of(W, [*order, *range(len(order), W.shape[1])], model.terms.names, len(order))


def _columns(model: Model, samples: Samples) -> Array:
    """Columns at states, with friction that depends on the torques of the given links."""
    state = model.state(samples)
    torque = model.link_torque(state, model.terms.prior, model.known(state))
    return model.columns(state._replace(link_torque=torque))


def _random(model: Model, rng: np.random.Generator, count: int, load: str) -> Samples:
    """States within the limits; of columns that are given as arrays, random numbers."""
    lower, upper = position_limits(model.arm)
    n = len(lower)
    q = rng.uniform(lower, upper, (count, n))
    qd, qdd = (rng.uniform(-size, size, (count, n)) for size in (2.0, 5.0))
    extras = tuple(given if callable(given) else rng.normal(size=q.shape) for given in model.extras.given)
    return replace(at_states(q, qd, qdd, load), extras=extras)
