"""The offset of a frame from another along a motion: derivatives, between samples, saved, read from task files."""

import numpy as np
import pytest
from tests.motion.test_frame_height import MOVE, TIP, UPRIGHT
from tests.motion.test_program import check

import lissom as ls
from lissom.motion.task_file import read_task_file
from lissom.motion.transcription.problem import Problem

OFFSET = {**TIP, "base": "upper", "base_point": (0.3, 0.1, 0.0)}


def offset(motion, direction):
    """(N,) on a fine grid, from closed forms of both places."""
    q = motion.at(np.linspace(0.0, motion.duration, 2001))[0]
    a, b = q[:, 0], q.sum(axis=1)
    tip = np.stack([0.4 * np.cos(a) + 0.35 * np.cos(b), 0 * a, 0.4 * np.sin(a) + 0.35 * np.sin(b)], axis=1)
    base = np.stack([0.3 * np.cos(a), 0 * a + 0.1, 0.3 * np.sin(a)], axis=1)
    return (tip - base) @ np.array(direction)


def test_offsets_are_kept_between_samples_too():
    task, d = MOVE | {"start": [-0.3, 1.2], "goal": [1.2, -1.2]}, (0.0, 0.6, 0.8)
    free = offset(ls.predict_motion(UPRIGHT, **task), d)
    limit = (free.max() + max(free[0], free[-1])) / 2
    motion = ls.predict_motion(UPRIGHT, **task, constraints=ls.FrameOffset(**OFFSET, direction=d, upper=limit))
    assert motion.ok
    assert offset(motion, d).max() < limit + 1.1e-4
    assert motion.verify().ok


def test_derivatives_of_its_rows():
    rows = [ls.FrameOffset(**OFFSET, direction=(1, 2, 3), lower=-0.5, upper=0.9)]
    check(Problem(UPRIGHT, ls.Task(**MOVE, constraints=rows)))


def test_it_travels_with_the_motion_and_in_task_files(tmp_path):
    motion = ls.predict_motion(UPRIGHT, **MOVE, constraints=ls.FrameOffset(**OFFSET, lower=-0.4))
    motion.save(tmp_path / "a.nc")
    assert ls.load_motion(tmp_path / "a.nc").task == motion.task
    (tmp_path / "a.toml").write_text(
        'arm = "two_link"\nstart = [0, -2]\ngoal = [1, -1]\n'
        '[[constraints]]\nkind = "frame_offset"\nlink = "fore"\nbase = "upper"\nlower = -0.1\n'
    )
    assert read_task_file(tmp_path / "a.toml").task.constraints == (ls.FrameOffset("fore", "upper", lower=-0.1),)


def test_what_is_refused():
    with pytest.raises(ls.ModelError, match="give lower or upper"):
        ls.FrameOffset("fore", "upper")
    with pytest.raises(ls.ModelError, match="the same frame"):
        ls.FrameOffset("fore", "fore", lower=0.0)
    with pytest.raises(ls.InputError, match="hand"):
        ls.predict_motion(UPRIGHT, **MOVE, constraints=ls.FrameOffset("fore", "hand", lower=0.1))
    with pytest.raises(ls.UnsupportedError, match="excite: constraints of kind 'frame_offset' are not supported"):
        ls.excite(ls.load("two_link"), 5.0, starts=1, constraints=ls.FrameOffset("fore", "upper", lower=-9.0))
