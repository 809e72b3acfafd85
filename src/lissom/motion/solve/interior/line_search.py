"""The filter line search: a step must lower the cost with its barrier or the violation of the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lissom.motion.solve.interior.barrier import Direction, Point, SlackForm
from lissom.spatial.rotations import Array

TRIALS = 12  # halvings of a step
CORRECTIONS, FALLING = 4, 0.99  # of a step along equality rows, at most, and how much less they violate each time
MARGIN, SUFFICIENT = 1e-5, 1e-8  # parts of the violation, and of the expected fall of the cost, that count as progress
LEAST_VIOLATION, MOST_VIOLATION = 1e-4, 1e4  # per violation of the start: where costs alone count; the largest allowed
SWITCH_COST, SWITCH_VIOLATION = 2.3, 1.1
ROUNDING = 10 * float(np.finfo(float).eps)  # of a cost


class LineSearch:
    """Line search of one run; its filter holds what later steps must improve on, until the barrier changes."""

    def __init__(self, form: SlackForm, start: Point) -> None:
        self._form = form
        size = max(1.0, _size(start.violation))
        self._least, self._most = LEAST_VIOLATION * size, MOST_VIOLATION * size
        self.clear()

    def clear(self) -> None:
        """Empty the filter."""
        self._filter: list[tuple[float, float]] = []

    def __call__(
        self, point: Point, gradient: Array, mu: float, direction: Direction, longest: float,
        corrected: Callable[[Array], tuple[Direction, float]],
    ) -> tuple[Point, float] | None:  # fmt: skip
        """Return the next point and the step to it, or None if no step of a sequence of halved steps is accepted.

        corrected : the direction, and how far it may go, for another violation of the rows
        """
        self._violation, self._cost, self._mu = _size(point.violation), point.barrier(mu), mu
        self._slope = float(gradient @ direction.dx) - mu * float((direction.rates / point.gaps).sum())
        step = longest
        for trial in range(TRIALS):
            found = self._form.moved(point, direction.dx, direction.ds, step)
            if self._accepts(found, step):
                return found, step
            if trial == 0 and found.finite and _size(found.violation) >= self._violation:
                better = self._corrected(point, found, step, corrected)
                if better is not None:
                    return better, step
            step /= 2
        return None

    def _corrected(
        self, point: Point, found: Point, step: float, corrected: Callable[[Array], tuple[Direction, float]]
    ) -> Point | None:
        """Second-order corrections of a step that raised the violation, as long as each lowers it."""
        violation, before = step * point.violation + found.violation, _size(found.violation)
        for _ in range(CORRECTIONS if self._form.equal.any() else 1):
            direction, length = corrected(violation)
            better = self._form.moved(point, direction.dx, direction.ds, length)
            if self._accepts(better, step):
                return better
            if not better.finite or _size(better.violation) > FALLING * before:
                return None
            violation, before = length * violation + better.violation, _size(better.violation)
        return None

    def _accepts(self, found: Point, step: float) -> bool:
        """Whether a point is accepted; the one before enters the filter if its violation had to decrease."""
        if not found.finite:
            return False
        violation, cost = _size(found.violation), found.barrier(self._mu)
        if violation > self._most or any(
            violation >= (1 - MARGIN) * a and cost >= b - MARGIN * a for a, b in self._filter
        ):
            return False
        slack = ROUNDING * abs(self._cost)
        if (
            self._slope < 0
            and self._violation <= self._least
            and step * (-self._slope) ** SWITCH_COST > self._violation**SWITCH_VIOLATION
        ):
            return cost <= self._cost + SUFFICIENT * step * self._slope + slack
        if violation <= (1 - MARGIN) * self._violation or cost <= self._cost - MARGIN * self._violation + slack:
            self._filter.append((self._violation, self._cost))
            return True
        return False


def _size(violation: Array) -> float:
    return float(np.abs(violation).sum())
