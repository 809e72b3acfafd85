"""Bounds of contact forces: of light arms that press hard, and of forces that are given."""

import numpy as np
import pytest

import lissom as ls

MASS, PRESSED, HANGS, MOTOR = 0.2, 400.0, 150.0, 10.0


def slider():
    """A light block on two rails, along x and z, that presses against a wall."""
    inertia = 1e-4 * np.eye(3)
    rails = [
        ls.Link(name, parent, ls.Joint("prismatic", axis=axis, name=word, limits=ls.Limits(torque=limit)), MASS / 2,
                (0, 0, 0), inertia)
        for name, parent, axis, word, limit in (
            ("cart", None, (1, 0, 0), "x", 900.0), ("block", "cart", (0, 0, 1), "z", MOTOR),
        )
    ]  # fmt: skip
    wall = ls.Contact("face", "block", friction=0.5, normal=(-1, 0, 0), height=-1.0)
    return ls.Arm("slider", rails, contacts=[wall])


@pytest.mark.parametrize("pressed", [(PRESSED, 500.0), (PRESSED, PRESSED), PRESSED])
def test_friction_of_a_light_arm_that_presses_hard_carries_a_load(pressed):
    # 140 N along the wall are 71 weights of the arm
    motion = ls.predict_motion(
        slider(), start=[1, 0], goal=[1, 0], minimise="torque_squared",
        phases=[ls.Phase("press", ["face"], 0.5, 3, normal_force={"face": pressed})],
        loads=ls.Load("block", force=(0, 0, -HANGS)),
    )  # fmt: skip
    assert motion.verify().status == "verified"
    force = motion.contacts.forces[:, 0]
    assert force[:, 2].min() > HANGS - MOTOR - 0.01
    assert -force[:, 0].min() == pytest.approx(PRESSED, rel=1e-3)


def test_margins_leave_room_for_forces_that_are_given():
    from lissom.motion.phased.margins import Margins
    from lissom.motion.phased.problem import PhasedProblem

    phases = [ls.Phase("press", ["face"], 0.5, 3, normal_force={"face": (100, 100)})]
    task = ls.Task(start=[1, 0], goal=[1, 0], minimise="torque_squared", phases=phases)
    margins = Margins(np.full((1, 1, 3), 0.3), np.zeros(2))
    program = PhasedProblem(slider(), task, [3], margins=margins).program
    assert (program.low <= program.high).all()
    assert (program.lower <= program.upper).all()
