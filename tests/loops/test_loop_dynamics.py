"""Inverse and forward dynamics of closed loops against each other, another formulation, and differences."""

import numpy as np
import pytest
from tests.loops.mechanisms import FOUR, flexible_four_bar, four_bar, moving, spatial

import lissom as ls
from lissom.kernels.cache import closure_of
from lissom.loops.algebra import null_basis


def lagrange_four_bar(theta, rate, torque=0.0, g=9.81):
    """Angular acceleration of the crank from one coordinate: I(theta) and V(theta) by geometry alone.

    I a + I' rate^2 / 2 + V' = torque, derivatives by complex steps.
    """
    a, b, c, d = FOUR.values()

    def angles(x):
        # tip of the crank; the coupler and the rocker meet where two circles do (the upper point)
        px, py = a * np.cos(x), a * np.sin(x)
        dx, dy = d - px, -py
        far = np.sqrt(dx * dx + dy * dy)
        along = (b * b - c * c + far * far) / (2 * far)
        up = np.sqrt(b * b - along * along)
        ex, ey = px + (along * dx - up * dy) / far, py + (along * dy + up * dx) / far
        return _angle(ex - px, ey - py), _angle(ex - d, ey)

    def terms(x, slopes):
        coupler, rocker = angles(x)
        ka, kb = slopes
        # centre of the coupler moves with the tip of the crank and half of its own turn
        cross = a * b / 2 * np.cos(x - coupler)
        masses = 2 * a, 2 * b, 2 * c
        inertia = masses[0] * a * a / 3 + masses[1] * (a * a + 2 * cross * ka + b * b / 3 * ka * ka)
        inertia = inertia + masses[2] * c * c / 3 * kb * kb
        heights = a / 2 * np.sin(x), a * np.sin(x) + b / 2 * np.sin(coupler), c / 2 * np.sin(rocker)
        return inertia, g * sum(m * h for m, h in zip(masses, heights, strict=True))

    def slopes(x):
        """d angles / d theta from the velocities of the loop, complex-safe."""
        coupler, rocker = angles(x)
        det = b * c * np.sin(coupler - rocker)
        return a * c * np.sin(rocker - x) / det, a * b * np.sin(coupler - x) / det

    h = 1e-25
    z = theta + 1j * h
    inertia, _ = terms(theta, slopes(theta))
    d_inertia, d_height = (np.imag(value) / h for value in terms(z, slopes(z)))
    return (torque - d_inertia * rate**2 / 2 - d_height) / inertia, angles(theta), slopes(theta)


def _angle(x, y):
    """atan2 that takes complex steps."""
    real = np.arctan2(np.real(y), np.real(x))
    return (
        real + 1j * (np.real(x) * np.imag(y) - np.real(y) * np.imag(x)) / (np.real(x) ** 2 + np.real(y) ** 2)
        if (np.iscomplexobj(x) or np.iscomplexobj(y))
        else real
    )


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
@pytest.mark.parametrize("theta", [0.4, 1.3, -2.2])
def test_four_bar_against_one_coordinate(kind, theta):
    arm = four_bar(kind)
    rate, torque = 2.3, 1.7
    expected, (coupler, rocker), (ka, kb) = lagrange_four_bar(theta, rate, torque)
    state = ls.assemble(arm, [theta, coupler - theta, rocker], fixed="crank", qd=[rate, rate * (ka - 1), rate * kb])
    assert np.abs(state.q - [theta, coupler - theta, rocker]).max() < 1e-12
    assert np.abs(state.qd - [rate, rate * (ka - 1), rate * kb]).max() < 1e-11
    qdd = ls.forward_dynamics(arm, state.q, state.qd, [torque, 0, 0])
    assert abs(qdd[0] - expected) < 1e-10 * max(1, abs(expected))


CASES = {
    "spherical": ("spherical",), "revolute": ("revolute",), "fixed": ("fixed",), "planar": ("planar",),
    "two loops": ("planar", "spherical"), "three loops": ("spherical", "planar", "spherical"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_forward_undoes_inverse(case):
    """All motors, loads, a payload and a moving base: the torques are the least that do it."""
    arm, q = spatial(CASES[case], seed=11)
    arm = arm.with_payload(ls.Payload(0.7, (0.02, 0.1, -0.05), np.diag([0.01, 0.02, 0.015])), link="b3")
    acting = {
        "loads": [ls.Load("a4", (3.0, -2.0, 1.0), (0.1, 0.2, -0.3), (0.1, 0.0, 0.2))],
        "base": ls.BaseMotion((0.1, 0.2, -0.1), (0.3, 0.1, 0.2), (0.5, -0.4, 0.3)),
    }
    state = moving(arm, q)
    tau = ls.inverse_dynamics(arm, state.q, state.qd, state.qdd, **acting)
    assert np.abs(ls.forward_dynamics(arm, state.q, state.qd, tau, **acting) - state.qdd).max() < 1e-9
    # least: no torque that closures alone could bear
    G = closure_of(arm)(state.q).G
    assert np.abs(G @ tau).max() < 1e-9 * np.abs(tau).max()
    # on motions that keep the loops closed it does what the torques of the tree do
    tree = ls.inverse_dynamics(arm.replace(loops=()), state.q, state.qd, state.qdd, **acting)
    assert np.abs(null_basis(G).T @ (tree - tau)).max() < 1e-10 * np.abs(tree).max()


def test_torques_of_passive_joints_are_zero():
    arm = four_bar()
    state = ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank", qd=[2.0, 0, 0], qdd=[-3.0, 0, 0])
    expected, *_ = lagrange_four_bar(1.0, 2.0)
    a0, a1 = expected, lagrange_four_bar(1.0, 2.0, 1.0)[0]
    tau = ls.inverse_dynamics(arm, state.q, state.qd, state.qdd)
    assert (tau[1:] == 0).all()
    assert abs(tau[0] - (-3.0 - a0) / (a1 - a0)) < 1e-11


def test_closure_forces_are_those_of_the_cut():
    """The forces, put on the tree as loads, give it the motion of the closed arm."""
    arm, q = spatial(("revolute", "spherical"), seed=7)
    state = moving(arm, q)
    tau = np.linspace(-2, 2, arm.dof)
    found = ls.closure_forces(arm, state.q, state.qd, tau=tau)
    loads = []
    for k, loop in enumerate(arm.loops):
        for (link, X), sign in ((loop.b, 1.0), (loop.a, -1.0)):
            loads.append(ls.Load(link, sign * found.force[k], sign * found.moment[k], X[:3, 3]))
    tree = arm.replace(loops=())
    assert np.abs(ls.forward_dynamics(tree, state.q, state.qd, tau, loads=loads) - found.qdd).max() < 1e-9
    again = ls.closure_forces(arm, state.q, state.qd, found.qdd)
    assert np.abs(again.tau - ls.inverse_dynamics(arm, state.q, state.qd, found.qdd)).max() < 1e-12


def test_redundant_closures_share_by_the_least_force():
    """A plane mechanism closed in space: nothing across the plane."""
    arm = four_bar("revolute")
    state = ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank", qd=[2.0, 0, 0])
    force = ls.closure_forces(arm, state.q, state.qd, tau=[1.0, 0, 0])
    assert abs(force.force[0, 2]) < 1e-12
    assert np.abs(force.moment).max() < 1e-12
    twin = ls.closure_forces(four_bar("spherical"), state.q, state.qd, tau=[1.0, 0, 0])
    assert np.abs(force.force - twin.force).max() < 1e-10


def test_batches_and_single_states_give_the_same_numbers():
    arm, q = spatial(("planar",), seed=3)
    states = [moving(arm, q, seed) for seed in range(6)]
    Q, V, A = (np.array([getattr(s, word) for s in states]).reshape(2, 3, -1) for word in ("q", "qd", "qdd"))
    tau = ls.inverse_dynamics(arm, Q, V, A)
    out = np.empty_like(tau)
    assert ls.forward_dynamics(arm, Q, V, tau, out=out) is out
    assert (out[1, 2] == ls.forward_dynamics(arm, Q[1, 2], V[1, 2], tau[1, 2])).all()
    assert (tau[0, 1] == ls.inverse_dynamics(arm, Q[0, 1], V[0, 1], A[0, 1])).all()
    assert ls.inverse_dynamics(arm, Q[:0], V[:0], A[:0]).shape == (0, 3, arm.dof)
    same = ls.inverse_dynamics(arm, Q, V, A, method="newton_euler_link")
    assert np.abs(same - tau).max() < 1e-9 * np.abs(tau).max()


@pytest.mark.parametrize("verb", [ls.forward_dynamics, ls.forward_dynamics_gradient])
def test_empty_and_unequal_batches(verb):
    """Nothing in, nothing out; batches that do not fit are refused in the name of the verb that was called."""
    arm = four_bar()
    q = ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank").q
    for batch in ((0,), (2, 0)):
        found = verb(arm, *(np.zeros((*batch, 3)) for _ in range(3)))
        matrices = isinstance(found, tuple)
        assert all(x.shape == (*batch, *((3, 3) if matrices else (3,))) for x in (found if matrices else (found,)))
    many, five, still = np.tile(q, (64, 1)), np.zeros((5, 3)), np.zeros(3)
    push = ls.Load("rocker", force=np.zeros((4, 3)))
    for state, loads in (((many, still, five), []), ((many, five, still), []), ((q, still, five), [push])):
        with pytest.raises(ls.InputError, match=f"^{verb.__name__}: the batches do not fit together"):
            verb(arm, *state, loads=loads)


@pytest.mark.parametrize("case", [pytest.param("revolute", marks=pytest.mark.slow), "two loops"])
@pytest.mark.some(2)
def test_gradient_holds_along_motions_that_stay_closed(case):
    arm, q = spatial(CASES[case], seed=9)
    state = moving(arm, q)
    tau = np.linspace(-3, 2, arm.dof)
    found = ls.forward_dynamics_gradient(arm, state.q, state.qd, tau)
    u = null_basis(closure_of(arm)(state.q).G) @ np.linspace(1, 2, arm.dof - ls.assemble(arm, q).rank)

    def end(h):  # along a curve of closed states
        near = ls.assemble(arm, state.q + h * u, qd=state.qd)
        return near.q, near.qd, ls.forward_dynamics(arm, near.q, near.qd, tau)

    h = 1e-4
    (q1, v1, a1), (q0, v0, a0) = end(h), end(-h)
    expected = (a1 - a0) / (2 * h)
    change = (found.q @ (q1 - q0) + found.qd @ (v1 - v0)) / (2 * h)
    assert np.abs(change - expected).max() < 1e-5 * np.abs(expected).max()  # differences of second order
    step = np.zeros(arm.dof)
    step[2] = 1.0
    more = ls.forward_dynamics(arm, state.q, state.qd, tau + step) - ls.forward_dynamics(arm, state.q, state.qd, tau)
    assert np.abs(more - found.tau @ step).max() < 1e-9 * np.abs(more).max()


def test_flexible_coupler_and_its_rigid_limit():
    rate = 2.0
    rigid = ls.assemble(four_bar(), [1.0, -0.5, 1.5], fixed="crank", qd=[rate, 0, 0])
    expected = ls.forward_dynamics(four_bar(), rigid.q, rigid.qd, [1.0, 0, 0])
    errors = []
    for EI in (1e4, 1e6):
        arm = flexible_four_bar(EI)
        # bend the coupler as it is bent when it moves with the rigid one: there its modes do not accelerate
        q, qd = np.zeros(arm.dof), np.zeros(arm.dof)
        q[arm.joint_index], qd[arm.joint_index] = rigid.q, rigid.qd
        for _ in range(20):
            state = ls.assemble(arm, q, fixed=("crank", *(arm.coordinates[k] for k in arm.mode_index)), qd=qd)
            qdd = ls.forward_dynamics(arm, state.q, state.qd, [1.0, 0, 0, 0, 0])
            slope = ls.forward_dynamics_gradient(arm, state.q, state.qd, [1.0, 0, 0, 0, 0]).q
            m = arm.mode_index
            q[m] -= np.linalg.solve(slope[np.ix_(m, m)], qdd[m])
        errors.append(np.abs(qdd[arm.joint_index] - expected).max())
    assert errors[1] < 1e-3
    assert 50 < errors[0] / errors[1] < 200  # with 1 / EI


def test_friction_follows_the_rate():
    links = [link.replace(joint=link.joint.replace(friction=0.4)) for link in four_bar().links]
    rough, smooth = four_bar().replace(links=links), four_bar()
    state = ls.assemble(smooth, [1.0, -0.5, 1.5], fixed="crank", qd=[2.0, 0, 0])
    drag = -0.4 * np.sign(state.qd)
    got = ls.forward_dynamics(rough, state.q, state.qd, [1.0, 0, 0])
    assert np.abs(got - ls.forward_dynamics(smooth, state.q, state.qd, drag + [1.0, 0, 0])).max() < 1e-10


def test_a_structure_bears_all():
    """Loops that leave nothing free: no torques, no motion, all in the closure."""
    tree = four_bar().replace(loops=())
    q = ls.assemble(four_bar(), [1.0, -0.5, 1.5], fixed="crank").q
    A, B = ls.pose(tree, q, "coupler", (0.83, 0, 0)), ls.pose(tree, q, "rocker", (0.57, 0, 0))
    weld = np.linalg.inv(B) @ A
    weld[:3, 3] += [0.57, 0, 0]
    arm = tree.replace(loops=[ls.Loop(("coupler", (0.83, 0, 0)), ("rocker", weld), "fixed")])
    state = ls.assemble(arm, q)
    assert (state.rank, state.mobility) == (3, 0)
    still = np.zeros(3)
    assert np.abs(ls.inverse_dynamics(arm, state.q, still, still)).max() < 1e-12
    assert np.abs(ls.forward_dynamics(arm, state.q, still, [5.0, 0, 0])).max() < 1e-12
    assert ls.closure_forces(arm, state.q, still, still).force[0, 1] < -1.0  # the rocker is pressed down
    assert ls.linearise(arm, state.q).A.shape == (0, 0)


def test_a_loop_that_says_nothing_changes_nothing():
    """A ball where a hinge is already."""
    free = ls.load("two_link")
    arm = free.replace(loops=[ls.Loop(("upper", (0, 0, 0)), ("fore", -free.link("fore").frame[:3, 3]))])
    assert ls.assemble(arm, [0.3, 0.2]).mobility == 2
    given = [0.3, 0.2], [1.0, -1.0], [0.5, 0.1]
    assert np.abs(ls.forward_dynamics(arm, *given) - ls.forward_dynamics(free, *given)).max() < 1e-12
    assert np.abs(ls.inverse_dynamics(arm, *given) - ls.inverse_dynamics(free, *given)).max() < 1e-12
    run = ls.simulate(arm, [0.3, 0.2], until=0.1)
    assert np.abs(run.q - ls.simulate(free, [0.3, 0.2], until=0.1).q).max() < 1e-12


def test_elastic_joints_in_a_loop():
    links = list(four_bar().links)
    links[0] = links[0].replace(joint=links[0].joint.replace(elastic=ls.JointElasticity(200.0, 0.5), armature=0.05))
    arm = four_bar().replace(links=links)
    start = ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank").q
    run = ls.simulate(arm, start, tau=ls.PD(start[arm.joint_index], 300.0, 20.0), until=0.2)
    assert run.balance_error < 1e-6
    tau = ls.inverse_dynamics(arm, run.q, run.qd, run.qdd)
    assert np.abs(tau - run.tau).max() < 1e-6
    assert ls.linearise(arm, start).states[:2] == ("crank", "crank.deflection")
