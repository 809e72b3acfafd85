"""Notes on motions: limits that the arm does not allow, joints that move although they need not, friction."""

import json

import numpy as np
import pytest

import lissom as ls

NAMES = ("turn", "lift", "tilt")


def arm_with(friction=(0.0, 0.0, 0.0)):
    """A turret with two links; its last joint is light enough to be swung by the others."""
    axes, masses, links = ((0, 0, 1), (0, 1, 0), (0, 1, 0)), (3.0, 1.7, 0.6), []
    ahead = np.eye(4)
    ahead[0, 3] = 0.4
    for k, name in enumerate(NAMES):
        joint = ls.Joint(
            "revolute", ahead if k else np.eye(4), axes[k], name, friction=friction[k], damping=0.1,
            limits=ls.Limits(torque=20.0, velocity=6.0),
        )  # fmt: skip
        body = {"mass": masses[k], "com": (0.2, 0.01, 0.03), "inertia": np.diag([0.02, 0.03, 0.025])}
        links.append(ls.Link(name, parent=NAMES[k - 1] if k else None, joint=joint, **body))
    return ls.Arm("turret", links, gravity=(0, 0, -9.81))


@pytest.fixture(scope="module")
def rough():
    return ls.predict_motion(arm_with((0.8, 1.1, 0.3)), start=[0, 0.1, 0.2], goal=[1.1, 0.7, 0.2], starts=1)


def test_report_verification_and_samples_have_one_largest_torque(rough):
    """At rest friction has the direction of the adjacent motion, in all of them."""
    (reported,) = [peak for peak in rough.report.peaks if peak.quantity == "torque"]
    (verified,) = [peak for peak in rough.verify().peaks if peak.quantity == "torque"]
    largest = np.abs(rough.tau).max(axis=0) / 20.0
    assert reported.utilisation == pytest.approx(largest.max(), rel=2e-3)
    assert verified.utilisation == pytest.approx(reported.utilisation, rel=1e-4)


def test_torque_that_friction_leaves_unused_is_explained():
    """A joint that only brakes, at the end: there its limit holds with friction the other way, too."""
    arm = arm_with((0.8, 0.0, 0.0)).with_gravity((0, 0, 0)).lock({"lift": 0.1, "tilt": 0.2})
    task = ls.Task(start=[0.0], goal=[1.0], start_velocity=[1.0], segments=8, limits=ls.Limits(velocity=1.0))
    motion = ls.predict_motion(arm, task)
    use = np.abs(motion.tau).max() / 20.0
    assert use == pytest.approx(1 - 2 * 0.8 / 20, rel=2e-3)
    (note,) = [note for note in motion.notes if "unused" in note]
    assert f"turn {100 * use:.1f} % of 20 N m, friction 0.8" in note


def test_a_joint_that_swings_although_start_and_goal_are_equal_is_named(rough):
    (note,) = [note for note in rough.notes if "same position" in note]
    assert f"tilt by {np.ptp(rough.q[:, 2]):.2g} rad" in note
    assert "turn" not in note
    assert "arm.lock({'tilt': 0.2})" in note
    held = rough.arm.lock({"tilt": 0.2})
    slower = ls.predict_motion(held, start=[0, 0.1], goal=[1.1, 0.7], starts=1)
    assert slower.duration > rough.duration  # to move it was worth while, as the note says
    assert not [note for note in slower.notes if "same position" in note]


def test_reversals_with_friction_are_counted(rough):
    (note,) = [note for note in rough.notes if "reverses" in note]
    v = rough.qd[1:-1, 2]
    assert f"tilt by 0.6 N m, {int((v[1:] * v[:-1] < 0).sum())} times" in note


def test_limits_of_the_task_that_exceed_the_arm_are_named():
    arm = arm_with()
    task = ls.Task(start=[0, 0, 0], goal=[0.3, 0.2, 0.1], duration=1.0, minimise="torque_squared")
    wide = ls.Limits(torque=[25.0, 15.0, 20.0], velocity=(-7.0, 5.0))
    notes = ls.predict_motion(arm, task, limits=wide).notes
    velocity, torque = (note for note in notes if "limits of the arm hold" in note)
    assert "turn 20 instead of 25 N m" in torque
    assert "lift" not in torque
    assert "tilt" not in torque
    assert "turn -6 instead of -7 rad/s" in velocity
    assert not ls.predict_motion(arm, task, limits=ls.Limits(torque=15.0, velocity=6.0)).notes


def test_notes_are_printed_and_in_the_summary(rough, tmp_path, capsys):
    from lissom.cli.commands.compute.predict import show
    from lissom.motion.result.overview import summary

    assert all(note in rough.describe() for note in rough.notes)
    assert json.loads(json.dumps(summary(rough)["notes"])) == list(rough.notes)
    assert "start and end at the same position" in rough._repr_html_()
    show(rough, None)
    assert "note: Joints that start and end at the same position" in " ".join(capsys.readouterr().out.split())
    rough.save(tmp_path / "rough.nc")
    assert ls.load_motion(tmp_path / "rough.nc").notes == rough.notes


def test_a_prescribed_path_is_not_called_a_choice():
    path = np.array([[0, 0.1, 0.2], [0.4, 0.3, 0.5], [0.8, 0.6, 0.2]])
    motion = ls.retime_motion(arm_with(), path)
    assert np.ptp(motion.q[:, 2]) > 0.1
    assert not [note for note in motion.notes if "same position" in note]
