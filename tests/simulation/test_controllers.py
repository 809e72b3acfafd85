"""Controllers: classes derived from them, and what they neglect."""

import numpy as np
import pytest

import lissom as ls
from lissom.simulation.controllers import Controller

ARM = ls.load("two_link")
CASES = [
    (ls.PD, {"q": [0, 0], "kp": 10.0, "kd": 1.0}),
    (ls.ComputedTorque, {"q": [0, 0], "kp": 10.0, "kd": 1.0}),
    (ls.GravityCompensation, {}),
]


@pytest.mark.parametrize(("base", "given"), CASES, ids=[base.__name__ for base, _ in CASES])
def test_derived_controllers_work_like_their_base(base, given):
    class Derived(base):
        pass

    ends = [ls.simulate(ARM, [0.1, 0.2], tau=kind(**given), until=0.05, dt=1e-3).q for kind in (base, Derived)]
    assert np.array_equal(*ends)


def test_a_controller_without_a_law_is_refused():
    class Own(Controller):
        def signals(self, arm):
            return []

    with pytest.raises(ls.InputError, match=r"Own, which has no law\. Derive it from PD"):
        ls.simulate(ARM, [0, 0], tau=Own(), until=0.1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tau": "pd"}, r"tau is 'pd'; expected None, numbers .*Profile.*PD, ComputedTorque.*function tau\(t, q, qd\)"),
        ({"tau": ls.PD}, r"tau is the class PD; expected one of its objects"),
        ({"events": "elbow"}, r"events is a string \('elbow'\); expected a list of Event"),
    ],
)
def test_messages_say_what_was_expected(given, words):
    with pytest.raises(ls.InputError, match=words):
        ls.simulate(ARM, [0, 0], until=0.1, **given)


def test_computed_torque_says_what_it_neglects():
    soft = ls.load("two_link_flexible")
    run = ls.simulate(soft, [0.0, 0.3], tau=ls.ComputedTorque([0.0, 0.3], 100, 20), until=0.01, dt=1e-4)
    assert "ComputedTorque neglects the coordinates without an actuator (link1.bending_z1" in run.report.notes[0]
    assert not ls.simulate(ARM, [0, 0], tau=ls.ComputedTorque([0, 0], 100, 20), until=0.01, dt=1e-3).report.notes


@pytest.mark.slow
def test_computed_torque_of_many_flexible_coordinates():
    """Beyond the size of straight-line code."""
    soft = ls.load("two_link_flexible")
    links = [link.replace(beam=link.beam.replace(modes=ls.Modes(bending_z=6))) for link in soft.links]
    many = soft.replace(links=links)
    assert many.dof > 12
    run = ls.simulate(many, [0.0, 0.3], tau=ls.ComputedTorque([0.0, 0.3], 100, 20), until=1e-4, dt=1e-6)
    assert run.status.startswith("done")
