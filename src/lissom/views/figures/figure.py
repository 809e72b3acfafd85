"""New figures, all of one kind."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WRAP = 0.095  # inches that a letter of a title takes, about


def new_figure(width: float, height: float, aside: float = 0.04) -> Figure:
    """Return an empty figure of a size in inches that notebooks show, laid out without overlaps.

    aside : inches left and right of every panel
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from lissom.views.figures.notebook_figure import NotebookFigure

    return NotebookFigure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=aside))


def set_title(figure: Any, *lines: str) -> None:
    """Write the title of a figure: the first line and those that are not empty, wrapped to its width."""
    most = max(30, int(figure.get_figwidth() / WRAP))
    rows = [row for line in lines if line for row in textwrap.wrap(line, most)[:3]]
    figure.suptitle("\n".join(rows), parse_math=False)
