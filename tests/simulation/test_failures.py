"""Runs that end early keep what they have and say what to do; bad input gets the sentence that helps."""

import re

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link")
Q0 = np.array([0.3, 0.1])


def refused(match, *arguments, **options):
    options = {"until": 1.0, **options}
    with pytest.raises(ls.LissomError) as caught:
        ls.simulate(ARM, *arguments, **options)
    assert re.search(match, str(caught.value)), str(caught.value)


@pytest.mark.parametrize(
    ("match", "options"),
    [
        (r"until is missing", {"until": None}),
        (r"until is -1; expected a number above 0, in seconds", {"until": -1}),
        (r"dt is 0; expected a number above 0", {"dt": 0}),
        (r"dt is 2 s, longer than the whole run of 1 s", {"dt": 2.0}),
        (r"rtol is 1e-16; double precision", {"rtol": 1e-16}),
        (r"method is 'euler'; expected None or one of rk4, rk8, rk45", {"method": "euler"}),
        (r"dt is the step of methods 'rk4' and 'rk8'; 'radau' has adaptive steps", {"method": "radau", "dt": 1e-3}),
        (r"tau has 3 entries; expected 2, one per joint \(upper, fore\)", {"tau": [1, 2, 3]}),
        (r"tau is 'pd'|tau is .*expected numbers", {"tau": "pd"}),
        (r"on_failure is 'ignore'", {"on_failure": "ignore"}),
        (r"PD: kd\[0\] is -1; a negative gain", {"tau": ls.PD(Q0, 1, -1)}),
        (r"PD: kp has 5 entries; expected 1 for all joints, or 2, one per joint", {"tau": ls.PD(Q0, [1] * 5, 1)}),
        (r"ComputedTorque: model 'puma560' has other coordinates than arm 'two_link'.*only the model has waist",
         {"tau": ls.ComputedTorque(Q0, 1, 1, model=ls.load("puma560"))}),
        (r"PD: got str where an Arm was expected", {"tau": ls.PD(Q0, 1, 1, model="puma560")}),
        (r"StateFeedback: K has shape \(2, 3\); expected \(2, 4\)", {"tau": ls.StateFeedback(np.ones((2, 3)), Q0)}),
        (r"there is no link or tool 'hand'", {"tau": ls.Impedance("hand", [0, 0, 0], 1, 1)}),
        (r"prescribed has 'elbow'; known: upper, fore|did you mean", {"prescribed": {"elbow": 1.0}}),
        (r"prescribed is \[1.0\]; expected", {"prescribed": [1.0]}),
        (r"loads has 3; expected Load", {"loads": [3]}),
        (r"base is 'shaking'; expected BaseMotion", {"base": "shaking"}),
        (r"events has 3; expected Event", {"events": [3]}),
        (r"payloads of .* is .*; expected a list of Payload", {"payloads": ls.Payload(1.0)}),
        (r"save_every needs save", {"save_every": 3}),
        (r"resume needs the same save", {"resume": True}),
        (r"progress is 3; expected True", {"progress": 3}),
    ],
)  # fmt: skip
def test_bad_input(match, options):
    refused(match, Q0, **options)


def test_numbers_of_runs_must_fit():
    refused(r"the numbers of runs differ: q0 3, .* 4", np.zeros((3, 2)), tau=ls.PD(np.zeros((4, 2)), 1, 1))
    refused(r"tau has 4 rows for 3 runs; give one row per run, or Profile", np.zeros((3, 2)), tau=np.zeros((4, 2)))


def test_a_limit_that_the_arm_does_not_have():
    arm = ARM.with_joint("fore", limits=ls.Limits())
    with pytest.raises(ls.InputError, match="limit is True, but the arm has no torque limits for fore"):
        ls.simulate(arm, Q0, tau=ls.PD(Q0, 1, 1, limit=True), until=1.0)
    run = ls.simulate(ARM, Q0, tau=ls.PD(Q0 + 3, 1e3, 10, limit=True), until=0.1)
    assert np.abs(run.tau).max() <= ARM.bounds("torque")[1].max() * (1 + 1e-12)


def test_times_of_profiles_must_increase():
    with pytest.raises(ls.InputError, match=r"t\[2\] is 0.5 after t\[1\] = 1; times must increase"):
        ls.Profile([0, 1, 0.5], [1, 2, 3])
    with pytest.raises(ls.InputError, match="one row for each of 3 times"):
        ls.Profile([0, 1, 2], [1, 2])


@pytest.mark.parametrize("options", [{}, {"dt": 1e-3}, {"method": "radau"}], ids=["adaptive", "fixed", "implicit"])
def test_a_function_that_gives_nan_is_named_with_the_time(options):
    """What was computed until then is kept."""
    tau = lambda t, q, qd: np.array([0.0, np.nan if t > 0.4 else 0.0])  # noqa: E731
    with pytest.raises(ls.SimulationError) as caught:
        ls.simulate(ARM, Q0, tau=tau, until=1.0, **options)
    message = str(caught.value)
    assert re.search(r"tau\[1\] is nan; .* at t = 0\.4\d* s", message), message
    run = caught.value.run
    assert 0 < run.t[-1] <= 0.4 + 1e-9
    assert np.isfinite(run.q).all()
    assert not run.ok
    again = ls.simulate(ARM, Q0, tau=tau, until=1.0, on_failure="return", **options)
    assert (again.q == run.q).all()


def test_a_load_that_gives_nan_is_named_with_the_time():
    loads = lambda t: [ls.Load("fore", force=[0, 0, 1.0 / max(0.0, 0.5 - t) if t < 0.5 else np.inf])]  # noqa: E731
    with pytest.raises(ls.LissomError, match="force"):
        ls.simulate(ARM, Q0, until=1.0, loads=loads)


@pytest.mark.parametrize("shape", ["wrong length", "wrong type"])
def test_a_function_that_gives_something_else(shape):
    bad = {"wrong length": lambda t, q, qd: [1.0, 2.0, 3.0], "wrong type": lambda t, q, qd: "much"}[shape]
    with pytest.raises(
        ls.LissomError, match=r"tau (has 3 entries; expected 2|is 'much').*tau\(t, q, qd\) at t = 0 s"
    ) as caught:
        ls.simulate(ARM, Q0, tau=bad, until=1.0)
    assert "initial state" not in str(caught.value)


def test_a_torque_that_is_nan_is_named_with_its_entry():
    with pytest.raises(ls.LissomError) as caught:
        ls.simulate(ARM, Q0, tau=lambda t, q, qd: [np.nan, 0.0], until=1.0)
    expected = "tau[0] is nan; expected finite numbers (from tau(t, q, qd) at t = 0 s)."
    assert expected in str(caught.value)
    assert "initial state" not in str(caught.value)


def test_a_function_that_raises_at_the_start_is_not_blamed_on_the_state():
    with pytest.raises(ls.LissomError, match=r"tau\(t, q, qd\) raised ZeroDivisionError at t = 0 s") as caught:
        ls.simulate(ARM, Q0, tau=lambda t, q, qd: 1 / 0, until=1.0)
    assert "initial state" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tau": lambda t, q: 0}, r"tau is a function with the arguments \(t, q\); expected tau\(t, q, qd\)"),
        ({"loads": lambda a, b: []}, r"loads is a function with the arguments \(a, b\); expected loads\(t\)"),
        ({"base": lambda t, q: None}, r"base is a function with the arguments \(t, q\); expected base\(t\)"),
        ({"prescribed": {"fore": lambda t, q: 0.0}}, r"prescribed\['fore'\] is a function .* expected f\(t\)"),
        ({"events": [lambda t: t]}, r"Event: function is a function .* \(t\); expected f\(t, q, qd\)"),
    ],
)
def test_functions_with_other_arguments_are_refused_before_the_first_step(given, message):
    with pytest.raises(ls.InputError, match=message):
        ls.simulate(ARM, Q0, until=1.0, **given)


def test_gains_too_stiff_for_the_step_say_which_step_would_do():
    """RK4 with kd / inertia beyond its reach."""
    with pytest.raises(ls.SimulationError) as caught:
        ls.simulate(ARM, Q0, tau=ls.PD([0, 0], 10.0, 2000.0), until=2.0, dt=1e-2)
    message = str(caught.value)
    assert "diverged at t = " in message
    limit = float(re.search(r"steps above ([\d.e-]+) s are unstable", message).group(1))
    run = ls.simulate(ARM, Q0, tau=ls.PD([0, 0], 10.0, 2000.0), until=0.05, dt=0.9 * limit)
    assert run.report.dt < limit
    assert np.isfinite(run.q).all()
    assert caught.value.run.t[-1] < 2.0


def test_feedback_of_the_wrong_sign_is_named():
    K = np.hstack([np.eye(2), np.eye(2)]) * -400.0
    with pytest.raises(ls.SimulationError, match=r"unstable at the start \(pole \+.*signs of the gains"):
        ls.simulate(ARM, Q0, tau=ls.StateFeedback(K, [0, 0]), until=30.0)


def test_stiff_arms_get_the_implicit_method():
    stiff = ls.simulate(ARM, Q0, tau=ls.PD([0, 0], 10.0, 2000.0), until=2.0)
    assert stiff.report.method == "radau"
    assert "decay rate" in stiff.report.why
    assert stiff.ok
    assert "requested" in ls.simulate(ARM, Q0, until=0.1, method="rk45").report.why
    assert ls.simulate(ARM, Q0, until=0.1, rtol=1e-3).report.method == "rk45"


def gimbal():
    """A wrist without mass but at its end: first and last axes fall in line when the middle one is straight."""
    z, y = (0, 0, 1), (0, 1, 0)
    inertia = np.array([[0.1, 0.01, 0.0], [0.01, 0.12, 0.02], [0.0, 0.02, 0.05]])
    links = [
        ls.Link("a", joint=ls.Joint("revolute", axis=z)),
        ls.Link("b", "a", ls.Joint("revolute", axis=y)),
        ls.Link("c", "b", ls.Joint("revolute", axis=z), mass=1.0, com=(0.1, 0, 0.3), inertia=inertia),
    ]
    return ls.Arm("gimbal", links, gravity=(0, 0, 0))


@pytest.mark.parametrize(
    "options", [{}, {"dt": 1e-3}, {"dt": 1e-3, "every": 0.1}], ids=["adaptive", "fixed", "sampled"]
)
def test_singular_inertia_ends_a_run_with_the_joint(options):
    arm = gimbal()
    with pytest.raises(ls.SimulationError, match=r"singular at this position.*joints? 'a'") as caught:
        ls.simulate(arm, [0.0, 0.0, 0.0], [0.1, 0.2, 0.3], until=0.2, **options)
    assert caught.value.run.t[-1] == 0.0
    kept = ls.simulate(arm, [0.0, 0.0, 0.0], [0.1, 0.2, 0.3], until=0.2, on_failure="return", **options)
    assert kept.failures[0]


def test_numbers_that_overflow():
    with pytest.raises(ls.SimulationError) as caught:
        ls.simulate(ARM, Q0, tau=lambda t, q, qd: [0, 1e300 if t > 0.05 else 0.0], until=0.2)
    assert caught.value.run.t[-1] <= 0.1


@pytest.mark.parametrize("word", ["q0", "qd0"])
def test_initial_states_beyond_all_bounds_are_refused(word):
    states = np.zeros((3, 2))
    states[1, 0] = -1e200
    with pytest.raises(ls.InputError, match=rf"{word}\[1, 0\] is -1e\+200; expected less than 100000 rad"):
        ls.simulate(ARM, **{"q0": np.zeros((3, 2)), word: states}, until=0.1)


def test_energy_out_of_balance_is_said():
    run = ls.simulate(ARM, Q0, [3.0, -5.0], until=2.0, dt=0.1)
    assert run.status.startswith("the energy balance error is ")
    assert run.status.endswith("though the run reached its end; try a smaller dt")
    assert not run.ok
    assert ls.simulate(ARM, Q0, [3.0, -5.0], until=2.0, dt=0.1, audit=1.0).ok


def test_a_failed_run_can_be_saved(tmp_path):
    file = tmp_path / "failed.nc"
    with pytest.raises(ls.SimulationError):
        ls.simulate(ARM, Q0, tau=ls.PD([0, 0], 10.0, 2000.0), until=2.0, dt=1e-3, save=file)
    run = ls.load_run(file)
    assert "diverged" in run.status
    assert run.failures[0]
    assert len(run.t) > 1


def test_some_runs_of_many_may_fail():
    gains = np.array([[20.0], [20.0], [2000.0], [20.0], [20.0]])
    with pytest.raises(ls.SimulationError, match=r"1 of 5 runs failed; run 2: .*diverged"):
        ls.simulate(ARM, Q0, tau=ls.PD([0, 0], 10.0, gains), until=1.0, dt=5e-3)
    runs = ls.simulate(ARM, Q0, tau=ls.PD([0, 0], 10.0, gains), until=1.0, dt=5e-3, on_failure="return")
    assert list(runs.failures) == [2]
    assert np.isfinite(runs.q[[0, 1, 3, 4]]).all()
    assert np.isnan(runs.q[2, -1]).all()
    assert runs.member(2).t[-1] < 1.0
    alone = ls.simulate(ARM, Q0, tau=ls.PD([0, 0], 10.0, 20.0), until=1.0, dt=5e-3, every=0.01)
    assert (runs.member(3).q == alone.q).all()


def test_interrupted_runs_are_kept(monkeypatch):
    """Ctrl-C in the middle."""
    monkeypatch.setattr("lissom.simulation.integrators.fixed.CHUNK_SECONDS", 1e-4)
    calls = []

    def progress(fraction):
        calls.append(fraction)
        if fraction > 0.3:
            raise KeyboardInterrupt

    for options in ({}, {"dt": 1e-4}):
        calls.clear()
        with pytest.raises(KeyboardInterrupt) as caught:
            ls.simulate(ARM, Q0, until=2.0, progress=progress, **options)
        run = caught.value.run
        assert "interrupted at t = " in run.status
        assert 0.1 < run.t[-1] < 2.0
        calls.clear()
        kept = ls.simulate(ARM, Q0, until=2.0, progress=progress, on_failure="return", **options)
        assert kept.status.startswith("interrupted")


# ---- events --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"dt": 1e-3}, {"dt": 1e-3, "every": 0.02}], ids=["adaptive", "fixed", "sampled"]
)
def test_events_are_located_exactly(options):
    """A falling pendulum passes a given angle; the run ends there when asked to."""
    passed = ls.Event(lambda t, q, qd: q[0] + 0.7, "passed", direction=-1)
    stop = ls.Event(lambda t, q, qd: q[0] + 1.0, "down", stop=True)
    run = ls.simulate(ARM, Q0, until=2.0, events=[passed, stop], **options)
    assert [event.name for event in run.events] == ["passed", "down"]
    assert abs(run.events[0].q[0] + 0.7) < 1e-9
    assert abs(run.q[-1, 0] + 1.0) < 1e-9
    assert run.t[-1] == run.events[1].t
    assert run.status == f"stopped at t = {run.t[-1]:.6g} s: down"
    assert run.ok
    tight = ls.simulate(ARM, Q0, until=2.0, events=[stop], rtol=1e-12, atol=1e-13)
    assert run.t[-1] == pytest.approx(tight.t[-1], abs=1e-7)


def test_events_of_many_runs():
    stop = ls.Event(lambda t, q, qd: q[0] + 1.0, "down", stop=True)
    starts = np.array([[0.3, 0.1], [0.0, 0.0], [-0.5, 0.2]])
    runs = ls.simulate(ARM, starts, until=1.0, dt=1e-3, events=[stop])
    for k, start in enumerate(starts):
        one = ls.simulate(ARM, start, until=1.0, dt=1e-3, events=[stop])
        mine = [event for event in runs.events if event.run == k]
        assert len(mine) == 1
        assert mine[0].t == pytest.approx(one.t[-1], abs=1e-9)
        last = runs.member(k)
        assert last.t[-1] <= one.t[-1]
        assert np.isnan(runs.q[k, len(last.t) :]).all()
    assert "3 of 3 runs were stopped by events" in runs.status


def test_limits_are_noted_or_stop():
    arm = ARM.with_joint("upper", limits=ls.Limits(position=(-0.5, 1.0)))
    noted = ls.simulate(arm, Q0, until=1.0)
    assert noted.events[0].name == "upper at its lower limit"
    assert abs(noted.events[0].q[0] + 0.5) < 1e-9
    assert noted.t[-1] == 1.0
    stopped = ls.simulate(arm, Q0, until=1.0, stop_at_limits=True)
    assert abs(stopped.q[-1, 0] + 0.5) < 1e-9
    many = ls.simulate(arm, np.tile(Q0, (5, 1)), until=1.0, dt=1e-3)
    assert many.events[0].t == pytest.approx(noted.events[0].t, abs=1e-5)


def test_scipy_style_events():
    def down(t, q, qd):
        return q[0] + 1.0

    down.terminal, down.direction = True, -1
    run = ls.simulate(ARM, Q0, until=2.0, events=[down])
    assert run.events[-1].name == "down"
    assert abs(run.q[-1, 0] + 1.0) < 1e-9


def test_an_event_that_gives_nan():
    with pytest.raises(ls.SimulationError, match=r"event 'odd' gave nan at t = "):
        ls.simulate(ARM, Q0, until=1.0, events=[ls.Event(lambda t, q, qd: np.nan if t > 0.5 else 1.0, "odd")])
