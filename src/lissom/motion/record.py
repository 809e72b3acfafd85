"""A motion: its profiles, its torques, how it was found and how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, shown
from lissom.model.arm import Arm
from lissom.motion.basis import Basis
from lissom.motion.solver import Iteration
from lissom.motion.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

PER_SEGMENT = 10


@dataclass(frozen=True)
class Peak:
    """The largest use of a limit: by which joint, when [s], the value, its limit, and their ratio."""

    quantity: str
    joint: str
    time: float
    value: float
    limit: float
    use: float


@dataclass(frozen=True)
class MotionReport:
    """How a motion was found.

    iterations : tuple of Iteration     the log of the solver
    violation, optimality : float       largest violation of a row [its unit], relative distance from optimal
    peaks : tuple of Peak               largest use of every limited quantity on a fine grid
    samples : int                       at which torques are limited
    rounds : int                        solutions until no limit was exceeded between samples
    seconds : dict                      "compile", "build", "solve", of that "evaluate"
    starts : tuple                      what each start found (status, cost, duration, iterations, seconds)
    refinements : tuple                 (segments, cost) of every mesh
    """

    iterations: tuple[Iteration, ...]
    violation: float
    peaks: tuple[Peak, ...]
    samples: int
    rounds: int
    seconds: dict[str, float]
    starts: tuple[dict[str, Any], ...] = ()
    refinements: tuple[tuple[int, float], ...] = ()

    def describe(self) -> str:
        """For people."""
        lines = [f"{len(self.iterations) - 1} iterations, {self.rounds} rounds, {self.samples} samples"]
        lines += [
            f"{peak.quantity:13} {100 * peak.use:7.2f} % of {peak.limit:.4g}: {peak.joint} at {peak.time:.4g} s"
            for peak in self.peaks
        ]
        lines.append(", ".join(f"{word} {value:.3g} s" for word, value in self.seconds.items()))
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion that was found for a task.

    Attributes
    ----------
    arm : Arm
    task : Task
    duration : float             [s]
    cost : float                 integral of what was minimised
    status : str                 "solved", or what went wrong
    ok : bool                    it is solved, and no limit is exceeded by more than 0.1 %
    t : (nt,)                    times [s]
    q, qd, qdd, tau : (nt, dof)  at these times
    breaks, degree, control_points    of its splines
    report : MotionReport
    """

    arm: Arm
    task: Task
    duration: float
    cost: float
    status: str
    ok: bool
    breaks: Array
    degree: int
    control_points: Array
    report: MotionReport
    t: Array = field(init=False)
    q: Array = field(init=False)
    qd: Array = field(init=False)
    qdd: Array = field(init=False)
    tau: Array = field(init=False)

    def __post_init__(self) -> None:
        s = _grid(self.breaks, PER_SEGMENT)
        object.__setattr__(self, "t", s * self.duration)
        for word, value in zip(("q", "qd", "qdd"), self._at(s), strict=True):
            object.__setattr__(self, word, value)
        object.__setattr__(self, "tau", self.torques(self.t))

    @property
    def basis(self) -> Basis:
        """The splines of its profiles."""
        return Basis(self.breaks, self.degree, periodic=self.task.periodic)

    def _at(self, s: Array, orders: int = 3) -> list[Array]:
        basis = self.basis
        return [(basis.rows(s, r) @ self.control_points) / self.duration**r for r in range(orders)]

    def _fractions(self, t: ArrayLike) -> Array:
        times = np.asarray(t, float)
        if times.size and (times.min() < -1e-9 * self.duration or times.max() > (1 + 1e-9) * self.duration):
            raise InputError(f"t is {shown(t)}; the motion lasts from 0 to {self.duration:.6g} s.")
        return np.clip(times / self.duration, 0.0, 1.0)

    def at(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd, qdd (..., dof) at any times (...)."""
        s = self._fractions(t)
        found = self._at(s.ravel())
        return tuple(x.reshape(*s.shape, -1) for x in found)  # type: ignore[return-value]

    def torques(self, t: ArrayLike) -> Array:
        """tau (..., dof) at any times (...), by inverse dynamics."""
        times = np.asarray(t, float)
        q, qd, qdd = self.at(times.ravel())
        tau = inverse_dynamics(self.arm, q, qd, qdd, loads=self._loads(self._fractions(times.ravel())))
        return np.asarray(tau).reshape(*times.shape, -1)

    def _loads(self, s: Array) -> Sequence[Any]:
        from lissom.motion.build import loads_over

        return loads_over(self.task.loads, s)

    def __repr__(self) -> str:
        return f"<Motion of {self.arm.name!r}: {self.duration:.6g} s, cost {self.cost:.6g}, {self.status}>"


def _grid(breaks: Array, each: int) -> Array:
    """Breaks, and equally many points between them."""
    inner = breaks[:-1, None] + np.diff(breaks)[:, None] * np.arange(each) / each
    return np.append(inner.ravel(), 1.0)
