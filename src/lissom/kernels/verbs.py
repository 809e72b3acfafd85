"""The registry of verbs: one entry per function of an arm. Everything that depends on a verb is derived from its entry.

Limits of straight-line code are where it and the tape crossed when measured on generic arms (`benchmarks/`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lissom.dynamics import (
    coriolis,
    energy,
    forward,
    gradient,
    inverse,
    kinematics,
    mass,
    products,
    reactions,
    regressor,
)
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.refusals import refuse_closed_form, refuse_stretching
from lissom.engine.record import RECORDED
from lissom.kernels.forward_gradient import ForwardGradientFunction
from lissom.kernels.results import ForwardGradient, InverseGradient, TorqueHessian, TorqueProduct
from lissom.kernels.verb import Composition, Output, Program, Refused, Shapes, Verb
from lissom.loops import closure

VERBS: dict[str, Verb] = {}
Q, RATES, MOTION, FORCED = ("q",), ("q", "qd"), ("q", "qd", "qdd"), ("q", "qd", "tau")
TORQUES = "torques, drives, friction and springs included"
INTERNAL = Refused("it is not a public function")
NO_TORQUE_SLOPES = Refused(
    "torques of closed loops exist for consistent motions only, which have no derivatives with respect to each "
    "coordinate alone. For the open tree, use arm.replace(loops=()); forward_dynamics_gradient and linearise cover "
    "closed loops"
)


def _registered(verb: Verb) -> Verb:
    """Enter a verb."""
    assert verb.name not in VERBS, f"two verbs are called {verb.name}"
    VERBS[verb.name] = verb
    return verb


def _simple(program: Callable[..., None]) -> Callable[..., None]:
    """A program that is the same for straight-line code and for tapes."""
    return lambda run, bodies, acting, _tape: program(run, bodies, acting)


def _at_rest(rates: bool) -> Program:
    program = _simple(lambda run, b, s: inverse.program_at_rest(run, b, s, rates=rates))
    return Program(program, RECORDED, 12)


def _inertia(packed: bool, straight_up_to: int) -> Program:
    def program(run: Any, bodies: Bodies, acting: Acting, tape: bool) -> None:
        mass.program(run, bodies, acting, tape, packed=packed)

    return Program(program, RECORDED, straight_up_to)


def _slopes(of: str, rows: str, by: tuple[str, ...]) -> tuple[Output, ...]:
    return tuple(Output(f"{of}_{x}", f"{of}/{x}", f"d {of} / d {x}, row by row, rows are {rows}") for x in by)


def _vector(bodies: Bodies) -> Shapes:
    return ((bodies.arm.dof,),)


def _square(bodies: Bodies) -> Shapes:
    return ((bodies.arm.dof, bodies.arm.dof),)


# ---- dynamics ------------------------------------------------------------------------------------

_TORQUES = Program(_simple(inverse.program), RECORDED, 12)
INVERSE_DYNAMICS = _registered(Verb(
    "inverse_dynamics", MOTION, _vector, program=_TORQUES, flexible=_TORQUES, loops="closed", acted=True,
    batch_of_arms=True, single=True, outputs=(Output("tau", "tau", TORQUES),),
))  # fmt: skip
FORWARD_DYNAMICS = _registered(Verb(
    "forward_dynamics", FORCED, _vector, program=Program(forward.program, RECORDED, 8),
    flexible=Program(forward.program, RECORDED, 12), loops="closed", acted=True, batch_of_arms=True,
    inverts_inertia=True, checks_inertia=True, outputs=(Output("qdd", "qdd", "accelerations"),),
))  # fmt: skip
MASS_MATRIX = _registered(Verb(
    "mass_matrix", Q, _square, program=_inertia(False, 9), flexible=_inertia(False, 12), loops="tree",
    batch_of_arms=True, single=True, checks_inertia=True,
    outputs=(Output("M", "tau/qdd", "inertia, row by row, drives included"),),
))  # fmt: skip
PACKED_MASS_MATRIX = _registered(Verb(
    "packed_mass_matrix", Q, lambda b: ((b.arm.dof * (b.arm.dof + 1) // 2,),), program=_inertia(True, 9),
    flexible=_inertia(True, 12), loops="tree", checks_inertia=True, internal=True,
    shown_as=MASS_MATRIX.name, outputs=INTERNAL,
))  # fmt: skip
BIAS_FORCES = _registered(Verb(
    "bias_forces", RATES, _vector, program=_at_rest(True), flexible=_at_rest(True), loops="tree", batch_of_arms=True,
    single=True,
    outputs=(Output("h", "tau", "torques at zero acceleration"),),
))  # fmt: skip
GRAVITY_FORCES = _registered(Verb(
    "gravity_forces", Q, _vector, program=_at_rest(False), flexible=_at_rest(False), loops="tree", batch_of_arms=True,
    single=True,
    outputs=(Output("g", "tau", "torques that hold the arm at rest"),),
))  # fmt: skip
CORIOLIS_MATRIX = _registered(Verb(
    "coriolis_matrix", RATES, _square, program=Program(_simple(coriolis.program), RECORDED, 6),
    flexible=Program(
        _simple(coriolis.differentiated_program), tuple(products.GRADIENT_STEPS.values()), 6
    ),
    loops="tree", single=True, outputs=(Output("C", "tau/qd", "velocity forces by rates, row by row: C qd"),),
))  # fmt: skip


def _reactions(name: str, world: bool, outputs: tuple[Output, ...] | Refused, **more: Any) -> Verb:
    made = Program(_simple(lambda run, b, s: reactions.program(run, b, s, world)), RECORDED, 12)
    return Verb(
        name, MOTION, lambda b: ((len(b.links), 6),), program=made, flexible=made, loops="closed", acted=True,
        batch_of_arms=True, check=lambda arm: refuse_closed_form(arm, more.get("shown_as", name)), outputs=outputs,
        **more,
    )  # fmt: skip


JOINT_REACTIONS = _registered(_reactions(
    "joint_reactions", True, (Output("w", "N, N m", "force, then moment about the joint, on every link, world axes"),),
))  # fmt: skip
REACTIONS_IN_LINK_AXES = _registered(_reactions(
    "joint_reactions_in_link_axes", False, INTERNAL, internal=True, shown_as=JOINT_REACTIONS.name,
))  # fmt: skip

# ---- derivatives ---------------------------------------------------------------------------------

INVERSE_DYNAMICS_GRADIENT = _registered(Verb(
    "inverse_dynamics_gradient", MOTION, lambda b: _square(b) * 3,
    program=Program(_simple(gradient.program), RECORDED, 4),
    flexible=Program(_simple(products.jacobian_program), tuple(products.GRADIENT_STEPS.values()), 6),
    loops=NO_TORQUE_SLOPES, acted=True, batch_of_arms=True, single=True, record=InverseGradient,
    outputs=_slopes("tau", "torques", MOTION),
))  # fmt: skip
FORWARD_DYNAMICS_GRADIENT = _registered(Verb(
    "forward_dynamics_gradient", FORCED, lambda b: _square(b) * 3, program=None, flexible=None, loops="closed",
    composed=Composition((FORWARD_DYNAMICS.name, INVERSE_DYNAMICS_GRADIENT.name), ForwardGradientFunction),
    acted=True, batch_of_arms=True, record=ForwardGradient, inverts_inertia=True, checks_inertia=True,
    outputs=_slopes("qdd", "accelerations", FORCED),
))  # fmt: skip
_PRODUCT = Program(_simple(products.gradient_program), tuple(products.GRADIENT_STEPS.values()), 7)
INVERSE_DYNAMICS_PRODUCT = _registered(Verb(
    "inverse_dynamics_product", (*MOTION, "weights"), lambda b: _vector(b) * 3, program=_PRODUCT, flexible=_PRODUCT,
    loops=NO_TORQUE_SLOPES, acted=True, record=TorqueProduct,
    outputs=tuple(Output(f"by_{x}", f"tau/{x}", f"weights times d tau / d {x}") for x in MOTION),
))  # fmt: skip
_CURVATURE = Program(_simple(products.hessian_program), tuple(products.HESSIAN_STEPS.values()), 3)
INVERSE_DYNAMICS_HESSIAN = _registered(Verb(
    "inverse_dynamics_hessian", (*MOTION, "weights"), lambda b: _square(b) * 4, program=_CURVATURE,
    flexible=_CURVATURE, loops=NO_TORQUE_SLOPES, acted=True, record=TorqueHessian,
    outputs=Refused("second derivatives are not available in C"),
))  # fmt: skip
REGRESSOR = _registered(Verb(
    "regressor", MOTION, lambda b: ((b.arm.dof, 10 * len(b.links)),),
    program=Program(_simple(lambda run, b, _s: regressor.program(run, b)), RECORDED, 4),
    flexible=Refused("regressor is not available yet for arms with flexible links."), loops="tree",
    outputs=(Output("Y", "tau per parameter", "row by row, ten columns per link"),),
))  # fmt: skip

REGRESSOR_GRADIENT = _registered(Verb(
    "regressor_gradient", (*MOTION, "weights"), lambda b: _vector(b) * 3,
    program=Program(
        _simple(lambda run, b, _s: products.regressor_gradient_program(run, b)),
        tuple(products.GRADIENT_STEPS.values()), 2,
    ),
    flexible=Refused("regressor_product is not available yet for arms with flexible links."), loops="tree",
    record=TorqueProduct, internal=True, shown_as="regressor_product", outputs=INTERNAL,
    lengths=lambda b: (b.arm.dof,) * 3 + (b.arm.dof * regressor.PARAMETERS * len(b.links),),
))  # fmt: skip

# ---- energies ------------------------------------------------------------------------------------


def _balance(
    name: str, arguments: tuple[str, ...], size: int, program: Any, outputs: tuple[Output, ...] | Refused, **more: Any
) -> Verb:
    made = Program(_simple(program), RECORDED, 12)
    return Verb(name, arguments, lambda _: ((size,),), made, made, "tree", outputs, **more)


ENERGIES = _registered(_balance("energies", RATES, 2, energy.both, INTERNAL, batch_of_arms=True, internal=True))
KINETIC_ENERGY = _registered(_balance(
    "kinetic_energy", RATES, 1, energy.kinetic, (Output("T", "J", "kinetic energy"),), scalar=True, batch_of_arms=True,
))  # fmt: skip
POTENTIAL_ENERGY = _registered(_balance(
    "potential_energy", Q, 1, energy.potential, (Output("V", "J", "potential energy"),), scalar=True,
    batch_of_arms=True,
))  # fmt: skip
MOMENTUM = _registered(_balance(
    "momentum", RATES, 6, energy.momentum,
    (Output("p", "kg m/s, kg m^2/s", "linear, then angular about the world's origin"),),
))  # fmt: skip
CENTRE_OF_MASS = _registered(_balance(
    "centre_of_mass", Q, 3, energy.first_moment, Refused("it is not available in C"),
))  # fmt: skip

# ---- kinematics ----------------------------------------------------------------------------------


def _kinematic(name: str, arguments: tuple[str, ...], shapes: Any, program: Any, output: Output, **more: Any) -> Verb:
    """Always a tape, since every frame has its own functions and compiling must be cheap."""
    made = Program(_simple(program), RECORDED, 0)
    return Verb(name, arguments, shapes, made, made, "tree", (output,), needs_inertia=False, batch_of_arms=True, **more)


POSES = _registered(_kinematic(
    "poses", Q, lambda b: ((len(b.links), 4, 4),), kinematics.poses,
    Output("X", "1, m", "4 x 4 pose of every link in the world, row by row"),
))  # fmt: skip
POSE = _registered(_kinematic(
    "pose", Q, lambda _: ((4, 4),), kinematics.pose,
    Output("X", "1, m", "4 x 4 pose of {frame} in the world, row by row"), frame=True,
))  # fmt: skip
JACOBIAN = _registered(_kinematic(
    "jacobian", Q, lambda b: ((6, b.arm.dof),), kinematics.jacobian,
    Output("J", "velocity/qd", "6 rows: linear, then angular velocity of {frame}, world axes"), frame=True,
))  # fmt: skip
VELOCITY = _registered(_kinematic(
    "velocity", RATES, lambda _: ((6,),), kinematics.velocity,
    Output("v", "m/s, rad/s", "linear, then angular, of {frame}, world axes"), frame=True,
))  # fmt: skip
ACCELERATION = _registered(_kinematic(
    "acceleration", MOTION, lambda _: ((6,),), kinematics.acceleration,
    Output("a", "m/s^2, rad/s^2", "linear, then angular, of {frame}, world axes"), frame=True,
))  # fmt: skip
_CLOSURE = Program(_simple(lambda run, b, _s: closure.program(run, b)), RECORDED, 0)
CLOSURE = _registered(Verb(
    "closure", RATES, closure.shapes, program=_CLOSURE, flexible=_CLOSURE, loops="tree", outputs=INTERNAL,
    needs_inertia=False, stations=closure.stations, check=lambda arm: refuse_stretching(arm, closure.VERB),
    internal=True,
))  # fmt: skip
