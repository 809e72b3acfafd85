"""The public names and where they live; `__init__.py` loads each when it is first asked for."""

from lissom.control.equilibrium import Equilibrium as Equilibrium, equilibrium as equilibrium
from lissom.control.linearise import linearise as linearise
from lissom.control.output_feedback import OutputFeedback as OutputFeedback
from lissom.control.reachability import ModalReach as ModalReach
from lissom.control.sensors.encoder import Encoder as Encoder
from lissom.control.sensors.strain_gauge import StrainGauge as StrainGauge
from lissom.control.shapers import Shaper as Shaper, shaper as shaper
from lissom.control.state_space import StateSpace as StateSpace
from lissom.control.zeros_along import ZerosAlongLink as ZerosAlongLink, zeros_along as zeros_along
from lissom.diagnosis import Diagnosis as Diagnosis, doctor as doctor
from lissom.errors import (
    IndefiniteInertia as IndefiniteInertia,
    InputError as InputError,
    LargeDeflection as LargeDeflection,
    LissomError as LissomError,
    ModelError as ModelError,
    MotionError as MotionError,
    OutsideLimits as OutsideLimits,
    RoughPath as RoughPath,
    SimulationError as SimulationError,
    SolveError as SolveError,
    StudyError as StudyError,
    UnstableLoop as UnstableLoop,
    UnsupportedError as UnsupportedError,
    WorkerLost as WorkerLost,
)
from lissom.export.casadi.public import casadi_function as casadi_function
from lissom.export.export_c import export_c as export_c
from lissom.export.jax.public import jax_function as jax_function
from lissom.export.record import CArgument as CArgument, CExport as CExport, CFunction as CFunction
from lissom.export.torch.public import torch_function as torch_function
from lissom.formats.load import load as load, save as save
from lissom.formats.modal import load_modal_integrals as load_modal_integrals
from lissom.formats.opensim_table import OpenSimTable as OpenSimTable, load_opensim_table as load_opensim_table
from lissom.formats.shipped import shipped as shipped
from lissom.gait.curves import GaitCurves as GaitCurves
from lissom.gait.opensim import load_gait as load_gait
from lissom.gait.public import gait_report as gait_report
from lissom.gait.report import GaitReport as GaitReport
from lissom.gait.samples import GaitSamples as GaitSamples
from lissom.humans.human import human as human
from lissom.humans.lift.predict import predict_lift as predict_lift
from lissom.humans.walk.predict import predict_walk as predict_walk
from lissom.humans.walk.weights import WalkWeights as WalkWeights
from lissom.identification.excitation.public import excite as excite
from lissom.identification.identify import identify as identify
from lissom.identification.logs.log import Log as Log
from lissom.identification.logs.read import load_log as load_log
from lissom.identification.result.check import TorqueFit as TorqueFit
from lissom.identification.result.identification import Identification as Identification
from lissom.identification.result.table import ParameterTable as ParameterTable
from lissom.identification.vibration.free_decay import FreeDecay as FreeDecay, free_decay as free_decay
from lissom.identification.vibration.identify import identify_modes as identify_modes
from lissom.identification.vibration.measured_modes import MeasuredModes as MeasuredModes
from lissom.identification.vibration.result import ModalIdentification as ModalIdentification
from lissom.model.actuator import Actuator as Actuator
from lissom.model.arm import Arm as Arm, DHTable as DHTable
from lissom.model.beam import Beam as Beam, Modes as Modes, Tip as Tip
from lissom.model.contact import Contact as Contact, Mirror as Mirror
from lissom.model.dh import DH as DH
from lissom.model.friction import Friction as Friction
from lissom.model.joint import Joint as Joint
from lissom.model.joint_elasticity import JointElasticity as JointElasticity
from lissom.model.limits import Limits as Limits
from lissom.model.link import Link as Link, LinkShape as LinkShape, Tool as Tool
from lissom.model.loads import BaseMotion as BaseMotion, Load as Load, Loop as Loop, Payload as Payload
from lissom.model.mimic import Mimic as Mimic
from lissom.model.modal_integrals import ModalIntegrals as ModalIntegrals
from lissom.model.plausibility import ModelFinding as ModelFinding
from lissom.model.shape_table import ShapeTable as ShapeTable
from lissom.motion.public import (
    load_motion as load_motion,
    predict_motion as predict_motion,
    retime_motion as retime_motion,
    track_motion as track_motion,
)
from lissom.motion.result.information import Information as Information
from lissom.motion.result.motion import Motion as Motion
from lissom.motion.result.outcome import MotionOutcome as MotionOutcome
from lissom.motion.result.report import MotionReport as MotionReport
from lissom.motion.result.sensitivity import MotionSensitivity as MotionSensitivity
from lissom.motion.task.bending_limits import BendingLimit as BendingLimit
from lissom.motion.task.obstacles import Capsule as Capsule, CollisionBody as CollisionBody, Sphere as Sphere
from lissom.motion.task.phases import Phase as Phase, Transfer as Transfer, Travel as Travel
from lissom.motion.task.reach import Reach as Reach
from lissom.motion.task.task import Task as Task, Via as Via
from lissom.motion.task.tracked_path import TrackedPath as TrackedPath
from lissom.motion.task_file import TaskFile as TaskFile, load_task as load_task
from lissom.motion.transcription.constraints.frame_places import FrameHeight as FrameHeight, FrameOffset as FrameOffset
from lissom.pages.report import write_report as write_report
from lissom.pages.web_page import WebPage as WebPage
from lissom.simulation.controllers import (
    PD as PD,
    PID as PID,
    ComputedTorque as ComputedTorque,
    Controller as Controller,
    Follow as Follow,
    GravityCompensation as GravityCompensation,
    Impedance as Impedance,
    JointInversion as JointInversion,
    StateFeedback as StateFeedback,
)
from lissom.simulation.events import Event as Event, EventHit as EventHit
from lissom.simulation.files import load_run as load_run
from lissom.simulation.outcome import RunOutcome as RunOutcome
from lissom.simulation.records.record import RunReport as RunReport
from lissom.simulation.run import Run as Run
from lissom.simulation.signals import Profile as Profile
from lissom.simulation.simulate import simulate as simulate
from lissom.studies.files import load_study as load_study
from lissom.studies.outcome import StudyOutcome as StudyOutcome, StudyRowOutcome as StudyRowOutcome
from lissom.studies.plan.description import StudyCase as StudyCase
from lissom.studies.plan.output import StudyOutput as StudyOutput
from lissom.studies.plan.parameter import StudyParameter as StudyParameter
from lissom.studies.result import StudyResult as StudyResult, StudyRow as StudyRow
from lissom.studies.statistics import StudySensitivity as StudySensitivity
from lissom.studies.study import Study as Study
from lissom.verbs.assembly import (
    Assembly as Assembly,
    ClosureForces as ClosureForces,
    assemble as assemble,
    closure_forces as closure_forces,
)
from lissom.verbs.compiled import CompiledFunction as CompiledFunction, compiled as compiled
from lissom.verbs.configuration_table import ConfigurationTable as ConfigurationTable, TableError as TableError
from lissom.verbs.count import OperationCount as OperationCount, count_operations as count_operations
from lissom.verbs.deformation import Deformation as Deformation, deformation as deformation
from lissom.verbs.dynamics import (
    bias_forces as bias_forces,
    coriolis_matrix as coriolis_matrix,
    forward_dynamics as forward_dynamics,
    gravity_forces as gravity_forces,
    inverse_dynamics as inverse_dynamics,
    mass_matrix as mass_matrix,
)
from lissom.verbs.energy import (
    centre_of_mass as centre_of_mass,
    kinetic_energy as kinetic_energy,
    momentum as momentum,
    potential_energy as potential_energy,
)
from lissom.verbs.formulations import FormulationInfo as FormulationInfo, formulations as formulations
from lissom.verbs.friction import (
    friction_parameters as friction_parameters,
    friction_regressor as friction_regressor,
    gear_loads as gear_loads,
)
from lissom.verbs.inverse_kinematics import (
    InverseKinematics as InverseKinematics,
    inverse_kinematics as inverse_kinematics,
)
from lissom.verbs.kinematics import (
    acceleration as acceleration,
    jacobian as jacobian,
    pose as pose,
    poses as poses,
    velocity as velocity,
)
from lissom.verbs.modes import (
    ArmModes as ArmModes,
    BeamModes as BeamModes,
    ModeConvergence as ModeConvergence,
    beam_modes as beam_modes,
    beam_tip as beam_tip,
    mode_convergence as mode_convergence,
    modes as modes,
)
from lissom.verbs.planar_model import PlanarModel as PlanarModel, planar_model as planar_model
from lissom.verbs.reactions import joint_reactions as joint_reactions
from lissom.verbs.sensitivity import (
    ForwardGradient as ForwardGradient,
    InverseGradient as InverseGradient,
    TorqueHessian as TorqueHessian,
    TorqueProduct as TorqueProduct,
    forward_dynamics_gradient as forward_dynamics_gradient,
    inertial_parameters as inertial_parameters,
    inverse_dynamics_gradient as inverse_dynamics_gradient,
    inverse_dynamics_hessian as inverse_dynamics_hessian,
    inverse_dynamics_product as inverse_dynamics_product,
    regressor as regressor,
    regressor_product as regressor_product,
)
from lissom.verbs.timing import FormulationTime as FormulationTime, time_formulations as time_formulations
from lissom.verbs.torque_parts import (
    TorqueParts as TorqueParts,
    inverse_dynamics_parts as inverse_dynamics_parts,
)
from lissom.views.films.animate import animate as animate
from lissom.views.films.film import Film as Film
from lissom.views.plots.plot import plot as plot
from lissom.views.scene.draw import draw as draw
from lissom.views.viewer.viewer import Viewer as Viewer, view as view

__version__: str
__all__: list[str]
