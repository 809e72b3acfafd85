"""Section IV and the modal part of section VII: frequencies, shapes, and the effect of the payload."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad, quad_vec
from scipy.optimize import brentq

from lissom.listing import Listing
from lissom.model.beam import Beam, Tip
from lissom.papers.claims import ROUNDING, Claim, Drawing, as_corrected, judged, slip
from lissom.papers.deluca1991.two_link_coefficients import TwoLink, modal_inertia
from lissom.papers.deluca1991.two_links import METHOD, PAYLOADS, arm_with, link_modes
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import mass_matrix
from lissom.verbs.modes import BeamModes, beam_modes, beam_tip
from lissom.views.figures.panels import Curve, Panel

WHERE = "section VII"
# as printed, links 1 and 2, modes 1 and 2, and the digits behind the point
PRINTED: dict[str, tuple[tuple[float, ...], int]] = {
    "f": ((0.48, 1.80, 2.18, 15.91), 2),
    "phi_e": ((0.186, 0.215, 0.883, -0.069), 3),
    "phi'_e": ((0.657, -0.560, 2.641, -10.853), 3),
    "v": ((0.007, 0.013, 0.033, 0.054), 3),
    "w": ((0.002, 0.004, 0.012, 0.016), 3),
}
LIGHTEST, HEAVIEST = 0.5, 60.0  # payloads between which the node is followed


def claims_and_drawings() -> tuple[list[Claim], list[Drawing]]:
    """All claims and figures about modes."""
    modes = {name: link_modes(arm_with(times)) for name, times in PAYLOADS.items()}
    claims = [
        *_printed(),
        _first_link(modes),
        _second_link(modes),
        _node(),
        _frequency_equation(),
        *_integrals(),
    ]
    return claims, [_shapes(modes)]


def _table(times: float = 1.0) -> dict[str, Array]:
    """The quantities of `PRINTED` for a multiple of the payload."""
    arm = arm_with(times)
    rows = []
    for link, modes in zip(arm.links, link_modes(arm), strict=True):
        assert link.beam is not None
        length, rho = link.beam.length, link.beam.mass_per_length
        v, w = (rho * quad_vec(lambda x, p=p: x**p * modes.shape(x), 0.0, length)[0] for p in (0, 1))  # noqa: B023
        rows.append(np.stack([modes.frequencies_hz, modes.shape(length), modes.slope(length), v, w]))
    return dict(zip(PRINTED, np.concatenate(rows, axis=1), strict=True))


def _printed() -> list[Claim]:
    found = _table()
    ends = [name for name in PRINTED if name != "f"]
    out = []
    for names, claim in ((["f"], "f_ij = 0.48, 1.80, 2.18, 15.91 Hz"), (ends, "sixteen values phi_e, phi'_e, v, w")):
        away = max(float(np.abs(found[n] - PRINTED[n][0]).max() * 10 ** PRINTED[n][1]) for n in names)
        shown = "; ".join(f"{n} {_list(found[n], PRINTED[n][1] + 2)}" for n in names)
        out.append(
            judged(
                WHERE,
                claim,
                f"{shown}: at most {away:.2f} of the last printed digit away",
                away <= 0.5,
                bar="all round to the printed digits",
            )
        )
    return out


def listing() -> Listing:
    """The modal table for every payload."""
    rows = []
    for name, times in PAYLOADS.items():
        found = _table(times)
        rows += [(name, word, *(f"{x:.{PRINTED[word][1] + 1}f}" for x in found[word])) for word in PRINTED]
    return Listing("Modes of the links by payload", ("payload", "", "11", "12", "21", "22"), tuple(rows))


def _list(values: Array, digits: int) -> str:
    return ", ".join(f"{x:.{digits}f}" for x in values)


def _changed(modes: dict[str, list[BeamModes]], link: int) -> tuple[float, str]:
    """How much shapes change from no payload to the double one, beside their largest value; frequencies as text."""
    shapes = {name: _scaled(found[link]) for name, found in modes.items()}
    change = float(np.abs(shapes["double"] - shapes["zero"]).max())
    hz = "; ".join(f"{name} {_list(found[link].frequencies_hz, 3)} Hz" for name, found in modes.items())
    return change, hz


def _scaled(modes: BeamModes) -> Array:
    shape = modes.shape(np.linspace(0.0, modes.shapes.length, 201))
    return shape / np.abs(shape).max(axis=0)


def _first_link(modes: dict[str, list[BeamModes]]) -> Claim:
    change, hz = _changed(modes, 0)
    second, _ = _changed(modes, 1)
    return judged(
        f"{WHERE}, figures 2(a)-4(a)",
        "payload does not substantially modify the shapes of link 1",
        f"they change by {100 * change:.1f} % of their height at most (link 2: {100 * second:.0f} %); {hz}",
        change < 0.05,
        bar="the change is below 5 %",
    )


def _second_link(modes: dict[str, list[BeamModes]]) -> Claim:
    change, hz = _changed(modes, 1)
    ends = "; ".join(f"{name} {_list(_table(times)['phi_e'][2:], 3)}" for name, times in PAYLOADS.items())
    return judged(
        f"{WHERE}, figures 2(b)-4(b)",
        "its effect on the shapes of link 2 is evident",
        f"they change by {100 * change:.0f} % of their height; {hz}; phi_2j,e: {ends}",
        change > 0.2,
        bar="the change is above 20 %",
    )


def _nodes(times: float) -> Array:
    """Nodes of phi_22 away from the clamp, in lengths of the link."""
    modes = link_modes(arm_with(times))[1]
    x = np.linspace(0.02, 1.0, 4001)
    y = modes.shape(x * modes.shapes.length)[:, 1]
    at = np.flatnonzero(y[:-1] * y[1:] < 0)
    return x[at] + (x[1] - x[0]) * y[at] / (y[at] - y[at + 1])


def _end(times: float) -> float:
    """Value phi_22,e, which changes its sign as the node disappears."""
    modes = link_modes(arm_with(times))[1]
    return float(modes.shape(modes.shapes.length)[1])


def _node() -> Claim:
    nodes = {name: _nodes(times) for name, times in PAYLOADS.items()}
    at = [found[0] if len(found) else np.nan for found in nodes.values()]
    first, last = LIGHTEST, HEAVIEST
    gone = float(brentq(_end, first, last)) if _end(first) * _end(last) < 0 else np.inf
    where = ", ".join(
        f"{name} {x:.4f}" if np.isfinite(x) else f"{name} none" for name, x in zip(nodes, at, strict=True)
    )
    there = [x for x in at if np.isfinite(x)]
    return judged(
        f"{WHERE}, figures 2(b)-4(b)",
        "the node of phi_22 moves rightwards with the payload and disappears for a heavy one",
        f"node at x_2 / l_2: {where}; gone from {gone:.3g} payloads on (m_p and J_p together)",
        bool(np.all(np.diff(there) > 0)) and np.isfinite(gone),
        bar="the node moves outwards with every payload and is gone at a finite one",
    )


def _residual(b: float, beam: Beam, tip: Tip) -> float:
    """Residual of (22), divided by cosh to keep it bounded."""
    M, J, x = tip.mass * b / beam.mass_per_length, tip.inertia * b**3 / beam.mass_per_length, b * beam.length
    c, s, tanh, sech = np.cos(x), np.sin(x), np.tanh(x), 1 / np.cosh(x)
    return float(sech + c - M * (s - c * tanh) - J * (s + c * tanh) + M * J * (sech - c))


def _frequency_equation() -> Claim:
    worst = 0.0
    for times in PAYLOADS.values():
        arm = arm_with(times)
        for link in arm.links:
            assert link.beam is not None
            tip = beam_tip(arm, link.name)
            ours = beam_modes(link.beam, tip, count=4).wavenumbers
            grid = np.linspace(0.05, 1.1 * ours[-1], 4000)
            values = np.array([_residual(b, link.beam, tip) for b in grid])
            turns = np.flatnonzero(values[:-1] * values[1:] < 0)
            roots = [brentq(_residual, grid[k], grid[k + 1], (link.beam, tip), xtol=1e-14) for k in turns[:4]]
            worst = max(worst, float(np.abs(np.array(roots) / ours - 1).max()))
    return judged(
        "(22)",
        "frequency equation of a clamped beam with mass and inertia at its tip",
        f"its first four roots, both links, three payloads: within {worst:.1e} of ours, relative",
        worst < 1e-9,
        bar="below 1e-9, the tolerance of the search for roots",
    )


def _integrals() -> list[Claim]:
    """Claims about (24g), (30) and (31)."""
    p, one = TwoLink.of(arm_with()), link_modes(arm_with())[0]
    z = np.array([p.z_1[0][0], p.z_1[1][1], p.z_2[0][0], p.z_2[1][1]])
    ends = np.array([p.phi_11, p.phi_12, p.phi_21, p.phi_22])
    m = np.repeat([p.m1, p.m2], 2)
    total = [modal_inertia(p, link, j, j) for link in range(2) for j in range(2)]
    cross = abs(modal_inertia(p, 0, 0, 1)) / p.m1
    plain = quad(lambda x: one.shape(x)[0] ** 2, 0.0, p.l1)[0]
    curved = quad(lambda x: one.curvature(x)[0] ** 2, 0.0, p.l1)[0]
    K = float(one.stiffness[0, 0])
    crossed = max(_crossed(found) for found in link_modes(arm_with()))
    pairs = ((0, 0), (1, 1), (0, 1))
    exact, loose = (
        np.array([modal_inertia(p, 0, j, k, p.far, printed) for j, k in pairs]) / p.m1 for printed in (False, True)
    )
    B = mass_matrix(arm_with(), np.zeros(6), method=METHOD) / p.m1
    held = np.array([B[1 + j, 1 + k] for j, k in pairs])
    return [
        slip(
            "(30)",
            "normalisation z_ijj = m_i",
            f"z_ijj / m_i = {_list(z / m, 4)} of the shapes with the printed end values; with the tip terms "
            f"{_list(np.array(total) / m, 6)}",
            bool(np.abs(z / m - 1).max() > 0.1 and np.abs(np.array(total) / m - 1).max() < 1e-6),
            "z_ijj + M_L phi_e^2 + J_L phi'_e^2 = m_i",
            f"z_ijj alone would give phi_e = {_list(ends * np.sqrt(m / z), 3)}, not the printed ones",
        ),
        judged(
            "(31)", "modes of link 1 are orthogonal with the constant tip terms",
            f"their product is {cross:.0e} of m_1; of link 2 {abs(modal_inertia(p, 1, 0, 1)) / p.m2:.0e} of m_2",
            cross < 1e-10, bar="below 1e-10, rounding errors",
        ),
        slip(
            "(24g), (35)", "k_ijk = integral of EI phi phi, equal to omega^2 m_i",
            f"k_111: {plain:.3g} with phi phi, {curved:.4g} with phi'' phi'', omega^2 m_1 = {K:.4g}",
            abs(plain / K - 1) > 0.1 and abs(curved / K - 1) < 1e-8, "integral of EI phi'' phi''",
            "the primes are missing in the text at hand, perhaps by the scan",
        ),
        as_corrected(
            "(35)", "the stiffness matrix becomes diagonal, k_ijk = 0 for j != k",
            f"k_112 and k_212, integrals of EI phi'' phi'' of both shapes: {crossed:.0e} of the root of k_ij1 k_ij2",
            crossed, ROUNDING, "(24g) with EI phi'' phi''",
        ),
        slip(
            "(27)", "factors of the deflection rates: z_i11, z_i22 and a product with (MD)_i / 2",
            f"by (10), (11) at theta_2 = 0, link 1, divided by m_1: {_list(exact, 4)}; as printed {_list(loose, 4)}",
            bool(np.abs(exact - held).max() < 1e-10 and np.abs(loose - held).max() > 0.01),
            "z_ijj + M_L phi_e^2 + J_L phi'_e^2 + 2 (MD) phi_e phi'_e, and (MD)_i in (27b)",
            f"b_33, b_44 and b_34 of the closed form are {_list(held, 4)}",
        ),
    ]  # fmt: skip


def _crossed(found: BeamModes) -> float:
    """The integral of phi_1'' phi_2'', relative to the squares of both."""
    C = quad_vec(lambda x: np.outer(found.curvature(x), found.curvature(x)), 0.0, found.shapes.length)[0]
    return float(abs(C[0, 1]) / np.sqrt(C[0, 0] * C[1, 1]))


def _shapes(modes: dict[str, list[BeamModes]]) -> Drawing:
    panels = []
    for number, (name, found) in enumerate(modes.items()):
        for link, own in enumerate(found):
            x = np.linspace(0.0, own.shapes.length, 101)
            y = own.shape(x) / own.shapes.length
            curves = tuple(
                Curve(f"phi_{link + 1}{k + 1}, {own.frequencies_hz[k]:.2f} Hz", x, y[:, k]) for k in range(2)
            )
            part = "ab"[link]
            panels.append(
                Panel(f"{number + 2}({part}) link {link + 1}, {name} payload", "x [m]", "phi / l [1/m]", curves)
            )
    return Drawing("figures_2_to_4", "Figures 2 to 4: shapes of the links for three payloads", tuple(panels))
