"""Xiang, Arora and Abdel-Malek 2008: `lissom reproduce xiang2008`, and the shortest time proved another way."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.papers.checks import check_bars, check_claims, check_drawings

from lissom.motion.public import predict_motion
from lissom.motion.splines.basis import Basis
from lissom.papers import xiang2008
from lissom.papers.claims import CORRECTED, LIMIT, OPEN, REFUTED, REPRODUCED, SLIP
from lissom.papers.xiang2008 import cost, examples, sensitivities, shortest, sqp, structures
from lissom.papers.xiang2008.bang_bang import BangBang, flight, rates as forward, shot
from lissom.papers.xiang2008.closed_form import TORQUE, two_link_arm
from lissom.papers.xiang2008.tasks import EXAMPLE_1, EXAMPLE_2, WEIGHTLESS, U, weightless_arm
from lissom.verbs.sensitivity import forward_dynamics_gradient

EXPECTED = {  # the claims that are not plainly reproduced
    ("section 1", REFUTED), ("section 4.4", REFUTED), ("section 6.1", SLIP), ("(66)", OPEN), ("section 6.3", LIMIT),
    ("(41)", CORRECTED), ("(42)", CORRECTED), ("sections 1, 6.1", CORRECTED), ("section 7", CORRECTED),
    ("(11)", CORRECTED), ("(36), (37)", CORRECTED), ("(38)", CORRECTED), ("(16)-(20)", CORRECTED),
    ("section 4.4", CORRECTED), ("Fig. 14", CORRECTED),
}  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return xiang2008.reproduce(timed=False)


@pytest.fixture(scope="module")
def law():
    return shortest.bang_bang()


@pytest.mark.slow
def test_claims(found):
    check_claims(found)
    check_bars(found.claims)
    assert {(claim.where, claim.verdict) for claim in found.claims if claim.verdict != REPRODUCED} == EXPECTED


@pytest.mark.slow
def test_figures(found):
    names = {"figures_7_9", "figures_11_13", "figure_10", "figure_14", "shortest_time", "where_limits_hold",
             "walking"}  # fmt: skip
    assert {drawing.name for drawing in found.drawings} == names
    check_drawings(found)
    for drawing in found.drawings:
        for panel in drawing.panels:
            assert all(np.isfinite(np.asarray(curve.y, float)).all() for curve in panel.curves)


@pytest.mark.slow
def test_computing_times():
    assert [claim.verdict for claim in examples.computing_times()] == [OPEN] * 2


@pytest.mark.slow
def test_structures():
    """Branches, the five-bar, moments, virtual joints: within rounding errors."""
    for claim in structures.claims():
        assert claim.verdict == CORRECTED, claim


def test_meshes_about_the_printed_one():
    arm = weightless_arm()
    durations = [predict_motion(arm, EXAMPLE_1, segments=k).duration for k in examples.MESHES]
    assert durations == pytest.approx([0.393411, 0.392689, 0.393140, 0.392568], abs=2e-6)  # on 18, 19, 20, 21
    assert [Basis(k).count for k in (19, 20)] == [22, 23]


def test_sqp_on_the_gradients_of_the_paper():
    one = sqp.solve(sqp.SplineProgram(weightless_arm(), EXAMPLE_1))
    two = sqp.solve(sqp.SplineProgram(two_link_arm(), EXAMPLE_2, U))
    assert one.duration == pytest.approx(predict_motion(weightless_arm(), EXAMPLE_1).duration, rel=1e-6)
    assert two.cost == pytest.approx(predict_motion(two_link_arm(), EXAMPLE_2).cost, rel=1e-6)
    assert one.torques < 50
    assert one.gradients < 50


def test_gradients_of_the_spline_program():
    """(41), (42) of cost and constraints, by complex-free central differences."""
    program = sqp.SplineProgram(two_link_arm(), EXAMPLE_2, U)
    x = program.first + np.random.default_rng(3).normal(0.0, 0.05, len(program.first))
    step = 1e-6
    moved = [[f(x + sign * step * e) for sign in (1, -1)] for f in (program.cost, program.room) for e in np.eye(len(x))]
    want = [(a - b) / (2 * step) for a, b in moved]
    got = program.cost_gradient(x)
    assert np.abs(got - want[: len(x)]).max() < 1e-7 * np.abs(got).max()
    J = program.room_gradient(x)
    assert np.abs(J - np.array(want[len(x) :]).T).max() < 1e-7 * np.abs(J).max()


def test_knots_one_by_one():
    """(42): all knots moved in proportion are the duration."""
    motion = predict_motion(two_link_arm(), EXAMPLE_2, segments=8)
    assert sensitivities._knots(motion).verdict == CORRECTED
    assert sensitivities._control_points(motion).verdict == CORRECTED


def test_cost_with_many_variables():
    """Counted, so that it holds on any machine."""
    variables, large = cost._variables(), cost._large()
    assert variables.verdict == REPRODUCED
    assert "7.3 times for 2 joints, 10.0 times for 6 joints, 11.6 times for 18 joints" in variables.ours
    assert large.verdict == CORRECTED
    assert "1,042,631 multiplications per state, fewer than the 6,242,596" in large.ours


def test_direct_sensitivities_of_the_regular_lagrangian():
    """(11) equals (33)-(35) and grows with the fifth power of n, the recursion with the second."""
    assert cost._agreement().verdict == CORRECTED
    counts = {n: cost._counted(cost.regular.gradient, n).multiplications for n in (2, 3)}
    assert counts == {2: 9254, 3: 44118}
    assert cost._counted(cost.xiang_sensitivity.gradient, 6).multiplications == 39603


def test_bang_bang_reaches_the_goal(law):
    assert law.duration == pytest.approx(0.391855, abs=5e-7)
    end = flight(WEIGHTLESS, law, np.array([0.0, -2.0]))
    assert np.abs(end - [1.0, -1.0, 0.0, 0.0]).max() < 1e-9


def test_bang_bang_from_another_guess(law):
    guess = BangBang(law.times * [0.0, 1.02, 0.98, 1.01, 0.97], law.signs)
    again = shot(WEIGHTLESS, guess, np.array([0.0, -2.0]), np.array([1.0, -1.0]))
    assert np.abs(again.times - law.times).max() < 1e-9


def test_bang_bang_satisfies_the_maximum_principle(law):
    """Costates for which both switching functions vanish at the switches and have the torques' signs elsewhere.

    p' = -p A and p B_i is the slope of the Hamiltonian by torque i: three switches determine p(0) but for its length.
    """
    arm = weightless_arm()

    def slopes(z, tau):
        d = forward_dynamics_gradient(arm, z[:2], z[2:], tau)
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [d.q, d.qd]])
        return A, np.concatenate([np.zeros((2, 2)), d.tau])

    def rates(_t, y, tau):
        z, P = y[:4], y[4:].reshape(4, 4)
        return np.concatenate([forward(0.0, z, WEIGHTLESS, tau), (-P @ slopes(z, tau)[0]).ravel()])

    y = np.concatenate([[0.0, -2.0, 0.0, 0.0], np.eye(4).ravel()])
    rows, seen = [], []
    for k, (a, b) in enumerate(zip(law.times[:-1], law.times[1:], strict=True)):
        tau = TORQUE * law.signs[k]
        piece = solve_ivp(rates, (a, b), y, "DOP853", args=(tau,), rtol=1e-11, atol=1e-12, t_eval=np.linspace(a, b, 25))
        B = [y[4:].reshape(4, 4) @ slopes(y[:4], tau)[1] for y in piece.y.T]
        seen.append(np.array(B))
        y = piece.y[:, -1]
        if k < 3:
            switched = int(np.flatnonzero(law.signs[k] != law.signs[k + 1])[0])
            rows.append(B[-1][:, switched])
    p = np.linalg.svd(np.array(rows))[2][-1]
    along = [np.einsum("i,kij->kj", p, B) for B in seen]
    p = p * np.sign((along[0][5] * law.signs[0]).sum())
    for B, sign in zip(seen, law.signs, strict=True):
        inside = np.einsum("i,kij->kj", p, B)[2:-2]
        assert (inside * sign > 0).all()


def test_splines_approach_it_from_above(law):
    over = [motion.duration / law.duration - 1 for motion in shortest.finer_and_finer()]
    assert all(x > 0 for x in over)
    assert over == sorted(over, reverse=True)
    assert over[-1] < 3e-4
    rate = np.polyfit(np.log([10, 20, 40, 80, 160]), np.log(over), 1)[0]
    assert rate == pytest.approx(-2.0, abs=0.1)  # a switch in mid-segment costs its square


def test_refinement_stops_at_the_gap(law):
    motion = predict_motion(weightless_arm(), EXAMPLE_1, refine=1e-3)
    meshes = [segments for segments, _ in motion.report.refinements]
    costs = [cost for _, cost in motion.report.refinements]
    assert meshes == [20, 40, 80]
    assert abs(costs[-1] - costs[-2]) <= 1e-3 * costs[-1] < abs(costs[-2] - costs[-3])
    assert motion.duration > law.duration
