"""Formulas as MathML, which browsers show by themselves: no script, no fonts to fetch."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.errors import SphinxError

ElementTree.register_namespace("", "http://www.w3.org/1998/Math/MathML")
NS = "{http://www.w3.org/1998/Math/MathML}"
ACCENTS = set("\u02d9\u00a8\u02c6\u00af\u02dc")  # dot, two dots, hat, bar, tilde
HALVES = re.compile(r"\\frac(\d)(\d)")  # \frac12 is a half, which docutils reads as 12 over what follows
TAG = re.compile(r"\\tag\{([^{}]*)\}")


def mathml(tex: str, block: bool, where: nodes.Node) -> str:
    try:
        made = latex2mathml.tex2mathml(HALVES.sub(r"\\frac{\1}{\2}", tex), as_block=block)
    except MathError as problem:
        raise SphinxError(f"{where.source}:{where.line} formula {tex!r}: {problem}") from problem
    tree = ElementTree.fromstring(made)
    for node in tree.iter(f"{NS}munderover"):
        index_beside(node)
    return ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False)


def index_beside(node: ElementTree.Element) -> None:
    """docutils takes the index of an accented letter (``\\dot q_i``) for a limit below it; it belongs at its right."""
    base, index, over = node
    if over.text not in ACCENTS:
        return
    accented = ElementTree.Element(f"{NS}mover")
    accented.extend([base, over])
    node.tag = f"{NS}msub"
    node[:] = [accented, index]


def inline(writer, node) -> None:
    writer.body.append(mathml(node.astext(), False, node))
    raise nodes.SkipNode


def displayed(writer, node) -> None:
    """A formula on its own line, its number (``\\tag{...}``) at the right."""
    tex = node.astext()
    tags = "".join(f'<span class="equation-number">({tag})</span>' for tag in TAG.findall(tex))
    writer.body.append(f'<div class="equation">{mathml(TAG.sub("", tex), True, node)}{tags}</div>\n')
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
