"""Walks in figures, films and pages: forces at the contacts, prints, and no joints that only let it move freely."""

import json
import re

import numpy as np
import pytest
from tests.gait.made_up import CYCLE, SPEED, STANCE, biped, made_up

import lissom as ls
from lissom.gait.curves import KINDS
from lissom.later import replaced
from lissom.views.playback.player import Player
from lissom.views.playback.takes import take_of
from lissom.views.scene.mesh_files import MeshFiles
from lissom.views.scene.scene import CONTACT, Scene
from lissom.views.scene.silhouettes import arrow, hull


@pytest.fixture(scope="module")
def step():
    return made_up(CYCLE / 2, 331, mirror=True)


@pytest.fixture(scope="module")
def report(step):
    return ls.gait_report(step, ls.gait_report(made_up(arm=biped(30.0)), name="reference").right)


def test_curves_are_drawn_with_their_references(report):
    figure = ls.plot(report)
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert {ax.get_title() for ax in shown} == {KINDS[name].title for name in report.right.curves}
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert labels == {"biped", "reference"}  # the left leg is the same, so it has no line of its own
    hip = next(ax for ax in shown if ax.get_title().startswith("hip: thigh"))
    assert np.allclose(hip.lines[-1].get_ydata(), report.right["hip"])


def test_curves_of_a_reference_alone_have_bands():
    walk = ls.gait_report(made_up(3.2 * CYCLE, 2000, stances=False, start=0.3)).right
    figure = ls.plot(walk)
    assert any(ax.collections for ax in figure.axes)
    with pytest.raises(ls.InputError, match="curves of a reference have no poses"):
        ls.plot(walk, "stride")


def test_a_stride_shows_poses_and_forces(report):
    figure = ls.plot(report, "stride")
    (ax,) = figure.axes
    bodies, arrows = ax.collections[::2], ax.collections[1::2]
    assert len(bodies) == len(arrows) == 11
    middle = [np.vstack([path.vertices for path in body.get_paths()])[:, 0].mean() for body in bodies]
    assert np.all(np.diff(middle) > 0.3)
    assert [len(some.get_paths()) for some in arrows][3] == 1  # one foot stands on its heel
    assert [text.get_text() for text in ax.texts] == [f"{10 * k} %" for k in range(11)]


def test_the_film_shows_both_steps(step, tmp_path):
    film = ls.animate(step, fps=10)
    assert len(film) == round(10 * CYCLE) + 1
    film.show(3)
    body, arrows = film.parts
    first = np.vstack([path.vertices for path in body.get_paths()])
    assert len(arrows.get_paths()) == 1
    film.show(len(film) - 1)
    last = np.vstack([path.vertices for path in body.get_paths()])
    assert last[:, 0].max() - first[:, 0].max() > 0.5 * SPEED * CYCLE
    film.save(tmp_path / "walk.gif")
    assert (tmp_path / "walk.gif").stat().st_size > 1000


def test_the_last_frame_of_a_cycle_is_its_first(step):
    """Forces jump where feet are set down: the last frame had those of just before it."""
    steps = step.whole()
    jump = np.concatenate([steps.forces[:-1], steps.forces[-1:] + 50.0])
    whole = replaced(steps, {"forces": jump})
    t, q, forces = whole.frames(7)
    assert whole.is_cycle
    assert not step.is_cycle  # a step ends in the mirror image of its beginning
    assert t[-1] == whole.t[-1]
    assert np.abs(np.delete(q[-1] - q[0], step.arm.coordinates.index("px"))).max() < 1e-5
    assert (forces[-1] == forces[0]).all()
    assert (forces[1:-1] == whole.at(t[1:-1])[1]).all()


def test_arrows_are_as_long_as_the_weight_says(step):
    take = take_of(step.arm, step)
    scene = Scene(step.arm, MeshFiles(step.arm, []), step.q[::40], take.peaks)
    t = 0.4 * STANCE * CYCLE
    look = scene.look(take.at(t))
    arrows = look.arrows["contact"]
    force = np.array([load.force for load in take.at(t).contacts]) / (step.arm.mass * 9.81)
    assert np.allclose(arrows[:, 1] - arrows[:, 0], CONTACT * scene.size * force)
    heel = ls.pose(step.arm, take.at(t).q, "foot_right", (0, 0, -0.07))[:3, 3]
    assert np.allclose(arrows[0, 0], heel)
    assert not look.arrows["gravity"].size
    assert take.end == pytest.approx(CYCLE)


def test_links_that_only_let_the_body_move_are_not_drawn(step):
    scene = Scene(step.arm, MeshFiles(step.arm, []), step.q[::40])
    names = {solid.name.split("/")[1] for solid in scene.solids if solid.part_of_arm}
    assert not names & {"x", "z", "px", "pz", "pitch"}
    assert {"thigh_right", "foot_left", "knee_right"} <= names
    assert np.isfinite(scene.bones.rigid).any()
    held = step.arm.replace(contacts=(), mirror=None)  # without contacts it is a machine on a rail
    rail = Scene(held, MeshFiles(held, []), step.q[::40])
    assert {"px", "pz"} <= {solid.name.split("/")[1] for solid in rail.solids}


def page_of(step, folder, **more):
    path = folder / "walk.html"
    ls.view(step.arm, step, export=path, **more)
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)[1])


def test_a_page_has_forces_prints_and_ground(step, tmp_path):
    (pane,) = page_of(step, tmp_path)["panes"]
    assert [row["kind"] for row in pane["arrows"]] == ["contact"]
    assert pane["arrows"][0]["count"] == 4
    labels = [row["label"] for row in pane["legend"]]
    assert any(label.startswith("contact force (the weight of 667.1 N") for label in labels)
    assert {"print of the right foot", "print of the left foot"} <= set(labels)
    assert pane["floor"] == 0.0
    assert not pane["trail"]
    assert pane["ghost"] is None
    assert pane["curves"][0]["label"] == "normal forces"
    assert {row["name"] for row in pane["curves"][1]["series"]} == set(step.arm.coordinates[3:])
    assert pane["end"] == pytest.approx(CYCLE)


def test_walls_are_shown_where_they_are_touched():
    arm = ls.load("two_link").with_gravity((0, 0, 0))
    arm = arm.replace(contacts=[ls.Contact("hand", "fore", (0.3, 0, 0), normal=(-1, 0, 0), height=-0.5)])
    t = np.linspace(0, 1, 20)
    q = np.stack([0.3 + 0 * t, 0.4 + 0.1 * t], axis=1)
    forces = np.zeros((20, 1, 3))
    forces[5:, 0, 0] = -10.0
    push = ls.GaitSamples(arm, t, q, 0 * q, 0 * q, forces)
    from lissom.views.scene.contacts import around

    scene = Scene(arm, MeshFiles(arm, []), q)
    (wall,) = [solid for solid in around(push, scene) if solid.name.startswith("wall/")]
    assert wall.mesh.vertices[:, 0].min() == pytest.approx(0.5)  # behind the plane x = 0.5
    film = ls.animate(push, fps=10)
    assert len(film) == 11


def test_the_player_of_a_walk_has_no_path_of_a_tip(step):
    take = take_of(step.arm, step)
    player = Player(step.arm, {take.title: take}, step.q[0])
    assert player.trail().shape == (0, 3)
    player.seek(CYCLE)
    assert np.allclose(player.state().q[0], SPEED * CYCLE)


def test_outlines():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.5, 0]], float)
    assert hull(square).tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]
    shape = arrow(np.zeros(2), np.array([0.0, 2.0]), 0.1)
    assert shape[3].tolist() == [0.0, 2.0]
    assert np.ptp(shape[:, 0]) == pytest.approx(0.44)
