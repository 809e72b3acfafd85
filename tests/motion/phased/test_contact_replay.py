"""Replayed segments of motions with contacts end where planned, also of arms in which small errors grow."""

import numpy as np
import pytest
from tests.legged import biped, scissors, step
from tests.motion.phased.test_wall import COST, at_wall

import lissom as ls
from lissom.motion.result.verification.contact_replay import replayed_defects


def push(arm, reach, hold):
    phases = [ls.Phase("reach", (), reach, 4), ls.Phase("push", ["palm"], hold, 3, normal_force={"palm": (40, 80)})]
    return ls.predict_motion(arm, start=arm.ready, goal=[np.nan] * 6, phases=phases, minimise=COST)


@pytest.mark.parametrize("hold", [0.6, 1.5])
def test_an_arm_that_holds_a_push_for_long_is_verified(hold):
    # 40 steps of order 4 in a segment ended 0.23 rad from the plan of 1.5 s, 1000 steps 7e-7 rad
    found = push(at_wall(), 1.5, hold).verify()
    assert found.status == "verified"
    assert np.abs(found.defects).max() < 5e-5


def test_segments_with_friction_at_rest_are_cut_into_pieces():
    arm = at_wall()
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, friction=3.0)
    assert np.abs(replayed_defects(push(arm, 0.5, 0.5), 1e-4)).max() < 1e-4


def test_a_base_that_nothing_carries_ends_elsewhere():
    arm = biped()
    motion = ls.predict_motion(arm, step(arm), guess=scissors(arm))
    path = motion.contact_path
    toe, flat = path.contacts.index("toe_right"), 1
    active, forces = path.active.copy(), path.forces.copy()
    active[flat, toe] = 0.0
    forces[path.phase_at(path.s) == flat, toe] = 0.0
    without = motion.with_verdict(contact_path=path._replace(active=active, forces=forces))
    apart = np.abs(replayed_defects(without, 1e-4)).max(axis=1)
    assert apart[2:7].max() > 1e-3
    assert apart[:2].max() < 1e-9
    assert apart[7:].max() < 1e-4  # one point does not balance the base between samples
