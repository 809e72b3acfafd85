"""New figures, all of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches that notebooks show, laid out without overlaps."""
    from lissom.views.notebook_figure import NotebookFigure

    return NotebookFigure(figsize=(width, height), layout="constrained")
