"""Descriptions of parameters that public functions share."""

import inspect
import re

import pytest

import lissom as ls
from lissom.kernels.verbs import VERBS
from lissom.verbs.parameters import SHARED, documented

PUBLIC = [name for name, verb in VERBS.items() if not verb.internal]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_described_in_the_order_of_the_signature(name):
    text = inspect.getdoc(getattr(ls, name))
    section = text[text.index("Parameters\n----") : text.index("Returns\n----")]
    words = [word for names in re.findall(r"^([a-z_, ]+) : ", section, re.MULTILINE) for word in names.split(", ")]
    assert words == list(inspect.signature(getattr(ls, name)).parameters)
    assert " ..." not in re.sub(r"\(\.\.\.", "", section)


def test_lines_with_an_ellipsis_are_described():
    def verb():
        """A verb.

        q, qd, loads : ...
        out : (..., 6) ...
        """

    lines = [line.strip() for line in documented(verb).__doc__.splitlines()]
    assert re.fullmatch(r"q, qd : \(dof,\) or \(\.\.\., dof\) +positions \[rad or m\], rates; one entry .*", lines[2])
    assert re.fullmatch(r"loads : sequence of Load +in addition to .*", lines[3])
    assert re.fullmatch(r"out : \(\.\.\., 6\) +result, written in place", lines[4])
    assert documented(verb) is verb


def test_no_description_is_unused():
    used = {word for name in PUBLIC for word in inspect.signature(getattr(ls, name)).parameters}
    assert set(SHARED) <= used
