"""A linear model with names: continuous or sampled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import InputError, SolveError, UnsupportedError, install_extra, shown
from lissom.kernels.arguments import as_numbers
from lissom.spatial.rotations import Array

STABLE = 1e-9  # real parts (or radii beyond 1) up to this count as on the boundary


@dataclass(frozen=True, eq=False)
class StateSpace:
    """``dx/dt = A x + B u``, ``y = C x + D u``, deviations from an operating point; ``x[k+1] = ...`` when sampled.

    Attributes
    ----------
    A, B, C, D : (n, n), (n, m), (p, n), (p, m)
    states, inputs, outputs : names
    q, qd, tau : (dof,)      the operating point
    drift : (n,)             dx/dt at the operating point itself: zero at an equilibrium
    dt : float or None       sampling time [s], None for continuous time
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    q: Array
    qd: Array
    tau: Array
    drift: Array
    dt: float | None = None

    @property
    def poles(self) -> NDArray[np.complex128]:
        """Eigenvalues of A, slowest first [1/s; dimensionless when sampled]."""
        found = np.linalg.eigvals(self.A).astype(complex)
        size = -found.real if self.dt is None else -np.log(np.maximum(np.abs(found), 1e-300))
        return found[np.argsort(size, kind="stable")]

    @property
    def stable(self) -> bool:
        """Every pole is left of the imaginary axis (inside the unit circle when sampled)."""
        poles = self.poles
        return bool((poles.real < -STABLE).all() if self.dt is None else (np.abs(poles) < 1 - STABLE).all())

    def discrete(self, dt: float) -> StateSpace:
        """The same plant sampled every `dt` seconds, inputs held in between.

        Examples
        --------
        >>> import lissom as ls
        >>> plant = ls.linearise(ls.load("two_link"), [0.0, 0.0]).discrete(0.01)
        >>> plant.dt, plant.A.shape
        (0.01, (4, 4))
        """
        from scipy.linalg import expm

        if self.dt is not None:
            raise InputError(f"discrete: the plant is sampled already, every {self.dt:g} s.")
        if not isinstance(dt, int | float | np.floating) or isinstance(dt, bool) or not 0 < dt < np.inf:
            raise InputError(f"discrete: dt is {shown(dt)}; expected seconds, above 0.")
        n, m = self.B.shape
        block = np.zeros((n + m + 1, n + m + 1))
        block[:n, :n], block[:n, n : n + m], block[:n, -1] = self.A * dt, self.B * dt, self.drift * dt
        stepped = expm(block)
        return replace(self, A=stepped[:n, :n], B=stepped[:n, n : n + m], drift=stepped[:n, -1], dt=float(dt))

    def frequency_response(self, omega: ArrayLike) -> NDArray[np.complex128]:
        """``C (s 1 - A)^-1 B + D`` on the imaginary axis.

        Parameters
        ----------
        omega : (...)            angular frequencies [rad/s]

        Returns
        -------
        (..., p, m)              complex
        """
        w = as_numbers(omega, "omega", "frequency_response")
        s = 1j * w if self.dt is None else np.exp(1j * w * self.dt)
        pencil = s[..., None, None] * np.eye(len(self.A)) - self.A
        try:
            return np.asarray(
                self.C @ np.linalg.solve(pencil, np.broadcast_to(self.B, (*w.shape, *self.B.shape))) + self.D
            )
        except np.linalg.LinAlgError:
            raise SolveError("frequency_response: a frequency is a pole of the plant; leave it out.") from None

    def lqr(self, Q: ArrayLike, R: ArrayLike) -> Array:
        """Gain K of ``u = -K x`` that minimises the integral (or sum) of ``x Q x + u R u``.

        Parameters
        ----------
        Q : (n, n) or (n,)       weights of the states, a vector is a diagonal; positive semidefinite
        R : (m, m) or (m,)       weights of the inputs; positive definite

        Returns
        -------
        K : (m, n)

        Examples
        --------
        >>> import lissom as ls
        >>> plant = ls.linearise(ls.load("two_link"), [0.0, 0.0])
        >>> K = plant.lqr([100, 100, 1, 1], [1, 1])
        >>> plant.closed(K).stable
        True
        """
        from scipy.linalg import solve_continuous_are, solve_discrete_are

        n, m = self.B.shape
        weights = [_weight(Q, n, "Q"), _weight(R, m, "R")]
        try:
            if self.dt is None:
                P = solve_continuous_are(self.A, self.B, *weights)
                return np.asarray(np.linalg.solve(weights[1], self.B.T @ P))
            P = solve_discrete_are(self.A, self.B, *weights)
            return np.asarray(np.linalg.solve(weights[1] + self.B.T @ P @ self.B, self.B.T @ P @ self.A))
        except (np.linalg.LinAlgError, ValueError) as error:
            raise SolveError(
                f"lqr: no stabilising gain ({error}). Check that R is positive definite and that every unstable motion "
                "can be reached by an actuated joint."
            ) from None

    def closed(self, K: ArrayLike) -> StateSpace:
        """The closed loop of the plant under ``u = -K x``."""
        gain = as_numbers(K, "K", "closed")
        if gain.shape != self.B.T.shape:
            raise InputError(f"closed: K has shape {gain.shape}; expected {self.B.T.shape} (inputs, states).")
        return replace(self, A=self.A - self.B @ gain, C=self.C - self.D @ gain)

    def to_control(self) -> Any:
        """A `control.StateSpace` of python-control (extra ``control``); dots in names become underscores."""
        try:
            import control
        except ImportError:
            raise UnsupportedError(f"to_control needs python-control: {install_extra('control')}.") from None
        signals = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        names = {kind: [word.replace(".", "_") for word in words] for kind, words in signals.items()}
        return control.ss(self.A, self.B, self.C, self.D, 0 if self.dt is None else self.dt, **names)


def _weight(value: ArrayLike, n: int, word: str) -> Array:
    matrix = as_numbers(value, word, "lqr")
    matrix = np.diag(matrix) if matrix.ndim == 1 else matrix
    if matrix.shape != (n, n) or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        got = f"has shape {np.shape(value)}" if matrix.shape != (n, n) else "is not symmetric"
        raise InputError(f"lqr: {word} {got}; expected {n} weights or a symmetric ({n}, {n}) matrix.")
    return matrix
