"""One HTML file with everything in it: style, tables, figures, scenes in 3-D. Nothing from a network."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, NamedTuple

from lissom.markup import Markup, escape, tag
from lissom.views.web.web_page import whole_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110


class Section(NamedTuple):
    """A heading and what stands under it."""

    title: str
    body: Markup


def page(title: str, lead: str, sections: list[Section]) -> str:
    """The whole file; where there are several sections, a line of links leads to them.

    lead : may be empty, as may the title of a section
    """
    links = [tag("a", s.title, href=f"#{_anchor(k)}") for k, s in enumerate(sections) if s.title]
    top = [tag("h1", title), *([tag("p", lead, kind="lead")] if lead else [])]
    parts = [
        tag("section", *([tag("h2", s.title)] if s.title else []), s.body, id=_anchor(k))
        for k, s in enumerate(sections)
    ]
    return whole_page(title, *top, tag("nav", *links) if len(links) > 1 else "", *parts)


def _anchor(k: int) -> str:
    return f"part-{k + 1}"


def picture(figure: Figure, caption: str = "") -> Markup:
    """A figure inside the page."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=DPI)
    source = "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()
    image = Markup(f'<img src="{source}" alt="{escape(caption or "figure")}">')
    return tag("figure", image, *([tag("figcaption", caption)] if caption else []))


def verbatim(text: str) -> Markup:
    """Text as it is."""
    return tag("pre", text)
