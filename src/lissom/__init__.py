"""lissom: dynamics of manipulator arms, rigid and flexible.

Describe an arm, get its kinematics and (as the library grows) its dynamics, modes and
optimal motions. Functions take an `Arm` first, then the state, one or a batch.
"""

from typing import TYPE_CHECKING

import lissom.formulations  # noqa: F401  the room, before the function of that name takes its place here
from lissom.control.equilibrium import Equilibrium, equilibrium
from lissom.control.linearise import linearise
from lissom.control.state_space import StateSpace
from lissom.errors import (
    IndefiniteInertia,
    InputError,
    LissomError,
    ModelError,
    MotionError,
    SimulationError,
    SolveError,
    UnsupportedError,
)
from lissom.formats.load import load, save, shipped
from lissom.formats.modal import load_modal_integrals
from lissom.later import loader
from lissom.model.arm import Arm
from lissom.model.beam import Beam, Modes, Tip
from lissom.model.dh import DH, DHTable
from lissom.model.joint import Elastic, Joint, Mimic
from lissom.model.limits import Limits
from lissom.model.link import Link, Shape, Tool
from lissom.model.loads import BaseMotion, Load, Loop, Payload
from lissom.model.modal_integrals import ModalIntegrals
from lissom.model.plausibility import Finding
from lissom.model.shape_table import ShapeTable
from lissom.motion.bending_limits import Bending
from lissom.motion.obstacles import Body, Capsule, Sphere
from lissom.motion.public import load_motion, predict_motion, retime_motion
from lissom.motion.reach import Reach
from lissom.motion.record import Motion
from lissom.motion.report import MotionReport
from lissom.motion.task import Task, Via
from lissom.simulation.controllers import PD, ComputedTorque, GravityCompensation, Impedance, StateFeedback
from lissom.simulation.events import Event, Happening
from lissom.simulation.files import load_run
from lissom.simulation.run import Report, Run
from lissom.simulation.signals import Profile
from lissom.simulation.simulate import simulate
from lissom.verbs.deformation import Deformation, deformation
from lissom.verbs.dynamics import bias_forces, forward_dynamics, gravity_forces, inverse_dynamics, mass_matrix
from lissom.verbs.energy import centre_of_mass, kinetic_energy, momentum, potential_energy
from lissom.verbs.formulations import FormulationInfo, OperationCount, count_operations, formulations
from lissom.verbs.inverse_kinematics import InverseKinematics, inverse_kinematics
from lissom.verbs.kinematics import acceleration, jacobian, pose, poses, velocity
from lissom.verbs.modes import ArmModes, BeamModes, ModeConvergence, beam_modes, beam_tip, mode_convergence, modes
from lissom.verbs.sensitivity import (
    ForwardGradient,
    InverseGradient,
    TorqueHessian,
    TorqueProduct,
    forward_dynamics_gradient,
    inertial_parameters,
    inverse_dynamics_gradient,
    inverse_dynamics_hessian,
    inverse_dynamics_product,
    regressor,
)

if TYPE_CHECKING:
    from lissom.verbs.assembly import Assembly, ClosureForces, assemble, closure_forces
    from lissom.verbs.configuration_table import ConfigurationTable, TableError
    from lissom.verbs.planar_model import PlanarModel, planar_model
    from lissom.verbs.timing import FormulationTime, time_formulations
    from lissom.views.animate import animate
    from lissom.views.draw import draw
    from lissom.views.plots import plot

__version__ = "0.1.0"

__getattr__ = loader(__name__, {  # seldom needed, or slow to load
    "lissom.verbs.assembly": ("Assembly", "ClosureForces", "assemble", "closure_forces"),
    "lissom.verbs.configuration_table": ("ConfigurationTable", "TableError"),
    "lissom.verbs.planar_model": ("PlanarModel", "planar_model"),
    "lissom.verbs.timing": ("FormulationTime", "time_formulations"),
    "lissom.views.animate": ("animate",),
    "lissom.views.draw": ("draw",),
    "lissom.views.plots": ("plot",),
})  # fmt: skip

__all__ = [
    "Arm", "ArmModes", "Assembly", "BaseMotion", "Beam", "BeamModes", "Bending", "Body", "Capsule", "ClosureForces",
    "ComputedTorque", "ConfigurationTable", "DH", "DHTable", "Deformation", "Elastic", "Equilibrium", "Event",
    "Finding", "FormulationInfo", "FormulationTime", "ForwardGradient", "GravityCompensation", "Happening",
    "Impedance", "IndefiniteInertia", "InputError", "InverseGradient", "InverseKinematics", "Joint", "Limits", "Link",
    "LissomError", "Load", "Loop", "Mimic", "ModalIntegrals", "ModeConvergence", "ModelError", "Modes", "Motion",
    "MotionError", "MotionReport", "OperationCount", "PD", "Payload", "PlanarModel", "Profile", "Reach", "Report",
    "Run", "Shape", "ShapeTable", "SimulationError", "SolveError", "Sphere", "StateFeedback", "StateSpace",
    "TableError", "Task", "Tip", "Tool", "TorqueHessian", "TorqueProduct", "UnsupportedError", "Via", "acceleration",
    "animate", "assemble", "beam_modes", "beam_tip", "bias_forces", "centre_of_mass", "closure_forces",
    "count_operations", "deformation", "draw", "equilibrium", "formulations", "forward_dynamics",
    "forward_dynamics_gradient", "gravity_forces", "inertial_parameters", "inverse_dynamics",
    "inverse_dynamics_gradient", "inverse_dynamics_hessian", "inverse_dynamics_product", "inverse_kinematics",
    "jacobian", "kinetic_energy", "linearise", "load", "load_modal_integrals", "load_motion", "load_run",
    "mass_matrix", "mode_convergence", "modes", "momentum", "planar_model", "plot", "pose", "poses",
    "potential_energy", "predict_motion", "regressor", "retime_motion", "save", "shipped", "simulate",
    "time_formulations", "velocity",
]  # fmt: skip
