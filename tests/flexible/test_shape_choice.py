"""Which shapes a beam keeps: natural, with a static one, polynomial, tabulated; and what its tip is taken to be."""

import numpy as np
import pytest
from tests.flexible.sampled import Cloud

import lissom as ls
from lissom.flexible.quadrature import Panels
from lissom.flexible.ritz import MADE, shapes_of
from lissom.flexible.tips import hanging, tips
from lissom.model.beam import SHAPES
from lissom.spatial.frames import pose

L, MU, EI = 0.73, 0.41, (3.1, 2.3)
TIP = ls.Tip(0.37, 0.021, 0.05, polar=0.004)
X = np.linspace(0, L, 37)
CLAMPED = {"length": L, "mass_per_length": MU, "EI": EI}


def kept(beam, tip=TIP, kind="bending_z"):
    return shapes_of(beam, tip, tip)[kind]


def bar(shapes="natural", **more):
    return ls.Beam(**CLAMPED, shapes=shapes, **more)


def two_links(first, elbow=0.0, **second):
    """A beam that carries an elbow, a forearm beam and a payload; planar, about z."""
    z = ls.Joint("revolute")
    return ls.Arm("two", [
        ls.Link("upper", joint=z, beam=first, inertia=0.1),
        ls.Link("fore", "upper", ls.Joint("revolute", name="elbow"), mass=1.0, inertia=0.1,
                beam=ls.Beam(0.5, 0.2, EI=1.0, **second), payload=ls.Payload(0.1, inertia=0.0005)),
    ], gravity=(0, 0, 0))  # fmt: skip


@pytest.mark.parametrize("tip", [TIP, ls.Tip(), ls.Tip(900.0, 70.0, 4.0)], ids=["loaded", "free", "heavy"])
def test_polynomials_become_natural_modes(tip):
    """Ten powers span the first three modes to 1e-5 (errors of Ritz shapes fall faster than any power)."""
    beam = bar("polynomial", modes=ls.Modes(bending_z=10))
    found, exact = kept(beam, tip), ls.beam_modes(beam, tip, 3)
    assert np.abs(found.at(X)[:, :3] - exact.shape(X)).max() < 1e-5
    assert np.abs(found.at(X, 1)[:, :3] - exact.slope(X)).max() < 1e-4 * np.abs(exact.slope(X)).max()


def test_sixteen_polynomials_are_orthogonal():
    shapes = kept(bar("polynomial", modes=ls.Modes(16)))
    panels = Panels(np.linspace(0, L, 9))
    y, ends = shapes.at(panels.s), np.stack([shapes.at(L), shapes.at(L, 1)])
    gram = MU * (y.T * panels.w) @ y + ends.T @ TIP.matrix @ ends
    # 1/w^2 of the sixteen spans eight decades: so many digits of the highest are lost
    assert np.abs(gram - MU * L * np.eye(16)).max() < 1e-7 * MU * L
    assert np.abs(shapes.at(0.0)).max() < 1e-12
    assert np.abs(shapes.at(0.0, 1)).max() < 1e-9 * np.abs(shapes.at(L, 1)).max()


def test_torsion_and_stretch_of_polynomials():
    beam = bar("polynomial", GJ=1.7, EA=900.0, gyration=(0.02, 0.03), modes=ls.Modes(0, 0, 8, 8))
    for kind in ("torsion", "stretch"):
        exact = ls.beam_modes(beam, TIP, 2, kind)
        assert np.abs(kept(beam, TIP, kind).at(X)[:, :2] - exact.shape(X)).max() < 1e-5
    alone = bar("polynomial", GJ=1.7, modes=ls.Modes(0, 0, 1))  # its one shape is that of the tip on a spring
    assert np.allclose(kept(alone, TIP, "torsion").at(X)[:, 0], X / L, rtol=1e-14)


def test_a_table_of_natural_modes_gives_them_back():
    """Splines through 41 rows: order four in the spacing; in any mixture and size."""
    exact = ls.beam_modes(bar(), TIP, 3)
    s = np.linspace(0, L, 41)
    mixture = np.array([[2.0, -1.0, 0.3], [0.5, 7.0, 0.1], [1.0, 0.0, -30.0]])
    table = ls.ShapeTable(s, bending_z=exact.shape(s) @ mixture)
    found = kept(bar(table, modes=ls.Modes(3)))
    assert np.abs(found.at(X) - exact.shape(X)).max() < 2e-4
    fewer = kept(bar(table, modes=ls.Modes(2)))  # the lowest of what the table can make
    assert np.allclose(fewer.at(X), found.at(X)[:, :2], rtol=1e-12, atol=1e-14)


def test_tabulated_torsion():
    beam = bar(GJ=1.7, gyration=(0.02, 0.03), modes=ls.Modes(0, 0, 1))
    s = np.linspace(0, L, 15)
    exact = ls.beam_modes(beam, TIP, 1, "torsion")
    found = kept(beam.replace(shapes=ls.ShapeTable(s, torsion=np.sin(s))), TIP, "torsion")
    assert np.abs(found.at(X) / found.at(L) - np.sin(X)[:, None] / np.sin(L)).max() < 1e-6
    assert found.at(L)[0] == pytest.approx(exact.shape(L)[0], rel=5e-3)


def test_static_shape():
    """Of three shapes two are natural; the span also holds what a moment at the tip does."""
    found = kept(bar("natural+static", modes=ls.Modes(3)))
    natural = ls.beam_modes(bar(), TIP, 2).shape(X)
    span = np.column_stack([natural, X**2])
    assert np.linalg.lstsq(span, found.at(X), rcond=None)[1].max() < 1e-20
    tapered = ls.Beam(
        L, MU, EI=(None, (3.0, 2.0, 0.7)), stations=(0, 0.3, L), shapes="natural+static", modes=ls.Modes(1)
    )
    bent = kept(tapered).at(X, 2)[:, 0]  # moment over EI; Hermite elements have it in the mean of each
    table = np.interp(X, tapered.stations, tapered.EI[1])
    assert np.abs(bent * table / (bent * table).mean() - 1).max() < 2e-2


def test_static_shape_for_a_free_joint():
    """Two modes with a locked tip miss the fourth frequency of free joints by 0.3; a static shape mends it."""
    free = {}
    for word, count in (("natural", 2), ("natural+static", 3), ("natural", 6)):
        beam = ls.Beam(0.5, 0.2, EI=1.0, modes=ls.Modes(count), shapes=word)
        arm = two_links(beam, modes=ls.Modes(4))
        free[word, count] = ls.modes(arm, [0.0, 0.5], joints="free", count=4).frequencies_hz
    exact = free["natural", 6]
    assert abs(free["natural", 2][3] / exact[3] - 1) > 0.2
    assert np.abs(free["natural+static", 3] / exact - 1).max() < 3e-3


def test_every_choice_converges_to_the_same():
    q = [0.3, -0.8]
    wanted = ls.modes(two_links(ls.Beam(0.5, 0.2, EI=1.0, modes=ls.Modes(5))), q, count=3).frequencies_hz
    s = np.linspace(0, 0.5, 61)
    table = ls.ShapeTable(s, bending_z=np.column_stack([s**k for k in range(2, 7)]))
    choices = (
        {"shapes": "polynomial"}, {"tip": ls.Tip(0.9, 0.1, 0.02)}, {"tip_pose": {"elbow": 2.0}}, {"shapes": table},
        {"shapes": "natural+static"},
    )  # fmt: skip
    for choice in choices:
        beam = ls.Beam(0.5, 0.2, EI=1.0, modes=ls.Modes(4), **choice)
        found = ls.modes(two_links(beam), q, count=3).frequencies_hz
        assert np.abs(found / wanted - 1).max() < 2e-3, choice
    # a tip that is taken to be free, and is not, converges slowly
    free = [two_links(ls.Beam(0.5, 0.2, EI=1.0, modes=ls.Modes(n), tip="free")) for n in (1, 2, 4)]
    errors = [np.abs(ls.modes(arm, q, count=2).frequencies_hz / wanted[:2] - 1).max() for arm in free]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.2


def test_damping_holds_for_every_choice():
    """The ratio of the first assembled mode is that of the beam, whatever its shapes."""
    for choice in ({}, {"shapes": "polynomial"}, {"shapes": "natural+static"}):
        beam = ls.Beam(0.5, 0.2, EI=1.0, modes=ls.Modes(3), damping=0.02, **choice)
        arm = ls.Arm("one", [ls.Link("bar", joint=ls.Joint(), beam=beam, payload=ls.Payload(0.3, inertia=0.001))])
        assert ls.modes(arm, joints="locked").damping == pytest.approx([0.02] * 3, rel=1e-6)


# ---- the tip ---------------------------------------------------------------------------------------------------------


def test_what_the_tip_is_taken_to_be():
    beam = bar()
    arm = ls.Arm("bent", [
        ls.Link("boom", joint=ls.Joint("revolute"), beam=beam.replace(tip_pose={"slide": 0.4})),
        ls.Link("cart", "boom", ls.Joint("prismatic", axis=(1, 0, 0), name="slide"), mass=2.0, com=(0.1, 0, 0),
                inertia=(0.01, 0.02, 0.03)),
    ])  # fmt: skip
    seen = tips(hanging(arm)[0])[0]
    assert (seen.mass, seen.offset_moment) == (2.0, pytest.approx(2.0 * 0.5))
    assert seen.inertia == pytest.approx(0.03 + 2.0 * 0.5**2)
    home = tips(hanging(arm.with_link("boom", beam=beam))[0])[0]
    assert home.offset_moment == pytest.approx(2.0 * 0.1)
    for choice, tip in (("free", ls.Tip()), (TIP, TIP)):
        found = kept(beam.replace(tip=choice), seen)
        assert np.allclose(found.at(X), ls.beam_modes(beam, tip, 2).shape(X), rtol=1e-12, atol=1e-14)


def test_free_tip_without_gyration_takes_the_inertia_there_is():
    beam = bar(GJ=1.7, tip="free", modes=ls.Modes(1, 0, 1))
    assert kept(beam, TIP, "torsion").count == 1
    with pytest.raises(ls.ModelError, match="torsion modes need inertia"):
        kept(beam, ls.Tip(), "torsion")


def test_tip_pose_follows_renamed_joints_and_cuts():
    beam = bar(tip_pose={"elbow": 0.7})
    arm = two_links(beam)
    renamed = arm.with_joint("elbow", name="knee")
    assert renamed.link("upper").beam.tip_pose == (("knee", 0.7),)
    assert arm.subtree("upper").link("upper").beam.tip_pose == (("elbow", 0.7),)
    assert arm.merge_fixed() == arm
    assert "elbow = 0.7" in arm.describe()
    with pytest.raises(ls.ModelError, match=r"link 'upper' beam: tip_pose names 'elbwo'.*did you mean 'elbow'"):
        two_links(bar(tip_pose={"elbwo": 0.7}))
    with pytest.raises(ls.ModelError, match="not an independent joint further out on the arm"):
        two_links(bar(tip_pose={"upper": 0.7}))


def test_convergence_of_a_table_stops_at_its_shapes():
    s = np.linspace(0, L, 21)
    arm = two_links(bar(ls.ShapeTable(s, bending_z=np.column_stack([s**2, s**3]))))
    told = ls.mode_convergence(arm, count=2, most=3)
    assert told.frequencies_hz.shape == (3, 2)


# ---- refusals --------------------------------------------------------------------------------------------------------

S = np.linspace(0, L, 9)
BAD = {
    "shapes": (lambda: bar("polynomials"), "did you mean 'polynomial'"),
    "shapes type": (lambda: bar(3), r"shapes is 3; .* Or give a ShapeTable"),
    "tip": (lambda: bar(tip="fre"), "did you mean 'free'"),
    "tip type": (lambda: bar(tip=0.3), r"tip is 0.3; .* Or give a Tip"),
    "tip_pose": (lambda: bar(tip_pose=[0.3]), "tip_pose is .*expected a mapping"),
    "tip_pose value": (lambda: bar(tip_pose={"elbow": "bent"}), "tip_pose of 'elbow'"),
    "tip_pose unused": (lambda: bar(tip="free", tip_pose={"elbow": 1.0}), "it applies to tip=.auto. only"),
    "negative stiffness": (lambda: ls.Beam(L, MU, EI=(3.0, -2.0)), "EI_z is -2"),
    "many polynomials": (lambda: bar("polynomial", modes=ls.Modes(17)), "at most 16 are numerically independent"),
    "table length": (
        lambda: bar(ls.ShapeTable(S * 2, bending_z=S**2), modes=ls.Modes(1)), "ends at 1.46 m; expected the beam's",
    ),
    "table count": (
        lambda: bar(ls.ShapeTable(S, bending_z=S**2)),
        r"2 bending_z modes are requested, but the table has 1 .* modes=Modes\(bending_z=1, bending_y=0",
    ),
    "table torsion": (
        lambda: bar(ls.ShapeTable(S, torsion=S), GJ=1.0, modes=ls.Modes(0, 0, 1)), "need rotary inertia; give gyration",
    ),
    "transposed": (
        lambda: ls.ShapeTable(S, bending_z=np.stack([S**2, S**3])), r"\(2, 9\); expected \(9, shapes\).*transposed",
    ),
    "ragged": (lambda: ls.ShapeTable(S, bending_z=[[0, 1], [2]]), "expected shape"),
    "rank": (lambda: ls.ShapeTable(S, bending_z=np.zeros((9, 1, 1))), r"\(9, 1, 1\); expected \(9, shapes\)"),
    "empty": (lambda: ls.ShapeTable(S, bending_z=np.zeros((9, 0))), r"expected \(9, shapes\)"),
    "nothing": (lambda: ls.ShapeTable(S), "the table has no shapes"),
    "stations": (lambda: ls.ShapeTable([0, 0.2, 0.1, 0.4], bending_z=[0, 1, 2, 3]), "increase from 0"),
    "few stations": (lambda: ls.ShapeTable([0, 0.2, 0.4], bending_z=[0, 1, 2]), "at least 4"),
    "too many": (
        lambda: ls.ShapeTable(S[:4], bending_z=np.zeros((4, 4))), "4 shapes at 4 stations, which resolve at most 3",
    ),
    "zero": (lambda: ls.ShapeTable(S, bending_z=0 * S), "shape 1 is zero everywhere"),
    "not clamped": (
        lambda: ls.ShapeTable(S, bending_z=np.column_stack([S**2, S**2 + 0.1])),
        "bending_z shape 2 is 0.1 at the root; expected 0, as the link is clamped",
    ),
    "hinged": (
        lambda: ls.ShapeTable(S, bending_y=np.sin(3 * S)), "bending_y shape 1 has a slope .* Subtract its rigid turn",
    ),
    "dependent": (
        lambda: ls.ShapeTable(S, bending_z=np.column_stack([S**2, S**3, 2 * S**2 - S**3 + 1e-7 * S**4])),
        "bending_z shapes 1, 2, 3 are nearly dependent .*Leave one out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_refusals(case):
    make, sentence = BAD[case]
    with pytest.raises(ls.ModelError, match=sentence):
        make()


def test_a_static_shape_that_the_modes_hold_already():
    """A very heavy tip: its two lowest modes are combinations of s^2 and s^3, so a third one is kept."""
    heavy = ls.Tip(1e9, 1e9)
    found = kept(bar("natural+static", modes=ls.Modes(3)), heavy)
    assert np.array_equal(found.at(X), ls.beam_modes(bar(), heavy, 3).shape(X))


def test_every_choice_in_a_file(tmp_path):
    s = np.linspace(0, L, 12)
    table = ls.ShapeTable(s, bending_z=np.column_stack([s**2, s**3 / 3]), torsion=np.sin(s))
    beams = {
        "table": bar(table, GJ=1.0, gyration=(0.01, 0.02), modes=ls.Modes(2, 0, 1)),
        "tip": bar("polynomial", tip=TIP),
        "free": bar("natural+static", tip="free"),
        "pose": bar(tip_pose={"elbow joint": 0.1 + 0.2, "ß": -1e-7}),
    }
    for name, beam in beams.items():
        arm = ls.Arm(name, [
            ls.Link("boom", joint=ls.Joint(), beam=beam),
            ls.Link("a", "boom", ls.Joint(name="elbow joint"), mass=1.0, com=(0.1, 0, 0), inertia=(1, 1, 1)),
            ls.Link("b", "a", ls.Joint(placement=pose(p=(0.1, 0, 0)), name="ß"), mass=1.0, com=(0.1, 0, 0),
                    inertia=(1, 1, 1)),
        ])  # fmt: skip
        ls.save(arm, tmp_path / "arm.toml")
        assert ls.load(tmp_path / "arm.toml") == arm


BEAM = 'name = "x"\n[[links]]\nname = "a"\n[links.beam]\nlength = 1.0\nmass_per_length = 1.0\nEI = 1.0\n'


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ('shapes = "polynom"\n', 8, "shapes is 'polynom'; did you mean 'polynomial'"),
        ("tip = { mas = 1.0 }\n", 8, "mas is not a key of tip; did you mean 'mass'"),
        ("tip_pose = [0.1]\n", 8, "tip_pose is .*expected a table"),
        ("[links.beam.shapes]\nbending_z = [0.0]\n", 8, "stations is missing from shapes"),
    ],
)
def test_files_say_where(text, line, sentence, tmp_path):
    (tmp_path / "arm.toml").write_text(BEAM + text, encoding="utf-8")
    with pytest.raises(ls.ModelError, match=sentence) as refused:
        ls.load(tmp_path / "arm.toml")
    assert refused.value.line == line


def test_recursion_with_tabulated_and_polynomial_shapes():
    """Against points differentiated automatically: the field of other shapes is as exact as that of natural ones."""
    s = np.linspace(0, L, 8)
    table = ls.ShapeTable(s, bending_z=np.column_stack([s**2, s**3]), bending_y=s**2 + s**4, torsion=s)
    upper = bar(table, GJ=1.7, gyration=(0.011, 0.016), modes=ls.Modes(2, 1, 1), tip="free")
    arm = two_links(upper, shapes="polynomial").with_gravity((1.0, -2.0, -9.0))
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=(3, arm.dof))
    q[arm.mode_index] *= 0.05
    qd[arm.mode_index] *= 0.05
    torques, inertia = Cloud(arm).lagrange()
    want = np.array(torques(q, qd, qdd)).ravel()
    assert np.abs(ls.inverse_dynamics(arm, q, qd, qdd) - want).max() < 1e-9 * np.abs(want).max()
    M = np.array(inertia(q)[0])
    assert np.abs(ls.mass_matrix(arm, q) - M).max() < 1e-9 * np.abs(M).max()


def test_every_word_has_shapes_of_its_own_and_others_have_none():
    """A word that a beam accepts and nothing makes would silently give natural modes."""
    assert set(MADE) == set(SHAPES)
    beam = bar()
    object.__setattr__(beam, "shapes", "chebyshev")
    with pytest.raises(KeyError, match="chebyshev"):
        shapes_of(beam, ls.Tip(), ls.Tip())
