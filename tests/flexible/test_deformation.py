"""What amplitudes mean along a link: closed forms, the library's own kinematics, and runs that bend too far."""

import numpy as np
import pytest

import lissom as ls

LENGTH, EI_Y, EI_Z, GJ, EA = 0.83, 31.0, 17.0, 9.0, 4.0e4


def rod(**changes):
    given = {"modes": ls.Modes(3, 2, 1, 1), "shapes": "polynomial", "gyration": (0.01, 0.013), **changes}
    beam = ls.Beam(LENGTH, 0.6, EI=(EI_Y, EI_Z), GJ=GJ, EA=EA, **given)
    return ls.Arm("rod", [ls.Link("rod", beam=beam, mass=0.1, inertia=0.01)], gravity=(0, 0, 0))


def held(arm, force, moment=(0, 0, 0)):
    """The static state under a load at the tip, the joint locked."""
    load = ls.Load("rod.tip", force, moment)
    q, modes = np.zeros(arm.dof), arm.mode_index
    for _ in range(20):
        residual = ls.inverse_dynamics(arm, q, 0 * q, 0 * q, loads=[load])[modes]
        K = ls.inverse_dynamics_gradient(arm, q, 0 * q, 0 * q, loads=[load]).q[np.ix_(modes, modes)]
        q[modes] -= np.linalg.solve(K, residual)
    return q


def test_inner_moments_are_those_of_the_load():
    """A small tip load: moments of statics along the whole link, whose shape polynomials contain."""
    arm = rod()
    F, M = np.array([0.1, 0.02, -0.05]), np.array([0.004, 0.003, -0.006])
    bent = ls.deformation(arm, held(arm, F, M), "rod")
    arm_left = LENGTH - bent.s
    assert np.allclose(bent.moment[:, 0], M[0], atol=2e-5)
    # the load's own axial force bends what is bent already: a part in a thousand
    assert np.allclose(bent.moment[:, 1], M[1] - F[2] * arm_left, atol=2e-3 * 0.05)
    assert np.allclose(bent.moment[:, 2], M[2] + F[1] * arm_left, atol=2e-2 * 0.02)
    assert np.allclose(bent.axial_force, F[0], rtol=1e-4)
    tip = F[1] * LENGTH**3 / (3 * EI_Z) + M[2] * LENGTH**2 / (2 * EI_Z)
    assert bent.displacement[-1, 1] == pytest.approx(tip, rel=0.02)
    fibre = bent.strain(y=0.02, z=-0.01)
    assert np.allclose(fibre, bent.stretch - 0.02 * bent.curvature[:, 2] - 0.01 * bent.curvature[:, 1], atol=1e-18)
    assert np.allclose(bent.stress(7e10, 0.02, -0.01), 7e10 * fibre)


def test_displacements_and_angles_are_those_of_the_sections():
    """Against the frames of kinematics at places along the link, at finite deflections."""
    arm = rod()
    rng = np.random.default_rng(3)
    q = np.zeros((2, arm.dof))
    q[:, 0] = 0.4
    q[:, arm.mode_index] = 0.003 * rng.normal(size=(2, len(arm.mode_index)))
    s = np.array([0.11, 0.37, LENGTH])
    bent = ls.deformation(arm, q, "rod", s)
    root = ls.pose(arm, q, "rod")
    for k, place in enumerate(s):
        X = np.linalg.inv(root) @ ls.pose(arm, q, "rod", point=(place, 0, 0))
        assert np.abs(X[:, :3, 3] - bent.displacement[:, k] - [place, 0, 0]).max() < 1e-13
        b, a = bent.angles[:, k, 1], bent.angles[:, k, 2]
        axis = np.stack([a, b], axis=-1)
        found = np.stack([np.arctan2(X[:, 1, 0], X[:, 0, 0]), -np.arcsin(X[:, 2, 0])], axis=-1)
        assert np.abs(found - axis).max() < 1e-13
        assert np.allclose(bent.slope[:, k], np.hypot(a, b))


def test_runs_tell_the_deformation_over_time():
    run = ls.simulate(rod(), [0.0, 0.01, *np.zeros(6)], until=0.05, every=0.01)
    bent = run.deformation("rod", [LENGTH])
    assert bent.displacement.shape == (6, 1, 3)
    assert np.abs(bent.displacement[:, 0] - run.tip_deflection).max() < 1e-13


def test_tables_and_pictures():
    arm = rod()
    q = np.zeros(arm.dof)
    q[1] = 0.01
    one, many = ls.deformation(arm, q, "rod"), ls.deformation(arm, np.stack([q, -3 * q, 0 * q]), "rod")
    lines = str(one).splitlines()
    assert lines[0] == "deformation of link 'rod'"
    assert lines[2].split() == ["s", "m", "x", "mm", "y", "mm", "slope", "rad", "M_z", "N", "m"]
    assert float(lines[-1].split()[2]) == pytest.approx(1e3 * one.displacement[-1, 1], rel=1e-3)
    assert "in 3 states, largest sizes" in str(many)
    axes = ls.plot(one).axes
    assert [ax.get_ylabel() for ax in axes] == ["displacement [mm]", "angle [rad]", "moment [N m]"]
    assert np.array_equal(axes[2].get_lines()[0].get_ydata(), one.moment[:, 2])
    assert np.array_equal(ls.plot(many).axes[2].get_lines()[0].get_ydata(), many.moment[1, :, 2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rod", [-0.1]), "-0.1 m is not on the beam of link 'rod', 0 to 0.83 m"),
        (("rod", [[0.1]]), r"s has shape \(1, 1\)"),
        (("hub",), "link 'hub' is rigid"),
    ],
)
def test_wrong_places_are_refused(arguments, message):
    arm = ls.Arm("a", [*rod().links, ls.Link("hub", "rod", mass=1.0, inertia=0.1)])
    with pytest.raises(ls.InputError, match=message):
        ls.deformation(arm, np.zeros(arm.dof), *arguments)


def test_a_run_says_how_far_it_left_small_deflections():
    arm = rod(modes=ls.Modes(2), shapes="natural")
    slope = ls.deformation(arm, [0.0, 1e-4, 0.0], "rod").slope.max() / 1e-4
    small, large = (ls.simulate(arm, [0.0, x / slope, 0.0], until=0.002, dt=1e-4, audit=1.0) for x in (0.3, 0.7))
    assert (small.ok, small.status) == (True, "done")
    assert large.ok
    assert "link 'rod' bends to a slope of 0.7 rad at t = 0 s: beyond 0.5 rad deflections are not small" in large.status
    with pytest.raises(ls.InputError, match=r"link 'rod' is given with a slope of 1\.2 rad; modes describe small"):
        ls.simulate(arm, [0.0, 1.2 / slope, 0.0], until=0.1)
    with pytest.raises(ls.InputError, match=r"modes: link 'rod' is given with a slope of 1\.2 rad"):
        ls.modes(arm, [0.0, 1.2 / slope, 0.0])
    push = ls.Load("rod.tip", (0, 150.0, 0))
    with pytest.raises(
        ls.SolveError,
        match=r"link 'rod' would be in equilibrium with a slope of .* modes are not valid: stiffen the link",
    ):
        ls.equilibrium(arm, [0.0], loads=[push])
    with pytest.warns(
        ls.LargeDeflection, match=r"equilibrium: link 'rod' bends to a slope of 0\.\d+ rad: beyond 0\.5 rad"
    ):
        rest = ls.equilibrium(arm, [0.0], loads=[push.replace(force=(0, 60.0, 0))])
    with pytest.warns(ls.LargeDeflection, match=r"modes: link 'rod' bends to a slope of 0\.\d+ rad"):
        ls.modes(arm, rest.q)
    pushed = ls.simulate(arm, tau=[0, 90.0, 0], until=0.2, rtol=1e-6, audit=1.0)
    assert not pushed.ok
    assert "where small-deflection modes are not valid: stiffen the link" in pushed.status
