"""Zeros of linear plants against closed forms, locked modes, another pencil and python-control."""

import numpy as np
import pytest
from scipy.linalg import eig, null_space
from scipy.optimize import brentq

import control
import lissom as ls

POSE = np.array([0.1, 1.0])


def with_modes(arm, bending, damping=0.0):
    """The two-link arm with other modes in its beams."""
    links = [
        link.replace(beam=link.beam.replace(modes=ls.Modes(bending_z=bending), damping=damping)) for link in arm.links
    ]
    return arm.replace(links=links)


def spatial(elastic=False):
    """A turning column, shoulder and elbow; both links bend in two planes and twist; a payload, gravity."""
    spring = {"elastic": ls.JointElasticity(stiffness=2000.0, damping=1.0), "armature": 0.3} if elastic else {}
    beam = {"mass_per_length": 1.2, "EI": (61.0, 57.0), "GJ": 45.0, "gyration": (0.02, 0.02), "damping": 0.01}
    beam["modes"] = ls.Modes(bending_y=2, bending_z=2, torsion=1)
    lift = np.eye(4)
    lift[2, 3] = 0.3
    upper = {"mass": 0.72, "com": (0.3, 0, 0), "inertia": (1e-3, 0.0216, 0.0216)}
    reach = np.eye(4)
    reach[0, 3] = 0.6
    if not elastic:
        upper, reach = {"beam": ls.Beam(0.6, **beam), "inertia": (0.01,) * 3, "mass": 0.5}, np.eye(4)
    links = [
        ls.Link("column", joint=ls.Joint(**spring), mass=3.0, com=(0, 0, 0.1), inertia=(0.02,) * 3),
        ls.Link("upper", "column", ls.Joint(placement=lift, axis=(0, -1, 0), **spring), **upper),
        ls.Link(
            "fore", "upper", ls.Joint(placement=reach, axis=(0, -1, 0), **spring), mass=0.8, inertia=(0.005,) * 3,
            beam=ls.Beam(0.5, **beam), payload=ls.Payload(0.5, inertia=(1e-3, 2e-3, 3e-3)),
        ),
    ]  # fmt: skip
    return ls.Arm("spatial", links, gravity=(0, 0, -9.81))


def internal_zeros(arm, q, J):
    """Zeros of an output with slopes J of an arm at rest: (M_u s^2 + D_u s + K_u) N x = 0, N a basis of ker J."""
    still = np.zeros(arm.dof)
    slope = ls.inverse_dynamics_gradient(arm, q, still, still)
    N, passive = null_space(J), ~arm.actuated
    M, D, K = (matrix[passive] @ N for matrix in (slope.qdd, slope.qd, slope.q))
    k = len(M)
    left = np.block([[np.zeros((k, k)), np.eye(k)], [-K, -D]])
    alpha, beta = eig(left, np.block([[np.eye(k), np.zeros((k, k))], [np.zeros((k, k)), M]]), homogeneous_eigvals=True)[
        0
    ]
    finite = np.abs(beta) > 1e-9 * np.abs(alpha)
    return alpha[finite] / beta[finite]


def nearest(found, wanted):
    """Largest distance of a wanted zero from the nearest one found, relative."""
    return max(np.abs(found - z).min() / max(abs(z), 1e-9) for z in wanted)


def exact_tip_zeros(EI, rho, L, J=0.0, upto=12.0):
    """Zeros of a uniform beam, pinned at its root, its tip held.

    sinh x + sin x - J / (rho L^3) x^3 (cosh x - cos x) = 0, s^2 = -x^4 EI / (rho L^4), x real or (1 + i) c.
    """

    def f(x):
        return np.sinh(x) + np.sin(x) - J / (rho * L**3) * x**3 * (np.cosh(x) - np.cos(x))

    def g(c):
        return (f((1 + 1j) * c) / ((1 + 1j) * np.cosh(c))).real

    speed, x = np.sqrt(EI / rho) / L**2, np.linspace(1e-3, upto, 4000)
    out = []
    for h, root in ((lambda c: f(c) / np.cosh(c), lambda c: 1j * c**2), (g, lambda c: 2 * c**2)):
        values = np.array([h(c) for c in x])
        out += [root(brentq(h, x[i], x[i + 1])) * speed for i in np.flatnonzero(values[1:] * values[:-1] < 0)]
    return np.array(sorted(out, key=abs))


def test_zeros_of_joint_outputs_are_locked_modes():
    arm = with_modes(ls.load("two_link_flexible"), 6)
    q = arm.expanded(POSE)
    plant = ls.linearise(arm, q, output=ls.Encoder())
    zeros = plant.zeros
    assert len(zeros) == 24
    assert np.abs(zeros.imag[zeros.imag > 0] / (2 * np.pi) - ls.modes(arm, q).frequencies_hz).max() < 1e-6
    assert plant.relative_degree == (2, 2)
    assert plant.minimum_phase == "marginal"
    assert ls.linearise(with_modes(arm, 2, 0.01), POSE, output=ls.Encoder()).minimum_phase == "yes"


def test_tip_zeros_of_the_exact_beam():
    """The lowest three of both links, six modes each; poles converge far faster than zeros."""
    arm = with_modes(ls.load("two_link_flexible"), 6)
    plant = ls.linearise(arm, POSE, output="link2.tip", rows="xy")
    beam = arm.links[1].beam
    rho, EI = beam.mass_per_length, beam.EI[1]
    payload = arm.links[1].payload.inertia[2, 2]
    lowest = sorted([*exact_tip_zeros(EI, rho, 0.5), *exact_tip_zeros(EI, rho, 0.5, payload)], key=abs)[:3]
    assert nearest(plant.zeros, lowest) < 2e-4
    assert abs(lowest[0]) == pytest.approx(100.056, abs=1e-3)
    assert plant.minimum_phase == "no"


@pytest.mark.parametrize("elastic", [False, True])
def test_against_the_internal_pencil(elastic):
    """Elastic joints: link sides have relative degree 4 or less, so that E is singular."""
    arm = spatial(elastic)
    q = ls.equilibrium(arm, [0.3, 0.6, -1.0]).q
    plant = ls.linearise(arm, q, output="fore.tip", rows="xyz")
    wanted = internal_zeros(arm, q, ls.jacobian(arm, q, "fore.tip")[:3])
    assert len(plant.zeros) == len(wanted)
    assert nearest(plant.zeros, wanted) < 1e-7
    assert nearest(wanted, plant.zeros) < 1e-7
    assert plant.relative_degree == (None if elastic else (2, 2, 2))
    assert plant.minimum_phase == "no"


def test_against_python_control():
    plant = ls.linearise(ls.load("puma560"), [0.1, 0.7, -0.4, 0.2, 0.6, 0.0], output="flange")
    assert len(plant.zeros) == 0
    assert plant.minimum_phase == "yes"
    rng = np.random.default_rng(4)
    A, B, C = rng.normal(size=(7, 7)), rng.normal(size=(7, 2)), rng.normal(size=(2, 7))
    made = control.ss(A, B, C, np.zeros((2, 2)))
    like = ls.StateSpace(
        A, B, C, made.D, tuple("abcdefg"), ("u", "v"), ("y", "z"), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(7)
    )
    assert like.relative_degree == (1, 1)
    assert len(like.zeros) == 5
    assert nearest(like.zeros, made.zeros()) < 1e-10
    straight = ls.StateSpace(
        A, B, C, np.eye(2), like.states, like.inputs, like.outputs, like.q, like.qd, like.tau, like.drift
    )
    assert straight.relative_degree == (0, 0)
    assert nearest(straight.zeros, np.linalg.eigvals(A - B @ C)) < 1e-10


def test_zeros_of_a_sampled_plant():
    """Those of the continuous plant, mapped by exp(z dt), and sampling zeros at -1."""
    plant = ls.linearise(with_modes(ls.load("two_link_flexible"), 2, 0.01), POSE, output=ls.Encoder())
    sampled = plant.discrete(1e-4)
    slow = plant.zeros[np.abs(plant.zeros) < 300]
    assert nearest(sampled.zeros, np.exp(1e-4 * slow)) < 1e-7
    assert sampled.relative_degree == (1, 1)


def test_zeros_of_a_closed_loop_are_those_of_the_plant():
    plant = ls.linearise(ls.load("two_link_flexible"), POSE, output="link2.tip", rows="xy")
    K = plant.lqr(np.ones(12), np.ones(2))
    assert nearest(plant.closed(K).zeros, plant.zeros) < 1e-5


def test_refusals():
    arm = ls.load("two_link_flexible")
    with pytest.raises(ls.InputError, match="6 outputs and 2 inputs; expected as many"):
        _ = ls.linearise(arm, POSE).zeros
    with pytest.raises(ls.SolveError, match="cannot be moved independently"):  # stretched: no torque moves it along x
        _ = ls.linearise(ls.load("two_link"), [0.3, 0.0], output="fore", rows="xy").zeros
    with pytest.raises(ls.SolveError, match="cannot be moved independently"):
        _ = ls.linearise(ls.load("two_link"), [0.3, 0.8], output="fore", rows="xz").zeros


def test_figures_say_why_there_are_no_zeros():
    stretched = ls.linearise(ls.load("two_link"), [0.3, 0.0], output="fore", rows="xy")
    assert "cannot be moved independently" in ls.plot(stretched, "poles").get_suptitle()
    joints = ls.linearise(ls.load("two_link_flexible"), POSE)
    assert "there are 6 outputs" in ls.plot(joints, "poles").get_suptitle()


def test_where_zeros_cross_along_a_link():
    """With n modes the first zero is in the right half plane beyond about 1 / n of the link."""
    crossing, places = [], (0.94, 0.50, 0.33, 0.24)  # of the link
    for n, place in zip((1, 2, 3, 4), places, strict=True):
        beam = ls.Beam(0.5, 0.2, EI=1.0, modes=ls.Modes(bending_z=n))
        arm = ls.Arm("rod", [ls.Link("rod", beam=beam, payload=ls.Payload(0.1))], gravity=(0, 0, 0))
        found = ls.zeros_along(arm, [0.4], "rod", "y", [0.05, *0.5 * (place + np.arange(-0.05, 0.055, 0.01))])
        crossing.append(found.crossing / 0.5)
    assert np.allclose(crossing, places, atol=0.011)
    assert ls.zeros_along(arm, [0.4], "rod", "y", [0.1]).crossing is None
    assert "minimum phase" in str(found)
    with pytest.raises(ls.InputError, match="has no beam"):
        ls.zeros_along(ls.load("two_link"), [0.4, 0.1], "fore", "xy")
