"""Functions for JAX: values and derivatives are lissom's, in every transform."""

import doctest
import pickle
import re
import warnings

import numpy as np
import pytest
from tests.arms import random_arm

import lissom as ls
from lissom.export.smooth.offered import OFFERED
from lissom.kernels.verbs import VERBS

jax = pytest.importorskip("jax", reason="JAX is not installed: extra jax")
jnp = jax.numpy

TREE = random_arm(5, 4)  # sliding, fixed and elastic joints, friction, springs, gears, payload
HELICAL = random_arm(7, 3, kinds=("helical", "revolute", "prismatic"))
FLEXIBLE = ls.load("two_link_flexible").with_gravity((0.3, -9.0, 1.0))
ARMS = {"tree": TREE, "helical": HELICAL, "flexible": FLEXIBLE}
CLOSE = 1e-12  # relative to the largest entry


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def states(arm, count, *batch, seed=0):
    scale = np.full(arm.dof, 1.0)
    scale[arm.mode_index] = 0.01
    return list(scale * np.random.default_rng(seed).normal(size=(count, *batch, arm.dof)))


def function(arm, verb):
    return ls.jax_function(arm, verb, **({"frame": arm.ends[0]} if VERBS[verb].frame else {}))


def available(arm):
    return [verb for verb in OFFERED if not (arm.flexible and verb in ("regressor", "coriolis_matrix"))]


def error(found, expected):
    return abs(np.asarray(found) - expected).max() / abs(expected).max()


CASES = [(name, verb) for name, arm in ARMS.items() for verb in available(arm)]


@pytest.mark.some(12)
@pytest.mark.parametrize(("name", "verb"), CASES)
def test_values_and_slopes_of_both_directions(name, verb):
    arm = ARMS[name]
    f = function(arm, verb)
    x = states(arm, len(f.arguments))
    place = (arm.ends[0],) if VERBS[verb].frame else ()
    own = np.asarray(getattr(ls, verb)(arm, *x, *place))
    assert error(jax.jit(f)(*x), own) == 0
    by = range(len(x))
    forwards, backwards = jax.jacfwd(f, argnums=tuple(by))(*x), jax.jit(jax.jacrev(f, argnums=tuple(by)))(*x)
    h = 1e-6
    for k in by:
        assert forwards[k].shape == (*own.shape, arm.dof)
        assert abs(forwards[k] - backwards[k]).max() <= CLOSE * (1 + abs(forwards[k]).max())
        direction = np.random.default_rng(3).normal(size=arm.dof)
        ends = [f(*[part + side * h * direction * (i == k) for i, part in enumerate(x)]) for side in (1, -1)]
        change = np.asarray(ends[0] - ends[1]) / (2 * h)
        assert abs(forwards[k] @ direction - change).max() < 1e-6 * (1 + abs(forwards[k]).max())


def test_gradients_of_ten_thousand_states_are_ours():
    arm = ls.load("panda")
    *x, w = states(arm, 4, 10_000)
    f = ls.jax_function(arm, "inverse_dynamics")
    own = ls.inverse_dynamics_product(arm, *x, w)
    whole = jax.jit(jax.grad(lambda *x: (f(*x) * w).sum(), argnums=(0, 1, 2)))(*x)
    mapped = jax.jit(jax.vmap(jax.grad(lambda *x: f(*x[:3]) @ x[3], argnums=(0, 1, 2))))(*x, w)
    for found in (whole, mapped):
        assert max(error(part, expected) for part, expected in zip(found, own, strict=True)) < CLOSE


def test_vmap_is_one_call_of_a_batch(monkeypatch):
    arm = ls.load("two_link")
    f = ls.jax_function(arm, "gravity_forces")
    shapes = []
    smooth = f.smooth
    whole = type(smooth).value
    monkeypatch.setattr(type(smooth), "value", lambda self, *x: shapes.append(x[0].shape) or whole(self, *x))
    (q,) = states(arm, 1, 6, 5)
    assert error(jax.vmap(jax.vmap(f))(q), ls.gravity_forces(arm, q)) == 0
    assert shapes == [(6, 5, 2)]


def test_hessians():
    arm, w = TREE, np.random.default_rng(1).normal(size=TREE.dof)
    x = states(arm, 3)
    own = ls.inverse_dynamics_hessian(arm, *x, w)
    f = ls.jax_function(arm, "inverse_dynamics")
    found = jax.jit(jax.hessian(lambda *x: f(*x) @ w, argnums=(0, 1, 2)))(*x)
    for k, block in enumerate((own.q_q, own.q_qd, own.q_qdd)):
        assert error(found[0][k], block) < CLOSE
    assert not np.any(found[2][2])


@pytest.mark.parametrize("outer", [jax.jacfwd, jax.jacrev])
@pytest.mark.parametrize("inner", [jax.jacfwd, jax.jacrev])
def test_second_derivatives_in_every_order(outer, inner):
    arm, w = TREE, np.random.default_rng(1).normal(size=TREE.dof)
    x = states(arm, 3)
    own = ls.inverse_dynamics_hessian(arm, *x, w)
    f = ls.jax_function(arm, "inverse_dynamics")
    mixed = outer(inner(lambda *x: f(*x) @ w, argnums=1), argnums=0)(*x)
    assert error(outer(inner(lambda *x: f(*x) @ w))(*x), own.q_q) < CLOSE
    assert error(mixed.T, own.q_qd) < CLOSE


def test_other_transforms():
    arm = TREE
    f, (*x, w) = ls.jax_function(arm, "inverse_dynamics"), states(arm, 4)
    J, v = ls.inverse_dynamics_gradient(arm, *x), states(arm, 3, seed=5)
    _, linear = jax.linearize(f, *x)
    assert error(linear(*v), sum(a @ b for a, b in zip(J, v, strict=True))) < CLOSE
    found = jax.grad(jax.checkpoint(lambda q: f(q, *x[1:]) @ w))(x[0])
    assert error(found, w @ J.q) < CLOSE
    many = states(arm, 3, 6)
    mapped = jax.vmap(jax.grad(lambda *x: f(*x) @ w), in_axes=(0, None, 1))(many[0], x[1], many[2].T)
    assert error(mapped, ls.inverse_dynamics_product(arm, many[0], x[1], many[2], w).q) < CLOSE
    hessians = jax.jit(jax.vmap(jax.hessian(lambda *x: f(*x) @ w)))(*many)
    assert error(hessians, ls.inverse_dynamics_hessian(arm, *many, w).q_q) < CLOSE


def test_third_derivatives_are_refused():
    f = ls.jax_function(ls.load("two_link"), "potential_energy")
    with pytest.raises(ls.UnsupportedError, match="third derivatives"):
        jax.jacfwd(jax.hessian(f))(jnp.array([0.3, 0.5]))


def test_single_precision_warns_and_is_rounded():
    jax.config.update("jax_enable_x64", False)
    arm = ls.load("two_link")
    with pytest.warns(RuntimeWarning, match="jax_enable_x64"):
        f = ls.jax_function(arm, "inverse_dynamics")
    x = [part.astype(np.float32) for part in states(arm, 3, 4)]
    tau = jax.jit(f)(*x)
    assert tau.dtype == jnp.float32
    assert np.array_equal(tau, ls.inverse_dynamics(arm, *[part.astype(float) for part in x]).astype(np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert jax.grad(lambda q: f(q, x[1], x[2]).sum())(x[0]).dtype == jnp.float32


def test_shapes_are_broadcast_and_joints_are_enough():
    f = ls.jax_function(FLEXIBLE, "inverse_dynamics")
    q, qd, qdd = jnp.array([0.3, -0.5]), jnp.zeros((3, 1, 6)), jnp.ones((4, 2))
    assert f(q, qd, qdd).shape == (3, 4, 6)
    slope = jax.grad(lambda q: f(q, qd, qdd).sum())(q)
    full, push = FLEXIBLE.expanded(np.array([0.3, -0.5])), FLEXIBLE.expanded(np.ones(2))
    own = 12 * ls.inverse_dynamics_product(FLEXIBLE, full, np.zeros(6), push, np.ones(6)).q[FLEXIBLE.joint_index]
    assert error(slope, own) < CLOSE
    assert f([0] * 6, [0] * 6, [0] * 6).dtype == jnp.float64


def test_a_rollout_is_differentiated_through_time():
    """Semi-implicit Euler steps in `lax.scan`, by its gradient and by differences."""
    arm = ls.load("two_link")
    f = ls.jax_function(arm, "forward_dynamics")

    @jax.jit
    def end(tau):
        def step(state, _):
            q, qd = state
            qd = qd + 0.01 * f(q, qd, tau)
            return (q + 0.01 * qd, qd), None

        (q, _), _ = jax.lax.scan(step, (jnp.zeros(2), jnp.zeros(2)), None, length=20)
        return q.sum()

    tau, h = jnp.array([4.0, 1.5]), 1e-5
    differences = [(end(tau.at[k].add(h)) - end(tau.at[k].add(-h))) / (2 * h) for k in range(2)]
    assert error(jax.jit(jax.grad(end))(tau), np.array(differences)) < 1e-8


def test_it_is_pickled():
    f = ls.jax_function(ls.load("two_link"), "pose", frame="fore", point=(0.1, 0.0, 0.0))
    q = jnp.array([0.3, 0.5])
    assert np.array_equal(pickle.loads(pickle.dumps(f))(q), f(q))
    assert repr(f) == "<pose of arm 'two_link' for jax>"


def test_named_columns_are_put_in_order():
    pandas = pytest.importorskip("pandas")
    arm = ls.load("two_link")
    frame = pandas.DataFrame({"fore": [0.1, 0.2], "upper": [0.3, 0.4]})
    found = ls.jax_function(arm, "gravity_forces")(frame)
    assert np.array_equal(found, ls.gravity_forces(arm, [[0.3, 0.1], [0.4, 0.2]]))
    with pytest.raises(ls.InputError, match="which arm 'two_link' has not"):
        ls.jax_function(arm, "gravity_forces")(frame.rename(columns={"fore": "elbow"}))


def test_lissoms_own_functions_name_the_one_with_gradients():
    q = jnp.zeros(2)
    with pytest.raises(ls.InputError, match="jax_function"):
        jax.jit(lambda q: ls.gravity_forces(ls.load("two_link"), q))(q)


def test_the_example_of_the_docstring():
    text = ls.jax_function.__doc__.replace("# doctest: +SKIP", "")  # which is for those without jax
    example = doctest.DocTestParser().get_doctest(text, {}, "jax_function", None, 0)
    assert doctest.DocTestRunner().run(example) == (0, len(example.examples))


def test_the_docstring_lists_what_there_is():
    listed = ls.jax_function.__doc__.split("verb : str")[1].split("frame : str")[0]
    assert set(re.findall(r'"(\w+)"', listed)) == set(OFFERED)


@pytest.mark.parametrize(
    ("verb", "options", "words"),
    [
        ("inverse_dynamic", {}, "inverse_dynamics"),
        ("inverse_dynamics_gradient", {}, "jax's own derivatives of inverse_dynamics are exact"),
        ("pose", {"frame": "nose"}, "nose"),
        ("inverse_dynamics", {"base": None}, "cannot be inputs here"),
    ],
)
def test_refusals(verb, options, words):
    with pytest.raises((ls.InputError, ls.UnsupportedError), match=words):
        ls.jax_function(ls.load("two_link"), verb, **options)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (([0.0, 0.0],), "got 1 arrays; expected q, qd, qdd"),
        (([0.0] * 3, [0.0] * 2, [0.0] * 2), "q has 3 entries"),
        ((jnp.zeros(3), jnp.zeros(2), jnp.zeros(2)), r"q has shape \(3,\)"),
        ((np.zeros((4, 2)), np.zeros((3, 2)), [0.0] * 2), "batches do not fit"),
        (([True, False], [0.0] * 2, [0.0] * 2), "expected numbers"),
        ((jnp.array([1, 2]), [0.0] * 2, [0.0] * 2), "q is of int.*expected float64"),
    ],
)
def test_states_that_are_refused(state, words):
    with pytest.raises(ls.InputError, match=words):
        ls.jax_function(ls.load("two_link"), "inverse_dynamics")(*state)


def test_states_that_are_not_finite_are_refused_by_name():
    f = ls.jax_function(ls.load("two_link"), "inverse_dynamics")
    with pytest.raises(Exception, match=r"q\[1\] is nan"):
        f(jnp.array([0.0, jnp.nan]), jnp.zeros(2), jnp.zeros(2)).block_until_ready()
