"""Many stiff runs side by side (RODAS), and the choice between it and fixed steps."""

import numpy as np
import pytest

import lissom as ls
from lissom.simulation.integrators import adaptive, implicit

ARM = ls.load("two_link")
GOAL = np.array([0.3, -0.4])
STARTS = GOAL + np.linspace(-0.2, 0.2, 6)[:, None] * [1.0, -0.5]
GOAL3 = np.array([0.2, -0.1, 0.0])
STIFF = ls.PD(GOAL, 4e4, 4e3, gravity=True)


def with_friction(arm):
    links = [link.replace(joint=link.joint.replace(friction=0.4)) for link in arm.links]
    return arm.replace(links=links)


@pytest.mark.parametrize("arm", [ARM, with_friction(ARM)], ids=["smooth", "friction"])
def test_an_ensemble_is_its_runs(arm):
    """The accuracy asked for, against Radau's method at a finer tolerance; work too."""
    many = ls.simulate(arm, STARTS, tau=STIFF, until=0.5)
    assert (many.report.method, many.ok) == ("rodas", True)
    one = ls.simulate(arm, STARTS[1], tau=STIFF, until=0.5, every=0.005, method="radau", rtol=1e-9, atol=1e-11)
    assert np.abs(many.q[1] - one.q).max() < 1e-6
    assert np.abs(many.qd[1] - one.qd).max() < 1e-4
    assert np.abs(many.work[1] - one.work).max() < 1e-4 * np.abs(one.work).max()


def test_a_run_does_not_depend_on_the_others(monkeypatch):
    many = ls.simulate(ARM, STARTS, tau=STIFF, until=0.2, method="rodas")
    monkeypatch.setattr(implicit, "BLOCK", 4)
    blocks = ls.simulate(ARM, STARTS, tau=STIFF, until=0.2, method="rodas", threads=1)
    alone = ls.simulate(ARM, STARTS[4:5], tau=STIFF, until=0.2, method="rodas")
    assert np.array_equal(many.q, blocks.q)
    assert np.array_equal(many.q[4], alone.q[0])


LOADED = {
    "payloads": [ls.Payload(m, (0.1, 0, 0)) for m in (0.1, 1.0, 2.0)],
    "loads": [ls.Load("fore", [[0, 0, 1.0], [0, 0, 2.0], [0, 0, -1.0]])],
}


@pytest.mark.slow
@pytest.mark.parametrize("given", [{}, LOADED], ids=["motion", "loads"])
def test_references_and_jumps(given):
    """What varies with time, smoothly and in jumps; payloads and loads of every run."""
    goal = ls.Profile([0.0, 0.1, 0.2], [[0.0, 0.0], [0.3, -0.1], [0.1, 0.2]], "hold")
    control = ls.PD(goal, 1000.0, 200.0, qd=lambda t: [0.1 * np.sin(20 * t), 0.0])
    starts = np.array([[0.0, 0.1]] * 3)
    many, sure = (
        ls.simulate(
            ARM, starts, tau=control, until=0.3, method=method, every=0.01, rtol=rtol, atol=1e-2 * rtol, **given
        )
        for method, rtol in (("rodas", 1e-6), ("radau", 1e-9))
    )
    assert many.ok
    assert np.abs(many.q - sure.q).max() < 1e-6


def test_a_run_that_diverges_is_named_and_the_others_go_on():
    K = np.stack([s * 2e4 * np.hstack([np.eye(2), np.eye(2)]) for s in (1.0, -1.0, 1.0)])
    runs = ls.simulate(ARM, GOAL, tau=ls.StateFeedback(K, [0, 0]), until=2.0, method="rodas", on_failure="return")
    assert list(runs.failures) == [1]
    assert "diverged at t = " in runs.failures[1]
    assert np.isfinite(runs.q[[0, 2]]).all()


def test_what_it_does_not_cover():
    with pytest.raises(ls.InputError, match="use method='radau'"):
        ls.simulate(ARM, STARTS, tau=lambda t, q, qd: [0, 0], until=0.1, method="rodas")


def test_ordinary_ensembles_take_fixed_steps_of_bounded_number():
    run = ls.simulate(ARM, STARTS, tau=ls.PD(GOAL, 40, 8, gravity=True), until=0.5)
    assert run.report.method == "rk4"
    assert run.report.steps < 5000
    assert run.report.provenance["options"]["rtol"] == 1e-6


def test_unstable_ensembles_do_not_search_for_a_step():
    """Trials that diverge with a step and with half of it end the search."""
    K = -400.0 * np.hstack([np.eye(2), np.eye(2)])
    runs = ls.simulate(ARM, STARTS, tau=ls.StateFeedback(K, [0, 0]), until=5.0, on_failure="return")
    assert len(runs.failures) == len(STARTS)
    assert "unstable at the start (pole +" in runs.status


def pointed(armature=0.0, damping=0.0):
    """A point mass on axes that cross: where it lies in the plane of two of them, turning about it moves nothing."""
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    joints = [ls.Joint("revolute", axis=axis, armature=armature, damping=damping) for axis in axes]
    ends = [{"mass": 0.1, "inertia": 0.05}, {"mass": 0.1}, {"mass": 1.3, "com": (0.0, 0.05, 0.1)}]
    parents = [{}, {"parent": "a"}, {"parent": "b"}]
    rows = zip("abc", joints, ends, parents, strict=True)
    return ls.Arm("pointed", [ls.Link(name, joint=joint, **end, **parent) for name, joint, end, parent in rows])


@pytest.mark.parametrize("starts", [GOAL3 + 0.1, [GOAL3 + 0.1, GOAL3]], ids=["one", "many"])
def test_singular_inertia_under_feedback(starts):
    """Defined as the limit of small inertia: near what an armature gives, and said in the report."""
    given = {"tau": ls.PD(GOAL3, 100, 20, gravity=True), "until": 0.2, "every": 0.01}
    run = ls.simulate(pointed(), starts, **given)
    assert (run.status, run.arm) == ("done", pointed())
    assert "an armature of" in run.report.notes[0]
    assert np.abs(run.q - ls.simulate(pointed(1e-7), starts, **given).q).max() < 1e-5


@pytest.mark.parametrize("count", ["one", "many", "in parts"])
@pytest.mark.parametrize("start", [[0.2, -0.1, 0.0], [0.2, -0.1, 0.05]], ids=["at the start", "on the way"])
def test_singular_inertia_with_damping(start, count, tmp_path):
    """A damped arm without feedback moves as in the limit of small inertia, also through poses that are singular."""
    given = {"tau": [0, 0, -0.5], "until": 0.1, "every": 0.01}
    parts = {"save": tmp_path / "runs.nc", "save_every": 2} if count == "in parts" else {}
    arm, starts = pointed(damping=0.5), start if count == "one" else [start, start]  # equal: also their directions
    run = ls.simulate(arm, starts, **given, **parts)
    assert (run.status, run.arm) == ("done", arm)
    assert sum("joints b, c: links without inertia" in note for note in run.report.notes) == 1
    assert np.all(run.q[..., -1, 2] < 0.0)
    assert np.abs(run.q - ls.simulate(pointed(1e-7, 0.5), start, **given).q).max() < 1e-5


def test_singular_inertia_behind_springs_is_named():
    """Armatures of elastic joints are those of their motors: none is added, and none is advised."""
    links = [
        link.replace(joint=link.joint.replace(elastic=ls.JointElasticity(50.0), armature=0.01))
        if link.name != "a"
        else link
        for link in pointed(damping=0.5).links
    ]
    arm = ls.Arm("springs", links)
    q = arm.expanded(np.array(SINGULAR))
    run = ls.simulate(arm, q, tau=ls.PD([0, 0, 0], 50, 5), until=0.05, on_failure="return")
    assert "'b.deflection', 'c.deflection' can move" in run.status
    assert "(links 'b', 'c' have no mass or no moment of inertia). Give the links moments of inertia, or" in run.status
    assert "make the joints rigid" in run.status
    assert "largest rate" not in run.status  # nothing moves
    assert run.report.notes == ()


def test_singular_inertia_without_damping_is_named():
    with pytest.raises(ls.SimulationError, match=r"joints 'b', 'c' can move .*armature or damping, or lock a joint"):
        ls.simulate(pointed(), [0.2, -0.1, 0.0], until=0.2)


SINGULAR = [0.2, -0.1, 0.0]  # of the arm above, without feedback


def test_a_start_without_accelerations_fails_alone():
    """The others advance as if it were not there; the failure names the joint."""
    regular = [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
    given = {"qd0": [0.1, 0.1, 0.1], "tau": ls.GravityCompensation(), "until": 0.1, "method": "rodas"}
    runs = ls.simulate(pointed(), [regular[0], SINGULAR, regular[1]], **given, on_failure="return")
    assert list(runs.failures) == [1]
    assert "'b', 'c' can move together without moving any inertia" in runs.failures[1]
    assert any(note.startswith("Steps of rodas failed or stalled in 1 of 3 runs") for note in runs.report.notes)
    assert np.array_equal(runs.q[[0, 2]], ls.simulate(pointed(), regular, **given).q)
    assert list(ls.simulate(pointed(), [SINGULAR], **given, on_failure="return").failures) == [0]


@pytest.fixture
def no_derivatives_of_run_1(monkeypatch):
    whole = implicit.Runs.slopes

    def slopes(self, runs, *rest):
        if 1 in runs:
            raise ls.SolveError("not finite")
        return whole(self, runs, *rest)

    monkeypatch.setattr(implicit.Runs, "slopes", slopes)


def test_derivatives_that_fail_are_those_of_one_run(request):
    given = {"tau": STIFF, "until": 0.1, "method": "rodas"}
    sure = ls.simulate(ARM, STARTS[:3], **given)
    request.getfixturevalue("no_derivatives_of_run_1")
    runs = ls.simulate(ARM, STARTS[:3], **given)
    assert np.array_equal(runs.q[[0, 2]], sure.q[[0, 2]])
    assert 0 < np.abs(runs.q[1] - sure.q[1]).max() < 1e-6  # by Radau's method
    assert any(note.startswith("Steps of rodas failed or stalled in 1 of 3 runs") for note in runs.report.notes)


def test_runs_that_stall_are_given_up(monkeypatch):
    """Steps that are accepted but get nowhere end; Radau's method goes on."""
    given = {"tau": STIFF, "until": 0.1, "method": "rodas"}
    sure = ls.simulate(ARM, STARTS[:2], **given)
    monkeypatch.setattr(implicit, "STALL", 3)
    monkeypatch.setattr(implicit, "STALLED", 0.5)
    runs = ls.simulate(ARM, STARTS[:2], **given)
    assert any(note.startswith("Steps of rodas failed or stalled in 2 of 2 runs") for note in runs.report.notes)
    assert np.abs(runs.q - sure.q).max() < 1e-6


def test_an_interrupt_of_a_run_by_itself_leaves_the_others(no_derivatives_of_run_1, monkeypatch):
    """Ctrl-C while Radau's method integrates one run: finished runs stay, its own samples until then too."""
    keep = adaptive.Adaptive._keep

    def interrupted(self, t, y, path=None):
        keep(self, t, y, path)
        if self.filled > 10:
            raise KeyboardInterrupt

    monkeypatch.setattr(adaptive.Adaptive, "_keep", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        ls.simulate(ARM, STARTS[:3], tau=STIFF, until=0.1, method="rodas")
    run = caught.value.run
    assert (run.interrupted, run.failures) == (True, {})
    assert np.isfinite(run.q[[0, 2]]).all()
    assert np.isfinite(run.q[1, :11]).all()
    assert np.isnan(run.q[1, -1]).all()
    assert "interrupted" in run.status
