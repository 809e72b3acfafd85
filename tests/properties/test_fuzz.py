"""Broken files: every mutant of a good file loads, or is refused with a `ModelError`; nothing else, and quickly."""

from __future__ import annotations

import contextlib
import random
import re
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import lissom as ls

CHUNKS, MUTANTS = 24, 140  # 3360 mutants per format
SLOWEST = 5.0  # s for one file; they take milliseconds


# ---- good files ----------------------------------------------------------------------------------------------------

EVERYTHING_TOML = """\
lissom = 1
name = "everything"
source = "invented"
notes = ["first", "second"]
gravity = [0.0, 0.1, -9.81]
flexibility = "linear"
kinematics_only = false

[[links]]
name = "post"
mass = 4.0
joint = { type = "fixed", placement = { xyz = [0.0, 0.0, 0.2], quaternion = [0.8, 0.1, 0.2, -0.3] } }

[[links]]
name = "upper"
parent = "post"
mass = 1.7
com = [0.11, -0.02, 0.03]
inertia = [[0.02, 0.001, 0.0], [0.001, 0.03, 0.0], [0.0, 0.0, 0.025]]
frame = { xyz = [0.01, 0.0, 0.0], rotation = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] }
payload = { mass = 0.3, com = [0.0, 0.0, 0.05], inertia = 0.001 }

[links.joint]
name = "shoulder"
type = "revolute"
axis = [0.2, 1.0, 0.0]
placement = [[1.0, 0.0, 0.0, 0.1], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.3], [0.0, 0.0, 0.0, 1.0]]
armature = 0.02
gear_ratio = -50.0
rotor_inertia = 1e-5
damping = 0.3
friction = 0.1
stiffness = 3.0
rest = 0.2
actuated = true
limits = { position_deg = [-90.0, inf], velocity = 2.0, jerk = 80.0, torque = [-3.0, 4.0], power = 90.0 }
elastic = { stiffness = 900.0, damping = 0.4 }

[[links.tools]]
name = "eye"
placement = { xyz = [0.1, 0.0, 0.0], rpy = [0.1, -0.2, 0.3] }

[[links.shapes]]
kind = "mesh"
file = "package://upper.stl"
size = [0.001, 0.001, 0.001]
origin = { rpy_deg = [0.0, 90.0, 0.0] }
role = "collision"

[[links]]
name = "boom"
parent = "upper"
mass = 0.2
inertia = [0.001, 0.002, 0.002]

[links.joint]
limits = { torque = inf }

[links.beam]
length = 0.8
mass_per_length = [0.9, 0.7, 0.4]
EI_y = 40.0
EI_z = [30.0, 20.0, 10.0]
GJ = 12.0
EA = 1e5
modes = { bending_z = 2, bending_y = 1, torsion = 1, stretch = 0 }
damping = [0.01, 0.01, 0.02, 0.02]
gyration = [0.01, 0.02]
stations = [0.0, 0.3, 0.8]

[[links]]
name = "given"
parent = "boom"
inertia = 0.01

[links.joint]
type = "prismatic"
axis = [1.0, 0.0, 0.0]
mimic = { joint = "shoulder", multiplier = -0.5, offset = 0.01 }

[links.modal_integrals]
C = [[0.5, 0.1, 0.0, 0.0], [0.1, 0.05, 0.0, 0.0], [0.0, 0.0, 0.01, 0.0], [0.0, 0.0, 0.0, 0.01]]
Ck = [[[0.0, 0.0, 0.2, 0.0], [0.0, 0.0, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]]
Ckl = [[[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.4, 0.0], [0.0, 0.0, 0.0, 0.0]]]]
K = [[70.0]]
D = [[0.2]]
tip = [0.4, 0.0, 0.0]
tip_shift = [[0.0, 1.0, 0.0]]
tip_turn = [[0.0, 0.0, 2.1]]

[[loops]]
a = { link = "post", point = [0.3, 0.0, 0.1] }
b = { frame = { xyz = [0.0, 0.0, 0.1], rpy_deg = [10.0, 20.0, 30.0] } }
joint = "revolute"

[[loads]]
link = "given"
force = [1.0, 2.0, 3.0]
moment = [0.1, 0.0, 0.0]
point = [0.0, 0.0, 0.2]
"""

TABLE_TOML = """\
name = "table"
[dh]
convention = "modified"
base = { xyz = [0.0, 0.1, 0.4] }
rows = [
  { a = 0.3, alpha_deg = 90.0, d = 0.1, theta_deg = -90.0, mass = 1.1, com = [0.1, 0.0, 0.0], inertia = 0.02 },
  { name = "slide", joint = "prismatic", alpha = -1.2, mass = 0.7, limits = { position = [-0.1, 0.4] } },
  { name = "hand", a = 0.2, mass = 0.4, inertia = 0.002, payload = { mass = 0.1 }, tools = [{ name = "grip" }] },
]
"""

EVERYTHING_URDF = """\
<?xml version="1.0" encoding="utf-8"?>
<!-- all that the reader knows, and some it passes over -->
<robot name="everything" version="1.0">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="world"/>
  <link name="torso">
    <inertial>
      <origin xyz="0.01 0.02 0.3" rpy="0.1 -0.2 1.5"/>
      <mass value="6.1"/>
      <inertia ixx="0.21" ixy="0.01" ixz="-0.02" iyy="0.2" iyz="0.005" izz="0.1"/>
    </inertial>
    <visual name="shell">
      <origin xyz="0 0 0.1"/>
      <geometry><mesh filename="package://robot/torso.dae" scale="0.001 0.001 0.001"/></geometry>
      <material name="grey"/>
    </visual>
    <collision><geometry><box size="0.2 0.3 0.6"/></geometry></collision>
  </link>
  <joint name="float" type="floating"><parent link="world"/><child link="torso"/></joint>
  <link name="arm">
    <inertial><mass value="1.9"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial>
    <visual><geometry><cylinder radius="0.05" length="0.4"/></geometry></visual>
    <collision><origin rpy="0 1.57 0"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0.1 0.2 0.5" rpy="0 0 0.7"/>
    <parent link="torso"/>
    <child link="arm"/>
    <axis xyz="0 0.6 0.8"/>
    <limit lower="-1.5" upper="2.1" effort="40" velocity="3"/>
    <dynamics damping="0.4" friction="0.2"/>
    <safety_controller k_velocity="10"/>
  </joint>
  <link name="pad">
    <inertial><mass value="0.4"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
  </link>
  <joint name="slide" type="planar"><parent link="arm"/><child link="pad"/><axis xyz="0 0 1"/></joint>
  <link name="finger">
    <inertial><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
  </link>
  <joint name="grip" type="prismatic">
    <parent link="arm"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.04" effort="0" velocity="1e12"/>
    <mimic joint="shoulder" multiplier="0.02" offset="0.001"/>
  </joint>
  <link name="tool"/>
  <joint name="mount" type="fixed"><origin xyz="0.3 0 0"/><parent link="arm"/><child link="tool"/></joint>
  <link name="wheel">
    <inertial><mass value="0.5"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.001"/></inertial>
  </link>
  <joint name="spin" type="continuous"><parent link="arm"/><child link="wheel"/><axis xyz="0 1 0"/></joint>
  <gazebo reference="arm"><mu1>0.2</mu1></gazebo>
  <transmission name="t"><type>simple</type><joint name="shoulder"/></transmission>
</robot>
"""


@cache
def good_files(ending: str) -> tuple[str, ...]:
    if ending == ".toml":
        return (*(path.read_text("utf-8") for path in ls.shipped().values()), EVERYTHING_TOML, TABLE_TOML)
    return EVERYTHING_URDF, written_urdf()


def written_urdf() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.urdf"
        ls.save(ls.load("tree_demo"), path, lossy=True)
        return path.read_text("utf-8")


# ---- mutations -----------------------------------------------------------------------------------------------------

HUGE = "9" * 400
ODD_TOML = (
    "nan", "-nan", "inf", "-inf", "1e400", "-1", "0", "-0.0", HUGE, "9" * 5000, '"text"', '""', "true", "false", "[]",
    "{}", "[1.0, 2.0]", "[[1.0, [2.0]], 3.0]", "[[1.0, 2.0], [3.0, 4.0]]", "[nan, 1.0, 2.0]", '["a", "b", "c"]',
    "[true, false, true]", "1e-320", "1e-200", "1e29", "-1e29", "1e300", "0x1F", "1979-05-27", "07:32:00",
    "[[[[[[1]]]]]]", "{ a = { b = { c = 1 } } }", "[[], []]", "[{}, {}]", f"[{HUGE}, 1, 2]", '"\\u0000"',
    '"line\\nbreak"', "[inf, inf]", "[-inf, inf]", "2", "1000000000000", "[0.0, 0.0]", "[0.0, 0.0, 0.0, 0.0]",
)  # fmt: skip
ODD_URDF = (
    "nan", "inf", "-inf", "1e400", "-1", "0", "-0.0", HUGE, "text", "", " ", "true", "0 0", "0 0 0", "1 2 3 4", "1,2,3",
    "nan nan nan", "inf 0 0", "1e-320", "1e-320 0 0", "1e-200", "1e29", "1e29 1e29 1e29", "1e300", "0x1F", "١٢", "1_0",
    "${x}", "&#10;", "&lt;", "world", "arm", "shoulder", "floating", "planar", "fixed", "continuous", "1e-9 1e-9 1e-9",
    "infinity", "+.5e1",
)  # fmt: skip
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
WORD = re.compile(r"[A-Za-z_]\w*")
QUOTED = re.compile(r'"[^"\n]*"')
TOML_VALUE = re.compile(r"(?<== )[^\n,}]+")
BRACKETED = re.compile(r"\[[^\[\]\n]*\]|<[^<>\n]*>")
Mutation = Callable[[random.Random, str], str]


def replaced(pattern: re.Pattern[str], new: Callable[[random.Random, str], str]) -> Mutation:
    """One match of a pattern becomes something else."""

    def mutate(rng: random.Random, text: str) -> str:
        matches = list(pattern.finditer(text))
        if not matches:
            return text
        hit = rng.choice(matches)
        return text[: hit.start()] + new(rng, hit.group()) + text[hit.end() :]

    return mutate


def swapped(pattern: re.Pattern[str]) -> Mutation:
    """Two matches of a pattern change places."""

    def mutate(rng: random.Random, text: str) -> str:
        matches = list(pattern.finditer(text))
        if len(matches) < 2:
            return text
        a, b = sorted(rng.sample(matches, 2), key=lambda hit: hit.start())
        return text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]

    return mutate


def renamed(rng: random.Random, word: str) -> str:
    """A slip of the finger: a letter lost, doubled, changed, or two exchanged."""
    i = rng.randrange(len(word))
    slips = (
        word[:i] + word[i + 1 :],
        word[:i] + word[i] + word[i:],
        word[:i] + "q" + word[i + 1 :],
        word[::-1],
        word.upper(),
    )
    return rng.choice(slips)


def lines_edited(rng: random.Random, text: str) -> str:
    """A block of lines is repeated, lost, moved, or repeated many times."""
    lines = text.split("\n")
    i = rng.randrange(len(lines))
    j = min(len(lines), i + rng.choice((1, 1, 1, 2, 5, 12)))
    block, k = lines[i:j], rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        return "\n".join(lines[:k] + block + lines[k:])
    if kind == 1:
        return "\n".join(lines[:i] + lines[j:])
    if kind == 2:
        rest = lines[:i] + lines[j:]
        return "\n".join(rest[:k] + block + rest[k:])
    return "\n".join(lines[:j] + block * rng.choice((1, 3, 40)) + lines[j:])


def truncated(rng: random.Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


def letters_edited(rng: random.Random, text: str) -> str:
    """A run of letters is lost, repeated, or overwritten with marks that mean something."""
    i = rng.randrange(len(text) + 1)
    j = min(len(text), i + rng.choice((1, 1, 2, 8, 60)))
    new = rng.choice(("", text[i:j] * 2, rng.choice("[]{}\"=#<>/&.\n\t\\ '\u00e4\u2028\x00\x7f\ufeff")))
    return text[:i] + new + text[j:]


def nested(rng: random.Random, text: str) -> str:
    """A value or tag goes several levels deeper."""
    depth = rng.choice((1, 2, 30))

    def deeper(_: random.Random, word: str) -> str:
        if word.startswith("<"):
            return "<a>" * depth + word + "</a>" * depth
        return "[" * depth + word + "]" * depth

    return replaced(BRACKETED, deeper)(rng, text)


SHARED: tuple[Mutation, ...] = (
    lines_edited,
    lines_edited,
    truncated,
    letters_edited,
    nested,
    replaced(WORD, renamed),
    swapped(WORD),
    swapped(NUMBER),
    swapped(QUOTED),
    swapped(BRACKETED),
)
MUTATIONS: dict[str, tuple[Mutation, ...]] = {
    ".toml": (
        *SHARED,
        replaced(NUMBER, lambda rng, _: rng.choice(ODD_TOML)),
        replaced(NUMBER, lambda rng, _: rng.choice(ODD_TOML)),
        replaced(TOML_VALUE, lambda rng, _: rng.choice(ODD_TOML)),
        replaced(TOML_VALUE, lambda rng, _: rng.choice(ODD_TOML)),
        replaced(BRACKETED, lambda rng, _: rng.choice(ODD_TOML)),
    ),
    ".urdf": (
        *SHARED,
        replaced(NUMBER, lambda rng, _: rng.choice(ODD_URDF)),
        replaced(QUOTED, lambda rng, _: f'"{rng.choice(ODD_URDF)}"'),
        replaced(QUOTED, lambda rng, _: f'"{rng.choice(ODD_URDF)}"'),
        replaced(QUOTED, lambda rng, _: f'"{rng.choice(ODD_URDF)}"'),
        swapped(re.compile(r"<(?:link|joint)\b[^>]*>")),
    ),
}


def bytes_flipped(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if out:
            out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def mutant(rng: random.Random, ending: str) -> bytes:
    text = rng.choice(good_files(ending))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        text = rng.choice(MUTATIONS[ending])(rng, text)
    data = text.encode()
    return bytes_flipped(rng, data) if rng.random() < 0.08 else data


# ---- the promise ---------------------------------------------------------------------------------------------------


def use(path: Path) -> bool:
    """Load a file; whether it was accepted. What loads is a whole arm: it speaks, merges and survives being saved."""
    try:
        arm = ls.load(path)
    except ls.ModelError:
        return False
    assert arm.name in arm.describe()
    assert all(finding.message for finding in arm.check())
    again = path.with_name("again.toml")
    ls.save(arm, again)
    assert ls.load(again) == arm, "it loads, but what is saved of it is another arm"
    with contextlib.suppress(ls.ModelError):  # sums of huge bodies may be beyond all bounds
        arm.merge_fixed()
    return True


def assert_harmless(path: Path, data: bytes) -> bool:
    """Use a file and fail with its content when anything unforeseen happens."""
    path.write_bytes(data)
    start = time.perf_counter()
    try:
        loaded = use(path)
    except Exception:
        pytest.fail(f"{traceback.format_exc()}\n---- the file ----\n{data.decode(errors='backslashreplace')}")
    took = time.perf_counter() - start
    assert took < SLOWEST, f"took {took:.1f} s\n---- the file ----\n{data.decode(errors='backslashreplace')}"
    return loaded


@pytest.mark.parametrize("ending", [".toml", ".urdf"])
def test_the_files_to_be_broken_are_good(ending: str, tmp_path: Path) -> None:
    for text in good_files(ending):
        assert assert_harmless(tmp_path / f"good{ending}", text.encode())


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("ending", [".toml", ".urdf"])
@pytest.mark.some(12)
def test_mutants_load_or_are_refused(ending: str, chunk: int, tmp_path: Path) -> None:
    rng = random.Random(f"{ending} {chunk}")
    loaded = sum(assert_harmless(tmp_path / f"mutant{ending}", mutant(rng, ending)) for _ in range(MUTANTS))
    # a fuzzer that only makes rubbish, or changes nothing that matters, tests nothing
    assert 0.02 * MUTANTS < loaded < 0.7 * MUTANTS


LINK = '[[links]]\nname = "a"\nmass = 1.0\ninertia = 0.1\n'
DEEP = ".".join("a" * 5000)
NASTY_TOML: dict[str, str] = {
    "empty": "",
    "only a name": 'name = "x"',
    "a byte order mark in the middle": 'name = "x"\n\ufeff' + LINK,
    "nested lists": f'name = "x"\ngravity = {"[" * 5000}{"]" * 5000}\n{LINK}',
    "nested tables": f'name = "x"\ngravity = {"{a=" * 300}1{"}" * 300}\n{LINK}',
    "lists nested beyond what arrays can be": f'name = "x"\ngravity = {"[" * 90}1{"]" * 90}\n{LINK}',
    "a key of thousands of parts": f'name = "x"\ngravity.{DEEP} = 1\n{LINK}',
    "a table of thousands of parts": f'name = "x"\n{LINK}[links.joint.axis.{DEEP}]\n',
    "a name that is a deep table": f'name = "x"\n[[links]]\nname.{DEEP} = 1\n',
    "an unknown key beside a list that is none": 'name = "x"\nlinks = [1, 2]\nnmae = 3\n',
    "an unknown key beside a table that is none": 'name = "x"\ndh = 3\nnmae = 3\n',
    "rows that are none": 'name = "x"\n[dh]\nconvention = "standard"\nrows = 4\n',
    "rows of numbers": 'name = "x"\nnmae = 3\n[dh]\nconvention = "standard"\nrows = [1, 2]\n',
    "ragged limits": f'name = "x"\n{LINK}joint = {{ limits = {{ position = [[1.0, [2.0]], 3.0] }} }}\n',
    "a whole number of many digits": f'name = "x"\n{LINK}com = [{"7" * 5000}, 0, 0]\n',
    "a name of a megabyte": f'name = "{"y" * 1_000_000}"\n{LINK}',
    "a date for a mass": 'name = "x"\n[[links]]\nname = "a"\nmass = 1979-05-27\n',
    "parents in a ring": 'name = "x"\n[[links]]\nname = "a"\nparent = "b"\n[[links]]\nname = "b"\nparent = "a"\n',
    "thousands of links on a missing one": 'name = "x"\n'
    + "".join(f'[[links]]\nname = "link_number_{i}"\nmass = 1.0\nparent = "link_numbr_77x"\n' for i in range(2000)),
}
TINY = "length = 1e-200, mass_per_length = [1e-200, 1e-200], stations = [0.0, 1e-200], EI = 1.0"
INTEGRALS = """[links.modal_integrals]
C = [[1e-300, 0.0, 1e-10, 0.0], [0.0, 1.0, 0.0, 0.0], [1e-10, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
Ck = [[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]
Ckl = [[[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]]
K = [[1.0]]
D = [[0.0]]
tip = [0.4, 0.0, 0.0]
tip_shift = [[0.0, 1.0, 0.0]]
tip_turn = [[0.0, 0.0, 1.0]]
"""
# Allowed or refused, both make sense; numbers out of range inside would not.
EXTREME_TOML: dict[str, str] = {
    "a tiny beam": f'name = "x"\n{LINK}beam = {{ length = 1e-200, mass_per_length = 1e-200, EI = 1.0 }}\n',
    "a tiny tapered beam": f'name = "x"\n{LINK}beam = {{ {TINY} }}\n',
    "a huge beam": f'name = "x"\n{LINK}beam = {{ length = 1e29, mass_per_length = 1e29, EI = 1.0 }}\n',
    "integrals of next to no mass": f'name = "x"\n{LINK}{INTEGRALS}',
    "next to no mass with inertia": 'name = "x"\n[[links]]\nname = "a"\nmass = 1e-300\ninertia = [1e29, 1e29, 1e29]\n',
    "a mass far away": 'name = "x"\n[[links]]\nname = "a"\nmass = 1e30\ncom = [1e30, 1e30, 1e30]\ninertia = 1.0\n',
    "the largest drive": f'name = "x"\n{LINK}joint = {{ gear_ratio = 1e30, rotor_inertia = 1e30 }}\n',
}
TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
LINK_URDF = f'<link name="a"><inertial><mass value="1"/>{TENSOR}</inertial></link>'
RING = '<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>'
NASTY_URDF: dict[str, bytes] = {
    "empty": b"",
    "only white": b"  \n\n ",
    "no links": b'<robot name="x"/>',
    "deep": b"<robot>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</robot>",
    "deep and never closed": b"<robot>" * 50_000,
    "entities of entities": b'<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>',
    "an unknown entity": b'<robot name="&b;"/>',
    "an attribute twice": b'<robot name="x" name="y"/>',
    "an encoding nobody has": b'<?xml version="1.0" encoding="klingon"?><robot/>',
    "an encoding that is none": b'<?xml version="1.0" encoding="hex"?><robot/>',
    "UTF-16 that is none": b'<?xml version="1.0" encoding="utf-16"?><robot/>',
    "not UTF-8": f'<robot name="\xe4">{LINK_URDF}</robot>'.encode("latin-1"),
    "a link on itself": f'<robot name="x">{LINK_URDF}{RING}</robot>'.encode(),
    "two roots": f'<robot name="x">{LINK_URDF}<link name="b"/></robot>'.encode(),
    "a name twice": f'<robot name="x">{LINK_URDF * 2}</robot>'.encode(),
    "a mass beyond the range": f'<robot name="x">{LINK_URDF}</robot>'.replace('value="1"', 'value="1e400"').encode(),
    "an inertia beyond the range": f'<robot name="x">{LINK_URDF}</robot>'.replace('ixx="1"', 'ixx="inf"').encode(),
    "a name of a megabyte": f'<robot name="{"y" * 1_000_000}">{LINK_URDF}</robot>'.encode(),
    "xacro": f'<robot name="x"><xacro:arm/>{LINK_URDF}</robot>'.encode(),
}


@pytest.mark.parametrize("what", NASTY_TOML)
def test_nasty_native_files_are_refused(what: str, tmp_path: Path) -> None:
    assert not assert_harmless(tmp_path / "nasty.toml", NASTY_TOML[what].encode())


@pytest.mark.parametrize("what", EXTREME_TOML)
def test_extreme_numbers_do_no_harm(what: str, tmp_path: Path) -> None:
    """Warnings are errors here, so overflow and 0/0 would show."""
    path = tmp_path / "extreme.toml"
    if assert_harmless(path, EXTREME_TOML[what].encode()):
        body = ls.load(path).links[0].body
        assert all(abs(value) < 1e300 for value in (body.mass, *body.com, *body.moment.ravel()))


@pytest.mark.parametrize("what", NASTY_URDF)
def test_nasty_urdf_files_are_refused(what: str, tmp_path: Path) -> None:
    assert not assert_harmless(tmp_path / "nasty.urdf", NASTY_URDF[what])


def test_long_chains_load_quickly(tmp_path: Path) -> None:
    """Nothing recursive, nothing quadratic that hurts."""
    links = ['name = "chain"']
    for i in range(600):
        parent = f'parent = "l{i - 1}"\n' if i else ""
        links.append(f'[[links]]\nname = "l{i}"\n{parent}mass = 1.0\ninertia = 0.1\n')
    assert assert_harmless(tmp_path / "chain.toml", "\n".join(links).encode())
