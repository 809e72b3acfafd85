"""Faults that once were: flexible arms with models, loads, payloads and many threads."""

import gc
import threading

import numpy as np
import pytest

import lissom as ls
from lissom.simulation.loop.friction import settled
from lissom.simulation.loop.slopes import slopes
from lissom.simulation.options import Scenario
from lissom.simulation.setup import closed_loop

TWO = ls.load("two_link_flexible")


def chain(links, **changes):
    beam = ls.Beam(0.5, 0.5, EI=20.0, modes=ls.Modes(2), **changes)
    names = [f"l{i}" for i in range(links)]
    parts = [ls.Link(name, names[i - 1] if i else None, ls.Joint(armature=0.05), beam=beam)
             for i, name in enumerate(names)]  # fmt: skip
    return ls.Arm("chain", parts, gravity=(0, -9.81, 0))


@pytest.mark.parametrize("difference", ["pattern", "station"])
@pytest.mark.some(1)
def test_a_controller_may_believe_in_other_beams(difference):
    """On the tape: the model has steps of its own; it holds the arm it believes in."""
    arm, model = chain(5), chain(5, gyration=(0.01, 0.01))
    if difference == "station":
        model = arm.replace(loads=[ls.Load("l2", (0.1, 0.2, 0.0), point=(0.2, 0.1, 0))])
    assert arm.dof > 12
    q = np.full(5, 0.1)
    run = ls.simulate(arm, q, tau=ls.PD(q, 3, 0.5, gravity=True, model=model), until=0.002, dt=1e-3)
    want = ls.gravity_forces(model, q)
    assert np.abs(run.tau[0] - want)[arm.joint_index].max() < 1e-10 * np.abs(want).max()


def test_a_singular_arm_with_a_load_along_a_beam_is_told_in_words():
    """The second look at a small pivot knows the places of loads."""
    beam = ls.Beam(0.8, 0.5, EI=20.0, modes=ls.Modes(2))
    body = {"mass": 1.0, "com": (0.1, 0.05, 0.02), "inertia": np.diag([0.01, 0.02, 0.025])}
    links = [
        ls.Link("a", beam=beam),
        ls.Link("b", "a"),
        ls.Link("c", "b", ls.Joint(axis=(0, 1, 0))),
        ls.Link("d", "c", **body),
    ]
    arm = ls.Arm("s", links, loads=[ls.Load("a", force=(0, 1, 0), point=(0.4, 0, 0))])
    with pytest.raises(ls.SolveError, match="without moving any inertia"):
        ls.forward_dynamics(arm, [0.1, 0.01, 0, 0.2, 0, 0.3], np.zeros(6), np.zeros(6))


@pytest.mark.parametrize("mass", [0.4, 6.0])
def test_derivatives_of_runs_with_payloads_keep_the_shapes(mass):
    """The payload is added to the arm; the shapes stay those of the arm that is simulated."""
    payloads = {"link2": [ls.Payload(mass, com=(0.02, 0.01, 0), inertia=1e-3)]}
    loop = closed_loop(Scenario(TWO, tau=ls.PD([0.3, 0.2], 2.0, 0.1), payloads=payloads), 1.0, 1).member(0)
    q, qd = np.array([0.2, 0.01, 0.002, 0.5, -0.02, 0.001]), np.array([0.3, 0.1, 0.0, -0.2, 0.05, 0.01])
    way = settled(loop, 0.0, np.concatenate([q, qd]))
    J = slopes(loop, 0.0, np.concatenate([q, qd]), way)
    step = 1e-6
    for k in range(12):
        ends = []
        for sign in (1, -1):
            x = np.concatenate([q, qd])
            x[k] += sign * step
            ends.append(loop.slope(0.0, x, way).qdd)
        column = (ends[0] - ends[1]) / (2 * step)
        assert np.abs(J[6:, k] - column).max() < 1e-6 * np.abs(J[6:]).max()


def test_a_member_says_that_it_bent_too_far():
    soft = ls.Arm("s", [ls.Link("r", beam=ls.Beam(1.0, 0.5, EI=0.5, modes=ls.Modes(2)))], gravity=(0, 0, 0))
    tau = np.array([[0.01, 0, 0], [1.0, 0, 0], [0.02, 0, 0]])
    runs = ls.simulate(soft, np.zeros((3, 3)), tau=tau, until=1.0)
    assert not runs.ok
    assert "in run 1 link 'r' bends to a slope of" in runs.status
    assert runs.member(0).status == "done"
    assert not runs.member(1).ok
    assert "small-deflection modes are not valid" in runs.member(1).status


def test_the_step_is_chosen_from_the_whole_run():
    """The motion dies out: the end alone would let any step pass."""
    beam = ls.Beam(0.8, 0.5, EI=20.0, modes=ls.Modes(2), damping=0.05)
    joint = ls.Joint(damping=0.5, stiffness=30.0, armature=0.02)
    arm = ls.Arm("d", [ls.Link("a", joint=joint, beam=beam, payload=ls.Payload(0.2))], gravity=(0, 0, 0))
    pulse = ls.Profile([0, 0.1037, 0.1291, 0.2113, 0.2371, 10], [[0], [0], [5.0], [5.0], [0], [0]], "linear")
    run = ls.simulate(arm, tau=pulse, until=8.0, every=0.02, rtol=1e-7)
    exact = ls.simulate(arm, tau=pulse, until=8.0, every=0.02, method="dop853", rtol=1e-11, atol=1e-13)
    assert run.report.method == "rk8"
    assert np.abs(run.q - exact.q).max() < 1e-6 * np.abs(exact.q).max()


def test_threads_that_ask_first_share_what_is_made():
    """A function that another thread has in hand is never thrown away."""
    for _ in range(3):
        arm = TWO.replace(gravity=np.random.default_rng().normal(size=3))
        q, found, start = np.full(6, 0.01), [], threading.Barrier(4)

        def ask(arm=arm, q=q, found=found, start=start):
            start.wait()
            for _ in range(20):
                found.append(ls.inverse_dynamics(arm, q, q, q))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.collect()
        assert len(found) == 80
        assert all((x == found[0]).all() for x in found)


def test_convergence_ends_with_the_table():
    s = np.linspace(0.0, 0.737, 9)
    shapes = ls.ShapeTable(s, bending_z=np.column_stack([s**2, s**3]))
    arm = ls.Arm("rod", [ls.Link("rod", beam=ls.Beam(0.737, 0.413, EI=3.0, shapes=shapes))])
    assert ls.mode_convergence(arm, count=2, most=5).frequencies_hz.shape == (2, 2)


def test_bent_states_show_in_modes_and_are_refused_in_convergence():
    q = [0.0, 0.05, 0.0, 0.5, 0.01, 0.0]
    assert "at (0, 0.5), links deflected" in str(ls.modes(TWO, q))
    with pytest.raises(ls.InputError, match="q bends links; amplitudes change with the modes kept"):
        ls.mode_convergence(TWO, q)


def test_a_list_of_two_stiffnesses_with_two_stations_is_refused():
    """It could be a table, or the stiffness of two planes."""
    with pytest.raises(ls.ModelError, match=r"A table for both planes is EI=\(table, table\)"):
        ls.Beam(0.7, 0.4, EI=[3.0, 2.0], stations=[0.0, 0.7])
    assert ls.Beam(0.7, 0.4, EI=(3.0, 2.0), stations=[0.0, 0.7]).EI == (3.0, 2.0)


def test_sparse_samples_of_a_vibrating_arm_are_noted():
    sparse, fine = (ls.simulate(TWO, [0, 0.02, 0.01, 0.3, 0, 0], until=20.0, **more) for more in ({}, {"every": 0.005}))
    assert any("too far to show fast vibrations. Use every=" in note for note in sparse.report.notes)
    assert not any("fast vibrations" in note for note in fine.report.notes)
