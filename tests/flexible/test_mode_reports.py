"""What modes are made of and tell: exact matrices, what hangs on beams, convergence, tables."""

import numpy as np
import pytest
from tests.arms import random_arm

import lissom as ls
from lissom.verbs.small_motions import _matrices


@pytest.mark.parametrize("seed", [3, 11])
def test_matrices_are_the_compiled_gradient(seed):
    """Springs, elastic joints, damping and gravity of rigid trees; friction has no derivative at rest."""
    arm = random_arm(seed, 6)
    q = np.random.default_rng(seed).uniform(-1, 1, arm.dof)
    still = np.zeros(arm.dof)
    slope = ls.inverse_dynamics_gradient(arm, q, still, still)
    M, K, D = _matrices(arm, q)
    for mine, theirs in ((M, slope.qdd), (K, slope.q), (D, slope.qd)):
        assert np.abs(mine - (theirs + theirs.T) / 2).max() < 1e-12 * max(1.0, np.abs(theirs).max())


def elastic_arm():
    beam = ls.Beam(0.6, 0.5, EI=(3.0, 2.0), GJ=0.7, modes=ls.Modes(1, 1, 1), damping=(0.02, 0.03, 0.05))
    joint = ls.Joint("revolute", armature=0.1, damping=0.4, friction=0.3, elastic=ls.JointElasticity(40.0, 0.15))
    payload = ls.Payload(0.3, (0.02, 0.01, 0), (0.004, 0.003, 0.005))
    return ls.Arm("rod", [ls.Link("rod", joint=joint, mass=0.2, inertia=0.02, beam=beam, payload=payload)],
                  gravity=(0, 0, 0))  # fmt: skip


def test_damping_is_what_the_parts_say():
    """At rest the matrix holds the dampers: of the joint, of its spring, and of the beam's clamped modes."""
    arm = elastic_arm()
    D = _matrices(arm, arm.home)[2]
    assert D[:2, :2] == pytest.approx(np.diag([0.4, 0.15]), abs=1e-15)
    beam, want = arm.links[0].beam, []
    for plane, ratio in zip(("bending_z", "bending_y", "torsion"), beam.damping, strict=True):
        alone = ls.beam_modes(beam, ls.beam_tip(arm, "rod", plane), 1, plane)
        want.append(2 * ratio * 2 * np.pi * alone.frequencies_hz[0] * alone.modal_mass)
    assert D[2:, 2:] == pytest.approx(np.diag(want), rel=1e-9, abs=1e-15)
    assert np.abs(D[:2, 2:]).max() < 1e-15


def test_elastic_joints_vibrate():
    """Motor held: the link on its spring, by hand."""
    joint = ls.Joint("revolute", armature=0.1, elastic=ls.JointElasticity(40.0, 0.15))
    arm = ls.Arm("a", [ls.Link("a", joint=joint, mass=0.7, com=(0.3, 0, 0), inertia=0.02)], gravity=(0, 0, 0))
    found, I = ls.modes(arm), 0.02 + 0.7 * 0.09
    assert found.frequencies_hz == pytest.approx([np.sqrt(40.0 / I) / (2 * np.pi)])
    assert found.damping == pytest.approx([0.15 / (2 * np.sqrt(40.0 * I))])
    assert "a.deflection 100 %" in str(found)


def test_overdamped_modes_have_time_constants_instead_of_a_period():
    joint = ls.Joint("revolute", armature=0.1, elastic=ls.JointElasticity(40.0, 60.0))
    arm = ls.Arm("a", [ls.Link("a", joint=joint, mass=0.7, com=(0.3, 0, 0), inertia=0.02)], gravity=(0, 0, 0))
    found, poles = ls.modes(arm), np.roots([0.02 + 0.7 * 0.09, 60.0, 40.0])
    assert np.sort(found.time_constants[0]) == pytest.approx(np.sort(-1 / poles), rel=1e-9)
    assert "overdamped, time constants about 1.5 s and 0.0014 s" in str(found)
    title = " ".join(ls.plot(found).get_suptitle().split())
    assert "no vibration; 1 overdamped mode" in title
    assert "Hz" not in title
    assert np.isnan(ls.modes(elastic_arm()).time_constants[0]).all()


def test_what_hangs_on_a_tip():
    arm = ls.load("two_link_flexible")
    assert ls.beam_tip(arm, "link2") == ls.Tip(0.1, 0.0005, polar=0.00025)
    carried = ls.beam_tip(arm, "link1", "bending_y")  # hub, beam and payload of the second link
    assert carried.mass == pytest.approx(1.0 + 0.1 + 0.1)
    assert carried.offset_moment == 0.0  # averaged over the joint's turn
    with pytest.raises(ls.InputError, match=r"beam_tip: .*there is no link 'link3'"):
        ls.beam_tip(arm, "link3")
    with pytest.raises(ls.InputError, match="link 'waist' has no beam; no link has"):
        ls.beam_tip(ls.load("puma560"), "waist")
    with pytest.raises(ls.InputError, match="plane is 'x'; expected one of bending_z, bending_y, torsion, stretch"):
        ls.beam_tip(arm, "link1", "x")


def test_convergence_with_a_twist_of_the_tip_alone():
    """Torsion without inertia of the section has one mode, of the tip; the others go on."""
    told = ls.mode_convergence(elastic_arm(), count=3, most=3)
    assert np.isfinite(told.frequencies_hz).all()
    assert told.change[-1].max() < 1e-3
    words = str(told)
    assert "rod: modes with its joints locked, at (0)" in words
    assert f"{told.frequencies_hz[2, 1]:.6g}" in words.splitlines()[-2]


@pytest.mark.parametrize(("word", "value"), [("count", 0), ("count", None), ("most", 13), ("most", True)])
def test_wrong_numbers_for_convergence(word, value):
    with pytest.raises(ls.InputError, match=f"mode_convergence: {word} is {value}; expected a whole number from 1"):
        ls.mode_convergence(elastic_arm(), **{word: value})
    with pytest.raises(ls.InputError, match=r"q is a batch of shape \(2,\); expected one pose"):
        ls.mode_convergence(elastic_arm(), [[0.0], [1.0]])


def test_tables_of_beams():
    beam = ls.Beam(0.5, 0.2, EI=1.0, GJ=0.4, gyration=(0.01, 0.02))
    words = str(ls.beam_modes(beam, ls.Tip(0.1, 0.0005), 2)).splitlines()
    assert words[0] == "bending_z of a beam of 0.5 m, clamped; tip: mass 0.1 kg, inertia 0.0005 kg m^2"
    assert words[4].split() == ["1", "2.1783", "2.4741", "0.88333", "2.6413"]
    assert str(ls.beam_modes(beam, plane="torsion")).startswith("torsion of a beam of 0.5 m, clamped; tip: free")
