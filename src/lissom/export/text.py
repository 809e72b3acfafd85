"""Text of the C header and source."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote

import numpy as np

import lissom
from lissom.engine.c99 import Helper, Real, indented, wrapped
from lissom.export.functions import Made, Request
from lissom.export.names import comment
from lissom.export.record import CArgument, CFunction, command
from lissom.model.arm import Arm
from lissom.model.units import units

MARK = "/* Made by lissom"  # files that begin so, and are of the same arm, may be written again
SOURCE = " * Made of "
FINITE = "unsure"


def header(arm: Arm, asked: Request, functions: Sequence[CFunction]) -> str:
    """The text of the header: documentation and declarations."""
    guard = f"{asked.name.upper()}_H"
    lines = [
        *_opening(arm, asked),
        *_coordinates(arm),
        " *",
        " * Units are SI. Matrices lie row by row. Arrays of inputs and outputs may be the same.",
        " * A function returns 0, or 1 when an input or a result is not finite (for example, a singular inertia);",
        " * its outputs are then of no use. Compile without -ffast-math, which would hide that.",
        " * There is no state between calls: functions may be called from interrupts and several threads.",
        f" * Nothing is allocated. Intermediate results are on the stack; -D{workspace_word(asked)}=static moves the",
        " * larger ones into static memory, and then one call must end before the next of the same function begins.",
        f" * Try it: {command(asked.name)} && ./{asked.name}_test",
        " */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
    ]
    for function in functions:
        lines += [*_told(function), *wrapped(f"{signature(function, asked.real)};", ","), ""]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", ""]
    return "\n".join(lines)


def source(arm: Arm, asked: Request, functions: Sequence[Made]) -> str:
    """The text of the source: all functions."""
    word = workspace_word(asked)
    lines = [
        *_opening(arm, asked), " */", "#include <math.h>", "", f'#include "{asked.name}.h"', "",
        f"#ifndef {word}", f"#define {word}", "#endif", "",
        *_finite(asked.real), "",
    ]  # fmt: skip
    if any("sign" in f.routine.operations for f in functions):
        lines += [*asked.real.sign, ""]
    seen: dict[str, Helper] = {}
    for function in functions:
        for helper in function.routine.helpers:
            if seen.setdefault(helper.name, helper) != helper:
                raise ValueError(f"two helpers are called {helper.name}")
            if seen[helper.name] is helper:
                lines += [*helper.lines, ""]
        lines += [*_defined(function, asked), ""]
    return "\n".join(lines)


def workspace_word(asked: Request) -> str:
    """The macro that qualifies workspaces."""
    return f"{asked.name.upper()}_WORKSPACE"


def signature(function: CFunction, real: Real) -> str:
    """The C signature of a function."""
    read = [f"const {real.type} {x.name}[{x.size}]" for x in function.inputs]
    write = [f"{real.type} {x.name}[{x.size}]" for x in function.outputs]
    return f"int {function.name}({', '.join(read + write)})"


def _opening(arm: Arm, asked: Request) -> list[str]:
    g = " ".join(f"{x:g}" for x in arm.gravity)
    return [
        f"{MARK} {lissom.__version__} (export_c): changes will be overwritten.",
        " *",
        f" * Arm: {comment(arm.name)}; {arm.dof} coordinates; gravity {g} m/s^2; {asked.real.type} precision, C99.",
        *made_of(arm),
    ]


def made_of(arm: Arm) -> list[str]:
    """Comment lines that identify the arm: its exact name and its digest."""
    return [f"{SOURCE}{quote(arm.name, safe=' ')}, digest", f" * {arm.digest}"]


def name_inside(head: str) -> str | None:
    """The arm's name in the opening of a file that was made here; None in any other file."""
    if not head.startswith(MARK):
        return None
    found = [line for line in head.splitlines() if line.startswith(SOURCE)]
    return unquote(found[0].removeprefix(SOURCE).rpartition(",")[0]) if found else None


def _coordinates(arm: Arm) -> list[str]:
    """The order of all vectors, with units."""
    lines = [" *", " * Coordinates, in the order of q, qd, qdd and tau:"]
    words = zip(*(units(arm, word) for word in ("q", "qd", "qdd", "tau")), strict=True)
    for k, (name, row) in enumerate(zip(arm.coordinates, words, strict=True)):
        lines.append(f" *   {k:3d}  {comment(name)} [{', '.join(row)}]")
    return lines


def _told(function: CFunction) -> list[str]:
    """The comment before a declaration."""
    counts = ", ".join(f"{n} {op}" for op, n in sorted(function.operations.items()))
    called = {"composed": " besides the functions it calls"}.get(function.form, "")
    lines = [f"/* {function.verb}"]
    lines += [_line("in ", x) for x in function.inputs] + [_line("out", x) for x in function.outputs]
    lines += [f" *   operations{called}: {counts}", f" *   stack about {function.stack} bytes, of them"]
    lines[-1] += f" {function.workspace} in the workspace{' (qdd and three matrices)' if called else ''} */"
    return lines


def _line(way: str, x: CArgument) -> str:
    shape = " x ".join(map(str, x.shape))
    return f" *   {way} {x.name} ({shape}) {comment(x.meaning)} [{x.unit}]"


def _defined(function: Made, asked: Request) -> list[str]:
    record, routine, T = function.record, function.routine, asked.real.type
    lines = []
    if routine.slots:
        lines.append(f"{workspace_word(asked)} {T} w[{routine.slots}];")
    if any(line.startswith("for (i = 0") for line in routine.lines):
        lines.append("int i;")
    checks = " + ".join(f"{FINITE}({x.name}, {x.size})" for x in record.inputs)
    lines += wrapped(f"const {T} bad = {checks or 0};", " +")
    lines += routine.lines
    checks = " + ".join(f"{FINITE}({x.name}, {x.size})" for x in record.outputs)
    lines += wrapped(f"return bad + {checks} == 0 ? 0 : 1;", " +")
    return [*wrapped(signature(record, asked.real), ","), "{", *indented(lines), "}"]


def _finite(real: Real) -> list[str]:
    T = real.type
    return [
        "/* 0 when all entries are finite, else NaN */",
        f"static {T} {FINITE}(const {T} *x, int n)", "{",
        f"    {T} sum = 0;", "    int i;",
        "    for (i = 0; i < n; ++i) sum += x[i] - x[i];",
        "    return sum;", "}",
    ]  # fmt: skip


def numbers(name: str, rows: np.ndarray) -> list[str]:
    """A table of doubles, one row per state."""
    lines = [f"static const double {name}[{rows.shape[0]}][{max(rows.shape[1], 1)}] = {{"]
    for row in rows:
        lines += wrapped("    {" + ", ".join(repr(float(x)) for x in row) + "},", ",", "     ")
    return [*lines, "};"]
