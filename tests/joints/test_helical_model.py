"""Helical joints in models, files, DH tables, pictures and refusals."""

import numpy as np
import pytest
from tests.arms import random_arm
from tests.joints.test_helical import lead_screw

import lissom as ls
from lissom.model.units import units
from lissom.views.arms.skeleton import Skeleton
from lissom.views.scene.draw import plane_of_arm
from lissom.views.scene.legend import legend
from lissom.views.scene.mesh_files import MeshFiles
from lissom.views.scene.scene import Scene

AT = [[1, 0, 0, 0.3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
BEAM = ls.Beam(0.5, 0.6, EI=9.0, modes=ls.Modes(bending_z=1))


def chain():
    """One joint of every kind that moves."""
    links = [
        ls.Link("turn", joint=ls.Joint(axis=(0, 1, 0)), mass=1.0, com=(0.1, 0, 0), inertia=0.01),
        ls.Link("slide", "turn", ls.Joint("prismatic", AT), mass=1.0, inertia=0.01),
        ls.Link("screw", "slide", ls.Joint("helical", AT, axis=(0, 0, -1), pitch=0.02), mass=1.0, inertia=0.01),
    ]
    return ls.Arm("chain", links)


# ---- the record ----------------------------------------------------------------------------------


def test_a_pitch_belongs_to_helical_joints():
    with pytest.raises(ls.ModelError, match=r"a helical joint needs pitch \[m/rad\]; give pitch="):
        ls.Joint("helical")
    with pytest.raises(ls.ModelError, match="but a revolute joint has none; remove it, or make the joint helical"):
        ls.Joint("revolute", pitch=0.1)
    with pytest.raises(ls.ModelError, match="a fixed joint cannot have pitch"):
        ls.Joint("fixed", pitch=0.1)
    with pytest.raises(ls.ModelError, match="pitch is nan"):
        ls.Joint("helical", pitch=float("nan"))
    with pytest.raises(ls.ModelError, match="joint type is 'spherical'"):
        ls.Joint("spherical")


def test_what_a_kind_says_of_its_joints():
    turn, slide, screw = (link.joint for link in chain().links)
    fixed = ls.Joint("fixed")
    assert [joint.unit for joint in (turn, slide, screw)] == ["rad", "m", "rad"]
    assert [joint.effort_unit for joint in (turn, slide, screw)] == ["N m", "N", "N m"]
    assert [joint.angular for joint in (turn, slide, screw, fixed)] == [True, False, True, False]
    assert [joint.period for joint in (turn, slide, screw)] == [2 * np.pi, None, None]
    assert [(joint.rotation, joint.travel) for joint in (turn, slide, screw, fixed)] == [
        (1.0, 0.0), (0.0, 1.0), (1.0, 0.02), (0.0, 0.0),
    ]  # fmt: skip
    assert [joint.half_range(0.6) for joint in (turn, slide, screw)] == [np.pi, 0.6, 30.0]
    assert units(chain(), "tau") == ["N m", "N", "N m"]
    X = screw.transform([0.0, 2.0])
    assert X.shape == (2, 4, 4)
    assert np.array_equal(X[0], np.eye(4))
    assert X[1, :3, 3] == pytest.approx([0, 0, -0.04], abs=1e-15)
    assert np.array_equal(fixed.transform(1.3), np.eye(4))


def test_it_is_described():
    text = str(chain())
    assert "helical 0.02 m/rad" in text
    limited = lead_screw(limits=ls.Limits(position=50.0, torque=2.0))
    assert "+-2865 deg" in str(limited)
    assert "+-2 N m" in str(limited)
    assert not [finding for finding in limited.check() if "degrees instead" in finding.message]  # a screw turns often
    coarse = chain().with_joint("screw", pitch=2.0)  # mm
    assert any("travels 12.6 m per turn (pitch 2 m/rad)" in finding.message for finding in coarse.check())
    with pytest.raises(ls.ModelError, match=r"60 rad is outside its limits, -50 to 50 rad\. Give one inside"):
        limited.lock({"nut": 60.0})


def test_massless_screws_are_refused():
    nut = lead_screw().links[0]
    with pytest.raises(ls.ModelError, match="moves no inertia"):
        ls.Arm("screw", [nut.replace(mass=0.0, inertia=0.0)])
    ls.Arm("screw", [nut.replace(inertia=0.0)])  # a point on the axis travels


# ---- files ---------------------------------------------------------------------------------------


def test_the_native_format_keeps_it(tmp_path):
    arm = random_arm(61, 6, kinds=("helical", "revolute", "fixed"))
    ls.save(arm, tmp_path / "arm.toml")
    assert ls.load(tmp_path / "arm.toml") == arm
    (tmp_path / "own.toml").write_text(
        'name = "screw"\n[[links]]\nname = "nut"\nmass = 1.0\n[links.joint]\ntype = "helical"\npitch = 0.01\n'
        "limits = { position_deg = [-720, 720] }\n"
    )
    assert ls.load(tmp_path / "own.toml").joints[0].limits.position[1] == pytest.approx(4 * np.pi)
    (tmp_path / "no.toml").write_text('name = "screw"\n[[links]]\nname = "nut"\njoint = { type = "helical" }\n')
    with pytest.raises(ls.ModelError, match=r"no.toml:\d+.*a helical joint needs pitch"):
        ls.load(tmp_path / "no.toml")


def test_urdf_has_no_screws(tmp_path):
    with pytest.raises(ls.UnsupportedError, match=r"revolute, continuous, prismatic and fixed .*\(screw: helical\)"):
        ls.save(chain(), tmp_path / "arm.urdf", lossy=True)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_dh_rows(convention, tmp_path):
    """A screw of a DH row turns by theta + q and moves by d + pitch q."""
    body = {"mass": 1.0, "com": (0.1, 0.02, 0.03), "inertia": 0.02}
    rows = [
        ls.DH(a=0.3, alpha=0.4, d=0.1, theta=0.2, joint="helical", pitch=0.05, **body),
        ls.DH(a=0.2, alpha=-0.7, d=0.3, theta=0.1, joint="helical", pitch=-0.1, **body),
        ls.DH(a=0.2, **body),
    ]
    arm = ls.Arm.from_dh(rows, convention)
    q = np.array([0.7, -1.2, 0.4])
    moved = [row.replace(theta=row.theta + x, d=row.d + (row.pitch or 0.0) * x, joint="fixed", pitch=None)
             for row, x in zip(rows, q, strict=True)]  # fmt: skip
    still = ls.Arm.from_dh(moved, convention, kinematics_only=True)
    assert np.abs(ls.poses(arm, q)[-1] - ls.poses(still, [])[-1]).max() < 1e-14
    again = arm.to_dh(convention)
    assert "pitch" in str(again)
    state = np.random.default_rng(2).uniform(-1, 1, (3, 3))
    got, want = (ls.inverse_dynamics(one, *state) for one in (again.arm(), arm))
    assert np.abs(got - want).max() <= 1e-12 * np.abs(want).max()
    text = f'name = "dh"\n[dh]\nconvention = "{convention}"\n[[dh.rows]]\njoint = "helical"\npitch = 0.05\nmass = 1.0\n'
    (tmp_path / "dh.toml").write_text(text)
    assert ls.load(tmp_path / "dh.toml").joints[0].pitch == 0.05


# ---- pictures ------------------------------------------------------------------------------------


def test_pictures_of_it():
    arm = chain()
    scene = Scene(arm, MeshFiles(arm), arm.home[None])
    labels = [entry.label for entry in legend(scene, (), False)]
    assert labels[:3] == ["revolute joint", "prismatic joint", "helical joint"]
    assert {skin.name for skin in scene.skins} == {"joint/slide/slide", "joint/screw/slide"}
    figure = ls.draw(arm)
    words = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert words[:3] == ["revolute joint", "prismatic joint", "helical joint"]
    flat = ls.Arm("flat", [ls.Link("a", joint=ls.Joint("helical", pitch=0.1), mass=1.0, com=(0.3, 0, 0), inertia=0.1)])
    assert plane_of_arm(Skeleton(flat, np.zeros(1))) is None  # it leaves every plane


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["newton_euler_link", "hollerbach_4x4", "xiang", "de_luca_siciliano"])
def test_formulations_refuse_it_by_name(method):
    arm = chain()
    arm = arm.replace(links=[arm.links[0], arm.links[2].replace(parent="turn")])
    with pytest.raises(ls.UnsupportedError, match=f"{method}.*'screw'.* is helical. Leave out method"):
        ls.inverse_dynamics(arm, *np.zeros((3, 2)), method=method)


def test_counts_and_tables_refuse_it():
    with pytest.raises(ls.UnsupportedError, match="joint 'screw' of arm 'chain' is helical"):
        ls.count_operations("walker_orin", chain())
    with pytest.raises(ls.UnsupportedError, match="joint 'screw' of arm 'chain' is helical"):
        ls.ConfigurationTable.build(chain(), 3)


def test_book_covers_revolute_joints_only():
    turn, _, screw = chain().links
    boom = ls.Link("boom", "screw", ls.Joint(), beam=BEAM, mass=0.1, inertia=0.01)
    arm = ls.Arm("crane", [turn, screw.replace(parent="turn"), boom], flexibility="book")
    with pytest.raises(ls.UnsupportedError, match="joint 'screw' is helical; flexibility='book' covers revolute"):
        ls.inverse_dynamics(arm, *np.zeros((3, arm.dof)))
    assert np.isfinite(ls.inverse_dynamics(arm.replace(flexibility="linear"), *np.zeros((3, arm.dof)))).all()
