"""Curves of one coordinate over time beside the live view, with a line at the present time."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.spatial.rotations import Array
from lissom.views.degrees import shown_unit
from lissom.views.figures.palette import DARK, LIGHT
from lissom.views.playback.takes import Curves

WIDTH, HEIGHT, BELOW = 290, 150, 30  # pixels; below: room for the numbers of the axis
MOST_TIMES = 5  # steps between numbers below a curve
ROOM = 0.08  # above and below a curve, of its height
FORCES = {"N m": "torque", "N": "force"}
SYMBOLS = ("q", "qd", "tau")


class LiveCurves:
    """Plots of position, rate and torque of one coordinate of an arm, in degrees for angles, docked at the left.

    of : the control that chooses the coordinate
    """

    def __init__(self, gui: Any, arm: Arm, curves: Curves):
        self.arm = arm
        names, beside = arm.coordinates, gui.add_panel()
        beside.dock_left()
        beside.set_width(WIDTH)
        with beside.add_tab("Curves"):
            self.of = gui.add_dropdown("coordinate", names, initial_value=names[int(np.argmax(arm.actuated))])
            self.values = gui.add_markdown("")
            self.plots = [
                gui.add_uplot(self._data(which, curves, None), self._series(which, dark=False), height=HEIGHT,
                              title=self._title(which), scales=self._scales(which, curves), legend={"show": False},
                              axes=self._axes(curves), padding=(8, 12, 0, 0))
                for which in range(len(SYMBOLS))
            ]  # fmt: skip

    def choose(self, curves: Curves) -> None:
        """Show the chosen coordinate of a record."""
        for which, plot in enumerate(self.plots):
            plot.title, plot.scales = self._title(which), self._scales(which, curves)
            plot.axes = self._axes(curves)

    def redraw(self) -> None:
        """Have browsers draw the plots anew; without it one that has just connected shows no times below the curves."""
        for plot in self.plots:
            plot.axes = tuple(dict(axis) for axis in plot.axes)

    def put(self, curves: Curves, t: float | None) -> None:
        """Move the line to a time, or take it away where the record is not what is shown."""
        for which, plot in enumerate(self.plots):
            plot.data = self._data(which, curves, t)
        self.values.content = "" if t is None else self._now(curves, t)

    def darken(self, dark: bool) -> None:
        """Take the colours for a dark or a light ground."""
        for which, plot in enumerate(self.plots):
            plot.series = self._series(which, dark)

    # ---- one plot ---------------------------------------------------------------------------------

    def _unit(self, which: int) -> tuple[str, float]:
        return shown_unit(units(self.arm, SYMBOLS[which])[self._index])

    @property
    def _index(self) -> int:
        return self.arm.coordinates.index(self.of.value)

    def _title(self, which: int) -> str:
        unit, _ = self._unit(which)
        word = ("position", "rate", FORCES.get(unit, "generalised force"))[which]
        return f"{word} [{unit}] over t [s]" if unit != "1" else f"{word} over t [s]"

    def _values(self, which: int, curves: Curves) -> Array:
        return self._unit(which)[1] * getattr(curves, SYMBOLS[which])[:, self._index]

    def _ends(self, which: int, curves: Curves) -> tuple[float, float]:
        """Lowest and highest value in the plot; a constant gets a height too."""
        values = self._values(which, curves)
        low, high = float(values.min()), float(values.max())
        room = ROOM * (high - low) or 0.15 * abs(high) or 1.0
        return low - room, high + room

    def _scales(self, which: int, curves: Curves) -> dict[str, Any]:
        times = float(curves.t[0]), float(curves.t[-1])
        return {"x": {"time": False, "range": times}, "y": {"range": self._ends(which, curves)}}

    def _axes(self, curves: Curves) -> tuple[dict[str, Any], ...]:
        """Times in whole steps below the curve."""
        rough = max(float(curves.t[-1] - curves.t[0]), 1e-9) / MOST_TIMES
        power = 10.0 ** np.floor(np.log10(rough))
        step = power * next(x for x in (1, 2, 5, 10) if x * power >= rough)
        first = np.ceil(curves.t[0] / step - 1e-9)
        times = step * np.arange(first, np.floor(curves.t[-1] / step + 1e-9) + 1)
        return {"size": BELOW, "splits": tuple((times.round(12) + 0.0).tolist())}, {}

    def _data(self, which: int, curves: Curves, t: float | None) -> tuple[Array, ...]:
        """Times, values, and a line at time t: nowhere but at two samples of the same time."""
        times, values = curves.t, self._values(which, curves)
        if t is None:
            return times, values, np.full(len(times), np.nan)
        at = int(np.searchsorted(times, t))
        line = np.full(len(times), np.nan)
        return (
            np.insert(times, at, [t, t]),
            np.insert(values, at, np.full(2, np.interp(t, times, values))),
            np.insert(line, at, self._ends(which, curves)),
        )

    def _series(self, which: int, dark: bool) -> tuple[dict[str, Any], ...]:
        own, plain = DARK if dark else LIGHT, {"points": {"show": False}}
        return (
            {"label": "t"},
            {"label": SYMBOLS[which], "stroke": own.curves[which], "width": 2, **plain},
            {"label": "now", "stroke": own.ink, "width": 1.5, **plain},
        )

    def _now(self, curves: Curves, t: float) -> str:
        """The values at time t."""
        words = [f"{np.interp(t, curves.t, self._values(which, curves)):.4g} {self._unit(which)[0]}".removesuffix(" 1")
                 for which in range(len(SYMBOLS))]  # fmt: skip
        return f"t = {t:.3f} s: {', '.join(words)}"
