"""Least squares of decaying vibrations.

    y(t) = sum_k exp(-d_k t) (a_k cos w_k t + b_k sin w_k t) + y0

The rates d_k, w_k are found by nonlinear least squares, everything that is linear by projection (Golub and Pereyra
1973). The start comes from a matrix pencil (Hua and Sarkar 1990), which needs no guess.
"""

from __future__ import annotations

import numpy as np

from lissom.errors import SolveError
from lissom.identification.correlation import memory
from lissom.spatial.rotations import Array

PENCIL = 300  # rows of the matrix pencil, at most
BAND = 0.999  # of the power lies below the band edge, by which the record is thinned out for the pencil


class Decay:
    """Least squares of decaying vibrations for signals (nt, channels) of unit range, t from 0."""

    def __init__(self, t: Array, y: Array, modes: int):
        self.t, self.y, self.modes = t, y, modes

    def basis(self, rates: Array) -> Array:
        """(nt, 2 modes + 1) cosines, sines, and a constant."""
        d, w = rates[: self.modes], rates[self.modes :]
        envelope = np.exp(-np.outer(self.t, d))
        turn = np.outer(self.t, w)
        return np.hstack([envelope * np.cos(turn), envelope * np.sin(turn), np.ones((len(self.t), 1))])

    def linear(self, rates: Array) -> Array:
        """(2 modes + 1, channels) amplitudes."""
        return np.asarray(np.linalg.lstsq(self.basis(rates), self.y, rcond=None)[0])

    def _slopes(self, rates: Array, linear: Array) -> Array:
        """(nt, channels, 2 modes) derivatives of the fitted signals by the rates, amplitudes held."""
        n, B = self.modes, self.basis(rates)
        a, b = linear[:n], linear[n : 2 * n]
        own = B[:, :n, None] * a + B[:, n : 2 * n, None] * b  # (nt, modes, channels)
        crossed = B[:, :n, None] * b - B[:, n : 2 * n, None] * a
        return np.concatenate([-self.t[:, None, None] * own, self.t[:, None, None] * crossed], axis=1).swapaxes(1, 2)

    def run(self, rates: Array) -> tuple[Array, Array]:
        """The rates (2 modes,) of the least squares, and their covariance."""
        from scipy.optimize import least_squares

        def residuals(x: Array) -> Array:
            return np.asarray((self.basis(x) @ self.linear(x) - self.y).ravel())

        sizes = np.maximum(np.abs(rates), 1e-3 * np.abs(rates).max())
        found = least_squares(residuals, rates, self._projected, method="lm", x_scale=sizes, xtol=1e-13, ftol=1e-13)
        return found.x, self._covariance(found.x)

    def _projected(self, rates: Array) -> Array:
        """(nt channels, 2 modes) derivatives without what amplitudes could take up (Kaufman 1975)."""
        G = self._slopes(rates, self.linear(rates))
        Q = np.linalg.qr(self.basis(rates))[0]
        G = G - np.einsum("ti,sck,si->tck", Q, G, Q, optimize=True)
        return np.asarray(G.reshape(-1, G.shape[-1]))

    def _covariance(self, rates: Array) -> Array:
        """Covariance of the rates; the noise of a channel may be correlated in time."""
        G = self._projected(rates).reshape(*self.y.shape, -1)
        e = self.y - self.basis(rates) @ self.linear(rates)
        room = max(e.size - len(rates) - (2 * self.modes + 1) * e.shape[1], 1) / e.size
        variance = (e**2).mean(axis=0) / room * memory(e[:, None])
        inverse = np.linalg.pinv(np.einsum("tci,tcj->ij", G, G))
        return np.asarray(inverse @ np.einsum("c,tci,tcj->ij", variance, G, G, optimize=True) @ inverse)

    def first_rates(self) -> Array:
        """Rates (2 modes,) by a matrix pencil on samples that are thinned out to those it needs."""
        spectrum = np.abs(np.fft.rfft(self.y - self.y.mean(0), axis=0)) ** 2
        h = self.t[1] - self.t[0]
        poles = self._poles(self._thinning(spectrum, h), h)
        return np.concatenate([-poles.real, np.abs(poles.imag)])

    def _thinning(self, spectrum: Array, h: float) -> int:
        """Every which sample is kept: enough for a band that has nearly all the power."""
        share = spectrum.sum(axis=1).cumsum()
        highest = max(int(np.searchsorted(share, BAND * share[-1])), 1) / (len(self.t) * h)
        return int(np.clip(1 / (6 * highest * h), 1, len(self.t) // 60 + 1))

    def _poles(self, step: int, h: float) -> Array:
        from scipy.signal import decimate

        y = self.y - self.y.mean(axis=0)
        while step > 1:
            part = min(step, 10)
            y, h, step = decimate(y, part, axis=0, ftype="fir"), h * part, step // part
        y = y[: 3 * PENCIL]
        length = min(len(y) // 3, PENCIL)
        H = np.vstack([np.lib.stride_tricks.sliding_window_view(y[:, c], length) for c in range(y.shape[1])])
        _, _, V = np.linalg.svd(H, full_matrices=False)
        order = min(2 * self.modes + 1, len(V))  # the offset, which the mean leaves in part, is one more
        basis = V[:order].T
        values = np.linalg.eigvals(np.linalg.lstsq(basis[:-1], basis[1:], rcond=None)[0])
        poles = np.log(values.astype(complex)) / h
        turning = sorted((p for p in poles if p.imag > 0), key=lambda p: p.real, reverse=True)
        if len(turning) < self.modes:
            raise SolveError(
                f"free_decay: the record shows {len(turning)} vibrations, not {self.modes}. Ask for fewer modes, or "
                "give a longer record."
            )
        return np.array(turning[: self.modes])
