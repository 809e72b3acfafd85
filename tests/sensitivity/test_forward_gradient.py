"""Derivatives of forward dynamics: compiled against NumPy, and states that need the latter."""

import numpy as np
import pytest
from tests.arms import gripper_arm, random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.kernels.cache import functions_of

RELATIVE = 1e-9  # of the largest entry; condition numbers of these arms reach 1e5
NAME = "forward_dynamics_gradient"


def flexible_tree():
    """Two flexible links with children, one of them along its beam."""
    arm = ls.load("two_link_flexible")
    side = random_arm(8, 2, kinds=("revolute",)).links
    places = ((arm.links[0].name, 0.2), (arm.links[-1].name, None))
    more = [link.replace(name=f"side {k}", parent=parent, joint=link.joint.replace(name=f"side {k}", at=at))
            for k, (link, (parent, at)) in enumerate(zip(side, places, strict=True))]  # fmt: skip
    return ls.Arm("flexible tree", [*arm.links, *more])


ARMS = {
    "one joint": lambda: random_arm(1, 1, kinds=("prismatic",)),
    "tree with prismatic joints": lambda: random_arm(5, 12),
    "joints that follow others": gripper_arm,
    "flexible tree": flexible_tree,
}


@pytest.mark.parametrize("name", ARMS)
def test_the_compiled_solution_is_the_one_of_numpy(name):
    arm = ARMS[name]()
    q, qd, tau = random_states(arm, 7, seed=3)
    q = 0.1 * q if arm.flexible else q
    f, n = functions_of(arm).get(NAME), arm.dof
    assert f.kernel is not None
    want = [np.empty((7, n * n)) for _ in range(3)]
    f._by_parts([q, qd, tau], want, (7,), 1, 0)
    found = ls.forward_dynamics_gradient(arm, q, qd, tau)
    one = ls.forward_dynamics_gradient(arm, q[2], qd[2], tau[2])
    for x, y, z in zip(found, want, one, strict=True):
        assert np.abs(x.reshape(7, -1) - y).max() <= RELATIVE * max(1e-3, np.abs(y).max())
        assert np.array_equal(x[2], z)


def test_loads_and_base_motion_in_a_batch():
    arm = random_arm(33, 9)
    states = random_states(arm, 5, seed=4)
    loads, base = random_loads(arm, 3, (5,)), random_base(2)
    found = ls.forward_dynamics_gradient(arm, *states, loads=loads, base=base)
    tau = states[2]
    for k in range(arm.dof):
        change = 1e-3 * np.eye(arm.dof)[k]
        both = [ls.forward_dynamics(arm, *states[:2], tau + x, loads=loads, base=base) for x in (change, -change)]
        column = (both[0] - both[1]) / 2e-3  # exact: accelerations are linear in tau
        assert np.abs(found.tau[..., k] - column).max() < 1e-7 * np.abs(found.tau).max()


def test_a_state_beyond_the_range_of_the_kernel_does_not_change_the_others():
    arm = random_arm(32, 5)
    q, qd, tau = random_states(arm, 6, seed=1)
    right = ls.forward_dynamics_gradient(arm, q, qd, tau)
    turned = q.copy()
    joint = [link.joint.kind for link in arm.links if link.joint.moves].index("revolute")
    turned[4, joint] += 2 * np.pi * 2**20  # 6.6e6 rad
    found = ls.forward_dynamics_gradient(arm, turned, qd, tau)
    others = np.arange(6) != 4
    for x, y in zip(found, right, strict=True):
        assert np.array_equal(x[others], y[others])
        assert np.abs(x[4] - y[4]).max() < 1e-6 * np.abs(y[4]).max()  # the angle is known to 1e-9 rad only


def test_an_arm_without_coordinates():
    arm = ls.Arm("still", [ls.Link("a", None, ls.Joint("fixed"), mass=1.0)])
    for rows in ((), (5,)):
        nothing = np.zeros((*rows, 0))
        assert [x.shape for x in ls.forward_dynamics_gradient(arm, nothing, nothing, nothing)] == [(*rows, 0, 0)] * 3


def test_errors_name_the_state():
    arm = random_arm(32, 5)
    q, qd, tau = random_states(arm, 6, seed=1)
    tau[3, 1] = np.nan
    with pytest.raises(ls.InputError, match=r"tau\[3, 1\] is nan"):
        ls.forward_dynamics_gradient(arm, q, qd, tau)
    turn = [ls.Link(name, above, ls.Joint("revolute", axis=axis))
            for name, above, axis in (("a", None, (0, 0, 1)), ("b", "a", (0, 1, 0)))]  # fmt: skip
    ball = ls.Link("ball", "b", ls.Joint(axis=(0, 0, 1)), mass=1.0, inertia=(0.1, 0.1, 0.1))
    gimbal, states = ls.Arm("gimbal", [*turn, ball]), np.full((5, 3), 0.3)
    states[2, 1] = 0.0  # the outer axes coincide
    with pytest.raises(ls.SolveError, match=r"singular at this position of state \[2\]"):
        ls.forward_dynamics_gradient(gimbal, states, states, states)
