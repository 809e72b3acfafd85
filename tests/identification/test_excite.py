"""Motions that identify best: their limits, what they say, against formulas and noise written here."""

import re

import numpy as np
import pytest

import lissom as ls
from lissom.identification.excitation.experiment import Wishes, prepared
from lissom.identification.excitation.search import Search
from lissom.identification.excitation.torque_model import TorqueModel
from lissom.identification.fit.base import BaseParameters

SPEED = ls.Limits(velocity=2.0)


def wishes(**given):
    defaults = dict(zip(Wishes._fields, [None] * len(Wishes._fields), strict=True))
    defaults |= {
        "duration": 5.0, "rate_hz": 100.0, "ignore": (), "friction": True, "torque_utilisation": 0.8, "obstacles": (),
        "margin": 0.0, "constraints": (), "self_collision": True, "starts": 1, "seed": 0,
    }  # fmt: skip
    return Wishes(**(defaults | given))


@pytest.fixture(scope="module")
def motion():
    return ls.excite(ls.load("two_link"), 5.0, limits=SPEED, starts=1)


def columns(arm, t, motion, slow):
    """The model of the documentation: inertial parameters of both links, armature, friction and offsets of joints."""
    q, qd, qdd = motion.at(t)
    Y, n = ls.regressor(arm, q, qd, qdd), arm.dof
    drives = np.zeros((len(t), n, 4, n))
    for j in range(n):
        drives[:, j, :, j] = np.stack([qdd[:, j], qd[:, j], np.tanh(qd[:, j] / slow), np.ones(len(t))], axis=1)
    return np.concatenate([Y, drives.reshape(len(t), n, 4 * n)], axis=-1)


def places(arm, parameters):
    """Columns of base parameters: of those that lead the combinations."""
    words = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
    names = [f"{link.name}.{word}" for link in arm.links for word in words]
    names += [f"{joint}.{word}" for word in ("armature", "viscous", "coulomb", "offset") for joint in arm.coordinates]
    return [names.index(name.split(" ")[0]) for name in parameters]


def test_it_begins_and_ends_at_rest_within_its_limits(motion):
    t = np.linspace(0.0, 5.0, 20001)  # 0.25 ms: between any samples of the search
    q, qd, qdd = motion.at(t)
    assert motion.ok
    assert motion.status == "solved"
    for end in (0, -1):
        assert np.abs(np.concatenate([qd[end], qdd[end], q[end] - q[0]])).max() < 1e-12
    assert np.abs(q - q[0]).max() <= np.pi
    assert np.abs(qd).max() <= 2.0
    assert np.abs(qdd).max() <= 6.0  # 3 times the velocity limit per second
    limit = 0.8 * motion.arm.bounds("torque")[1]
    assert (np.abs(ls.inverse_dynamics(motion.arm, q, qd, qdd)) <= limit).all()
    assert np.abs(qd).max() > 1.9  # and it uses them


def test_a_seed_gives_one_motion_and_files_keep_it(motion, tmp_path):
    again = ls.excite(ls.load("two_link"), 5.0, limits=SPEED, starts=1, seed=0)
    assert np.array_equal(again.control_points, motion.control_points)
    motion.save(tmp_path / "motion.nc")
    loaded = ls.load_motion(tmp_path / "motion.nc")
    assert loaded.information == motion.information
    assert np.array_equal(loaded.tau, motion.tau)
    assert loaded.verify().ok


def test_its_information_is_that_of_weighted_least_squares(motion):
    """Std, determinant and condition from all columns of the model: the pseudo-inverse of the information matrix."""
    found, arm = motion.information, motion.arm
    t = (np.arange(500) + 0.5) * 0.01
    noise = np.array(found.noise)
    A = (columns(arm, t, motion, 0.05 * 2.0) / noise[:, None]).reshape(1000, -1)
    some = A[:, places(arm, (*found.parameters, *found.also_estimated))]
    C = np.linalg.inv(some.T @ some)
    p = len(found.parameters)
    assert np.allclose(np.sqrt(np.diag(C))[:p], found.std, rtol=1e-6)
    assert np.isclose(-np.linalg.slogdet(C[:p, :p])[1], found.log_det, rtol=1e-9)
    assert np.isclose(np.linalg.cond(some[:, :p]), found.condition, rtol=1e-6)
    assert np.linalg.matrix_rank(A, 1e-9 * np.linalg.norm(A, 2)) == some.shape[1]  # none is missing
    assert found.random_condition > found.condition


def test_predicted_deviations_are_those_of_noisy_fits(motion):
    """400 logs of 5 s at 100 Hz: the std of 400 values is known to 3.5 %."""
    found, arm, rng = motion.information, motion.arm, np.random.default_rng(1)
    t = (np.arange(500) + 0.5) * 0.01
    A = columns(arm, t, motion, 0.1)
    A = A[..., places(arm, (*found.parameters, *found.also_estimated))]
    noise = np.array(found.noise)
    errors = rng.normal(size=(400, 500, 2))  # in units of the noise
    fit = np.linalg.lstsq((A / noise[:, None]).reshape(1000, -1), errors.reshape(400, -1).T, rcond=None)[0]
    ratio = fit.std(axis=1)[: len(found.std)] / found.std
    assert np.abs(ratio - 1).max() < 0.15
    assert abs(ratio.mean() - 1) < 0.05


def test_names_and_values_are_those_of_the_arm(motion):
    """Torques are the base parameters' columns times their values, all else being zero."""
    found, arm = motion.information, motion.arm
    t = np.linspace(0.0, 5.0, 50)
    lead = places(arm, found.parameters)
    A = columns(arm, t, motion, 0.1)[..., lead]
    assert np.abs(A @ np.array(found.values) - ls.inverse_dynamics(arm, *motion.at(t))).max() < 1e-12
    assert found.short_names[0] == "upper.mcx + 2 more"
    assert "7 base parameters" in motion.describe()
    assert "assumed: upper 6 rad/s^2" in motion.describe()


def test_it_says_more_than_random_motions(motion):
    assert motion.information.gain > 2.5
    ratio = np.array(motion.information.random_std) / motion.information.std
    assert np.isclose(np.exp(np.log(ratio).mean()), motion.information.gain)


@pytest.mark.parametrize(
    ("ignore", "limits"),
    [((), None), (("fore",), None), ((), ls.Limits(jerk=1.0, power=0.5)), ((), ls.Limits(torque_rate=1.0))],
)
def test_slopes_of_search_are_those_of_differences(ignore, limits):
    experiment = prepared(
        ls.load("two_link"), wishes(ignore=ignore, limits=limits, obstacles=(ls.Sphere((0.3, 0.5, 0.0), 0.1),))
    )
    search = Search(experiment.profile, experiment.design, experiment.penalty, np.ones(2, bool), lambda step: None, 100)
    at, rng = experiment.profile.samples, np.random.default_rng(2)
    points = rng.normal(size=(experiment.profile.free, 2))
    search.design.rescale(at.states(points))
    direction, h = rng.normal(size=points.shape), 1e-5  # rates of torque are differences: smaller steps show rounding
    _, slope = search._objective(points, 3.0)
    ends = [search._objective(points + sign * h * direction, 3.0)[0] for sign in (1, -1)]
    want = (ends[0] - ends[1]) / (2 * h)
    assert abs((slope * direction).sum() - want) < 1e-6 * abs(want)
    assert experiment.penalty.excess(at, points).over.size  # limits of all kinds are exceeded there


def test_obstacles_are_avoided():
    ball = ls.Sphere((0.45, 0.35, 0.0), 0.15)
    motion = ls.excite(ls.load("two_link"), 5.0, obstacles=ball, margin=0.02, starts=1, seed=1)
    q = motion.at(np.linspace(0.0, 5.0, 5001))[0]
    along = np.linspace(0.0, 1.0, 201)[:, None]
    elbow = ls.pose(motion.arm, q, "fore", (-0.4, 0.0, 0.0))[:, :3, 3]
    tip = ls.pose(motion.arm, q, "fore")[:, :3, 3]
    links = (elbow[:, None] * along, elbow[:, None] + (tip - elbow)[:, None] * along)
    least = min(np.linalg.norm(link - ball.centre, axis=-1).min() for link in links)
    assert 0.17 <= least < 0.4
    assert motion.ok
    assert motion.verify().ok


def test_links_keep_clear_of_each_other():
    rod = {"mass": 1.0, "com": (0.25, 0, 0), "inertia": np.diag([0.01, 0.02, 0.02])}
    parents = (None, "l0", "l1")
    links = [ls.Link(f"l{k}", parent, ls.Joint("revolute", placement=np.eye(4) if parent is None else shifted(0.5)),
                     **rod) for k, parent in enumerate(parents)]  # fmt: skip
    arm = ls.Arm("snake", links, gravity=(0, 0, 0))
    bodies = [ls.CollisionBody(f"l{k}", (0.1, 0, 0), (0.5, 0, 0), 0.04) for k in range(3)]
    speed = ls.Limits(velocity=3.0)
    motion = ls.excite(arm, 6.0, bodies=bodies, limits=speed, starts=1)
    free = ls.excite(arm, 6.0, bodies=bodies, limits=speed, starts=1, self_collision=False)
    assert nearest(motion) >= 0.08 > nearest(free)
    assert motion.ok
    with pytest.raises(ls.UnsupportedError, match="closed loops"):
        ls.excite(ls.load("examples/four_bar.toml"))


def shifted(x):
    X = np.eye(4)
    X[0, 3] = x
    return X


def nearest(motion):
    """The least distance of points along the first and the last link."""
    q, s = motion.at(np.linspace(0.0, motion.duration, 1500))[0], np.linspace(0.1, 0.5, 60)
    X = [ls.pose(motion.arm, q, link) for link in ("l0", "l2")]
    a, b = (x[:, None, :2, 3] + s[:, None] * x[:, None, :2, 0] for x in X)
    return np.linalg.norm(a[:, :, None] - b[:, None], axis=-1).min()


def test_heights_are_kept():
    arm = ls.load("two_link")
    motion = ls.excite(arm, 5.0, limits=SPEED, starts=1, constraints=ls.FrameHeight("fore", upper=0.1))
    assert ls.pose(arm, motion.at(np.linspace(0, 5, 5001))[0], "fore")[:, 2, 3].max() <= 0.1


def test_sliding_joints_joints_that_do_not_move_and_torques_that_are_not_measured():
    body = {"mass": 1.0, "com": (0.1, 0, 0), "inertia": np.eye(3) * 0.1}
    lift = ls.Link("lift", None, ls.Joint("prismatic", axis=(0, 0, 1), limits=ls.Limits(position=(0.0, 1.0))), **body)
    turn = ls.Link("turn", "lift", ls.Joint("revolute", axis=(0, 1, 0)), **body)
    arm = ls.Arm("mixed", [lift, turn])
    motion = ls.excite(arm, 5.0, starts=1)
    assert motion.ok
    assert np.ptp(motion.q[:, 0]) > 0.1
    assert [name.split(" ")[0] for name in motion.information.parameters] == [
        "lift.m", "turn.mcx", "turn.mcz", "turn.Iyy", "lift.armature"
    ]  # fmt: skip
    assert any("0.25 m/s" in note for note in motion.notes)
    still = ls.excite(arm, 5.0, starts=1, limits=ls.Limits(velocity=[0.0, 1.0]))
    assert np.ptp(still.q[:, 0]) < 1e-15
    assert not any("armature" in name[:14] for name in still.information.parameters)
    unmeasured = ls.excite(arm, 5.0, starts=1, noise=[np.inf, 0.1])
    assert unmeasured.information.noise == (None, 0.1)
    assert "lift.m" not in [name.split(" ")[0] for name in unmeasured.information.parameters]


def test_its_log_identifies_what_it_predicts(motion):
    """An arm with other masses moves so; identified parameters are those of that arm, within predicted deviations."""
    true = motion.arm.with_link("fore", mass=1.3).with_link("upper", mass=0.8)
    t, noise = np.arange(0.0, 5.0, 0.01), np.array(motion.information.noise)
    tau = ls.inverse_dynamics(true, *motion.at(t)) + noise * np.random.default_rng(0).normal(size=(500, 2))
    table = ls.identify(motion.arm, ls.Log(t=t, q=motion.at(t)[0], tau=tau)).table
    model = TorqueModel(true, np.full(2, 0.1))
    base = model.base(np.ones(2, bool), {})
    want = dict(zip(base.names, base.of_parameters(model.prior), strict=True))
    std = dict(zip(motion.information.parameters, motion.information.std, strict=True))
    found = {name: value for name, value in zip(table.names, table.values, strict=True) if name in std}
    assert set(found) == set(std)
    assert max(abs(found[name] - want[name]) / std[name] for name in std) < 4.0


def test_columns_of_rounding_are_no_parameters():
    """Turned axes leave 1e-17 where a parameter has no effect; of size 1 it would be independent of all others."""
    W = np.random.default_rng(0).normal(size=(50, 4))
    W[:, 2] = 1e-17 * W[:, 2]
    W[:, 3] = 2 * W[:, 0]
    found = BaseParameters.of(W, range(4), ["a", "b", "nothing", "d"], 4)
    assert found.names == ("a + 2 d", "b")
    assert (found.K[:, 2] == 0).all()


@pytest.mark.parametrize("name", ["xarm7", "puma560"])
def test_rotations_rounded_in_a_file_make_no_parameters(name, tmp_path):
    """Right angles of 1.5708, as most URDFs have them, tell nothing apart that exact ones do not."""
    arm = ls.load(name)
    ls.save(arm, tmp_path / "exact.urdf", lossy=True)
    text = (tmp_path / "exact.urdf").read_text(encoding="utf-8")
    rounded = re.sub(r'rpy="([^"]*)"', lambda found: f'rpy="{_rounded(found[1])}"', text)
    (tmp_path / "rounded.urdf").write_text(rounded, encoding="utf-8")
    bases = []
    for file in ("exact.urdf", "rounded.urdf"):
        read = ls.load(tmp_path / file)
        bases.append(TorqueModel(read, np.full(read.dof, 0.1)).base(np.ones(read.dof, bool), {}))
    assert rounded != text
    assert list(bases[0].kept) == list(bases[1].kept)
    np.testing.assert_allclose(bases[0].K, bases[1].K, atol=1e-3)


def _rounded(angles):
    return " ".join(f"{float(angle):.4f}" for angle in angles.split())


def test_what_is_ignored_is_still_estimated(motion):
    ignoring = ls.excite(motion.arm, 5.0, limits=SPEED, starts=1, ignore=("fore", "upper.mcy"))
    lead = [name.split(" ")[0] for name in ignoring.information.parameters]
    assert lead == ["upper.mcx", "upper.Izz"]
    assert "fore.armature" in ignoring.information.also_estimated
    known = dict(zip(motion.information.parameters, motion.information.std, strict=True))
    better = [known[name] / std for name, std in
              zip(ignoring.information.parameters, ignoring.information.std, strict=True)]  # fmt: skip
    assert np.prod(better) > 1.0
    plain = ls.excite(motion.arm, 5.0, limits=SPEED, starts=1, friction=False)
    assert plain.information.also_estimated == ()


def test_interrupting_keeps_the_motion_so_far():
    steps = []

    def impatient(step):
        steps.append(step)
        if len(steps) == 30:
            raise KeyboardInterrupt

    motion = ls.excite(ls.load("two_link"), 5.0, limits=SPEED, progress=impatient)
    assert motion.interrupted
    assert not motion.ok
    assert max(peak.utilisation for peak in motion.report.peaks) <= 1.0
    assert motion.information.gain > 1.0


def test_predicting_with_this_criterion_is_refused(motion):
    with pytest.raises(ls.InputError, match=r"lissom\.excite plans for it"):
        ls.predict_motion(motion.arm, motion.task)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"duration": -3}, "duration is -3; expected a number above 0"),
        ({"noise": [1.0, 2.0, 3.0]}, r"noise has shape \(3,\); expected one number, or 2"),
        ({"noise": 0.0}, "noise of joint 'upper' is 0; expected a standard deviation above 0"),
        ({"noise": np.inf}, "no torque is measured"),
        ({"ignore": "foo"}, "ignore has 'foo', which is no link, joint or base parameter"),
        ({"ignore": ("fore", "upper")}, "nothing is left to identify"),
        ({"start": [9.0, 0.0], "limits": ls.Limits(position=1.0)}, "start of joint 'upper' is 9 rad, outside"),
        ({"limits": 3}, "limits is 3; expected Limits"),
        ({"limits": ls.Limits(velocity=(1.0, 2.0))}, "exclude zero, but the motion begins and ends at rest"),
        ({"limits": ls.Limits(torque=0.2)}, "joint 'upper' needs 3.922 to hold the arm at the start"),
        ({"limits": ls.Limits(position=0.0)}, "leave no joint of arm 'two_link' any range"),
        ({"obstacles": ls.Sphere((0.3, 0.0, 0.0), 0.1)}, "at the start the distance from sphere 0 of 'upper'"),
        ({"starts": 0}, "starts is 0"),
        ({"friction": 1}, "friction is 1; expected True or False"),
        ({"torque_utilisation": 2.0}, "torque_utilisation is 2.0; expected a part of the torque limits"),
        ({"limit": 3}, "did you mean 'limits'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(given, sentence):
    with pytest.raises((ls.InputError, ls.UnsupportedError), match=sentence):
        ls.excite(ls.load("two_link"), **given)


def test_limits_of_power_jerk_and_torque_rate_are_kept():
    arm = ls.load("two_link")
    limits = ls.Limits(velocity=2.0, power=4.0, jerk=25.0, torque_rate=20.0)
    motion = ls.excite(arm, 5.0, limits=limits, starts=1)
    t = np.linspace(0.0, 5.0, 10001)
    q, qd, qdd = motion.at(t)
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    assert motion.ok
    assert np.abs(tau * qd).max() <= 4.0
    assert np.abs(np.diff(qdd, axis=0)).max() <= 25.0 * 5e-4 * (1 + 1e-9)
    assert np.abs(np.diff(tau, axis=0)).max() <= 20.0 * 5e-4 * (1 + 1e-9)
    assert {peak.quantity for peak in motion.report.peaks} >= {"power", "jerk", "torque_rate"}
    with pytest.raises(ls.InputError, match="joint 'upper' has Coulomb friction, so its torque jumps"):
        ls.excite(arm.with_joint("upper", friction=0.3), limits=limits)


def test_friction_counts_in_torque_limits():
    arm = ls.load("two_link").with_joint("upper", friction=1.0, damping=0.5)
    motion = ls.excite(arm, 5.0, limits=ls.Limits(velocity=2.0, torque=7.0), starts=1)
    q, qd, qdd = motion.at(np.linspace(0.0, 5.0, 10001))
    assert motion.ok
    assert np.abs(ls.inverse_dynamics(arm, q, qd, qdd)).max() <= 7.0
    assert motion.verify().ok


def test_arms_that_are_not_covered_are_refused():
    with pytest.raises(ls.UnsupportedError, match="has flexible links"):
        ls.excite(ls.load("two_link_flexible"))
    with pytest.raises(ls.UnsupportedError, match="is unactuated, so no motion of it can be prescribed"):
        ls.excite(ls.load("tree_demo"))
    slide = ls.Arm("slide", [ls.Link("a", None, ls.Joint("prismatic"), mass=1.0, com=(0, 0, 0), inertia=np.eye(3))])
    with pytest.raises(ls.InputError, match="joint 'a' slides and has no position limits"):
        ls.excite(slide)


# ---- the bar, on an arm of six joints -------------------------------------------------------------------------------

MIDDLE = np.array([0.0, -1.2, 0.6, -1.0, 0.0, 0.0])
RANGE = np.array([2.8, 1.2, 1.5, 2.0, 1.5, 1.5])
RATES = np.array([1.5, 1.2, 1.5, 1.5, 1.5, 1.5])
TORQUES = 0.8 * np.array([330.0, 330.0, 150.0, 54.0, 54.0, 54.0])
NOISE = np.array([2.0, 2.6, 0.9, 0.4, 0.6, 0.55])  # residuals of a fit of a real arm of this kind


def deviations(arm, lead, profiles):
    """Std of base parameters from 200 samples of profiles, without friction."""
    q, qd, qdd = profiles
    Y, n = ls.regressor(arm, q, qd, qdd), 6
    drives = np.zeros((len(q), n, n))
    drives[:, range(n), range(n)] = qdd
    A = (np.concatenate([Y, drives], axis=-1)[..., lead] / NOISE[:, None]).reshape(-1, len(lead))
    return np.sqrt(np.diag(np.linalg.inv(A.T @ A)))


def random_fourier(arm, rng, t):
    """A random series of five harmonics of 0.05 Hz, from rest to rest, scaled to the limits: what is often run."""
    from scipy.optimize import brentq

    k = 2 * np.pi * 0.05 * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, 6))
    window, slope, bend = (np.sin(np.pi * t / 20) ** 2, np.pi / 20 * np.sin(2 * np.pi * t / 20),
                           2 * (np.pi / 20) ** 2 * np.cos(2 * np.pi * t / 20))  # fmt: skip
    S, C = np.sin(np.outer(t, k)), np.cos(np.outer(t, k))
    x, v, w = S @ a + C @ b, (C * k) @ a - (S * k) @ b, -(S * k**2) @ a - (C * k**2) @ b
    unit = [x * window[:, None], v * window[:, None] + x * slope[:, None],
            w * window[:, None] + 2 * v * slope[:, None] + x * bend[:, None]]  # fmt: skip

    def use(size):
        q, qd, qdd = (size * part for part in unit)
        tau = ls.inverse_dynamics(arm, MIDDLE + q, qd, qdd)
        return max((np.abs(y) / limit).max() for y, limit in ((q, RANGE), (qd, RATES), (qdd, 4.0), (tau, TORQUES)))

    size = brentq(lambda s: use(s) - 1.0, 1e-6, 1e3)
    return MIDDLE + size * unit[0], size * unit[1], size * unit[2]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_deviations_are_a_third_of_those_of_random_motions(seed):
    """Against splines of its own kind and against Fourier series, within the same limits; and in 15 s of CPU."""
    import time

    arm = ls.load("ur10")
    limits = ls.Limits(position=(MIDDLE - RANGE, MIDDLE + RANGE), velocity=RATES, acceleration=4.0, torque=TORQUES)
    began = time.process_time()
    motion = ls.excite(arm, 20.0, start=MIDDLE, limits=limits, noise=NOISE, seed=seed)
    spent = time.process_time() - began
    assert motion.ok
    assert motion.information.gain >= 3.0
    t, rng = np.linspace(0.0, 20.0, 200), np.random.default_rng(seed)
    lead = places(arm, motion.information.parameters)
    mine = deviations(arm, lead, motion.at(t))
    others = np.median([deviations(arm, lead, random_fourier(arm, rng, t)) for _ in range(24)], axis=0)
    ratio = np.exp(np.log(others / mine).mean())
    print(f"seed {seed}: {motion.information.gain:.2f} (splines), {ratio:.2f} (Fourier), {spent:.1f} s")
    assert ratio >= 3.0
    assert spent <= 15.0
