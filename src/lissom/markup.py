"""Building blocks of HTML for notebooks and pages."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

SPARK_WIDTH, SPARK_HEIGHT = 120, 22  # points
SPARK_MOST = 120  # points of a curve that can be told apart at that width


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(text: object) -> Markup:
    """Any text made safe; `Markup` stays as it is."""
    return text if isinstance(text, Markup) else Markup(html.escape(str(text)))


def tag(name: str, *inner: object, **attributes: str) -> Markup:
    """An element around its parts; an attribute ``kind`` is written as ``class``."""
    given = "".join(f' {"class" if key == "kind" else key}="{html.escape(x)}"' for key, x in attributes.items())
    return Markup(f"<{name}{given}>{''.join(escape(part) for part in inner)}</{name}>")


def folded(title: str, *inner: object) -> Markup:
    """A collapsible element that opens when its title is clicked."""
    return tag("details", tag("summary", title), *inner)


def spark(t: Sequence[float], y: Sequence[float]) -> Markup:
    """A small curve without axes; non-finite values are left out."""
    step = max(1, -(-len(t) // SPARK_MOST))
    points = [(x, v) for x, v in zip([*t[:-1:step], t[-1]], [*y[:-1:step], y[-1]], strict=True) if v == v]  # NaN != NaN
    if len(points) < 2:
        return Markup("")
    low, high = min(v for _, v in points), max(v for _, v in points)
    span, length = (high - low) or 1.0, (points[-1][0] - points[0][0]) or 1.0
    marks = " ".join(
        f"{1 + (SPARK_WIDTH - 2) * (x - points[0][0]) / length:.1f},"
        f"{SPARK_HEIGHT - 2 - (SPARK_HEIGHT - 4) * (v - low) / span:.1f}"
        for x, v in points
    )
    return Markup(
        f'<svg width="{SPARK_WIDTH}" height="{SPARK_HEIGHT}" role="img" aria-label="from {low:.4g} to {high:.4g}">'
        f'<polyline points="{marks}" fill="none" stroke="currentColor" stroke-width="1.2"/></svg>'
    )


def paragraphs(lines: Iterable[str]) -> Markup:
    """HTML paragraphs, one per line."""
    return Markup("".join(tag("p", line) for line in lines))
