"""Products of weights with the derivatives of inverse dynamics and of the regressor.

For weights w (one per torque), the gradient of w . tau by reverse mode, at a few times the cost of
tau, and its second derivatives, by differentiating that along q and qd. tau is linear in qdd with
coefficients M(q), so what is left of the second derivatives is

    q q,   q qd,   q qdd (which is the derivative of M w by q),   qd qd

The regressor Y has a weight for each of its entries; the gradient of sum_ij w_ij Y_ij costs a few times Y.

Nothing is derived by hand here: the tapes are differentiated step by step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lissom.dynamics import inverse, regressor
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.engine import derive
from lissom.engine.record import Recorder
from lissom.engine.recorded import Tape
from lissom.engine.step import Step

STATES = 3  # q, qd, qdd
BLOCKS = ((0, 0), (0, 1), (0, 2), (1, 1))
GRADIENT_STEPS = derive.family((), 1)  # steps of every derivative; those of programs are found by recording
HESSIAN_STEPS = derive.family((), 2)
Steps = Mapping[str, Step]


def _recorded(bodies: Bodies, acting: Acting, order: int) -> tuple[Tape, Steps]:
    """The tape of inverse dynamics, and its steps with their derivatives."""
    run = Recorder(4)
    inverse.program(run, bodies, acting)
    return run.tape(reuse=False), derive.family(run.steps.values(), order)  # the way back reads every value again


def gradient_program(run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, qdd, weights, then the base's motion and the loads; outputs by q, qd, qdd."""
    tape, steps = _recorded(bodies, acting, 1)
    run.play(derive.gradient(tape, steps, STATES), steps)


def jacobian_program(run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, qdd, then as `Acting.read`; outputs of every torque by q, qd, qdd."""
    tape, steps = _recorded(bodies, acting, 1)
    run.play(derive.jacobian(tape, steps, STATES), steps)


def hessian_program(run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs as of `gradient_program`; outputs by (q, q), (q, qd), (q, qdd), (qd, qd), row by row."""
    tape, steps = _recorded(bodies, acting, 2)
    run.play(derive.hessian(tape, steps, STATES, BLOCKS), steps)


def regressor_gradient_program(run: Any, bodies: Bodies) -> None:
    """Inputs q, qd, qdd, weights of all entries of the regressor, row by row; outputs by q, qd, qdd."""
    recorder = Recorder(4)
    regressor.program(recorder, bodies)
    steps = derive.family(recorder.steps.values(), 1)
    run.play(derive.gradient(recorder.tape(reuse=False), steps, STATES), steps)
