"""Residuals, Jacobians and drifts of closures; positions that close."""

import numpy as np
import pytest
from tests.loops.mechanisms import BEAM, body, flexible_four_bar, four_bar, frame, moving, spatial, turned

import lissom as ls
from lissom.kernels.cache import closure_of
from lissom.loops.algebra import null_basis
from lissom.spatial.frames import pose

KINDS = ("spherical", "revolute", "fixed", "planar")


def odd_arm():
    """All kinds of closures between branches with a prismatic joint and a flexible link, all open."""
    rng = np.random.default_rng(3)
    beam = BEAM.replace(length=0.7, GJ=150.0, modes=ls.Modes(bending_z=2, bending_y=1, torsion=1))
    bends = ls.Link("d", parent="a", joint=ls.Joint("revolute", placement=frame(rng), axis=(0, 0.6, 0.8)), beam=beam)
    links = [body(rng, "a", None), body(rng, "b", "a", "prismatic"), body(rng, "c", "b"), bends, body(rng, "e", "d")]
    loops = [ls.Loop(("c", frame(rng)), ("d", pose(turned(rng), [0.4, 0.05, 0.02])), kind) for kind in KINDS]
    loops += [
        ls.Loop((None, frame(rng)), ("e", frame(rng)), "revolute"),
        ls.Loop(("d.tip", frame(rng)), (None, frame(rng)), "fixed"),
    ]
    arm = ls.Arm("odd", links, loops=loops)
    return arm, 0.3 * rng.normal(size=arm.dof), rng.normal(size=arm.dof)


def test_jacobian_and_drift_are_derivatives_also_of_open_loops():
    arm, q, qd = odd_arm()
    close, h = closure_of(arm), 1e-5
    gaps = close(q, qd)
    columns = [(close(q + h * e).phi - close(q - h * e).phi) / (2 * h) for e in np.eye(arm.dof)]
    assert np.abs(np.stack(columns, axis=1) - gaps.G).max() < 1e-7  # h^2 times a third derivative of some hundred
    rate = (close(q + h * qd).G - close(q - h * qd).G) @ qd / (2 * h)
    assert np.abs(rate - gaps.drift).max() < 3e-8 * np.abs(gaps.drift).max()
    u, v = np.random.default_rng(0).normal(size=(2, arm.dof))
    bent = (close(q + h * u).G - close(q - h * u).G) @ v / (2 * h)
    assert np.abs(bent - close.second_derivative(q, u, v)).max() < 3e-8 * np.abs(bent).max()


@pytest.mark.slow
def test_slope_of_the_drift_of_links_that_bend_and_twist():
    arm, q, qd = odd_arm()
    close, h = closure_of(arm), 1e-5
    slope = close.drift_slope(q, qd)[0]
    differences = [(close(q + h * e, qd).drift - close(q - h * e, qd).drift) / (2 * h) for e in np.eye(arm.dof)]
    assert np.abs(np.stack(differences, axis=1) - slope).max() < 3e-8 * np.abs(slope).max()


def test_batches_are_single_states():
    arm, q, qd = odd_arm()
    close = closure_of(arm)
    many = close(np.array([q, 2 * q, -q]), np.array([qd, qd, 0 * qd]))
    one = close(2 * q, qd)
    assert all((a[1] == b).all() for a, b in zip(many, one, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_vanish_exactly_where_frames_fit(kind):
    arm, q = spatial((kind,), seed=5)
    close = closure_of(arm)
    assert np.abs(close(q).phi).max() < 1e-14
    ((A, B),) = close.frames(q)
    far = np.linalg.inv(A) @ B
    expected = {"spherical": far[:3, 3], "planar": far[2, 3], "fixed": far - np.eye(4), "revolute": far[:3, 3]}[kind]
    assert np.abs(expected).max() < 1e-14
    assert close.faces(q)


@pytest.mark.parametrize("kinds", [("spherical",), ("revolute", "planar"), ("planar", "spherical"), ("fixed",)])
def test_assembly_of_spatial_loops(kinds):
    arm, q = spatial(kinds, seed=2)
    guess = q + 0.1 * np.random.default_rng(1).normal(size=arm.dof)
    found = ls.assemble(arm, guess, fixed=("a1",), qd=np.ones(arm.dof), qdd=-np.ones(arm.dof))
    gaps = closure_of(arm)(found.q, found.qd)
    assert found.q[0] == guess[0]
    assert found.qd[0] == 1.0
    assert found.error < 1e-12
    assert np.abs(gaps.G @ found.qd).max() < 1e-12
    assert np.abs(gaps.G @ found.qdd + gaps.drift).max() < 1e-10
    rows = {"spherical": 3, "revolute": 5, "planar": 3, "fixed": 6}
    assert found.rank == sum(rows[kind] for kind in kinds)
    assert found.mobility == arm.dof - found.rank == null_basis(gaps.G).shape[1]
    assert found.redundant == ()


def test_redundant_rows_are_named():
    found = ls.assemble(four_bar("revolute"), [1.0, -0.5, 1.5], fixed="crank")
    assert (found.rank, found.mobility) == (2, 1)
    assert found.redundant == tuple(
        f"loop 1 (coupler - rocker, revolute): {word}" for word in ("shift along z", "turn about x", "turn about y")
    )


def test_assembly_from_far_away_takes_a_position_that_faces_the_right_way():
    arm, q = spatial(("revolute",), seed=8)
    found = ls.assemble(arm, q + 1.5)
    assert found.error < 1e-10
    assert closure_of(arm).faces(found.q)


def test_links_rest_unless_they_may_bend():
    arm = flexible_four_bar()
    straight = ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank")
    assert (straight.q[arm.mode_index] == 0).all()
    held = ("crank", "coupler")
    bent = ls.assemble(arm, straight.q + [0, 0.01, 0, 0, 0], fixed=held, bend=True)
    assert np.abs(bent.q[arm.mode_index]).max() > 1e-4
    with pytest.raises(ls.SolveError, match=r"no position was found that closes .*bend=True"):
        ls.assemble(arm, straight.q + [0, 0.01, 0, 0, 0], fixed=held)


def test_a_motion_is_consistent():
    arm, q = spatial(("spherical", "planar"), seed=4)
    state = moving(arm, q)
    close, h = closure_of(arm), 1e-3
    # along the parabola of the state the loops open with the third power of time only
    gap = [np.abs(close(state.q + t * state.qd + t * t / 2 * state.qdd).phi).max() for t in (h, 2 * h)]
    assert gap[1] < 1e-6
    assert 6 < gap[1] / gap[0] < 10
