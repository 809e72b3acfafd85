"""Friction of the joints by laws that are linear in their parameters.

The sign of the rate is smooth, tanh(qd / v0): measured rates cross zero with noise, and gears creep before they slide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lissom.errors import InputError, shown, suggest
from lissom.identification.columns.terms import State, Terms, diagonal
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

SMOOTH = (1e-3, 3e-3, 1e-2, 3e-2)  # of the largest rate: v0, from which the logs choose
FASTEST = 1.25  # times the largest rate: degressive friction is constant beyond
STRIBECK = 0.05  # of the largest rate: there half of the friction above Coulomb friction is left


class Motion(NamedTuple):
    """What friction depends on, each (nt, n).

    qd, sign : rates, and their smooth signs
    relative : rates over the largest one
    fast : |rates|, up to `FASTEST` times the largest one
    link_torque : torques that the gears transmit
    """

    qd: Array
    sign: Array
    relative: Array
    fast: Array
    link_torque: Array


class Term(NamedTuple):
    """A term of a friction law: its torque for a unit parameter, its unit, and whether it cannot be negative."""

    value: Callable[[Motion], Array]
    unit: str
    nonnegative: bool


TERMS = {
    "viscous": Term(lambda m: m.qd, "N m s/rad", True),
    "coulomb": Term(lambda m: m.sign, "N m", True),
    "offset": Term(lambda m: np.ones_like(m.qd), "N m", False),
    "asymmetry": Term(lambda m: m.sign**2, "N m", False),
    "viscous_asymmetry": Term(lambda m: np.abs(m.qd), "N m s/rad", False),
    "stribeck": Term(lambda m: m.sign / (1 + (m.relative / STRIBECK) ** 2), "N m", True),
    "degressive": Term(lambda m: m.sign * m.fast**2, "N m s^2/rad^2", False),
    "load": Term(lambda m: np.abs(m.link_torque) * m.sign, "", True),
}
BASIC = ("viscous", "coulomb", "offset")
LAWS: tuple[tuple[str, ...], ...] = (
    BASIC,
    (*BASIC, "viscous_asymmetry"),
    (*BASIC, "stribeck"),
    (*BASIC, "degressive"),
    (*BASIC, "load"),
    (*BASIC, "stribeck", "load"),
    (*BASIC, "degressive", "load"),
)
EVERY = tuple(dict.fromkeys(term for law in LAWS for term in law))


def law_of(friction: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """The terms that a user names: "coulomb+viscous", a sequence of names, or None for no friction."""
    words = friction.split("+") if isinstance(friction, str) else friction or ()
    if not all(isinstance(word, str) for word in words):
        raise InputError(f"identify: friction is {shown(friction)}; expected 'auto', None or names of terms.")
    law = tuple(dict.fromkeys(word.strip() for word in words))
    for word in law:
        if word not in TERMS:
            raise InputError(f"identify: friction has {word!r}; {suggest(word, ('auto', *TERMS))}")
    return law


@dataclass(frozen=True, eq=False)
class Frictions:
    """Terms of a friction law at every joint, joint by joint.

    rates : (n,)    largest rate of each joint, the scale of the law
    smooth : (n,)   v0 over the largest rate
    """

    law: tuple[str, ...]
    rates: Array
    smooth: Array
    terms: Terms
    kind: str = "friction"

    @classmethod
    def of(cls, arm: Arm, law: tuple[str, ...], rates: Array, smooth: Array | None = None) -> Frictions:
        """A law at the joints of an arm."""
        smooth = np.full(len(rates), SMOOTH[0]) if smooth is None else smooth
        pairs = [(k, word) for k in range(len(arm.joints)) for word in law]
        prior = np.array([_given(arm, k, word) for k, word in pairs], float)
        names = tuple(f"{arm.joints[k].name}.{word}" for k, word in pairs)
        units = tuple(_unit(TERMS[word].unit, arm.joints[k].angular) for k, word in pairs)
        bounded = np.array([TERMS[word].nonnegative for _, word in pairs], bool)
        return cls(law, rates, smooth, Terms(names, units, prior, prior, bounded))

    def columns(self, state: State) -> Array:
        """See `Block`."""
        qd = state.samples.qd
        sign = np.tanh(qd / (self.smooth * self.rates))
        fast = np.minimum(np.abs(qd), FASTEST * self.rates)
        motion = Motion(qd, sign, qd / self.rates, fast, state.link_torque)
        parts = [diagonal(TERMS[word].value(motion)) for word in self.law]
        nt, n = qd.shape
        return np.stack(parts, axis=-1).reshape(nt, n, n * len(parts)) if parts else np.zeros((nt, n, 0))


def _given(arm: Arm, k: int, word: str) -> float:
    """The coefficient that joint k of the arm has, mimic joints included."""
    if word in ("viscous", "coulomb"):
        return float((arm.damping if word == "viscous" else arm.friction)[k])
    return float(getattr(arm.joints[k].friction_laws, word, 0.0))  # an offset is none of the joint's friction


def largest_rates(rates: list[Array]) -> Array:
    """The rate (n,) that each joint exceeds in 1 % of the samples of logs (nt, n) [rad/s or m/s]."""
    found = np.quantile(np.abs(np.concatenate(rates)), 0.99, axis=0)
    return np.where(found > 0.0, found, 1.0)


def _unit(unit: str, angular: bool) -> str:
    return unit if angular else unit.replace("N m", "N").replace("rad", "m")
