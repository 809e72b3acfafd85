"""Filters without delay, and derivatives of sampled signals."""

from __future__ import annotations

import numpy as np

from lissom.spatial.rotations import Array

ORDER = 4  # of the Butterworth filter, which runs forwards and backwards
EXCITED = 0.98  # of the power of the rates lies below the highest excited frequency
MARGIN = 5.0  # the cut-off is that many times the highest excited frequency
LOWEST = 4.0  # Hz
NOISE = 8.0  # times its density, the largest of thousands of values of noise
NYQUIST = 0.8  # of half the sampling rate is the highest cut-off


def low_pass(x: Array, cutoff_hz: float, rate: float) -> Array:
    """Signals (nt, ...) through a Butterworth filter that runs forwards and backwards, and so delays nothing."""
    from scipy.signal import butter, sosfiltfilt

    if cutoff_hz >= NYQUIST * rate / 2:
        return x
    sections = butter(ORDER, cutoff_hz, fs=rate, output="sos")
    pad = min(len(x) - 1, round(3 * rate / cutoff_hz))
    return np.asarray(sosfiltfilt(sections, x, axis=0, padlen=pad))


def slope(x: Array, rate: float) -> Array:
    """Time derivative of samples (nt, ...), that of a quintic spline through them."""
    from scipy.interpolate import make_interp_spline

    t = np.arange(len(x)) / rate
    return np.asarray(make_interp_spline(t, x, k=5).derivative()(t))


def shifted(x: Array, rate: float, delays: Array) -> Array:
    """Channels (nt, n, ...) read later by `delays` (n,) [s]: what came late is where it belongs."""
    if not delays.any():
        return x
    from scipy.interpolate import make_interp_spline

    t = np.arange(len(x)) / rate
    columns = [make_interp_spline(t, x[:, k], k=3)(np.clip(t + delay, 0.0, t[-1])) for k, delay in enumerate(delays)]
    return np.stack(columns, axis=1)


def suggested_cutoff(q: Array, rate: float) -> float:
    """A cut-off [Hz] for a motion q (nt, joints): five times its highest excited frequency."""
    qd = slope(q, rate)
    power = _without_noise(np.abs(np.fft.rfft(qd * np.hanning(len(qd))[:, None], axis=0)) ** 2)
    totals = power.sum(axis=0)
    if not totals.any():
        return LOWEST
    share = (power[:, totals > 0] / totals[totals > 0]).sum(axis=1).cumsum()
    highest = float(np.searchsorted(share, EXCITED * share[-1]) * rate / len(qd))
    return float(min(max(MARGIN * highest, LOWEST), NYQUIST * rate / 2))


def _without_noise(power: Array) -> Array:
    """Power (nf, joints) of rates without that of noise and steps of encoders, which is white in the positions.

    Its density grows with the squared frequency; the upper half of the frequencies, where no arm moves, shows its size.
    """
    squares = np.arange(len(power))[:, None] ** 2.0
    upper = slice(len(power) // 2, len(power) * 4 // 5)
    density = np.median(power[upper] / squares[upper], axis=0) / np.log(2.0)  # of a mean whose values are exponential
    return np.asarray(np.maximum(power - NOISE * density * squares, 0.0))
