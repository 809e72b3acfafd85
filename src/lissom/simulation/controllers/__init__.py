"""Controllers that `simulate` accepts as ``tau``, one file each, and the contract for others."""

from lissom.simulation.controllers.base import (
    Controller as Controller,
    gain as gain,
    given as given,
    limit as limit,
    optional_per_joint as optional_per_joint,
    per_joint as per_joint,
    reference as reference,
    source as source,
)
from lissom.simulation.controllers.computed_torque import ComputedTorque as ComputedTorque
from lissom.simulation.controllers.follow import Follow as Follow
from lissom.simulation.controllers.gravity_compensation import GravityCompensation as GravityCompensation
from lissom.simulation.controllers.impedance import Impedance as Impedance
from lissom.simulation.controllers.joint_inversion import JointInversion as JointInversion
from lissom.simulation.controllers.pd import PD as PD
from lissom.simulation.controllers.pid import PID as PID
from lissom.simulation.controllers.sampled import SampledController as SampledController
from lissom.simulation.controllers.state_feedback import StateFeedback as StateFeedback
from lissom.simulation.controllers.torques import Torques as Torques

FILE_KINDS = {
    "pd": PD, "computed_torque": ComputedTorque, "follow": Follow, "gravity_compensation": GravityCompensation,
    "impedance": Impedance, "joint_inversion": JointInversion, "pid": PID, "state_feedback": StateFeedback,
}  # fmt: skip
