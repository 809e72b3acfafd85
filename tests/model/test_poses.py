"""Named poses: states by name, kept by arms derived from others."""

import pickle

import numpy as np
import pytest

import lissom as ls
from lissom.model.poses import NamedPose


def chain(**more):
    rods = [
        ls.Link("upper", joint=ls.Joint(name="shoulder"), mass=1.0, com=(0.2, 0, 0), inertia=0.01),
        ls.Link("lower", "upper", ls.Joint(name="elbow", limits=ls.Limits((0.2, 2.0))), 1.0, (0.2, 0, 0), 0.01),
    ]
    return ls.Arm("chain", rods, **more)


POSED = chain(named_poses={"ready": {"shoulder": 0.7}, "folded": {"elbow": 1.9, "shoulder": -0.1}})


def test_joints_that_a_pose_does_not_name_are_at_home():
    assert {name: q.tolist() for name, q in POSED.poses.items()} == {"ready": [0.7, 0.2], "folded": [-0.1, 1.9]}
    assert POSED.ready.tolist() == [0.7, 0.2]
    assert np.array_equal(chain().ready, chain().home)
    with pytest.raises(TypeError):
        POSED.poses["ready"] = np.zeros(2)
    with pytest.raises(ValueError, match="read-only"):
        POSED.poses["ready"][0] = 1.0


def test_poses_do_not_count_when_arms_are_compared():
    assert chain() == POSED
    assert chain().digest == POSED.digest


@pytest.mark.parametrize(
    ("derived", "ready"),
    [
        (lambda arm: arm.with_gravity((0, 0, 0)), [0.7, 0.2]),
        (lambda arm: arm.with_joint("shoulder", name="axis1"), [0.7, 0.2]),
        (lambda arm: arm.with_link("upper", name="boom"), [0.7, 0.2]),
        (lambda arm: arm.lock({"shoulder": 0.0}), [0.2]),
        (lambda arm: arm.lock({"elbow": 1.0}).merge_fixed(), [0.7]),
        (lambda arm: arm.replace(links=arm.links[:1]), [0.7]),
        (lambda arm: arm.subtree("lower"), [0.2]),
        (lambda arm: arm.with_link("lower", beam=ls.Beam(0.5, 0.2, EI=1.0), mass=0.0, inertia=0.01), [0.7, 0.2, 0, 0]),
        (lambda arm: pickle.loads(pickle.dumps(arm)), [0.7, 0.2]),
    ],
    ids=["gravity", "joint renamed", "link renamed", "locked", "merged", "fewer", "subtree", "flexible", "pickled"],
)
def test_derived_arms_keep_their_poses(derived, ready):
    assert derived(POSED).ready.tolist() == ready


def test_a_file_keeps_poses_and_the_base(tmp_path):
    base = ls.LinkShape("cylinder", (0.1, 0.3), role="drawing", colour="#aabbcc")
    arm = POSED.replace(shapes=(base,), named_poses={"ready": {"elbow": 0.5}, "two words": {"shoulder": 0.1}})
    ls.save(arm, tmp_path / "arm.toml")
    again = ls.load(tmp_path / "arm.toml")
    assert {name: q.tolist() for name, q in again.poses.items()} == {"ready": [0.0, 0.5], "two words": [0.1, 0.2]}
    (shape,) = again.shapes
    assert (shape.role, shape.colour, shape.size.tolist()) == ("drawing", "#aabbcc", [0.1, 0.3])
    assert arm.subtree("lower").shapes == ()


@pytest.mark.parametrize(
    ("poses", "words"),
    [
        ({"ready": 3.0}, "expected a mapping"),
        ({"ready": {"elbow": "up"}}, "elbow"),
        ({"": {"elbow": 0.1}}, "name of a pose"),
        ((NamedPose("a"), NamedPose("a")), "used twice"),
    ],
)
def test_wrong_poses_are_refused(poses, words):
    with pytest.raises(ls.ModelError, match=words):
        chain(named_poses=poses)


def test_a_file_with_a_pose_of_an_unknown_joint_is_refused(tmp_path):
    ls.save(chain(), tmp_path / "arm.toml")
    text = (tmp_path / "arm.toml").read_text(encoding="utf-8") + "\n[poses]\nready = { elbwo = 0.4 }\n"
    (tmp_path / "arm.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ls.ModelError, match=r"arm\.toml:\d+ pose 'ready'.*'elbwo', which does not exist; did you mean"):
        ls.load(tmp_path / "arm.toml")
