"""Laws of friction in the dynamics of whole arms, against formulas written out and differences."""

import numpy as np
import pytest
from tests.loops.mechanisms import four_bar

import lissom as ls
from lissom.dynamics import gears
from lissom.dynamics.from_arm import joint_drive
from lissom.dynamics.varied import Varied
from lissom.engine.c99 import recorded
from lissom.kernels.batch_of_arms import call_each
from lissom.kernels.cache import functions_of

BACKENDS = ("straight", "tape", "numpy")
RATES = {"stribeck_rate": 0.21, "degressive_rate": 1.7}


def law(k, load):
    return ls.Friction(
        1.1 + 0.3 * k, 0.4, 0.5, -0.3, stribeck=0.9, degressive=-0.12, load=load if k % 3 != 1 else 0.0, **RATES
    )


def with_friction(arm, load, **fields):
    """The arm with laws in all joints, load-dependent friction in two of three."""
    numbers = iter(range(len(arm.links)))
    links = [
        link.replace(joint=link.joint.replace(friction=law(next(numbers), load), **fields))
        if link.joint.moves
        else link
        for link in arm.links
    ]
    return arm.replace(links=links)


def odd_chain(load=0.3):
    """An elastic revolute, a prismatic and a helical joint, and a ball at the end of a spring."""
    own = {"friction": law(0, load), "armature": 0.4}
    joints = [
        ls.Joint("revolute", axis=(0.3, 0.2, 1), elastic=ls.JointElasticity(300.0, 0.2), **own),
        ls.Joint("prismatic", axis=(1, 0.2, 0), **own),
        ls.Joint("helical", axis=(0, 1, 0.4), pitch=0.07, **own | {"armature": 0.02, "stiffness": 4.0, "rest": 0.3}),
        ls.Joint("revolute", axis=(1, 0.1, 0.3), stiffness=9.0, friction=law(3, load)),
    ]
    links = [
        ls.Link(f"l{i}", f"l{i - 1}" if i else None, joint, 1.7 - 0.3 * i, (0.2, 0.1 * i, -0.1), 0.03 + 0.01 * i)
        for i, joint in enumerate(joints)
    ]
    return ls.Arm("odd", links, gravity=(1.0, -3.0, -8.0))


def flexible(model="second_order", load=0.3):
    return with_friction(ls.load("two_link_flexible").replace(flexibility=model), load, armature=0.05)


ARMS = {
    "puma560": lambda load: with_friction(ls.load("puma560"), load),
    "ur10": lambda load: with_friction(ls.load("ur10"), load, armature=0.7, stiffness=3.0, rest=0.2),
    "odd": odd_chain,
    "flexible": lambda load: flexible(load=load),
}


def states(arm, rows=12, seed=0):
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, rows, arm.dof))
    if arm.flexible:
        q, qd = 0.03 * q, 0.2 * qd
    qd[0, arm.joint_index[:1]] = 0.0
    return q, qd, qdd


def slopes(function, state, which, h):
    """Central differences by one argument."""

    def at(step):
        return function(*(x + step if k == which else x for k, x in enumerate(state)))

    return np.stack([(at(h * e) - at(-h * e)) / (2 * h) for e in np.eye(state[0].shape[-1])], axis=-1)


@pytest.mark.parametrize("name", ["puma560", "ur10"])
def test_torques_are_the_formula_on_every_backend(name):
    arm = ARMS[name](0.2)
    state = _, qd, qdd = states(arm)
    frictionless = arm.replace(links=[x.replace(joint=x.joint.replace(friction=0.0, damping=0.0))
                                      if x.joint.moves else x for x in arm.links])  # fmt: skip
    armature, stiffness, rest = (np.array([getattr(j, w) for j in arm.joints]) for w in (
        "reflected_inertia", "stiffness", "rest"))  # fmt: skip
    tau = ls.inverse_dynamics(frictionless, *state)
    transmitted = tau - armature * qdd
    np.testing.assert_allclose(ls.gear_loads(arm, *state), transmitted, rtol=1e-12, atol=1e-12)
    for k, joint in enumerate(arm.joints):
        f, v, s = joint.friction, qd[:, k], np.sign(qd[:, k])
        tau[:, k] += (f.coulomb + f.stribeck / (1 + (v / 0.21) ** 2)) * s + (f.viscous + joint.damping) * v
        tau[:, k] += 0.5 * abs(s) - 0.3 * abs(v) - 0.12 * s * np.minimum(abs(v), 1.7) ** 2
        tau[:, k] += f.load * abs(transmitted[:, k]) * s
    assert (stiffness * rest).any() == (name == "ur10")
    for backend in BACKENDS:
        found = functions_of(arm).get("inverse_dynamics", backend=backend)(*state)
        np.testing.assert_allclose(found, tau, rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("load", [0.05, 0.9])
def test_forward_dynamics_inverts_inverse_dynamics(name, load):
    arm = ARMS[name](load)
    q, qd, qdd = states(arm, 40)
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    for backend in BACKENDS[: 1 if arm.flexible else 3]:
        found = functions_of(arm).get("forward_dynamics", backend=backend)(q, qd, tau)
        np.testing.assert_allclose(found, qdd, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("model", ["linear", "book", "de_luca_siciliano"])
@pytest.mark.slow
def test_other_models_of_flexible_links(model):
    arm = flexible(model)
    q, qd, qdd = states(arm)
    np.testing.assert_allclose(ls.forward_dynamics(arm, q, qd, ls.inverse_dynamics(arm, q, qd, qdd)), qdd, atol=1e-10)


@pytest.mark.parametrize("name", ARMS)
def test_derivatives_are_those_of_differences(name):
    arm = ARMS[name](0.25)
    q, qd, qdd = (x[1:6] for x in states(arm))
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    backward, forward = ls.inverse_dynamics_gradient(arm, q, qd, qdd), ls.forward_dynamics_gradient(arm, q, qd, tau)
    for function, found, state in (
        (ls.inverse_dynamics, backward, (q, qd, qdd)), (ls.forward_dynamics, forward, (q, qd, tau)),
    ):  # fmt: skip
        for which, exact in enumerate(found):
            numeric = slopes(lambda *x, f=function: f(arm, *x), state, which, 1e-6 if which < 2 else 1e-4)
            np.testing.assert_allclose(exact, numeric, rtol=1e-6, atol=1e-6 * np.abs(exact).max())
    weights = np.random.default_rng(1).normal(size=q.shape)
    product = ls.inverse_dynamics_product(arm, q, qd, qdd, weights)
    for found, whole in zip(product, backward, strict=True):
        np.testing.assert_allclose(found, np.einsum("ri,rij->rj", weights, whole), rtol=1e-10, atol=1e-9)


def test_complex_steps_agree_with_the_slopes_of_the_laws():
    """Between the jumps the laws are analytic: (coulomb + ...) sign(v) with the sign held."""
    v, h = 0.37, 1e-30
    for own in (own for own in law(0, 0.2).laws if own.title != "degressive"):  # its bound is a comparison
        total = np.dot(own.coefficients, own.columns(v + 1j * h, 5.0, 1.0))
        assert total.imag / h == pytest.approx(own.slope(v, 1.0), rel=1e-14)


@pytest.mark.parametrize("name", ARMS)
def test_columns_times_coefficients_are_the_friction(name):
    arm = ARMS[name](0.2)
    state = states(arm)
    names = ls.friction_parameters(arm)
    F = ls.friction_regressor(arm, *state)
    bare = arm.replace(links=[x.replace(joint=x.joint.replace(friction=0.0, damping=0.0)) if x.joint.moves else x
                              for x in arm.links])  # fmt: skip
    rest = ls.inverse_dynamics(arm, *state) - ls.inverse_dynamics(bare, *state)
    np.testing.assert_allclose(F @ list(names.values()), rest, rtol=1e-10, atol=1e-10)
    assert next(iter(names)).endswith(".coulomb")


def test_few_passes_are_enough_and_more_are_taken_where_they_are_not(monkeypatch):
    arm = with_friction(ls.load("ur10"), 0.95, armature=3.0)
    q, qd, qdd = states(arm, 300, seed=4)
    tau = ls.inverse_dynamics(arm, q, qd, 4 * qdd)
    np.testing.assert_allclose(ls.forward_dynamics(arm, q, qd, tau), 4 * qdd, rtol=1e-10, atol=1e-10)
    monkeypatch.setattr(gears, "PASSES", 1)  # states whose signs change are then computed again
    single = with_friction(ls.load("ur10"), 0.951, armature=3.0)
    tau = ls.inverse_dynamics(single, q, qd, 4 * qdd)
    function = functions_of(single).get("forward_dynamics", backend="numpy")
    np.testing.assert_allclose(function(q, qd, tau), 4 * qdd, rtol=1e-10, atol=1e-10)


def test_arms_of_a_batch_may_have_other_laws_or_none():
    base = ls.load("puma560")
    arms = [base, with_friction(base, 0.0), with_friction(base, 0.2), with_friction(base, 0.4, armature=0.9)]
    q, qd, qdd = states(base, len(arms))
    for verb in ("inverse_dynamics", "forward_dynamics"):
        found = call_each(arms, verb, (q, qd, qdd))
        for k, arm in enumerate(arms):
            np.testing.assert_allclose(found[k], getattr(ls, verb)(arm, q[k], qd[k], qdd[k]), rtol=1e-11)
    found = call_each(arms, "forward_dynamics_gradient", (q, qd, qdd))
    for k, arm in enumerate(arms):
        alone = ls.forward_dynamics_gradient(arm, q[k], qd[k], qdd[k])
        np.testing.assert_allclose(found.qd[k], alone.qd, rtol=1e-10, atol=1e-10)


def test_joints_without_further_laws_have_plain_drives():
    """Their code is that of before: graphs and bits do not change."""
    arm = ls.load("puma560").with_joint("elbow", friction=ls.Friction(coulomb=3.0, viscous=0.7), damping=0.1)
    plain = ls.load("puma560").with_joint("elbow", friction=3.0, damping=0.1 + 0.7)
    bodies = functions_of(arm).bodies.list
    assert all(joint_drive(body).laws is None for body in bodies)
    state = states(arm)
    np.testing.assert_array_equal(ls.inverse_dynamics(arm, *state), ls.inverse_dynamics(plain, *state))
    pieces = Varied(arm, [plain.with_joint("elbow", friction=4.0)]).pieces
    assert [len(piece.entries) for piece in pieces if piece.key[0] == "drive"] == [5]


def test_other_coefficients_compile_nothing_on_tapes():
    one, other = (with_friction(ls.load("puma560"), load) for load in (0.1, 0.2))
    for verb in ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_gradient"):
        steps = [set(recorded(functions_of(arm).plan(verb).runs(True), ())[1]) for arm in (one, other)]
        assert steps[0] == steps[1]


def test_parts_and_tables_and_bound_functions_have_it_too():
    arm = ARMS["ur10"](0.2)
    state = states(arm, 5)
    load = ls.Load("wrist_3", force=(3.0, -2.0, 7.0))
    parts = ls.inverse_dynamics_parts(arm, *state, loads=[load])
    tau = ls.inverse_dynamics(arm, *state, loads=[load])
    np.testing.assert_allclose(parts.total, tau, rtol=1e-11, atol=1e-11)
    assert (np.einsum("rj,rj->r", parts.dissipation, state[1]) >= 0).all()
    np.testing.assert_array_equal(ls.compiled(arm, "inverse_dynamics")(*state), ls.inverse_dynamics(arm, *state))
    plain = with_friction(ls.load("ur10"), 0.0)
    found = ls.forward_dynamics(plain, *state, method="walker_orin_3")
    np.testing.assert_allclose(found, ls.forward_dynamics(plain, *state), rtol=1e-9, atol=1e-9)
    for method in ("hollerbach_4x4", "newton_euler_link"):
        np.testing.assert_allclose(
            ls.inverse_dynamics(arm, *state, method=method), ls.inverse_dynamics(arm, *state), rtol=1e-10, atol=1e-10
        )


def test_what_is_not_covered_is_refused_by_name():
    arm, zero = ARMS["ur10"](0.2), np.zeros(6)
    with pytest.raises(ls.UnsupportedError, match=r"forward_dynamics: method 'walker_orin_3' covers .* 'shoulder_pan'"):
        ls.forward_dynamics(arm, zero, zero, zero, method="walker_orin_3")
    with pytest.raises(ls.UnsupportedError, match="method 'xiang' covers Coulomb and viscous friction only"):
        ls.inverse_dynamics_gradient(arm, zero, zero, zero, method="xiang")
    with pytest.raises(ls.UnsupportedError, match="planar_model covers Coulomb and viscous friction only"):
        ls.planar_model(flexible())
    bar = four_bar().with_joint("crank", friction=law(0, 0.1))
    with pytest.raises(ls.UnsupportedError, match="closed loops covers friction that does not depend on the load"):
        ls.forward_dynamics(bar, *np.zeros((3, 3)))
    pair = [ls.Joint("revolute", friction=law(0, 0.1)), ls.Joint("revolute", mimic=ls.Mimic("a", -0.7))]
    links = [ls.Link(name, parent, joint, 1.0, (0.2, 0, 0), 0.02) for name, parent, joint in zip(
        "ab", (None, "a"), pair, strict=True)]  # fmt: skip
    with pytest.raises(ls.UnsupportedError, match="joint 'a' has load-dependent friction, and other joints follow it"):
        ls.inverse_dynamics(ls.Arm("pair", links), [0.1], [0.1], [0.1])
    with pytest.raises(ls.UnsupportedError, match="retime_motion covers Coulomb and viscous friction only"):
        ls.retime_motion(ARMS["puma560"](0.0), [np.zeros(6), np.full(6, 0.2)])
    with pytest.raises(ls.UnsupportedError, match="predict_motion covers friction that does not depend on the load"):
        ls.predict_motion(ARMS["puma560"](0.1), start=np.zeros(6), goal=np.full(6, 0.2))
