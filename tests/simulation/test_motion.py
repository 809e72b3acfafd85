"""Motion over time: orders, energy, other engines, controllers, held joints, friction."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from tests.arms import random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.simulation.integrators.stepping import Stepper
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.loop.friction import settled
from lissom.simulation.loop.slopes import slopes

Q0 = np.array([0.3, -0.7, 0.2, 0.3, 0.4, 0.5])
QD0 = np.array([0.7, -0.2, 0.9, -1.1, 0.4, 0.8])


def without(arm, **fields):
    """The arm with some fields of its joints changed."""
    return arm.replace(links=[x.replace(joint=x.joint.replace(**fields)) if x.joint.moves else x for x in arm.links])


SMOOTH = [without(arm, friction=0.0) for arm in (random_arm(7, 5, tree=False), random_arm(4, 12))]


@pytest.fixture(scope="module")
def puma():
    return ls.load("puma560")


@pytest.fixture(scope="module")
def free_puma(puma):
    return without(puma, friction=0.0, damping=0.0)


def test_fitted_order_of_fixed_steps(free_puma):
    exact = ls.simulate(free_puma, Q0, QD0, until=1.0, rtol=1e-13, atol=1e-13)
    end = np.concatenate([exact.q[-1], exact.qd[-1]])
    steps = np.array([0.01, 0.008, 0.005, 0.004, 0.0025])
    errors = []
    for dt in steps:
        run = ls.simulate(free_puma, Q0, QD0, until=1.0, dt=dt)
        errors.append(np.abs(np.concatenate([run.q[-1], run.qd[-1]]) - end).max())
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert abs(order - 4) < 0.1


def test_fitted_order_of_long_steps(free_puma):
    """Order eight or better, while errors are above rounding."""
    exact = ls.simulate(free_puma, Q0, QD0, until=1.0, rtol=1e-13, atol=1e-13)
    steps = np.array([0.1, 0.0625, 0.05, 0.04])
    errors = [
        np.abs(ls.simulate(free_puma, Q0, QD0, until=1.0, dt=dt, method="rk8").q[-1] - exact.q[-1]).max()
        for dt in steps
    ]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] > 7.8


@pytest.mark.parametrize("method", ["rk4", "rk8"])
@pytest.mark.parametrize("many", [False, True])
def test_steps_end_at_jumps(free_puma, method, many):
    """Torques that jump inside a step cost no accuracy: the step is cut there."""
    tau = ls.Profile([0.0, 0.0731, 0.11], [[5.0] * 6, [-4.0] * 6, [0.0] * 6], "hold")
    exact = ls.simulate(free_puma, Q0, QD0, tau, until=0.2, rtol=1e-12, atol=1e-13)
    start = np.stack([Q0, Q0]) if many else Q0
    for every in (None, 0.05):
        run = ls.simulate(free_puma, start, QD0, tau, until=0.2, method=method, dt=0.004, every=every)
        assert np.abs((run.q[1] if many else run.q)[-1] - exact.q[-1]).max() < 1e-8


@pytest.mark.parametrize("method", ["rk45", "dop853", "radau", "bdf"])
def test_adaptive_methods_keep_their_tolerance(free_puma, method):
    exact = ls.simulate(free_puma, Q0, QD0, until=0.5, rtol=1e-13, atol=1e-13)
    errors = []
    for rtol in (1e-5, 1e-7):
        run = ls.simulate(free_puma, Q0, QD0, until=0.5, rtol=rtol, atol=rtol, method=method, audit=1.0)
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
        assert run.report.method == method
        assert errors[-1] < 100 * rtol
    assert errors[1] < errors[0] / 10


def test_energy_of_free_motion(free_puma):
    """The bar: drift over the largest kinetic energy at most 1e-8 in 10 s."""
    run = ls.simulate(free_puma, Q0, until=10.0, rtol=1e-10, atol=1e-12)
    assert run.status == "done"
    assert np.ptp(run.energy) / run.kinetic.max() < 1e-8
    assert run.balance_error < 1e-8


@pytest.mark.filterwarnings("ignore::lissom.errors.OutsideLimits")
def test_same_motion_as_mujoco():
    mujoco = pytest.importorskip("mujoco")
    from benchmarks.models import mujoco_twin, panda

    arm = panda()
    model = mujoco_twin(arm)
    q0, qd0 = np.append(Q0, 0.1), np.append(QD0, -0.3)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = 2e-4
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q0, qd0
    mujoco.mj_step(model, data, 10_000)
    assert data.time == pytest.approx(2.0, abs=1e-9)
    run = ls.simulate(arm, q0, qd0, until=2.0, rtol=1e-11, atol=1e-12)
    assert np.abs(run.q[-1] - data.qpos).max() < 1e-6


def test_same_motion_as_pinocchio(free_puma):
    """Accelerations of the other engine, integrated tightly by SciPy."""
    pin = pytest.importorskip("pinocchio")
    from benchmarks.models import twin
    from scipy.integrate import solve_ivp

    arm = without(free_puma, armature=0.0, rotor_inertia=0.0)
    model = twin(arm)
    data = model.createData()
    n, tau = arm.dof, np.array([1.0, -2.0, 0.5, 0.1, 0.2, -0.1])
    slope = lambda t, y: np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], tau)])  # noqa: E731
    theirs = solve_ivp(slope, (0, 2), np.concatenate([Q0, QD0]), method="DOP853", rtol=1e-11, atol=1e-12)
    run = ls.simulate(arm, Q0, QD0, tau, until=2.0, rtol=1e-11, atol=1e-12)
    assert np.abs(run.q[-1] - theirs.y[:n, -1]).max() < 1e-6


# ---- any arm -------------------------------------------------------------------------------------

ARMS = [random_arm(1, 5), random_arm(2, 9), random_arm(3, 14), random_arm(5, 24)]


@pytest.mark.parametrize("arm", ARMS, ids=lambda a: f"{a.name}-{a.dof}")
@pytest.mark.some(2)
def test_trees_with_everything_balance(arm):
    """Springs, elastic and prismatic joints, loads, a moving base, friction: adaptive and fixed steps agree."""
    q, qd, _ = (x[0] * 0.3 for x in random_states(arm, 1, seed=2))
    options = {"loads": random_loads(arm, 3), "base": random_base(4), "until": 0.2}
    tight = ls.simulate(arm, q, qd, **options, rtol=1e-9)
    steps = ls.simulate(arm, q, qd, **options, dt=2e-5, every=2e-3)
    assert tight.ok, tight.status
    assert steps.ok, steps.status
    assert tight.balance_error < 1e-6
    # friction is located to one step
    assert np.abs(tight.at(steps.t).q - steps.q).max() < 1e-5


@pytest.mark.parametrize("arm", ARMS, ids=lambda a: f"{a.name}-{a.dof}")
@pytest.mark.some(2)
def test_smooth_trees_agree_to_the_order(arm):
    arm = without(arm, friction=0.0)
    q, qd, _ = (x[0] * 0.3 for x in random_states(arm, 1, seed=2))
    options = {"loads": random_loads(arm, 3), "base": random_base(4), "until": 0.1}
    tight = ls.simulate(arm, q, qd, **options, rtol=1e-11, atol=1e-12)
    steps = ls.simulate(arm, q, qd, **options, dt=1e-4)
    assert np.abs(tight.q[-1] - steps.q[-1]).max() < 1e-9
    assert steps.balance_error < 1e-8


@pytest.mark.parametrize("arm", ARMS[1:3], ids=lambda a: f"{a.name}-{a.dof}")
def test_prescribed_joints_follow(arm):
    """Positions are the double integral, the torque is that of inverse dynamics, the others obey forward dynamics."""
    arm = without(arm, friction=0.0)
    joints = [arm.joints[1].name, arm.joints[-1].name]
    where = [int(arm.joint_index[1]), int(arm.joint_index[-1])]
    q, qd, _ = (x[0] * 0.3 for x in random_states(arm, 1, seed=2))
    loads = random_loads(arm, 3)
    options = {"loads": loads, "until": 0.3, "prescribed": {joints[0]: lambda t: np.sin(9 * t), joints[1]: 2.0}}
    run = ls.simulate(arm, q, qd, **options, rtol=1e-10)
    path = q[where[0]] + qd[where[0]] * run.t + run.t / 9 - np.sin(9 * run.t) / 81
    assert np.abs(run.q[:, where[0]] - path).max() < 1e-8
    assert np.abs(run.q[:, where[1]] - (q[where[1]] + qd[where[1]] * run.t + run.t**2)).max() < 1e-8
    tau = ls.inverse_dynamics(arm, run.q, run.qd, run.qdd, loads=loads)
    scale = max(1.0, np.abs(tau).max())
    assert np.abs(tau - run.tau).max() < 1e-9 * scale
    assert np.abs(np.delete(run.tau, where, axis=1)).max() == 0
    assert run.balance_error < 1e-7
    steps = ls.simulate(arm, q, qd, **options, dt=1e-4)
    assert np.abs(steps.q[-1] - run.q[-1]).max() < 1e-8


def test_a_prescribed_joint_is_named_by_its_link_too(puma):
    link = next(x for x in puma.links if x.joint.moves)
    a, b = (ls.simulate(puma, Q0, until=0.1, prescribed={word: 1.0}).q for word in (link.name, link.joint.name))
    assert (a == b).all()


def test_friction_of_a_prescribed_joint_is_in_its_torque(puma):
    name = puma.joints[1].name
    run = ls.simulate(puma, Q0, QD0, until=0.2, prescribed={name: 0.5})
    tau = ls.inverse_dynamics(puma, run.q, run.qd, run.qdd)
    assert np.abs(tau[:, 1] - run.tau[:, 1]).max() < 1e-9 * np.abs(tau).max()
    assert run.balance_error < 1e-7


# ---- controllers ---------------------------------------------------------------------------------


def controllers(arm, rng):
    n = arm.dof
    frame = arm.ends[-1]
    goal = ls.pose(arm, arm.home, frame)
    return [
        ls.PD(rng.normal(size=n), 30.0, rng.uniform(1, 3, n)),
        ls.PD(rng.normal(size=n), 30.0, 2.0, qd=0.1, gravity=True, limit=12.0),
        ls.PD(lambda t: np.full(n, np.sin(t)), 30.0, 2.0, qd=lambda t: np.full(n, np.cos(t))),
        ls.ComputedTorque(rng.normal(size=n), 40.0, 9.0),
        ls.ComputedTorque(
            ls.Profile([0, 0.1, 0.3], rng.normal(size=(3, n)), "cubic"), 40.0, 9.0, model=arm, limit=50.0
        ),
        ls.GravityCompensation(0.7),
        ls.Impedance(frame, goal[:3, 3] + 0.1, 200.0, 20.0),
        ls.Impedance(frame, goal, [200, 100, 50, 3, 2, 1], [20, 10, 5, 0.3, 0.2, 0.1], gravity=False),
        ls.StateFeedback(rng.normal(size=(int(arm.actuated.sum()), 2 * n)), rng.normal(size=n), tau=rng.normal(size=n)),
        ls.Profile([0.0, 0.05, 0.1], rng.normal(size=(3, n)), "hold"),
        ls.Profile([0.0, 0.05, 0.1], rng.normal(size=(3, n))),
        rng.normal(size=n),
        rng.normal(size=(5, n)),
        None,
    ]


@pytest.mark.parametrize("arm", SMOOTH, ids=["straight", "tape"])
@pytest.mark.parametrize("which", range(14))
@pytest.mark.some(6)
def test_controllers_compiled_and_stepwise(arm, which):
    """Compiled fixed steps, the same in plain Python, and the adaptive method: one motion."""
    tau = controllers(arm, np.random.default_rng(0))[which]
    q, qd, _ = (x[0] * 0.3 for x in random_states(arm, 1, seed=2))
    compiled = ls.simulate(arm, q, qd, tau, until=0.12, dt=1e-3)
    stepper = ls.simulate(arm, q, qd, as_function(arm, tau, compiled), until=0.12, dt=1e-3)
    adaptive = ls.simulate(arm, q, qd, tau, until=0.12, rtol=1e-10)
    scale = max(1.0, np.abs(adaptive.q).max())
    assert np.abs(compiled.q[-1] - stepper.q[-1]).max() < 1e-9 * scale
    kinks = getattr(tau, "limit", None) is not None  # where a limit begins to hold, fixed steps are of second order
    assert np.abs(compiled.q[-1] - adaptive.q[-1]).max() < (2e-5 if kinks else 2e-6) * scale
    assert compiled.balance_error < 1e-5
    assert adaptive.balance_error < 1e-6


def as_function(arm, tau, run):
    """The controller as a user's function, from public verbs."""
    n, zero = arm.dof, np.zeros(arm.dof)

    def at(value, t):
        return np.broadcast_to(value(t) if callable(value) else np.asarray(value, float), n)

    def rate(given, t, order):
        if given is None and callable(tau.q):  # a cubic profile
            return CubicSpline(tau.q.t, tau.q.values)(t, order)
        return at(0.0 if given is None else given, t)

    def function(t, q, qd):
        if isinstance(tau, ls.PD):
            out = at(tau.kp, t) * (at(tau.q, t) - q) + at(tau.kd, t) * (rate(tau.qd, t, 1) - qd)
            out = out + ls.gravity_forces(arm, q) if tau.gravity else out
            out = np.where(np.isin(np.arange(n), arm.joint_index), out, 0.0)
            return np.clip(out, -tau.limit, tau.limit) if tau.limit else out
        if isinstance(tau, ls.ComputedTorque):
            joint = np.isin(np.arange(n), arm.joint_index)
            error, slower = at(tau.q, t) - q, rate(tau.qd, t, 1) - qd
            wanted = np.where(joint, at(tau.kp, t) * error + at(tau.kd, t) * slower, 0) + rate(tau.qdd, t, 2)
            out = np.where(joint, ls.inverse_dynamics(arm, q, qd, wanted), 0)
            return np.clip(out, -tau.limit, tau.limit) if tau.limit else out
        if isinstance(tau, ls.GravityCompensation):
            joint = np.isin(np.arange(n), arm.joint_index)
            return np.where(joint, ls.gravity_forces(arm, q) - tau.damping * qd, 0)
        if isinstance(tau, ls.Impedance):
            return impedance(arm, tau, q, qd)
        if isinstance(tau, ls.StateFeedback):
            out = np.zeros(n)
            out[arm.actuated] = -tau.K @ np.concatenate([q - tau.q, qd])
            return np.where(arm.actuated, out + tau.tau, 0)
        if isinstance(tau, ls.Profile):
            last = 0.12 - 1e-3  # the end of a step sees what is before a jump
            early = np.isclose((t % 1e-3) % 1e-3, 0, atol=1e-9) and function.calls % 4 == 3
            function.calls += 1
            assert t <= last + 1e-3 + 1e-12
            return tau(t, before=early) if tau.kind == "hold" else tau(t)
        if tau is None:
            return zero
        if np.ndim(tau) == 2:
            return np.array([np.interp(t, np.linspace(0, 0.12, len(tau)), column) for column in np.transpose(tau)])
        return tau

    function.calls = 0
    return function


def impedance(arm, control, q, qd):
    X, v = ls.pose(arm, q, control.link), ls.velocity(arm, q, qd, control.link)
    K, D = (np.concatenate([np.full(3, x), np.zeros(3)]) if np.ndim(x) == 0 else np.asarray(x, float)
            for x in (control.stiffness, control.damping))  # fmt: skip
    goal = np.asarray(control.goal)
    position, R = (goal[:3, 3], goal[:3, :3]) if goal.ndim == 2 else (goal, np.eye(3))
    turn = 0.5 * sum(np.cross(X[:3, c], R[:, c]) for c in range(3))
    wrench = np.concatenate([K[:3] * (position - X[:3, 3]), K[3:] * turn]) - D * v
    out = ls.jacobian(arm, q, control.link).T @ wrench
    out = out + ls.gravity_forces(arm, q) if control.gravity else out
    return np.where(arm.actuated, out, 0)


def test_lqr_holds_a_passive_joint():
    """A passive second joint upright: the feedback moves the first so that the second stays."""
    arm = ls.load("two_link").with_joint("fore", actuated=False)
    plant = ls.linearise(arm, [np.pi / 2, 0.0])
    control = ls.StateFeedback(plant.lqr([10, 10, 1, 1], [0.1]), plant.q, tau=plant.tau)
    run = ls.simulate(arm, plant.q + [0.02, -0.03], tau=control, until=6.0)
    assert np.abs(run.q[-1] - plant.q).max() < 1e-3
    assert np.abs(run.tau[:, 1]).max() == 0


@pytest.mark.parametrize("arm", [random_arm(1, 5), random_arm(2, 9)], ids=lambda a: a.name)
def test_slopes_of_the_closed_loop(arm):
    """Exact derivatives against central differences, with held joints, loads and a controller."""
    q, qd, _ = (x[0] for x in random_states(arm, 1, seed=2))
    from lissom.simulation.options import Scenario
    from lissom.simulation.setup import closed_loop

    n = arm.dof
    control = ls.ComputedTorque(np.zeros(n), 30.0, 4.0, model=arm.with_gravity([0, 0, -5]))
    lead = {arm.joints[1].name: 1.0}
    given = {"loads": random_loads(arm, 3), "base": random_base(1), "prescribed": lead}
    loop = closed_loop(Scenario(arm, tau=control, **given), 1.0)
    way = np.sign(qd[loop.sliding]) * (np.arange(len(loop.sliding)) % 2)
    J = slopes(loop, 0.0, np.concatenate([q, qd]), way)
    x = np.concatenate([q, qd])
    for k in range(2 * n):
        step = np.zeros(2 * n)
        step[k] = 1e-6
        ends = [loop.slope(0.0, x + s * step, way).qdd for s in (1, -1)]
        column = (ends[0] - ends[1]) / 2e-6
        assert np.abs(J[n:, k] - column).max() < 1e-6 * max(1.0, np.abs(J).max())


# ---- friction ------------------------------------------------------------------------------------


def slider(friction, mass=2.0, spring=0.0):
    joint = ls.Joint("prismatic", axis=(1, 0, 0), friction=friction, stiffness=spring)
    return ls.Arm("slider", [ls.Link("block", joint=joint, mass=mass, inertia=0.1)], gravity=(0, 0, 0))


@pytest.mark.parametrize("options", [{}, {"dt": 1e-4}], ids=["adaptive", "fixed"])
def test_a_block_slides_to_rest_and_stays(options):
    """v0^2 / (2 f/m), then nothing moves at all."""
    run = ls.simulate(slider(3.0), [0.0], [1.2], until=2.0, **options)
    stop = 1.2 / 1.5
    # a fixed step passes over the instant at which the block stops
    assert run.q[-1, 0] == pytest.approx(1.2**2 / 3.0, abs=1e-8)
    still = run.t > stop + 1e-3
    assert (run.qd[still] == 0).all()
    assert np.ptp(run.q[still]) == 0
    assert run.ok


@pytest.mark.parametrize("options", [{}, {"dt": 1e-4}], ids=["adaptive", "fixed"])
def test_a_block_on_a_spring_with_friction(options):
    """Each half swing ends 2 f/k nearer; it sticks where the spring is weaker than the friction."""
    f, k, x0 = 1.0, 40.0, 0.33
    run = ls.simulate(slider(f, spring=k), [x0], until=5.0, **options)
    x = x0
    while abs(x) > f / k:
        x = -np.sign(x) * (abs(x) - 2 * f / k)
    assert run.q[-1, 0] == pytest.approx(x, abs=1e-7 if not options else 1e-5)
    assert run.qd[-1, 0] == 0


def test_a_block_sticks_until_it_is_pushed_hard_enough():
    """A ramp of force: it starts where the force passes the friction, not before."""
    push = ls.Profile([0.0, 2.0], [[0.0], [4.0]])
    for options in ({}, {"dt": 1e-3}):
        run = ls.simulate(slider(3.0), [0.0], tau=push, until=2.0, **options)
        assert (run.q[run.t <= 1.5] == 0).all()
        # m x'' = 2 (t - 1.5)
        assert run.q[-1, 0] == pytest.approx(2 / 2.0 * 0.5**3 / 6, rel=1e-6 if not options else 1e-2)


def test_friction_reverses_without_stopping():
    """Thrown against a constant force that is stronger than the friction: back through rest at once."""
    run = ls.simulate(slider(1.0), [0.0], [1.0], [-4.0], until=2.0)
    up = 1.0 / 2.5
    top = 0.5 * 1.0 * up
    assert run.q[-1, 0] == pytest.approx(top - 0.5 * 1.5 * (2.0 - up) ** 2, abs=1e-9)
    steps = ls.simulate(slider(1.0), [0.0], [1.0], [-4.0], until=2.0, dt=1e-3)
    assert steps.q[-1, 0] == pytest.approx(run.q[-1, 0], abs=1e-5)


def test_joints_that_hold_each_other(puma):
    """At rest under gravity: whatever sticks needs no more than its friction, whatever slides goes with its push."""
    rng = np.random.default_rng(3)
    loop = ClosedLoop(puma, ls.PD(Q0, 1.0, 1.0))
    for _ in range(20):
        q = rng.uniform(-1, 1, 6)
        y = np.concatenate([q, np.zeros(6)])
        way = settled(loop, 0.0, y)
        rates = loop.slope(0.0, y, way)
        friction = np.array([loop.friction[k] for k in loop.sliding])
        assert (np.abs(rates.effort[way == 0]) <= friction[way == 0] * (1 + 1e-8)).all()
        assert (rates.qdd[way != 0] * way[way != 0] >= 0).all()
        assert np.abs(rates.qdd[way == 0]).max(initial=0) == 0


# ---- lanes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", [random_arm(1, 5), random_arm(4, 12)], ids=["straight", "tape"])
def test_an_ensemble_is_its_runs_bit_for_bit(arm):
    q, qd, ref = (x * 0.3 for x in random_states(arm, 7, seed=2))
    gains = np.random.default_rng(0).uniform(5, 20, (7, arm.dof))
    loads = [ls.Load(arm.links[-1].name, np.random.default_rng(1).normal(size=(7, 3)))]
    together = ls.simulate(arm, q, qd, ls.PD(ref, gains, 2.0), until=0.05, dt=1e-3, loads=loads)
    assert together.count == 7
    for k in (0, 3, 6):
        alone = [ls.Load(arm.links[-1].name, loads[0].force[k])]
        one = ls.simulate(arm, q[k], qd[k], ls.PD(ref[k], gains[k], 2.0), until=0.05, dt=1e-3, loads=alone)
        member = together.member(k)
        for word in ("q", "qd", "tau", "work"):
            assert (getattr(member, word) == getattr(one, word)).all(), word


@pytest.mark.filterwarnings("ignore::lissom.errors.OutsideLimits")
def test_threads_do_not_change_a_bit(puma):
    q = Q0 + np.random.default_rng(0).uniform(-0.2, 0.2, (37, 6))
    one, two = (ls.simulate(puma, q, until=0.05, dt=1e-3, threads=k) for k in (1, 2))
    assert (one.q == two.q).all()


SOME = [
    pytest.param(ls.load("puma560"), marks=pytest.mark.slow, id="straight"),
    pytest.param(random_arm(4, 12), id="tape"),
]


@pytest.mark.parametrize("arm", SOME)
def test_payloads_of_every_run(arm):
    q, qd, _ = (x[0] * 0.3 for x in random_states(arm, 1, seed=2))
    link = arm.ends[-1]
    bodies = [ls.Payload(m, [0.01, 0.02, 0.05], np.diag([0.01, 0.02, 0.015]) * m) for m in (0.0, 0.5, 2.5, 1.0, 3.0)]
    run = ls.simulate(arm, q, qd, until=0.1, dt=1e-3, payloads={link: bodies})
    assert run.count == 5
    for k, payload in enumerate(bodies):
        one = ls.simulate(arm.with_payload(payload, link), q, qd, until=0.1, dt=1e-3)
        assert np.abs(run.q[k] - one.q).max() < 1e-12
        assert np.abs(run.energy[k] - one.energy).max() < 1e-10 * max(1.0, np.abs(one.energy).max())
    assert run.balance_error.max() < 1e-3


@pytest.mark.filterwarnings("ignore::lissom.errors.OutsideLimits")
def test_the_numpy_path_gives_the_same(monkeypatch, puma):
    """Without a compiler the same program runs on arrays."""
    q = Q0 + np.random.default_rng(0).uniform(-0.2, 0.2, (3, 6))
    fast = ls.simulate(puma, q, QD0, ls.PD(Q0, 50, 5), until=0.02, dt=1e-3)
    monkeypatch.setattr("lissom.simulation.loop.closed_loop.compiler_present", lambda: False)
    monkeypatch.setattr("lissom.simulation.loop.closed_loop.compiler_present", lambda: False)
    slow = ls.simulate(puma, q, QD0, ls.PD(Q0, 50, 5), until=0.02, dt=1e-3)
    assert np.abs(fast.q - slow.q).max() < 1e-12
    assert np.abs(fast.tau - slow.tau).max() < 1e-9


def test_native_steps_run_without_python(puma, monkeypatch):
    """The loop is compiled: no evaluation is made from Python between samples."""
    loop = ClosedLoop(puma, ls.PD(Q0, 50, 5))
    stepper = Stepper(loop, "rk4")
    monkeypatch.setattr(ClosedLoop, "rates", lambda *_: pytest.fail("evaluated from Python"))
    state = np.zeros((1, stepper.state_size))
    kept = np.zeros((1, 3, stepper.state_size))
    assert stepper.native
    assert stepper.advance(state, np.arange(3) * 0.1, 1e-3, 100, kept)


def test_a_push_in_a_function_of_time_is_not_passed_over():
    """At rest, held by friction, steps would grow without bound; a short push by a function must be met."""
    push = lambda t: [ls.Load("block", force=[5.0 if 0.5 <= t < 0.6 else 0.0, 0, 0])]  # noqa: E731
    run = ls.simulate(slider(3.0), [0.0], until=2.0, loads=push)
    speed = (5.0 - 3.0) / 2.0 * 0.1
    assert np.abs(run.qd).max() == pytest.approx(speed, rel=1e-3)
    assert run.q[-1, 0] == pytest.approx(0.5 * speed * 0.1 + speed**2 / 3.0, rel=1e-3)
    assert run.qd[-1, 0] == 0
    profile = ls.Profile([0.0, 0.5, 0.6], [[0.0], [5.0], [0.0]], "hold")
    exact = ls.simulate(slider(3.0), [0.0], until=2.0, tau=profile)
    assert exact.q[-1, 0] == pytest.approx(0.5 * speed * 0.1 + speed**2 / 3.0, abs=1e-12)


def test_payloads_of_runs_that_need_derivatives():
    """Code on tapes, an implicit method and payloads as inputs: the run of the arm that carries them."""
    arm = random_arm(4, 12)
    q, qd, _ = (x[0] * 0.3 for x in random_states(arm, 1, seed=2))
    link, payload = arm.ends[-1], ls.Payload(1.3, [0.01, 0.02, 0.05], np.diag([0.01, 0.02, 0.015]))
    control = ls.PD(q, 40.0, 4.0, gravity=True, model=arm)
    given = {"until": 0.05, "every": 0.01, "tau": control, "method": "radau"}
    run = ls.simulate(arm, q, qd, payloads={link: [payload]}, **given)
    one = ls.simulate(arm.with_payload(payload, link), q, qd, **given)
    assert np.abs(run.q[0] - one.q).max() < 1e-7
