"""MJCF in: bodies, joints and loops as MuJoCo itself places them."""

import mujoco
import numpy as np
import pytest

import lissom as ls

# MuJoCo turns by quaternions, lissom by matrices; chains of up to ten bodies of about a metre.
POSE_TOLERANCE = 1e-12
# Inertias pass through MuJoCo's principal axes; relative to the largest entry.
BODY_TOLERANCE = 1e-12
# MuJoCo diagonalises a full tensor until its off-diagonal entries are about this small.
DIAGONAL_TOLERANCE = 1e-9

BODY = '<inertial pos="0.02 -0.05 0.11" mass="1.3" fullinertia="0.021 0.027 0.016 0.002 -0.001 0.003"/>'


def mjcf(bodies, extra="", option=""):
    return f"""<mujoco model="machine">
  <compiler angle="radian" autolimits="true"/>
  {option}
  <worldbody>
    {bodies}
  </worldbody>
  {extra}
</mujoco>
"""


def body(name, joints, inside="", place='pos="0.3 -0.1 0.2" quat="0.8 -0.3 0.4 0.2"'):
    return f'<body name="{name}" {place}>{BODY}{joints}{inside}</body>'


@pytest.fixture
def read(tmp_path):
    def read(text, name="machine.xml", **options):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return ls.load(path, **options)

    return read


@pytest.fixture
def both(read):
    """The arm, and MuJoCo's model of the same text."""
    return lambda text: (read(text), mujoco.MjModel.from_xml_string(text))


def turn(axis, angle):
    """Quaternion (w, x, y, z)."""
    return np.r_[np.cos(angle / 2), np.sin(angle / 2) * np.asarray(axis, float) / np.linalg.norm(axis)]


def yaw_pitch_roll(yaw, pitch, roll):
    """Quaternion of Rz(yaw) Ry(pitch) Rx(roll)."""
    first, out = np.zeros(4), np.zeros(4)
    mujoco.mju_mulQuat(first, turn((0, 0, 1), yaw), turn((0, 1, 0), pitch))
    mujoco.mju_mulQuat(out, first, turn((1, 0, 0), roll))
    return out


def qpos_of(model, arm, q):
    """MuJoCo's positions for ours: a ball is a quaternion, a free joint a position and a quaternion."""
    values, qpos = dict(zip(arm.coordinates, q, strict=True)), np.array(model.qpos0)
    for j in range(model.njnt):
        word, start, kind = model.joint(j).name, model.jnt_qposadr[j], int(model.jnt_type[j])
        if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            qpos[start] = values[word]
            continue
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            qpos[start : start + 3] = [values[f"{word}:{end}"] for end in "xyz"]
            start += 3
        turns = (values[f"{word}:{end}"] for end in ("yaw", "pitch", "roll"))
        qpos[start : start + 4] = yaw_pitch_roll(*turns)
    return qpos


def placed(model, qpos):
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data


def positions(arm, seed=0, count=4):
    return np.random.default_rng(seed).uniform(-2.4, 2.4, (count, arm.dof))


def assert_same_poses(arm, model):
    """Every body where MuJoCo puts it."""
    for q in positions(arm):
        data = placed(model, qpos_of(model, arm, q))
        for b in range(1, model.nbody):
            X = ls.pose(arm, q, model.body(b).name)
            np.testing.assert_allclose(X[:3, 3], data.xpos[b], rtol=0, atol=POSE_TOLERANCE)
            np.testing.assert_allclose(X[:3, :3], data.xmat[b].reshape(3, 3), rtol=0, atol=POSE_TOLERANCE)


def assert_same_bodies(arm, model):
    """Mass, centre of mass and inertia of every body, in world axes."""
    q = positions(arm, seed=1)[0]
    data = placed(model, qpos_of(model, arm, q))
    for b in range(1, model.nbody):
        link, X = arm.link(model.body(b).name), ls.pose(arm, q, model.body(b).name)
        assert link.mass == model.body_mass[b]
        com, moment = X[:3, :3] @ link.com + X[:3, 3], X[:3, :3] @ link.inertia @ X[:3, :3].T
        axes = data.ximat[b].reshape(3, 3)
        theirs = axes @ np.diag(model.body_inertia[b]) @ axes.T
        np.testing.assert_allclose(com, data.xipos[b], rtol=0, atol=POSE_TOLERANCE)
        np.testing.assert_allclose(moment, theirs, rtol=0, atol=BODY_TOLERANCE * np.abs(theirs).max())


# ---- joints --------------------------------------------------------------------------------------------------------


HINGE = """<joint name="h" type="hinge" pos="0.07 -0.12 0.05" axis="0.3 -0.6 0.4" ref="0.35" range="-1.1 2.3"
  armature="0.021" damping="0.7" frictionloss="0.15" stiffness="4.5" springref="0.6" actuatorfrcrange="-8 11"/>"""
SLIDE = '<joint name="s" type="slide" axis="-0.2 0.5 0.7" pos="0.1 0.2 0.3" ref="-0.17" range="-0.4 0.9"/>'
SECOND = '<joint name="t" type="hinge" pos="-0.21 0.02 0.09" axis="1 0.2 -0.3"/>'
BALL = '<joint name="b" type="ball" pos="0.04 0.13 -0.06"/>'


@pytest.mark.parametrize(
    "joints",
    [
        pytest.param(HINGE, id="hinge"),
        pytest.param(SLIDE, id="slide"),
        pytest.param(BALL, id="ball"),
        pytest.param(SLIDE + HINGE, id="slide, hinge"),
        pytest.param(HINGE + SLIDE + SECOND, id="hinge, slide, hinge"),
        pytest.param(SLIDE + BALL, id="slide, ball"),
        pytest.param(HINGE + BALL, id="hinge, ball"),
    ],
)
def test_joints_of_one_body(both, joints):
    arm, model = both(mjcf(body("one", joints)))
    assert arm.dof == model.nv
    assert_same_poses(arm, model)
    assert_same_bodies(arm, model)


def test_numbers_of_a_hinge(read):
    joint = read(mjcf(body("one", HINGE))).joint("h")
    assert joint.kind == "revolute"
    assert (joint.armature, joint.damping, joint.friction) == (0.021, 0.7, 0.15)
    assert (joint.stiffness, joint.rest) == (4.5, 0.6)
    assert joint.limits == ls.Limits(position=(-1.1, 2.3), torque=(-8.0, 11.0))
    np.testing.assert_allclose(joint.axis, np.array([0.3, -0.6, 0.4]) / np.sqrt(0.61), rtol=0, atol=1e-15)


def test_numbers_of_a_slide(read):
    joint = read(mjcf(body("one", SLIDE))).joint("s")
    assert (joint.kind, joint.limits) == ("prismatic", ls.Limits(position=(-0.4, 0.9)))
    assert (joint.armature, joint.damping, joint.friction, joint.stiffness, joint.rest) == (0, 0, 0, 0, 0)


def test_degrees_are_turned_into_radians(read):
    text = mjcf(body("one", '<joint name="h" ref="20" range="-90 30" stiffness="2" springref="45"/>'))
    joint = read(text.replace('angle="radian"', 'angle="degree"')).joint("h")
    assert joint.limits.position == pytest.approx((-np.pi / 2, np.pi / 6), rel=1e-15)
    assert joint.rest == pytest.approx(np.pi / 4, rel=1e-15)


def test_springs_pull_towards_the_same_place(both):
    """The force of MuJoCo's spring and damper at a given position and rate."""
    arm, model = both(mjcf(body("one", HINGE), option='<option gravity="0 0 0"/>'))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = 1.9, -0.8
    mujoco.mj_forward(model, data)
    joint = arm.joint("h")
    passive = -joint.stiffness * (1.9 - joint.rest) - joint.damping * -0.8
    assert data.qfrc_passive[0] == pytest.approx(passive, rel=1e-14)


def test_several_joints_make_virtual_links(read):
    arm = read(mjcf(body("one", HINGE + SLIDE + SECOND)))
    assert arm.coordinates == ("h", "s", "t")
    assert [(link.name, link.mass) for link in arm.links] == [("one:h", 0), ("one:s", 0), ("one", 1.3)]


def test_ball_joint_is_yaw_pitch_and_roll(read):
    arm = read(mjcf(body("one", '<joint name="b" type="ball" damping="0.3"/>')))
    assert arm.coordinates == ("b:yaw", "b:pitch", "b:roll")
    notes = " ".join(arm.notes)
    assert "ball joint 'b' became b:yaw, b:pitch, b:roll" in notes
    assert "'b': its armature, damping, friction and stiffness" in notes
    assert all(joint.damping == 0 for joint in arm.joints)


def test_free_joint_is_the_pose_in_the_world(both):
    arm, model = both(mjcf(body("one", '<freejoint name="f"/>', body("two", HINGE))))
    assert arm.coordinates == ("f:x", "f:y", "f:z", "f:yaw", "f:pitch", "f:roll", "h")
    assert any("free joint 'f' became" in note for note in arm.notes)
    assert_same_poses(arm, model)
    np.testing.assert_allclose(ls.pose(arm, np.zeros(7), "one"), np.eye(4), rtol=0, atol=0)


# ---- trees ---------------------------------------------------------------------------------------------------------


TREE = mjcf(
    body(
        "column",
        HINGE,
        body("fixed", "", body("sled", SLIDE), 'pos="0.1 0.4 -0.2" quat="0.2 0.5 -0.7 0.1"')
        + body(
            "fore", '<joint name="k" axis="0.4 0.1 0.9"/>', body("palm", SECOND), 'pos="-0.3 0.2 0.1" euler="0.5 1 -2"'
        ),
        'pos="0.2 0.1 0.7" quat="3 -1 2 0.5"',
    )
    + body("other", '<joint name="l" type="slide" axis="0 0.6 0.8"/>', place='pos="1.2 0 0" euler="1 0 0.3"')
)


def test_tree(both):
    arm, model = both(TREE)
    assert (arm.name, arm.dof) == ("machine", 5)
    assert "machine.xml" in arm.source
    assert [link.parent for link in arm.links] == [None, "column", "fixed", "column", "fore", None]
    assert_same_poses(arm, model)
    assert_same_bodies(arm, model)


def test_jacobians_of_a_tree(both):
    arm, model = both(TREE)
    q = positions(arm, seed=5)[0]
    data = placed(model, qpos_of(model, arm, q))
    order = [arm.coordinates.index(model.joint(j).name) for j in range(model.njnt)]
    for b in range(1, model.nbody):
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, linear, angular, b)
        J = ls.jacobian(arm, q, model.body(b).name)[:, order]
        np.testing.assert_allclose(J, np.vstack([linear, angular]), rtol=0, atol=POSE_TOLERANCE)


def test_fixed_bodies_can_be_merged(read):
    kept, merged = read(TREE), read(TREE, fixed="merge")
    assert [tool.name for tool in merged.link("column").tools] == ["fixed"]
    assert merged.mass == pytest.approx(kept.mass, rel=BODY_TOLERANCE)
    q = positions(kept)[0]
    for word in kept.frames:
        X, Y = ls.pose(merged, q, word), ls.pose(kept, q, word)
        np.testing.assert_allclose(X, Y, rtol=0, atol=POSE_TOLERANCE)


def test_full_inertia_is_that_of_the_file(read):
    link = read(mjcf(body("one", HINGE))).link("one")
    expected = np.array([[0.021, 0.002, -0.001], [0.002, 0.027, 0.003], [-0.001, 0.003, 0.016]])
    assert link.mass == 1.3
    assert link.com.tolist() == [0.02, -0.05, 0.11]
    np.testing.assert_allclose(link.inertia, expected, rtol=0, atol=DIAGONAL_TOLERANCE * 0.03)


def test_inertia_from_geoms(both):
    geoms = """<geom type="box" size="0.1 0.2 0.05" pos="0.1 0 0.3" quat="0.9 0.1 0.2 -0.3" density="700"/>
      <geom type="capsule" size="0.04 0.3" pos="-0.2 0.1 0" euler="0.3 0.2 1" mass="2.2"/>"""
    arm, model = both(mjcf(f'<body name="one" pos="0 0 1">{HINGE}{geoms}</body>'))
    assert arm.link("one").mass == pytest.approx(2.2 + 700 * 8 * 0.1 * 0.2 * 0.05, rel=1e-14)
    assert_same_bodies(arm, model)


def test_geoms_are_shapes(read):
    geoms = """<geom type="box" size="0.1 0.2 0.05" pos="0.1 0 0.3"/>
      <geom type="cylinder" size="0.04 0.3" contype="0" conaffinity="0"/><geom type="sphere" size="0.07"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3"/>"""
    arm = read(mjcf(f'<body name="one">{HINGE}{geoms}</body>'))
    found = [(shape.kind, shape.role, shape.size.tolist()) for shape in arm.link("one").shapes]
    assert found == [
        ("box", "collision", [0.2, 0.4, 0.1]),
        ("cylinder", "visual", [0.04, 0.6]),
        ("sphere", "collision", [0.07]),
    ]
    assert arm.link("one").shapes[0].origin[:3, 3].tolist() == [0.1, 0.0, 0.3]
    assert "body 'one': 1 geoms of type ellipsoid are not drawn." in arm.notes


def test_colours_of_geoms(read):
    geoms = """<geom type="sphere" size="0.1" rgba="1 0.2 0 1"/><geom type="sphere" size="0.2"/>
      <geom type="sphere" size="0.3" material="paint"/>"""
    extra = '<asset><material name="paint" rgba="0 0.4 1 1"/></asset>'
    arm = read(mjcf(f'<body name="one">{HINGE}{geoms}</body>', extra))
    assert [shape.colour for shape in arm.link("one").shapes] == ["#ff3300", "", "#0066ff"]


def test_defaults_and_includes_are_resolved(read, tmp_path):
    included = body("one", '<joint name="h"/>')
    (tmp_path / "arm.xml").write_text(f"<mujocoinclude>{included}</mujocoinclude>")
    extra = '<default><joint armature="0.31" damping="0.6"/></default>'
    arm = read(mjcf('<include file="arm.xml"/>', extra))
    assert (arm.joint("h").armature, arm.joint("h").damping) == (0.31, 0.6)


def test_actuators_and_tendons_are_noted(read):
    extra = """<actuator><motor joint="h" gear="50"/><motor joint="s"/></actuator>
      <tendon><fixed><joint joint="h" coef="1"/></fixed></tendon>"""
    arm = read(mjcf(body("one", HINGE + SLIDE), extra))
    assert "2 actuators ignored: every joint takes its torque directly." in arm.notes
    assert "1 tendons ignored." in arm.notes
    assert all(joint.actuated for joint in arm.joints)


def test_gravity(read):
    arm = read(mjcf(body("one", HINGE), option='<option gravity="0.3 -1.2 -3.71"/>'))
    assert arm.gravity.tolist() == [0.3, -1.2, -3.71]
    assert read(mjcf(body("one", HINGE))).gravity.tolist() == [0.0, 0.0, -9.81]


def test_gravity_switched_off(read):
    arm = read(mjcf(body("one", HINGE), option='<option><flag gravity="disable"/></option>'))
    assert arm.gravity.tolist() == [0.0, 0.0, 0.0]


def test_a_long_chain(read):
    """MJCF nests one body in another: an arm of many links is deep."""
    count = 150
    part = f'<body pos="0.1 0.02 0">{BODY}<joint axis="0 0.6 0.8"/>'
    assert read(mjcf(part * count + "</body>" * count)).dof == count


# ---- loops ---------------------------------------------------------------------------------------------------------


TWO = mjcf(
    body("a", HINGE) + body("b", '<freejoint name="f"/>', place='pos="0.5 0.9 -0.3" quat="0.4 0.7 -0.2 0.5"'),
    "EQUALITY",
)
LOOPS = {
    "connect": '<connect body1="a" body2="b" anchor="0.13 -0.07 0.21"/>',
    "connect to the world": '<connect body1="b" anchor="0.13 -0.07 0.21"/>',
    "weld": '<weld body1="a" body2="b" anchor="0.13 -0.07 0.21"/>',
    "weld to the world": '<weld body1="b" anchor="0.13 -0.07 0.21"/>',
    "weld at a given pose": '<weld body1="a" body2="b" anchor="0.1 -0.2 0.4" relpose="0.3 -0.4 0.2 0.6 -0.1 0.7 0.3"/>',
}


def loop_error(model, X_b, hinge):
    """MuJoCo's violation of its equality with body b at a pose."""
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, X_b[:3, :3].ravel())
    data = mujoco.MjData(model)
    data.qpos[:] = np.r_[hinge, X_b[:3, 3], quaternion]
    mujoco.mj_forward(model, data)
    rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    return data.efc_pos[rows]


@pytest.mark.parametrize("case", LOOPS)
def test_a_closed_loop_is_closed_for_mujoco(both, case):
    """Body b put where lissom's loop wants it: MuJoCo finds nothing violated."""
    arm, model = both(TWO.replace("EQUALITY", f"<equality>{LOOPS[case]}</equality>"))
    (loop,) = arm.loops
    assert loop.joint == ("fixed" if case.startswith("weld") else "spherical")
    hinge = 0.9
    X = {None: np.eye(4), "a": ls.pose(arm, np.r_[hinge, np.zeros(6)], "a")}
    (free, F), (other, G) = (loop.b, loop.a) if loop.b[0] == "b" else (loop.a, loop.b)
    assert free == "b"
    X_b = X[other] @ G @ np.linalg.inv(F)
    error = loop_error(model, X_b, hinge)
    assert error.size == (6 if case.startswith("weld") else 3)
    np.testing.assert_allclose(error, 0, rtol=0, atol=POSE_TOLERANCE)
    moved = X_b.copy()
    moved[:3, 3] += 0.1
    assert np.abs(loop_error(model, moved, hinge)).max() > 0.05  # and the check can fail


def test_inactive_equalities_are_no_loops(read):
    text = TWO.replace("EQUALITY", '<equality><connect body1="a" body2="b" anchor="0 0 0" active="false"/></equality>')
    assert read(text).loops == ()


def test_joints_that_an_equality_couples_follow(read):
    """Where our joint follows to, MuJoCo's constraint is met, with the references of both joints."""
    second = SECOND.replace("<joint ", '<joint ref="0.3" ')
    text = mjcf(
        body("one", HINGE + second), '<equality><joint joint1="h" joint2="t" polycoef="0.2 -1.5 0 0 0"/></equality>'
    )
    arm = read(text)
    assert (arm.loops, arm.coordinates, arm.mimics["h"].multiplier) == ((), ("t",), -1.5)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = arm.joint_positions([0.4])
    mujoco.mj_forward(model, data)
    assert data.ne == 1
    assert abs(data.efc_pos[0]) < 1e-15
    free = read(text, mimic="free")
    assert free.dof == arm.dof + 1
    assert any("equality 0 of type joint ignored" in note for note in free.notes)


@pytest.mark.parametrize(
    ("equality", "note"),
    [
        ('joint1="h" joint2="t" polycoef="0 1 0.5 0 0"', "equality 0 between joints is not linear; ignored."),
        ('joint1="h"', "equality 0 holds a joint where it is; ignored. arm.lock does this."),
        ('joint1="h" joint2="t" active="false"', "equality 0 is not active; ignored."),
    ],
)
def test_other_equalities_are_noted(read, equality, note):
    arm = read(mjcf(body("one", HINGE + SECOND), f"<equality><joint {equality}/></equality>"))
    assert (arm.loops, dict(arm.mimics)) == ((), {})
    assert note in arm.notes


def test_joints_that_equalities_couple_in_a_ring(read):
    both = '<equality><joint joint1="h" joint2="t"/><joint joint1="t" joint2="h"/></equality>'
    arm = read(mjcf(body("one", HINGE + SECOND), both))
    assert list(arm.mimics) == ["h"]
    assert "equality 1 couples joints that other equalities couple already; ignored." in arm.notes


# ---- names ---------------------------------------------------------------------------------------------------------


def test_nameless_bodies_and_joints_get_names(read):
    arm = read(mjcf(f"<body>{BODY}<joint/><body>{BODY}<joint/></body></body>").replace(' model="machine"', ""))
    assert len({link.name for link in arm.links}) == 2
    assert arm.dof == 2
    assert arm.name


@pytest.mark.parametrize(("body_name", "joint_name"), [("body2", "j"), ("b", "joint1")])
def test_names_given_to_the_nameless_are_free(read, body_name, joint_name):
    text = mjcf(f'<body name="{body_name}">{BODY}<joint name="{joint_name}"/><body>{BODY}<joint/></body></body>')
    assert read(text).dof == 2


# ---- refusals ------------------------------------------------------------------------------------------------------


def refusal(read, text):
    with pytest.raises(ls.ModelError) as caught:
        read(text)
    return str(caught.value)


def test_doctype_is_refused(read, tmp_path):
    text = '<?xml version="1.0"?>\n<!DOCTYPE mujoco [<!ENTITY a "1">]>\n' + mjcf(body("one", HINGE))
    message = refusal(read, text)
    assert message.startswith(f"{tmp_path / 'machine.xml'}:2 ")
    assert "DOCTYPE" in message


def test_xml_that_is_not_well_formed(read, tmp_path):
    text = mjcf(body("one", HINGE)).replace("</mujoco>", "</mujico>")
    line = 1 + text[: text.index("</mujico>")].count("\n")
    message = refusal(read, text)
    assert message.startswith(f"{tmp_path / 'machine.xml'}:{line} ")
    assert "not well-formed" in message


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('type="slide"', 'type="slip"', "slip"),
        ('mass="1.3"', 'mass="0"', "mass"),
        ("<body ", "<boddy ", "boddy"),
        ("0.021 0.027 0.016", "0.021 0.027 0.916", "inertia"),
    ],
)
def test_what_mujoco_refuses_is_refused_with_its_words(read, tmp_path, old, new, words):
    text = mjcf(body("one", SLIDE))
    assert old in text
    message = refusal(read, text.replace(old, new).replace("</body>", "</boddy>" if "boddy" in new else "</body>"))
    assert message.startswith(str(tmp_path / "machine.xml"))
    assert "MuJoCo cannot compile it" in message
    assert words in message


def test_a_world_without_bodies(read, tmp_path):
    assert refusal(read, mjcf("")).startswith(str(tmp_path / "machine.xml"))


def test_another_root(read, tmp_path):
    message = refusal(read, "<!-- not ours -->\n<svg/>")
    assert message.startswith(f"{tmp_path / 'machine.xml'}:2 ")
    assert "expected <mujoco> or <robot>" in message


def test_xml_with_a_robot_is_urdf(read):
    tensor = '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.025"/>'
    inertial = f'<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2.7"/>{tensor}</inertial>'
    text = f"""<robot name="r"><link name="base"/><link name="rod">{inertial}</link>
      <joint name="j" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 3 4"/></joint></robot>"""
    arm = read(text)
    assert "URDF" in arm.source
    assert arm == read(text, "machine.urdf")
    assert arm.joint("j").axis.tolist() == [0.0, 0.6, 0.8]


def test_the_ending_mjcf_is_read(read):
    assert read(TREE, "machine.mjcf") == read(TREE)
