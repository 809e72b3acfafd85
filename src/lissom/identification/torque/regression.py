"""The robust fit of base parameters, with the delays of the torque sensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.identification.columns.rows import Rows
from lissom.identification.columns.terms import diagonal
from lissom.identification.fit.base import BaseParameters
from lissom.identification.fit.equations import Equations
from lissom.identification.fit.least_squares import Solution, fit, weights_of
from lissom.identification.fit.masks import Mask
from lissom.identification.fit.spread import covariance, memory
from lissom.spatial.rotations import Array

PASSES = 5
LONGEST_DELAY = 0.1  # s
CERTAIN = 2.0  # standard deviations from which a delay is taken for one


@dataclass(frozen=True, eq=False)
class Regression:
    """Base parameters (nb,) with their covariance, delays (n,) [s] with theirs, weights and residuals of the rows."""

    values: Array
    covariance: Array
    delays: Array
    delay_std: Array
    weights: list[Array]
    residuals: list[Array]
    solution: Solution

    @property
    def memory(self) -> float:
        """Samples of the residuals per independent one, the mean of all joints."""
        joints = range(self.residuals[0].shape[1])
        return float(np.mean([memory([part[:, j] for part in self.residuals]) for j in joints]))


class Regressor:
    """Fits base parameters to the rows of logs.

    x (p,) are parameters of the model of which some, those of other friction laws, are not in use; `used` (p,).
    """

    def __init__(self, rows: list[Rows], base: BaseParameters, used: Mask, prior: Array) -> None:
        self.rows, self.used, self.prior = rows, used, prior
        self.at = np.flatnonzero(used[base.kept])  # which of the base parameters are in use
        self.leaders, self.K = base.kept[self.at], base.K[self.at]
        self.start = base.of_parameters(np.where(used, prior, 0.0))[self.at]

    def all_parameters(self, values: Array) -> Array:
        """Parameters (p,) that act as base parameters do: all of each in the parameter that leads it."""
        x = np.zeros(len(self.prior))
        x[self.leaders] = values
        return x

    def run(self, delays: Array, free: Mask, depends_on_load: bool, passes: int = PASSES) -> Regression:
        """Alternate between least squares, weights, delays of some joints (mask `free`) and friction under load."""
        for row in self.rows:
            row.use_delays(delays)
        torques = [row.torque for row in self.rows]
        values, weights = self.start, [np.ones_like(t) for t in torques]
        weights = weights_of(torques, torques, robust=False)
        for count in range(passes):
            late = free if count else np.zeros_like(free)
            equations = self._equations(values, late)
            solution = fit(equations, weights, np.concatenate([self.start, np.zeros(late.sum())]))
            values = solution.x[: len(self.at)]
            residuals = [one.residuals(solution.x) for one in equations]
            weights = weights_of(residuals, torques)
            if count < passes - 1:
                steps = solution.x[len(self.at) :]
                delays = delays.copy()
                delays[late] = np.clip(delays[late] + steps, -LONGEST_DELAY, LONGEST_DELAY)
                self._update(values, delays, depends_on_load)
        C = covariance(equations, residuals, weights, solution.silent)
        std = np.full(len(delays), np.nan)
        std[late] = np.sqrt(np.diag(C))[len(self.at) :]
        count = len(self.at)
        return Regression(values, C[:count, :count], delays, std, weights, residuals, solution)

    def _update(self, values: Array, delays: Array, depends_on_load: bool) -> None:
        """Friction at other times, and under other loads."""
        for row in self.rows:
            row.use_delays(delays)
            if depends_on_load:
                row.load_with(self.all_parameters(values))

    def _equations(self, values: Array, late: Mask) -> list[Equations]:
        equations = [row.equations(self.leaders) for row in self.rows]
        if not late.any():
            return equations
        x = self.all_parameters(values)
        return [one.with_columns(diagonal(row.late(x))[..., late])
                for one, row in zip(equations, self.rows, strict=True)]  # fmt: skip


def with_delays(regressor: Regressor, depends_on_load: bool, count: int) -> Regression:
    """The fit with the delays that are certain; the others are zero."""
    first = regressor.run(np.zeros(count), np.ones(count, bool), depends_on_load)
    certain = np.isfinite(first.delay_std) & (np.abs(first.delays) > CERTAIN * first.delay_std)
    if certain.all():
        return first
    return regressor.run(np.where(certain, first.delays, 0.0), certain, depends_on_load)
