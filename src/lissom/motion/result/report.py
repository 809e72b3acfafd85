"""Solver report of a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy as np

from lissom.motion.transcription.peak import Peak
from lissom.spatial.rotations import Array


class Iteration(NamedTuple):
    """One step of the solver: cost, largest violation of a row, and how far from optimal."""

    number: int
    cost: float
    violation: float
    optimality: float
    duration: float


class UnactuatedSplines(NamedTuple):
    """Splines of unactuated coordinates: ends of segments, degree, control points (count, coordinates)."""

    breaks: Array
    degree: int
    continuity: int
    control_points: Array


DEVIATION = 1e-4  # rad or m: what the defects of a correct motion may add up to


class ResidualCheck(NamedTuple):
    """Residual check of one mesh of unactuated coordinates: the torques, simulated open loop, or with joints tracked.

    finer : int               segments of unactuated coordinates per segment of actuated ones
    residual : float          residual tip vibration [m], see `residual_vibration`; for a motion that does not end at
                              rest, the difference from it at the end
    joint_error : float       largest joint error along the motion [rad or m]
    end_error : float         the same at the end
    passive_error : float     of a passive joint at the end
    tracked : bool            whether the joints followed their planned paths, as under stiff position control, because
                              the torques alone left more: without feedback an unstable arm magnifies every error
    deviation : float         if tracked, what the defects of all segments add up to, replayed from their planned states
                              under the planned torques [rad or m], see `Verification`
    """

    finer: int
    residual: float
    joint_error: float
    end_error: float
    passive_error: float
    tracked: bool = False
    deviation: float = 0.0

    @property
    def largest(self) -> float:
        """The larger of residual vibration [m] and error of a passive joint [rad or m]."""
        return max(self.residual, self.passive_error)

    def passes(self, asked: float) -> bool:
        """Whether no more is left than was asked for, and the plan obeys the equations of motion."""
        return self.largest <= asked and self.deviation <= DEVIATION


class _MoreOfStart(TypedDict, total=False):
    segments: int
    outcome: str


class StartRow(_MoreOfStart):
    """What one start found: its number, outcome, status, cost, duration [s], number of iterations, whether its cost is
    that of the best one; `segments` where starts were compared on a coarse mesh."""

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

    def describe(self) -> str:
        """A summary of the search: effort, limit utilisation, starts, refinements."""
        lines = [
            f"{max(len(self.iterations) - 1, 0)} iterations, {self.exchange_iterations} exchange iterations, "
            f"{self.samples} samples; optimality error {self.optimality:.1g}, constraint violation {self.violation:.1g}"
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
            f"unactuated coordinates on {at.finer}x finer segments: residual tip vibration in simulation "
            f"{at.residual:.2g} m, joint error at the end {at.end_error:.2g}"
            for at in self.residual_checks
        ]
        lines.append(", ".join(f"{word} {value:.3g} s" for word, value in self.seconds.items()))
        return "\n".join(lines)
