"""The drive of a joint: what lies between the torque of the motor and the torque that moves the arm."""

from __future__ import annotations

from typing import ClassVar

from lissom.joints.friction.laws import Laws
from lissom.records import record
from lissom.spatial.inertias import Energies
from lissom.spatial.scalar import Scalar, absolute, add, mul, sign, sub

TINY = 1e-200  # a joint without load and other friction sticks where nothing moves it


@record
class Drive:
    """Inertia, viscous damping, Coulomb friction and spring of a joint, and further laws of friction.

    armature : inertia of rotor and gear at the joint [kg m^2, kg]
    damping, friction : coefficients of the rate and of its sign
    stiffness, rest : of the spring, and the position at which it has no force
    laws : the other laws of friction; None without any

    Load-dependent friction is part of `motor_force` alone: accelerations need `dynamics.gears`.
    """

    armature: Scalar
    damping: Scalar
    friction: Scalar
    stiffness: Scalar
    rest: Scalar
    laws: Laws | None = None

    parameters: ClassVar[bool] = True  # nothing is differentiated by the numbers of a drive

    @property
    def resists(self) -> bool:
        """Whether it has damping, friction or a spring; of values of a program that is not known."""
        plain = (self.damping, self.friction, self.stiffness)
        return self.laws is not None or not all(isinstance(x, float) and x == 0.0 for x in plain)

    @property
    def has_friction(self) -> bool:
        """Whether it has Coulomb friction or further laws; of values of a program that is not known."""
        return self.laws is not None or not (isinstance(self.friction, float) and self.friction == 0.0)

    @property
    def bears_load(self) -> bool:
        """Whether friction depends on the load."""
        return self.laws is not None and self.laws.load_dependent is not None

    def resistance(self, qd: Scalar) -> Scalar:
        """Torque that damping and friction take, without what depends on the load."""
        plain = add(mul(self.damping, qd), mul(self.friction, sign(qd)))
        return plain if self.laws is None else add(plain, self.laws.torque(qd, sign(qd)))

    def passive(self, q: Scalar, qd: Scalar) -> Scalar:
        """Torque that damping, friction and spring take."""
        return add(self.resistance(qd), mul(self.stiffness, sub(q, self.rest)))

    def motor_force(self, tau: Scalar, q: Scalar, qd: Scalar, qdd: Scalar) -> Scalar:
        """Torque of the motor, from the torque that moves the arm."""
        whole = add(tau, add(mul(self.armature, qdd), self.passive(q, qd)))
        return add(whole, mul(self.gear(qd), absolute(self.load(tau, q)))) if self.bears_load else whole

    def load(self, tau: Scalar, q: Scalar) -> Scalar:
        """Torque between gear and link, from the torque that moves the arm."""
        return add(tau, mul(self.stiffness, sub(q, self.rest)))

    def gear(self, qd: Scalar) -> Scalar:
        """Friction per size of the load, positive in the direction of the motion."""
        return 0 if self.laws is None else self.laws.gear(sign(qd))

    def gear_factor(self, tau: Scalar, q: Scalar, qd: Scalar) -> Scalar:
        """Derivative of the motor's torque by the torque that moves the arm."""
        return add(1, mul(self.gear(qd), sign(self.load(tau, q))))

    def slope(self, qd: Scalar) -> Scalar:
        """Derivative of `resistance` by the rate."""
        return self.damping if self.laws is None else add(self.damping, self.laws.slope(qd, sign(qd)))

    def arm_force(self, tau: Scalar, q: Scalar, qd: Scalar) -> Scalar:
        """Torque that moves the arm, from that of the motor; the armature is counted with the arm's inertia."""
        return sub(tau, self.passive(q, qd))

    def less_resistance(self, tau: Scalar, qd: Scalar) -> Scalar:
        """Torque of the motor without what damping and friction take."""
        return sub(tau, self.resistance(qd))

    def inertia(self, M: Scalar) -> Scalar:
        """An entry on the diagonal of the mass matrix with the armature."""
        return add(M, self.armature)

    # ---- joints whose direction of motion is decided elsewhere -----------------------------------

    @property
    def sticks(self) -> bool:
        """Whether friction can hold the joint at rest; of values of a program that is not known."""
        parts = [self.friction]
        if self.laws is not None:
            parts += [self.laws.stribeck.stribeck, *(() if self.laws.load_dependent is None else (1.0,))]
        return not all(isinstance(x, float) and x == 0.0 for x in parts)

    def sliding(self, qd: Scalar, direction: Scalar) -> Scalar:
        """Friction of a joint that slides, without what depends on the load; zero where it sticks."""
        plain = mul(self.friction, direction)
        return plain if self.laws is None else add(plain, self.laws.torque(qd, direction))

    def after_sliding(self, tau: Scalar, qd: Scalar, direction: Scalar) -> Scalar:
        """What friction leaves of a torque."""
        return sub(tau, self.sliding(qd, direction))

    def with_sliding_loss(self, power: Scalar, qd: Scalar, direction: Scalar) -> Scalar:
        """A power with that of the friction of a joint that slides."""
        return add(power, mul(self.sliding(qd, direction), qd))

    def gear_of(self, direction: Scalar) -> Scalar:
        """Friction per size of the load."""
        return 0 if self.laws is None else self.laws.gear(direction)

    def strain(self, effort: Scalar, tau: Scalar) -> Scalar:
        """The torque that holds a joint at rest, per friction that can: it slides beyond 1."""
        direction = -sign(effort)
        most = mul(direction, self.sliding(0.0, direction))
        if self.bears_load:
            most = add(most, absolute(mul(self.gear_of(direction), add(tau, effort))))
        return effort / (most + TINY)

    def with_energy(self, energies: Energies, q: Scalar, qd: Scalar) -> Energies:
        """Energies with those of the armature and the spring."""
        stretch = sub(q, self.rest)
        T = add(energies.T, mul(mul(0.5, self.armature), mul(qd, qd)))
        return Energies(T, add(energies.V, mul(mul(0.5, self.stiffness), mul(stretch, stretch))))

    def with_damping_loss(self, power: Scalar, qd: Scalar) -> Scalar:
        """A power with that of the damping."""
        return add(power, mul(self.damping, mul(qd, qd)))

    def with_friction_loss(self, power: Scalar, qd: Scalar) -> Scalar:
        """A power with that of friction against the rate, without what depends on the load."""
        lost = add(power, mul(self.friction, absolute(qd)))
        return lost if self.laws is None else add(lost, mul(self.laws.torque(qd, sign(qd)), qd))
