"""What is written reads back, what is copied is equal, and editing an arm keeps its physics."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import itertools
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from tests.strategies import (
    GEOMETRIES,
    NEAR_GEOMETRIES,
    Numbers,
    arms,
    calm,
    point_inertia,
    rigid_arms,
    serial_arms,
    states,
)

import lissom as ls
from lissom.model.record import Record

SHIPPED = sorted(ls.shipped())
# A few hundred roundings, relative to the size of the arm.
ROUNDING = 1e-13
# URDF writes rotations as three angles, read back through six sines and cosines per link of a chain of up to twelve.
URDF_ROUNDING = 1e-12
# A DH table cannot say a tiny angle between axes: its lengths grow as 1 / angle and rounding with them, or the angle is
# left out. The two losses meet at the square root of the rounding unit, 1.5e-8; three joints add up.
NEARLY_PARALLEL = 1e-7


# ---- shared ---------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `saved` puts its files."""
    return FILES.setdefault("folder", tmp_path_factory.mktemp("arms"))


FILES: dict[str, Path] = {}
NUMBERS = itertools.count()


def saved(arm: ls.Arm, ending: str = ".toml", **options: Any) -> Path:
    path = FILES["folder"] / f"arm{next(NUMBERS)}{ending}"
    ls.save(arm, path, **options)
    return path


def leaves(value: Any, path: str = "arm") -> Iterator[tuple[str, Any]]:
    """Every field of a record, down to numbers and arrays, with where it is; but for the folder it was read from."""
    if isinstance(value, Record):
        for f in dataclasses.fields(value):
            if f.name == "folder":
                continue
            yield from leaves(getattr(value, f.name), f"{path}.{f.name}")
    elif isinstance(value, tuple):
        yield f"len({path})", len(value)
        for i, item in enumerate(value):
            yield from leaves(item, f"{path}[{i}]")
    else:
        yield path, value


def bits(value: Any) -> Any:
    """A value such that equality means equal type and equal bits."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    return type(value), value.hex() if isinstance(value, float) else value


def assert_same_bits(a: Any, b: Any) -> None:
    assert {path: bits(value) for path, value in leaves(a)} == {path: bits(value) for path, value in leaves(b)}


def assert_frozen(record: Any) -> None:
    for path, value in leaves(record):
        assert not isinstance(value, np.ndarray) or not value.flags.writeable, f"{path} can be changed"


def carrier(arm: ls.Arm, link: ls.Link) -> str | None:
    """The moving link that a link is rigidly part of; None when it is fixed to the base."""
    while not link.joint.moves and link.parent is not None:
        link = arm.link(link.parent)
    return link.name if link.joint.moves else None


class Body:
    """Point-by-point sum of rigid bodies in world axes."""

    def __init__(self) -> None:
        self.mass, self.first, self.about_origin = 0.0, np.zeros(3), np.zeros((3, 3))

    def add(self, link: ls.Link, X: np.ndarray) -> None:
        body, R = link.body, X[:3, :3]
        c = R @ body.com + X[:3, 3]
        self.mass += body.mass
        self.first = self.first + body.mass * c
        self.about_origin = self.about_origin + R @ body.moment @ R.T + point_inertia(np.array([body.mass]), c[None])

    @property
    def com(self) -> np.ndarray:
        return self.first / self.mass if self.mass else np.zeros(3)

    @property
    def inertia(self) -> np.ndarray:
        return self.about_origin - point_inertia(np.array([self.mass]), self.com[None])


def moving_bodies(arm: ls.Arm, q: np.ndarray) -> dict[str, Body]:
    """What moves with each moving link, in world axes."""
    out: dict[str, Body] = {link.name: Body() for link in arm.links if link.joint.moves}
    for link, X in zip(arm.links, ls.poses(arm, q), strict=True):
        root = carrier(arm, link)
        if root is not None:
            out[root].add(link, X)
    return out


def whole_body(arm: ls.Arm, q: np.ndarray) -> Body:
    out = Body()
    for link, X in zip(arm.links, ls.poses(arm, q), strict=True):
        out.add(link, X)
    return out


OF_URDF = ("revolute", "prismatic", "fixed")  # it has no screws


def axis_lines(arm: ls.Arm, q: np.ndarray) -> dict[str, tuple[str, np.ndarray, np.ndarray]]:
    """Kind, a point and the direction of every moving joint's axis in the world, by link."""
    out = {}
    for link, X in zip(arm.links, ls.poses(arm, q), strict=True):
        if link.joint.moves:
            J = X @ np.linalg.inv(link.frame)
            out[link.name] = (link.joint.kind, J[:3, 3], J[:3, :3] @ link.joint.axis)
    return out


def size(arm: ls.Arm, q: np.ndarray) -> float:
    """All lengths that make up the arm, added [m]."""
    steps = [np.linalg.norm(X[:3, 3]) for link in arm.links for X in (link.joint.placement, link.frame, link.tip)]
    bodies = [np.linalg.norm(link.body.com) for link in arm.links]
    tools = [np.linalg.norm(tool.placement[:3, 3]) for link in arm.links for tool in link.tools]
    moved = zip(arm.moving_joints, arm.joint_positions(q), strict=True)
    slides = [abs(at) * (abs(joint.pitch) if joint.kind == "helical" else 1.0)
              for joint, at in moved if joint.kind in ("prismatic", "helical")]  # fmt: skip
    return float(sum(steps) + sum(slides) + max(bodies) + max(tools, default=0.0) + 0.1)


def assert_same_physics(a: ls.Arm, b: ls.Arm, qa: np.ndarray, qb: np.ndarray, tolerance: float) -> None:
    """Same moving bodies, joint axes and tool poses in the world; `tolerance` is a length [m]."""
    bodies_a, bodies_b = moving_bodies(a, qa), moving_bodies(b, qb)
    assert list(bodies_a) == list(bodies_b)
    reach = size(a, qa)
    for name, body in bodies_a.items():
        other = bodies_b[name]
        assert other.mass == pytest.approx(body.mass, rel=1e-14)
        assert np.abs(other.com - body.com).max() <= tolerance, f"centre of mass of {name!r}"
        assert np.abs(other.inertia - body.inertia).max() <= (body.mass + 1.0) * reach * tolerance, name
    lines_b = axis_lines(b, qb)
    for name, (kind, p, z) in axis_lines(a, qa).items():
        kind_b, p_b, z_b = lines_b[name]
        assert kind_b == kind
        assert np.abs(z_b - z).max() <= tolerance / min(reach, 1.0), f"direction of {name!r}"
        if kind != "prismatic":
            # distance of our point from their line: their own point may be far out along it
            assert np.linalg.norm(np.cross(p - p_b, z_b)) <= tolerance, f"axis of {name!r}"
    for name, frame in a.frames.items():
        if name in b.frames and name not in bodies_a and carrier(a, a.links[frame.link]) is not None:
            gap = np.abs(ls.pose(a, qa, name) - ls.pose(b, qb, name))
            assert gap[:3, 3].max() <= tolerance, f"origin of {name!r}"
            assert gap[:3, :3].max() <= tolerance / min(reach, 1.0), f"axes of {name!r}"


# ---- TOML ----------------------------------------------------------------------------------------------------------


def assert_toml_keeps(arm: ls.Arm) -> None:
    again = ls.load(saved(arm))
    assert again == arm
    assert again.digest == arm.digest
    assert (again.source, again.notes) == (arm.source, arm.notes)
    assert_same_bits(again, arm)


@calm(95)
@given(arms())
def test_toml_gives_back_every_field_bit_for_bit(arm: ls.Arm) -> None:
    assert_toml_keeps(arm)


@pytest.mark.parametrize("name", SHIPPED)
def test_toml_gives_back_shipped_arms_bit_for_bit(name: str) -> None:
    assert_toml_keeps(ls.load(name))


@calm(15)
@given(arms(max_links=5))
def test_toml_written_twice_is_the_same_text(arm: ls.Arm) -> None:
    path = saved(arm)
    assert saved(ls.load(path)).read_bytes() == path.read_bytes()


def test_toml_keeps_damping_that_is_zero_for_each_mode() -> None:
    """One ratio, or a list of ratios that are all zero: what is saved comes back the same."""
    beam = ls.Beam(0.7, 0.31, EI=3.3, modes=ls.Modes(bending_z=3), damping=[0.0, 0.0, 0.0])
    hub = {"mass": 0.2, "inertia": [0.001, 0.0011, 0.0012]}
    assert_toml_keeps(ls.Arm("soft", [ls.Link("boom", beam=beam, **hub)]))


# ---- copies, hashes and digests ------------------------------------------------------------------------------------


def assert_copies_equal(record: Any) -> None:
    for other in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record), copy.copy(record)):
        assert other == record
        assert hash(other) == hash(record)
        assert other.digest == record.digest
        assert_same_bits(other, record)
        assert_frozen(other)


@calm(35)
@given(arms())
def test_copies_are_equal_and_read_only(arm: ls.Arm) -> None:
    assert_frozen(arm)
    assert_copies_equal(arm)


@calm(15)
@given(serial_arms())
def test_copies_of_dh_tables_are_equal_and_read_only(arm: ls.Arm) -> None:
    assume(smallest_angle(arm) > 1e-3)  # nearly parallel axes may have no table
    assert_copies_equal(arm.to_dh())


@calm(25)
@given(arms(), st.data())
def test_one_unit_in_the_last_place_makes_another_arm(arm: ls.Arm, data: st.DataObject) -> None:
    link = data.draw(st.sampled_from(arm.links))
    com = np.nextafter(link.com, np.inf)
    other = arm.with_link(link.name, com=com)
    assert other != arm
    assert other.digest != arm.digest
    assert other.with_link(link.name, com=link.com) == arm


def flexible_tree() -> ls.Arm:
    """A small arm that has a bit of everything."""
    links = [
        ls.Link("post", joint=ls.Joint("fixed"), mass=3.1, tools={"eye": np.eye(4)}),
        ls.Link("upper", "post", ls.Joint(axis=(0, 1, 0), name="shoulder"), mass=1.7, com=(0.1, 0, 0), inertia=0.02),
        ls.Link("fore", "upper", mass=0.4, inertia=(0.01, 0.02, 0.02), beam=ls.Beam(0.63, 0.41, EI=7.7)),
        ls.Link("hand", "fore", mass=0.3, inertia=0.001, payload=ls.Payload(0.21, (0, 0, 0.07), 0.0003)),
    ]
    loop = ls.Loop((None, (0.2, 0.1, 0)), ("hand", (0, 0, 0.05)))
    return ls.Arm("mixed", links, loops=[loop], loads=[ls.Load("hand", force=(1.5, 0, 0))])


CHANGES: dict[str, Any] = {
    "name": lambda arm: arm.replace(name="other"),
    "gravity": lambda arm: arm.with_gravity((0, 0, -9.8)),
    "flexibility": lambda arm: arm.replace(flexibility="linear"),
    "kinematics_only": lambda arm: arm.replace(kinematics_only=True),
    "loops": lambda arm: arm.replace(loops=()),
    "loop joint": lambda arm: arm.replace(loops=[arm.loops[0].replace(joint="fixed")]),
    "loads": lambda arm: arm.replace(loads=[arm.loads[0].replace(moment=(0, 0, 1e-9))]),
    "link name": lambda arm: arm.with_link("hand", name="paw"),
    "link order": lambda arm: arm.replace(links=[*arm.links[:1], *arm.links[1:]][:3], loops=(), loads=()),
    "mass": lambda arm: arm.with_link("upper", mass=1.7000000001),
    "inertia": lambda arm: arm.with_link("upper", inertia=0.021),
    "frame": lambda arm: arm.with_link("upper", frame=np.diag([1.0, -1.0, -1.0, 1.0])),
    "payload": lambda arm: arm.with_payload(None),
    "tools": lambda arm: arm.with_link("post", tools={"eye2": np.eye(4)}),
    "shapes": lambda arm: arm.with_link("post", shapes=[ls.LinkShape("sphere", [0.1])]),
    "beam length": lambda arm: arm.with_link("fore", beam=arm.link("fore").beam.replace(length=0.64)),
    "beam modes": lambda arm: arm.with_link("fore", beam=arm.link("fore").beam.replace(modes=ls.Modes(3))),
    "beam damping": lambda arm: arm.with_link("fore", beam=arm.link("fore").beam.replace(damping=0.01)),
    "no beam": lambda arm: arm.with_link("fore", beam=None),
    "joint name": lambda arm: arm.with_joint("shoulder", name="shoulder2"),
    "joint type": lambda arm: arm.with_joint("shoulder", kind="prismatic"),
    "axis": lambda arm: arm.with_joint("shoulder", axis=(0, -1, 0)),
    "armature": lambda arm: arm.with_joint("shoulder", armature=1e-12),
    "actuated": lambda arm: arm.with_joint("shoulder", actuated=False),
    "limits": lambda arm: arm.with_joint("shoulder", limits=ls.Limits(jerk=30.0)),
    "elastic": lambda arm: arm.with_joint("shoulder", armature=0.1, elastic=ls.JointElasticity(100.0)),
    "mimic": lambda arm: arm.with_joint("shoulder", mimic=ls.Mimic("hand")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_field_changes_equality_and_digest(what: str) -> None:
    arm = flexible_tree()
    other = CHANGES[what](arm)
    assert other != arm
    assert other.digest != arm.digest
    assert len({arm, other, flexible_tree()}) == 2  # equal arms are one entry of a set


def test_source_and_notes_do_not_count() -> None:
    arm = flexible_tree()
    other = arm.replace(source="a drawing", notes=["read from paper"])
    assert other == arm
    assert (hash(other), other.digest) == (hash(arm), arm.digest)


def test_digest_is_the_same_in_a_fresh_process() -> None:
    shipped = [ls.load(name) for name in SHIPPED]
    files = [saved(arm) for arm in (*shipped, flexible_tree())]
    code = "import sys, lissom as ls\nfor path in sys.argv[1:]: print(ls.load(path).digest)"
    environment = {**os.environ, "PYTHONHASHSEED": "271828"}
    answer = subprocess.run(
        [sys.executable, "-c", code, *map(str, files)], capture_output=True, text=True, check=True, env=environment
    )
    assert answer.stdout.split() == [ls.load(path).digest for path in files]


# ---- Denavit-Hartenberg --------------------------------------------------------------------------------------------


def smallest_angle(arm: ls.Arm) -> float:
    """Sine of the smallest angle between neighbouring axes that are not parallel."""
    z = [line[2] for line in axis_lines(arm, arm.home * 0.0).values()]
    sines = [np.linalg.norm(np.cross(a, b)) for a, b in itertools.pairwise(z)]
    return float(min([s for s in sines if s > 1e-14], default=1.0))


def table_size(table: ls.DHTable) -> float:
    return sum(abs(row.a) + abs(row.d) for row in table.rows) + float(np.linalg.norm(table.base[:3, 3]))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@calm(65)
@given(arm=serial_arms(geometries=GEOMETRIES), data=st.data())
def test_dh_table_is_the_same_machine(convention: str, arm: ls.Arm, data: st.DataObject) -> None:
    assume(smallest_angle(arm) > 1e-3)  # smaller angles have a test of their own
    table = arm.to_dh(convention)
    again = table.arm()
    q = data.draw(states(arm)).q
    # lengths of a table need not exceed the arm's, but for axes at a small angle, whose feet are far out
    assert table_size(table) <= 10.0 * size(arm, 0.0 * q) / smallest_angle(arm)
    assert np.array_equal(again.gravity, arm.gravity)
    assert_same_physics(arm, again, q, q, ROUNDING * (size(arm, q) + table_size(table)))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@calm(25)
@given(arm=serial_arms(), data=st.data())
def test_dh_table_keeps_drives_limits_and_names(convention: str, arm: ls.Arm, data: st.DataObject) -> None:
    assume(smallest_angle(arm) > 1e-3)
    again = arm.to_dh(convention).arm()
    assert [link.name for link in again.links] == [link.name for link in arm.links if link.joint.moves]
    assert (again.name, again.coordinates) == (arm.name, arm.coordinates)
    for before, after in zip(arm.moving_joints, again.moving_joints, strict=True):
        plain = {"placement": np.eye(4), "axis": (0, 0, 1)}
        assert after.replace(**plain) == before.replace(**plain)
    q = data.draw(states(arm)).q
    assert np.array_equal(again.joint_positions(q), arm.joint_positions(q))


BODY = {"mass": 1.3, "com": (0.17, -0.03, 0.05), "inertia": (0.02, 0.03, 0.04)}


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("slide", [0.0, 0.7, -2.3])
def test_dh_table_of_skew_axes(convention: str, slide: float) -> None:
    """A joint's origin may lie anywhere on its axis, not only where the common normal meets it."""
    placement = np.array([[0, 0, 1, 0.4 + slide], [0, 1, 0, 0.3], [-1, 0, 0, 0.2], [0, 0, 0, 1.0]])
    arm = ls.Arm("skew", [ls.Link("a", **BODY), ls.Link("b", "a", ls.Joint(placement=placement), **BODY)])
    table, q = arm.to_dh(convention), np.array([0.7, -1.1])
    assert_same_physics(arm, table.arm(), q, q, ROUNDING * size(arm, q))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("angle", [1e-2, 1e-4, 3e-6, 3e-7, 0.0])
def test_dh_table_of_a_first_axis_along_x(convention: str, angle: float) -> None:
    """Frame 0 takes its x axis from the base where it can; close to that axis no digits may be lost."""
    arm = ls.Arm("along x", [ls.Link("a", joint=ls.Joint(axis=(np.cos(angle), 0.6 * angle, 0.8 * angle)), **BODY)])
    q = np.array([0.7])
    assert_same_physics(arm, arm.to_dh(convention).arm(), q, q, ROUNDING * size(arm, q))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("angle", [1e-4, 1e-6, 3e-8, 1e-9, 2e-10, 5e-11, 1e-13])
def test_dh_table_of_nearly_parallel_axes_is_close_or_refused(convention: str, angle: float) -> None:
    def tilted(x: float, y: float) -> np.ndarray:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, 0, s, x], [0, 1, 0, y], [-s, 0, c, 0.13], [0, 0, 0, 1.0]])

    names = ["a", "b", "c"]
    links = [
        ls.Link(name, parent, ls.Joint(placement=tilted(0.37, 0.11)), **BODY)
        for name, parent in zip(names, [None, *names], strict=False)
    ]
    arm, q = ls.Arm("almost planar", links), np.array([0.7, -1.1, 0.4])
    may_refuse = ls.UnsupportedError if 1e-12 < angle < 1e-6 else ()
    with contextlib.suppress(may_refuse):  # then the message says why, see below
        assert_same_physics(arm, arm.to_dh(convention).arm(), q, q, NEARLY_PARALLEL * size(arm, q))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@calm(60)
@given(arm=serial_arms(min_joints=2, max_links=5, geometries=NEAR_GEOMETRIES), data=st.data())
def test_dh_table_is_close_or_says_why_not(convention: str, arm: ls.Arm, data: st.DataObject) -> None:
    try:
        again = arm.to_dh(convention).arm()
    except ls.UnsupportedError as refusal:
        message = str(refusal)
    else:
        q = data.draw(states(arm)).q
        assert_same_physics(arm, again, q, q, NEARLY_PARALLEL * size(arm, q))
        return
    assert "nearly parallel" in message


@pytest.mark.parametrize("convention", ["standard", "modified"])
@calm(15)
@given(arm=serial_arms(geometries=GEOMETRIES, arm_features=("loads", "kinematics_only")), data=st.data())
def test_dh_table_keeps_standing_loads(convention: str, arm: ls.Arm, data: st.DataObject) -> None:
    """Loads on what does not move act on nothing; the others act where they did."""
    assume(smallest_angle(arm) > 1e-3)
    table = arm.to_dh(convention)
    again, q = table.arm(), data.draw(states(arm)).q
    felt = [load for load in arm.loads if carrier(arm, arm.links[arm.frames[load.link].link]) is not None]
    assert again.kinematics_only == arm.kinematics_only
    for before, after in zip(felt, again.loads, strict=True):
        assert (after.force.tolist(), after.moment.tolist()) == (before.force.tolist(), before.moment.tolist())
        gap = ls.pose(again, q, after.link, after.point) - ls.pose(arm, q, before.link, before.point)
        scale = size(arm, q) + table_size(table) + np.abs(before.point).max()
        assert np.abs(gap[:3, 3]).max() <= 10 * ROUNDING * scale  # the point is turned once more


def random_rows(pick: Numbers, count: int) -> list[ls.DH]:
    """Rows as textbooks have them: quarter turns, zeros, parallel axes, and generic ones."""

    def length() -> float:
        return float(pick.rng.choice([0.0, 0.15005, -0.4318, pick.some(-0.6, 0.6)]))

    def angle() -> float:
        return float(pick.rng.choice([0.0, np.pi / 2, -np.pi / 2, np.pi, pick.some(-3.0, 3.0)]))

    kinds = ["revolute", "revolute", "prismatic"]
    return [
        ls.DH(length(), angle(), length(), angle(), kinds[int(pick.rng.integers(3))], **pick.body(), name=f"row{i}")
        for i in range(count)
    ]


@pytest.mark.parametrize("convention", ["standard", "modified"])
@calm(35)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 7), data=st.data())
def test_rows_found_again_describe_the_same(convention: str, seed: int, count: int, data: st.DataObject) -> None:
    arm = ls.Arm.from_dh(random_rows(Numbers(seed), count), convention)
    table = arm.to_dh(convention)
    again = table.arm()
    q = data.draw(states(arm)).q
    assert_same_physics(arm, again, q, q, ROUNDING * (size(arm, q) + table_size(table)))
    assert again.to_dh(convention).convention == convention


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_rows_of_shipped_tables_come_back(name: str) -> None:
    """Their axes meet or are parallel, so only signs are free: twists and lengths agree in size."""
    arm = ls.load(name)
    table = arm.to_dh("standard")
    for link, row in zip(arm.links, table.rows, strict=True):
        alpha = np.arctan2(link.frame[2, 1], link.frame[2, 2])
        assert abs(np.sin(row.alpha)) == pytest.approx(abs(np.sin(alpha)), abs=ROUNDING)
        assert abs(row.a) == pytest.approx(abs(link.frame[0, 3]), abs=ROUNDING)
        assert row.mass == link.mass


# ---- URDF ----------------------------------------------------------------------------------------------------------


def through_urdf(arm: ls.Arm, q: np.ndarray) -> tuple[ls.Arm, np.ndarray]:
    """The arm read back, and the same posture in its order of coordinates."""
    again = ls.load(saved(arm, ".urdf", lossy=True), kinematics_only=True)
    position = dict(zip((joint.name for joint in arm.joints), q, strict=True))
    assert sorted(position) == sorted(joint.name for joint in again.joints)
    return again, np.array([position[joint.name] for joint in again.joints])


@calm(75)
@given(rigid_arms(kinds=OF_URDF), st.data())
def test_urdf_keeps_poses_and_bodies(arm: ls.Arm, data: st.DataObject) -> None:
    q = data.draw(states(arm)).q
    again, q_again = through_urdf(arm, q)
    reach = size(arm, q)
    for link, X in zip(arm.links, ls.poses(arm, q), strict=True):
        # URDF has no Link.frame: its link frame is the joint frame after the motion
        X_again = ls.pose(again, q_again, link.name)
        assert np.abs(X_again @ link.frame - X).max() <= URDF_ROUNDING * reach, link.name
        here, there = Body(), Body()
        here.add(link, X)
        there.add(again.link(link.name), X_again)
        assert there.mass == pytest.approx(here.mass, rel=1e-15)
        assert np.abs(there.com - here.com).max() <= URDF_ROUNDING * reach, link.name
        assert np.abs(there.inertia - here.inertia).max() <= URDF_ROUNDING * (here.mass + 1.0) * reach**2, link.name
        for tool in link.tools:
            gap = ls.pose(again, q_again, tool.name) - ls.pose(arm, q, tool.name)
            assert np.abs(gap).max() <= URDF_ROUNDING * reach, tool.name


@calm(35)
@given(rigid_arms(max_links=6, kinds=OF_URDF))
def test_urdf_keeps_what_it_can_say_of_joints(arm: ls.Arm) -> None:
    again, _ = through_urdf(arm, np.zeros(arm.dof))
    assert again.name == arm.name
    for before in arm.moving_joints:
        after = again.joint(before.name)
        assert (after.kind, after.damping, after.friction) == (before.kind, before.damping, before.friction)
        assert after.limits.position == before.limits.position
        assert after.mimic == before.mimic
        for word in ("velocity", "torque"):
            pair = getattr(before.limits, word)
            if pair is not None and pair[0] == -pair[1] != 0.0:
                assert getattr(after.limits, word) == pair


@calm(25)
@given(rigid_arms(max_links=6, kinds=OF_URDF))
def test_urdf_keeps_shapes(arm: ls.Arm) -> None:
    again, _ = through_urdf(arm, np.zeros(arm.dof))
    for link in arm.links:
        for before, after in zip(link.shapes, again.link(link.name).shapes, strict=True):
            assert (after.kind, after.file, after.role) == (before.kind, before.file, before.role)
            assert np.array_equal(after.size, before.size)
            assert np.abs(after.origin - link.frame @ before.origin).max() <= URDF_ROUNDING


@pytest.mark.parametrize("angle", [0.0, 1e-12, 3e-10, 2e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_urdf_keeps_rotations_near_a_quarter_turn_of_pitch(angle: float, turn: float) -> None:
    """Roll and yaw are nearly the same motion there; together they still say the rotation."""
    pick = Numbers(7)
    c, s = np.cos(turn * (np.pi / 2 - angle)), np.sin(turn * (np.pi / 2 - angle))
    pitch = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    yaw, roll = (np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]) for t in (0.83, -1.9))
    X = np.eye(4)
    X[:3, :3] = np.block([[yaw, np.zeros((2, 1))], [0, 0, 1]]) @ pitch @ np.block([[1, 0, 0], [np.zeros((2, 1)), roll]])
    arm = ls.Arm("gimbal", [ls.Link("only", joint=ls.Joint(placement=X), **pick.body())])
    again, q = through_urdf(arm, np.array([0.3]))
    assert np.abs(ls.pose(again, q, "only") - ls.pose(arm, [0.3], "only")).max() <= URDF_ROUNDING


# ---- editing -------------------------------------------------------------------------------------------------------


@calm(10)
@given(arms(max_links=8), st.data())
def test_merging_fixed_links_keeps_the_whole(arm: ls.Arm, data: st.DataObject) -> None:
    merged = arm.merge_fixed()
    q = data.draw(states(arm)).q
    reach = size(arm, q)
    assert merged.coordinates == arm.coordinates
    before, after = whole_body(arm, q), whole_body(merged, q)
    assert after.mass == pytest.approx(before.mass, rel=1e-14)
    assert np.abs(after.com - before.com).max() <= ROUNDING * reach
    assert np.abs(after.about_origin - before.about_origin).max() <= ROUNDING * (before.mass + 1.0) * reach**2
    assert set(merged.frames) == set(arm.frames)
    for name in arm.frames:
        assert np.abs(ls.pose(merged, q, name) - ls.pose(arm, q, name)).max() <= ROUNDING * (reach + 1.0), name
    if not arm.flexible:  # a flexible link on a fixed joint stays a link of its own
        assert_same_physics(arm, merged, q, q, ROUNDING * (reach + 1.0))


@calm(20)
@given(arms(max_links=8), st.data())
def test_merging_fixed_links_takes_loads_and_loops_along(arm: ls.Arm, data: st.DataObject) -> None:
    merged = arm.merge_fixed()
    q = data.draw(states(arm)).q

    def place(arm: ls.Arm, link: str | None, frame: np.ndarray) -> np.ndarray:
        return frame if link is None else ls.pose(arm, q, link) @ frame

    for before, after in zip(arm.loops, merged.loops, strict=True):
        assert after.joint == before.joint
        for end in ("a", "b"):
            gap = place(merged, *getattr(after, end)) - place(arm, *getattr(before, end))
            assert np.abs(gap).max() <= ROUNDING * (size(arm, q) + 1.0)
    for before, after in zip(arm.loads, merged.loads, strict=True):
        assert np.array_equal(after.force, before.force)
        assert np.array_equal(after.moment, before.moment)
        gap = ls.pose(merged, q, after.link, after.point) - ls.pose(arm, q, before.link, before.point)
        assert np.abs(gap[:3, 3]).max() <= ROUNDING * (size(arm, q) + np.abs(before.point).max())


@calm(15)
@given(arms())
def test_merging_twice_changes_nothing_more(arm: ls.Arm) -> None:
    merged = arm.merge_fixed()
    assert merged.merge_fixed() == merged
    assert all(link.joint.moves or link.flexible or carrier(merged, link) is None for link in merged.links)


@calm(20)
@given(arms(max_links=8), st.data())
def test_subtree_moves_as_it_did_in_the_arm(arm: ls.Arm, data: st.DataObject) -> None:
    root = data.draw(st.sampled_from(arm.links))
    part = arm.subtree(root.name)
    q = data.draw(states(arm)).q
    position = dict(zip(arm.coordinates, q, strict=True))
    # a joint that follows one outside is free in the subtree
    position |= dict(zip((joint.name for joint in arm.moving_joints), arm.joint_positions(q), strict=True))
    q_part = np.array([position[word] for word in part.coordinates])
    base = np.eye(4)
    if root.parent is not None:
        base = ls.pose(arm, q, root.parent) @ arm.link(root.parent).tip
    for name in part.frames:
        gap = base @ ls.pose(part, q_part, name) - ls.pose(arm, q, name)
        assert np.abs(gap).max() <= ROUNDING * (size(arm, q) + 1.0), name


@calm(35)
@given(arms(), st.data())
def test_subtree_holds_exactly_the_descendants(arm: ls.Arm, data: st.DataObject) -> None:
    root = data.draw(st.sampled_from(arm.links)).name

    def hangs_on_root(link: ls.Link) -> bool:
        while link.name != root and link.parent is not None:
            link = arm.link(link.parent)
        return link.name == root

    part = arm.subtree(root, name="part")
    assert [link.name for link in part.links] == [link.name for link in arm.links if hangs_on_root(link)]
    assert part.links[0].parent is None
    assert part.name == "part"
    lost = [loop for loop in arm.loops if not {loop.a[0], loop.b[0]} <= set(part.frames)]
    assert len(part.loops) == len(arm.loops) - len(lost)
    assert bool(lost) <= any("loop closures" in note for note in part.notes)
    assert part.loads == tuple(load for load in arm.loads if load.link in part.frames)


@calm(35)
@given(arms(), st.data())
def test_renaming_a_link_there_and_back_gives_the_arm_again(arm: ls.Arm, data: st.DataObject) -> None:
    old = data.draw(st.sampled_from(arm.links)).name
    renamed = arm.with_link(old, name="a name no other link has")
    assert renamed != arm
    assert old not in renamed.frames
    assert renamed.with_link("a name no other link has", name=old) == arm


@calm(25)
@given(arms(), st.data())
def test_renaming_a_joint_there_and_back_gives_the_arm_again(arm: ls.Arm, data: st.DataObject) -> None:
    old = data.draw(st.sampled_from(arm.links)).joint.name
    renamed = arm.with_joint(old, name="a name no other joint has")
    assert renamed.with_joint("a name no other joint has", name=old) == arm


@calm(25)
@given(arms(), st.data())
def test_payload_replaces_what_the_link_carried(arm: ls.Arm, data: st.DataObject) -> None:
    by_default = [None] if len(arm.ends) == 1 else []  # a tree with several ends asks for the link
    name = data.draw(st.sampled_from([*by_default, *(link.name for link in arm.links)]))
    link = arm.link(arm.ends[0] if name is None else name)
    load = ls.Payload(2.37, (0.03, -0.07, 0.11), (0.002, 0.003, 0.004))
    carrying = arm.with_payload(load, link=name)
    already = link.payload.mass if link.payload is not None else 0.0
    # masses of a dozen links are summed in one order; only the last digits may differ
    assert carrying.mass == pytest.approx(arm.mass - already + 2.37, rel=1e-13)
    assert carrying.link(link.name).payload == load
    assert carrying.with_payload(link.payload, link=name) == arm


@calm(15)
@given(arms())
def test_gravity_is_the_only_thing_that_with_gravity_changes(arm: ls.Arm) -> None:
    other = arm.with_gravity((1.7, -0.3, 8.8))
    assert other.gravity.tolist() == [1.7, -0.3, 8.8]
    assert other.replace(gravity=arm.gravity) == arm
    assert (other.source, other.notes) == (arm.source, arm.notes)


def test_with_link_and_with_joint_change_one_thing() -> None:
    arm = ls.load("tree_demo")
    other = arm.with_link("finger", mass=0.11).with_joint("swing", damping=0.7, axis=(0, 3, 4))
    assert other.link("finger") == arm.link("finger").replace(mass=0.11)
    assert other.joint("swing").damping == 0.7
    assert np.abs(other.joint("swing").axis - [0, 0.6, 0.8]).max() < 1e-15
    same = [link for link in other.links if link == arm.link(link.name)]
    assert len(same) == len(arm.links) - 2


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda arm: arm.with_link("finger", mas=1.0), "did you mean 'mass'"),
        (lambda arm: arm.with_joint("swing", dampng=1.0), "did you mean 'damping'"),
        (lambda arm: arm.with_link("fingr", mass=1.0), "did you mean 'finger'"),
        (lambda arm: arm.with_joint("swng", damping=1.0), "did you mean 'swing'"),
        (lambda arm: arm.subtree("left_uper"), "did you mean 'left_upper'"),
        (lambda arm: arm.with_payload(ls.Payload(1.0), link="colunm"), "did you mean 'column'"),
        (lambda arm: arm.with_link("finger", mass=-0.2), "link 'finger': mass is -0.2"),
        (lambda arm: arm.with_gravity((0, np.nan, 0)), r"gravity\[1\] is nan"),
    ],
)
def test_edits_that_cannot_be_are_refused(edit: Any, words: str) -> None:
    with pytest.raises(ls.ModelError, match=words):
        edit(ls.load("tree_demo"))
