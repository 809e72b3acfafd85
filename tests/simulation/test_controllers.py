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

    with pytest.raises(ls.InputError, match=r"Own, which has no control law\. Derive it from PD"):
        ls.simulate(ARM, [0, 0], tau=Own(), until=0.1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tau": "pd"}, r"tau is 'pd'; expected None, numbers .*Profile.*PD, PID, Computed.*function tau\(t, q, qd\)"),
        ({"tau": ls.PD}, r"tau is the class PD; expected an instance"),
        ({"events": "elbow"}, r"events is a string \('elbow'\); expected a list of Event"),
    ],
)
def test_messages_say_what_was_expected(given, words):
    with pytest.raises(ls.InputError, match=words):
        ls.simulate(ARM, [0, 0], until=0.1, **given)


def test_computed_torque_says_what_it_neglects():
    soft = ls.load("two_link_flexible")
    run = ls.simulate(soft, [0.0, 0.3], tau=ls.ComputedTorque([0.0, 0.3], 100, 20), until=0.01, dt=1e-4)
    assert "ComputedTorque neglects the unactuated coordinates (link1.bending_z1" in run.report.notes[0]
    assert not ls.simulate(ARM, [0, 0], tau=ls.ComputedTorque([0, 0], 100, 20), until=0.01, dt=1e-3).report.notes


def test_computed_torque_notes_friction():
    upper, fore = ARM.links
    rough = ARM.replace(links=[upper, fore.replace(joint=fore.joint.replace(friction=0.1))])
    run = ls.simulate(rough, [0, 0], tau=ls.ComputedTorque([0, 0], 100, 20), until=0.01, dt=1e-3)
    name = fore.joint.name
    assert run.report.notes[0] == (
        f"ComputedTorque neglects the Coulomb friction of joints ({name}): the joint errors do not obey "
        "e'' + kd e' + kp e = 0."
    )


def test_computed_torque_of_many_flexible_coordinates():
    """Beyond the size of straight-line code."""
    soft = ls.load("two_link_flexible")
    links = [link.replace(beam=link.beam.replace(modes=ls.Modes(bending_z=6))) for link in soft.links]
    many = soft.replace(links=links)
    assert many.dof > 12
    run = ls.simulate(many, [0.0, 0.3], tau=ls.ComputedTorque([0.0, 0.3], 100, 20), until=1e-4, dt=1e-6)
    assert run.status.startswith("done")


# ---- references that move ------------------------------------------------------------------------


def swing(t):
    q, qd, qdd = np.sin(3 * t + SHIFTS), 3 * np.cos(3 * t + SHIFTS), -9 * np.sin(3 * t + SHIFTS)
    return q, qd, qdd


SHIFTS = np.array([0.2, 1.0])


@pytest.mark.parametrize("kind", ["returned", "given", "spline", "profile"])
def test_computed_torque_follows_a_reference_that_moves(kind):
    """Started on it with its rate, it stays on it: the reference's rates and accelerations count."""
    from scipy.interpolate import make_interp_spline

    t = np.linspace(0, 0.5, 101)

    def part(k):
        return lambda t: swing(t)[k]

    spline = make_interp_spline(t, swing(t[:, None])[0], 5)
    control = {
        "returned": lambda: ls.ComputedTorque(swing, 100, 20),
        "given": lambda: ls.ComputedTorque(part(0), 100, 20, qd=part(1), qdd=part(2)),
        "spline": lambda: ls.ComputedTorque(spline, 100, 20),
        "profile": lambda: ls.ComputedTorque(ls.Profile(t, swing(t[:, None])[0], "cubic"), 100, 20),
    }[kind]()  # fmt: skip
    run = ls.simulate(ls.load("two_link"), *swing(0.0)[:2], tau=control, until=0.5)
    assert np.abs(run.q - swing(run.t[:, None])[0]).max() < 2e-6


def test_a_planned_motion_is_a_reference():
    class Motion:
        duration = 0.5

        def at(self, t):
            return swing(t)

    run = ls.simulate(ls.load("two_link"), *swing(0.0)[:2], tau=ls.ComputedTorque(Motion(), 100, 20), until=0.5)
    assert np.abs(run.q - swing(run.t[:, None])[0]).max() < 2e-6
    q, qd, _ = (rate_of(Motion(), order) for order in range(3))
    assert np.array_equal(q.at(0.7), swing(0.5)[0])
    assert [qd.at(0.5).any(), qd.at(0.5, before=True).any(), 0.5 in qd.jumps] == [False, True, True]


def test_planned_motions_and_functions_are_asked_once_per_time():
    """A motion as piecewise polynomials, a function for all of q, qd, qdd; none of them by every reference."""
    calls = []

    def counted(t):
        calls.append(t)
        return swing(t)

    run = ls.simulate(ARM, *swing(0.0)[:2], tau=ls.ComputedTorque(counted, 100, 20), until=0.1)
    assert len(calls) < 1.3 * run.report.evaluations + len(run.t)


@pytest.fixture(scope="module")
def motion():
    return ls.predict_motion(ARM, ls.Task(start=[0, 0], goal=[0.5, 0.3]))


@pytest.mark.parametrize("control", [ls.ComputedTorque, ls.PD])
def test_a_planned_motion_is_followed_and_held_beyond_its_end(motion, control, monkeypatch):
    monkeypatch.setattr(type(motion), "at", lambda *_: pytest.fail("slow for single times"))
    run = ls.simulate(ARM, [0, 0], tau=control(motion, 1e4, 200), until=2 * motion.duration)
    assert run.status == "done"
    assert run.report.evaluations < 20000
    if control is ls.ComputedTorque:
        inside = run.t <= motion.duration
        assert np.abs(run.q[inside] - motion.polynomials(run.t[inside])).max() < 1e-7
        assert np.abs(run.q[~inside] - [0.5, 0.3]).max() < 1e-7
    assert run.report.provenance["settings"]["q"] == f"planned motion of {motion.duration:g} s"


def check_polynomials(motion):
    t = np.linspace(0, motion.duration, 57)[1:-1]
    for r, values in enumerate(motion.at(t)):
        assert np.abs(motion.polynomials(t, r) - values).max() < 1e-10 * np.abs(values).max()


def test_accelerations_of_a_motion_jump_at_its_knots(motion):
    check_polynomials(motion)
    assert set(rate_of(motion, 2).jumps) <= {0.0, motion.duration}
    given = {"duration": 0.5, "minimise": "torque_squared", "starts": 1, "segments": 6}
    kinked = ls.predict_motion(ARM, start=[0, 0], goal=[0.5, 0.3], degree=3, continuity=1, **given)
    check_polynomials(kinked)
    assert set(kinked.breaks[1:-1] * kinked.duration) <= set(rate_of(kinked, 2).jumps)


def test_a_flexible_motion_is_a_reference_of_its_joints():
    """Its modal coordinates have finer segments, and no actuator."""
    soft = ls.load("two_link_flexible")
    given = {"duration": 1.0, "minimise": "torque_squared", "starts": 1, "segments": 4}
    motion = ls.predict_motion(soft, start=[0, 0], goal=[0.2, 0.1], **given)
    check_polynomials(motion)
    follow = ls.PD(motion, 10.0, 0.4)
    assert follow.signals(soft)[1].at(0.4) == pytest.approx(motion.at(0.4)[1])
    assert ls.simulate(soft, tau=follow, until=0.01, dt=1e-4).ok


def rate_of(reference, order):
    (found,) = (s for s in ls.ComputedTorque(reference, 1, 1).signals(ARM) if s.name == ("q", "qd", "qdd")[order])
    return found


@pytest.mark.parametrize("kind", ["linear", "hold", "cubic"])
def test_rates_of_profiles_against_differences(kind):
    profile = ls.Profile([0.1, 0.4, 0.6, 1.0], [[0.0, 1.0], [0.3, 0.2], [0.1, -0.5], [0.9, 0.0]], kind)
    h = 1e-6
    for order in (1, 2):
        rate, lower = rate_of(profile, order), rate_of(profile, order - 1)
        for t in (0.0, 0.2, 0.5, 0.93, 1.5):
            slope = (lower.at(t + h) - lower.at(t - h)) / (2 * h)
            assert np.abs(rate.at(t) - slope).max() < 1e-7
    rate = rate_of(profile, 1)
    assert np.array_equal(rate.at(0.1, before=True), [0.0, 0.0])
    assert all((rate.at(x) != rate.at(x, before=True)).any() for x in rate.jumps)
    assert len(rate.jumps) == {"linear": 4, "hold": 0, "cubic": 2}[kind]


SAMPLES = np.array([0.0, 0.3, 0.5, 0.8, 1.0])
POSITIONS = np.stack([np.sin(3 * SAMPLES), SAMPLES**2], axis=1)


@pytest.mark.parametrize("kind", ["B1", "B2", "B5", "cubic", "pchip", "transposed", "bernstein"])
def test_splines_of_scipy_hold_their_ends(kind):
    from scipy import interpolate as sp

    t = np.linspace(0, 1, 9)
    spline = {
        "B": lambda k: sp.make_interp_spline(t, np.outer(t**2, [1, 2]), k=int(k)),
        "c": lambda _: sp.CubicSpline(SAMPLES, POSITIONS),
        "p": lambda _: sp.PchipInterpolator(SAMPLES, POSITIONS),
        "t": lambda _: sp.CubicSpline(SAMPLES, POSITIONS.T, axis=1),
        "b": lambda _: sp.BPoly.from_derivatives(SAMPLES, np.stack([POSITIONS, 0 * POSITIONS], axis=1)),
    }[kind[0]](kind[1:])  # fmt: skip
    q, qd, qdd = (rate_of(spline, order) for order in range(3))
    for t in (0.0, 0.3, 0.77):
        assert q.at(t) == pytest.approx(spline(t))
        assert qd.at(t) == pytest.approx(spline.derivative()(t))
    for t, end in ((-0.5, 0.0), (1.5, 1.0)):
        assert q.at(t) == pytest.approx(spline(end))
        assert not np.concatenate([np.atleast_1d(x.at(t)) for x in (qd, qdd)]).any()
    if kind == "B1":
        assert not qdd.at(0.3).any()


def test_periodic_splines_repeat_themselves():
    from scipy.interpolate import CubicSpline

    t = np.linspace(0, 1, 9)
    around = CubicSpline(t, np.sin(2 * np.pi * t)[:, None] * [1, 2] * (t < 1)[:, None], bc_type="periodic")
    for order in range(3):
        assert rate_of(around, order).at(1.3) == pytest.approx(rate_of(around, order).at(0.3))


def test_a_spline_for_every_run():
    from scipy.interpolate import CubicSpline

    goals = CubicSpline([0.0, 0.05, 0.1], np.arange(12.0).reshape(3, 2, 2) / 10)
    runs = ls.simulate(ARM, np.zeros((2, 2)), tau=ls.PD(goals, 10, 1), until=0.15, dt=1e-3)
    alone = ls.PD(CubicSpline([0.0, 0.05, 0.1], np.arange(12.0).reshape(3, 2, 2)[:, 1] / 10), 10, 1)
    assert np.abs(runs.q[1] - ls.simulate(ARM, [0, 0], tau=alone, until=0.15, dt=1e-3, every=1.5e-3).q).max() < 1e-12


def test_computed_torque_refuses_a_function_without_rates():
    """Its error equation would not hold."""
    given = {"arm": ls.load("two_link"), "q0": [0.1, 0.2], "until": 0.01, "dt": 1e-3}
    q = lambda t: [np.sin(t), 0.0]  # noqa: E731
    with pytest.raises(
        ls.InputError, match=r"qd and qdd are not given\. Let q return \(q, qd, qdd\).*qd=0 for a reference at rest"
    ):
        ls.simulate(**given, tau=ls.ComputedTorque(q, 10, 1))
    with pytest.raises(ls.InputError, match="qd is a function of time, but qdd is not given"):
        ls.simulate(**given, tau=ls.ComputedTorque([0.0, 0.0], 10, 1, qd=lambda t: [np.cos(t), 0.0]))
    assert ls.simulate(**given, tau=ls.ComputedTorque(q, 10, 1, qd=0.0)).ok  # at rest: no acceleration either


def test_pd_damps_where_a_function_has_no_rates():
    """A set point given as a function: kd acts on the rates of the arm, and the report says so."""
    given = {"arm": ls.load("two_link"), "q0": [0.1, 0.2], "until": 0.1, "dt": 1e-3}
    q = lambda t: [np.sin(t), 0.0]  # noqa: E731
    run, same = (ls.simulate(**given, tau=ls.PD(q, 10, 1, **qd)) for qd in ({}, {"qd": 0.0}))
    assert np.array_equal(run.q, same.q)
    assert any("without rates; qd is assumed zero" in note for note in run.report.notes)
    assert not any("without rates" in note for note in same.report.notes)


def test_a_duration_alone_makes_no_planned_motion():
    class Timed:
        duration = 1.0

        def __call__(self, t):
            return [np.sin(t), 0.0]

    run = ls.simulate(ARM, [0.1, 0.2], tau=ls.PD(Timed(), 10, 1), until=0.01, dt=1e-3)
    assert any("without rates" in note for note in run.report.notes)


def test_numbers_as_reference_of_one_joint():
    one = ls.Arm("one", [ls.Link("a", joint=ls.Joint("revolute"), mass=1.0, com=(0.3, 0, 0), inertia=0.01)])
    follow = ls.ComputedTorque(lambda t: (np.sin(t), np.cos(t), -np.sin(t)), 100, 20)
    values = {signal.name: signal.at(0.3) for signal in follow.signals(one)}
    assert [values[word] for word in ("q", "qd", "qdd")] == pytest.approx([np.sin(0.3), np.cos(0.3), -np.sin(0.3)])
    assert not ls.PD(lambda t: (np.sin(t), np.cos(t)), 100, 20).neglected(one)
