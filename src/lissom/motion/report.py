"""How a motion was found, and how good it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.spatial.rotations import Array

INTERRUPTED = "interrupted"
UNITS = {
    "position": "rad or m", "velocity": "rad/s or m/s", "acceleration": "rad/s^2 or m/s^2",
    "jerk": "rad/s^3 or m/s^3", "torque": "N m or N", "torque_rate": "N m/s or N/s",
}  # fmt: skip
NOT_EVERYWHERE = "no motion was found that holds everywhere"
RAN_OUT = "ran out"
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
    """The largest use of a limit: by which joint, when [s], the value, its limit, and their ratio."""

    quantity: str
    joint: str
    time: float
    value: float
    limit: float
    use: float

    def beyond(self) -> str:
        """In words, what is not kept."""
        if self.quantity.startswith(DISTANCE):
            kept = f"is {self.value:.4g} m, less than the margin of {self.limit:g} m,"
        else:
            kept = f"exceeds its limit by {100 * (self.use - 1):.2g} %"
        return f"{self.quantity} of {self.joint!r} {kept} at {self.time:.4g} s"

    def describe(self) -> str:
        """One line."""
        if self.quantity.startswith(DISTANCE):
            return f"{self.quantity} {self.value:.4g} m, margin {self.limit:g} m: {self.joint} at {self.time:.4g} s"
        unit = UNITS.get(self.quantity, "")
        limit = f"{self.limit:.4g}{unit and f' {unit}'}"
        return f"{self.quantity:12} {100 * self.use:8.2f} % of the limit {limit}: {self.joint} at {self.time:.4g} s"


class Loose(NamedTuple):
    """Splines of coordinates that no motor moves: ends of their segments, their control points (count, coordinates)."""

    breaks: Array
    degree: int
    continuity: int
    control_points: Array


class Settled(NamedTuple):
    """A mesh of loose coordinates, and what its torques do to the arm.

    finer : int               segments per segment of the others
    residual : float          vibration of the tip that is left [m], see `residual_vibration`; of a motion that does not
                              end at rest, what differs from it there
    joint_error : float       largest error of a joint along the way [rad or m]
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


@dataclass(frozen=True)
class MotionReport:
    """How a motion was found.

    iterations : tuple of Iteration     the log of the solver, of all rounds and meshes
    violation, optimality : float       largest violation of a row [its unit], scaled distance from optimal
    peaks : tuple of Peak               largest use of every limited quantity on a fine grid
    samples : int                       at which torques are limited
    rounds : int                        solutions until no limit was exceeded between samples
    seconds : dict                      "compile", "build", "solve", of that "evaluate"
    starts : tuple                      what each start found (status, cost, duration, iterations); `segments` where
                                        starts were compared on a coarse mesh
    refinements : tuple                 (segments, cost) of every mesh
    settled : tuple of Settled          of flexible arms, every mesh of their loose coordinates that was played
    """

    iterations: tuple[Iteration, ...]
    violation: float
    peaks: tuple[Peak, ...]
    samples: int
    rounds: int
    seconds: dict[str, float]
    starts: tuple[dict[str, Any], ...] = ()
    refinements: tuple[tuple[int, float], ...] = ()
    settled: tuple[Settled, ...] = ()

    @property
    def optimality(self) -> float:
        """How far from optimal the solver ended: the largest scaled slope of the Lagrangian; NaN where unknown."""
        return self.iterations[-1].optimality if self.iterations else np.nan

    def __str__(self) -> str:
        return self.describe()

    def describe(self) -> str:
        """A summary of the search: effort, limits that were used, starts, refinements."""
        lines = [
            f"{max(len(self.iterations) - 1, 0)} iterations, {self.rounds} exchange iterations, "
            f"{self.samples} samples; optimal to {self.optimality:.1g}, feasible to {self.violation:.1g}"
        ]
        lines += [peak.describe() for peak in self.peaks]
        for row in self.starts:
            mesh = f" on {row['segments']} segments" if "segments" in row else ""
            lines.append(
                f"start {row['start']}{mesh}: cost {row['cost']:.8g}, {row['duration']:.6g} s, "
                f"{row['iterations']} iterations, {row['status']}"
            )
        lines += [f"{segments} segments: cost {cost:.8g}" for segments, cost in self.refinements]
        lines += [
            f"modal coordinates use {at.finer}x finer segments; residual tip vibration in simulation "
            f"{at.residual:.2g} m, joints end within {at.end_error:.2g}"
            for at in self.settled
        ]
        lines.append(", ".join(f"{word} {value:.3g} s" for word, value in self.seconds.items()))
        return "\n".join(lines)
