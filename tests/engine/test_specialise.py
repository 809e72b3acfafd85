"""Pure functions of records as steps: on NumPy, as a graph, as a tape."""

from typing import NamedTuple

import numpy as np
import pytest

from lissom.engine import kernel
from lissom.engine.program import Inline, Plain
from lissom.engine.record import Recorder
from lissom.engine.run import AbstractRun
from lissom.engine.specialise import specialised
from lissom.engine.step import Step
from lissom.records import filled, flat, record
from lissom.spatial.motions import Pose, Twist, Wrench
from lissom.spatial.orientation import Identity, RotationZ
from lissom.spatial.scalar import Scalar, cos, sin
from lissom.spatial.vectors import ZERO, Vector3


@record
class Spring:
    """A parameter of the model."""

    k: Scalar
    rest: Vector3

    parameters = True

    def force(self, at):
        return (at - self.rest) * self.k


class Two(NamedTuple):
    twice: Vector3
    same: Vector3
    nothing: None


def turned(angle):
    return Pose(RotationZ(cos(angle), sin(angle)), ZERO)


def slid(distance):
    return Pose(Identity(), Vector3(0, 0, distance))


def applied(pose, v):
    return pose.R @ v + pose.p


def two(v):
    return Two(v * 2, v, None)


def product(a, b):
    return a.dot(b)


VECTOR = flat(Vector3(0.0, 0.0, 0.0)).structure
SPRINGS = (Spring(2.0, Vector3(0.1, 0.2, 0.3)), Spring(3.0, Vector3(0.4, 0.5, 0.6)))


def program(run):
    """A sum of forces of springs at a point that is turned and slid; products of pairs on a tree."""
    q, v = run.input(2), filled(VECTOR, run.input(3))
    for x in (run.call(turned, q[0]), run.call(slid, q[1])):
        v = run.call(applied, x, v)
    forces = [run.call(spring.force, v) for spring in SPRINGS]
    twice, same, nothing = run.call(two, forces[0])
    assert nothing is None
    total = run.call(Vector3.__add__, twice, same)
    run.output(total)
    items, shared = [Twist(v, total), Twist(total, v)], [Wrench(v, v), Wrench(forces[1], total)]
    pairs = run.call_pairs(Twist.dot, [-1, 0], items, shared)
    run.output([pairs[key] for key in ((0, 0), (0, 1), (1, 1))])


def by_numpy(q, point):
    run = Plain([q, point])
    program(run)
    return [np.stack(np.broadcast_arrays(*out), axis=-1) for out in run.outputs]


def test_one_program_on_every_run():
    rng = np.random.default_rng(3)
    q, point = rng.normal(size=(9, 2)), rng.normal(size=(9, 3))
    want = by_numpy(q, point)
    c, s = np.cos(q[:, 0]), np.sin(q[:, 0])
    v = np.stack([c * point[:, 0] - s * point[:, 1], s * point[:, 0] + c * point[:, 1], point[:, 2] + q[:, 1]], axis=-1)
    np.testing.assert_allclose(want[0], 6 * (v - [0.1, 0.2, 0.3]), rtol=1e-14)
    straight = kernel.straight_kernel("toy", (2, 3), (3, 3), lambda: kernel.graph_of(program))
    tape = kernel.tape_kernel("toy", (2, 3), (3, 3), (), program)
    for code in (straight, tape):
        for rows in (1, 9):
            out = [np.empty((rows, 3)), np.empty((rows, 3))]
            assert code.run([q[:rows], point[:rows]], out)
            for have, good in zip(out, want, strict=True):
                np.testing.assert_allclose(have, good[:rows], rtol=1e-14)


def test_results_that_repeat_operands_are_not_computed():
    run = Recorder(4)
    q = run.input(2)
    slid_pose = run.call(slid, q[1])
    assert not run.steps
    assert tuple(flat(slid_pose).entries.slots) == q[1].slots
    v = filled(VECTOR, run.input(3))
    twice, same, _ = run.call(two, v)
    assert [step.outputs for step in run.steps.values()] == [(3,)]
    assert flat(same).entries.slots == flat(v).entries.slots
    assert flat(twice).entries.slots != flat(v).entries.slots


def test_structures_select_steps_and_numbers_are_constants():
    run = Recorder(4)
    v = filled(VECTOR, run.input(3))
    for spring in SPRINGS:
        run.call(spring.force, v)
    assert len(run.steps) == 1
    [step] = run.steps.values()
    assert (step.inputs, step.outputs, step.constants, step.passive) == ((3,), (3,), 4, 0)
    stiff = Spring(run.input(1)[0], SPRINGS[0].rest)
    run.call(stiff.force, v)
    given = [step for step in run.steps.values() if step.passive]
    assert [(step.inputs, step.constants, step.passive) for step in given] == [((3, 1), 3, 1)]


def test_operands_that_lie_apart_are_copied():
    run = Recorder(4)
    a, b = run.input(3), run.input(3)
    run.call(two, Vector3(a[0], b[1], a[2]))
    names = [name for name, _, _ in run.tape().calls]
    assert names[:3] == ["copy_1"] * 3
    assert len(names) == 4


def test_names_are_the_same_in_every_process():
    argument = flat(Vector3(object(), object(), object())).argument
    step = specialised(two, (argument,)).step
    assert step.name.startswith("two_")
    assert step.name == specialised.__globals__["_specialised"](two, (argument,), False).step.name


def test_nameless_functions_are_refused():
    k = 2.0

    def scaled(v):
        return v * k

    run = Inline()
    v = filled(VECTOR, run.input(3))
    for function in (scaled, lambda v: v * 2):
        with pytest.raises(ValueError, match="cannot be a step"):
            run.call(function, v)


def test_pairs_have_one_structure():
    run = Recorder(4)
    x = run.input(3)
    items = [filled(VECTOR, x), Vector3(x[0], 0, x[2])]
    with pytest.raises(ValueError, match="different structures"):
        run.call_pairs(product, [-1, 0], items, [items[0]] * 2)


def test_a_tape_without_pairs_serves_every_width():
    recorded = []

    def without_pairs(run):
        recorded.append(run)
        run.output(run.call(two, filled(VECTOR, run.input(3))).twice)

    code = kernel.tape_kernel("once", (3,), (3,), (), without_pairs)
    code.code(1)
    code.code(4)
    assert len(recorded) == 1


def test_two_steps_of_one_name_are_refused():
    run = Recorder(4)
    x = run.input(2)
    run.apply(Step("same", lambda a: [a], (2,), (2,)), x)
    with pytest.raises(ValueError, match="two steps are named 'same'"):
        run.apply(Step("same", lambda a: [a], (1,), (1,)), x[0:1])


def test_the_contract_is_complete():
    """Runs are made only with every method of the contract."""

    class Half(AbstractRun):
        def input(self, n):
            return [0.0] * n

    with pytest.raises(TypeError, match="abstract"):
        Half()
