"""The largest utilisation of a limit along a motion."""

from __future__ import annotations

from dataclasses import dataclass

UNITS = {
    "position": "rad or m", "velocity": "rad/s or m/s", "acceleration": "rad/s^2 or m/s^2",
    "jerk": "rad/s^3 or m/s^3", "torque": "N m or N", "torque_rate": "N m/s or N/s",
}  # fmt: skip
EXCESS = 1e-3  # of a limit, up to which a motion may exceed it between samples
TIMES = 2.0  # of a limit, from which excess is said as a factor
SHOWN = 5e-5  # of a limit: a smaller excess is printed as 100.00 %
AT_LIMIT = 1e-7  # rad or m: what is nearer is the accuracy of the solver
DISTANCE = "distance from"  # begins the names of what keeps clear of obstacles


@dataclass(frozen=True)
class Peak:
    """The largest utilisation of a limit: joint, time [s], value, limit, and their ratio `utilisation`.

    Of positions `utilisation` is the distance from the middle of the range, relative to half of it. Of other quantities
    whose limits do not lie around zero it is 1 minus the distance from the nearest limit, relative to the range.

    unit : of value and limit
    by_difference : value and limit are compared by their difference: a limit may be zero
    """

    quantity: str
    joint: str
    time: float
    value: float
    limit: float
    utilisation: float
    unit: str = ""
    by_difference: bool = False

    def beyond(self) -> str:
        """Return a message about the limit that is exceeded."""
        if self.quantity.startswith(DISTANCE):
            kept = f"is {self.value:.4g} m, less than the margin of {self.limit:g} m,"
        elif self.by_difference or self.quantity == "position":
            unit = self.unit or UNITS.get(self.quantity, "")
            kept = f"is {self.value:.4g} {unit}, beyond its limit of {self.limit:.4g} {unit},"
        elif self.utilisation >= TIMES:
            kept = f"is {self.utilisation:.3g} times its limit"
        else:
            percent = 100 * (self.utilisation - 1)
            kept = f"exceeds its limit by {percent:{'.2g' if percent < 10 else '.0f'}} %"
        return f"{self.quantity.replace('_', ' ')} of {self.joint!r} {kept} at {self.time:.4g} s"

    def describe(self) -> str:
        """Return one line of text."""
        if self.quantity.startswith(DISTANCE):
            return f"{self.quantity} {self.value:.4g} m, margin {self.limit:g} m: {self.joint} at {self.time:.4g} s"
        unit = self.unit or UNITS.get(self.quantity, "")
        limit = f"{self.limit:.4g}{unit and f' {unit}'}"
        if self.by_difference or self.quantity == "position":
            share = f"{self.value:10.4g} {unit}, {self.distance()} {limit}"
        else:
            share = f"{100 * self.utilisation:8.2f} % of the limit {limit}"
        return f"{self.quantity:12} {share}: {self.joint} at {self.time:.4g} s{self._tolerated()}"

    def distance(self) -> str:
        """Return how far the value is from its limit, such as ``0.2 rad from the limit``."""
        if abs(self.limit - self.value) < AT_LIMIT:
            return "at the limit"
        unit, side = self.unit or UNITS.get(self.quantity, ""), "beyond" if self.utilisation > 1 else "from"
        return f"{abs(self.limit - self.value):.3g} {unit} {side} the limit"

    def _tolerated(self) -> str:
        """A remark about an excess that is printed, but accepted."""
        if not 1 + SHOWN < self.utilisation <= 1 + EXCESS:
            return ""
        return f" (accepted: limits hold within {100 * EXCESS:g} %)"
