"""Solver report of a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy as np

from lissom.spatial.rotations import Array

INTERRUPTED = "interrupted"
UNITS = {
    "position": "rad or m", "velocity": "rad/s or m/s", "acceleration": "rad/s^2 or m/s^2",
    "jerk": "rad/s^3 or m/s^3", "torque": "N m or N", "torque_rate": "N m/s or N/s",
}  # fmt: skip
NOT_EVERYWHERE = "no motion was found that satisfies all limits between samples"
RAN_OUT = "ran out"
EXCESS = 1e-3  # of a limit, up to which a motion may exceed it between samples
SHOWN = 5e-5  # of a limit: a smaller excess is printed as 100.00 %
DISTANCE = "distance from"  # begins the names of what keeps clear of obstacles


class Iteration(NamedTuple):
    """One step of the solver: cost, largest violation of a row, and how far from optimal."""

    number: int
    cost: float
    violation: float
    optimality: float
    duration: float


@dataclass(frozen=True)
class Peak:
    """The largest utilisation of a limit: joint, time [s], value, limit, and their ratio `utilisation`.

    Of positions whose limits do not lie around zero, `utilisation` is 1 minus the distance from the nearest limit,
    relative to the range. unit : of value and limit
    """

    quantity: str
    joint: str
    time: float
    value: float
    limit: float
    utilisation: float
    unit: str = ""

    def beyond(self) -> str:
        """Return a message about the limit that is exceeded."""
        if self.quantity.startswith(DISTANCE):
            kept = f"is {self.value:.4g} m, less than the margin of {self.limit:g} m,"
        else:
            kept = f"exceeds its limit by {100 * (self.utilisation - 1):.2g} %"
        return f"{self.quantity} of {self.joint!r} {kept} at {self.time:.4g} s"

    def describe(self) -> str:
        """Return one line of text."""
        if self.quantity.startswith(DISTANCE):
            return f"{self.quantity} {self.value:.4g} m, margin {self.limit:g} m: {self.joint} at {self.time:.4g} s"
        unit = self.unit or UNITS.get(self.quantity, "")
        limit = f"{self.limit:.4g}{unit and f' {unit}'}"
        if self.quantity == "position":
            side = "beyond" if self.utilisation > 1 else "from"
            share = f"{self.value:10.4g} {unit}, {abs(self.limit - self.value):.3g} {unit} {side} the limit {limit}"
        else:
            share = f"{100 * self.utilisation:8.2f} % of the limit {limit}"
        return f"{self.quantity:12} {share}: {self.joint} at {self.time:.4g} s{self._tolerated()}"

    def _tolerated(self) -> str:
        """A remark about an excess that is printed, but accepted."""
        if not 1 + SHOWN < self.utilisation <= 1 + EXCESS:
            return ""
        return f" (accepted: limits hold within {100 * EXCESS:g} %)"


class UnactuatedSplines(NamedTuple):
    """Splines of unactuated coordinates: ends of segments, degree, control points (count, coordinates)."""

    breaks: Array
    degree: int
    continuity: int
    control_points: Array


class ResidualCheck(NamedTuple):
    """Residual check of one mesh of unactuated coordinates: the torques, simulated open loop.

    finer : int               segments of unactuated coordinates per segment of actuated ones
    residual : float          residual tip vibration [m], see `residual_vibration`; for a motion that does not end at
                              rest, the difference from it at the end
    joint_error : float       largest joint error along the motion [rad or m]
    end_error : float         the same at the end
    passive_error : float     of a passive joint at the end
    """

    finer: int
    residual: float
    joint_error: float
    end_error: float
    passive_error: float


class Closures(NamedTuple):
    """Forces in closed loops along a motion: fractions of the duration (N,), closure rows that are independent (r,),
    forces in these (N, r) [N or N m]."""

    s: Array
    rows: Array
    forces: Array


class _MeshOfStart(TypedDict, total=False):
    segments: int


class StartRow(_MeshOfStart):
    """What one start found: its number, status, cost, duration [s], number of iterations, whether its cost is that of
    the best one; `segments` where starts were compared on a coarse mesh."""

    start: int
    status: str
    cost: float
    duration: float
    iterations: int
    same: bool


@dataclass(frozen=True)
class MotionReport:
    """Solver report of a motion.

    iterations : tuple of Iteration     the log of the solver, of all exchange iterations and meshes
    violation, optimality : float       largest constraint violation [its unit], scaled optimality error
    peaks : tuple of Peak               largest utilisation of every limited quantity on a fine grid
    samples : int                       number of samples at which torques are limited
    exchange_iterations : int           solutions until no limit was exceeded between samples
    seconds : dict                      "compile", "build", "solve", of that "evaluate"
    starts : tuple of StartRow          what each start found (status, cost, duration, iterations); `segments` where
                                        starts were compared on a coarse mesh
    refinements : tuple                 (segments, cost) of every mesh
    residual_checks : tuple of ResidualCheck    for arms with unactuated coordinates, one for every mesh simulated
    """

    iterations: tuple[Iteration, ...]
    violation: float
    peaks: tuple[Peak, ...]
    samples: int
    exchange_iterations: int
    seconds: dict[str, float]
    starts: tuple[StartRow, ...] = ()
    refinements: tuple[tuple[int, float], ...] = ()
    residual_checks: tuple[ResidualCheck, ...] = ()

    @property
    def optimality(self) -> float:
        """Scaled optimality error of the last iterate: largest gradient entry of the Lagrangian; NaN where unknown."""
        return self.iterations[-1].optimality if self.iterations else np.nan

    def __str__(self) -> str:
        return self.describe()

    def describe(self, limits: bool = True) -> str:
        """A summary of the search: limit utilisation (on request without it), starts, refinements, effort."""
        lines = [peak.describe() for peak in self.peaks] if limits else []
        lines += [
            f"simulated with the planned torques: residual tip vibration {at.residual:.2g} m, joint error at the end "
            f"{at.end_error:.2g} rad or m (modes and other unactuated coordinates on segments {at.finer} times finer)"
            for at in self.residual_checks
        ]
        if self.starts:
            lines.append(self._searched())
        if self.refinements:
            costs = ", ".join(f"{cost:.8g} with {segments} segments" for segments, cost in self.refinements)
            lines.append(f"cost on finer meshes: {costs}")
        again = "" if self.exchange_iterations <= 1 else f" (solved {self.exchange_iterations} times, each with more)"
        lines.append(
            f"solver: {max(len(self.iterations) - 1, 0)} iterations, torques limited at {self.samples} samples{again}; "
            f"optimality error {self.optimality:.1g}, constraint violation {self.violation:.1g}"
        )
        lines.append("time: " + ", ".join(f"{word} {value:.3g} s" for word, value in self.seconds.items()))
        return "\n".join(lines)

    def _searched(self) -> str:
        """The starts in one line; `starts` has them all."""
        good = [row for row in self.starts if np.isfinite(row["cost"]) and row["status"] == "solved"]
        mesh = {f" on {row['segments']} segments" for row in self.starts if "segments" in row}
        text = f"{len(self.starts)} starts{''.join(sorted(mesh)[:1])}: {len(good)} solved"
        costs = [row["cost"] for row in good]
        return f"{text}, costs {min(costs):.8g} to {max(costs):.8g}" if len(costs) > 1 else text
