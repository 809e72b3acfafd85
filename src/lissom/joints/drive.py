"""The drive of a joint: what lies between the torque of the motor and the torque that moves the arm."""

from __future__ import annotations

from typing import ClassVar

from lissom.records import record
from lissom.spatial.inertias import Energies
from lissom.spatial.scalar import Scalar, absolute, add, mul, sign, sub


@record
class Drive:
    """Inertia, viscous damping, Coulomb friction and spring of a joint.

    armature : inertia of rotor and gear at the joint [kg m^2, kg]
    damping, friction : coefficients of the rate and of its sign
    stiffness, rest : of the spring, and the position at which it has no force
    """

    armature: Scalar
    damping: Scalar
    friction: Scalar
    stiffness: Scalar
    rest: Scalar

    parameters: ClassVar[bool] = True  # nothing is differentiated by the numbers of a drive

    @property
    def resists(self) -> bool:
        """Whether it has damping, friction or a spring; of values of a program that is not known."""
        return not all(isinstance(x, float) and x == 0.0 for x in (self.damping, self.friction, self.stiffness))

    def passive(self, q: Scalar, qd: Scalar) -> Scalar:
        """Torque that damping, friction and spring take."""
        resistance = add(mul(self.damping, qd), mul(self.friction, sign(qd)))
        return add(resistance, mul(self.stiffness, sub(q, self.rest)))

    def motor_force(self, tau: Scalar, q: Scalar, qd: Scalar, qdd: Scalar) -> Scalar:
        """Torque of the motor, from the torque that moves the arm."""
        return add(tau, add(mul(self.armature, qdd), self.passive(q, qd)))

    def arm_force(self, tau: Scalar, q: Scalar, qd: Scalar) -> Scalar:
        """Torque that moves the arm, from that of the motor; the armature is counted with the arm's inertia."""
        return sub(tau, self.passive(q, qd))

    def inertia(self, M: Scalar) -> Scalar:
        """An entry on the diagonal of the mass matrix with the armature."""
        return add(M, self.armature)

    def with_energy(self, energies: Energies, q: Scalar, qd: Scalar) -> Energies:
        """Energies with those of the armature and the spring."""
        stretch = sub(q, self.rest)
        T = add(energies.T, mul(mul(0.5, self.armature), mul(qd, qd)))
        return Energies(T, add(energies.V, mul(mul(0.5, self.stiffness), mul(stretch, stretch))))

    def with_damping_loss(self, power: Scalar, qd: Scalar) -> Scalar:
        """A power with that of the damping."""
        return add(power, mul(self.damping, mul(qd, qd)))

    def with_friction_loss(self, power: Scalar, qd: Scalar) -> Scalar:
        """A power with that of friction against the rate."""
        return add(power, mul(self.friction, absolute(qd)))
