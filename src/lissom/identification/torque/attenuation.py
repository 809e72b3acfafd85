"""Whether logged torques miss what is fast in them, as those behind a filter of their own do."""

from __future__ import annotations

import numpy as np

from lissom.identification.result.check import TorqueFit
from lissom.spatial.rotations import Array

FAST = (0.4, 0.9)  # of the cut-off: the frequencies that are compared
WEAK = 0.9  # of the predicted torques at these frequencies
SEGMENTS = 8
FEWEST = 16  # samples of a segment


def attenuation(fits: tuple[TorqueFit, ...], cutoff_hz: float) -> str | None:
    """A sentence about measured torques that are weaker at high frequencies than predicted ones; None where not."""
    parts = [_powers(fit, cutoff_hz) for fit in fits if len(fit.t) >= SEGMENTS * FEWEST]
    if not parts:
        return None
    together, alone = np.sum(parts, axis=0)
    ratio = together / max(alone, 1e-300)
    if not 0.0 < ratio < WEAK:
        return None
    lowest = FAST[0] * cutoff_hz
    return (
        f"measured torques above {lowest:.2g} Hz are {100 * ratio:.0f} % of those predicted: they seem to be filtered "
        "already, and errors of friction and inertia may exceed their standard deviations. Log them unfiltered, or "
        f"give cutoff_hz={lowest:.2g} or less."
    )


def _powers(fit: TorqueFit, cutoff_hz: float) -> tuple[float, float]:
    """Power that measured and predicted torques have in common, and that of the predicted ones, at high frequencies."""
    from scipy.signal import csd, welch

    rate, count = (len(fit.t) - 1) / (fit.t[-1] - fit.t[0]), len(fit.t) // SEGMENTS
    size = fit.measured.std(axis=0)
    some = size > 0.0
    measured, predicted = (x[:, some] / size[some] for x in (fit.measured, fit.predicted))
    f, both = csd(predicted, measured, rate, nperseg=count, axis=0)
    alone: Array = welch(predicted, rate, nperseg=count, axis=0)[1]
    fast = (f > FAST[0] * cutoff_hz) & (f < FAST[1] * cutoff_hz)
    return float(both[fast].real.sum()), float(alone[fast].sum())
