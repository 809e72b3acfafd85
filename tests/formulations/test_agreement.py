"""Every formulation against every other and against the fast path."""

import numpy as np
import pytest
from tests.arms import random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.dynamics.acting import Acting
from lissom.formulations.catalogue import ALL
from lissom.kernels.cache import functions_of

RELATIVE = 1e-10
INVERSE = [f.name for f in ALL.values() if f.direction == "inverse"]
FORWARD = [f.name for f in ALL.values() if f.direction == "forward"]


def close(got, want, relative=RELATIVE):
    assert np.abs(got - want).max() <= relative * np.abs(want).max()


def conditioned(arm, q):
    """Rounding of any forward dynamics grows with the condition number of M."""
    return max(RELATIVE, 1e-15 * float(np.linalg.cond(ls.mass_matrix(arm, q)).max()))


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.some(10)
def test_random_serial_arms(seed):
    """1 to 9 joints, mixed, with drives, loads and odd gravity; plain NumPy, so that nothing need be compiled."""
    arm = random_arm(seed, 1 + seed % 9, tree=False)
    states = random_states(arm, 2, seed=seed)
    loads = random_loads(arm, seed) if seed % 2 else []
    tau = ls.inverse_dynamics(arm, *states, loads=loads)
    qdd = ls.forward_dynamics(arm, *states, loads=loads)
    known = functions_of(arm)
    about = Acting(tuple(load.link for load in loads))
    extra = [np.concatenate([load.force, load.moment, load.point]) for load in loads]
    for method in INVERSE:
        close(known.get("inverse_dynamics", about, "numpy", method)(*states, *extra), tau)
    for method in FORWARD:
        got = known.get("forward_dynamics", about, "numpy", method)(*states, *extra)
        close(got, qdd)


@pytest.mark.parametrize(
    "seed", [0, 1, 3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, *range(4, 12)))]
)
@pytest.mark.some(1)
def test_trees_with_a_moving_base(seed):
    arm = random_arm(300 + seed, (2, 5, 9, 14, 20, 30)[seed % 6])
    states, loads, base = random_states(arm, 2, seed=seed), random_loads(arm, seed), random_base(seed)
    tau = ls.inverse_dynamics(arm, *states, loads=loads, base=base)
    for method in ("newton_euler_base", "newton_euler_link", "xiang"):
        close(ls.inverse_dynamics(arm, *states, loads=loads, base=base, method=method), tau)
    qdd = ls.forward_dynamics(arm, *states, loads=loads, base=base)
    limit = conditioned(arm, states[0])
    for method in FORWARD if len(functions_of(arm).bodies) < 12 else ["nasser"]:
        close(ls.forward_dynamics(arm, *states, loads=loads, base=base, method=method), qdd, limit)


@pytest.mark.parametrize("method", ["waters", "hollerbach_4x4", "hollerbach_3x3"])
def test_serial_arms_on_a_moving_base(method):
    arm = random_arm(51, 5, tree=False)
    states, base = random_states(arm, 3), random_base(5)
    close(
        ls.inverse_dynamics(arm, *states, base=base, method=method), ls.inverse_dynamics(arm, *states, base=base)
    )  # fmt: skip


@pytest.mark.parametrize("method", ["horn_raibert", "walker_orin_1", "walker_orin_2", "walker_orin_3", "walker_orin"])
def test_mass_matrices(method):
    arm = random_arm(8, 5, tree=False)
    q = random_states(arm, 3)[0]
    close(ls.mass_matrix(arm, q, method=method), ls.mass_matrix(arm, q))


@pytest.mark.parametrize("method", [f.name for f in ALL.values() if not f.planar])
@pytest.mark.some(5)
def test_compiled_and_plain_agree_on_a_batch(method):
    arm = random_arm(62, 3, tree=False)
    f = ALL[method]
    states = random_states(arm, 9)
    ways = [functions_of(arm).get(f.verbs[0], None, backend, method)(*states) for backend in ("straight", "numpy")]
    close(ways[0], ways[1], 1e-11)
    public = ls.inverse_dynamics if f.direction == "inverse" else ls.forward_dynamics
    assert np.array_equal(public(arm, *states, method=method), ways[0])
    assert np.array_equal(public(arm, *(x[4].copy() for x in states), method=method), ways[0][4])


@pytest.mark.slow
def test_shipped_arms():
    for name in ("puma560", "stanford", "two_link"):
        arm = ls.load(name)
        states = random_states(arm, 2)
        for method in INVERSE:
            close(ls.inverse_dynamics(arm, *states, method=method), ls.inverse_dynamics(arm, *states))


TREE = ls.load("tree_demo")
WRONG = {
    "a tree": (
        lambda: ls.inverse_dynamics(TREE, *np.zeros((3, TREE.dof)), method="uicker_kahn"),
        ls.UnsupportedError, "uicker_kahn' covers serial arms only.*newton_euler_base, newton_euler_link, xiang",
    ),
    "flexible": (
        lambda: ls.inverse_dynamics(ls.load("two_link_flexible"), *np.zeros((3, 6)), method="waters"),
        ls.UnsupportedError, "'waters' covers rigid links only, and arm 'two_link_flexible' has flexible ones",
    ),
    "a base": (
        lambda: ls.inverse_dynamics(ls.load("puma560"), *np.zeros((3, 6)), base=random_base(1), method="horn_raibert"),
        ls.UnsupportedError, "does not cover a moving base.*waters",
    ),
    "direction": (
        lambda: ls.inverse_dynamics(ls.load("puma560"), *np.zeros((3, 6)), method="nasser"),
        ls.InputError, "nasser computes forward_dynamics",
    ),
    "misspelt": (
        lambda: ls.inverse_dynamics(ls.load("puma560"), *np.zeros((3, 6)), method="watters"),
        ls.InputError, "did you mean 'waters'",
    ),
    "not a name": (
        lambda: ls.inverse_dynamics(ls.load("puma560"), *np.zeros((3, 6)), method=3), ls.InputError, "method is 3",
    ),
    "gradients": (
        lambda: ls.inverse_dynamics_gradient(ls.load("puma560"), *np.zeros((3, 6)), method="waters"),
        ls.InputError, "waters computes inverse_dynamics. For inverse_dynamics_gradient use one of: xiang",
    ),
    "tape": (
        lambda: functions_of(TREE).get("inverse_dynamics", None, "tape", "newton_euler_link"),
        ls.InputError, "'straight'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_covered_is_said(case):
    call, kind, words = WRONG[case]
    with pytest.raises(kind, match=words):
        call()


def test_arms_without_moving_joints():
    arm = ls.Arm("post", [ls.Link("post", joint=ls.Joint("fixed"), mass=1.0)])
    for f in ALL.values():
        public = ls.inverse_dynamics if f.direction == "inverse" else ls.forward_dynamics
        assert public(arm, [], [], [], method=f.name).shape == (0,)
    assert ls.mass_matrix(arm, [], method="walker_orin").shape == (0, 0)


def test_the_list_of_formulations():
    found = {f.name: f for f in ls.formulations()}
    assert found.keys() == ALL.keys()
    assert found["nasser"].topology == "tree"
    assert not found["uicker_kahn"].moving_base
    assert all(f.paper for f in found.values())
    assert all(f.joints == "revolute, prismatic" for f in found.values() if f.links == "rigid")
    assert found["de_luca_siciliano"].links == "rigid, flexible"

    assert callable(ls.formulations)
