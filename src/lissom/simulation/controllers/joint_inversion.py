"""Joint inversion: exact input-output linearisation on the joints, whatever bends or swings beyond them.

With actuated coordinates a and the others u (modes, elastic joints, passive joints), M q'' + h = [tau; 0]. The law asks
for accelerations v of the actuated coordinates and solves for those of the others, which nothing drives:

    v     = qdd_ref + kp e + kd e'
    M_uu q_u'' = -(M_ua v + h_u)                                                                             (1)
    tau   = M_aa v + M_au q_u'' + h_a                                                                        (2)

so that e'' + kd e' + kp e = 0 exactly. Computed torque takes q_u'' = 0 instead, which is its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lissom.kernels.cache import functions_of
from lissom.model.arm import Arm
from lissom.simulation.controllers.base import Controller, gain, limit, reference
from lissom.simulation.controllers.law import SUM1, LoopState, neglected_parts, rough_joints


@dataclass(frozen=True, eq=False)
class JointInversion(Controller):
    """Joint inversion: the errors of all actuated joints obey ``e'' + kd e' + kp e = 0``, also of flexible arms.

    For rigid arms with all joints actuated it is computed torque. It needs the whole state, also positions and rates of
    modes, elastic and passive joints. It controls the joints only: what bends beyond them goes on vibrating, damped by
    nothing but its own damping (stable with it, neutral without). For the tip see `StateSpace.minimum_phase`. Coulomb
    friction is not compensated, because its sign is undefined at rest.

    Parameters
    ----------
    q : reference, one entry per joint
        numbers, a `Profile`, a planned `Motion`, a SciPy spline, or a function of time that returns q or
        (q, qd, qdd); profiles, motions and splines keep their end values before the first and after the last sample
    kp, kd : gains, at least 0 [1/s^2, 1/s]
    qd, qdd : references of rates and accelerations
        None: derived from q, which is not possible for a function that returns q only; qd=0: a reference at rest
    limit : None, True or numbers     largest torque; True: the arm's torque limits
    model : Arm or None               what the controller believes; None: the simulated arm

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link_flexible")
    >>> run = ls.simulate(arm, [0, 0], tau=ls.JointInversion([0.3, -0.2], 100, 20), until=1.0)
    >>> error = run.q[:, arm.joint_index[0]] - 0.3  # (1 + 10 t) exp(-10 t), as for a rigid arm
    >>> bool(abs(error + 0.3 * (1 + 10 * run.t) * 2.718281828459045 ** (-10 * run.t)).max() < 1e-5)
    True
    """

    needs_model = True
    reads_unactuated = True
    q: Any = reference()
    kp: Any = gain()
    kd: Any = gain()
    qd: Any = reference(None)
    qdd: Any = reference(None)
    limit: Any = limit()
    model: Arm | None = None

    def program(self, now: LoopState) -> list[Any]:
        model, run = self.assumed_model(now.arm), now.run
        wanted = [run.apply(SUM1, a, now.entry("qdd", k)) for k, a in enumerate(now.pulls())]
        return now.held_dynamics(model, functions_of(model).bodies.smooth, wanted)

    def neglected(self, arm: Arm) -> str:
        return neglected_parts("JointInversion", rough_joints(arm))
