"""Motions that once went wrong, or were refused with the wrong reason."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.errors import InputError, ModelError, MotionError
from lissom.motion.solve import search
from lissom.motion.solve.assessment import reported
from lissom.motion.solve.ipopt import Ipopt
from lissom.motion.transcription.constraints.clearance import Clearance
from lissom.motion.transcription.problem import Problem

NAN = np.nan
TWO = ls.load("two_link").with_gravity((0, 0, 0))


def find(**given):
    return ls.predict_motion(TWO, **({"start": [0, 0], "goal": [1, 0.5]} | given))


# ---- ends ----------------------------------------------------------------------------------------


def test_accelerations_hold_beside_free_rates():
    motion = find(start_velocity=[NAN, NAN], start_acceleration=[0, 0])
    assert np.abs(motion.qdd[0]).max() < 1e-9
    given = {"goal_velocity": [NAN, 0.2], "goal_acceleration": [3, -1.5]}
    motion = find(**given, duration=0.8, minimise="torque_squared")
    assert np.allclose(motion.qdd[-1], [3, -1.5], atol=1e-7)
    assert motion.qd[-1, 1] == pytest.approx(0.2)
    assert np.allclose(find(**given).qdd[-1], [3, -1.5], atol=1e-5)  # free duration: rows to the solver's tolerance


@pytest.mark.parametrize(
    ("segments", "given"),
    [
        (2, {"start_acceleration": [0, 0], "goal_acceleration": [0, 0]}),
        (2, {"start_acceleration": [0, 1], "goal_acceleration": [0, 1]}),  # as rows
        (2, {"start_acceleration": [0, 0], "duration": 1.0, "minimise": "torque_squared"}),
        (3, {"start_acceleration": [0, 0], "goal_acceleration": [0, 0], "duration": 1.0, "minimise": "jerk"}),
    ],
)
def test_too_few_segments_are_refused(segments, given):
    with pytest.raises(InputError, match=f"{segments} segments are too few"):
        find(segments=segments, **given)


def test_few_segments_may_be_enough():
    """One joint has a single control point to choose; or the duration alone is."""
    given = {"start_acceleration": [0, NAN], "duration": 1.0, "minimise": "torque_squared"}
    assert find(segments=2, **given).ok
    assert find(segments=3, start_acceleration=[0, 0], goal_acceleration=[0, 0]).ok


@pytest.mark.parametrize("word", ["start_velocity", "goal_velocity", "start_acceleration", "goal_acceleration"])
def test_periodic_motions_have_no_ends(word):
    with pytest.raises(ModelError, match=f"{word} is given, but a periodic motion has no ends"):
        ls.Task(periodic=True, via=[ls.Via(0.2, [0, 0]), ls.Via(0.6, [1, 1])], **{word: [0, 0]})


# ---- joints that cannot move ---------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"duration": 1.0, "minimise": "torque_squared"}])
def test_locked_joints_have_nowhere_to_go(more):
    locked = ls.Limits(velocity=[0, 5])
    sentence = r"joint 'upper' cannot move from the start \(0\) to the goal \(0.3\): its velocity limits are 0 to 0"
    with pytest.raises(InputError, match=sentence):
        find(goal=[0.3, 0.5], limits=locked, **more)
    motion = find(goal=[0, 0.5], limits=locked, **more)
    assert np.abs(motion.q[:, 0]).max() < 1e-7


def test_one_way_is_enough():
    motion = find(goal=[-0.3, 0.5], limits=ls.Limits(velocity=([-1, -1], [0, 3])))
    assert motion.qd[:, 0].max() < 1e-6
    with pytest.raises(InputError, match=r"joint 'upper' cannot move .* its acceleration limits are 0 to 3"):
        find(limits=ls.Limits(acceleration=([0, -3], [3, 3])))
    there_and_back = {"periodic": True, "via": [ls.Via(0.2, [0, 0]), ls.Via(0.6, [1, 1])]}
    with pytest.raises(InputError, match=r"joint 'upper' cannot move from the via point at 0\.6"):
        ls.predict_motion(TWO, **there_and_back, limits=ls.Limits(velocity=([0, -1], [2, 1])))


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"velocity": ([-1, 0], [2, 2])}, "joint 'fore' moves backwards, but its velocity limits are 0 to 2"),
        ({"velocity": ([-1, -2], [0, 2])}, "joint 'upper' moves forwards, but its velocity limits are -1 to 0"),
        ({"velocity": ([0.1, -2], [1, 2])}, "begins and ends at rest, joint 'upper' moves forwards"),
        ({"acceleration": ([0, -2], [2, 2])}, "joint 'upper' moves forwards, but its acceleration limits are 0 to 2"),
    ],
)
def test_paths_against_the_limits_are_refused(limits, sentence):
    with pytest.raises(InputError, match=sentence):
        ls.retime_motion(TWO, [[0, 0], [1, -1]], limits=ls.Limits(**limits))


def test_joints_that_the_path_leaves_alone_may_be_locked():
    motion = ls.retime_motion(TWO, [[0, 0], [1, 0]], limits=ls.Limits(velocity=([-1, 0], [2, 0]), acceleration=4.0))
    assert motion.duration == pytest.approx(1.0, rel=2e-3)  # 2 sqrt(way / acceleration)


def test_motors_without_torque():
    sentence = "torque limits of joint 'fore' are 0 to 0, .* make the joint passive"
    with pytest.raises(InputError, match=sentence):
        find(limits=ls.Limits(torque=[4, 0.0]))


# ---- why nothing was found -----------------------------------------------------------------------


def lever(**joint):
    link = ls.Link(
        name="a", joint=ls.Joint("revolute", **joint), mass=1.0, com=(0.2, 0, 0), inertia=np.diag([0.01] * 3)
    )
    return ls.Arm(name="lever", gravity=(0, -9.81, 0), links=[link])


def test_constraints_that_hold_at_samples_only_are_not_called_feasible(monkeypatch):
    """An obstacle may be crossed where there are no rows for it: a search that ends there has no feasible motion."""
    arm, limits = ls.load("two_link"), ls.Limits(torque=1000.0)
    task = {"start": [-0.6, 0.3], "goal": [1.2, 0.3], "duration": 2.0, "minimise": "torque_squared", "limits": limits}
    search = {"iterations": 5, "starts": 1, "on_failure": "return"}
    free = ls.predict_motion(arm, **task, **search)
    assert "ran out: a feasible motion, not yet optimal" in free.status
    monkeypatch.setattr(Clearance, "anticipate", lambda *_: None)  # no rows before it is touched
    ball = ls.Sphere(ls.pose(arm, free.at(1.0)[0], "fore", point=(-0.1, 0, 0))[:3, 3], 0.02)
    blocked = ls.predict_motion(arm, obstacles=[ball], **task, **search)
    assert "the constraints hold at all samples, but between samples the distance from sphere 0" in blocked.status
    assert "feasible" not in blocked.status


def test_a_search_that_ran_out_blames_nothing():
    with pytest.raises(
        MotionError,
        match=r"iterations ran out: in the last iterate, torque of .* by .* \(allowed: .*\); raise `iterations` \(3\)",
    ):
        find(iterations=3)
    swung = {"start": [0], "goal": [0.1], "limits": ls.Limits(torque=1.0)}
    swung |= {"start_acceleration": [NAN], "goal_acceleration": [NAN]}  # it is let go there
    with pytest.raises(MotionError, match="raise `iterations`") as caught:
        ls.predict_motion(lever(), **swung, iterations=3)
    assert "to hold" not in str(caught.value)
    assert ls.predict_motion(lever(), **swung).ok  # though 1.96 N m would be needed to hold the start


def test_more_equations_than_variables():
    """Torques that are given at every sample: the solver is not asked, and where it would begin is told."""
    problem = Problem(TWO, ls.Task([0, 0], [1, 0.5]))
    program = problem.program(problem.mesh(), np.zeros(0))
    program.lower = program.upper = np.zeros(program.count)
    found = Ipopt(program, 1e-8, 50)(problem.guess.variables(program.curves))
    assert found.status.startswith("infeasible: more equality constraints than variables")
    assert np.isfinite(found.rows).all()
    assert found.iterations[-1].violation > 1


# ---- the log of a search -------------------------------------------------------------------------


def test_all_rounds_are_in_the_log():
    told = []
    report = find(progress=told.append, starts=1).report
    assert report.exchange_iterations > 1
    assert len(report.iterations) - 1 == sum(step.number > 0 for step in told)
    assert [step.number for step in report.iterations] == list(range(len(report.iterations)))
    assert report.iterations[-1].cost == told[-1].duration


def test_refinement_keeps_what_the_starts_found():
    plain, finer = (find(starts=3, refine=gap).report for gap in (None, 1e-2))
    assert finer.starts == plain.starts
    assert len(finer.starts) == 3
    assert len(finer.refinements) == 2
    assert len(finer.iterations) > len(plain.iterations)


def test_interrupted_refinement():
    told = []

    def watch(step):
        told.append(step)
        if len(told) == 100:
            raise KeyboardInterrupt

    motion = find(refine=1e-9, progress=watch)
    assert motion.interrupted
    assert motion.ok
    before, after = motion.basis.segments, 2 * motion.basis.segments
    assert motion.status == f"interrupted on {after} segments; solved on {before} segments"
    assert motion.report.refinements[-1] == (before, motion.cost)


def test_refinement_that_does_not_end_says_so(monkeypatch):
    monkeypatch.setattr(search, "MOST_SEGMENTS", 40)
    motion = find(refine=1e-9)
    assert motion.ok
    assert motion.status.startswith("solved on 40 segments, where its cost still changes by 0.00")
    right = search.Search.moved

    def failing(*given, **more):
        motion = reported(right(*given, **more), "stalled")
        object.__setattr__(motion, "ok", False)
        return motion

    monkeypatch.setattr(search.Search, "moved", failing)
    motion = find(refine=1e-9)
    assert motion.status == "solved on 20 segments; on 40: stalled"
    assert len(motion.report.refinements) == 1


@pytest.mark.slow
def test_seconds_are_of_the_whole_search(monkeypatch):
    find()  # compiled, which takes part of the seconds
    motion = find(starts=2000, workers=1, seconds=1.0)
    assert motion.ok
    assert motion.report.starts[-1]["status"] == "not tried: time ran out"
    motion = find(starts=2000, workers=2, seconds=1.5)
    assert motion.ok
    assert motion.report.starts[-1]["status"] == "not tried: time ran out"
    monkeypatch.setattr(search, "MOST_SEGMENTS", 10**6)
    motion = find(seconds=1.0, refine=1e-12)
    assert motion.ok
    assert "time ran out" in motion.status


# ---- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"refine": "x"}, "refine is 'x'; expected a number above 0, or None"),
        ({"refine": -1e-3}, "refine is -0.001; expected"),
        ({"refine": NAN}, "refine is nan; expected"),
        ({"iterations": -1}, "iterations is -1; expected a whole number above 0"),
        ({"iterations": 50.5}, "iterations is 50.5; expected a whole number"),
        ({"tolerance": "a"}, "tolerance is 'a'; expected a number above 0"),
        ({"tolerance": np.inf}, "tolerance is inf; expected"),
        ({"seconds": -1}, "seconds is -1; expected a number above 0, or None"),
        ({"seed": -1}, "seed is -1; expected a whole number from 0"),
        ({"seed": True}, "seed is True; expected"),
        (
            {"strat": [0, 0]},
            "unexpected keyword 'strat', neither a field of a task nor an option; did you mean 'start'",
        ),
    ],
)
def test_options_are_checked(given, sentence):
    with pytest.raises(InputError, match=f"predict_motion: {sentence}"):
        find(**given)


def test_large_numbers_are_numbers():
    assert find(iterations=10**12, seed=10**20).ok


@pytest.mark.slow
def test_criteria_of_scripts_are_sent_to_other_processes(tmp_path):
    (tmp_path / "script.py").write_text(
        "import lissom as ls\n"
        "def mine(q, qd, qdd, tau):\n"
        "    return tau[0] ** 2 + 0.3 * qd[1] ** 2 + 9.0\n"
        "arm = ls.load('two_link')\n"
        "given = dict(start=[0, -2], goal=[0.4, -1.7], segments=6, minimise=mine)\n"
        "print(len(ls.predict_motion(arm, **given, starts=3, workers=2).report.starts))\n"
    )
    source = str(Path(ls.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": source},
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("3", "")


def test_criteria_that_give_nothing():
    with pytest.raises(InputError, match="a criterion gave None; expected a casadi number"):
        find(minimise=lambda q, qd, qdd, tau: None)


# ---- what is given -------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 2, 3), (0, 3)])
def test_loads_of_other_shapes_are_refused(shape):
    with pytest.raises(ModelError, match=r"force of the load on 'fore' has shape .* expected \(3,\), or \(k, 3\)"):
        find(loads=ls.Load("fore", force=np.zeros(shape)))


def test_times_that_are_none():
    motion = find()
    for t in (NAN, [0.0, NAN]):
        with pytest.raises(InputError, match=r"the motion lasts from 0 to 0\.4"):
            motion.at(t)
    assert motion.torques([]).shape == motion.at([])[0].shape == (0, 2)


def test_load_motion_wants_a_name():
    with pytest.raises(InputError, match="load_motion: path is 3; expected the name of a file"):
        ls.load_motion(3)


PATH = [[0, 0], [0.4, 0.5], [1, 0.5]]
WITHIN = ls.Limits(torque=4.0)


def test_one_load_need_not_be_a_list():
    load = ls.Load("fore", force=(0, -1, 0))
    one, several = (ls.retime_motion(TWO, PATH, limits=WITHIN, loads=given) for given in (load, [load]))
    assert one.duration == several.duration != ls.retime_motion(TWO, PATH, limits=WITHIN).duration


@pytest.mark.parametrize(
    ("path", "more", "sentence"),
    [
        (PATH, {"loads": [3]}, r"loads has 3; expected Load\(...\)"),
        (PATH, {"loads": None}, "loads is None; expected a list of Load"),
        (PATH, {"loads": ls.Load("hind")}, "there is no link or tool 'hind'"),
        (PATH, {"tolerance": "a"}, "retime_motion: tolerance is 'a'; expected a number above 0"),
        (PATH, {"iterations": 2.5}, "retime_motion: iterations is 2.5; expected a whole number"),
        ("abc", {}, "path is 'abc'; expected waypoints"),
        (lambda x: "ab", {}, "the path gives 'ab'; expected 2 finite positions"),
        (lambda x: None, {}, "the path gives None; expected 2 finite positions"),
    ],
)
def test_what_retime_motion_does_not_take(path, more, sentence):
    with pytest.raises((InputError, ModelError), match=sentence):
        ls.retime_motion(TWO, path, limits=WITHIN, **more)


def test_retiming_that_ran_out_blames_nothing():
    with pytest.raises(MotionError, match="iterations ran out; a feasible motion, not yet optimal; raise iterations"):
        ls.retime_motion(TWO, PATH, limits=WITHIN, minimise="torque_squared", iterations=3)


# ---- the command ---------------------------------------------------------------------------------

FILE = 'arm = "two_link"\nstart = [0, -2]\ngoal = [0.4, -1.7]\nsegments = 8\n'


def run(*arguments):
    return CliRunner().invoke(app, ["predict", *map(str, arguments)])


def test_failed_motions_are_not_for_controllers(tmp_path):
    file, table, whole = (tmp_path / name for name in ("t.toml", "m.csv", "m.nc"))
    table.write_text("the one before")
    file.write_text(FILE + "iterations = 2\n")
    done = run(file, "--output", whole, "--csv", table)
    assert done.exit_code == 1
    assert "did not write" in done.output
    assert "the motion is not solved" in " ".join(done.output.split())
    assert table.read_text() == "the one before"
    assert "ran out" in ls.load_motion(whole).status
    file.write_text(FILE + "regularise = 1e-6\nrefine = 0.5\n")
    assert run(file, "--csv", table).exit_code == 0
    assert table.read_text() != "the one before"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("refine = nan", "refine is nan; expected a number above 0."),
        ("regularise = 1", "regularise is 1; expected a small fraction, 0 to 0.01."),
        ("workers = 0", "workers is 0; expected a whole number above 0."),
    ],
)
def test_options_in_files_are_checked(tmp_path, line, sentence):
    (tmp_path / "t.toml").write_text(FILE + line + "\n")
    done = run(tmp_path / "t.toml")
    assert done.exit_code == 1
    assert sentence in " ".join(done.stderr.split())


def test_links_that_bend_too_far_are_told():
    """Modes of small deflections mean nothing there, in the plan as in a simulation."""
    beam = ls.Beam(0.83, 0.31, EI=0.25, modes=ls.Modes(2))
    link = ls.Link("soft", joint=ls.Joint(armature=0.02), beam=beam, payload=ls.Payload(0.137))
    motion = ls.predict_motion(
        ls.Arm("soft", [link], gravity=(0, 0, 0)), start=[0], goal=[1.5], duration=1.5, minimise="torque_squared",
        segments=8, on_failure="return",
    )  # fmt: skip
    assert not motion.ok
    assert "link 'soft' bends to a slope of" in motion.status
    assert not motion.verify().ok


def test_verify_refuses_before_it_simulates():
    motion = ls.predict_motion(
        ls.load("two_link"), start=[0.1, -2.0], goal=[0.9, -1.2], duration=0.7, segments=6, minimise="torque_squared"
    )
    with pytest.raises(ls.InputError, match="modes is -1"):
        motion.verify(modes=-1, rtol=1e-14)
