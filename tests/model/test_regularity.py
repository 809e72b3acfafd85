"""Does the inertia determine every acceleration? The pass over the links against the mass matrix."""

import numpy as np
import pytest

import lissom as ls
from lissom.model import regularity
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis


def pivots(arm):
    """Return the inertias by which the pass divides, and the largest quadratic form that it makes."""
    found, sizes = [], []

    class Recording(regularity._Pass):
        def _eliminated(self, link, s, inertia, armature=0.0):
            found.append(float(s @ inertia.articulated @ s) + armature)
            sizes.append(len(inertia.articulated))
            return super()._eliminated(link, s, inertia, armature)

    assert Recording(arm.links, arm.parent_index, arm.mimics).singular() == []
    return found, max(sizes)


def tree(n, rng, mimics, **joints):
    """A random tree; `mimics` {follower: (joint that it follows, multiplier, offset)} by number."""
    links = []
    for i in range(n):
        follows = None if i not in mimics else ls.Mimic(f"j{mimics[i][0]}", *mimics[i][1:])
        axis = rng.normal(size=3)
        turn = about_axis(axis / np.linalg.norm(axis), 1.0)
        joint = ls.Joint(
            kind="prismatic" if i % 4 == 3 else "revolute", placement=pose(turn, rng.normal(size=3)), name=f"j{i}",
            axis=rng.normal(size=3), armature=float(rng.uniform(0, 0.1)), mimic=follows, **joints.get(f"j{i}", {}),
        )  # fmt: skip
        parent = None if i < 2 else f"l{rng.integers(i)}"  # two branches on the base
        inertia = np.diag(rng.uniform(0.1, 0.15, 3))
        links.append(ls.Link(f"l{i}", parent, joint, mass=1.3, com=rng.normal(size=3), inertia=inertia))
    return ls.Arm("tree", links)


FOLLOWERS = {
    "none": {},
    "one": {7: (2, 0.5, 0.1)},
    "in another branch": {8: (1, -1.5), 9: (0, 2.0)},
    "two groups that overlap": {6: (1, 0.7), 7: (2, 1.1), 8: (1, -0.4), 5: (2, 0.3, 1.0)},
    "through another, and one that stands still": {9: (4, 0.7), 4: (0, 2.0), 5: (0, 0.0, 0.2)},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", FOLLOWERS)
def test_the_product_of_all_pivots_is_the_determinant_of_the_mass_matrix(case, seed):
    elastic = {"elastic": ls.JointElasticity(10.0)}
    arm = tree(10, np.random.default_rng(seed), FOLLOWERS[case], j3=elastic, j7=elastic)
    index = {link.joint.name: i for i, link in enumerate(arm.links)}
    q = np.zeros(arm.dof)
    q[arm.joint_index] = [regularity._generic_position(index[joint.name]) for joint in arm.joints]
    found, _ = pivots(arm)
    assert len(found) == arm.dof
    assert np.log(found).sum() == pytest.approx(np.linalg.slogdet(ls.mass_matrix(arm, q))[1], rel=1e-10)


def test_one_follower_among_many_links_costs_one_more_row():
    chain = [
        ls.Link(f"l{i}", f"l{i - 1}" if i else None, ls.Joint(name=f"j{i}", axis=(0, i % 2, 1)), mass=1.0,
                com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1)) for i in range(200)
    ]  # fmt: skip
    last = chain[-1]
    chain[-1] = last.replace(joint=last.joint.replace(mimic=ls.Mimic("j0", 0.5)))
    found, largest = pivots(ls.Arm("chain", chain))
    assert (len(found), largest) == (199, 7)


def test_many_followers_close_where_their_joints_meet():
    links = []
    for i in range(0, 60, 2):
        base = f"l{i - 1}" if i else None
        links += [
            ls.Link(f"l{i}", base, ls.Joint(name=f"j{i}"), mass=1.0, inertia=(0.1, 0.1, 0.1)),
            ls.Link(f"l{i + 1}", f"l{i}", ls.Joint(name=f"j{i + 1}", mimic=ls.Mimic(f"j{i}")), mass=1.0,
                    inertia=(0.1, 0.1, 0.1)),
        ]  # fmt: skip
    found, largest = pivots(ls.Arm("fingers", links))
    assert (len(found), largest) == (30, 7)


def test_all_joints_that_move_nothing_are_named_with_followers():
    bare = [ls.Link(f"l{i}", None, ls.Joint(name=f"j{i}")) for i in range(3)]
    follower = ls.Link("m", None, ls.Joint(name="jm", mimic=ls.Mimic("j0")))
    with pytest.raises(ls.ModelError, match=r"'j2' moves no inertia.* The same holds for 2 more joints: 'j1', 'j0'"):
        ls.Arm("x", [*bare, follower])


def test_a_long_chain_of_followers_is_resolved():
    n = 300
    links = [
        ls.Link(f"l{i}", None, ls.Joint(name=f"j{i}", mimic=ls.Mimic(f"j{i + 1}") if i < n - 1 else None), mass=1.0,
                inertia=(0.1, 0.1, 0.1)) for i in range(n)
    ]  # fmt: skip
    arm = ls.Arm("gears", links)
    assert arm.coordinates == (f"j{n - 1}",)
    assert arm.mimics["j0"] == ls.Mimic(f"j{n - 1}")
