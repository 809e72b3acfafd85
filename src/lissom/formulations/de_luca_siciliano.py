"""De Luca and Siciliano 1991: closed form of a planar arm with flexible links.

    B(q) qdd + h(q, qd) + K q + D qd = tau                                        (25)

B is the inertia of the field of `planar`, cut off behind the first order in the deflections; h follows from exactly
that B by Christoffel symbols, so the energy of the model is kept:

    h_i = sum_jk (dB_ij/dq_k - 1/2 dB_jk/dq_i) qd_j qd_k                          (26)

For any number of links and modes every entry of B has the shape of (32),

    B_ab = sum_{k>=l} cos(phi_k - phi_l) (beta + sum_c beta_c delta_c) - sin(phi_k - phi_l) (beta' + ...)

with constants from the link integrals (24), made once (`planar_tables`). The derivatives in (26) are then written down
by hand: of the cosines and sines, and of the amplitudes. Gravity and loads, which the paper does not have, come from
the potential (or the work of a force) to first order in the deflections.

Coordinates are lissom's, joint by joint; the paper has all joints first (`two_link_coefficients`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from lissom.dynamics.acting import Setting, read_loads
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.drives import arm_force, motor_force
from lissom.elements.pivots import Guarded
from lissom.formulations.planar import Planar
from lissom.formulations.planar_tables import CONSTANT, Form, Forms, Geometry, Linear, Term
from lissom.spatial.rotations import Array
from lissom.spatial.scalar import cos, sin

Turns = Sequence[tuple[int, int]]  # (coordinate, sign), from the base outward
Loads = Sequence[tuple[str, Any]]  # (frame, nine entries)


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
            felt = [x for (k, l), x in twist.items() if l <= j < k]
            if felt:
                out[c] = total(felt) if sign > 0 else -total(felt)
        return out


def total(values: Iterable[Any]) -> Any:
    """A sum that does not begin with zero; zero when there is nothing."""
    out = None
    for x in values:
        out = x if out is None else out + x
    return 0.0 if out is None else out


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
    for (a, b), form in forms.B.items():
        B[a][b] = B[b][a] = value(form, phases, q)
    return B


def velocity_forces(forms: Forms, phases: Phases, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
    """h(q, qd), (26): dB/dt qd less half the slope of qd.B qd."""
    n = len(q)
    h: list[list[Any]] = [[] for _ in range(n)]
    twist: dict[tuple[int, int], list[Any]] = {}
    pull: dict[int, list[Any]] = {}
    for (a, b), form in forms.B.items():
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
    felt = {d: total(parts) for d, parts in pull.items()}
    return [total(h[k]) - (turned[k] if k in phases.joints else felt.get(k, 0.0)) for k in range(n)]


class Model(NamedTuple):
    """A planar arm with its tables."""

    planar: Planar
    geometry: Geometry
    forms: Forms

    @classmethod
    def of(cls, bodies: Bodies) -> Model:
        """Make the model from the bodies of an arm."""
        planar = Planar(bodies)
        geometry = Geometry(planar.links)
        return cls(planar, geometry, geometry.forms([link.integrals for link in planar.links], planar.gravity))

    def mapped(self, change: Callable[[float], Any]) -> Model:
        """The model with every constant mapped, to count or time operations."""
        planar = copy.copy(self.planar)
        planar.links = [
            link._replace(K=_changed(link.K, change), damping=_changed(link.damping, change)) for link in planar.links
        ]
        return Model(planar, self.geometry, self.forms.mapped(change))

    def elastic(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        """K q + D qd of (25)."""
        out: list[Any] = [0.0] * self.planar.dof
        for link in self.planar.links:
            for k, c in enumerate(link.modes):
                parts = [K * q[d] for K, d in zip(link.K[k], link.modes, strict=True) if K != 0.0]
                parts += [D * qd[d] for D, d in zip(link.damping[k], link.modes, strict=True) if D != 0.0]
                out[c] = total(parts)
        return out

    def forces(self, phases: Phases, q: Sequence[Any], qd: Sequence[Any], loads: Loads) -> list[Any]:
        """Forces without accelerations and drives: h + K q + D qd + dV/dq minus the loads."""
        parts = [velocity_forces(self.forms, phases, q, qd), self.elastic(q, qd)]
        if self.forms.V:
            parts.append(gradient(self.forms.V, phases, q))
        for frame, nine in loads:
            pushed = self.pushed(frame, nine, phases, q)
            parts += [[-x for x in pushed]] if pushed else []
        return [total(entries) for entries in zip(*parts, strict=True)]

    def pushed(self, frame: str, nine: Sequence[Any], phases: Phases, q: Sequence[Any]) -> list[Any]:
        """Work of a load (force and moment in the world, point on a frame) per unit rate of every coordinate.

        What points out of the plane does none: a force across it, a moment along it.
        """
        planar = self.planar
        place = planar.bodies.place(frame)
        if place.body == BASE:
            return []
        spot = planar.spots[place.body]
        along = spot.axes @ place.X[:3, :3]
        start = complex(spot.axes @ place.X[:3, 3])
        u = [_dot(along.real, nine[6:9], start.real), _dot(along.imag, nine[6:9], start.imag)]
        f = [_dot(planar.axes.real, nine[0:3]), _dot(planar.axes.imag, nine[0:3])]
        x, y, ex, ey = (gradient(form, phases, q) for form in self.geometry.place(spot))
        out = [f[0] * (x[a] + u[0] * ex[a] - u[1] * ey[a]) + f[1] * (y[a] + u[0] * ey[a] + u[1] * ex[a])
               for a in range(planar.dof)]  # fmt: skip
        moment = _dot(planar.normal, nine[3:6])
        for link in planar.links[: spot.link + 1]:
            if link.coordinate is not None:
                out[link.coordinate] = out[link.coordinate] + link.sign * moment
            turn = spot.turn if link is planar.links[spot.link] else link.turn
            for c, t in zip(link.modes, turn, strict=True):
                out[c] = out[c] + t * moment
        return out

    def with_drives(self, B: list[list[Any]]) -> list[list[Any]]:
        """B with the inertia of the drives."""
        for link in self.planar.links:
            if link.drive is not None and link.drive.armature:
                c = link.drive.coordinate
                B[c][c] = B[c][c] + link.drive.armature
        return B


def _changed(table: Sequence[Sequence[float]], change: Callable[[float], Any]) -> list[list[Any]]:
    return [[change(x) if x else 0.0 for x in row] for row in table]


def _dot(row: Array, u: Sequence[Any], start: float = 0.0) -> Any:
    parts = [float(x) * y for x, y in zip(row, u, strict=True) if x]
    return total([*parts, start] if start or not parts else parts)


def solve(B: list[list[Any]], b: Sequence[Any]) -> list[Any]:
    """x with B x = b by L D L^T; not finite where B is not positive definite."""
    n = len(b)
    L: dict[tuple[int, int], Any] = {}
    D: list[Any] = []
    inverse_D: list[Any] = []
    for j in range(n):
        D.append(total([B[j][j], *(-(L[j, k] * (L[j, k] * D[k])) for k in range(j))]))
        inverse_D.append(Guarded().inverse(D[j], B[j][j]))
        for i in range(j + 1, n):
            L[i, j] = total([B[i][j], *(-(L[i, k] * (L[j, k] * D[k])) for k in range(j))]) * inverse_D[j]
    x = list(b)
    for i in range(n):
        x[i] = total([x[i], *(-(L[i, k] * x[k]) for k in range(i))])
    x = [entry * d for entry, d in zip(x, inverse_D, strict=True)]
    for i in range(n - 1, -1, -1):
        x[i] = total([x[i], *(-(L[k, i] * x[k]) for k in range(i + 1, n))])
    return x


# ---- programs ------------------------------------------------------------------------------------


def generalized_forces(
    model: Model, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any], loads: Loads = ()
) -> list[Any]:
    """tau of (25) without the drives."""
    phases = Phases(model.planar.turns, q)
    B = inertia(model.forms, phases, q)
    forces = model.forces(phases, q, qd, loads)
    n = len(q)
    return [total([*(B[a][b] * qdd[b] for b in range(n)), forces[a]]) for a in range(n)]


def inverse_program(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, qdd, then the loads; output tau."""
    model, n = Model.of(bodies), bodies.dof
    q, qd, qdd = (run.input(n) for _ in range(3))
    tau = generalized_forces(model, q, qd, qdd, read_loads(run, bodies, setting))
    for link in model.planar.links:
        if link.drive is not None:
            c = link.drive.coordinate
            tau[c] = motor_force(run, link.drive, [tau[c]], [q[c]], [qd[c]], [qdd[c]])[0]
    run.output(tau)


def forward_program(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, tau, then the loads; output qdd."""
    model, n = Model.of(bodies), bodies.dof
    q, qd, tau = (run.input(n) for _ in range(3))
    loads = read_loads(run, bodies, setting)
    phases = Phases(model.planar.turns, q)
    effort = [tau[k] for k in range(n)]
    for link in model.planar.links:
        if link.drive is not None:
            c = link.drive.coordinate
            effort[c] = arm_force(run, link.drive, [tau[c]], [q[c]], [qd[c]])[0]
    left = [t - f for t, f in zip(effort, model.forces(phases, q, qd, loads), strict=True)]
    run.output(solve(model.with_drives(inertia(model.forms, phases, q)), left))


def mass_program(run: Any, bodies: Bodies, _setting: Setting) -> None:
    """Input q; output B with the drives' inertia, row by row."""
    model = Model.of(bodies)
    q = run.input(bodies.dof)
    B = model.with_drives(inertia(model.forms, Phases(model.planar.turns, q), q))
    run.output([entry for row in B for entry in row])


PROGRAMS = {"inverse_dynamics": inverse_program, "forward_dynamics": forward_program, "mass_matrix": mass_program}
