"""Section VI and the appendix: the printed coefficients beside the closed form, and linearity in parameters."""

from __future__ import annotations

import numpy as np

from lissom.papers.claims import Claim, judged, slip
from lissom.papers.deluca1991.two_link_coefficients import ERRATA, TwoLink, inertia, printed, velocity_terms
from lissom.papers.deluca1991.two_links import METHOD, PAPER, arm_with
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics, mass_matrix
from lissom.verbs.planar_model import planar_model

STATES = 300


def claims() -> list[Claim]:
    """All claims about coefficients."""
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, STATES, 6))
    q[:, [1, 2, 4, 5]] *= 0.05  # deflections at which B stays definite
    return [_inertia(q), _velocity(q, qd), _linear(q, qd, qdd)]


def _inertia(q: Array) -> Claim:
    """(32) with the printed b and t, entry by entry."""
    arm = arm_with()
    x = printed(TwoLink.of(arm))
    number = sum(name[0] in "bt" for name in x)
    want = mass_matrix(arm, q, method=METHOD)[:, PAPER][:, :, PAPER]
    rows = inertia(x, list(q[:, PAPER].T))
    got = np.moveaxis(np.array([[np.broadcast_to(entry, len(q)) for entry in row] for row in rows]), -1, 0)
    away = np.abs(got - want).max() / np.abs(want).max()
    return judged(
        "appendix, (32)",
        f"{number} coefficients b and t of the inertia matrix",
        f"all 21 entries of B at {STATES} random positions within {away:.0e} of the general closed form",
        away < 1e-12,
        bar="below 1e-12, rounding errors",
    )


def fitted(q: Array, qd: Array) -> dict[str, float]:
    """Every h of (34) from the closed form: what best weighs the terms of (34), row by row."""
    arm = arm_with()
    still = np.zeros_like(qd)
    h = inverse_dynamics(arm, q, qd, still, method=METHOD) - inverse_dynamics(arm, q, still, still, method=METHOD)
    rows = velocity_terms(printed(TwoLink.of(arm)), list(q[:, PAPER].T), list(qd[:, PAPER].T))
    out: dict[str, float] = {}
    for row, forces in zip(rows, h[:, PAPER].T, strict=True):
        best, *_ = np.linalg.lstsq(np.column_stack(list(row.values())), forces, rcond=None)
        out |= dict(zip(row, best.tolist(), strict=True))
    return out


def _velocity(q: Array, qd: Array) -> Claim:
    x, found = printed(TwoLink.of(arm_with())), fitted(q, qd)
    off = {name: (x[name], best) for name, best in found.items() if abs(x[name] - best) > 1e-7 * max(abs(best), 1e-2)}
    listed = "; ".join(f"{name} printed {a:.4g}, should be {b:.4g}" for name, (a, b) in off.items())
    return slip(
        "appendix, (34)",
        f"{len(found)} coefficients h of the velocity terms",
        f"{len(found) - len(off)} agree with the Christoffel symbols of B (26); {listed}",
        set(off) == set(ERRATA),
        "factor 2 missing in h_107, signs of h_117 and h_118, slopes of h_412 and h_413 exchanged",
    )


def _linear(q: Array, qd: Array, qdd: Array) -> Claim:
    model = planar_model(arm_with())
    tau = inverse_dynamics(model.arm, q, qd, qdd, method=METHOD)
    away = np.abs(model.Y(q, qd, qdd) @ model.parameters - tau).max() / np.abs(tau).max()
    return judged(
        "section V, conclusion",
        "the model is linear in a set of constant parameters",
        f"Y p = tau to {away:.0e} at {STATES} random states, p of {len(model.parameters)} parameters "
        f"({', '.join(model.names)})",
        away < 1e-12,
        bar="below 1e-12, rounding errors",
    )
