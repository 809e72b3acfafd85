"""How long residuals remember: the factor by which variances of a fit exceed those of white noise."""

from __future__ import annotations

import numpy as np

from lissom.spatial.rotations import Array

UNCORRELATED = 0.05  # correlation at which the memory ends


def memory(residuals: Array) -> Array:
    """Sums (channels,) of the correlations in time of residuals (nt, records, channels); 1 for white noise."""
    n = len(residuals)
    e = residuals - residuals.mean(axis=(0, 1))
    lags = np.fft.irfft((np.abs(np.fft.rfft(e, 2 * n, axis=0)) ** 2).sum(axis=1), axis=0)[:n]
    lags = lags / np.maximum(lags[0], 1e-300)
    ends = [int(np.argmax(column < UNCORRELATED)) or n for column in lags.T]
    return np.maximum([1 + 2 * column[1:end].sum() for column, end in zip(lags.T, ends, strict=True)], 1.0)
