"""Plans beside each other: what `predict_motion(..., compare=True)` found."""

from __future__ import annotations

from dataclasses import dataclass

from lissom.listing import Listing


@dataclass(frozen=True)
class Plan:
    """A way of moving an arm, tried.

    name : str               which plan, and what of it the motors follow
    duration : float         [s]
    residual : float         vibration of the tip that is left at its end [m]
    heavier, lighter : float     the same where the payload is more, or less, than was thought; NaN: there is none
    torque_use : float       largest torque over its limit, 0 where none is limited
    ringing : (nt,)          distance of the tip from its rest at `Comparison.times` [m]
    """

    name: str
    duration: float
    residual: float
    heavier: float
    lighter: float
    torque_use: float
    ringing: tuple[float, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Plans for one task, tried on the same flexible arm.

    plans : tuple of Plan
    payload : float          error of the payload, of its mass and inertia, 0.1: ten percent
    notes : tuple of str     how the others were made
    times : (nt,)            after the end of each, motors holding their joints [s]
    """

    plans: tuple[Plan, ...]
    payload: float
    notes: tuple[str, ...] = ()
    times: tuple[float, ...] = ()

    def __getitem__(self, name: str) -> Plan:
        for plan in self.plans:
            if plan.name == name:
                return plan
        raise KeyError(name)

    def listing(self) -> Listing:
        """A table for people."""
        off = f"{100 * self.payload:g} %"
        heads = ("plan", "duration s", "tip rings m", f"payload +{off}", f"payload -{off}", "torque use")
        rows = []
        for plan in self.plans:
            rings = [f"{x:.2g}" for x in (plan.residual, plan.heavier, plan.lighter)]
            use = f"{plan.torque_use:.3g}" if plan.torque_use else "-"
            rows.append([plan.name, f"{plan.duration:.4g}", *rings, use])
        return Listing.of(heads, rows)

    def describe(self) -> str:
        """For people."""
        return "\n".join([*self.listing().lines(), *self.notes])

    def __str__(self) -> str:
        return self.describe()
