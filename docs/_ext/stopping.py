"""A page of the viewer for the site: the flexible arm of the demo under two plans, computed when the site is built."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import lissom as ls

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE, NUMBERS = "stopping.html", "stopping.json"
MARK = re.compile("<!-- viewer -->.*?<!-- end -->", re.DOTALL)
FRAME = f"""<iframe class="viewer" src="_static/{PAGE}" title="Two plans side by side" loading="lazy"></iframe>

Drag to turn, scroll to zoom, click on a curve to go to that time.
"""
LEAST = 1e-3  # mm; smaller vibrations are below what the simulation resolves for a reader


def demo() -> ModuleType:
    """The demo, whose motion this is."""
    spec = importlib.util.spec_from_file_location("demo", EXAMPLES / "demo.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compute(page: Path) -> dict[str, str]:
    """Write the page; return how far the tip swings after the stop, in mm."""
    motion = demo().still_motion()
    shown = ls.WebPage("One flexible arm, two plans")
    swings = [1e3 * x for x in shown.add_comparison(motion, after=1.2 * motion.duration).values()]
    shown.save(page)
    return {"swing_rigid": f"{swings[0]:.0f}", "swing": f"{swings[1]:.2g}" if swings[1] > LEAST else f"{LEAST:g}"}


def prepare(app) -> None:
    """Compute once; again where the demo has changed, or after `make clean`."""
    folder = Path(app.doctreedir)
    folder.mkdir(parents=True, exist_ok=True)
    page, numbers = folder / PAGE, folder / NUMBERS
    newest = max((EXAMPLES / name).stat().st_mtime for name in ("demo.py", "still.toml"))
    if not numbers.is_file() or numbers.stat().st_mtime < newest:
        numbers.write_text(json.dumps(compute(page)), encoding="utf-8")
    app.config.measured_numbers |= json.loads(numbers.read_text(encoding="utf-8"))


def fill(app, docname: str, source: list[str]) -> None:
    if docname == "stopping":
        source[0] = MARK.sub(FRAME, source[0])


def copy(app, problem: Exception | None) -> None:
    if problem is None and app.builder.format == "html":
        text = (Path(app.doctreedir) / PAGE).read_text(encoding="utf-8")
        (Path(app.outdir) / "_static" / PAGE).write_text(text, encoding="utf-8")


def setup(app) -> dict[str, bool]:
    app.connect("builder-inited", prepare)
    app.connect("source-read", fill)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
