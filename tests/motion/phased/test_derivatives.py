"""Derivatives of programs of motions with contacts, against differences."""

import numpy as np
import pytest
from scipy import sparse
from tests.legged import biped, scissors, step

import lissom as ls
from lissom.motion.phased.points import Points
from lissom.motion.phased.problem import PhasedProblem
from lissom.motion.solve.guess import Guess

STEP = 1e-6


def screw():
    """Return an arm with joints of all kinds, a mimic among them, and two points that it carries."""
    X = np.eye(4)
    X[:3, 3] = (0.3, -0.1, 0.2)
    axis = (0.6, 0.0, 0.8)
    links = [
        ls.Link("a", joint=ls.Joint("revolute", axis=axis), mass=1.3, com=(0.1, 0.2, 0), frame=X),
        ls.Link("b", "a", ls.Joint("prismatic", X, (0, 1, 0)), 0.7, (0, 0.1, 0.1)),
        ls.Link("c", "b", ls.Joint("helical", X, (1, 0, 0), pitch=0.07), 0.9, (0.1, 0, 0.1)),
        ls.Link("d", "c", ls.Joint("revolute", X, (0, 0, 1), mimic=ls.Mimic("a", -1.7, 0.2)), 0.4, (0.1, 0, 0)),
        ls.Link("e", "b", ls.Joint("revolute", X, (0, 1, 0)), 0.4, (0.1, 0, 0)),
    ]
    return ls.Arm(
        "screw", links, contacts=[ls.Contact("p", "d", (0.2, 0.1, -0.3)), ls.Contact("q", "e", (0, 0.1, 0.2))]
    )


def slope(f, q, columns):
    """Central differences of f (N, ...) by columns of q (N, n): (N, columns, ...)."""
    out = []
    for k in columns:
        e = np.zeros(q.shape[1])
        e[k] = STEP
        out.append((f(q + e) - f(q - e)) / (2 * STEP))
    return np.stack(out, axis=1)


@pytest.mark.parametrize("which", [0, 1])
def test_places_of_points_have_three_derivatives(which):
    arm = screw()
    points, rng = Points(arm, arm.contacts), np.random.default_rng(3)
    q, u, d = rng.normal(size=(2, arm.dof)), rng.normal(size=(2, arm.dof)), rng.normal(size=(2, 3))
    at, chain = points.at(q), points.chains[which]
    contact = arm.contacts[which]
    assert np.allclose(at.place(which), ls.pose(arm, q, contact.link, contact.point)[:, :3, 3], atol=1e-14)
    found = [
        (lambda q: points.at(q).place(which), at.slopes(which)),
        (lambda q: np.einsum("ncx,nx->nc", points.at(q).slopes(which), d), at.curvature(which, d)),
        (lambda q: np.einsum("ncx,nc->nx", points.at(q).slopes(which), u[:, chain]), at.turned(which, u)),
        (lambda q: np.einsum("ncx,nx->nc", points.at(q).turned(which, u), d), at.turned_curvature(which, u, d)),
    ]
    for f, exact in found:
        assert np.allclose(slope(f, q, chain), exact, atol=1e-8)


def program(free):
    arm = biped()
    load = ls.Load("trunk", force=[(0, 0, -30.0), (20.0, 3, -70.0)], point=(0.1, 0, 0.3))
    ahead = ls.FrameOffset("foot_left", "thigh_right", (0.6, 0, 0.8), -2.0, 2.0, base_point=(0, 0.1, -0.3))
    rows = [ls.FrameHeight("thigh_left", lower=0.2, point=(0.1, 0, -0.2)), ahead]
    task = step(arm, free, transfer=ls.Transfer(["heel_right"], ["loading"]), loads=load, constraints=rows,
                limits=ls.Limits(acceleration=[np.inf] * 3 + [30.0] * 6, jerk=[np.inf] * 3 + [900.0] * 6),
                minimise={"effort_directional": 1.0, "energy": 0.01, "torque_rate_normalised": 1e-2, "time": 0.3,
                          "contact_force_rate": 1e-2, "acceleration": 1e-3, "base_rotation": 2.0})  # fmt: skip
    made = PhasedProblem(arm.with_joint("knee_left", friction=1.5).with_joint("knee_right", friction=1.5), task,
                         (2, 5, 3), Guess(scissors(arm), None))  # fmt: skip
    rng = np.random.default_rng(5)
    x = made.guess.variables(made.holding) + 0.02 * rng.normal(size=made.program.size)
    for places in made.layout.torques:
        x[places] += 0.3
    return made.program, x, rng


@pytest.mark.parametrize("free", [False, True])
def test_programs_have_exact_derivatives(free):
    made, x, rng = program(free)
    d, lam = rng.normal(size=made.size), rng.normal(size=made.count)
    if not free:
        d[made.layout.durations] = 0.0  # constants: their derivatives are left out
    pattern = made.jacobian_pattern

    def J(x):
        return sparse.coo_array((made.jacobian(x), (pattern.rows, pattern.columns)), shape=pattern.shape)

    def slope(x):
        return 0.7 * made.gradient(x) + J(x).T @ lam

    def difference(f):
        return (f(x + STEP * d) - f(x - STEP * d)) / (2 * STEP)

    assert made.gradient(x) @ d == pytest.approx(difference(made.f), rel=1e-6)
    rows = difference(made.g)
    assert np.abs(J(x) @ d - rows).max() < 1e-7 * np.abs(rows).max()
    places = made.hessian_pattern
    U = sparse.coo_array((made.hessian(x, 0.7, lam), (places.rows, places.columns)), shape=places.shape).tocsr()
    whole = difference(slope)
    some = np.ones(made.size, bool)
    some[made.layout.durations] = free
    error = (U + sparse.triu(U, 1).T) @ d - whole
    assert np.abs(error[some]).max() < 1e-6 * np.abs(whole).max()
