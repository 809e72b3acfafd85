"""What a browser shows of a live scene, as a picture file."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from lissom.views.figures.palette import DARK, LIGHT
from lissom.views.scene.scene import rgb

PATIENCE = 60.0  # s; a browser without a graphics card takes long


def screenshot(client: Any, dark: bool) -> bytes:
    """Return the picture that viser's `client` shows now, without the panels, as a PNG file."""
    from matplotlib.image import imsave

    camera = client.camera
    seen = client.get_render(camera.image_height, camera.image_width, transport_format="png", timeout=PATIENCE)
    ground, share = np.array(rgb((DARK if dark else LIGHT).ground)), seen[..., 3:] / 255
    file = io.BytesIO()
    imsave(file, np.round(share * seen[..., :3] + (1 - share) * ground).astype(np.uint8), format="png")
    return file.getvalue()
