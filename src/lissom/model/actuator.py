"""Actuators: what lies between the torque that is commanded and the torque that acts on a joint."""

from __future__ import annotations

from dataclasses import dataclass

from lissom.errors import about
from lissom.model.fields import at_least_zero
from lissom.model.record import Record


@dataclass(frozen=True, eq=False)
class Actuator(Record):
    """The actuator of a joint: a first-order lag ``lag dtau/dt = u - tau`` from the command u to the torque tau.

    Simulations have the torque as a further state. Everything else (inverse and forward dynamics, limits, planning) is
    about the torque that acts on the joint; `Motion.command` is what to command for it.

    Parameters
    ----------
    lag : float     time constant [s]; 0: torques are as commanded

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link").with_joint("upper", actuator=ls.Actuator(lag=0.01))
    >>> arm.actuator_lag
    array([0.01, 0.  ])
    >>> run = ls.simulate(arm, [0.3, 0.1], tau=[0.5, 0.0], tau0=[0.0, 0.0], until=0.05)
    >>> run.tau[::100, 0].round(3)  # 0.5 (1 - exp(-t / 0.01))
    array([0.   , 0.316, 0.432, 0.475, 0.491, 0.497])
    """

    lag: float = 0.0

    def __post_init__(self) -> None:
        with about("actuator"):
            self._check(lag=at_least_zero)
