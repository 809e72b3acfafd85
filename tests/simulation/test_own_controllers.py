"""Controllers of the user: laws as expressions (compiled), as steps, and as Python code."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import lissom as ls
from lissom.simulation.controllers import gain, limit, reference
from lissom.simulation.controllers.law import LoopState
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.spatial.scalar import sin

ARM = ls.load("two_link")
SOFT = ls.load("two_link_flexible")
WAYS = {
    "fixed": {"dt": 1e-3},
    "adaptive": {},
    "radau": {"method": "radau"},
    "rodas": {"method": "rodas"},
}


@dataclass(frozen=True, eq=False)
class Sine(ls.Controller):
    """Pulls each joint to its reference with the sine of the error."""

    q: Any = reference()
    k: Any = gain()
    c: Any = gain(1.0)
    power: int = 1
    limit: Any = limit()

    def law(self, q, qd):
        pulls = [k * sin(x - a) for k, x, a in zip(self.k, self.q, q, strict=True)]
        for _ in range(1, self.power):
            pulls = [pull * pull for pull in pulls]
        return [pull - c * v for pull, c, v in zip(pulls, self.c, qd, strict=True)]


class PlainSine(ls.Controller):
    """The same as Python code, in a class that is no dataclass."""

    def __init__(self, q, k, c):
        self.q, self.k, self.c = np.asarray(q), k, c

    def torque(self, t, q, qd):
        return self.k * np.sin(self.q - q) - self.c * qd


class SineByStep(Sine):
    """The same as a program of the engine."""

    def program(self, now: LoopState):
        assert isinstance(now, LoopState)
        return super().program(now)


@pytest.mark.parametrize("way", WAYS)
def test_an_expression_is_compiled_and_equals_its_python_twin(way):
    given = {"arm": ARM, "q0": [0.2, 0.1], "until": 0.3, "every": 0.05, **WAYS[way]}
    run = ls.simulate(**given, tau=Sine([1.0, -0.5], 40.0, 3.0))
    if way == "rodas":
        given.pop("method")
    twin = ls.simulate(**given, tau=PlainSine([1.0, -0.5], 40.0, 3.0))
    assert np.abs(run.q - twin.q).max() < {"fixed": 1e-13, "rodas": 2e-6}.get(way, 1e-8)
    assert np.abs(run.tau - (40 * np.sin([1.0, -0.5] - run.q) - 3 * run.qd)).max() < 1e-10
    assert not any("Python function" in note for note in run.report.notes)
    assert [run.report.provenance["controller"], twin.report.provenance["controller"]] == ["Sine", "PlainSine"]
    assert twin.report.provenance["settings"]["k"] == 40.0


def test_own_controllers_in_ensembles_and_over_time():
    goals = np.array([[1.0, -0.5], [0.5, 0.2], [0.0, 0.3]])
    runs = ls.simulate(ARM, [0.2, 0.1], tau=Sine(goals, [[40.0], [30.0], [20.0]]), until=0.2, dt=1e-3)
    for k in range(3):
        one = ls.simulate(ARM, [0.2, 0.1], tau=Sine(goals[k], 40.0 - 10 * k), until=0.2, dt=1e-3, every=2e-3)
        assert np.abs(runs.q[k] - one.q).max() < 1e-13
    t = np.linspace(0, 0.2, 5)
    moving = ls.Profile(t, np.stack([t, t**2], axis=1), "cubic")
    run = ls.simulate(ARM, [0.2, 0.1], tau=Sine(moving, 40.0), until=0.2, dt=1e-3)
    assert np.abs(run.tau - (40 * np.sin(moving(run.t) - run.q) - run.qd)).max() < 1e-10


def test_limits_and_actuators_hold_for_own_controllers():
    run = ls.simulate(SOFT, [0.0, 0.3], tau=Sine([0.5, 0.6], 5.0, 0.1, limit=0.02), until=0.01, dt=1e-4)
    assert np.abs(run.tau[:, SOFT.joint_index]).max() == pytest.approx(0.02, rel=1e-12)
    assert not run.tau[:, ~SOFT.actuated].any()


def test_tapes_of_large_arms_call_own_laws():
    """Beyond the size of straight-line code the law is one step of the tape."""
    links = [link.replace(beam=link.beam.replace(modes=ls.Modes(bending_z=6))) for link in SOFT.links]
    many = SOFT.replace(links=links)
    run = ls.simulate(many, [0.0, 0.3], tau=Sine([0.1, 0.2], 2.0, 0.1), until=2e-5, dt=1e-6)
    joints = many.joint_index
    want = 2.0 * np.sin([0.1, 0.2] - run.q[:, joints]) - 0.1 * run.qd[:, joints]
    assert np.abs(run.tau[:, joints] - want).max() < 1e-14


@pytest.mark.parametrize("options", [{}, {"dt": 1e-3}], ids=["adaptive", "fixed"])
def test_every_field_that_is_no_input_is_structure(options):
    """A field that decides the law must not find the code that was compiled for another value."""
    given = {"arm": ARM, "q0": [0.2, 0.1], "until": 0.05, **options}
    runs = [ls.simulate(**given, tau=Sine([1.0, 0.5], 4.0, power=power)) for power in (1, 2, 1)]
    assert np.array_equal(runs[0].q, runs[2].q)
    assert np.abs(runs[1].tau - (4 * np.sin([1.0, 0.5] - runs[1].q)) ** 2 + runs[1].qd).max() < 1e-10


def test_a_class_that_is_defined_anew_is_compiled_anew():
    def made(sign):
        scope = {"ls": ls}
        exec(f"class Law(ls.Controller):\n    def law(self, q, qd):\n        return [{sign} * v for v in qd]", scope)
        return scope["Law"]()

    runs = [ls.simulate(ARM, [0, 0], [1.0, 0.5], tau=made(sign), until=0.01, dt=1e-3) for sign in (1.0, -1.0)]
    assert np.abs(runs[0].tau - runs[0].qd).max() < 1e-14
    assert np.abs(runs[1].tau + runs[1].qd).max() < 1e-14


def test_inputs_need_no_compilation():
    keys = {ClosedLoop(ARM, Sine([q, 0.0], k)).key for q in (0.0, 1.0) for k in (2.0, 3.0)}
    assert len(keys) == 1
    assert len({ClosedLoop(ARM, control).key for control in (Sine([0, 0], 1.0), SineByStep([0, 0], 1.0))}) == 2


class Reading(Sine):
    """Reads an input field as if it were a value."""

    def program(self, now: LoopState):
        return [now.run.constant([float(self.k)]) for _ in range(now.arm.dof)]


def test_a_program_does_not_see_the_values_of_its_inputs():
    """Otherwise code compiled for one gain would serve another."""
    with pytest.raises((TypeError, AttributeError)):
        ls.simulate(ARM, [0, 0], tau=Reading([0, 0], 3.0), until=0.1, dt=1e-2)


def test_rows_of_studies_with_own_controllers():
    """Inputs become rows of one ensemble; structure and Python code are evaluated row by row."""
    from lissom.studies.rows.stacking import NotStackable, stacked

    two = stacked([Sine([0, 0], k) for k in (1.0, 2.0)])
    assert np.array_equal(two.k, [[1.0], [2.0]])
    for rows in (
        [Sine([0, 0], 1.0, power=power) for power in (1, 2)],
        [PlainSine([0, 0], k, 1.0) for k in (1.0, 2.0)],
        [Sine([0, 0], 1.0), SineByStep([0, 0], 1.0)],
    ):
        with pytest.raises(NotStackable):
            stacked(rows)


def test_what_cannot_be_compared_is_refused():
    class Odd(ls.Controller):
        def __init__(self):
            self.noise = (k for k in range(3))

        def law(self, q, qd):
            return [0 * v for v in qd]

    with pytest.raises(ls.InputError, match=r"the content of noise \(builtins.generator\) in Odd cannot be compared"):
        ls.simulate(ARM, [0, 0], tau=Odd(), until=0.1)


def test_a_law_of_another_size_is_refused():
    class Short(ls.Controller):
        def law(self, q, qd):
            return [qd[0]]

    with pytest.raises(ls.InputError, match="Short: law returned 1 torques; expected 2"):
        ls.simulate(ARM, [0, 0], tau=Short(), until=0.1)


# ---- states ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Lagged(ls.Controller):
    """Torques that follow k (x - q) - c qd with a lag of first order: T z' = u - z."""

    q: Any = reference()
    k: Any = gain()
    c: Any = gain()
    lag: float = 0.05

    def states(self, arm):
        return tuple(f"torque[{name}]" for name in arm.coordinates)

    def law(self, q, qd, z):
        wanted = [k * (x - a) - c * v for k, x, a, c, v in zip(self.k, self.q, q, self.c, qd, strict=True)]
        return z, [(u - now) / self.lag for u, now in zip(wanted, z, strict=True)]


@pytest.mark.parametrize("way", WAYS)
def test_own_states_are_integrated(way):
    """A prismatic joint without gravity: a linear system of order three, its exponential as the answer."""
    from scipy.linalg import expm

    block = ls.Link("block", joint=ls.Joint("prismatic", axis=(1, 0, 0)), mass=2.0, inertia=0.1)
    slider = ls.Arm("slider", [block], gravity=(0, 0, 0))
    run = ls.simulate(slider, [0.3], [-0.2], tau=Lagged(0.0, 30.0, 4.0), until=1.0, every=0.1, **WAYS[way])
    A = np.array([[0, 1, 0], [0, 0, 0.5], [-600, -80, -20]])
    want = np.array([expm(A * t) @ [0.3, -0.2, 0.0] for t in run.t])
    found = np.column_stack([run.q, run.qd, run.controller_state])
    assert np.abs(found - want).max() < {"fixed": 1e-8, "rodas": 1e-5}.get(way, 1e-7)
    assert np.array_equal(run.controller_state, run.tau)
    assert run.report.provenance["controller_states"] == ["torque[block]"]
