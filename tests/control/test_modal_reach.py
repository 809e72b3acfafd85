"""What inputs reach and outputs show: structure, symmetry, units, and Kalman's rank test."""

import dataclasses

import numpy as np

import lissom as ls


def spatial_rod(EI=(2.0, 2.0), joint=None):
    beam = ls.Beam(0.7, 0.3, EI=EI, modes=ls.Modes(bending_z=2, bending_y=2))
    return ls.Arm("rod", [ls.Link("rod", joint=joint or ls.Joint(), beam=beam)], gravity=(0, 0, 0))


def test_a_joint_about_z_does_not_reach_bending_about_y():
    plant = ls.linearise(spatial_rod(), [0.3, 0, 0, 0, 0], output=ls.Encoder())
    for reach in (plant.reachability, plant.observability):
        assert not reach.complete
        out = [names for names, strength in zip(reach.states, reach.strengths, strict=True) if strength < 1e-8]
        assert {name for names in out for name in names} == {"rod.bending_y1", "rod.bending_y2"}
        assert "bending_y" in reach.weakest
        assert "Hz" in reach.weakest


def test_equal_frequencies_under_one_motor_are_not_reached_apart():
    """A skew joint excites both planes of a round beam, but only one combination of two modes of equal frequency."""
    joint = ls.Joint(axis=(0, 0.6, 0.8))
    equal, unlike = (ls.linearise(spatial_rod(EI, joint), [0.3, 0, 0, 0, 0]) for EI in ((2.0, 2.0), (2.0, 2.6)))
    assert not equal.reachability.complete
    assert unlike.reachability.complete


def test_strengths_do_not_depend_on_units_of_states_and_outputs():
    plant = ls.linearise(ls.load("two_link_flexible"), [0.2, 1.2], output="link2.tip", rows="xy")
    scale = np.geomspace(1e-3, 1e3, 12)
    other = dataclasses.replace(
        plant, A=plant.A / scale * scale[:, None], B=plant.B * scale[:, None], C=plant.C / scale * [[1.0], [1e3]]
    )
    for word in ("reachability", "observability"):
        mine, theirs = (np.sort(getattr(x, word).strengths) for x in (plant, other))
        assert np.allclose(mine, theirs, rtol=1e-6)


def test_against_the_rank_of_krylov_vectors():
    rng = np.random.default_rng(2)
    for hidden in (False, True):
        A, B = rng.normal(size=(5, 5)), rng.normal(size=(5, 2))
        if hidden:
            A[3:, :3], B[3:] = 0.0, 0.0
        T = rng.normal(size=(5, 5))
        A, B = T @ A @ np.linalg.inv(T), T @ B
        rank = np.linalg.matrix_rank(np.hstack([np.linalg.matrix_power(A, k) @ B for k in range(5)]), tol=1e-8)
        zero = np.zeros(0)
        plant = ls.StateSpace(
            A, B, np.eye(5), np.zeros((5, 2)), tuple("abcde"), ("u", "v"), tuple("abcde"), zero, zero, zero, np.zeros(5)
        )
        assert plant.reachability.complete == (rank == 5)
        assert plant.reachability.complete == (not hidden)
        assert plant.observability.complete
        assert plant.discrete(0.01).reachability.complete == (not hidden)
