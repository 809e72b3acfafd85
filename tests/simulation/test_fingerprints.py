"""An ensemble that was saved under one function is not resumed under another."""

import numpy as np
import pytest

import lissom as ls
from lissom.simulation import integrate
from lissom.simulation.options import Options, Scenario
from lissom.simulation.records.parts import Store, fingerprint_of

ARM = ls.load("two_link")
STARTS = np.zeros((4, 2))


def printed(tau=None, **more):
    options = Options(until=0.1, dt=1e-3)
    scene = integrate.prepare(Scenario(ARM, STARTS, tau=tau, **more), options)
    total, unseen = fingerprint_of(*scene[:2], options.numerical(), scene.events, 2)
    assert unseen == ()
    return total


def closure(gain):
    return lambda t, q, qd: [-gain * q[0], 0.0]


def default(gain):
    return lambda t, q, qd, gain=gain: [-gain * q[0], 0.0]


class Law:
    def __init__(self, gain):
        self.gains = {"elbow": [gain]}

    def torque(self, q):
        return [-self.gains["elbow"][0] * q[0], 0.0]


def with_object(gain):
    law = Law(gain)
    return lambda t, q, qd: law.torque(q)


def listed(gain):
    gains = [gain]
    return lambda t, q, qd: [-gains[0] * q[0], 0.0]


def constant(gain):
    scope = {}
    exec(f"def tau(t, q, qd): return [-{gain} * q[0], 0.0]", scope)
    return scope["tau"]


def table(gain):
    scope = {"gains": {"elbow": np.array([gain])}}
    exec("def tau(t, q, qd): return [-gains['elbow'][0] * q[0], 0.0]", scope)
    return scope["tau"]


SOURCES = [constant, default, closure, listed, with_object, table]


@pytest.mark.parametrize("make", SOURCES)
def test_what_a_torque_function_takes_from_outside_counts(make):
    assert printed(make(1.0)) == printed(make(1.0))
    assert printed(make(1.0)) != printed(make(50.0))


def test_constants_of_functions_count():
    assert printed(lambda t, q, qd: [1.0, 0.0]) != printed(lambda t, q, qd: [50.0, 0.0])
    low, high = (ls.PD(lambda t, a=a: [a if 0.01 < t < 0.02 else 0.0, 0.0], 10, 1, qd=0.0) for a in (1.0, 2.0))
    assert printed(low) != printed(high)
    push = [lambda t, f=f: [ls.Load("fore", [f * (0.01 < t < 0.02), 0, 0])] for f in (1.0, 2.0)]
    assert printed(loads=push[0]) != printed(loads=push[1])
    events = [[ls.Event(lambda t, q, qd, at=at: q[0] - at, "there")] for at in (1.0, 2.0)]
    assert printed(events=events[0]) != printed(events=events[1])


class Ramp:
    """A reference with an attribute that says where it comes from."""

    source = "table.csv"

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, t):
        return np.array([self.rate * t, 0.0])


def test_references_count_by_all_that_they_are():
    assert printed(ls.PD(Ramp(1.0), 10, 1)) == printed(ls.PD(Ramp(1.0), 10, 1))
    assert printed(ls.PD(Ramp(1.0), 10, 1)) != printed(ls.PD(Ramp(2.0), 10, 1))
    line = ls.Profile([0.0, 1.0], [[0.0, 0.0], [1.0, 0.5]])
    assert printed(ls.PD(line, 10, 1)) != printed(ls.PD(line, 10, 1, qd=line))  # its derivative is another function


@pytest.fixture
def interrupted(tmp_path, monkeypatch):
    """Return a function: given torques, it leaves one block of runs and returns the arguments to resume with."""
    given = {"until": 0.02, "dt": 1e-3, "save": tmp_path / "runs.nc", "save_every": 2}
    keep = Store.keep

    def once(self, k, run):
        keep(self, k, run)
        raise RuntimeError("killed")

    def begin(tau):
        with monkeypatch.context() as patch:
            patch.setattr(Store, "keep", once)
            with pytest.raises(RuntimeError, match="killed"):
                ls.simulate(ARM, STARTS, tau=tau, **given)
        return given | {"resume": True}

    return begin


@pytest.mark.parametrize("make", SOURCES)
def test_a_resumed_ensemble_does_not_mix_two_simulations(interrupted, make):
    given = interrupted(make(1.0))
    with pytest.raises(
        ls.InputError, match=r"a different simulation: .*functions, or values that functions use differ"
    ):
        ls.simulate(ARM, STARTS, tau=make(50.0), **given)
    assert ls.simulate(ARM, STARTS, tau=make(1.0), **given).ok


def test_an_ensemble_that_cannot_be_compared_is_not_resumed(interrupted):
    def make():
        noise = (0.1 * k for k in range(10**9))
        return lambda t, q, qd: [next(noise), 0.0]

    given = interrupted(make())
    with pytest.raises(ls.InputError, match=r"resumed: the content of <lambda>: noise \(builtins.generator\)"):
        ls.simulate(ARM, STARTS, tau=make(), **given)


# ---- controllers -----------------------------------------------------------------------------------


def own_law(body, **scope):
    """Return a controller with a law that is compiled, whose code takes values from outside."""
    scope |= {"ls": ls}
    exec(f"class Law(ls.Controller):\n    def law(self, q, qd{scope.pop('more', '')}):\n        return {body}", scope)
    return scope["Law"]()


def law_constant(gain):
    return own_law(f"[-{gain} * x for x in q]")


def law_default(gain):
    return own_law("[-gain * x for x in q]", more=f", gain={gain}")


def law_global(gain):
    return own_law("[-gain * x for x in q]", gain=gain)


def law_table(gain):
    return own_law("[-gains['elbow'][0] * x for x in q]", gains={"elbow": np.array([gain])})


def law_closure(gain):
    class Law(ls.Controller):
        def law(self, q, qd):
            return [-gain * x for x in q]

    return Law()


def law_attribute(gain):
    class Law(ls.Controller):
        def __init__(self):
            self.gains = {"elbow": [gain]}

        def law(self, q, qd):
            return [-self.gains["elbow"][0] * x for x in q]

    return Law()


def python_attribute(gain):
    class Law(ls.Controller):
        def __init__(self):
            self.gains = [gain]

        def torque(self, t, q, qd):
            return -self.gains[0] * q

    return Law()


def python_closure(gain):
    class Law(ls.Controller):
        def torque(self, t, q, qd):
            return -gain * q

    return Law()


def reference_table(gain):
    return ls.PD(ls.Profile([0.0, 0.02], [[0.0, 0.0], [gain, 0.0]]), 10, 1)


def reference_closure(gain):
    return ls.PD(lambda t: [gain * t, 0.0], 10, 1, qd=0.0)


def reference_default(gain):
    return ls.PD(lambda t, gain=gain: [gain * t, 0.0], 10, 1, qd=0.0)


def feedforward_table(gain):
    return ls.PD([0.0, 0.0], 10, 1, tau=ls.Profile([0.0, 0.02], [[0.0, 0.0], [gain, 0.0]]))


def gain_number(gain):
    return ls.PD([0.0, 0.0], gain, 1)


def gain_matrix(gain):
    return ls.StateFeedback(gain * np.eye(2, 4), [0.0, 0.0])


def model(gain):
    return ls.GravityCompensation(model=ARM.with_link("fore", mass=gain))


def goal(gain):
    return ls.Impedance("fore", [gain, 0.4, 0.0], 20, 2)


def integral(gain):
    return ls.PID([0.0, 0.0], 10, 5, 1, integral=gain)


def tracking_rate(gain):
    return ls.PID([0.0, 0.0], 10, 5, 1, limit=3.0, kt=gain)


CONTROLLERS = [
    law_constant, law_default, law_global, law_table, law_closure, law_attribute, python_attribute, python_closure,
    reference_table, reference_closure, reference_default, feedforward_table, gain_number, gain_matrix, model, goal,
    integral, tracking_rate,
]  # fmt: skip


@pytest.mark.parametrize("make", CONTROLLERS)
def test_what_a_controller_is_made_of_counts(make):
    assert printed(make(1.0)) == printed(make(1.0))
    assert printed(make(1.0)) != printed(make(1.5))


@pytest.mark.parametrize("make", [law_closure, law_table, python_attribute, reference_table, model, integral])
def test_ensembles_of_another_controller_are_not_resumed(interrupted, make):
    given = interrupted(make(1.0))
    with pytest.raises(ls.InputError, match="a different simulation"):
        ls.simulate(ARM, STARTS, tau=make(1.5), **given)
    assert ls.simulate(ARM, STARTS, tau=make(1.0), **given).ok


def test_a_motion_counts_by_its_curves(interrupted):
    plan = {"start": [0, 0], "duration": 0.5, "minimise": "torque_squared", "starts": 1, "segments": 4}
    motions = [ls.predict_motion(ARM, goal=goal, **plan) for goal in ([0.5, 0.3], [0.5, 0.3], [0.4, 0.3])]
    controls = [ls.Follow(motion, kp=10, kd=1) for motion in motions]
    assert printed(controls[0]) == printed(controls[1]) != printed(controls[2])
    K = np.eye(2, 4)
    assert printed(ls.Follow(motions[0], K=[K, K])) != printed(ls.Follow(motions[0], K=[K, 2 * K]))


# ---- what else acts on the arm ---------------------------------------------------------------------


def prescribed_closure(x):
    return {"prescribed": {"upper": lambda t: x * np.sin(9 * t)}}


def prescribed_table(x):
    rates = {"upper": np.array([x, 2 * x])}
    return {"prescribed": {"upper": lambda t: rates["upper"][int(t > 0.05)]}}


def load_table(x):
    return {"loads": [ls.Load("fore", force=[[x, 0.0, 0.0]] * 4)]}


def load_closure(x):
    return {"loads": lambda t: [ls.Load("fore", [x, 0.0, 0.0])]}


def base_closure(x):
    return {"base": lambda t: ls.BaseMotion(linear_acceleration=(x * t, 0.0, 0.0))}


def base_number(x):
    return {"base": ls.BaseMotion(linear_acceleration=(x, 0.0, 0.0))}


def payload_table(x):
    return {"payloads": [ls.Payload(x)] * 4}


def arm_table(x):
    return {"arms": [ARM, ARM.with_link("fore", mass=x), ARM, ARM]}


def event_default(x):
    return {"events": [ls.Event(lambda t, q, qd, at=x: q[0] - at, "there")]}


ACTING = [prescribed_closure, prescribed_table, load_table, load_closure, base_closure, base_number, payload_table,
          arm_table, event_default]  # fmt: skip


@pytest.mark.parametrize("make", ACTING)
def test_what_acts_on_the_arm_counts(make):
    assert printed(**make(1.0)) == printed(**make(1.0))
    assert printed(**make(1.0)) != printed(**make(1.5))


def test_other_versions_are_another_simulation(monkeypatch):
    before = printed()
    monkeypatch.setattr("lissom.simulation.records.parts.versions", lambda: {"lissom": "0.0"})
    assert printed() != before
