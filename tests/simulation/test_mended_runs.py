"""Mistakes that were made once."""

import gc
import weakref

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link")
Q0 = np.array([0.3, 0.1])


def test_counts_of_runs_that_vary_over_time_are_checked():
    """Torques over time of two runs beside six initial states: once machine code read beyond them."""
    with pytest.raises(ls.InputError, match=r"the numbers of runs differ: q0 6, .* 2"):
        ls.simulate(ARM, np.zeros((6, 2)), tau=np.zeros((2, 11, 2)), until=0.5, dt=0.01)
    run = ls.simulate(ARM, Q0, tau=np.zeros((5, 11, 2)), until=0.1, dt=0.01)
    assert run.count == 5
    with pytest.raises(ls.InputError, match="the numbers of runs differ"):
        ls.simulate(ARM, Q0, tau=ls.PD(np.zeros(2), np.ones((3, 2)), np.ones((5, 2))), until=0.1, dt=0.01)
    with pytest.raises(ls.InputError, match="the numbers of runs differ"):
        ls.simulate(ARM, Q0, until=0.1, payloads={"fore": [ls.Payload(1.0)] * 3, "upper": [ls.Payload(1.0)] * 4})


def test_loads_of_every_run_over_time():
    force = np.random.default_rng(0).normal(size=(3, 3))
    many = ls.simulate(ARM, Q0, until=0.1, dt=1e-3, loads=lambda t: [ls.Load("fore", force=force * np.cos(9 * t))])
    assert many.count == 3
    one = ls.simulate(ARM, Q0, until=0.1, dt=1e-3, loads=lambda t: [ls.Load("fore", force=force[1] * np.cos(9 * t))])
    assert (many.member(1).q[-1] == one.q[-1]).all()


def test_gains_in_another_memory_order():
    kp = np.random.default_rng(0).uniform(5, 50, (8, 2))
    starts = np.random.default_rng(1).uniform(-0.5, 0.5, (8, 2))
    a, b = (ls.simulate(ARM, starts, tau=ls.PD(Q0, k, 5.0), until=0.2, dt=1e-3) for k in (kp, np.asfortranarray(kp)))
    assert (a.q == b.q).all()
    q = np.asfortranarray(starts)
    assert (ls.simulate(ARM, q, tau=ls.PD(Q0, kp, 5.0), until=0.2, dt=1e-3).q == a.q).all()


@pytest.mark.parametrize("options", [{}, {"dt": 1e-3}], ids=["adaptive", "fixed"])
def test_a_passive_joint_is_another_arm(options):
    """Code compiled for one arm must not serve its twin whose joint has no motor."""
    control = ls.PD([1.0, 1.0], 30.0, 3.0)
    driven = ls.simulate(ARM, Q0, tau=control, until=0.1, **options)
    passive = ls.simulate(ARM.with_joint("fore", actuated=False), Q0, tau=control, until=0.1, **options)
    assert np.abs(driven.tau[:, 1]).max() > 1
    assert np.abs(passive.tau[:, 1]).max() == 0


@pytest.mark.parametrize("every", [None, 0.1])
def test_jumps_on_steps_keep_the_order(every):
    push = ls.Profile([0.0, 0.3, 0.55], [[1.0, 0.5], [-1.0, 0.2], [0.3, -0.4]], "hold")
    exact = ls.simulate(ARM, Q0, tau=push, until=1.0, rtol=1e-12, atol=1e-13)
    errors = [np.abs(ls.simulate(ARM, Q0, tau=push, until=1.0, dt=dt, every=every).q[-1] - exact.q[-1]).max()
              for dt in (1e-2, 5e-3)]  # fmt: skip
    assert errors[0] < 1e-6
    assert errors[1] < errors[0] / 10


def test_events_between_samples_are_not_missed():
    arm = ARM.with_joint("upper", limits=ls.Limits(position=(-3.0, 0.35)))
    options = {"until": 1.0, "dt": 1e-3, "every": 0.5, "stop_at_limits": True}
    run = ls.simulate(arm, Q0, [5.0, 0.0], **options)
    exact = ls.simulate(arm, Q0, [5.0, 0.0], until=1.0, stop_at_limits=True)
    assert run.t[-1] == pytest.approx(exact.t[-1], abs=1e-6)
    many = ls.simulate(arm, np.tile(Q0, (5, 1)), [[5.0, 0.0]] * 5, **options)
    assert [event.t for event in many.events] == pytest.approx([exact.t[-1]] * 5, abs=1e-6)
    assert many.member(2).status.startswith("stopped at t = ")


def test_events_in_blocks(monkeypatch):
    """Where states of every step would take too much room, runs are done block by block."""
    stop = ls.Event(lambda t, q, qd: q[0] + 0.5, "down", stop=True)
    starts = np.random.default_rng(0).uniform(0.0, 0.4, (11, 2))
    whole = ls.simulate(ARM, starts, until=1.0, dt=1e-3, events=[stop])
    monkeypatch.setattr("lissom.simulation.integrators.fixed.ROOM", 8 * 1000 * 7 * 4)
    blocks = ls.simulate(ARM, starts, until=1.0, dt=1e-3, events=[stop])
    assert np.array_equal(whole.q, blocks.q, equal_nan=True)
    assert [(e.run, e.t) for e in whole.events] == [(e.run, e.t) for e in blocks.events]


def test_a_function_sees_one_state_also_of_many_runs():
    """As many runs as joints: rows and columns must not be confused."""
    law = lambda t, q, qd: np.array([-30 * q[1], -30 * q[0]])  # noqa: E731
    starts = np.array([[0.3, 0.1], [-0.2, 0.4]])
    many = ls.simulate(ARM, starts, tau=law, until=0.1, dt=1e-3)
    for k, start in enumerate(starts):
        assert np.abs(many.q[k, -1] - ls.simulate(ARM, start, tau=law, until=0.1, dt=1e-3).q[-1]).max() < 1e-12
    assert ls.simulate(ARM, starts[:1], tau=law, until=0.1, dt=1e-3).count == 1


def test_a_function_may_write_into_its_state():
    def law(t, q, qd):
        q *= 0.0
        return [0.0, 0.0]

    for options in ({}, {"dt": 1e-3}):
        assert np.allclose(ls.simulate(ARM, Q0, tau=law, until=0.1, **options).q[0], Q0)


def test_torques_of_every_run_beside_payloads():
    """(3, dof) with three payloads and one start: one row per run, not samples over time."""
    tau = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    run = ls.simulate(ARM, Q0, tau=tau, until=0.1, dt=1e-3, payloads=[ls.Payload(m) for m in (0.1, 0.2, 0.3)])
    assert (run.tau[:, 50] == tau).all()


@pytest.mark.parametrize("options", [{"method": "rk45"}, {"method": "rodas"}, {"dt": 1e-3, "save_every": 1}])
def test_samples_of_torques_of_every_run(options, tmp_path):
    """One by one, side by side, or in parts: each run has its own."""
    tau = np.stack([np.zeros((3, 2)), [[0.0, 1.0], [1.0, 1.0], [2.0, -1.0]]])
    parts = {"save": tmp_path / "runs.nc"} if "save_every" in options else {}
    runs = ls.simulate(ARM, np.zeros((2, 2)), tau=tau, until=0.05, **options, **parts)
    for run, own in zip(runs.q, tau, strict=True):
        alone = ls.simulate(ARM, [0, 0], tau=ls.Profile([0, 0.025, 0.05], own), until=0.05)
        assert run[-1] == pytest.approx(alone.q[-1], abs=1e-7)


def test_balance_of_parts():
    run = ls.simulate(ARM, Q0, tau=ls.PD([1.0, 0.0], 20, 3), until=1.0)
    assert run[100:].balance_error < 1e-6
    assert run.between(0.5, 1.0).balance_error < 1e-6
    assert run.at(np.linspace(0.3, 0.9, 50)).balance_error < 1e-2  # linear interpolation
    with pytest.raises(ls.InputError, match="expected a step above 0"):
        run[::-1]


@pytest.mark.parametrize("many", [False, True])
def test_an_event_that_gives_nan_keeps_the_run(many):
    odd = ls.Event(lambda t, q, qd: np.nan if t > 0.5 else 1.0, "odd")
    starts = np.tile(Q0, (3, 1)) if many else Q0
    with pytest.raises(ls.SimulationError, match="event 'odd' gave nan") as caught:
        ls.simulate(ARM, starts, until=1.0, dt=1e-2, events=[odd])
    assert caught.value.run.q.shape[-2] > 10


def test_a_function_that_fails_at_once():
    with pytest.raises(ls.SimulationError, match=r"tau\[0\] is nan.*at t = 0 s") as caught:
        ls.simulate(ls.load("puma560"), tau=lambda t, q, qd: [np.nan] * 6, until=1.0, dt=1e-2)
    assert caught.value.run is not None


def test_the_last_good_state_between_samples_is_kept():
    run = ls.simulate(ARM, Q0, tau=ls.PD([0, 0], 10, 400.0), until=1.0, dt=5e-4, every=0.5, on_failure="return")
    assert "diverged" in run.status
    assert 0.0 < run.t[-1] < 0.5


def test_a_stop_before_a_failure_is_a_stop():
    K = np.hstack([np.eye(2), np.eye(2)]) * -50.0
    stop = ls.Event(lambda t, q, qd: abs(q[0]) - 1.0, "far", stop=True)
    run = ls.simulate(ARM, Q0, tau=ls.StateFeedback(K, [0, 0]), until=30.0, dt=1e-3, events=[stop], audit=1.0)
    assert run.status.startswith("stopped at t = ")
    assert run.ok


def test_interrupted_ensembles_say_how_far_they_came(monkeypatch):
    monkeypatch.setattr("lissom.simulation.integrators.fixed.CHUNK_SECONDS", 1e-4)

    def progress(fraction):
        if fraction > 0.3:
            raise KeyboardInterrupt

    runs = ls.simulate(ARM, np.tile(Q0, (5, 1)), until=2.0, dt=1e-3, every=0.01, progress=progress, on_failure="return")
    assert runs.interrupted
    reached = float(runs.status.split("t = ")[1].split()[0])
    assert 0.5 < reached < 2.0
    assert runs.member(3).status.startswith("interrupted after")
    assert not runs.member(3).ok


def test_a_function_error_is_everyones():
    tau = lambda t, q, qd: [np.nan, 0.0] if t > 0.4 else [0.0, 0.0]  # noqa: E731
    runs = ls.simulate(ARM, np.tile(Q0, (3, 1)), tau=tau, until=1.0, dt=1e-2, on_failure="return")
    assert sorted(runs.failures) == [0, 1, 2]
    assert not runs.member(2).ok


def test_other_spacing_of_samples_is_told():
    run = ls.simulate(ARM, Q0, until=1.0, dt=1e-2, every=0.3)
    assert any("apart, so that the last one is at the end" in note for note in run.report.notes)


def test_compiled_loops_do_not_keep_arms_alive():
    arm = ls.load("two_link").with_gravity((0.1, 0.2, -9.7))
    ls.simulate(arm, Q0, tau=ls.PD(Q0, 3.0, 1.0), until=0.05, dt=1e-3)
    gone = weakref.ref(arm)
    del arm
    gc.collect()
    assert gone() is None


def test_a_pose_is_needed_to_turn_a_frame():
    with pytest.raises(ls.InputError, match="goal is a point; give a"):
        ls.simulate(ARM, Q0, tau=ls.Impedance("fore", [0.5, 0, 0], [1, 1, 1, 1, 1, 1], 1.0), until=0.1)


def test_names_with_commas_in_tables(tmp_path):
    joint = ls.Joint("revolute", name="shoulder, left")
    arm = ls.Arm("odd", [ls.Link("a", joint=joint, mass=1.0, com=(0.1, 0, 0), inertia=0.1)])
    run = ls.simulate(arm, [0.1], until=0.1)
    run.save(tmp_path / "a.csv")
    assert (ls.load_run(tmp_path / "a.csv").q == run.q).all()


def test_resuming_with_other_events_is_refused(tmp_path):
    def progress(fraction):
        if fraction > 0.5:
            raise KeyboardInterrupt

    arm = ARM.with_joint("upper", limits=ls.Limits(position=(-0.5, 1.0)))
    starts = np.tile(Q0, (12, 1))
    options = {"until": 0.5, "dt": 1e-3, "save": tmp_path / "a.nc", "save_every": 4}
    with pytest.raises(KeyboardInterrupt):
        ls.simulate(arm, starts, **options, progress=progress)
    with pytest.raises(ls.InputError, match="a different simulation"):
        ls.simulate(arm, starts, **options, resume=True, stop_at_limits=True)
    assert ls.simulate(arm, starts, **options, resume=True).count == 12


def long_flexible_arm(turned=False):
    """Twelve joints and a last link that bends: too large for straight-line code; on a table that turns, or not."""
    links = [ls.Link("table", mass=1.0, inertia=0.3)] if turned else []
    for k in range(12):
        joint = ls.Joint("revolute", axis=((0, 0, 1), (0, 1, 0))[k % 2], damping=0.02)
        body = {"mass": 0.3, "com": (0.05, 0.01, 0), "inertia": 1e-3}
        if k == 11:
            body = {"beam": ls.Beam(length=0.4, mass_per_length=0.5, EI=(9.0, 7.0), modes=ls.Modes(bending_z=2))}
        parent = links[-1].name if links else None
        X = np.eye(4)
        X[0, 3] = 0.11 * (k > 0)
        links.append(ls.Link(f"l{k}", parent, joint.replace(placement=X), **body))
    return ls.Arm("long", links, gravity=(0, 0, -9.81))


def test_a_moving_base_below_many_joints_and_a_link_that_bends():
    """Against the same arm on a table whose joint is led; once an AttributeError. `outer` is audited by the energy."""
    rate = 0.7
    arm, table = long_flexible_arm(), long_flexible_arm(turned=True)
    q0 = np.append(np.linspace(-0.3, 0.4, 12), [0.0, 0.0])
    spin = ls.BaseMotion(angular_velocity=(0, 0, rate))
    run = ls.simulate(arm, q0, until=0.05, base=spin, dt=1e-3, method="rk8")
    led = ls.simulate(table, np.append(0.0, q0), np.append(rate, 0 * q0), until=0.05, dt=1e-3, method="rk8",
                      prescribed={"table": 0.0})  # fmt: skip
    assert run.ok
    assert abs(run.work[-1, 2]) > 1e-3 * run.kinetic.max()
    assert np.abs(run.q[-1] - led.q[-1, 1:]).max() < 1e-9


def test_an_arm_at_rest_is_in_balance():
    """It moves by rounding, some 1e-16 J, and once that was compared with itself: out of balance by 1."""
    arm, q = ls.load("stanford"), np.array([0.3, 0.2, 0.5, 0.4, 0.7, 0.1])
    run = ls.simulate(arm, q, tau=ls.gravity_forces(arm, q), until=1.0)
    assert run.kinetic.max() > 0
    assert run.ok, run.status
    assert run.balance_error == 0.0


def test_small_motions_are_audited():
    """A swing of microjoules beside joules of weight times reach; coarse steps are found out."""
    arm = ls.load("two_link").with_gravity((0, -9.81, 0))
    q = np.array([-np.pi / 2 + 1e-3, 0.0])
    coarse, fine = (ls.simulate(arm, q, until=2.0, method="rk4", dt=dt) for dt in (0.1, 1e-3))
    assert 0 < fine.potential.max() - fine.potential.min() < 1e-5
    assert fine.ok, fine.status
    assert coarse.balance_error > 1e-4
    assert not coarse.ok
