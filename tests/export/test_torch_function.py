"""Functions for PyTorch: values and derivatives are lissom's, batched, and in both precisions."""

import copy
import doctest
import pickle
import re

import numpy as np
import pytest
from tests.arms import random_arm

import lissom as ls
from lissom.export.smooth.offered import OFFERED
from lissom.kernels.verbs import VERBS

torch = pytest.importorskip("torch", reason="PyTorch is not installed: extra torch")

TREE = random_arm(5, 4)  # sliding, fixed and elastic joints, friction, springs, gears, payload
HELICAL = random_arm(7, 3, kinds=("helical", "revolute", "prismatic"))
FLEXIBLE = ls.load("two_link_flexible").with_gravity((0.3, -9.0, 1.0))
ARMS = {"tree": TREE, "helical": HELICAL, "flexible": FLEXIBLE}
CLOSE = 1e-12  # relative to the largest entry


def tensors(arm, count, *batch, seed=0, grad=True):
    scale = np.full(arm.dof, 1.0)
    scale[arm.mode_index] = 0.01
    x = scale * np.random.default_rng(seed).normal(size=(count, *batch, arm.dof))
    return [torch.tensor(part, requires_grad=grad) for part in x]


def function(arm, verb):
    return ls.torch_function(arm, verb, **({"frame": arm.ends[0]} if VERBS[verb].frame else {}))


def available(arm):
    return [verb for verb in OFFERED if not (arm.flexible and verb in ("regressor", "coriolis_matrix"))]


def error(found, expected):
    return abs(np.asarray(found) - expected).max() / abs(expected).max()


CASES = [(name, verb) for name, arm in ARMS.items() for verb in available(arm)]


@pytest.mark.some(17)
@pytest.mark.parametrize(("name", "verb"), CASES)
def test_values_and_gradients_pass_the_checks_of_torch(name, verb):
    arm = ARMS[name]
    f = function(arm, verb)
    x = tensors(arm, len(f.arguments), 2)
    place = (arm.ends[0],) if VERBS[verb].frame else ()
    assert np.array_equal(f(*x).detach(), getattr(ls, verb)(arm, *[part.detach().numpy() for part in x], *place))
    loose = {"eps": 1e-6, "atol": 1e-4, "rtol": 1e-4}  # of differences, in stiff arms; exact ones are below
    assert torch.autograd.gradcheck(f, x, check_forward_ad=True, fast_mode=True, **loose)


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("verb", ["inverse_dynamics", "kinetic_energy", "pose"])
def test_second_derivatives_pass_the_checks_of_torch(name, verb):
    arm = ARMS[name]
    f = function(arm, verb)
    x = tensors(arm, len(f.arguments), 2)
    assert torch.autograd.gradgradcheck(f, x, atol=1e-4, rtol=1e-4, fast_mode=True)


def test_gradients_of_ten_thousand_states_are_ours():
    arm = ls.load("panda")
    x, w = tensors(arm, 3, 10_000), np.random.default_rng(1).normal(size=(10_000, 7))
    ls.torch_function(arm, "inverse_dynamics")(*x).backward(torch.tensor(w))
    own = ls.inverse_dynamics_product(arm, *[part.detach().numpy() for part in x], w)
    assert max(error(part.grad, expected) for part, expected in zip(x, own, strict=True)) < CLOSE
    moved = tensors(arm, 3, 10_000, seed=2)
    ls.torch_function(arm, "forward_dynamics")(*moved).backward(torch.tensor(w))
    full = ls.forward_dynamics_gradient(arm, *[part.detach().numpy() for part in moved])
    for part, J in zip(moved, full, strict=True):
        assert error(part.grad, np.einsum("ki,kij->kj", w, J)) < CLOSE


def test_double_backward_is_the_hessian():
    arm, w = TREE, torch.tensor(np.random.default_rng(1).normal(size=TREE.dof))
    x = tensors(arm, 3)
    (slope,) = torch.autograd.grad(function(arm, "inverse_dynamics")(*x) @ w, x[0], create_graph=True)
    rows = [torch.autograd.grad(entry, x, retain_graph=True) for entry in slope]
    own = ls.inverse_dynamics_hessian(arm, *[part.detach().numpy() for part in x], w.numpy())
    for k, block in enumerate((own.q_q, own.q_qd, own.q_qdd)):
        assert error(torch.stack([row[k] for row in rows]), block) < CLOSE


def test_transforms():
    arm = ls.load("two_link")
    f = ls.torch_function(arm, "inverse_dynamics")
    x = tensors(arm, 3, 5, grad=False)
    own = ls.inverse_dynamics_gradient(arm, *[part.numpy() for part in x])
    for transform in (torch.func.jacrev, torch.func.jacfwd):
        for k, expected in enumerate(own):
            assert error(torch.func.vmap(transform(f, argnums=k))(*x), expected) < CLOSE
    shared = torch.func.vmap(f, in_dims=(0, None, 1))(x[0], x[1][0], x[2].T)
    assert torch.equal(shared, f(x[0], x[1][0], x[2]))
    weights = torch.tensor([2.0, -1.0], dtype=torch.float64)
    for transform in (torch.func.hessian, lambda g: torch.func.jacrev(torch.func.jacfwd(g))):
        found = transform(lambda q: f(q, x[1][0], x[2][0]) @ weights)(x[0][0])
        own = ls.inverse_dynamics_hessian(arm, *[part[0].numpy() for part in x], weights.numpy())
        assert error(found, own.q_q) < CLOSE


ORDERS = [(outer, inner) for outer in ("jacfwd", "jacrev") for inner in ("jacfwd", "jacrev")]


@pytest.mark.parametrize(("outer", "inner"), ORDERS)
@pytest.mark.parametrize("name", ["tree", "flexible"])
def test_second_derivatives_in_every_order(name, outer, inner):
    arm = ARMS[name]
    outer, inner = getattr(torch.func, outer), getattr(torch.func, inner)
    w = torch.tensor(np.random.default_rng(1).normal(size=arm.dof))
    x = tensors(arm, 3, grad=False)
    own = ls.inverse_dynamics_hessian(arm, *[part.numpy() for part in x], w.numpy())
    f = function(arm, "inverse_dynamics")
    assert error(outer(inner(lambda *x: f(*x) @ w))(*x), own.q_q) < CLOSE
    mixed = outer(inner(lambda *x: f(*x) @ w, argnums=1), argnums=0)(*x)
    assert error(mixed.T, own.q_qd) < CLOSE
    both = outer(inner(lambda *x: f(*x) @ w, argnums=0), argnums=2)(*x)
    assert error(both, own.q_qdd) < CLOSE


def test_second_derivatives_of_matrices_forwards_for_a_batch():
    f = function(TREE, "mass_matrix")
    (q,) = tensors(TREE, 1, 3, grad=False)
    forwards = torch.func.vmap(torch.func.jacfwd(torch.func.jacfwd(f)))(q)
    backwards = torch.func.vmap(torch.func.jacrev(torch.func.jacrev(f)))(q)
    assert forwards.shape == (3, *(TREE.dof,) * 4)
    assert error(forwards, backwards.numpy()) < CLOSE


def test_second_derivatives_are_differentiated_by_their_directions():
    """A product with the Hessian is linear in its vector, the second change of torques quadratic."""
    arm, w = TREE, torch.tensor(np.random.default_rng(1).normal(size=TREE.dof))
    f, (q, qd, qdd) = function(arm, "inverse_dynamics"), tensors(arm, 3, grad=False)
    v = torch.tensor(np.random.default_rng(2).normal(size=arm.dof))
    own = ls.inverse_dynamics_hessian(arm, q.numpy(), qd.numpy(), qdd.numpy(), w.numpy()).q_q

    def weighted(q):
        return f(q, qd, qdd) @ w

    def product(v):
        return torch.func.vjp(torch.func.grad(weighted), q)[1](v)[0]

    def change(v):
        return torch.func.jvp(lambda q: torch.func.jvp(lambda q: f(q, qd, qdd), (q,), (v,))[1], (q,), (v,))[1]

    def moved(v):
        return torch.func.jvp(torch.func.grad(weighted), (q,), (v,))[1]

    for transform in (torch.func.jacrev, torch.func.jacfwd):
        assert error(transform(product)(v), own) < CLOSE
        assert error(transform(moved)(v), own) < CLOSE
        assert error(transform(lambda v: change(v) @ w)(v), 2 * own @ v.numpy()) < CLOSE


@pytest.mark.parametrize("outer", ["jacfwd", "jacrev"])
@pytest.mark.parametrize(("middle", "inner"), ORDERS)
def test_third_derivatives_are_refused_in_every_order(outer, middle, inner):
    f, (q,) = function(ls.load("two_link"), "potential_energy"), tensors(ls.load("two_link"), 1, grad=False)
    with pytest.raises(ls.UnsupportedError, match="third derivatives"):
        getattr(torch.func, outer)(getattr(torch.func, middle)(getattr(torch.func, inner)(f)))(q)


def test_third_derivatives_are_refused():
    f, x = ls.torch_function(ls.load("two_link"), "potential_energy"), tensors(ls.load("two_link"), 1)
    (slope,) = torch.autograd.grad(f(*x), x, create_graph=True)
    (curve,) = torch.autograd.grad(slope.sum(), x, create_graph=True)
    with pytest.raises(ls.UnsupportedError, match="third derivatives"):
        curve.sum().backward()


def test_single_precision_is_rounded_double_precision():
    arm = ls.load("panda")
    f, x = ls.torch_function(arm, "inverse_dynamics"), tensors(arm, 3, 4)
    short = [part.detach().float().requires_grad_() for part in x]
    tau = f(*short)
    assert tau.dtype == torch.float32
    own = ls.inverse_dynamics(arm, *[part.detach().numpy().astype(float) for part in short])
    assert np.array_equal(tau.detach(), own.astype(np.float32))
    tau.sum().backward()
    assert short[0].grad.dtype == torch.float32
    assert f(short[0], x[1], x[2]).dtype == torch.float64


def test_shapes_are_broadcast_and_joints_are_enough():
    f = ls.torch_function(FLEXIBLE, "inverse_dynamics")
    q = torch.tensor([0.3, -0.5], dtype=torch.float64, requires_grad=True)
    qd, qdd = torch.zeros(3, 1, 6, dtype=torch.float64), torch.ones(4, 2, dtype=torch.float64)
    tau = f(q, qd, qdd)
    assert tau.shape == (3, 4, 6)
    tau.sum().backward()
    full = FLEXIBLE.expanded(np.array([0.3, -0.5]))
    qdd = FLEXIBLE.expanded(np.ones(2))
    own = 12 * ls.inverse_dynamics_product(FLEXIBLE, full, np.zeros(6), qdd, np.ones(6)).q[FLEXIBLE.joint_index]
    assert error(q.grad, own) < CLOSE
    assert f(torch.zeros(0, 6), torch.zeros(6), torch.zeros(6)).shape == (0, 6)
    assert f(np.zeros(6), [0] * 6, torch.zeros(6)).dtype == torch.float64


def test_a_model_that_holds_a_function_is_copied_and_pickled():
    f = ls.torch_function(ls.load("two_link"), "pose", frame="fore", point=(0.1, 0.0, 0.0))
    q = torch.tensor([0.3, 0.5], dtype=torch.float64)
    assert copy.deepcopy(f) is f
    assert torch.equal(pickle.loads(pickle.dumps(f))(q), f(q))
    assert repr(f) == "<pose of arm 'two_link' for torch>"


def test_gradient_descent_finds_a_posture():
    """Three lines of a learning loop: the tip of a PUMA at a place, with small gravity torques."""
    arm = ls.load("puma560")
    pose, gravity = ls.torch_function(arm, "pose"), ls.torch_function(arm, "gravity_forces")
    q = torch.tensor([0.1, -0.5, 0.5, 0.1, 0.1, 0.1], dtype=torch.float64, requires_grad=True)
    goal = torch.tensor([0.5, 0.1, 0.3], dtype=torch.float64)
    search = torch.optim.LBFGS([q], max_iter=200, line_search_fn="strong_wolfe", tolerance_grad=1e-10)

    def loss():
        search.zero_grad()
        value = 100 * ((pose(q)[:3, 3] - goal) ** 2).sum() + 1e-6 * (gravity(q) ** 2).sum()
        value.backward()
        return value

    search.step(loss)
    assert abs(ls.pose(arm, q.detach().numpy(), arm.tip_frame)[:3, 3] - goal.numpy()).max() < 2e-3


def test_named_columns_are_put_in_order():
    pandas = pytest.importorskip("pandas")
    arm = ls.load("two_link")
    frame = pandas.DataFrame({"fore": [0.1, 0.2], "upper": [0.3, 0.4]})
    found = ls.torch_function(arm, "gravity_forces")(frame)
    assert np.array_equal(found, ls.gravity_forces(arm, [[0.3, 0.1], [0.4, 0.2]]))
    with pytest.raises(ls.InputError, match="which arm 'two_link' has not"):
        ls.torch_function(arm, "gravity_forces")(frame.rename(columns={"fore": "elbow"}))


def test_lissoms_own_functions_name_the_one_with_gradients():
    q = torch.zeros(2, requires_grad=True)
    with pytest.raises(ls.InputError, match="torch_function"):
        ls.gravity_forces(ls.load("two_link"), q)


def test_the_example_of_the_docstring():
    text = ls.torch_function.__doc__.replace("# doctest: +SKIP", "")  # which is for those without torch
    example = doctest.DocTestParser().get_doctest(text, {}, "torch_function", None, 0)
    assert doctest.DocTestRunner().run(example) == (0, len(example.examples))


def test_the_docstring_lists_what_there_is():
    listed = ls.torch_function.__doc__.split("verb : str")[1].split("frame : str")[0]
    assert set(re.findall(r'"(\w+)"', listed)) == set(OFFERED)


@pytest.mark.parametrize(
    ("verb", "options", "words"),
    [
        ("inverse_dynamic", {}, "inverse_dynamics"),
        (3, {}, "expected the name of a function"),
        ("inverse_dynamics_gradient", {}, "torch's own derivatives of inverse_dynamics are exact"),
        ("pose", {"frame": "nose"}, "nose"),
        ("pose", {"point": [1.0, 2.0]}, "point"),
        ("mass_matrix", {"frame": "fore"}, "mass_matrix does not use one"),
        ("inverse_dynamics", {"loads": ["fore"]}, "cannot be inputs here"),
    ],
)
def test_refusals(verb, options, words):
    with pytest.raises((ls.InputError, ls.UnsupportedError), match=words):
        ls.torch_function(ls.load("two_link"), verb, **options)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ((torch.zeros(2),), "got 1 tensors; expected q, qd, qdd"),
        ((torch.zeros(3), torch.zeros(2), torch.zeros(2)), r"q has shape \(3,\)"),
        ((torch.zeros(()), torch.zeros(2), torch.zeros(2)), r"q has shape \(\)"),
        ((torch.zeros(4, 2), torch.zeros(3, 2), torch.zeros(2)), "batches do not fit"),
        ((torch.zeros(2).half(), torch.zeros(2), torch.zeros(2)), "q is of torch.float16; expected"),
        ((torch.tensor([0.0, np.nan]), torch.zeros(2), torch.zeros(2)), r"q\[1\] is nan"),
    ],
)
def test_states_that_are_refused(state, words):
    with pytest.raises(ls.InputError, match=words):
        ls.torch_function(ls.load("two_link"), "inverse_dynamics")(*state)
