"""Joint reactions of arms whose frames stretch: mass points and Newton, Book's forces, momentum, the rigid limit."""

import casadi as ca
import numpy as np
import pytest
from tests.dynamics.test_reactions import joint_pose, load_wrench, momentum_rate, moved, wall, weight
from tests.flexible.linear_arms import planar, sliding, spatial, tree
from tests.flexible.linear_cloud import LinearCloud
from tests.flexible.sampled import rigid_points

import lissom as ls
from lissom.errors import UnsupportedError
from lissom.kernels.cache import functions_of

ARMS = {"planar": planar(), "spatial": spatial(), "tree": tree(), "sliding": sliding()}
LOADS = [ls.Load("boom", (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), (0.3, 0.0, 0.01)), ls.Load("boom.tip", (0.2, -0.4, 0.1))]


def some_state(arm, seed=0, scale=0.02):
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, arm.dof))
    q[arm.mode_index] *= scale
    return q, qd, qdd


def about_origin(arm, q, R):
    """Reactions at the origins of the joints as wrenches about the world's origin."""
    return np.array([moved(R[k], joint_pose(arm, q, k)[:3, 3]) for k in range(len(R))])


def taken(arm, state, book):
    """{link: wrench about the world's origin} that the mass points of every moving link take, by automatic derivatives.

    book : forces of Book's truncated equations on these points instead of Newton's
    """
    cloud, n, g = LinearCloud(arm), arm.dof, ca.DM(arm.gravity)
    qd, qdd = ca.SX.sym("qd", n), ca.SX.sym("qdd", n)

    def rates(x):
        slope = ca.jacobian(ca.vec(x), cloud.q)
        second = slope @ qdd + ca.jtimes(slope @ qd, cloud.q, qd)
        return [ca.reshape(y, *x.shape) for y in (slope @ qd, second)]

    def newton(member):
        F, N = ca.SX.zeros(3), ca.SX.zeros(3)
        for j, dm in enumerate(member.dm):
            p = member.o + member.R @ (ca.DM(member.x[j]) + member.bent(j, member.eta))
            f = dm * (rates(p)[1] - g)
            F, N = F + f, N + ca.cross(p, f)
        return ca.vertcat(F, N)

    def truncated(member):
        X = ca.horzcat(member.o, member.R)
        Xd, Xdd = rates(X)
        Xdd[:, 0] -= g
        Q, _, _ = cloud._pull(member, (X, Xd, Xdd), qd[member.own], qdd[member.own], False, True)
        P = Q[:, 1:] @ member.R.T + Q[:, 0] @ member.o.T
        return ca.vertcat(Q[:, 0], P[2, 1] - P[1, 2], P[0, 2] - P[2, 0], P[1, 0] - P[0, 1])

    own = [link.name for k, link in enumerate(arm.links)
           if link.joint.moves or arm.parent_index[k] < 0 or link.flexible]  # fmt: skip
    wrenches = [(truncated if book else newton)(member) for member in cloud.members]
    found = ca.Function("taken", [cloud.q, qd, qdd], wrenches)(*state)
    return {name: np.array(x).ravel() for name, x in zip(own, found, strict=True)}


def beyond(arm, name):
    """A link and all that it carries."""
    k = arm.index(name)
    return [link.name for i, link in enumerate(arm.links) if i == k or k in ancestors(arm, i)]


def ancestors(arm, i):
    parent = int(arm.parent_index[i])
    return [] if parent < 0 else [parent, *ancestors(arm, parent)]


@pytest.mark.parametrize("model", ["linear", "book"])
@pytest.mark.parametrize("name", ["planar", "spatial", "tree"])
def test_every_joint_balances_the_mass_points_beyond_it(name, model):
    check_every_joint(name, model)


def test_slides_balance_the_mass_points_beyond_them():
    check_every_joint("sliding", "linear")  # Book's model has revolute joints only


def check_every_joint(name, model):
    arm = ARMS[name].replace(flexibility=model)
    loads = [] if name == "planar" else LOADS
    state = some_state(arm)
    points = taken(arm, state, model == "book")
    R = about_origin(arm, state[0], ls.joint_reactions(arm, *state, loads=loads))
    for link in points:
        want = sum(points.get(each, 0.0) for each in beyond(arm, link))
        want = want - sum(load_wrench(arm, state[0], load) for load in loads if link in ("boom", "cart"))
        assert np.abs(R[arm.index(link)] - want).max() <= 1e-11 * np.abs(R).max(), link
    if model == "book":  # the truncation is seen
        whole = ls.joint_reactions(arm.replace(flexibility="linear"), *state, loads=loads)
        assert np.abs(about_origin(arm, state[0], whole) - R).max() > 1e-8 * np.abs(R).max()


def test_welds_carry_the_momentum_of_what_is_welded():
    """A beam welded to the base, a camera welded to its tip, a lamp on that; loads with moments."""
    arm = wall().replace(flexibility="linear")
    state = q, qd, qdd = some_state(arm, 4)
    loads = [ls.Load("camera", (1.0, 2.0, 3.0), (0.3, -0.1, 0.2), (0.1, 0.2, 0.3)), ls.Load("beam.tip", (0.4, 0.3, -2))]
    R = about_origin(arm, q, ls.joint_reactions(arm, *state, loads=loads))
    on = [load_wrench(arm, q, load) for load in loads]
    want = momentum_rate(arm, q, qd, qdd) - weight(arm, q) - sum(on)
    assert np.abs(R[0] - want).max() <= 1e-9 * np.abs(want).max()  # differences over steps of 1 ms
    step = 2e-3
    frames = [ls.pose(arm, q + qd * t + qdd * t**2 / 2, "camera") for t in step * np.arange(-3, 4)]
    speeding = np.tensordot(np.array([2, -27, 270, -490, 270, -27, 2]) / (180 * step**2), frames, 1)
    body, total = arm.links[1].body, R[2] - on[0]
    for x, dm in zip(*rigid_points(body.mass, body.com, body.moment), strict=True):
        f = dm * (speeding[:3] @ [*x, 1.0] - arm.gravity)
        total = total + moved(np.concatenate([f, np.zeros(3)]), (frames[3] @ [*x, 1.0])[:3])
    assert np.abs(R[1] - total).max() <= 1e-9 * np.abs(want).max()


@pytest.mark.parametrize("model", ["linear", "book"])
def test_straight_links_are_rigid_ones(model):
    arm = ARMS["tree"].replace(flexibility=model)
    state = some_state(arm, 6)
    for x in state:
        x[arm.mode_index] = 0.0
    for frame in ("world", "link"):
        got = ls.joint_reactions(arm, *state, loads=LOADS, frame=frame)
        want = ls.joint_reactions(arm.replace(flexibility="second_order"), *state, loads=LOADS, frame=frame)
        assert np.abs(got - want).max() <= 1e-13 * np.abs(want).max()


def test_along_the_axis_the_torque_differs_by_squares_of_slopes():
    """The joint turns in the axes of a frame that stretches by half the square of the slope of its tip."""
    arm, off = ARMS["spatial"].replace(flexibility="linear"), []
    for scale in (0.02, 0.01):
        q, qd, qdd = some_state(arm, 8, scale)
        tau, R = ls.inverse_dynamics(arm, q, qd, qdd), ls.joint_reactions(arm, q, qd, qdd)
        k = arm.index("hand")
        axis = joint_pose(arm, q, k)[:3, :3] @ arm.links[k].joint.axis
        off.append(abs(axis @ R[k, 3:] - tau[arm.coordinates.index(arm.links[k].joint.name)]) / abs(R[k, 3:]).max())
    assert 0 < off[0] < 1e-2
    assert off[1] == pytest.approx(off[0] / 4, rel=0.1)


def test_axes_are_those_of_the_frames():
    arm = ARMS["tree"].replace(flexibility="linear")
    state = some_state(arm, 9)
    world, local = (ls.joint_reactions(arm, *state, frame=frame) for frame in ("world", "link"))
    F = ls.poses(arm, state[0])[:, :3, :3]
    want = np.einsum("kji,knj->kni", F, world.reshape(-1, 2, 3)).reshape(-1, 6)
    assert np.abs(local - want).max() <= 1e-13 * np.abs(want).max()


def test_backends_agree():
    arm = ARMS["tree"].replace(flexibility="book")
    given = np.array([some_state(arm, k) for k in range(4)]).transpose(1, 0, 2)
    ways = [functions_of(arm).get("joint_reactions", None, b)(*given) for b in ("straight", "tape", "numpy")]
    assert np.abs(ways[0] - ways[2]).max() <= 1e-11 * np.abs(ways[2]).max()
    assert np.abs(ways[1] - ways[2]).max() <= 1e-11 * np.abs(ways[2]).max()


def test_a_closed_form_has_no_forces_on_links():
    arm = ls.load("two_link_flexible").replace(flexibility="de_luca_siciliano")
    with pytest.raises(UnsupportedError, match=r"joint_reactions: .* equations are those of the whole arm"):
        ls.joint_reactions(arm, *np.zeros((3, arm.dof)))
