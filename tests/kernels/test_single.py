"""Single precision: eight states at a time, with an error that is stated."""

import numpy as np
import pytest
from tests.arms import random_arm, random_states
from tests.loops.mechanisms import four_bar

import lissom as ls
from lissom.kernels.verbs import VERBS

SINGLE = [name for name, verb in VERBS.items() if verb.single]
BOUND = 2e-5  # of the largest entry, for arms of some metres; rounding of float32 is 6e-8
ARMS = {
    "straight-line": lambda: random_arm(21, 6),
    "tape": lambda: random_arm(22, 20),
    "flexible": lambda: ls.load("two_link_flexible"),
}


def states_of(arm, name, rows):
    states = random_states(arm, rows, seed=5)[: len(VERBS[name].arguments)]
    return [(0.1 * x if arm.flexible else x).astype(np.float32) for x in states]


@pytest.mark.parametrize("kind", ARMS)
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix"])
def test_numbers_of_double_precision(kind, name):
    arm = ARMS[kind]()
    f, states = ls.compiled(arm, name, dtype=np.float32), states_of(arm, name, 19)
    found, want = f(*states), getattr(ls, name)(arm, *(x.astype(float) for x in states))
    assert found.dtype == np.float32
    assert np.abs(found - want).max() < BOUND * np.abs(want).max()
    out = np.full(found.shape, np.nan, np.float32)
    f.into(*states, out)
    assert np.array_equal(out, found)
    for rows in (slice(0, 8), slice(3, 12), slice(4, 6)):  # any batch gives the same bits
        assert np.array_equal(f(*(x[rows] for x in states)), found[rows])
    assert np.array_equal(f(*(x[7] for x in states)), found[7])


def test_arguments_of_other_kinds_are_converted():
    arm = random_arm(21, 6)
    f = ls.compiled(arm, "inverse_dynamics", np.float32)
    q, qd, qdd = states_of(arm, "inverse_dynamics", 9)
    want = f(q, qd, qdd)
    assert np.array_equal(f(q.astype(float), qd.tolist(), qdd), want)
    assert np.array_equal(f(q, qd[0], qdd[:1])[0], want[0])
    assert f(q[:0], qd[:0], qdd[:0]).shape == (0, arm.dof)
    wide = np.zeros((9, 2 * arm.dof), np.float32)
    f.into(q, qd, qdd, wide[:, ::2])
    assert np.array_equal(wide[:, ::2], want)
    same = qdd.copy()
    f.into(q, qd, same, same)
    assert np.array_equal(same, want)


def test_states_beyond_its_range_are_computed_in_double_precision():
    arm = random_arm(21, 6, kinds=("revolute",))
    f, (q,) = ls.compiled(arm, "gravity_forces", np.float32), states_of(arm, "gravity_forces", 12)
    want = f(q)
    far = q.copy()
    far[5, 2] = 123456.0
    found = f(far)
    others = np.arange(12) != 5
    assert np.array_equal(found[others], want[others])
    assert np.array_equal(found[5], ls.gravity_forces(arm, far[5].astype(float)).astype(np.float32))
    far[3, 1] = np.nan
    with pytest.raises(ls.InputError, match=r"q\[3, 1\] is nan"):
        f(far)


def parts(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("arm", ["puma560", "two_link_flexible"])
def test_public_functions_have_it(arm, name):
    arm = ls.load(arm)
    states, public = states_of(arm, name, 11), getattr(ls, name)
    found, want = public(arm, *states, dtype=np.float32), public(arm, *(x.astype(float) for x in states))
    again = ls.compiled(arm, name, np.float32)(*states)
    assert type(found) is type(want)
    for single, double, same in zip(parts(found), parts(want), parts(again), strict=True):
        assert single.dtype == np.float32
        assert np.abs(single - double).max() < BOUND * np.abs(double).max()
        assert np.array_equal(single, same)
    assert np.array_equal(parts(public(arm, *states, dtype=float))[0], parts(want)[0])


def test_with_loads_base_motion_threads_and_given_results():
    arm = random_arm(21, 6)
    states = states_of(arm, "inverse_dynamics", 300)
    acting = {
        "loads": [ls.Load(arm.links[-1].name, force=(3.0, -2.0, 1.0), point=(0.1, 0.0, 0.2))],
        "base": ls.BaseMotion(angular_velocity=(0.1, 0.2, 0.3), linear_acceleration=(1.0, 0.0, 0.0)),
    }
    want = ls.inverse_dynamics(arm, *(x.astype(float) for x in states), **acting)
    out = np.empty((300, arm.dof), np.float32)
    found = ls.inverse_dynamics(arm, *states, **acting, dtype="float32", out=out, threads=2)
    assert found is out
    assert np.abs(found - want).max() < BOUND * np.abs(want).max()
    assert np.array_equal(ls.inverse_dynamics(arm, *states, **acting, dtype=np.float32, threads=1), out)


def test_public_functions_refuse_it_by_name():
    arm = random_arm(21, 6)
    x = np.zeros((3, arm.dof))
    for name in ("forward_dynamics", "forward_dynamics_gradient"):
        with pytest.raises(ls.UnsupportedError, match=f"^{name} is not available in single precision"):
            getattr(ls, name)(arm, *x, dtype=np.float32)
        assert isinstance(getattr(ls, name)(arm, *x, dtype=float), np.ndarray | tuple)
    with pytest.raises(ls.UnsupportedError, match="method='uicker_kahn' has no single precision"):
        ls.mass_matrix(arm, x[0], "uicker_kahn", np.float32)
    with pytest.raises(ls.InputError, match="packed results are float64"):
        ls.mass_matrix(arm, x[0], dtype=np.float32, packed=True)
    with pytest.raises(ls.InputError, match="bias_forces: dtype is 'half'; expected float"):
        ls.bias_forces(arm, *x[:2], dtype="half")
    with pytest.raises(
        ls.UnsupportedError, match=r"inverse_dynamics of arm .* closed loops, is not available in single"
    ):
        ls.inverse_dynamics(four_bar(), *np.zeros((3, 3)), dtype=np.float32)


def test_what_it_does_not_cover():
    arm = random_arm(21, 6)
    with pytest.raises(ls.UnsupportedError, match="forward_dynamics is not available in single precision"):
        ls.compiled(arm, "forward_dynamics", np.float32)
    with pytest.raises(ls.InputError, match="dtype is 'int'; expected float"):
        ls.compiled(arm, "mass_matrix", "int")
    f, (q,) = ls.compiled(arm, "mass_matrix", np.float32), states_of(arm, "mass_matrix", 4)
    with pytest.raises(ls.InputError, match="expected a writeable float32 array of shape"):
        f.into(q, np.empty((4, arm.dof, arm.dof)))
    with pytest.raises(ls.InputError, match=f"q has {arm.dof - 1} entries"):
        f(q[:, :-1])
