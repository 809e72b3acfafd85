"""Measured and predicted torques on a log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.listing import Listing
from lissom.markup import Markup
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False, repr=False)
class TorqueFit:
    """Torques of one log: measured, of the identified model, and of the arm before.

    Torques are filtered, without their delays, and without the ends of the log that the filter spoils.

    Parameters
    ----------
    joints : sequence of str
    units : sequence of str     of the torques
    t : (nt,)                   times [s]
    measured, predicted, before : (nt, joints)   torques [N m or N]; `before` those of the given arm
    source : str                the log
    quantity : str              what is compared
    """

    joints: tuple[str, ...]
    units: tuple[str, ...]
    t: Array
    measured: Array
    predicted: Array
    before: Array
    source: str = ""
    quantity: str = "torque"

    @property
    def residuals(self) -> Array:
        """(nt, joints) measured less predicted torques."""
        return self.measured - self.predicted

    @property
    def rmse(self) -> Array:
        """(joints,) root mean square of the residuals [N m or N]."""
        return _rms(self.residuals)

    @property
    def rmse_before(self) -> Array:
        """(joints,) the same of the arm before."""
        return _rms(self.measured - self.before)

    @property
    def relative(self) -> Array:
        """(joints,) norm of the residuals over that of the torques."""
        size = _rms(self.measured)
        return self.rmse / np.where(size > 0.0, size, 1.0)

    @property
    def ok(self) -> bool:
        """Whether no joint is predicted worse than by the arm before."""
        return bool((self.rmse <= self.rmse_before).all())

    def listing(self) -> Listing:
        """Return a table with the errors of every joint."""
        heads = ("joint", f"{self.quantity} (rms)", "error before", "error now", "relative", "unit")
        numbers = zip(_rms(self.measured), self.rmse_before, self.rmse, strict=True)
        shown = ([f"{x:.4g}" for x in row] for row in numbers)
        relative = (f"{100 * x:.1f} %" for x in self.relative)
        rows = zip(self.joints, shown, relative, self.units, strict=True)
        return Listing.of(heads, ((name, *cells, share, unit) for name, cells, share, unit in rows))

    def describe(self) -> str:
        """Return the errors of every joint as text."""
        return "\n".join(self.listing().lines())

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> Markup:
        return self.listing().html()

    def __repr__(self) -> str:
        worst = 100 * float(self.relative.max())
        return f"<TorqueFit: {len(self.t)} samples, {len(self.joints)} joints, largest relative error {worst:.3g} %>"


def _rms(x: Array) -> Array:
    return np.asarray(np.sqrt(np.mean(x**2, axis=0)))
