"""Functions for casadi: their values and derivatives are lissom's, and solvers find lissom's optima with them."""

import gc

import numpy as np
import pytest
from scipy.interpolate import BSpline
from tests.arms import random_arm

import lissom as ls

ca = pytest.importorskip("casadi")

TREE = random_arm(5, 4)  # sliding, fixed and elastic joints, friction, springs, gears, payload
BENT = ls.load("two_link_flexible").with_gravity((0.3, -9.0, 1.0))
ARMS = {"panda": ls.load("panda"), "tree": TREE, "flexible": BENT}
COMPILED = ("inverse_dynamics", "forward_dynamics")
CLOSE = 1e-12  # relative to the largest entry: roundings of another order of operations
INVERTED = 1e-8  # the same through the inverse of the inertia, whose condition of the tree is about 1e4


def states(arm, count=1, seed=0):
    """Columns q, qd, u, side by side; small deflections."""
    scale = 0.01 if arm.flexible else 1.0
    return [scale * x for x in np.random.default_rng(seed).normal(size=(3, arm.dof, count))]


def error(found, expected):
    expected = np.asarray(expected)
    return abs(np.asarray(found) - expected).max() / abs(expected).max()


def derivatives(function, weights):
    """Values, Jacobian, gradient, Hessian of the weighted sum, and the Jacobian of the Jacobian, as one function."""
    x = [ca.MX.sym(word, *function.size_in(k)) for k, word in enumerate(function.name_in())]
    joined, y = ca.veccat(*x), function(*x)
    hessian, gradient = ca.hessian(ca.dot(weights, y), joined)
    J = ca.jacobian(ca.vec(y), joined)
    return ca.Function("all", x, [y, J, gradient, hessian, ca.jacobian(J, joined)])


@pytest.mark.parametrize("verb", COMPILED)
@pytest.mark.parametrize("name", ARMS)
def test_compiled_and_expanded_derivatives_agree(name, verb):
    arm = ARMS[name]
    x, weights = states(arm, 2), np.random.default_rng(1).normal(size=(arm.dof, 2))
    fast, expression = (ls.casadi_function(arm, verb, expand=expand, samples=2) for expand in (False, True))
    assert error(fast(*x).T, getattr(ls, verb)(arm, *[part.T for part in x])) == 0
    allowed = CLOSE if verb == "inverse_dynamics" else INVERTED
    for a, b in zip(derivatives(fast, weights)(*x), derivatives(expression, weights)(*x), strict=True):
        assert error(a, b) < allowed


@pytest.mark.parametrize("verb", COMPILED)
@pytest.mark.parametrize("name", ARMS)
def test_jacobians_are_those_of_the_verbs_and_of_differences(name, verb):
    arm = ARMS[name]
    x, f = states(arm), ls.casadi_function(ARMS[name], verb)
    J = f.jacobian()(*x, 0)
    own = getattr(ls, f"{verb}_gradient")(arm, *[part[:, 0] for part in x])
    for k, (found, expected) in enumerate(zip(J, own, strict=True)):
        assert error(found, expected) == 0
        h = 1e-6 if k == 0 else 1e-3  # quadratic in rates, linear in forces: no error of the step, less of rounding
        step = h * np.eye(arm.dof)
        moved = [[*x[:k], x[k] + side * step[:, [j]], *x[k + 1 :]] for side in (1, -1) for j in range(arm.dof)]
        rows = np.hstack([np.array(f(*one)) for one in moved])
        differences = (rows[:, : arm.dof] - rows[:, arm.dof :]) / (2 * h)
        assert error(found, differences) < 1e-5


def test_map_over_samples_is_the_batch():
    arm = ARMS["panda"]
    x = states(arm, 5)
    expected = ls.inverse_dynamics(arm, *[part.T for part in x]).T
    mapped, weights = ls.casadi_function(arm, "inverse_dynamics").map(5), np.ones((arm.dof, 5))
    at_once = ls.casadi_function(arm, "inverse_dynamics", samples=5)
    assert error(mapped(*x), expected) == 0
    assert error(at_once(*x), expected) == 0
    for a, b in zip(derivatives(mapped, weights)(*x)[:4], derivatives(at_once, weights)(*x)[:4], strict=True):
        assert error(a, b) < CLOSE


def test_directional_derivatives():
    arm = ARMS["panda"]
    x, f = states(arm), ls.casadi_function(ARMS["panda"], "forward_dynamics")
    own = ls.forward_dynamics_gradient(arm, *[part[:, 0] for part in x])
    many = np.random.default_rng(2).normal(size=(arm.dof, 3))
    none = np.zeros((arm.dof, 3))
    assert error(f.forward(3)(*x, 0, many, none, none), own.q @ many) < CLOSE
    assert error(f.reverse(3)(*x, 0, many)[1], own.qd.T @ many) < CLOSE


@pytest.mark.parametrize("verb", ["mass_matrix", "coriolis_matrix", "kinetic_energy", "poses", "pose", "jacobian"])
@pytest.mark.parametrize("name", ARMS)
def test_expressions_have_the_shapes_and_values_of_the_verbs(name, verb):
    arm = ARMS[name]
    about = {"frame": arm.links[-1].name, "point": (0.1, 0.0, 0.2)} if verb in ("pose", "jacobian") else {}
    if arm.flexible:
        about = {"frame": arm.ends[0]} if about else {}
    f = ls.casadi_function(arm, verb, **about)
    x = states(arm)[: f.n_in()]
    place = [about["frame"], about.get("point", (0.0, 0.0, 0.0))] if about else []
    own = np.asarray(getattr(ls, verb)(arm, *[part[:, 0] for part in x], *place))
    shape = (-1, own.shape[-1]) if own.ndim > 1 else (-1, 1)
    assert f.name_in() == ["q", "qd", "qdd"][: f.n_in()]
    assert error(f(*x), own.reshape(shape)) < CLOSE


def test_optimum_of_predict_motion_with_opti():
    """The same splines and the same criterion, written in Opti: the same least effort."""
    arm, start, goal, T, segments = ls.load("two_link").with_gravity((0, 0, 0)), [0, -2], [1, -1], 0.6, 8
    motion = ls.predict_motion(
        arm, start=start, goal=goal, minimise="torque_squared", duration=T, segments=segments
    )  # fmt: skip
    knots = np.r_[[0.0] * 3, np.linspace(0, 1, segments + 1), [1.0] * 3]
    s = np.linspace(0, 1, 2 * segments + 1)  # Simpson's rule in every segment, as predict_motion has it
    weights = T / segments / 6 * np.r_[1, np.tile([4, 2], segments - 1), 4, 1]
    basis = BSpline(knots, np.eye(segments + 3), 3)
    at = [basis(s, order).T / T**order for order in range(3)]
    opti = ca.Opti()
    points = opti.variable(2, segments + 3)
    tau = ls.casadi_function(arm, "inverse_dynamics", samples=s.size)(*[points @ B for B in at])
    opti.minimize(ca.sum1(tau**2) @ weights)
    opti.subject_to(points[:, 0] == start)
    opti.subject_to(points[:, 1] == start)
    opti.subject_to(points[:, -1] == goal)
    opti.subject_to(points[:, -2] == goal)
    opti.set_initial(points, np.linspace(start, goal, segments + 3).T)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-10})
    found = opti.solve()
    assert motion.ok
    assert abs(found.value(opti.f) - motion.cost) < 1e-6 * motion.cost
    assert abs(found.value(points).T - motion.control_points).max() < 1e-4


def test_functions_outlive_what_they_were_made_from():
    x = ca.MX.sym("x", 2)
    torques = ls.casadi_function(ls.load("two_link"), "inverse_dynamics")(x, x, x)
    g = ca.Function("g", [x], [ca.jacobian(torques, x)])
    gc.collect()
    assert np.isfinite(np.array(g([0.1, 0.2]))).all()


def test_one_function_for_one_request():
    arm = ls.load("two_link")
    assert ls.casadi_function(arm, "inverse_dynamics") is ls.casadi_function(arm, "inverse_dynamics")
    assert ls.casadi_function(arm, "inverse_dynamics") is not ls.casadi_function(arm, "inverse_dynamics", samples=2)


def test_states_without_a_result_give_no_numbers():
    f = ls.casadi_function(ls.load("two_link"), "forward_dynamics")
    assert np.isnan(np.array(f([np.nan, 0], 0, 0))).all()


@pytest.mark.parametrize(
    ("verb", "options", "words"),
    [
        ("inverse_dynamic", {}, "inverse_dynamics"),
        (3, {}, "expected the name of a function"),
        ("inverse_dynamics_gradient", {}, "casadi's own jacobian"),
        ("inverse_dynamics_hessian", {}, "hessian of inverse_dynamics are exact"),
        ("mass_matrix", {"expand": False}, "no compiled derivatives"),
        ("mass_matrix", {"expand": "yes"}, "expected True, False or None"),
        ("mass_matrix", {"frame": "fore"}, "mass_matrix does not use one"),
        ("pose", {"frame": "nose"}, "nose"),
        ("pose", {"point": [1.0, 2.0]}, "point"),
        ("inverse_dynamics", {"loads": ["fore"]}, "cannot be inputs here"),
        ("inverse_dynamics", {"samples": 0}, "1 or more"),
        ("inverse_dynamics", {"samples": 2.0}, "whole number"),
    ],
)
def test_refusals(verb, options, words):
    with pytest.raises((ls.InputError, ls.UnsupportedError), match=words):
        ls.casadi_function(ls.load("two_link"), verb, **options)


def test_closed_loops_are_refused_by_name():
    arm = ls.load("examples/four_bar.toml")
    with pytest.raises(ls.UnsupportedError, match="closed loops"):
        ls.casadi_function(arm, "inverse_dynamics")
