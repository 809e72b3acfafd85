"""A step of a planar biped: solved, and what it says about its contacts is true."""

import functools

import numpy as np
import pytest
from tests.legged import SPEED, STEP_TIME, biped, scissors, step

import lissom as ls
from lissom.motion.phased.costs.samples import ROUND
from lissom.motion.phased.problem import PhasedProblem
from lissom.motion.solve.guess import as_guess


@functools.cache
def walk():
    arm = biped()
    return ls.predict_motion(arm, step(arm), guess=scissors(arm))


def test_a_step_is_solved_and_verified():
    found = walk().verify()
    assert walk().outcome is ls.MotionOutcome.SOLVED
    assert found.status == "verified"
    assert found.root_residual < 1e-3
    assert max(found.slip, found.penetration) < 1e-3
    assert np.abs(found.defects).max() < 1e-4
    assert "slip by at most" in found.describe()


def test_it_ends_in_its_mirror_image():
    motion, mirror = walk(), walk().arm.mirror
    names = list(motion.arm.coordinates)
    order = [names.index(mirror.partner("coordinates", word)) for word in names]
    moved = np.zeros(len(names))
    moved[names.index("x")] = SPEED * STEP_TIME
    assert np.allclose(motion.q[-1][order], motion.q[0] + moved, atol=1e-7)
    assert np.allclose(motion.qd[-1][order], motion.qd[0], atol=1e-6)


def test_a_guess_keeps_durations_and_forces_of_phases():
    """A search begins where an earlier motion ended, also where durations are free, or given otherwise."""
    motion, task = walk(), step(biped(), free=True)
    late = task.replace(phases=[task.phases[0], task.phases[1].replace(duration=0.4), task.phases[2]])
    earlier = np.array([phase.end for phase in motion.contacts.phases])
    for asked, durations in ((task, (0.08, 0.3, 0.14)), (late, (0.08, 0.4, 0.14))):
        made = PhasedProblem(motion.arm, asked, [2, 5, 3], as_guess(motion.arm, motion))
        x = made.guess.variables(made.holding)
        assert np.allclose(made.durations(x), durations, atol=1e-12)
        begin = motion.at(np.array([0.0, *earlier[:-1]]))[0]
        assert np.allclose(made.guess.beginnings, begin, atol=2e-3)  # of straight lines between samples
        assert np.allclose(np.concatenate(made.forces(x)), motion.contact_path.forces, atol=1e-9)


def test_criteria_are_reported_without_what_smooths_the_cost():
    motion = walk()
    arm, weights, found = motion.arm, motion.task.minimise, motion.report.criteria
    t = np.linspace(0.0, motion.duration, 2001)
    q, qd, qdd = motion.at(t)
    forces = motion.contacts.forces_at(t)
    loads = [ls.Load(one.link, force=forces[:, i], point=one.point) for i, one in enumerate(arm.contacts)]
    some = arm.actuated
    tau = ls.inverse_dynamics(arm, q, qd, qdd, loads=loads)[:, some]
    limit = arm.bounds("torque")[1][some]

    def mean(y):
        return np.trapezoid(y.sum(axis=1), t) / motion.duration

    assert list(found) == list(weights)
    assert found["effort_normalised"] == pytest.approx(mean((tau / limit) ** 2), rel=5e-3)
    assert found["energy"] == pytest.approx(mean(np.abs(tau * qd[:, some])), rel=0.03)  # kinks between samples
    assert found["acceleration"] == pytest.approx(mean(qdd**2), rel=0.02)
    whole = sum(weights[word] * value for word, value in found.items())
    rounded = weights["energy"] * ROUND * arm.mass * 9.81 * some.sum()
    assert whole - rounded < motion.cost < whole  # powers are rounded off by more than the trace of forces adds


def test_forces_carry_the_weight_and_stay_in_their_cones():
    motion = walk()
    contacts, arm = motion.contacts, motion.arm
    assert contacts.forces.shape == contacts.points.shape == (len(motion.t), 4, 3)
    assert [phase.name for phase in contacts.phases] == ["loading", "flat", "forefoot"]
    normal = contacts.forces[:, :, 2]
    assert normal.min() > -1e-3 * arm.mass * 9.81
    # momentum: over a step the mean force is the weight
    assert np.trapezoid(normal.sum(axis=1), motion.t) / STEP_TIME == pytest.approx(arm.mass * 9.81, rel=2e-3)
    assert np.abs(contacts.forces[:, :, 1]).max() < 1e-12 * normal.max()
    pressure = contacts.centre_of_pressure
    x = contacts.points[:, :, 0]
    assert (pressure[:, 0] > x.min(axis=1) - 1e-3).all()
    assert (pressure[:, 0] < x.max(axis=1) + 1e-3).all()
    swing = contacts.points[(motion.t > 0.1) & (motion.t < 0.5), 2:, 2]
    assert swing.min() > 0.0


def test_torques_follow_from_inverse_dynamics_with_the_forces_as_loads():
    motion = walk()
    loads = [
        ls.Load(one.link, force=motion.contacts.forces[:, i], point=one.point)
        for i, one in enumerate(motion.arm.contacts)
    ]
    tau = ls.inverse_dynamics(motion.arm, motion.q, motion.qd, motion.qdd, loads=loads)
    assert np.allclose(tau[:, 3:], motion.tau[:, 3:], atol=1e-9)
    flat = (motion.t > 0.085) & (motion.t < 0.375)  # two points of a foot balance the base at all times
    assert np.abs(tau[flat, :3]).max() < 1e-9 * motion.arm.mass * 9.81


def test_files_keep_contacts(tmp_path):
    walk().save(tmp_path / "step.nc")
    again = ls.load_motion(tmp_path / "step.nc")
    assert (again.tau == walk().tau).all()
    assert (again.contacts.forces == walk().contacts.forces).all()
    assert again.task == walk().task
    assert again.verify().ok


def test_a_motion_of_its_own_is_a_guess():
    again = ls.predict_motion(walk().arm, walk().task, guess=walk())
    assert again.cost == pytest.approx(walk().cost, rel=1e-3)


@pytest.mark.slow
def test_free_durations_lower_the_cost():
    arm = biped()
    found = ls.predict_motion(arm, step(arm, free=True), guess=scissors(arm))
    assert found.ok
    assert found.cost < walk().cost


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_random_starts_are_solved(seed):
    from lissom.motion.phased.search import NOISE, PhasedSearch
    from lissom.motion.solve.guess import as_guess
    from lissom.motion.solve.solver import SolverLimits

    arm = biped()
    search = PhasedSearch(arm, step(arm), SolverLimits(1e-6, 500, None), 0, guess=as_guess(arm, scissors(arm)))
    x = search.problem.guess.variables(search.problem.holding, NOISE, seed)
    assert search.solved(search.problem, x).solution.solved


@pytest.mark.slow
def test_a_phase_without_contacts_is_a_flight():
    arm, speed, rows = biped(), 1.8, 25
    s, names, q = np.linspace(0, 1, rows), list(arm.coordinates), np.zeros((rows, arm.dof))
    swing = np.sin(np.pi * s) ** 2
    for word, value in {
        "x": speed * 0.34 * (s - 0.3), "z": 0.74 + 0 * s, "pitch": 0.05 + 0 * s, "hip_right": 0.5 - s,
        "hip_left": s - 0.5 + 0.3 * swing, "knee_right": 0.3 + 0.2 * swing, "knee_left": 0.6 + 0.8 * swing,
    }.items():  # fmt: skip
        q[:, names.index(word)] = value
    phases = [
        ls.Phase("stance", ["heel_right", "toe_right"], 0.16, 6), ls.Phase("push", ["toe_right"], 0.08, 5),
        ls.Phase("flight", (), 0.10, 5),
    ]  # fmt: skip
    task = step(arm, phases=phases, travel=ls.Travel("x", speed=speed))
    motion = ls.predict_motion(arm, task, guess=q)
    found = motion.verify()
    assert found.status == "verified"
    flies = motion.t > 0.2401
    assert (motion.contacts.forces[flies] == 0).all()
    assert motion.contacts.points[flies, :, 2].min() > -1e-3
