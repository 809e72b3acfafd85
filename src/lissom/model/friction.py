"""Friction of a joint: the coefficients of its laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import ModelError, about
from lissom.joints.friction.base import AbstractLaw
from lissom.joints.friction.laws import EVERY_DRIVE, LAWS, NUMBERS, UNUSED
from lissom.model.fields import above_zero, at_least_zero, none_or, number
from lissom.model.record import Record
from lissom.records import FIELDS
from lissom.spatial.rotations import Array


def friction_units(unit: str, effort: str) -> dict[str, str]:
    """Units of the fields of `Friction`, for a joint with these units of its coordinate and its effort."""
    square = f"{effort} s^2/{unit}^2"
    return {
        "coulomb": effort, "viscous": f"{effort} s/{unit}", "asymmetry": effort,
        "viscous_asymmetry": f"{effort} s/{unit}", "stribeck": effort, "stribeck_rate": f"{unit}/s",
        "degressive": square, "degressive_rate": f"{unit}/s", "load": "",
    }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Friction(Record):
    """Friction in a joint: a sum of laws, linear in all coefficients but the two rates.

    With the rate qd and the torque tau_load between gear and link, the torque that friction takes is::

        coulomb sign(qd) + viscous qd + asymmetry |sign(qd)| + viscous_asymmetry |qd|
        + stribeck sign(qd) / (1 + (qd / stribeck_rate)^2)
        + degressive sign(qd) min(|qd|, degressive_rate)^2
        + load |tau_load| sign(qd)

    Coefficients that would drive the joint at some rate are refused: friction only takes power. Units are those of the
    joint's coordinate and its effort.

    Parameters
    ----------
    coulomb : float                 [N m or N]
    viscous : float                 [N m s/rad or N s/m], on top of the joint's `damping`
    asymmetry : float               [N m or N]: forwards Coulomb friction is ``coulomb + asymmetry``, backwards
                                    ``coulomb - asymmetry``
    viscous_asymmetry : float       the same of viscous friction [N m s/rad or N s/m]
    stribeck : float                friction above Coulomb friction at slow rates [N m or N]
    stribeck_rate : float           rate at which half of it is left [rad/s or m/s]
    degressive : float              [N m s^2/rad^2 or N s^2/m^2], negative where friction grows less than the rate
    degressive_rate : float         up to which `degressive` holds, constant beyond [rad/s or m/s]; a negative
                                    coefficient needs it
    load : float                    friction per torque that the gear transmits, below 1

    Examples
    --------
    >>> import lissom as ls
    >>> gear = ls.Friction(coulomb=2.0, viscous=0.5, stribeck=1.0, stribeck_rate=0.1, load=0.05)
    >>> gear.torque([0.1, -2.0], load=40.0).round(4)
    array([ 4.55  , -5.0025])
    >>> gear.names
    ('coulomb', 'viscous', 'stribeck', 'load')
    >>> bool(np.allclose(gear.columns([0.1, -2.0], load=40.0) @ gear.coefficients, gear.torque([0.1, -2.0], load=40.0)))
    True
    """

    coulomb: float = 0.0
    viscous: float = 0.0
    asymmetry: float = 0.0
    viscous_asymmetry: float = 0.0
    stribeck: float = 0.0
    stribeck_rate: float | None = None
    degressive: float = 0.0
    degressive_rate: float | None = None
    load: float = 0.0

    def __post_init__(self) -> None:
        with about("friction"):
            self._check(
                coulomb=at_least_zero, viscous=at_least_zero, asymmetry=number, viscous_asymmetry=number,
                stribeck=at_least_zero, stribeck_rate=none_or(above_zero), degressive=number,
                degressive_rate=none_or(above_zero), load=at_least_zero,
            )  # fmt: skip
            self._refuse_unknown_rates()
            self._refuse_driving()

    def _refuse_unknown_rates(self) -> None:
        if self.stribeck and self.stribeck_rate is None:
            raise ModelError(
                f"stribeck is {self.stribeck:g}, but there is no stribeck_rate; give the rate at which half of this "
                "friction is left."
            )
        if self.degressive < 0 and self.degressive_rate is None:
            raise ModelError(
                f"degressive is {self.degressive:g}, so friction would drive the joint at fast rates. Give "
                "degressive_rate, the fastest rate at which the law holds."
            )

    def _refuse_driving(self) -> None:
        """Refuse friction that would drive the joint, or that keeps a link from driving it."""
        if self.load >= 1.0:
            raise ModelError(
                f"load is {self.load:g}; expected less than 1. At 1 no torque on the link could move the joint, and "
                "accelerations are not unique."
            )
        for word, whole in (("asymmetry", "coulomb"), ("viscous_asymmetry", "viscous")):
            if abs(getattr(self, word)) > getattr(self, whole):
                raise ModelError(
                    f"{word} is {getattr(self, word):g}, more than {whole} = {getattr(self, whole):g}: friction would "
                    f"drive the joint in one direction. Expected at most {whole}."
                )
        if self.degressive < 0:
            fast = self.degressive_rate or 0.0
            least = self.coulomb - abs(self.asymmetry) + (self.viscous - abs(self.viscous_asymmetry)) * fast
            if least + self.degressive * fast**2 < 0:
                raise ModelError(
                    f"degressive is {self.degressive:g}: at degressive_rate = {fast:g} friction would drive the joint. "
                    f"Expected at least {-least / fast**2:.6g}, or a slower degressive_rate."
                )

    # ---- laws ------------------------------------------------------------------------------------

    @property
    def laws(self) -> tuple[AbstractLaw, ...]:
        """The laws with a coefficient that is not zero."""
        return tuple(law for law in map(self._law, LAWS) if any(law.coefficients))

    def _law(self, kind: type[AbstractLaw]) -> AbstractLaw:
        return kind(*map(self._number, FIELDS[kind]))

    def _number(self, word: str) -> float:
        value = getattr(self, word)
        return float(UNUSED[word] if value is None else value)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Numbers of the laws besides Coulomb and viscous friction, as drives store them; empty without such laws."""
        if all(type(law) in EVERY_DRIVE for law in self.laws):
            return ()
        return tuple(map(self._number, NUMBERS if self.load else NUMBERS[:-1]))

    @property
    def further(self) -> Friction:
        """The same without Coulomb and viscous friction, that is, on top of these."""
        return self._with(coulomb=0.0, viscous=0.0)

    @property
    def title(self) -> str:
        """Names of its laws besides Coulomb and viscous friction."""
        found = [law.title for law in self.laws if type(law) not in EVERY_DRIVE]
        return " and ".join([", ".join(found[:-1]), found[-1]]) if len(found) > 1 else "".join(found)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients of its laws, in the order of `columns`."""
        return tuple(word for law in self.laws for word in law.linear)

    @property
    def coefficients(self) -> Array:
        """(k,) the coefficients of its laws, in the order of `columns`."""
        return np.array([getattr(self, word) for word in self.names])

    def columns(self, qd: ArrayLike, load: ArrayLike = 0.0, direction: ArrayLike | None = None) -> Array:
        """Torque per coefficient, (..., k), in which friction is linear.

        Parameters
        ----------
        qd : (...)                   rates of the joint
        load : (...)                 torque between gear and link, for load-dependent friction
        direction : (...) or None    of the motion, 1 or -1, 0 at rest; default: the sign of `qd`. A smooth function of
                                     the rate, such as ``tanh(qd / 0.01)``, suits measured rates
        """
        given: list[Any] = [np.asarray(x, float) for x in (qd, load)]
        given.append(None if direction is None else np.asarray(direction, float))
        shape = np.broadcast_shapes(*(x.shape for x in given if x is not None))
        found: list[Any] = [column for law in self.laws for column in law.columns(*given)]
        return np.stack([np.broadcast_to(x, shape) for x in found], axis=-1) if found else np.zeros((*shape, 0))

    def torque(self, qd: ArrayLike, load: ArrayLike = 0.0, direction: ArrayLike | None = None) -> Array:
        """Torque (...) that friction takes; arguments as of `columns`."""
        return np.asarray(self.columns(qd, load, direction) @ self.coefficients)

    @property
    def hold(self) -> float:
        """Friction that holds the joint at rest under a load of 1; zero where none can."""
        return self.coulomb + self.stribeck + self.load

    def breakaway(self, load: ArrayLike = 0.0) -> tuple[Array, Array]:
        """Torques (...) from which a joint at rest starts to move, forwards and backwards, both positive."""
        ends = (self.torque(np.zeros(np.shape(load)), load, way) * way for way in (1.0, -1.0))
        forwards, backwards = ends
        return forwards, backwards
