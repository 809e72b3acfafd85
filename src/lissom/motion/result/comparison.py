"""Comparison of plans for one task: the result of `predict_motion(..., compare=True)`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lissom.listing import Listing


@dataclass(frozen=True)
class Plan:
    """One plan of a comparison, simulated on the flexible arm.

    name : str               which plan, and whether its torques act or its joint motion is tracked
    duration : float         [s]
    residual : float         residual tip vibration at its end [m]
    heavier, lighter : float     the same with a payload heavier or lighter than planned; NaN without payload
    torque_utilisation : float       largest torque over its limit, 0 where none is limited
    vibration : (nt,)          distance of the tip from its rest at `Comparison.times` [m]
    path_error : float or None    of a motion whose frame follows a path: how far it is off at most [m, rad]
    """

    name: str
    duration: float
    residual: float
    heavier: float
    lighter: float
    torque_utilisation: float
    vibration: tuple[float, ...] = ()
    path_error: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Plans for one task, simulated on the same flexible arm.

    plans : tuple of Plan
    payload : float          error of the payload, of its mass and inertia, 0.1: ten percent
    notes : tuple of str     how the other plans were made
    times : (nt,)            times after the end of each plan, with joints locked [s]
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
        """Return the comparison as a table; an arm without a payload has no columns of other payloads."""
        off = f"{100 * self.payload:g} %"
        loaded = not all(math.isnan(plan.heavier) and math.isnan(plan.lighter) for plan in self.plans)
        errors = (f"payload +{off} [m]", f"payload -{off} [m]") if loaded else ()
        heads = ("plan", "duration [s]", "residual [m]", *errors, "torque utilisation")
        follows = any(plan.path_error is not None for plan in self.plans)
        rows = []
        for plan in self.plans:
            others = (plan.heavier, plan.lighter) if loaded else ()
            rings = ["-" if math.isnan(x) else f"{x:.2g}" for x in (plan.residual, *others)]
            use = f"{plan.torque_utilisation:.3g}" if plan.torque_utilisation else "-"
            path = ["-" if plan.path_error is None else f"{plan.path_error:.2g}"] if follows else []
            rows.append([plan.name, f"{plan.duration:.4g}", *path, *rings, use])
        return Listing.of((*heads[:2], *(["off the path [m]"] if follows else []), *heads[2:]), rows)

    def describe(self) -> str:
        """Return the table and notes as text."""
        return "\n".join([*self.listing().lines(), *self.notes])

    def __str__(self) -> str:
        return self.describe()
