"""The panel of the viewer: playback, joints, what is visible, legend, and pose of the tip, as controls of viser.

Callbacks of viser come from its own threads. They only leave word of what is asked for; `Panel.serve`, one thread,
does it and draws, so that nothing is done twice at once.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.gait.samples import GaitSamples
from lissom.model.units import units
from lissom.motion.result.motion import Motion
from lissom.simulation.run import Run
from lissom.verbs.modes import modes
from lissom.views.degrees import pose_text, shown_unit
from lissom.views.playback.player import HAND, Player
from lissom.views.playback.takes import ModeTake, RecordTake, Take, take_of
from lissom.views.scene.legend import legend, legend_html
from lissom.views.scene.scene import Scene
from lissom.views.viewer.live_curves import LiveCurves
from lissom.views.viewer.screenshots import screenshot
from lissom.views.viewer.web_nodes import Nodes

FRAME = 1 / 30  # s
CONTROLS = 1 / 10  # s between updates of the controls while it plays
CONNECTED = (1.0, 4.0)  # s after which curves are drawn anew for a browser that has connected
MOST_MODES = 12
TIME_STEPS = 500
JOINT_STEPS = 1000  # of a slider, at least


class Panel:
    """Controls of a server's `gui` for a player and the nodes that show it.

    member : which run of an ensemble `record` is shown
    fault : the first error that nobody expected, or None
    """

    def __init__(
        self,
        gui: Any,
        player: Player,
        scene: Scene,
        nodes: Nodes,
        record: Run | Motion | GaitSamples | None = None,
        member: int = 0,
    ):
        self.gui, self.player, self.scene, self.nodes, self.record = gui, player, scene, nodes, record
        self.asked: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.fault: Exception | None = None
        self._told, self._dark = 0.0, False
        self._set_theme()
        gui.main_panel.dock_right()
        self.words = gui.add_markdown("")
        self._add_playback(member)
        self._add_bending()
        self._add_joints()
        self._add_drawn()
        self._add_legend()
        take = self._record_take()
        self.curves = None if take is None else LiveCurves(gui, player.arm, take.curves)
        if self.curves is not None:
            self._when(self.curves.of, lambda _: self._choose_curves())
        self._redraw = None if self.curves is None else self.curves.redraw

    # ---- controls ---------------------------------------------------------------------------------

    def _when(self, control: Any, do: Callable[[Any], None], click: bool = False) -> None:
        """Call `do` with the value of a control that the user moved, not when the program set it.

        A coroutine runs as soon as the message has arrived. On a thread of its own it could read the value late, after
        `_tell` has set the control back to what is shown, and the move would be lost.
        """

        async def leave_word(event: Any) -> None:
            if event.client is not None:
                value = control.value
                self.asked.put(lambda: do(value))

        (control.on_click if click else control.on_update)(leave_word)

    def _add_playback(self, member: int) -> None:
        gui, player = self.gui, self.player
        moving = any(take.end > take.start for take in player.takes.values())
        with gui.add_folder("Playback", visible=moving):
            self.show = gui.add_dropdown("record", tuple(player.takes), initial_value=player.name)
            self.play = gui.add_button("pause" if player.playing else "play")
            self.time = gui.add_slider("time [s]", 0.0, 1.0, 0.001, 0.0)
            self.speed = gui.add_slider("playback speed", 0.05, 3.0, 0.05, 1.0)
            self.loop = gui.add_checkbox("repeat", initial_value=True)
            count = self.record.count if isinstance(self.record, Run) else None
            if count is not None and count > 1:
                self.lane = gui.add_slider("run of the ensemble", 0, count - 1, 1, int(member) % count)
                self._when(self.lane, self._other_member)
        self._when(self.show, self._choose)
        self._when(self.play, lambda _: player.play(), click=True)
        self._when(self.time, player.seek)
        self._when(self.speed, lambda value: setattr(player, "speed", value))
        self._when(self.loop, lambda value: setattr(player, "loop", value))

    def _add_bending(self) -> None:
        player = self.player
        if not player.arm.mode_index.size and not any(isinstance(take, ModeTake) for take in player.takes.values()):
            return
        with self.gui.add_folder("Deflection and modes"):
            if player.arm.mode_index.size:
                most = max(50.0, 2 * player.exaggerate)
                larger = self.gui.add_slider("deflection scale", 0.0, most, 0.1, player.exaggerate,
                                             hint="Factor of drawn deflections. 1: true scale.")  # fmt: skip
                self._when(larger, self._exaggerate)
            swing = self.gui.add_slider("mode amplitude", 0.0, 3.0, 0.05, 1.0,
                                        hint="Relative amplitude of a vibration mode. 1: clearly visible.")  # fmt: skip
            self._when(swing, lambda value: setattr(player, "amplitude", value))
            here = self.gui.add_button("compute modes at this pose")
            self._when(here, lambda _: self._find_modes(), click=True)

    def _add_joints(self) -> None:
        """Add a slider for every joint: revolute ones in degrees, prismatic ones in metres."""
        arm, self.sliders = self.player.arm, []
        unit, ranges = units(arm), np.array(self.player.joint_ranges(self.scene.size))
        shown = [shown_unit(unit[k]) for k in arm.joint_index]
        self._scales = np.array([scale for _, scale in shown])
        with self.gui.add_folder("Joints", expand_by_default=len(arm.joints) <= 12):
            if arm.loops:
                self.gui.add_markdown("Moving a joint moves others too, so that the loops stay closed.")
            for k, joint in enumerate(arm.joints):
                low, high, step = slider_range(*(self._scales[k] * ranges[:, k]))
                led = ", ".join(name for name, mimic in arm.mimics.items() if mimic.joint == joint.name)
                now = _within(self._scales[k] * self.player.joints[k], low, high, step)
                slider = self.gui.add_slider(f"{joint.name} [{shown[k][0]}]", low, high, step, now,
                                             hint=f"These joints mimic it: {led}." if led else None)  # fmt: skip
                self._when(slider, lambda value, k=k: self._by_hand(k, value))  # type: ignore[misc]
                self.sliders.append(slider)

    def _add_drawn(self) -> None:
        with self.gui.add_folder("Visible"):
            for group in self.nodes.groups:
                box = self.gui.add_checkbox(group, initial_value=True)
                self._when(box, lambda value, group=group: self.nodes.show(group, value))  # type: ignore[misc]

        dark = self.gui.add_checkbox("dark", initial_value=self._dark)
        self._when(dark, self._darken)
        picture = self.gui.add_button("save a screenshot")
        picture.on_click(self._send_screenshot)

    def _add_legend(self) -> None:
        with self.gui.add_folder("Legend"):
            entries = legend(self.scene, self.scene.arrow_kinds, len(self.player.trail()) > 0)
            self.gui.add_html(str(legend_html(entries, self.scene.shows_tip)))  # viser sends plain strings only

    # ---- what is asked for ------------------------------------------------------------------------

    def _choose(self, name: str) -> None:
        self.player.choose(name)
        self.nodes.put_trail(self.player.trail())

    def _exaggerate(self, value: float) -> None:
        player = self.player
        player.exaggerate = value
        self.nodes.put_trail(player.trail())
        if player.goal is not None:
            self.scene.goal = player.larger(player.goal)
            self.nodes.put_goal()

    def _by_hand(self, joint: int, value: float) -> None:
        """Move a joint to a value of its slider."""
        left = self.player.name != HAND
        self.player.move(joint, value / self._scales[joint])
        if left:
            self.nodes.put_trail(self.player.trail())

    def _other_member(self, member: int) -> None:
        assert isinstance(self.record, Run)
        take = take_of(self.player.arm, self.record, int(member))
        self.player.takes[take.title] = take
        self._choose(take.title)
        self._choose_curves()

    def _find_modes(self) -> None:
        """Compute the modes at the present pose and replace the earlier ones."""
        arm, player = self.player.arm, self.player
        q = np.array(player.take.at(player.t).q) if not isinstance(player.take, ModeTake) else player.take.rest
        takes = mode_takes(modes(arm, q, count=MOST_MODES))
        player.takes = {name: take for name, take in player.takes.items() if not isinstance(take, ModeTake)} | takes
        self.show.options = tuple(player.takes)
        self._choose(next(iter(takes), HAND))

    def _choose_curves(self) -> None:
        take = self._record_take()
        if self.curves is not None and take is not None:
            self.curves.choose(take.curves)

    def _darken(self, dark: bool) -> None:
        self._dark = dark
        self._set_theme()
        self.nodes.darken(dark)
        if self.curves is not None:
            self.curves.darken(dark)

    def _set_theme(self) -> None:
        self.gui.configure_theme(
            show_share_button=False, show_logo=False, control_width="medium", dark_mode=self._dark
        )  # fmt: skip

    def _send_screenshot(self, event: Any) -> None:
        """Send the picture to the browser that asks for it; viser calls this on a thread that may wait for it."""
        if event.client is None:
            return
        try:
            content = screenshot(event.client, self._dark)
            event.client.send_file_download(f"{self.player.arm.name}.png", content, save_immediately=True)
        except (RuntimeError, TimeoutError) as error:
            why = f"The browser returned no screenshot: {error}"
            self.asked.put(lambda: setattr(self.player, "said", why))

    # ---- telling ----------------------------------------------------------------------------------

    def _record_take(self) -> RecordTake | None:
        return next((take for take in self.player.takes.values() if isinstance(take, RecordTake)), None)

    def _draw_curves(self) -> None:
        take = self._record_take()
        if self.curves is not None and take is not None:
            self.curves.put(take.curves, self.player.t if self.player.take is take else None)

    def _tell(self) -> None:
        """Update the controls to the state that is shown."""
        player, take = self.player, self.player.take
        _set(self.show, value=player.name)
        _set(self.play, label="pause" if player.playing else "play", disabled=take.end <= take.start)
        if take.end > take.start:
            _set(self.time, min=take.start, max=take.end, step=(take.end - take.start) / TIME_STEPS)
            _set(self.time, value=player.t)
        for slider, value in zip(self.sliders, self._scales * player.joints, strict=True):
            _set(slider, value=_within(value, slider.min, slider.max, slider.step))
        self._draw_curves()

    def _say(self) -> None:
        """Update the text; separate from `_tell`, since the text reports errors of it."""
        _set(self.words, content=self._text(self.player.take))

    def _text(self, take: Take) -> str:
        arm, player = self.player.arm, self.player
        lines = [f"**{_plain(arm.name)}**: {len(arm.joints)} joints, {arm.dof} coordinates"]
        if isinstance(take, ModeTake):
            lines.append(f"{take.title}, {take.pace}")
        elif take.end > take.start:
            lines.append(f"t = {player.t:.3f} s of {take.end:.3f} s")
        if not isinstance(take, ModeTake):
            lines.append("tip: " + "  \n".join(pose_text(player.tip)))
        if player.said:
            lines.append(f"⚠ {_plain(player.said)}")
        return "\n\n".join(lines)

    # ---- the loop ---------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw the present state of the player."""
        player, take = self.player, self.player.take
        self.nodes.put(self.scene.look(player.state()))
        length = take.end - take.start
        self.nodes.pass_trail((player.t - take.start) / length if length > 0 else 0.0)

    def serve(self, atomic: Callable[[], Any]) -> None:
        """Handle requests and play until `close`; `atomic` sends a frame as one message."""
        try:
            self._serve(atomic)
        except Exception as error:  # not even the panel can be told
            self.fault = self.fault or error

    def _serve(self, atomic: Callable[[], Any]) -> None:
        self._try(lambda: self.nodes.put_trail(self.player.trail()))
        dirty, last = True, time.monotonic()
        while True:
            asked = self._asked(self.player.playing, dirty)
            if None in asked:
                return
            now = time.monotonic()
            self.player.advance(now - last)
            last = now
            if any(do != self._redraw for do in asked):
                self.player.said = ""
            for do in asked:
                self._try(do)  # type: ignore[arg-type]
            dirty = bool(asked) or dirty
            if not (dirty or self.player.playing):
                continue
            with atomic():
                self._try(self.draw)
                if not self.player.playing or now - self._told > CONTROLS:
                    self._told = now
                    self._try(self._tell)
                    self._say()
            dirty = False
            time.sleep(max(0.0, FRAME - (time.monotonic() - now)))

    def _asked(self, playing: bool, dirty: bool) -> list[Callable[[], None] | None]:
        """Return all pending requests; wait for one if nothing is playing."""
        out: list[Callable[[], None] | None] = []
        while True:
            try:
                out.append(self.asked.get(block=not (playing or dirty or out), timeout=None))
            except queue.Empty:
                return out

    def _try(self, do: Callable[[], None]) -> None:
        """Run a request; show errors in the panel, and stop playing after an internal error."""
        try:
            do()
        except LissomError as error:
            self.player.said = str(error)
        except Exception as error:
            self.player.said = f"Internal error of the viewer: {type(error).__name__}: {error}"
            self.player.playing = False
            self.fault = self.fault or error

    def greet(self) -> None:
        """Redraw the curves soon after a browser has connected, and once more for a slow one."""
        for seconds in CONNECTED if self._redraw is not None else ():
            later = threading.Timer(seconds, self.asked.put, [self._redraw])
            later.daemon = True
            later.start()

    def close(self) -> None:
        """End `serve`."""
        self.asked.put(None)


def mode_takes(found: Any) -> dict[str, Take]:
    """Return the modes as records to play, by title."""
    takes: Sequence[ModeTake] = [ModeTake(found, k) for k in range(len(found.frequencies_hz))]
    return {take.title: take for take in takes}


def slider_range(low: float, high: float) -> tuple[float, float, float]:
    """Return lowest value, highest value and step of a slider with few decimals, within the given ends.

    Examples
    --------
    >>> slider_range(-166.00306, 166.00306)
    (-166.0, 166.0, 0.1)
    """
    digits = int(np.ceil(np.log10(JOINT_STEPS / max(high - low, 1e-6))))
    fine = 10.0 ** (digits + 1)
    a, b = np.ceil(low * fine - 1e-6) / fine + 0.0, np.floor(high * fine + 1e-6) / fine + 0.0  # 0.0: nothing is -0
    return float(a), float(max(a, b)), 10.0**-digits


def _within(value: float, low: float, high: float, step: float) -> float:
    """Return a value of a slider with as many decimals as are shown."""
    return float(np.clip(np.round(value * (10 / step)) / (10 / step), low, high))


def _set(control: Any, **values: Any) -> None:
    """Set the values of a control that changed."""
    for word, value in values.items():
        if getattr(control, word) != value:
            setattr(control, word, value)


def _plain(words: str) -> str:
    """Escape text for Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~$" else c for c in words)
