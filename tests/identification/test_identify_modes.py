"""Stiffness and damping of flexible links from frequencies and from free decay."""

import numpy as np
import pytest

import lissom as ls
from lissom.identification.parameters import Numbers
from lissom.identification.vibration.eigenvalues import Eigenvalues

POSES = ([0.0, 0.5], [0.0, 1.5], [0.0, 2.4])


def damped(arm):
    """The two-link arm with beams of different stiffness and damping."""
    for k, link in enumerate(arm.links):
        arm = arm.with_link(link.name, beam=link.beam.replace(damping=0.01 * (1 + k), EI=1.0 + 0.3 * k))
    return arm


@pytest.fixture(scope="module")
def given():
    return ls.load("two_link_flexible")


@pytest.fixture(scope="module")
def truth(given):
    return damped(given)


def measured(arm, q, rng, hz=0.002, ratio=0.05, **more):
    """Three modes of an arm at a pose, with errors."""
    modes = ls.modes(arm, q, count=3)
    errors = 1 + np.array([hz, ratio])[:, None] * rng.normal(size=(2, 3))
    return ls.MeasuredModes(q, modes.frequencies_hz * errors[0], modes.damping * errors[1], **more)


def test_from_three_frequencies_at_three_poses(given, truth):
    rng = np.random.default_rng(4)
    found = ls.identify_modes(given, [measured(truth, q, rng) for q in POSES])
    assert found.table.names == ("link1.beam.EI", "link2.beam.EI", "link1.beam.damping", "link2.beam.damping")
    assert found.table.identifiable.all()
    z = (found.table.values - [1.0, 1.3, 0.01, 0.02]) / found.table.std
    assert np.abs(z).max() < 3
    np.testing.assert_allclose(found.table.values[:2], [1.0, 1.3], rtol=0.01)
    other = measured(truth, [0.0, 1.0], rng, hz=0.0)
    assert np.abs(found.check(other)).max() < 0.005
    assert found.arm.link("link2").beam.EI[1] == found.table["link2.beam.EI"].value
    assert "identified from 9 measured modes" in found.arm.notes[-1]


def test_exact_frequencies_give_exact_numbers(given):
    """Without damping, of which `modes` leaves out the second order."""
    truth = given.with_link("link2", beam=given.link("link2").beam.replace(EI=1.3))
    payload = ls.Payload(0.3, com=(0.02, 0, 0), inertia=0.002)
    loaded = truth.with_payload(payload)
    bare, carrying = (ls.modes(arm, POSES[0], count=3).frequencies_hz for arm in (truth, loaded))
    some = [ls.MeasuredModes(POSES[0], bare), ls.MeasuredModes(POSES[0], carrying, payload=payload)]
    found = ls.identify_modes(given, some)
    np.testing.assert_allclose(found.table.values, [1.0, 1.3], rtol=1e-8)
    assert np.abs(found.residuals).max() < 1e-9


def test_derivatives_of_frequencies_are_exact(truth):
    names = ["beam.EI", "beam.damping", "link2.payload.mass", "link1.beam.mass_per_length"]
    numbers = Numbers(truth, names, "test")
    eigenvalues = Eigenvalues(numbers, (ls.MeasuredModes([0.0, 0.5], [1.0, 2.0, 3.0]),))
    here = eigenvalues.at(np.zeros(len(numbers)))[0]
    for k in range(len(numbers)):
        e = 2e-3 * (np.arange(len(numbers)) == k)
        ends = {m: eigenvalues.at(m * e)[0] for m in (-2, -1, 1, 2)}
        for word, slope in (("frequencies_hz", here.by_frequency), ("damping", here.by_damping)):
            far, near = (getattr(ends[m], word) - getattr(ends[-m], word) for m in (2, 1))
            np.testing.assert_allclose(slope[:, k], (8 * near - far) / (12 * 2e-3), rtol=1e-6, atol=1e-9)


def test_elastic_joints_and_gravity():
    """Stiffness of two elastic joints of an arm that hangs, from its two frequencies at two poses."""
    links = []
    for k in range(2):
        place = np.eye(4)
        place[0, 3] = 0.5 * k
        joint = ls.Joint(
            axis=(0, 1, 0), placement=place, armature=0.5, elastic=ls.JointElasticity(800.0 - 300.0 * k, 1.0)
        )
        links.append(ls.Link(f"l{k}", parent=f"l{k - 1}" if k else None, joint=joint, mass=3.0, com=(0.25, 0, 0),
                             inertia=0.1))  # fmt: skip
    arm = ls.Arm("hanging", links)
    modes = {q: ls.modes(arm, q) for q in ((np.pi / 2, 0.0), (np.pi / 2, 1.2))}
    some = [ls.MeasuredModes(q, found.frequencies_hz, found.damping) for q, found in modes.items()]
    start = Numbers(arm, ["elastic.stiffness", "elastic.damping"], "test").arm_at(np.array([0.5, -0.4, 0.5, 0.5]))
    found = ls.identify_modes(start, some)
    np.testing.assert_allclose(found.table.values, [800.0, 500.0, 1.0, 1.0], rtol=5e-3)


def ringing(arm, q, seed, noise=0.02):
    """Strain at the root of both links after a release, with noise: the record, and what it was made of."""
    modes = ls.modes(arm, q, count=2)
    rng, t = np.random.default_rng(seed), np.arange(0.0, 15.0, 0.005)
    parts = []
    for f, z, size in zip(modes.frequencies_hz, modes.damping, ([1.0, 0.4], [0.3, -0.5]), strict=True):
        w = 2 * np.pi * f
        parts.append(np.outer(np.exp(-z * w * t) * np.cos(w * np.sqrt(1 - z * z) * t + 0.4), size))
    return t, np.sum(parts, axis=0) + 0.1 + noise * rng.normal(size=(len(t), 2)), modes


def test_free_decay_with_honest_deviations(truth):
    z = []
    for seed in range(8):
        t, y, modes = ringing(truth, POSES[0], seed)
        found = ls.free_decay(t, y, modes=2)
        z += [*(found.frequencies_hz - modes.frequencies_hz) / found.std_hz]
        z += [*(found.damping - modes.damping) / found.std_damping]
    assert 0.7 < np.std(z) < 1.3
    assert np.abs(z).max() < 3.5
    assert (found.std_damping < 0.02 * modes.damping).all()


def test_from_free_decay_with_noise(given, truth):
    """Stiffness and damping of both links from records of vibration at three poses."""
    some = []
    for seed, q in enumerate(POSES):
        t, y, _ = ringing(truth, q, seed)
        some.append(ls.free_decay(t, y, modes=2).at(q))
    found = ls.identify_modes(given, some)
    z = (found.table.values - [1.0, 1.3, 0.01, 0.02]) / found.table.std
    assert np.abs(z).max() < 3
    np.testing.assert_allclose(found.table.values[:2], [1.0, 1.3], rtol=0.01)


@pytest.mark.slow
def test_from_a_simulated_release(given, truth):
    """The arm itself rings: nonlinear simulation with held joints, deflected and let go, measured by its tip."""
    held = truth.lock({"joint1": 0.0, "joint2": 0.5})
    start = np.zeros(held.dof)
    start[0], start[2] = 0.02, -0.01
    run = ls.simulate(held, start, until=20.0, every=0.005, rtol=1e-10)
    tip = ls.pose(held, run.q, held.tip_frame)[:, :2, 3]
    rng = np.random.default_rng(0)
    noisy = tip + 2e-4 * rng.normal(size=tip.shape)
    decay = ls.free_decay(run.t, noisy, modes=3)
    want = ls.modes(truth, [0, 0.5], count=3)
    np.testing.assert_allclose(decay.frequencies_hz, want.frequencies_hz, rtol=2e-3)
    found = ls.identify_modes(given, decay.at([0.0, 0.5]))
    np.testing.assert_allclose(found.table.values[:2], [1.0, 1.3], rtol=0.01)
    assert not decay.notes
    assert "the residual still vibrates" in ls.free_decay(run.t, noisy, modes=2).notes[0]


def test_real_steel_sheet_on_a_robot():
    """Published frequencies of a steel sheet, 0.52 m x 80 mm x 1 mm, held by a Panda in three orientations.

    One orientation is left out each time; its frequency is predicted within 1.5 %.
    """
    gravities = {3.045: (9.81, 0, 0), 2.950: (0, 0, -9.81), 2.780: (-9.81, 0, 0)}  # hanging, horizontal, upright
    arm = sheet()
    some = {hz: _turned(g) for hz, g in gravities.items()}
    assert [round(float(ls.modes(arm, q, count=1).frequencies_hz[0]), 2) for q in some.values()] == [3.06, 2.94, 2.80]
    for left in some:
        used = [ls.MeasuredModes(q, [hz]) for hz, q in some.items() if hz != left]
        found = ls.identify_modes(arm, used)
        assert abs(found.check(ls.MeasuredModes(some[left], [left]))[0]) < 0.015


def sheet():
    """The sheet on a wrist with three axes, so that it hangs, lies and stands."""
    width, thickness = 0.08, 1e-3
    beam = ls.Beam(0.52, 7870.0 * width * thickness, EI=(None, 1.9e11 * width * thickness**3 / 12), modes=ls.Modes(3))
    wrist = ls.Link("wrist", joint=ls.Joint(axis=(0, 1, 0)), mass=1.0, inertia=0.01)
    roll = ls.Link("roll", parent="wrist", joint=ls.Joint(axis=(1, 0, 0)), mass=0.8, inertia=0.01, beam=beam)
    return ls.Arm("sheet", [wrist, roll])


def _turned(g):
    """The pose in which gravity points along `g` in the axes of the sheet, x along it."""
    if g[2]:
        return [0.0, 0.0]
    return [np.pi / 2 * np.sign(g[0]), 0.0]


def test_what_is_not_identifiable_keeps_what_is_given(given, truth):
    """One frequency ratio cannot tell the mass of the payload from the stiffness of both links."""
    rng = np.random.default_rng(1)
    modes = ls.modes(truth, POSES[0], count=3)
    one = ls.MeasuredModes(POSES[0], modes.frequencies_hz * (1 + 0.02 * rng.normal(size=3)), std_hz=0.1)
    found = ls.identify_modes(given, one, ["beam.EI", "link2.payload.mass"])
    assert found.table["link2.payload.mass"].identifiable is False
    assert found.arm.link("link2").payload.mass == 0.1
    assert "link2.payload.mass are not identifiable" in found.notes[0]


def test_refusals(given):
    modes = ls.MeasuredModes([0.0, 0.5], [0.4, 1.9])
    cases = [
        (lambda: ls.identify_modes(given, modes, ["beam.EI", "mass"]), "do not determine 3 parameters"),
        (lambda: ls.identify_modes(given, []), "expected MeasuredModes"),
        (lambda: ls.identify_modes(ls.load("two_link"), modes), "no flexible links and no elastic joints"),
        (lambda: ls.identify_modes(given, modes, ["joint1.armature"]), "no chosen parameter changes"),
        (
            lambda: ls.identify_modes(given, ls.MeasuredModes([0, 0], [9.0], order=[9]), ["link2.beam.EI"]),
            "mode 9 is asked for",
        ),
        (lambda: ls.identify_modes(given, ls.MeasuredModes([0, 0, 0], [1.0, 2.0])), "q has 3 entries"),
        (lambda: ls.MeasuredModes([0, 0], [-1.0]), "above 0"),
        (lambda: ls.MeasuredModes([0, 0], [1.0], damping=[2.0]), "fractions of critical"),
        (lambda: ls.MeasuredModes([0, 0], [1.0, 2.0], order=[1, 1]), "different whole numbers"),
        (lambda: ls.free_decay(np.arange(100) * 0.01, np.ones(100)), "constant"),
        (lambda: ls.free_decay([0, 1, 3], [1, 2, 3]), "too few"),
        (lambda: ls.free_decay(np.arange(99) * 0.01, np.sin(np.arange(99)), modes=0), "from 1 to 8"),
    ]
    for call, words in cases:
        with pytest.raises(ls.InputError, match=words):
            call()
    noise = np.random.default_rng(0).normal(size=400)
    t = np.arange(300) * 0.01
    with pytest.raises(ls.SolveError, match="vibrat"):
        ls.free_decay(t, np.exp(-t))
    assert "grows" in ls.free_decay(t, np.exp(t) * np.sin(20 * t)).notes[-1]
    with pytest.raises(ls.SolveError, match="fewer modes"):
        ls.free_decay(np.arange(400) * 0.01, noise, modes=3)
