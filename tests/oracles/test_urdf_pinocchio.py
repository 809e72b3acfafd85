"""URDF files of real robots, read by lissom and by Pinocchio: the same frames, bodies, limits and motions.

The robots are those of the package example-robot-data.
"""

import functools
import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import lissom as ls
from lissom.views.followed import followed_frame

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots")
FILES = sorted(path.relative_to(ROBOTS).as_posix() for path in ROBOTS.rglob("*.urdf"))

# Files that are no use for dynamics even when repaired, and the words that must say why.
EMPTY = "ur_description/urdf/ur3.urdf"
BROKEN_MIMIC = "alex_description/urdf/alex_psyonic_hands.urdf"
MASSLESS = {
    "romeo_description/urdf/romeo.urdf": "RThumb3",
    "romeo_description/urdf/romeo_laas_small.urdf": "r_gripper_joint",
}
READABLE = [file for file in FILES if file not in (EMPTY, BROKEN_MIMIC)]

# A choice of arms, hands, legs, humanoids and mobile machines that are physical as they stand ...
PHYSICAL = [
    "a1_description/urdf/a1.urdf",
    "alex_description/urdf/alex_sake_hands.urdf",
    "baxter_description/urdf/baxter.urdf",
    "bolt_description/robots/bolt.urdf",
    "centauro_description/urdf/centauro.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "go2_description/urdf/go2.urdf",
    "human_description/robots/human.urdf",
    "icub_description/robots/icub.urdf",
    "kinova_description/robots/kinova.urdf",
    "panda_description/urdf/panda.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "so_arm_description/urdf/so101.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
]
# ... and of those with inertia tensors that no body has.
UNPHYSICAL = [
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "go1_description/urdf/go1.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "pr2_description/urdf/pr2.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "tiago_description/robots/tiago.urdf",
]
MOVING = [
    "baxter_description/urdf/baxter.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "icub_description/robots/icub.urdf",
    "kinova_description/robots/kinova.urdf",
    "panda_description/urdf/panda.urdf",
    "pr2_description/urdf/pr2.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
]

# Both libraries multiply at most 30 or so rotations and lengths of a few metres in double precision:
# errors of some 1e-15 m. A wrong digit in a file, an angle or an axis is far above 1e-12.
POSE_TOLERANCE = 1e-12
# The same for masses and inertias, relative to the largest entry; sums of up to 40 bodies.
BODY_TOLERANCE = 1e-12
# Velocities and accelerations, relative to the largest entry (up to 1e3 in SI units).
MOTION_TOLERANCE = 1e-12
# Rotations next to quarter turns are made exact where torques are computed (`dynamics.rounding`).
MIMIC_TOLERANCE = 1e-10


@functools.cache
def load(file, mimic="free", **options):
    """All joints free, as in Pinocchio's models."""
    return ls.load(ROBOTS / file, mimic=mimic, **options)


@functools.cache
def pinocchio_model(file):
    return pin.buildModelFromUrdf(str(ROBOTS / file))


def kinematics_of(file):
    return load(file, repair=True, kinematics_only=file in MASSLESS)


def pinocchio_q(model, arm, q):
    """Our positions in Pinocchio's order; its continuous joints are a cosine and a sine."""
    out = pin.neutral(model)
    for joint, value in zip(arm.joints, q, strict=True):
        theirs = model.joints[model.getJointId(joint.name)]
        out[theirs.idx_q : theirs.idx_q + theirs.nq] = value if theirs.nq == 1 else (np.cos(value), np.sin(value))
    return out


def velocity_order(model, arm):
    """Place of each of our joints in Pinocchio's velocity vector."""
    return np.array([model.joints[model.getJointId(joint.name)].idx_v for joint in arm.joints], int)


def pinocchio_v(model, arm, qd):
    out = np.zeros(model.nv)
    out[velocity_order(model, arm)] = qd
    return out


def random_positions(arm, count, seed):
    """Positions far from zero, alike for angles [rad] and slides [m]."""
    return np.random.default_rng(seed).uniform(-2.7, 2.7, (count, arm.dof))


def second_moments(mass, com, moment):
    """(4, 4) integral of [r 1] [r 1]^T dm: a sum over bodies, and X J X^T in another frame."""
    J = np.zeros((4, 4))
    J[:3, :3] = 0.5 * np.trace(moment) * np.eye(3) - moment + mass * np.outer(com, com)
    J[:3, 3] = J[3, :3] = mass * np.asarray(com)
    J[3, 3] = mass
    return J


def pinocchio_moments(model, joint):
    body = model.inertias[joint]
    return second_moments(body.mass, body.lever, body.inertia)


def assert_same_body(ours, theirs, label):
    """Mass, centre of mass and inertia about it; a body without mass has no centre."""
    assert ours.mass == pytest.approx(theirs.mass, rel=BODY_TOLERANCE), label
    if theirs.mass > 0:
        np.testing.assert_allclose(ours.com, theirs.lever, rtol=0, atol=BODY_TOLERANCE, err_msg=label)
    scale = np.abs(theirs.inertia).max()
    np.testing.assert_allclose(ours.moment, theirs.inertia, rtol=0, atol=BODY_TOLERANCE * scale, err_msg=label)


def assert_close(ours, theirs, tolerance):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * max(1.0, np.abs(theirs).max()))


# ---- which files can be read ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nearly_all_robots_load_and_the_others_are_refused_in_words():
    loaded, refused = [], {}
    for file in FILES:
        try:
            loaded.append(load(file, mimic="follow", repair=True))
        except ls.ModelError as error:  # anything else is a crash and fails the test
            refused[file] = str(error)
    assert len(loaded) >= 60
    assert set(refused) == {EMPTY, BROKEN_MIMIC, *MASSLESS}
    assert all(Path(file).name in message for file, message in refused.items())


def test_an_empty_robot_is_refused():
    with pytest.raises(ls.ModelError, match=r"ur3\.urdf.*no links"):
        load(EMPTY, repair=True)


def test_a_mimic_of_a_missing_joint_is_refused():
    with pytest.raises(ls.ModelError, match=r"psyonic_hands\.urdf:1030 joint 'Left_index_q2'.*'index_q1'"):
        load(BROKEN_MIMIC, mimic="follow", repair=True)
    assert load(BROKEN_MIMIC, repair=True).dof == pinocchio_model(BROKEN_MIMIC).nv


@pytest.mark.parametrize("file", MASSLESS)
def test_massless_moving_links_are_refused_for_dynamics_only(file):
    with pytest.raises(ls.ModelError, match=f"{MASSLESS[file]!r} moves no inertia") as caught:
        load(file, repair=True)
    assert "kinematics_only=True" in str(caught.value)
    assert load(file, repair=True, kinematics_only=True).dof == pinocchio_model(file).nv


# ---- frames --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", READABLE)
@pytest.mark.some(25)
def test_link_frames(file):
    arm, model = kinematics_of(file), pinocchio_model(file)
    assert {joint.name for joint in arm.joints} == set(model.names[1:])
    data, Q = model.createData(), random_positions(arm, 4, seed=1)
    frames = [model.getFrameId(link.name, pin.FrameType.BODY) for link in arm.links]
    assert max(frames) < model.nframes
    for q, ours in zip(Q, ls.poses(arm, Q), strict=True):
        pin.framesForwardKinematics(model, data, pinocchio_q(model, arm, q))
        theirs = np.array([data.oMf[frame].homogeneous for frame in frames])
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=POSE_TOLERANCE)


@pytest.mark.parametrize("file", PHYSICAL)
@pytest.mark.some(8)
def test_merged_arms_keep_every_frame(file):
    kept, merged = load(file), load(file, fixed="merge")
    assert merged.coordinates == kept.coordinates
    assert set(merged.frames) == set(kept.frames)
    model = pinocchio_model(file)
    data, q = model.createData(), random_positions(kept, 1, seed=2)[0]
    pin.framesForwardKinematics(model, data, pinocchio_q(model, kept, q))
    for word in kept.frames:
        theirs = data.oMf[model.getFrameId(word, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(ls.pose(merged, q, word), theirs, rtol=0, atol=POSE_TOLERANCE, err_msg=word)


# ---- joints --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", PHYSICAL)
def test_joints_one_by_one(file):
    """Kind, axis, position, speed and effort limits, damping: exact copies of what the file says."""
    arm, model = load(file), pinocchio_model(file)
    for joint in arm.joints:
        theirs = model.joints[model.getJointId(joint.name)]
        axis = theirs.createData()
        theirs.calc(axis, pin.neutral(model), np.ones(model.nv))
        S = axis.S.ravel()  # linear, then angular
        expected = np.r_[np.zeros(3), joint.axis] if joint.kind == "revolute" else np.r_[joint.axis, np.zeros(3)]
        np.testing.assert_allclose(S, expected, rtol=0, atol=POSE_TOLERANCE, err_msg=joint.name)
        if theirs.nq == 2:
            assert joint.limits.position is None, joint.name
        else:
            lower, upper = joint.limits.bounds("position", 1)
            assert lower[0] == model.lowerPositionLimit[theirs.idx_q], joint.name
            assert upper[0] == model.upperPositionLimit[theirs.idx_q], joint.name
        for quantity, limit in (("velocity", model.velocityLimit), ("torque", model.effortLimit)):
            top = joint.limits.bounds(quantity, 1)[1][0]
            given = limit[theirs.idx_v]
            assert top == (given if 0 < given < 1e10 else np.inf), (joint.name, quantity)
        assert joint.damping == model.damping[theirs.idx_v], joint.name
        assert joint.friction == model.friction[theirs.idx_v], joint.name


# ---- bodies --------------------------------------------------------------------------------------------------------


def moments_by_joint(arm):
    """Second moments of all that each joint carries until the next one; of the base under None."""
    X = dict(zip((link.name for link in arm.links), ls.poses(arm, np.zeros(arm.dof)), strict=True))
    carrier, moments, names = {None: None}, {None: np.zeros((4, 4))}, {None: set()}
    for link in arm.links:
        top = carrier[link.name] = link.name if link.joint.moves else carrier[link.parent]
        X_top = X[link.name] if top is None else np.linalg.inv(X[top]) @ X[link.name]
        word = None if top is None else arm.link(top).joint.name
        here = X_top @ second_moments(*link.body) @ X_top.T
        moments[word] = moments.get(word, 0.0) + here
        names[word] = names.get(word, set()) | {link.name}
    return moments, names


@pytest.mark.parametrize("file", PHYSICAL)
def test_masses_and_inertias_of_merged_links(file):
    """Pinocchio makes links on fixed joints part of their parents, as ``fixed="merge"`` does."""
    arm, model = load(file, fixed="merge"), pinocchio_model(file)
    moving = [link for link in arm.links if link.joint.moves]
    assert len(moving) == model.njoints - 1
    carriers = {link.name for link in moving}
    assert not any(link.parent in carriers for link in arm.links if not link.joint.moves)
    for link in moving:
        assert_same_body(link.body, model.inertias[model.getJointId(link.joint.name)], link.name)
    ours, theirs = moments_by_joint(arm)[0][None], pinocchio_moments(model, 0)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=BODY_TOLERANCE * np.abs(theirs).max())


def repaired_links(arm):
    return {note.split("'")[1] for note in arm.notes if "repaired" in note}


@pytest.mark.parametrize("file", UNPHYSICAL)
def test_repair_changes_the_inertias_it_names_and_nothing_else(file):
    with pytest.raises(ls.ModelError, match="inertia is not physical"):
        load(file)
    arm, model = load(file, repair=True), pinocchio_model(file)
    changed = repaired_links(arm)
    assert changed
    moments, names = moments_by_joint(arm)
    for joint, ours in moments.items():
        theirs = pinocchio_moments(model, 0 if joint is None else model.getJointId(joint))
        same = np.abs(ours - theirs) <= BODY_TOLERANCE * np.abs(theirs).max()
        assert same[3].all(), f"mass or centre of mass at {joint}"
        assert same.all() or names[joint] & changed, joint
    for word in changed:
        low, mid, high = np.linalg.eigvalsh(arm.link(word).inertia)
        # the model's own rule: rounding of CAD data may miss the inequality by a millionth
        assert low >= -1e-6 * high - 1e-18, word
        assert low + mid >= high * (1 - 1e-6) - 1e-18, word


# ---- motion --------------------------------------------------------------------------------------------------------


def leaves(arm):
    """The five links with the most joints before them, of those that nobody hangs on."""
    joints = {None: 0}
    for link in arm.links:
        joints[link.name] = joints[link.parent] + link.joint.moves
    ends = set(joints) - {None} - {link.parent for link in arm.links}
    return sorted(ends, key=lambda word: (-joints[word], word))[:5]


PROBE = np.array([0.13, -0.37, 0.29])  # a point away from every axis


def probed(file, word):
    """Pinocchio's model with a frame at the probe on one link, and that frame's number."""
    model = pinocchio_model(file).copy()
    body = model.frames[model.getFrameId(word, pin.FrameType.BODY)]
    place = body.placement * pin.SE3(np.eye(3), PROBE)
    return model, model.addFrame(pin.Frame("probe", body.parentJoint, place, pin.FrameType.OP_FRAME))


def moving_cases():
    return [pytest.param(file, k, id=f"{file}-{k}") for file in MOVING for k in range(2)]


@pytest.mark.parametrize(("file", "k"), moving_cases())
def test_jacobian(file, k):
    arm = kinematics_of(file)
    q = random_positions(arm, 2, seed=3)[k]
    for word in leaves(arm):
        model, frame = probed(file, word)
        data = model.createData()
        J = pin.computeFrameJacobian(
            model, data, pinocchio_q(model, arm, q), frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        assert_close(ls.jacobian(arm, q, word, PROBE), J[:, velocity_order(model, arm)], MOTION_TOLERANCE)


@pytest.mark.parametrize(("file", "k"), moving_cases())
def test_velocity_and_acceleration(file, k):
    arm = kinematics_of(file)
    q, qd, qdd = (random_positions(arm, 2, seed)[k] for seed in (4, 5, 6))
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for word in leaves(arm):
        model, frame = probed(file, word)
        data = model.createData()
        v, a = pinocchio_v(model, arm, qd), pinocchio_v(model, arm, qdd)
        pin.forwardKinematics(model, data, pinocchio_q(model, arm, q), v, a)
        pin.updateFramePlacements(model, data)
        V = pin.getFrameVelocity(model, data, frame, aligned).vector
        A = pin.getFrameClassicalAcceleration(model, data, frame, aligned).vector
        assert_close(ls.velocity(arm, q, qd, word, PROBE), V, MOTION_TOLERANCE)
        assert_close(ls.acceleration(arm, q, qd, qdd, word, PROBE), A, MOTION_TOLERANCE)


# ---- joints that follow others --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    [
        "panda_description/urdf/panda.urdf",
        "tiago_pro_description/robots/tiago_pro.urdf",
        pytest.param("baxter_description/urdf/baxter.urdf", marks=pytest.mark.slow),
    ],
)
def test_joints_that_follow(file):
    """Frames, torques and mass matrix, with Pinocchio's own model of mimic joints."""
    arm, model = load(file, mimic="follow", fixed="merge"), pin.buildModelFromUrdf(str(ROBOTS / file), True)
    assert arm.dof == model.nv < load(file).dof
    for joint in arm.moving_joints:
        arm = arm.with_joint(joint.name, damping=0.0, friction=0.0)
    data = model.createData()
    q, qd, qdd = np.random.default_rng(4).uniform(-1.0, 1.0, (3, arm.dof))
    order, state = velocity_order(model, arm), [pinocchio_v(model, arm, x) for x in (qd, qdd)]
    tau = pin.rnea(model, data, pinocchio_q(model, arm, q), *state)
    ours = ls.inverse_dynamics(arm, q, qd, qdd)
    assert_close(ours, tau[order], MIMIC_TOLERANCE)
    assert_close(ls.forward_dynamics(arm, q, qd, ours), qdd, 1e-9)
    M = np.triu(pin.crba(model, data, pinocchio_q(model, arm, q)))
    M += np.triu(M, 1).T
    assert_close(ls.mass_matrix(arm, q), M[np.ix_(order, order)], MIMIC_TOLERANCE)
    pin.framesForwardKinematics(model, data, pinocchio_q(model, arm, q))
    for link in arm.links:
        X = data.oMf[model.getFrameId(link.name, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(ls.pose(arm, q, link.name), X, rtol=0, atol=POSE_TOLERANCE)


def test_a_floating_root_is_the_free_flyer(tmp_path):
    """Where the base is not turned, accelerations of its angles are those of its angular velocity."""
    text = (ROBOTS / "solo_description/robots/solo12.urdf").read_text(encoding="utf-8")
    root = (
        '<link name="world"/><joint name="root" type="floating"><parent link="world"/><child link="base_link"/></joint>'
    )
    (tmp_path / "solo.urdf").write_text(text.replace("</robot>", f"{root}</robot>"), encoding="utf-8")
    arm = ls.load(tmp_path / "solo.urdf")
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    order = [[*(f"root:{word}" for word in ("x", "y", "z", "roll", "pitch", "yaw")), *model.names[2:]].index(name)
             for name in arm.coordinates]  # fmt: skip
    rng = np.random.default_rng(0)
    q, tau = rng.uniform(-0.5, 0.5, 12), rng.uniform(-1, 1, 12)
    expected = pin.aba(model, model.createData(), np.r_[np.zeros(6), 1.0, q], np.zeros(18), np.r_[np.zeros(6), tau])
    found = ls.forward_dynamics(arm, np.r_[np.zeros(6), q][order], np.zeros(18), np.r_[np.zeros(6), tau][order])
    assert found == pytest.approx(expected[order], rel=1e-9, abs=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("fixed", ["keep", "merge"])
@pytest.mark.parametrize(("file", "end", "jaw"), [
    ("ur_description/urdf/ur5_robot.urdf", "tool0", None),
    ("ur_description/urdf/ur5_gripper.urdf", "tool0", None),
    ("xarm_description/urdf/xarm7.urdf", "link_eef", None),
    ("kinova_description/robots/kinova.urdf", "j2s6s200_end_effector", None),
    ("panda_description/urdf/panda.urdf", "panda_hand_tcp", "panda_finger_joint1"),
    ("so_arm_description/urdf/so100.urdf", "gripper", "gripper"),
    ("so_arm_description/urdf/so101.urdf", "gripper_frame_link", "gripper"),
    ("z1_description/urdf/z1.urdf", "gripperStator", "jointGripper"),
    ("talos_data/robots/talos_left_arm.urdf", "gripper_left_base_link", "gripper_left_joint"),
    ("asr_twodof_description/urdf/TwoDofs.urdf", "Tip", None),
    ("double_pendulum_description/urdf/double_pendulum.urdf", "link2", None),
    ("finger_edu_description/robots/finger_edu.urdf", "finger_tip_link", None),
    ("hector_description/robots/quadrotor_base.urdf", "base_link", None),
])  # fmt: skip
def test_arms_end_at_their_tool_or_hand_and_never_at_a_finger(file, end, jaw, fixed):
    arm = ls.load(ROBOTS / file, fixed=fixed)
    assert arm.tip_frame == followed_frame(arm) == end
    heavier = arm.with_payload(ls.Payload(0.2))
    assert heavier.mass == pytest.approx(arm.mass + 0.2)
    if jaw is not None:
        still = ls.load(ROBOTS / file, fixed=fixed, lock={jaw: arm.joint(jaw).limits.position[1]})
        assert still.tip_frame == still.merge_fixed().tip_frame == end


@pytest.mark.parametrize(("file", "ends"), [
    ("baxter_description/urdf/baxter.urdf", ["head", "right_gripper", "left_gripper"]),
    ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
     ["left_ankle_roll_link", "right_ankle_roll_link", "left_hand_palm_link", "right_hand_palm_link"]),
    ("talos_data/robots/talos_full_v2.urdf",
     ["head_2_link", "gripper_left_base_link", "gripper_right_base_link", "left_sole_link", "right_sole_link"]),
])  # fmt: skip
def test_hands_of_robots_with_several_ends_are_ends(file, ends):
    arm = ls.load(ROBOTS / file)
    assert list(arm.ends) == ends
    assert followed_frame(arm) in ends
    with pytest.raises(ls.ModelError, match=f"its tree has {len(ends)} ends"):
        arm.with_payload(ls.Payload(0.2))
