"""Generated C against the engine's own code for one state at a time: time, size, compile time.

    python benchmarks/export_c.py [--rounds 15] [--cc gcc] [--quick]      (--quick: Panda's inverse dynamics only)

One process, candidates interleaved, CPU time, best of the rounds (and the ratio of medians, for the noise). Both
walk over the same 1024 states, one after the other: the engine by its one-lane kernel, C by a loop in C around the
exported function. Results are compared before they are timed. Ratios are what compares between machines.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import models
from timing import race

import lissom as ls
from lissom.kernels.cache import functions_of

STATES = 1024
BAR = 3.0  # Panda's inverse dynamics: times the engine's one-lane kernel, at most
AGREES = 1e-12  # relative to the largest entry of all states
FLAGS = {"portable": ["-std=c99", "-O2"], "native": ["-std=gnu99", "-O3", "-march=native"]}
VERBS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_gradient")


def loop_text(made: ls.CExport) -> str:
    """C that calls the exported function on rows of states."""
    f = made.functions[0]
    arrays = [f"const double *{x.name}" for x in f.inputs] + [f"double *{x.name}" for x in f.outputs]
    given = ", ".join(f"{x.name} + {x.size} * k" for x in (*f.inputs, *f.outputs))
    return (
        f'#include "{made.name}.h"\n'
        f"int loop({', '.join(arrays)}, int rows)\n{{\n    int k, bad = 0;\n"
        f"    for (k = 0; k < rows; ++k) bad |= {f.name}({given});\n    return bad;\n}}\n"
    )


def compiled(made: ls.CExport, cc: str, word: str) -> tuple[Any, int, float, int]:
    """The loop, bytes of the object's code and constants, CPU seconds of the compiler, bytes of stack as it tells."""
    folder = made.files[0].parent
    (folder / "loop.c").write_text(loop_text(made))
    before = os.times()
    flags = [*FLAGS[word], "-fPIC"]
    subprocess.run([cc, *flags, "-fstack-usage", "-c", f"{made.name}.c"], cwd=folder, check=True)
    seconds = sum(os.times()[2:4]) - sum(before[2:4])
    subprocess.run(
        [cc, *flags, "-shared", "loop.c", f"{made.name}.o", "-o", f"{word}.so", "-lm"], cwd=folder, check=True
    )
    sizes = subprocess.run(["size", f"{made.name}.o"], cwd=folder, capture_output=True, text=True, check=True)
    used = [line.split("\t") for line in (folder / f"{made.name}.su").read_text().splitlines()]
    stack = {where.split(":")[-1]: int(n) for where, n, _ in used}
    own = stack.pop(made.functions[0].name)
    code = ctypes.CDLL(str(folder / f"{word}.so")).loop
    return code, int(sizes.stdout.splitlines()[1].split()[0]), seconds, own + max(stack.values(), default=0)


def measure(arm: ls.Arm, verb: str, rounds: int, cc: str) -> dict[str, Any]:
    """One row of the table."""
    function = functions_of(arm).get(verb)
    rng = np.random.default_rng(0)
    x = [rng.uniform(-1.5, 1.5, (STATES, n)) for n in function.sizes]
    x[0][:, arm.mode_index] *= 0.02  # deflections stay small
    lengths = [int(np.prod(shape)) for shape in function.shapes]
    ours, theirs = ([np.zeros((STATES, n)) for n in lengths] for _ in range(2))
    kernel = function.kernel.code(1)
    calls: dict[str, Any] = {"engine": (lambda: kernel.run(x, ours), STATES)}
    row: dict[str, Any] = {"arm": arm.name, "verb": verb}
    with tempfile.TemporaryDirectory() as folder:
        made = ls.export_c(arm, verb, folder)
        for word in FLAGS:
            loop, size, seconds, stack = compiled(made, cc, word)
            pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*x, *theirs)]
            call = lambda loop=loop, pointers=pointers: loop(*pointers, STATES)  # noqa: E731
            if not kernel.run(x, ours) or call():
                raise SystemExit(f"{arm.name}, {verb}: a result is not finite.")
            error = max(np.abs(a - b).max() / np.abs(a).max() for a, b in zip(ours, theirs, strict=True))
            if not error < AGREES:
                raise SystemExit(f"{arm.name}, {verb}: they differ by {error:.1e}; nothing was timed.")
            calls[word] = (call, STATES)
            if word == "portable":
                row |= {"form": made.functions[0].form, "error": error, "bytes": size, "compile_s": seconds,
                        "stack": stack, "source": made.bytes[1]}  # fmt: skip
        found = race(calls, rounds)
    row["engine_ns"] = found["engine"][0]
    for word in FLAGS:
        row |= {f"{word}_ns": found[word][0], f"{word}_ratio": found[word][0] / found["engine"][0]}
        row[f"{word}_ratio_of_medians"] = found[word][1] / found["engine"][1]
    return row


def show(rows: list[dict[str, Any]]) -> None:
    print(f"\n{'arm':<18}{'verb':<27}{'form':<10}{'engine':>8}{'C':>8}{'ratio':>7}{'medians':>8}{'native':>8}{'ratio':>7}"
          f"{'kB':>7}{'stack':>8}{'gcc s':>7}{'error':>9}")  # fmt: skip
    for r in rows:
        print(f"{r['arm']:<18}{r['verb']:<27}{r['form']:<10}{r['engine_ns']:>8.0f}{r['portable_ns']:>8.0f}"
              f"{r['portable_ratio']:>7.2f}{r['portable_ratio_of_medians']:>8.2f}{r['native_ns']:>8.0f}"
              f"{r['native_ratio']:>7.2f}{r['bytes'] / 1000:>7.1f}{r['stack']:>8}{r['compile_s']:>7.1f}"
              f"{r['error']:>9.0e}")  # fmt: skip
    print(f"nanoseconds per state, best of the rounds; C: {' '.join(FLAGS['portable'])}, native: "
          f"{' '.join(FLAGS['native'])}; ratio: C / engine; kB of code and constants, bytes of stack,\nCPU seconds of "
          "the compiler and the largest relative difference from the engine are those of C")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    arms = [models.panda()] if given.quick else [
        models.panda(), ls.load("two_link_flexible"), models.chain(30), models.tree55()
    ]  # fmt: skip
    verbs = VERBS[:1] if given.quick else VERBS
    rows = [measure(arm, verb, given.rounds, given.cc) for arm in arms for verb in verbs]
    show(rows)
    ratio = rows[0]["portable_ratio"]
    verdict = "within" if ratio <= BAR else "NOT within"
    print(f"7-joint inverse dynamics in C: {ratio:.2f} times the engine's one-lane kernel, {verdict} {BAR:g}")
    sys.exit(0 if ratio <= BAR else 1)


if __name__ == "__main__":
    main()
