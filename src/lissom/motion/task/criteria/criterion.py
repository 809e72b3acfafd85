"""The contract of criteria: a rate of cost, as numbers, as an expression, and as what samples without code need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.spatial.rotations import Array


class Course(NamedTuple):
    """A motion at N times: positions, rates, accelerations, jerks, torques and their rates, (N, n) each."""

    q: Array
    qd: Array
    qdd: Array
    jerk: Array
    tau: Array
    tau_rate: Array


class Joints(NamedTuple):
    """The coordinates of an arm (n,): their names, which have a motor, and torques that are allowed at most.

    lower, upper : (n,) or None    torques that are allowed in either direction; None: the same in both
    turning : (n,) or None         which are rotations
    """

    names: tuple[str, ...]
    actuated: NDArray[np.bool_]
    torque: Array
    lower: Array | None = None
    upper: Array | None = None
    turning: NDArray[np.bool_] | None = None


class Parts(NamedTuple):
    """A criterion of motions with contacts, as weights of what their samples know.

    effort : (2, n)         of squared torques, of positive ones and of negative ones
    acceleration, posture, torque_rate : (n,)    of squares of accelerations, of positions from home, of torque rates
    power, force_rate, time : of the sum of absolute powers; of squared rates of contact forces, in units of the
                            weight of the arm; of the duration
    """

    effort: Array
    acceleration: Array
    posture: Array
    torque_rate: Array
    power: float = 0.0
    force_rate: float = 0.0
    time: float = 0.0

    @classmethod
    def none(cls, n: int) -> Parts:
        """Return no weights, for n coordinates."""
        return cls(np.zeros((2, n)), np.zeros(n), np.zeros(n), np.zeros(n))

    def plus(self, other: Parts, weight: float) -> Parts:
        """Return the sum with another, weighted."""
        both: Any = zip(self, other, strict=True)
        found: Any = [a + weight * b for a, b in both]
        return Parts(*found)


class State(NamedTuple):
    """A motion at one time, as casadi vectors (n,); `width` [W] is that within which |power| is rounded off."""

    q: Any
    qd: Any
    qdd: Any
    jerk: Any
    tau: Any
    tau_rate: Any
    width: Any


class AbstractCriterion(ABC):
    """A rate of cost whose integral over time is minimised.

    Its value and its expression must agree, but for kinks, which the expression rounds off. Torques that it gets are
    zero for coordinates without a motor; their jerks are not commanded and do not count.

    Attributes
    ----------
    name : str            in `Task.minimise`
    title : str           in figures: "least ..."
    meaning : str         one line
    unit : str            of the integral
    orders : int          derivatives that it depends on: 3, or 4 with the jerk
    torque_rate : bool    it depends on rates of torques
    kinks : bool          its value has kinks anywhere, such as |power|
    torque_limits : bool  it is relative to torque limits, so that every actuator needs one
    at_rest : bool        holding the arm against gravity costs something, so that a free duration has a best value
    of_contacts : bool    it is about contact forces, which other motions do not have
    often : int or None   how often the best optimum is found before no more starts are tried; None: all starts count
    """

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]
    unit: ClassVar[str]
    orders: ClassVar[int] = 3
    torque_rate: ClassVar[bool] = False
    kinks: ClassVar[bool] = False
    torque_limits: ClassVar[bool] = False
    at_rest: ClassVar[bool] = False
    of_contacts: ClassVar[bool] = False
    often: ClassVar[int | None] = None

    def check(self, joints: Joints, verb: str) -> None:  # noqa: B027  most criteria suit all arms
        """Raise `InputError` where an arm cannot have it."""

    def key(self, joints: Joints) -> str:
        """Return the text that decides its expression, beside the joints."""
        return self.name

    @abstractmethod
    def value(self, at: Course, joints: Joints) -> Array:
        """Return the rate of cost (N,)."""

    def squares(self, joints: Joints) -> Array:
        """Return the weights (n,) of squared torques in it: kernels have these without compiled code."""
        return np.zeros(len(joints.names))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return the rest of the rate as a casadi number."""
        return 0.0

    def tape(self) -> Mapping[str, float] | None:
        """Return the rest for kernels of large arms, as weights of "time", "power" (sum of absolute powers) and "jerk"
        (sum of squares); None: not available, so that arms of many joints are refused."""
        return None

    def parts(self, joints: Joints) -> Parts | None:
        """Return the rate for motions with contacts; None: not available for them."""
        found, squares = self.tape(), self.squares(joints)
        if found is None or found.get("jerk"):
            return None
        return Parts.none(len(squares))._replace(
            effort=np.stack([squares, squares]), power=found.get("power", 0.0), time=found.get("time", 0.0)
        )
