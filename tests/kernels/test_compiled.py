"""Functions bound to an arm: the numbers, errors and records of the public functions; memory of results."""

import gc
import pickle
import weakref

import numpy as np
import pytest
from tests.arms import random_arm, random_states
from tests.loops.mechanisms import four_bar, moving

import lissom as ls
from lissom.engine.native import LARGE
from lissom.kernels.verbs import VERBS

BOUND = sorted(name for name, verb in VERBS.items() if not verb.internal and not verb.frame)


def state_of(arm, name, rows=()):
    rng = np.random.default_rng(3)
    return [rng.uniform(-1.0, 1.0, (*rows, arm.dof)) for _ in VERBS[name].arguments]


@pytest.mark.parametrize("name", BOUND)
def test_the_numbers_are_those_of_the_public_function(name):
    arm = random_arm(12, 4)
    f, public = ls.compiled(arm, name), getattr(ls, name)
    for rows in ((), (5,)):
        state = state_of(arm, name, rows)
        want, found = public(arm, *state), f(*state)
        assert type(found) is type(want)
        out = type(want)(*map(np.empty_like, want)) if isinstance(want, tuple) else np.empty_like(want)
        assert f.into(*state, out) is None
        assert np.array_equal(found, want)
        assert np.array_equal(out, want)


def test_several_results_can_be_given_in_several_ways():
    arm = random_arm(12, 4)
    f = ls.compiled(arm, "inverse_dynamics_gradient")
    state = state_of(arm, f.name)
    want = f(*state)
    record = ls.InverseGradient(*np.zeros((3, 4, 4)))
    for out in (record, tuple(np.zeros((3, 4, 4))), list(np.zeros((3, 4, 4)))):
        f.into(*state, out)
        assert np.array_equal(np.array(out), np.array(want))
    with pytest.raises(ls.InputError, match="out is 2 arrays; expected 3 arrays"):
        f.into(*state, tuple(np.zeros((2, 4, 4))))
    same = np.zeros((4, 4))
    with pytest.raises(ls.InputError, match="share memory"):
        f.into(*state, (same, same, np.zeros((4, 4))))


def test_errors_and_text():
    arm = random_arm(12, 4)
    f = ls.compiled(arm, "mass_matrix")
    assert repr(f) == f"<mass_matrix of arm {arm.name!r}, float64>"
    with pytest.raises(ls.InputError, match="q has 3 entries"):
        f(np.zeros(3))
    with pytest.raises(ls.InputError, match=r"q\[1\] is nan"):
        f(np.array([0.0, np.nan, 0.0, 0.0]))
    with pytest.raises(ls.InputError, match="did you mean 'mass_matrix'"):
        ls.compiled(arm, "mas_matrix")
    with pytest.raises(ls.InputError, match="jacobian is about a frame"):
        ls.compiled(arm, "jacobian")
    with pytest.raises(ls.InputError, match="expected the name of a function"):
        ls.compiled(arm, ls.mass_matrix)
    with pytest.raises(ls.InputError, match="where an Arm was expected"):
        ls.compiled("two_link", "mass_matrix")
    again = pickle.loads(pickle.dumps(f))
    assert np.array_equal(again(np.zeros(4)), f(np.zeros(4)))


def test_closed_loops():
    arm = four_bar()
    state = moving(arm, np.array([1.0, -0.5, 1.5]))
    q, qd = state.q, state.qd
    f, tau, out = ls.compiled(arm, "forward_dynamics"), np.zeros(arm.dof), np.empty(arm.dof)
    want = ls.forward_dynamics(arm, q, qd, tau)
    f.into(q, qd, tau, out)
    assert np.array_equal(f(q, qd, tau), want)
    assert np.array_equal(out, want)
    with pytest.raises(ls.UnsupportedError, match="closed loops"):
        ls.compiled(arm, "inverse_dynamics_gradient")


class TestMemoryOfLargeResults:
    arm = random_arm(7, 24, drives=False, kinds=("revolute",))
    states = random_states(arm, 12, seed=2, count=1)[0]

    def test_results_that_live_are_never_overwritten(self):
        f = ls.compiled(self.arm, "mass_matrix")
        assert 8 * self.arm.dof**2 >= LARGE
        kept = [f(q.copy()) for q in self.states]
        parts = [f(q.copy())[3:5, ::2] for q in self.states]  # views keep the memory of what they show
        for q, M, part in zip(self.states, kept, parts, strict=True):
            want = np.empty_like(M)
            f.into(q.copy(), want)
            assert np.array_equal(M, want)
            assert np.array_equal(part, want[3:5, ::2])

    def test_memory_is_used_again(self):
        f = ls.compiled(self.arm, "mass_matrix")
        q = self.states[0].copy()
        places = {f(q).ctypes.data for _ in range(50)}
        assert len(places) == 1
        held = f(q)
        assert {f(q).ctypes.data for _ in range(50)}.isdisjoint({held.ctypes.data})

    def test_a_result_outlives_its_function_and_dies_alone(self):
        f = ls.compiled(self.arm.replace(name="other"), "mass_matrix")
        M = f(self.states[0].copy())
        want = M.copy()
        seen = weakref.ref(M)
        del f
        gc.collect()
        assert np.array_equal(M, want)
        assert M.flags.writeable
        assert M.flags.c_contiguous
        del M
        assert seen() is None


# ---- wrong calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("count", [0, 1, 2, 4])
@pytest.mark.parametrize("rows", [(), (16,)])
def test_a_wrong_number_of_arguments_is_refused(dtype, count, rows):
    """Missing arrays once reached the machine code."""
    arm = ls.load("two_link")
    f, x = ls.compiled(arm, "inverse_dynamics", dtype), np.zeros((*rows, 2), dtype)
    with pytest.raises(ls.InputError, match=f"inverse_dynamics: got {count} arguments; expected 3: q, qd, qdd"):
        f(*[x] * count)
    if count < 3:
        with pytest.raises(ls.InputError, match=f"got {count} arguments; expected 4: q, qd, qdd, out"):
            f.into(*[x] * count)


@pytest.mark.parametrize("verb", ["kinetic_energy", "momentum"])
def test_into_checks_out_of_every_function(verb):
    arm, q = ls.load("two_link"), np.ones(2)
    f = ls.compiled(arm, verb)
    right = np.empty_like(np.asarray(f(q, q)))
    f.into(q, q, right)
    assert np.array_equal(right, f(q, q))
    for wrong in (np.zeros(right.shape, int), np.zeros((5, *right.shape)), [0.0], None):
        with pytest.raises(ls.InputError, match=f"{verb}: out is .*; expected a writeable float64 array"):
            f.into(q, q, wrong)


def test_closed_arms_refuse_a_wrong_number_of_arguments():
    arm = four_bar()
    with pytest.raises(ls.InputError, match="forward_dynamics: got 2 arguments; expected 3: q, qd, tau"):
        ls.compiled(arm, "forward_dynamics")(*np.zeros((2, arm.dof)))
