"""Mistakes that were once in the model and its readers, each with the case that showed it."""

import numpy as np
import pytest

import lissom as ls
from lissom.spatial.frames import inverse, pose, translation
from lissom.spatial.rotations import about_axis


def rod(name="rod", parent=None, **fields):
    return ls.Link(name, parent, **{"mass": 1.3, "com": (0.2, 0.01, -0.03), "inertia": (0.002, 0.03, 0.031), **fields})


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("name", ["puma560", "stanford", "two_link"])
def test_dh_tables_of_shipped_arms_are_the_same_machine(name, convention):
    arm = ls.load(name)
    again = arm.to_dh(convention).arm()
    q = np.linspace(0.3, 0.9, arm.dof)
    tau = ls.inverse_dynamics(arm, q, q, q)
    assert again.coordinates == arm.coordinates
    assert np.allclose(ls.inverse_dynamics(again, q, q, q), tau, rtol=1e-12, atol=1e-12)


def test_dh_tables_keep_joint_names_gravity_and_loads():
    follower = ls.Joint(axis=(0, 1, 0), mimic=ls.Mimic("j1"), name="j2")
    arm = ls.Arm(
        "named",
        [rod("a", joint=ls.Joint(name="j1")), rod("b", "a", joint=follower)],
        gravity=(1, 2, 3),
        loads=[ls.Load("b", force=(4, 5, 6), point=(0.1, 0.2, 0.3))],
    )  # fmt: skip
    again = arm.to_dh().arm()
    assert again.coordinates == ("j1",)
    assert again.mimics == {"j2": ls.Mimic("j1")}
    q = np.array([0.4])
    assert np.allclose(ls.inverse_dynamics(again, q, q, q), ls.inverse_dynamics(arm, q, q, q), rtol=1e-12)


def slides(seed):
    """Four prismatic joints on one body: it cannot have four independent accelerations."""
    rng = np.random.default_rng(seed)
    links = [
        ls.Link(f"s{k}", f"s{k - 1}" if k else None, ls.Joint("prismatic", axis=rng.normal(size=3))) for k in range(3)
    ]
    return [*links, rod("end", "s2", joint=ls.Joint("prismatic", axis=rng.normal(size=3)), mass=10.0)]


@pytest.mark.parametrize("seed", range(20))
def test_too_many_joints_on_one_body_are_refused(seed):
    with pytest.raises(ls.ModelError, match="moves no inertia"):
        ls.Arm("slides", slides(seed))


def test_a_thin_shaft_far_from_its_frame_is_not_refused():
    shaft = ls.Link("spin", mass=1e3, com=(0, 0, 50), inertia=(1e-8, 1e-8, 1e-8))
    assert ls.Arm("shaft", [shaft]).dof == 1


def test_urdf_root_with_a_frame_keeps_its_children_in_place(tmp_path):
    T = translation(0.3, 0.2, 0.1)
    root = ls.Link("root", joint=ls.Joint("fixed", T), frame=inverse(T))
    arm = ls.Arm("r", [root, rod("a", "root", joint=ls.Joint(placement=translation(0, 0, 0.5)))])
    ls.save(arm, tmp_path / "r.urdf")
    assert np.allclose(ls.pose(ls.load(tmp_path / "r.urdf"), [0.2], "a"), ls.pose(arm, [0.2], "a"))


def test_inverse_kinematics_leaves_other_branches_alone():
    arm = ls.load("tree_demo")
    lower, upper = arm.bounds("position")
    inside = np.clip(np.random.default_rng(0).uniform(-1, 1, (10, 7)), lower, upper)
    found = ls.inverse_kinematics(arm, ls.pose(arm, inside, "left_grip"), "left_grip", match="position")
    idle = [k for k, joint in enumerate(arm.joints) if joint.name in ("finger_slide", "right_shoulder", "swing")]
    assert np.array_equal(found.q[:, idle], np.tile(arm.home[idle], (10, 1)))


def test_generators_are_read_once_and_kept():
    shapes = [ls.LinkShape("sphere", (0.1,)), ls.LinkShape("sphere", (0.2,))]
    assert len(rod(shapes=(s for s in shapes)).shapes) == 2
    assert len(rod(tools=(ls.Tool(word) for word in "ab")).tools) == 2
    with pytest.raises(ls.ModelError, match="shapes is None"):
        rod(shapes=None)
    with pytest.raises(ls.ModelError, match="notes is 'hello'"):
        ls.Arm("x", [rod()], notes="hello")


def test_indices_of_a_frozen_arm_are_frozen():
    arm = ls.load("puma560")
    for array in (arm.parent_index, arm.joint_index, arm.mode_index, arm.coordinate_start, arm.frame("flange").offset):
        assert not array.flags.writeable
    with pytest.raises(TypeError):
        arm.frames["flange"] = None


def test_equal_records_have_equal_digests():
    for a, b in (
        (ls.Joint(np.str_("revolute")), ls.Joint("revolute")),
        (ls.Link(np.str_("a")), ls.Link("a")),
        (ls.DH(armature=1), ls.DH(armature=1.0)),
        (ls.DH(armature=np.array(1.0)), ls.DH(armature=1.0)),
    ):
        assert a == b
        assert a.digest == b.digest


def test_bounds_and_positions_explain_themselves():
    arm = ls.load("puma560")
    with pytest.raises(ls.ModelError, match="did you mean 'position'"):
        arm.bounds("postion")
    with pytest.raises(ls.ModelError, match="a state has 5 entries"):
        arm.joint_positions([0.0] * 5)
    with pytest.raises(ls.ModelError, match="torque has 2 entries; expected 3"):
        ls.Limits(torque=[1.0, 2.0]).bounds("torque", 3)


def test_loads_on_tools_act_where_the_tool_is():
    X = pose(about_axis((0, 1, 0), 0.7), (0.2, -0.1, 0.3))
    arm = ls.load("puma560").with_link("flange", tools={"grip": X})
    q = np.linspace(-0.5, 0.5, 6)
    on_tool = ls.Load("grip", force=(1, 2, 3), moment=(0.1, 0.2, 0.3), point=(0.01, 0.02, 0.03))
    point = (X @ [0.01, 0.02, 0.03, 1.0])[:3]
    on_link = ls.Load("flange", force=(1, 2, 3), moment=(0.1, 0.2, 0.3), point=point)
    there = ls.inverse_dynamics(arm, q, q, q, loads=[on_tool])
    assert np.allclose(there, ls.inverse_dynamics(arm, q, q, q, loads=[on_link]), rtol=1e-13)


def test_merging_onto_a_beam_fixed_to_the_base():
    beam = ls.Beam(0.8, 0.5, EI=3.0)
    arm = ls.Arm("post", [rod("post", joint=ls.Joint("fixed"), beam=beam), rod("box", "post", joint=ls.Joint("fixed"))])
    merged = arm.merge_fixed()
    assert [link.name for link in merged.links] == ["post"]
    assert merged.links[0].payload.mass == pytest.approx(1.3)


def test_points_on_a_flexible_link_move_with_its_modes():
    soft = ls.load("two_link_flexible")
    bent = [0.1, 0, 0, 0.2, 0.01, 0]
    straight = ls.pose(soft, [0.1, 0.2], "link2", point=(0.5, 0, 0))
    assert np.linalg.norm((ls.pose(soft, bent, "link2", point=(0.5, 0, 0)) - straight)[:3, 3]) > 5e-3
    assert np.allclose(ls.pose(soft, bent, "link2", point=(0.5, 0, 0)), ls.pose(soft, bent, "link2.tip"), atol=1e-12)
    # the root stays
    assert np.allclose(ls.pose(soft, bent, "link2"), ls.pose(soft, [0.1, 0.2], "link2"))


def test_degrees_of_a_slide_are_refused(tmp_path):
    path = tmp_path / "slide.toml"
    path.write_text('name = "s"\n[[links]]\nname = "a"\nmass = 1.0\n[links.joint]\ntype = "prismatic"\n'
                    "limits = { position_deg = [0.0, 90.0] }\n")  # fmt: skip
    with pytest.raises(ls.ModelError, match="position_deg is for joints that turn; a prismatic joint's limits are"):
        ls.load(path)


def test_payload_goes_to_the_last_link_that_moves():
    plate = rod("plate", joint=ls.Joint("fixed"))
    arm = ls.Arm("p", [rod("a"), rod("b", "a"), plate])
    assert arm.with_payload(ls.Payload(2.0)).link("b").payload.mass == 2.0


def test_check_knows_units():
    turns = ls.load("two_link").with_joint("fore", limits=ls.Limits(position=(-90.0, 90.0)))
    assert any("degrees instead of rad" in finding.message for finding in turns.check())
    long = ls.Arm("long", [rod("a"), rod("b", "a", joint=ls.Joint(placement=translation(400.0)))])
    assert any("400 m long" in finding.message for finding in long.check())


def test_a_missing_file_is_said_once(tmp_path):
    with pytest.raises(ls.ModelError) as caught:
        ls.load(tmp_path / "nothing.urdf")
    assert str(caught.value).count("does not exist") == 1
    assert "cannot be read" not in str(caught.value)


@pytest.mark.parametrize("bad", [None, 3, "a\0.toml"])
def test_save_explains_bad_paths(bad):
    with pytest.raises(ls.LissomError):
        ls.save(ls.load("two_link"), bad)


@pytest.mark.parametrize(
    "options", [{"starts": "a"}, {"starts": 2.5}, {"iterations": True}, {"tolerance": "x"}, {"seed": -1}]
)
def test_inverse_kinematics_explains_bad_options(options):
    with pytest.raises(ls.InputError, match="expected a"):
        ls.inverse_kinematics(ls.load("puma560"), np.eye(4), "flange", **options)


@pytest.mark.parametrize("loads", [ls.Load("flange"), np.array([1, 2]), 3])
def test_loads_must_be_a_list_of_loads(loads):
    q = np.zeros(6)
    with pytest.raises(ls.InputError, match=r"expected .*Load"):
        ls.inverse_dynamics(ls.load("puma560"), q, q, q, loads=loads)


def test_batches_inside_a_load_must_fit():
    with pytest.raises(ls.ModelError, match="batches do not fit"):
        ls.Load("a", force=np.ones((2, 3)), point=np.ones((3, 3)))
