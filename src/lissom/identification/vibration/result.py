"""What `identify_modes` returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.identification.parameters import Numbers
from lissom.identification.result.table import ParameterTable
from lissom.identification.vibration.eigenvalues import Eigenvalues
from lissom.identification.vibration.measured_modes import MeasuredModes, as_measured
from lissom.listing import Listing
from lissom.markup import Markup, paragraphs
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False, repr=False)
class ModalIdentification:
    """An arm whose stiffness and damping come from measured modes.

    Attributes
    ----------
    arm : Arm                     with the parameters found
    given : Arm                   the arm before
    table : ParameterTable        value, standard deviation, prior, and whether a parameter is identifiable
    measured : tuple of MeasuredModes
    frequencies_hz, damping : sequences of (modes,)   of the arm found, for every measurement
    frequencies_before_hz, damping_before : the same of the arm before
    notes : sequence of str       what to know about this result
    """

    arm: Arm
    given: Arm
    table: ParameterTable
    measured: tuple[MeasuredModes, ...]
    frequencies_hz: tuple[Array, ...]
    damping: tuple[Array, ...]
    frequencies_before_hz: tuple[Array, ...]
    damping_before: tuple[Array, ...]
    notes: tuple[str, ...] = ()

    @property
    def residuals(self) -> Array:
        """Relative errors of all frequencies, those of the first measurement first: measured over predicted, less 1."""
        pairs = zip(self.measured, self.frequencies_hz, strict=True)
        return np.concatenate([one.frequencies_hz / f - 1 for one, f in pairs])

    def check(self, *measured: MeasuredModes) -> Array:
        """Relative errors of the frequencies of measurements that were not used: measured over predicted, less 1."""
        numbers = Numbers(self.arm, self.table.names, "check")
        found = Eigenvalues(numbers, as_measured(measured)).at(np.zeros(len(numbers)))
        pairs = zip(measured, found, strict=True)
        return np.concatenate([one.frequencies_hz / there.frequencies_hz - 1 for one, there in pairs])

    def listing(self) -> Listing:
        """Return a table with the modes of every measurement: measured, before and now."""
        heads = ("measurement", "mode", "measured Hz", "before", "now", "damping", "damping before", "damping now")
        rows = []
        for i, one in enumerate(self.measured):
            for k, order in enumerate(one.order):
                ratio = np.nan if one.damping is None else one.damping[k]
                before, now = self.damping_before[i][k], self.damping[i][k]
                shares = [f"{100 * round(x, 9) + 0.0:.3g} %" if np.isfinite(x) else "-" for x in (ratio, before, now)]
                numbers = (one.frequencies_hz[k], self.frequencies_before_hz[i][k], self.frequencies_hz[i][k])
                rows.append([str(i + 1), str(order), *(f"{x:.5g}" for x in numbers), *shares])
        return Listing.of(heads, rows).telling()

    def describe(self) -> str:
        """Return parameters, modes and notes as text."""
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([repr(self).strip("<>"), str(self.table), "", *self.listing().lines(), *notes])

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> Markup:
        return Markup(
            repr(self).strip("<>") + self.table.listing().html() + self.listing().html() + paragraphs(self.notes)
        )

    def __repr__(self) -> str:
        worst = 100 * float(np.abs(self.residuals).max())
        found = f"{int(self.table.identifiable.sum())} of {len(self.table)} parameters identifiable"
        return f"<ModalIdentification of {self.arm.name}: {found}, largest error of a frequency {worst:.2g} %>"
