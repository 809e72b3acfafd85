"""What the viewer shows is where kinematics says; what it plays is what a record says. Without a browser."""

import contextlib
import io
import socket
import sys
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.image import imread
from tests.loops.mechanisms import FOUR, four_bar

import lissom as ls
from lissom.spatial.frames import pose
from lissom.spatial.rotations import from_rpy
from lissom.views.degrees import pose_text
from lissom.views.followed import followed_frame
from lissom.views.playback.player import HAND, Player
from lissom.views.playback.takes import ModeTake, take_of
from lissom.views.scene import solids
from lissom.views.scene.legend import legend, legend_html
from lissom.views.scene.mesh_files import MeshFiles
from lissom.views.scene.scene import ARROW, Scene, State
from lissom.views.viewer import panel as panel_module
from lissom.views.viewer.panel import slider_range
from lissom.views.viewer.screenshots import screenshot

TREE, SOFT, STANFORD = ls.load("tree_demo"), ls.load("two_link_flexible"), ls.load("stanford")


def crane():
    """A boom that bends in both planes and twists, a sliding trolley on it, a payload and a load."""
    boom = ls.Beam(0.83, 0.6, EI=(60.0, 40.0), GJ=25.0, gyration=(0.012, 0.017), modes=ls.Modes(1, 1, 1))
    return ls.Arm("crane", [
        ls.Link("mast", joint=ls.Joint("revolute", armature=0.5), mass=4.0, com=(0, 0, 0.2), inertia=(0.1, 0.1, 0.05),
                frame=pose(p=(0, 0, 0.5))),
        ls.Link("boom", "mast", ls.Joint("revolute", axis=(0, 1, 0), armature=0.1), mass=0.5, inertia=0.01, beam=boom,
                payload=ls.Payload(1.0, (0.05, 0.08, 0), (0.01, 0.01, 0.01)), tools={"hook": pose(p=(0.1, 0, 0))}),
        ls.Link("trolley", "boom", ls.Joint("prismatic", axis=(0, 0.6, -0.8), limits=ls.Limits(position=(0, 0.4))),
                mass=0.3, com=(0.02, 0, -0.15), inertia=(0.001, 0.001, 0.001)),
    ], loads=[ls.Load("hook", force=(3.0, -4.0, 12.0), point=(0.01, 0.02, 0.03))])  # fmt: skip


CRANE = crane()
BENT = np.array([0.4, -0.6, 0.013, -0.021, 0.05, 0.23])


def scene_of(arm, q, **more):
    return Scene(arm, MeshFiles(arm), np.atleast_2d(q), **more)


def skinned(skin, sections):
    """Where linear blending of frames puts the vertices."""
    back = np.linalg.inv(skin.rest)
    moved = sections @ back
    points = np.concatenate([skin.mesh.vertices, np.ones((len(skin.mesh.vertices), 1))], axis=1)
    return np.einsum("vb,bij,vj->vi", skin.weights, moved, points)[:, :3]


# ---- solids ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [
        (solids.capsule((0.1, 0, 0), (0.4, 0.2, 0.7), 0.13, rings=5), np.pi * 0.13**2 * (0.62**0.5 + 4 / 3 * 0.13)),
        (solids.cylinder((0.1, 0, 0), (0.4, 0.2, 0.7), 0.13), np.pi * 0.13**2 * 0.62**0.5),
        (solids.cylinder((0, 0, 0), (0, 0, 0.7), 0.13, top=0.0), np.pi * 0.13**2 * 0.7 / 3),
        (solids.box((0.3, 0.5, 0.7)), 0.105),
        (solids.ball((1, 2, 3), 0.2), 4 / 3 * np.pi * 0.008),
    ],
    ids=["capsule", "cylinder", "cone", "box", "ball"],
)
def test_solids_are_closed_and_face_outwards(mesh, volume):
    """Divergence theorem; chords of 23 around leave out 1.3 % of a round cross-section, of a ball some more."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    found = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert volume * 0.97 < found < volume * (1 + 1e-12)


@pytest.mark.parametrize("mesh", [solids.box((0.9, 0.2, 0.1)), solids.cylinder((-0.4, 0, 0), (0.4, 0, 0), 0.05)])
def test_divided_solids_are_the_same_solids_with_short_edges(mesh):
    fine = solids.divided(mesh, (2.0, 0.0, 0.0), 0.05)

    def volume(some):
        a, b, c = (some.vertices[some.faces[:, k]] for k in range(3))
        return np.einsum("ij,ij->", a, np.cross(b, c)) / 6

    assert volume(fine) == pytest.approx(volume(mesh), rel=1e-12)
    x = fine.vertices[fine.faces][..., 0]
    assert np.ptp(x, axis=1).max() <= 0.05 + 1e-12
    assert solids.divided(mesh, (2.0, 0.0, 0.0), 0.0) is mesh


# ---- where things are ------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", [TREE, STANFORD, SOFT, CRANE], ids=lambda arm: arm.name)
def test_solids_move_with_their_links(arm):
    rng = np.random.default_rng(4)
    q = arm.home
    q[arm.joint_index] += rng.uniform(0.05, 0.3, len(arm.joints))
    q[arm.mode_index] = rng.uniform(-0.02, 0.02, len(arm.mode_index))
    scene = scene_of(arm, arm.home)
    look = scene.look(State(q))
    n = len(arm.links)
    assert look.frames[:n] == pytest.approx(ls.poses(arm, q), abs=1e-12)
    for i, link in enumerate(arm.links):
        name = f"{link.name}.tip" if link.flexible else link.name
        assert look.frames[n + i] == pytest.approx(ls.pose(arm, q, name), abs=1e-12)
    assert look.frames[scene.world] == pytest.approx(np.eye(4))
    assert {solid.frame for solid in scene.solids} <= set(range(2 * n + 1))
    assert len({solid.name for solid in (*scene.solids, *scene.skins)}) == len(scene.solids) + len(scene.skins)


def test_bent_links_follow_their_axes():
    """The tube's ends are where the beam's are; sections carry it, so its middle is within its radius of the axis."""
    scene = scene_of(CRANE, CRANE.home)
    (tube,) = [skin for skin in scene.skins if skin.name == "link/boom/tube"]
    sections = scene.look(State(BENT)).sections[scene.skins.index(tube)]
    points = skinned(tube, sections)
    axis = np.array([ls.pose(CRANE, BENT, "boom", (s * 0.83, 0, 0))[:3, 3] for s in np.linspace(0, 1, 401)])
    away = np.linalg.norm(points[:, None] - axis, axis=-1).min(axis=1)
    assert away.max() < 0.7 * scene.radius * 1.02  # of caps and of blended sections
    straight = scene.look(State(np.where(np.isin(np.arange(6), CRANE.mode_index), 0.0, BENT)))
    assert np.linalg.norm(skinned(tube, straight.sections[scene.skins.index(tube)]) - points, axis=-1).max() > 0.01


def test_a_box_of_a_flexible_link_bends_with_it():
    bar = ls.LinkShape("box", (0.83, 0.02, 0.04), pose(p=(0.415, 0, 0)), colour="#010203")
    arm = CRANE.with_link("boom", shapes=(bar,))
    scene = scene_of(arm, arm.home)
    (skin,) = [skin for skin in scene.skins if skin.name == "link/boom/0"]
    assert skin.colour == (1, 2, 3)
    points = skinned(skin, scene.look(State(BENT)).sections[scene.skins.index(skin)])
    axis = np.array([ls.pose(arm, BENT, "boom", (s * 0.83, 0, 0))[:3, 3] for s in np.linspace(0, 1, 401)])
    assert np.linalg.norm(points[:, None] - axis, axis=-1).min(axis=1).max() < 1.02 * np.hypot(0.01, 0.02)


def test_the_base_stands_on_the_floor():
    """Its shapes replace the rod to the first joint and are in the picture; collision shapes are not shown."""
    foot = ls.LinkShape("box", (0.4, 0.4, 0.2), pose(p=(0, 0, -0.6)), role="drawing", colour="#010203")
    hidden = ls.LinkShape("sphere", (2.0,), role="collision")
    scene = scene_of(CRANE.replace(shapes=(foot, hidden)), CRANE.home)
    (base,) = [solid for solid in scene.solids if solid.name.startswith("base/")]
    assert (base.frame, base.colour) == (scene.world, (1, 2, 3))
    assert -0.71 < scene.floor < -0.7
    assert scene.corners[0][2] == pytest.approx(-0.7)
    bare = scene_of(CRANE, CRANE.home)
    assert bare.floor == pytest.approx(-1.02 * bare.radius)


def test_the_rod_of_a_sliding_joint_reaches_from_its_slide_to_its_link():
    scene = scene_of(CRANE, CRANE.home)
    (rod,) = [skin for skin in scene.skins if skin.name == "joint/trolley/slide"]
    points = skinned(rod, scene.look(State(BENT)).sections[scene.skins.index(rod)])
    for end in (ls.pose(CRANE, BENT, "boom.tip"), ls.pose(CRANE, BENT, "trolley")):
        assert np.linalg.norm(points - end[:3, 3], axis=-1).min() < 0.61 * scene.radius


def test_arrows_are_loads_torques_and_gravity():
    peaks = {"force": 26.0, "torque": 8.0, "push": 5.0}
    scene = scene_of(CRANE, CRANE.home, peaks=peaks)
    tau = np.array([4.0, -8.0, 0.0, 0.0, 0.0, 2.5])
    arrows = scene.look(State(BENT, tau)).arrows
    longest = ARROW * scene.size
    at = ls.pose(CRANE, BENT, "hook", (0.01, 0.02, 0.03))[:3, 3]
    assert arrows["force"][0] == pytest.approx(np.array([at, at + longest / 26.0 * np.array([3.0, -4.0, 12.0])]))
    lengths = np.linalg.norm(arrows["torque"][:, 1] - arrows["torque"][:, 0], axis=-1)
    assert lengths == pytest.approx(longest * np.array([0.5, 1.0, 0.5]))
    slide = ls.pose(CRANE, BENT, "boom.tip")[:3, :3] @ (0, 0.6, -0.8)
    way = arrows["torque"][2, 1] - arrows["torque"][2, 0]
    assert way / np.linalg.norm(way) == pytest.approx(slide)
    assert arrows["gravity"][0, 1] == pytest.approx([0, 0, -0.5 * longest])


def test_payloads_loops_obstacles_and_via_points_are_there():
    scene = scene_of(CRANE, CRANE.home)
    (payload,) = [solid for solid in scene.solids if solid.name == "payload/boom"]
    assert payload.mesh.vertices.mean(axis=0) == pytest.approx((0.05, 0.08, 0), abs=0.2 * scene.radius)
    arm = four_bar()
    closed = ls.assemble(arm, [0.7, 0.2, 1.2], fixed="crank").q
    scene = scene_of(arm, closed)
    (mark,) = [solid for solid in scene.solids if solid.name == "loop/0"]
    place = mark.mesh.placed(scene.look(State(closed)).frames[mark.frame]).vertices
    pin = ls.pose(arm, closed, "rocker", (FOUR["rocker"], 0, 0))[:3, 3]
    assert np.linalg.norm(place - pin, axis=-1) == pytest.approx(1.3 * scene.radius)


# ---- mesh files ------------------------------------------------------------------------------------

TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def with_mesh(uri, **more):
    shape = ls.LinkShape("mesh", (0.5, -1.0, 2.0), pose(p=(0.1, 0.2, 0.3)), uri)
    return ls.Arm("m", [ls.Link("a", mass=1.0, com=(0.2, 0, 0), inertia=(0.1,) * 3, shapes=[shape])], **more)


@pytest.mark.parametrize(
    "uri", ["package://robot_description/meshes/a.obj", "../meshes/a.obj", "file://{}/meshes/a.obj"]
)
def test_meshes_are_found_beside_the_file_and_scaled(uri, tmp_path):
    pytest.importorskip("trimesh")
    root = tmp_path / "robot_description"
    (root / "meshes").mkdir(parents=True)
    (root / "urdf").mkdir()
    (root / "meshes" / "a.obj").write_text(TRIANGLES)
    arm = with_mesh(uri.format(root), folder=str(root / "urdf"))
    (part,) = MeshFiles(arm).parts(arm.links[0].shapes[0])
    assert part.mesh.vertices.min(axis=0) == pytest.approx((0.1, 0.2 - 2.0, 0.3))
    assert part.mesh.vertices.max(axis=0) == pytest.approx((0.6, 0.2, 0.3 + 6.0))
    a, b, c = (part.mesh.vertices[part.mesh.faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0  # mirrored by the scale, and outside still outside


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("gone.stl", None, r"mesh gone\.stl: file not found \(not in .*meshes="),
        ("a.stl", b"solid x\nnonsense", r"a\.stl"),
        ("a.xyz", b"", r"its ending is not one of \.dae"),
        ("a.dae", b'<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/hosts">]><COLLADA/>', "declares a document type"),
    ],
)
def test_a_mesh_that_cannot_be_shown_is_named_once_and_replaced(name, content, why, tmp_path):
    pytest.importorskip("trimesh")
    if content is not None:
        (tmp_path / name).write_bytes(content)
    arm = with_mesh(name, folder=str(tmp_path))
    files = MeshFiles(arm)
    with pytest.warns(UserWarning, match=why):
        scene = Scene(arm, files, arm.home[None])
    assert any(solid.name.startswith("link/a/rod") for solid in scene.solids)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert files.parts(arm.links[0].shapes[0]) is None


def test_arms_remember_their_folder_and_files_do_not(tmp_path):
    ls.save(with_mesh("a.obj"), tmp_path / "m.toml")
    arm = ls.load(tmp_path / "m.toml")
    assert arm.folder == str(tmp_path)
    assert arm == with_mesh("a.obj")
    assert arm.with_gravity((0, 0, 0)).folder == str(tmp_path)
    assert str(tmp_path) not in (tmp_path / "m.toml").read_text()


# ---- playing ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run():
    return ls.simulate(SOFT, [0.0, 0.5], tau=[1.0, 0.3], until=0.8)


def test_a_run_is_played_as_it_went(run):
    take = take_of(SOFT, run)
    for k in (0, 17, len(run.t) - 1):
        assert take.at(run.t[k]).q == pytest.approx(run.q[k], abs=1e-12)
        assert take.at(run.t[k]).tau == pytest.approx(run.tau[k], abs=1e-12)
    assert take.at(99.0).q == pytest.approx(run.q[-1])
    assert take.peaks["torque"] == pytest.approx(1.0)


def test_a_motion_is_played_as_it_was_found():
    arm = ls.load("two_link").with_gravity((0, 0, 0))
    push = ls.Load("fore", force=[(0, 0, 0), (0, 6, 0)])
    motion = ls.predict_motion(arm, start=[0, -2], goal=[1, -1], loads=[push], segments=8)
    take = take_of(arm, motion)
    t = 0.37 * motion.duration
    assert take.at(t).q == pytest.approx(motion.at(t)[0])
    assert take.at(t).loads[0].force == pytest.approx((0, 0.37 * 6, 0))
    assert take.peaks["force"] == pytest.approx(6.0)


def test_time_passes_loops_and_ends(run):
    player = Player(SOFT, {"run": take_of(SOFT, run)}, SOFT.home)
    player.speed = 0.5
    player.advance(0.6)
    assert player.t == pytest.approx(0.3)
    player.advance(1.2)
    assert player.t == pytest.approx(0.1)  # round once
    player.loop = False
    player.advance(3.0)
    assert (player.t, player.playing) == (pytest.approx(0.8), False)
    player.play()
    assert (player.t, player.playing) == (0.0, True)
    player.seek(0.25)
    assert (player.t, player.playing) == (0.25, False)


def test_exaggeration_is_of_what_bends_alone(run):
    player = Player(SOFT, {"run": take_of(SOFT, run)}, SOFT.home, exaggerate=7.0)
    player.seek(0.4)
    is_, shown = take_of(SOFT, run).at(0.4).q, player.state().q
    assert shown[SOFT.joint_index] == pytest.approx(is_[SOFT.joint_index])
    assert shown[SOFT.mode_index] == pytest.approx(7 * is_[SOFT.mode_index])
    assert player.trail()[-1] == pytest.approx(ls.pose(SOFT, player.larger(run.q[-1]), run.tip_frame)[:3, 3])


def test_a_mode_swings_about_its_pose():
    found = ls.modes(SOFT, [0.0, 0.5], count=2)
    player = Player(SOFT, {"second": ModeTake(found, 1)}, SOFT.home)
    player.amplitude = 0.5
    player.t = player.take.end / 4
    moved = player.state().q - found.q
    assert moved / np.linalg.norm(moved) == pytest.approx(found.shapes[:, 1] / np.linalg.norm(found.shapes[:, 1]))
    player.amplitude = 1.0
    assert player.state().q - found.q == pytest.approx(2 * moved)


def test_joints_moved_by_hand_keep_loops_closed_and_mimics_along():
    arm = four_bar()
    closed = ls.assemble(arm, [0.7, 0.2, 1.2], fixed="crank").q
    player = Player(arm, {}, closed)
    player.move(0, 1.1)
    q = player.state().q
    assert (q[0], player.said, player.name) == (pytest.approx(1.1), "", HAND)
    ends = [ls.pose(arm, q, link, (FOUR[link], 0, 0))[:3, 3] for link in ("coupler", "rocker")]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    player.move(2, -1.0)  # a crank-rocker's rocker cannot go there
    assert player.said.startswith("The closed loops cannot reach this position: assemble: no position")
    assert player.state().q == pytest.approx(q)
    pair = ls.Arm("pair", [
        ls.Link("a", mass=1.0, inertia=(0.1,) * 3),
        ls.Link("b", "a", ls.Joint(mimic=ls.Mimic("a", -1.5, 0.2)), mass=1.0, inertia=(0.1,) * 3),
    ])  # fmt: skip
    player = Player(pair, {}, pair.home)
    player.move(0, 0.4)
    assert player.joints == pytest.approx((0.4,))
    assert pair.joint_positions(player.state().q) == pytest.approx((0.4, -0.4))


# ---- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"record": 3}, "got int; expected a Run"),
        ({"modes": 3}, "modes is 3; expected ArmModes"),
        ({"mode": 9}, "mode is 9; expected a whole number from 1 to 4"),
        ({"exaggerate": -1}, "exaggerate is -1; expected a number of at least 0"),
        ({"port": 0}, "port is 0; expected a whole number from 1 to 65535"),
        ({"host": "no.such.host.invalid"}, "is not an address of this machine"),
        ({"export": "page.png"}, r"page.png is not a page; expected a name that ends in \.html"),
        ({"export": "nowhere/page.html"}, "there is no folder"),
        ({"meshes": "nowhere"}, "meshes names nowhere, which is not a folder"),
        ({"q": [0, 1, 2]}, "q has 3 entries"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_wrong_requests_are_refused(options, why):
    pytest.importorskip("viser")
    with pytest.raises(ls.InputError, match=f"view: .*{why}"):
        ls.view(SOFT, open=False, **options)


def test_records_of_other_arms_are_refused(run):
    with pytest.raises(ls.InputError, match=r"the run is of arm 'two_link_flexible', .* only the record has joint1"):
        take_of(ls.load("two_link"), run)


def test_a_port_in_use_is_named(run):
    pytest.importorskip("viser")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ls.InputError, match=f"port {port} of 127.0.0.1 cannot be used .*choose another with port="):
            ls.view(SOFT, port=port, open=False)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ls.UnsupportedError, match=r"pip install '\.\[viewer\]' in your clone"):
        ls.view(SOFT, open=False)


# ---- a server, without a browser -------------------------------------------------------------------


def test_a_server_keeps_to_this_machine_and_ends(run, capsys):
    pytest.importorskip("viser")
    with ls.view(SOFT, run, open=False) as viewer:
        port = int(viewer.url.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            pass
        outer = socket.gethostbyname(socket.gethostname())
        if not outer.startswith("127."):
            with pytest.raises(OSError, match=r"."):
                socket.create_connection((outer, port), timeout=5).close()
        first, begin = viewer.q, time.monotonic()
        while np.array_equal(viewer.q, first):  # it plays
            assert time.monotonic() - begin < 20
            time.sleep(0.02)
    with pytest.raises(OSError, match=r"."):
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    assert repr(viewer).endswith("closed>")
    assert capsys.readouterr().out == ""


def test_a_control_that_plays_along_can_be_moved(run):
    """viser answers coroutines as the message arrives; on threads the value could be set back before it is read."""
    pytest.importorskip("viser")
    with ls.view(SOFT, run, open=False) as viewer:
        begin = time.monotonic()
        moved_by_a_browser(viewer._panel.time, 0.125)
        while not np.array_equal(viewer.q, take_of(SOFT, run, 0).at(0.125).q):
            assert time.monotonic() - begin < 20
            time.sleep(0.02)


def moved_by_a_browser(control, value):
    """As viser does when the message of a browser has come."""
    (answer,) = control._impl.update_cb
    answered = answer(SimpleNamespace(client="a browser"))
    control._impl.value = value
    with contextlib.suppress(StopIteration):  # it waits for nothing, so that no event loop is needed
        answered.send(None)


def test_sliders_are_in_degrees_and_metres_and_states_in_radians():
    pytest.importorskip("viser")
    with ls.view(STANFORD, open=False) as viewer:
        panel, begin = viewer._panel, time.monotonic()
        labels = [slider.label.rsplit(" ", 1)[1] for slider in panel.sliders]
        assert labels == ["[m]" if joint.kind == "prismatic" else "[deg]" for joint in STANFORD.joints]
        slide = labels.index("[m]")
        while not panel.words.content:  # the first update of the controls would set a slider back
            assert time.monotonic() - begin < 20
            time.sleep(0.02)
        wanted = np.array(viewer.q)
        for k, value, state in ((0, 30.0, np.pi / 6), (slide, 0.25, 0.25)):
            moved_by_a_browser(panel.sliders[k], value)
            wanted[STANFORD.joint_index[k]] = state
            while not np.allclose(viewer.q, wanted, rtol=0, atol=1e-12):
                assert time.monotonic() - begin < 20, (viewer.q, wanted)
                time.sleep(0.02)
        texts = pose_text(ls.pose(STANFORD, wanted, followed_frame(STANFORD)))
        while not all(text in panel.words.content for text in texts):
            assert time.monotonic() - begin < 20, panel.words.content
            time.sleep(0.02)
        assert panel.sliders[0].value == 30.0


def test_text_of_a_pose_has_metres_and_fixed_axis_degrees():
    X = pose(from_rpy(np.radians((10.0, -20.0, 130.0))), (0.1, -0.25, 1e-9))
    assert pose_text(X) == ("x 0.1000  y -0.2500  z 0.0000 m", "roll 10.00  pitch -20.00  yaw 130.00 deg")


@pytest.mark.parametrize("ends", [(-166.003, 166.003), (-180.0, 180.0), (0.0, 0.04), (-1.2345678, 7.0), (0.3, 0.3)])
def test_sliders_stay_within_limits_and_have_few_decimals(ends):
    low, high, step = slider_range(*ends)
    assert ends[0] - 1e-9 <= low <= high <= ends[1] + 1e-9 + step
    assert step > 0
    assert (ends[1] - high, low - ends[0]) == pytest.approx((0, 0), abs=step)


def test_a_line_on_the_curves_is_at_the_present_time(run):
    pytest.importorskip("viser")
    with ls.view(SOFT, run, open=False) as viewer:
        panel, begin = viewer._panel, time.monotonic()
        moved_by_a_browser(panel.time, 0.3)
        while panel.curves.values.content[:11] != "t = 0.300 s":
            assert time.monotonic() - begin < 20
            time.sleep(0.02)
        position = panel.curves.plots[0]
        assert position.axes[0]["splits"] == pytest.approx(np.arange(0.0, run.t[-1] + 1e-9, 0.2))
        assert not np.signbit(position.axes[0]["splits"][0])  # browsers write -0
        assert position.scales["x"]["range"] == (run.t[0], run.t[-1])
        t, q, line = position.data
        assert t[np.isfinite(line)] == pytest.approx([0.3, 0.3])
        assert (line[np.isfinite(line)]) == pytest.approx(position.scales["y"]["range"])
        assert q[np.isfinite(line)] == pytest.approx(np.degrees(run.at([0.3]).q[0, [0, 0]]), abs=0.05)
        assert [plot.title.split(" over")[0] for plot in panel.curves.plots] == [
            "position [deg]", "rate [deg/s]", "torque [N m]"]  # fmt: skip
        moved_by_a_browser(panel.sliders[0], 10.0)
        while np.isfinite(position.data[2]).any():  # no line once the record is not what is shown
            assert time.monotonic() - begin < 20
            time.sleep(0.02)


def test_curves_are_drawn_anew_when_a_browser_connects(run, monkeypatch):
    """Without this, plots that are made while data arrive show no numbers below their axes; messages stay."""
    pytest.importorskip("viser")
    monkeypatch.setattr(panel_module, "CONNECTED", (0.0,))
    with ls.view(SOFT, run, open=False) as viewer:
        panel, begin = viewer._panel, time.monotonic()
        panel.player.playing, panel.player.said = False, "a message"
        before = panel.curves.plots[0].axes
        panel.greet()
        while panel.curves.plots[0].axes is before:
            assert time.monotonic() - begin < 20
            time.sleep(0.02)
        assert panel.curves.plots[0].axes == before
        assert panel.player.said == "a message"


def test_the_goal_is_drawn_at_the_scale_of_deflections_and_can_be_hidden():
    pytest.importorskip("viser")
    goal = np.where(np.isin(np.arange(SOFT.dof), SOFT.mode_index), 0.01, 0.4)
    with ls.view(SOFT, goal=goal, open=False) as viewer:
        panel, begin = viewer._panel, time.monotonic()
        panel.asked.put(lambda: panel._exaggerate(3.0))
        panel.asked.put(lambda: panel.nodes.show("goal", False))
        while any(node.visible for node in panel.nodes._ghost):
            assert time.monotonic() - begin < 20
            time.sleep(0.02)
        assert panel.scene.goal[SOFT.mode_index] == pytest.approx(0.03)
        assert panel.scene.goal[SOFT.joint_index] == pytest.approx(0.4)


def test_a_scene_has_a_legend():
    peaks = {"force": 26.0, "torque": 8.0, "push": 5.0}
    scene = scene_of(CRANE, CRANE.home, peaks=peaks, goal=CRANE.home)
    labels = [entry.label for entry in legend(scene, scene.arrow_kinds, trail=True)]
    assert labels == [
        "revolute joint", "prismatic joint", "flexible link", "payload", "gravity", "force (longest arrow: 26 N)",
        "motor torque (longest arrow: 8 N m or 5 N)", "path of the tip", "goal"]  # fmt: skip
    html = legend_html(legend(scene, [], trail=False))
    assert "axes of the tip" in html
    assert "path of the tip" not in html


def test_a_screenshot_is_a_picture_file_without_transparency():
    seen = np.zeros((4, 6, 4), np.uint8)
    seen[0, 0] = (200, 100, 50, 255)
    camera = SimpleNamespace(image_height=4, image_width=6)
    client = SimpleNamespace(camera=camera, get_render=lambda height, width, **_: seen[:height, :width])
    picture = imread(io.BytesIO(screenshot(client, dark=False)))[..., :3]
    assert picture[0, 0] * 255 == pytest.approx((200, 100, 50), abs=0.5)
    assert picture[1:].min() == 1.0


def test_members_of_an_ensemble_are_chosen(tmp_path):
    many = ls.simulate(SOFT, [[0.0, 0.5], [0.3, -0.2]], until=0.2)
    assert take_of(SOFT, many, 1).at(0.0).q[:1] == pytest.approx([0.3])
    with pytest.raises(ls.InputError, match="there is no run 5"):
        take_of(SOFT, many, 5)
