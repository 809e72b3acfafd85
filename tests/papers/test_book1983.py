"""Book 1983: verdicts of `lissom reproduce book1983`, and the numbers behind them."""

import numpy as np
import pytest
from tests.papers.checks import check_bars, check_claims, check_drawings

from lissom.papers import book1983
from lissom.papers.book1983 import accuracy, consistency, counts, motion
from lissom.papers.book1983.arms import general_arm, slender_links
from lissom.papers.book1983.equations import Equations, links_of
from lissom.papers.book1983.imaginary_joints import FIFTEEN, with_imaginary_joints
from lissom.papers.claims import BETTER, CORRECTED, LIMIT, OPEN, REFUTED, REPRODUCED
from lissom.verbs.dynamics import bias_forces, mass_matrix


@pytest.mark.slow
def test_claims():
    found = book1983.reproduce()
    check_claims(found)
    check_bars(found.claims)
    check_drawings(found)
    verdicts = [claim.verdict for claim in found.claims]
    expected = {REPRODUCED: 5, CORRECTED: 4, REFUTED: 1, LIMIT: 5, BETTER: 2, OPEN: 3}
    assert {verdict: verdicts.count(verdict) for verdict in expected} == expected
    assert [drawing.name for drawing in found.drawings] == ["definiteness", "energy", "spin_up"]
    worst = next(claim for claim in found.claims if "orthogonal, so" in claim.claim)
    assert "0.024 rad in the worst case, below 0.125 rad on ordinary arms" in worst.detail


def test_the_papers_equations_are_lissoms():
    """J and R in 4x4, general axes and full tables, against `flexibility="book"`."""
    arm = general_arm("book")
    z, zd = np.random.default_rng(9).uniform(-1.0, 1.0, (2, arm.dof))
    z[arm.mode_index] *= 0.04
    paper = Equations(links_of(arm), z, zd, gravity=arm.gravity)
    J, R = mass_matrix(arm, z), -bias_forces(arm, z, zd)
    assert np.abs(paper.J() - J).max() < 1e-12 * np.abs(J).max()
    assert np.abs(paper.R() - R).max() < 1e-12 * np.abs(R).max()


def test_the_papers_equations_counted():
    """Zeros of common joints, constant rows alone, all of every product."""
    general = slender_links(*counts.CASE, general=True)
    assert counts.counted(slender_links(*counts.CASE, general=False)) == (5133, 3615)
    assert counts.counted(general) == (7866, 6013)
    assert counts.counted(general, folded=False) == (16946, 13628)


def test_648():
    """Terms that one other coefficient would make up for."""
    claim = counts._polynomial()
    assert claim.verdict == OPEN
    assert "648 fewer: 2.53 instead of 2.67 times" in claim.ours
    assert "74 -> 92 of n n_f m" in claim.ours
    assert "84 -> 102 of n^2" in claim.ours
    assert claim.ours.endswith("12,009 in 0 cases")


def test_rows_of_the_papers_own_equations():
    """J zdd - R with and without truncations, and with m_i = 0."""
    assert [claim.verdict for claim in consistency.claims()] == [CORRECTED] * 3
    claim = counts._transcribed()
    assert claim.verdict == CORRECTED
    assert "as printed J is 49 % off, R 121 %" in claim.ours


def test_closing_claim_and_growth():
    claim = counts._competitive()
    assert claim.verdict == REFUTED
    assert "531 of 11,361 multiplications (4.7 %); without them 2.41 instead of 2.53" in claim.ours
    growth = counts._growth()
    assert growth.verdict == REPRODUCED
    assert "J 1,227, 4,853, 17,913, of degree 2" in growth.ours
    assert "1,094, 2,714, 5,954, of degree 1" in growth.ours


def test_rates_soften_the_modes_and_deflections_turn_the_joint():
    assert motion.interaction().verdict == REPRODUCED


def test_imaginary_joints_keep_mass_and_weight():
    """The rigid approximation is the same arm while its springs are at rest."""
    arm = accuracy.six_joint_arm("linear")
    rigid = with_imaginary_joints(arm, FIFTEEN)
    q, p = np.zeros(arm.dof), np.zeros(rigid.dof)
    names = [name.split(".")[0] for name in rigid.coordinates]
    joints = [names.index(name) for name in accuracy.POSE]
    q[arm.joint_index] = p[joints] = list(accuracy.POSE.values())
    both = np.ix_(arm.joint_index, arm.joint_index), np.ix_(joints, joints)
    M, N = mass_matrix(arm, q)[both[0]], mass_matrix(rigid, p)[both[1]]
    assert np.abs(M - N).max() < 1e-10 * np.abs(M).max()
    g, h = bias_forces(arm, q, 0 * q)[arm.joint_index], bias_forces(rigid, p, 0 * p)[joints]
    assert np.abs(g - h).max() < 1e-10 * np.abs(g).max()


@pytest.mark.slow
def test_errors_of_the_rigid_approximation_and_of_orthogonal_shapes():
    rigid = with_imaginary_joints(accuracy.six_joint_arm("linear"), FIFTEEN).with_gravity((0.0, 0.0, 0.0))
    assert accuracy.errors(rigid).max() == pytest.approx(0.0282, abs=5e-4)
    assert accuracy.errors(accuracy.arm_with(accuracy.THREE))[:2] == pytest.approx([1.51e-3, 3.0e-4], rel=0.02)
    assert accuracy.errors(accuracy.arm_with(accuracy.FIVE)).max() < 0.01
    assert accuracy.errors(accuracy.arm_with(accuracy.FIVE, "free")).min() > 0.04


@pytest.mark.slow
def test_appendages_change_the_tables_alone():
    assert accuracy._appendage().verdict == REPRODUCED
