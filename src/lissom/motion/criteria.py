"""What is minimised, in numbers: the rate of cost at given times, as defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from lissom.errors import InputError
from lissom.motion.task import Task
from lissom.spatial.rotations import Array


class Course(NamedTuple):
    """A motion at N times: positions, rates, accelerations, jerks, torques and their rates, (N, n) each."""

    q: Array
    qd: Array
    qdd: Array
    jerk: Array
    tau: Array
    tau_rate: Array


def rate_of_cost(task: Task, at: Course) -> Array:
    """(N,) what is integrated over time."""
    words: dict[str, Callable[[], Array]] = {
        "time": lambda: np.ones(len(at.q)),
        "torque_squared": lambda: np.sum(at.tau**2, axis=1),
        "energy": lambda: np.sum(np.abs(at.tau * at.qd), axis=1),
        "jerk": lambda: np.sum(at.jerk**2, axis=1),
        "torque_rate": lambda: np.sum(at.tau_rate**2, axis=1),
    }
    out = np.zeros(len(at.q))
    for word, weight in task.minimise.items():
        out += weight * (_own(word, at) if callable(word) else words[word]())
    return out


def own_expression(f: Any, q: Any, qd: Any, qdd: Any, tau: Any) -> Any:
    """A criterion that the user wrote."""
    found = ca.SX(f(q, qd, qdd, tau))
    if found.numel() != 1:
        raise InputError(f"predict_motion: a criterion gave {found.shape} numbers; expected one.")
    return found


def _own(f: Any, at: Course) -> Array:
    given = [at.q, at.qd, at.qdd, at.tau]
    symbols = [ca.SX.sym("x", at.q.shape[1]) for _ in given]
    function = ca.Function("own", symbols, [ca.densify(own_expression(f, *symbols))])
    return np.asarray(function(*(x.T for x in given)), float).ravel()
