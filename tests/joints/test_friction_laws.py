"""Laws of friction of one joint: what they are, what is refused, files and text."""

import math
import pickle

import numpy as np
import pytest

import lissom as ls

FULL = ls.Friction(
    coulomb=2.1, viscous=0.7, asymmetry=-0.6, viscous_asymmetry=0.3, stribeck=1.3, stribeck_rate=0.17,
    degressive=-0.11, degressive_rate=2.3, load=0.13,
)  # fmt: skip


def by_hand(v, load):
    """Friction of `FULL`, written out."""
    s = math.copysign(1.0, v) if v else 0.0
    plain = 2.1 * s + 0.7 * v - 0.6 * abs(s) + 0.3 * abs(v) + 1.3 * s / (1 + (v / 0.17) ** 2)
    return plain - 0.11 * s * min(abs(v), 2.3) ** 2 + 0.13 * abs(load) * s


@pytest.mark.parametrize("v", [-3.1, -1.0, -1e-9, 0.0, 0.02, 0.17, 2.3, 5.0])
@pytest.mark.parametrize("load", [0.0, -17.0, 3.2])
def test_the_sum_of_all_laws(v, load):
    assert FULL.torque(v, load) == pytest.approx(by_hand(v, load), rel=1e-14, abs=1e-15)


def test_friction_is_linear_in_its_coefficients_and_each_law_has_columns_of_its_own():
    v, load = np.linspace(-3, 3, 31), np.linspace(-9, 40, 31)
    columns = FULL.columns(v, load)
    assert columns.shape == (31, len(FULL.names)) == (31, 7)
    np.testing.assert_allclose(columns @ FULL.coefficients, FULL.torque(v, load), rtol=1e-14)
    own = [np.broadcast_to(x, v.shape) for law in FULL.laws for x in law.columns(v, load)]
    np.testing.assert_array_equal(np.stack(own, axis=-1), columns)
    assert FULL.names == tuple(word for law in FULL.laws for word in law.linear)
    assert dict(zip(FULL.names, FULL.coefficients, strict=True))["stribeck"] == 1.3
    smooth = FULL.columns(v, load, direction=np.tanh(v / 0.01))
    np.testing.assert_allclose(smooth[abs(v) > 0.3], columns[abs(v) > 0.3], rtol=1e-14)


def test_slopes_are_derivatives():
    h = 1e-6
    for v in (-2.9, -1.1, -0.05, 0.21, 1.9, 4.0):
        for law in FULL.laws:
            numeric = (law.torque(v + h, 3.0) - law.torque(v - h, 3.0)) / (2 * h)
            assert law.slope(v, math.copysign(1.0, v)) == pytest.approx(numeric, abs=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_accepted_never_drives_the_joint(seed):
    rng = np.random.default_rng(seed)
    c, b, fast = rng.uniform(0, 3, 3)
    least = -(0.4 * c + 0.2 * b * fast) / fast**2  # what asymmetry leaves
    friction = ls.Friction(
        coulomb=c, viscous=b, asymmetry=0.6 * c * rng.choice([-1, 1]), viscous_asymmetry=0.8 * b * rng.choice([-1, 1]),
        stribeck=rng.random(), stribeck_rate=rng.random() + 0.01, degressive=0.999 * least, degressive_rate=fast,
        load=rng.random(),
    )  # fmt: skip
    v = np.concatenate([-np.logspace(-6, 3, 200), np.logspace(-6, 3, 200)])
    assert (friction.torque(v, rng.normal() * 10) * v >= -1e-12).all()


REFUSED = [
    ({"coulomb": -1.0}, "coulomb is -1; expected at least 0"),
    ({"load": 1.0}, "load is 1; expected less than 1"),
    ({"coulomb": 1.0, "asymmetry": -1.2}, "asymmetry is -1.2, more than coulomb = 1"),
    ({"viscous": 0.1, "viscous_asymmetry": 0.2}, "viscous_asymmetry is 0.2, more than viscous = 0.1"),
    ({"stribeck": 1.0}, "give the rate at which half"),
    ({"stribeck": 1.0, "stribeck_rate": 0.0}, "stribeck_rate is 0; expected more than 0"),
    ({"viscous": 1.0, "degressive": -0.1}, "Give degressive_rate"),
    ({"viscous": 1.0, "degressive": -0.6, "degressive_rate": 2.0}, "Expected at least -0.5"),
    ({"stribeck": math.nan, "stribeck_rate": 1.0}, "stribeck is nan"),
    ({"colomb": 1.0}, "did you mean 'coulomb'"),
]


@pytest.mark.parametrize(("given", "words"), REFUSED)
def test_what_is_refused(given, words):
    with pytest.raises(ls.LissomError, match=words):
        ls.Friction(**given)


def test_joints_take_a_number_or_laws():
    assert ls.Joint(friction=0.5).friction == 0.5
    assert ls.Joint(friction=ls.Friction()).friction == 0.0
    joint = ls.Joint(friction=FULL, damping=0.2)
    assert (joint.friction, joint.coulomb, joint.viscous) == (FULL, 2.1, pytest.approx(0.9))
    assert ls.Joint(friction=0.5).friction_laws == ls.Friction(0.5)
    with pytest.raises(ls.ModelError, match="mimic joint can have Coulomb and viscous friction only"):
        ls.Joint(friction=FULL, mimic=ls.Mimic("other"))
    with pytest.raises(ls.ModelError, match="a fixed joint cannot have friction"):
        ls.Joint("fixed", friction=FULL)
    with pytest.raises(ls.ModelError, match="friction is 'much'"):
        ls.Joint(friction="much")


def test_breakaway_is_the_limit_at_rest():
    forwards, backwards = FULL.breakaway(load=-20.0)
    assert forwards == pytest.approx(FULL.torque(1e-12, -20.0))
    assert backwards == pytest.approx(-FULL.torque(-1e-12, -20.0))
    assert forwards == pytest.approx(2.1 - 0.6 + 1.3 + 2.6)


def test_files_text_and_pickles_keep_all_coefficients(tmp_path):
    arm = ls.load("puma560").with_joint("elbow", friction=FULL, damping=0.0)
    ls.save(arm, tmp_path / "arm.toml")
    assert "friction = { coulomb = 2.1, viscous = 0.7, asymmetry = -0.6" in (tmp_path / "arm.toml").read_text()
    assert ls.load(tmp_path / "arm.toml") == arm == pickle.loads(pickle.dumps(arm))
    assert ls.load(tmp_path / "arm.toml").digest == arm.digest
    assert "stribeck 1.3 N m, stribeck_rate 0.17 rad/s, degressive -0.11 N m s^2/rad^2" in str(arm)
    with pytest.raises(ls.UnsupportedError, match=r"friction other than Coulomb and viscous \(elbow\)"):
        ls.save(arm, tmp_path / "arm.urdf")
    ls.save(arm, tmp_path / "arm.urdf", lossy=True)
    assert 'damping="0.7" friction="2.1"' in (tmp_path / "arm.urdf").read_text()
    text = (tmp_path / "arm.toml").read_text()
    (tmp_path / "bad.toml").write_text(text.replace("stribeck_rate", "stribek_rate"))
    with pytest.raises(ls.ModelError, match="stribek_rate"):
        ls.load(tmp_path / "bad.toml")


def test_the_figure_has_a_panel_for_each_law():
    titles = [ax.get_title("left") for ax in ls.plot(FULL).axes if ax.get_visible()]
    assert titles == ["sum", "Coulomb", "viscous", "asymmetric", "Stribeck", "degressive", "load-dependent"]
