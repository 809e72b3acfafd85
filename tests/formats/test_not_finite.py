"""NaN and infinity in task, run and side files are refused with the line where they stand."""

import numpy as np
import pytest

import lissom as ls
from lissom.motion.run_file import read_run_file
from lissom.motion.task_file import read_task_file

TASK = 'arm = "two_link"\nstart = [0.0, 0.0]\ngoal = [1.0, 0.5]\n'
RUN = 'arm = "two_link"\nuntil = 0.1\n'
SIDE = '[[links]]\nname = "fore"\nend = [0.4, 0, 0]\n[links.beam]\nEI = 1.0\n'


def side(path):
    return ls.load("two_link", flexible=path)


CASES = [
    (read_task_file, TASK.replace("0.5]", "inf]"), 3, "goal is inf at index 1"),
    (read_task_file, TASK + "duration = nan\n", 4, "duration is nan"),
    (read_task_file, TASK + "payload = { mass = nan }\n", 4, "mass is nan"),
    (read_task_file, TASK + "guess = [[0.0, 0.0], [nan, 0.2]]\n", 4, "guess has nan in row 1, column 0"),
    (read_task_file, TASK + "[limits]\nvelocity = [1.0, nan]\n", 5, "velocity[1] is nan"),
    (read_task_file, TASK + "[[obstacles]]\ncentre = [1, 0, 0]\nradius = nan\n", 6, "radius is nan"),
    (read_run_file, RUN.replace("0.1", "nan"), 2, "until is nan"),
    (read_run_file, RUN + "[start]\nq = [nan, 0.0]\n", 4, "q is [nan, 0.0]"),
    (read_run_file, RUN + "[torque]\ntau = [nan, 0.0]\n", 4, "tau is [nan, 0.0]"),
    (read_run_file, RUN + '[[events]]\ncoordinate = "upper"\nvalue = nan\n', 5, "value is nan"),
    (side, SIDE.replace("0.4", "nan"), 3, "end[0] is nan"),
    (side, SIDE + "damping = nan\n", 6, "damping is nan"),
    (side, SIDE.replace("[links.beam]", "hub = { mass = nan }\n[links.beam]"), 4, "mass is nan"),
]


@pytest.mark.parametrize(("read", "text", "line", "message"), CASES, ids=[case[3] for case in CASES])
def test_the_line_is_named(read, text, line, message, tmp_path):
    path = tmp_path / "file.toml"
    path.write_text(text)
    with pytest.raises(ls.ModelError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:{line}")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("guess", "message"),
    [
        (np.ma.masked_equal([[0.0, 0.0], [1.0, 0.5]], 0.5), r"guess is masked_array.*expected a Motion, or waypoints"),
        ([[0.0, 0.0], [np.nan, 0.5]], "guess has nan in row 1, column 0; expected"),
    ],
)
def test_guesses_with_entries_that_are_missing(guess, message):
    with pytest.raises(ls.InputError, match=message):
        ls.predict_motion(ls.load("two_link"), start=[0, 0], goal=[1, 0.5], guess=guess)
