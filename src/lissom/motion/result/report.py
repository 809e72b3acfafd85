"""Solver report of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypedDict

import numpy as np

from lissom.motion.result.outcome import MotionOutcome
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


WORTH_SAYING = 1e-4  # change of the cost from one mesh to the next, relative
SLIGHT = 0.02
RETIMING = "retiming of a given path"  # the solver of motions whose path was prescribed
TRACKING = "tracking of the path of a frame"  # the solver of motions whose output was prescribed


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
    refinements : tuple                 (segments, cost) of every mesh; of a minimum time also of half the segments, on
                                        which limits are not checked between samples
    mesh_reason : str                   why the motion is that of the mesh before the last one; empty where it is not
    residual_checks : tuple of ResidualCheck    for arms with unactuated coordinates, one for every mesh simulated
    solver : str                        the method that found the motion
    solver_reason : str                 why IPOPT solved the last problem, or finished it; empty where it did not
    criteria : dict                     with phases: the mean over the motion of every criterion, without its weight
                                        ("time": the duration). The cost rounds off powers and adds a trace of squared
                                        forces, so it is not exactly their weighted sum
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
    solver: str = ""
    solver_reason: str = ""
    criteria: dict[str, float] = field(default_factory=dict)
    mesh_reason: str = ""

    @property
    def optimality(self) -> float:
        """Scaled optimality error of the last iterate: largest gradient entry of the Lagrangian; NaN where unknown."""
        return self.iterations[-1].optimality if self.iterations else np.nan

    def __str__(self) -> str:
        return self.describe()

    def describe(self, limits: bool = True) -> str:
        """Return a summary of the search: limit utilisation (on request without it), starts, refinements, effort."""
        lines = [peak.describe() for peak in self.peaks] if limits else []
        lines += [
            f"simulated with the planned torques: residual tip vibration {at.residual:.2g} m, joint error at the end "
            f"{at.end_error:.2g} rad or m (modes and other unactuated coordinates on segments {at.finer} times finer)"
            for at in self.residual_checks
        ]
        if self.starts:
            lines.append(self._searched())
        if self.refinements:
            lines.append(self._meshes())
        if self.criteria:
            means = ", ".join(f"{word} {value:.5g}" for word, value in self.criteria.items())
            lines.append(f"criteria, as means over the motion and without their weights: {means}")
        again = "" if self.exchange_iterations <= 1 else f" (solved {self.exchange_iterations} times, each with more)"
        held = "equations of motion met" if self.solver == TRACKING else "torque limits checked"
        lines.append(
            f"solver: {self.solver and f'{self.solver}, '}{max(len(self.iterations) - 1, 0)} iterations, {held} "
            f"at {self.samples} samples{again}; "
            f"optimality error {self.optimality:.1g}, constraint violation {self.violation:.1g}"
        )
        if self.solver_reason:
            lines.append(f"why IPOPT: {self.solver_reason}")
        lines.append("time: " + ", ".join(f"{word} {value:.3g} s" for word, value in self.seconds.items()))
        return "\n".join(lines)

    def _meshes(self) -> str:
        """Return the costs on all meshes in one line, and why the motion is not that of the last one."""
        costs = ", ".join(f"{cost:.8g} with {segments} segments" for segments, cost in self.refinements)
        counts = [segments for segments, _ in self.refinements]
        if any(a == b for a, b in pairwise(counts)):
            why = "on the same mesh: again, with margins at limits that were exceeded between samples"
            return f"cost of successive solutions: {costs} ({why}){self._more_segments()}"
        reason = f"; {self.mesh_reason}" if self.mesh_reason else ""
        return f"cost on finer meshes: {costs}{self._more_segments()}{reason}"

    def _more_segments(self) -> str:
        """What more segments might still gain, where the last ones gained something."""
        if len(self.refinements) < 2:
            return ""
        (coarse, before), (fine, last) = self.refinements[-2:]
        gain = (before - last) / max(abs(before), 1e-300)
        if coarse == fine or not gain > WORTH_SAYING:
            return ""
        further = "a little further" if gain < SLIGHT else "further"
        return f"; it fell by {100 * gain:.2g} %, so more segments, or refine=1e-3, lower it {further}"

    def _searched(self) -> str:
        """Return the starts in one line; `starts` has them all."""
        solved = MotionOutcome.SOLVED  # rows of files from earlier versions have a status only
        good = [row for row in self.starts if row.get("outcome", row["status"]) == solved and np.isfinite(row["cost"])]
        mesh = {f" on {row['segments']} segments" for row in self.starts if "segments" in row}
        text = f"{len(self.starts)} starts{''.join(sorted(mesh)[:1])}: {len(good)} solved"
        costs = [row["cost"] for row in good]
        return f"{text}, costs {min(costs):.8g} to {max(costs):.8g}" if len(costs) > 1 else text
