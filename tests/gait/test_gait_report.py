"""Reports of walks against numbers in closed form, and moments against statics."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from tests.gait.made_up import (
    ALPHA,
    BEND,
    CYCLE,
    LENGTH,
    MOMENT,
    PUSH,
    SPEED,
    STANCE,
    biped,
    fore_aft,
    made_up,
    states,
    vertical,
)

import lissom as ls

GRID = np.linspace(0, 1, 101)


@pytest.fixture(scope="module")
def report():
    return ls.gait_report(made_up())


def largest(f, low, high):
    return -minimize_scalar(lambda u: -f(np.array(u)), bounds=(low, high), method="bounded").fun


def test_lengths_and_times(report):
    assert report["speed"] == pytest.approx(SPEED, rel=1e-9)
    assert report["cadence"] == pytest.approx(120 / CYCLE, rel=1e-9)
    for side in ("right", "left"):  # of stiff legs: the base of a triangle
        assert report[f"step_length_{side}"] == pytest.approx(2 * LENGTH * np.sin(ALPHA), rel=1e-6)
    assert report["stride_length"] == pytest.approx(4 * LENGTH * np.sin(ALPHA), rel=1e-6)
    assert report["stance"] == pytest.approx(100 * STANCE, rel=1e-9)
    assert report["double_support"] == pytest.approx(200 * (STANCE - 0.5), rel=1e-9)
    assert "step_width" not in report.names  # a planar machine has none


def test_curves_of_angles(report):
    s = np.pi * (GRID - STANCE) / (1 - STANCE)
    thigh, knee = ALPHA * np.cos(2 * np.pi * GRID), np.where(GRID > STANCE, BEND * np.sin(s) ** 2, 0.0)
    for leg in (report.right, report.left):
        assert np.abs(leg["hip"] - np.rad2deg(thigh)).max() < 1e-2  # samples are joined by lines
        assert np.abs(leg["knee"] - np.rad2deg(knee)).max() < 2e-2
        assert np.abs(leg["ankle"] - np.rad2deg(knee - thigh)).max() < 2e-2  # the foot stays level
    assert report["knee_swing"] == pytest.approx(np.rad2deg(BEND), abs=0.05)


def test_forces_and_their_peaks(report):
    assert np.abs(report.right["vertical"] - vertical(GRID)).max() < 3e-3  # between two samples it bends at toe off
    assert np.abs(report.left["fore_aft"] - fore_aft(GRID)).max() < 3e-3
    assert report["first_peak"] == pytest.approx(largest(vertical, 0.0, STANCE / 2), abs=1e-3)
    assert report["second_peak"] == pytest.approx(largest(vertical, STANCE / 2, STANCE), abs=1e-3)
    assert report["valley"] == pytest.approx(vertical(np.array(STANCE / 2)), abs=1e-3)
    assert (report["braking"], report["propulsion"]) == pytest.approx((-PUSH, PUSH), abs=1e-3)
    loaded = np.linspace(0, STANCE, 20001)[vertical(np.linspace(0, STANCE, 20001)) > 0.05]
    needed = np.abs(fore_aft(loaded) / vertical(loaded)).max()
    assert report["friction"] == pytest.approx(needed, rel=0.02)  # at whole percents of the cycle


def test_moments_powers_and_work(report):
    mass = report.right.mass
    moment = np.where(GRID < STANCE, MOMENT * np.sin(np.pi * GRID / STANCE), 0.0)
    qd = states(GRID * CYCLE * (1 - 1e-12))[1]
    damper = 0.7 * qd[:, 5]  # of the ankle, beside its motor
    assert np.abs(mass * report.right["ankle_moment"] - moment - damper).max() < 0.15  # of 85 N m
    assert np.abs(mass * report.right["ankle_power"] + (moment + damper) * qd[:, 5]).max() < 0.3
    t = np.linspace(0, STANCE * CYCLE, 20001)
    power = -MOMENT * np.sin(np.pi * t / CYCLE / STANCE) * states(t)[1][:, 5]
    work = 2 * np.trapezoid(np.abs(power), t)  # of both motors
    assert report["absolute_work"] == pytest.approx(work / mass / (SPEED * CYCLE), rel=1e-3)
    assert report["ankle_moment"] == pytest.approx((moment + damper).max() / mass, rel=1e-3)


def test_one_mirrored_step_is_the_whole_walk(report):
    step = ls.gait_report(made_up(CYCLE / 2, 331, mirror=True))
    for name, value in zip(report.names, (one.value for one in report.measures), strict=True):
        assert step[name] == pytest.approx(value, rel=1e-3, abs=1e-6), name
    for name, curve in report.right.curves.items():
        assert np.abs(step.right[name] - curve).max() < 2e-2 * max(np.ptp(curve), 1e-3), name
    assert any("mirror image" in note for note in step.notes)


def test_stances_may_come_from_the_forces(report):
    found = ls.gait_report(made_up(stances=False))
    assert found["stance"] == pytest.approx(100 * STANCE, abs=1.0)  # from 3 % of the weight on
    assert found["step_length_left"] == pytest.approx(report["step_length_left"], rel=1e-2)


def test_a_recording_begins_anywhere():
    found = ls.gait_report(made_up(2.9 * CYCLE, 1900, stances=False, start=0.3))
    assert found["cadence"] == pytest.approx(120 / CYCLE, rel=1e-3)
    assert (found.right.cycles, found.left.cycles) == (2, 2)
    assert found["step_length_right"] == pytest.approx(2 * LENGTH * np.sin(ALPHA), rel=2e-2)


@pytest.mark.parametrize("stiffness", [0.0, 40.0])
def test_signs_of_moments_are_those_of_statics(stiffness):
    """Standing on one toe, knee a little bent: the calf holds plantar flexion, the knee extension, springs included."""
    arm = biped(stiffness)
    q = np.zeros(9)
    q[3:6] = 0.4, 0.8, 0.4
    weight = arm.mass * 9.81
    load = ls.Load("foot_right", (0, 0, weight), point=(0.2, 0, -0.07))
    tau = ls.inverse_dynamics(arm, q, np.zeros(9), np.zeros(9), loads=[load])
    walk = made_up(arm=arm)
    n = len(walk.t)
    forces = np.zeros((n, 4, 3))
    forces[:, 1, 2] = weight
    posture = np.tile(q, (n, 1))
    posture[:, 0] = SPEED * walk.t
    motors = np.tile(np.where(arm.actuated, tau, 0), (n, 1))
    still = ls.GaitSamples(arm, walk.t, posture, np.zeros((n, 9)), motors, forces, holds=walk.holds)
    found = ls.gait_report(still)
    X = ls.poses(arm, q)
    toe = ls.pose(arm, q, "foot_right", (0.2, 0, -0.07))[:3, 3]
    names = [link.name for link in arm.links]
    for word, below, bodies in (("ankle", "foot", ("foot",)), ("knee", "shank", ("foot", "shank"))):
        joint = X[names.index(f"{below}_right"), :3, 3]
        about = weight * (toe - joint)[0]
        for body in bodies:
            link = arm.link(f"{body}_right")
            com = X[names.index(link.name)] @ [*link.body.com, 1.0]
            about -= 9.81 * link.body.mass * (com[:3] - joint)[0]
        want = about if word == "ankle" else -about
        assert arm.mass * found[f"{word}_moment"] == pytest.approx(want, rel=1e-9), word
    assert found["ankle_moment"] > 0.0


def test_comparison_with_curves_and_reports(report):
    other = ls.gait_report(made_up(arm=biped(stiffness=30.0)), name="springy")
    found = ls.gait_report(made_up(), {"same": report, "other": other.right})
    like = found.likeness
    assert like["same"]["hip"].rmse == 0.0
    assert like["same"]["hip"].r == pytest.approx(1.0)
    difference = found.right["ankle_moment"] - other.right["ankle_moment"]
    assert like["other"]["ankle_moment"].rmse == pytest.approx(np.sqrt(np.mean(difference**2)))
    assert np.isnan(like["other"]["hip_moment"].r)  # both are zero all the time
    assert "same: RMSE" in found.describe()
    beside = found.beside_others()
    assert beside.title == "against same"
    assert beside.heads[2:] == ("biped: RMSE", "r", "other: RMSE", "r")
    assert beside.rows[0][2:4] == ("0", "1.00")
    with pytest.raises(ls.InputError, match="at least two references"):
        report.beside_others()
    assert "vertical force" in found._repr_html_()


def test_curves_are_written(report, tmp_path):
    report.save(tmp_path / "walk.csv")
    head, *rows = (tmp_path / "walk.csv").read_text().splitlines()
    assert head.startswith("percent,right.hip,right.knee")
    assert len(rows) == 101
    with pytest.raises(ls.InputError, match=r"written as \.csv"):
        report.save(tmp_path / "walk.xlsx")


def test_joints_may_be_named(report):
    arm = biped()
    links = [link.replace(joint=link.joint.replace(name=link.joint.name[::-1])) for link in arm.links]
    other = arm.replace(links=links, mirror=None)
    with pytest.raises(ls.InputError, match="no joint is named after a hip"):
        ls.gait_report(made_up(arm=other))
    pairs = {word: (f"{word}_right"[::-1], [f"{word}_left"[::-1]]) for word in ("knee", "ankle")}
    found = ls.gait_report(made_up(arm=other), joints=pairs)
    assert np.array_equal(found.right["knee"], report.right["knee"])
    assert "hip" not in found.right.curves
    assert any("no hip" in note for note in found.notes)


def test_bad_input_is_refused(report):
    good = made_up()
    fields = {word: getattr(good, word) for word in ("t", "q", "qd", "tau", "forces")}
    with pytest.raises(ls.InputError, match=r"forces has shape \(661, 4, 2\); expected \(661, 4, 3\)"):
        ls.GaitSamples(good.arm, **fields | {"forces": good.forces[..., :2]})
    with pytest.raises(ls.InputError, match="q has entries that are not finite"):
        ls.GaitSamples(good.arm, **fields | {"q": good.q * np.nan})
    with pytest.raises(ls.InputError, match="expected at least 10"):
        ls.GaitSamples(good.arm, **{word: x[:5] for word, x in fields.items()})
    with pytest.raises(ls.InputError, match=r"travels 0 m forward in the samples; expected a walk"):
        ls.gait_report(ls.GaitSamples(good.arm, **fields | {"q": good.q - np.eye(9)[0] * good.q}))
    with pytest.raises(ls.InputError, match="no contact belongs to the right foot"):
        ls.gait_report(ls.GaitSamples(good.arm, **fields | {"forces": good.forces[:, :0]}, contacts=()))
    with pytest.raises(ls.InputError, match="there is no number 'cadense'; did you mean 'cadence'"):
        report["cadense"]
    with pytest.raises(ls.InputError, match="expected a Motion with contacts"):
        ls.gait_report(3)
    with pytest.raises(ls.InputError, match="reference is 3; expected GaitCurves"):
        ls.gait_report(good, 3)
    with pytest.raises(ls.InputError, match="two references have the same name"):
        ls.gait_report(good, [report, report])
    with pytest.raises(ls.InputError, match=r"joints has 'toe'; expected hip, knee, ankle"):
        ls.gait_report(good, joints={"toe": ("a", "b")})
    with pytest.raises(ls.InputError, match="there is no joint 'hip_righ'; did you mean 'hip_right'"):
        ls.gait_report(good, joints={"hip": ("hip_righ", "hip_left")})
    with pytest.raises(ls.InputError, match="the right foot has no whole cycle"):
        ls.gait_report(made_up(0.8 * CYCLE, 500, stances=False, start=0.1))
