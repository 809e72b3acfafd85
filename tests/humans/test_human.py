"""The shipped humans: masses, heights, mirror symmetry, files, and what is refused."""

import numpy as np
import pytest

import lissom as ls
from lissom.humans.body import bodies
from lissom.humans.body.build import Build
from lissom.humans.body.tables import table
from lissom.spatial.inertia import combine

ALL = (13, 16, 31, 55)
PEOPLE = {count: ls.human(height=1.68, mass=71.5, sex="female", joints=count) for count in ALL}


def standing(arm):
    (ready,) = arm.named_poses
    positions = dict(ready.positions)
    return np.array([positions.get(name, 0.0) for name in arm.coordinates])


def mirror(arm):
    """Permutation and signs of the mirror image."""
    names = arm.coordinates
    order = [names.index(arm.mirror.partner("coordinates", name)) for name in names]
    return order, np.array([arm.mirror.sign(name) for name in names])


@pytest.mark.parametrize("count", ALL)
def test_mass_height_and_centre_of_mass_do_not_depend_on_the_number_of_joints(count):
    arm = PEOPLE[count]
    q = standing(arm)
    assert arm.dof == count
    assert sum(link.mass for link in arm.links) == pytest.approx(71.5, rel=1e-12)
    heights = [ls.pose(arm, q, contact.link, contact.point)[2, 3] for contact in arm.contacts]
    assert len(heights) == (6 if count < 31 else 10)
    np.testing.assert_allclose(heights, 0.0, atol=1e-12)
    com = ls.centre_of_mass(arm, q)
    np.testing.assert_allclose(com, ls.centre_of_mass(PEOPLE[31], standing(PEOPLE[31])), atol=1e-12)
    assert np.linalg.eigvalsh(ls.mass_matrix(arm, q))[0] > 1e-5


def test_centres_of_mass_are_where_people_have_theirs():
    """About 57 per cent of the height for men and 55 for women who stand (for example Palmer 1944; Winter)."""
    for sex, part in (("male", 0.57), ("female", 0.55)):
        arm = ls.human(sex=sex, joints=31)
        assert ls.centre_of_mass(arm, standing(arm))[2] / 1.74 == pytest.approx(part, abs=0.01)


@pytest.mark.parametrize("sex", ["male", "female"])
def test_the_vertex_is_at_the_body_height(sex):
    build = Build(1.9, 90.0, sex)
    assert build.hip_height + build.trunk_length + build.segment("head").length == pytest.approx(1.9, rel=1e-12)
    assert (build.hip_height + build.shoulder_height) / 1.9 == pytest.approx(0.818, abs=0.03)  # Drillis and Contini


@pytest.mark.parametrize("sex", ["male", "female"])
def test_the_table_is_that_of_de_leva(sex):
    """Masses add up; moments of segments with two pairs of landmarks in the paper's table agree."""
    rows = table("segments")[sex]["segments"]
    total = sum(row["mass"] * (1 if "trunk" in name or name == "head" else 2) for name, row in rows.items())
    assert total == pytest.approx(100.0, abs=0.011)
    other = {  # length and radii between the other landmarks: VERT-MIDG, SUPR-XYPH, KJC-LMAL
        "male": {"head": (0.2033, (36.2, 37.6, 31.2)), "upper_trunk": (0.1707, (71.6, 45.4, 65.9)),
                 "shank": (0.4340, (25.5, 24.9, 10.3))},
        "female": {"head": (0.2002, (33.0, 35.9, 31.8)), "upper_trunk": (0.1425, (74.6, 50.2, 71.8)),
                   "shank": (0.4323, (27.1, 26.7, 9.3))},
    }[sex]  # fmt: skip
    for name, (length, radii) in other.items():
        here = rows[name]["length"] * np.array(rows[name]["radii"])
        np.testing.assert_allclose(here, length * np.array(radii), atol=0.06 * rows[name]["length"] + 0.01)


@pytest.mark.parametrize("sex", ["male", "female"])
def test_parts_make_the_whole(sex):
    build = Build(1.74, 73.0, sex)
    for name in ("middle_trunk", "upper_trunk"):
        halves = combine(*(bodies.half_trunk(build, name, upper, 0.1) for upper in (False, True)))
        whole = bodies.trunk(build, (name,), 0.1)
        np.testing.assert_allclose(halves.moment, whole.moment, atol=1e-14)
        np.testing.assert_allclose(halves.com, whole.com, atol=1e-14)
    assert np.linalg.eigvalsh(bodies.foot(build).moment)[0] > 0


@pytest.mark.parametrize("count", ALL)
def test_the_mirror_image_of_a_motion_has_the_mirror_image_of_its_torques(count):
    arm = PEOPLE[count]
    order, sign = mirror(arm)
    assert [order[k] for k in order] == list(range(count))
    rng = np.random.default_rng(7)
    q, qd, qdd = 0.3 * rng.normal(size=(3, count))
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    image = ls.inverse_dynamics(arm, *(sign * x[order] for x in (q, qd, qdd)))
    np.testing.assert_allclose(image, sign * tau[order], rtol=0, atol=1e-13 * np.abs(tau).max())


@pytest.mark.parametrize("count", ALL)
def test_contacts_of_the_mirror_image_are_the_mirror_images_of_contacts(count):
    arm = PEOPLE[count]
    order, sign = mirror(arm)
    q = 0.3 * np.random.default_rng(8).normal(size=count)
    places = {one.name: ls.pose(arm, q, one.link, one.point)[:3, 3] for one in arm.contacts}
    for one in arm.contacts:
        image = ls.pose(arm, sign * q[order], one.link, one.point)[:3, 3]
        partner = arm.mirror.partner("contacts", one.name)
        assert partner != one.name
        np.testing.assert_allclose(image, places[partner] * (1, -1, 1), atol=1e-14)
        assert arm.mirror.partner("links", one.link) != one.link


@pytest.mark.parametrize("count", ALL)
def test_the_ball_rests_while_the_toes_bend(count):
    arm = PEOPLE[count]
    q = standing(arm)
    bent = q + 0.5 * np.array([name.startswith("toe_") for name in arm.coordinates])
    for one in arm.contacts:
        if one.name.startswith("ball"):
            at = [ls.pose(arm, posture, one.link, one.point)[:3, 3] for posture in (q, bent)]
            np.testing.assert_allclose(*at, atol=1e-15)
            toes = ls.pose(arm, bent, f"toes_{one.name.split('_')[1]}")[:3, 3]
            np.testing.assert_allclose(toes[[0, 2]], at[0][[0, 2]], atol=1e-15)


@pytest.mark.parametrize("count", ALL)
def test_the_same_after_saving(count, tmp_path):
    arm = PEOPLE[count]
    ls.save(arm, tmp_path / "person.toml")
    assert ls.load(tmp_path / "person.toml") == arm


def test_a_falling_person_conserves_energy():
    arm = ls.human(joints=31)
    still = {link.joint.name: {"damping": 0.0} for link in arm.links if link.joint.damping}
    for name, change in still.items():
        arm = arm.with_joint(name, **change)
    q = standing(arm) + 0.1 * np.abs(np.random.default_rng(3).normal(size=31))
    run = ls.simulate(arm, q, until=0.3, rtol=1e-9, atol=1e-10)
    assert np.ptp(run.energy) < 1e-5 * np.abs(run.energy).max()


def test_strength_and_stiffness_scale_with_mass_and_height():
    small, tall = (ls.human(height=h, mass=m, joints=13) for h, m in ((1.5, 50.0), (1.8, 100.0)))
    ankles = [arm.links[arm.coordinates.index("ankle_dorsiflexion_r")].joint for arm in (small, tall)]
    want = 1.8 * 100.0 / (1.5 * 50.0)
    assert ankles[1].stiffness / ankles[0].stiffness == pytest.approx(want)
    assert ankles[1].limits.torque[0] / ankles[0].limits.torque[0] == pytest.approx(want)
    assert ankles[1].limits.torque[0] == pytest.approx(-0.095 * 100.0 * 9.81 * 1.8)


@pytest.mark.parametrize(("wrong", "words"), [
    ({"height": -1.7}, "height is -1.7 m; expected metres from 1 to 2.5"), ({"height": 174}, "height is 174 m"),
    ({"mass": 5.0}, "mass is 5 kg at 1.74 m; expected 30 to 182 kg"), ({"mass": "heavy"}, "mass is 'heavy'"),
    ({"sex": "other"}, "sex is 'other'; expected 'male' or 'female'"),
    ({"joints": 20}, "joints is 20; expected one of"), ({"joints": True}, "joints is True"),
])  # fmt: skip
def test_people_that_are_none_are_refused(wrong, words):
    with pytest.raises(ls.InputError, match=f"^human: {words}"):
        ls.human(**wrong)
