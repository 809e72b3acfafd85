"""Joints that follow others: every function of such an arm, against that of the arm with all joints free.

With q_free = G q + g0, generalized forces are G^T tau_free, Jacobians J_free G, and the mass matrix G^T M_free G.
"""

import numpy as np
import pytest

import lissom as ls
from lissom.dynamics.varied import Varied
from lissom.errors import InputError, UnsupportedError
from lissom.kernels.batch_of_arms import call_each
from lissom.kernels.cache import functions_of

TIP = "hand"


def rod(name, parent, rng, kind="revolute", **joint):
    """A generic link on a generic joint."""
    axis, centre, spread = rng.normal(size=3), rng.uniform(-0.3, 0.3, 3), rng.normal(size=(3, 3)) * 0.05
    place = np.eye(4)
    place[:3, 3] = rng.uniform(-0.4, 0.4, 3)
    return ls.Link(
        name, parent, ls.Joint(kind, place, axis, **joint), mass=float(rng.uniform(0.5, 2.0)), com=centre,
        inertia=spread @ spread.T + 0.02 * np.eye(3),
    )  # fmt: skip


def tree(seed=0, **drive):
    """Seven joints, four coordinates.

    A follower on another branch, one that carries the joint that it follows, one that follows a follower.
    """
    rng = np.random.default_rng(seed)
    drives = drive or dict.fromkeys(("armature", "damping", "friction"), 0.1)
    spring = {"stiffness": 3.0, "rest": 0.2}
    return ls.Arm("tree", [
        rod("base", None, rng, mimic=ls.Mimic("elbow", 0.4, -0.1), **drives),
        rod("elbow", "base", rng, **drives, **spring),
        rod("slide", "elbow", rng, "prismatic", **drives),
        rod("finger", "slide", rng, "prismatic", mimic=ls.Mimic("other", -2.0, 0.05), **drives, **spring),
        rod("other", "slide", rng, mimic=ls.Mimic("wrist", -1.3, 0.3), **drives),
        rod("wrist", "slide", rng, **drives, **spring),
        rod(TIP, "finger", rng, **drives),
    ])  # fmt: skip


def flexible_arm(flexibility="second_order"):
    """Followers behind flexible links, and one whose link is flexible."""
    beam = ls.Beam(0.5, 0.4, EI=4.0, modes=ls.Modes(2))
    turn, place = {"axis": (0, 0, 1)}, np.eye(4)
    return ls.Arm("soft", [
        ls.Link("upper", joint=ls.Joint(**turn), mass=0.2, inertia=0.01 * np.eye(3), beam=beam),
        ls.Link("middle", "upper", ls.Joint(placement=place, mimic=ls.Mimic("upper", -0.7, 0.2), **turn), mass=0.2,
                inertia=0.01 * np.eye(3), beam=beam),
        ls.Link(TIP, "middle", ls.Joint(mimic=ls.Mimic("upper", 0.5), damping=0.2, **turn), mass=0.5, com=(0.1, 0, 0),
                inertia=0.01 * np.eye(3)),
    ], gravity=(0.0, -9.81, 0.0), flexibility=flexibility)  # fmt: skip


def free_of(arm):
    """The arm with all joints free."""
    links = [link.replace(joint=link.joint.replace(mimic=None)) if link.joint.mimic else link for link in arm.links]
    return arm.replace(links=[_at_home_of(arm, link) for link in links])


def _at_home_of(arm, link):
    """The link with the shapes that it has in the arm: the home of the free arm is another one."""
    if link.beam is None:
        return link
    home = dict(zip((joint.name for joint in arm.moving_joints), arm.joint_positions(arm.home).tolist(), strict=True))
    further_out = [other.joint.name for other in arm.links[arm.index(link.name) + 1 :]]
    return link.replace(beam=link.beam.replace(tip_pose={name: home[name] for name in further_out}))


def plain(arm, name, *state, **acting):
    """A function of an arm, on NumPy arrays: nothing is compiled for it."""
    if acting:
        return getattr(ls, name)(arm, *state, **acting)
    return functions_of(arm).get(name, backend="numpy")(*state)


class Projection:
    """G and g0, from names of coordinates alone."""

    def __init__(self, arm):
        self.arm, self.free = arm, free_of(arm)
        self.G, self.g0 = np.zeros((self.free.dof, arm.dof)), np.zeros(self.free.dof)
        mimic = {link.joint.name: link.joint.mimic for link in arm.links}
        for row, name in enumerate(self.free.coordinates):
            m, offset = 1.0, 0.0
            while mimic.get(name) is not None:
                offset, m, name = offset + m * mimic[name].offset, m * mimic[name].multiplier, mimic[name].joint
            self.G[row, arm.coordinates.index(name)], self.g0[row] = m, offset

    def states(self, count=3, seed=1):
        """Of the arm and of the free one: q, qd, qdd."""
        x = np.random.default_rng(seed).uniform(-0.8, 0.8, (3, count, self.arm.dof))
        if self.arm.flexible:
            x[..., self.arm.mode_index] *= 0.02
        return x, (x[0] @ self.G.T + self.g0, x[1] @ self.G.T, x[2] @ self.G.T)


def close(ours, theirs, tolerance=1e-11):
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * (1 + np.abs(theirs).max()))


ARMS = {
    "tree": tree,
    "elastic": lambda: tree().with_joint("other", elastic=ls.JointElasticity(20.0, 0.1)),
    "linear": lambda: flexible_arm("linear"),
    "flexible": flexible_arm,
}


@pytest.fixture(params=ARMS, scope="module")
def case(request):
    return Projection(ARMS[request.param]())


def test_followers_are_no_coordinates():
    arm = tree()
    assert arm.dof == 4
    assert arm.coordinates == ("elbow", "slide", "wrist", TIP)
    assert [joint.name for joint in arm.joints] == list(arm.coordinates)
    assert len(arm.moving_joints) == 7
    assert arm.mimics["finger"] == ls.Mimic("wrist", -2.0 * -1.3, -2.0 * 0.3 + 0.05)
    case = Projection(arm)
    q = case.states()[0][0]
    close(arm.joint_positions(q), q @ case.G.T + case.g0)


@pytest.mark.some(2)
def test_dynamics_is_that_of_the_free_arm_projected(case):
    (q, qd, qdd), free = case.states()
    arm, other, G = case.arm, case.free, case.G
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    close(tau, plain(other, "inverse_dynamics", *free) @ G)
    close(ls.bias_forces(arm, q, qd), plain(other, "bias_forces", *free[:2]) @ G)
    close(ls.gravity_forces(arm, q), plain(other, "gravity_forces", free[0]) @ G)
    M = ls.mass_matrix(arm, q)
    close(M, G.T @ plain(other, "mass_matrix", free[0]) @ G)
    close(ls.forward_dynamics(arm, q, qd, tau), qdd, 1e-9)


@pytest.mark.some(3)
@pytest.mark.parametrize("backend", ["straight", "tape", "numpy"])
def test_all_ways_of_computing_agree(case, backend):
    (q, qd, qdd), free = case.states()
    known = functions_of(case.arm)
    tau = known.get("inverse_dynamics", backend=backend)(q, qd, qdd)
    close(tau, plain(case.free, "inverse_dynamics", *free) @ case.G)
    close(known.get("mass_matrix", backend=backend)(q), case.G.T @ plain(case.free, "mass_matrix", free[0]) @ case.G)
    close(known.get("forward_dynamics", backend=backend)(q, qd, tau), qdd, 1e-9)


@pytest.mark.some(1)
def test_kinematics_is_that_of_the_free_arm(case):
    (q, qd, qdd), free = case.states()
    arm, other, point = case.arm, case.free, (0.1, 0.0, 0.05)
    close(ls.poses(arm, q), plain(other, "poses", free[0]))
    close(ls.pose(arm, q, TIP, point), ls.pose(other, free[0], TIP, point))
    close(ls.jacobian(arm, q, TIP, point), ls.jacobian(other, free[0], TIP, point) @ case.G)
    close(ls.velocity(arm, q, qd, TIP, point), ls.velocity(other, *free[:2], TIP, point))
    close(ls.acceleration(arm, q, qd, qdd, TIP, point), ls.acceleration(other, *free, TIP, point))


def test_energies_and_momentum_are_those_of_the_free_arm(case):
    (q, qd, _), free = case.states()
    arm, other = case.arm, case.free
    # damping, friction and inertia of drives sit with the joint that leads: the energy is the same
    close(ls.kinetic_energy(arm, q, qd), ls.kinetic_energy(other, *free[:2]))
    close(ls.potential_energy(arm, q), ls.potential_energy(other, free[0]))
    close(ls.centre_of_mass(arm, q), ls.centre_of_mass(other, free[0]))
    close(ls.momentum(arm, q, qd), ls.momentum(other, *free[:2]))


@pytest.mark.some(1)
def test_derivatives_are_those_of_the_free_arm_projected(case):
    (q, qd, qdd), free = case.states()
    arm, other, G = case.arm, case.free, case.G
    D, D_free = ls.inverse_dynamics_gradient(arm, q, qd, qdd), plain(other, "inverse_dynamics_gradient", *free)
    for ours, theirs in zip(D, D_free, strict=True):
        close(ours, G.T @ theirs @ G)
    w = np.random.default_rng(3).uniform(-1, 1, q.shape)
    for ours, theirs in zip(ls.inverse_dynamics_product(arm, q, qd, qdd, w),
                            plain(other, "inverse_dynamics_product", *free, w @ G.T), strict=True):  # fmt: skip
        close(ours, theirs @ G)
    M, tau = ls.mass_matrix(arm, q), ls.inverse_dynamics(arm, q, qd, qdd)
    close(ls.forward_dynamics_gradient(arm, q, qd, tau)[0], -np.linalg.solve(M, D[0]), 1e-8)


def test_second_derivatives_and_the_regressor():
    case = Projection(tree())
    (q, qd, qdd), free = case.states()
    w = np.random.default_rng(3).uniform(-1, 1, q.shape)
    free_ones = plain(case.free, "inverse_dynamics_hessian", *free, w @ case.G.T)
    for ours, theirs in zip(ls.inverse_dynamics_hessian(case.arm, q, qd, qdd, w), free_ones, strict=True):
        close(ours, case.G.T @ theirs @ case.G)
    close(ls.regressor(case.arm, q, qd, qdd), case.G.T @ plain(case.free, "regressor", *free))


def test_gradient_against_central_differences():
    arm = tree(damping=0.3, armature=0.2)
    (q, qd, qdd), _ = Projection(arm).states(1)
    D, h = ls.inverse_dynamics_gradient(arm, q[0], qd[0], qdd[0]), 1e-6
    for k, step in enumerate(h * np.eye(arm.dof)):
        for which in range(3):
            ends = []
            for sign in (1, -1):
                state = [q[0].copy(), qd[0].copy(), qdd[0].copy()]
                state[which] += sign * step
                ends.append(ls.inverse_dynamics(arm, *state))
            np.testing.assert_allclose(D[which][:, k], (ends[0] - ends[1]) / (2 * h), rtol=1e-6, atol=1e-7)


def test_loads_and_a_moving_base(case):
    (q, qd, qdd), free = case.states()
    acts = {"loads": [ls.Load(TIP, (1.0, 2.0, -3.0), (0.3, 0.1, 0.2))],
            "base": ls.BaseMotion((0.1, 0.2, 0.3), (0.4, -0.1, 0.2), (1.0, 0.0, -2.0))}  # fmt: skip
    tau = ls.inverse_dynamics(case.arm, q, qd, qdd, **acts)
    close(tau, plain(case.free, "inverse_dynamics", *free, **acts) @ case.G)
    close(ls.forward_dynamics(case.arm, q, qd, tau, **acts), qdd, 1e-9)


def test_arms_that_differ_in_numbers():
    arms = [tree(), tree(damping=0.4, friction=0.2), tree(armature=0.3)]
    (q, qd, qdd), _ = Projection(arms[0]).states()
    tau = call_each(arms, "inverse_dynamics", (q, qd, qdd))
    close(tau, np.array([ls.inverse_dynamics(arm, *row) for arm, *row in zip(arms, q, qd, qdd, strict=True)]))
    with pytest.raises(InputError, match="mimic"):
        Varied(arms[0], [arms[0].with_joint("other", mimic=ls.Mimic("wrist", 1.0))])


def test_formulations_of_papers_say_what_they_do_not_cover():
    arm = tree()
    with pytest.raises(UnsupportedError, match=r"'base' of arm 'tree' follows 'elbow'.*mimic='free'"):
        ls.inverse_dynamics(arm, *np.zeros((3, 4)), method="waters")
