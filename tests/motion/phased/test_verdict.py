"""The verdict of the search agrees with `verify`, on coarse meshes and with little friction too."""

from dataclasses import replace

import numpy as np
import pytest
from tests.legged import biped, scissors, step

import lissom as ls
from lissom.motion.result.verification.phased.base_residual import expected_defects
from lissom.motion.result.verification.phased.force_excess import force_excess


def coarse(segments, friction):
    arm = biped()
    arm = arm.replace(contacts=[contact.replace(friction=friction) for contact in arm.contacts])
    phases = [phase.replace(segments=K) for phase, K in zip(step(arm).phases, segments, strict=True)]
    return ls.predict_motion(arm, step(arm, phases=phases), guess=scissors(biped()))


@pytest.mark.parametrize(("segments", "friction"), [((1, 3, 2), 0.17), ((1, 2, 1), 0.8)])
def test_coarse_meshes_are_refined_and_forces_stay_in_their_cones(segments, friction):
    # as they were, a segment ended 1.7e-4 rad from the plan, and forces at ends of phases left their cones by 0.8 %
    motion = coarse(segments, friction)
    found = motion.verify()
    assert motion.ok
    assert found.status == "verified"
    assert motion.report.refinements[-1][0] > sum(segments)


def test_expected_defects_are_those_of_the_replay():
    motion = coarse((2, 5, 3), 0.8)
    largest = np.abs(motion.verify().defects).max(axis=1)
    assert expected_defects(motion)[7:] == pytest.approx(largest[7:], rel=0.1, abs=3e-6)
    assert expected_defects(motion)[:7] == pytest.approx(0.0, abs=1e-9)


def test_excess_of_forces_is_found_at_ends_of_phases():
    motion = coarse((2, 5, 3), 0.8)
    path = motion.contact_path
    forces = path.forces.copy()
    flat = np.flatnonzero(path.phase_at(path.s) == 1)
    k, toe = (path.contacts.index(word) for word in ("heel_right", "toe_right"))
    for i, side in ((k, 1), (toe, -1)):  # both push against each other, which moves nothing
        forces[flat[-1], i, 0] += side * 0.02 * motion.arm.mass * 9.81
    excess = force_excess(replace(motion, contact_path=path._replace(forces=forces)))
    assert excess.cone[1, k, 2] > excess.cone[1, k, 1]
    assert "'heel_right' leaves its cone" in excess.beyond(path.contacts)
    assert excess.cone[2].max() < 1e-3


def test_a_motion_whose_equations_do_not_hold_is_not_solved(monkeypatch):
    from lissom.motion.phased import search

    monkeypatch.setattr(search, "sample_residual", lambda motion: 0.02)
    with pytest.raises(ls.MotionError, match=r"coordinates without a motor need 0\.02 N"):
        coarse((2, 5, 3), 0.8)


def hopper():
    """Return a planar hopper whose base has motors of 1 N and 1 N m, as a URDF says that has to give some effort."""

    def joint(kind, axis, name, torque, place=None):
        return ls.Joint(kind, np.eye(4) if place is None else place, axis, name, limits=ls.Limits(torque=torque))

    knee = np.eye(4)
    knee[2, 3] = -0.3
    return ls.Arm(
        "hopper",
        [
            ls.Link("rail_x", joint=joint("prismatic", (1, 0, 0), "x", 1.0)),
            ls.Link("rail_z", "rail_x", joint("prismatic", (0, 0, 1), "z", 1.0)),
            ls.Link("trunk", "rail_z", joint("revolute", (0, 1, 0), "pitch", 1.0), 5.0, (0, 0, 0), 0.05 * np.eye(3)),
            ls.Link("thigh", "trunk", joint("revolute", (0, 1, 0), "hip", 60.0), 1.0, (0, 0, -0.15),
                    np.diag([0.008, 0.008, 0.001])),
            ls.Link("shank", "thigh", joint("revolute", (0, 1, 0), "knee", 60.0, knee), 0.5, (0, 0, -0.15),
                    np.diag([0.004, 0.004, 0.0005])),
        ],
        contacts=[ls.Contact("foot", "shank", (0, 0, -0.3), friction=0.8)],
    )  # fmt: skip


def test_a_base_whose_motors_are_far_too_weak_is_named():
    # margins of 1.3 times the excess took more than the whole limit
    phases = [ls.Phase(name, feet, (0.1, 0.6), segments) for name, feet, segments in
              (("push", ["foot"], 8), ("flight", (), 6), ("land", ["foot"], 8))]  # fmt: skip
    start = np.array([0, 0.6 * np.cos(0.5), 0, -0.5, 1.0])
    cost = {"effort_normalised": 1, "acceleration": 1e-4}
    motion = ls.predict_motion(
        hopper(), start=start, goal=start + [0.4, 0, 0, 0, 0], phases=phases, minimise=cost, on_failure="return"
    )
    assert motion.outcome is ls.MotionOutcome.LIMIT_EXCEEDED
    assert "actuated=False)" in motion.status
    assert "if 'z' has no motor" in motion.status
