"""Closed loops on arms whose joints follow others."""

import numpy as np
import pytest
from mechanisms import FOUR, four_bar, rod

import lissom as ls


def parallelogram(**options):
    return four_bar(sizes=dict(zip(FOUR, (0.4, 0.9, 0.4, 0.9), strict=True)), **options)


def test_a_parallelogram_is_one_joint_and_two_that_follow():
    looped = parallelogram()
    led = looped.replace(loops=()).with_joint("coupler", mimic=ls.Mimic("crank", -1.0))
    led = led.with_joint("rocker", mimic=ls.Mimic("crank"))
    q, qd, tau = 0.7, 1.3, 2.0
    wanted = ls.forward_dynamics(looped, [q, -q, q], [qd, -qd, qd], [tau, 0.0, 0.0])
    assert ls.forward_dynamics(led, [q], [qd], [tau]) == pytest.approx(wanted[:1], rel=1e-10)
    needed = ls.inverse_dynamics(looped, [q, -q, q], [qd, -qd, qd], wanted)
    assert ls.inverse_dynamics(led, [q], [qd], wanted[:1]) == pytest.approx(needed[:1], rel=1e-9)


def geared():
    """A crank-rocker with a wheel on its rocker that follows the crank, and a crank that the wheel of a drive leads."""
    bar = four_bar()
    drive = rod("drive", None, (-0.5, 0, 0), 0.1, 0.3)
    wheel = rod("wheel", "rocker", (0.2, 0, 0), 0.1, 0.5)
    wheel = wheel.replace(joint=wheel.joint.replace(mimic=ls.Mimic("crank", -0.5, 0.2)))
    links = [drive, *bar.links, wheel]
    arm = ls.Arm("geared", links, gravity=bar.gravity, loops=bar.loops)
    return arm.with_joint("crank", mimic=ls.Mimic("drive", 0.25))


def test_loops_close_and_motors_move_them():
    arm = geared()
    assert arm.coordinates == ("drive", "coupler", "rocker")
    start = ls.assemble(arm, [2.8, 0.2, 1.2], fixed="drive")
    qd = ls.assemble(arm, start.q, qd=[4.0, 0.0, 0.0], fixed="drive").qd
    tau = np.array([0.6, 0.0, 0.0])
    qdd = ls.forward_dynamics(arm, start.q, qd, tau)
    assert ls.inverse_dynamics(arm, start.q, qd, qdd) == pytest.approx(tau, abs=1e-9)


def test_energy_is_kept():
    arm = geared()
    q = ls.assemble(arm, [2.8, 0.2, 1.2], fixed="drive").q
    run = ls.simulate(arm, q, until=0.5)
    energy = ls.kinetic_energy(arm, run.q, run.qd) + ls.potential_energy(arm, run.q)
    assert run.status == "done"
    assert np.abs(run.q[-1] - q).max() > 0.1
    assert np.ptp(energy) < 1e-6 * np.ptp(ls.potential_energy(arm, run.q))
