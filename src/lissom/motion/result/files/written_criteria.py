"""Criteria of the user's own in files: arithmetic, step by step, and nothing else.

casadi can write its functions itself, but what it reads back may name libraries whose code is then run, and damaged
text crashes it. Here a criterion is a list of steps, each a number, an entry of q, qd, qdd or tau, or an operation on
earlier steps; reading makes a new function from operations that are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import casadi as ca

from lissom.engine.symbolics import alone
from lissom.errors import InputError, ModelError, shown
from lissom.motion.task.criteria.function import own_expression

VECTORS = ("q", "qd", "qdd", "tau")
# casadi's names of operations: how they are made again
UNARY: dict[str, Callable[[Any], Any]] = {
    "ASSIGN": lambda a: a, "NEG": lambda a: -a, "SQ": lambda a: a * a, "TWICE": lambda a: 2 * a, "INV": lambda a: 1 / a,
    "SQRT": ca.sqrt, "EXP": ca.exp, "LOG": ca.log, "SIN": ca.sin, "COS": ca.cos, "TAN": ca.tan, "ASIN": ca.asin,
    "ACOS": ca.acos, "ATAN": ca.atan, "SINH": ca.sinh, "COSH": ca.cosh, "TANH": ca.tanh, "ASINH": ca.asinh,
    "ACOSH": ca.acosh, "ATANH": ca.atanh, "FABS": ca.fabs, "SIGN": ca.sign, "FLOOR": ca.floor, "CEIL": ca.ceil,
    "ERF": ca.erf, "LOG1P": ca.log1p, "EXPM1": ca.expm1, "NOT": ca.logic_not,
}  # fmt: skip
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "ADD": lambda a, b: a + b, "SUB": lambda a, b: a - b, "MUL": lambda a, b: a * b, "DIV": lambda a, b: a / b,
    "POW": lambda a, b: a**b, "CONSTPOW": lambda a, b: a**b, "ATAN2": ca.atan2, "FMIN": ca.fmin, "FMAX": ca.fmax,
    "FMOD": ca.fmod, "REMAINDER": ca.remainder, "HYPOT": ca.hypot, "COPYSIGN": ca.copysign, "LT": ca.lt, "LE": ca.le,
    "EQ": ca.eq, "NE": ca.ne, "AND": ca.logic_and, "OR": ca.logic_or,
    "IF_ELSE_ZERO": lambda a, b: ca.if_else(a, b, 0),
}  # fmt: skip


@cache
def _words() -> dict[int, str]:
    return {getattr(ca, f"OP_{word}"): word for word in (*UNARY, *BINARY)}


@alone
def written(criterion: Callable[..., Any], dof: int) -> list[list[Any]]:
    """Steps of a function of vectors (dof,); the last is its value."""
    symbols = [ca.SX.sym(word, dof) for word in VECTORS]
    f = ca.Function("criterion", symbols, [ca.densify(own_expression(criterion, *symbols))])
    steps: list[list[Any]] = []
    register: dict[int, int] = {}
    for k in range(f.n_instructions()):
        kind, into, using = f.instruction_id(k), f.instruction_output(k), f.instruction_input(k)
        if kind == ca.OP_OUTPUT:
            steps.append(["ASSIGN", register[using[0]]])
            break
        if kind == ca.OP_CONST:
            steps.append([f.instruction_constant(k)])
        elif kind == ca.OP_INPUT:
            steps.append([VECTORS[using[0]], using[1]])
        elif kind in _words():
            steps.append([_words()[kind], *(register[j] for j in using)])
        else:
            raise InputError("save: a criterion is made of operations that cannot be written to a file.")
        register[into[0]] = len(steps) - 1
    return steps


@alone
def read(steps: Any, dof: int) -> Any:
    """The casadi function of steps, or a sentence."""
    if not isinstance(steps, list) or not steps:
        raise ModelError(f"its criterion is {shown(steps)}; expected a list of operations.")
    symbols = {word: ca.SX.sym(word, dof) for word in VECTORS}
    made: list[Any] = []
    for step in steps:
        made.append(_step(step, symbols, made))
    return ca.Function("criterion", list(symbols.values()), [ca.SX(made[-1])])


def _step(step: Any, symbols: dict[str, Any], made: Sequence[Any]) -> Any:
    match step:
        case [int() | float() as value] if not isinstance(value, bool):
            return ca.SX(float(value))
        case [str() as word, int() as k] if word in symbols and 0 <= k < symbols[word].numel():
            return symbols[word][k]
        case [str() as word, int() as a] if word in UNARY and 0 <= a < len(made):
            return UNARY[word](made[a])
        case [str() as word, int() as a, int() as b] if word in BINARY and 0 <= min(a, b) <= max(a, b) < len(made):
            return BINARY[word](made[a], made[b])
    raise ModelError(f"its criterion contains an invalid step {shown(step)}.")
