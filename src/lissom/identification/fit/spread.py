"""Standard deviations that hold for coloured residuals.

Residuals of a log resemble each other over tenths of a second, so the formula for white noise gives standard deviations
that are several times too small. Here the spectrum S_j of each joint's residuals stands in its place:
C = H (sum_j sum_f S_j(f) b_j(f) b_j(f)^*) H with H = (A^T A)^-1 and the transforms b_j(f) of the weighted columns.
As Huber's estimate asks for, rows of outliers are left out of H, and the spectrum is that of residuals cut off there.

A fit takes most from the residuals at the low frequencies of the motion, where its columns are. There the part that is
left, 1 - b^* H b / nt on average, is small, and the spectrum is raised by it.

Residuals are no stationary noise where a model errs. Sums over blocks of time need no such assumption: where they vary
more than the spectrum says, they count.
"""

from __future__ import annotations

import numpy as np

from lissom.identification.fit.equations import Equations
from lissom.spatial.rotations import Array

UNCORRELATED = 0.05  # correlation at which the memory of the residuals ends
LEAST_LEFT = 0.25  # of the residuals at a frequency; below, the spectrum is not raised further


def covariance(equations: list[Equations], residuals: list[Array], weights: list[Array], silent: Array) -> Array:
    """Covariance (p, p) of a least-squares solution; infinite on the diagonal of what the rows say nothing about."""
    whole = np.max([w.max(axis=0) for w in weights], axis=0)  # weights (n,) of rows that are no outliers
    scores = [r * w**2 / whole for r, w in zip(residuals, weights, strict=True)]
    normal = np.sum([_normal(one, w, whole) for one, w in zip(equations, weights, strict=True)], axis=0)
    size = np.sqrt(np.where(np.diag(normal) > 0.0, np.diag(normal), 1.0))
    H = np.linalg.pinv(normal / np.outer(size, size), rcond=1e-14, hermitian=True) / np.outer(size, size)
    middle = np.zeros_like(H)
    for j in range(len(whole)):
        columns = [one.A[:, j] * whole[j] for one in equations]
        correlation = _correlation([score[:, j] for score in scores], columns, H)
        middle += np.sum([_spectral_sum(B, correlation) for B in columns], axis=0)
    C = _raised(H @ middle @ H, H, equations, [r * w**2 for r, w in zip(residuals, weights, strict=True)])
    unknown = (np.abs(silent) * size[:, None]).max(axis=1, initial=0.0) > 1e-6
    C[unknown, unknown] = np.inf
    return np.asarray(C)


def _raised(C: Array, H: Array, equations: list[Equations], pulls: list[Array]) -> Array:
    """C, larger where residuals are large at just those times at which a parameter acts, as friction does when a joint
    turns back: then the sums of `pulls` (nt, n) times columns over blocks of time vary more than their spectra say."""
    total = np.zeros(len(H))
    for one, pull in zip(equations, pulls, strict=True):
        sums = np.einsum("tjp,tj->tp", one.A, pull) @ H
        length = max(int(np.sqrt(len(sums))), 1)
        count = max(len(sums) // length, 1)
        total += (np.add.reduceat(sums, np.arange(count) * length, axis=0) ** 2).sum(axis=0)
    factor = np.sqrt(np.maximum(total / np.maximum(np.diag(C), 1e-300), 1.0))
    return np.asarray(C * np.outer(factor, factor))


def _normal(one: Equations, weights: Array, whole: Array) -> Array:
    """A^T A (p, p) of the rows of a log that are no outliers; those pull with constant force."""
    A = (one.A * np.where(weights < (1.0 - 1e-9) * whole, 0.0, whole)[..., None]).reshape(-1, one.A.shape[-1])
    return np.asarray(A.T @ A)


def _correlation(errors: list[Array], columns: list[Array], H: Array) -> Array:
    """Autocovariance (lags,) of a joint's weighted residuals, up to twice the lag at which they are uncorrelated.

    From there it declines to zero linearly (a flat-top window), so that its spectrum is smooth.
    """
    lags = min(len(e) for e in errors)
    total = np.zeros(lags)
    for e, B in zip(errors, columns, strict=True):
        b = np.fft.rfft(B, 2 * len(B), axis=0)
        left = 1.0 - np.einsum("fp,fp->f", b.conj(), b @ H).real / len(B)
        power = np.abs(np.fft.rfft(e, 2 * len(e))) ** 2 / np.maximum(left, LEAST_LEFT)
        total += np.fft.irfft(power)[:lags]
    total /= sum(len(e) for e in errors)
    if total[0] == 0.0:
        return total[:1]
    below = np.flatnonzero(total < UNCORRELATED * total[0])
    m = max(int(below[0]) if len(below) else lags // 2, 1)
    taper = np.clip(2.0 - np.arange(min(2 * m + 1, lags)) / m, 0.0, 1.0)
    return np.asarray(total[: len(taper)] * taper)


def _spectral_sum(B: Array, correlation: Array) -> Array:
    """sum_f S(f) b(f) b(f)^* of columns B (nt, p)."""
    length = 2 * max(len(B), len(correlation))
    full = np.zeros(length)
    full[: len(correlation)] = correlation
    full[length - len(correlation) + 1 :] = correlation[:0:-1]
    S = np.maximum(np.fft.rfft(full).real, 0.0)
    S[1 : (length + 1) // 2] *= 2.0  # the other half of the spectrum is its conjugate
    b = np.fft.rfft(B, length, axis=0) * np.sqrt(S / length)[:, None]
    return np.asarray((b.conj().T @ b).real)


def memory(errors: list[Array]) -> float:
    """Samples per independent one of residuals (nt,) of logs, from correlations until they vanish."""
    lags = min(len(e) for e in errors)
    total = np.sum([np.fft.irfft(np.abs(np.fft.rfft(e, 2 * len(e))) ** 2)[:lags] for e in errors], axis=0)
    below = np.flatnonzero(total < UNCORRELATED * total[0])
    end = int(below[0]) if len(below) else lags
    return float(1.0 + 2.0 * total[1:end].sum() / total[0]) if total[0] > 0.0 else 1.0
