"""One HTML file with everything in it: style, tables, figures. No scripts, nothing from a network."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, NamedTuple

from lissom.markup import Markup, escape, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110
GENERATOR = '<meta name="generator" content="lissom">'
STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --good: #1a7f37; --other: #9a6700; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
nav a { margin-right: 1.2rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { text-align: left; } td { font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; } figure img { max-width: 100%; background: #fff; border-radius: 4px; }
figcaption { color: GrayText; }
pre { background: var(--soft); padding: .7rem 1rem; overflow-x: auto; border-radius: 4px; }
p.warning { border-left: 3px solid var(--other); padding-left: .7rem; }
.reproduced { color: var(--good); } .differs { color: var(--other); }
p { margin: .35rem 0; }
"""


class Section(NamedTuple):
    """A heading and what stands under it."""

    title: str
    body: Markup


def page(title: str, lead: str, sections: list[Section]) -> str:
    """The whole file; where there are several sections, a line of links leads to them."""
    links = tag("nav", *(tag("a", s.title, href=f"#{_anchor(k)}") for k, s in enumerate(sections)))
    parts = [tag("section", tag("h2", s.title), s.body, id=_anchor(k)) for k, s in enumerate(sections)]
    body = tag("body", tag("h1", title), tag("p", lead), links if len(sections) > 1 else "", *parts)
    head = tag(
        "head", Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width">' + GENERATOR),
        tag("title", title), tag("style", Markup(STYLE)),
    )  # fmt: skip
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


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
