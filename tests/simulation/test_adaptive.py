"""Adaptive integration: trial steps that overflow, stiffness at the start and on the way, divergence."""

import numpy as np
import pytest

import lissom as ls
from lissom.engine import compile as compiler
from lissom.simulation.integrators import adaptive

ARM = ls.load("two_link")
Q0 = np.array([0.3, -0.4])


@pytest.mark.parametrize("method", ["rk45", "dop853", "radau", "bdf"])
def test_an_arm_at_rest_stays_there(method):
    """At the equilibrium steps grow until one of them overflows: it is cut, and the run goes on."""
    run = ls.simulate(ARM, Q0, tau=ls.PD(Q0, 200, 40, gravity=True), until=1.0, method=method)
    assert run.status == "done"
    assert np.abs(run.q - Q0).max() < 1e-9


def test_a_function_that_fails_far_away_only_cuts_the_step():
    """A trial state beyond the range of the user's function is no state of the motion."""

    def tau(t, q, qd):
        if np.abs(qd).max() > 1e3:
            raise ValueError("out of range")
        return 200 * (Q0 - q) - 4000 * qd

    run = ls.simulate(ARM, Q0, [1.0, 0.0], tau=tau, until=0.05, method="dop853")
    assert run.status == "done"


def test_what_fails_at_all_steps_is_named():
    def tau(t, q, qd):
        return [np.nan if t > 0.02 else 0.0, 0.0]

    with pytest.raises(ls.SimulationError, match=r"tau\[0\] is nan.*at t = 0.02 s"):
        ls.simulate(ARM, Q0, tau=tau, until=0.1)


def test_divergence_is_confirmed_and_named():
    K = -100.0 * np.hstack([np.eye(2), np.eye(2)])
    with pytest.raises(
        ls.SimulationError, match=r"diverged at t = .*'(upper|fore)' reached .*unstable.*pole \+"
    ) as caught:
        ls.simulate(ARM, Q0, tau=ls.StateFeedback(K, [0, 0]), until=30.0)
    assert np.isfinite(caught.value.run.q).all()


def test_stiffness_on_the_way_changes_the_method():
    """Damping that grows with time: nothing is stiff at the start."""
    kd = lambda t: 1.0 + 3e3 * min(1.0, t / 0.05)  # noqa: E731
    control = ls.PD(Q0, 100.0, kd)
    run = ls.simulate(ARM, Q0 + 0.1, tau=control, until=3.0)
    assert run.status == "done"
    assert run.report.method == "dop853"
    assert any("stability limits the steps of dop853" in note for note in run.report.notes)
    sure = ls.simulate(ARM, Q0 + 0.1, tau=control, until=3.0, method="radau", rtol=1e-10, atol=1e-12)
    assert np.abs(run.q - sure.q).max() < 1e-6
    asked = ls.simulate(ARM, Q0 + 0.1, tau=control, until=0.06, method="dop853")
    assert not any("radau" in note for note in asked.report.notes)


def test_an_interrupt_between_sample_and_state_leaves_a_run_in_order(monkeypatch):
    """Ctrl-C after a step was taken, before its samples are stored."""
    keep, calls = adaptive.Adaptive._keep, []

    def interrupted(self, t, y, path=None):
        calls.append(t)
        if len(calls) == 4:
            raise KeyboardInterrupt
        keep(self, t, y, path)

    monkeypatch.setattr(adaptive.Adaptive, "_keep", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        ls.simulate(ARM, Q0, until=1.0)
    run = caught.value.run
    assert run.interrupted
    assert np.isfinite(run.q).all()
    assert (np.diff(run.t) > 0).all()


def test_new_numbers_of_a_known_arm_compile_nothing(monkeypatch):
    """Payload, friction in other joints, a load on another link: steps from Python run on tapes, as do equilibria."""
    arm = ls.load("ur5")
    names, q0 = [joint.name for joint in arm.joints], [0.1, -0.4, 0.3, 0.2, 0.1, 0.3]
    load = lambda link: [ls.Load(link, force=(1.0, 0.0, -5.0))]  # noqa: E731

    def rough(*some):
        return arm.replace(
            links=[link.replace(joint=link.joint.replace(friction=0.3 * (link.joint.name in some)))
                   for link in arm.links]
        )  # fmt: skip

    def all_of(arm, **more):
        assert ls.simulate(arm, q0, until=0.02, **more).ok
        assert np.abs(ls.equilibrium(arm, q0, loads=more.get("loads", ())).tau).max() > 1.0
        assert ls.linearise(arm, q0).A.shape == (12, 12)

    for known, more in ((arm, {}), (rough(*names), {}), (arm, {"loads": load(arm.links[-1].name)})):
        all_of(known, **more)
    compiled, real = [], compiler.object_code
    monkeypatch.setattr(compiler, "object_code", lambda *given: compiled.append(given) or real(*given))
    all_of(arm.with_payload(ls.Payload(1.3, com=(0.02, 0.01, 0.05), inertia=np.diag([0.01, 0.02, 0.015]))))
    all_of(rough(*names[1::2]))
    all_of(arm.replace(gravity=(0.3, 0.1, -9.0)))
    all_of(arm, loads=load(arm.links[2].name))
    assert not compiled
