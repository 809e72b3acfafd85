"""A primal-dual interior-point method with a filter line search, for programs with few equality rows.

It follows Waechter and Biegler, Mathematical Programming 106 (2006), with two differences. The system of a step is
condensed to the variables (`condensed`, `equalities`); Cholesky's method fails where that is not positive definite,
which is where a step needs a larger shift. And the barrier comes first from a predictor step, as Mehrotra does it; once
the Lagrangian proves indefinite three steps in a row or errors no longer fall, it is lowered only when its own problem
is solved.

There is no restoration: a run that finds no step has the end `Ended.STUCK`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

import numpy as np

from lissom.motion.solve.interior.barrier import FAR, Direction, Point, SlackForm
from lissom.motion.solve.interior.condensed import Condensed, Factors
from lissom.motion.solve.interior.equalities import Equalities
from lissom.motion.solve.interior.line_search import LineSearch
from lissom.spatial.rotations import Array

MU, FIRST = 0.1, 1.0  # barrier and bound multipliers to begin with
ENOUGH, LOWER, POWER = 10.0, 0.2, 1.5  # error, per barrier, of a solved barrier problem; how the next one is lowered
LEAST = 1e-3  # factor by which a predicted barrier may fall at once
FIRST_SHIFT, MOST_SHIFT = 1e-4, 1e20
GROW_FIRST, GROW, SHRINK = 100.0, 8.0, 3.0  # factors of shifts
SHIFTED, LOOKED_BACK, FALLING = 3, 5, 0.999  # shifted steps, and steps without a smaller error, that end predictions
BACK, FROM_ERROR = 0.8, 0.01  # of the mean product of gaps and multipliers, and of the error: the barrier after them
TRIES = 4  # of directions, the next with a much larger shift, where no step along one is progress
LEAST_SHIFT = 1e-20
RHO = 1e6  # weight of the squares of equality rows in the condensed matrix, see `equalities`
NEAREST = 0.99  # of the way to the nearest bound, at most, that a step goes
DUAL_SIZE = 100.0  # mean size of multipliers from which errors count in parts of it


class Ended(enum.Enum):
    """How a run ended."""

    SOLVED = enum.auto()
    OUT_OF_ITERATIONS = enum.auto()
    STUCK = enum.auto()
    NOT_CONVEX = enum.auto()  # and the run is for convex paths only
    STOPPED = enum.auto()


class InteriorPoint:
    """One run of the method.

    Parameters
    ----------
    form : SlackForm
    system : Condensed
    tolerance : float
    after : f(point, error) -> bool      called with every iterate; True stops
    everywhere : bool                    go on where the Lagrangian is not convex; otherwise that ends a run
    """

    def __init__(
        self, form: SlackForm, system: Condensed, tolerance: float, after: Callable[[Point, float], bool],
        everywhere: bool = True,
    ) -> None:  # fmt: skip
        self.form, self.system, self._tolerance, self._after = form, system, tolerance, after
        self._everywhere, self._least = everywhere, tolerance / 10
        self._equalities = Equalities(form.program.jacobian_pattern, form.equal)

    def run(self, point: Point, mu: float, iterations: int, y: Array | None = None, z: Array | None = None) -> Ended:
        """Run from a point and a barrier parameter, with or without initial multipliers."""
        form = self.form
        self.point, self._mu = point, mu
        self.z = np.full(len(point.gaps), FIRST) if z is None else z
        self.y = form.bounds.forces(self.z)[form.size :] if y is None else y
        self._last_shift, self._shifted, self._errors = 0.0, 0, list[float]()
        self._predicting = form.bounds.count > 0
        self._search = LineSearch(form, point)
        for k in range(iterations + 1):
            self._evaluate()
            error = self._error(0.0)
            if self._after(self.point, error):
                return Ended.STOPPED
            if error <= self._tolerance:
                return Ended.SOLVED
            if k == iterations:
                break
            if not np.isfinite(error):
                return Ended.STUCK
            if not self._lower_barrier(error):
                return Ended.NOT_CONVEX
            if not self._step():
                return Ended.STUCK
        return Ended.OUT_OF_ITERATIONS

    # ---- one step -----------------------------------------------------------------------------------

    def _evaluate(self) -> None:
        """Compute the gradient and the residuals at the point."""
        form, point = self.form, self.point
        self._gradient = form.slopes(point.x)
        forces = form.bounds.forces(self.z)
        dual = self._gradient + form.back(self.y) + forces[: form.size]
        self._residual = max(
            float(np.abs(dual[form.moving]).max(initial=0.0)),
            float(np.abs(forces[form.size :] - self.y)[~form.equal].max(initial=0.0)),
        )
        self._complementarity = point.gaps * self.z
        self._dual_size = max(DUAL_SIZE, float(self.z.mean()) if len(self.z) else 0.0) / DUAL_SIZE

    def _error(self, mu: float) -> float:
        """Error of the optimality conditions for a barrier parameter."""
        gap = float(np.abs(self._complementarity - mu).max(initial=0.0))
        return max(max(self._residual, gap) / self._dual_size, float(np.abs(self.point.violation).max(initial=0.0)))

    def _step(self) -> bool:
        """Go to the next iterate, and return whether there is one."""
        form, point = self.form, self.point
        weight = form.bounds.summed(self.z / point.gaps)
        H = form.curvature(point.x, self.y)
        self._S = np.where(form.equal, RHO, weight[form.size :])
        self.system.assemble(form.J, H, self._S, weight[: form.size])
        least = 0.0
        for _ in range(TRIES):
            factors = self._factors(least)
            if factors is None or not self._tie(factors):
                return False
            if self._moved(factors):
                return True
            self._search.clear()
            least = GROW_FIRST * max(self._last_shift, FIRST_SHIFT)
        return False

    def _moved(self, factors: Factors) -> bool:
        """Go along the direction of a factored system, and return whether a step was accepted."""
        point = self.point
        if self._predicting:
            self._predict(factors)
        direction = self._direction(factors, self._mu, point.violation)
        near = max(NEAREST, 1 - self._mu)
        longest = _longest(point.gaps, direction.rates, near)
        found = self._search(point, self._gradient, self._mu, direction, longest,
                             lambda violation: self._corrected(factors, violation, near))  # fmt: skip
        if found is None:
            return False
        self.point, step = found
        self.y = self.y + step * (direction.y - self.y)
        z = self.z + _longest(self.z, direction.dz, near) * direction.dz
        middle = self._mu / self.point.gaps
        self.z = np.clip(z, middle / FAR, middle * FAR)
        return True

    def _factors(self, least: float) -> Factors | None:
        """Factors of K with the least of a growing sequence of shifts that makes it positive definite."""
        factors, shift = self.system.factors(least), least
        while factors is None and shift < MOST_SHIFT:
            if shift == 0.0:
                shift = max(self._last_shift / SHRINK, LEAST_SHIFT) if self._last_shift else FIRST_SHIFT
            else:
                shift *= GROW if self._last_shift else GROW_FIRST
            factors = self.system.factors(shift)
        self._last_shift = shift or self._last_shift
        self._shifted = self._shifted + 1 if shift else 0
        return factors

    def _tie(self, factors: Factors) -> bool:
        """Prepare steps along equality rows; whether these are independent of each other."""
        self._tied = None
        if not self.form.equal.any():
            return True
        self._tied = self._equalities.tied(self.system, factors, self.form.J)
        return self._tied is not None

    def _direction(self, factors: Factors, mu: float, violation: Array) -> Direction:
        """Step of Newton's method for a barrier parameter."""
        form, gaps, z = self.form, self.point.gaps, self.z
        forces = form.bounds.forces(mu / gaps)
        by_row = forces[form.size :]
        r = self._gradient + forces[: form.size] + form.back(by_row + self._S * violation)
        dx = self.system.solved(factors, -r)
        multipliers = np.zeros(0)
        if self._tied is not None:
            dx, multipliers = self._tied.step(dx, violation[form.equal])
        ds = np.where(form.equal, 0.0, form.along(dx) + violation)
        y = by_row + self._S * ds
        y[form.equal] = multipliers
        rates = form.bounds.rates(np.append(dx, ds))
        return Direction(dx, ds, rates, y, mu / gaps - z - z / gaps * rates)

    def _corrected(self, factors: Factors, violation: Array, near: float) -> tuple[Direction, float]:
        """Second-order correction: the step for the violation of the rows that the first step led to."""
        found = self._direction(factors, self._mu, violation)
        return found, _longest(self.point.gaps, found.rates, near)

    # ---- the barrier --------------------------------------------------------------------------------

    def _lower_barrier(self, error: float) -> bool:
        """Whether the run goes on."""
        self._errors.append(error)
        late = len(self._errors) > LOOKED_BACK and error > FALLING * max(self._errors[-LOOKED_BACK - 1 : -1])
        if self._predicting and (self._shifted >= SHIFTED or late):
            if not self._everywhere:
                return False
            self._predicting = False
            self._mu = max(self._least, BACK * float(self._complementarity.mean()), min(MU, FROM_ERROR * error))
            self._search.clear()
        while not self._predicting and self._mu > self._least and self._error(self._mu) <= ENOUGH * self._mu:
            self._mu = max(self._least, min(LOWER * self._mu, self._mu**POWER))
            self._search.clear()
        return True

    def _predict(self, factors: Factors) -> None:
        """Choose the barrier parameter from the products of gaps and multipliers after a step without a barrier."""
        gaps, z = self.point.gaps, self.z
        ahead = self._direction(factors, 0.0, self.point.violation)
        step, dual = _longest(gaps, ahead.rates, 1.0), _longest(z, ahead.dz, 1.0)
        left = float(((gaps + step * ahead.rates) * (z + dual * ahead.dz)).mean())
        now = float(self._complementarity.mean())
        self._mu = max(self._least, now * min(1.0, max((left / now) ** 3, LEAST)))
        self._search.clear()


def _longest(v: Array, dv: Array, part: float) -> float:
    """Largest step a <= 1 for which v + a dv keeps at least `1 - part` of v."""
    return min(1.0, part / max(float((-dv / v).max(initial=0.0)), 1e-300))
