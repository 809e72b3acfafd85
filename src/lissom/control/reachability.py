"""Which modes of a plant the inputs reach, and which the outputs show.

Unit impulses at the inputs move the states; d_i is the root mean square of state i over a stretch of time. For a mode
with left eigenvector w, w^* x is its coordinate: its root mean square beside that of its states,

    strength = rms(w^* x) / sqrt(sum_i |w_i|^2 d_i^2),

is zero if the inputs do not reach the mode (the test of Popov, Belevitch and Hautus) and does not depend on the units
of the states. Where poles coincide, the weakest of their combinations counts. For outputs it is the same of A^T, C^T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.control.plant import Plant
from lissom.spatial.rotations import Array

Complex = NDArray[np.complex128]

OUT_OF_REACH = 1e-8  # strength below which a mode is not reached
SAMPLES = 400  # times at which responses are taken
AT_REST = 1e-6  # of the fastest pole: slower ones do not set the stretch of time
NO_RESPONSE = 1e-13  # of all responses, in balanced states: rounding
COINCIDE = 1e-7  # of the fastest pole, and of a pole: poles that are nearer to each other are one
INDEPENDENT = 1e-4  # singular value of unit eigenvectors: below, they are one (a pole with a chain)
NAMED = 0.25  # of the largest participation: states that take part as much as that are named


@dataclass(frozen=True, eq=False)
class ModalReach:
    """How strongly inputs act on each mode of a plant, or how strongly outputs show it.

    Attributes
    ----------
    poles : (k,)                 one for each mode; of pairs the one with positive imaginary part
    strengths : (k,)             response of the mode beside that of the states which form it; 0: out of reach
    states : tuple of tuple      the states that take part most in each mode
    dt : float or None           sampling time of the plant
    """

    poles: Complex
    strengths: Array
    states: tuple[tuple[str, ...], ...]
    dt: float | None = None

    @property
    def complete(self) -> bool:
        """Whether no mode is left out."""
        return bool((self.strengths > OUT_OF_REACH).all())

    @property
    def weakest(self) -> str:
        """The mode with the least strength: its pole, the states that take part in it, and the strength."""
        k = int(np.argmin(self.strengths))
        pole = complex(self.poles[k])
        s = pole if self.dt is None else np.log(pole + 0j) / self.dt
        hertz = f" ({abs(s) / (2 * np.pi):.4g} Hz)" if pole.imag else ""
        number = f"{pole.real:.4g} +- {pole.imag:.4g}i" if pole.imag else f"{pole.real:.4g}"
        return f"pole {number}{hertz}, mainly {', '.join(self.states[k])}: strength {self.strengths[k]:.2g}"


def modal_reach(plant: Plant, *, outputs: bool = False) -> ModalReach:
    """Strength of every mode at the inputs, or at the outputs."""
    from scipy.linalg import eig, matrix_balance

    A, (scale, _) = matrix_balance(plant.A, permute=False, separate=True)
    B, C = plant.B / scale[:, None], plant.C * scale
    poles, left, right = eig(A, left=True)
    x = _responses(A, B, poles, plant.dt)
    if outputs:  # each in units of its own response, so that metres, radians and strains count alike
        C = C / _sizes(C @ x)[:, None]
        x, left, right = _responses(A.T, C.T, poles, plant.dt), right.conj(), left.conj()
    groups = _coinciding(poles)
    strengths = np.array([_strength(left[:, group], x) for group in groups])
    states = tuple(_main_states(plant.states, left[:, group], right[:, group]) for group in groups)
    return ModalReach(np.array([_clean(poles, group) for group in groups]), strengths, states, plant.dt)


def _responses(A: Array, B: Array, poles: Complex, dt: float | None) -> Array:
    """(n, samples) states after unit impulses, over a period of the slowest mode, or less where the motion grows."""
    from scipy.linalg import expm

    s = poles if dt is None else np.log(np.where(poles == 0, 1e-300, poles)) / dt
    size = np.abs(s)
    slow = size[size > AT_REST * size.max(initial=0.0)]
    T = 2 * np.pi / slow.min(initial=np.inf) if slow.size else 1.0
    T = min(T, 1 / max(float(s.real.max(initial=0.0)), 1e-300))
    if dt is None:
        step = expm(A * (T / SAMPLES))
    else:
        step = np.linalg.matrix_power(A, max(1, round(T / SAMPLES / dt)))
    x = [B]
    for _ in range(SAMPLES - 1):
        x.append(step @ x[-1])
    return np.hstack(x) / np.sqrt(SAMPLES)


def _sizes(x: Array) -> Array:
    """(n,) root mean squares of rows; 1 for a row of zeros."""
    d = np.linalg.norm(x, axis=1)
    return np.where(d > 0, d, 1.0)


def _strength(W: Complex, x: Array) -> float:
    """The weakest combination of left eigenvectors, by the quotient above."""
    if _least(W, x, 1.0) <= NO_RESPONSE * np.linalg.norm(x):
        return 0.0
    return _least(W, x, _sizes(x))


def _least(W: Complex, x: Array, d: Array | float) -> float:
    """Smallest singular value of W^* x for states of sizes d, W orthonormalised."""
    units = np.reshape(d, (-1, 1))
    U, sizes, _ = np.linalg.svd(units * W / np.linalg.norm(units * W, axis=0), full_matrices=False)
    U = U[:, sizes > INDEPENDENT * sizes[0]]
    return float(np.linalg.svd(U.conj().T @ (x / units), compute_uv=False)[-1])


def _coinciding(poles: Complex) -> list[list[int]]:
    """Groups of poles that coincide but for rounding; of pairs the upper half plane only."""
    near = COINCIDE * np.abs(poles).max(initial=1e-300)
    upper = sorted(np.flatnonzero(poles.imag >= -near), key=lambda k: (abs(poles[k]), poles[k].imag))
    groups: list[list[int]] = []
    for k in upper:
        for group in groups:
            if abs(poles[k] - poles[group].mean()) <= near + COINCIDE * abs(poles[k]):
                group.append(int(k))
                break
        else:
            groups.append([int(k)])
    return groups


def _main_states(names: tuple[str, ...], W: Complex, V: Complex) -> tuple[str, ...]:
    """Names of the states with the largest participation |w_i v_i|; rates count for their positions."""
    share = np.abs(W).max(axis=1) * np.abs(V).max(axis=1)
    total: dict[str, float] = {}
    for name, part in zip(names, share, strict=True):
        word = name.removesuffix(".rate")
        total[word] = total.get(word, 0.0) + float(part)
    least = NAMED * max(total.values())
    return tuple(sorted((word for word, part in total.items() if part >= least), key=lambda word: -total[word])[:3])


def _clean(poles: Complex, group: list[int]) -> complex:
    """The pole of a group, without parts that are rounding errors."""
    pole, noise = complex(poles[group].mean()), COINCIDE * np.abs(poles).max()
    return complex(*(0.0 if abs(part) <= noise else part for part in (pole.real, pole.imag)))
