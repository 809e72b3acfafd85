"""The native file by hand: every key, every shorthand, and what it says about mistakes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom as ls

# Angles given in degrees, as quaternions or as matrices meet within a rounding or two.
ROUNDING = 4e-16

ROD = "mass = 1.3\ncom = [0.31, 0.0, 0.02]\ninertia = [0.01, 0.12, 0.11]\n"


def read(folder: Path, text: str | bytes) -> ls.Arm:
    path = folder / "arm.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return ls.load(path)


def refusal(folder: Path, text: str | bytes) -> ls.ModelError:
    with pytest.raises(ls.ModelError) as caught:
        read(folder, text)
    assert str(caught.value).startswith(str(folder / "arm.toml"))
    return caught.value


def one_link(link: str = "", joint: str = "", rest: str = "", top: str = "") -> str:
    """A file with one link, into which a test puts its lines."""
    tables = f"[links.joint]\n{joint}\n" if joint else ""
    return f'name = "small"\n{top}\n[[links]]\nname = "rod"\n{ROD}{link}\n{tables}{rest}'


def marked(text: str) -> int:
    """The number of the line that ends in ``# here``."""
    return 1 + next(n for n, line in enumerate(text.split("\n")) if line.endswith("# here"))


def nearby(text: str) -> tuple[int, int]:
    """Where a mistake may be said to be: its own line, or the header of the table it stands in."""
    own = marked(text)
    headers = [n + 1 for n, line in enumerate(text.split("\n")[:own]) if line.startswith("[")]
    return own, max(headers, default=own)


# ---- every key -----------------------------------------------------------------------------------------------------


def test_smallest_file_has_the_documented_defaults(tmp_path: Path) -> None:
    arm = read(tmp_path, 'name = "small"\n[[links]]\nname = "rod"\nmass = 0.7\ninertia = 0.02\n')
    link = arm.links[0]
    assert arm.gravity.tolist() == [0.0, 0.0, -9.81]
    assert (arm.flexibility, arm.kinematics_only, arm.source, arm.notes) == ("second_order", False, "", ())
    assert (link.parent, link.joint.name, link.joint.kind) == (None, "rod", "revolute")
    assert link.joint.axis.tolist() == [0.0, 0.0, 1.0]
    assert link.joint == ls.Joint(name="rod")
    assert np.array_equal(link.frame, np.eye(4))


def test_keys_of_the_file(tmp_path: Path) -> None:
    head = 'lissom = 1\nsource = "bench 3"\nnotes = ["a", "b"]\ngravity = [0.1, 0.0, -1.62]\nflexibility = "book"\n'
    arm = read(tmp_path, one_link(top=head + "kinematics_only = true"))
    assert (arm.source, arm.notes, arm.flexibility, arm.kinematics_only) == ("bench 3", ("a", "b"), "book", True)
    assert arm.gravity.tolist() == [0.1, 0.0, -1.62]


def test_keys_of_a_link(tmp_path: Path) -> None:
    text = one_link(
        link="frame = { xyz = [0.1, 0.2, 0.3] }\n"
        "payload = { mass = 0.4, com = [0.0, 0.1, 0.0], inertia = [1e-3, 2e-3, 2e-3] }",
        rest="""\
[[links.tools]]
name = "grip"
placement = { xyz = [0.0, 0.0, 0.11] }
[[links.tools]]
name = "eye"
[[links.shapes]]
kind = "mesh"
file = "package://rod.stl"
size = [0.001, 0.001, 0.002]
origin = { xyz = [0.5, 0.0, 0.0] }
role = "collision"
[[links.shapes]]
kind = "sphere"
size = [0.07]
""",
    )
    link = read(tmp_path, text).links[0]
    assert link.frame[:3, 3].tolist() == [0.1, 0.2, 0.3]
    assert link.payload == ls.Payload(0.4, (0, 0.1, 0), (1e-3, 2e-3, 2e-3))
    assert [tool.name for tool in link.tools] == ["grip", "eye"]
    assert link.tools[0].placement[2, 3] == 0.11
    assert np.array_equal(link.tools[1].placement, np.eye(4))
    mesh, ball = link.shapes
    assert (mesh.kind, mesh.file, mesh.role, mesh.size.tolist()) == (
        "mesh",
        "package://rod.stl",
        "collision",
        [0.001, 0.001, 0.002],
    )
    assert mesh.origin[0, 3] == 0.5
    assert (ball.kind, ball.role, ball.size.tolist()) == ("sphere", "visual", [0.07])


def test_keys_of_a_joint(tmp_path: Path) -> None:
    joint = """\
type = "prismatic"
name = "slide"
placement = { xyz = [0.0, 0.0, 0.9] }
axis = [0.0, 3.0, 4.0]
armature = 0.2
rotor_inertia = 3e-5
gear_ratio = -81.0
damping = 1.1
friction = 0.3
stiffness = 40.0
rest = -0.05
actuated = false
elastic = { stiffness = 5e4, damping = 12.0 }
[links.joint.limits]
position = [-0.2, 0.7]
velocity = 1.5
acceleration = 9.0
jerk = 70.0
torque = [-80.0, inf]
torque_rate = 900.0
power = 55.0
"""
    got = read(tmp_path, one_link(joint=joint)).joints[0]
    limits = ls.Limits((-0.2, 0.7), 1.5, 9.0, 70.0, (-80.0, None), 900.0, 55.0)
    placement = np.eye(4)
    placement[2, 3] = 0.9
    assert got == ls.Joint(
        "prismatic",
        placement,
        (0, 0.6, 0.8),
        "slide",
        armature=0.2,
        gear_ratio=-81.0,
        rotor_inertia=3e-5,
        damping=1.1,
        friction=0.3,
        stiffness=40.0,
        rest=-0.05,
        actuated=False,
        limits=limits,
        elastic=ls.JointElasticity(5e4, 12.0),
    )
    assert got.reflected_inertia == pytest.approx(0.2 + 81.0**2 * 3e-5, rel=1e-15)


def test_parents_and_mimics(tmp_path: Path) -> None:
    mimic = 'mimic = { joint = "rod", multiplier = -0.5, offset = 0.1 }'
    second = f'[[links]]\nname = "tip"\nparent = "rod"\n{ROD}[links.joint]\n{mimic}\n'
    arm = read(tmp_path, one_link(rest=second))
    assert arm.links[1].parent == "rod"
    assert arm.joint("tip").mimic == ls.Mimic("rod", -0.5, 0.1)
    assert arm.joint_positions([0.8]).tolist() == [0.8, -0.5 * 0.8 + 0.1]
    free = ls.load(tmp_path / "arm.toml", mimic="free")
    assert (free.dof, free.notes) == (2, ("a joint is free: its mimic of 'rod' ignored.",))


def test_keys_of_a_uniform_beam(tmp_path: Path) -> None:
    beam = """\
[links.beam]
length = 0.9
mass_per_length = 0.44
EI_y = 31.0
EI_z = 29.0
GJ = 12.0
EA = 2e5
modes = { bending_z = 3, bending_y = 1, torsion = 2, stretch = 1 }
damping = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]
gyration = [0.011, 0.013]
"""
    got = read(tmp_path, one_link(rest=beam)).links[0].beam
    damping = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]
    assert got == ls.Beam(
        0.9,
        0.44,
        EI=(31.0, 29.0),
        GJ=12.0,
        EA=2e5,
        modes=ls.Modes(3, 1, 2, 1),
        damping=damping,
        gyration=(0.011, 0.013),
    )
    assert got.mass == pytest.approx(0.9 * 0.44, rel=1e-15)


def test_one_EI_serves_both_planes(tmp_path: Path) -> None:
    beam = "[links.beam]\nlength = 0.9\nmass_per_length = 0.44\nEI = 17.5\ndamping = 0.02\n"
    got = read(tmp_path, one_link(rest=beam)).links[0].beam
    assert got.EI == (17.5, 17.5)
    assert (got.damping, got.modes) == (0.02, ls.Modes(bending_z=2))


def test_tapered_beam(tmp_path: Path) -> None:
    beam = """\
[links.beam]
length = 0.9
stations = [0.0, 0.4, 0.9]
mass_per_length = [0.8, 0.6, 0.3]
EI = [40.0, 20.0, 9.0]
"""
    got = read(tmp_path, one_link(rest=beam)).links[0].beam
    assert [side.tolist() for side in got.EI] == [[40.0, 20.0, 9.0]] * 2
    # trapezoids are exact for a density that is linear between stations
    assert got.mass == pytest.approx(0.4 * 0.7 + 0.5 * 0.45, rel=1e-15)


def test_two_planes_and_two_stations_are_not_confused(tmp_path: Path) -> None:
    """The file says which number is which, so nothing is ambiguous."""
    beam = "[links.beam]\nlength = 0.9\nstations = [0.0, 0.9]\nmass_per_length = [0.5, 0.3]\nEI_y = 40.0\nEI_z = 9.0\n"
    assert read(tmp_path, one_link(rest=beam)).links[0].beam.EI == (40.0, 9.0)
    both = beam.replace("EI_y = 40.0\nEI_z = 9.0\n", "EI = 17.5\n")
    assert read(tmp_path, one_link(rest=both)).links[0].beam.EI == (17.5, 17.5)


def test_a_table_of_two_stations_is_not_a_pair_of_planes(tmp_path: Path) -> None:
    beam = "[links.beam]\nlength = 0.9\nstations = [0.0, 0.9]\nmass_per_length = 0.5\nEI = [40.0, 9.0]\n"
    got = read(tmp_path, one_link(rest=beam)).links[0].beam
    assert [side.tolist() for side in got.EI] == [[40.0, 9.0]] * 2


INTEGRALS = """\
[links.modal_integrals]
C = [[0.6, 0.1, 0.0, 0.0], [0.1, 0.05, 0.0, 0.0], [0.0, 0.0, 0.02, 0.0], [0.0, 0.0, 0.0, 0.03]]
Ck = [[[0.0, 0.0, 0.2, 0.0], [0.0, 0.0, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]]
Ckl = [[[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.4, 0.0], [0.0, 0.0, 0.0, 0.0]]]]
K = [[70.0]]
D = [[0.3]]
tip = [0.45, 0.0, 0.01]
tip_shift = [[0.0, 1.0, 0.0]]
tip_turn = [[0.0, 0.0, 2.1]]
"""


def test_keys_of_modal_integrals(tmp_path: Path) -> None:
    link = read(tmp_path, one_link(rest=INTEGRALS)).links[0]
    assert link.modes.mass == 1.2
    assert (link.modes.count, link.mode_labels) == (1, ("mode1",))
    assert link.modes.Ck[0, 0, 2] == 0.2
    assert link.modes.Ckl[0, 0, 2, 2] == 0.4
    assert (link.modes.K.tolist(), link.modes.D.tolist()) == ([[70.0]], [[0.3]])
    assert link.tip[:3, 3].tolist() == [0.45, 0.0, 0.01]
    assert (link.modes.tip_shift.tolist(), link.modes.tip_turn.tolist()) == ([[0.0, 1.0, 0.0]], [[0.0, 0.0, 2.1]])


def test_loops_and_loads(tmp_path: Path) -> None:
    rest = """\
[[loops]]
a = { link = "rod", point = [0.1, 0.2, 0.3] }
b = { frame = { xyz = [1.0, 0.0, 0.0], rpy_deg = [0.0, 0.0, 90.0] } }
joint = "planar"
[[loops]]
a = { point = [0.0, 0.0, 0.5] }
b = { link = "rod", point = [0.0, 0.0, 0.0] }
[[loads]]
link = "rod"
force = [1.0, 2.0, 3.0]
moment = [0.4, 0.5, 0.6]
point = [0.7, 0.8, 0.9]
[[loads]]
link = "rod"
"""
    arm = read(tmp_path, one_link(rest=rest))
    turned = np.array([[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    assert [loop.joint for loop in arm.loops] == ["planar", "spherical"]
    assert arm.loops[0].a[0] == "rod"
    assert arm.loops[0].a[1][:3, 3].tolist() == [0.1, 0.2, 0.3]
    assert arm.loops[0].b[0] is None
    assert np.abs(arm.loops[0].b[1] - turned).max() < ROUNDING
    assert arm.loads == (ls.Load("rod", (1, 2, 3), (0.4, 0.5, 0.6), (0.7, 0.8, 0.9)), ls.Load("rod"))


# ---- shorthands ----------------------------------------------------------------------------------------------------

# Rz(90 deg) @ Ry(30 deg) @ Rx(-45 deg), from its sines and cosines
C30, S45 = np.sqrt(0.75), np.sqrt(0.5)
TURNED = np.array([[0.0, -S45, -S45], [C30, -0.5 * S45, 0.5 * S45], [-0.5, -C30 * S45, C30 * S45]])


def rotations() -> dict[str, str]:
    half = np.radians([-45.0, 30.0, 90.0]) / 2
    (cx, cy, cz), (sx, sy, sz) = np.cos(half), np.sin(half)
    # product of the three half-angle quaternions, z y x
    w, x = cz * cy * cx + sz * sy * sx, cz * cy * sx - sz * sy * cx
    y, z = cz * sy * cx + sz * cy * sx, sz * cy * cx - cz * sy * sx
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = TURNED, (0.1, 0.2, 0.3)
    place = "xyz = [0.1, 0.2, 0.3]"
    return {
        "rpy": f"{{ {place}, rpy = {np.radians([-45.0, 30.0, 90.0]).tolist()} }}",
        "rpy_deg": f"{{ {place}, rpy_deg = [-45.0, 30.0, 90.0] }}",
        "whole degrees": f"{{ {place}, rpy_deg = [-45, 30, 90] }}",
        "quaternion": f"{{ {place}, quaternion = {[float(v) for v in (w, x, y, z)]} }}",
        "quaternion of another length": f"{{ {place}, quaternion = {[-3.7 * float(v) for v in (w, x, y, z)]} }}",
        "rotation": f"{{ {place}, rotation = {TURNED.tolist()} }}",
        "matrix": str(X.tolist()),
    }


@pytest.mark.parametrize("form", rotations())
def test_every_way_to_write_a_pose(form: str, tmp_path: Path) -> None:
    pose = rotations()[form]
    tool = f'[[links.tools]]\nname = "grip"\nplacement = {pose}\n'
    shape = f'[[links.shapes]]\nkind = "sphere"\nsize = [0.1]\norigin = {pose}\n'
    loop = f"[[loops]]\na = {{ frame = {pose} }}\nb = {{ link = 'rod', point = [0.0, 0.0, 0.0] }}\n"
    arm = read(tmp_path, one_link(link=f"frame = {pose}", joint=f"placement = {pose}", rest=tool + shape + loop))
    link = arm.links[0]
    expected = np.eye(4)
    expected[:3, :3], expected[:3, 3] = TURNED, (0.1, 0.2, 0.3)
    for X in (link.frame, link.joint.placement, link.tools[0].placement, link.shapes[0].origin, arm.loops[0].a[1]):
        assert np.abs(X - expected).max() < ROUNDING
        assert X[:3, 3].tolist() == [0.1, 0.2, 0.3]


def test_a_rotation_of_few_digits_is_made_exact(tmp_path: Path) -> None:
    rotation = np.round(TURNED, 7).tolist()
    R = read(tmp_path, one_link(joint=f"placement = {{ rotation = {rotation} }}")).joints[0].placement[:3, :3]
    assert np.abs(R.T @ R - np.eye(3)).max() < 2e-15
    assert np.abs(R - TURNED).max() < 1e-7


def test_scalar_inertia_is_planar_and_three_numbers_are_the_diagonal(tmp_path: Path) -> None:
    text = """\
name = "x"
[[links]]
name = "a"
mass = 1.0
inertia = 0.08
[[links]]
name = "b"
mass = 1.0
inertia = [0.1, 0.2, 0.25]
"""
    a, b = read(tmp_path, text).links
    assert a.inertia.tolist() == [[0.04, 0.0, 0.0], [0.0, 0.04, 0.0], [0.0, 0.0, 0.08]]
    assert b.inertia.tolist() == [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.25]]


def test_limits_in_degrees(tmp_path: Path) -> None:
    limits = "{ position_deg = [-170, 35.5], velocity_deg = 180.0, acceleration_deg = [-inf, 90.0], jerk_deg = inf }"
    got = read(tmp_path, one_link(joint=f"limits = {limits}")).joints[0].limits
    assert got.position == pytest.approx((-17 / 18 * np.pi, 35.5 / 180 * np.pi), rel=1e-15)
    assert got.velocity == pytest.approx((-np.pi, np.pi), rel=1e-15)
    assert got.acceleration == pytest.approx((-np.inf, np.pi / 2), rel=1e-15)
    assert got.jerk is None


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("3.5", (-3.5, 3.5)),
        ("[-1.0, 2.0]", (-1.0, 2.0)),
        ("[-inf, 2.0]", (-np.inf, 2.0)),
        ("[-1, inf]", (-1.0, np.inf)),
        ("[-inf, inf]", None),
        ("inf", None),
        ("0", (0.0, 0.0)),
    ],
)
def test_forms_of_a_limit(text: str, bound: Any, tmp_path: Path) -> None:
    assert read(tmp_path, one_link(joint=f"limits = {{ position = {text} }}")).joints[0].limits.position == bound


# ---- Denavit-Hartenberg --------------------------------------------------------------------------------------------


def screw(axis: int, angle: float, along: float) -> np.ndarray:
    """A turn about a coordinate axis and a move along it, written out."""
    X, (i, j) = np.eye(4), [(1, 2), (2, 0), (0, 1)][axis]
    X[i, i] = X[j, j] = np.cos(angle)
    X[j, i], X[i, j] = np.sin(angle), -np.sin(angle)
    X[axis, 3] = along
    return X


TABLE = """\
name = "table"
[dh]
convention = "CONVENTION"
base = { xyz = [0.0, 0.1, 0.4], rpy_deg = [0.0, 0.0, 30.0] }
[[dh.rows]]
name = "first"
a = 0.37
alpha_deg = 67.0
d = 0.21
theta = 0.4
mass = 2.2
com = [-0.1, 0.02, 0.03]
inertia = [0.02, 0.03, 0.04]
armature = 0.3
gear_ratio = 31.0
rotor_inertia = 1e-4
damping = 0.4
friction = 0.2
stiffness = 3.0
rest = 0.1
actuated = false
limits = { position_deg = [-90.0, 45.0] }
elastic = { stiffness = 800.0 }
payload = { mass = 0.2 }
tools = [{ name = "eye", placement = { xyz = [0.0, 0.0, 0.1] } }]
shapes = [{ kind = "box", size = [0.1, 0.2, 0.3] }]
[[dh.rows]]
joint = "prismatic"
alpha = -1.1
theta_deg = 25.0
d = 0.05
mass = 0.8
inertia = 0.01
mimic = { joint = "first", multiplier = 0.1 }
"""


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_keys_of_a_table(convention: str, tmp_path: Path) -> None:
    arm = read(tmp_path, TABLE.replace("CONVENTION", convention))
    first, second = arm.links
    assert (first.name, second.name, second.parent) == ("first", "link2", "first")
    assert first.joint == ls.Joint(
        placement=first.joint.placement,
        name="first",
        armature=0.3,
        gear_ratio=31.0,
        rotor_inertia=1e-4,
        damping=0.4,
        friction=0.2,
        stiffness=3.0,
        rest=0.1,
        actuated=False,
        limits=ls.Limits((-np.pi / 2, np.pi / 4)),
        elastic=ls.JointElasticity(800.0),
    )
    assert (first.mass, first.payload.mass, first.tools[0].name, first.shapes[0].kind) == (2.2, 0.2, "eye", "box")
    assert second.joint.mimic == ls.Mimic("first", 0.1)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_table_means_what_the_convention_says(convention: str, tmp_path: Path) -> None:
    arm = read(tmp_path, TABLE.replace("CONVENTION", convention))
    q1, deflection = 0.3, -0.02
    q2 = 0.1 * q1  # it follows the first
    base = screw(2, np.radians(30.0), 0.0)
    base[:3, 3] = (0.0, 0.1, 0.4)
    turns = [screw(2, 0.4 + q1 + deflection, 0.21), screw(2, np.radians(25.0), 0.05 + q2)]
    twists = [screw(0, np.radians(67.0), 0.37), screw(0, -1.1, 0.0)]
    steps = [z @ x if convention == "standard" else x @ z for z, x in zip(turns, twists, strict=True)]
    got = ls.poses(arm, [q1, deflection])
    assert np.abs(got[0] - base @ steps[0]).max() < 1e-15
    assert np.abs(got[1] - base @ steps[0] @ steps[1]).max() < 1e-15


# ---- strictness ----------------------------------------------------------------------------------------------------

DH = '[dh]\nconvention = "standard"\n[[dh.rows]]\nname = "a"\n' + ROD
MISSPELT: dict[str, tuple[str, str, str]] = {
    "file": (one_link(top="gravty = [0.0, 0.0, 0.0]  # here"), "gravty", "gravity"),
    "link": (one_link(link="maas = 2.0  # here"), "maas", "mass"),
    "joint": (one_link(joint="dampng = 2.0  # here"), "dampng", "damping"),
    "limits": (one_link(joint="[links.joint.limits]\nvelocty = 2.0  # here"), "velocty", "velocity"),
    "elastic": (
        one_link(joint="armature = 0.1\n[links.joint.elastic]\nstifness = 2.0  # here"),
        "stifness",
        "stiffness",
    ),
    "mimic": (one_link(joint="[links.joint.mimic]\nmultiplyer = 2.0  # here"), "multiplyer", "multiplier"),
    "placement": (one_link(joint="[links.joint.placement]\nrpy_degs = [0, 0, 0]  # here"), "rpy_degs", "rpy_deg"),
    "beam": (one_link(rest="[links.beam]\nlenght = 2.0  # here"), "lenght", "length"),
    "modes": (
        one_link(rest="[links.beam]\nlength = 1.0\nmass_per_length = 1.0\n[links.beam.modes]\nbendng_z = 2  # here"),
        "bendng_z",
        "bending_z",
    ),
    "modal integrals": (one_link(rest=INTEGRALS + "tip_trun = [0]  # here"), "tip_trun", "tip_turn"),
    "payload": (one_link(rest="[links.payload]\nmass = 0.1\ninertai = 0.1  # here"), "inertai", "inertia"),
    "tool": (one_link(rest='[[links.tools]]\nname = "t"\nplacment = {}  # here'), "placment", "placement"),
    "shape": (one_link(rest='[[links.shapes]]\nkind = "sphere"\nsise = [0.1]  # here'), "sise", "size"),
    "loop": (one_link(rest="[[loops]]\na = { point = [0, 0, 0] }\njont = 1  # here"), "jont", "joint"),
    "end of a loop": (one_link(rest="[[loops]]\na = { pont = [0, 0, 0] }  # here"), "pont", "point"),
    "load": (one_link(rest='[[loads]]\nlink = "rod"\nforse = [0, 0, 0]  # here'), "forse", "force"),
    "table": ('name = "x"\n[dh]\nconvension = "standard"  # here\n', "convension", "convention"),
    "row": (f'name = "x"\n{DH}alpha_degree = 90.0  # here\n', "alpha_degree", "alpha_deg"),
}


@pytest.mark.parametrize("level", MISSPELT)
def test_unknown_keys_are_refused_with_a_suggestion(level: str, tmp_path: Path) -> None:
    text, wrong, right = MISSPELT[level]
    error = refusal(tmp_path, text)
    assert f"{wrong} is not a key of" in str(error)
    assert f"did you mean {right!r}?" in str(error)
    assert error.line in nearby(text)


@pytest.mark.parametrize("level", ["limits", "placement", "elastic", "mimic"])
def test_unknown_keys_in_one_line_name_the_table(level: str, tmp_path: Path) -> None:
    text = one_link(joint=f"damping = 0.1\n{level} = {{ zyx = 2.0 }}  # here")
    error = refusal(tmp_path, text)
    assert "link 'rod'" in error.subject
    assert error.line in nearby(text)


# ---- mistakes ------------------------------------------------------------------------------------------------------

BEAM = "[links.beam]\nlength = 1.0\nmass_per_length = 1.0\nEI = 1.0\n"
BAD_VALUES: dict[str, tuple[str, str]] = {
    "nan": (
        one_link().replace("com = [0.31, 0.0, 0.02]", "com = [0.31, nan, 0.02]  # here"),
        r"com\[1\] is nan; expected finite",
    ),
    "inf": (one_link().replace("mass = 1.3", "mass = inf  # here"), "mass is inf; expected a finite number"),
    "overflow": (one_link().replace("mass = 1.3", "mass = 1e400  # here"), "mass is inf"),
    "negative mass": (
        one_link().replace("mass = 1.3", "mass = -1.3  # here"),
        r"mass is -1\.3; expected at least 0. Check its sign",
    ),
    "unphysical inertia": (
        one_link().replace("[0.01, 0.12, 0.11]", "[0.02, 0.03, 0.09]  # here"),
        r"inertia is not physical \(principal moments 0\.02 \+ 0\.03 < 0\.09; .*decimal points",
    ),
    "negative inertia": (
        one_link().replace("[0.01, 0.12, 0.11]", "[-0.02, 0.1, 0.1]  # here"),
        r"principal moment -0\.02 is negative",
    ),
    "crooked inertia": (
        one_link().replace("[0.01, 0.12, 0.11]", "[[1.0, 0.2, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]]  # here"),
        r"inertia is not symmetric \(entries differ by 0\.1",
    ),
    "wrong shape": (
        one_link().replace("[0.31, 0.0, 0.02]", "[0.31, 0.0]  # here"),
        r"com has shape \(2,\); expected shape \(3\)",
    ),
    "ragged": (
        one_link().replace("[0.31, 0.0, 0.02]", "[0.31, [0.0], 0.02]  # here"),
        r"com is \[0.31, \[0.0\], 0.02\]; expected shape \(3\) of numbers",
    ),
    "text for a number": (
        one_link().replace("mass = 1.3", 'mass = "1.3"  # here'),
        r"mass is '1\.3'; expected a number",
    ),
    "truth for a number": (one_link().replace("mass = 1.3", "mass = true  # here"), "mass is True; expected a number"),
    "text in a list": (
        one_link().replace("[0.31, 0.0, 0.02]", '["0.31", 0.0, 0.02]  # here'),
        "com is .*expected shape",
    ),
    "number for a name": (one_link().replace('"rod"', "7  # here"), "link name is 7; expected text"),
    "spaces around a name": (one_link().replace('"rod"', '" rod"  # here'), "without spaces around it"),
    "zero axis": (
        one_link(joint="axis = [0.0, 0.0, 0.0]  # here"),
        "axis is .*no direction; expected a non-zero vector",
    ),
    "unknown type": (one_link(joint='type = "revolut"  # here'), "joint type is 'revolut'; did you mean 'revolute'?"),
    "negative damping": (one_link(joint="damping = -0.1  # here"), r"damping is -0\.1; expected at least 0"),
    "no gear": (one_link(joint="gear_ratio = 0  # here"), "gear_ratio is 0; expected motor turns"),
    "number for a flag": (one_link(joint="actuated = 1  # here"), "actuated is 1; expected true or false"),
    "reversed limits": (
        one_link(joint="[links.joint.limits]\nposition = [1.0, -1.0]  # here"),
        r"position is reversed: lower 1\.0 is above upper -1\.0",
    ),
    "three limits": (
        one_link(joint="[links.joint.limits]\nposition = [1.0, 2.0, 3.0]  # here"),
        r"expected one number or \[lower, upper\]",
    ),
    "negative limit": (
        one_link(joint="[links.joint.limits]\ntorque = -4.0  # here"),
        r"torque is -4\.0; a symmetric bound cannot be negative",
    ),
    "ragged limits": (one_link(joint="[links.joint.limits]\ntorque = [[1.0, [2.0]], 3.0]  # here"), "torque is"),
    "twice in two units": (
        one_link(joint="[links.joint.limits]\nposition_deg = 90.0\nposition = 1.5  # here"),
        "position is given twice, in rad and in deg",
    ),
    "motion of a fixed joint": (one_link(joint='type = "fixed"\ndamping = 0.1'), "a fixed joint cannot have"),
    "crooked placement": (
        one_link(joint="placement = { rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.1], [0.0, 0.0, 1.0]] }  # here"),
        r"placement has a rotation that is not orthonormal \(R\^T R differs from 1 by 0\.1\)",
    ),
    "mirrored placement": (
        one_link(joint="placement = { rotation = [[1, 0, 0], [0, 1, 0], [0, 0, -1]] }  # here"),
        "left-handed rotation",
    ),
    "last row": (
        one_link(joint="placement = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2]]  # here"),
        "last row",
    ),
    "no quaternion": (
        one_link(joint="placement = { quaternion = [0.0, 0.0, 0.0, 0.0] }"),
        "quaternion of placement is zero",
    ),
    "two rotations": (
        one_link(joint="placement = { rpy = [0, 0, 0], quaternion = [1, 0, 0, 0] }  # here"),
        "placement gives its rotation more than once",
    ),
    "not a table": (one_link(link="payload = 3.0  # here"), r"payload is 3\.0; expected a table"),
    "payload without mass": (
        one_link(rest="[links.payload]  # here\ncom = [0, 0, 0]\n"),
        "mass is missing from payload",
    ),
    "elastic without inertia": (one_link(joint="elastic = { stiffness = 9.0 }"), "needs inertia on its motor side"),
    "beam without length": (one_link(rest="[links.beam]  # here\nmass_per_length = 1.0\n"), "length is missing"),
    "modes without stiffness": (
        one_link(rest="[links.beam]  # here\nlength = 1.0\nmass_per_length = 1.0\nmodes = { torsion = 1 }\nEI = 1.0\n"),
        "torsion modes are requested, but GJ is not given",
    ),
    "EI twice": (
        one_link(rest="[links.beam]\nlength = 1.0\nmass_per_length = 1.0\nEI = 1.0  # here\nEI_z = 2.0\n"),
        "EI is for both planes; give it, or EI_y and EI_z",
    ),
    "a table without stations": (
        one_link(rest="[links.beam]\nlength = 1.0\nmass_per_length = [1.0, 2.0]  # here\nEI = 1.0\n"),
        "mass_per_length is a table, but the beam has no stations",
    ),
    "stations that end early": (
        one_link(rest=BEAM + "stations = [0.0, 0.5]  # here\n"),
        "stations must run from 0 to the length 1",
    ),
    "half a mode": (
        one_link(rest=BEAM + "[links.beam.modes]\nbending_z = 1.5  # here\n"),
        r"bending_z is 1\.5; expected a whole number",
    ),
    "one damping too many": (
        one_link(rest=BEAM + "damping = [0.1, 0.1, 0.1]  # here\n"),
        r"damping has shape \(3,\); expected shape \(2\)",
    ),
    "beam and integrals": (
        one_link(rest=BEAM + INTEGRALS),
        "both a beam and modal integrals",
    ),
    "crooked K": (
        one_link(rest=INTEGRALS.replace("K = [[70.0]]", "K = [[-70.0]]  # here")),
        "K has a negative eigenvalue",
    ),
    "missing integral": (one_link(rest=INTEGRALS.replace("D = [[0.3]]\n", "")), "D is missing from modal_integrals"),
    "tool without a name": (one_link(rest="[[links.tools]]  # here\n"), "tool name is ''"),
    "shape without a kind": (
        one_link(rest="[[links.shapes]]  # here\nsize = [1.0]\n"),
        "kind is None; known: mesh, box, cylinder, sphere",
    ),
    "shape of a wrong size": (
        one_link(rest='[[links.shapes]]\nkind = "box"\nsize = [1.0]  # here\n'),
        r"size has shape \(1,\); expected shape \(3\)",
    ),
    "mesh on two lines": (
        one_link(rest='[[links.shapes]]\nkind = "mesh"\nfile = "a\\nb"  # here\n'),
        "expected a path or URI on one line",
    ),
}


@pytest.mark.parametrize("what", BAD_VALUES)
def test_bad_values_are_named_with_file_line_and_link(what: str, tmp_path: Path) -> None:
    text, words = BAD_VALUES[what]
    error = refusal(tmp_path, text)
    assert "link" in error.subject
    assert re.search(words, str(error)), str(error)
    assert error.line is not None
    if "# here" in text:
        assert error.line in nearby(text)


def links(*parts: str) -> str:
    return 'name = "tree"\n' + "".join(f"[[links]]\n{part}\n{ROD}" for part in parts)


BAD_TREES: dict[str, tuple[str, str, str]] = {
    "duplicate links": (links('name = "a"', 'name = "a"'), "link 'a'", "the name 'a' is used twice"),
    "duplicate tools": (
        links('name = "a"') + '[[links.tools]]\nname = "a"\n',
        "link 'a'",
        "links and tools need unique names",
    ),
    "duplicate joints": (
        links('name = "a"\njoint = { name = "j" }', 'name = "b"\njoint = { name = "j" }'),
        "link 'b'",
        "its joint 'j' has the same name as the joint of link 'a'",
    ),
    "missing parent": (
        links('name = "upper"', 'name = "b"\nparent = "uper"'),
        "link 'b'",
        "its parent 'uper' does not exist; did you mean 'upper'?",
    ),
    "own parent": (links('name = "a"\nparent = "a"'), "link 'a'", "it is its own parent"),
    "cycle": (
        links('name = "z"', 'name = "a"\nparent = "c"', 'name = "b"\nparent = "a"', 'name = "c"\nparent = "b"'),
        "link 'a'",
        r"among its own ancestors \(through 'c'\)",
    ),
    "order": (
        links('name = "a"\nparent = "b"', 'name = "b"'),
        "link 'a'",
        "it comes before its parent 'b'; list parents first",
    ),
    "mimic of nobody": (
        links('name = "a"', 'name = "b"\njoint = { mimic = { joint = "aa" } }'),
        "joint 'b'",
        "it mimics 'aa', which is not another moving joint",
    ),
    "nothing to move": (
        'name = "x"\n[[links]]\nname = "a"\n',
        "link 'a'",
        r"its joint 'a' moves no inertia.*neither the link nor anything.*kinematics_only",
    ),
}


@pytest.mark.parametrize("what", BAD_TREES)
def test_broken_trees_are_named_with_file_line_and_link(what: str, tmp_path: Path) -> None:
    text, subject, words = BAD_TREES[what]
    error = refusal(tmp_path, text)
    assert error.subject == subject
    assert re.search(words, str(error)), str(error)
    # the line lies in a block of that name: from its [[links]] to the next
    lines = text.splitlines()
    assert error.line is not None
    header = max(n for n, line in enumerate(lines[: error.line]) if line == "[[links]]")
    named = subject.split("'")[1]
    block = lines[header : header + 8]
    assert any(f'name = "{named}"' in line for line in block)


def test_the_second_of_two_equal_names_is_pointed_at(tmp_path: Path) -> None:
    text = links('name = "a"', 'name = "b"', 'name = "a"  # here')
    error = refusal(tmp_path, text)
    assert error.line in nearby(text)


@pytest.mark.parametrize(
    ("rest", "subject", "words"),
    [
        (
            '[[loops]]\na = { link = "rot", point = [0, 0, 0] }\nb = { point = [0, 0, 0] }\n',
            "loop",
            "there is no link or tool 'rot'; did you mean 'rod'",
        ),
        ("[[loops]]\na = { point = [0, 0, 0] }\nb = {}\n", "loop 1", "b needs either a point or a frame"),
        (
            "[[loops]]\na = { point = [0, 0, 0], frame = {} }\nb = { point = [0, 0, 0] }\n",
            "loop 1",
            "a needs either a point or a frame",
        ),
        ("[[loops]]\na = { point = [0, 0, 0] }\n", "loop 1", "b is None; expected a table"),
        ("[[loops]]\na = { point = [0, 0, 0] }\nb = { point = [0, 0] }\n", "loop 1", r"point of b has shape \(2,\)"),
        (
            '[[loops]]\na = { point = [0, 0, 0] }\nb = { point = [0, 0, 0] }\njoint = "ball"\n',
            "loop 1",
            "joint is 'ball'; known: spherical, revolute, fixed, planar",
        ),
        ('[[loads]]\nlink = "rot"\n', "load", "there is no link or tool 'rot'; did you mean 'rod'"),
        ("[[loads]]\nforce = [0, 0, 0]\n", "load 1", "link is missing from a load"),
        ('[[loads]]\nlink = "rod"\nforce = [0, nan, 0]\n', "load 1", r"force\[1\] is nan"),
        ('[[loads]]\nlink = "rod"\nforce = [[1, 0, 0], [2, 0, 0]]\n', "load", "cannot be a batch"),
    ],
)
def test_bad_loops_and_loads_are_named(rest: str, subject: str, words: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, one_link(rest=rest))
    assert error.subject.startswith(subject)
    assert re.search(words, str(error)), str(error)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            one_link(rest='[dh]\nconvention = "standard"\n'),
            r"give the arm either as \[\[links\]\] or as \[dh\], exactly one",
        ),
        ('name = "x"\n', r"give the arm either as \[\[links\]\] or as \[dh\]"),
        ('name = "x"\nlinks = []\n', "it has no links; give at least one"),
        (
            'name = "x"\n[dh]  # here\n[[dh.rows]]\na = 1.0\n',
            'convention is missing; give "standard" or "modified"',
        ),
        ('name = "x"\n[dh]\nconvention = "classic"  # here\n', "convention is 'classic'; known: standard, modified"),
        (
            'name = "x"\n[dh]\nconvention = "standard"\nrows = 3  # here\n',
            r"rows is not a list of tables; expected \[\[rows\]\]",
        ),
        (f'name = "x"\n{DH}a = nan  # here\n', "a is nan"),
        (f'name = "x"\n{DH}alpha = 1.0  # here\nalpha_deg = 60.0\n', "alpha is given twice, in rad and in deg"),
        (f'name = "x"\n{DH}theta_deg = "90"  # here\n', "theta_deg is"),
        ('name = "x"\ndh = 3  # here\n', "dh is 3; expected a table"),
        ('name = "x"\n[links]\nname = "a"\n', r"links is not a list of tables; expected \[\[links\]\]"),
        ('name = "x"\n[[links]]  # here\nmass = 1.0\n', "link 1: name is missing"),
        (one_link(top="gravity = [0.0, -9.81]  # here"), r"gravity has shape \(2,\)"),
        (
            one_link(top='flexibility = "second-order"  # here'),
            "flexibility is 'second-order'; did you mean 'second_order'",
        ),
        (one_link(top='notes = "one"  # here'), "notes is not a list of text"),
        (one_link(top="kinematics_only = 1  # here"), "kinematics_only is 1; expected true or false"),
        (one_link(top="lissom = 2  # here"), "lissom is 2; this version of lissom reads format 1"),
        (one_link(top="lissom = true  # here"), "lissom is True; this version"),
        (one_link(top="source = 7  # here"), "source is 7; expected text"),
    ],
)
def test_files_that_do_not_make_an_arm(text: str, words: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, text)
    assert re.search(words, str(error)), str(error)
    if "# here" in text:
        assert error.line in nearby(text)


def test_a_missing_name_of_the_arm_is_not_blamed_on_a_link(tmp_path: Path) -> None:
    error = refusal(tmp_path, '[[links]]\nname = "rod"\n' + ROD)
    assert "name" in error.problem
    assert error.line in (None, 1)  # line 2 is a good name, of a link


# ---- files ---------------------------------------------------------------------------------------------------------


def test_not_toml_says_where(tmp_path: Path) -> None:
    error = refusal(tmp_path, 'name = "x"\n[[links]]\nname = \n')
    assert error.line == 3
    assert "not TOML" in str(error)


def test_a_key_twice_is_not_toml(tmp_path: Path) -> None:
    error = refusal(tmp_path, 'name = "x"\nname = "y"\n[[links]]\n')
    assert error.line == 2
    assert "not TOML" in str(error)


def test_not_utf8_says_so(tmp_path: Path) -> None:
    assert "not UTF-8 text (byte 8)" in str(refusal(tmp_path, b'name = "\xe4rmel"\n'))


def test_byte_order_marks_of_windows_editors_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbf" + one_link().encode()).name == "small"


def test_windows_line_ends_are_read_and_counted(tmp_path: Path) -> None:
    assert read(tmp_path, one_link().replace("\n", "\r\n")).name == "small"
    text = one_link(link="maas = 1.0  # here")
    assert refusal(tmp_path, text.replace("\n", "\r\n")).line == marked(text)


def test_unusual_line_separators_inside_text_do_not_shift_lines(tmp_path: Path) -> None:
    """Editors count newlines only; TOML text may hold other separators."""
    text = one_link(top='source = "one\u2028two\u0085three"', link="maas = 1.0  # here")
    assert refusal(tmp_path, text).line == marked(text)


def test_too_large_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lissom.formats.files.LARGEST_FILE", 2**20)
    text = one_link() + "#" * (2**20 - len(one_link()))
    assert read(tmp_path, text).name == "small"
    assert "it is larger than 1 MiB" in str(refusal(tmp_path, text + "#"))


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ls.ModelError, match=r"folder\.toml: it is not a file"):
        ls.load(tmp_path / "folder.toml")
    with pytest.raises(ls.ModelError, match=r"missing\.toml: it does not exist. Check the path"):
        ls.load(tmp_path / "missing.toml")
    with pytest.raises(ls.ModelError, match=r"arm\.step: its ending is not one of \.toml, \.urdf"):
        ls.load(tmp_path / "arm.step")
    with pytest.raises(ls.ModelError, match="its ending is not one of"):
        ls.load(tmp_path / "no_ending")


def test_names_of_shipped_arms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ls.load("puma560").name == "puma560"
    with pytest.raises(
        ls.ModelError, match=r"there is no shipped arm 'pumma560'; did you mean 'puma560'\?.*give its ending"
    ):
        ls.load("pumma560")
    with pytest.raises(ls.ModelError, match=r"there is no shipped arm 'kuka'; known: .*puma560"):
        ls.load("kuka")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"source": 3}, "load: got 3; expected a path or the name of a shipped arm"),
        ({"source": None}, "load: got None"),
        ({"source": "puma560", "fixed": "glue"}, "fixed is 'glue'; expected 'keep' or 'merge'"),
        ({"source": "puma560", "repair": True}, "repair is for URDF files"),
    ],
)
def test_questions_that_make_no_sense(question: dict[str, Any], words: str) -> None:
    with pytest.raises(ls.InputError, match=words):
        ls.load(**question)


def test_kinematics_only_may_come_from_the_call(tmp_path: Path) -> None:
    path = tmp_path / "light.toml"
    path.write_text('name = "light"\n[[links]]\nname = "a"\n')
    assert ls.load(path, kinematics_only=True).kinematics_only
    with pytest.raises(ls.ModelError, match="moves no inertia"):
        ls.load(path)


def test_endings_may_be_in_capitals(tmp_path: Path) -> None:
    path = tmp_path / "ARM.TOML"
    ls.save(ls.load("two_link"), path)
    assert ls.load(str(path)) == ls.load("two_link")


# ---- saving --------------------------------------------------------------------------------------------------------


def test_saving_leaves_one_file_that_says_its_unit(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text("old")
    ls.save(ls.load("tree_demo"), path)
    assert os.listdir(tmp_path) == ["arm.toml"]
    text = path.read_text("utf-8")
    assert text.startswith("# An arm for lissom; SI units, angles in rad.")
    assert text.endswith("\n")
    assert ls.load(path) == ls.load("tree_demo")


def test_a_failing_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "arm.toml"
    path.write_text("old")
    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(ls.ModelError, match=r"arm\.toml: it cannot be written \(No space left on device\)"):
        ls.save(ls.load("two_link"), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["arm.toml"]


def test_an_interrupt_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "arm.toml"
    path.write_text("old")
    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ls.save(ls.load("two_link"), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["arm.toml"]


def test_refused_content_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text("old")
    with pytest.raises(ls.UnsupportedError, match=r"URDF has no flexible links \(link1, link2\). Save as .toml"):
        ls.save(ls.load("two_link_flexible"), path, lossy=True)
    with pytest.raises(ls.UnsupportedError, match="URDF cannot represent: drive inertia"):
        ls.save(ls.load("puma560"), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["arm.urdf"]


@pytest.mark.parametrize("place", ["folder.toml", "nowhere/arm.toml", "two\0names.toml", f"{'n' * 300}.toml"])
def test_places_that_cannot_be_written(place: str, tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ls.ModelError, match="cannot be written"):
        ls.save(ls.load("two_link"), tmp_path / place)
    assert os.listdir(tmp_path) == ["folder.toml"]
    assert os.listdir(tmp_path / "folder.toml") == []


@pytest.mark.parametrize("name", ["arm.step", "arm", "arm.xml"])
def test_endings_that_are_not_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(ls.ModelError, match=r"arms are written as \.toml or \.urdf"):
        ls.save(ls.load("two_link"), tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_only_arms_are_saved(tmp_path: Path) -> None:
    with pytest.raises(ls.InputError, match="save: got str; expected an Arm first, then the path"):
        ls.save(str(tmp_path / "arm.toml"), ls.load("two_link"))  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["toml", "urdf"])
def test_a_file_is_validated_once(tmp_path, monkeypatch, ending):
    ls.save(ls.load("two_link"), tmp_path / f"arm.{ending}", lossy=True)
    made = []
    validate = ls.Arm.__post_init__
    monkeypatch.setattr(ls.Arm, "__post_init__", lambda arm: (made.append(arm.name), validate(arm))[1])
    arm = ls.load(tmp_path / f"arm.{ending}")
    assert made == ["two_link"]
    assert arm.folder == str(tmp_path)
