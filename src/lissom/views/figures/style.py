"""The style sheet of all figures.

Fonts, sizes, lines and grid are `SETTINGS`, colours those of `palette`. What somebody has changed in
``matplotlib.rcParams``, by hand, by a `matplotlibrc` file or by ``plt.style.use``, is kept: a dark style gives dark
figures, a paper's font gives figures in that font.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lissom.errors import InputError, shown
from lissom.views.figures.palette import DARK, LIGHT, Palette, palette

SETTINGS: dict[str, Any] = {
    "font.size": 9.0,
    "figure.titlesize": 11.0,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9.0,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "legend.fontsize": 8.0,
    "legend.title_fontsize": 8.0,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.0,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.linewidth": 0.7,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "xtick.minor.size": 0.0,
    "ytick.minor.size": 0.0,
}
FAINT = 0.25  # grid lines in colours of other style sheets, many of which have no grid and would draw strong lines
THEMES: dict[str, Palette] = {"light": LIGHT, "dark": DARK}


def _coloured(own: Palette) -> dict[str, Any]:
    """Matplotlib's settings of colours, from a palette."""
    ground = dict.fromkeys(("figure.facecolor", "axes.facecolor", "legend.facecolor"), own.ground)
    ink = dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor"), own.ink)
    quiet = dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), own.muted)
    panes = dict.fromkeys((f"axes3d.{axis}axis.panecolor" for axis in "xyz"), own.ground)
    ticks = dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), own.ink)
    return {**ground, **ink, **quiet, **panes, **ticks, "grid.color": own.grid, "legend.edgecolor": own.grid}


@contextmanager
def figure_style(theme: str | None = None) -> Iterator[None]:
    """Draw in the style sheet: ``with figure_style(): ...``.

    Parameters
    ----------
    theme : "light", "dark" or None     None: light, or dark where matplotlib's settings have a dark background
    """
    from matplotlib import rc_context, rcParams, rcParamsDefault

    if theme is not None and theme not in THEMES:
        raise InputError(f"theme is {shown(theme)}; expected one of {', '.join(THEMES)}, or None.")
    own = palette() if theme is None else THEMES[theme]
    wanted = SETTINGS | _coloured(own)
    free = {name: value for name, value in wanted.items() if rcParams[name] == rcParamsDefault[name]}
    foreign = rcParams["grid.color"] not in (rcParamsDefault["grid.color"], LIGHT.grid, DARK.grid)
    if foreign and rcParams["grid.alpha"] == rcParamsDefault["grid.alpha"]:
        free["grid.alpha"] = FAINT
    with rc_context(free if theme is None else free | _coloured(own)):
        yield
