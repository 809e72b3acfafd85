"""Small GIF files: all frames share the colours of the first, and each stores only what differs from the one before."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from matplotlib.animation import AbstractMovieWriter

from lissom.spatial.rotations import Array

EXACT, MOST = 16, 64  # colours: those that are used most, and others for thin lines and smooth edges


class GifWriter(AbstractMovieWriter):
    """A writer for matplotlib's animations; the first frame must have all colours of the film, as a legend gives."""

    def setup(self, fig: Any, outfile: Any, dpi: float | None = None) -> None:
        """Begin a film of a figure."""
        super().setup(fig, outfile, dpi=dpi)
        self._frames: list[Any] = []
        self._colours: Array | None = None

    def grab_frame(self, **savefig_kwargs: Any) -> None:
        """Take the figure as it is now."""
        from PIL import Image

        drawn = BytesIO()
        self.fig.savefig(drawn, **{**savefig_kwargs, "format": "rgba", "dpi": self.dpi})
        picture = Image.frombuffer("RGBA", self.frame_size, drawn.getvalue(), "raw", "RGBA", 0, 1).convert("RGB")
        if self._colours is None:
            self._colours = _colours(picture)
        frame = Image.fromarray(_nearest(np.asarray(picture), self._colours))
        frame.putpalette(self._colours.astype(np.uint8).tobytes())
        self._frames.append(frame)

    def finish(self) -> None:
        """Write the file, which repeats for ever."""
        first, *others = self._frames
        first.save(
            self.outfile, format="GIF", save_all=True, append_images=others, duration=round(1000 / self.fps), loop=0
        )


def _colours(picture: Any) -> Array:
    """(n, 3) the colours of a picture: those of its areas, then always the one that is farthest from all before."""
    used = sorted(picture.getcolors(picture.width * picture.height), reverse=True)
    found = np.array([colour for _, colour in used], float)
    out = [*found[:EXACT]]
    apart = np.linalg.norm(found[:, None] - out, axis=-1).min(axis=-1)
    while len(out) < MOST and apart.any():
        out.append(found[apart.argmax()])
        apart = np.minimum(apart, np.linalg.norm(found - out[-1], axis=-1))
    return np.array(out)


def _nearest(picture: Array, colours: Array) -> Array:
    """(height, width) for each pixel (height, width, 3) the index of the nearest colour (n, 3)."""
    codes = picture.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    _, first, where = np.unique(codes, return_index=True, return_inverse=True)
    seen = picture.reshape(-1, 3)[first].astype(float)
    apart = np.linalg.norm(seen[:, None] - colours, axis=-1)
    return apart.argmin(axis=-1).astype(np.uint8)[where].reshape(picture.shape[:2])
