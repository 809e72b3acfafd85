"""Paths into arms and arguments."""

import numpy as np
import pytest

import lissom as ls
from lissom.errors import NoSuchPath
from lissom.studies.plan.paths import Where, found, replaced


@pytest.fixture(scope="module")
def subject():
    arm = ls.load("two_link_flexible")
    loads = [ls.Load("link2", force=(1.0, 2.0, 3.0))]
    return {"arm": arm, "q": np.array([0.1, 0.2]), "tau": ls.PD([1, 0.5], 60.0, 12.0), "loads": loads}


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("arm.links.fore.beam.EI[1]", ("arm", "links", "fore", "beam", "EI", 1)),
        ('arm.links."link.1".mass', ("arm", "links", "link.1", "mass")),
        ("q[-1]", ("q", -1)),
        ("arm.links.*.mass", ("arm", "links", "*", "mass")),
    ],
)
def test_paths_are_read(text, steps):
    assert Where.of(text).steps == steps


@pytest.mark.parametrize(
    "text", ["", " ", ".a", "a b", "a[x]", "a[1.5]", "a[", "a..b", 'a."b', 7, None, "a[99999999999]"]
)
def test_paths_that_cannot_be_read_are_refused(text):
    with pytest.raises(ls.InputError, match="path"):
        Where.of(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("arm.links.link2.beam.EI[1]", [1.0]),
        ("arm.links.*.beam.EI[1]", [1.0, 1.0]),
        ("arm.joints.joint2.damping", [0.0]),
        ("loads[0].force[2]", [3.0]),
        ("loads.link2.force[0]", [1.0]),
        ("tau.kp", [60.0]),
        ("q[1]", [0.2]),
    ],
)
def test_what_is_there_is_found(subject, text, expected):
    assert found(subject, Where.of(text)) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("arm.links.link3.mass", "there is no 'link3' in arm.links; did you mean 'link"),
        ("arm.links.link2.masss", "did you mean 'mass'"),
        ("arm.joints.elbow.damping", "there is no 'elbow' in arm.joints; known: joint1, joint2"),
        ("arm.joints", "a name is missing in arm.joints"),
        ("q[5]", "q has 2 entries, so there is no \\[5\\]"),
        ("arm.links.link2.beam.EI[0].x", "is None, so it has no 'x'"),
        ("tau.kp.x", "which has no 'x'"),
        ("qq[1]", "there is no 'qq' in the arguments; did you mean 'q'"),
        ("arm.links.*.nothing", "no entry of arm.links has nothing"),
    ],
)
def test_what_is_not_there_is_said(subject, text, sentence):
    with pytest.raises(NoSuchPath, match=sentence):
        found(subject, Where.of(text))


def test_a_changed_record_is_another_one_and_the_old_stays(subject):
    new = replaced(subject, Where.of("arm.joints.*.damping"), lambda old: old + 0.3)
    assert [joint.damping for joint in new["arm"].joints] == [0.3, 0.3]
    assert [joint.damping for joint in subject["arm"].joints] == [0.0, 0.0]
    assert new["q"] is subject["q"]


def test_what_is_put_is_validated(subject):
    with pytest.raises(ls.LissomError, match="mass is -1"):
        replaced(subject, Where.of("arm.links.link2.payload.mass"), lambda _old: -1.0)


def test_a_link_without_payload_can_be_given_one():
    new = replaced({"arm": ls.load("puma560")}, Where.of("arm.links.flange.payload.mass"), lambda _old: 2.5)
    assert new["arm"].link("flange").payload == ls.Payload(2.5)
