"""The height of a frame along a motion: kept between samples too, verified, saved, and read from task files."""

import numpy as np
import pytest
from tests.motion.test_program import check

import lissom as ls
from lissom.motion.task_file import read_task_file
from lissom.motion.transcription.problem import Problem

AT = np.eye(4)
AT[0, 3] = 0.4
UPRIGHT = ls.Arm(
    "upright",
    [
        ls.Link("upper", mass=1.0, inertia=0.05, com=(0.2, 0, 0), joint=ls.Joint(name="a", axis=(0, -1, 0))),
        ls.Link("fore", mass=0.7, inertia=0.03, com=(0.2, 0, 0), parent="upper",
                joint=ls.Joint(name="b", axis=(0, -1, 0), placement=AT)),
    ],
)  # fmt: skip
TIP = {"link": "fore", "point": (0.35, 0.0, 0.0)}
MOVE = {"start": [0.1, 0.4], "goal": [0.1, -0.2], "duration": 1.0, "minimise": "torque_squared",
        "limits": ls.Limits(torque=60.0), "segments": 6}  # fmt: skip


def height(motion, t):
    q = motion.at(t)[0]
    return 0.4 * np.sin(q[:, 0]) + 0.35 * np.sin(q.sum(axis=1))


def test_heights_are_kept_between_samples_too():
    task = MOVE | {"start": [-0.3, 1.2], "goal": [1.2, -1.2]}
    free = ls.predict_motion(UPRIGHT, **task)
    fine = np.linspace(0.0, 1.0, 2001)
    top = height(free, fine).max()
    ends = max(height(free, np.array([0.0, 1.0])))
    limit = (top + ends) / 2
    motion = ls.predict_motion(UPRIGHT, **task, constraints=ls.FrameHeight(**TIP, upper=limit))
    assert motion.ok
    assert height(motion, fine).max() < limit + 1.1e-4
    assert motion.cost > free.cost
    (peak,) = [peak for peak in motion.report.peaks if peak.quantity == "height"]
    assert peak.limit == limit
    found = motion.verify()
    assert found.ok
    assert "height" in found.describe()
    strict = motion.task.replace(constraints=ls.FrameHeight(**TIP, upper=limit - 0.01))
    assert "beyond its limit" in motion.with_verdict(task=strict).verify().status


def test_derivatives_of_its_rows():
    low = ls.FrameHeight(**TIP, lower=-0.5, upper=0.9)
    check(Problem(UPRIGHT, ls.Task(**MOVE, constraints=[low])))


def test_ends_beyond_it_are_refused():
    with pytest.raises(ls.InputError, match="at the goal the height of 'fore' is"):
        ls.predict_motion(UPRIGHT, **MOVE, constraints=ls.FrameHeight(**TIP, lower=0.1))
    with pytest.raises(ls.LissomError, match="hand"):
        ls.predict_motion(UPRIGHT, **MOVE, constraints=ls.FrameHeight("hand", lower=0.1))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [({}, "give lower or upper"), ({"lower": 1.0, "upper": 0.5}, "lower < upper"), ({"lower": "high"}, "lower is")],
)
def test_what_is_refused(fields, sentence):
    with pytest.raises(ls.ModelError, match=sentence):
        ls.FrameHeight("fore", **fields)
    with pytest.raises(ls.ModelError, match="constraints"):
        ls.Task(**MOVE, constraints="high")


def test_it_travels_with_the_motion(tmp_path):
    motion = ls.predict_motion(UPRIGHT, **MOVE, constraints=ls.FrameHeight(**TIP, lower=-0.4))
    motion.save(tmp_path / "a.nc")
    assert ls.load_motion(tmp_path / "a.nc").task == motion.task


def test_task_files_have_it(tmp_path):
    text = (
        'arm = "two_link"\nstart = [0, -2]\ngoal = [1, -1]\n[[constraints]]\nkind = "{}"\nlink = "fore"\nlower = -0.1\n'
    )
    (tmp_path / "a.toml").write_text(text.format("frame_height"))
    assert read_task_file(tmp_path / "a.toml").task.constraints == (ls.FrameHeight("fore", lower=-0.1),)
    (tmp_path / "a.toml").write_text(text.format("heigth"))
    with pytest.raises(ls.ModelError, match="expected one of frame_height"):
        read_task_file(tmp_path / "a.toml")
