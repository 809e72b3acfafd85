"""Free decay: frequencies and damping ratios from the record of a vibration that is left alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.identification.vibration.decay_checks import (
    checked,
    growing,
    left_over,
    refuse_no_vibration,
    refuse_silent,
)
from lissom.identification.vibration.decay_fit import Decay
from lissom.identification.vibration.measured_modes import MeasuredModes
from lissom.keywords import check_keywords, without_unknown
from lissom.listing import Listing
from lissom.markup import Markup, paragraphs
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False, repr=False)
class FreeDecay:
    """Natural frequencies and damping ratios from a free vibration.

    Attributes
    ----------
    t : (nt,)                     times [s]
    measured, fitted : (nt, channels)
    frequencies_hz : (modes,)     natural frequencies, undamped
    damping : (modes,)            damping ratios
    std_hz, std_damping : (modes,)  standard deviations, for residuals that may be correlated in time
    amplitudes : (modes, channels)  at the first time, in the units of the record
    covariance : (2 modes, 2 modes)  of the frequencies, then of the damping ratios
    notes : sequence of str       what to know about this result
    """

    t: Array
    measured: Array
    fitted: Array
    frequencies_hz: Array
    damping: Array
    std_hz: Array
    std_damping: Array
    amplitudes: Array
    covariance: Array
    notes: tuple[str, ...] = ()

    @property
    def residuals(self) -> Array:
        """(nt, channels) measured less fitted."""
        return self.measured - self.fitted

    def at(self, q: ArrayLike | None = None, **more: Any) -> MeasuredModes:
        """The measured modes of an arm at a pose, for `identify_modes`; keywords are those of `MeasuredModes`."""
        return MeasuredModes(
            q, self.frequencies_hz, self.damping, std_hz=self.std_hz, std_damping=self.std_damping, **more
        )

    def listing(self) -> Listing:
        """Return a table with frequency, damping and amplitude of every mode."""
        rows = [
            (str(k + 1), f"{f:.5g}", f"{s:.2g}", f"{100 * d:.4g} %", f"{100 * e:.2g} %", f"{a:.3g}")
            for k, (f, s, d, e, a) in enumerate(
                zip(self.frequencies_hz, self.std_hz, self.damping, self.std_damping, self._largest(), strict=True)
            )
        ]
        return Listing.of(("mode", "frequency Hz", "std", "damping", "std of damping", "amplitude"), rows)

    def _largest(self) -> Array:
        return np.asarray(np.abs(self.amplitudes).max(axis=1))

    def describe(self) -> str:
        """Return frequencies and damping ratios as text."""
        return "\n".join([repr(self).strip("<>"), *self.listing().lines(), *(f"note: {note}" for note in self.notes)])

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> Markup:
        return Markup(repr(self).strip("<>") + self.listing().html() + paragraphs(self.notes))

    def __repr__(self) -> str:
        found = ", ".join(f"{f:.4g}" for f in self.frequencies_hz)
        share = 100 * np.linalg.norm(self.residuals) / np.linalg.norm(self.measured - self.measured.mean(0))
        return f"<FreeDecay: {len(self.t)} samples, modes at {found} Hz, residual {share:.2g} %>"


@without_unknown
def free_decay(t: ArrayLike, y: ArrayLike, modes: int = 1, **unknown: Never) -> FreeDecay:
    """Find natural frequencies and damping ratios in the record of a free vibration.

    Cut the record to where nothing drives the arm: after a motion has ended, or after a tap. Any signal serves that is
    proportional to deflection: strain, a tip position, an acceleration, the torque of a joint that is held.

    Parameters
    ----------
    t : (nt,)                        times [s], equally spaced
    y : (nt,) or (nt, channels)      the signals; a constant offset of each is found too
    modes : int                      how many vibrations the record has

    Returns
    -------
    FreeDecay
        lowest frequency first

    Examples
    --------
    >>> import lissom as ls, numpy as np
    >>> t = np.arange(0.0, 6.0, 0.01)
    >>> y = np.exp(-0.1 * t) * np.sin(2 * np.pi * 1.5 * t) + 0.01 * np.random.default_rng(0).normal(size=t.size)
    >>> found = ls.free_decay(t, y)
    >>> bool(abs(found.frequencies_hz[0] - 1.5) < 0.002), bool(abs(found.damping[0] - 0.0106) < 0.001)
    (True, True)
    """
    check_keywords(free_decay, unknown)
    times, signals = checked(t, y, modes)
    scale = np.maximum(np.ptp(signals, axis=0), 1e-300)
    fit = Decay(times - times[0], signals / scale, modes)
    rates, spread = fit.run(fit.first_rates())
    return _result(times, signals, scale, fit, rates, spread)


def _result(t: Array, y: Array, scale: Array, fit: Decay, rates: Array, spread: Array) -> FreeDecay:
    modes = fit.modes
    order = np.argsort(np.hypot(rates[:modes], rates[modes:]))
    decay, turning = rates[:modes][order], rates[modes:][order]
    natural = np.hypot(decay, turning)
    # frequencies and damping ratios by the rates, in the order of the modes
    own = np.zeros((2 * modes, 2 * modes))
    for row, k in enumerate(order):
        d, w, n = decay[row], turning[row], natural[row]
        own[row, [k, modes + k]] = np.array([d, w]) / n / (2 * np.pi)
        own[modes + row, [k, modes + k]] = np.array([w * w, -d * w]) / n**3
    covariance = own @ spread @ own.T
    std = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    linear = fit.linear(rates)
    sizes = np.hypot(linear[:modes], linear[modes : 2 * modes])[order] * scale
    fitted = fit.basis(rates) @ linear * scale
    refuse_silent(sizes / scale, fit, rates, natural)
    refuse_no_vibration(decay / natural, natural, t)
    left = (*left_over(t, (y - fitted) / scale), *growing(decay / natural, std[modes:], natural))
    return FreeDecay(
        t, y, fitted, natural / (2 * np.pi), decay / natural, std[:modes], std[modes:], sizes, covariance, left
    )  # fmt: skip
