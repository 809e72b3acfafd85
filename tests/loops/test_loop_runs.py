"""Runs of arms with closed loops: energy, closure, controllers, singular configurations, files."""

import numpy as np
import pytest
from tests.loops.mechanisms import flexible_four_bar, four_bar, moving, slider_crank, spatial
from tests.loops.test_loop_dynamics import lagrange_four_bar

import lissom as ls
from lissom.kernels.cache import closure_of
from lissom.loops.algebra import null_basis

PARALLELOGRAM = {"crank": 0.5, "coupler": 0.9, "rocker": 0.5, "ground": 0.9}


def start(arm, *guess):
    return ls.assemble(arm, guess, fixed="crank").q


@pytest.mark.parametrize("mechanism", ["four_bar", "slider_crank"])
def test_ten_seconds_without_motors(mechanism):
    """The bars: energy within 1e-6 of what moved, closures within 1e-8 m."""
    arm = four_bar() if mechanism == "four_bar" else slider_crank()
    run = ls.simulate(arm, start(arm, *((1.0, -0.5, 1.5) if mechanism == "four_bar" else (1.1, -1.4, 1.0))), until=10.0)
    assert run.ok
    assert np.abs(run.energy - run.energy[0]).max() < 1e-6 * run.kinetic.max()
    assert run.closure_error.max() < 1e-12
    assert run.closure_rate.max() < 1e-11
    assert any("drifted by at most" in note for note in run.report.notes)


def test_the_motion_is_that_of_one_coordinate():
    from scipy.integrate import solve_ivp

    arm = four_bar()
    run = ls.simulate(arm, start(arm, 1.0, -0.5, 1.5), until=3.0, every=0.1)
    path = solve_ivp(
        lambda _, y: [y[1], lagrange_four_bar(y[0], y[1])[0]],
        (0, 3),
        [1.0, 0.0],
        "DOP853",
        run.t,
        rtol=1e-11,
        atol=1e-12,
    )
    assert np.abs(run.q[:, 0] - path.y[0]).max() < 1e-6


@pytest.mark.parametrize("options", [{"method": "rk45"}, {"method": "radau"}, {"method": "bdf"}, {"dt": 4e-3}], ids=str)
def test_every_method_goes_the_same_way(options):
    arm = four_bar()
    q = start(arm, 1.0, -0.5, 1.5)
    best = ls.simulate(arm, q, until=0.3, every=0.1, rtol=1e-11, atol=1e-12)
    run = ls.simulate(arm, q, until=0.3, every=0.1, **options)
    assert np.abs(run.q - best.q).max() < 1e-6
    assert run.closure_error.max() < 1e-10


def test_spatial_loops_balance_power():
    """Loads, a moving base, damping, springs and motors on branches that are joined in space."""
    arm, q = spatial(("planar", "spherical"), seed=13)
    state = moving(arm, q)
    acting = {
        "loads": [ls.Load("a4", (3.0, -2.0, 1.0), (0.1, 0.2, -0.3), (0.1, 0.0, 0.2))],
        "base": ls.BaseMotion((0.1, 0.2, -0.1), (0.0, 0.0, 0.0), (0.5, -0.4, 0.3)),
    }
    tau = np.linspace(-1.0, 1.0, arm.dof)
    run = ls.simulate(arm, state.q, 0.3 * state.qd, tau, until=0.5, **acting)
    assert run.balance_error < 1e-7
    assert run.closure_error.max() < 1e-11
    k = len(run.t) // 2
    qdd = ls.forward_dynamics(arm, run.q[k], run.qd[k], tau, **acting)
    assert np.abs(run.qdd[k] - qdd).max() < 1e-8 * np.abs(qdd).max()


def test_pd_holds_the_crank():
    arm = four_bar()
    q = start(arm, 1.0, -0.5, 1.5)
    goal = start(arm, 1.6, -0.9, 2.0)
    run = ls.simulate(arm, q, tau=ls.PD(goal, 400.0, 30.0), until=3.0)
    held = ls.inverse_dynamics(arm, run.q[-1], np.zeros(3), np.zeros(3))[0]
    assert abs(run.tau[-1, 0] - held) < 1e-3
    assert (run.tau[:, 1:] == 0).all()


def test_a_function_of_time_with_inverse_dynamics_follows_a_path():
    """Torques of the closed arm lead it along the motion they were computed for."""
    arm = four_bar()
    begin = ls.assemble(arm, start(arm, 1.0, -0.5, 1.5), fixed="crank", qd=[0.5, 0, 0])

    def tau(t, q, qd):
        wanted = ls.assemble(arm, q, fixed="crank", qd=qd, qdd=[0.8, 0, 0]).qdd
        return ls.inverse_dynamics(arm, q, qd, wanted)

    run = ls.simulate(arm, begin.q, begin.qd, tau, until=0.5, every=0.1, method="rk45", rtol=1e-6)
    assert np.abs(run.q[:, 0] - (1.0 + 0.5 * run.t + 0.4 * run.t**2)).max() < 1e-6


def test_prescribed_crank():
    arm = four_bar()
    begin = ls.assemble(arm, start(arm, 1.0, -0.5, 1.5), fixed="crank", qd=[0.5, 0, 0])
    run = ls.simulate(arm, begin.q, begin.qd, until=0.5, prescribed={"crank": 0.8})
    assert np.abs(run.q[:, 0] - (1.0 + 0.5 * run.t + 0.4 * run.t**2)).max() < 1e-10
    tau = ls.inverse_dynamics(arm, run.q, run.qd, run.qdd)
    assert np.abs(run.tau - tau).max() < 1e-7
    assert run.balance_error < 1e-7
    with pytest.raises(ls.InputError, match=r"prescribed joints 'crank', 'rocker' over-constrain the closed loops"):
        ls.simulate(arm, begin.q, until=0.1, prescribed={"crank": 0.0, "rocker": 0.0})


def test_many_runs_with_payloads_are_single_runs():
    arm = four_bar()
    q = np.array([start(arm, x, -0.5, 1.5) for x in (0.8, 1.0, 1.2)])
    payloads = {"rocker": [ls.Payload(m, (0.2, 0.1, 0.0)) for m in (0.0, 0.5, 1.5)]}
    many = ls.simulate(arm, q, until=0.4, every=0.1, dt=2e-3, payloads=payloads)
    assert many.ok
    assert many.closure_error.max() < 1e-11
    one = ls.simulate(arm.with_payload(payloads["rocker"][2], link="rocker"), q[2], until=0.4, every=0.1)
    assert np.abs(many.q[2] - one.q).max() < 1e-7
    assert many.balance_error.max() < 1e-7


def rubbing(arm, **friction):
    links = [
        link.replace(joint=link.joint.replace(friction=friction.get(link.name, 0.0), damping=0.05))
        for link in arm.links
    ]
    return arm.replace(links=links)


def test_friction_at_the_crank_slows_it_and_holds_it():
    """Until the crank turns back the motion is that of one coordinate; then it sticks, at last for good."""
    from scipy.integrate import solve_ivp

    links = [four_bar().links[0].replace(joint=ls.Joint("revolute", friction=1.5)), *four_bar().links[1:]]
    arm = four_bar().replace(links=links)
    q = start(arm, 1.0, -0.5, 1.5)
    run = ls.simulate(arm, q, until=3.0, every=0.1)
    one = solve_ivp(
        lambda _, y: [y[1], lagrange_four_bar(y[0], y[1], 1.5)[0]], (0, 0.9), [1.0, 0.0], "DOP853", run.t[:10],
        rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    assert np.abs(run.q[:10, 0] - one.y[0]).max() < 1e-6
    assert run.balance_error < 1e-7
    assert run.closure_error.max() < 1e-12
    # the crank is at rest; every projection leaves rounding, 1e-16, of the rates that the others had before it
    assert run.qd[-1][0] == 0
    assert np.abs(run.qd[-1]).max() < 1e-100
    assert abs(ls.inverse_dynamics(four_bar(), run.q[-1], np.zeros(3), np.zeros(3))[0]) < 1.5
    steps = ls.simulate(arm, q, until=1.3, every=0.1, dt=4e-3)
    assert np.abs(steps.q - run.q[:14]).max() < 1e-3  # changes are known to a step


def test_friction_on_two_independent_joints_of_many_runs():
    links = [link.replace(joint=link.joint.replace(actuated=True)) for link in spatial(("spherical",), seed=6)[0].links]
    arm, q = spatial(("spherical",), seed=6)
    arm = rubbing(arm.replace(links=links), a1=0.8, c1=2.5)
    state = ls.assemble(arm, q, fixed=("a1", "c1"), qd=0.5 * np.ones(arm.dof))
    rates = np.array([state.qd, np.zeros(arm.dof)])
    many = ls.simulate(arm, np.array([state.q, state.q]), rates, until=0.2, every=0.1, dt=2e-3)
    for k in range(2):
        one = ls.simulate(arm, state.q, rates[k], until=0.2, every=0.1)
        assert np.abs(one.q - many.q[k]).max() < 2e-4
        assert one.balance_error < 1e-6
        assert one.closure_error.max() < 1e-11


def test_a_driven_joint_stops_at_its_dead_centre():
    """The rocker cannot be led beyond where crank and coupler are in line."""
    arm = four_bar()
    with pytest.raises(ls.SimulationError, match="singular configuration") as caught:
        ls.simulate(arm, start(arm, 1.0, -0.5, 1.5), until=4.0, prescribed={"rocker": 0.5})
    run = caught.value.run
    assert abs(np.sin(run.q[-1, 1])) < 0.2  # nearly in line
    assert run.closure_error.max() < 1e-10


def test_flexible_coupler_keeps_energy():
    arm = flexible_four_bar()
    run = ls.simulate(arm, start(arm, 1.0, -0.5, 1.5), until=0.3)
    assert run.balance_error < 1e-6
    assert run.closure_error.max() < 1e-11
    assert np.abs(run.q[:, arm.mode_index]).max() > 1e-4


def test_events_are_on_the_closures():
    arm = four_bar()
    run = ls.simulate(
        arm, start(arm, 1.0, -0.5, 1.5), until=2.0, events=[ls.Event(lambda t, q, qd: q[0], "level", stop=True)]
    )
    assert run.status.startswith("stopped at t = ")
    assert abs(run.q[-1, 0]) < 1e-8
    assert run.closure_error[-1] < 1e-12


# ---- singular configurations ---------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"dt": 4e-3}], ids=["adaptive", "fixed"])
def test_a_parallelogram_stops_where_it_is_flat(options):
    arm = four_bar(sizes=PARALLELOGRAM)
    q = start(arm, 1.0, -1.0, 1.0)
    with pytest.raises(ls.SimulationError, match=r"singular configuration, where loop 1 \(coupler - rocker") as caught:
        ls.simulate(arm, q, until=1.0, **options)
    run = caught.value.run
    assert 0 < run.q[-1, 0] < 0.02  # just before it lies flat
    assert run.balance_error < 1e-7
    assert "singular='pass'" in run.status
    passed = ls.simulate(arm, q, until=1.0, singular="pass", **options)
    assert passed.ok
    assert np.abs(passed.q[:, 0] - passed.q[:, 2]).max() < 1e-9  # still a parallelogram
    (note,) = [note for note in passed.report.notes if "singular" in note]
    assert note.startswith("At t = 0.37")


@pytest.mark.parametrize("options", [{"rtol": 1e-3}, {"dt": 0.01, "every": 0.1}], ids=["adaptive", "fixed"])
def test_passages_within_long_steps_are_found(options):
    """Half a turn takes about 0.05 s, a step of the adaptive run longer; both times flat count."""
    arm = four_bar(sizes=PARALLELOGRAM)
    q = start(arm, 1.0, -1.0, 1.0)
    run = ls.simulate(arm, q, [60.0, -60.0, 60.0], until=0.27, singular="pass", **options)
    (note,) = [note for note in run.report.notes if "singular" in note]
    times = np.array([float(word) for word in note.split("t = ")[1].split(" s ")[0].split(", ")])
    fine = ls.simulate(arm, q, [60.0, -60.0, 60.0], until=0.27, singular="pass", every=1e-3)
    flat = np.interp(np.pi * np.arange(1, 6), fine.q[:, 0], fine.t)
    assert times == pytest.approx(flat, abs=5e-4)  # an error of 1e-3 rad at 60 rad/s is one of 2e-5 s, steps add up


def test_a_singular_start_is_refused():
    arm = four_bar(sizes=PARALLELOGRAM)
    with pytest.raises(ls.InputError, match="q0 is a singular configuration"):
        ls.simulate(arm, [0.0, 0.0, 0.0], until=0.1)


def test_rods_that_only_come_near_do_not_stop():
    arm = four_bar(sizes=PARALLELOGRAM | {"coupler": 0.901})
    run = ls.simulate(arm, start(arm, 1.0, -1.0, 1.0), until=0.6)
    assert run.ok


# ---- linear models and modes ---------------------------------------------------------------------


def test_a_linear_model_foretells_runs():
    """Differences of simulated motions around a moving state are those of the linear plant."""
    arm, q = spatial(("revolute",), seed=21)
    state = moving(arm, q)
    tau = np.linspace(-1, 1, arm.dof)
    plant = ls.linearise(arm, state.q, state.qd, tau)
    f = len(plant.states) // 2
    assert f == arm.dof - 5
    y = [arm.coordinates.index(name) for name in plant.states[:f]]
    assert plant.states[f:] == tuple(f"{name}.rate" for name in plant.states[:f])
    assert np.abs(closure_of(arm)(state.q).G @ plant.C[:, :f]).max() < 1e-12
    others = [name for name in arm.coordinates if name not in plant.states]
    assert len(others) == 5
    names, size = plant.states[:f], 1e-4

    def slope(dy, dyd):
        near, rate = state.q.copy(), state.qd.copy()
        near[y] += dy
        rate[y] += dyd
        there = ls.assemble(arm, near, fixed=names, qd=rate)
        return ls.forward_dynamics(arm, there.q, there.qd, tau)[y]

    for k in range(f):
        e = size * np.eye(f)[k]
        by_y = (slope(e, 0 * e) - slope(-e, 0 * e)) / (2 * size)
        by_yd = (slope(0 * e, e) - slope(0 * e, -e)) / (2 * size)
        assert np.abs(by_y - plant.A[f:, k]).max() < 1e-5 * max(1, np.abs(by_y).max())
        assert np.abs(by_yd - plant.A[f:, f + k]).max() < 1e-6 * max(1, np.abs(by_yd).max())


def test_poles_are_those_of_small_oscillations():
    arm = four_bar(actuated=False)
    low = ls.equilibrium(arm, start(arm, -1.0, 0.6, -1.6))
    q = low.q
    assert low.stable
    assert low.residual < 1e-9
    assert (low.tau == 0).all()
    settled = ls.simulate(four_bar_damped(), start(arm, -1.0, 0.6, -1.6), until=40.0).q[-1]
    assert np.abs(settled - q).max() < 1e-6
    plant = ls.linearise(arm, q)
    omega = np.abs(plant.poles.imag).max()
    assert np.abs(plant.poles.real).max() < 1e-4
    modes = ls.modes(arm, q, "free")
    assert abs(2 * np.pi * modes.frequencies_hz[0] - omega) < 1e-4 * omega
    swing = ls.assemble(arm, q + [1e-3, 0, 0], fixed="crank").q
    period = 2 * np.pi / omega
    run = ls.simulate(arm, swing, until=period, every=period, rtol=1e-11, atol=1e-13)
    assert np.abs(run.q[-1] - swing).max() < 1e-6
    assert np.abs(run.qd[-1]).max() < 1e-5


def four_bar_damped():
    links = [link.replace(joint=link.joint.replace(damping=0.5)) for link in four_bar(actuated=False).links]
    return four_bar(actuated=False).replace(links=links)


def test_equilibrium_of_a_driven_loop_and_of_one_that_bends():
    arm = four_bar()
    q = start(arm, 1.0, -0.5, 1.5)
    held = ls.equilibrium(arm, q)
    assert np.abs(held.q - q).max() < 1e-10
    assert np.abs(held.tau - ls.inverse_dynamics(arm, q, np.zeros(3), np.zeros(3))).max() < 1e-9
    bends = flexible_four_bar()
    sag = ls.equilibrium(bends, ls.assemble(bends, [1.0, -0.5, 1.5], fixed="crank").q)
    assert np.abs(sag.q[bends.mode_index]).max() > 1e-3
    still = np.zeros(bends.dof)
    assert np.abs(ls.forward_dynamics(bends, sag.q, still, sag.tau)).max() < 1e-6


# ---- records -------------------------------------------------------------------------------------


def test_runs_are_saved_with_their_loops(tmp_path):
    arm = four_bar()
    run = ls.simulate(arm, start(arm, 1.0, -0.5, 1.5), until=0.2)
    for name in ("run.nc", "run.csv"):
        run.save(tmp_path / name)
        again = ls.load_run(tmp_path / name)
        assert again.arm == arm
        assert again.report.notes == run.report.notes
        assert again.closure_error.max() < 1e-12
    assert (ls.simulate(ls.load("two_link"), [0.1, 0.2], until=0.1).closure_error == 0).all()


def test_members_of_loops_have_a_null_space():
    arm, q = spatial(("fixed",), seed=1)
    assert null_basis(closure_of(arm)(q).G).shape == (9, 3)


@pytest.mark.parametrize("options", [{}, {"dt": 0.01}], ids=["adaptive", "fixed"])
def test_a_mechanism_at_rest_is_in_balance(options):
    """Projections move it by some 1e-13 m, which do no work and are rounding beside its weight."""
    arm = four_bar()
    q = start(arm, 1.0, -0.5, 1.5)
    run = ls.simulate(arm, q, tau=ls.inverse_dynamics(arm, q, 0 * q, 0 * q), until=1.0, **options)
    assert np.abs(run.q - q).max() < 1e-10
    assert run.ok, run.status
