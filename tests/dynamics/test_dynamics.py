"""The public dynamics: what it accepts and what it refuses."""

import subprocess
import sys

import numpy as np
import pytest
from tests.arms import random_arm, random_pose, random_states

import lissom as ls
from lissom.kernels.cache import functions_of
from lissom.kernels.functions import compiler_present
from lissom.spatial.frames import pose

Q = np.full(6, 0.3)
WRONG = {
    "short": (lambda a: ls.inverse_dynamics(a, [0] * 5, Q, Q), "inverse_dynamics: q has 5 entries, arm 'puma560'"),
    "nan": (lambda a: ls.forward_dynamics(a, Q, Q * np.nan, Q), r"forward_dynamics: qd\[0\] is nan"),
    "nan in a batch": (
        lambda a: ls.mass_matrix(a, np.where(np.arange(12).reshape(2, 6) == 8, np.nan, 0.1)), r"q\[1, 2\] is nan"
    ),
    "text": (lambda a: ls.mass_matrix(a, "zero"), "q is 'zero'; expected numbers"),
    "batches": (lambda a: ls.bias_forces(a, np.zeros((2, 6)), np.zeros((3, 6))), "batches do not fit"),
    "load": (lambda a: ls.inverse_dynamics(a, Q, Q, Q, loads=["flange"]), "expected Load"),
    "base": (lambda a: ls.inverse_dynamics(a, Q, Q, Q, base=1), "expected BaseMotion"),
    "method": (lambda a: ls.inverse_dynamics(a, Q, Q, Q, method="newton"), "method is 'newton'"),
    "threads": (lambda a: ls.mass_matrix(a, Q, threads=0), "threads is 0"),
    "out": (lambda a: ls.mass_matrix(a, Q, out=np.zeros(6)), r"expected a writeable float64 array of shape \(6, 6\)"),
    "arm": (lambda a: ls.mass_matrix("puma560", Q), "got str where an Arm was expected"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_explained(case):
    call, message = WRONG[case]
    with pytest.raises(ls.InputError, match=message):
        call(ls.load("puma560"))


def test_load_on_an_unknown_link():
    with pytest.raises(ls.InputError, match=r"inverse_dynamics: arm 'puma560'.*did you mean 'flange'"):
        ls.inverse_dynamics(ls.load("puma560"), Q, Q, Q, loads=[ls.Load("flang")])


def test_arms_without_dynamics_are_refused():
    soft = ls.load("two_link_flexible")
    with pytest.raises(ls.UnsupportedError, match="regressor is not available yet for arms with flexible links"):
        ls.regressor(soft, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    ghost = ls.Arm("ghost", [ls.Link("a")], kinematics_only=True)
    with pytest.raises(ls.UnsupportedError, match="kinematics_only"):
        ls.inverse_dynamics(ghost, [0.0], [0.0], [0.0])
    loop = ls.load("two_link").replace(loops=[ls.Loop(("upper", (0, 0, 0)), (None, (0.1, 0, 0)))])
    with pytest.raises(ls.UnsupportedError, match="closed loops"):
        ls.inverse_dynamics_gradient(loop, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])


def test_empty_batches():
    arm = ls.load("stanford")
    none = np.zeros((0, 6))
    assert ls.inverse_dynamics(arm, none, none, none).shape == (0, 6)
    assert ls.mass_matrix(arm, np.zeros((3, 0, 6))).shape == (3, 0, 6, 6)
    assert ls.inverse_dynamics_gradient(arm, none, Q, Q).q.shape == (0, 6, 6)
    assert ls.kinetic_energy(arm, none, Q).shape == (0,)


def test_short_vectors_leave_springs_unloaded():
    soft = ls.load("two_link").with_joint("upper", armature=0.3, elastic=ls.JointElasticity(80.0))
    assert soft.dof == 3
    short = ls.inverse_dynamics(soft, [0.2, 0.4], [1.0, 0.5], [0.3, 0.1])
    full = ls.inverse_dynamics(soft, [0.2, 0.0, 0.4], [1.0, 0.0, 0.5], [0.3, 0.0, 0.1])
    assert short.shape == (3,)
    assert np.array_equal(short, full)


def test_stiff_elastic_joint_is_a_rigid_one():
    """As the spring stiffens, the static deflection under gravity falls as 1/k and the arm is the rigid one."""
    arm = ls.load("two_link").with_joint("upper", armature=0.3)
    for k in (1e3, 1e5):
        soft = arm.with_joint("upper", elastic=ls.JointElasticity(k))
        hold = ls.gravity_forces(arm, [0.2, 0.4])
        sag = -hold[0] / k
        tau = ls.gravity_forces(soft, [0.2 - sag, sag, 0.4])
        assert tau == pytest.approx([hold[0], 0.0, hold[1]], abs=1e-9)


def test_singular_posture_names_the_joint():
    """A gimbal of three turns loses one when the middle one folds the outer two together."""
    turn = lambda name, parent, axis: ls.Link(name, parent, ls.Joint("revolute", axis=axis))  # noqa: E731
    ball = ls.Link("ball", "b", ls.Joint(axis=(0, 0, 1)), mass=1.0, inertia=(0.1, 0.1, 0.1))
    arm = ls.Arm("gimbal", [turn("a", None, (0, 0, 1)), turn("b", "a", (0, 1, 0)), ball])
    with pytest.raises(ls.SolveError, match="singular at this position: joints 'a', 'ball' can move together"):
        ls.forward_dynamics(arm, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0])


@pytest.mark.parametrize("backend", ["straight", "tape", "numpy"])
@pytest.mark.parametrize("links", [2, 5, 9])
def test_singular_wrist_of_any_arm_in_any_orientation(links, backend):
    """Pivots are rounding here, not zero: they must be noticed all the same, and only where they are singular."""
    arm = random_arm(80 + links, links, tree=False, drives=False, kinds=("revolute", "prismatic"))
    tilt = random_pose(np.random.default_rng(links))
    turn = lambda name, parent, axis, X: ls.Link(name, parent, ls.Joint("revolute", X, axis=axis))  # noqa: E731
    ball = ls.Link("ball", "b", ls.Joint(axis=(0, 0, 1)), mass=1.0, inertia=(0.1, 0.2, 0.3))
    wrist = [turn("a", arm.links[-1].name, (0, 0, 1), tilt), turn("b", "a", (0, 1, 0), np.eye(4)), ball]
    whole = arm.replace(links=[*arm.links, *wrist])
    forward = functions_of(whole).get("forward_dynamics", backend=backend)
    q, qd, qdd = random_states(whole, 4, seed=links)
    assert np.allclose(forward(q, qd, ls.inverse_dynamics(whole, q, qd, qdd)), qdd, rtol=1e-9, atol=1e-9)
    q[:, -2] = 0.0
    with pytest.raises(ls.SolveError, match=r"singular at this position of state \[0\]: joints 'a', 'ball'"):
        forward(q, qd, qdd)


@pytest.mark.parametrize("method", ["nasser", "walker_orin_1", "walker_orin_2", "walker_orin_3"])
def test_formulations_notice_singular_inertia_too(method):
    tilt = random_pose(np.random.default_rng(3))
    turn = lambda name, parent, axis, X: ls.Link(name, parent, ls.Joint("revolute", X, axis=axis))  # noqa: E731
    ball = ls.Link("ball", "b", ls.Joint(axis=(0, 0, 1)), mass=1.0, inertia=(0.1, 0.2, 0.3))
    arm = ls.Arm("gimbal", [turn("a", None, (0, 0, 1), tilt), turn("b", "a", (0, 1, 0), np.eye(4)), ball])
    with pytest.raises(ls.SolveError, match="singular at this position: joints 'a', 'ball' can move together"):
        ls.forward_dynamics(arm, [0.3, 0.0, 0.7], [0.1, 0.2, 0.3], [1.0, 0.5, 0.2], method=method)


@pytest.mark.slow
def test_long_chains_of_thin_links_are_not_singular():
    """The inertia about a link's own axis is 1e-15 of what hangs on it, and determined all the same."""
    n, r = 1000, 0.003
    links = []
    for k in range(n):
        X = np.eye(4)
        X[0, 3] = 0.0 if k == 0 else 1.0
        joint = ls.Joint("revolute", X, axis=(1, 0, 0) if k % 2 else (0, 0, 1))
        inertia = (r**2 / 2, 1 / 12, 1 / 12)
        links.append(ls.Link(f"l{k}", None if k == 0 else f"l{k - 1}", joint, 1.0, (0.5, 0, 0), inertia))
    arm = ls.Arm("thin", links, gravity=(0, 0, 0))
    qdd = np.random.default_rng(0).normal(size=n)
    rest = np.zeros(n)
    back = ls.forward_dynamics(arm, rest, rest, ls.inverse_dynamics(arm, rest, rest, qdd))
    assert np.abs(back - qdd).max() < 1e-4


def test_the_singular_joint_is_named_beside_tiny_ones():
    turn = lambda name, parent, axis: ls.Link(name, parent, ls.Joint("revolute", axis=axis))  # noqa: E731
    base = ls.Link("base", joint=ls.Joint(axis=(1, 0, 0)), mass=1e4, inertia=1e4)
    ball = ls.Link("ball", "b", ls.Joint(axis=(0, 0, 1)), mass=1.0, inertia=(0.1, 0.1, 0.1))
    tiny = ls.Link("tiny", "ball", ls.Joint(axis=(0, 1, 0)), mass=1e-9, com=(0.01, 0, 0), inertia=1e-13)
    arm = ls.Arm("gimbal", [base, turn("a", "base", (0, 0, 1)), turn("b", "a", (0, 1, 0)), ball, tiny])
    with pytest.raises(ls.SolveError, match="joints 'a', 'ball' can move together without"):
        ls.forward_dynamics(arm, [0.2, 0.1, 0.0, 0.4, 0.3], np.zeros(5), np.ones(5))


def test_many_rows_use_threads_and_agree():
    arm = ls.load("puma560")
    q = np.random.default_rng(0).normal(size=(20_000, 6))
    assert np.array_equal(ls.inverse_dynamics(arm, q, q, q), ls.inverse_dynamics(arm, q, q, q, threads=1))


def test_kernels_are_not_pickled_with_the_arm():
    import pickle

    arm = ls.load("two_link")
    ls.mass_matrix(arm, [0.0, 0.0])
    other = pickle.loads(pickle.dumps(arm))
    assert other == arm
    assert not hasattr(other, "_compiled")
    assert np.array_equal(ls.mass_matrix(other, [0.0, 0.1]), ls.mass_matrix(arm, [0.0, 0.1]))


def test_without_a_compiler_numpy_serves():
    code = """
import sys, importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name in ("llvmlite", "casadi") else real(name, *a)
sys.modules["llvmlite"] = sys.modules["casadi"] = None
import numpy as np, lissom as ls
arm = ls.load("puma560")
q = np.linspace(-1, 1, 12).reshape(2, 6)
print(repr(ls.inverse_dynamics(arm, q, q, q).tolist()), ls.inverse_dynamics_gradient(arm, q[0], q[0], q[0]).q.shape)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    values = np.array(eval(done.stdout.rsplit(" (", 1)[0]))
    q = np.linspace(-1, 1, 12).reshape(2, 6)
    assert np.allclose(values, ls.inverse_dynamics(ls.load("puma560"), q, q, q), rtol=1e-12)


def test_the_compiler_is_here():
    assert compiler_present()
    assert functions_of(ls.load("two_link")).get("mass_matrix").kernel is not None


@pytest.mark.parametrize("links", [4, 14])
def test_packed_mass_matrix_is_the_upper_triangle(links):
    arm = random_arm(71, links)
    q = random_states(arm, 5, count=1)[0]
    whole, rows = ls.mass_matrix(arm, q), np.triu_indices(arm.dof)
    packed = ls.mass_matrix(arm, q, packed=True)
    assert packed.shape == (5, arm.dof * (arm.dof + 1) // 2)
    assert np.array_equal(packed, whole[:, *rows])
    room = np.full_like(packed, np.nan)
    assert ls.mass_matrix(arm, q, packed=True, out=room) is room
    assert np.array_equal(room, packed)


def test_a_load_on_the_last_of_many_joints():
    """More joints than Python allows calls within calls; at rest without gravity the torques are J^T f."""
    n, step = 1100, pose(p=(0.1, 0.0, 0.0))
    links = [
        ls.Link(f"l{k}", f"l{k - 1}" if k else None, ls.Joint("revolute", step), mass=1.0, inertia=0.01)
        for k in range(n)
    ]
    arm = ls.Arm("long", links, gravity=(0.0, 0.0, 0.0))
    nothing = np.zeros(n)
    tau = ls.inverse_dynamics(arm, nothing, nothing, nothing, loads=[ls.Load(f"l{n - 1}", (0.0, 1.0, 0.0))])
    np.testing.assert_allclose(tau, -0.1 * np.arange(n - 1, -1, -1), rtol=1e-12, atol=1e-12)
