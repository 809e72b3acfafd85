"""A linear model with names: continuous or sampled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.control.estimation import kalman_gain, lqg_matrices, symmetric
from lissom.control.reachability import ModalReach, modal_reach
from lissom.control.zeros import invariant_zeros, phase_verdict, relative_degree
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
        noise = STABLE * np.abs(found).max(initial=1.0)  # what decays alike is sorted by frequency
        return found[np.lexsort((found.imag > 0, np.abs(found), (size / noise).round()))]

    @property
    def stable(self) -> bool:
        """Every pole is left of the imaginary axis (inside the unit circle when sampled)."""
        poles = self.poles
        return bool((poles.real < -STABLE).all() if self.dt is None else (np.abs(poles) < 1 - STABLE).all())

    @property
    def zeros(self) -> NDArray[np.complex128]:
        """Invariant zeros, smallest first [1/s; dimensionless when sampled]: what still moves while the outputs rest.

        The plant must have as many outputs as inputs.

        Examples
        --------
        >>> import lissom as ls
        >>> arm = ls.load("two_link_flexible")
        >>> locked = ls.modes(arm, [0.0, 0.5], count=2).frequencies_hz
        >>> zeros = ls.linearise(arm, [0.0, 0.5], output=ls.Encoder()).zeros  # of joint outputs: joints locked
        >>> (zeros.imag[zeros.imag > 0][:2] / 6.283185307179586 / locked).round(9)
        array([1., 1.])
        """
        return invariant_zeros(self)

    @property
    def minimum_phase(self) -> str:
        """ "yes", "marginal" (zeros on the boundary, as of undamped arms) or "no": whether the inverse is stable.

        Examples
        --------
        >>> import lissom as ls
        >>> arm = ls.load("two_link_flexible")
        >>> ls.linearise(arm, [0.0, 0.5], output=ls.Encoder()).minimum_phase
        'marginal'
        >>> ls.linearise(arm, [0.0, 0.5], output="link2.tip", rows="xy").minimum_phase
        'no'
        """
        return phase_verdict(self.zeros, self.dt)

    @property
    def relative_degree(self) -> tuple[int, ...] | None:
        """Number of times that each output is differentiated until an input acts on it.

        None if the inputs then act on the outputs by a singular matrix.
        """
        return relative_degree(self)

    @property
    def reachability(self) -> ModalReach:
        """How strongly the inputs act on each mode; ``.complete``, and ``.weakest`` as text."""
        return modal_reach(self)

    @property
    def observability(self) -> ModalReach:
        """How strongly each mode shows in the outputs; ``.complete``, and ``.weakest`` as text."""
        return modal_reach(self, outputs=True)

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
        weights = [symmetric(Q, n, "Q", "lqr", "weights"), symmetric(R, m, "R", "lqr", "weights")]
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

    def kalman(self, W: ArrayLike, V: ArrayLike) -> Array:
        """Gain L of the Kalman filter for noise of covariance W on the states and V on the outputs.

        Continuous: ``dx^/dt = A x^ + B u + L (y - C x^)``. Sampled: ``x^ += L (y - C x^)`` when y is measured, then
        ``x^ = A x^ + B u`` until the next sample.

        Parameters
        ----------
        W : (n, n) or (n,)       covariance of the noise on dx/dt (intensity) or x[k+1]; positive semidefinite
        V : (p, p) or (p,)       covariance of the noise on the outputs; positive definite

        Returns
        -------
        L : (n, p)

        Examples
        --------
        >>> import lissom as ls
        >>> plant = ls.linearise(ls.load("two_link"), [-1.2, 0.3], output=ls.Encoder()).discrete(0.005)
        >>> plant.kalman([0, 0, 1e-6, 1e-6], [1e-8, 1e-8]).shape
        (4, 2)
        """
        return kalman_gain(self, W, V)

    def lqg(self, Q: ArrayLike, R: ArrayLike, W: ArrayLike, V: ArrayLike) -> StateSpace:
        """The controller from outputs to inputs that joins `lqr` and `kalman`, as a linear system.

        Parameters
        ----------
        Q, R : weights of states and inputs, as of `lqr`
        W, V : covariances of the noise, as of `kalman`

        Returns
        -------
        StateSpace
            states: the estimates; inputs: the outputs of this plant; outputs: its inputs

        Examples
        --------
        >>> import lissom as ls
        >>> plant = ls.linearise(ls.load("two_link"), [1.2, 0.3], output=ls.Encoder()).discrete(0.005)
        >>> law = plant.lqg([9, 9, 1, 1], [1, 1], [0, 0, 1e-6, 1e-6], [1e-8, 1e-8])
        >>> law.inputs, law.outputs
        (('upper', 'fore'), ('upper.tau', 'fore.tau'))
        """
        A, B, C, D = lqg_matrices(self, self.lqr(Q, R), self.kalman(W, V))
        states, drift = tuple(f"{name}.estimate" for name in self.states), np.zeros(len(A))
        return replace(self, A=A, B=B, C=C, D=D, states=states, inputs=self.outputs, outputs=self.inputs, drift=drift)

    def to_control(self) -> Any:
        """A `control.StateSpace` of python-control (extra ``control``); dots in names become underscores."""
        try:
            import control
        except ImportError:
            raise UnsupportedError(f"to_control needs python-control: {install_extra('control')}.") from None
        signals = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        names = {kind: [word.replace(".", "_") for word in words] for kind, words in signals.items()}
        return control.ss(self.A, self.B, self.C, self.D, 0 if self.dt is None else self.dt, **names)
