"""What a record of a free vibration must be, and what to know about a fit of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lissom.arrays import as_floats
from lissom.errors import InputError, SolveError, shown
from lissom.identification.vibration.decay_fit import Decay
from lissom.spatial.rotations import Array

MOST_MODES = 8
CREEPS = 0.7  # damping ratio from which nothing vibrates
PEAK = 10.0  # times the median of the residual's spectrum: a vibration that was not fitted
CERTAIN = 3.0  # a mode whose amplitude is fewer standard deviations is not there


def refuse_no_vibration(damping: Array, natural: Array, t: Array) -> None:
    """Raise an error for a record that creeps and does not vibrate, or faster than it was sampled."""
    nyquist = np.pi / (t[1] - t[0])
    if (damping > CREEPS).any() or (natural > nyquist).any():
        raise SolveError(
            f"free_decay: the record does not show {len(natural)} vibrations: what was found creeps back, or is faster "
            "than the sampling. Ask for fewer modes, or cut the record to where it vibrates."
        )


def growing(damping: Array, std: Array, natural: Array) -> tuple[str, ...]:
    """A note for vibrations that grow."""
    some = np.flatnonzero(damping < -np.maximum(CERTAIN * std, 1e-9))
    if not len(some):
        return ()
    return (f"the vibration at {natural[some[0]] / (2 * np.pi):.3g} Hz grows: something drives it, so it is not free.",)


def left_over(t: Array, residuals: Array) -> tuple[str, ...]:
    """A note where what is left still vibrates."""
    size = np.linalg.norm(np.fft.rfft(residuals * np.hanning(len(t))[:, None], axis=0), axis=1)
    k = int(np.argmax(size))
    if size[k] < PEAK * np.median(size):
        return ()
    hz = k / (len(t) * (t[1] - t[0]))
    return (
        f"the residual still vibrates, at about {hz:.3g} Hz: ask for more modes, or cut the record to its free part.",
    )


def refuse_silent(sizes: Array, fit: Decay, rates: Array, natural: Array) -> None:
    """Raise an error for modes that are lost in the noise."""
    noise = np.sqrt(np.mean((fit.y - fit.basis(rates) @ fit.linear(rates)) ** 2, axis=0))
    certain = (sizes / np.maximum(noise, 1e-15) * np.sqrt(len(fit.t) / 2)).max(axis=1)
    if (certain < CERTAIN).any():
        k = int(np.argmin(certain))
        raise SolveError(
            f"free_decay: the record does not show {fit.modes} modes: that at {natural[k] / (2 * np.pi):.4g} Hz is "
            "lost in the noise. Ask for fewer modes."
        )


def checked(t: ArrayLike, y: ArrayLike, modes: int) -> tuple[Array, Array]:
    """Times (nt,) and signals (nt, channels)."""
    if isinstance(modes, bool) or not isinstance(modes, int) or not 1 <= modes <= MOST_MODES:
        raise InputError(f"free_decay: modes is {shown(modes)}; expected a whole number from 1 to {MOST_MODES}.")
    try:
        times, signals = as_floats(t), as_floats(y)
    except TypeError as error:
        raise InputError(f"free_decay: t and y must be arrays of {error}.") from None
    signals = signals[:, None] if signals.ndim == 1 else signals
    if times.ndim != 1 or signals.ndim != 2 or len(times) != len(signals):
        raise InputError(
            f"free_decay: t has shape {np.shape(t)}, y has {np.shape(y)}; expected (nt,) and (nt,) or (nt, channels)."
        )
    if not (np.isfinite(times).all() and np.isfinite(signals).all()):
        raise InputError("free_decay: t or y has values that are not finite; cut or repair the record.")
    if len(times) < 20 + 10 * modes:
        raise InputError(f"free_decay: {len(times)} samples are too few for {modes} modes; expected {20 + 10 * modes}.")
    steps = np.diff(times)
    if steps.min() <= 0 or np.ptp(steps) > 1e-3 * steps.mean():
        raise InputError("free_decay: times must increase by equal steps; resample the record (`Log` does).")
    if not np.ptp(signals, axis=0).all():
        raise InputError("free_decay: a signal is constant; give signals that vibrate.")
    return times, signals
