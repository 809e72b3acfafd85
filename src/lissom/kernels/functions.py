"""The compiled functions of an arm, compiled on first use and stored with it.

Straight-line code for few coordinates, a tape for many (`verbs`); `backend` forces "straight", "tape" or "numpy".
"""

from __future__ import annotations

import functools
import importlib.util
import math
import os
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.acting import Acting, standing_frames
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.refusals import refuse_unready
from lissom.dynamics.stations import along_beam
from lissom.engine import kernel
from lissom.engine.blocks import boxes, rows_in_room, taken
from lissom.engine.function import FLOAT, Function
from lissom.engine.kernel import Kernel
from lissom.engine.record import RECORDED
from lissom.errors import InputError, UnsupportedError
from lissom.kernels.arguments import ORIGIN, as_frame, as_points, as_state
from lissom.kernels.checked import Checked
from lissom.kernels.explain import Explanation, rescued
from lissom.kernels.plan import Plan
from lissom.kernels.positive_definiteness import warn_of_indefinite
from lissom.kernels.single import SingleFunction
from lissom.kernels.verb import Composition, Program, Refused, Verb
from lissom.kernels.verbs import MASS_MATRIX, VERBS
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

BACKENDS = ("straight", "tape", "numpy")
NOTHING_ACTS = Acting()
_NO_OFFSET = np.zeros(3)


class Functions:
    """The compiled functions of one arm.

    friction : bool       False: those of the arm without the jumps of friction in its joints at rest
    short_lived : bool    the arm is used for a few calls only, so that no code is compiled for it alone
    """

    def __init__(self, arm: Arm, friction: bool = True, short_lived: bool = False):
        self.arm, self._friction, self.short_lived = arm, friction, short_lived
        self._made: dict[tuple[str, Acting | None, str | None, str | None], Function] = {}
        self._single: dict[tuple[str, Acting], SingleFunction] = {}
        self._lock, self._process = threading.RLock(), os.getpid()

    @cached_property
    def bodies(self) -> Bodies:
        """The bodies that dynamics runs on."""
        made = Bodies(self.arm)
        return made if self._friction else made.without_jumps

    @cached_property
    def unrounded(self) -> Bodies:
        """The bodies with unrounded numbers, for kinematics; dynamics uses rounded ones."""
        return Bodies(self.arm, rounded=False)

    def get(
        self, verb: Verb | str, acting: Acting | None = None, backend: str | None = None, method: str | None = None
    ) -> Function:
        """A function, compiled on first use; `method` names a formulation."""
        asked = (verb if isinstance(verb, str) else verb.name, acting, backend, method)
        if asked not in self._made:
            with self._making():
                key = (asked[0], acting or NOTHING_ACTS, backend, method)
                if key not in self._made:
                    self._made[key] = self._make(VERBS[verb] if isinstance(verb, str) else verb, *key[1:])
                self._made[asked] = self._made[key]
        return self._made[asked]

    def _making(self) -> threading.RLock:
        """The compile lock of this process; a forked child makes a new one, as its holder may not exist there."""
        if self._process != os.getpid():
            self._lock, self._process = threading.RLock(), os.getpid()
        return self._lock

    def at_point(self, verb: Verb | str, link: str, point: ArrayLike) -> tuple[Function, ArrayLike]:
        """A kinematic function for a point of a link or tool, and the point as its argument."""
        label = verb if isinstance(verb, str) else verb.name
        frame = as_frame(self.arm, link, label)
        if point is ORIGIN:
            point = _NO_OFFSET  # an array goes straight to the kernel
        elif self.arm.flexible:
            link, point = along_beam(self.arm, link, frame, as_points(point, "point", label), label)
        return self.get(verb, Acting(frame=link)), point

    def single(self, verb: Verb, acting: Acting | None = None) -> SingleFunction:
        """A function in single precision, with code of the same kind as in double precision."""
        with self._making():
            key = verb.name, acting or NOTHING_ACTS
            if key not in self._single:
                plan = self.plan(verb, acting)
                backend = self.choose_backend(plan.program, None)
                if backend == "numpy":
                    raise UnsupportedError(f"{verb.name}: single precision needs llvmlite and casadi to be installed.")
                made = _kernel(plan, backend, single=True)
                assert made is not None
                self._single[key] = SingleFunction(self.get(verb, acting), made)
            return self._single[key]

    # ---- plans -----------------------------------------------------------------------------------

    def plan(self, verb: Verb | str, acting: Acting | None = None, method: str | None = None) -> Plan:
        """The plan of a function, before code is chosen; raises an error where the arm does not support it."""
        verb, acting = VERBS[verb] if isinstance(verb, str) else verb, acting or NOTHING_ACTS
        if verb.needs_inertia:
            refuse_unready(self.arm, acting.base)
        if verb.check is not None:
            verb.check(self.arm)
        program = verb.program_for(self.bodies.flexible)
        if isinstance(program, Refused):
            raise UnsupportedError(program.because)
        if method is not None:
            program = self._formulated(verb, method, acting)
        return Plan(verb, program, self._bodies(verb, acting), acting, method)

    def _bodies(self, verb: Verb, acting: Acting) -> Bodies:
        """The bodies, with the requested places along beams; standing loads are included for dynamics only."""
        frames = (*acting.loads, acting.frame or "", *(verb.stations(self.arm) if verb.stations else ()))
        if not verb.needs_inertia:
            return self.unrounded.with_stations(frames)
        return self.bodies.with_stations((*frames, *standing_frames(self.arm)))

    def _formulated(self, verb: Verb, method: str, acting: Acting) -> Program:
        """The program of a published formulation; few have a tape."""
        from lissom.formulations import catalogue

        f = catalogue.find(method, verb.name)
        catalogue.refuse_uncovered(f, self.arm, self.bodies, acting, verb.name)
        whole, tape = catalogue.program(f, verb.name), catalogue.TAPES.get((f.name, verb.name))

        def program(run: Any, bodies: Bodies, acting: Acting, on_tape: bool) -> None:
            (tape if on_tape and tape is not None else whole)(run, bodies, acting)

        return Program(program, RECORDED if tape is not None else (), f.limit_of(verb.name))

    # ---- functions -------------------------------------------------------------------------------

    def _make(self, verb: Verb, acting: Acting, backend: str | None, method: str | None) -> Function:
        if verb.composed is not None:
            return self._composed(verb, verb.composed, acting, backend)
        plan = self.plan(verb, acting, method)
        chosen = self.choose_backend(plan.program, backend)
        explain = Explanation(verb, plan, self.bodies, functools.partial(self.get, MASS_MATRIX, method=method))
        checked = verb.checks_inertia and self.bodies.truncated and method is None
        function = (Checked if checked else Function)(
            verb.label, plan.arguments, plan.sizes, plan.shapes, plan.runs(chosen == "tape"), _kernel(plan, chosen),
            explain.error, verb.record,
        )  # fmt: skip
        if verb.inverts_inertia and method is None:
            function.rescue = functools.partial(rescued, plan.bodies, acting)
        function.read = self._reader(verb, plan)
        if isinstance(function, Checked):
            function.check_by(self._inertia_check(verb, acting))
        return function

    def _composed(self, verb: Verb, composed: Composition, acting: Acting, backend: str | None) -> Function:
        """A function that is computed from others."""
        parts = [self.get(name, acting, backend) for name in composed.of]
        check = self._inertia_check(verb, acting) if verb.checks_inertia and self.bodies.truncated else None
        reader = self._reader(verb, self.plan(composed.of[0], acting))
        symmetric = not (self.bodies.geared or acting.geared)
        return composed.make(verb, parts, reader, check, self.bodies.carriers if symmetric else None)

    def _inertia_check(self, verb: Verb, acting: Acting) -> Callable[[Sequence[ArrayLike]], None]:
        return functools.partial(self.check_inertia, verb.label, acting=acting)

    def check_inertia(self, label: str, given: Sequence[Any], acting: Acting) -> None:
        """Warn of inertia that truncation made indefinite, at the positions (..., dof) that a function was given."""
        inertia = self.get(MASS_MATRIX, acting.of_bodies)
        own = [np.asarray(x, float) for x in (given[0], *given[len(given) - acting.own_inputs :])]
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in own))
        for box in boxes(batch, rows_in_room(16 * self.arm.dof**2)):
            M = Function.__call__(inertia, *(taken(x, batch, box) for x in own))  # the function itself would check too
            if warn_of_indefinite(self.arm, M, label, spot=(batch, box.first)):
                break

    def choose_backend(self, program: Program, backend: str | None) -> str:
        """Return "straight", "tape" or "numpy"; `backend` forces one."""
        if backend == "tape" and not program.steps:
            raise InputError("backend is 'tape'; a formulation runs as 'straight' or 'numpy'.")
        if backend is not None:
            if backend not in BACKENDS:
                raise InputError(f"backend is {backend!r}; expected one of {', '.join(BACKENDS)}.")
            return backend
        if not compiler_present():
            _warn_of_slowness()
            return "numpy"
        if self.bodies.dof <= program.straight_up_to and not (self.short_lived and program.steps):
            return "straight"
        return "tape" if program.steps else "numpy"

    def _reader(self, verb: Verb, plan: Plan) -> Callable[[ArrayLike, int], Array]:
        """The function that converts argument k into an array."""
        return functools.partial(_read, self.arm, verb.label, plan.inputs, len(verb.arguments))


def _kernel(plan: Plan, backend: str, single: bool = False) -> Kernel | None:
    """The compiled code of a plan; None on NumPy."""
    lengths = [math.prod(shape) for shape in plan.shapes]
    program = plan.runs(backend == "tape")
    if backend == "straight":
        return kernel.straight_kernel(plan.key, plan.sizes, lengths, lambda: kernel.graph_of(program), single)
    if backend == "tape":
        return kernel.tape_kernel(plan.tape_key, plan.sizes, lengths, plan.program.steps, program, single)
    return None


def _read(arm: Arm, label: str, inputs: Sequence[tuple[str, int]], states: int, value: ArrayLike, k: int) -> Array:
    """Convert arguments: coordinates may have one entry per joint; base and loads are validated already."""
    word, size = inputs[k]
    if type(value) is np.ndarray and value.dtype == FLOAT and value.ndim and value.shape[-1] == size:
        return value  # the kernel looks for what is not finite
    if k < states:
        return as_state(arm, value, word, label)
    return as_points(value, word, label) if word == "point" else np.asarray(value, float)


@functools.cache
def compiler_present() -> bool:
    """Whether llvmlite and casadi are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("llvmlite", "casadi"))


@functools.cache
def _warn_of_slowness() -> None:
    """Warn once that nothing can be compiled."""
    warnings.warn("llvmlite or casadi is not installed: everything runs on NumPy, correct but a thousand times slower.",
                  RuntimeWarning, stacklevel=2)  # fmt: skip
