"""PID: closed forms, Python twins, all integrators, ensembles, friction, closed loops, events, files and resuming."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from tests.loops.mechanisms import four_bar

import lissom as ls

ARM = ls.load("two_link")
WAYS = {"fixed": {"dt": 1e-3}, "adaptive": {}, "radau": {"method": "radau"}, "rodas": {"method": "rodas"}}
NEAR = {"fixed": 1e-8, "adaptive": 1e-7, "radau": 1e-6, "rodas": 1e-5}


def slider(mass=2.0, friction=0.0, pull=0.0):
    joint = ls.Joint("prismatic", axis=(1, 0, 0), friction=friction)
    return ls.Arm("slider", [ls.Link("block", joint=joint, mass=mass, inertia=0.1)], gravity=(pull, 0, 0))


@pytest.mark.parametrize("way", WAYS)
def test_against_the_matrix_exponential(way):
    """m x'' = kp (r - x) - kd x' + z + m g,  z' = ki (r - x)."""
    run = ls.simulate(
        slider(pull=3.0), [0.1], [0.4], tau=ls.PID(0.5, 80.0, 60.0, 12.0), until=2.0, every=0.1, **WAYS[way]
    )
    A = np.array([[0, 1, 0, 0], [-40, -6, 0.5, 40 * 0.5 + 3.0], [-60, 0, 0, 30], [0, 0, 0, 0]])
    want = np.array([expm(A * t) @ [0.1, 0.4, 0.0, 1.0] for t in run.t])[:, :3]
    assert np.abs(np.column_stack([run.q, run.qd, run.controller_state]) - want).max() < NEAR[way]
    assert run.ok


def saturated(t_end, kt=5.0, most=4.0):
    """States over time by an independent integrator."""

    def rates(_t, y):
        x, v, z = y
        e = 1.0 - x
        u = 20.0 * e - 8.0 * v + z
        tau = np.clip(u, -most, most)
        return [v, tau / 2.0, 30.0 * e + kt * (tau - u)]

    t = np.linspace(0, t_end, 21)
    return solve_ivp(rates, (0, t_end), [0, 0, 0], "LSODA", t, rtol=1e-11, atol=1e-12).y.T


@pytest.mark.parametrize("way", WAYS)
def test_anti_windup(way):
    control = ls.PID(1.0, 20.0, 30.0, 8.0, limit=4.0, kt=5.0)
    run = ls.simulate(slider(), [0.0], tau=control, until=4.0, every=0.2, **WAYS[way])
    found = np.column_stack([run.q, run.qd, run.controller_state])
    assert np.abs(found - saturated(4.0)).max() < {"fixed": 1e-4, "rodas": 1e-4}.get(way, 1e-6)
    assert np.abs(run.tau).max() <= 4.0 + 1e-12


def test_anti_windup_reduces_the_overshoot():
    ends = [
        ls.simulate(slider(), [0.0], tau=ls.PID(1.0, 20, 30, 8, limit=4.0, kt=kt), until=6.0).q.max()
        for kt in (0.0, None)
    ]
    assert ends[0] > 1.8
    assert ends[1] < 1.7


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rk8", 8)])
def test_order_of_fixed_steps(method, order):
    given = {"arm": ARM, "q0": [0.3, 0.1], "tau": ls.PID([0.5, 0.3], 60, 90, 12), "until": 1.0}
    exact = ls.simulate(**given, rtol=1e-13, atol=1e-13)
    sizes = (4e-3, 2e-3) if method == "rk4" else (0.02, 0.01)
    errors = []
    for dt in sizes:
        run = ls.simulate(**given, method=method, dt=dt)
        errors.append(np.abs(run.controller_state[-1] - exact.controller_state[-1]).max())
    assert np.log2(errors[0] / errors[1]) > order - 0.7


def test_a_python_twin_integrates_the_error_itself():
    """tau + ki times the integral of the error, by a dense solution of another solver."""
    arm, goal = ARM, np.array([0.5, 0.3])

    def rates(_t, y):
        q, qd, z = np.split(y, 3)
        tau = 60 * (goal - q) - 12 * qd + z
        return np.concatenate([qd, ls.forward_dynamics(arm, q, qd, tau), 90 * (goal - q)])

    t = np.linspace(0, 1.0, 11)
    want = solve_ivp(rates, (0, 1.0), [0.3, 0.1, 0, 0, 0, 0], "DOP853", t, rtol=1e-11, atol=1e-12, max_step=2e-3).y.T
    run = ls.simulate(arm, [0.3, 0.1], tau=ls.PID(goal, 60, 90, 12), until=1.0, every=0.1, method="rk8", dt=1e-3)
    assert np.abs(np.hstack([run.q, run.qd, run.controller_state]) - want).max() < 1e-7


@pytest.mark.parametrize("way", ["fixed", "rodas"])
def test_runs_of_an_ensemble_equal_single_runs(way):
    starts = np.array([[0.3, 0.1], [0.0, -0.2], [0.4, 0.4]])
    ki, begin = np.array([[90.0, 60.0], [30.0, 20.0], [0.0, 0.0]]), np.array([[1.0, 0.5], [0.0, 0.0], [2.0, 1.0]])
    given = {"until": 0.5, "every": 0.05, "rtol": 1e-7, "atol": 1e-9, **WAYS[way]}
    runs = ls.simulate(ARM, starts, tau=ls.PID([0.5, 0.3], 60, ki, 12, limit=[30.0, 10.0], integral=begin), **given)
    for k in range(3):
        control = ls.PID([0.5, 0.3], 60, ki[k], 12, limit=[30.0, 10.0], integral=begin[k])
        one = ls.simulate(ARM, starts[k], tau=control, **given)
        assert np.abs(runs.q[k] - one.q).max() < 1e-12
        assert np.abs(runs.member(k).controller_state - one.controller_state).max() < 1e-10
        assert one.controller_state[0] == pytest.approx(begin[k])


def test_flexible_and_passive_coordinates_have_no_integral():
    soft = ls.load("two_link_flexible")
    run = ls.simulate(soft, [0.0, 0.3], tau=ls.PID([0.05, 0.3], 5.0, 2.0, 0.2), until=0.02)
    assert run.controller_state.shape[1] == 2
    assert run.ok
    half = ls.simulate(ARM.with_joint("fore", actuated=False), [0, 0], tau=ls.PID([0.1, 0], 9, 3, 1), until=0.1)
    assert half.report.provenance["controller_states"] == ["integral[upper]"]


@pytest.mark.parametrize("way", WAYS)
def test_the_integral_term_overcomes_friction(way):
    """A block 0.1 m away sticks under kp alone; z grows by ki e until it lets go."""
    control = ls.PID(0.1, 10.0, 5.0, 8.0)
    run = ls.simulate(slider(friction=3.0), [0.0], tau=control, until=5.0, every=0.01, **WAYS[way])
    still = run.t < 3.9  # 10 * 0.1 + 5 * 0.1 t = 3 at t = 4 s
    assert np.abs(run.q[still]).max() <= (1e-20 if way == "radau" else 0.0)
    assert np.abs(run.controller_state[still, 0] - 0.5 * run.t[still]).max() < 1e-9
    assert run.q[-1, 0] > 1e-3


@pytest.mark.parametrize("options", [{}, {"dt": 4e-3}, {"method": "radau"}], ids=["adaptive", "fixed", "radau"])
def test_closed_kinematic_loops(options):
    """A four-bar linkage at rest: the integral term carries the crank, as static equilibrium requires."""
    arm = four_bar()
    begin = ls.assemble(arm, arm.home).q
    gains = [np.array([k, 0.0, 0.0]) for k in (40.0, 60.0, 6.0)]
    run = ls.simulate(arm, begin, tau=ls.PID(begin + [0.05, 0, 0], *gains), until=6.0, **options)
    assert run.q[-1, 0] == pytest.approx(begin[0] + 0.05, abs=1e-4)
    held = ls.inverse_dynamics(arm, run.q[-1], np.zeros(3), np.zeros(3))[0]  # with the forces of the closure
    assert run.controller_state[-1] == pytest.approx([held], abs=1e-2)
    assert run.closure_error.max() < 1e-10


@pytest.mark.parametrize("options", [{}, {"dt": 1e-3}], ids=["adaptive", "fixed"])
def test_events_and_jumps(options):
    goal = ls.Profile([0.0, 0.25], [[0.2, 0.0], [0.5, 0.2]], "hold")
    stop = ls.Event(lambda t, q, qd: q[0] - 0.3, "there", direction=1, stop=True)
    given = {"arm": ARM, "q0": [0.2, 0.0], "until": 2.0, "every": 0.05}
    run = ls.simulate(**given, **options, tau=ls.PID(goal, 80, 90, 12, integral=[9.0, 3.0]), events=[stop])
    assert run.outcome is ls.RunOutcome.STOPPED
    assert run.q[-1, 0] == pytest.approx(0.3, abs=1e-9)
    exact = ls.simulate(
        **given, tau=ls.PID(goal, 80, 90, 12, integral=[9.0, 3.0]), events=[stop], rtol=1e-12, atol=1e-12
    )
    assert run.t[-1] == pytest.approx(exact.t[-1], abs=1e-7)


@pytest.mark.parametrize("ending", ["nc", "csv", "parquet"])
def test_files_keep_the_integral(tmp_path, ending):
    run = ls.simulate(ARM, [[0.3, 0.1], [0.1, 0.2]], tau=ls.PID([0.5, 0.3], 60, 90, 12), until=0.1, dt=1e-3)
    run.save(tmp_path / f"run.{ending}")
    again = ls.load_run(tmp_path / f"run.{ending}")
    assert np.array_equal(again.controller_state, run.controller_state)
    assert again.outcomes == run.outcomes
    assert again.member(1).controller_state.shape == (len(run.t), 2)
    assert run.at([0.05, 0.06]).controller_state.shape == (2, 2, 2)
    assert run[::2].controller_state.shape[1] == len(run[::2].t)


def test_resumed_ensembles(tmp_path, monkeypatch):
    from lissom.simulation.records.parts import Store

    starts = np.linspace(0, 0.4, 8).reshape(4, 2)
    given = {"until": 0.05, "dt": 1e-3, "save": tmp_path / "runs.nc", "save_every": 2}
    whole = ls.simulate(ARM, starts, tau=ls.PID([0.5, 0.3], 60, 90, 12, integral=1.0), until=0.05, dt=1e-3)
    keep = Store.keep
    with monkeypatch.context() as patch:
        patch.setattr(Store, "keep", lambda self, k, run: (keep(self, k, run), 1 / 0))
        with pytest.raises(ZeroDivisionError):
            ls.simulate(ARM, starts, tau=ls.PID([0.5, 0.3], 60, 90, 12, integral=1.0), **given)
    for other in ({"integral": 2.0}, {"kd": 13}, {"ki": 91}, {"limit": 9.0}):
        control = ls.PID(**{"q": [0.5, 0.3], "kp": 60, "ki": 90, "kd": 12, "integral": 1.0} | other)
        with pytest.raises(ls.InputError, match="a different simulation"):
            ls.simulate(ARM, starts, tau=control, **given, resume=True)
    run = ls.simulate(ARM, starts, tau=ls.PID([0.5, 0.3], 60, 90, 12, integral=1.0), **given, resume=True)
    assert np.array_equal(run.q, whole.q)
    assert np.array_equal(run.controller_state, whole.controller_state)


def test_a_run_can_be_continued():
    control = ls.PID([0.5, 0.3], 60, 90, 12)
    whole = ls.simulate(ARM, [0.3, 0.1], tau=control, until=1.0, every=0.1)
    first = ls.simulate(ARM, [0.3, 0.1], tau=control, until=0.5, every=0.1)
    again = ls.PID([0.5, 0.3], 60, 90, 12, integral=first.controller_state[-1])
    second = ls.simulate(ARM, first.q[-1], first.qd[-1], tau=again, until=0.5, every=0.1)
    assert np.abs(second.q - whole.q[5:]).max() < 1e-7


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kp": 0.0, "limit": 5.0}, "kp is 0 for a joint with ki above 0.*give kt"),
        ({"ki": lambda t: [t, t], "limit": 5.0}, "kp or ki varies over time.*give kt"),
        ({"ki": -1.0}, r"PID: ki\[0\] is -1; a negative gain"),
        ({"kt": -1.0, "limit": 5.0}, r"PID: kt\[0\] is -1"),
        ({"integral": lambda t: [0, 0]}, "integral is a function of time; expected numbers"),
        ({"integral": [1.0, 2.0, 3.0]}, "PID: integral has 3 entries"),
    ],
)
def test_what_cannot_be(given, words):
    with pytest.raises(ls.InputError, match=words):
        ls.simulate(ARM, [0, 0], tau=ls.PID(**{"q": [0, 0], "kp": 9, "ki": 3, "kd": 1} | given), until=0.1)


def test_linear_models_have_the_integral_terms():
    """Poles against those of the simulated loop, by differences of its rates; the equilibrium against gravity."""
    held = ls.inverse_dynamics(ARM, [0.5, 0.3], [0, 0], [0, 0])
    control = ls.PID([0.5, 0.3], [60, 40], [90, 30], 12, integral=held)
    plant = ls.linearise(ARM, [0.5, 0.3], controller=control)
    assert plant.states[-2:] == ("integral[upper]", "integral[fore]")
    assert np.abs(plant.drift).max() < 1e-12
    assert plant.A.shape == (6, 6)
    assert plant.poles.real.max() < 0

    def rates(x):
        q, qd, z = np.split(x, 3)
        tau = [60, 40] * ([0.5, 0.3] - q) - 12 * qd + z
        return np.concatenate([qd, ls.forward_dynamics(ARM, q, qd, tau), [90, 30] * ([0.5, 0.3] - q)])

    x = np.concatenate([[0.5, 0.3, 0, 0], held])
    J = np.stack([(rates(x + h) - rates(x - h)) / 2e-6 for h in 1e-6 * np.eye(6)], axis=1)
    assert np.abs(plant.A - J).max() < 1e-6 * np.abs(J).max()


def test_linear_models_of_closed_loops_refuse_it():
    arm = four_bar()
    q = ls.assemble(arm, arm.home).q
    with pytest.raises(ls.UnsupportedError, match="states of their own are not supported for closed loops"):
        ls.linearise(arm, q, controller=ls.PID(q, 9, 3, 1))
