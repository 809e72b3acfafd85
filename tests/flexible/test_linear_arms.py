"""Arms with flexibility "linear" and "book" against sampled points: by Lagrange, and Book's equations by d'Alembert."""

from functools import cache

import casadi as ca
import numpy as np
import pytest
from tests.flexible.linear_arms import CHAINS, driven, given, planar, sliding, sprung, states, tree
from tests.flexible.linear_cloud import LinearCloud

import lissom as ls

BAR = 1e-9  # relative to the largest entry; both sides are exact but for rounding
ARMS = CHAINS | {"given": given, "tree": tree, "sprung": sprung, "sliding": sliding}
BOTH = [(model, name) for name in ARMS for model in ("linear", "book") if (model, name) != ("book", "sliding")]
QUICK = ("planar", "given", "tree")  # between them: all kinds of modes, branches and integrals


def some_slow(cases, quick=QUICK):
    """Cases of other than the quick arms wait for a slow run: functions are made for every arm and verb."""
    told = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=() if case[-1] in quick else pytest.mark.slow) for case in told]


@cache
def arm_of(name, model="linear"):
    return driven(ARMS[name]()).replace(flexibility=model)


@cache
def cloud_of(name):
    return LinearCloud(arm_of(name))


@cache
def forces_of(name, model, acted=False):
    """(q, qd, qdd) -> tau; with loads and base motion where it is acted upon."""
    told = [(frame, force, moment) for _, frame, force, moment in pushes(name)] if acted else ()
    base = shaken() if acted else None
    cloud = cloud_of(name)
    return cloud.book(told, base) if model == "book" else cloud.lagrange(told, base)[0]


@cache
def pushes(name):
    """(load, frame, force, moment): at tips, link frames and along beams, all off their origins."""
    arm, cloud, rng, out = arm_of(name), cloud_of(name), np.random.default_rng(5), []

    def push(word, point, frame):
        force, moment = rng.normal(size=(2, 3))
        out.append((ls.Load(word, force, moment, point), frame, force, moment))

    for i, link in enumerate(arm.links):
        R, o = cloud.tips[i] if link.flexible else cloud.frames[i]
        point = rng.normal(size=3) * 0.05
        push(link.name + (".tip" if link.flexible else ""), point, (R, o + R @ ca.DM(point)))
        if link.beam is not None:
            s, y, z = 0.37 * link.beam.length, 0.02, -0.01
            push(link.name, (s, y, z), cloud.station(i, s, (0, y, z)))
    return out


def loads_of(name):
    return [load for load, *_ in pushes(name)]


def shaken():
    return ls.BaseMotion((0.4, -0.7, 0.9), (1.1, 0.3, -0.8), (0.5, -1.3, 2.1))


def flat(values):
    return np.array(values).ravel()


def error(found, want):
    return np.abs(found - want).max() / np.abs(want).max()


def inertia_of(name, model, q):
    forces, still = forces_of(name, model), np.zeros(len(q))
    return np.column_stack([flat(forces(q, still, e) - forces(q, still, still)) for e in np.eye(len(q))])


# ---- the points themselves -----------------------------------------------------------------------


@pytest.mark.parametrize("name", some_slow(ARMS))
@pytest.mark.some(1)
def test_undeformed_all_fields_are_the_same(name):
    """The points against the second-order recursion, which they share nothing of but the shapes."""
    arm = arm_of(name).replace(flexibility="second_order")
    q, qd, qdd = states(arm, 1)
    q[arm.mode_index] = qd[arm.mode_index] = 0.0
    found = ls.inverse_dynamics(arm, q, qd, qdd, loads=loads_of(name), base=shaken())
    for model in ("linear", "book"):
        assert error(found, flat(forces_of(name, model, acted=True)(q, qd, qdd))) < BAR
    assert error(ls.mass_matrix(arm, q), np.array(cloud_of(name).lagrange()[1](q)[0])) < BAR


# ---- dynamics ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "name"), some_slow(BOTH, ("planar", "spatial", "sprung")))
@pytest.mark.some(3)
def test_inverse_dynamics(model, name):
    """Free; and with loads at tips, frames and along beams on a base that moves; one state and a batch."""
    arm = arm_of(name, model)
    batch = [np.stack(x) for x in zip(*(states(arm, seed) for seed in range(5)), strict=True)]
    for acted in (False, True):
        options = {"loads": loads_of(name), "base": shaken()} if acted else {}
        want = np.array([flat(forces_of(name, model, acted)(*row)) for row in zip(*batch, strict=True)])
        assert error(ls.inverse_dynamics(arm, *batch, **options), want) < BAR
        assert error(ls.inverse_dynamics(arm, *(x[2] for x in batch), **options), want[2]) < BAR
    q, qd, _ = batch
    want = np.array([flat(forces_of(name, model)(*row, 0 * row[0])) for row in zip(q, qd, strict=True)])
    assert error(ls.bias_forces(arm, q, qd), want) < BAR


@pytest.mark.parametrize(("model", "name"), some_slow(BOTH, ("planar", "sprung")))
def test_mass_matrix_and_forward_dynamics(model, name):
    arm = arm_of(name, model)
    for seed in range(2):
        q, qd, tau = states(arm, seed)
        M = inertia_of(name, model, q)
        assert error(ls.mass_matrix(arm, q), M) < BAR
        bias = flat(forces_of(name, model, acted=True)(q, qd, 0 * q))
        want = np.linalg.solve(M, tau - bias)
        got = ls.forward_dynamics(arm, q, qd, tau, loads=loads_of(name), base=shaken())
        assert error(got, want) < BAR * max(1.0, 1e-6 * np.linalg.cond(M))  # rounding in M, magnified


@pytest.mark.parametrize("name", some_slow(["planar", "tree"], ("planar",)))
@pytest.mark.parametrize("model", ["linear", "book"])
def test_standing_loads(model, name):
    arm = arm_of(name, model)
    q, qd, qdd = states(arm, 3)
    want = ls.inverse_dynamics(arm, q, qd, qdd, loads=loads_of(name))
    assert error(ls.inverse_dynamics(arm.replace(loads=loads_of(name)), q, qd, qdd), want) < 1e-13


@pytest.mark.parametrize(("model", "name"), some_slow(BOTH))
def test_energies(model, name):
    arm = arm_of(name, model)
    q, qd, _ = states(arm, 4)
    home = np.zeros(arm.dof)
    energy = cloud_of(name).lagrange()[1]
    (M, V), (_, V0) = ((np.array(x) for x in energy(at)) for at in (q, home))
    assert ls.potential_energy(arm, q) - ls.potential_energy(arm, home) == pytest.approx((V - V0).item(), rel=BAR)
    if model == "linear":
        assert ls.kinetic_energy(arm, q, qd) == pytest.approx(0.5 * qd @ M @ qd, rel=BAR)


@pytest.mark.parametrize(("model", "name"), some_slow(BOTH, ("planar",)))
@pytest.mark.some(1)
def test_gradients(model, name):
    """The bar: 1e-8 relative, against casadi on the points; with loads and base motion."""
    arm = arm_of(name, model)
    q, qd, qdd = states(arm, 4)
    symbols = [ca.SX.sym(word, arm.dof) for word in ("q", "qd", "qdd")]
    forces = forces_of(name, model, acted=True)
    slopes = ca.Function("s", symbols, [ca.jacobian(forces(*symbols), x) for x in symbols])(q, qd, qdd)
    got = ls.inverse_dynamics_gradient(arm, q, qd, qdd, loads=loads_of(name), base=shaken())
    for mine, theirs in zip(got, slopes, strict=True):
        assert error(mine, np.array(theirs)) < 1e-8


@pytest.mark.parametrize("name", ["planar", "spatial", "tree"])
@pytest.mark.some(1)
def test_the_models_differ_where_they_should(name):
    """Book's inertia by the squares of deflections, not by more; undeformed by nothing."""
    linear, book = (arm_of(name, model) for model in ("linear", "book"))
    q = states(linear, 6)[0]
    q[linear.mode_index] *= 0.5  # where Book's inertia is definite
    apart = []
    for size in (1.0, 0.5, 0.0):
        at = q.copy()
        at[linear.mode_index] *= size
        apart.append(error(ls.mass_matrix(book, at), ls.mass_matrix(linear, at)))
    assert apart[0] > 1e-6
    assert apart[1] == pytest.approx(apart[0] / 4, rel=0.4)
    assert apart[2] < 1e-14


# ---- kinematics ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "name"), some_slow(BOTH))
@pytest.mark.some(3)
def test_places_and_jacobians(model, name):
    """The rows of rotation are the skew part of dF F^-1 of a frame F that deflections shear."""
    arm, cloud = arm_of(name, model), cloud_of(name)
    q, qd, _ = states(arm, 2)
    known = {link.name: cloud.frames[i] for i, link in enumerate(arm.links)}
    known |= {f"{link.name}.tip": cloud.tips[i] for i, link in enumerate(arm.links) if link.flexible}
    found = ca.Function(
        "x", [cloud.q], [x for R, o in known.values() for x in (o, ca.jacobian(o, cloud.q), cloud.spins((R, o)))]
    )(q)
    for k, frame in enumerate(known):
        o, J, spins = (np.array(x) for x in found[3 * k : 3 * k + 3])
        assert np.abs(ls.pose(arm, q, frame)[:3, 3] - o[:, 0]).max() < 1e-12
        mine = ls.jacobian(arm, q, frame)
        assert np.abs(mine - np.concatenate([J, spins])).max() < 1e-11
        assert np.abs(ls.velocity(arm, q, qd, frame) - mine @ qd).max() < 1e-11
    places = np.array([np.array(found[3 * k]).ravel() for k in range(len(arm.links))])
    assert np.abs(ls.poses(arm, q)[:, :3, 3] - places).max() < 1e-12


@pytest.mark.parametrize("model", ["linear", "book"])
def test_places_along_a_beam(model):
    arm, cloud = arm_of("spatial", model), cloud_of("spatial")
    q = states(arm, 2)[0]
    R, o = cloud.station(1, 0.23, (0, 0.01, 0.02))
    parts = ca.Function("x", [cloud.q], [o, ca.jacobian(o, cloud.q), cloud.spins((R, o))])(q)
    place, J, spins = (np.array(x) for x in parts)
    assert np.abs(ls.pose(arm, q, "fore", point=(0.23, 0.01, 0.02))[:3, 3] - place[:, 0]).max() < 1e-12
    assert np.abs(ls.jacobian(arm, q, "fore", (0.23, 0.01, 0.02)) - np.concatenate([J, spins])).max() < 1e-11


# ---- runs and refusals ---------------------------------------------------------------------------


def test_energy_of_free_motion_stays():
    """Linear: all products are kept, so the equations are those of a Lagrangian."""
    arm = planar().replace(flexibility="linear")
    run = ls.simulate(arm, [0.3, 0.05, 0.01, -0.4, 0.04, 0.005], until=0.3, rtol=1e-9, atol=1e-11)
    swing = np.ptp([float(ls.potential_energy(arm, q)) for q in run.q])
    assert np.ptp(run.energy) < 1e-6 * swing


def test_book_is_for_revolute_joints():
    arm = arm_of("sliding")
    q = np.zeros(arm.dof)
    with pytest.raises(ls.LissomError, match="prismatic"):
        ls.inverse_dynamics(arm.replace(flexibility="book"), q, q, q)
