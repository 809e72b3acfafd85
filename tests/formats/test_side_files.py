"""Links of an arm made flexible by a side file: the same machine when it is not bent, and beams in their places."""

import re
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz import good_files
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.dynamics.flexible_links import flexible_bodies
from lissom.formats import side_file

UR10 = Path(
    sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots", "ur_description", "urdf",
    "ur10_robot.urdf",
)  # fmt: skip
FOREARM = '[[links]]\nname = "forearm_link"\n[links.beam]\nEI = 900.0\nmodes = { bending_z = 2, bending_y = 1 }\n'
RNG = np.random.default_rng(11)


def load(folder, side, source=UR10, **options):
    (folder / "side.toml").write_text(side, encoding="utf-8")
    return ls.load(source, flexible=folder / "side.toml", **options)


@pytest.fixture(scope="module")
def rigid():
    return ls.load(UR10)


@pytest.fixture
def soft(tmp_path):
    return load(tmp_path, FOREARM)


def test_undeformed_poses_are_the_rigid_ones(rigid, soft):
    """To 1e-12, every link but the one that bends; that one has the same origin and x along the beam."""
    for q in RNG.uniform(-2, 2, (5, 6)):
        old, new = ls.poses(rigid, q), ls.poses(soft, q)
        k = rigid.index("forearm_link")
        others = np.arange(len(rigid.links)) != k
        assert np.abs(old[others] - new[others]).max() < 1e-12
        assert np.abs(old[k][:3, 3] - new[k][:3, 3]).max() < 1e-12
        # in the URDF's axes the beam lies along z, and the elbow turns about y
        assert (
            np.abs(new[k][:3, :3] - old[k][:3, [0, 1, 2]] @ np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])).max() < 1e-12
        )
        tip = ls.pose(soft, q, "forearm_link.tip")
        assert np.abs(tip[:3, 3] - old[k + 1][:3, 3]).max() < 1e-12


def test_mass_and_length(rigid, soft):
    beam = soft.link("forearm_link").beam
    assert beam.length == pytest.approx(0.5723, rel=1e-12)
    assert soft.mass == pytest.approx(rigid.mass, rel=1e-12)
    assert soft.link("forearm_link").mass == 0.0
    assert any("3.87 kg became flexible, 3.87 kg" in note for note in soft.notes)
    assert "side file side.toml" in soft.source


def test_shapes_for_pictures_stay(rigid, soft):
    k = rigid.index("forearm_link")
    q = RNG.uniform(-2, 2, 6)
    for old, new in zip(rigid.links[k].shapes, soft.links[k].shapes, strict=True):
        assert np.abs(ls.poses(rigid, q)[k] @ old.origin - ls.poses(soft, q)[k] @ new.origin).max() < 1e-12


def test_stiff_beams_are_the_rigid_arm(tmp_path):
    """Locked modes: the dynamics is that of the arm whose forearm is the straight beam as a rigid body."""
    arm = load(tmp_path, FOREARM + "gyration = [0.03, 0.04]\n")
    link = arm.link("forearm_link")
    body = link.beam.undeformed
    child = arm.link("wrist_1_link")
    stiff = arm.replace(links=[
        part.replace(beam=None, mass=body.mass, com=body.com, inertia=body.moment) if part is link else
        part.replace(joint=part.joint.replace(placement=link.tip @ part.joint.placement)) if part is child else part
        for part in arm.links
    ])  # fmt: skip
    q, qd, qdd = RNG.uniform(-1, 1, (3, 6))
    tau = ls.inverse_dynamics(arm, q, qd, qdd)[arm.joint_index]
    assert tau == pytest.approx(ls.inverse_dynamics(stiff, q, qd, qdd), rel=1e-10)
    hard = load(tmp_path, FOREARM.replace("900.0", "9e11"))
    bent = ls.inverse_dynamics(hard, q, qd, qdd)[hard.mode_index]  # what its modes have to hold, over their stiffness
    K = np.diag(flexible_bodies(hard)[hard.index("forearm_link")].K)
    assert np.abs(bent / K).max() < 1e-8


def test_first_frequency_is_that_of_a_cantilever(rigid, soft):
    """Joints locked at zero: a beam with the wrists at its end, as a tip with mass, inertia and offset.

    Bending about the elbow's axis hardly feels the other plane: two percent, for the wrists' offset along that axis.
    """
    beam = soft.link("forearm_link").beam
    found = ls.modes(soft.with_gravity((0, 0, 0)), np.zeros(6), joints="locked", count=2)
    wrists = rigid.subtree("wrist_1_link")  # seen from the forearm's frame
    offset = ls.centre_of_mass(wrists, np.zeros(3))[2] - 0.5723
    inertia = ls.mass_matrix(wrists, np.zeros(3))[0, 0]  # about the first wrist's axis, which is the elbow's
    tip = ls.Tip(wrists.mass, inertia, wrists.mass * offset)
    k = int(np.argmax(np.abs(found.shapes[soft.coordinates.index("forearm_link.bending_z1")])))
    assert found.frequencies_hz[k] == pytest.approx(ls.beam_modes(beam, tip, 1).frequencies_hz[0], rel=0.02)
    lumped = np.sqrt(3 * 900.0 / beam.length**3 / (wrists.mass + 33 / 140 * beam.mass)) / (2 * np.pi)
    assert lumped / 1.3 < found.frequencies_hz[k] < lumped  # the size of the wrists makes it slower


def test_oblique_links(tmp_path, rigid):
    """The upper arm's next joint is beside it: its beam goes straight there, and carries everything."""
    side = FOREARM + FOREARM.replace("forearm_link", "upper_arm_link").replace("900.0", "4e4")
    arm = load(tmp_path, side, fixed="merge")
    merged = rigid.merge_fixed()
    assert arm.link("upper_arm_link").beam.length == pytest.approx(np.hypot(0.1719, 0.612))
    assert arm.mass == pytest.approx(rigid.mass)
    for q in RNG.uniform(-2, 2, (3, 6)):
        assert np.abs(ls.pose(arm, q, "tool0") - ls.pose(merged, q, "tool0")).max() < 1e-12
        assert np.abs(ls.pose(arm, q, "wrist_2_link") - ls.pose(merged, q, "wrist_2_link")).max() < 1e-12


ALONG = """\
[[links]]
name = "upper_arm"
at = { valve = 0.1, camera = "nearest" }
[links.beam]
EI = 900.0
gyration = [0.02, 0.02]
modes = { bending_z = 1 }
"""


@pytest.fixture
def with_valve(tmp_path):
    (tmp_path / "arm.toml").write_text(good_files.ARM_WITH_VALVE_TOML)
    return tmp_path / "arm.toml"


def test_children_along_the_beam(tmp_path, with_valve):
    rigid, arm = ls.load(with_valve), load(tmp_path, ALONG, with_valve)
    length = float(np.hypot(0.4, 0.1))
    assert arm.link("upper_arm").beam.length == pytest.approx(length)  # to the forearm, the only other child
    assert arm.link("valve").joint.at == 0.1
    assert arm.link("camera").joint.at == pytest.approx((0.3 * 0.4 + 0.1 * 0.1) / length)
    assert arm.link("forearm").joint.at is None
    assert not any("hangs on its tip" in note for note in arm.notes)
    q = np.zeros(arm.dof)
    q[arm.joint_index] = at = RNG.uniform(-2, 2, 3)
    for name in ("valve", "camera", "forearm", "grip"):
        assert np.abs(ls.pose(arm, q, name) - ls.pose(rigid, at, name)).max() < 1e-12
    q[arm.mode_index] = 0.01  # the valve moves with its section, less than what sits further out
    shifts = [np.linalg.norm((ls.pose(arm, q, name) - ls.pose(rigid, at, name))[:3, 3])
              for name in ("valve", "camera", "forearm")]  # fmt: skip
    assert 0 < shifts[0] < shifts[1] < shifts[2]
    ls.save(arm, tmp_path / "native.toml")
    assert ls.load(tmp_path / "native.toml").links == arm.links


@pytest.mark.parametrize(
    ("at", "message"),
    {
        "{ valv = 0.1 }": "at names 'valv', which is not one of its children; did you mean 'valve'",
        "{ forearm = 0.1, valve = 0.1, camera = 0.1 }": "it has no child apart from those in at, so its beam",
        '{ valve = "middle" }': "at is 'middle' for 'valve'; expected a distance or 'nearest'",
        "{ valve = nan }": "at of 'valve' is nan; expected a finite number",
        "{ valve = -0.1 }": "at of 'valve' is -0.1; expected at least 0",
        "{ valve = 0.5, camera = 0.1 }": "at is 0.5 for 'valve', beyond the end of the beam, 0.412311 m",
        "[0.1]": "at is \\[0.1\\]; expected a table",
    }.items(),
)
def test_places_along_the_beam_that_are_none(tmp_path, with_valve, at, message):
    side = ALONG.replace('{ valve = 0.1, camera = "nearest" }', at)
    with pytest.raises(ls.ModelError, match=rf"side.toml:[13] link 'upper_arm': {message}"):
        load(tmp_path, side, with_valve)


def test_the_child_that_the_beam_leads_to_does_not_sit_along_it(tmp_path, with_valve):
    side = ALONG.replace("[links.beam]", 'child = "valve"\n[links.beam]')
    with pytest.raises(ls.ModelError, match="at names 'valve', the child at the end of the beam; leave it out of at"):
        load(tmp_path, side, with_valve)


def test_hubs(tmp_path, rigid):
    hub = "hub = { mass = 0.5, com = [0.0, 0.01, 0.02], inertia = [0.001, 0.002, 0.0025] }\n[links.beam]"
    arm = load(tmp_path, FOREARM.replace("[links.beam]", hub))
    link = arm.link("forearm_link")
    assert arm.mass == pytest.approx(rigid.mass)
    assert link.beam.mass == pytest.approx(3.87 - 0.5)
    assert link.com == pytest.approx([0.02, 0.0, 0.01])  # from the URDF's axes to the beam's
    assert np.diag(link.inertia) == pytest.approx([0.0025, 0.001, 0.002])
    rest = load(tmp_path, FOREARM.replace("[links.beam]", 'hub = "rest"\n[links.beam]\nmass_per_length = 4.0'))
    assert rest.mass == pytest.approx(rigid.mass)
    assert rest.link("forearm_link").mass == pytest.approx(3.87 - 4.0 * 0.5723)
    light = load(tmp_path, FOREARM + "mass_per_length = 2.0\n")
    assert light.mass == pytest.approx(rigid.mass - 3.87 + 2.0 * 0.5723)


def test_a_centre_of_mass_that_moves_is_noted(tmp_path):
    (uniform,) = [note for note in load(tmp_path, FOREARM).notes if "became flexible" in note]
    assert "centre of mass" not in uniform  # that of the URDF is in the middle of the beam
    rest = FOREARM.replace("[links.beam]", 'hub = "rest"\n[links.beam]\nmass_per_length = 4.0')
    (note,) = [note for note in load(tmp_path, rest).notes if "became flexible" in note]
    middle = 4.0 * 0.5723**2 / 2 / 3.87
    assert note.endswith(f"moves from (0, 0, 0.28615) to (0, 0, {middle:.6g}) m in the axes of the rigid link.")
    for verb in ("info", "check"):
        shown = CliRunner().invoke(
            app, [verb, str(UR10), "--flexible", str(tmp_path / "side.toml")], env={"COLUMNS": "300"}
        )
        assert f"to (0, 0, {middle:.6g}) m" in shown.output, verb


def test_end_and_z(tmp_path, rigid):
    """A shorter beam in another direction, turned about itself; joints stay where they are."""
    side = FOREARM.replace("[links.beam]", "end = [0.0, 0.1, 0.5]\nz = [1.0, 0.0, 0.0]\n[links.beam]")
    arm = load(tmp_path, side)
    q = RNG.uniform(-2, 2, 6)
    assert arm.link("forearm_link").beam.length == pytest.approx(np.hypot(0.1, 0.5))
    assert np.abs(ls.pose(arm, q, "wrist_3_link") - ls.pose(rigid, q, "wrist_3_link")).max() < 1e-12
    k = rigid.index("forearm_link")
    assert np.abs(ls.poses(arm, q)[k][:3, 2] - ls.poses(rigid, q)[k][:3, 0]).max() < 1e-12
    last = load(
        tmp_path,
        '[[links]]\nname = "wrist_3_link"\nchild = "tool0"\n[links.beam]\nEI = 50.0\ngyration = [0.02, 0.02]\n',
    )
    assert last.link("wrist_3_link").beam.length == pytest.approx(0.0922)
    assert np.abs(ls.pose(last, q, "ee_link") - ls.pose(rigid, q, "ee_link")).max() < 1e-12
    assert any("'ee_link', 'tool0'" in note for note in last.notes)


def test_native_and_dh_arms(tmp_path):
    """Standard DH frames sit at the far end of a link; loads, tools, payloads and loops move along."""
    arm = ls.load("puma560")
    name = arm.links[1].name
    tool = np.eye(4)
    tool[:3, 3] = 0.1, 0.2, -0.05
    arm = arm.with_link(name, tools={"bracket": tool}, payload=ls.Payload(0.7, (0.1, 0.0, 0.02), (0.01, 0.02, 0.02)))
    arm = arm.replace(
        loads=[ls.Load(name, force=(1, 2, 3), point=(-0.2, 0, 0))],
        loops=[ls.Loop((name, (0.1, 0.2, 0.3)), (None, (0, 0, 0)))],
    )
    ls.save(arm, tmp_path / "puma.toml")
    side = f'[[links]]\nname = "{name}"\nz = [0.0, 0.0, 1.0]\n[links.beam]\nEI = 3e4\nmodes = {{ bending_z = 1 }}\n'
    soft = load(tmp_path, side, tmp_path / "puma.toml")
    q = RNG.uniform(-1, 1, 6)
    for frame in ("bracket", arm.links[2].name, arm.links[5].name):
        assert np.abs(ls.pose(soft, q, frame) - ls.pose(arm, q, frame)).max() < 1e-12
    before, after = (ls.pose(a, q, name, point=a.loads[0].point) for a in (arm, soft))
    assert np.abs(before[:3, 3] - after[:3, 3]).max() < 1e-12
    ends = [ls.poses(a, q)[1] @ a.loops[0].a[1] for a in (arm, soft)]
    assert np.abs(ends[0] - ends[1]).max() < 1e-12
    assert soft.mass == pytest.approx(arm.mass)
    k = arm.links[1]
    root = ls.pose(arm, q, name) @ np.linalg.inv(k.frame)
    assert np.abs(ls.pose(soft, q, name)[:3, 3] - root[:3, 3]).max() < 1e-12


def test_modal_integrals_in_a_side_file(tmp_path, rigid):
    """Their axes are the link's own; the file is beside the side file."""
    beam = ls.Beam(0.5723, 3.87 / 0.5723, EI=900.0)
    data = {"C": np.diag([3.87, 3.87 * 0.5723**2 / 3, 0, 0]) / 2, "Ck": np.zeros((1, 4, 4)), "D": [[0.0]],
            "Ckl": np.zeros((1, 1, 4, 4)), "K": [[3000.0]], "tip": [0, 0, 0.5723], "tip_shift": [[1.0, 0, 0]],
            "tip_turn": [[0, 2.0, 0]]}  # fmt: skip
    data["Ckl"][0, 0, 1, 1] = 0.4
    np.savez(tmp_path / "forearm.npz", **data)
    side = '[[links]]\nname = "forearm_link"\n[links.modal_integrals]\nfile = "forearm.npz"\n'
    arm = load(tmp_path, side)
    q = RNG.uniform(-2, 2, 6)
    assert np.abs(ls.poses(arm, q) - ls.poses(rigid, q)).max() < 1e-12
    assert arm.mass == pytest.approx(rigid.mass - 3.87 + beam.mass)
    with pytest.raises(ls.ModelError, match=r"side\.toml:3 link 'forearm_link': child is for beams"):
        load(tmp_path, side.replace("[links.modal", 'child = "wrist_1_link"\n[links.modal'))


def test_saved(tmp_path, soft):
    ls.save(soft, tmp_path / "soft.toml")
    assert ls.load(tmp_path / "soft.toml") == soft


BAD = {
    "unknown link": (FOREARM.replace("forearm_link", "forarm_link"), "there is no link .*did you mean 'forearm_link"),
    "unknown key": (FOREARM.replace("EI", "EJ"), "EJ is not a key of a beam; known: length"),
    "unknown link key": (FOREARM.replace("[links.beam]", "hbu = 1\n[links.beam]"), "hbu is not a key of a link"),
    "unknown top": ("[[link]]\n" + FOREARM, "link is not a key of the file; did you mean 'links'"),
    "version": ("lissom_flexible = 2\n" + FOREARM, "lissom_flexible is 2"),
    "nothing": ("lissom_flexible = 1\n", "it names no links"),
    "no beam": ('[[links]]\nname = "forearm_link"\n', "either .links.beam. or .links.modal_integrals."),
    "no name": ("[[links]]\n[links.beam]\nEI = 1.0\n", "name is missing"),
    "twice": (FOREARM + FOREARM, "it is flexible already"),
    "several children": (
        FOREARM.replace("forearm_link", "wrist_3_link"), r"it has several children \('ee_link', 'tool0'\); .*child = ",
    ),
    "wrong child": (
        FOREARM.replace("[links.beam]", 'child = "wrist_2_link"\n[links.beam]'),
        "child 'wrist_2_link' is not one of its children; did you mean 'wrist_1_link'",
    ),
    "no child": (FOREARM.replace("forearm_link", "tool0"), "it has no child.*give end"),
    "no length": (FOREARM.replace("forearm_link", "world"), "too short for a beam. Give end"),
    "along": (FOREARM.replace("[links.beam]", "z = [0, 0, 2]\n[links.beam]"), "z is .*lies along the beam"),
    "massless": (
        '[[links]]\nname = "tool0"\nend = [0.1, 0, 0]\n[links.beam]\nEI = 1.0\n', "leave nothing for the beam",
    ),
    "heavy hub": (FOREARM.replace("[links.beam]", "hub = { mass = 4.0 }\n[links.beam]"), "leave nothing for the beam"),
    "rest": (FOREARM.replace("[links.beam]", 'hub = "rest"\n[links.beam]'), "give mass_per_length as a number"),
    "no rest": (
        FOREARM.replace("[links.beam]", 'hub = "rest"\n[links.beam]\nmass_per_length = 40'), "heavier than the link by",
    ),
    "hub": (FOREARM.replace("[links.beam]", "hub = 3.0\n[links.beam]"), "hub is 3.0; expected a table"),
    "stiffness": (FOREARM.replace("900.0", "-900.0"), "EI_y is -900"),
    "child type": (FOREARM.replace("[links.beam]", "child = [1]\n[links.beam]"), "child is .1.; expected text"),
    "length type": (FOREARM + 'length = "long"\n', "length is 'long'"),
    "rest length": (
        FOREARM.replace("[links.beam]", 'hub = "rest"\n[links.beam]\nlength = "a"\nmass_per_length = 4'), "length is",
    ),
    "notes": ('notes = "x"\n' + FOREARM, "notes is not a list"),
    "source": ("source = 3\n" + FOREARM, "source is 3; expected text"),
    "rows": ("links = 3\n", "links is not a list of tables"),
    "beam type": ('[[links]]\nname = "forearm_link"\nbeam = 3\n', "beam is 3; expected a table"),
    "end": (FOREARM.replace("[links.beam]", "end = [1.0]\n[links.beam]"), r"end has shape \(1,\)"),
    "along its axis": (
        FOREARM.replace("forearm_link", "wrist_3_link").replace("[links.beam]", 'child = "tool0"\n[links.beam]'),
        "lies on the joint's axis .*Give its beam gyration",
    ),
    "modes": (FOREARM.replace("modes =", "modes_ ="), "modes_ is not a key"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_refusals(case, tmp_path):
    side, sentence = BAD[case]
    with pytest.raises(ls.ModelError, match=sentence) as refused:
        load(tmp_path, side)
    assert refused.value.file.endswith("side.toml")


def test_no_side_file(tmp_path):
    with pytest.raises(ls.ModelError, match=r"none\.toml: it does not exist"):
        ls.load(UR10, flexible=tmp_path / "none.toml")
    with pytest.raises(ls.InputError, match="flexible is True; expected the path"):
        ls.load(UR10, flexible=True)


def test_commands_take_side_files(tmp_path):
    (tmp_path / "side.toml").write_text(FOREARM, encoding="utf-8")
    said = CliRunner().invoke(app, ["info", str(UR10), "--flexible", str(tmp_path / "side.toml")])
    assert said.exit_code == 0, said.output
    assert "forearm_link: beam 0.5723 m, 3.87 kg" in said.output
    made = ["convert", str(UR10), str(tmp_path / "soft.toml"), "--flexible", str(tmp_path / "side.toml")]
    assert CliRunner().invoke(app, made).exit_code == 0
    assert ls.load(tmp_path / "soft.toml").dof == 9
    (tmp_path / "side.toml").write_text(FOREARM.replace("forearm", "forarm"), encoding="utf-8")
    for words in (["check", str(UR10)], ["linearise", str(UR10)], ["draw", str(UR10)]):
        refused = CliRunner().invoke(app, [*words, "--flexible", str(tmp_path / "side.toml")])
        assert refused.exit_code == 1
        assert "did you mean 'forearm_link'" in refused.output


def test_the_page(tmp_path):
    """Its file loads, and it names every key."""
    page = (Path(__file__).parents[2] / "docs" / "side-file.md").read_text(encoding="utf-8")
    block, _ = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    arm = load(tmp_path, block)
    assert arm.dof == 11
    assert "tube 80 x 4 mm" in arm.source
    assert all(f"`{key}`" in page or f"[links.{key}]" in page for key in side_file.LINK)
