"""Joint reactions: statics, free bodies, momentum, joints inserted to measure them, Pinocchio, closed loops."""

import numpy as np
import pytest
from tests.agreement.test_pinocchio import Twin
from tests.arms import gripper_arm, random_arm, random_base, random_loads, random_states
from tests.flexible.test_attachments import crane
from tests.loops.mechanisms import flexible_four_bar, four_bar, moving, slider_crank, spatial
from tests.oracles.test_urdf_pinocchio import load, pinocchio_model, pinocchio_q, pinocchio_v, random_positions

import lissom as ls
from lissom.errors import InputError
from lissom.kernels.cache import functions_of
from lissom.spatial.frames import inverse, pose
from lissom.spatial.rotations import from_rpy

pin = pytest.importorskip("pinocchio")
RIGID = {"tree": random_arm(3, 7), "welds": random_arm(14, 12, kinds=("revolute", "fixed", "prismatic", "fixed")),
         "gripper": gripper_arm(), "elastic": random_arm(5, 8), "large": random_arm(6, 24),
         "screws": random_arm(7, 6, kinds=("helical", "revolute", "prismatic"))}  # fmt: skip
URDF = [
    "panda_description/urdf/panda.urdf", "kinova_description/robots/kinova.urdf", "ur_description/urdf/ur5_robot.urdf",
    "baxter_description/urdf/baxter.urdf", "talos_data/robots/talos_full_v2.urdf",
]  # fmt: skip


def close(got, want, relative=1e-10):
    assert np.abs(got - want).max() <= relative * np.abs(want).max()


def joint_pose(arm, q, k):
    """Pose of a link's joint after its motion."""
    return ls.pose(arm, q, arm.links[k].name) @ inverse(arm.links[k].frame)


def moved(wrench, r):
    """A wrench at r about the origin."""
    return np.concatenate([wrench[:3], wrench[3:] + np.cross(r, wrench[:3])])


# ---- free bodies ---------------------------------------------------------------------------------


def taken(arm, q, qd, qdd, link):
    """Force and moment about the world's origin of the motion of a rigid link: Newton and Euler at its centre."""
    X, body = ls.pose(arm, q, link.name), link.body
    v, a = ls.velocity(arm, q, qd, link.name, body.com), ls.acceleration(arm, q, qd, qdd, link.name, body.com)
    I, w = X[:3, :3] @ body.moment @ X[:3, :3].T, v[3:]
    F = body.mass * (a[:3] - arm.gravity)
    return moved(np.concatenate([F, I @ a[3:] + np.cross(w, I @ w)]), X[:3, :3] @ body.com + X[:3, 3])


def load_wrench(arm, q, load):
    at = ls.pose(arm, q, load.link, load.point)[:3, 3]
    return moved(np.concatenate([load.force, load.moment]), at)


def closing(arm, q, qd, qdd, loads):
    """{link: wrench} of the closures about the world's origin."""
    out = {}
    if arm.loops:
        found = ls.closure_forces(arm, q, qd, qdd, loads=loads)
        for loop, F, N in zip(arm.loops, found.force, found.moment, strict=True):
            link, X = loop.b
            at = X[:3, 3] if link is None else ls.pose(arm, q, link, X[:3, 3])[:3, 3]
            wrench = moved(np.concatenate([F, N]), at)
            for end, sign in ((loop.a[0], -1), (link, 1)):
                if end is not None:
                    end = end.removesuffix(".tip")
                    out[end] = out.get(end, 0) + sign * wrench
    return out


def check_free_bodies(arm, q, qd, qdd, loads=()):
    """Every rigid link: reaction, less those on its children, loads and closure forces are what its motion takes."""
    R = ls.joint_reactions(arm, q, qd, qdd, loads=loads)
    about_origin = [moved(R[k], joint_pose(arm, q, k)[:3, 3]) for k in range(len(arm.links))]
    closures = closing(arm, q, qd, qdd, loads)
    size, checked = np.abs(about_origin).max(), 0
    for k, link in enumerate(arm.links):
        if link.flexible:
            continue
        total = about_origin[k] + closures.get(link.name, 0)
        total = total - sum(about_origin[c] for c in np.flatnonzero(arm.parent_index == k))
        total = total + sum(load_wrench(arm, q, load) for load in [*loads, *arm.loads] if load.link == link.name)
        assert np.abs(total - taken(arm, q, qd, qdd, link)).max() <= 1e-10 * size, link.name
        checked += 1
    return checked


@pytest.mark.parametrize("name", RIGID)
def test_free_bodies_of_trees_with_loads(name):
    arm = RIGID[name].replace(loads=random_loads(RIGID[name], 4)[:1])
    for k, state in enumerate(random_states(arm, 3, seed=2).transpose(1, 0, 2)):
        assert check_free_bodies(arm, *state, random_loads(arm, k)) == len(arm.links)


@pytest.mark.parametrize("kind", ["revolute", "fixed", "prismatic"])
def test_free_bodies_along_and_beyond_a_beam(kind):
    arm = crane(kind=kind)
    q, qd, qdd = random_states(arm, 1, seed=3)[:, 0]
    q[arm.mode_index] *= 0.03
    loads = [ls.Load("beam", (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), (0.6, 0.0, 0.01)), ls.Load("mid", (2.0, -1.0, 0.5)),
             ls.Load("beam.tip", (0.4, 0.3, -2.0)), ls.Load("beam", (0.0, 1.0, 0.0), point=(0.37, 0, 0))]  # fmt: skip
    for some in ((), loads):
        assert check_free_bodies(arm, q, qd, qdd, some) == len(arm.links) - 1


def mimicking():
    arm = random_arm(21, 5, tree=False, kinds=("revolute", "prismatic", "revolute"))
    joints = [link.joint.name for link in arm.links if link.joint.kind == "revolute" and link.joint.elastic is None]
    last = next(link for link in arm.links if link.joint.name == joints[-1])
    return arm.with_link(last.name, joint=last.joint.replace(mimic=ls.Mimic(joints[0], -0.7, 0.2)))


def test_free_bodies_with_a_mimic_joint():
    arm = mimicking()
    check_free_bodies(arm, *random_states(arm, 1)[:, 0], random_loads(arm, 1))


# ---- statics and momentum ------------------------------------------------------------------------


def test_a_hanging_tree_weighs_what_hangs_beyond():
    arm = gripper_arm().with_gravity((0.0, 0.0, -9.81))
    R = ls.joint_reactions(arm, *np.zeros((3, arm.dof)))
    beyond = dict(zip((link.name for link in arm.links), R[:, 2] / 9.81, strict=True))
    want = {"upper": 6, "fore": 4, "hand": 3, "left": 1, "right": 1, "camera": 1, "cover": 1}
    assert beyond == pytest.approx(want, abs=1e-14)
    assert np.abs(R[:, :2]).max() == 0.0
    # welds about their own origin: 1 kg at 0.15 m
    np.testing.assert_allclose(R[5:, 3:], [[0.0, -0.15 * 9.81, 0.0]] * 2, atol=1e-14)


def test_a_turning_bar_pulls_with_its_centripetal_force():
    bar = ls.Arm("bar", [ls.Link("bar", mass=2.0, com=(0.4, 0, 0), inertia=0.1)], gravity=(0, 0, 0))
    q, w, dw = 0.7, 3.0, 2.0
    got = ls.joint_reactions(bar, [q], [w], [dw], frame="link")[0]
    want = [-2 * 0.4 * w**2, 2 * 0.4 * dw, 0, 0, 0, (0.1 + 2 * 0.4**2) * dw]
    np.testing.assert_allclose(got, want, atol=1e-14)


def momentum_rate(arm, q, qd, qdd, step=1e-3):
    """d/dt of momentum along q + qd t + qdd t^2 / 2, by differences of sixth order."""
    rate = 0
    for k, weight in ((1, 45), (2, -9), (3, 1)):
        for t in (k * step, -k * step):
            rate = rate + np.sign(t) * weight * ls.momentum(arm, q + qd * t + qdd * t**2 / 2, qd + qdd * t)
    return rate / (60 * step)


def weight(arm, q):
    """Weight about the world's origin, of what moves and of a hub on the base, whose centre does not count."""
    hub = arm.links[0]
    still = hub.mass if not hub.joint.moves else 0.0
    centre = (ls.pose(arm, q, hub.name) @ [*hub.com, 1.0])[:3]  # points given by their frame move with the beam
    at = ls.centre_of_mass(arm, q) * (arm.mass - still) + centre * still
    return np.concatenate([arm.mass * arm.gravity, np.cross(at, arm.gravity)])


def flexible_arms():
    soft = ls.load("two_link_flexible").with_gravity((1.0, -9.0, 2.0))
    return {"two_link": soft, "crane": crane(), "welded": crane(kind="fixed"), "wall": wall()}


def wall():
    """A beam welded to the base, with a payload, and a camera welded to its tip."""
    beam = ls.Beam(1.0, 0.8, EI=(60.0, 40.0), modes=ls.Modes(2))
    payload = ls.Payload(0.4, (0.02, 0.01, 0.03), np.diag([1e-3, 2e-3, 2e-3]))
    return ls.Arm("wall", [
        ls.Link("beam", None, ls.Joint("fixed", pose(from_rpy([0.1, 0.2, 0.3]), (0.1, 0.2, 0.3))), mass=0.3,
                com=(0.01, 0, 0), inertia=1e-3 * np.eye(3), beam=beam, payload=payload),
        ls.Link("camera", "beam", ls.Joint("fixed", pose(from_rpy([0.3, -0.2, 0.1]), (0.05, 0.01, 0.02))), mass=0.5,
                com=(0.03, 0.02, 0.01), inertia=np.diag([1e-3, 2e-3, 2e-3]), frame=pose(p=(0.01, 0.02, 0.03))),
        ls.Link("lamp", "camera", ls.Joint(axis=(0.1, 0.2, 1)), mass=0.2, com=(0.05, 0, 0), inertia=1e-3 * np.eye(3)),
    ], gravity=(1.0, 2.0, -9.0))  # fmt: skip


def test_free_bodies_welded_to_the_tip_of_a_beam():
    arm = wall()
    q, qd, qdd = random_states(arm, 1, seed=4)[:, 0]
    q[arm.mode_index] *= 0.03
    assert check_free_bodies(arm, q, qd, qdd, [ls.Load("camera", (1.0, 2.0, 3.0), point=(0.1, 0.2, 0.3))]) == 2


@pytest.mark.parametrize("name", flexible_arms())
def test_what_the_base_carries_is_the_rate_of_momentum(name):
    arm = flexible_arms()[name]
    q, qd, qdd = random_states(arm, 1, seed=5)[:, 0]
    q[arm.mode_index] *= 0.03
    qd[arm.mode_index] *= 0.1
    load = ls.Load(
        next(link.name for link in arm.links if link.flexible), (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), (0.3, 0.0, 0.0)
    )
    R = ls.joint_reactions(arm, q, qd, qdd, loads=[load])
    roots = np.flatnonzero(arm.parent_index < 0)
    got = sum(moved(R[k], joint_pose(arm, q, k)[:3, 3]) for k in roots)
    want = momentum_rate(arm, q, qd, qdd) - weight(arm, q) - load_wrench(arm, q, load)
    assert np.abs(got - want).max() <= 1e-9 * np.abs(want).max()  # differences over steps of 1 ms


def test_the_second_flexible_link_is_one_on_a_moving_base():
    """Link 2 alone on a base that moves as the tip of link 1 does."""
    arm = flexible_arms()["two_link"]
    q, qd, qdd = 0.05 * random_states(arm, 1, seed=6)[:, 0]
    own = slice(int(arm.coordinate_start[1]), None)
    tip, second = arm.links[0].name + ".tip", arm.links[1]
    v, a, X = ls.velocity(arm, q, qd, tip), ls.acceleration(arm, q, qd, qdd, tip), ls.pose(arm, q, tip)
    turned = X.copy()
    turned[:3, 3] = 0.0
    joint = second.joint.replace(placement=turned @ second.joint.placement)
    alone = arm.replace(links=[second.replace(parent=None, joint=joint)])
    base = ls.BaseMotion(v[3:], a[3:], a[:3])
    for frame in ("world", "link"):
        got = ls.joint_reactions(arm, q, qd, qdd, frame=frame)[1]
        close(got, ls.joint_reactions(alone, q[own], qd[own], qdd[own], base=base, frame=frame)[0])


# ---- joints that measure -------------------------------------------------------------------------


def with_sensor(arm, k):
    """The arm with six joints behind the joint of link k, whose torques are the reaction in its axes."""
    link = arm.links[k]
    light = {"mass": 0.0, "inertia": np.zeros((3, 3))}
    chain = [ls.Link("v", link.parent, link.joint, mass=1.0, inertia=0.1)]  # its motion is no business of link k
    for kind in ("prismatic", "revolute"):
        for axis in np.eye(3):
            joint = ls.Joint(kind, axis=axis, name=f"s{len(chain)}")
            chain.append(ls.Link(f"v{len(chain)}", chain[-1].name, joint, **light))
    link = link.replace(parent=chain[-1].name, joint=ls.Joint("fixed", name="weld"))
    return arm.replace(links=[*arm.links[:k], *chain, link, *arm.links[k + 1 :]])


@pytest.mark.parametrize("name", ["tree", "welds", "elastic"])
def test_joints_that_measure_the_reaction(name):
    """Loads, also on welded links, and a moving base."""
    arm = RIGID[name]
    q, qd, qdd = random_states(arm, 1, seed=7)[:, 0]
    loads, base = random_loads(arm, 9), random_base(3)
    R = ls.joint_reactions(arm, q, qd, qdd, loads=loads, base=base)
    for k in range(len(arm.links)):
        other = with_sensor(arm, k)
        sensor = np.array([other.coordinates.index(f"s{i}") for i in range(1, 7)])
        state = np.zeros((3, other.dof))
        state[:, np.delete(np.arange(other.dof), sensor)] = q, qd, qdd
        f = ls.inverse_dynamics(other, *state, loads=loads, base=base)[sensor]
        turn = joint_pose(arm, q, k)[:3, :3]
        want = np.concatenate([turn @ f[:3], turn @ f[3:]])
        assert np.abs(R[k] - want).max() <= 1e-10 * np.abs(R).max()


@pytest.mark.parametrize("arm", [*RIGID.values(), crane()], ids=lambda arm: arm.name)
def test_along_the_axis_it_is_what_the_link_needs(arm):
    """Torques of the arm without drives and springs; behind an elastic joint that of its spring."""
    q, qd, qdd = random_states(arm, 1, seed=8)[:, 0]
    q[arm.mode_index] *= 0.03
    bare = arm
    for joint in (joint for joint in arm.joints if joint.elastic is None):
        bare = bare.with_joint(joint.name, armature=0.0, rotor_inertia=0.0, damping=0.0, friction=0.0, stiffness=0.0)
    tau, R = ls.inverse_dynamics(bare, q, qd, qdd), ls.joint_reactions(arm, q, qd, qdd)
    for k, link in enumerate(arm.links):
        joint = link.joint
        if not joint.moves:
            continue
        axis = joint_pose(arm, q, k)[:3, :3] @ joint.axis
        along = joint.travel * R[k, :3] + joint.rotation * R[k, 3:]
        at = arm.coordinates.index(joint.name) + int(joint.elastic is not None)
        want = tau[at]
        if joint.elastic is not None:
            want -= joint.elastic.stiffness * q[at] + joint.elastic.damping * qd[at]
        assert axis @ along == pytest.approx(want, abs=1e-10 * np.abs(tau).max())


# ---- Pinocchio -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tree", "welds", "elastic", "large", "screws"])
def test_pinocchio_on_random_trees(name):
    arm = RIGID[name]
    twin, (q, qd, qdd) = Twin(arm), random_states(arm, 1, seed=1)[:, 0]
    pin.rnea(twin.model, twin.data, *(x[twin.order] for x in (q, qd, qdd)))
    pin.forwardKinematics(twin.model, twin.data, q[twin.order])
    R = {frame: ls.joint_reactions(arm, q, qd, qdd, frame=frame) for frame in ("world", "link")}
    for k, link in enumerate(arm.links):
        if link.joint.moves:
            place = twin.bodies.links[k]
            joint = twin.joint[place.body]
            f = twin.data.f[joint]
            for axes, turn in (("world", twin.data.oMi[joint].rotation), ("link", place.X[:3, :3].T)):
                want = np.concatenate([turn @ f.linear, turn @ f.angular])
                assert np.abs(R[axes][k] - want).max() <= 1e-10 * np.abs(R[axes]).max()


@pytest.mark.parametrize("file", URDF)
def test_pinocchio_on_urdf_files(file):
    arm, model = load(file), pinocchio_model(file)
    data = model.createData()
    q, qd, qdd = random_positions(arm, 3, seed=4)
    place = pinocchio_q(model, arm, q)
    pin.rnea(model, data, place, pinocchio_v(model, arm, qd), pinocchio_v(model, arm, qdd))
    pin.forwardKinematics(model, data, place)
    world, local = (ls.joint_reactions(arm, q, qd, qdd, frame=frame) for frame in ("world", "link"))
    moving_links = [k for k, link in enumerate(arm.links) if link.joint.moves]
    for k in moving_links:
        joint = model.getJointId(arm.links[k].joint.name)
        f, turn = data.f[joint], data.oMi[joint].rotation
        want = np.concatenate([turn @ f.linear, turn @ f.angular])
        assert np.abs(world[k] - want).max() <= 1e-10 * np.abs(world).max(), arm.links[k].name
        # link frames of URDF files are their joints' after the motion, as in Pinocchio
        assert np.abs(local[k] - np.concatenate([f.linear, f.angular])).max() <= 1e-10 * np.abs(local).max()


# ---- closed loops --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_free_bodies_of_a_four_bar(kind):
    arm = four_bar(kind)
    start = moving(arm, [0.8, -0.3, 1.2])
    loads = [ls.Load("coupler", (1.0, 2.0, 0.0), (0, 0, 0.3), (0.4, 0, 0))]
    assert check_free_bodies(arm, start.q, start.qd, start.qdd, loads) == 3


def test_free_bodies_of_a_slider_crank():
    arm = slider_crank()
    start = moving(arm, [0.6, -0.8, 1.1])
    check_free_bodies(arm, start.q, start.qd, start.qdd)


@pytest.mark.parametrize("kind", ["spherical", "revolute", "planar", "fixed"])
def test_free_bodies_of_spatial_loops(kind):
    arm, q = spatial((kind,))
    start = moving(arm, q)
    check_free_bodies(arm, start.q, start.qd, start.qdd, random_loads(arm, 2))


def test_free_bodies_of_a_loop_with_a_flexible_coupler():
    arm = flexible_four_bar()
    start = moving(arm, np.concatenate([[0.8, -0.3], np.zeros(arm.dof - 3), [1.2]]))
    qdd = ls.forward_dynamics(arm, start.q, start.qd, np.eye(arm.dof)[0])
    assert check_free_bodies(arm, start.q, start.qd, qdd) == 2


def test_a_batch_of_a_closed_arm():
    arm = four_bar()
    starts = [moving(arm, [0.8, -0.3, 1.2], seed) for seed in (1, 2, 3)]
    q, qd, qdd = (np.array([getattr(s, word) for s in starts]) for word in ("q", "qd", "qdd"))
    whole = ls.joint_reactions(arm, q, qd, qdd, frame="link")
    for k in range(3):
        close(whole[k], ls.joint_reactions(arm, q[k], qd[k], qdd[k], frame="link"), 1e-14)


# ---- calls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", [RIGID["welds"], crane()], ids=["rigid", "flexible"])
def test_one_state_and_a_batch_agree(arm):
    q, qd, qdd = 0.1 * random_states(arm, 6)
    loads = random_loads(arm, 3, (6,)) if not arm.flexible else ()
    whole = ls.joint_reactions(arm, q, qd, qdd, loads=loads, base=random_base(1), threads=2)
    assert whole.shape == (6, len(arm.links), 6)
    room = np.empty_like(whole)
    assert ls.joint_reactions(arm, q, qd, qdd, loads=loads, base=random_base(1), out=room) is room
    assert np.array_equal(room, whole)
    for k in range(6):
        own = [load.replace(force=load.force[k], moment=load.moment[k], point=load.point[k]) for load in loads]
        assert np.array_equal(ls.joint_reactions(arm, q[k], qd[k], qdd[k], loads=own, base=random_base(1)), whole[k])


def test_backends_agree_on_a_flexible_arm():
    arm = crane(kind="fixed")
    given = 0.1 * random_states(arm, 4)
    for name in ("joint_reactions", "joint_reactions_in_link_axes"):
        ways = [functions_of(arm).get(name, None, b)(*given) for b in ("straight", "tape", "numpy")]
        close(ways[0], ways[2], 1e-11)
        close(ways[1], ways[2], 1e-11)


def test_axes_are_those_of_the_world_or_of_the_links():
    arm = RIGID["welds"]
    q, qd, qdd = random_states(arm, 1)[:, 0]
    world, local = (ls.joint_reactions(arm, q, qd, qdd, frame=frame) for frame in ("world", "link"))
    R = ls.poses(arm, q)[:, :3, :3]
    close(np.einsum("kij,knj->kni", R, local.reshape(-1, 2, 3)).reshape(-1, 6), world, 1e-13)
    with pytest.raises(InputError, match="joint_reactions: frame is 'hand'; expected 'world' or 'link'"):
        ls.joint_reactions(arm, q, qd, qdd, frame="hand")


def test_a_position_that_leaves_a_loop_open_is_refused():
    with pytest.raises(InputError, match="joint_reactions: q leaves open"):
        ls.joint_reactions(four_bar(), *np.zeros((3, 3)))
