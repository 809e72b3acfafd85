"""Pages that a user puts together: text, tables, figures, arms that move in 3-D, a motion beside the rigid plan."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import InputError, MotionError, shown
from lissom.formats.files import check_writable, write_text
from lissom.listing import Listing
from lissom.markup import Markup, tag
from lissom.model.arm import Arm
from lissom.motion.compare import PERIODS, refuse_comparison, rigid_task
from lissom.motion.public import predict_motion
from lissom.motion.result.motion import Motion
from lissom.motion.result.replay import follow
from lissom.pages.page import Section, page, picture, verbatim
from lissom.simulation.run import Run
from lissom.verbs.modes import modes
from lissom.views.followed import followed_frame
from lissom.views.viewer.viewer import Record, embedded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGID, OURS = "plan for rigid links", "lissom's plan"
COLUMNS = ("plan", "tip swings after the stop by", "largest torques, planned", "largest torques, needed to follow it")
RATE, MOST = 400, 4000  # samples of a run: per second, and in all, about
LEAST = 1e-6  # m; smaller vibrations are shown as smaller than this


class WebPage:
    """A self-contained HTML page that is put together part by part, and needs no network.

    title : str      the heading of the page
    lead : str       a sentence or two below it

    Parts stand on the page in the order in which they are added. `add_comparison` shows a motion of a flexible arm
    beside the plan for rigid links.

    Examples
    --------
    >>> import lissom as ls, tempfile, pathlib
    >>> arm = ls.load("two_link")
    >>> page = ls.WebPage("An arm falls")
    >>> page.add_text("Two links, no torques.")
    >>> page.add_scene(arm, ls.simulate(arm, [0.3, 0.1], until=0.5))
    >>> page.add_table(["link", "kg"], [(link.name, link.mass) for link in arm.links])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page.save(pathlib.Path(folder) / "fall.html").name
    'fall.html'
    """

    def __init__(self, title: str, lead: str = ""):
        self.title, self.lead = str(title), str(lead)
        self._sections: list[tuple[str, list[Markup]]] = []

    def add_section(self, title: str) -> None:
        """Begin a section; with several sections, the page has links to them at its top."""
        self._sections.append((str(title), []))

    def add_text(self, text: str) -> None:
        """Add a paragraph."""
        self._add(tag("p", str(text)))

    def add_code(self, text: str) -> None:
        """Add text that is shown as it is, such as code."""
        self._add(verbatim(str(text)))

    def add_table(self, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
        """Add a table; columns of numbers, with or without units, are right-aligned.

        Parameters
        ----------
        columns : the heads
        rows : each with one cell per column
        """
        heads = [str(head) for head in columns]
        cells = [[_cell(cell) for cell in row] for row in rows]
        for row in cells:
            if len(row) != len(heads):
                raise InputError(f"add_table: a row has {len(row)} cells; expected {len(heads)}, one per column.")
        self._add(Listing.of(heads, cells).html())

    def add_figure(self, figure: Figure, caption: str = "") -> None:
        """Add a matplotlib figure, such as `plot` returns."""
        if not hasattr(figure, "savefig"):
            raise InputError(f"add_figure: figure is {shown(figure)}; expected a figure of matplotlib.")
        self._add(picture(figure, caption))

    def add_scene(
        self, arm: Arm, record: Record | Mapping[str, Record] | None = None, *, goal: ArrayLike | None = None,
        exaggerate: float = 1.0
    ) -> None:  # fmt: skip
        """Add an arm in 3-D with playback, curves and legend, as `view` exports it.

        Parameters
        ----------
        arm : Arm
        record : Run, Motion, ArmModes or None    what plays; or {title: Run or Motion}, side by side with one clock
        goal : (dof,) or None                     a pose that is drawn transparent, None: the end of a motion
        exaggerate : float                        scale of the drawn deflections
        """
        self._add(embedded(arm, record, goal=goal, exaggerate=exaggerate))

    def add_comparison(
        self, motion: Motion, *, after: float | None = None, exaggerate: float = 1.0
    ) -> dict[str, float]:  # fmt: skip
        """Add the arm of a motion under the plan for rigid links, beside the same arm under this motion.

        The plan for rigid links solves the same task, in the same time, for an arm that does not bend. On the page the
        joints of the flexible arm follow each plan exactly and then stand still; a table gives how far the tip swings
        after the stop, and the largest torques, planned and needed.

        Parameters
        ----------
        motion : Motion          of an arm with flexible links or joints, from rest to rest
        after : float or None    seconds that are shown after the stop; None: as long as the motion, but at least 2.5
                                 periods of the slowest mode
        exaggerate : float       scale of the drawn deflections

        Returns
        -------
        {title: float}           largest distance of the tip from its mean position after the stop [m], of both plans
        """
        if not isinstance(motion, Motion):
            raise InputError(f"add_comparison: got {shown(motion)}; expected a Motion (from predict_motion).")
        refuse_comparison(motion.arm, motion.task, "add_comparison")
        if after is None:
            slowest = modes(motion.arm, motion.q[-1], "locked", 1).frequencies_hz
            after = max(motion.duration, *(PERIODS / slowest))
        if not 0 < after < np.inf:
            raise InputError(f"add_comparison: after is {shown(after)}; expected seconds above 0.")
        rate = min(RATE, MOST / (motion.duration + after))
        plans = {RIGID: _rigid_plan(motion), OURS: motion}
        runs = {title: follow(plan, motion.arm, float(after), rate) for title, plan in plans.items()}
        swings = {title: _swing(run, motion.duration) for title, run in runs.items()}
        titled = {f"{title}: the tip swings by {_length(swings[title])}": run for title, run in runs.items()}
        self.add_scene(motion.arm, titled, goal=motion.q[-1], exaggerate=exaggerate)
        rows = [
            (title, _length(swings[title]), _peaks(plan.arm, plan.tau), _peaks(motion.arm, runs[title].tau))
            for title, plan in plans.items()
        ]
        self.add_table(COLUMNS, rows)
        self.add_text(
            "Largest torques are given joint by joint. The planned ones are those of the model for which the plan was "
            "made. The others are what the motors of the flexible arm need to follow it exactly; arrows show these."
        )
        return swings

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file that ends in ``.html``; return its path."""
        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"save: {target.name} is not a page; expected a name that ends in .html.")
        check_writable(target, "save: ")
        sections = [Section(title, Markup("".join(parts))) for title, parts in self._sections]
        write_text(target, page(self.title, self.lead, sections))
        return target

    def __repr__(self) -> str:
        parts = sum(len(parts) for _, parts in self._sections)
        return f"<WebPage {self.title!r}: {parts} parts; use save(path) to write it>"

    def _add(self, part: Markup) -> None:
        if not self._sections:
            self.add_section("")
        self._sections[-1][1].append(part)


def _rigid_plan(motion: Motion) -> Motion:
    """The motion of the same task and duration for rigid links; without limits of rates and torques where it needs."""
    try:
        return predict_motion(*rigid_task(motion, motion.duration), starts=1)
    except MotionError:
        return predict_motion(*rigid_task(motion, motion.duration, limited=False), starts=1)


def _swing(run: Run, stop: float) -> float:
    """Largest distance of the tip from its mean position after the stop [m]."""
    tip = run.path(followed_frame(run.arm))[run.t > stop]
    return float(np.linalg.norm(tip - tip.mean(axis=0), axis=1).max())


def _length(metres: float) -> str:
    return f"{1e3 * metres:.2g} mm" if metres >= LEAST else f"< {1e3 * LEAST:g} mm"


def _peaks(arm: Arm, tau: NDArray[Any]) -> str:
    """Return the largest torque or force of every joint, of torques (nt, dof)."""
    most = np.abs(tau[:, arm.joint_index]).max(axis=0)
    units = [joint.effort_unit for joint in arm.joints]
    found = [f"{x:.3g}" if x > 1e-3 * most.max() else "0" for x in most]
    if len(set(units)) == 1:
        return f"{', '.join(found)} {units[0]}"
    return ", ".join(f"{x} {unit}" for x, unit in zip(found, units, strict=True))


def _cell(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float | np.floating) else str(value)
