"""Functions of an arm as casadi expressions, from the programs that are compiled elsewhere."""

from __future__ import annotations

from math import prod
from typing import Any

from lissom.engine.interrupts import uninterrupted
from lissom.engine.program import Inline, Partly
from lissom.engine.symbolics import alone
from lissom.export.arrays import results
from lissom.export.functions import Request, planned, read_by
from lissom.kernels.verb import Verb
from lissom.model.arm import Arm


@alone
def expanded(arm: Arm, verb: Verb, asked: Request) -> Any:
    """A casadi function of one state, all operations in a row."""
    plan, fixed = planned(arm, verb, asked)
    inputs = [x.name for x in read_by(arm, plan, asked)]
    outputs = results(arm, verb, plan.shapes, asked.place)
    with uninterrupted():  # casadi swallows exceptions
        run = Inline()
        plan.runs(tape=False)(Partly(run, fixed))
        shapes = [_as_matrix(x.shape) for x in outputs]
        return run.function(asked.name, inputs, [x.name for x in outputs], shapes)


def _as_matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns; matrices of several links stand below each other."""
    return (prod(shape[:-1]), shape[-1]) if len(shape) > 1 else (prod(shape), 1)
