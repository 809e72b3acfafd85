"""The planar closed form in symbols: the same tables and sums as in numbers, on SymPy's.

Parameters are named as in `planar_parameters`; lengths l_i (ly_i across), end values phi_ije and slopes phip_ije of
the shapes (phix_ije along a link), headings gamma_i of links that do not start along the last, gravity g_x, g_y. What is
zero in the arm is zero here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.errors import UnsupportedError
from lissom.formulations.de_luca_siciliano import Phases, gradient, inertia, velocity_forces
from lissom.formulations.planar import Integrals, Planar, PlanarLink
from lissom.formulations.planar_parameters import numbered, parameters
from lissom.formulations.planar_tables import Geometry

MOST_LINKS = 3
QUARTERS = {1: 1, 1j: 1j, -1: -1, -1j: -1j}


class SymbolicModel(NamedTuple):
    """B qdd + h + K q + D qd + G = tau in SymPy's symbols, in lissom's order of coordinates.

    q, qd : coordinates and rates, theta_i, delta_ij, thetadot_i, deltadot_ij
    B, h, K, D, G : matrices and columns; B has the drives' inertia, K and D also joint springs and damping
    values : numbers of the arm for all other symbols
    """

    q: tuple[Any, ...]
    qd: tuple[Any, ...]
    B: Any
    h: Any
    K: Any
    D: Any
    G: Any
    values: dict[Any, float]


def sympy_module() -> Any:
    """SymPy, or a sentence."""
    try:
        import sympy
    except ImportError:
        raise UnsupportedError(
            "the symbolic form needs SymPy, which is not installed: pip install lissom[symbolic]."
        ) from None
    return sympy


class Symbols:
    """Real symbols with the values they stand for; what is zero stays zero."""

    def __init__(self, known: dict[str, float]):
        self.sp = sympy_module()
        self.values: dict[Any, float] = {}
        self._known = known

    def real(self, name: str, value: float) -> Any:
        if not value:
            return self.sp.Integer(0)
        symbol = self.sp.Symbol(name, real=True)
        self.values[symbol] = float(value)
        return symbol

    def parameter(self, name: str) -> Any:
        return self.real(name, self._known.get(name, 0.0))

    def complex(self, along: str, across: str, value: complex) -> Any:
        return self.real(along, value.real) + self.sp.I * self.real(across, value.imag)


def symbolic(planar: Planar) -> SymbolicModel:
    """The model of an arm of up to three links."""
    if len(planar.links) > MOST_LINKS:
        raise UnsupportedError(
            f"the symbolic form covers up to {MOST_LINKS} links, and arm {planar.bodies.arm.name!r} has "
            f"{len(planar.links)}; B, h and Y give numbers for any number of links."
        )
    symbols = Symbols({p.name: p.value for p in parameters(planar)})
    sp = symbols.sp
    links = [_link(symbols, i, link) for i, link in enumerate(planar.links)]
    geometry = Geometry(links, sp.I, lambda x: sp.expand(x).as_real_imag())
    pull = symbols.complex("g_x", "g_y", planar.gravity)
    forms = geometry.forms([link.integrals for link in links], pull)
    q, qd = (_coordinates(sp, planar, dot) for dot in ("", "dot"))
    phases = Phases(planar.turns, q, (sp.cos, sp.sin))
    n = len(q)
    B = _exact(sp, sp.Matrix(n, n, [x for row in inertia(forms, phases, q) for x in row]))
    h = _exact(sp, sp.Matrix(velocity_forces(forms, phases, q, qd))).expand()  # so that equal terms meet
    G = _exact(sp, sp.Matrix(gradient(forms.V, phases, q)))
    K, D = sp.zeros(n, n), sp.zeros(n, n)
    for i, link in enumerate(links):
        for a, c in enumerate(link.modes):
            for b, d in enumerate(link.modes):
                K[c, d], D[c, d] = link.K[a][b], link.damping[a][b]
        if link.drive is not None:
            c = link.drive.coordinate
            B[c, c] += symbols.parameter(f"Ia_{i + 1}")
            K[c, c] += symbols.parameter(f"s_{i + 1}")
            D[c, c] += symbols.parameter(f"b_{i + 1}")
            G[c] -= symbols.parameter(f"s_{i + 1}") * symbols.real(f"rest_{i + 1}", link.drive.rest)
    return SymbolicModel(tuple(q), tuple(qd), B, h, K, D, G, symbols.values)


def _exact(sp: Any, matrix: Any) -> Any:
    """Halves and ones that the sums bring as floats, made exact."""
    return matrix.xreplace({x: sp.Rational(x) for x in matrix.atoms(sp.Float)})


def _coordinates(sp: Any, planar: Planar, dot: str) -> list[Any]:
    out: list[Any] = [None] * planar.dof
    for i, link in enumerate(planar.links):
        if link.coordinate is not None:
            out[link.coordinate] = sp.Symbol(f"theta{dot}_{i + 1}", real=True)
        for k, c in enumerate(link.modes):
            out[c] = sp.Symbol(f"delta{dot}_{numbered(i + 1, k + 1)}", real=True)
    return out


def _link(symbols: Symbols, i: int, link: PlanarLink) -> PlanarLink:
    """The link with symbols for its numbers."""
    import cmath

    sp, n, modes = symbols.sp, i + 1, range(len(link.modes))
    turn = next((factor for factor in QUARTERS if abs(link.heading - factor) < 1e-12), None)
    if turn is not None:
        heading = sp.Integer(int(complex(turn).real)) + sp.I * int(complex(turn).imag)
    else:
        angle = symbols.real(f"gamma_{n}", cmath.phase(link.heading))
        heading = sp.cos(angle) + sp.I * sp.sin(angle)
    shift = [
        symbols.complex(f"phix_{numbered(n, k + 1)}e", f"phi_{numbered(n, k + 1)}e", link.reach_shift[k]) for k in modes
    ]
    slopes = [symbols.real(f"phip_{numbered(n, k + 1)}e", link.turn[k]) for k in modes]
    reach = symbols.complex(f"l_{n}", f"ly_{n}", link.reach)

    def pair(word: str, k: int, l: int) -> Any:
        return symbols.parameter(f"{word}_{numbered(n, min(k, l) + 1, max(k, l) + 1)}")

    return link._replace(
        heading=heading, reach=reach, reach_shift=shift, turn=slopes, integrals=_integrals(symbols, n, len(modes)),
        K=[[pair("k", k, l) for l in modes] for k in modes],
        damping=[[pair("d", k, l) for l in modes] for k in modes],
    )  # fmt: skip


def _integrals(symbols: Symbols, n: int, m: int) -> Integrals:
    I, p = symbols.sp.I, symbols.parameter
    v, w = (
        [p(f"{word}x_{numbered(n, k + 1)}") + I * p(f"{word}_{numbered(n, k + 1)}") for k in range(m)] for word in "vw"
    )
    z: list[list[Any]] = [[0] * m for _ in range(m)]
    for k in range(m):
        for l in range(k, m):
            jk = numbered(n, k + 1, l + 1)
            z[k][l] = p(f"z_{jk}") + I * p(f"zx_{jk}")
            z[l][k] = p(f"z_{jk}") - I * p(f"zx_{jk}")
    return Integrals(p(f"m_{n}"), p(f"mx_{n}") + I * p(f"my_{n}"), p(f"J_{n}"), v, w, z)


def latex(model: SymbolicModel) -> str:
    """The equations as LaTeX, one aligned block for B and one for h."""
    import re

    sp = sympy_module()
    names = {}
    for symbol in (*model.values, *model.q, *model.qd):
        found = re.fullmatch(r"(phip|phix|phi|[a-zA-Z]+?)(dot)?_(\w+?)(e)?", symbol.name)
        assert found is not None
        word, dot, index, end = found.groups()
        root = {"phip": r"\phi'", "phix": r"\phi^x", "phi": r"\phi", "theta": r"\theta", "delta": r"\delta",
                "gamma": r"\gamma"}.get(word, word if len(word) == 1 else rf"\mathrm{{{word}}}")  # fmt: skip
        names[symbol] = (rf"\dot{{{root}}}" if dot else root) + f"_{{{index}{',e' if end else ''}}}"
    n = len(model.q)
    rows = [(f"B_{{{a + 1}{b + 1}}}", model.B[a, b]) for a in range(n) for b in range(a, n)]
    rows += [(f"h_{{{a + 1}}}", model.h[a]) for a in range(n)]
    lines = [f"{left} &= {sp.latex(right, symbol_names=names)} \\\\" for left, right in rows]
    return "\\begin{aligned}\n" + "\n".join(lines) + "\n\\end{aligned}\n"


def c_source(model: SymbolicModel, title: str) -> str:
    """B and h as C99, common subexpressions taken out, the arm's numbers as constants."""
    sp = sympy_module()
    n = len(model.q)
    used = model.B.free_symbols | model.h.free_symbols
    known = sorted((s.name, v) for s, v in model.values.items() if s in used)
    constants = "\n".join(f"static const double {name} = {value!r};" for name, value in known)
    body_B = _c_body(sp, model, list(model.B), "B", rates=False)
    body_h = _c_body(sp, model, list(model.h), "h", rates=True)
    order = ", ".join(s.name for s in model.q)
    return (
        f"/* {title}: B(q) and h(q, qd) of the planar closed form of De Luca and Siciliano (1991).\n"
        f"   q = ({order}); SI units. */\n#include <math.h>\n\n{constants}\n\n"
        f"/* inertia, row by row */\nvoid planar_B(const double q[{n}], double B[{n * n}])\n{{\n{body_B}}}\n\n"
        f"/* velocity forces */\nvoid planar_h(const double q[{n}], const double qd[{n}], double h[{n}])\n{{\n{body_h}}}\n"
    )


def _c_body(sp: Any, model: SymbolicModel, entries: list[Any], out: str, rates: bool) -> str:
    shared, results = sp.cse(entries, symbols=sp.numbered_symbols("x"), optimizations="basic")
    used = set().union(*(e.free_symbols for e in (*results, *(right for _, right in shared)))) if results else set()
    lines = []
    for word, symbols in (("q", model.q), ("qd", model.qd)) if rates else (("q", model.q),):
        lines += [f"    const double {s.name} = {word}[{k}];" for k, s in enumerate(symbols) if s in used]
        lines += [] if any(s in used for s in symbols) else [f"    (void){word};"]
    lines += [f"    const double {left.name} = {sp.ccode(right)};" for left, right in shared]
    lines += [f"    {out}[{k}] = {sp.ccode(right)};" for k, right in enumerate(results)]
    return "\n".join(lines) + "\n"
