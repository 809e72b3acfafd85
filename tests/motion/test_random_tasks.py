"""Ten random tasks each for PUMA 560 and Panda: all solved and played back, or a true reason given."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline

import lissom as ls
from lissom.motion.public import predict_motion
from lissom.motion.transcription.peak import EXCESS

PUMA_TORQUES = [97.6, 186.4, 89.4, 24.2, 20.1, 21.3]  # of its motors, N m


def panda():
    """Its arm without fingers, from the description that Pinocchio's examples bring."""
    file = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots/panda_description"
    if not file.exists():
        pytest.skip("example-robot-data is not installed")
    arm = ls.load(file / "urdf/panda.urdf")
    return arm.lock({"panda_finger_joint1": 0.0}).merge_fixed()


def tasks(arm, limits, seed):
    """Start and goal anywhere in the inner part of the ranges."""
    rng = np.random.default_rng(seed)
    lower, upper = arm.bounds("position")
    lower, upper = np.maximum(lower, -2.5), np.minimum(upper, 2.5)
    for _ in range(10):
        start, goal = lower + (upper - lower) * rng.uniform(0.15, 0.85, (2, arm.dof))
        yield {"start": start, "goal": goal, "limits": limits, "segments": 20}


def missed(motion):
    """Largest error of a joint when the torques alone drive the arm, friction on the side the plan slides to [rad]."""
    arm, T, n = motion.arm, motion.duration, motion.arm.dof
    links = [link.replace(joint=link.joint.replace(friction=0.0)) if link.joint.moves else link for link in arm.links]
    smooth = arm.replace(links=tuple(links))
    spline = BSpline(motion.basis.knots * T, motion.control_points, motion.degree)
    rate, acceleration = spline.derivative(1), spline.derivative(2)

    def slope(t, z):
        tau = ls.inverse_dynamics(smooth, spline(t), rate(t), acceleration(t))
        return np.concatenate([z[n:], ls.forward_dynamics(smooth, z[:n], z[n:], tau)])

    z = np.concatenate([motion.q[0], motion.qd[0]])
    worst = 0.0
    for a, b in zip(motion.breaks[:-1] * T, motion.breaks[1:] * T, strict=True):
        z = solve_ivp(slope, (a, np.nextafter(b, a)), z, "DOP853", rtol=1e-10, atol=1e-11).y[:, -1]
        worst = max(worst, float(np.abs(z[:n] - spline(np.nextafter(b, a))).max()))
    return worst


def tried(arm, limits, seed):
    """Durations of those solved, and reasons of the others; every limit kept, every motion played back."""
    reasons, durations = [], []
    for task in tasks(arm, limits, seed):
        try:
            motion = predict_motion(arm, **task)
        except ls.InputError as error:  # found before the solver runs: the pose cannot be held, say
            reasons.append(str(error))
            continue
        assert max(peak.utilisation for peak in motion.report.peaks) < 1 + EXCESS
        assert np.abs(motion.q[[0, -1]] - [task["start"], task["goal"]]).max() < 1e-12
        assert missed(motion) < 1e-6
        durations.append(motion.duration)
    return durations, reasons


@pytest.mark.slow
def test_puma():
    durations, reasons = tried(ls.load("puma560"), ls.Limits(torque=PUMA_TORQUES), 1)
    assert len(durations) + len(reasons) == 10
    assert len(durations) >= 8
    assert all("to hold the" in reason for reason in reasons)


@pytest.mark.slow
def test_panda():
    limits = ls.Limits(torque=[87.0] * 4 + [12.0] * 3, velocity=[2.175] * 4 + [2.61] * 3)
    durations, reasons = tried(panda(), limits, 2)
    assert len(durations) + len(reasons) == 10
    assert len(durations) >= 8
    assert all("to hold the" in reason for reason in reasons)
