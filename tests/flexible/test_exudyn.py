"""Motion of flexible arms against geometrically nonlinear finite elements, computed by Exudyn."""

import numpy as np
import pytest
from tests.flexible.exudyn_twin import PlanarTwin, SpatialTwin

import lissom as ls
from lissom.spatial.frames import pose

# ---- De Luca and Siciliano's arm: 0.2 N m at both joints for half a second, reversed, then none ---------------------

BANG_BANG = [(0.5, (0.2, 0.2)), (1.0, (-0.2, -0.2)), (2.0, (0.0, 0.0))]


def two_link(modes):
    arm = ls.load("two_link_flexible")
    return arm.replace(links=[x.replace(beam=x.beam.replace(modes=ls.Modes(modes))) for x in arm.links])


def tip_error(run, t, tip):
    """Root mean square distance of the tips [m]; the instants are the elements'."""
    away = run.at(np.clip(t, 0.0, run.t[-1])).tip - tip
    return np.sqrt((away**2).sum(axis=1).mean())


def bang_bang(modes, t, tip, rtol=1e-6):
    times, torques = [0.0, *(end for end, _ in BANG_BANG[:-1])], [torque for _, torque in BANG_BANG]
    run = ls.simulate(two_link(modes), tau=ls.Profile(times, torques, "hold"), until=2.0, rtol=rtol, atol=1e-2 * rtol)
    return tip_error(run, t, tip)


def test_bang_bang_with_the_shipped_modes():
    """The bar: 2 mm rms over 2 s. Eight elements per link in steps of 1 ms are right to 0.15 mm here."""
    twin = PlanarTwin(two_link(2), 8).run(BANG_BANG, 1e-3)
    assert bang_bang(2, *twin) < 1e-3


@pytest.mark.slow
def test_bang_bang_needs_two_modes():
    """Found: 5.1, 0.47, 0.24 and 0.22 mm with 1 to 4 modes per link; sixteen elements are right to 0.02 mm."""
    twin = PlanarTwin(two_link(2), 16).run(BANG_BANG, 2e-4)
    errors = [bang_bang(modes, *twin, rtol=1e-8) for modes in (1, 2, 3, 4)]
    assert errors[0] > 2e-3 > 6e-4 > errors[1]
    assert max(errors[2:]) < 3e-4


# ---- spin-up: a beam on a joint that is led to 6 rad/s in 15 s (Kane, Ryan and Banerjee's law) ----------------------

SPEED, TIME, PEAK = 6.0, 15.0, -0.5738


def angle(t):
    turned = t**2 / 2 + (TIME / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / TIME) - 1)
    return SPEED / TIME * turned if t < TIME else SPEED * (t - TIME / 2)


def acceleration(t):
    return SPEED / TIME * (1 - np.cos(2 * np.pi * t / TIME)) if t < TIME else 0.0


def rotating_beam(modes, stretch=0):
    beam = ls.Beam(10.0, 1.2, EI=1.4e4, EA=2.8e7, modes=ls.Modes(modes, stretch=stretch))
    return ls.Arm("rotating", [ls.Link("beam", beam=beam)], gravity=(0, 0, 0))


def lag(t, tip):
    """Of the tip behind the joint [m]."""
    turned = np.array([angle(x) for x in t])
    return np.cos(turned) * tip[:, 1] - np.sin(turned) * tip[:, 0]


def test_spin_up():
    """The bar: the largest lag within 0.3 % of the known one, which the elements find, too."""
    t, tip = PlanarTwin(rotating_beam(2), 8, EA=2.8e7, angle=angle).run([(8.0, (0.0,))], 5e-3, every=0.02)
    elements = lag(t, tip)
    assert elements.min() == pytest.approx(PEAK, rel=1e-3)
    run = ls.simulate(rotating_beam(2), prescribed={"beam": acceleration}, until=8.0, every=0.02, rtol=1e-6)
    assert run.tip_deflection[:, 1].min() == pytest.approx(PEAK, rel=3e-3)
    assert np.abs(run.at(t).tip_deflection[:, 1] - elements).max() < 3e-3 * abs(PEAK)


@pytest.mark.slow
@pytest.mark.parametrize(("modes", "stretch", "away"), [(2, 0, 4e-3), (3, 0, 1.2e-3), (4, 0, 1.2e-3), (3, 1, 1.2e-3)])
def test_spin_up_to_the_end(modes, stretch, away):
    """With more modes and with stretch, all the way [m]; found: 2.9, 0.8, 0.7 and 0.9 mm."""
    t, tip = PlanarTwin(rotating_beam(2), 16, EA=2.8e7, angle=angle).run([(20.0, (0.0,))], 5e-3, every=0.02)
    arm = rotating_beam(modes, stretch)
    run = ls.simulate(arm, prescribed={"beam": acceleration}, until=20.0, every=0.02, rtol=1e-6)
    assert run.tip_deflection[:, 1].min() == pytest.approx(PEAK, rel=3e-3)
    assert np.abs(run.at(np.clip(t, 0, 20)).tip_deflection[:, 1] - lag(t, tip)).max() < away


# ---- in space: a boom on a post, both joints free, torsion by a payload beside the axis ------------------------------


def boom(*modes):
    beam = ls.Beam(0.8, 0.5, EI=(6.0, 3.0), GJ=1.5, gyration=(0.02, 0.015), modes=ls.Modes(*modes))
    payload = ls.Payload(0.3, (0.02, 0.05, 0.0), np.diag([1e-3, 2e-3, 1.5e-3]))
    return ls.Arm("boom", [
        ls.Link("post", joint=ls.Joint("revolute", axis=(0, 0, 1)), mass=0.4, com=(0.01, 0, 0.2),
                inertia=np.diag([0.03, 0.03, 0.05])),
        ls.Link("boom", "post", ls.Joint("revolute", pose(p=(0, 0, 0.4)), axis=(0, 1, 0)), mass=0.2,
                inertia=np.diag([0.01, 0.01, 0.01]), beam=beam, payload=payload),
    ], gravity=(0, 0, -9.81))  # fmt: skip


def fall(modes, elements, step, until):
    """The boom falls while its post is driven: distance of the tips, and how far the boom bends [m]."""
    torques = (0.5, 0.0)
    t, tip = SpatialTwin(boom(*modes), elements).run([(until, torques)], step)
    run = ls.simulate(boom(*modes), tau=torques, until=until, every=0.01)
    return tip_error(run, t, tip), np.linalg.norm(run.tip_deflection, axis=1).max()


def test_a_falling_boom():
    """Found: 0.16 mm, eight elements being right to about as much, while the tip bends by 57 mm."""
    error, bent = fall((1, 1, 1), 8, 1e-3, 0.2)
    assert bent > 0.05
    assert error < 4e-4


@pytest.mark.slow
def test_a_falling_boom_with_more_modes():
    """Found: 0.12 mm with 2 + 2 + 1 modes, 0.03 mm with 3 + 3 + 2."""
    error, bent = fall((2, 2, 1), 32, 5e-4, 0.4)
    assert bent > 0.05
    assert error < 2e-4
    assert fall((3, 3, 2), 32, 5e-4, 0.4)[0] < 6e-5
