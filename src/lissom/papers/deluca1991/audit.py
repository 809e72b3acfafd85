"""Audit of the model: energy with printed and corrected coefficients, and positive definiteness of B."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from lissom.errors import IndefiniteInertia, SolveError
from lissom.papers.claims import Claim, Drawing, Tolerance, as_corrected, limited
from lissom.papers.deluca1991.two_link_coefficients import (
    ERRATA,
    Coefficients,
    TwoLink,
    corrected,
    inertia,
    printed,
    velocity_forces,
)
from lissom.papers.deluca1991.two_links import (
    METHOD,
    PAPER,
    STEP,
    SWITCH,
    UNTIL,
    arm_with,
    bang_bang,
    deflections,
    march,
    stiffness,
)
from lissom.simulation.simulate import simulate
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import forward_dynamics, mass_matrix
from lissom.views.figures.panels import Curve, Panel

KEPT = 1e-8  # the bar on the drift of energy, relative
TIGHT = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}
HELD = 1.0  # torque held so long, then reversed: the whole of the paper's two seconds [s]
# free motions, in the paper's order of coordinates: figure 6, and the same with moving joints [rad/s]
DEFLECTED = (0.0, np.pi / 2, 0.1, 0.002, 0.0, 0.0)
RATES = {"figure 6": (0.0, 0.0), "figure 6 with joint rates of 2 and -3 rad/s": (2.0, -3.0)}


def energy() -> tuple[list[Claim], list[Drawing]]:
    """Claims about the energy of free motion, coefficient by coefficient; takes some seconds."""
    audits = {name: _variants(rates) for name, rates in RATES.items()}
    return _energy(audits), [_energy_figure(audits)]


def definiteness() -> tuple[list[Claim], list[Drawing]]:
    """Claims about the positive definiteness of B, and the messages where it is lost."""
    lost = _too_long()
    return [_definite(lost)], [_definite_figure(lost)]


# ---- energy ----------------------------------------------------------------------------------------


class Audit(NamedTuple):
    """Energies (nt, variants) of one motion by several sets of coefficients, less and over their start."""

    t: Array
    names: tuple[str, ...]
    error: Array

    def worst(self, name: str) -> float:
        """Largest relative drift of a variant."""
        return float(np.abs(self.error[:, self.names.index(name)]).max())


def _sets() -> dict[str, Coefficients]:
    """Corrected, printed, and corrected but for one slip."""
    p = TwoLink.of(arm_with())
    right, wrong = corrected(p), printed(p)
    return {"corrected": right, "printed": wrong, **{name: {**right, name: wrong[name]} for name in ERRATA}}


class Tables(NamedTuple):
    """(32) and (34) of several sets of coefficients as arrays, which cost less to evaluate again and again.

    B = B0 + c_2 B1 + s_2 (B2 . q),    h_i = qd . (s_2 H0_i + c_2 H1_i . q) . qd
    """

    B0: Array  # (sets, 6, 6)
    B1: Array
    B2: Array  # (sets, 6, 6, 6), of the deflections
    H0: Array  # (sets, 6, 6, 6)
    H1: Array  # (sets, 6, 6, 6, 6)

    @classmethod
    def of(cls, sets: Iterable[Coefficients]) -> Tables:
        """Make the tables from values of (32) and (34) at unit deflections and rates, which isolate every term."""
        places = {"right": np.pi / 2, "straight": 0.0, "back": np.pi}
        rows: list[list[Array]] = []
        for x in sets:
            B = {word: _inertias(x, angle) for word, angle in places.items()}
            half, other = (B["straight"][0] + B["back"][0]) / 2, (B["straight"][0] - B["back"][0]) / 2
            slopes = np.stack([B["right"][1 + k] - B["right"][0] for k in range(6)], axis=-1)
            H = {word: _quadratics(x, places[word]) for word in ("right", "straight")}
            turned = np.stack([H["straight"][1 + k] - H["straight"][0] for k in range(6)], axis=-1)
            rows.append([half, other, slopes, H["right"][0], turned])
        return cls(*(np.array(parts) for parts in zip(*rows, strict=True)))

    def inertia(self, q: Array) -> Array:
        """Inertia matrices (sets, 6, 6) at q (sets, 6)."""
        c, s = np.cos(q[:, 1, None, None]), np.sin(q[:, 1, None, None])
        return self.B0 + c * self.B1 + s * (self.B2 @ q[:, None, :, None])[..., 0]

    def velocity_forces(self, q: Array, qd: Array) -> Array:
        """Velocity forces (sets, 6) at q and qd (sets, 6)."""
        c, s = np.cos(q[:, 1, None, None, None]), np.sin(q[:, 1, None, None, None])
        H = s * self.H0 + c * (self.H1 @ q[:, None, None, :, None])[..., 0]
        return ((H @ qd[:, None, :, None])[..., 0] @ qd[:, :, None])[..., 0]


def _positions(angle: float) -> list[Array]:
    """No deflection, then each coordinate but theta_2 raised by one."""
    q = np.vstack([np.zeros(6), np.eye(6)])
    q[:, 1] = angle
    return list(q.T)


def _inertias(x: Coefficients, angle: float) -> Array:
    """Inertia matrices (7, 6, 6) at `_positions`."""
    rows = inertia(x, _positions(angle))
    return np.moveaxis(np.array([[np.broadcast_to(entry, 7) for entry in row] for row in rows]), -1, 0)


def _quadratics(x: Coefficients, angle: float) -> Array:
    """(7, 6, 6, 6): at `_positions` the matrices of h as quadratic forms of the rates, by polarisation."""
    unit = np.eye(6)
    both = unit[:, None] + unit[None]
    q = [np.broadcast_to(row[:, None, None], (7, 6, 6)) for row in _positions(angle)]

    def h(rates: Array) -> Array:
        values = velocity_forces(x, q, [np.broadcast_to(rates[..., k], (7, 6, 6)) for k in range(6)])
        return np.stack(values, axis=1)

    return (h(both) - h(unit[:, None]) - h(unit[None])) / 2


def _variants(rates: tuple[float, float]) -> Audit:
    """All sets side by side in one integration; the paper's order of coordinates."""
    sets = _sets()
    names, count = tuple(sets), len(sets)
    tables, K = Tables.of(sets.values()), stiffness(arm_with())[PAPER]

    def rate(_t: float, y: Array) -> Array:
        q, qd = y.reshape(2, count, 6)
        force = -tables.velocity_forces(q, qd) - K * q
        return np.concatenate([qd, np.linalg.solve(tables.inertia(q), force[..., None])[..., 0]]).ravel()

    start = np.zeros((2, count, 6))
    start[0], start[1, :, :2] = DEFLECTED, rates
    t = np.linspace(0.0, UNTIL, 201)
    found = solve_ivp(rate, (0.0, UNTIL), start.ravel(), t_eval=t, **TIGHT)
    values = []
    for y in found.y.T:
        q, qd = y.reshape(2, count, 6)
        values.append(0.5 * np.einsum("ni,nij,nj->n", qd, tables.inertia(q), qd) + 0.5 * (q**2 @ K))
    total = np.array(values)
    return Audit(t, names, total / total[0] - 1)


def _compiled(rates: tuple[float, float]) -> float:
    """Drift of energy by the general closed form, relative."""
    q0, qd0 = np.zeros((2, 6))
    q0[PAPER], qd0[[0, 3]] = DEFLECTED, rates
    run = simulate(arm_with().replace(flexibility=METHOD), q0, qd0, until=UNTIL, every=UNTIL / 200, rtol=1e-12)
    return float(np.abs(run.energy / run.energy[0] - 1).max())


def _energy(audits: dict[str, Audit]) -> list[Claim]:
    moves = [f"{audit.worst('corrected'):.0e} ({name})" for name, audit in audits.items()]
    general = max(_compiled(rates) for rates in RATES.values())
    worst = max(general, *(audit.worst("corrected") for audit in audits.values()))
    lost = "; ".join(
        f"{name} {100 * audit.worst('printed'):.2g} % (one slip alone: "
        + ", ".join(f"{slip} {100 * audit.worst(slip):.2g} %" for slip in ERRATA)
        + ")"
        for name, audit in audits.items()
    )
    drift = max(audit.worst("printed") for audit in audits.values())
    return [
        as_corrected(
            "(25), (26), appendix", "h follows from B: energy of free motion is kept",
            f"largest drift in 2 s {', '.join(moves)}; general closed form {general:.0e}. With the coefficients as "
            f"printed {100 * drift:.2g} %: {lost}",
            worst if drift > 100 * KEPT else np.inf, Tolerance(KEPT, "that of the integrator, 1e-11 per step, summed"),
            f"{', '.join(ERRATA)} corrected, see the row of (34)",
        ),
    ]  # fmt: skip


def _energy_figure(audits: dict[str, Audit]) -> Drawing:
    panels: list[Panel] = []
    for name, audit in audits.items():
        curves = [
            Curve(which, audit.t[1:], np.maximum(np.abs(audit.error[1:, k]), 1e-16))
            for k, which in enumerate(audit.names)
        ]
        panels.append(
            Panel(name, "time [s]", "drift of energy, relative", tuple(curves), ("linear", "log"), (1e-19, 10))
        )
    return Drawing("energy", "Energy of free motion: corrected, printed, and one slip at a time", tuple(panels))


# ---- definiteness ----------------------------------------------------------------------------------


class Lost(NamedTuple):
    """Smallest eigenvalues of B in two bang-bang motions, where it is no longer positive definite, and messages."""

    t: dict[float, Array]
    least: dict[float, Array]
    when: float
    deflection: float
    angle: float
    beyond: float
    refusal: str
    warned: str


def _least(q: Array) -> Array:
    """Smallest eigenvalues of B."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteInertia)
        return np.asarray(np.linalg.eigvalsh(mass_matrix(arm_with(), q, method=METHOD))[..., 0], float)


def _too_long() -> Lost:
    """The bang-bang motion of figure 9, and a longer one up to where B is no longer positive definite."""
    arm, rest = arm_with(), np.zeros(6)
    found = {held: march(arm, rest, rest, bang_bang(held), dt=STEP / 2) for held in (SWITCH, HELD)}
    end = found[HELD]

    def ahead(dt: float) -> float:
        return float(_least(end.q[-1] + dt * end.qd[-1]))  # on the way it was going

    steps = np.linspace(0.0, 20 * STEP, 81)
    first = next((dt for dt in steps if ahead(dt) < 0), np.nan)
    after = float(brentq(ahead, 0.0, first)) if np.isfinite(first) else np.nan
    q = end.q[-1] + (after + STEP) * end.qd[-1]
    refusal = ""
    try:
        forward_dynamics(arm, q, end.qd[-1], rest, method=METHOD)
    except SolveError as error:
        refusal = str(error)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        mass_matrix(arm, q, method=METHOD)
    messages = [str(w.message) for w in warned if issubclass(w.category, IndefiniteInertia)]
    y = float(np.abs(deflections(arm, end.q[-1])[0][0]))
    return Lost(
        {held: m.t for held, m in found.items()}, {held: _least(m.q) for held, m in found.items()},
        float(end.t[-1] + after), y, float(end.q[-1, 3]), float(_least(q)), refusal, messages[0] if messages else "",
    )  # fmt: skip


def _definite(lost: Lost) -> Claim:
    short = lost.least[SWITCH]
    reaction = "raises SolveError" if lost.refusal else "continues"
    return limited(
        "section V, (25)",
        "B is positive definite",
        f"undamped bang-bang: switched at {SWITCH:g} s its smallest eigenvalue falls from {short[0]:.1e} to "
        f"{short.min():.1e}; switched at {HELD:g} s it becomes zero at t = {lost.when:.3f} s, with the end of link 1 "
        f"deflected by {1e3 * lost.deflection:.0f} mm and theta_2 = {lost.angle:.2f} rad. One millisecond later it is "
        f"{lost.beyond:.1e}: mass_matrix {'warns' if lost.warned else 'does not warn'}, forward_dynamics {reaction}",
        bool((short > 0).all() and lost.beyond < 0 and lost.warned and lost.refusal),
        f"small deflections: positive definite throughout figure 9, lost at {1e3 * lost.deflection:.0f} mm at the end "
        "of link 1 in the longer motion",
        "B is kept to first order in the deflections only",
    )


def _definite_figure(lost: Lost) -> Drawing:
    none: list[float] = []
    ends = dict.fromkeys(lost.least, (none, none)) | {HELD: ([lost.when], [0.0])}
    curves = [
        Curve(f"switched at {held:g} s", np.append(lost.t[held], ends[held][0]),
              1e4 * np.append(lost.least[held], ends[held][1]))
        for held in lost.least
    ]  # fmt: skip
    curves += [
        Curve("B no longer positive definite", [lost.when], [0.0], "o"),
        Curve("zero", [0.0, UNTIL], [0.0, 0.0], ":"),
    ]
    title = f"0.2 N m, first sign held for {SWITCH:g} and {HELD:g} s"
    panel = Panel(title, "time [s]", "eigenvalue [1e-4 kg m^2]", tuple(curves), beside=True)
    return Drawing("definiteness", "Smallest eigenvalue of B, undamped bang-bang", (panel,), 1)
