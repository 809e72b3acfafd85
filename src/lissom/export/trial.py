"""The test program: generated code against numbers that lissom computed, and its time per call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.engine.c99 import Real
from lissom.export.functions import Request
from lissom.export.record import CFunction, command
from lissom.export.text import MARK, made_of, numbers
from lissom.kernels.verbs import VERBS
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import mass_matrix

# of errors: some thousand roundings
LIMIT = {"double": 1e-12, "float": 5e-4}
ROUNDING = {"double": 2.0**-52, "float": 2.0**-23}
SECONDS = 0.05  # that timing a function takes, at least
Trial = tuple[CFunction, list[Array], list[Array]]  # inputs and expected results, one row per state


def limit(arm: Arm, function: CFunction, rows: list[Array], real: Real) -> float:
    """The largest accepted error; where the inertia is inverted, it grows with the condition number."""
    verb = VERBS[function.verb]
    if not verb.inverts_inertia:
        return LIMIT[real.type]
    M = mass_matrix(arm, rows[0])
    scale = 1 / np.sqrt(np.abs(np.einsum("kii->ki", M)))  # without units
    condition = np.linalg.cond(M * scale[:, :, None] * scale[:, None, :]).max()
    times = arm.dof if verb.composed_of else 1  # an inverse and its products, or one solution
    return max(LIMIT[real.type], float(f"{times * ROUNDING[real.type] * condition:.1e}"))


def program(arm: Arm, asked: Request, trials: Sequence[Trial]) -> str:
    """The text of the test program."""
    lines = [*_opening(arm, asked), *_comparison(asked)]
    for trial in trials:
        passed = limit(arm, trial[0], trial[1], asked.real)
        lines += [*_data(trial), *_tried(trial, asked, passed), ""]
    lines += ["int main(void)", "{", "    int bad = 0;"]
    lines += [f"    bad |= try_{function.verb}();" for function, _, _ in trials]
    lines += ["    return bad;", "}", ""]
    return "\n".join(lines)


def _opening(arm: Arm, asked: Request) -> list[str]:
    return [
        f"{MARK} (export_c): tests {asked.name}.c against results computed by lissom.",
        " *",
        *made_of(arm),
        " *",
        " * Prints the largest error, relative to the largest entry of a result, and the time of a call.",
        f" * The exit code is 1 when an error exceeds {LIMIT[asked.real.type]:g}; where an ill-conditioned inertia is",
        " * inverted, the limit is larger, in proportion to its condition number.",
        f" * {command(asked.name)} && ./{asked.name}_test",
        " */",
        "#include <math.h>", "#include <stdio.h>", "#include <time.h>", "", f'#include "{asked.name}.h"', "",
    ]  # fmt: skip


def _comparison(asked: Request) -> list[str]:
    T = asked.real.type
    text = f"""static void copied({T} *to, const double *from, int n)
{{
    int i;
    for (i = 0; i < n; ++i) to[i] = ({T})from[i];
}}

static double error(const {T} *have, const double *want, int n)
{{
    double size = 0.0, worst = 0.0;
    int i;
    for (i = 0; i < n; ++i) {{
        const double off = fabs((double)have[i] - want[i]);
        if (fabs(want[i]) > size) size = fabs(want[i]);
        if (!(off <= worst)) worst = off; /* NaN is not forgotten */
    }}
    return size > 0.0 ? worst / size : worst;
}}

static int report(const char *name, double worst, double limit, int failed, double seconds, double calls)
{{
    const int bad = failed || !(worst <= limit);
    printf("%s: error %.1e%s, %.0f ns per call%s\\n", name, worst, failed ? ", status 1" : "",
           1e9 * seconds / calls, bad ? "  FAILED" : "");
    return bad;
}}
"""
    return text.split("\n")


def _data(trial: Trial) -> list[str]:
    function, rows, results = trial
    lines = []
    for x, values in (*zip(function.inputs, rows, strict=True), *zip(function.outputs, results, strict=True)):
        lines += numbers(f"{function.verb}_{x.name}", values)
    return lines


def _tried(trial: Trial, asked: Request, limit: float) -> list[str]:
    """C code that compares all states, then measures the time per call."""
    function, rows, _ = trial
    T, verb, count = asked.real.type, function.verb, len(rows[0])
    arrays = [f"    {T} {x.name}[{x.size}];" for x in (*function.inputs, *function.outputs)]
    fill = [f"copied({x.name}, {verb}_{x.name}[k], {x.size});" for x in function.inputs]
    call = f"{function.name}({', '.join(x.name for x in (*function.inputs, *function.outputs))})"
    look = [
        line
        for x in function.outputs
        for line in (f"off = error({x.name}, {verb}_{x.name}[k], {x.size});", "if (!(off <= worst)) worst = off;")
    ]
    return [
        f"static int try_{verb}(void)", "{", *arrays,
        "    double off, worst = 0.0, calls = 0.0;", "    int k, n, failed = 0;", "    clock_t start;",
        f"    for (k = 0; k < {count}; ++k) {{",
        *(f"        {line}" for line in (*fill, f"failed |= {call};", *look)),
        "    }", "    start = clock();",
        f"    for (n = 16; clock() - start < {SECONDS} * CLOCKS_PER_SEC; n *= 2) {{",
        f"        for (k = 0; k < n; ++k) failed |= {call};", "        calls += n;", "    }",
        "    off = (double)(clock() - start) / CLOCKS_PER_SEC;",
        f'    return report("{function.name}", worst, {limit!r}, failed, off, calls);', "}",
    ]  # fmt: skip
