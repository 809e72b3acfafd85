"""Figures hold what they should; matplotlib's own pixels are not ours to test."""

import matplotlib as mpl
import numpy as np
import pytest
from tests.loops.mechanisms import four_bar

import lissom as ls
from lissom.spatial.frames import pose
from lissom.views.arms.skeleton import Skeleton
from lissom.views.scene.bodies import bodies
from lissom.views.scene.draw import BAR, _joined

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("name", ls.shipped())
def test_draws_every_shipped_arm(name, tmp_path):
    figure = ls.draw(ls.load(name))
    figure.savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 10_000
    assert name in figure.axes[0].get_title()


def test_view_holds_the_whole_arm_with_equal_axes():
    arm, q = ls.load("stanford"), [0.2, -1.0, 0.9, 0.1, 0.4, 0.2]
    axes = ls.draw(arm, q).axes[0]
    spans = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    scale = np.diff(spans)[:, 0] / axes.get_box_aspect()
    assert np.allclose(scale, scale[0])
    points = ls.poses(arm, q)[:, :3, 3]
    assert (points >= spans[:, 0]).all()
    assert (points <= spans[:, 1]).all()


def test_links_end_where_kinematics_says():
    arm, q = ls.load("two_link"), [0.3, 0.8]
    lines = ls.draw(arm, q).axes[0].lines
    drawn = np.vstack([np.column_stack(line.get_data()) for line in lines])  # planar: x and y
    for point in ls.poses(arm, q)[:, :2, 3]:
        assert np.abs(drawn - point).max(axis=1).min() < 1e-12


def test_an_arm_is_drawn_in_its_ready_pose():
    arm = ls.load("two_link")
    lines = ls.draw(arm).axes[0].lines
    drawn = np.vstack([np.column_stack(line.get_data()) for line in lines])  # flat: x and y
    assert np.abs(drawn - ls.pose(arm, arm.poses["ready"], "fore")[:2, 3]).max(axis=1).min() < 1e-12


def test_only_planar_mechanisms_are_drawn_flat():
    """In the plane of the motion, not of one pose: the Panda-like chain below lies in a plane and can leave it."""
    assert not hasattr(ls.draw(ls.load("two_link_flexible")).axes[0], "get_zlim")
    chain = ls.Arm("chain", [
        ls.Link("a", joint=ls.Joint("revolute", axis=(0, 0, 1)), mass=1.0, frame=pose(p=(0.4, 0, 0))),
        ls.Link("b", "a", ls.Joint("revolute", axis=(0, 1, 0)), mass=1.0, com=(0.1, 0, 0), frame=pose(p=(0.3, 0, 0))),
    ])  # fmt: skip
    assert hasattr(ls.draw(chain, [0.0, 0.0]).axes[0], "get_zlim")


def test_joints_at_one_place_share_a_label():
    texts = [text.get_text() for text in ls.draw(ls.load("puma560")).axes[0].texts]
    assert any("wrist_bend" in text and "flange" in text for text in texts)


def test_long_names_at_one_place_leave_room_for_the_arm():
    assert _joined(["wrist_roll", "wrist_bend", "flange"]) == "wrist_roll, wrist_bend, flange"
    assert _joined(["a", "b", "c", "d"]) == "a, b, c and 1 more"
    assert _joined(["gripper_left_inner_double_link", "gripper_left_inner_single_link"]).endswith("link and 1 more")


def test_draws_into_given_axes_and_without_labels():
    import matplotlib.pyplot as plt

    figure = plt.figure()
    axes = figure.add_subplot(projection="3d")
    assert ls.draw(ls.load("two_link"), labels=False, ax=axes) is figure
    assert {text.get_text() for text in axes.texts} == {"x", "y", "z", "g"}  # of arrows


def test_bad_positions_are_refused():
    with pytest.raises(ls.InputError, match="draw: q has 3 entries"):
        ls.draw(ls.load("two_link"), [0, 0, 0])


@pytest.mark.parametrize("joints", [13, 31])
def test_a_person_is_drawn_with_a_body_and_two_legs(joints):
    """The joints without mass that let a body move freely were a third leg; the planar person was a line."""
    person = ls.human(joints=joints)
    axes = ls.draw(person, labels=False).axes[0]
    (shapes,) = [one for one in axes.collections if type(one).__name__.startswith("Poly")]
    assert len(shapes.get_facecolors()) > 20
    bones = Skeleton(person, person.ready)
    top = max(body.mesh.vertices[:, 2].max() for body in bodies(bones))
    assert abs(top - bones.points[:, 2].min() - 1.74) < 0.05  # as tall as the person, up to the soles
    bars = [line for line in axes.lines if line.get_linewidth() == BAR]
    heights = [(line.get_data_3d() if joints == 31 else line.get_data())[-1] for line in bars]
    pelvis = ls.pose(person, person.ready, "pelvis")[2, 3]
    assert not any(np.min(z) < 0.1 * pelvis and np.max(z) > 0.9 * pelvis for z in heights)


def test_links_of_a_loop_meet():
    """The lines reach the ends of the closure, which are one point."""
    arm = four_bar()
    bones = Skeleton(arm, ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank").q)
    (first, a), (second, b) = bones.closures
    assert [arm.links[first].name, arm.links[second].name] == ["coupler", "rocker"]
    assert np.allclose(a, b, atol=1e-9)
    reached = np.linalg.norm(bones.rigid - a, axis=-1) < 1e-9
    assert reached.sum() == 2
    assert ls.draw(arm, bones.q) is not None


def test_a_link_before_a_joint_that_slides_keeps_its_shape():
    """The horizontal link of a SCARA was drawn slanted, from the elbow to the lowered quill."""
    arm = ls.Arm("lift", [
        ls.Link("beam", None, ls.Joint(), mass=1.0, com=(0.1, 0, 0), inertia=0.1),
        ls.Link("quill", "beam", ls.Joint("prismatic", axis=(0, 0, -1), placement=pose(p=(0.3, 0, 0.1))), mass=1.0),
    ])  # fmt: skip
    lines = Skeleton(arm, np.array([0.7, 0.2])).rigid
    seat = np.array([0.3 * np.cos(0.7), 0.3 * np.sin(0.7), 0.1])
    k = int(np.flatnonzero((np.abs(lines - seat) < 1e-12).all(axis=1))[0])
    assert lines[k + 1] == pytest.approx(seat - [0, 0, 0.2])
