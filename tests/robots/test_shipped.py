"""The shipped arms against the numbers of their sources."""

import numpy as np
import pytest

import lissom as ls
from lissom.formats import native_write
from lissom.motion.task.obstacles import bodies_of


def joint_space_inertia(arm, q):
    """M(q) = sum of J^T I J over rigid links, plus drive inertia: enough to compare with printed formulas."""
    X = ls.poses(arm, q)
    M = np.diag([joint.reflected_inertia for joint in arm.joints])
    for i, link in enumerate(arm.links):
        J = ls.jacobian(arm, q, link.name, link.body.com)
        R = X[i, :3, :3]
        M = M + link.body.mass * J[:3].T @ J[:3] + J[3:].T @ (R @ link.body.moment @ R.T) @ J[3:]
    return M


def test_every_arm_has_a_source_and_loads():
    papers = {"two_link", "two_link_flexible", "puma560", "stanford", "tree_demo"}
    assert set(ls.shipped()) == papers | {"panda", "ur5", "ur5e", "ur10", "xarm7", "kinova_gen3"}
    for name in ls.shipped():
        arm = ls.load(name)
        assert arm.name == name
        assert arm.source


def test_a_file_is_not_hidden_by_a_shipped_arm_of_its_name(tmp_path, monkeypatch):
    ls.save(ls.load("two_link").replace(name="mine"), tmp_path / "panda.toml")
    monkeypatch.chdir(tmp_path)
    assert ls.load("panda.toml").name == "mine"
    assert ls.load("panda").name == "panda"


@pytest.mark.parametrize("name", ls.shipped())
def test_every_arm_looks_like_a_machine(name, tmp_path):
    """Base and links have drawings, which are no collision bodies and are kept by files; the pose shown is possible."""
    arm = ls.load(name)
    assert arm.shapes
    assert all(link.shapes for link in arm.links)
    every = [*arm.shapes, *(shape for link in arm.links for shape in link.shapes)]
    assert {shape.role for shape in every} == {"drawing"}
    assert all(shape.colour for shape in every)
    bare = arm.replace(links=[link.replace(shapes=()) for link in arm.links], shapes=())
    assert bodies_of(arm) == bodies_of(bare)
    assert bare.digest == arm.digest
    ls.save(arm, tmp_path / "arm.toml")
    again = ls.load(tmp_path / "arm.toml")
    assert native_write.write(again) == native_write.write(arm)
    assert np.array_equal(again.poses["ready"], arm.ready)
    lower, upper = arm.bounds("position")
    ready = arm.ready[arm.joint_index]
    assert ((lower <= ready) & (ready <= upper)).all()


@pytest.mark.parametrize("q", [(0.3, -1.1), (2.0, 0.4)])
def test_two_link_has_the_inertia_of_the_closed_form(q):
    """Xiang, Arora, Abdel-Malek 2008, (58), (59), (65), with Table 1."""
    L1, l1, l2, m1, m2, I1, I2 = 0.4, 0.2, 0.2, 0.5, 0.5, 0.1, 0.1
    c = np.cos(q[1])
    expected = [
        [I1 + I2 + m1 * l1**2 + m2 * (L1**2 + l2**2 + 2 * L1 * l2 * c), I2 + m2 * l2**2 + m2 * L1 * l2 * c],
        [I2 + m2 * l2**2 + m2 * L1 * l2 * c, I2 + m2 * l2**2],
    ]
    arm = ls.load("two_link")
    assert np.allclose(joint_space_inertia(arm, q), expected, rtol=1e-13)
    assert arm.bounds("torque")[1].tolist() == [10.0, 10.0]
    assert arm.gravity.tolist() == [0.0, -9.8062, 0.0]


def test_two_link_flexible_has_the_data_of_section_vii():
    """De Luca and Siciliano 1991: J_o1 = J_o2 = 0.0083, d_2 = 0.25, m_1 = m_2 = 0.1 follow from the beams."""
    arm = ls.load("two_link_flexible")
    first, second = arm.links
    for link in arm.links:
        body = link.beam.undeformed
        assert body.mass == pytest.approx(0.1)
        assert body.com[0] == pytest.approx(0.25)
        assert round(body.moment[2, 2] + body.mass * body.com[0] ** 2, 4) == 0.0083
        assert link.beam.EI[1] == 1.0
        assert link.inertia[2, 2] == 0.1
        assert link.beam.modes.count == 2
        assert link.beam.damping == 0.0
    assert second.mass == 1.0
    assert second.payload.mass == 0.1
    assert second.payload.inertia[2, 2] == 0.0005
    assert first.payload is None
    assert not arm.gravity.any()
    assert arm.dof == 6


def test_puma_kinematics_at_its_named_positions():
    """Zero position: the L; ready: arm up; both follow from a2, a3, d3, d4 of the table by hand."""
    a2, a3, d3, d4 = 0.4318, 0.0203, 0.15005, 0.4318
    arm = ls.load("puma560")
    assert np.allclose(ls.pose(arm, np.zeros(6), "flange")[:3, 3], [a2 + a3, -d3, d4])
    ready = [0, np.pi / 2, -np.pi / 2, 0, 0, 0]
    assert np.allclose(ls.pose(arm, ready, "flange")[:3, 3], [a3, -d3, a2 + d4])


def test_puma_drives_and_friction_follow_from_the_motor_data():
    gear = np.array([62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686])
    rotor = np.array([200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6])
    viscous = np.array([1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6])
    coulomb = np.array([0.395 + 0.435, 0.126 + 0.071, 0.132 + 0.105, 28.1e-3, 23.76e-3, 14.46e-3]) / 2
    joints = ls.load("puma560").joints
    assert np.allclose([j.reflected_inertia for j in joints], gear**2 * rotor, rtol=1e-12)
    assert np.allclose([j.damping for j in joints], gear**2 * viscous, atol=5e-7)
    assert np.allclose([j.friction for j in joints], gear * coulomb, atol=5e-7)


def test_puma_limits_follow_from_the_motor_data():
    """Armstrong, Khatib, Burdick 1986, Table 7; Corke 1996, Tables 2.18 (motors) and 2.21 (joints)."""
    arm = ls.load("puma560")
    gear = np.array([62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686])
    assert arm.bounds("torque")[1].tolist() == [97.6, 186.4, 89.4, 24.2, 20.1, 21.3]
    assert np.allclose(arm.bounds("velocity")[1], np.array([120, 163, 129, 406, 366, 440]) / gear, atol=5e-5)
    assert np.allclose(arm.bounds("velocity")[1], [1.92, 1.51, 2.40, 5.34, 5.09, 5.74], atol=0.005)


def test_stanford_inertias_are_pauls_about_the_link_frames():
    about_frame = [(0.276, 0.255, 0.071), (0.108, 0.018, 0.100), (2.51, 2.51, 0.006),
                   (0.002, 0.001, 0.001), (0.003, 0.003, 0.0004), (0.013, 0.013, 0.0003)]  # fmt: skip
    for link, moments in zip(ls.load("stanford").links, about_frame, strict=True):
        shifted = link.body.spatial()[:3, :3]
        assert np.allclose(np.diag(shifted), moments, atol=1e-9)
        assert np.allclose(shifted - np.diag(np.diag(shifted)), 0.0, atol=1e-9)


def test_stanford_boom_slides():
    arm = ls.load("stanford")
    assert [joint.kind for joint in arm.joints][2] == "prismatic"
    q = np.array([0.0, np.pi / 2, 0.8, 0.0, 0.0, 0.0])
    step = ls.pose(arm, q + [0, 0, 0.1, 0, 0, 0], "boom")[:3, 3] - ls.pose(arm, q, "boom")[:3, 3]
    assert np.allclose(step, [0.1, 0.0, 0.0], atol=1e-15)


def test_tree_demo_branches_and_has_every_kind_of_joint():
    arm = ls.load("tree_demo")
    children = np.bincount(arm.parent_index[arm.parent_index >= 0])
    assert children.max() >= 2
    assert {link.joint.kind for link in arm.links} == {"revolute", "prismatic", "fixed"}
    assert not all(joint.actuated for joint in arm.joints)
