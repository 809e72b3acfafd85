"""Verification says whether an arm passes through itself, where its links have shapes."""

import numpy as np
import pytest

import lissom as ls
from lissom.spatial.frames import pose

LENGTH, RADIUS = 0.4, 0.05


def chain(shapes=True):
    """Three links in a plane, each a cylinder along its x axis."""
    along = pose([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [LENGTH / 2, 0, 0])
    shape = [ls.LinkShape("cylinder", (RADIUS, LENGTH), along)] if shapes else []
    limits = ls.Limits(velocity=1.0, torque=1e3)
    return ls.Arm("chain", [
        ls.Link(
            name, parent=parent, mass=1.0, com=(LENGTH / 2, 0, 0), inertia=0.01 * np.eye(3), shapes=shape,
            joint=ls.Joint("revolute", placement=pose(p=[0 if parent is None else LENGTH, 0, 0]), limits=limits),
        )
        for name, parent in (("a", None), ("b", "a"), ("c", "b"))
    ])  # fmt: skip


@pytest.mark.parametrize(("end", "meets"), [(1.9, False), (2.6, True)])
def test_links_that_meet_are_named(end, meets):
    arm = chain()
    motion = ls.retime_motion(arm, [[0, 1, 1], [0, end, end]])
    found = motion.verify(per_segment=1).self_collision
    if not meets:
        assert found.startswith("the arm does not pass through itself")
        return
    t = float(found.split("t = ")[1].split(" s")[0])
    q = motion.at(t)[0]
    assert "'a' and 'c' overlap" in found
    tip = ls.pose(arm, q, "c", (LENGTH, 0, 0))[:3, 3]  # on link a lies its nearest point to the tip
    assert np.linalg.norm(tip - [np.clip(tip[0], 0, LENGTH), 0, 0]) < 2 * RADIUS


def test_an_arm_of_lines_is_not_checked():
    motion = ls.retime_motion(chain(shapes=False), [[0, 1, 1], [0, 2.6, 2.6]])
    assert motion.verify(per_segment=1).self_collision.startswith("not checked: whether the arm passes through itself")
    assert "not checked" in motion.verify(per_segment=1).describe()


def test_motions_with_phases_have_the_remark_too():
    phases = [ls.Phase("turn", (), 4.0, segments=4)]
    motion = ls.predict_motion(chain(), [0, 1, 1], [0, 2.6, 2.6], phases=phases, minimise="acceleration")
    found = motion.verify()
    assert "'a' and 'c' overlap" in found.self_collision
    assert "give another guess" in found.self_collision
    assert found.self_collision in found.describe()
    assert found.ok
