"""What a report and a verification print: units of the joint, one line for all starts, the verdict first."""

import re

import pytest

import lissom as ls
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
