"""Parts of the joint torques: they add up, and each is what its name says."""

import numpy as np
import pytest
from tests.arms import random_arm, random_base, random_loads, random_states
from tests.loops.mechanisms import four_bar

import lissom as ls


def flexible(flexibility="second_order"):
    beam = ls.Beam(0.8, 0.4, EI=(30.0, 20.0), GJ=15.0, gyration=(0.02, 0.03), modes=ls.Modes(1, 0, 1), damping=0.02)
    joint = {"armature": 0.05, "damping": 0.3, "friction": 0.2, "stiffness": 2.0, "rest": 0.4}
    links = (
        ls.Link("upper", None, ls.Joint(axis=(0.3, 1.0, 0.2), **joint), 1.3, (0.2, 0.1, 0.0), (0.03, 0.04, 0.05)),
        ls.Link("fore", "upper", ls.Joint(axis=(0.0, 1.0, 0.5)), beam=beam, payload=ls.Payload(0.3)),
    )
    arm = ls.Arm("soft", links, gravity=(0.5, -1.0, -9.0), flexibility=flexibility)
    return arm.replace(loads=(ls.Load("fore", force=(1.0, 2.0, 3.0)),))


ARMS = {
    "tree": lambda: random_arm(5, 5),
    "screws": lambda: random_arm(3, 5, kinds=("revolute", "helical")),
    "mimic": lambda: ls.load("panda"),
    "second_order": flexible,
    "linear": lambda: flexible("linear"),
    "book": lambda: flexible("book"),
}


SLOW = ("screws", "mimic", "linear", "book")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in ARMS])
def test_parts_add_up_with_loads_and_a_moving_base(name):
    arm = ARMS[name]()
    q, qd, qdd = random_states(arm, 6, seed=2)
    modes = list(arm.mode_index)
    q[:, modes] *= 0.002
    around = {"base": random_base(1)} if name != "book" else {}
    loads = [ls.Load("fore", (3.0, -2.0, 1.0), (0.3, 0.1, -0.2))] if arm.name == "soft" else random_loads(arm, 3)
    parts = ls.inverse_dynamics_parts(arm, q, qd, qdd, loads, **around)
    want = ls.inverse_dynamics(arm, q, qd, qdd, loads, **around)
    size = max(np.abs(part).max() for part in parts)
    assert np.abs(parts.total - want).max() < 1e-12 * size
    again = ls.inverse_dynamics_parts(arm, q, 2 * qd, -qdd, loads)
    np.testing.assert_allclose(again.inertia, -parts.inertia, atol=1e-12 * size)
    np.testing.assert_allclose(again.velocity, 4 * parts.velocity, atol=1e-11 * size)
    still = ls.inverse_dynamics_parts(arm, q[0], 0 * q[0], 0 * q[0])
    for part in (still.inertia, still.velocity, still.dissipation, still.base):
        assert np.abs(part).max() == 0.0
    np.testing.assert_allclose(still.total, ls.gravity_forces(arm, q[0]), atol=1e-12 * size)


def test_springs_friction_and_damping_are_those_of_the_drives():
    arm = random_arm(11, 5, tree=False, kinds=("revolute", "prismatic"))
    rigid = arm.replace(links=tuple(link.replace(joint=link.joint.replace(elastic=None)) for link in arm.links))
    q, qd, qdd = random_states(rigid, 4)
    parts = ls.inverse_dynamics_parts(rigid, q, qd, qdd)
    drives = np.array([(j.damping, j.friction, j.stiffness, j.rest) for j in rigid.joints])
    damping, friction, stiffness, rest = drives.T
    np.testing.assert_allclose(parts.elastic, stiffness * (q - rest), atol=1e-12)
    np.testing.assert_allclose(parts.dissipation, damping * qd + friction * np.sign(qd), atol=1e-12)


def test_gravity_is_the_slope_of_the_potential_and_bending_is_apart():
    arm = flexible()
    bare = arm.replace(loads=())
    q = np.concatenate([[0.4, -0.7], np.full(arm.dof - 2, 0.01)])
    parts = ls.inverse_dynamics_parts(arm, q, 0 * q, 0 * q)
    steps = 1e-5 * np.eye(arm.dof)
    slope = (ls.potential_energy(bare, q + steps) - ls.potential_energy(bare, q - steps)) / 2e-5
    np.testing.assert_allclose(parts.gravity + parts.elastic, slope, atol=1e-7)
    weightless = bare.with_gravity((0, 0, 0))
    bent = (ls.potential_energy(weightless, q + steps) - ls.potential_energy(weightless, q - steps)) / 2e-5
    np.testing.assert_allclose(parts.elastic, bent, atol=1e-7)
    np.testing.assert_allclose(parts.loads, ls.gravity_forces(arm, q) - ls.gravity_forces(bare, q), atol=1e-10)


def test_closed_loops_and_wrong_batches_are_refused():
    arm = four_bar()
    with pytest.raises(ls.UnsupportedError, match=r"closed loops.*arm.replace\(loops=\(\)\)"):
        ls.inverse_dynamics_parts(arm, arm.home, arm.home, arm.home)
    two = ls.load("two_link")
    with pytest.raises(ls.InputError, match="batches do not fit"):
        ls.inverse_dynamics_parts(two, np.zeros((2, 2)), np.zeros((3, 2)), [0, 0])
    one = ls.inverse_dynamics_parts(two, np.zeros((3, 2)), [1.0, 0.5], [0, 0])
    assert one.velocity.shape == (3, 2)
