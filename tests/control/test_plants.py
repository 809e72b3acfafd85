"""Linear models and equilibria against differences, closed forms and python-control."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.arms import random_arm, random_base, random_loads, random_states
from tests.loops.mechanisms import four_bar

import control
import lissom as ls


def rates(arm, plant, x, u, **kw):
    """dx/dt of the full model at deviations x and u."""
    n = arm.dof
    tau = plant.tau.copy()
    tau[[arm.coordinates.index(name.removesuffix(".tau")) for name in plant.inputs]] += u
    q, qd = plant.q + x[:n], plant.qd + x[n:]
    return np.concatenate([qd, ls.forward_dynamics(arm, q, qd, tau, **kw)])


@pytest.mark.parametrize("seed", [3, 8, 21])
def test_against_differences(seed):
    """Trees, sliding and elastic joints, loads, a moving base; friction has no derivative, so it is left out."""
    arm = random_arm(seed, 6)
    links = [
        link.replace(joint=link.joint.replace(friction=0.0, actuated=k != 2)) if link.joint.moves else link
        for k, link in enumerate(arm.links)
    ]
    arm = arm.replace(links=links)
    q, qd, tau = (x[0] for x in random_states(arm, 1, seed=seed))
    around = {"loads": random_loads(arm, seed), "base": random_base(seed)}
    plant = ls.linearise(arm, q, qd, tau, **around)
    n, m = plant.B.shape
    step = 1e-5
    A = np.column_stack([
        (rates(arm, plant, step * e, np.zeros(m), **around) - rates(arm, plant, -step * e, np.zeros(m), **around))
        / (2 * step) for e in np.eye(n)
    ])  # fmt: skip
    B = np.column_stack([
        (rates(arm, plant, np.zeros(n), step * e, **around) - rates(arm, plant, np.zeros(n), -step * e, **around))
        / (2 * step) for e in np.eye(m)
    ])  # fmt: skip
    assert np.abs(plant.A - A).max() <= 1e-6 * np.abs(A).max()
    assert np.abs(plant.B - B).max() <= 1e-6 * np.abs(B).max()
    assert np.allclose(plant.drift, rates(arm, plant, np.zeros(n), np.zeros(m), **around))


def test_a_pendulum_has_the_frequency_of_the_textbook():
    rod = ls.Link(
        "rod", joint=ls.Joint("revolute", axis=(0, 1, 0)), mass=2.0, com=(0, 0, -0.4), inertia=(0.1, 0.13, 0.05)
    )
    plant = ls.linearise(ls.Arm("pendulum", [rod], gravity=(0, 0, -9.81)), [0.0])
    omega = np.sqrt(2.0 * 9.81 * 0.4 / (0.13 + 2.0 * 0.4**2))
    assert np.allclose(sorted(plant.poles.imag), [-omega, omega])
    assert not plant.stable
    gain = plant.frequency_response(0.5 * omega)[0, 0]
    assert gain.real == pytest.approx(1 / (0.13 + 2.0 * 0.4**2) / (omega**2 - 0.25 * omega**2))
    with pytest.raises(ls.SolveError, match="pole of the plant"):
        ls.linearise(ls.Arm("free", [rod], gravity=(0, 0, 0)), [0.0]).frequency_response([0.0])


def test_sampling_is_exact_for_held_inputs():
    plant = ls.linearise(ls.load("puma560"), [0.1, 0.7, -0.4, 0.2, 0.6, 0.0], [0.1] * 6, [20, 40, 5, 1, 1, 1])
    sampled = plant.discrete(0.02)
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=12) * 0.01, rng.normal(size=6)
    ways = solve_ivp(
        lambda _t, y: plant.A @ y + plant.B @ u + plant.drift, (0, 0.02), x, "DOP853", rtol=1e-12, atol=1e-14
    ).y[:, -1]
    assert np.allclose(sampled.A @ x + sampled.B @ u + sampled.drift, ways, rtol=1e-9, atol=1e-12)


def test_lqr_stabilises_an_inverted_arm_sampled_or_not():
    arm = ls.load("two_link")
    plant = ls.linearise(arm, [np.pi / 2, 0.0])
    assert plant.poles[0].real > 1
    for model in (plant, plant.discrete(0.01)):
        K = model.lqr([10, 10, 1, 1], np.eye(2))
        assert K.shape == (2, 4)
        assert model.closed(K).stable
        assert not model.stable


def test_to_control_keeps_names_and_numbers():
    plant = ls.linearise(ls.load("two_link"), [0.3, 0.5])
    theirs = plant.to_control()
    assert isinstance(theirs, control.StateSpace)
    assert theirs.input_labels == ["upper_tau", "fore_tau"]
    assert np.allclose(theirs(1.5j), plant.frequency_response(1.5))
    assert plant.discrete(0.1).to_control().dt == 0.1


def test_outputs_of_a_frame():
    arm = ls.load("puma560")
    q = np.array([0.1, 0.7, -0.4, 0.2, 0.6, 0.0])
    plant = ls.linearise(arm, q, output="flange")
    assert plant.outputs[0] == "flange.x"
    assert np.array_equal(plant.C[:, :6], ls.jacobian(arm, q, "flange"))


def test_held_poses_do_not_move():
    arm = ls.load("stanford")
    q = np.array([0.3, 0.4, 0.5, 0.1, 0.2, 0.3])
    loads = [ls.Load(arm.links[-1].name, (1.0, 2.0, -3.0))]
    held = ls.equilibrium(arm, q, loads)
    assert np.abs(ls.forward_dynamics(arm, held.q, np.zeros(6), held.tau, loads=loads)).max() < 1e-10
    assert np.array_equal(held.q, q)


def test_passive_joints_hang_and_springs_sag():
    links = [link.replace(joint=link.joint.replace(actuated=link.name != "fore")) for link in ls.load("two_link").links]
    hanging = ls.equilibrium(ls.Arm("passive", links, gravity=(0, -9.81, 0)), [0.4, -1.2])
    assert hanging.q[0] == 0.4
    assert hanging.q.sum() == pytest.approx(-np.pi / 2)
    assert hanging.stable
    standing = ls.equilibrium(ls.Arm("passive", links, gravity=(0, -9.81, 0)), [0.4, np.pi / 2 - 0.41])
    assert standing.q.sum() == pytest.approx(np.pi / 2)
    assert not standing.stable
    joint = ls.Joint("revolute", elastic=ls.JointElasticity(50.0), armature=0.1)
    soft = ls.Arm("soft", [ls.Link("rod", joint=joint, mass=2.0, com=(0.4, 0, 0), inertia=0.1)], gravity=(0, -9.81, 0))
    sag = ls.equilibrium(soft, [0.0])
    assert sag.q[1] == pytest.approx(-2.0 * 9.81 * 0.4 * np.cos(sag.q[1]) / 50.0)
    assert sag.tau[0] == pytest.approx(-50.0 * sag.q[1])


def test_least_torque_is_looked_for_near_the_guess():
    """Whole turns apart and upright beside hanging are all at rest: the nearest is found; idle joints stay."""
    arm = ls.load("two_link")
    for guess, nearest in ((-1.2, -np.pi / 2), (1.3, np.pi / 2), (-1.2 + 2 * np.pi, 1.5 * np.pi)):
        found = ls.equilibrium(arm, [guess, 0.3], least=True)
        assert np.abs(found.tau).max() < 1e-6
        assert np.abs(found.q - [nearest, 0.0]).max() < 1e-6
    guess = np.array([0.7, 0.3, 0.2, 0.4, 0.1, -0.9])
    found = ls.equilibrium(ls.load("puma560"), guess, least=True)
    idle = [0, 5]  # the waist turns about the vertical, the flange about its centre of mass
    assert np.abs(found.q - guess)[idle].max() < 1e-9
    assert np.abs(found.q - guess).max() < np.pi


def test_least_torque_stays_within_limits():
    arm = ls.load("puma560")
    found = ls.equilibrium(arm, [0.0, 0.3, 0.2, 0.0, 0.1, 0.0], least=True)
    before = ls.equilibrium(arm, [0.0, 0.3, 0.2, 0.0, 0.1, 0.0])
    assert np.abs(found.tau).max() < np.abs(before.tau).max()
    lower, upper = arm.bounds("position")
    assert (found.q >= lower - 1e-9).all()
    assert (found.q <= upper + 1e-9).all()


WRONG = {
    "batch": (lambda a, p: ls.linearise(a, np.zeros((3, 2))), ls.InputError, "expected one state"),
    "no rest": (lambda a, p: ls.equilibrium(loose(), [0.0]), ls.SolveError, "which is not actuated"),
    "dt": (lambda a, p: p.discrete(0.0), ls.InputError, "dt is 0.0"),
    "twice": (lambda a, p: p.discrete(0.1).discrete(0.1), ls.InputError, "sampled already"),
    "R": (lambda a, p: p.lqr([1, 1, 1, 1], [0, 0]), ls.SolveError, "no stabilising gain"),
    "Q": (lambda a, p: p.lqr([1, 1], [1, 1]), ls.InputError, "expected 4 weights"),
    "K": (lambda a, p: p.closed([[1.0]]), ls.InputError, r"expected \(2, 4\)"),
    "output": (lambda a, p: ls.linearise(a, [0, 0], output="fort"), ls.InputError, "did you mean 'fore'"),
}


def loose():
    """A sliding joint that nothing holds, under gravity."""
    joint = ls.Joint("prismatic", axis=(0, 0, 1), actuated=False)
    return ls.Arm("loose", [ls.Link("block", joint=joint, mass=1.0)], gravity=(0, 0, -9.81))


@pytest.mark.parametrize("case", WRONG)
def test_wrong_questions(case):
    call, kind, words = WRONG[case]
    arm = ls.load("two_link")
    with pytest.raises(kind, match=words):
        call(arm, ls.linearise(arm, [0.0, 0.0]))


# ---- closed loops of controllers -----------------------------------------------------------------


def closed(arm, control, q, qd, step=1e-5):
    """Derivatives of (qd, qdd) by differences of forward dynamics under the controller's torques, by public verbs."""
    n = arm.dof

    def torques(q, qd):
        joint = np.isin(np.arange(n), arm.joint_index)
        if isinstance(control, ls.PD):
            out = control.kp * (control.q - q) - control.kd * qd + ls.gravity_forces(arm, q)
        elif isinstance(control, ls.ComputedTorque):
            wanted = np.where(joint, control.kp * (control.q - q) - control.kd * qd, 0)
            out = ls.inverse_dynamics(arm, q, qd, wanted)
        else:
            out = control(0.0, q, qd)
        return np.where(arm.actuated, out, 0.0)

    def rates(x):
        q, qd = x[:n], x[n:]
        return np.concatenate([qd, ls.forward_dynamics(arm, q, qd, torques(q, qd))])

    x = np.concatenate([q, qd])
    return np.column_stack([(rates(x + step * e) - rates(x - step * e)) / (2 * step) for e in np.eye(2 * n)])


@pytest.mark.parametrize("name", ["two_link", "two_link_flexible"])
@pytest.mark.parametrize("kind", ["PD", "ComputedTorque", "function"])
def test_closed_loop_against_differences(name, kind):
    arm = ls.load(name)
    goal = arm.expanded(np.array([0.4, -0.3]))
    rng = np.random.default_rng(0)
    q, qd = goal + 1e-2 * rng.normal(size=arm.dof), 1e-2 * rng.normal(size=arm.dof)
    pull = arm.expanded(np.array([30.0, 20.0]))
    control = {
        "PD": ls.PD(goal, 30.0, 4.0, gravity=True),
        "ComputedTorque": ls.ComputedTorque(goal, 40.0, 9.0),
        "function": lambda t, q, qd: pull * np.sin(goal - q) - 0.1 * pull * qd * abs(qd),
    }[kind]
    A = closed(arm, control, q, qd)
    loop = ls.linearise(arm, q, qd, controller=control)
    assert np.abs(loop.A - A).max() < 1e-6 * np.abs(A).max()
    assert loop.inputs == ls.linearise(arm, q, qd).inputs


def test_closed_loop_of_an_arm_with_loops():
    """Against differences over assemblies nearby, in motion."""
    arm = four_bar()
    control = ls.PD(np.array([1.0, -0.4, 0.3]), 50.0, 5.0)

    def state(y, yd):
        found = ls.assemble(arm, [y, *guess[1:]], fixed=driven, qd=np.append(yd, np.zeros(arm.dof - 1)))
        return found.q, found.qd

    def acceleration(y, yd):
        q, qd = state(y, yd)
        tau = np.where(arm.actuated, 50.0 * (control.q - q) - 5.0 * qd, 0.0)
        return ls.forward_dynamics(arm, q, qd, tau)[0]

    guess, driven = ls.assemble(arm).q, arm.coordinates[0]
    y, yd, h = guess[0], 1.3, 1e-5
    loop = ls.linearise(arm, *state(y, yd), controller=control)
    assert loop.states == (driven, f"{driven}.rate")
    slopes = [(acceleration(y + d, yd + e) - acceleration(y - d, yd - e)) / (2 * h) for d, e in ((h, 0), (0, h))]
    assert loop.A[1] == pytest.approx(slopes, rel=1e-6)
    assert loop.drift == pytest.approx([yd, acceleration(y, yd)], rel=1e-9)


def test_closed_loops_that_are_refused():
    arm = ls.load("two_link")
    with pytest.raises(ls.InputError, match="tau and controller are given"):
        ls.linearise(arm, [0, 0], tau=[0, 0], controller=ls.GravityCompensation())
    with pytest.raises(ls.InputError, match=r"controller is 3; expected PD\(\.\.\.\)"):
        ls.linearise(arm, [0, 0], controller=3)
    with pytest.raises(ls.InputError, match="gains for 2 runs; give those of one run"):
        ls.linearise(arm, [0, 0], controller=ls.PD([0, 0], [[1, 1], [2, 2]], 1))
