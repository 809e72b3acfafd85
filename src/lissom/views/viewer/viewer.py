"""`view`: an arm, a run or a motion in the browser."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Never, Self

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, SolveError, shown
from lissom.formats.files import check_writable, write_text
from lissom.gait.samples import GaitSamples
from lissom.kernels.arguments import as_arm, as_state
from lissom.keywords import check_keywords, without_unknown
from lissom.markup import Markup, tag
from lissom.model.arm import Arm
from lissom.motion.result.motion import Motion
from lissom.progress import in_notebook
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.assembly import assemble
from lissom.verbs.modes import ArmModes, modes as find_modes
from lissom.views.playback.player import Player
from lissom.views.playback.takes import ContactTake, RecordTake, Still, Take, peaks_of, refuse_other, take_of
from lissom.views.scene.contacts import around, ground_of
from lissom.views.scene.mesh_files import MeshFiles
from lissom.views.scene.scene import Scene, up_of
from lissom.views.scene.surroundings import solids_around
from lissom.views.viewer.panel import MOST_MODES, Panel, mode_takes
from lissom.views.viewer.servers import LOOPBACK, address, refuse_taken, start, stop, viser_package
from lissom.views.viewer.web_nodes import Nodes
from lissom.views.web.page_data import Shown, goal_of
from lissom.views.web.web_page import player as scene_player, scene_page

FIRST_PORT = 8080
CELL_HEIGHT = 480  # pixels of a viewer below the cell of a notebook
Record = Run | Motion | GaitSamples | ArmModes
Folders = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None


class Viewer:
    """A running viewer, or a page that was written.

    url : str      ``http://...`` of the server, or ``file://...`` of the page

    Close it with `close`, or use it in a ``with`` block. A notebook shows it below the cell as the last expression, and
    stores the content of a page.
    """

    def __init__(self, url: str, server: Any = None, panel: Panel | None = None, page: Path | None = None):
        self.url, self._page = url, page
        self._server, self._panel, self._thread = server, panel, None
        if panel is not None:
            self._thread = threading.Thread(target=panel.serve, args=(server.atomic,), name="lissom view", daemon=True)
            self._thread.start()

    @property
    def q(self) -> Array:
        """(dof,) the present state at true scale, for example a pose set with the sliders."""
        if self._panel is None:
            raise InputError("view: an exported page has no state; start a viewer without export=.")
        player = self._panel.player
        return np.array(player.take.at(player.t).q)

    def wait(self) -> None:
        """Wait until the viewer is closed or Ctrl-C is pressed; raise an internal error of the viewer, if any."""
        try:
            while self._thread is not None and self._thread.is_alive():
                self._thread.join(0.2)
        finally:
            if self._panel is not None and self._panel.fault is not None:
                raise self._panel.fault

    def close(self) -> None:
        """Stop the server; an exported page stays."""
        server, self._server = self._server, None
        if server is not None and self._panel is not None and self._thread is not None:
            self._panel.close()
            self._thread.join(5.0)
            stop(server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Viewer at {self.url}{'' if self._server is not None or self.url.startswith('file') else ', closed'}>"

    def _repr_html_(self) -> str:
        """HTML of the running viewer in a frame with a link, or of an exported page, which the frame then contains."""
        link = tag("a", self.url, href=self.url, target="_blank")
        style = f"width: 100%; height: {CELL_HEIGHT}px; border: 0"
        if self._page is not None and os.path.isfile(self._page):
            page = self._page.read_text(encoding="utf-8")
            return tag("div", tag("iframe", srcdoc=page, style=style), tag("p", "page written: ", link))
        if self._server is None:
            return tag("p", "page written: " if self._page is not None else "viewer closed: ", link)
        return tag("div", tag("iframe", src=self.url, style=style), tag("p", "viewer: ", link))


@without_unknown
def view(
    arm: Arm,
    record: Record | Mapping[str, Record] | None = None,
    *,
    q: ArrayLike | None = None,
    goal: ArrayLike | None = None,
    member: int = 0,
    modes: ArmModes | None = None,
    mode: int | None = None,
    exaggerate: float = 1.0,
    meshes: Folders = None,
    host: str = LOOPBACK,
    port: int | None = None,
    open: bool | None = None,  # the word of the command line
    export: str | os.PathLike[str] | None = None,
    **unknown: Never,
) -> Viewer:
    """Show an arm in the browser and play a run, a motion or a mode; or export it as a self-contained page.

    Links are drawn with the meshes and shapes of their description, otherwise as capsules and tubes; flexible links are
    drawn deflected. The panel has playback, joint sliders (closed loops stay closed), a scale for deflections, and
    curves of one coordinate. The server uses no external resources and answers its own pages only; other programs and
    users of this machine can open them too. The server needs the extra ``viewer``; a page does not, except for meshes.

    Parameters
    ----------
    arm : Arm
    record : Run, Motion, GaitSamples, ArmModes or None    what to play; obstacles and via points of a motion's task are
                                     shown, of a motion with contacts their forces and the prints of feet
        or {title: Run or Motion}    several of them side by side with one clock; for a page only
    q : (dof,) or None               the pose of an arm without a record, None: `arm.ready`, its loops closed
    goal : (dof,) or None            a pose that is drawn transparent, None: the end of a motion
    member : int                     which run of an ensemble to show first
    modes : ArmModes or None         modes to choose from in the panel; None: for an arm with elastic parts, the modes
                                     at the first pose with joints locked
    mode : int or None               start with this mode, 1 is the lowest; None: with the record
    exaggerate : float               scale of the drawn deflections of flexible links and springs
    meshes : path, paths or None     more folders to search for mesh files and packages
    host : str                       address to listen at; other values than "127.0.0.1" let other machines connect
    port : int or None               None: the first free one from 8080 on
    open : bool or None              open it in the browser of this machine; None: except in notebooks, which show it
                                     below the cell
    export : path or None            write a self-contained page (.html) instead of starting a server

    Returns
    -------
    Viewer      with `url`, `q` and `close()`; it can be used in ``with``

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link_flexible")
    >>> run = ls.simulate(arm, [0.3, 0.1], until=1.0)
    >>> ls.view(arm, run, exaggerate=3)  # doctest: +SKIP
    >>> with ls.view(arm, run, open=False) as viewer:  # doctest: +SKIP
    ...     print(viewer.url)
    >>> ls.view(arm, ls.modes(arm, [0.0, 0.5]), export="mode.html")  # doctest: +SKIP
    >>> other = ls.simulate(arm, [0.3, 0.1], tau=[0.2, 0.1], until=1.0)
    >>> ls.view(arm, {"free": run, "driven": other}, export="both.html")  # doctest: +SKIP
    """
    check_keywords(view, unknown)
    as_arm(arm, "view")
    _refuse_wrong(exaggerate, host, port)
    page = None if export is None else _page_path(export)
    if page is None:
        viser_package()
    asked = _Asked(q, goal, member, modes, mode, float(exaggerate), _folders(meshes))
    if page is not None:
        arms = _side_by_side(arm, record, asked)
        write_text(page, scene_page(arms[0].title if len(arms) == 1 else arm.name, arms))
        return Viewer(page.as_uri(), page=page)
    if isinstance(record, Mapping):
        raise InputError("view: several records are shown side by side on a page only; give export='page.html'.")
    _, player, scene = _shown(arm, "", record, asked, live=True)
    refuse_taken(host, None if port is None else int(port))
    server = start(host, FIRST_PORT if port is None else int(port))
    if port is not None and server.get_port() != port:  # somebody was quicker, and viser took the next
        stop(server)
        raise InputError(f"view: port {port} of {host} is in use; choose another with port= (--port).")
    nodes = _nodes(server, scene)
    panel = Panel(server.gui, player, scene, nodes, None if isinstance(record, ArmModes) else record, member)
    server.on_client_connect(lambda _: panel.greet())
    started = Viewer(address(host, server.get_port()), server, panel)
    if not in_notebook() if open is None else open:
        import webbrowser

        webbrowser.open(started.url)
    return started


def embedded(
    arm: Arm, record: Record | Mapping[str, Record] | None = None, *, goal: ArrayLike | None = None,
    exaggerate: float = 1.0
) -> Markup:  # fmt: skip
    """Return a part of an HTML page that shows what `view` shows; `whole_page` makes a page of such parts."""
    return scene_player(_side_by_side(arm, record, _Asked(None, goal, 0, None, None, float(exaggerate), [])))


# ---- what is asked for ---------------------------------------------------------------------------


class _Asked(NamedTuple):
    """What the caller of `view` asked for, beside the arm and its record."""

    q: ArrayLike | None
    goal: ArrayLike | None
    member: int
    modes: ArmModes | None
    mode: int | None
    exaggerate: float
    folders: list[Path]


def _side_by_side(arm: Arm, record: Any, asked: _Asked) -> list[Shown]:
    """Return what a page shows: one arm for every record."""
    if isinstance(record, Mapping) and not record:
        raise InputError("view: the record is an empty mapping; expected {title: Run or Motion}.")
    records = record if isinstance(record, Mapping) else {"": record}
    arms = [_shown(arm, str(title), one, asked, live=False) for title, one in records.items()]
    kinds = {kind for one in arms for kind in one.scene.peaks}
    peaks = {kind: max(one.scene.peaks.get(kind, 0.0) for one in arms) for kind in kinds}
    for one in arms:  # arrows side by side are to one scale
        one.scene.peaks = peaks
    return arms


def _refuse_record(record: Any, asked: _Asked) -> None:
    if record is not None and not isinstance(record, Run | Motion | GaitSamples | ArmModes):
        raise InputError(
            f"view: got {type(record).__name__}; expected a Run (from simulate, load_run), a Motion (from "
            "predict_motion, load_motion), GaitSamples or ArmModes (from modes)."
        )
    if isinstance(record, ArmModes) and asked.modes is not None:
        raise InputError("view: modes are given both as the record and as modes=; give one of them.")
    if isinstance(record, Run | Motion | GaitSamples) and asked.q is not None:
        raise InputError("view: q and a record are both given, but a record has its own poses; give one of them.")
    if asked.modes is not None and not isinstance(asked.modes, ArmModes):
        raise InputError(f"view: modes is {shown(asked.modes)}; expected ArmModes (from modes).")


def _refuse_wrong(exaggerate: Any, host: Any, port: Any) -> None:
    number = isinstance(exaggerate, int | float | np.integer | np.floating) and not isinstance(exaggerate, bool)
    if not number or not 0 <= exaggerate < np.inf:
        raise InputError(f"view: exaggerate is {shown(exaggerate)}; expected a number of at least 0.")
    if not isinstance(host, str):
        raise InputError(f"view: host is {shown(host)}; expected an address such as '127.0.0.1'.")
    if port is not None and not (_whole(port) and 1 <= port <= 65535):
        raise InputError(f"view: port is {shown(port)}; expected a whole number from 1 to 65535, or None.")


def _whole(x: Any) -> bool:
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def _page_path(export: Any) -> Path:
    if not isinstance(export, str | os.PathLike):
        raise InputError(f"view: export is {shown(export)}; expected a path that ends in .html.")
    page = Path(export).absolute()
    if page.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"view: {page.name} is not a page; expected a name that ends in .html.")
    check_writable(page, "view: ")
    return page


def _pose(arm: Arm, q: ArrayLike | None) -> Array:
    if q is None and arm.loops:
        try:
            return assemble(arm, arm.ready).q
        except SolveError as error:
            warnings.warn(f"view: the loops of arm {arm.name!r} are shown open. {error}", stacklevel=4)
    return _one_state(arm, arm.ready if q is None else q, "q")


def _one_state(arm: Arm, value: ArrayLike, what: str) -> Array:
    state = as_state(arm, value, what, "view")
    if state.ndim != 1:
        raise InputError(f"view: {what} has shape {state.shape}; expected one state ({arm.dof},).")
    return state


def _folders(meshes: Folders) -> list[Path]:
    """Return the folders that exist."""
    some = [] if meshes is None else [meshes] if isinstance(meshes, str | os.PathLike) else list(meshes)
    folders = [Path(folder) for folder in some]
    for folder in folders:
        if not os.path.isdir(folder):
            raise InputError(f"view: meshes names {folder}, which is not a folder.")
    return folders


# ---- what is shown -------------------------------------------------------------------------------


def _shown(arm: Arm, title: str, record: Any, asked: _Asked, live: bool) -> Shown:
    """Return what plays and what it looks like; a live viewer also offers the modes near the first pose."""
    _refuse_record(record, asked)
    if isinstance(record, ArmModes):
        asked = asked._replace(modes=record, mode=1 if asked.mode is None else asked.mode)
        record = None
    goal = goal_of(record) if asked.goal is None else _one_state(arm, asked.goal, "goal")
    player = _player(arm, record, asked, goal, live)
    scene = _scene(arm, record, player, asked.folders)
    return Shown(title or _title(player), player, scene)


def _title(player: Player) -> str:
    take, name = player.take, player.arm.name
    if isinstance(take, Still):
        return name
    length = f", {take.end - take.start:.4g} s" if isinstance(take, RecordTake) else ""
    return f"{name}: {take.title}{length}"


def _which(recorded: Arm, shown: Arm) -> str:
    """The arm of a record that is not the shown one; both may have one name."""
    if recorded.name == shown.name:
        return f"version of arm {shown.name!r} (masses, limits or geometry differ)"
    return f"arm, {recorded.name!r}, than {shown.name!r}"


def _player(
    arm: Arm, record: Run | Motion | GaitSamples | None, asked: _Asked, goal: Array | None, live: bool
) -> Player:
    """Takes in the order of the panel: the record, then modes."""
    takes: dict[str, Take] = {}
    pose, modes = _pose(arm, asked.q), asked.modes
    if record is not None:
        take = take_of(arm, record, asked.member)
        takes[take.title] = take
        pose = take.at(take.start).q
        if record.arm.digest != arm.digest:
            warnings.warn(
                f"view: the {take.title} was made with another {_which(record.arm, arm)}; positions and curves may "
                "disagree.", stacklevel=4)  # fmt: skip
    if modes is None and arm.mode_index.size and (live or asked.mode is not None):
        modes = _modes_near(arm, pose)
    if modes is not None:
        refuse_other(arm, modes.arm, "the modes are")
    swings = {} if modes is None else mode_takes(modes)
    player = Player(arm, {**takes, **swings} if takes else swings, pose, asked.exaggerate, goal)
    if asked.mode is not None:
        if not (_whole(asked.mode) and 1 <= asked.mode <= len(swings)):
            many = f"a whole number from 1 to {len(swings)}" if swings else "None, since the arm has no vibration modes"
            raise InputError(f"view: mode is {shown(asked.mode)}; expected {many}.")
        player.choose(list(swings)[asked.mode - 1])
    elif not takes:
        player.choose(Still.title)
    return player


def _modes_near(arm: Arm, pose: Array) -> ArmModes | None:
    """Return the modes about the undeflected pose with closed loops; None where the loops cannot close."""
    rigid = np.array(pose)
    rigid[arm.mode_index] = 0.0
    if arm.loops:
        try:
            rigid = assemble(arm, rigid).q
        except SolveError:
            return None
    return find_modes(arm, rigid, count=MOST_MODES)


def _scene(arm: Arm, record: Run | Motion | GaitSamples | None, player: Player, folders: list[Path]) -> Scene:
    take = player.takes.get("run") or player.takes.get("motion")
    if isinstance(take, RecordTake):
        states, peaks = take.curves.q[:: max(1, len(take.curves.t) // 40)], take.peaks
    else:
        states, peaks = player.take.at(player.t).q[None], peaks_of(arm, np.zeros(arm.dof), arm.loads)
    ghost = None if player.goal is None else player.larger(player.goal)
    states = np.concatenate([player.larger(states), *([] if ghost is None else [ghost[None]])])
    samples = take.samples if isinstance(take, ContactTake) else None
    ground = None if samples is None else ground_of(samples, up_of(arm))
    scene = Scene(arm, MeshFiles(arm, folders), states, peaks, goal=ghost, ground=ground)
    if samples is not None:
        scene.solids = [solid for solid in scene.solids if not solid.name.startswith("tip/")]
        scene.solids += around(samples, scene)
    if isinstance(record, Motion):
        scene.solids += solids_around(record, scene)
    return scene


# ---- viser ---------------------------------------------------------------------------------------


def _nodes(server: Any, scene: Scene) -> Nodes:
    nodes = Nodes(server.scene, scene)
    for word, value in nodes.camera.items():
        setattr(server.initial_camera, word, value)
    return nodes
