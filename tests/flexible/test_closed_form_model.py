"""`flexibility="de_luca_siciliano"`: the closed form of planar arms in every verb, and what it does not cover."""

import numpy as np
import pytest
from tests.formulations.planar_cloud import LinearCloud
from tests.formulations.test_de_luca_siciliano import ARMS, DLS, WRONG, close, planar_arm, states

import lissom as ls
from lissom.kernels.cache import functions_of
from lissom.kernels.verbs import VERBS
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis

TWO = ls.load("two_link_flexible").replace(flexibility=DLS)
START = [0.2, 0.05, 0.001, 1.0, 0.02, 0.0], [1.0, 0.0, 0.0, -1.5, 0.0, 0.0]


def slopes(function, x, h=1e-6):
    """Central differences, the last axis by the entries of x."""
    return np.stack([(function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(len(x))], axis=-1)


def rough(modes=(2, 1)):
    """Awkward numbers, drives and friction, in a tilted plane."""
    arm = planar_arm(4, modes, drives=True).replace(flexibility=DLS)
    return arm.with_joint("j0", friction=0.3)


# ---- the same as the formulation -----------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    [
        "two links, 1 and 2 modes",
        *(pytest.param(x, marks=pytest.mark.slow) for x in ("a rigid link between", "stretch")),
    ],
)
def test_it_is_the_formulation(case):
    """method= on an arm with another model, loads on a tip and along a beam included."""
    seed, modes, options = ARMS[case]
    given = planar_arm(seed, modes, **options)
    arm = given.replace(flexibility=DLS)
    bent = next(link for link in arm.links if link.flexible)
    loads = [
        ls.Load(f"{bent.name}.tip", (1.1, -0.7, 2.3), (0.4, 0.9, -1.7), (0.03, -0.04, 0.05)),
        ls.Load(bent.name, (0.4, 0.2, -0.3), point=(0.6 * bent.beam.length, 0.02, 0.01)),
    ]
    q, qd, qdd = states(arm, 2)
    for acting in ((), loads):
        tau = ls.inverse_dynamics(arm, q, qd, qdd, loads=acting)
        close(tau, ls.inverse_dynamics(given, q, qd, qdd, loads=acting, method=DLS), 1e-12)
        close(ls.forward_dynamics(arm, q, qd, tau, loads=acting), qdd, 1e-9)
    M = ls.mass_matrix(arm, q)
    close(M, ls.mass_matrix(given, q, method=DLS), 1e-12)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0
    model = ls.planar_model(given)
    close(ls.coriolis_matrix(arm, q, qd) @ qd, model.h(q, qd), 1e-12)


def test_loads_act_through_the_jacobian_of_the_papers_kinematics():
    """(1)-(4): frames of the linear field, against sampled points; loads are J^T f, in space too."""
    arm = planar_arm(1, (1, 2)).replace(flexibility=DLS)
    q, qd, qdd = states(arm, 3)
    point, force, moment = (0.03, -0.04, 0.05), np.array([1.1, -0.7, 2.3]), np.array([0.4, 0.9, -1.7])
    J = ls.jacobian(arm, q, "l1.tip", point)
    cloud = LinearCloud(arm)
    close(J.T @ [*force, *moment], np.array(cloud.pushed(cloud.tips[1], force, moment, point)(q)).ravel(), 1e-12)
    free = ls.inverse_dynamics(arm, q, qd, qdd)
    pushed = ls.inverse_dynamics(arm, q, qd, qdd, loads=[ls.Load("l1.tip", force, moment, point)])
    close(free - pushed, J.T @ [*force, *moment], 1e-12)
    other = arm.replace(flexibility="linear")
    for verb, state in (("pose", (q,)), ("velocity", (q, qd)), ("acceleration", (q, qd, qdd))):
        assert np.array_equal(getattr(ls, verb)(arm, *state, "l1.tip"), getattr(ls, verb)(other, *state, "l1.tip"))


# ---- physics -------------------------------------------------------------------------------------


def test_energies_belong_to_the_truncated_inertia():
    arm = rough()
    q, qd, _ = states(arm, 1)
    close(ls.kinetic_energy(arm, q, qd), 0.5 * qd @ ls.mass_matrix(arm, q) @ qd, 1e-13)
    close(ls.gravity_forces(arm, q), slopes(lambda x: ls.potential_energy(arm, x), q), 1e-8)
    C, h = ls.coriolis_matrix(arm, q, qd), 1e-6
    rate = (ls.mass_matrix(arm, q + h * qd) - ls.mass_matrix(arm, q - h * qd)) / (2 * h)
    assert np.abs(rate - C - C.T).max() < 1e-8 * np.abs(rate).max()  # M' - 2 C is skew


def test_energy_of_a_run_is_conserved():
    run = ls.simulate(TWO, *START, until=0.5, rtol=1e-10)
    assert run.ok
    assert np.ptp(run.energy) < 1e-9 * run.energy[0]
    hung = TWO.with_gravity((0.1, -0.5, 0.0))  # it would bend too far under its whole weight
    load = ls.Load("link2.tip", (0.03, 0.02, 0.0), (0.0, 0.0, 0.002), (0.01, 0.02, 0.0))
    run = ls.simulate(hung, [-1.5, 0.1], loads=[load], prescribed={"joint1": lambda t: np.sin(9 * t)}, until=0.5)
    assert run.status == "done"
    assert run.balance_error < 1e-6


def test_a_slow_motion_with_small_deflections_is_that_of_the_second_order_field():
    """The fields differ in second order: a tenth of the deflection, a hundredth of the difference of the tips."""
    off, bent = [], []
    for size in (1.0, 0.1):
        tau = ls.Profile([0, 0.5, 1.0], size * np.array([[0.05, 0.02], [-0.05, -0.02], [0, 0]]), "hold")
        closed, whole = (
            ls.simulate(TWO.replace(flexibility=word), tau=tau, until=1.0, rtol=1e-9, every=0.01)
            for word in (DLS, "second_order")
        )
        off.append(np.abs(closed.tip - whole.tip).max())
        bent.append(np.abs(whole.deflection("link1")).max())
    assert off[1] < 0.012 * off[0]
    assert off[1] < 0.01 * bent[1]


# ---- derivatives and programs --------------------------------------------------------------------


def test_derivatives():
    arm = rough()
    q, qd, qdd = states(arm, 4)
    gradient = ls.inverse_dynamics_gradient(arm, q, qd, qdd)
    close(gradient.q, slopes(lambda x: ls.inverse_dynamics(arm, x, qd, qdd), q), 1e-8)
    close(gradient.qd, slopes(lambda x: ls.inverse_dynamics(arm, q, x, qdd), qd), 1e-8)
    close(gradient.qdd, ls.mass_matrix(arm, q), 1e-13)
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    forward = ls.forward_dynamics_gradient(arm, q, qd, tau)
    close(forward.q, slopes(lambda x: ls.forward_dynamics(arm, x, qd, tau), q), 1e-7)
    weights = np.random.default_rng(7).uniform(-1, 1, arm.dof)
    product = ls.inverse_dynamics_product(arm, q, qd, qdd, weights)
    close(product.q, weights @ gradient.q, 1e-12)
    hessian = ls.inverse_dynamics_hessian(arm, q, qd, qdd, weights)
    close(hessian.q_q, slopes(lambda x: ls.inverse_dynamics_product(arm, x, qd, qdd, weights).q, q), 1e-7)


BOTH = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces", "energies", "coriolis_matrix")


@pytest.mark.parametrize("verb", ["inverse_dynamics", *(pytest.param(x, marks=pytest.mark.slow) for x in BOTH[1:])])
def test_all_backends_agree(verb):
    arm = rough()
    state = dict(zip(("q", "qd", "qdd"), states(arm, 5), strict=True))
    state["tau"] = ls.inverse_dynamics(arm, *state.values())
    given = [state[word] for word in VERBS[verb].arguments]
    straight, tape, plain = (functions_of(arm).get(verb, backend=b)(*given) for b in ("straight", "tape", "numpy"))
    close(tape, straight, 1e-12)
    close(plain, straight, 1e-12)


# ---- ensembles and plants ------------------------------------------------------------------------


def test_an_ensemble_of_payloads_is_each_of_its_runs():
    arm = TWO
    for name in ("link1", "link2"):  # shapes that do not depend on the payload
        arm = arm.with_link(name, beam=arm.link(name).beam.replace(tip=ls.beam_tip(arm, name)))
    payloads = [ls.Payload(0.05, (0.01, 0.0, 0.0), 1e-4), ls.Payload(0.12, (0.0, 0.02, 0.0), 3e-4)]
    options = {"until": 0.1, "dt": 1e-3, "every": 0.01, "method": "rk8"}
    many = ls.simulate(arm, *START, payloads=payloads, **options)
    for k, payload in enumerate(payloads):
        one = ls.simulate(arm.with_payload(payload), *START, **options)
        close(many.q[k], one.q, 1e-12)
        close(many.energy[k], one.energy, 1e-12)


@pytest.mark.slow
def test_a_batch_of_arms_is_each_of_them():
    """Beams, hubs, placements and gravity that differ are inputs of one compiled function."""
    second = TWO.links[1]
    arms = [
        TWO.replace(gravity=(0.1 * k, -0.5, 0))
        .with_link("link1", mass=0.1 + 0.05 * k)
        .with_joint("joint1", placement=pose(about_axis(np.array([0.0, 0, 1]), 0.3 * k)))
        .with_link("link2", beam=second.beam.replace(length=0.5 + 0.02 * k))
        for k in range(3)
    ]
    options = {"q0": START[0], "qd0": START[1], "until": 0.1, "rtol": 1e-9, "every": 0.01}
    many = ls.simulate(TWO, arms=arms, **options)
    for k, arm in enumerate(arms):
        one = ls.simulate(arm, **options)
        close(many.q[k], one.q, 1e-12)
        close(many.energy[k], one.energy, 1e-11)


def test_arms_of_a_batch_lie_in_one_plane():
    """The plane is part of the compiled function: arms in another one are refused, not computed wrongly."""
    tilted = TWO.with_joint("joint1", placement=pose(about_axis(np.array([1.0, 0, 0]), 0.3)))
    with pytest.raises(ls.InputError, match=r"is \(0, -0.29552, 0.955336\) in world.* it is \(0, 0, 1\); all"):
        ls.simulate(TWO, arms=[TWO, tilted], until=0.01)


def test_joints_that_follow_others_and_elastic_joints():
    """The chain of all joints is planar; a follower has no coordinate of its own."""
    links = list(TWO.links)
    links[1] = links[1].replace(joint=links[1].joint.replace(mimic=ls.Mimic("joint1", -2.0, 0.3)))
    arm = TWO.replace(links=links)
    q, qd, qdd = (np.random.default_rng(3).uniform(-1, 1, (3, 5)) * [1, 0.02, 0.002, 0.02, 0.002]) * 1.0
    spread = np.zeros((6, 5))
    spread[[0, 1, 2, 4, 5], range(5)] = 1.0
    spread[3, 0] = -2.0
    full = spread @ q
    full[3] += 0.3
    want = spread.T @ ls.inverse_dynamics(TWO, full, spread @ qd, spread @ qdd)
    close(ls.inverse_dynamics(arm, q, qd, qdd), want, 1e-12)
    close(ls.mass_matrix(arm, q), spread.T @ ls.mass_matrix(TWO, full) @ spread, 1e-12)
    soft = TWO.with_joint("joint2", elastic=ls.JointElasticity(4.0, 0.01), armature=0.02)
    q, qd, qdd = np.random.default_rng(4).uniform(-1, 1, (3, 7)) * 0.1
    given = soft.replace(flexibility="second_order")
    close(ls.inverse_dynamics(soft, q, qd, qdd), ls.inverse_dynamics(given, q, qd, qdd, method=DLS), 1e-12)


# ---- motions -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_predicted_motions_are_verified():
    """The least torques of both links for a given time, and the least time of one link."""
    one = TWO.replace(links=[TWO.links[0].replace(payload=ls.Payload(0.3, (0.02, 0.01, 0.0), 0.01))])
    for arm, fields in (
        (TWO, {"start": [0, 0], "goal": [0.4, 0.3], "duration": 4.0, "minimise": "torque_squared"}),
        (one, {"start": [0], "goal": [0.4], "minimise": "time"}),
    ):
        limits = ls.Limits(torque=[0.2, 0.1][: len(arm.joints)])
        check = ls.predict_motion(arm, limits=limits, segments=10, starts=1, **fields).verify()
        assert check.ok, check.status


# ---- what is not covered -------------------------------------------------------------------------


@pytest.mark.parametrize("case", WRONG)
def test_other_arms_are_refused(case):
    arm, words = WRONG[case]
    arm, o = arm.replace(flexibility=DLS), np.zeros(arm.dof)
    told = f"flexibility='{DLS}', which covers planar serial arms.*{words}.*'second_order'"
    for call in (lambda: ls.inverse_dynamics(arm, o, o, o), lambda: ls.kinetic_energy(arm, o, o),
                 lambda: ls.simulate(arm, until=0.1)):  # fmt: skip
        with pytest.raises(ls.UnsupportedError, match=told):
            call()


def test_other_refusals():
    o = np.zeros(6)
    base = ls.BaseMotion(linear_acceleration=(0, 0, 1))
    for call in (lambda: ls.inverse_dynamics(TWO, o, o, o, base=base), lambda: ls.simulate(TWO, until=0.1, base=base)):
        with pytest.raises(ls.UnsupportedError, match=f"flexibility='{DLS}', which does not cover a moving base"):
            call()
    with pytest.raises(ls.UnsupportedError, match=f"flexibility='{DLS}', whose equations are those of the whole arm"):
        ls.joint_reactions(TWO, o, o, o)
    with pytest.raises(ls.UnsupportedError, match="regressor is not available yet for arms with flexible links"):
        ls.regressor(TWO, o, o, o)
    with pytest.raises(ls.InputError, match=r"use one of: xiang\. All functions of arm.replace\(flexibility='de_luca"):
        ls.inverse_dynamics_gradient(TWO, o, o, o, method=DLS)
    with pytest.raises(ls.ModelError, match="flexibility is 'de_luca'; did you mean 'de_luca_siciliano'"):
        TWO.replace(flexibility="de_luca")
    looped = TWO.replace(loops=[ls.Loop(a=("link2.tip", (0, 0, 0)), b=(None, (0.6, 0.5, 0)), joint="spherical")])
    with pytest.raises(ls.UnsupportedError, match=f"closed loops: .* has flexibility='{DLS}'"):
        ls.forward_dynamics(looped, o, o, o)


def test_lost_inertia_is_warned_of():
    """At large deflections B is not positive definite; accelerations are found all the same."""
    q = np.array([0.0, 0.0, 0.0, np.pi / 2, 3.0, 0.0])
    for call in (lambda: ls.mass_matrix(TWO, q), lambda: ls.forward_dynamics(TWO, q, 0 * q, 0 * q)):
        with pytest.warns(ls.IndefiniteInertia, match="B of De Luca and Siciliano is kept to first order"):
            assert np.isfinite(call()).all()
