"""Hollerbach 1980: verdicts of `lissom reproduce hollerbach1980`, and the numbers behind them."""

from fractions import Fraction

import numpy as np
import pytest
from tests.papers.checks import check_bars, check_claims, check_drawings

import lissom as ls
from lissom.dynamics.bodies import Bodies
from lissom.formulations.linkage import Linkage, State
from lissom.papers import hollerbach1980
from lissom.papers.claims import BETTER, CORRECTED, LIMIT, OPEN, REFUTED, REPRODUCED, SLIP, counted as verdict_counts
from lissom.papers.hollerbach1980 import counted, counts, dynamics, tabulated
from lissom.papers.hollerbach1980.as_printed import PROGRAMS
from lissom.papers.hollerbach1980.counts import count_table, less, literal
from lissom.papers.hollerbach1980.printed import PRINTED
from lissom.verbs.count import puma_like


def f(*numbers):
    return [Fraction(x) for x in numbers]


# what remains of a printed count, constant first, when the formulation is computed as literally as printed
LEFT = {
    "waters": ([], []), "hollerbach_4x4": (f(0, 20), []), "hollerbach_3x3": (f(-7, 14), []),
    "newton_euler_link": (f(-15, 3), f(-6)), "horn_raibert": ([], []),
}  # fmt: skip


@pytest.mark.parametrize("method", LEFT)
def test_literal_counts(method):
    found = literal(method)
    for word, left in zip(("multiplications", "additions"), LEFT[method], strict=True):
        assert less(getattr(PRINTED[method], word), found[word]) == left


@pytest.mark.parametrize("method", ["waters", "hollerbach_4x4", "newton_euler_link"])
def test_literal_programs_compute_the_torques(method):
    """Those without the paper's omissions: `hollerbach_3x3` lacks the terms that (13) and (17) leave out."""
    arm = puma_like(5)
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 5))
    linkage = Linkage(Bodies(arm))
    state = State(linkage.members, linkage.frames(list(q)), qd, qdd, linkage.in_frame_0(arm.gravity))
    want = ls.inverse_dynamics(arm, q, qd, qdd)
    np.testing.assert_allclose(PROGRAMS[method](state), want, atol=1e-11 * np.abs(want).max())


def test_claims_about_counts():
    claims, drawings = counted.claims_and_drawings()
    check_bars(claims)
    assert verdict_counts(claims) == {REPRODUCED: 18, SLIP: 1, REFUTED: 1, LIMIT: 3, BETTER: 1, OPEN: 5}
    waters = next(claim for claim in claims if claim.verdict == SLIP)
    assert waters.detail == "7,045, or 621 1/2 n in Table I"
    assert "by the numbers in print" in next(c.ours for c in claims if "60 % fewer" in c.claim)
    newton_euler = next(c for c in claims if c.claim.startswith("Newton-Euler: 131 n - 48 additions"))
    assert "our literal count has 6 more than printed" in newton_euler.why
    crossing = next(claim for claim in claims if claim.claim.startswith("for n >= 9"))
    assert "multiplications cross at 9, additions at 11, their sum at 10; in ours at 8, 10 and 9" in crossing.ours
    assert "the sums cross at 8 and 8" in crossing.ours
    ranks = next(claim for claim in claims if "rank as listed" in claim.claim)
    assert "takes 582 operations less than Newton-Euler and reads 258 coefficients" in ranks.detail
    velocity = next(claim for claim in claims if "greatest computational burden" in claim.claim)
    assert velocity.ours.startswith("82 %")
    assert [drawing.name for drawing in drawings] == ["tables_1_and_2"]


def test_no_fractions_give_both_whole_numbers_and_table_2():
    """Uicker and Kahn: a fact about the print, with its fraction of n^4 and with any."""
    want = {
        "multiplications": [(12, 67045, 67241, 67045), (144, 66394, 67787, 66394)],
        "additions": [(12, 51456, 51658, 51547), (144, 51456, 52849, 51547)],
    }
    row = PRINTED["uicker_kahn"]
    for word, six in zip(counts.WORDS, row.six, strict=True):
        found = [counted.readings(getattr(row, word), quartic) for quartic in (False, True)]
        assert [(len(v), v[0], v[-1], counted._nearest(v, six)) for v in found] == want[word]


def test_economical_newton_euler_beats_the_print():
    row = {row.method: row for row in count_table()}["newton_euler_link"]
    assert row.dense == (712, 590)
    assert row.folded == (416, 326)


def test_energies_in_3x3_form():
    """(A4), (A5) hold; (A6) needs p_j."""
    kinetic, potential = dynamics._energies()
    assert kinetic.verdict == REPRODUCED
    assert potential.verdict == SLIP


def test_the_3x3_form_is_wrong_as_printed():
    agreement, printed = dynamics._agreement(joints=4), dynamics._printed_3x3()  # 9 on the page
    assert agreement.verdict == CORRECTED
    assert "errata" in agreement.detail
    assert printed.verdict == SLIP
    as_printed, without_n, corrected = dynamics.printed_3x3_errors()
    assert as_printed > 0.1
    assert without_n > 0.01
    assert corrected < 1e-10


def test_velocity_terms_are_hidden_at_low_speed():
    arm = ls.load("puma560")
    slow, fast = (dynamics.Motion.of(arm, duration) for duration in (8.0, 0.5))
    assert dynamics.at_the_limits(slow).duration == pytest.approx(2.93, abs=5e-3)
    assert slow.share == pytest.approx(0.009, abs=5e-4)
    assert fast.share == pytest.approx(0.461, abs=1e-3)
    assert slow.of_inertia == pytest.approx(fast.of_inertia, rel=1e-9)
    want = ls.inverse_dynamics(arm, *_states(fast))
    np.testing.assert_allclose(fast.parts.total, want, atol=1e-10)


def _states(motion):
    s = (motion.t / motion.duration)[:, None]
    way = dynamics.END - dynamics.START
    q = dynamics.START + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
    return q, motion.qd, way * (60 * s - 180 * s**2 + 120 * s**3) / motion.duration**2


def test_filling_a_table():
    claim = tabulated._filling()
    assert claim.verdict == REPRODUCED
    assert "32,320 operations each" in claim.ours


def test_sines_of_tables_and_of_recursions():
    claim = tabulated._sines()
    assert claim.verdict == REPRODUCED
    assert claim.ours.startswith("six joints: 12")


def test_three_kinds_of_tables(monkeypatch):
    """Sizes are exact; all errors fall with the square of the spacing, and a table of everything has no other."""
    monkeypatch.setattr(tabulated, "POINTS", 5)
    coarse = tabulated.kinds_of_tables()
    assert [kind.memory for kind in coarse] == [5**2 * 11 * 8, (5**2 * 3 + 5**4 * 2) * 8, 5**6 * 2 * 8]
    assert coarse[0].six_memory == 5**6 * (6 + 7 * 21) * 8
    assert [kind.read for kind in coarse] == [(44, 2**6 * 153), (44, 2**6 * 21 + 2**12 * 6), (128, 2**18 * 6)]
    monkeypatch.setattr(tabulated, "POINTS", 9)
    fine = tabulated.kinds_of_tables()
    for one, other in zip(coarse, fine, strict=True):
        assert 2.5 < one.error / other.error < 5.0
        assert other.nearest > 2 * other.error


@pytest.mark.slow
def test_everything():
    found = hollerbach1980.reproduce()
    check_claims(found)
    check_bars(found.claims)
    check_drawings(found)
    drawn = [drawing.name for drawing in found.drawings]
    assert drawn == ["tables_1_and_2", "velocity_terms", "tables_against_recursion"]
