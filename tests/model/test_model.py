"""The frozen description: what it holds, what it refuses, how arms are made from arms."""

import copy
import pickle

import numpy as np
import pytest

import lissom as ls
from lissom.model import consistency
from lissom.spatial.frames import pose
from lissom.spatial.rotations import from_rpy

X = pose(from_rpy((0.3, -0.4, 1.2)), (0.11, -0.23, 0.37))


def rod(name="rod", parent=None, **fields):
    defaults = {"mass": 1.3, "com": (0.2, 0.01, -0.03), "inertia": (0.002, 0.03, 0.031)}
    return ls.Link(name, parent, **{**defaults, **fields})


def chain(n=3, **options):
    return ls.Arm("chain", [rod(f"l{i}", f"l{i - 1}" if i else None) for i in range(n)], **options)


# ---- structure -----------------------------------------------------------------------------------


def test_coordinates_are_joint_then_deflection_then_modes():
    arm = ls.Arm(
        "mixed",
        [
            rod("a", joint=ls.Joint("revolute", armature=0.1, elastic=ls.JointElasticity(300.0))),
            rod("b", "a", joint=ls.Joint("fixed")),
            rod("c", "b", joint=ls.Joint("prismatic", name="slide"),
                beam=ls.Beam(0.7, 0.3, EI=4.0, GJ=2.0, gyration=(0.01, 0.01), modes=ls.Modes(1, 2, 1))),
            rod("d", "a"),
        ],
    )  # fmt: skip
    assert arm.coordinates == (
        "a", "a.deflection", "slide", "c.bending_z1", "c.bending_y1", "c.bending_y2", "c.torsion1", "d",
    )  # fmt: skip
    assert arm.dof == 8
    assert arm.joint_index.tolist() == [0, 2, 7]
    assert arm.mode_index.tolist() == [1, 3, 4, 5, 6]
    assert [joint.name for joint in arm.joints] == ["a", "slide", "d"]
    assert arm.parent_index.tolist() == [-1, 0, 1, 0]
    assert arm.links[2].name == "c"
    assert arm.flexible


def test_joint_takes_the_links_name():
    assert rod("upper").joint.name == "upper"
    assert rod("upper", joint=ls.Joint(name="shoulder")).joint.name == "shoulder"


def test_drive_inertia():
    joint = ls.Joint("revolute", armature=0.2, gear_ratio=-50.0, rotor_inertia=3e-4)
    assert joint.reflected_inertia == pytest.approx(0.2 + 2500 * 3e-4)


def test_home_stays_within_limits():
    arm = chain(2).with_joint("l1", limits=ls.Limits(position=(0.3, 1.0)))
    assert arm.home.tolist() == [0.0, 0.3]


def test_payload_and_beam_are_in_the_body():
    link = rod(beam=ls.Beam(0.8, 0.5, EI=3.0), mass=2.0, com=(0, 0, 0), inertia=0.0,
               payload=ls.Payload(0.6, com=(0.1, 0, 0)))  # fmt: skip
    body = link.body
    assert body.mass == pytest.approx(2.0 + 0.4 + 0.6)
    assert body.com[0] == pytest.approx((0.4 * 0.4 + 0.6 * 0.9) / 3.0)
    # about the joint: beam m l^2 / 3 and the payload as a point
    about_joint = body.moment[2, 2] + body.mass * body.com[0] ** 2
    assert about_joint == pytest.approx(0.4 * 0.8**2 / 3 + 0.6 * 0.9**2)


def test_tapered_beam_mass_and_inertia():
    # density falls linearly from 3 to 1 over length 2: mass 4, first moment 2*2 + ... by hand
    beam = ls.Beam(2.0, (3.0, 1.0), EI=(None, (5.0, 2.0)), stations=(0.0, 2.0))
    body = beam.undeformed
    assert body.mass == pytest.approx(4.0)
    assert body.com[0] == pytest.approx((3 * 2 - 2**3 / 3) / 4)  # int (3 - x) x dx / 4
    second = 3 * 8 / 3 - 16 / 4  # int (3 - x) x^2 dx
    assert body.moment[1, 1] == pytest.approx(second - 4 * body.com[0] ** 2)


def test_modal_integrals_as_a_body():
    length, density = 0.9, 0.7
    C = np.zeros((4, 4))
    C[:2, :2] = 0.5 * density * np.array([[length, length**2 / 2], [length**2 / 2, length**3 / 3]])
    given = ls.ModalIntegrals(C, np.zeros((2, 4, 4)), np.zeros((2, 2, 4, 4)), np.diag([3.0, 40.0]), np.zeros((2, 2)),
                              (length, 0, 0), np.ones((2, 3)), np.ones((2, 3)))  # fmt: skip
    beam = ls.Beam(length, density, EI=1.0)
    assert given.mass == pytest.approx(beam.mass)
    assert np.allclose(given.undeformed.com, beam.undeformed.com)
    assert np.allclose(given.undeformed.moment, beam.undeformed.moment)


def test_tree_with_branches_on_the_base():
    arm = ls.Arm("twin", [rod("a"), rod("b"), rod("c", "a")])
    assert arm.parent_index.tolist() == [-1, -1, 0]


def test_frames_and_tools():
    arm = ls.Arm("t", [rod("a", tools={"grip": X}), rod("b", "a")])
    assert set(arm.frames) == {"a", "b", "grip"}
    assert np.array_equal(arm.frame("grip").offset, X)
    with pytest.raises(ls.ModelError, match="did you mean 'grip'"):
        arm.frame("gripp")


# ---- values --------------------------------------------------------------------------------------


def test_arms_are_frozen_and_their_arrays_read_only():
    arm = chain()
    with pytest.raises(AttributeError):
        arm.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        arm.links[0].com[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        arm.gravity[2] = 0.0


def test_equality_hash_digest_pickle_copy():
    a, b = chain(), chain()
    assert a == b
    assert hash(a) == hash(b)
    assert a.digest == b.digest
    assert a != chain(4)
    assert a != "chain"
    for other in (pickle.loads(pickle.dumps(a)), copy.deepcopy(a), copy.copy(a)):
        assert other == a
        assert not other.links[1].inertia.flags.writeable
    assert a.replace(source="elsewhere") == a  # provenance does not count
    assert a.with_gravity((0, 0, -9.80)) != a
    assert a.with_gravity((0, 0, -9.80)).digest != a.digest


def test_limits_forms():
    assert ls.Limits(torque=10).torque == (-10.0, 10.0)
    assert ls.Limits(position=(-1, 2)).position == (-1.0, 2.0)
    assert ls.Limits(position=(None, 2)).position == (-np.inf, 2.0)
    assert ls.Limits(velocity=np.inf).velocity is None
    many = ls.Limits(torque=[1.0, 2.0, 3.0], position=([-1.0, -2.0, -3.0], 4.0))
    lower, upper = many.bounds("torque", 3)
    assert lower.tolist() == [-1, -2, -3]
    assert upper.tolist() == [1, 2, 3]
    assert many.bounds("position", 3)[1].tolist() == [4, 4, 4]
    assert many.bounds("jerk", 2)[0].tolist() == [-np.inf, -np.inf]


def test_scalar_inertia_is_planar_and_physical():
    link = rod(inertia=0.08)
    assert np.array_equal(link.inertia, np.diag([0.04, 0.04, 0.08]))


def test_slender_rods_and_point_masses_are_physical():
    assert rod(inertia=(0.0, 0.3, 0.3)).inertia[0, 0] == 0.0
    assert not rod(inertia=(0.0, 0.0, 0.0)).inertia.any()


def test_rounded_rotations_are_made_exact():
    joint = ls.Joint(placement=np.round(X, 7))
    R = joint.placement[:3, :3]
    assert np.abs(R @ R.T - np.eye(3)).max() < 5e-15  # rounding of a singular value decomposition


# ---- refusals ------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
REFUSED = {
    "mass negative": (lambda: rod(mass=-1.0), "link 'rod': mass is -1"),
    "mass nan": (lambda: rod(mass=NAN), "mass is nan"),
    "mass text": (lambda: rod(mass="1"), "mass is '1'; expected a number"),
    "mass bool": (lambda: rod(mass=True), "expected a number"),
    "com shape": (lambda: rod(com=(1, 2)), r"com has shape \(2,\); expected shape \(3\)"),
    "com inf": (lambda: rod(com=(0, INF, 0)), r"com\[1\] is inf"),
    "com ragged": (lambda: rod(com=(0, (1, 2), 0)), "com is"),
    "inertia negative": (lambda: rod(inertia=(-0.1, 0.2, 0.2)), "principal moment -0.1 is negative"),
    "inertia triangle": (lambda: rod(inertia=(0.02, 0.03, 0.09)), "0.02 \\+ 0.03 < 0.09"),
    "inertia asymmetric": (lambda: rod(inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
    "placement": (lambda: ls.Joint(placement=np.diag([1, 1, 1.1, 1])), "not orthonormal"),
    "placement left": (lambda: ls.Joint(placement=np.diag([1, 1, -1, 1])), "left-handed"),
    "placement row": (lambda: ls.Joint(placement=np.ones((4, 4))), "last row"),
    "axis zero": (lambda: ls.Joint(axis=(0, 0, 0)), "no direction"),
    "kind": (lambda: ls.Joint("revolut"), "did you mean 'revolute'"),
    "damping": (lambda: ls.Joint(damping=-1, name="elbow"), "joint 'elbow': damping is -1"),
    "gear": (lambda: ls.Joint(gear_ratio=0), "gear_ratio is 0"),
    "fixed with damping": (lambda: ls.Joint("fixed", damping=1.0), "a fixed joint cannot have"),
    "elastic without motor": (lambda: ls.Joint(elastic=ls.JointElasticity(10.0)), "needs inertia on its motor side"),
    "elastic soft": (lambda: ls.JointElasticity(0.0), "stiffness is 0; expected more than 0"),
    "limits reversed": (lambda: ls.Limits(position=(1, -1)), "reversed"),
    "limits negative": (lambda: ls.Limits(torque=-3), "cannot be negative"),
    "limits triple": (lambda: ls.Limits(position=(1, 2, 3)), "tuple of 3"),
    "limits array on a joint": (lambda: ls.Joint(limits=ls.Limits(torque=[1, 2])), "must be scalars"),
    "limits type": (lambda: ls.Joint(limits=(0, 1)), "expected Limits"),
    "actuated": (lambda: ls.Joint(actuated="yes"), "expected true or false"),
    "name empty": (lambda: rod(""), "link name is ''"),
    "name newline": (lambda: rod("a\nb"), "one line"),
    "name number": (lambda: rod(3), "link name is 3; expected text"),
    "beam and modes": (lambda: rod(beam=ls.Beam(1, 1, 1), modes=a_modal()), "both"),
    "beam length": (lambda: ls.Beam(0.0, 1, 1), "length is 0; expected more than 0"),
    "beam stiffness": (lambda: ls.Beam(1, 1, -2.0), "EI_y is -2"),
    "beam missing stiffness": (lambda: ls.Beam(1, 1, 1, modes=ls.Modes(torsion=1)), "GJ is not given"),
    "beam table without stations": (lambda: ls.Beam(1, (1, 2, 3), 1), "no stations"),
    "beam stations": (lambda: ls.Beam(1, 1, 1, stations=(0, 0.5)), "from 0 to the length"),
    "beam stations order": (lambda: ls.Beam(1, 1, 1, stations=(0, 0.7, 0.6, 1)), "must increase"),
    "beam damping": (lambda: ls.Beam(1, 1, 1, damping=(0.1,)), r"damping has shape \(1,\)"),
    "modes": (lambda: ls.Modes(bending_z=-1), "bending_z is -1"),
    "modes float": (lambda: ls.Modes(bending_z=1.5), "whole number"),
    "payload": (lambda: ls.Payload(-0.1), "payload: mass is -0.1"),
    "load": (lambda: ls.Load("rod", force=(1, 2)), "load on 'rod'"),
    "loop joint": (lambda: ls.Loop(("a", (0, 0, 0)), ("b", (0, 0, 0)), "hinge"), "joint is 'hinge'"),
    "loop end": (lambda: ls.Loop("a", ("b", (0, 0, 0))), "expected \\(link name, point or frame\\)"),
    "no links": (lambda: ls.Arm("x", []), "no links"),
    "links type": (lambda: ls.Arm("x", [1]), "expected Link"),
    "duplicate link": (lambda: ls.Arm("x", [rod("a"), rod("a")]), "used twice"),
    "duplicate tool": (lambda: ls.Arm("x", [rod("a"), rod("b", tools={"a": X})]), "used twice"),
    "duplicate joint": (lambda: ls.Arm("x", [rod("a"), rod("b", joint=ls.Joint(name="a"))]), "same name"),
    "missing parent": (lambda: ls.Arm("x", [rod("shoulder"), rod("b", "shoulde")]), "did you mean 'shoulder'"),
    "own parent": (lambda: ls.Arm("x", [rod("a", "a")]), "own parent"),
    "cycle": (lambda: ls.Arm("x", [rod("a", "b"), rod("b", "a")]), "own ancestors"),
    "order": (lambda: ls.Arm("x", [rod("b", "a"), rod("a")]), "list parents first"),
    "loop to nowhere": (lambda: chain(loops=[ls.Loop(("l9", (0, 0, 0)), ("l0", (0, 0, 0)))]), "no link or tool 'l9'"),
    "load on nowhere": (lambda: chain(loads=[ls.Load("l9")]), "no link or tool 'l9'"),
    "load batch": (lambda: chain(loads=[ls.Load("l0", force=np.ones((2, 3)))]), "cannot be a batch"),
    "mimic of nothing": (lambda: ls.Arm("x", [rod("a", joint=ls.Joint(mimic=ls.Mimic("b")))]), "mimics 'b'"),
    "flexibility": (lambda: chain(flexibility="second"), "flexibility is 'second'"),
    "gravity": (lambda: chain(gravity=-9.81), "gravity is -9.81; expected shape"),
    "dh convention": (lambda: ls.Arm.from_dh([ls.DH()], convention="paul"), "known: standard, modified"),
    "dh row": (lambda: ls.Arm.from_dh([(0, 0, 0, 0)], convention="standard"), "expected DH"),
    "dh angle": (lambda: ls.DH(alpha=NAN), "alpha is nan"),
    "huge": (lambda: rod(mass=1e200), "below 1e\\+30"),
}  # fmt: skip


def a_modal():
    C = np.zeros((4, 4))
    C[0, 0] = 0.5
    one = np.ones((1, 1))
    Ck, Ckl = np.zeros((1, 4, 4)), np.zeros((1, 1, 4, 4))
    return ls.ModalIntegrals(C, Ck, Ckl, one, one, (1, 0, 0), [[0, 1, 0]], [[0, 0, 1]])


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_where_and_how(case):
    make, message = REFUSED[case]
    with pytest.raises(ls.ModelError, match=message):
        make()


# ---- mass where it must be -----------------------------------------------------------------------


def test_massless_links_are_fine_where_something_heavy_hangs_on_them():
    free = ls.Link("gimbal", joint=ls.Joint(axis=(0, 1, 0)))
    arm = ls.Arm("g", [free, rod("bob", "gimbal", joint=ls.Joint(axis=(1, 0, 0)))])
    assert arm.mass == pytest.approx(1.3)


@pytest.mark.parametrize(
    "links",
    [
        [ls.Link("leaf")],
        [rod("a"), ls.Link("leaf", "a")],
        [ls.Link("a"), ls.Link("b", "a", ls.Joint("fixed"))],
        [rod("point on the axis", com=(0, 0, 0.4), inertia=0.0)],
        [ls.Link("a"), rod("b", "a", joint=ls.Joint("revolute"))],  # two turns about one axis
    ],
    ids=["alone", "leaf", "with a fixed child", "point on the axis", "same axis twice"],
)
def test_undetermined_accelerations_are_refused(links):
    with pytest.raises(ls.ModelError, match="moves no inertia"):
        ls.Arm("x", links)
    assert ls.Arm("x", links, kinematics_only=True).dof >= 1


def test_armature_makes_a_massless_link_determined():
    assert ls.Arm("x", [ls.Link("leaf", joint=ls.Joint(armature=1e-6))]).dof == 1


def test_depth_is_capped(monkeypatch):
    monkeypatch.setattr(consistency, "DEEPEST", 50)
    assert chain(50).dof == 50
    with pytest.raises(ls.ModelError, match="link 'l50': the tree is deeper than 50 links"):
        chain(51)


def test_the_number_of_links_is_capped(monkeypatch):
    monkeypatch.setattr(consistency, "MOST_LINKS", 5)
    with pytest.raises(ls.ModelError, match="it has 6 links; at most 5"):
        chain(6)


# ---- new arms from old ---------------------------------------------------------------------------


def test_with_payload_replaces_and_removes():
    arm = chain(2)
    loaded = arm.with_payload(ls.Payload(2.0))
    assert loaded.links[-1].payload.mass == 2.0
    assert loaded.with_payload(ls.Payload(0.5)).mass == pytest.approx(arm.mass + 0.5)
    assert loaded.with_payload(None) == arm
    assert arm.with_payload(ls.Payload(1.0), link="l0").links[0].payload.mass == 1.0


def test_with_link_renames_everywhere():
    loops = [ls.Loop(("l0", (0.1, 0, 0)), ("l2", (0, 0, 0)))]
    arm = chain(3, loops=loops, loads=[ls.Load("l0", force=(1, 0, 0))]).with_link("l0", name="root", mass=4.0)
    assert arm.links[1].parent == "root"
    assert arm.links[0].joint.name == "root"
    assert arm.loops[0].a[0] == "root"
    assert arm.loads[0].link == "root"
    assert arm.links[0].mass == 4.0
    with pytest.raises(ls.ModelError, match="did you mean 'inertia'"):
        arm.with_link("root", inerta=1.0)
    with pytest.raises(ls.ModelError, match="no link 'l0'"):
        arm.with_link("l0", mass=1.0)


def test_with_joint():
    arm = chain(2).with_joint("l1", damping=0.3)
    assert arm.joint("l1").damping == 0.3
    with pytest.raises(ls.ModelError, match="did you mean 'damping'"):
        arm.with_joint("l1", dampin=0.3)


def test_subtree_takes_all_that_hangs_on_a_link():
    arm = ls.load("tree_demo").subtree("left_upper")
    assert [link.name for link in arm.links] == ["left_upper", "left_fore", "finger"]
    assert arm.links[0].parent is None
    assert arm.links[0].joint == ls.load("tree_demo").link("left_upper").joint


def test_subtree_says_what_it_left_out():
    loops = [ls.Loop(("l0", (0, 0, 0)), ("l2", (0, 0, 0)))]
    arm = chain(3, loops=loops).with_joint("l2", mimic=ls.Mimic("l0"))
    part = arm.subtree("l1")
    assert part.loops == ()
    assert part.joint("l2").mimic is None
    assert "l0" in part.notes[0]
    assert "loop" in part.notes[1]


def test_merge_fixed_onto_a_flexible_link_is_a_payload():
    beam = ls.Beam(0.8, 0.5, EI=3.0)
    arm = ls.Arm("f", [rod("a", beam=beam), rod("b", "a", joint=ls.Joint("fixed", placement=X))])
    merged = arm.merge_fixed()
    assert [link.name for link in merged.links] == ["a"]
    assert merged.links[0].payload.mass == pytest.approx(1.3)
    assert np.allclose(ls.pose(merged, [0.3], "b"), ls.pose(arm, [0.3], "b"))
    assert np.allclose(merged.links[0].body.moment @ np.eye(3), _total(arm).moment)


def _total(arm):
    from lissom.spatial.inertia import combine

    a, b = arm.links
    return combine(a.body, b.body.in_frame(a.tip @ b.joint.placement @ b.frame))


# ---- words ---------------------------------------------------------------------------------------


def test_print_shows_what_a_person_wants():
    text = str(ls.load("two_link_flexible"))
    for word in ("joint1", "revolute", "bending_z2", "0.1 kg", "De Luca", "payload"):
        assert word in text
    text = str(ls.load("tree_demo"))
    for word in ("passive", "prismatic", "0 .. 0.6 m", "spring 300", "left_grip", "+-120 N m"):
        assert word in text
    assert max(map(len, str(ls.load("puma560")).splitlines())) <= 110


def test_print_of_a_long_arm_is_cut():
    assert "and 40 more links" in str(chain(100))


def test_check_finds_unlikely_numbers():
    arm = ls.Arm("odd", [rod("mm", com=(200.0, 0, 0)), rod("dense", "mm", inertia=(1e-12, 1e-12, 1e-12)),
                         rod("huge", "dense", inertia=(40.0, 50.0, 60.0), joint=ls.Joint(placement=X))])  # fmt: skip
    words = "\n".join(str(finding) for finding in arm.check())
    assert "warning: link 'mm': its centre of mass is 200 m" in words
    assert "warning: link 'dense': its inertia" in words
    assert "warning: link 'huge': its radius of gyration" in words


def test_check_is_quiet_about_shipped_arms():
    for name in ls.shipped():
        assert not [finding for finding in ls.load(name).check() if finding.level == "warning"]


def test_motors_that_friction_holds_are_found():
    def arm(friction, limit):
        joint = ls.Joint(friction=friction, limits=ls.Limits(torque=limit))
        return ls.Arm("stiff", [ls.Link("a", None, joint, mass=1.0, com=(0.1, 0, 0), inertia=0.1)])

    assert not [found for found in arm(0.5, 1.0).check() if "friction" in found.message]
    assert not [found for found in arm(0.9, None).check() if "friction" in found.message]
    (found,) = [found for found in arm(1.0, (-1.0, 4.0)).check() if "friction" in found.message]
    assert found.level == "warning"
    assert "friction is 1 N m, and its torque limits are -1 and 4 N m: its motor cannot move it in one" in found.message
    assert "lock the joint: --lock a=POSITION, or arm.lock({'a': position})." in found.message


def test_friction_that_leaves_little_of_a_torque_limit_is_found():
    """A hand whose description had 12 of 15 N m: its motions were infeasible for no reason that a message gave."""
    joint = {"friction": 12.0, "limits": ls.Limits(torque=15.0)}
    arm = ls.load("two_link").with_joint(ls.load("two_link").joints[1].name, **joint)
    (found,) = [one for one in arm.check() if "Coulomb" in one.message]
    assert "its Coulomb friction, 12 N m, takes 80 % of its torque limit, 15 N m" in found.message
