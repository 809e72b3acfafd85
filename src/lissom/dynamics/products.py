"""Products of weights with the derivatives of inverse dynamics.

For weights w (one per torque), the gradient of w . tau by reverse mode, at a few times the cost of
tau, and its second derivatives, by differentiating that along q and qd. tau is linear in qdd with
coefficients M(q), so what is left of the second derivatives is

    q q,   q qd,   q qdd (which is the derivative of M w by q),   qd qd

Nothing is derived by hand here: the tape of inverse dynamics is differentiated step by step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lissom.dynamics import inverse
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.inverse import Setting
from lissom.engine import derive
from lissom.engine.record import Recorder, Tape
from lissom.engine.step import Step

STATES = 3  # q, qd, qdd
BLOCKS = ((0, 0), (0, 1), (0, 2), (1, 1))
GRADIENT_STEPS = derive.family(inverse.STEPS, 1)
HESSIAN_STEPS = derive.family(inverse.STEPS, 2)
Steps = Mapping[str, Step]


def steps_of(bodies: Bodies, order: int, setting: Setting | None = None) -> Steps:
    """The steps of derivatives, those of flexible links included; `setting`: also where constants are inputs of it."""
    plain = GRADIENT_STEPS if order == 1 else HESSIAN_STEPS
    made = {**plain, **derive.family(bodies.steps, order)} if bodies.steps else plain
    if setting is None or not setting.own_inputs:
        return made
    varied = () if setting.varied is None else setting.varied.steps
    given = [step.given for step in (*inverse.STEPS, *bodies.steps, *varied) if step.constants]
    return {**made, **derive.family((*varied, *given), order)}


def _tape(bodies: Bodies, setting: Setting) -> Tape:
    run = Recorder(4)
    inverse.program(run, bodies, setting)
    return run.tape(reuse=False)  # the way back reads every value again


def gradient_program(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, qdd, weights, then the base's motion and the loads; outputs by q, qd, qdd."""
    steps = steps_of(bodies, 1)
    run.play(derive.gradient(_tape(bodies, setting), steps, STATES), steps)


def jacobian_program(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, qdd, then as `read_acting`; outputs of every torque by q, qd, qdd."""
    steps = steps_of(bodies, 1, setting)
    run.play(derive.jacobian(_tape(bodies, setting), steps, STATES), steps)


def hessian_program(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs as of `gradient_program`; outputs by (q, q), (q, qd), (q, qdd), (qd, qd), row by row."""
    steps = steps_of(bodies, 2)
    run.play(derive.hessian(_tape(bodies, setting), steps, STATES, BLOCKS), steps)
