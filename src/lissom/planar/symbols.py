"""The planar closed form in SymPy symbols, from the same tables and sums as in numbers.

Parameters are named as in `planar_parameters`; lengths l_i (ly_i across), end values phi_ije and slopes phip_ije of
the shapes (phix_ije along a link), headings gamma_i of links that do not start along the last, gravity g_x, g_y. What
is zero in the arm is zero here.
"""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from typing import Any, NamedTuple

from lissom.dynamics.planar.chain import Planar, PlanarLink
from lissom.dynamics.planar.complex_numbers import Pair, total
from lissom.dynamics.planar.equations import Phases, Turns, gradient, inertia, value
from lissom.dynamics.planar.integrals import Integrals
from lissom.dynamics.planar.tables import CONSTANT, Algebra, Form, Forms, Geometry, Term
from lissom.errors import UnsupportedError, install_extra
from lissom.planar.parameters import numbered, parameters

MOST_LINKS = 5  # with two modes each: 4 s for the symbols, 9 s more for C, as many for 2.7 million characters of LaTeX


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
    """Import SymPy; raises an error with advice if it is not installed."""
    try:
        import sympy
    except ImportError:
        raise UnsupportedError(
            f"the symbolic form needs SymPy, which is not installed: {install_extra('symbolic')}."
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
            return 0
        symbol = self.sp.Symbol(name, real=True)
        self.values[symbol] = float(value)
        return symbol

    def parameter(self, name: str) -> Any:
        return self.real(name, self._known.get(name, 0.0))

    def complex(self, along: str, across: str, value: complex) -> Any:
        return Pair(self.real(along, value.real), self.real(across, value.imag))


def refuse_long(planar: Planar) -> None:
    """Raise an error for arms with too many links for the symbolic form."""
    if len(planar.links) > MOST_LINKS:
        raise UnsupportedError(
            f"planar_model: the symbolic form (sympy, latex, c) covers up to {MOST_LINKS} links, and arm "
            f"{planar.bodies.arm.name!r} has {len(planar.links)} (an elastic joint makes two of one); B, h and Y give "
            "numbers for any number of links."
        )


def symbolic(planar: Planar) -> SymbolicModel:
    """The model of an arm of up to five links."""
    refuse_long(planar)
    symbols = Symbols({p.name: p.value for p in parameters(planar)})
    sp = symbols.sp
    links = [_link(symbols, i, link) for i, link in enumerate(planar.links)]
    geometry = Geometry(links, _algebra(sp))
    forms = geometry.forms([link.integrals for link in links], symbols.complex("g_x", "g_y", planar.gravity))
    q, qd = (coordinates(sp, planar, dot) for dot in ("", "dot"))
    phases = Phases(planar.turns, _headed(symbols, planar, q), (sp.cos, sp.sin))
    n = len(q)
    B = _exact(sp, sp.Matrix(n, n, [x for row in inertia(forms, phases, q) for x in row]))
    h = sp.Matrix(n, 1, [_exact(sp, sp.Matrix([x]))[0] for x in christoffel(forms, planar.turns, phases, q, qd)])
    G = _exact(sp, sp.Matrix(n, 1, gradient(forms.V, phases, q)))
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


def christoffel(forms: Forms, turns: Turns, phases: Phases, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
    """h by (26), every product of rates with one form: what cancels does so among the coefficients, as in (34)."""
    n = len(q)
    place = {c: (j, sign) for j, (c, sign) in enumerate(turns)}
    slope = {key: [_derived(form, a, place) for a in range(n)] for key, form in forms.B}

    def dB(i: int, j: int, k: int) -> Poly:
        return slope[min(i, j), max(i, j)][k] if (min(i, j), max(i, j)) in slope else {}

    out, half = [], sympy_module().Rational(1, 2)
    for i in range(n):
        terms = []
        for j in range(n):
            for k in range(j, n):
                parts = [(dB(i, j, k), 1), (dB(i, k, j), 1), (dB(j, k, i), -1)]
                form = _gathered(parts if j < k else [(dB(i, j, j), 1), (dB(j, j, i), -half)])
                if form:
                    terms.append(value(form, phases, q) * qd[j] * qd[k])
        out.append(total(terms))
    return out


Poly = dict[tuple[int, int, bool, int], Any]  # (k, l, whether im, amplitude) -> coefficient


def _derived(form: Form, a: int, place: dict[int, tuple[int, int]]) -> Poly:
    """A form differentiated by coordinate a."""
    out: Poly = {}
    for term in form:
        for im, part in ((False, term.re), (True, term.im)):
            for c, x in part:
                if a not in place and c == a:
                    out[term.k, term.l, im, CONSTANT] = x
                elif a in place and term.l <= place[a][0] < term.k:
                    # times i: the new real part is less the imaginary one
                    out[term.k, term.l, not im, c] = place[a][1] * (-x if im else x)
    return out


def _gathered(parts: Sequence[tuple[Poly, Any]]) -> Form:
    """A weighted sum of forms."""
    weighed: Poly = {}
    for poly, weight in parts:
        for key, x in poly.items():
            weighed[key] = weighed.get(key, 0) + x * weight
    found: dict[tuple[int, int], tuple[list[Any], list[Any]]] = {}
    for (k, l, im, c), x in sorted(weighed.items(), key=lambda pair: pair[0]):
        if x != 0:
            found.setdefault((k, l), ([], []))[im].append((c, x))
    return tuple(Term(k, l, tuple(re), tuple(im)) for (k, l), (re, im) in found.items())


def _algebra(sp: Any) -> Algebra:
    """Complex numbers with SymPy's parts; sums that cancel are zero."""
    return Algebra(
        Pair(0, 1), lambda x: (sp.expand(Pair.of(x).real), sp.expand(Pair.of(x).imag)), lambda x, _size: bool(x != 0)
    )


def _headed(symbols: Symbols, planar: Planar, q: Sequence[Any]) -> list[Any]:
    """Joint angles plus the headings gamma_i of their links."""
    out = list(q)
    for i, link in enumerate(planar.links):
        if link.coordinate is not None:
            out[link.coordinate] = out[link.coordinate] + link.sign * _heading(symbols, i, link)
    return out


def _heading(symbols: Symbols, i: int, link: PlanarLink) -> Any:
    """The angle of a link's heading: quarter turns are exact."""
    angle = cmath.phase(link.heading)
    quarters = round(angle / (cmath.pi / 2))
    if abs(angle - quarters * cmath.pi / 2) < 1e-12:
        return symbols.sp.pi * quarters / 2
    return symbols.real(f"gamma_{i + 1}", angle)


def _exact(sp: Any, matrix: Any) -> Any:
    """Halves and ones that the sums bring as floats, made exact."""
    return matrix.xreplace({x: sp.Rational(x) for x in matrix.atoms(sp.Float)})


def coordinates(sp: Any, planar: Planar, dot: str) -> list[Any]:
    out: list[Any] = [None] * planar.dof
    for i, link in enumerate(planar.links):
        if link.coordinate is not None:
            out[link.coordinate] = sp.Symbol(f"theta{dot}_{i + 1}", real=True)
        for k, c in enumerate(link.modes):
            out[c] = sp.Symbol(f"delta{dot}_{numbered(i + 1, k + 1)}", real=True)
    return out


def _link(symbols: Symbols, i: int, link: PlanarLink) -> PlanarLink:
    """The link with symbols for its numbers."""
    sp, n, modes = symbols.sp, i + 1, range(len(link.modes))
    angle = 0 if link.coordinate is not None else _heading(symbols, i, link)  # of joints: `_headed`
    heading = Pair(sp.cos(angle), sp.sin(angle))
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
    p = symbols.parameter
    v, w = (
        [Pair(p(f"{word}x_{numbered(n, k + 1)}"), p(f"{word}_{numbered(n, k + 1)}")) for k in range(m)] for word in "vw"
    )
    z: list[list[Any]] = [[0] * m for _ in range(m)]
    for k in range(m):
        for l in range(k, m):
            jk = numbered(n, k + 1, l + 1)
            z[k][l] = Pair(p(f"z_{jk}"), p(f"zx_{jk}"))
            z[l][k] = z[k][l].conjugate()
    return Integrals(p(f"m_{n}"), Pair(p(f"mx_{n}"), p(f"my_{n}")), p(f"J_{n}"), v, w, z)
