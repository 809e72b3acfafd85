"""Faults of a file are told all at once, with their lines; files that are no robots say what they are."""

import itertools
import re

import pytest

import lissom as ls

LINK = """<link name="{name}">
  <inertial><mass value="1"/><inertia ixx="{x}" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link>
"""
JOINT = """<joint name="{child}_joint" type="{kind}"><parent link="{parent}"/><child link="{child}"/></joint>
"""


def robot(*parts: str) -> str:
    return '<robot name="r">\n' + "".join(parts) + "</robot>\n"


@pytest.fixture
def refusal(tmp_path):
    """The message of a file that is refused."""

    def refusal(text: str, name: str = "r.urdf", **options: object) -> str:
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(ls.ModelError) as caught:
            ls.load(path, **options)
        return str(caught.value).replace(str(path), name)

    return refusal


def test_faults_of_links_and_joints_are_told_together(refusal):
    message = refusal(robot(
        LINK.format(name="a", x=3), LINK.format(name="b", x=1), JOINT.format(child="b", parent="a", kind="hinge"),
        LINK.format(name="c", x="wide"), JOINT.format(child="c", parent="b", kind="revolute"),
    ))  # fmt: skip
    lines = message.splitlines()
    assert [line.split(":")[1].split(" ")[0] for line in lines[:4]] == ["3", "8", "10", "12"]
    for line, words in zip(lines, ("link 'a': inertia is not physical", "joint 'b_joint': type is 'hinge'",
                                   "link 'c': <inertia ixx='wide'>", "joint 'c_joint': a revolute joint needs"),
                           strict=False):  # fmt: skip
        assert words in line
    assert lines[4].startswith("To let lissom repair such tensors, load with repair=True")
    assert message.count("repair=True") == 1


def test_a_broken_tree_is_told_with_the_bodies_and_nothing_that_only_follows(refusal):
    message = refusal(robot(
        LINK.format(name="a", x=1), LINK.format(name="b", x=9), JOINT.format(child="bb", parent="a", kind="continuous"),
        JOINT.format(child="b", parent="aa", kind="continuous"),
    ))  # fmt: skip
    assert len(message.splitlines()) == 4  # two joints, a body, the advice
    assert "child 'bb' does not exist; did you mean 'b'?" in message
    assert "parent 'aa' does not exist; did you mean 'a'?" in message
    assert "root links" not in message


def test_many_faults_are_counted(refusal):
    names = [f"l{k}" for k in range(15)]
    joints = [JOINT.format(child=c, parent=p, kind="continuous") for p, c in itertools.pairwise(names)]
    message = refusal(robot(*(LINK.format(name=name, x=5) for name in names), *joints))
    assert message.count("is not physical") == 10
    assert "\nand 5 more faults.\n" in message


def test_misspelt_words_are_told_together(refusal):
    text = robot(LINK.format(name="a", x=1)).replace("<mass value", "<mas value").replace("ixx=", "ixxx=")
    assert re.findall(r"unknown '(\w+)'", refusal(text)) == ["mas", "ixxx"]


def test_faults_of_native_links_are_told_together(refusal):
    text = ('name = "r"\n[[links]]\nname = "a"\nmass = -1\n[[links]]\nname = "b"\nmas = 1.0\n'
            '[[links]]\nname = "c"\nmass = 1.0\n')  # fmt: skip
    lines = refusal(text, "r.toml").splitlines()
    assert lines == [
        "r.toml:4 link 'a': mass is -1; expected at least 0. Check its sign.",
        "r.toml:7 link 'b': mas is not a key of a link; did you mean 'mass'?",
    ]


def test_faults_of_dh_rows_are_told_together(refusal):
    text = ('name = "r"\n[dh]\nconvention = "standard"\n[[dh.rows]]\nname = "a"\nmass = -1\n'
            '[[dh.rows]]\nname = "b"\nmas = 1.0\n')  # fmt: skip
    lines = refusal(text, "r.toml").splitlines()
    assert [line.split(":")[1][0] for line in lines] == ["6", "9"]


def test_joints_that_move_nothing_are_named_together(refusal):
    light = [f'<link name="{name}"/>\n' for name in "bcd"]
    joints = [JOINT.format(child=c, parent=p, kind="continuous") for p, c in zip("abc", "bcd", strict=True)]
    message = refusal(robot(LINK.format(name="a", x=1), *light, *joints))
    assert "its joint 'd_joint' moves no inertia" in message
    assert message.endswith("The same holds for 2 more joints: 'c_joint', 'b_joint'.")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cassie.sdf", "SDF is not read: convert it to URDF first"),
        ("arm.urdf.xacro", "xacro is not read: run xacro on the file first"),
        ("arm.srdf", "SRDF names groups and poses of a robot but does not describe it"),
        ("arm.usda", "USD is not read"),
        ("hand.STL", "it is a mesh, not a robot"),
        ("arm.step", "its ending is not one of .toml, .urdf, .xml, .mjcf"),
    ],
)
def test_other_formats_say_what_to_do(name, words):
    with pytest.raises(ls.ModelError, match=re.escape(f"{name}: {words}")):
        ls.load(name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot/>", "it has no links: <robot> contains nothing."),
        ("<robot><material/><gazebo/><material/></robot>", "<robot> contains only <gazebo>, <material>."),
        ('<robot xmlns:xacro="http://wiki.ros.org/xacro"/>', "It was made by xacro, perhaps from a file that only"),
        ("<mujoco/>", "the root is <mujoco>; it is MJCF: give it the ending .xml"),
    ],
)
def test_a_urdf_without_links_says_what_it_contains(refusal, text, words):
    assert words in refusal(text)


def test_an_xml_of_another_kind_says_what_it_is(refusal):
    assert "SDF is not read" in refusal("<sdf/>", "r.xml")
    assert "load the file that includes it" in refusal("<mujocoinclude/>", "r.xml")


def test_moments_that_rounding_leaves_are_zero(refusal):
    equal = " ".join(f'{word}="1e-6"' for word in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    text = re.sub("ixx=.* izz=.1.", equal, robot(LINK.format(name="a", x=1)))
    assert "principal moments 0 + 0 < 3e-06" in refusal(text)
