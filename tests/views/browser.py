"""Pages in a real browser, with all that they complain about and ask for."""

import base64
import io
import shutil
import time

import numpy as np
import pytest

PIL = pytest.importorskip("PIL.Image")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path (Debian: apt install chromium)")
# a machine without a display or graphics card draws on its processor
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]
PATIENCE = 90  # s; on a busy machine a frame takes long
# drawn pictures stay where they can be read, which is far quicker than a picture of the page
KEPT = """
const get = HTMLCanvasElement.prototype.getContext
HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return get.call(this, kind, kind.startsWith("webgl") ? {...options, preserveDrawingBuffer: true} : options)
}
"""


class Page:
    """A page of the browser; `canvas` selects where the arm is drawn."""

    def __init__(self, browser, url, size=(400, 280), canvas="canvas[data-engine]", script=KEPT):
        self.complaints, self.requests = [], []
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.add_init_script(script)
        self.page.goto(url)
        self.canvas = self.page.locator(canvas).first
        self.canvas.wait_for(state="attached")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.close()

    def picture(self):
        """(height, width, 3) of the arm's canvas."""
        shot = self.canvas.evaluate("canvas => canvas.toDataURL()").split(",", 1)[1]
        seen = PIL.open(io.BytesIO(base64.b64decode(shot))).convert("RGBA")
        white = PIL.new("RGBA", seen.size, "white")
        return np.asarray(PIL.alpha_composite(white, seen).convert("RGB"), float)

    def still(self):
        """The picture once it has come to rest."""
        last = self.picture()
        while changed(last, now := self.picture()):
            last = now
            self.page.wait_for_timeout(300)
        return now

    def shows_an_arm(self):
        """Something dark or coloured is in the picture: the floor and the background are light and grey."""
        return int((self.picture().min(axis=-1) < 130).sum()) > 20

    def until(self, condition, what):
        begin = time.monotonic()
        while not condition():
            assert time.monotonic() - begin < PATIENCE, f"{what}; complaints: {self.complaints}"
            self.page.wait_for_timeout(200)

    def check_alone(self, *own):
        """No complaint, and nothing from elsewhere."""
        assert self.complaints == []
        foreign = [url for url in self.requests if not url.startswith((*own, "data:", "blob:"))]
        assert foreign == []


def changed(a, b):
    """How many pixels of two pictures differ clearly."""
    return int((np.abs(a - b).max(axis=-1) > 40).sum()) if a.shape == b.shape else a.size
