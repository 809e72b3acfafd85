"""Formulas as MathML, which browsers show by themselves: no script, no fonts to fetch."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.errors import SphinxError

TAG = re.compile(r"\\tag\{([^{}]*)\}")


def mathml(tex: str, block: bool, where: nodes.Node) -> str:
    try:
        return latex2mathml.tex2mathml(tex, as_block=block)
    except MathError as problem:
        raise SphinxError(f"{where.source}:{where.line} formula {tex!r}: {problem}") from problem


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
