"""What is minimised, in numbers: the rate of cost at given times, as defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from lissom.engine.symbolics import alone
from lissom.errors import InputError, shown
from lissom.motion.task.task import Task
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
    found = f(q, qd, qdd, tau)
    try:
        number = ca.SX(found)
    except (NotImplementedError, TypeError):
        raise InputError(f"predict_motion: a criterion gave {shown(found)}; expected a casadi number.") from None
    if number.numel() != 1:
        raise InputError(f"predict_motion: a criterion gave {number.shape} numbers; expected one.")
    return number


@alone
def as_function(f: Any, n: int) -> Any:
    """A criterion as a casadi function of vectors (n,): what it was made of is no longer needed."""
    if isinstance(f, ca.Function):
        return f
    symbols = [ca.SX.sym(word, n) for word in ("q", "qd", "qdd", "tau")]
    return ca.Function("criterion", symbols, [ca.densify(own_expression(f, *symbols))])


@alone
def _own(f: Any, at: Course) -> Array:
    given = [x.T for x in (at.q, at.qd, at.qdd, at.tau)]
    return np.asarray(as_function(f, at.q.shape[1])(*given), float).ravel()
