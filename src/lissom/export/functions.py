"""Functions of an arm in C: arrays that they read and write, and bodies from the engine's programs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.acting import Acting
from lissom.dynamics.stations import along_beam
from lissom.engine import c99
from lissom.engine.c99 import Real, Routine
from lissom.engine.interrupts import uninterrupted
from lissom.engine.program import Inline, Partly
from lissom.engine.symbolics import alone
from lissom.export.arrays import argument, results
from lissom.export.names import distinct, identifier
from lissom.export.record import CArgument, CFunction
from lissom.kernels.arguments import as_frame
from lissom.kernels.cache import functions_of
from lissom.kernels.plan import Plan
from lissom.kernels.verb import Verb
from lissom.model.arm import Arm

STRAIGHT_KINEMATICS = 12  # coordinates up to which kinematics is straight-line: here it costs no compilation
FRAME = 96  # bytes of the stack for what a compiler keeps besides numbers: return addresses, saved registers


class Request(NamedTuple):
    """Settings that apply to all exported functions.

    name : prefix of the functions
    loads : links and tools whose load is an input
    base : the base's motion is an input
    frame, point : what kinematics is about
    real : the type of numbers
    form : "straight", "tape" or None for the better one
    """

    name: str
    loads: tuple[str, ...]
    base: bool
    frame: str
    point: tuple[float, ...]
    real: Real
    form: str | None

    @property
    def place(self) -> str:
        """The frame and its point, as text."""
        at = f" at ({', '.join(f'{x:g}' for x in self.point)})" if any(self.point) else ""
        return f"{self.frame!r}{at}"


class Made(NamedTuple):
    """A C function: its record and its text."""

    record: CFunction
    routine: Routine


@alone
def made(arm: Arm, verb: Verb, asked: Request) -> Made:
    """Translate a function of the arm to C."""
    plan, fixed = planned(arm, verb, asked)
    inputs = read_by(arm, plan, asked)
    outputs = results(arm, verb, plan.shapes, asked.place)
    form = _form(plan, asked)
    name = f"{asked.name}_{verb.name}"
    read, write = [x.name for x in inputs], [x.name for x in outputs]
    with uninterrupted():  # casadi swallows exceptions
        if form == "straight":
            run = Inline()
            plan.runs(tape=False)(Partly(run, fixed))
            routine = c99.straight(name, run.graph(fuse=False), read, write, asked.real)
        else:
            program = lambda run: plan.runs(tape=True)(Partly(run, fixed))  # noqa: E731
            routine = c99.tape(name, program, plan.program.steps, read, write, asked.real)
    return Made(record(name, verb.name, inputs, outputs, form, routine, asked.real), routine)


def planned(arm: Arm, verb: Verb, asked: Request) -> tuple[Plan, dict[int, Any]]:
    """The plan of a function, and inputs that are constants (the point of a frame)."""
    functions = functions_of(arm)
    if not verb.frame:
        acting = Acting(asked.loads, asked.base) if verb.acted else Acting()
        return functions.plan(verb, acting), {}
    frame, point = asked.frame, np.array(asked.point)
    if arm.flexible:
        frame, point = along_beam(arm, frame, as_frame(arm, frame, verb.name), point, verb.name)
    plan = functions.plan(verb, Acting(frame=frame))
    return plan, {plan.arguments.index("point"): [float(x) for x in point]}


def read_by(arm: Arm, plan: Plan, asked: Request) -> tuple[CArgument, ...]:
    """Input arrays, in the order of the program; the point is a constant."""
    names = iter(distinct([f"load_{identifier(link)}" for link in asked.loads]))
    frames = iter(asked.loads)
    out = []
    for word, size in zip(plan.arguments, plan.sizes, strict=True):
        if word == "load":
            out.append(argument(arm, word, size, next(names), next(frames)))
        elif word != "point":
            out.append(argument(arm, word, size))
    return tuple(out)


def _form(plan: Plan, asked: Request) -> str:
    if asked.form is not None:
        return asked.form
    limit = plan.program.straight_up_to if plan.verb.needs_inertia else STRAIGHT_KINEMATICS
    return "straight" if plan.bodies.dof <= limit else "tape"


def record(
    name: str,
    verb: str,
    inputs: tuple[CArgument, ...],
    outputs: tuple[CArgument, ...],
    form: str,
    routine: Routine,
    real: Real,
) -> CFunction:
    """The public record of a function."""
    workspace = routine.slots * real.bytes
    stack = workspace + routine.live * real.bytes + FRAME
    return CFunction(name, verb, inputs, outputs, form, dict(routine.operations), workspace, stack)
