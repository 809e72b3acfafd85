"""What a report and a verification print: units of the joint, one line for all starts, the verdict first."""

import dataclasses
import re

import numpy as np
import pytest

import lissom as ls
from lissom.motion.result.comparison import Comparison, Plan
from lissom.motion.transcription.peak import Peak


@pytest.fixture(scope="module")
def motion():
    limits = ls.Limits(position=([0.0, -2.5], [3.0, 2.5]), torque=20.0, velocity=5.0)
    return ls.predict_motion(ls.load("two_link"), start=[0.5, -2], goal=[1.5, -1], limits=limits, starts=3)


def test_every_peak_has_the_unit_of_its_joint(motion):
    text = motion.report.describe()
    assert {peak.unit for peak in motion.report.peaks} == {"rad", "rad/s", "N m"}
    assert "N m or N" not in text
    assert re.search(r"^torque .* % of the limit -?\d+ N m: \w+ at ", text, re.MULTILINE)
    assert not re.search("rad or m|rad/s or m/s", "\n".join(peak.describe() for peak in motion.report.peaks))


def test_positions_are_printed_with_their_distance_from_the_limit(motion):
    (position,) = [peak for peak in motion.report.peaks if peak.quantity == "position"]
    assert position.limit in (0.0, 3.0, -2.5, 2.5)
    form = r"position +[-\d.]+ rad, [\d.]+ rad from the limit [-\d.]+ rad: \w+ at .* s"
    assert re.fullmatch(form, position.describe())
    beyond = Peak("position", "a", 0.1, 1.2, 1.0, 1.1, "rad").describe()
    assert re.match(r"position +1\.2 rad, 0\.2 rad beyond the limit 1 rad", beyond)


def test_the_fall_of_a_cost_is_a_part_of_what_it_was(motion):
    report = dataclasses.replace(motion.report, refinements=((10, 4.878), (20, 2.217)))
    assert "it fell by 55 %, so more segments, or refine=1e-3, lower it further" in report.describe()


def test_solutions_on_one_mesh_are_no_finer_meshes(motion):
    """A walk had "cost on finer meshes: 0.655 with 20 segments, 0.656 with 20 segments"."""
    same = dataclasses.replace(motion.report, refinements=((20, 0.656), (20, 0.655))).describe()
    assert "cost of successive solutions: 0.656 with 20 segments, 0.655 with 20 segments (on the same mesh" in same
    assert "finer meshes" not in same
    assert "more segments" not in same


def test_the_report_says_why_the_motion_is_not_that_of_the_finest_mesh():
    limits = ls.Limits(torque=20.0, velocity=5.0)
    motion = ls.predict_motion(ls.load("two_link"), [0.5, -2], [0.7, -1.9], duration=1.0, limits=limits,
                               minimise="energy")  # fmt: skip
    (coarse, _), (fine, _) = motion.report.refinements[-2:]
    assert coarse == motion.basis.segments < fine
    reason = f"this motion is that with {coarse} segments, because the finer mesh gains less than 1 %"
    assert reason in motion.report.describe()


def test_start_and_goal_may_follow_the_arm():
    limits = ls.Limits(torque=20.0, velocity=5.0)
    motion = ls.predict_motion(ls.load("two_link"), [0.5, -2], [0.7, -1.9], limits=limits, segments=5, starts=1)
    assert motion.q[[0, -1]] == pytest.approx(np.array([[0.5, -2], [0.7, -1.9]]), abs=1e-6)
    with pytest.raises(ls.InputError, match=r"or start and goal: predict_motion\(arm, start, goal\)"):
        ls.predict_motion(ls.load("two_link"), [0.5, -2])


def test_forces_are_not_moments():
    assert "limit 5 N: boom" in Peak("torque", "boom", 0.1, 4.0, 5.0, 0.8, "N").describe()


def test_starts_and_meshes_take_one_line_each(motion):
    lines = motion.report.describe().splitlines()
    assert len([line for line in lines if " starts" in line]) == 1
    assert re.search(r"^3 starts.*: \d solved", motion.report.describe(), re.MULTILINE)
    assert lines[-2].startswith("solver: ")
    assert lines[-1].startswith("time: ")
    assert not [line for line in motion.report.describe(limits=False).splitlines() if "of the limit" in line]


def test_the_verdict_comes_first(motion):
    lines = motion.verify().describe().splitlines()
    assert lines[0] == "verified: the plan obeys the equations of motion and keeps its limits"
    assert "ends where planned within" in "\n".join(lines[1:3])


def test_a_comparison_without_a_payload_has_no_columns_of_payloads():
    plan = Plan("this motion", 1.0, 2.3e-10, np.nan, np.nan, 0.6)
    loaded = Plan("rigid plan", 1.0, np.nan, 2e-3, 1e-3, 0.0)
    assert "payload" not in str(Comparison((plan,), 0.1))
    text = str(Comparison((plan, loaded), 0.1))
    assert "payload +10 %" in text
    assert "nan" not in text


def test_a_verification_has_units_and_an_unsolved_motion_no_contradiction(motion):
    assert re.search(r"defects add up to \S+ rad \(\w+\)>", repr(motion.verify()))
    long = "iterations ran out: in the last iterate, equation of motion of 'x' is violated by 2 N; raise `iterations`"
    failed = motion.with_verdict(ok=False, status=long, outcome=ls.MotionOutcome.OUT_OF_ITERATIONS)
    text = failed.verify().describe()
    assert text.startswith(
        "the motion is no solution of its task (iterations ran out), though its torques reproduce it"
    )
    assert "violated" not in text
    assert "obeys" not in text
