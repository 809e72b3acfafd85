"""Tapes differentiated, without robots: against casadi on the whole program."""

import casadi as ca
import numpy as np
import pytest

from lissom.engine import derive
from lissom.engine.kernel import graph_of, straight_kernel, tape_kernel
from lissom.engine.program import Inline, Plain
from lissom.engine.record import Recorder
from lissom.engine.step import Step
from lissom.spatial.scalar import cos, sign, sin

# a few hundred roundings in another order
RELATIVE = 1e-12


def _bend(a, b, K):
    return [
        [sin(a[0]) * b[0] + K[0] * a[1], a[1] * a[1] / (2 + cos(b[1]))],
        [b[0] * a[0] + sign(b[1]) * a[1], K[1] * b[1] * b[1] * a[0], 0 * a[0] + 1.5],
    ]


BEND = Step("bend", _bend, (2, 2), (2, 3), 2)
SUM = Step("sum2", lambda a, b: [[a[0] + b[0], a[1] + b[1] * a[0]]], (2, 2), (2,))
STEPS = (BEND, SUM)


def program(run):
    """Slices, a value used twice, one operand given twice, an output used again, an output nobody uses."""
    x, y, z = run.input(3), run.input(2), run.input(2)
    u, v = run.apply(BEND, x[0:2], y, constants=(1.5, -0.7))
    w, _ = run.apply(BEND, x[1:3], v[0:2], constants=(0.4, 1.1))
    t = run.apply(SUM, w, u)
    run.output(run.apply(SUM, t, t), w, z[1:2])


def recorded():
    run = Recorder(4)
    program(run)
    return run.tape(reuse=False)


def tape_of(order):
    steps = derive.family(STEPS, order)
    if order == 1:
        return steps, derive.gradient(recorded(), steps, 2)
    return steps, derive.hessian(recorded(), steps, 2, ((0, 0), (0, 1), (1, 1)))


def by_casadi(order, inputs):
    run = Inline()
    program(run)
    x, y, z = run._symbols
    weights = ca.SX.sym("w", len(run.outputs[0]))
    total = ca.dot(weights, ca.vertcat(*run.outputs[0]))
    first = [ca.gradient(total, x), ca.gradient(total, y)]
    wanted = first if order == 1 else [
        ca.jacobian(first[0], x), ca.jacobian(first[0], y), ca.jacobian(first[1], y)
    ]  # fmt: skip
    function = ca.Function("f", [x, y, weights, z], [ca.densify(m) for m in wanted])
    rows = [function(*(vector[k] for vector in inputs)) for k in range(len(inputs[0]))]
    return [np.array([np.array(row[k]).ravel() for row in rows]) for k in range(len(wanted))]


def inputs(rows):
    rng = np.random.default_rng(3)
    return [rng.normal(size=(rows, n)) for n in SIZES]


SIZES = (3, 2, 5, 2)
RESULTS = {1: (3, 2), 2: (9, 6, 4)}  # lengths, by the order of the derivatives


def tape_example(order):
    steps, _ = tape_of(order)
    return tape_kernel(f"derive {order}", SIZES, RESULTS[order], tuple(steps.values()), lambda run: played(run, order))


def played(run, order):
    steps, tape = tape_of(order)
    run.play(tape, steps)


def results(kernel, arrays):
    out = [np.full((len(arrays[0]), n), np.nan) for n in kernel.outputs]
    assert kernel.run(arrays, out, 1)
    return out


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("rows", [1, 6])
def test_all_ways_agree_with_casadi(order, rows):
    arrays = inputs(rows)
    want = by_casadi(order, arrays)
    kernels = [
        tape_example(order),
        straight_kernel(f"derive {order}", SIZES, RESULTS[order], lambda: graph_of(lambda run: played(run, order))),
    ]
    plain = Plain(arrays)
    played(plain, order)
    ways = [results(kernel, arrays) for kernel in kernels]
    ways.append([np.stack([np.broadcast_to(v, (rows,)) for v in vector], -1) for vector in plain.outputs])
    for way in ways:
        for got, expected in zip(way, want, strict=True):
            assert np.abs(got - expected).max() <= RELATIVE * np.abs(expected).max()


def test_a_kernel_can_be_called_again_and_again():
    """Sums start from zero in every call and in every group of rows."""
    kernel = tape_example(2)
    arrays = inputs(23)
    first = results(kernel, arrays)
    again = results(kernel, arrays)
    single = [results(kernel, [x[k : k + 1] for x in arrays]) for k in range(23)]
    for a, b, rows in zip(first, again, zip(*single, strict=True), strict=True):
        assert np.array_equal(a, b)
        assert np.array_equal(a, np.concatenate(rows))


def test_calls_without_influence_are_left_out():
    """z does not matter to the second derivatives, nor do the directions that nobody asked for."""
    steps = derive.family(STEPS, 2)
    all_blocks = derive.hessian(recorded(), steps, 3, ((0, 0), (0, 1), (1, 1), (2, 2)))
    few_blocks = derive.hessian(recorded(), steps, 3, ((1, 1),))
    assert len(few_blocks.calls) < len(all_blocks.calls) / 2
    assert len(set(all_blocks.outputs[3])) == 1  # the slot of zero
