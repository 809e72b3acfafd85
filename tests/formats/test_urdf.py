"""URDF in and out: what is read, what is refused and in which words, what survives a round trip."""

import re
import time
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import lissom as ls
from lissom.formats import files

# A few products of rotations and lengths below a metre: errors of some 1e-16.
EXACT = 1e-14
# Writing turns matrices into angles and back, and moves bodies between frames: a few roundings more.
ROUND_TRIP = 1e-13

# An arm with one of everything: generic axes and angles, full tensors, fixed links with and without mass.
ARM = """<?xml version="1.0"?>
<robot name="gantry">
  <link name="plinth">
    <inertial>
      <origin xyz="0.01 -0.02 0.13" rpy="0.1 0.2 -0.3"/>
      <mass value="7.25"/>
      <inertia ixx="0.11" ixy="0.012" ixz="-0.007" iyy="0.13" iyz="0.009" izz="0.094"/>
    </inertial>
  </link>
  <joint name="waist" type="revolute">
    <origin xyz="0.12 -0.05 0.31" rpy="0.4 -0.7 1.1"/>
    <parent link="plinth"/>
    <child link="trunk"/>
    <axis xyz="0.3 -0.5 1.7"/>
    <limit lower="-2.1" upper="1.3" effort="87.5" velocity="2.175"/>
    <dynamics damping="0.37" friction="1.9"/>
  </joint>
  <link name="trunk">
    <inertial>
      <origin xyz="0.03 0.08 0.21" rpy="-0.5 0.9 0.2"/>
      <mass value="3.4"/>
      <inertia ixx="0.031" ixy="-0.004" ixz="0.0021" iyy="0.028" iyz="0.0013" izz="0.017"/>
    </inertial>
  </link>
  <joint name="mount" type="fixed">
    <origin xyz="0.07 0.02 0.44" rpy="1.2 0.3 -2.2"/>
    <parent link="trunk"/>
    <child link="bracket"/>
  </joint>
  <link name="bracket">
    <inertial>
      <origin xyz="-0.02 0.05 0.01" rpy="0.7 0 0.6"/>
      <mass value="0.85"/>
      <inertia ixx="0.0031" ixy="0.0002" ixz="0.0001" iyy="0.0027" iyz="-0.0003" izz="0.0022"/>
    </inertial>
  </link>
  <joint name="lift" type="prismatic">
    <origin xyz="0.02 -0.11 0.06" rpy="-0.2 0.5 0.9"/>
    <parent link="bracket"/>
    <child link="sled"/>
    <axis xyz="-0.6 0.2 0.4"/>
    <limit lower="-0.05" upper="0.45" effort="310" velocity="0.6"/>
  </joint>
  <link name="sled">
    <inertial>
      <origin xyz="0.015 0.04 -0.09"/>
      <mass value="1.7"/>
      <inertia ixx="0.0052" ixy="0.0004" ixz="0.0003" iyy="0.0061" iyz="-0.0006" izz="0.0043"/>
    </inertial>
  </link>
  <joint name="spin" type="continuous">
    <origin xyz="0.19 0.03 -0.08" rpy="0.6 1.3 -0.4"/>
    <parent link="sled"/>
    <child link="rotor"/>
    <axis xyz="0.9 0.1 -0.2"/>
  </joint>
  <link name="rotor">
    <inertial>
      <origin xyz="0.05 0.01 0.02"/>
      <mass value="0.42"/>
      <inertia ixx="0.0009" ixy="0.0001" ixz="0" iyy="0.0011" iyz="0.0002" izz="0.0007"/>
    </inertial>
  </link>
  <joint name="flange_mount" type="fixed">
    <origin xyz="0.11 0.02 0.07" rpy="0.3 -0.8 0.5"/>
    <parent link="rotor"/>
    <child link="flange"/>
  </joint>
  <link name="flange"/>
</robot>
"""
Q = np.array([0.83, 0.27, -2.4])


def swapped(old, new, text=ARM):
    """The arm with one fragment changed."""
    assert text.count(old) == 1, f"{old!r} should be there once"
    return text.replace(old, new)


def wrote(folder, text, name="gantry.urdf"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def read(tmp_path):
    def read(text=ARM, **options):
        return ls.load(wrote(tmp_path, text), **options)

    return read


@pytest.fixture
def refused(tmp_path):
    """The message of a refusal, after checking that it begins with the place of `fragment` and has `words`."""

    def refused(text, fragment, *words, **options):
        path = wrote(tmp_path, text)
        line = 1 + text[: text.index(fragment)].count("\n")
        with pytest.raises(ls.ModelError) as caught:
            ls.load(path, **options)
        message = str(caught.value)
        assert message.startswith(f"{path}:{line}"), message
        assert not message[len(f"{path}:{line}")].isdigit(), message
        for word in words:
            assert word in message, message
        return message

    return refused


@pytest.fixture
def refused_inside(tmp_path):
    """The same, where the line may be any of those of the link or joint that `subject` names."""

    def refused_inside(text, subject, *words):
        path = wrote(tmp_path, text)
        tag, name = subject.replace("'", "").split()
        found = re.search(rf'<{tag} name="{name}".*?</{tag}>', text, re.DOTALL)
        first = 1 + text[: found.start()].count("\n")
        with pytest.raises(ls.ModelError) as caught:
            ls.load(path)
        message, line = str(caught.value), caught.value.line
        assert message.startswith(f"{path}:{line} "), message
        assert first <= line <= first + found.group().count("\n"), message
        for word in (subject, *words):
            assert word in message, message

    return refused_inside


def link(name, mass=0.7, inside=""):
    """A link with a body of some size; mass None leaves it without."""
    if mass is None:
        return f'<link name="{name}">{inside}</link>\n'
    tensor = '<inertia ixx="0.004" ixy="0.0003" ixz="0.0001" iyy="0.005" iyz="-0.0002" izz="0.0037"/>'
    body = f'<inertial><origin xyz="0.02 0.05 -0.03"/><mass value="{mass}"/>{tensor}</inertial>'
    return f'<link name="{name}">{body}{inside}</link>\n'


def joint(name, parent, child, kind="continuous", inside=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>\n'


def robot(*parts):
    return "<robot name='small'>\n" + "".join(parts) + "</robot>\n"


def turn(axis, angle):
    """Rotation about an axis, by the quaternion sandwich."""
    w, v = np.cos(angle / 2), np.sin(angle / 2) * np.asarray(axis, float) / np.linalg.norm(axis)
    return np.array([x + 2 * np.cross(v, np.cross(v, x) + w * x) for x in np.eye(3)]).T


def rpy(roll, pitch, yaw):
    return turn((0, 0, 1), yaw) @ turn((0, 1, 0), pitch) @ turn((1, 0, 0), roll)


def place(R=None, p=(0, 0, 0)):
    X = np.eye(4)
    X[:3, :3] = np.eye(3) if R is None else R
    X[:3, 3] = p
    return X


def close(a, b, tolerance=EXACT):
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


# ---- frames and bodies ---------------------------------------------------------------------------------------------


def gantry_by_hand(q):
    waist, lift, spin = q
    axis = np.array([-0.6, 0.2, 0.4])
    X_trunk = place(rpy(0.4, -0.7, 1.1), (0.12, -0.05, 0.31)) @ place(turn((0.3, -0.5, 1.7), waist))
    X_bracket = X_trunk @ place(rpy(1.2, 0.3, -2.2), (0.07, 0.02, 0.44))
    slide = place(p=lift * axis / np.linalg.norm(axis))
    X_sled = X_bracket @ place(rpy(-0.2, 0.5, 0.9), (0.02, -0.11, 0.06)) @ slide
    X_rotor = X_sled @ place(rpy(0.6, 1.3, -0.4), (0.19, 0.03, -0.08)) @ place(turn((0.9, 0.1, -0.2), spin))
    X_flange = X_rotor @ place(rpy(0.3, -0.8, 0.5), (0.11, 0.02, 0.07))
    return {"plinth": np.eye(4), "trunk": X_trunk, "bracket": X_bracket, "sled": X_sled,
            "rotor": X_rotor, "flange": X_flange}  # fmt: skip


@pytest.mark.parametrize("fixed", ["keep", "merge"])
def test_frames_are_urdfs_own(read, fixed):
    arm = read(fixed=fixed)
    assert arm.coordinates == ("waist", "lift", "spin")
    for word, X in gantry_by_hand(Q).items():
        close(ls.pose(arm, Q, word), X)


def test_links_fixed_to_others_are_kept_or_become_tools(read):
    kept, merged = read(), read(fixed="merge")
    assert [link.name for link in kept.links] == ["plinth", "trunk", "bracket", "sled", "rotor", "flange"]
    assert [link.name for link in merged.links] == ["plinth", "trunk", "sled", "rotor"]
    assert [tool.name for link in merged.links for tool in link.tools] == ["bracket", "flange"]
    with pytest.raises(ls.InputError, match="fixed is 'drop'"):
        read(fixed="drop")


def whole(arm, q):
    """Mass, centre of mass, and inertia about the world's origin of the whole arm."""
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for link, X in zip(arm.links, ls.poses(arm, q), strict=True):
        R, p = X[:3, :3], X[:3, :3] @ link.body.com + X[:3, 3]
        mass += link.body.mass
        first += link.body.mass * p
        second += R @ link.body.moment @ R.T + link.body.mass * (p @ p * np.eye(3) - np.outer(p, p))
    return mass, first / mass, second


def test_kept_and_merged_have_the_same_physics(read):
    kept, merged = whole(read(), Q), whole(read(fixed="merge"), Q)
    assert kept[0] == pytest.approx(7.25 + 3.4 + 0.85 + 1.7 + 0.42, rel=EXACT)
    for a, b in zip(kept, merged, strict=True):
        close(a, b)
    arms, qd, qdd = (read(), read(fixed="merge")), np.array([1.3, -0.4, 2.2]), np.array([-0.9, 1.6, 0.5])
    a, b = (ls.acceleration(arm, Q, qd, qdd, "flange", (0.02, 0.3, -0.1)) for arm in arms)
    close(a, b, 1e-13)  # entries of about 10


def test_inertia_is_turned_into_link_axes(read):
    trunk = read().link("trunk")
    R = rpy(-0.5, 0.9, 0.2)
    I = np.array([[0.031, -0.004, 0.0021], [-0.004, 0.028, 0.0013], [0.0021, 0.0013, 0.017]])
    assert trunk.mass == 3.4
    close(trunk.com, (0.03, 0.08, 0.21), 0)
    close(trunk.inertia, R @ I @ R.T)


def test_name_source_and_gravity(read):
    arm = read()
    assert arm.name == "gantry"
    assert "gantry.urdf" in arm.source
    assert arm.gravity.tolist() == [0.0, 0.0, -9.81]
    assert read(swapped(' name="gantry"', "")).name == "gantry"  # the file's
    assert read(swapped('"gantry"', '"  crane "')).name == "crane"


def test_order_of_links_and_joints_in_the_file_is_free(read):
    head, *parts = ARM.split("  <link")
    tail = parts.pop().replace("</robot>\n", "")
    backwards = head + "".join("  <link" + part for part in [tail, *reversed(parts)]) + "</robot>\n"
    assert backwards != ARM
    assert read(backwards) == read()


# ---- joints --------------------------------------------------------------------------------------------------------


def test_limits(read):
    waist, lift, spin = read().joints
    assert waist.limits == ls.Limits(position=(-2.1, 1.3), torque=87.5, velocity=2.175)
    assert lift.limits == ls.Limits(position=(-0.05, 0.45), torque=310.0, velocity=0.6)
    assert (lift.kind, spin.kind) == ("prismatic", "revolute")
    assert spin.limits == ls.Limits()


def test_a_continuous_joint_has_no_position_limits_even_if_given(read):
    limited = swapped('<axis xyz="0.9 0.1 -0.2"/>', '<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="5"/>')
    assert read(limited).joint("spin").limits == ls.Limits(torque=5.0)


@pytest.mark.parametrize("word", ["effort", "velocity"])
def test_zero_effort_or_velocity_is_not_given_and_noted(read, word):
    value = {"effort": "310", "velocity": "0.6"}[word]
    arm = read(swapped(f'{word}="{value}"', f'{word}="0.0"'))
    quantity = {"effort": "torque", "velocity": "velocity"}[word]
    assert getattr(arm.joint("lift").limits, quantity) is None
    assert f"joint 'lift': {word}=0 taken as not given." in arm.notes


@pytest.mark.parametrize("huge", ["1e16", "inf", "1.7976931348623157e308"])
def test_huge_limits_are_no_limits(read, huge):
    text = swapped(
        'lower="-0.05" upper="0.45" effort="310" velocity="0.6"',
        f'lower="-{huge}" upper="{huge}" effort="{huge}" velocity="{huge}"',
    )
    assert read(text).joint("lift").limits == ls.Limits()


def test_one_sided_limit(read):
    assert read(swapped('upper="0.45"', 'upper="1e12"')).joint("lift").limits.position == (-0.05, np.inf)


def test_dynamics_tag(read):
    arm = read()
    assert (arm.joint("waist").damping, arm.joint("waist").friction) == (0.37, 1.9)
    assert (arm.joint("lift").damping, arm.joint("lift").friction) == (0.0, 0.0)
    half = read(swapped('damping="0.37" friction="1.9"', 'friction="2.3"'))
    assert (half.joint("waist").damping, half.joint("waist").friction) == (0.0, 2.3)


def test_axis_defaults_to_x_and_is_made_unit(read):
    arm = read(swapped('<axis xyz="0.9 0.1 -0.2"/>', ""))
    assert arm.joint("spin").axis.tolist() == [1.0, 0.0, 0.0]
    close(arm.joint("waist").axis, np.array([0.3, -0.5, 1.7]) / np.sqrt(0.09 + 0.25 + 2.89), 1e-15)


# ---- mimic ---------------------------------------------------------------------------------------------------------


def mimic(leader, multiplier, offset):
    return f'<mimic joint="{leader}" multiplier="{multiplier}" offset="{offset}"/>'


def test_a_mimic_joint_follows(read):
    arm = read(swapped('<axis xyz="0.9 0.1 -0.2"/>', '<axis xyz="1 0 0"/>' + mimic("waist", -1.7, 0.25)))
    assert arm.coordinates == ("waist", "lift")
    assert arm.joint("spin").mimic == ls.Mimic("waist", -1.7, 0.25)
    close(arm.joint_positions([0.4, 0.1]), [0.4, 0.1, -1.7 * 0.4 + 0.25])
    batch = arm.joint_positions(np.full((2, 5, 2), 0.3))
    close(batch[..., 2], np.full((2, 5), -1.7 * 0.3 + 0.25))
    close(batch[..., :2], np.full((2, 5, 2), 0.3), 0)


def test_mimic_defaults(read):
    arm = read(swapped('<axis xyz="0.9 0.1 -0.2"/>', '<mimic joint="lift"/>'))
    assert arm.joint("spin").mimic == ls.Mimic("lift", 1.0, 0.0)


def test_follow_through_a_mimic_that_comes_first(read):
    """waist follows lift, lift follows spin: the leader's own leader counts, wherever it stands."""
    text = swapped('<axis xyz="0.3 -0.5 1.7"/>', '<axis xyz="0 0 1"/>' + mimic("lift", 2.5, 0.1))
    text = swapped('<axis xyz="-0.6 0.2 0.4"/>', '<axis xyz="0 1 0"/>' + mimic("spin", -0.4, 0.05), text)
    lift = -0.4 * 0.7 + 0.05
    close(read(text).joint_positions([0.7]), [2.5 * lift + 0.1, lift, 0.7])


def test_mimic_joints_may_be_free(read):
    text = swapped('<axis xyz="0.9 0.1 -0.2"/>', '<axis xyz="1 0 0"/>' + mimic("nobody", -1.7, 0.25))
    arm = read(text, mimic="free")
    assert (arm.dof, arm.joint("spin").mimic) == (3, None)
    assert "joint 'spin' is free: its <mimic> of 'nobody' ignored." in arm.notes


@pytest.mark.parametrize("leader", ["wais", "mount", "spin"])
def test_mimic_of_no_other_moving_joint(refused, leader):
    text = swapped('<axis xyz="0.9 0.1 -0.2"/>', mimic(leader, 1, 0))
    refused(text, '<joint name="spin"', "joint 'spin'", f"mimics '{leader}'")


# ---- joints of several coordinates ---------------------------------------------------------------------------------


def with_joint(kind, inside):
    origin = '<origin xyz="0.3 -0.2 0.5" rpy="0.7 -0.4 1.9"/>'
    return robot(link("world"), link("body"), joint("base", "world", "body", kind, origin + inside))


X_0 = place(rpy(0.7, -0.4, 1.9), (0.3, -0.2, 0.5))


def test_floating_joint_is_six_joints(read):
    arm = read(with_joint("floating", ""))
    assert arm.coordinates == tuple(f"base:{end}" for end in ("x", "y", "z", "yaw", "pitch", "roll"))
    assert any("floating joint 'base' became" in note for note in arm.notes)
    x, y, z, yaw, pitch, roll = q = (0.21, -0.34, 0.55, 2.3, -0.6, 1.2)
    close(ls.pose(arm, q, "body"), X_0 @ place(rpy(roll, pitch, yaw), (x, y, z)))
    assert arm.mass == pytest.approx(2 * 0.7)


def test_planar_joint_is_two_slides_and_a_turn(read):
    normal = np.array([0.4, -1.1, 0.8])
    arm = read(with_joint("planar", '<axis xyz="0.4 -1.1 0.8"/>'))
    assert arm.coordinates == ("base:u", "base:v", "base:turn")
    u, v, angle = 0.37, -0.52, 1.3
    moved = np.linalg.inv(X_0) @ ls.pose(arm, (u, v, angle), "body")
    close(moved[:3, :3], turn(normal, angle))
    unit = normal / np.linalg.norm(normal)
    e_u, e_v = ((np.linalg.inv(X_0) @ ls.pose(arm, q, "body"))[:3, 3] for q in ((1, 0, 0), (0, 1, 0)))
    close(np.column_stack([e_u, e_v, unit]).T @ np.column_stack([e_u, e_v, unit]), np.eye(3))
    close(np.cross(e_u, e_v), unit)
    close(moved[:3, 3], u * e_u + v * e_v)  # the turn moves nothing: it comes last


def test_planar_joint_about_z_slides_along_x_and_y(read):
    arm = read(with_joint("planar", '<axis xyz="0 0 1"/>'))
    close(ls.pose(arm, (0.3, -0.7, 0.9), "body"), X_0 @ place(turn((0, 0, 1), 0.9), (0.3, -0.7, 0)))


# ---- shapes --------------------------------------------------------------------------------------------------------


def test_shapes_are_read_and_meshes_never_opened(read, tmp_path):
    (tmp_path / "trap.stl").mkdir()  # opening it would fail
    inside = """
    <visual><origin xyz="0.1 0.2 0.3" rpy="0.3 0.1 -0.2"/><geometry>
      <mesh filename="package://nowhere/no such.dae" scale="0.001 -0.001 0.002"/></geometry></visual>
    <visual name="v"><geometry><mesh filename="trap.stl"/></geometry><material name="red"/></visual>
    <collision><geometry><box size="0.1 0.2 0.4"/></geometry></collision>
    <collision><geometry><cylinder radius="0.07" length="0.9"/></geometry></collision>
    <collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.03"/></geometry></collision>
    """
    shapes = read(robot(link("base", inside=inside))).link("base").shapes
    X = place(rpy(0.3, 0.1, -0.2), (0.1, 0.2, 0.3))
    assert [(s.kind, s.role) for s in shapes] == [("mesh", "visual")] * 2 + [
        ("box", "collision"), ("cylinder", "collision"), ("sphere", "collision")]  # fmt: skip
    assert [s.file for s in shapes] == ["package://nowhere/no such.dae", "trap.stl", "", "", ""]
    sizes = [[0.001, -0.001, 0.002], [1, 1, 1], [0.1, 0.2, 0.4], [0.07, 0.9], [0.03]]
    assert [s.size.tolist() for s in shapes] == sizes
    close(shapes[0].origin, X)
    close(shapes[4].origin, place(p=(0, 0, 0.5)), 0)


def test_colours_are_read_where_they_can_be(read):
    """Of the material in the shape, or of the one that the file names; a colour is never a reason to refuse a file."""
    ball = "<geometry><sphere radius='0.1'/></geometry>"
    inside = "".join(
        f"<visual>{ball}{material}</visual>"
        for material in (
            '<material name="red"/>', '<material name="own"><color rgba="0 0.5 1 0.3"/></material>',
            '<material name="unknown"/>', '<material name="bad"><color rgba="1 x 0 1"/></material>',
            '<material><texture filename="wood.png"/></material>', "")
    )  # fmt: skip
    named = '<material name="red"><color rgba="2 0.2 nan 1"/></material><material name="red2"/>'
    arm = read(robot(link("base", inside=inside), '<material name="red"><color rgba="1 0.2 0 1"/></material>'))
    assert [shape.colour for shape in arm.link("base").shapes] == ["#ff3300", "#0080ff", "", "", "", ""]
    assert not any("material" in note for note in arm.notes)
    assert read(robot(link("base", inside=inside), named)).link("base").shapes[0].colour == ""


def test_shapes_move_with_merged_links(read):
    inside = '<visual><origin xyz="0.1 0 0.2" rpy="0 0.4 0"/><geometry><sphere radius="0.1"/></geometry></visual>'
    arm = read(swapped('<link name="flange"/>', f'<link name="flange">{inside}</link>'), fixed="merge")
    (shape,) = arm.link("rotor").shapes
    X = place(rpy(0.3, -0.8, 0.5), (0.11, 0.02, 0.07)) @ place(rpy(0, 0.4, 0), (0.1, 0, 0.2))
    close(shape.origin, X)


# ---- what is not read ----------------------------------------------------------------------------------------------


def test_what_is_ignored_is_listed(read):
    extra = """  <link name="flange"/>
    <transmission name="t"><type>Simple</type></transmission>
    <gazebo reference="trunk"/><gazebo/>
    <material name="red"><color rgba="1 0 0 1"/></material>"""
    text = swapped('  <link name="flange"/>', extra)
    text = swapped('<axis xyz="0.9 0.1 -0.2"/>', '<safety_controller k_velocity="3"/>', text)
    text = swapped('<robot name="gantry">', '<robot name="gantry" xmlns:xacro="http://ros.org/wiki/xacro">', text)
    arm = read(text)
    assert arm.notes[-1] == (
        "ignored, because it is for other programs and does not change the model: 2 gazebo, 1 safety_controller, "
        "1 transmission, 1 xmlns:xacro."
    )
    assert not any("ignored" in note for note in read().notes)


def test_a_note_says_where_and_what_urdf_does_not_define(read):
    text = swapped('  <link name="flange"/>', '  <link name="flange"><origin xyz="0 0 1"/></link>')
    line = text[: text.index('<origin xyz="0 0 1"/>')].count("\n") + 1
    arm = read(text)
    expected = f"ignored, because URDF does not define it: <origin> in <link> (line {line}). It has no effect."
    assert arm.notes[-1] == expected
    assert arm.replace(notes=()) == read().replace(notes=(), source=arm.source)
    twice = swapped("<dynamics ", '<dynamics mu_coulomb="2" ', text)
    assert "attribute mu_coulomb of <dynamics> (line " in read(twice).notes[-1] + read(twice).notes[-2]


@pytest.mark.parametrize(
    ("old", "new", "word", "meant"),
    [
        ('<axis xyz="0.9 0.1 -0.2"/>', '<axiss xyz="0 0 1"/>', "axiss", "axis"),
        ("<dynamics", "<dynamic", "dynamic", "dynamics"),
        ('<limit lower="-0.05"', '<limits lower="-0.05"', "limits", "limit"),
        ('<origin xyz="0.11 0.02 0.07"', '<orgin xyz="0.11 0.02 0.07"', "orgin", "origin"),
        ('<mass value="3.4"', '<mas value="3.4"', "mas", "mass"),
        ('<link name="flange"/>', '<links name="flange"/>', "links", "link"),
        ('<link name="flange"/>', '<link name="flange"><colision/></link>', "colision", "collision"),
        ('<parent link="rotor"/>', '<parents link="rotor"/>', "parents", "parent"),
    ],
)
def test_misspelt_tags_are_refused_with_a_suggestion(refused, old, new, word, meant):
    refused(swapped(old, new), new, f"unknown {word!r}; did you mean {meant!r}?")


def test_axes_for_axis_is_refused(refused):
    """Passed over, it would leave the joint on its default axis."""
    refused(swapped('<axis xyz="0.9 0.1 -0.2"/>', '<axes xyz="0 0 1"/>'), "<axes", "unknown 'axes'", "'axis'")


@pytest.mark.parametrize(
    ("old", "word", "meant"),
    [
        ('effort="310"', "efort", "effort"),
        ('upper="0.45"', "uper", "upper"),
        ('velocity="0.6"', "velocty", "velocity"),
        ('damping="0.37"', "dampning", "damping"),
        ('value="3.4"', "vallue", "value"),
    ],
)
def test_misspelt_attributes_are_refused_with_a_suggestion(refused, old, word, meant):
    text = swapped(old, old.replace(meant, word))
    refused(text, f"{word}=", f"unknown {word!r}; did you mean {meant!r}?")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<link name="flange"/>', '<xacro:macro name="flange"/>'),
        ('<link name="flange"/>', '<link name="${prefix}flange"/>'),
        ('value="3.4"', 'value="${2 * m}"'),
        ('<link name="flange"/>', '<link name="flange"><visual><xacro:if value="1"/></visual></link>'),
    ],
)
def test_xacro_is_refused(refused, old, new):
    refused(swapped(old, new), new, "is xacro, not URDF", "run xacro on the file first")


# ---- XML -----------------------------------------------------------------------------------------------------------


def test_doctype_is_refused(refused):
    laughs = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    refused(swapped("<robot ", f"{laughs}\n<robot "), "<!DOCTYPE", "DOCTYPE", "Remove that line")


def test_xml_that_is_not_well_formed(refused):
    refused(swapped("</robot>", "</robo>"), "</robo>", "XML", "not well-formed (mismatched tag")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not well-formed"),
        (b"\x00\x01\xff", "not well-formed"),
        (b'<robot name="\xff"/>', "not well-formed"),
        (b'<?xml version="1.0" encoding="no-such"?><robot/>', "encoding"),
        (b'<robot name="a">&undefined;</robot>', "undefined entity"),
    ],
)
def test_bytes_that_are_no_xml(tmp_path, data, words):
    path = tmp_path / "arm.urdf"
    path.write_bytes(data)
    with pytest.raises(ls.ModelError, match=words) as caught:
        ls.load(path)
    assert str(caught.value).startswith(str(path))


def test_utf16_is_read(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(ARM.replace('version="1.0"', 'version="1.0" encoding="utf-16"').encode("utf-16"))
    assert ls.load(path).mass == pytest.approx(13.62)


def test_another_root_is_refused(refused):
    refused("<sdf version='1.6'/>", "<sdf", "root is <sdf>", "SDF is not read: convert it to URDF first")
    refused("<html/>", "<html", "root is <html>", "expected <robot>")


@pytest.mark.parametrize("depth", [101, 50_000])
def test_deep_nesting_is_refused(refused, depth):
    text = "<robot name='a'>\n" + "<a>" * depth + "</a>" * depth + "</robot>"
    refused(text, "<a>", "XML", "nested deeper than 100")


def test_files_beyond_the_cap_are_refused(tmp_path, monkeypatch):
    path = wrote(tmp_path, ARM)
    monkeypatch.setattr(files, "LARGEST_FILE", len(ARM.encode()))
    assert ls.load(path).dof == 3
    monkeypatch.setattr(files, "LARGEST_FILE", len(ARM.encode()) - 1)
    with pytest.raises(ls.ModelError, match="the largest size that is read") as caught:
        ls.load(path)
    assert str(path) in str(caught.value)


WORDS = [
    "",
    " ",
    "0",
    "-1",
    "1e400",
    "nan",
    "inf",
    "<",
    ">",
    '"',
    "&",
    "link",
    "joint",
    "name=",
    "\x00",
    "é",
    "${x}",
    "/>",
]


# the folder is the same for all examples on purpose: each overwrites the file of the one before
@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(WORDS)), min_size=1, max_size=4))
def test_a_damaged_file_is_read_or_refused_never_a_crash(tmp_path, damage):
    text = ARM
    for where, cut, word in damage:
        k = int(where * len(text))
        text = text[:k] + word + text[k + cut :]
    path = wrote(tmp_path, text)
    try:
        arm = ls.load(path)
    except ls.ModelError as error:
        assert_names_the_file(error, path)
    else:
        assert np.isfinite(ls.poses(arm, np.zeros(arm.dof))).all()


def assert_names_the_file(error, path):
    assert error.file == str(path)
    assert str(path) in str(error)


# ---- trees ---------------------------------------------------------------------------------------------------------


def test_no_links(refused):
    refused('\n<robot name="empty"/>', "<robot", "no links")


def test_several_roots(refused):
    message = refused(swapped("</robot>", link("stray") + "</robot>"), '<link name="stray"', "link 'stray'")
    assert "2 root links ('plinth', 'stray')" in message


def test_two_parents(refused):
    text = swapped("</robot>", joint("second", "plinth", "rotor") + "</robot>")
    refused(text, '<joint name="second"', "joint 'second'", "'rotor' is already the child of joint 'spin'")


def test_a_link_on_itself(refused):
    text = robot(link("base"), link("a"), joint("j", "base", "a"), link("b"), joint("k", "b", "b"))
    refused(text, '<joint name="k"', "joint 'k'", "cycle")


def test_a_cycle_of_three_is_named(refused):
    parts = [link(word) for word in ("base", "arm", "a", "b", "c")]
    ring = [joint("ab", "a", "b"), joint("bc", "b", "c"), joint("ca", "c", "a")]
    message = refused(robot(*parts, joint("good", "base", "arm"), *ring), '<joint name="ab"', "cycle")
    assert any(f"'{word}'" in message for word in ("ab", "bc", "ca", "a", "b", "c"))


def test_nothing_but_a_cycle(refused):
    text = robot(link("a"), link("b"), joint("ab", "a", "b"), joint("ba", "b", "a"))
    refused(text, '<joint name="ab"', "cycle")


@pytest.mark.parametrize("end", ["parent", "child"])
def test_missing_ends(refused, end):
    word = {"parent": "rotor", "child": "flange"}[end]
    text = swapped(f'    <{end} link="{word}"/>\n  ' if end == "child" else f'    <{end} link="{word}"/>\n', "")
    refused(text, '<joint name="flange_mount"', "joint 'flange_mount'", f"<joint> has no <{end}>")


@pytest.mark.parametrize(("end", "word"), [("parent", "rotor"), ("child", "flange")])
def test_ends_that_do_not_exist(refused, end, word):
    text = swapped(f'<{end} link="{word}"/>', f'<{end} link="{word}s"/>')
    refused(text, f'<{end} link="{word}s"', f"{end} '{word}s' does not exist", f"did you mean '{word}'?")


@pytest.mark.parametrize(("end", "word"), [("parent", "rotor"), ("child", "flange")])
def test_ends_that_do_not_exist_name_their_joint(refused, end, word):
    """A file may be one long line: the line number alone does not find the joint."""
    text = swapped(f'<{end} link="{word}"/>', f'<{end} link="{word}s"/>')
    refused(text, f'<{end} link="{word}s"', "joint 'flange_mount'")


def test_duplicate_names(refused):
    text = swapped("</robot>", '<link name="sled"/></robot>')
    first = 1 + text[: text.index('<link name="sled">')].count("\n")
    refused(text, '<link name="sled"/>', "link 'sled'", "used twice", f"first at line {first}")
    text = swapped('<joint name="spin"', '<joint name="lift"').replace(
        'name="lift" type="cont', 'name="lift"  type="cont'
    )
    refused(text, '<joint name="lift"  type', "joint 'lift'", "used twice")


@pytest.mark.parametrize(
    ("old", "new", "tag"),
    [('<link name="flange"/>', "<link/>", "link"), ('<joint name="mount" type', "<joint type", "joint")],
)
def test_nameless(refused, old, new, tag):
    refused(swapped(old, new), new, f"<{tag}> has no name=")


def test_a_joint_may_have_the_name_of_a_link(read):
    arm = read(robot(link("a"), link("b"), joint("a", "a", "b"), link("c"), joint("b", "b", "c")))
    assert arm.coordinates == ("a", "b")


# ---- joints that are refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_missing_limit(refused, kind):
    text = robot(link("a"), link("b"), joint("j", "a", "b", kind))
    refused(text, '<joint name="j"', "joint 'j'", f"a {kind} joint needs <limit", "continuous")


def test_reversed_limits(refused):
    text = swapped('lower="-0.05" upper="0.45"', 'lower="0.45" upper="-0.05"')
    refused(text, '<limit lower="0.45"', "joint 'lift'", "reversed", "0.45", "-0.05")


@pytest.mark.parametrize("word", ["effort", "velocity"])
def test_negative_limits(refused, word):
    value = {"effort": "310", "velocity": "0.6"}[word]
    text = swapped(f'{word}="{value}"', f'{word}="-{value}"')
    refused(text, f'{word}="-{value}"', "joint 'lift'", f"-{value}", "negative")


@pytest.mark.parametrize("word", ["damping", "friction"])
def test_negative_dynamics(refused, word):
    value = {"damping": "0.37", "friction": "1.9"}[word]
    text = swapped(f'{word}="{value}"', f'{word}="-{value}"')
    refused(text, '<joint name="waist"', "joint 'waist'", f"{word} is -{value}")


def test_unknown_joint_type(refused):
    text = swapped('name="lift" type="prismatic"', 'name="lift" type="prismatik"')
    refused(text, '<joint name="lift"', "joint 'lift'", "'prismatik'; did you mean 'prismatic'?")


@pytest.mark.parametrize("axis", ["0 0 0", "1e-300 0 0"])
def test_zero_axis(refused, axis):
    text = swapped('<axis xyz="-0.6 0.2 0.4"/>', f'<axis xyz="{axis}"/>')
    refused(text, f'<axis xyz="{axis}"', "joint 'lift'", "axis", "no direction")


def test_zero_axis_of_a_planar_joint(refused):
    refused(with_joint("planar", '<axis xyz="0 0 0"/>'), "<axis", "joint 'base'", "no direction")


# ---- numbers -------------------------------------------------------------------------------------------------------


NUMBERS = {
    'value="3.4"': "link 'trunk'",
    'ixy="-0.004"': "link 'trunk'",
    'xyz="0.03 0.08 0.21"': "link 'trunk'",
    'rpy="-0.2 0.5 0.9"': "joint 'lift'",
    'xyz="-0.6 0.2 0.4"': "joint 'lift'",
    'damping="0.37"': "joint 'waist'",
    'lower="-0.05"': "joint 'lift'",
}


@pytest.mark.parametrize("old", NUMBERS)
@pytest.mark.parametrize("bad", ["nan", "inf", "1e999", "NaN", "+Infinity"])
def test_numbers_that_are_not_finite(refused_inside, old, bad):
    """Only limits may be infinite, on their own side."""
    word, value = old.rstrip('"').split('="')
    entries = " ".join([*value.split()[:-1], bad])
    refused_inside(swapped(old, f'{word}="{entries}"'), NUMBERS[old], "finite")


NOT_THREE = ["", "0.1", "0.1 0.2 0.3 0.4", "0.1 0.2 x", "0.1,0.2,0.3", "0x1 0 0", "1_0 0 0", "naninity 0 0"]


@pytest.mark.parametrize("bad", NOT_THREE)
def test_things_that_are_not_three_numbers(refused, bad):
    text = swapped('xyz="0.02 -0.11 0.06"', f'xyz="{bad}"')
    refused(text, f'<origin xyz="{bad}"', "joint 'lift'", "expected 3 numbers", repr(bad))


@pytest.mark.parametrize("bad", ["", "1 2", "two", "1.5kg"])
def test_things_that_are_not_one_number(refused, bad):
    text = swapped('value="3.4"', f'value="{bad}"')
    refused(text, f'<mass value="{bad}"', "link 'trunk'", "expected a number", repr(bad))


def test_numbers_may_be_written_in_all_usual_ways(read):
    arm = read(swapped('xyz="0.02 -0.11 0.06"', 'xyz="  +2.E-2\t-.11\n  6e-2 "'))
    close(arm.joint("lift").placement[:3, 3], (0.02, -0.11, 0.06), 0)


@pytest.mark.parametrize(
    ("old", "new", "subject", "words"),
    [
        ('<mass value="3.4"/>', "", "link 'trunk'", "<inertial> has no <mass>"),
        ('<mass value="3.4"/>', '<mass value="3.4"/><mass value="3.5"/>', "link 'trunk'", "2 <mass>"),
        ('ixy="-0.004"', "", "link 'trunk'", "has no ixy="),
        ('<mass value="3.4"/>', '<mass value="-3.4"/>', "link 'trunk'", "mass is -3.4"),
    ],
)
def test_inertials_that_are_incomplete_or_doubled(refused_inside, old, new, subject, words):
    refused_inside(swapped(old, new), subject, words)


# ---- inertia -------------------------------------------------------------------------------------------------------


TRUNK_TENSOR = '<inertia ixx="0.031" ixy="-0.004" ixz="0.0021" iyy="0.028" iyz="0.0013" izz="0.017"/>'


def tensor(ixx, iyy, izz, ixy=0.0):
    return f'<inertia ixx="{ixx}" ixy="{ixy}" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/>'


def test_inertia_against_the_triangle_inequality(refused):
    bad = tensor(0.0137, 0.0241, 0.0893)
    refused(swapped(TRUNK_TENSOR, bad), bad, "link 'trunk'", "not physical", "0.0137", "0.0241", "0.0893")


def test_inertia_with_a_negative_moment(refused):
    bad = tensor(0.02, 0.03, 0.04, ixy=0.05)
    low = np.linalg.eigvalsh([[0.02, 0.05, 0], [0.05, 0.03, 0], [0, 0, 0.04]])[0]
    refused(swapped(TRUNK_TENSOR, bad), bad, "link 'trunk'", "not physical", f"{low:.6g} is negative")


def test_a_refused_inertia_tells_of_repair(refused):
    bad = tensor(0.0137, 0.0241, 0.0893)
    refused(swapped(TRUNK_TENSOR, bad), bad, "link 'trunk'", "repair=True")


def test_repair_makes_the_nearest_body(read):
    arm = read(swapped(TRUNK_TENSOR, tensor(0.0137, 0.0241, 0.0893)), repair=True)
    # second moments of mass (0.04985, 0.03945, -0.02575) with the negative one set to zero
    expected = np.diag([0.03945, 0.04985, 0.04985 + 0.03945])
    R = rpy(-0.5, 0.9, 0.2)
    close(arm.link("trunk").inertia, R @ expected @ R.T)
    assert (arm.link("trunk").mass, arm.link("trunk").com.tolist()) == (3.4, [0.03, 0.08, 0.21])
    (note,) = (note for note in arm.notes if "repaired" in note)
    assert "link 'trunk'" in note
    for value in ("0.0137", "0.0241", "0.0893", "0.03945", "0.04985"):
        assert value in note


def test_repair_leaves_good_inertias_alone(read):
    assert read(repair=True) == read()
    assert not any("repaired" in note for note in read(repair=True).notes)


def test_tensors_rounded_by_cad_are_accepted(read):
    arm = read(swapped(TRUNK_TENSOR, tensor(0.01, 0.02, 0.03000001)))
    assert np.trace(arm.link("trunk").inertia) == pytest.approx(0.06000001, rel=EXACT)


def test_a_moving_leaf_without_mass_is_refused(refused, read):
    text = robot(link("base"), link("arm"), joint("j", "base", "arm"), link("tip", None), joint("k", "arm", "tip"))
    refused(text, '<link name="tip"', "link 'tip'", "joint 'k' moves no inertia", "kinematics_only=True")
    arm = read(text, kinematics_only=True)
    assert (arm.dof, arm.kinematics_only) == (2, True)


def test_a_link_without_mass_may_carry_a_heavy_one(read):
    arm = read(robot(link("base", None), link("hub", None), joint("a", "base", "hub"), link("arm"),
                     joint("b", "hub", "arm", inside='<axis xyz="0 1 0"/>')))  # fmt: skip
    assert (arm.dof, arm.mass) == (2, 0.7)


# ---- long chains ---------------------------------------------------------------------------------------------------


def chain(count):
    parts = [link("l0")]
    for k in range(1, count):
        inside = '<origin xyz="0.03 0.01 0.02" rpy="0.1 0 0.2"/><axis xyz="0 0.6 0.8"/>'
        parts += [link(f"l{k}", 0.1), joint(f"j{k}", f"l{k - 1}", f"l{k}", inside=inside)]
    return robot(*parts)


@pytest.mark.slow
def test_5000_links_in_series(read):
    arm = read(chain(5000))
    assert (len(arm.links), arm.dof) == (5000, 4999)
    assert arm.mass == pytest.approx(0.7 + 4999 * 0.1)
    assert arm.links[-1].parent == "l4998"


@pytest.mark.slow
def test_time_grows_with_the_number_of_links(tmp_path):
    def seconds(count):
        path = wrote(tmp_path, chain(count))
        start = time.process_time()
        ls.load(path)
        return time.process_time() - start

    seconds(10)  # warm up
    few = min(seconds(400) for _ in range(3))
    # 4 times the links; something quadratic would take 16 times as long
    assert seconds(1600) < 10 * few


# ---- out -----------------------------------------------------------------------------------------------------------


def panda_like():
    """Seven joints at quarter turns, a fixed hand, two fingers of which one follows the other."""
    steps = [(0, 0, 0.333, 0), (0, 0, 0, -1), (0, -0.316, 0, 1), (0.0825, 0, 0, 1), (-0.0825, 0.384, 0, -1),
             (0, 0, 0, 1), (0.088, 0, 0, 1)]  # fmt: skip
    mesh = '<visual><origin xyz="0.01 0 0.02" rpy="0.3 0 1"/><geometry><mesh filename="package://p/{}.dae"/></geometry></visual>'
    parts, above = [link("link0", 2.9, mesh.format("link0"))], "link0"
    for k, (x, y, z, quarter) in enumerate(steps, 1):
        origin = f'<origin xyz="{x} {y} {z}" rpy="{quarter * np.pi / 2!r} 0 0"/><axis xyz="0 0 1"/>'
        limit = (
            f'<limit lower="{-2.9 + 0.1 * k}" upper="{2.7 - 0.3 * k}" effort="{87 - k}" velocity="{2.2 + 0.1 * k}"/>'
        )
        dynamics = f'<dynamics damping="{0.003 * k}" friction="{0.2 * k}"/>'
        parts += [link(f"link{k}", 3.1 - 0.3 * k, mesh.format(f"link{k}")),
                  joint(f"joint{k}", above, f"link{k}", "revolute", origin + limit + dynamics)]  # fmt: skip
        above = f"link{k}"
    box = '<collision><origin xyz="0 0.01 0.03"/><geometry><box size="0.04 0.2 0.06"/></geometry></collision>'
    origin = f'<origin xyz="0 0 0.107" rpy="0 0 {-np.pi / 4!r}"/>'
    parts += [link("hand", 0.73, box), joint("hand_joint", "link7", "hand", "fixed", origin)]
    for word, way, follows in (("left", 1, ""), ("right", -1, mimic("left_slide", 1.0, 0.0))):
        inside = f'<origin xyz="0 0 0.0584"/><axis xyz="0 {way} 0"/>'
        inside += '<limit lower="0" upper="0.04" effort="20" velocity="0.2"/>' + follows
        parts += [link(word, 0.015), joint(f"{word}_slide", "hand", word, "prismatic", inside)]
    return robot(*parts)


@pytest.fixture(params=["panda_like", "puma560", "tree_demo", "gantry"])
def there_and_back(request, tmp_path):
    """An arm, and the same after writing and reading."""
    texts = {"panda_like": panda_like, "gantry": lambda: ARM}
    name = request.param
    arm = ls.load(wrote(tmp_path, texts[name](), f"{name}.urdf") if name in texts else name)
    ls.save(arm, tmp_path / "back.urdf", lossy=name in ("puma560", "tree_demo"))
    return arm, ls.load(tmp_path / "back.urdf")


def same_positions(arm, back, seed):
    """Random positions for both; reading may list the branches of a tree in another order."""
    q = np.random.default_rng(seed).uniform(-2.5, 2.5, (3, arm.dof))
    assert sorted(arm.coordinates) == sorted(back.coordinates)
    return q, q[:, [arm.coordinates.index(word) for word in back.coordinates]]


def test_round_trip_of_frames(there_and_back):
    arm, back = there_and_back
    q, q_back = same_positions(arm, back, 7)
    for word, frame in arm.frames.items():
        # URDF has no frame apart from the joint's; a tool is a link of its own
        own = arm.links[frame.link].frame if word in {link.name for link in arm.links} else np.eye(4)
        close(ls.pose(back, q_back, word) @ own, ls.pose(arm, q, word), ROUND_TRIP)


def test_round_trip_of_bodies(there_and_back):
    arm, back = there_and_back
    for link in arm.links:
        ours, theirs = link.body.in_frame(link.frame), back.link(link.name).body
        assert theirs.mass == pytest.approx(ours.mass, rel=ROUND_TRIP)
        close(theirs.com, ours.com, ROUND_TRIP)
        close(theirs.moment, ours.moment, ROUND_TRIP * np.abs(ours.moment).max())
    assert back.mass == pytest.approx(arm.mass, rel=ROUND_TRIP)
    q, q_back = same_positions(arm, back, 8)
    close(whole(back, q_back[0])[1], whole(arm, q[0])[1], ROUND_TRIP)


def test_round_trip_of_joints(there_and_back):
    arm, back = there_and_back
    for joint in arm.moving_joints:
        same = back.joint(joint.name)
        assert (same.kind, same.damping, same.friction) == (joint.kind, joint.damping, joint.friction)
        assert (same.limits, same.mimic) == (joint.limits, joint.mimic)
        close(same.axis, joint.axis, 1e-15)


def test_round_trip_of_shapes(there_and_back):
    arm, back = there_and_back
    for link in arm.links:
        again = back.link(link.name).shapes
        assert [(s.kind, s.file, s.role, s.size.tolist()) for s in again] == [
            (s.kind, s.file, s.role, s.size.tolist()) for s in link.shapes
        ]
        for shape, same in zip(link.shapes, again, strict=True):
            close(same.origin, link.frame @ shape.origin, ROUND_TRIP)


def test_pinocchio_accepts_what_is_written(there_and_back, tmp_path):
    arm, _ = there_and_back
    model = pin.buildModelFromUrdf(str(tmp_path / "back.urdf"))
    assert set(model.names[1:]) == {joint.name for joint in arm.moving_joints}
    assert sum(body.mass for body in model.inertias) == pytest.approx(arm.mass, rel=ROUND_TRIP)
    q, data, full = np.linspace(-0.8, 1.1, arm.dof), model.createData(), pin.neutral(model)
    for joint, value in zip(arm.moving_joints, arm.joint_positions(q), strict=True):
        theirs = model.joints[model.getJointId(joint.name)]
        full[theirs.idx_q : theirs.idx_q + theirs.nq] = value if theirs.nq == 1 else (np.cos(value), np.sin(value))
    pin.framesForwardKinematics(model, data, full)
    for link in arm.links:
        X = data.oMf[model.getFrameId(link.name, pin.FrameType.BODY)].homogeneous
        close(X @ link.frame, ls.pose(arm, q, link.name), ROUND_TRIP)


def test_written_twice_is_written_alike(there_and_back, tmp_path):
    _, back = there_and_back
    ls.save(back, tmp_path / "again.urdf")
    assert ls.load(tmp_path / "again.urdf").coordinates == back.coordinates
    q = np.full(back.dof, 0.3)
    close(ls.poses(ls.load(tmp_path / "again.urdf"), q), ls.poses(back, q), ROUND_TRIP)


@pytest.mark.parametrize("off", [0.0, 1e-10, 1e-8, 1e-5, 1e-2])
@pytest.mark.parametrize("sign", [1, -1])
def test_angles_near_a_pitch_of_90_degrees_keep_their_digits(tmp_path, off, sign):
    """Roll and yaw are nearly one angle there; errors in them must cancel in the rotation."""
    B = rpy(0.5, 1.1, -0.3)
    R = B @ (B.T @ rpy(0.7, sign * (np.pi / 2 - off), -1.9))  # as other products: rounded to 1e-16 in every entry
    arm = ls.Arm(
        "one", [ls.Link("rod", joint=ls.Joint(placement=place(R, (0.1, 0.2, 0.3))), mass=1.3, inertia=(1, 1, 1))]
    )
    ls.save(arm, tmp_path / "one.urdf")
    close(ls.load(tmp_path / "one.urdf").joint("rod").placement, arm.joint("rod").placement, ROUND_TRIP)


def test_names_with_marks_survive(tmp_path):
    words = ["a<b>&\"c'", "größe/µ", "x y", "base", "base_", "]]>"]
    links = [ls.Link(w, None if k == 0 else words[k - 1], mass=1.1, inertia=(1, 1, 1)) for k, w in enumerate(words)]
    arm = ls.Arm('the "<arm>"', links)
    ls.save(arm, tmp_path / "marks.urdf")
    back = ls.load(tmp_path / "marks.urdf")
    assert (back.name, back.coordinates) == (arm.name, arm.coordinates)


def test_one_sided_and_missing_limits_survive(tmp_path):
    limits = [ls.Limits(position=(None, 1.7)), ls.Limits(position=(-0.3, None), torque=3.5), ls.Limits(velocity=0.2)]
    links = [
        ls.Link(f"{kind}{k}", joint=ls.Joint(kind, limits=limit), mass=1.0, inertia=(1, 1, 1))
        for kind in ("revolute", "prismatic")
        for k, limit in enumerate(limits)
    ]
    arm = ls.Arm("limited", links)
    ls.save(arm, tmp_path / "limited.urdf")
    assert [joint.limits for joint in ls.load(tmp_path / "limited.urdf").joints] == [j.limits for j in arm.joints]


def plain(**joint):
    body = {"mass": 1.2, "com": (0.1, 0.3, 0.2), "inertia": (0.03, 0.04, 0.05)}
    return ls.Arm("plain", [ls.Link("rod", joint=ls.Joint(**joint), **body), ls.Link("end", "rod", **body)])


UNSAYABLE = {
    "gravity": plain().with_gravity((0.0, 1.3, -9.7)),
    "loop closures": plain().replace(loops=[ls.Loop((None, (0.1, 0, 0)), ("end", (0, 0.2, 0)))]),
    "standing loads": plain().replace(loads=[ls.Load("end", force=(0, 0, -3.0))]),
    "drive inertia": plain(armature=0.3),
    "drive inertia (": plain(gear_ratio=50.0),
    "springs": plain(stiffness=3.0),
    "passive joints": plain(actuated=False),
    "limits beyond": plain(limits=ls.Limits(acceleration=3.0)),
    "limits beyond position": plain(limits=ls.Limits(torque=(-2.0, 3.0))),
    "limits beyond position, speed": plain(limits=ls.Limits(velocity=0.0)),
}


@pytest.mark.parametrize("what", UNSAYABLE)
def test_what_urdf_cannot_say_is_refused_or_dropped(tmp_path, what):
    arm, path = UNSAYABLE[what], tmp_path / "out.urdf"
    path.write_text("precious")
    with pytest.raises(ls.UnsupportedError, match=r"URDF cannot represent.*lossy=True") as caught:
        ls.save(arm, path)
    assert what in str(caught.value)
    assert path.read_text() == "precious"
    ls.save(arm, path, lossy=True)
    close(ls.poses(ls.load(path), (0.4, 0.7))[1:], ls.poses(arm, (0.4, 0.7)), ROUND_TRIP)
    assert [p.name for p in tmp_path.iterdir()] == ["out.urdf"]  # nothing left beside it


@pytest.mark.parametrize("lossy", [False, True])
def test_flexible_arms_are_always_refused(tmp_path, lossy):
    with pytest.raises(ls.UnsupportedError, match=r"no flexible links \(link1, link2\)"):
        ls.save(ls.load("two_link_flexible"), tmp_path / "out.urdf", lossy=lossy)
    elastic = plain(armature=0.2, elastic=ls.JointElasticity(stiffness=900.0))
    with pytest.raises(ls.UnsupportedError, match=r"no elastic joints \(rod\)"):
        ls.save(elastic, tmp_path / "out.urdf", lossy=lossy)
    assert list(tmp_path.iterdir()) == []


def test_colours_and_the_base_are_written(tmp_path):
    drawn = ls.LinkShape("sphere", (0.1,), role="drawing", colour="#12abef")
    base = ls.LinkShape("box", (0.3, 0.2, 0.1), place(p=(0, 0, -0.1)), role="drawing", colour="#010203")
    ls.save(plain().with_link("end", shapes=(drawn,)).replace(shapes=(base,)), tmp_path / "out.urdf")
    back = ls.load(tmp_path / "out.urdf")
    assert [(s.role, s.colour) for s in back.link("end").shapes] == [("drawing", "#12abef")]
    assert [(s.role, s.colour, s.origin[2, 3]) for s in back.link("base").shapes] == [("drawing", "#010203", -0.1)]


def test_payload_tool_and_shape_of_a_link_with_a_frame_of_its_own(tmp_path):
    """URDF has no such frame: everything is moved into the joint's."""
    frame, tool = place(rpy(-0.7, 0.4, 1.5), (0.2, 0.1, -0.3)), place(rpy(0.2, 1.1, -0.6), (0.03, -0.2, 0.4))
    box = ls.LinkShape("box", (0.1, 0.2, 0.3), place(rpy(0.9, 0, 0.3), (0.05, 0, 0.2)))
    payload = ls.Payload(0.8, (0.2, 0.1, 0.4), (0.01, 0.02, 0.015))
    arm = plain().with_link("end", frame=frame, tools={"grip": tool}, shapes=(box,), payload=payload)
    ls.save(arm, tmp_path / "out.urdf")
    back = ls.load(tmp_path / "out.urdf")
    end, q = back.link("end"), (0.3, -0.9)
    close(ls.pose(back, q, "grip"), ls.pose(arm, q, "grip"), ROUND_TRIP)
    close(ls.pose(back, q, "end") @ end.shapes[0].origin, ls.pose(arm, q, "end") @ box.origin, ROUND_TRIP)
    com = (1.2 * np.array([0.1, 0.3, 0.2]) + 0.8 * np.array([0.2, 0.1, 0.4])) / 2.0
    close(end.com, frame[:3, :3] @ com + frame[:3, 3], ROUND_TRIP)
    assert end.mass == pytest.approx(2.0, rel=ROUND_TRIP)
    for ours, theirs in zip(whole(arm, q), whole(back, q), strict=True):
        close(ours, theirs, ROUND_TRIP)


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(ls.ModelError, match="cannot be written"):
        ls.save(plain(), tmp_path / "no" / "such" / "folder.urdf")
    assert not Path(tmp_path / "no").exists()
