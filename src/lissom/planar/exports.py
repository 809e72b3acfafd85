"""Export of the planar closed form: as LaTeX in symbols, as C in numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from lissom.dynamics.planar.chain import Planar
from lissom.dynamics.planar.equations import Phases, gradient, inertia
from lissom.dynamics.planar.tables import Forms
from lissom.planar.symbols import SymbolicModel, christoffel, coordinates, refuse_long, sympy_module

ROUNDING = 1e-15  # of the largest coefficient


def latex(model: SymbolicModel) -> str:
    """B, h, gravity G, stiffness K and damping D as LaTeX, one line for every entry that is not zero."""
    sp = sympy_module()
    names = {}
    for symbol in (*model.values, *model.q, *model.qd):
        found = re.fullmatch(r"(phip|phix|phi|[a-zA-Z]+?)(dot)?_(\w+?)(e)?", symbol.name)
        assert found is not None
        word, dot, index, end = found.groups()
        root = {"phip": r"\phi'", "phix": r"\phi^x", "phi": r"\phi", "theta": r"\theta", "delta": r"\delta",
                "gamma": r"\gamma"}.get(word, word if len(word) == 1 else rf"\mathrm{{{word}}}")  # fmt: skip
        index = index.replace("_", ",")  # of two digits, see `numbered`
        names[symbol] = (rf"\dot{{{root}}}" if dot else root) + f"_{{{index}{',e' if end else ''}}}"
    n = len(model.q)
    between = "" if n < 10 else ","
    rows = [
        (f"{word}_{{{a + 1}{between}{b + 1}}}", matrix[a, b])
        for word, matrix in (("B", model.B), ("K", model.K), ("D", model.D))
        for a in range(n)
        for b in range(a, n)
    ]
    rows += [(f"{word}_{{{a + 1}}}", column[a]) for word, column in (("h", model.h), ("G", model.G)) for a in range(n)]
    rows = [(left, right) for left, right in rows if right != 0]
    lines = [f"{left} &= {sp.latex(right, symbol_names=names)} \\\\" for left, right in rows]
    return "\\begin{aligned}\n" + "\n".join(lines) + "\n\\end{aligned}\n"


class Passive(NamedTuple):
    """Constant terms: drive inertia (n,), stiffness and damping (n, n), and rest positions of springs (n,)."""

    armature: Sequence[float]
    K: Any
    D: Any
    rest: Sequence[float]


def c_source(planar: Planar, forms: Forms, passive: Passive, title: str) -> str:
    """The model as C99: the tables as numbers, common subexpressions taken out."""
    refuse_long(planar)
    sp = sympy_module()
    q, qd = (coordinates(sp, planar, dot) for dot in ("", "dot"))
    phases = Phases(planar.turns, q, (sp.cos, sp.sin))
    n = planar.dof
    B = inertia(forms, phases, q)
    for k, extra in enumerate(passive.armature):
        B[k][k] = B[k][k] + extra
    h = christoffel(forms, planar.turns, phases, q, qd)
    springs = [sum(passive.K[a][b] * (q[b] - passive.rest[b]) for b in range(n)) for a in range(n)]
    losses = [sum(passive.D[a][b] * qd[b] for b in range(n)) for a in range(n)]
    body_B = _c_body(sp, [x for row in B for x in row], "B", {"q": q})
    body_h = _c_body(sp, h, "h", {"q": q, "qd": qd})
    body_g = _c_body(sp, gradient(forms.V, phases, q), "g", {"q": q})
    body_p = _c_body(sp, [a + b for a, b in zip(springs, losses, strict=True)], "p", {"q": q, "qd": qd})
    order = ", ".join(s.name for s in q)
    return (
        f"/* {title}: the planar closed form of De Luca and Siciliano (1991),\n"
        f"   B(q) qdd + h(q, qd) + g(q) + p(q, qd) = tau; q = ({order}); SI units. */\n#include <math.h>\n\n"
        f"/* inertia, row by row */\nvoid planar_B(const double q[{n}], double B[{n * n}])\n{{\n{body_B}}}\n\n"
        f"/* velocity forces */\nvoid planar_h(const double q[{n}], const double qd[{n}], double h[{n}])\n"
        f"{{\n{body_h}}}\n\n"
        f"/* gravity */\nvoid planar_g(const double q[{n}], double g[{n}])\n{{\n{body_g}}}\n\n"
        f"/* stiffness and damping of modes and joints */\n"
        f"void planar_p(const double q[{n}], const double qd[{n}], double p[{n}])\n{{\n{body_p}}}\n"
    )


def _c_body(sp: Any, entries: Sequence[Any], out: str, inputs: dict[str, list[Any]]) -> str:
    shared, results = sp.cse(_without_rounding(sp, entries), symbols=sp.numbered_symbols("x"))
    used = set().union(*(e.free_symbols for e in (*results, *(right for _, right in shared))))
    lines = []
    for word, symbols in inputs.items():
        lines += [f"    const double {s.name} = {word}[{k}];" for k, s in enumerate(symbols) if s in used]
        lines += [] if any(s in used for s in symbols) else [f"    (void){word};"]
    lines += [f"    const double {left.name} = {sp.ccode(right)};" for left, right in shared]
    lines += [f"    {out}[{k}] = {sp.ccode(right)};" for k, right in enumerate(results)]
    return "\n".join(lines) + "\n"


def _without_rounding(sp: Any, entries: Sequence[Any]) -> list[Any]:
    """The entries without coefficients that are rounding beside the others."""
    whole = [sp.sympify(x) for x in entries]
    sizes = {x: abs(float(x)) for entry in whole for x in entry.atoms(sp.Float)}
    least = ROUNDING * max(sizes.values(), default=0.0)
    return [entry.xreplace({x: sp.Integer(0) for x, size in sizes.items() if size < least}) for entry in whole]
