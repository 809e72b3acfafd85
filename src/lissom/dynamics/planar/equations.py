"""De Luca and Siciliano 1991: the equations of motion of a planar arm, from its tables.

    B(q) qdd + h(q, qd) + K q + D qd = tau                                        (25)

B is the inertia of the field of `chain`, cut off behind the first order in the deflections; h follows from exactly
that B by Christoffel symbols, so the energy of the model is kept:

    h_i = sum_jk (dB_ij/dq_k - 1/2 dB_jk/dq_i) qd_j qd_k                          (26)

For any number of links and modes every entry of B has the shape of (32),

    B_ab = sum_{k>=l} cos(phi_k - phi_l) (beta + sum_c beta_c delta_c) - sin(phi_k - phi_l) (beta' + ...)

with constants from the link integrals (24), made once (`tables`). The derivatives in (26) are then written down
by hand: of the cosines and sines, and of the amplitudes. Gravity, which the paper does not have, comes from the
potential to first order in the deflections.

Coordinates are lissom's, joint by joint; the paper has all joints first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lissom.dynamics.planar.chain import Planar, PlanarLink
from lissom.dynamics.planar.complex_numbers import is_zero, total
from lissom.dynamics.planar.tables import CONSTANT, Form, Forms, Geometry, Linear, Term
from lissom.spatial.scalar import cos, sin

Turns = Sequence[tuple[int, int]]  # (coordinate, sign), from the base outward
Entries = tuple[tuple[int, int, Any], ...]  # (row, column, coefficient) of a matrix


class Phases:
    """Cosines and sines of phi_k - phi_l at one position, made when first asked."""

    def __init__(self, turns: Turns, q: Sequence[Any], circular: tuple[Any, Any] = (cos, sin)):
        self._turns, self._q, self._circular = turns, q, circular
        self.joints = {c for c, _ in turns}
        self._known: dict[tuple[int, int], tuple[Any, Any]] = {}

    def __call__(self, k: int, l: int) -> tuple[Any, Any]:
        if (k, l) not in self._known:
            angle = self.between(k, l, self._q)
            self._known[k, l] = (self._circular[0](angle), self._circular[1](angle))
        return self._known[k, l]

    def between(self, k: int, l: int, x: Sequence[Any]) -> Any:
        """phi_k - phi_l, or its rate: the joints l + 1 ... k."""
        return total(x[c] if sign > 0 else -x[c] for c, sign in self._turns[l:k])

    def spread(self, twist: dict[tuple[int, int], Any], n: int) -> list[Any]:
        """Derivatives by the joints, from those by the differences of phases."""
        out: list[Any] = [0.0] * n
        for j, (c, sign) in enumerate(self._turns):
            pulled = [x for (k, l), x in twist.items() if l <= j < k]
            if pulled:
                out[c] = total(pulled) if sign > 0 else -total(pulled)
        return out


def linear(part: Linear, q: Sequence[Any]) -> Any:
    """beta + sum_c beta_c delta_c."""
    return total(x if c == CONSTANT else x * q[c] for c, x in part)


def value(form: Form, phases: Phases, q: Sequence[Any]) -> Any:
    """A form at one position."""
    return total(_value(term, phases, q) for term in form)


def _value(term: Term, phases: Phases, q: Sequence[Any]) -> Any:
    if term.k == term.l:
        return linear(term.re, q)
    c, s = phases(term.k, term.l)
    parts = [c * linear(term.re, q)] if term.re else []
    return total([*parts, -(s * linear(term.im, q))] if term.im else parts)


def _swing(term: Term, phases: Phases, q: Sequence[Any]) -> Any:
    """Derivative by phi_k - phi_l."""
    c, s = phases(term.k, term.l)
    parts = [s * linear(term.re, q)] if term.re else []
    return -total([*parts, c * linear(term.im, q)] if term.im else parts)


def _slopes(term: Term, phases: Phases) -> dict[int, Any]:
    """Derivatives by the amplitudes."""
    c, s = (1.0, 0.0) if term.k == term.l else phases(term.k, term.l)
    out: dict[int, Any] = {}
    for d, x in term.re:
        if d != CONSTANT:
            out[d] = x if term.k == term.l else c * x
    for d, x in term.im:
        if d != CONSTANT:
            out[d] = out[d] - s * x if d in out else -(s * x)
    return out


def gradient(form: Form, phases: Phases, q: Sequence[Any]) -> list[Any]:
    """Derivatives of a form by all coordinates."""
    twist: dict[tuple[int, int], Any] = {}
    pull: dict[int, list[Any]] = {}
    for term in form:
        if term.k > term.l:
            twist[term.k, term.l] = _swing(term, phases, q)
        for d, x in _slopes(term, phases).items():
            pull.setdefault(d, []).append(x)
    out = phases.spread(twist, len(q))
    for d, parts in pull.items():
        out[d] = total(parts)
    return out


def inertia(forms: Forms, phases: Phases, q: Sequence[Any]) -> list[list[Any]]:
    """B(q), (32) for any number of links."""
    n = len(q)
    B: list[list[Any]] = [[0.0] * n for _ in range(n)]
    for (a, b), form in forms.B:
        B[a][b] = B[b][a] = value(form, phases, q)
    return B


def velocity_forces(forms: Forms, phases: Phases, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
    """h(q, qd), (26): dB/dt qd less half the slope of qd.B qd."""
    n = len(q)
    h: list[list[Any]] = [[] for _ in range(n)]
    twist: dict[tuple[int, int], list[Any]] = {}
    pull: dict[int, list[Any]] = {}
    for (a, b), form in forms.B:
        both = qd[a] * qd[b]
        weight = 0.5 * both if a == b else both
        rates = []
        for term in form:
            if term.k > term.l:
                swing = _swing(term, phases, q)
                rates.append(swing * phases.between(term.k, term.l, qd))
                twist.setdefault((term.k, term.l), []).append(swing * weight)
            for d, x in _slopes(term, phases).items():
                rates.append(x * qd[d])
                pull.setdefault(d, []).append(x * weight)
        if rates:
            rate = total(rates)  # dB_ab/dt
            h[a].append(rate * qd[b])
            if a != b:
                h[b].append(rate * qd[a])
    turned = phases.spread({key: total(parts) for key, parts in twist.items()}, n)
    pulled = {d: total(parts) for d, parts in pull.items()}
    return [total(h[k]) - (turned[k] if k in phases.joints else pulled.get(k, 0.0)) for k in range(n)]


class Equations(NamedTuple):
    """The equations of an arm: its tables, and stiffness and damping of its modes."""

    dof: int
    turns: tuple[tuple[int, int], ...]
    forms: Forms
    K: Entries
    D: Entries

    @classmethod
    def of(cls, planar: Planar) -> Equations:
        """Make the equations of a planar arm."""
        links = planar.links
        forms = Geometry(links).forms([link.integrals for link in links], planar.gravity)
        K, D = (tuple(x for link in links for x in _entries(link, word)) for word in ("K", "damping"))
        return cls(planar.dof, tuple(planar.turns), forms, K, D)

    def mapped(self, change: Callable[[Any], Any]) -> Equations:
        """A copy with every coefficient mapped."""
        K, D = (tuple((a, b, change(x)) for a, b, x in entries) for entries in (self.K, self.D))
        return self._replace(forms=self.forms.mapped(change), K=K, D=D)

    @property
    def key(self) -> str:
        """A name for steps made for these equations."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]

    def forces(self, phases: Phases, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        """Forces without accelerations: h + K q + D qd + dV/dq."""
        parts = [velocity_forces(self.forms, phases, q, qd), self.elastic(q, qd)]
        if self.forms.V:
            parts.append(gradient(self.forms.V, phases, q))
        return [total(entries) for entries in zip(*parts, strict=True)]

    def elastic(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        """K q + D qd of (25)."""
        out: list[list[Any]] = [[] for _ in q]
        for matrix, x in ((self.K, q), (self.D, qd)):
            for a, b, entry in matrix:
                out[a].append(entry * x[b])
        return [total(parts) for parts in out]

    def energies(self, q: Sequence[Any], qd: Sequence[Any]) -> tuple[Any, Any]:
        """T = 1/2 qd.B qd, and the potential of gravity."""
        phases = Phases(self.turns, q)
        terms = [(a == b, value(form, phases, q) * (qd[a] * qd[b])) for (a, b), form in self.forms.B]
        T = total(0.5 * x if diagonal else x for diagonal, x in terms)
        return T, value(self.forms.V, phases, q)


def _entries(link: PlanarLink, word: str) -> Entries:
    """What is not zero in a link's stiffness or damping."""
    rows = zip(link.modes, getattr(link, word), strict=True)
    return tuple((a, b, x) for a, row in rows for b, x in zip(link.modes, row, strict=True) if not is_zero(x))


def generalized_forces(equations: Equations, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> list[Any]:
    """tau of (25), without the drives."""
    phases = Phases(equations.turns, q)
    B = inertia(equations.forms, phases, q)
    forces, n = equations.forces(phases, q, qd), len(q)
    return [total([*(B[a][b] * qdd[b] for b in range(n)), forces[a]]) for a in range(n)]
