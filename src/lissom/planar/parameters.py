"""Parameters that a planar model is linear in, by name, with a unit table for each.

    Y(q, qd, qdd) p = tau                                      after De Luca and Siciliano 1991, section V

p holds the inertial constants of the links (24), hub and payload included, stiffness and damping of the modes, and the
drives; lengths and the end values of the shapes are known. Parameters that are zero are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from lissom.dynamics.planar.chain import Planar, PlanarLink
from lissom.dynamics.planar.complex_numbers import total
from lissom.dynamics.planar.equations import Phases, gradient, inertia, velocity_forces
from lissom.dynamics.planar.integrals import Integrals
from lissom.dynamics.planar.tables import Geometry
from lissom.spatial.scalar import sign

NEGLIGIBLE = 1e-12  # beside the largest of its kind in the link
Entries = dict[int, Any]
UnitTorque = Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Entries]


class Parameter(NamedTuple):
    """One parameter: an entry of p.

    unit : integrals of its link for a unit value, None where it has none
    torque : otherwise the contribution of a unit value to tau, by coordinate, from q, qd, qdd
    """

    name: str
    meaning: str
    value: float
    link: int
    unit: Integrals | None = None
    torque: UnitTorque | None = None


def numbered(*indices: int) -> str:
    """Indices as the paper writes them, 111; with strokes where one has two digits."""
    return ("" if max(indices) < 10 else "_").join(str(k) for k in indices)


def parameters(planar: Planar) -> tuple[Parameter, ...]:
    """All nonzero parameters, link by link."""
    kinds = (_inertial, _elastic, _drive)
    return tuple(p for i, link in enumerate(planar.links) for kind in kinds for p in kind(i, link))


def integral_parts(i: int, link: PlanarLink) -> Iterator[tuple[str, str, float, Integrals]]:
    """(name, meaning, value, unit integrals) of the constants (24) of link i, zeros too."""
    own, m, n = link.integrals, len(link.modes), i + 1
    zero = Integrals(0.0, 0j, 0.0, [0j] * m, [0j] * m, [[0j] * m for _ in range(m)])
    of = f"link {n} ({link.name}), hub and payload included"
    yield f"m_{n}", f"mass of {of} [kg]", own.mass, zero._replace(mass=1.0)
    yield f"mx_{n}", f"first moment of {of}, along its axis [kg m]", own.moment.real, zero._replace(moment=1 + 0j)
    yield f"my_{n}", f"first moment of {of}, across its axis [kg m]", own.moment.imag, zero._replace(moment=1j)
    yield f"J_{n}", f"inertia of {of}, about its joint [kg m^2]", own.inertia, zero._replace(inertia=1.0)
    for k in range(m):
        j, mode = numbered(n, k + 1), f"mode {k + 1} of link {n}"
        across, along = ([factor if l == k else 0j for l in range(m)] for factor in (1j, 1 + 0j))
        shape, first = f"mass times shape of {mode}", f"first moment of the shape of {mode}"
        yield f"v_{j}", f"{shape}, across the link [kg]", own.v[k].imag, zero._replace(v=across)
        yield f"vx_{j}", f"{shape}, along the link [kg]", own.v[k].real, zero._replace(v=along)
        yield f"w_{j}", f"{first}, about the joint [kg m]", own.w[k].imag, zero._replace(w=across)
        yield f"wx_{j}", f"{first}, away from the joint [kg m]", own.w[k].real, zero._replace(w=along)
        for l in range(k, m):
            jk, pair = numbered(n, k + 1, l + 1), f"shapes of modes {k + 1} and {l + 1} of link {n}"
            yield f"z_{jk}", f"mass times {pair} [kg]", own.z[k][l].real, zero._replace(z=_unit(m, k, l, 1 + 0j))
            if l > k:
                value, unit = own.z[k][l].imag, zero._replace(z=_unit(m, k, l, 1j))
                yield f"zx_{jk}", f"mass times the area between {pair} [kg]", value, unit


def _unit(m: int, k: int, l: int, x: complex) -> list[list[complex]]:
    z = [[0j] * m for _ in range(m)]
    z[k][l] = x
    z[l][k] = x.conjugate()
    return z


def _inertial(i: int, link: PlanarLink) -> Iterator[Parameter]:
    parts = list(integral_parts(i, link))
    size: dict[str, float] = {}
    for name, _, value, _ in parts:
        size[name[0]] = max(size.get(name[0], 0.0), abs(value))
    for name, meaning, value, unit in parts:
        if abs(value) > NEGLIGIBLE * size[name[0]]:
            yield Parameter(name, meaning, float(value), i, unit)


def _elastic(i: int, link: PlanarLink) -> Iterator[Parameter]:
    n = i + 1
    for word, table, meaning in (("k", link.K, "stiffness [N/m]"), ("d", link.damping, "damping [N s/m]")):
        size = max((abs(x) for row in table for x in row), default=0.0)
        for a in range(len(link.modes)):
            for b in range(a, len(link.modes)):
                if abs(table[a][b]) > NEGLIGIBLE * size:
                    c, d = link.modes[a], link.modes[b]
                    which = f"mode {a + 1}" if a == b else f"modes {a + 1} and {b + 1}"
                    yield Parameter(
                        f"{word}_{numbered(n, a + 1, b + 1)}", f"{meaning.replace(' [', f' of {which} of link {n} [')}",
                        float(table[a][b]), i, torque=_shared(c, d, rates=word == "d"),
                    )  # fmt: skip


def _shared(c: int, d: int, rates: bool) -> UnitTorque:
    """A symmetric entry (c, d) of K or D."""

    def torque(q: Sequence[Any], qd: Sequence[Any], _qdd: Sequence[Any]) -> Entries:
        x = qd if rates else q
        return {c: x[d]} if c == d else {c: x[d], d: x[c]}

    return torque


def _drive(i: int, link: PlanarLink) -> Iterator[Parameter]:
    if link.drive is None:
        return
    n, c, rest, of = i + 1, link.drive.coordinate, link.drive.rest, f"joint {link.drive.joint}"
    kinds: tuple[tuple[str, str, float, UnitTorque], ...] = (
        ("Ia", f"inertia of the drive of {of} [kg m^2]", link.drive.armature, lambda q, qd, qdd: {c: qdd[c]}),
        ("b", f"viscous damping of {of} [N m s/rad]", link.drive.damping, lambda q, qd, qdd: {c: qd[c]}),
        ("f", f"Coulomb friction of {of} [N m]", link.drive.friction, lambda q, qd, qdd: {c: sign(qd[c])}),
        ("s", f"spring of {of} [N m/rad]", link.drive.stiffness, lambda q, qd, qdd: {c: q[c] - rest}),
    )
    for word, meaning, value, torque in kinds:
        if value:
            yield Parameter(f"{word}_{n}", meaning, float(value), i, torque=torque)


class Regressor:
    """Y(q, qd, qdd), column by column."""

    def __init__(self, planar: Planar, given: Sequence[Parameter]):
        self._planar, self._given = planar, given
        geometry = Geometry(planar.links)
        self._forms = {}
        for p in given:
            if p.unit is not None:
                only = [p.unit if at == p.link else None for at in range(len(planar.links))]
                self._forms[p.name] = geometry.forms(only, planar.gravity)

    def columns(self, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> list[list[Any]]:
        """One list of dof entries per parameter."""
        phases, n = Phases(self._planar.turns, q), len(q)
        out = []
        for p in self._given:
            if p.torque is not None:
                entries = p.torque(q, qd, qdd)
                out.append([entries.get(a, 0.0) for a in range(n)])
                continue
            forms = self._forms[p.name]
            B, h = inertia(forms, phases, q), velocity_forces(forms, phases, q, qd)
            g = gradient(forms.V, phases, q)
            out.append([total([*(B[a][b] * qdd[b] for b in range(n)), h[a], g[a]]) for a in range(n)])
        return out
