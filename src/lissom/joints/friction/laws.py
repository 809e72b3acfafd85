"""The laws of a joint beyond Coulomb and viscous friction, which every drive has, as one record.

Joints have them all or none, so that joints with other coefficients share their code. Load-dependent friction may be
left out: with it, accelerations are not linear in the torques of motors.
"""

from __future__ import annotations

from typing import ClassVar

from lissom.joints.friction.asymmetric import Asymmetric
from lissom.joints.friction.base import AbstractLaw
from lissom.joints.friction.coulomb import Coulomb
from lissom.joints.friction.degressive import ANY_RATE, Degressive
from lissom.joints.friction.load_dependent import LoadDependent
from lissom.joints.friction.stribeck import Stribeck
from lissom.joints.friction.viscous import Viscous
from lissom.records import FIELDS, record
from lissom.spatial.scalar import Scalar, add, mul

LAWS: tuple[type[AbstractLaw], ...] = (Coulomb, Viscous, Asymmetric, Stribeck, Degressive, LoadDependent)
EVERY_DRIVE: tuple[type[AbstractLaw], ...] = (Coulomb, Viscous)
NUMBERS: tuple[str, ...] = tuple(word for law in LAWS if law not in EVERY_DRIVE for word in FIELDS[law])
UNUSED = {"stribeck_rate": 1.0, "degressive_rate": ANY_RATE}  # rates of laws that are not there
NOTHING: tuple[float, ...] = tuple(UNUSED.get(word, 0.0) for word in NUMBERS)


@record
class Laws:
    """Asymmetric, Stribeck, degressive and load-dependent friction of a joint."""

    asymmetric: Asymmetric
    stribeck: Stribeck
    degressive: Degressive
    load_dependent: LoadDependent | None = None

    parameters: ClassVar[bool] = True

    def torque(self, rate: Scalar, direction: Scalar) -> Scalar:
        """Torque that does not depend on the load."""
        total = add(self.asymmetric.torque(rate, 0, direction), self.stribeck.torque(rate, 0, direction))
        return add(total, self.degressive.torque(rate, 0, direction))

    def slope(self, rate: Scalar, direction: Scalar) -> Scalar:
        """Derivative by the rate."""
        total = add(self.asymmetric.slope(rate, direction), self.stribeck.slope(rate, direction))
        return add(total, self.degressive.slope(rate, direction))

    def gear(self, direction: Scalar) -> Scalar:
        """Torque that depends on the load, per size of the load; positive in the direction of the motion."""
        return 0 if self.load_dependent is None else mul(self.load_dependent.load, direction)


def laws_of(row: tuple[float, ...]) -> Laws:
    """The laws with the numbers `NUMBERS`, load-dependent friction only where there is some."""
    return Laws(Asymmetric(*row[:2]), Stribeck(*row[2:4]), Degressive(*row[4:6]), *map(LoadDependent, row[6:]))
