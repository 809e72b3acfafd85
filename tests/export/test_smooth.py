"""Functions with derivatives for frameworks: all of the registry, against casadi's differentiation."""

import numpy as np
import pytest
from tests.arms import random_arm

import lissom as ls
from lissom.export.export_c import EXPORTED
from lissom.export.smooth.offered import OFFERED, smooth_function
from lissom.kernels.verbs import VERBS

ca = pytest.importorskip("casadi")

FLEXIBLE = ls.load("two_link_flexible").with_gravity((0.3, -9.0, 1.0))
ARMS = {
    "tree": random_arm(5, 4),  # sliding, fixed and elastic joints, friction, springs, gears, payload
    "helical": random_arm(7, 3, kinds=("helical", "revolute", "prismatic")),
    "flexible": FLEXIBLE,
    "linear": FLEXIBLE.replace(flexibility="linear"),
    "book": FLEXIBLE.replace(flexibility="book"),
}
CLOSE = 1e-12  # relative to the largest entry: roundings of another order of operations
INVERTED = 1e-8  # the same through the inverse of the inertia, whose condition of the tree is about 1e4


def smooth(arm, verb):
    frame = arm.ends[0] if VERBS[verb].frame else None
    return smooth_function(arm, verb, frame, (0.0, 0.0, 0.0), "test", "derivatives")


def states(arm, count, rows=3, seed=1):
    scale = np.full(arm.dof, 1.0)
    scale[arm.mode_index] = 0.01
    return list(scale * np.random.default_rng(seed).normal(size=(count, rows, arm.dof)))


def error(found, expected):
    expected = np.asarray(expected, float)
    return abs(np.asarray(found, float) - expected).max() / max(abs(expected).max(), 1e-6)


def expression(arm, verb, frame):
    """Gradient and Hessian of the weighted sum of a function's entries by casadi, in lissom's order of entries."""
    f = ls.casadi_function(arm, verb, expand=True, **({"frame": frame} if frame else {}))
    x = [ca.SX.sym(word, arm.dof) for word in f.name_in()]
    y = ca.vec(f(*x).T)  # row by row
    w = ca.SX.sym("w", y.numel())
    joined = ca.vertcat(*x)
    hessian, gradient = ca.hessian(ca.dot(w, y), joined)
    return ca.Function("all", [*x, w], [gradient, hessian])


def test_every_public_function_with_one_result_is_offered():
    public = {name for name, verb in VERBS.items() if not verb.internal and verb.record is None}
    assert set(OFFERED) == public
    assert len(OFFERED) >= 17


@pytest.mark.some(12)
@pytest.mark.parametrize("verb", [verb for verb in OFFERED if verb in EXPORTED])
@pytest.mark.parametrize("name", ARMS)
def test_derivatives_are_those_of_the_expression(name, verb):
    arm = ARMS[name]
    try:
        f = smooth(arm, verb)
    except ls.UnsupportedError:
        assert arm.flexible
        assert verb in ("regressor", "coriolis_matrix")
        return
    count = len(f.arguments)
    x = states(arm, count)
    w = np.random.default_rng(2).normal(size=(3, f.rows))
    exact = expression(arm, verb, arm.ends[0] if VERBS[verb].frame else None)
    J, product, H = f.gradient(*x), f.product(*x, w), f.hessian(*x, w)
    allowed = INVERTED if VERBS[verb].inverts_inertia else CLOSE
    for k in range(3):
        gradient, hessian = (np.array(part) for part in exact(*[state[k] for state in x], w[k]))
        assert error(np.concatenate([part[k] for part in product]), gradient[:, 0]) < allowed
        assert error(np.concatenate([w[k] @ part[k] for part in J]), gradient[:, 0]) < allowed
        zero = np.zeros((arm.dof, arm.dof))
        blocks = [[H[a, b][k] if (a, b) in H else zero for b in range(count)] for a in range(count)]
        assert error(np.block(blocks), hessian) < 10 * allowed


@pytest.mark.parametrize("verb", ["centre_of_mass", "mass_matrix"])
def test_a_change_along_a_direction_is_that_of_differences(verb):
    arm, step = ARMS["tree"], 1e-6
    f = smooth(arm, verb)
    x, v = states(arm, len(f.arguments)), states(arm, len(f.arguments), seed=4)
    ends = [f.value(*[a + side * step * b for a, b in zip(x, v, strict=True)]) for side in (1, -1)]
    assert error(f.tangent(x, v), ((ends[0] - ends[1]) / (2 * step)).reshape(3, -1)) < 1e-8


@pytest.mark.parametrize("verb", ["inverse_dynamics", "kinetic_energy"])
def test_hessian_vector_products_are_changes_of_products(verb):
    arm, step = ARMS["tree"], 1e-6
    f = smooth(arm, verb)
    x, v = states(arm, len(f.arguments)), states(arm, len(f.arguments), seed=4)
    w = np.random.default_rng(2).normal(size=(3, f.rows))
    ends = [f.product(*[a + side * step * b for a, b in zip(x, v, strict=True)], w) for side in (1, -1)]
    for found, up, down in zip(
        f.hessian_vector_product(x, w, v), *ends, strict=True
    ):  # second derivatives are symmetric
        assert error(found, (up - down) / (2 * step)) < 1e-7


def test_one_function_for_one_request():
    assert smooth(FLEXIBLE, "pose") is smooth(FLEXIBLE, "pose")
    assert smooth(FLEXIBLE, "pose") is not smooth(FLEXIBLE, "jacobian")


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_a_missing_framework_is_named_with_what_to_do(package, monkeypatch):
    monkeypatch.setattr("lissom.export.smooth.offered.find_spec", lambda name: None)
    with pytest.raises(
        ls.UnsupportedError, match=rf"{package}_function needs {package}.*pip install '\.\[{package}\]'"
    ):
        getattr(ls, f"{package}_function")(ls.load("two_link"), "pose")


def test_a_closed_arm_has_the_functions_of_its_tree():
    arm = ls.load("examples/four_bar.toml")
    with pytest.raises(ls.UnsupportedError, match="closed loops"):
        smooth(arm, "inverse_dynamics")
    f = smooth(arm, "gravity_forces")
    q = arm.home
    assert error(f.gradient(q)[0], ls.inverse_dynamics_gradient(arm.replace(loops=()), q, 0 * q, 0 * q).q) < CLOSE
