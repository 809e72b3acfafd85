"""Nasser: verdicts of `lissom reproduce nasser`, and the numbers behind them."""

from fractions import Fraction

import numpy as np
import pytest
from tests.papers.checks import check_bars, check_claims, check_drawings

import lissom as ls
from lissom.dynamics.bodies import Bodies
from lissom.formulations.linkage import Linkage, State
from lissom.papers import nasser
from lissom.papers.claims import CORRECTED, LIMIT, OPEN, REPRODUCED, SLIP, counted as verdict_counts
from lissom.papers.nasser import accelerations, arms, counts
from lissom.papers.nasser.economical import accelerations as economical, constants, count_economical, in_paper_axes
from lissom.verbs.count import puma_like

ARMS = {
    "puma560": lambda: ls.load("puma560"), "ur5": lambda: ls.load("ur5"), "shuttle": arms.shuttle_like_arm,
    **{f"puma_like_{n}": lambda n=n: puma_like(n) for n in (1, 2, 3, 9)},
}  # fmt: skip


@pytest.mark.parametrize("name", ARMS)
def test_the_economical_form_gives_the_same_accelerations(name):
    arm = ARMS[name]()
    rng = np.random.default_rng(8)
    q, qd, tau = rng.uniform(-1.5, 1.5, (3, arm.dof))
    linkage = in_paper_axes(Linkage(Bodies(arm)))
    gravity = linkage.in_frame_0(arm.gravity)
    state = State(linkage.members, linkage.frames(list(q)), list(qd), [0.0] * arm.dof, gravity)
    moving = [t - j.damping * v - j.friction * np.sign(v) for t, v, j in zip(tau, qd, arm.joints, strict=True)]
    want = ls.forward_dynamics(arm, q, qd, tau)
    np.testing.assert_allclose(
        economical(state, moving, constants(state.members)), want, atol=1e-11 * np.abs(want).max()
    )


def test_what_the_economical_form_does_not_cover():
    with pytest.raises(ls.UnsupportedError, match="revolute joints only"):
        in_paper_axes(Linkage(Bodies(ls.load("stanford"))))
    tilted = ls.Joint(axis=(0.0, 1.0, 0.3), placement=arms.at(0.1, 0.2, 0.3))
    links = [ls.Link(name, parent, joint, 1.0, inertia=(0.1, 0.1, 0.1))
             for name, parent, joint in (("a", None, ls.Joint()), ("b", "a", tilted), ("c", "b", tilted))]  # fmt: skip
    with pytest.raises(ls.UnsupportedError, match="Denavit-Hartenberg"):
        in_paper_axes(Linkage(Bodies(ls.Arm("odd", links))))


def test_counts_of_the_economical_form():
    found = counts.polynomials()["economical"]
    assert found["multiplications"] == [Fraction(-105), Fraction(238)]
    assert found["additions"] == [Fraction(-108), Fraction(218)]
    folded = {name: count_economical(Linkage(Bodies(ls.load(name))), folded=True) for name in ("puma560", "ur5")}
    assert folded == {"puma560": (605, 564), "ur5": (607, 547)}


def test_claims_about_counts():
    claims, drawings = counts.claims_and_drawings()
    check_bars(claims)
    assert verdict_counts(claims) == {REPRODUCED: 1, LIMIT: 1, OPEN: 1}
    printed, against = claims[0], claims[-1]
    for words in ("N = 6 1,429 and 1,063", "N = 7 1,687 and 1,254", "1,323 and 1,200", "2,523 in all", "605 and 564"):
        assert words in printed.ours
    assert "2,492" in printed.why
    assert "2,941" in printed.why
    assert "from 20 joints on by multiplications, from 21 by all operations" in against.detail
    assert [drawing.name for drawing in drawings] == ["multiplications"]


@pytest.mark.slow
def test_claims_about_accelerations():
    """Among them the reactions U_i, and the closed chain that the paper leaves pending."""
    claims = accelerations.claims()
    assert verdict_counts(claims) == {CORRECTED: 6, SLIP: 1, LIMIT: 1, OPEN: 1}
    check_bars(claims)
    assert claims[6].where == "section 4"


def test_forces_at_the_cut_are_those_of_the_closure():
    """The ball of two arms that hold on to each other: Newton's law of one arm alone needs that force."""
    arm = arms.two_arms(closed=True)
    state = ls.assemble(arm, np.full(arm.dof, 0.3), qd=np.linspace(-0.5, 0.5, arm.dof))
    tau = np.linspace(-2.0, 2.0, arm.dof)
    found = accelerations.closed_chain(arm, state.q, state.qd, tau)
    (link, X), (other, Y) = arm.loops[0].a, arm.loops[0].b
    loads = [ls.Load(link, found.force[0], point=X[:3, 3]), ls.Load(other, -found.force[0], point=Y[:3, 3])]
    open_arm = arm.replace(loops=())
    np.testing.assert_allclose(
        ls.inverse_dynamics(open_arm, state.q, state.qd, found.qdd, loads=loads), tau, atol=1e-9
    )  # fmt: skip
    apart = [ls.acceleration(open_arm, state.q, state.qd, found.qdd, name, Z[:3, 3])[:3]
             for name, Z in ((link, X), (other, Y))]  # fmt: skip
    np.testing.assert_allclose(apart[0], apart[1], atol=1e-9)


@pytest.mark.slow
def test_everything():
    found = nasser.reproduce()
    check_claims(found)
    check_bars(found.claims)
    check_drawings(found)
