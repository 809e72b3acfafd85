"""Beams at rest: closed forms, the order at which modes converge to them, the elastica, and lateral buckling."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.linalg import eigvals

import lissom as ls

LENGTH, DENSITY, EI, GJ = 1.3, 0.4, 2.1, 0.7
SMALL = 1e-4  # load [N or N m], acceleration [m/s^2]: what is quadratic in it is beyond the tolerances


def rod(gravity=(0, 0, 0), EI_y=None, **modes):
    kept = ls.Modes(**({"bending_z": 0} | modes))
    beam = ls.Beam(LENGTH, DENSITY, EI=(EI_y, EI), GJ=GJ, gyration=(0.02, 0.01), modes=kept)
    return ls.Arm("rod", [ls.Link("rod", beam=beam)], gravity=gravity)


def at_rest(arm, force=(0, 0, 0), moment=(0, 0, 0)):
    """Pose of the loaded tip, the joint held."""
    load = ls.Load("rod.tip", force, moment)
    return ls.pose(arm, ls.equilibrium(arm, [0.0], [load]).q, "rod.tip")


def tip_force(n):
    return at_rest(rod(bending_z=n), (0, SMALL, 0))[1, 3] / (SMALL * LENGTH**3 / (3 * EI))


def own_weight(n):
    return at_rest(rod((0, SMALL, 0), bending_z=n))[1, 3] / (SMALL * DENSITY * LENGTH**4 / (8 * EI))


def bending_moment(n):
    X = at_rest(rod(bending_z=n), moment=(0, 0, SMALL))
    return np.arctan2(X[1, 0], X[0, 0]) / (SMALL * LENGTH / EI)


def twisting_moment(n):
    X = at_rest(rod(torsion=n), moment=(SMALL, 0, 0))
    return np.arctan2(X[2, 1], X[2, 2]) / (SMALL * LENGTH / GJ)


# error with four modes and order as modes are doubled: shapes k of a beam answer its tip's force with 1 / k^4 each,
# weight with 1 / k^5 of changing signs; moments with 1 / k^2
CASES = {tip_force: (7e-4, 3), own_weight: (5e-5, 5), bending_moment: (0.11, 1), twisting_moment: (0.055, 1)}


@pytest.mark.parametrize("answer", CASES, ids=lambda f: f.__name__)
@pytest.mark.some(2)
def test_small_loads_converge_to_the_closed_form(answer):
    error, order = CASES[answer]
    few, more = (abs(answer(n) - 1) for n in (2, 4))
    assert more < error
    assert np.log2(few / more) == pytest.approx(order, rel=0.12)


@pytest.mark.slow
@pytest.mark.parametrize("answer", CASES, ids=lambda f: f.__name__)
def test_the_order_with_eight_modes(answer):
    few, more = (abs(answer(n) - 1) for n in (4, 8))
    assert np.log2(few / more) == pytest.approx(CASES[answer][1], rel=0.05)


def test_a_clamped_chain_of_modes_is_the_series():
    """The sum over the exact roots: 12 / b^4 of the tip's deflection each."""
    roots = ls.beam_modes(ls.Beam(LENGTH, DENSITY, EI=EI), count=4).wavenumbers * LENGTH
    assert tip_force(4) == pytest.approx((12 / roots**4).sum(), rel=1e-8)


def elastica(force):
    """(x, y, slope) of the tip of a rod that bends without limit under a force that keeps its direction."""
    s = np.linspace(0, LENGTH, 40)
    slopes = lambda s, y: np.stack([y[1], -force / EI * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])  # noqa: E731
    ends = lambda a, b: np.array([a[0], b[1], a[2], a[3]])  # noqa: E731
    done = solve_bvp(slopes, ends, s, np.stack([0 * s, 0 * s, s, 0 * s]), tol=1e-9)
    return done.y[2, -1], done.y[3, -1], done.y[0, -1]


@pytest.mark.parametrize(("strength", "slope", "bar"), [(0.25, 0.124, 1e-4), (0.5, 0.245, 4e-4), (1.0, 0.461, 5e-3)])
def test_large_deflection(strength, slope, bar):
    """Third-order theory against the elastica, relative to the length; a linear rod is wrong by 0.03 at the last."""
    force = strength * EI / LENGTH**2
    x, y, turned = elastica(force)
    assert turned == pytest.approx(slope, abs=1e-3)
    X = at_rest(rod(bending_z=4), (0, force, 0))
    assert np.abs(X[:2, 3] - (x, y)).max() < bar * LENGTH


# ---- a strip that is stiff in the plane of its load buckles out of it ------------------------------------------------

PRANDTL = 4.0126 * np.sqrt(EI * GJ) / LENGTH**2


def pressed(force):
    return ls.Load("rod.tip", (0, 0, -force))


def strip(n):
    """Rigid in the plane of the load."""
    return rod(bending_z=n, torsion=n)


def critical_load(n):
    """The load at which the stiffness at rest is singular; what a load at the tip adds is linear in the amplitudes."""
    arm, size = strip(n), 1e-4
    still = np.zeros((2 * n, arm.dof))
    bent = still.copy()
    bent[:, 1:] = size * np.eye(2 * n)
    force = lambda q, loads=(): ls.inverse_dynamics(arm, q, still, still, loads=loads)[:, 1:] / size  # noqa: E731
    elastic = force(bent)
    loaded = force(bent, [pressed(1.0)]) - force(still, [pressed(1.0)])
    values = eigvals(elastic, elastic - loaded)
    real = values.real[np.isfinite(values) & (np.abs(values.imag) < 1e-6 * np.abs(values))]
    return real[real > 0].min()


def test_lateral_buckling_converges_from_above():
    found = np.array([critical_load(n) for n in (1, 2, 3, 4)]) / PRANDTL - 1
    assert (np.diff(found) < 0).all()
    assert 0 < found[3] < 1e-3
    assert found[1] == pytest.approx(0.0067, abs=1e-4)  # 4.04


def test_lateral_buckling_with_six_modes():
    """Stable at the theoretical load, unstable 0.05 % above it."""
    unstable = [ls.modes(strip(6).replace(loads=[pressed(f * PRANDTL)])).unstable for f in (1.0, 1.0005)]
    assert unstable == [0, 1]


def test_a_strip_that_sags_first():
    """With in-plane bending, a thousand times stiffer: its equilibrium loses stability at the same load."""
    arm = rod(EI_y=1e3 * EI, bending_z=2, bending_y=1, torsion=2)
    critical = critical_load(2)
    below, above = (ls.equilibrium(arm, [0.0], [pressed(f * critical)]) for f in (0.995, 1.005))
    assert (below.stable, above.stable) == (True, False)
    assert ls.pose(arm, below.q, "rod.tip")[2, 3] < 0
