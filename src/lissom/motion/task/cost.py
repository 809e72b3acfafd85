"""What a task minimises on an arm: a weighted sum of criteria."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import Course, Joints, State
from lissom.motion.task.criteria.known import criterion
from lissom.spatial.rotations import Array


class Cost:
    """The rate of cost of a task on an arm.

    Attributes
    ----------
    orders : int                      derivatives that it depends on
    torque_rate, kinks, at_rest       as of criteria: whether one of them is so
    squares : (n,)                    weights of squared torques, kept apart from the rest
    tape : dict or None               the rest by "time", "power" and "jerk"; None where a criterion has no such form
    """

    def __init__(self, minimise: Mapping[Any, float], joints: Joints) -> None:
        self.joints = joints
        self._terms = [(criterion(word), weight) for word, weight in minimise.items()]
        kinds = [kind for kind, _ in self._terms]
        self.orders = max(kind.orders for kind in kinds)
        self.torque_rate = any(kind.torque_rate for kind in kinds)
        self.kinks = any(kind.kinks for kind in kinds)
        self.at_rest = any(kind.at_rest and weight for kind, weight in self._terms)
        self.squares = np.zeros(len(joints.names))
        for kind, weight in self._terms:
            self.squares = self.squares + weight * kind.squares(joints)
        self.tape = self._tape()

    def _tape(self) -> dict[str, float] | None:
        out = dict.fromkeys(("time", "power", "jerk"), 0.0)
        for kind, weight in self._terms:
            found = kind.tape()
            if found is None:
                return None
            for word, part in found.items():
                out[word] += weight * part
        return out

    def check(self, verb: str) -> None:
        """Raise `InputError` where the arm cannot have a criterion."""
        for kind, _ in self._terms:
            kind.check(self.joints, verb)

    def rate(self, at: Course) -> Array:
        """(N,) what is integrated over time."""
        out = np.zeros(len(at.q))
        for kind, weight in self._terms:
            out += weight * kind.value(at, self.joints)
        return out

    def expression(self, z: State, squares: Any) -> Any:
        """The rate as a casadi number; squares: of torques, as far as they are part of it."""
        return sum((weight * kind.expression(z, self.joints) for kind, weight in self._terms), squares)

    @property
    def without_tape(self) -> list[str]:
        """Criteria that kernels of large arms do not have."""
        return [kind.name for kind, _ in self._terms if kind.tape() is None]

    @property
    def structure(self) -> str:
        """Text that decides the expressions of the cost."""
        terms = [f"{kind.key(self.joints)} {weight}" for kind, weight in self._terms]
        return f"{terms}|{self.squares.tolist()}|{self.joints.actuated.tolist()}"
