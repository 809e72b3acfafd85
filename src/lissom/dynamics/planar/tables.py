"""Constant tables of a planar chain, by sparse algebra on the field of its points (see `planar`).

With phases e_k = exp(i phi_k), phi_k the sum of the first k joint angles, everything linear in the masses is a sum of

    Re e^{i(phi_k - phi_l)} (beta + sum_c beta_c delta_c)

A *form* is that sum, as terms with real coefficients. Frames are products of W_i = W_{i-1} E_{i-1} A_i, (3), with
E = 1 + i sum turn_k delta_k, (1); products between the deflections of different links are kept in p, so that its
derivative is right to first order, and the inertia is then cut off behind the first order.

Coefficients are complex numbers of any kind that has ``+``, ``*`` and ``conjugate()``, see `Algebra`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from lissom.dynamics.planar.chain import PlanarLink
from lissom.dynamics.planar.complex_numbers import Pair, is_zero
from lissom.dynamics.planar.integrals import Integrals

CONSTANT = -1  # in place of an amplitude
Poly = dict[tuple[int, int], Any]  # (phase, amplitude) -> coefficient, to first order
Product = dict[tuple[int, tuple[int, ...]], Any]  # (phase, amplitudes) -> coefficient, to second order
Linear = tuple[tuple[int, Any], ...]  # (amplitude, coefficient)
Key = TypeVar("Key")


class Algebra(NamedTuple):
    """A kind of complex numbers: its imaginary unit, how a number is split into parts, which parts are not zero.

    some : ``some(x, size)`` of a part x in a sum whose largest part has a size; 0 where parts are not all floats
    """

    i: Any
    split: Callable[[Any], tuple[Any, Any]]
    some: Callable[[Any, float], bool]


def _parts(x: Any) -> tuple[Any, Any]:
    x = Pair.of(x)
    return x.real, x.imag


def _beyond_rounding(x: Any, size: float) -> bool:
    return bool(abs(x) > 1e-15 * size) if size else not is_zero(x)


NUMBERS = Algebra(1j, _parts, _beyond_rounding)  # floats, values of a program, or both


class Term(NamedTuple):
    """Re e^{i(phi_k - phi_l)} (re + i im), k >= l; re and im are linear in the amplitudes."""

    k: int
    l: int
    re: Linear
    im: Linear

    def mapped(self, change: Callable[[Any], Any]) -> Term:
        """A copy with every coefficient mapped."""
        re, im = (tuple((c, change(x)) for c, x in part) for part in (self.re, self.im))
        return Term(self.k, self.l, re, im)


Form = tuple[Term, ...]


class Forms(NamedTuple):
    """Entries ((a, b), form) of B with a <= b, and the potential of gravity."""

    B: tuple[tuple[tuple[int, int], Form], ...]
    V: Form

    def mapped(self, change: Callable[[Any], Any]) -> Forms:
        """A copy with every coefficient mapped."""
        return Forms(
            tuple((key, tuple(t.mapped(change) for t in form)) for key, form in self.B),
            tuple(t.mapped(change) for t in self.V),
        )


class Geometry:
    """Frames of the links and their derivatives by every coordinate, without masses (see `forms`)."""

    def __init__(self, links: Sequence[PlanarLink], algebra: Algebra = NUMBERS):
        self.links, self._algebra = links, algebra
        self.W: list[Product] = []
        self.r: list[Product] = []
        W: Product = {(0, ()): 1}
        r: Product = {}
        for link in links:
            W = {(link.phase, c): x * link.heading for (_, c), x in W.items()}  # A_i of (1)
            self.W.append(W)
            self.r.append(r)
            r = _plus(r, _times(W, _linear(link.reach, link.modes, link.reach_shift)))  # (2)
            W = _times(W, _linear(1, link.modes, [algebra.i * t for t in link.turn]))  # W_i E_i of (3)
        self._signs = {link.coordinate: (link.phase, link.sign) for link in links if link.coordinate is not None}

    def coordinates(self, at: int) -> Iterable[int]:
        """Coordinates that move link `at`, its own modes included."""
        for link in self.links[: at + 1]:
            yield from () if link.coordinate is None else (link.coordinate,)
            yield from link.modes

    def slope(self, field: Product, a: int) -> Poly:
        """Derivative with respect to a coordinate, to first order in the amplitudes: a column of (5)."""
        out: Poly = {}
        if a in self._signs:
            phase, sign = self._signs[a]
            for (k, c), x in field.items():
                if k >= phase and len(c) < 2:
                    out[k, c[0] if c else CONSTANT] = (self._algebra.i * sign) * x
            return out
        for (k, c), x in field.items():
            if a in c:  # never twice: every link's field is linear in its own amplitudes
                left = tuple(d for d in c if d != a)
                out[k, left[0] if left else CONSTANT] = x
        return out

    def forms(self, integrals: Sequence[Integrals | None], gravity: Any = 0) -> Forms:
        """The tables of links with given integrals; links with None have no mass."""
        B: dict[tuple[int, int], Poly2] = {}
        V: Poly2 = {}
        for at, own in enumerate(integrals):
            if own is not None:
                self._add_inertia(B, at, own)
                _add_conjugate(V, {(0, CONSTANT): -gravity}, self._first_moment(at, own))
        return Forms(tuple((key, self.form(B[key])) for key in sorted(B)), self.form(V))

    def _first_moment(self, at: int, own: Integrals) -> Poly:
        """int p dm to first order."""
        Z1 = _linear(own.moment, self.links[at].modes, own.v)
        return _first_order(_plus(_scaled(own.mass, self.r[at]), _times(self.W[at], Z1)))

    def _add_inertia(self, B: dict[tuple[int, int], Poly2], at: int, own: Integrals) -> None:
        """int Re conj(dp/da) dp/db dm of one link, (9)-(11)."""
        link = self.links[at]
        modes = link.modes
        place = {c: k for k, c in enumerate(modes)}
        Z1 = _linear(own.moment, modes, own.v)
        Z1c = _conjugate(Z1)
        Z2 = _linear(own.inertia, modes, [w + w.conjugate() for w in own.w])
        # int conj(x + sum phi_l delta_l) phi_k dm
        G = [_linear(own.w[k], modes, [own.z[l][k] for l in range(len(modes))]) for k in range(len(modes))]
        W = _first_order(self.W[at])
        names = list(self.coordinates(at))
        dr, dW = ({a: self.slope(field, a) for a in names} for field in (self.r[at], self.W[at]))
        for b in names:
            P = _plus(_scaled(own.mass, dr[b]), _swept(dW[b], Z1))  # momentum of a unit rate of b
            L = _plus(_swept(dr[b], Z1c), _swept(dW[b], Z2))  # and its moment
            if b in place:
                k = place[b]
                P = _plus(P, _scaled(own.v[k], W))
                L = _plus(L, _swept(W, G[k]))
            for a in names:
                if a > b:
                    continue
                entry = B.setdefault((a, b), {})
                _add_conjugate(entry, dr[a], P)
                _add_conjugate(entry, dW[a], L)
                if a in place:
                    k = place[a]
                    F = _plus(_scaled(own.v[k].conjugate(), dr[b]), _swept(dW[b], _conjugate(G[k])))
                    if b in place:
                        F = _plus(F, _scaled(own.z[k][place[b]], W))
                    _add_conjugate(entry, W, F)

    def form(self, entry: Poly2) -> Form:
        """The real part of a sum, with phases so that k >= l; zeros left out."""
        parts: dict[tuple[int, int], tuple[dict[int, Any], dict[int, Any]]] = {}
        for (k, l, c), x in entry.items():
            re, im = self._algebra.split(x)
            if k < l:
                k, l, im = l, k, -im
            own_re, own_im = parts.setdefault((k, l), ({}, {}))
            own_re[c] = own_re.get(c, 0) + re
            if k > l:
                own_im[c] = own_im.get(c, 0) + im
        size, some = _size(parts.values()), self._algebra.some
        terms = []
        for (k, l), pair in sorted(parts.items()):
            re, im = (tuple((c, x) for c, x in sorted(part.items()) if some(x, size)) for part in pair)
            if re or im:
                terms.append(Term(k, l, re, im))
        return tuple(terms)


Poly2 = dict[tuple[int, int, int], Any]  # (k, l, amplitude): coefficients of e^{i(phi_k - phi_l)}


def _size(parts: Iterable[tuple[dict[int, Any], dict[int, Any]]]) -> float:
    """The largest coefficient of a form of floats; 0 for others, which have no rounding to be looked at."""
    all_of = [x for pair in parts for part in pair for x in part.values()]
    return max(map(abs, all_of), default=0.0) if all(isinstance(x, int | float) for x in all_of) else 0.0


def _linear(constant: Any, modes: Sequence[int], slopes: Sequence[Any]) -> dict[int, Any]:
    """constant + sum slope_k delta_k, by amplitude, zeros left out."""
    out = {CONSTANT: constant} | dict(zip(modes, slopes, strict=True))
    return {c: x for c, x in out.items() if not is_zero(x)}


def _conjugate(x: dict[int, Any]) -> dict[int, Any]:
    return {c: y.conjugate() for c, y in x.items()}


def _times(field: Product, factor: dict[int, Any]) -> Product:
    """A field times a linear factor in other amplitudes, to second order."""
    out: Product = {}
    for (k, c), x in field.items():
        for d, y in factor.items():
            key = c if d == CONSTANT else (*c, d)
            if len(key) <= 2:
                out[k, key] = out[k, key] + x * y if (k, key) in out else x * y
    return out


def _swept(field: Poly, factor: dict[int, Any]) -> Poly:
    """A field times a linear factor, to first order."""
    out: Poly = {}
    for (k, c), x in field.items():
        for d, y in factor.items():
            if c == CONSTANT or d == CONSTANT:
                key = (k, d if c == CONSTANT else c)
                out[key] = out[key] + x * y if key in out else x * y
    return out


def _first_order(field: Product) -> Poly:
    return {(k, c[0] if c else CONSTANT): x for (k, c), x in field.items() if len(c) < 2}


def _plus(a: dict[Key, Any], b: dict[Key, Any]) -> dict[Key, Any]:
    out = dict(a)
    for key, x in b.items():
        out[key] = out[key] + x if key in out else x
    return out


def _scaled(factor: Any, field: dict[Key, Any]) -> dict[Key, Any]:
    return {key: factor * x for key, x in field.items()} if not is_zero(factor) else {}


def _add_conjugate(entry: Poly2, a: Poly, b: Poly) -> None:
    """Add conj(a) b, to first order."""
    for (l, c), x in a.items():
        x = x.conjugate()
        for (k, d), y in b.items():
            if c == CONSTANT or d == CONSTANT:
                key = (k, l, d if c == CONSTANT else c)
                entry[key] = entry[key] + x * y if key in entry else x * y
