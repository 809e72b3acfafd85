"""Tracking of planned motions: feedforward torques and feedback, compiled."""

import numpy as np
import pytest

import lissom as ls
from lissom.simulation.controllers.planned import planned_torques

ARM = ls.load("two_link")
PLAN = {"start": [0, 0], "goal": [0.5, 0.3], "duration": 0.5, "minimise": "torque_squared", "starts": 1}


@pytest.fixture(scope="module")
def motion():
    return ls.predict_motion(ARM, **PLAN)


def gains(arm, kp, kd):
    """(m, 2 dof) of the joints alone."""
    K = np.zeros((int(arm.actuated.sum()), 2 * arm.dof))
    rows, columns = np.arange(len(K)), np.flatnonzero(arm.actuated)
    K[rows, columns], K[rows, arm.dof + columns] = kp, kd
    return K


def test_torques_of_a_motion_over_time(motion):
    tau = planned_torques(motion)
    t = np.linspace(0, motion.duration, 1001)[:-1]
    assert np.abs(tau(t) - motion.torques(t)).max() < 1e-9 * np.abs(motion.tau).max()
    still = ls.inverse_dynamics(ARM, motion.q[-1], np.zeros(2), np.zeros(2))
    assert tau(motion.duration + 1.0) == pytest.approx(still, abs=1e-12)


def test_torques_that_jump_where_joints_with_friction_turn():
    rough = ARM.replace(links=[link.replace(joint=link.joint.replace(friction=0.2)) for link in ARM.links])
    back = ls.predict_motion(rough, **PLAN | {"goal": [0.5, -0.1], "duration": 0.6})
    t = np.linspace(0, back.duration, 4001)[:-1]
    error = np.abs(planned_torques(back)(t) - back.torques(t)).max(axis=1)
    assert np.median(error) < 1e-9
    assert (error > 1e-6).sum() <= 8  # samples next to the turn


@pytest.mark.parametrize("kind", ["joints", "constant", "samples"])
@pytest.mark.parametrize("options", [{}, {"dt": 1e-3}, {"method": "radau"}], ids=["adaptive", "fixed", "radau"])
def test_a_motion_is_tracked_and_its_end_is_held(motion, kind, options):
    K = gains(ARM, 150.0, 20.0)
    given = {"joints": {"kp": 150, "kd": 20}, "constant": {"K": K}, "samples": {"K": [K, 2 * K, K]}}[kind]
    run = ls.simulate(ARM, [0, 0], tau=ls.Follow(motion, **given), until=1.0, **options)
    inside = run.t <= motion.duration
    assert np.abs(run.q[inside] - motion.at(run.t[inside])[0]).max() < 2e-7
    assert np.abs(run.q[~inside] - motion.q[-1]).max() < 2e-7
    assert run.ok
    assert not any("Python" in note for note in run.report.notes)


def test_runs_begin_at_the_start_of_the_motion():
    move = ls.predict_motion(ARM, **PLAN | {"start": [-0.4, 0.7]})
    run = ls.simulate(ARM, tau=ls.Follow(move, kp=150, kd=20), until=0.5)
    assert run.q[0] == pytest.approx([-0.4, 0.7], abs=1e-12)
    assert np.abs(run.q - move.at(run.t)[0]).max() < 2e-7
    away = ls.simulate(ARM, [0, 0], tau=ls.Follow(move, kp=150, kd=20), until=0.01)
    assert away.q[0] == pytest.approx([0, 0])


def test_work_between_the_steps_of_stiff_tracking():
    """By Radau's polynomial within a step, of third order, 5e-6 of the energy exchanged was missing at some samples."""
    fore = ARM.link("fore")
    light = ARM.with_link("fore", mass=1e-3 * fore.mass, inertia=1e-3 * np.asarray(fore.inertia))
    move = ls.predict_motion(light, **PLAN | {"duration": 0.3})
    run = ls.simulate(light, tau=ls.Follow(move, kp=50, kd=2), until=0.6, method="radau")
    assert run.balance_error < 1e-7


@pytest.mark.parametrize("kind", ["joints", "constant", "samples"])
def test_against_a_python_twin(motion, kind):
    """On a heavier arm, away from the start: all terms count."""
    heavier = ARM.with_payload(ls.Payload(0.3, com=(0.4, 0, 0)))
    K = np.stack([gains(ARM, 90.0, 9.0), gains(ARM, 150.0, 20.0)])
    given = {"joints": {"kp": 90.0, "kd": 9.0}, "constant": {"K": K[0]}, "samples": {"K": K}}[kind]

    def twin(t, q, qd):
        at = min(t, motion.duration)
        x, v, a = motion.at(at)
        now = K[0] + (K[1] - K[0]) * at / motion.duration if kind == "samples" else K[0]
        return ls.inverse_dynamics(ARM, x, v, a) - now @ np.concatenate([q - x, qd - v])

    options = {"until": motion.duration, "every": 0.05, "rtol": 1e-10, "atol": 1e-11}
    run, other = (ls.simulate(heavier, [0.02, -0.03], tau=tau, **options) for tau in (ls.Follow(motion, **given), twin))
    assert np.abs(run.q - other.q).max() < 1e-8
    assert np.abs(run.q - motion.at(run.t)[0]).max() > 1e-3


def test_feedforward_of_pd_is_the_same(motion):
    tau = ls.Profile(np.linspace(0, 0.5, 401), motion.torques(np.linspace(0, 0.5, 401)), "cubic")
    runs = [
        ls.simulate(ARM, [0.05, 0], tau=control, until=0.5, dt=1e-3)
        for control in (ls.PD(motion, 150, 20, tau=tau), ls.Follow(motion, kp=150, kd=20))
    ]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-7  # of a cubic through 401 samples


@pytest.mark.parametrize("options", [{"dt": 1e-3}, {"method": "rodas"}], ids=["fixed", "rodas"])
def test_ensembles(motion, options):
    starts, kp = np.array([[0.0, 0.0], [0.05, 0.0], [0.0, -0.1]]), np.array([[150.0], [90.0], [40.0]])
    given = {"until": 0.6, "every": 0.05, "rtol": 1e-7, "atol": 1e-9, **options}
    runs = ls.simulate(ARM, starts, tau=ls.Follow(motion, kp=kp, kd=20), **given)
    K = np.stack([gains(ARM, k, 20.0) for k in kp[:, 0]])[:, None]
    whole = ls.simulate(ARM, starts, tau=ls.Follow(motion, K=np.repeat(K, 3, axis=1)), **given)
    assert np.abs(runs.q - whole.q).max() < (1e-6 if "method" in options else 1e-12)
    for k in range(3):
        one = ls.simulate(ARM, starts[k], tau=ls.Follow(motion, kp=kp[k], kd=20), **given)
        assert np.abs(runs.q[k] - one.q).max() < 1e-11


def test_flexible_links():
    """The whole state of the plan, modal coordinates included, is the reference."""
    soft = ls.load("two_link_flexible")
    plan = ls.predict_motion(soft, **PLAN | {"goal": [0.2, 0.1], "duration": 1.0, "segments": 4})
    t = np.linspace(0, 1.0, 11)
    for control in (ls.Follow(plan, kp=2.0, kd=0.4), ls.Follow(plan, K=gains(soft, 2.0, 0.4))):
        run = ls.simulate(soft, plan.q[0], plan.qd[0], tau=control, until=1.0, every=0.1)
        assert np.abs(run.q - plan.at(t)[0])[:, soft.joint_index].max() < 1e-3
        assert run.ok


def test_whole_state_gains_from_lqr_on_a_flexible_arm():
    soft = ls.load("two_link_flexible")
    plan = ls.predict_motion(soft, **PLAN | {"goal": [0.2, 0.1], "duration": 1.0, "segments": 4})
    n = soft.dof
    weights = np.concatenate([np.full(n, 50.0), np.full(n, 1.0)])
    K = np.stack([ls.linearise(soft, plan.at(t)[0]).lqr(weights, [1.0, 1.0]) for t in (0.0, 0.5, 1.0)])
    q0 = plan.q[0].copy()
    q0[soft.joint_index] += 0.02
    run = ls.simulate(soft, q0, plan.qd[0], tau=ls.Follow(plan, K=K), until=2.0)
    assert np.abs(run.q[-1] - plan.q[-1])[soft.joint_index].max() < 1e-3


def test_elastic_joints():
    """Feedback of the motor sides alone, and of the whole state; the springs deflect as planned."""
    links = [ARM.links[0], ARM.links[1]]
    joint = links[1].joint.replace(elastic=ls.JointElasticity(stiffness=200.0, damping=0.5), armature=0.02)
    arm = ARM.replace(links=[links[0], links[1].replace(joint=joint)])
    assert arm.dof == 3
    plan = ls.predict_motion(arm, **PLAN)
    K = gains(arm, 150.0, 20.0)
    for given in ({"kp": 150.0, "kd": 20.0}, {"K": K}, {"K": np.stack([K, K])}):
        run = ls.simulate(arm, plan.q[0], plan.qd[0], tau=ls.Follow(plan, **given), until=0.5, every=0.05)
        assert np.abs(run.q - plan.at(run.t)[0]).max() < 2e-3
        many = ls.simulate(arm, plan.q[:1], plan.qd[:1], tau=ls.Follow(plan, **given), until=0.5, every=0.05, dt=1e-4)
        assert np.abs(many.q[0] - run.q).max() < 1e-6


def test_a_rigid_plan_on_a_flexible_arm(motion):
    soft = ls.load("two_link_flexible")
    names = [joint.name for joint in soft.joints]
    links = [link.replace(joint=link.joint.replace(name=name)) for link, name in zip(ARM.links, names, strict=True)]
    rigid = ls.predict_motion(ARM.replace(links=links), **PLAN)
    signals = {signal.name: signal for signal in ls.Follow(rigid, kp=1.0, kd=0.1).signals(soft)}
    assert signals["q"].at(0.2)[soft.joint_index] == pytest.approx(rigid.at(0.2)[0])
    assert not signals["q"].at(0.2)[soft.mode_index].any()
    with pytest.raises(
        ls.InputError,
        match=r"other joints than arm 'puma560'; .*only the motion has joint1, joint2; only the arm has",
    ):
        ls.Follow(rigid, kp=1, kd=1).signals(ls.load("puma560"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "give the gains kp and kd of the joints, or whole-state gains K; not both"),
        ({"kp": 1.0, "K": np.zeros((2, 4))}, "not both"),
        ({"K": np.zeros((2, 3))}, r"Follow: K has shape \(2, 3\); expected \(2, 4\)"),
        ({"K": np.zeros(4)}, r"Follow: K has shape \(4,\); expected"),
        ({"kp": -1.0, "kd": 0.0}, r"Follow: kp\[0\] is -1"),
    ],
)
def test_what_cannot_be(motion, given, words):
    with pytest.raises(ls.InputError, match=words):
        ls.simulate(ARM, [0, 0], tau=ls.Follow(motion, **given), until=0.1)


def test_what_is_no_motion():
    with pytest.raises(ls.InputError, match=r"Follow: motion is \[0, 0\]; expected a planned Motion"):
        ls.Follow([0, 0], kp=1, kd=1)


def test_another_motion_needs_no_compilation_but_counts(motion):
    from lissom.simulation.loop.closed_loop import ClosedLoop

    other = ls.predict_motion(ARM, **PLAN | {"goal": [0.4, 0.3]})
    a, b = (ClosedLoop(ARM, ls.Follow(x, kp=1, kd=1)) for x in (motion, other))
    assert a.key == b.key
    assert {"motion": "planned motion of 0.5 s"}.items() <= ls.Follow(motion, kp=1, kd=1).settings().items()


@pytest.mark.parametrize("columns", [slice(None), [0, 1]])
def test_samples_of_the_motion_are_no_feedforward_of_pd(motion, columns):
    """Rows of numbers are runs of an ensemble: a motion's samples would be as many runs."""
    pd = ls.PD(motion, 100, 10, tau=motion.tau[:, columns])
    with pytest.raises(ls.InputError, match=r"PD: tau has the \d+ samples of the motion.*use ls\.Follow\(motion, kp"):
        ls.simulate(motion.arm, motion.q[0], tau=pd, until=0.1)
    other = motion.tau[:, columns] + 1e-3  # an ensemble of as many runs is one, whatever their number
    assert ls.simulate(motion.arm, motion.q[0], tau=ls.PD(motion, 100, 10, tau=other), until=0.01).count == len(other)


def test_a_motion_is_no_torque(motion):
    for tau in (motion, ls.PD(motion, 100, 10, tau=motion)):
        with pytest.raises(ls.InputError, match=r"tau is a Motion\. To track it .*ls\.Follow\(motion, kp=\.\.\., kd="):
            ls.simulate(motion.arm, motion.q[0], tau=tau, until=0.1)


def test_verify_takes_follow_as_feedback(motion):
    """The plan obeys the physics, so all that is left is the error of an integrator with rtol = 1e-10."""
    for feedback in (ls.Follow(motion, kp=100, kd=10), ls.Follow(motion, K=gains(ARM, 100, 10))):
        check = motion.verify(feedback=feedback)
        assert check.ok
        assert check.tracked
        assert check.feedback == "Follow"
        assert check.joint_error.max() < 1e-9
