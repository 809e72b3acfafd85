"""What once ended the viewer, or showed something that is not so. Without a browser."""

import socket
import time

import numpy as np
import pytest
from tests.loops.mechanisms import FOUR, flexible_four_bar, four_bar
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.errors import Unreadable
from lissom.views.playback.takes import take_of
from lissom.views.scene.mesh_files import MeshFiles
from lissom.views.scene.mesh_limits import _refuse_entities
from lissom.views.scene.scene import Scene, State

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
    assert set(sections) == {"beam", "slide"}
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


def test_closed_loops_are_shown_closed_and_their_modes_found():
    with ls.view(four_bar(), open=False) as viewer:
        assert viewer.q == pytest.approx(ls.assemble(four_bar()).q)
    soft = flexible_four_bar()
    closed = ls.assemble(soft).q
    run = ls.simulate(soft, closed, until=0.02)
    with ls.view(soft, run.at([0.02]), mode=1, open=False) as viewer:  # bent at its start
        rest = viewer._panel.player.take.rest
    assert rest[soft.mode_index] == pytest.approx(0.0)
    assert ls.assemble(soft, rest).q == pytest.approx(rest, abs=1e-9)


def test_loops_that_cannot_close_are_shown_open_with_a_warning():
    apart = four_bar(sizes={**FOUR, "ground": 10 * FOUR["ground"]})
    with pytest.warns(UserWarning, match="are shown open"), ls.view(apart, open=False) as viewer:
        assert viewer.q == pytest.approx(apart.home)


def test_a_page_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    page = tmp_path / "page.html"
    page.write_text("old and good")
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(ls.ModelError, match=r"page\.html.*No space left"):
        ls.view(ls.load("two_link"), export=page)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert page.read_text() == "old and good"


def test_the_panel_begins_at_the_member_that_is_shown():
    arm = ls.load("two_link")
    many = ls.simulate(arm, [[0.1, 0.2], [0.3, -0.2], [0.5, 0.9]], until=0.05)
    for member in (2, np.int64(1)):
        with ls.view(arm, many, member=member, open=False) as viewer:
            assert viewer._panel.lane.value == member
    with pytest.raises(ls.InputError, match="view: q and a record are both given"):
        ls.view(arm, many, q=[0.1, 0.2], open=False)


def test_a_record_of_joints_that_move_otherwise_is_refused_and_one_of_other_numbers_named(tmp_path):
    arm = ls.load("two_link")
    run = ls.simulate(arm, [0.1, 0.2], until=0.05)
    name = arm.joints[1].name
    slide = ls.Joint("prismatic", axis=(1, 0, 0), name=name)
    body = {"mass": 5.0, "com": (0.3, 0, 0), "inertia": 1.0}
    other = ls.Arm("other", [ls.Link("x", joint=ls.Joint(name=arm.joints[0].name), **body),
                             ls.Link("y", "x", slide, **body)])  # fmt: skip
    with pytest.raises(ls.InputError, match=f"joint '{name}' is revolute; on arm 'other' it is prismatic"):
        take_of(other, run)
    heavier = arm.with_payload(ls.Payload(0.7))
    with pytest.warns(UserWarning, match="the run was made with another version of arm 'two_link'"):
        ls.view(heavier, run, export=tmp_path / "page.html")


def test_numbers_of_numpy_and_addresses_of_the_sixth_version_are_accepted(tmp_path):
    arm = ls.load("two_link_flexible")
    page = ls.view(arm, mode=np.int64(2), exaggerate=np.float32(2), export=tmp_path / "page.html")
    assert page.url.endswith("page.html")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ls.view(arm, port=np.int64(port), open=False) as viewer:
        assert viewer.url == f"http://localhost:{port}"
    for wrong in (True, np.bool_(1), np.nan):
        with pytest.raises(ls.InputError, match="view: exaggerate is"):
            ls.view(arm, exaggerate=wrong, open=False)


HOSTS = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hosts">]><a>&e;</a>'


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-7", "cp037"])
def test_a_document_type_in_another_encoding_is_refused(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>'
    hidden = HOSTS.replace("<", "+ADw-") if encoding == "utf-7" else HOSTS
    with pytest.raises(Unreadable, match="is not XML in UTF-8"):
        _refuse_entities((text + hidden).encode("ascii" if encoding == "utf-7" else encoding))


def test_plain_documents_pass():
    for content in (b'<?xml version="1.0" encoding="UTF-8"?><a/>', b"\xef\xbb\xbf \n<a/>",
                    b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>"):  # fmt: skip
        _refuse_entities(content)


def test_an_address_that_is_none_is_a_warning():
    shape = ls.LinkShape("mesh", (1.0, 1.0, 1.0), file="package://[x/foo.stl")
    arm = ls.Arm("m", [ls.Link("a", mass=1.0, com=(0.2, 0, 0), inertia=0.1, shapes=[shape])])
    files = MeshFiles(arm)
    assert files.parts(shape) is None
    with pytest.warns(UserWarning, match=r"mesh package://\[x/foo\.stl: its address cannot be read"):
        files.warn()


def test_many_files_with_one_fault_are_one_warning():
    shapes = [ls.LinkShape("mesh", (1.0, 1.0, 1.0), file=f"package://robot/{k}.stl") for k in range(5)]
    arm = ls.Arm("m", [ls.Link(f"l{k}", mass=1.0, inertia=0.1, shapes=[shape]) for k, shape in enumerate(shapes)])
    with pytest.warns(UserWarning, match=r"robot/0\.stl: file not found .* The same of 4 other files\.") as caught:
        Scene(arm, MeshFiles(arm), arm.home[None])
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://{}"}, 101),
        ({}, 101),
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "http://elsewhere.example", "Host": "elsewhere.example"}, 403),
    ],
    ids=["own", "no page", "other", "sandbox", "nonsense", "rebound"],
)
def test_pages_of_other_sites_get_nothing(headers, status, viewer_here):
    own = f"localhost:{viewer_here}"
    words = {"Host": own, **{word: value.format(own) for word, value in headers.items()}}
    words |= {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    words |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    line = "".join(f"{word}: {value}\r\n" for word, value in words.items())
    with socket.create_connection(("127.0.0.1", viewer_here), timeout=20) as client:
        client.sendall(f"GET / HTTP/1.1\r\n{line}\r\n".encode())
        assert client.recv(12).decode() == f"HTTP/1.1 {status}"


@pytest.fixture(scope="module")
def viewer_here():
    with ls.view(ls.load("two_link"), open=False) as viewer:
        yield int(viewer.url.rsplit(":", 1)[1])


def test_the_command_line_says_a_pose_only_where_one_is_typed(tmp_path):
    arm = ls.load("two_link")
    ls.simulate(arm, [0.1, 0.2], until=0.05).save(tmp_path / "run.csv")
    words = ["view", "two_link", str(tmp_path / "run.csv"), "--output", str(tmp_path / "page.html")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, [*words, "--q", "0.1,0.2"])
    assert (done.exit_code, "view: q and a record are both given" in done.output) == (1, True)
