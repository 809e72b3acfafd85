"""Self-contained HTML pages: their style, and the player of scenes in 3-D. Nothing comes from a network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lissom.markup import Markup, tag
from lissom.views.web.page_data import Shown, document

WEB = Path(__file__).parent
SCRIPTS = ("matrices.js", "drawing.js", "chart.js", "player.js")
# a browser then refuses whatever is not in the page itself
ALONE = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
GENERATOR = '<meta name="generator" content="lissom">'
HEAD = (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    f'<meta http-equiv="Content-Security-Policy" content="{ALONE}">{GENERATOR}'
)


@cache
def _text(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


def whole_page(title: str, *body: object) -> str:
    """Return an HTML file; where its parts hold a player, with what players need."""
    inner = tag("main", *body)
    plays = '<div class="player">' in inner
    style = _text("page.css") + (_text("player.css") if plays else "")
    script = f'<script>(() => {{\n"use strict";\n{"".join(map(_text, SCRIPTS))}}})();</script>' if plays else ""
    theme = Markup('<button type="button" class="theme" hidden></button>' if plays else "")
    head = tag("head", Markup(HEAD), tag("title", title), tag("style", Markup(style)))
    return f"<!doctype html>\n{tag('html', head, tag('body', theme, inner, Markup(script)), lang='en')}\n"


def player(shown: Sequence[Shown]) -> Markup:
    """Return the HTML of arms side by side with one clock; an empty element that the script of the page fills."""
    return Markup(f'<div class="player"></div><script type="application/json">{_embedded(document(shown))}</script>')


def _embedded(data: Any) -> str:
    """Return JSON that no name inside it can end: an HTML parser sees no tag in it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def scene_page(title: str, shown: Sequence[Shown]) -> str:
    """Return a page with a title and a player."""
    return whole_page(title, tag("h1", title), player(shown))
