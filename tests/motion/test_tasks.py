"""What tasks can ask for, what comes out, and what is refused."""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import trapezoid

import lissom as ls
from lissom.errors import InputError, LissomError, ModelError, MotionError
from lissom.motion.public import predict_motion
from lissom.motion.splines.basis import Basis
from lissom.motion.splines.mesh import Mesh, quadrature
from lissom.motion.task.task import Task, Via
from lissom.motion.transcription.kernels.friction import SLOW
from lissom.motion.transcription.problem import Problem

LIMITS = ls.Limits(torque=30.0)
MOVE = {"start": [0.1, -0.2], "goal": [0.9, 0.5]}


@pytest.fixture(scope="module")
def planar():
    return ls.load("two_link")


def swing(q, qd, qdd, tau):
    return (tau[0] * qd[1]) ** 2 + ca.sumsqr(qdd) * ca.cos(q[0])


def fine(motion, count=20001):
    """Rates of every criterion on a fine grid, as defined."""
    t = np.linspace(0, motion.duration, count)
    q, qd, qdd = motion.at(t)
    tau = motion.torques(t)
    s = t / motion.duration
    jerk = motion.basis.rows(s, 3) @ motion.control_points / motion.duration**3
    rate = np.gradient(tau, t, axis=0)
    own = (tau[:, 0] * qd[:, 1]) ** 2 + (qdd**2).sum(axis=1) * np.cos(q[:, 0])
    return t, {
        "time": np.ones(count), "torque_squared": (tau**2).sum(axis=1), "energy": np.abs(tau * qd).sum(axis=1),
        "jerk": (jerk**2).sum(axis=1), "torque_rate": (rate**2).sum(axis=1), swing: own,
    }  # fmt: skip


MIXES = [
    ({"torque_squared": 1.0}, 0.9), ({"energy": 1.0}, 0.9), ({"jerk": 1.0}, 0.9), ({"torque_rate": 1.0}, 0.9),
    ({swing: 1.0}, 0.9), ({"time": 1.0, "energy": 0.1}, None), ({"time": 1.0, "torque_squared": 0.01}, None),
    ({"time": 1.0, "jerk": 1e-4}, None), ({"time": 1.0, "torque_rate": 1e-4}, (0.3, 0.8)),
    ({"time": 1.0, "torque_squared": 1e-3, "energy": 0.05, "jerk": 1e-6, "torque_rate": 1e-5, swing: 1e-4}, None),
]  # fmt: skip


@pytest.mark.parametrize(("minimise", "seconds"), MIXES)
def test_the_cost_is_the_integral_of_what_it_says(planar, minimise, seconds):
    motion = predict_motion(planar, **MOVE, minimise=minimise, duration=seconds, starts=1)
    assert motion.status == "solved"
    t, rates = fine(motion)
    want = trapezoid(sum(weight * rates[word] for word, weight in minimise.items()), t)
    assert motion.cost == pytest.approx(want, rel=3e-3)


def bare(arm, **changes):
    """The arm without limits of its own, with links changed by factors."""
    links = [
        link.replace(
            joint=link.joint.replace(limits=ls.Limits()), **{w: f * getattr(link, w) for w, f in changes.items()}
        )
        for link in arm.links
    ]
    return arm.replace(links=links)


def test_rounding_off_of_power_costs_little_energy(planar):
    """An arm ten thousand times as heavy: the rounding follows the task, so the motion is the same."""
    planar = bare(planar)
    motion = predict_motion(planar, **MOVE, minimise="energy", duration=0.9)
    heavy = predict_motion(bare(planar, mass=1e4, inertia=1e4), **MOVE, minimise="energy", duration=0.9)
    assert heavy.cost == pytest.approx(1e4 * motion.cost, rel=2e-3)
    best = predict_motion(planar, **MOVE, minimise="energy", duration=0.9, segments=40)
    assert motion.cost == pytest.approx(best.cost, rel=5e-3)


def test_criteria_win_where_they_count(planar):
    found = {word: predict_motion(planar, **MOVE, minimise=word, duration=0.9)
             for word in ("torque_squared", "energy", "jerk", "torque_rate")}  # fmt: skip
    for word in found:
        costs = {}
        for other, motion in found.items():
            t, rates = fine(motion)
            costs[other] = trapezoid(rates[word], t)
        assert costs[word] <= min(costs.values()) * (1 + 5e-3)


# ---- motions that close --------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("seconds", [None, 1.1])
def test_a_closed_motion(planar, seconds, degree):
    via = [Via(0.1, [0.3, 0.2]), Via(0.45, [0.9, -0.4]), Via(0.8, [0.5, np.nan])]
    motion = predict_motion(planar, periodic=True, via=via, duration=seconds, degree=degree, limits=LIMITS,
                            minimise={"time": 1.0, "torque_squared": 1e-3})  # fmt: skip
    assert motion.ok
    assert np.abs(np.array(motion.at(0.0)) - np.array(motion.at(motion.duration))).max() < 1e-8
    for place in via:
        off = motion.at(place.at * motion.duration)[0] - place.q
        assert np.abs(off[np.isfinite(off)]).max() < 1e-7
    if seconds:
        assert motion.duration == seconds


def test_the_first_guess_of_a_closed_motion_closes(planar):
    via = [Via(0.1, [0.3, 0.2]), Via(0.6, [0.9, -0.4])]
    problem = Problem(planar, Task(periodic=True, via=via, limits=LIMITS))
    curves = problem.curves(Mesh(Basis(20, periodic=True)))
    x = problem.guess.variables(curves)
    q = curves.at(x, np.array([0.1, 0.6, 0.0, 1.0]), 1)[0]
    assert np.abs(q[:2] - [[0.3, 0.2], [0.9, -0.4]]).max() < 0.1  # on the lines, but for corners
    assert np.allclose(q[2], q[3])
    assert 0.1 < problem.guess.duration < 3.0


# ---- loads and friction --------------------------------------------------------------------------


def test_a_load_that_changes_along_the_motion(planar):
    table = np.array([[0.0, 0, 0], [6.0, -9.0, 0], [1.0, 2.0, 0], [0.0, -5.0, 0]])
    load = ls.Load("fore", table, point=(0.05, 0.01, 0))
    motion = predict_motion(planar, **MOVE, loads=load, limits=LIMITS, minimise={"time": 1.0, "torque_squared": 1e-3})
    s = np.array([0.0, 1 / 6, 1 / 3, 0.5, 0.8, 1.0])
    q, qd, qdd = motion.at(s * motion.duration)
    for k, at in enumerate(s):
        force = [np.interp(at, np.linspace(0, 1, 4), table[:, c]) for c in range(3)]
        want = ls.inverse_dynamics(planar, q[k], qd[k], qdd[k], loads=[ls.Load("fore", force, point=(0.05, 0.01, 0))])
        assert np.allclose(motion.torques(at * motion.duration), want, rtol=1e-10)
    assert motion.ok
    free = predict_motion(planar, **MOVE, limits=LIMITS, minimise={"time": 1.0, "torque_squared": 1e-3})
    assert abs(free.cost - motion.cost) > 1e-3


def test_friction_is_the_true_one_away_from_rest(planar):
    links = [link.replace(joint=link.joint.replace(friction=0.8, damping=0.2)) for link in planar.links]
    rough = planar.replace(links=links)
    problem = Problem(rough, Task(**MOVE, limits=LIMITS))
    rng = np.random.default_rng(0)
    z = rng.uniform(-2, 2, (3, 40, 2))
    z[1] += 10 * SLOW * np.sign(z[1])
    widths = np.tile(problem.expressions.width_data(soft=1.0), (40, 1))
    tau = problem.expressions.sample().value([z.transpose(1, 0, 2).reshape(40, 6), np.ones((40, 1)), widths])[0]
    off = np.abs(tau[:, :2] - ls.inverse_dynamics(rough, *z))  # behind them come those on the safe side of the jump
    assert off.max() < 0.8 * 0.5 * 0.1**2  # 1 - v / sqrt(v^2 + slow^2)
    assert predict_motion(rough, problem.task).ok


def test_friction_helps_to_stop_a_slide():
    """Up with (F - f) / m, down with (F + f) / m, but not next to rest, where friction may turn (see `rubbing`)."""
    joint = ls.Joint("prismatic", axis=(1, 0, 0), friction=0.6)
    motion = predict_motion(ls.Arm("slide", [ls.Link("l", joint=joint, mass=2.0)]), start=[0.0], goal=[0.7],
                            limits=ls.Limits(torque=3.0), segments=40)  # fmt: skip
    exact = np.sqrt(2 * 0.7 * (2 / 2.4 + 2 / 3.6))
    assert exact < motion.duration < 1.03 * exact


def test_quadrature_adds_up(planar):
    for degree, orders in ((3, 3), (3, 4), (5, 4)):
        s, weights = quadrature(Basis([0.0, 0.3, 0.45, 1.0], degree), orders)
        for power in range(4):
            assert weights @ s**power == pytest.approx(1 / (power + 1), rel=1e-13)


# ---- what is refused, before anything is solved --------------------------------------------------

DURING = {"duration": 1.0, "minimise": "torque_squared"}
REFUSED = {
    "start outside": (
        {"start": [4.0, 0.0], "limits": ls.Limits(position=2.0)}, "start of joint 'upper' is 4 rad, outside",
    ),
    "via outside": ({"via": [Via(0.5, [0, 9.0])], "limits": ls.Limits(position=2)}, "via point at 0.5 of joint 'fore'"),
    "no rest": ({"limits": ls.Limits(velocity=(0.5, 2.0))}, "start_velocity of joint 'upper' is 0 rad/s, outside"),
    "only faster": ({"limits": ls.Limits(acceleration=(1.0, 9.0))}, "acceleration .* must change sign"),
    "closed, one way": ({"start": None, "goal": None, "periodic": True, "via": [Via(0.5, [0, 0])],
                         "limits": ls.Limits(velocity=(0.1, 2))}, "velocity .* must change sign"),
    "acceleration": ({"start_acceleration": [9, 0], "limits": ls.Limits(acceleration=5)}, "start_acceleration of"),
    "too short": ({"duration": 0.2, "limits": ls.Limits(velocity=2.0)}, r"velocity limit .* no motion below 0\.4 s"),
    "ramps": ({"duration": 0.5, "limits": ls.Limits(acceleration=8.0)}, r"acceleration limits .* below 0\.632\d* s"),
    "both": ({"duration": 0.7, "limits": ls.Limits(acceleration=8, velocity=1)}, r"velocity limit .* below 0\.925 s"),
    "late via": ({"via": [Via(0.9, [-0.7, 0])], "limits": ls.Limits(velocity=2.0)}, r"below 8 s"),
    "two at once": ({"via": [Via(0.5, [0, 0]), Via(0.5, [1, 1])]}, "two via points are at the same fraction 0.5"),
    "too many": ({"segments": 3, "via": [Via(x, [0, 0]) for x in (0.1, 0.2, 0.3)]}, "3 segments are too few for 3 via"),
    "not finite": ({"goal": [0.1, np.inf]}, "goal is inf at index 1; expected a list of finite numbers"),
    "lengths": ({"start": [0, 0, 0]}, "start has 3 entries; expected 2"),
    "via lengths": ({"via": [Via(0.5, [0.0])]}, "q of the via point at 0.5 has 1 entries"),
    "limit lengths": ({"limits": ls.Limits(torque=[1, 2, 3])}, "torque has 3 entries; expected 2"),
    "nothing left": ({"limits": ls.Limits(torque=(40, 50))}, "torque limits of joint 'upper' contradict each other"),
    "not held": ({"limits": ls.Limits(torque=1.0), "start_acceleration": [np.nan, 0]},
                 r"joint 'upper' needs \d+\.\d+ N m to hold the goal at rest, and its torque limits are -1 to 1"),
    "no limits": ({"duration": None, "minimise": "time", "limits": None},
                  "there are no velocity, acceleration or torque limits"),
    "nowhere": ({"duration": None, "minimise": "time", "goal": [0.1, -0.2]}, "start and goal are the same"),
    "energy for ever": ({"duration": None, "minimise": "energy"}, "there is no best duration"),
    "jerk for ever": ({"duration": None, "minimise": "jerk"}, "there is no best duration"),
    "two numbers": ({"minimise": lambda q, qd, qdd, tau: tau}, "a criterion gave"),
    "no such operation": ({"minimise": lambda q, qd, qdd, tau: ca.tanh(tau[0])}, "tanh"),
}  # fmt: skip


@pytest.mark.parametrize("word", REFUSED)
def test_impossible_tasks_are_refused_in_one_sentence(planar, word):
    fields, words = REFUSED[word]
    arm = planar if word == "nothing left" else bare(planar)
    with pytest.raises(LissomError, match=words) as caught:
        predict_motion(arm, **(MOVE | DURING | {"limits": LIMITS} | fields))
    assert not isinstance(caught.value, MotionError)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"duration": 0.0}, "duration is 0 s"), ({"duration": (2, 1)}, "rising"), ({"start": None}, "missing"),
        ({"duration": 1.0, "minimise": "time"}, "time cannot be minimised"), ({"minimise": "work"}, "'work'"),
        ({"minimise": {"time": -1}}, "weight"), ({"minimise": {"time": 0}}, "no weight"),
        ({"periodic": True}, "periodic"), ({"segments": 1}, "segments"), ({"degree": 2}, "degree"),
        ({"start": ["a", 0]}, "expected numbers"),
        ({"limits": 3}, "Limits"),
    ],
)  # fmt: skip
def test_tasks_that_contradict_themselves(fields, words):
    with pytest.raises(ModelError, match=words):
        Task(**(MOVE | fields))


@pytest.mark.parametrize("at", [0.0, 1.0, -0.2, np.nan])
def test_a_via_point_lies_between_the_ends(at):
    with pytest.raises(ModelError, match=r"above 0 and below 1|finite"):
        Via(at, [0, 0])
    with pytest.raises(ModelError, match="nothing is given"):
        Via(0.5)


def test_a_slide_that_cannot_be_held_anywhere():
    lift = ls.Arm("lift", [
        ls.Link("mast", joint=ls.Joint("prismatic", axis=(0, 0, 1)), mass=3.0),
        ls.Link("boom", "mast", ls.Joint("revolute", axis=(0, 1, 0)), mass=1.0, com=(0.4, 0, 0), inertia=0.1),
    ])  # fmt: skip
    task = {"start": [0, 0], "goal": [0.3, 0.5]}
    let_go = {word: [np.nan, np.nan] for word in ("start_acceleration", "goal_acceleration")}
    with pytest.raises(InputError, match=r"joint 'mast' needs 39\.2\d* to hold the arm anywhere"):
        predict_motion(lift, **task, **let_go, limits=ls.Limits(torque=[30.0, 50.0]))
    assert predict_motion(lift, **task, limits=ls.Limits(torque=[45.0, 50.0])).ok


def test_a_weak_motor_may_still_throw_the_arm_up(planar):
    """A goal that cannot be held can be passed through at rest; who wants that says so."""
    arm = bare(planar)
    held = np.abs(ls.inverse_dynamics(arm, [0.0, 0.0], [0, 0], [0, 0]))
    task = {"start": [-np.pi / 2, 0], "goal": [0.0, 0.0], "limits": ls.Limits(torque=[0.8 * held[0], 50.0])}
    assert predict_motion(arm, **task, goal_acceleration=[np.nan, np.nan]).ok
    with pytest.raises(InputError, match=r"to hold the goal at rest.*or NaN in goal_acceleration"):
        predict_motion(arm, **task)


def test_an_infeasible_task_names_the_joint_and_the_torque(planar):
    arm = bare(planar)
    with pytest.raises(InputError, match=r"joint 'upper' needs \d+\.\d+ N m to hold the start at rest"):
        predict_motion(arm, start=[0, 0], goal=[0.3, 0.1], limits=ls.Limits(torque=0.5, position=0.4), iterations=200)


def test_a_duration_below_what_torques_allow_is_said_with_the_shortest(planar):
    shortest = predict_motion(planar, **MOVE, limits=LIMITS).duration
    with pytest.raises(MotionError, match=rf"the shortest motion found takes {shortest:.3g}"):
        predict_motion(planar, **MOVE, limits=LIMITS, duration=0.7 * shortest, minimise="torque_squared")


def test_ends_that_say_nothing():
    nothing = [np.nan, np.nan]
    with pytest.raises(ls.ModelError, match="goal is NaN for every joint"):
        ls.Task(start=[0, -2], goal=nothing)
    with pytest.raises(ls.ModelError, match=r"via point: at 0\.5 every entry is NaN"):
        ls.Via(0.5, nothing)
    ls.Task(start=[0, -2], goal=nothing, duration=1.0, minimise="torque_squared")  # an end that is free


def test_ends_that_are_free_with_a_via_point():
    """The way to a via point takes time, wherever the motion ends."""
    free = [np.nan, np.nan]
    motion = predict_motion(ls.load("two_link"), start=[0, 0], goal=free, via=[ls.Via(0.5, q=[0.5, 0.2])])
    assert motion.ok
    assert motion.duration > 0.1


def rough_two_link(friction, torque):
    """The two-link arm whose second joint has Coulomb friction and a torque limit; its name too."""
    arm = ls.load("two_link")
    name = arm.joints[1].name
    return arm.with_joint(name, friction=friction, limits=ls.Limits(torque=torque)), name


@pytest.mark.parametrize("torque", [2.0, 1.5])
def test_a_motor_no_stronger_than_friction_is_named(torque):
    """Nothing was wrong with the iterations that the message asked for: the motor cannot move its joint."""
    arm, name = rough_two_link(2.0, torque)
    weak = f"friction of joint {name!r}, 2 N m, is not less than its torque limit, {torque:g} N m"
    with pytest.raises(InputError, match=f"{weak}, so it cannot move from -2 to -1. Give it one position"):
        predict_motion(arm, start=[0, -2], goal=[0.3, -1])
    with pytest.raises(InputError, match=f"{weak}, so it cannot move from -2 to -1.5"):
        predict_motion(arm, start=[0, -2], goal=[0.3, -2], via=[ls.Via(0.5, q=[np.nan, -1.5])])
    with pytest.raises(InputError, match=f"{weak}, so it cannot reach the velocity"):
        predict_motion(arm, start=[0, -2], goal=[0.3, -2], goal_velocity=[0, 0.1])
    with pytest.raises(InputError, match=rf"{weak}, so it cannot move, and .* lock it with arm.lock\(\{{{name!r}: -2"):
        predict_motion(arm, start=[0, -2], goal=ls.Reach("fore", position=[0.3, 0.1, 0.0]))


def test_a_motor_too_weak_in_one_direction_is_named():
    """Gravity may move such a joint, so it is left to the search."""
    arm, name = rough_two_link(2.0, (-3.0, 2.0))
    motion = predict_motion(arm, start=[0, -2], goal=[0.3, -1], on_failure="return", starts=1, iterations=20)
    assert not motion.ok
    assert f"friction of joint {name!r}, 2 N m, is not less than its torque limit, 2 N m" in motion.status


@pytest.mark.parametrize("via", [[], [ls.Via(0.5, q=[0.2, -2.0])]])
def test_a_joint_that_its_motor_cannot_move_is_held(via):
    """Its control points are its position exactly, so friction has no direction; the other joint moves."""
    arm, _ = rough_two_link(2.0, 1.9)
    arm = arm.replace(gravity=(0, 0, 0))
    motion = predict_motion(arm, start=[0, -2], goal=[0.3, -2], via=via, limits=ls.Limits(velocity=0.5), segments=8)
    assert motion.ok, motion.status
    assert (motion.qd[:, 1] == 0.0).all()
    assert np.allclose(motion.q[:, 1], -2.0, rtol=0, atol=1e-14)
    assert np.abs(motion.tau[:, 1]).max() <= 1.9 * 1.001
    assert motion.verify().ok


def test_friction_that_sticks_does_not_hold_a_joint_alone():
    arm, _ = rough_two_link(9.0, 0.1)
    arm = arm.replace(gravity=(0, -9.81, 0))
    with pytest.raises(
        InputError, match=r"holding the start takes .*; friction that sticks is not counted on. Lock it"
    ):
        predict_motion(arm, start=[0, 0], goal=[0.3, 0])
