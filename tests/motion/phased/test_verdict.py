"""The verdict of the search agrees with `verify`, on coarse meshes and with little friction too."""

from dataclasses import replace

import numpy as np
import pytest
from tests.legged import biped, scissors, step

import lissom as ls
from lissom.motion.result.verification.base_residual import expected_defects
from lissom.motion.result.verification.force_excess import force_excess


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
