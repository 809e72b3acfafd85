"""The compiled functions of an arm, made when first asked and kept with it.

Straight-line code for few coordinates, a tape for many; `backend` forces "straight", "tape" or
"numpy". Limits are where the two crossed when measured on generic arms (`benchmarks/`).
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import lissom.dynamics
import lissom.engine
from lissom.dynamics import energy, forward, gradient, inverse, kinematics, mass, products, regressor
from lissom.dynamics.bodies import Bodies, refuse_unready
from lissom.dynamics.inverse import Setting
from lissom.engine.function import Function
from lissom.engine.kernel import graph_of, straight_kernel, tape_kernel
from lissom.engine.program import Plain, Step
from lissom.errors import InputError, SolveError
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_points, as_state

BACKENDS = ("straight", "tape", "numpy")


class Recipe(NamedTuple):
    """How a function is made.

    arguments : names of its state arguments
    program : ``program(run, bodies, setting, tape)``
    steps : of the tape
    limit : coordinates up to which straight-line code is the better one
    shapes : of its results, from the numbers of coordinates and links
    dynamics : it needs inertia; what only moves is there for more arms
    """

    arguments: tuple[str, ...]
    program: Callable[[Any, Bodies, Setting, bool], None]
    steps: tuple[Step, ...]
    limit: int
    shapes: Callable[[int, int], tuple[tuple[int, ...], ...]]
    dynamics: bool = True


def _vector(n: int, _links: int) -> tuple[tuple[int, ...], ...]:
    return ((n,),)


def _without_motion(run: Any, bodies: Bodies, setting: Setting, rates: bool) -> None:
    """Torques at zero acceleration, and at zero rates unless `rates`."""
    n = len(bodies)
    q = run.input(n)
    qd = run.input(n) if rates else run.constant(np.zeros(n))
    base, loads = inverse.base_motion(run, bodies.arm, setting), inverse.read_loads(run, bodies.arm, setting)
    run.output(*inverse.joint_torques(run, bodies, q, qd, run.constant(np.zeros(n)), base, loads))


def _forward(run: Any, bodies: Bodies, setting: Setting, tape: bool) -> None:
    (forward.program_by_bodies if tape else forward.program_by_matrix)(run, bodies, setting)


def _kinematic(arguments: tuple[str, ...], program: Any, shapes: Any) -> Recipe:
    """Always a tape: every frame has functions of its own, which must cost little to make."""
    return Recipe(arguments, lambda run, b, s, _: program(run, b, s), kinematics.STEPS, 0, shapes, dynamics=False)


RECIPES = {
    "inverse_dynamics": Recipe(
        ("q", "qd", "qdd"), lambda run, b, s, _: inverse.program(run, b, s), inverse.STEPS, 12, _vector
    ),
    "bias_forces": Recipe(
        ("q", "qd"), lambda run, b, s, _: _without_motion(run, b, s, True), inverse.STEPS, 12, _vector
    ),
    "gravity_forces": Recipe(
        ("q",), lambda run, b, s, _: _without_motion(run, b, s, False), inverse.STEPS, 12, _vector
    ),
    "mass_matrix": Recipe(
        ("q",), lambda run, b, _, tape: mass.program(run, b, tape), mass.WORLD_STEPS, 9, lambda n, _: ((n, n),)
    ),
    "packed_mass_matrix": Recipe(
        ("q",), lambda run, b, _, tape: mass.program(run, b, tape, packed=True), mass.WORLD_STEPS, 9,
        lambda n, _: ((n * (n + 1) // 2,),),
    ),
    "forward_dynamics": Recipe(("q", "qd", "tau"), _forward, forward.STEPS, 8, _vector),
    "inverse_dynamics_gradient": Recipe(
        ("q", "qd", "qdd"), lambda run, b, s, *_: gradient.program(run, b, s), gradient.STEPS, 4,
        lambda n, _: ((n, n), (n, n), (n, n)),
    ),
    "inverse_dynamics_product": Recipe(
        ("q", "qd", "qdd", "weights"), lambda run, b, s, *_: products.gradient_program(run, b, s),
        tuple(products.GRADIENT_STEPS.values()), 7, lambda n, _: ((n,),) * 3,
    ),
    "inverse_dynamics_hessian": Recipe(
        ("q", "qd", "qdd", "weights"), lambda run, b, s, *_: products.hessian_program(run, b, s),
        tuple(products.HESSIAN_STEPS.values()), 3, lambda n, _: ((n, n),) * 4,
    ),
    "regressor": Recipe(
        ("q", "qd", "qdd"), lambda run, b, *_: regressor.program(run, b), regressor.STEPS, 4,
        lambda n, links: ((n, 10 * links),),
    ),
    "energies": Recipe(
        ("q", "qd"), lambda run, b, *_: energy.program(run, b), energy.STEPS, 12, lambda *_: ((2,), (3,), (6,))
    ),
    "poses": _kinematic(("q",), lambda run, b, _: kinematics.poses(run, b), lambda _, links: ((links, 4, 4),)),
    "pose": _kinematic(("q",), kinematics.pose, lambda *_: ((4, 4),)),
    "jacobian": _kinematic(("q",), kinematics.jacobian, lambda n, _: ((6, n),)),
    "velocity": _kinematic(("q", "qd"), kinematics.velocity, lambda *_: ((6,),)),
    "acceleration": _kinematic(("q", "qd", "qdd"), kinematics.acceleration, lambda *_: ((6,),)),
}  # fmt: skip


class Library:
    """Functions of one arm."""

    def __init__(self, arm: Arm):
        self.arm = arm
        self.bodies = Bodies(arm)
        self.frames = Bodies(arm, rounded=False)
        self._made: dict[tuple[str, Setting | None, str | None], Function] = {}

    def get(self, name: str, setting: Setting | None = None, backend: str | None = None) -> Function:
        """A function, compiled on first use."""
        key = (name, setting, backend)
        if key not in self._made:
            self._made[key] = self._make(name, setting or Setting(), backend)
        return self._made[key]

    @staticmethod
    def setting(loads: Sequence[str] = (), base: bool = False, frame: str | None = None) -> Setting:
        """What a function is about besides the joints: frames that carry loads, a moving base, a frame to watch."""
        return Setting(tuple(loads), base, frame)

    def _make(self, name: str, setting: Setting, backend: str | None) -> Function:
        recipe, n = RECIPES[name], self.arm.dof
        if recipe.dynamics:
            refuse_unready(self.arm)
        chosen = self._choose(recipe, backend)
        extra = (
            [("base", 9)] * setting.base
            + [("load", 9)] * len(setting.loads)
            + [("point", 3)] * (setting.frame is not None)
        )
        arguments = [*recipe.arguments, *(word for word, _ in extra)]
        sizes = [n] * len(recipe.arguments) + [size for _, size in extra]
        shapes = recipe.shapes(n, len(self.bodies.links))
        bodies = self.bodies if recipe.dynamics else self.frames
        program = lambda run: recipe.program(run, bodies, setting, chosen == "tape")  # noqa: E731
        kernel = None
        if chosen == "straight":
            lengths = [int(np.prod(shape)) for shape in shapes]
            key = f"{name}|{setting}|{self.digest}|{sources()}"
            kernel = straight_kernel(key, sizes, lengths, lambda: graph_of(program))
        elif chosen == "tape":
            kernel = tape_kernel(f"{name}|{sources()}", recipe.steps, program)
        function = Function(name, arguments, sizes, shapes, program, kernel, self._explain(name))
        function.read = functools.partial(self._read, name, arguments, len(recipe.arguments))
        return function

    def _choose(self, recipe: Recipe, backend: str | None) -> str:
        if backend is not None:
            if backend not in BACKENDS:
                raise InputError(f"backend is {backend!r}; expected one of {', '.join(BACKENDS)}.")
            return backend
        if not compiler_present():
            return "numpy"
        return "straight" if len(self.bodies) <= recipe.limit else "tape"

    def _read(self, name: str, arguments: Sequence[str], states: int, value: ArrayLike, k: int) -> Array:
        """Coordinates may be short; base and loads were checked when they were made."""
        if type(value) is np.ndarray and value.dtype == float and value.ndim and value.shape[-1] == self.arm.dof:
            return value  # the kernel looks for what is not finite
        if k < states:
            return as_state(self.arm, value, arguments[k], name)
        return as_points(value, "point", name) if arguments[k] == "point" else np.asarray(value, float)

    def _explain(self, name: str) -> Callable[..., None]:
        def explain(*inputs: Array) -> None:
            if name == "forward_dynamics":
                self._refuse_singular(inputs[0])
            raise SolveError(f"{name}: the result is not finite although all inputs are; the numbers overflow.")

        return explain

    def _refuse_singular(self, q: Array) -> None:
        """Name the joint whose pivot vanishes."""
        run = Plain([q[None]])
        mass.program(run, self.bodies, tape=True)
        n = len(self.bodies)
        M = np.array([float(np.asarray(x).ravel()[0]) for x in run.outputs[0]]).reshape(n, n)
        for k in range(n - 1, -1, -1):
            if not M[k, k] > 1e-13 * np.abs(np.diag(M)).max():
                joint = self.bodies.list[k].joint
                raise SolveError(
                    f"forward_dynamics: the inertia is singular at this position: joint {joint!r} moves no inertia, "
                    "so its acceleration is undetermined. Move away from it, or give the joint armature."
                )
            M[:k, :k] -= np.outer(M[:k, k], M[k, :k]) / M[k, k]

    @functools.cached_property
    def digest(self) -> str:
        """Fingerprint of every number that goes into straight-line code."""
        arm, bodies = self.arm, self.bodies
        parts: list[Any] = [arm.gravity, *(load for load in arm.loads)]
        for body in bodies.list:
            parts += [body.parent, body.prismatic, inverse.constants_of(body), *body[7:12]]
        places = [(word, *bodies.place(word)) for word in arm.frames]
        places = [(word, body, X.tolist()) for word, body, X in places]
        text = repr([p.digest if hasattr(p, "digest") else np.asarray(p).tolist() for p in parts] + places)
        return hashlib.sha256(text.encode()).hexdigest()


def library(arm: Arm) -> Library:
    """The functions of an arm; they live as long as it does."""
    made = arm.__dict__.get("_library")
    if made is None:
        made = arm.__dict__["_library"] = Library(arm)
    return made


@functools.cache
def compiler_present() -> bool:
    """llvmlite and casadi are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("llvmlite", "casadi"))


@functools.cache
def sources() -> str:
    """Fingerprint of the code that makes kernels: cached ones of another version are not used."""
    digest = hashlib.sha256()
    for package in (lissom.engine, lissom.dynamics):
        for path in sorted(Path(package.__path__[0]).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
