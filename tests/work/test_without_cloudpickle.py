"""An installation without the extra `studies`: what needs no other package works, the rest names the extra."""

import os
import subprocess
import sys
from pathlib import Path

import lissom as ls

SOURCE = str(Path(ls.__file__).parents[1])
SCRIPT = """
import lissom as ls
from lissom.motion.solve import multistart

multistart._here = lambda run, which: iter([run(k) for k in which] if which == [0] else which and 1 / 0)
motion = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1], segments=8, starts=3, workers=2)
print(motion.ok, [row["start"] for row in motion.report.starts])
study = ls.Study(lambda case: {"y": case["x"]}, parameters={"x": ls.StudyParameter(values=[1, 2])})
print(study.run(workers=1).ok)
for given in ({"workers": 2}, {"store": "rows", "workers": 1}):
    try:
        study.run(**given)
    except ls.InputError as error:
        print(error)
"""


def test_what_a_plain_installation_can_do(tmp_path):
    for name in ("cloudpickle", "pyarrow"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not installed')")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{SOURCE}"},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert lines[:2] == ["True [0, 1, 2]", "True"], done.stderr
    assert lines[2].startswith("a study in several processes needs cloudpickle: pip install '.[studies]' in your clone")
    assert lines[3].startswith("a study store needs pyarrow: pip install '.[studies]' in your clone of lissom")
    assert not (tmp_path / "rows").exists()
