"""What a motion says about the parameters of its arm, if it is used to identify them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.listing import Listing

SHOWN = 12  # parameters in a summary


@dataclass(frozen=True)
class Information:
    """The information in a motion about base parameters, from `excite`.

    A base parameter is a combination of inertial parameters that torques depend on, such as
    ``arm.mcz + 0.6 (forearm.m + hand.m)``; see `inertial_parameters` for units. The standard deviations are those of
    weighted least squares with independent errors of all samples. Errors of real logs are not independent: theirs are
    larger by the square root of the number of samples over which errors persist.

    Attributes
    ----------
    parameters : (p,) of str       names of the base parameters that count, `armature` is the inertia of a drive
    values : (p,) of float         of the arm of the motion
    std : (p,) of float            standard deviation of each when it is estimated from the torques of the motion
    random_std : (p,) of float     the same, median of random motions within the same limits
    log_det : float                logarithm of the determinant of the information matrix, which is maximised
    condition : float              condition number of the regressor of these parameters, rows divided by the noise
    random_condition : float       the same, median of random motions
    noise : (dof,) of float or None    standard deviation of torques [N m or N]; None: not measured
    rate_hz : float                samples per second
    random_motions : int           how many random motions there were
    also_estimated : tuple of str  parameters that are estimated too, but do not count
    assumptions : tuple of str     defaults for limits and noise that were not given, as sentences
    """

    parameters: tuple[str, ...]
    values: tuple[float, ...]
    std: tuple[float, ...]
    random_std: tuple[float, ...]
    log_det: float
    condition: float
    random_condition: float
    noise: tuple[float | None, ...]
    rate_hz: float
    random_motions: int
    also_estimated: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()

    @property
    def gain(self) -> float:
        """How many times smaller the standard deviations are than those of the median random motion, geometric mean."""
        return float(np.exp(np.mean(np.log(np.array(self.random_std) / np.array(self.std)))))

    @property
    def short_names(self) -> tuple[str, ...]:
        """Names of the parameters without what is combined with them, such as ``arm.mcz + 2 more``."""
        out = []
        for name in self.parameters:
            first, *others = name.split(" ")
            count = sum(word.strip("(")[:1].isalpha() for word in others)
            out.append(f"{first} + {count} more" if count else first)
        return tuple(out)

    def describe(self, count: int = SHOWN) -> str:
        """Return a summary: the gain, and the parameters that are known least, relative to their values."""
        lines = [
            f"{len(self.parameters)} base parameters, log det {self.log_det:.5g}, condition number {self.condition:.4g}"
            f" (median of {self.random_motions} random motions: {self.random_condition:.4g})",
            f"standard deviations {self.gain:.3g} times smaller than those of the median random motion, with "
            f"{self.rate_hz:g} independent samples per second",
            *self.listing(count).lines(),
        ]
        return "\n".join(lines)

    def listing(self, count: int | None = None) -> Listing:
        """Return a table of parameters, those that are known least first."""
        with np.errstate(divide="ignore"):
            relative = np.array(self.std) / np.abs(self.values)
        rows = [
            [self.short_names[k], f"{self.values[k]:.4g}", f"{self.std[k]:.2g}", f"{self.random_std[k]:.2g}"]
            for k in np.argsort(-relative, kind="stable")[:count]
        ]
        return Listing.of(["base parameter", "value", "std", "std of random motions"], rows)

    def __str__(self) -> str:
        return self.describe()
