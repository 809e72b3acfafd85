"""Criteria of the user: functions f(q, qd, qdd, tau) of casadi vectors."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from lissom.engine.symbolics import alone
from lissom.errors import InputError, shown
from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, State
from lissom.spatial.rotations import Array

VECTORS = ("q", "qd", "qdd", "tau")


class Function(AbstractCriterion):
    """A function of the user as a criterion."""

    name, title, unit = "a function", "own criterion", ""
    meaning = "integral of a function of the user"

    def __init__(self, function: Any) -> None:
        self._function = function

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the values (N,) of the function."""
        return _values(self._function, at)

    def expression(self, z: State, joints: Joints) -> Any:
        """Return what the function gives."""
        return own_expression(self._function, z.q, z.qd, z.qdd, z.tau)

    def key(self, joints: Joints) -> str:
        """Return the expression as text."""
        return _serialised(self._function, len(joints.names))


def own_expression(f: Any, q: Any, qd: Any, qdd: Any, tau: Any) -> Any:
    """Return the expression of a criterion that the user wrote."""
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
    """Return a criterion as a casadi function of vectors (n,): what it was made of is no longer needed."""
    if isinstance(f, ca.Function):
        return f
    symbols = [ca.SX.sym(word, n) for word in VECTORS]
    return ca.Function("criterion", symbols, [ca.densify(own_expression(f, *symbols))])


@alone
def _serialised(f: Any, n: int) -> str:
    symbols = [ca.SX.sym(word, n) for word in VECTORS]
    return str(ca.Function("f", symbols, [own_expression(f, *symbols)]).serialize())


@alone
def _values(f: Any, at: Course) -> Array:
    given = [x.T for x in (at.q, at.qd, at.qdd, at.tau)]
    return np.asarray(as_function(f, at.q.shape[1])(*given), float).ravel()
