"""The compiled functions of an arm, compiled on first use and cached with it.

Straight-line code for few coordinates, a tape for many (`recipes`); `backend` forces "straight", "tape" or
"numpy".
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import math
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics import forward, inverse, mass
from lissom.dynamics.bodies import Bodies, refuse_unready
from lissom.dynamics.inverse import INERTIA, Setting
from lissom.elements.pivots import NEGLIGIBLE
from lissom.engine import kernel
from lissom.engine.blocks import boxes, rows_in_room, taken
from lissom.engine.function import FLOAT, Function
from lissom.engine.program import Plain
from lissom.errors import InputError, SolveError, UnsupportedError
from lissom.later import cached_property
from lissom.loops import closure
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs import forward_slopes
from lissom.verbs.call import is_short_lived
from lissom.verbs.checked import Checked
from lissom.verbs.definite import warn_of_indefinite, words
from lissom.verbs.forward_slopes import ForwardSlopes
from lissom.verbs.recipes import FLEXIBLE_RECIPES, RECIPES, Plan, Recipe
from lissom.verbs.states import as_points, as_state

if TYPE_CHECKING:
    from lissom.dynamics.varied import Varied

BACKENDS = ("straight", "tape", "numpy")
RIGID_ONLY = ("regressor",)
CHECKED = ("mass_matrix", "packed_mass_matrix", "forward_dynamics")  # of truncated inertia


class Library:
    """The compiled functions of one arm."""

    def __init__(self, arm: Arm):
        self.arm = arm
        self.bodies = Bodies(arm)
        self._made: dict[tuple[str, Setting | None, str | None, str | None], Function] = {}
        self._lock, self._process = threading.RLock(), os.getpid()

    @cached_property
    def frames(self) -> Bodies:
        """The bodies with unrounded numbers, for kinematics; dynamics uses rounded ones."""
        return Bodies(self.arm, rounded=False)

    def get(
        self, name: str, setting: Setting | None = None, backend: str | None = None, method: str | None = None
    ) -> Function:
        """A function, compiled on first use; `method` names a formulation."""
        key = (name, setting, backend, method)
        if key not in self._made:
            with self._making():
                if key not in self._made:
                    self._made[key] = self._make(name, setting or Setting(), backend, method)
        return self._made[key]

    def _making(self) -> threading.RLock:
        """The compile lock of this process; a forked child makes a new one, as its holder may not exist there."""
        if self._process != os.getpid():
            self._lock, self._process = threading.RLock(), os.getpid()
        return self._lock

    @staticmethod
    def setting(
        loads: Sequence[str] = (),
        base: bool = False,
        frame: str | None = None,
        payloads: Sequence[str] = (),
        varied: Varied | None = None,
    ) -> Setting:
        """The setting of a function: frames of loads, base motion, output frame, frames of payloads, varied numbers."""
        return Setting(tuple(loads), base, frame, tuple(payloads), varied)

    def plan(self, name: str, setting: Setting | None = None, method: str | None = None) -> Plan:
        """The plan of a function, before code is chosen; raises an error where the arm does not support it."""
        setting = setting or Setting()
        recipe, n = RECIPES[name], self.arm.dof
        if self.bodies.flexible:
            recipe = FLEXIBLE_RECIPES.get(name, recipe)
        if recipe.dynamics:
            refuse_unready(self.arm)
        if name == "closure":
            closure.refuse_linear(self.arm)
        if self.bodies.flexible and name in RIGID_ONLY:
            raise UnsupportedError(f"{name} is not available yet for arms with flexible links.")
        if method is not None:
            recipe = self._formulated(recipe, name, method, setting)
        extra = (
            [("base", 9)] * setting.base
            + [("load", 9)] * len(setting.loads)
            + [("point", 3)] * (setting.frame is not None)
            + [("payload", INERTIA)] * len(setting.payloads)
            + ([("arm", setting.varied.size)] if setting.varied is not None else [])
        )
        bodies = self._bodies(recipe, setting, closure.stations(self.arm) if name == "closure" else ())
        arguments = (*recipe.arguments, *(word for word, _ in extra))
        sizes = (*[n] * len(recipe.arguments), *(size for _, size in extra))
        return Plan(recipe, bodies, setting, arguments, sizes)

    def _make(self, name: str, setting: Setting, backend: str | None, method: str | None) -> Function:
        if name == forward_slopes.NAME:
            return ForwardSlopes(self, setting)
        plan = self.plan(name, setting, method)
        recipe, bodies, _, arguments, sizes = plan
        chosen = self._choose(recipe, backend)
        shapes, program = plan.shapes, plan.program(chosen == "tape")
        code = None
        lengths = [math.prod(shape) for shape in shapes]
        if chosen == "straight":
            key = f"{name}|{method}|{setting}|{digest(bodies)}|{sources()}"
            code = kernel.straight_kernel(key, sizes, lengths, lambda: kernel.graph_of(program))
        elif chosen == "tape":
            code = kernel.tape_kernel(f"{name}|{sources()}", sizes, lengths, plan.steps, program)
        label = name.removeprefix("packed_")
        checked = self.bodies.truncated and method is None and name in CHECKED
        parts = (label, arguments, sizes, shapes, program, code, self._explain(label, method, setting))
        function = Checked(*parts) if checked else Function(*parts)
        if label == "forward_dynamics" and method is None:
            function.rescue = lambda rows: self._rescued(bodies, setting, rows)
        function.read = self.reader(label, arguments, sizes, len(recipe.arguments))
        if isinstance(function, Checked):
            function.check_by(lambda given: self.look(label, given, setting))
        return function

    def look(self, verb: str, given: Sequence[Any], setting: Setting | None = None) -> None:
        """Warn of inertia that truncation made indefinite, at the positions (..., dof) that a function was given."""
        setting = setting or Setting()
        inertia = self.get("mass_matrix", setting.of_bodies if setting.own_inputs else None)
        own = [np.asarray(x, float) for x in (given[0], *given[len(given) - setting.own_inputs :])]
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in own))
        for box in boxes(batch, rows_in_room(16 * self.arm.dof**2)):
            M = Function.__call__(inertia, *(taken(x, batch, box) for x in own))  # the function itself would look again
            if warn_of_indefinite(self.arm, M, verb, spot=(batch, box.first)):
                break

    def reader(
        self, name: str, arguments: Sequence[str], sizes: Sequence[int], states: int
    ) -> Callable[[ArrayLike, int], Array]:
        """The function that converts argument k into an array."""
        return functools.partial(self._read, name, arguments, sizes, states)

    def _bodies(self, recipe: Recipe, setting: Setting, more: Iterable[str]) -> Bodies:
        """The bodies, with the requested places along beams; standing loads are included for dynamics only."""
        frames = (*setting.loads, setting.frame or "", *more)
        if not recipe.dynamics:
            return self.frames.with_stations(frames)
        return self.bodies.with_stations((*frames, *inverse.standing_frames(self.arm)))

    def _formulated(self, recipe: Recipe, name: str, method: str, setting: Setting) -> Recipe:
        """The recipe of a published formulation, which has no tape."""
        from lissom.formulations import catalogue

        f = catalogue.find(method, name)
        catalogue.refuse_uncovered(f, self.arm, self.bodies, setting, name)
        program = catalogue.program(f, name)
        return recipe._replace(program=lambda run, b, s, _: program(run, b, s), steps=(), limit=f.limit_of(name))

    def _choose(self, recipe: Recipe, backend: str | None) -> str:
        if backend == "tape" and not recipe.steps:
            raise InputError("backend is 'tape'; a formulation runs as 'straight' or 'numpy'.")
        if backend is not None:
            if backend not in BACKENDS:
                raise InputError(f"backend is {backend!r}; expected one of {', '.join(BACKENDS)}.")
            return backend
        if not compiler_present():
            _warn_of_slowness()
            return "numpy"
        if self.bodies.dof <= recipe.limit and not (is_short_lived(self.arm) and recipe.steps):
            return "straight"
        return "tape" if recipe.steps else "numpy"

    def _read(
        self, name: str, arguments: Sequence[str], sizes: Sequence[int], states: int, value: ArrayLike, k: int
    ) -> Array:
        """Convert arguments: coordinates may have one entry per joint; base and loads are validated already."""
        if type(value) is np.ndarray and value.dtype == FLOAT and value.ndim and value.shape[-1] == sizes[k]:
            return value  # the kernel looks for what is not finite
        if k < states:
            return as_state(self.arm, value, arguments[k], name)
        return as_points(value, "point", name) if arguments[k] == "point" else np.asarray(value, float)

    def _explain(self, name: str, method: str | None, setting: Setting) -> Callable[..., None]:
        def explain(where: str, *inputs: Array) -> None:
            if name == "forward_dynamics":
                self._refuse_singular(where, setting.of_bodies, inputs[0], *inputs[len(inputs) - setting.own_inputs :])
                if method is not None and self.bodies.flexible:
                    self._refuse_indefinite(where, inputs[0], method)
            raise SolveError(f"{name}: the result{where} is not finite although all inputs are; the numbers overflow.")

        return explain

    def _rescued(self, bodies: Bodies, setting: Setting, rows: list[Array]) -> list[Array]:
        """Accelerations found without the guard, NaN where inverse dynamics does not give torques back.

        Other torques are tried as well: those given may happen to suit a singular inertia.
        """
        q, qd, tau, *extra = rows
        still = _on_numpy(inverse.program, bodies, setting, [q, qd, np.zeros_like(q), *extra])
        scale = np.abs(tau).max(axis=-1, keepdims=True) + np.abs(still).max(axis=-1, keepdims=True)
        other = tau + scale * np.random.default_rng(0).uniform(-1.0, 1.0, tau.shape)
        good, found = np.ones(len(q), bool), tau
        for torques in (other, tau):
            found = _on_numpy(forward.program_unguarded, bodies, setting, [q, qd, torques, *extra])
            again = _on_numpy(inverse.program, bodies, setting, [q, qd, found, *extra])
            good &= (np.abs(again - torques) <= forward.RETURNED * scale).all(axis=-1)
        return [np.where(good[:, None], found, np.nan)]

    def _refuse_indefinite(self, where: str, q: Array, method: str) -> None:
        """Raise the error for a truncated inertia that is no longer positive definite."""
        M = self.get("mass_matrix", method=method)(q)
        if np.isfinite(M).all():
            raise SolveError(f"forward_dynamics{where}: {words(self.arm, np.linalg.eigvalsh(M)[0], closed_form=True)}")

    def _refuse_singular(self, where: str, setting: Setting, *given: Array) -> None:
        """Raise an error that names the joint whose pivot vanishes."""
        run = Plain([x[None] for x in given])
        mass.program(run, self.bodies, setting, tape=True)
        n = self.bodies.dof
        M = np.array([float(np.asarray(x).ravel()[0]) for x in run.outputs[0]]).reshape(n, n)
        locked, whole = np.diag(M).copy(), M.copy()
        for k in range(n - 1, -1, -1):
            if not M[k, k] > NEGLIGIBLE * locked[k]:
                joint = self.arm.coordinates[k]
                written = [link.name for link in self.arm.links if link.as_written]
                if written and M[k, k] < 0:
                    raise SolveError(
                        f"forward_dynamics: the mass matrix{where} is not positive definite at joint {joint!r}: the "
                        f"inertia of link {written[0]!r} is unphysical and taken as written"
                        f"{f' (so are {len(written) - 1} others)' if len(written) > 1 else ''}. Correct it, or load "
                        "the arm with repair=True."
                    )
                from lissom.verbs.singular_inertia import directions_without_inertia, sentence, taking_part

                found = directions_without_inertia(whole[None]) if np.isfinite(whole).all() else np.zeros((n, 0))
                raise SolveError(
                    f"forward_dynamics: the inertia is singular at this position{where}: "
                    f"{sentence(self.arm, taking_part(self.arm, found) or [joint])}"
                )
            M[:k, :k] -= np.outer(M[:k, k], M[k, :k]) / M[k, k]


def _on_numpy(program: Callable[..., None], bodies: Bodies, setting: Setting, rows: list[Array]) -> Array:
    """Run a program with one result on NumPy arrays."""
    run = Plain(rows)
    with np.errstate(all="ignore"):
        program(run, bodies, setting)
        return np.stack([np.broadcast_to(x, len(rows[0])) for x in run.outputs[0]], axis=-1)


def digest(bodies: Bodies) -> str:
    """Fingerprint of everything about an arm that goes into straight-line code."""
    arm = bodies.arm
    parts: list[Any] = [arm.gravity, *arm.loads, *arm.loops, *(bodies.coupling or ())]
    for body in bodies.list:
        parts += [body.parent, body.prismatic, inverse.constants_of(body), *body[7:12], body.coordinate]
        parts += [body.beam_owner, body.mount]
        if body.beam is not None:
            parts += [body.beam.layout.key, body.beam.values]
    text = repr([p.digest if hasattr(p, "digest") else np.asarray(p).tolist() for p in parts]) + bodies.places_text
    return hashlib.sha256(text.encode()).hexdigest()


def library(arm: Arm) -> Library:
    """The compiled functions of an arm; they live as long as the arm."""
    made = arm.__dict__.get("_library")
    if made is None:
        made = arm.__dict__.setdefault("_library", Library(arm))  # another thread may have made it
    return made


@functools.cache
def compiler_present() -> bool:
    """Whether llvmlite and casadi are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("llvmlite", "casadi"))


@functools.cache
def _warn_of_slowness() -> None:
    """Warn once that nothing can be compiled."""
    warnings.warn("llvmlite or casadi is not installed: everything runs on NumPy, correct but a thousand times slower.",
                  RuntimeWarning, stacklevel=2)  # fmt: skip


@functools.cache
def sources(*more: str) -> str:
    """Fingerprint of the code that makes kernels, `more` rooms too: cached ones of another version are not used."""
    total = hashlib.sha256()
    house = Path(str(kernel.__file__)).parents[1]
    rooms = ("engine", "spatial", "joints", "elements", "dynamics", "formulations", "loops", *more)
    for path in (house / "records.py", *(path for room in rooms for path in sorted((house / room).rglob("*.py")))):
        total.update(path.read_bytes())
    return total.hexdigest()
