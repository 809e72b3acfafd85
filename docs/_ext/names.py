"""Links from names in code spans to the reference: `ls.load` on every page, plain `load` in the index of the API."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.addnodes import pending_xref

import lissom

INDEX = "api/index"
NAME = re.compile(r"(?P<own>ls\.|lissom\.)?(?P<name>[A-Za-z_]\w*)(\(.*\))?$")


def link(app, doctree: nodes.document) -> None:
    page = app.env.docname
    for node in list(doctree.findall(nodes.literal)):
        found = NAME.match(node.astext())
        if found is None or found["name"] not in lissom.__all__ or not (found["own"] or page == INDEX):
            continue
        if isinstance(node.parent, nodes.reference | nodes.title | pending_xref):
            continue
        target = f"lissom.{found['name']}"
        place = pending_xref("", refdomain="py", reftype="obj", reftarget=target, refdoc=page, refwarn=False)
        node.replace_self(place)
        place += node


def setup(app) -> dict[str, bool]:
    app.connect("doctree-read", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
