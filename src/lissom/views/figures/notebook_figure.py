"""The class of all figures that lissom makes. Imported on first use, because matplotlib takes long to load."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure

from lissom.views.figures.spatial_fit import fit_spatial_axes

SCREEN_DPI = 72  # pixels per inch that a figure takes on the screen
SHARPNESS = 2  # pixels of the picture for each of them, for screens of high density


class NotebookFigure(Figure):
    """A figure that a notebook shows when it is the last expression of a cell, without ``%matplotlib inline``.

    Notebooks show other figures by their `repr` unless pyplot made them. Spatial axes are fitted into their places
    when it is drawn first, and again when its size was changed.
    """

    _fitted: tuple[float, ...] = ()  # its size when that was done [inches]

    def draw(self, renderer: Any) -> None:
        """Draw the figure, with the names of spatial axes inside it."""
        size = tuple(float(side) for side in self.get_size_inches())
        if size != self._fitted:
            self._fitted = size  # first: drafts are drawn by this method too
            fit_spatial_axes(self)
        super().draw(renderer)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Picture, and its size on the screen, as IPython asks for them."""
        width, height = (round(SCREEN_DPI * side) for side in self.get_size_inches())
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=SHARPNESS * SCREEN_DPI)
        return picture.getvalue(), {"width": width, "height": height}
