"""A motion as figures show it: dense curves from its splines, its limits, and its title."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.later import cached_property
from lissom.model.limits import used, used_range
from lissom.model.units import units
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.record import PER_SEGMENT
from lissom.motion.splines.basis import grid
from lissom.motion.task.bounds import Bounds, bounds_of
from lissom.motion.task.criteria.known import CRITERIA
from lissom.motion.task.task import INFORMATION
from lissom.motion.transcription.peak import DISTANCE, EXCESS
from lissom.spatial.rotations import Array
from lissom.views.figures.curves import notable

FINE = 1200  # times of a curve, about
REACHED = 0.999  # utilisation from which a limit counts as reached
NAMED = 3  # joints that a title names
QUANTITIES = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "torque"}
AIMS = {word: kind.title for word, kind in CRITERIA.items()}


class DenseCurves:
    """Profiles and torques of a motion at many times.

    t (nt,)              fine in every segment of the splines, whose ends are among them
    q, qd, qdd (nt, dof) the splines themselves
    tau (nt, dof)        inverse dynamics at these times
    bounds               limits of arm and task
    """

    def __init__(self, motion: Motion):
        self.motion, self.arm = motion, motion.arm
        breaks = motion.finest_breaks
        self.t = grid(breaks, max(PER_SEGMENT, -(-FINE // (len(breaks) - 1)))) * motion.duration
        self.q, self.qd, self.qdd = motion.at(self.t)
        self.bounds: Bounds = bounds_of(motion.arm, motion.task, "plot")

    @cached_property
    def tau(self) -> Array:
        """(nt, dof) torques."""
        return self.motion.torques(self.t)

    def limits(self, word: str, c: int) -> tuple[float, float]:
        """Return lower and upper limit of q, qd, qdd or tau of coordinate c; infinite where there is none."""
        quantity = QUANTITIES[word]
        return float(self.bounds.lower[quantity][c]), float(self.bounds.upper[quantity][c])

    def utilisation(self, word: str) -> Array:
        """(nt, dof) fractions of the limits, 0 where there is none."""
        quantity = QUANTITIES[word]
        return (used_range if quantity == "position" else used)(
            getattr(self, word), self.bounds.lower[quantity], self.bounds.upper[quantity]
        )

    def shares(self, some: Sequence[int]) -> Array | None:
        """(nt, some) torques in percent of their limits, with their signs; None unless limits of all include zero."""
        low, high = (np.array([self.limits("tau", c)[side] for c in some]) for side in (0, 1))
        if not (np.isfinite(low) & np.isfinite(high) & (low < 0) & (high > 0)).all():
            return None
        tau = self.tau[:, list(some)]
        return 100.0 * np.where(tau > 0, tau / high, -tau / low)

    def notable(self, some: Sequence[int], most: int = 7) -> list[int]:
        """Return positions in `some` of those nearest to their torque limits, or else of those that move most."""
        use = self.utilisation("tau")[:, list(some)].max(axis=0)
        return notable(use + 1e-6 * np.ptp(self.q[:, list(some)], axis=0), most)

    def reaching(self, word: str) -> list[str]:
        """Return the coordinates that reach a limit, positions at both ends not counted."""
        use = self.utilisation(word)
        use = use[1:-1] if word == "q" else use
        return [self.arm.coordinates[c] for c in np.flatnonzero(use.max(axis=0) >= REACHED)]


def title_lines(motion: Motion, curves: DenseCurves | None = None) -> list[str]:
    """Return the title of a motion's figure: what it does, its result, and the limits that it reaches."""
    first = f"{motion.arm.name}: {_aim(motion)}"
    if not motion.ok:
        beyond = [peak.beyond() for peak in motion.report.peaks if peak.utilisation > 1 + EXCESS]
        return [first, motion.status if motion.outcome is not MotionOutcome.SOLVED else "; ".join(beyond)]
    return [first, "; ".join(filter(None, [_reached(motion, curves or DenseCurves(motion)), _residual(motion)]))]


def _aim(motion: Motion) -> str:
    """Duration and criterion."""
    aims, span = motion.task.minimise, f"{motion.duration:.4g} s"
    if not motion.ok and motion.outcome is not MotionOutcome.SOLVED:
        return f"{span}, not solved"
    if motion.tracked is not None:
        return f"{span}, {motion.tracked.frame} follows a path, off by at most {motion.tracked.off()} as planned"
    if set(aims) == {"time"}:
        return f"{span} minimum time"
    if INFORMATION in aims:
        return f"{span}, most information about its parameters (log det {-motion.cost:.4g})"
    if len(aims) == 1 and next(iter(aims)) in AIMS:
        (word,), (weight,) = aims, aims.values()
        unit = CRITERIA[word].unit.replace("^2", "²")
        value = f"{motion.cost:.4g} {unit}" if weight == 1 else f"cost {motion.cost:.4g}"
        return f"{span}, least {AIMS[word]} ({value})"
    names = " and ".join(AIMS.get(word, "own criterion") for word in aims)
    return f"{span}, least weighted {names} (cost {motion.cost:.4g})"


def _reached(motion: Motion, curves: DenseCurves) -> str:
    """Return the limits that are reached, and by which joints."""
    found = {QUANTITIES[word]: curves.reaching(word) for word in ("tau", "qd", "qdd", "q")}
    parts = []
    for quantity, names in found.items():
        if names:
            more = len(names) - NAMED
            listed = ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
            parts.append(f"{quantity} limit reached by {listed}")
    others = [peak for peak in motion.report.peaks if peak.quantity not in QUANTITIES.values()]
    near = [peak for peak in others if peak.utilisation >= REACHED]
    parts += [
        f"{peak.joint} {'touches the margin of' if peak.quantity.startswith(DISTANCE) else 'reaches its limit of'} "
        f"{peak.quantity.removeprefix(DISTANCE).strip()}"
        for peak in near
    ]
    return "; ".join(parts)


def _residual(motion: Motion) -> str:
    """What the tip of a flexible arm does after the end, in simulation."""
    checks = motion.report.residual_checks
    return f"residual tip vibration {checks[-1].residual:.2g} m" if checks and motion.arm.flexible else ""


def limit_text(curves: DenseCurves, c: int) -> str:
    """Return the torque limits of a coordinate as text."""
    low, high = curves.limits("tau", c)
    unit = units(curves.arm, "tau")[c]
    return f"\u00b1{high:.3g} {unit}" if low == -high else f"{low:.3g} to {high:.3g} {unit}"
