"""Recipes of an arm's functions: program, tape steps, and the size limit for straight-line code.

Limits are where straight-line code and the tape crossed when measured on generic arms (`benchmarks/`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lissom.dynamics import energy, forward, gradient, inverse, kinematics, mass, products, regressor
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.inverse import Setting
from lissom.engine.step import Step
from lissom.loops import closure


class Recipe(NamedTuple):
    """The recipe of a function: its program, inputs, results and steps.

    arguments : names of its state arguments
    program : ``program(run, bodies, setting, tape)``
    steps : of the tape
    limit : coordinates up to which straight-line code is the better one
    shapes : of its results
    dynamics : it needs inertia; what only moves is there for more arms
    order : of the derivatives in it
    """

    arguments: tuple[str, ...]
    program: Callable[[Any, Bodies, Setting, bool], None]
    steps: tuple[Step, ...]
    limit: int
    shapes: Callable[[Bodies], tuple[tuple[int, ...], ...]]
    dynamics: bool = True
    order: int = 0


def _vector(bodies: Bodies) -> tuple[tuple[int, ...], ...]:
    return ((bodies.arm.dof,),)


def _square(bodies: Bodies) -> tuple[tuple[int, ...], ...]:
    return ((bodies.arm.dof, bodies.arm.dof),)


def _balance(arguments: tuple[str, ...], program: Any, size: int) -> Recipe:
    return Recipe(arguments, lambda run, b, s, _: program(run, b, s), energy.STEPS, 12, lambda _: ((size,),))


def _kinematic(arguments: tuple[str, ...], program: Any, shapes: Any) -> Recipe:
    """A recipe of kinematics: always a tape, since every frame has its own functions and compiling must be cheap."""
    return Recipe(arguments, lambda run, b, s, _: program(run, b, s), kinematics.STEPS, 0, shapes, dynamics=False)


RECIPES = {
    "inverse_dynamics": Recipe(
        ("q", "qd", "qdd"), lambda run, b, s, _: inverse.program(run, b, s), inverse.STEPS, 12, _vector
    ),
    "bias_forces": Recipe(
        ("q", "qd"), lambda run, b, s, _: inverse.program_at_rest(run, b, s, rates=True), inverse.STEPS, 12, _vector
    ),
    "gravity_forces": Recipe(
        ("q",), lambda run, b, s, _: inverse.program_at_rest(run, b, s, rates=False), inverse.STEPS, 12, _vector
    ),
    "mass_matrix": Recipe(
        ("q",), lambda run, b, s, tape: mass.program(run, b, s, tape), mass.WORLD_STEPS, 9, _square
    ),
    "packed_mass_matrix": Recipe(
        ("q",), lambda run, b, s, tape: mass.program(run, b, s, tape, packed=True), mass.WORLD_STEPS, 9,
        lambda b: ((b.arm.dof * (b.arm.dof + 1) // 2,),),
    ),
    "forward_dynamics": Recipe(("q", "qd", "tau"), forward.program, forward.STEPS, 8, _vector),
    "inverse_dynamics_gradient": Recipe(
        ("q", "qd", "qdd"), lambda run, b, s, *_: gradient.program(run, b, s), gradient.STEPS, 4,
        lambda b: _square(b) * 3,
    ),
    "inverse_dynamics_product": Recipe(
        ("q", "qd", "qdd", "weights"), lambda run, b, s, *_: products.gradient_program(run, b, s),
        tuple(products.GRADIENT_STEPS.values()), 7, lambda b: _vector(b) * 3, order=1,
    ),
    "inverse_dynamics_hessian": Recipe(
        ("q", "qd", "qdd", "weights"), lambda run, b, s, *_: products.hessian_program(run, b, s),
        tuple(products.HESSIAN_STEPS.values()), 3, lambda b: _square(b) * 4, order=2,
    ),
    "regressor": Recipe(
        ("q", "qd", "qdd"), lambda run, b, *_: regressor.program(run, b), regressor.STEPS, 4,
        lambda b: ((b.arm.dof, 10 * len(b.links)),),
    ),
    "energies": Recipe(("q", "qd"), lambda run, b, s, _: energy.both(run, b, s), energy.STEPS, 12, lambda _: ((2,),)),
    "kinetic_energy": _balance(("q", "qd"), energy.kinetic, 1),
    "potential_energy": _balance(("q",), energy.potential, 1),
    "centre_of_mass": _balance(("q",), energy.first_moment, 3),
    "momentum": _balance(("q", "qd"), energy.momentum, 6),
    "poses": _kinematic(("q",), kinematics.poses, lambda b: ((len(b.links), 4, 4),)),
    "pose": _kinematic(("q",), kinematics.pose, lambda _: ((4, 4),)),
    "jacobian": _kinematic(("q",), kinematics.jacobian, lambda b: ((6, b.arm.dof),)),
    "velocity": _kinematic(("q", "qd"), kinematics.velocity, lambda _: ((6,),)),
    "acceleration": _kinematic(("q", "qd", "qdd"), kinematics.acceleration, lambda _: ((6,),)),
    "closure": Recipe(
        ("q", "qd"), lambda run, b, *_: closure.program(run, b), closure.STEPS, 0, closure.shapes, dynamics=False
    ),
}  # fmt: skip
# where flexible links need another way, or cross over elsewhere
FLEXIBLE_RECIPES = {
    **{name: RECIPES[name]._replace(limit=12) for name in ("mass_matrix", "packed_mass_matrix", "forward_dynamics")},
    "inverse_dynamics_gradient": Recipe(
        ("q", "qd", "qdd"), lambda run, b, s, *_: products.jacobian_program(run, b, s),
        tuple(products.GRADIENT_STEPS.values()), 6, lambda b: _square(b) * 3, order=1,
    ),
}  # fmt: skip


class Plan(NamedTuple):
    """A recipe applied to the bodies of an arm, ready to be compiled.

    arguments, sizes : names and lengths of its inputs
    """

    recipe: Recipe
    bodies: Bodies
    setting: Setting
    arguments: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the results for one state."""
        return self.recipe.shapes(self.bodies)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Steps of the tape, including those of flexible links."""
        if self.recipe.order:
            return (*self.recipe.steps, *products.steps_of(self.bodies, self.recipe.order, self.setting).values())
        varied = self.setting.varied
        return (*self.recipe.steps, *self.bodies.steps, *(() if varied is None else varied.steps))

    def program(self, tape: bool) -> Callable[[Any], None]:
        """The program, for straight-line code or for a tape."""
        return lambda run: self.recipe.program(run, self.bodies, self.setting, tape)
