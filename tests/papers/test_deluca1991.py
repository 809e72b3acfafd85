"""De Luca and Siciliano 1991: verdicts of `lissom reproduce deluca1991`."""

import numpy as np
import pytest
from tests.papers.checks import check_bars, check_claims, check_drawings

from lissom.papers import deluca1991
from lissom.papers.claims import CORRECTED, FAILED, LIMIT, OPEN, REPRODUCED, SLIP, VERDICTS
from lissom.papers.deluca1991 import boundary, modal, runs, symbolic
from lissom.papers.deluca1991.two_link_coefficients import ERRATA, TwoLink, inertia, velocity_forces
from lissom.papers.deluca1991.two_links import arm_with

DRAWN = [
    "figures_2_to_4", *(f"figure_{k:02d}" for k in range(5, 11)), "definiteness", "energy", "against_exact_beams",
    "spin_up",
]  # fmt: skip


@pytest.mark.slow
def test_claims():
    found = deluca1991.reproduce()
    check_claims(found)
    check_bars(found.claims)
    check_drawings(found)
    by_verdict = {verdict: [c.claim for c in found.claims if c.verdict == verdict] for verdict in VERDICTS}
    assert by_verdict[SLIP] == [
        "normalisation z_ijj = m_i",
        "k_ijk = integral of EI phi phi, equal to omega^2 m_i",
        "factors of the deflection rates: z_i11, z_i22 and a product with (MD)_i / 2",
        "98 coefficients h of the velocity terms",
    ]
    assert by_verdict[CORRECTED] == [
        "the stiffness matrix becomes diagonal, k_ijk = 0 for j != k",
        "h follows from B: energy of free motion is kept",
    ]
    assert len(by_verdict[LIMIT]) == 8
    assert by_verdict[OPEN] == ["symmetric bang-bang of 0.2 N m"]
    slips = next(claim for claim in found.claims if claim.claim == "98 coefficients h of the velocity terms")
    assert slips.ours.startswith("93 agree")
    assert all(name in slips.ours for name in ERRATA)
    definite = next(claim for claim in found.claims if claim.claim == "B is positive definite")
    assert "warns" in definite.ours
    assert "forward_dynamics raises SolveError" in definite.ours
    assert [drawing.name for drawing in found.drawings] == DRAWN


def test_two_mass_modes_do_what_free_ones_do_not():
    """The paper's main argument about (16): 0.007 % against 13 % with three times as many shapes."""
    for turn in boundary.POSES:
        assert boundary._errors(boundary._kept(2), turn).max() < 1e-4
        assert boundary._errors(boundary._kept(6, "free"), turn).max() > 0.09


def test_shapes_with_the_offset_are_orthogonal():
    p = TwoLink.of(arm_with())
    assert p.far == pytest.approx(0.075)
    for turn in (0.0, 1.1, np.pi):
        exact = p.far * np.cos(turn)
        assert boundary._product(p, boundary._shapes(p, turn), exact) < 1e-12
    assert boundary._product(p, boundary._shapes(p, np.pi / 2), p.far) > 0.01


def test_shapes_of_link_1_depend_on_the_configuration():
    p = TwoLink.of(arm_with())
    first = [boundary._shapes(p, turn).frequencies_hz[0] for turn in (0.0, np.pi / 2, np.pi)]
    assert first == pytest.approx([0.44098, 0.47969, 0.53075], abs=1e-5)


def test_feedback_clamps_and_hubs_constrain():
    for claim in (boundary._feedback(), boundary._constrained(), boundary._configuration()):
        assert claim.verdict != FAILED, claim


@pytest.mark.slow
def test_symbols_of_four_links():
    assert [claim.verdict for claim in symbolic.claims()] == [REPRODUCED]


def test_factors_of_27():
    """Of m_1 at theta_2 = 0, beside B of the closed form."""
    claim = next(claim for claim in modal._integrals() if claim.where == "(27)")
    assert claim.verdict == SLIP
    assert "1.1832, 0.8192, 0.0279; as printed 0.0075, 0.0243, 0.0139" in claim.ours


@pytest.mark.slow
def test_two_modes_are_sufficient():
    assert runs._two_modes().verdict == REPRODUCED


def test_tables_of_coefficients():
    """The arrays of the audit are (32) and (34), set by set."""
    sets = list(deluca1991.audit._sets().values())
    tables = deluca1991.audit.Tables.of(sets)
    q, qd = np.random.default_rng(8).normal(size=(2, len(sets), 6))
    for k, x in enumerate(sets):
        np.testing.assert_allclose(tables.inertia(q)[k], inertia(x, q[k]), atol=1e-14)
        np.testing.assert_allclose(tables.velocity_forces(q, qd)[k], velocity_forces(x, q[k], qd[k]), atol=1e-14)


@pytest.mark.slow
def test_spin_up_of_the_closed_form():
    """Found: largest lag -0.629 m instead of -0.574 m, at rest again in the end; the linear field diverges."""
    spins = deluca1991.compared._spins()
    closed, linear, second = (spins[name] for name in ("de_luca_siciliano", "linear", "second_order"))
    assert second.lag.min() == pytest.approx(deluca1991.compared.PEAK, rel=3e-3)
    assert 1.05 < closed.lag.min() / deluca1991.compared.PEAK < 1.15
    assert np.abs(closed.lag).max() == -closed.lag.min()
    assert "diverged" in linear.ended
