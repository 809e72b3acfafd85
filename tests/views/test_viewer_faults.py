"""What once ended the viewer, or showed something that is not so. Without a browser."""

import time

import numpy as np
import pytest
from tests.loops.mechanisms import four_bar

import lissom as ls
from lissom.views.mesh_files import MeshFiles
from lissom.views.scene import Scene, State

pytest.importorskip("viser")


def beam(length=0.53):
    return ls.Beam(length, 0.5, EI=(3.0, 3.0), modes=ls.Modes(bending_y=1, bending_z=1))


def nodes_of(viewer):
    return list(viewer._server.scene._handle_from_node_name)


def until(true, seconds=20.0):
    """Wait for the viewer's own thread."""
    begin = time.monotonic()
    while not true():
        assert time.monotonic() - begin < seconds
        time.sleep(0.02)


def test_a_flexible_link_on_a_sliding_joint_is_shown(tmp_path):
    body = {"mass": 1.0, "com": (0.2, 0, 0), "inertia": 0.01}
    arm = ls.Arm("slide", [ls.Link("a", **body), ls.Link("b", "a", ls.Joint("prismatic", axis=(1, 0, 0)), beam=beam())])
    scene = Scene(arm, MeshFiles(arm), arm.home[None])
    sections = dict(zip((skin.kind for skin in scene.skins), scene.look(State(arm.home)).sections, strict=True))
    assert {skin.kind: len(skin.rest) for skin in scene.skins} == {kind: len(X) for kind, X in sections.items()}
    assert set(sections) == {"bent", "slide"}
    page = tmp_path / "page.html"
    ls.view(arm, export=page)
    assert page.stat().st_size > 1e5


def test_an_unexpected_error_is_said_and_raised_and_does_not_end_the_viewer():
    def fail():
        raise ZeroDivisionError("by nothing")

    viewer = ls.view(ls.load("two_link"), open=False)
    panel, draw = viewer._panel, viewer._panel.draw
    with viewer:
        panel.draw = fail
        panel.asked.put(lambda: None)
        until(lambda: "ZeroDivisionError: by nothing" in panel.words.content)
        panel.draw = draw
        panel.asked.put(lambda: panel.player.move(0, 0.37))
        until(lambda: viewer.q[0] == pytest.approx(0.37) and "Zero" not in panel.words.content)
        panel.asked.put(lambda: fail())
        until(lambda: "ZeroDivisionError: by nothing" in panel.words.content)
        assert viewer._thread.is_alive()
    with pytest.raises(ZeroDivisionError, match="by nothing"):
        viewer.wait()


def test_names_that_look_alike_are_two_nodes():
    arm = ls.Arm("alike", [ls.Link("l(1", beam=beam()), ls.Link("l[1", "l(1", beam=beam(0.31))])
    with ls.view(arm, open=False) as viewer:
        tubes = [name for name in nodes_of(viewer) if name.startswith("/skin/") and name.endswith("tube")]
    assert len(tubes) == 2
