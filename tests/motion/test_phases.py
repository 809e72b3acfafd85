"""Records of motions with contacts: what they hold, what they refuse, and their tables in task files."""

import pytest

import lissom as ls

LEFT, RIGHT = ls.Phase("left", ["a"], 0.2), ls.Phase("right", ["b"], (0.1, 0.3), 4)
EFFORT = {"minimise": "torque_squared"}


def test_a_mirrored_task_is_periodic():
    task = ls.Task(phases=[LEFT, RIGHT], mirror=True, travel=ls.Travel("x", speed=0.4), **EFFORT)
    assert task.periodic
    assert task.travel == (ls.Travel("x", speed=0.4),)
    assert (LEFT.bounds, RIGHT.bounds, ls.Phase("free").bounds[0]) == ((0.2, 0.2), (0.1, 0.3), 0.0)
    assert task.replace(phases=[LEFT]).phases == (LEFT,)


def test_normal_forces_have_both_bounds():
    phase = ls.Phase("push", ["palm", "heel"], normal_force={"palm": 40, "heel": (0, 90)})
    assert dict(phase.normal_force) == {"palm": (40.0, float("inf")), "heel": (0.0, 90.0)}
    assert phase.replace(segments=3).normal_force == phase.normal_force


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"phases": [LEFT, LEFT], "mirror": True}, "'left' twice"),
        ({"mirror": True}, "without phases"),
        ({"phases": [LEFT], "mirror": True, "segments": 20}, "beside phases"),
        ({"phases": [RIGHT], "contacts": ["a"], "mirror": True}, "names contact 'b'"),
        ({"phases": [LEFT], "mirror": 1}, "expected Mirror"),
        ({"phases": [LEFT], "mirror": True, "travel": [ls.Travel("x"), ls.Travel("x")]}, "'x' twice"),
        ({"phases": [LEFT], "start": [0], "goal": [1], "travel": [ls.Travel("x")]}, "for periodic motions"),
        ({"phases": [LEFT, RIGHT], "mirror": True, "transfer": ls.Transfer(["a"], ["lef"])}, "did you mean 'left'"),
        ({"phases": [LEFT, RIGHT], "mirror": True, "transfer": ls.Transfer(["a"], ["right", "left"])}, "one after the"),
        ({"phases": [LEFT], "mirror": True, "swing_height": -0.1}, "at least 0"),
    ],
)
def test_contradictions_are_refused(fields, words):
    with pytest.raises(ls.ModelError, match=words):
        ls.Task(**EFFORT, **fields)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ls.Phase("a", "heel"), "expected a list of names"),
        (lambda: ls.Phase("a", ["x", "x"]), "twice"),
        (lambda: ls.Phase("a", duration=0), "expected more than 0"),
        (lambda: ls.Phase("a", duration=(2, 1)), "rising"),
        (lambda: ls.Phase("a", segments=0), "whole number from 1"),
        (lambda: ls.Phase("a", ["x"], normal_force={"y": 3}), "not in contact in this phase"),
        (lambda: ls.Phase("a", ["x"], normal_force={"x": (3, 2)}), "rising"),
        (
            lambda: ls.Phase("a", ["x"], normal_force={"x": [5]}),
            r"phase 'a': normal_force of 'x' is \[5\]; expected a num",
        ),
        (lambda: ls.Phase("a", ["x"], normal_force={"x": ()}), r"expected a number, or \(least, most\)"),
        (lambda: ls.Phase("a", ["x"], normal_force={"x": (1, 2, 3)}), r"expected a number, or \(least, most\)"),
        (lambda: ls.Phase("a", ["x"], normal_force={"x": "40"}), "normal_force of 'x'"),
        (lambda: ls.Phase("a", ["x"], normal_force=[5]), r"normal_force is \[5\]; expected a mapping"),
        (lambda: ls.Travel("x", distance=(2, 1)), "rising"),
        (lambda: ls.Transfer(["a"], ["p"], start=2), "from 0 to 1"),
        (lambda: ls.Transfer([], []), "transfer: contacts is empty; expected one name or more"),
        (lambda: ls.Transfer(["a"], []), "transfer: phases is empty; expected one name or more"),
    ],
)
def test_wrong_records_are_refused(make, words):
    with pytest.raises(ls.ModelError, match=words):
        make()


def test_task_files_have_phases(tmp_path):
    (tmp_path / "step.toml").write_text("""
lissom_task = 1
arm = "two_link"
minimise = "torque_squared"
contacts = ["a", "b"]
swing_height = 0.01

[[phases]]
name = "left"
contacts = ["a"]
duration = 0.2

[[phases]]
name = "right"
contacts = ["b"]
duration = [0.1, 0.3]
segments = 4

[mirror]
coordinates = { upper = "fore" }

[[travel]]
coordinate = "x"
speed = 0.4

[[transfer]]
contacts = ["a"]
phases = ["left", "right"]
""")
    task = ls.load_task(tmp_path / "step.toml").task
    assert task.phases == (LEFT, RIGHT)
    assert task.mirror == ls.Mirror({"upper": "fore"})
    assert (task.travel[0].speed, task.transfer[0].phases, task.swing_height) == (0.4, ("left", "right"), 0.01)
    (tmp_path / "bad.toml").write_text('lissom_task = 1\narm = "two_link"\n[[phases]]\nname = "a"\nlength = 3\n')
    with pytest.raises(ls.ModelError, match="length"):
        ls.load_task(tmp_path / "bad.toml")
