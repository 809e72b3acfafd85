"""Parameters that many public functions share, described once.

In a docstring, a line of parameters that ends with ``...`` stands for their descriptions here:

    arm, q, qd, loads, threads : ...
    out : (..., dof) ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
COLUMN = 36  # where descriptions begin
LINE = re.compile(r"^( *)([a-z_, ]+) : (.*?) ?\.\.\.$", re.MULTILINE)
STATE = "(dof,) or (..., dof)"
TOGETHER = ("q", "qd", "qdd", "tau")  # on one line
PER_JOINT = "; one entry per joint is accepted"


class Parameter(NamedTuple):
    """Type and description of a parameter."""

    type: str
    text: str = ""


SHARED = {
    "arm": Parameter("Arm"),
    "q": Parameter(STATE, "positions [rad or m]"),
    "qd": Parameter(STATE, "rates"),
    "qdd": Parameter(STATE, "accelerations"),
    "tau": Parameter(STATE, "torques [N m or N]"),
    "weights": Parameter(STATE, "one per torque"),
    "link": Parameter("str", "a link's or tool's name"),
    "point": Parameter("(3,) or (..., 3)", "in that frame's axes [m]"),
    "loads": Parameter("sequence of Load", "in addition to the arm's standing loads"),
    "base": Parameter("BaseMotion or None", "prescribed motion of the base"),
    "method": Parameter("str or None", "a published formulation, see `formulations`; None: the fast path"),
    "dtype": Parameter("data type", "numpy.float32: single precision, for large batches; None: float"),
    "out": Parameter("", "result, written in place"),
    "threads": Parameter("int or None", "None: all cores for large batches"),
}


def documented(function: Function) -> Function:
    """Write the descriptions of shared parameters into a function's docstring; the function itself stays as it is."""
    if function.__doc__ is not None:  # without docstrings, python -OO
        function.__doc__ = LINE.sub(lambda found: "\n".join(_lines(*found.groups())), function.__doc__)
    return function


def _lines(indent: str, names: str, kind: str) -> Iterator[str]:
    """The lines of some parameters; those of a state share one."""
    for is_state, group in groupby(names.split(", "), lambda word: word in TOGETHER):
        words = list(group)
        if is_state:
            texts = ", ".join(SHARED[word].text for word in words)
            yield _line(indent, ", ".join(words), kind or STATE, texts + PER_JOINT)
        else:
            yield from (_line(indent, word, kind or SHARED[word].type, SHARED[word].text) for word in words)


def _line(indent: str, name: str, kind: str, text: str) -> str:
    described = f"{name} : {kind}"
    return f"{indent}{described:<{COLUMN}}{text}".rstrip()
