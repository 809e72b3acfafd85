"""Simulated motion with default options: released, controlled, with friction, at limits, ensembles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import lissom as ls
from trials.subject import Outcome, Subject

MOST = 45  # coordinates of the robots that are simulated
HELD = 1e-5  # rad or m: how far a robot that is held at rest may move
BALANCE = 1e-6  # energy that is not accounted for, relative
FOLLOWED = 1e-5  # rad or m: distance from the exact solution of the error equation


def free(subject: Subject) -> Outcome:
    """Released in the middle of its range, for half a second; error of the energy balance."""
    run = ls.simulate(subject.arm, subject.middle, until=0.5)
    return Outcome(run.ok and run.balance_error < BALANCE, run.balance_error, "" if run.ok else run.status)


def held(gains: Callable[[np.ndarray], tuple[object, object]]) -> Callable[[Subject], Outcome]:
    """Held at rest by a PD controller with gravity compensation, for a second."""

    def trial(subject: Subject) -> Outcome:
        arm, q0 = subject.arm, subject.middle
        kp, kd = gains(np.diag(ls.mass_matrix(arm, q0)))
        run = ls.simulate(arm, q0, tau=ls.PD(q0, kp, kd, gravity=True), until=1.0)
        moved = float(np.abs(run.q - q0).max())
        return Outcome(run.ok and run.status == "done" and moved <= HELD, moved, "" if run.ok else run.status)

    return trial


def computed_torque(subject: Subject) -> Outcome:
    """Moved to a goal; the error is the distance from e0 (1 + w t) exp(-w t), the solution of the error equation."""
    lower, upper = subject.range
    arm, q0, w = _without_friction(subject.arm), subject.middle, 10.0
    goal = q0 + 0.05 * (upper - lower)
    run = ls.simulate(arm, q0, tau=ls.ComputedTorque(goal, w**2, 2 * w), until=0.5)
    left = ((1 + w * run.t) * np.exp(-w * run.t))[:, None] * (q0 - goal)
    error = float(np.abs(run.q - goal - left).max())
    return Outcome(run.ok and error <= FOLLOWED, error, "" if run.ok else run.status)


def friction(subject: Subject) -> Outcome:
    """Every joint with Coulomb friction, moved to a goal by a PD controller; error of the energy balance."""
    arm, q0 = subject.arm, subject.middle
    weight = np.abs(ls.gravity_forces(arm, q0))
    M = np.diag(ls.mass_matrix(arm, q0))
    links = list(arm.links)
    for name, size in zip([joint.name for joint in arm.joints], 0.05 * weight + 0.5 * M, strict=True):
        k = next(k for k, link in enumerate(links) if link.joint.name == name)
        links[k] = links[k].replace(joint=links[k].joint.replace(friction=float(size)))
    lower, upper = subject.range
    control = ls.PD(q0 + 0.05 * (upper - lower), list(100 * M), list(20 * M), gravity=True)
    run = ls.simulate(arm.replace(links=links), q0, tau=control, until=0.5)
    return Outcome(run.ok, run.balance_error, "" if run.ok else run.status)


def limits(subject: Subject) -> Outcome:
    """A joint that moves towards its limit ends there; the error is the distance from it."""
    arm = _without_friction(subject.arm)
    lower, upper = arm.bounds("position")
    limited = np.flatnonzero(np.isfinite(lower) & np.isfinite(upper) & (upper > lower))
    if not len(limited):
        return Outcome(True, None, "no joint has limits")
    k = int(limited[0])
    start, rate = subject.middle.copy(), np.zeros(arm.dof)
    start[k], rate[k] = upper[k] - 0.02 * (upper[k] - lower[k]), upper[k] - lower[k]
    run = ls.simulate(arm, start, rate, tau=ls.ComputedTorque(start, 0.0, 0.0), until=0.5, stop_at_limits=True)
    missed = float(np.abs(run.q[-1] - np.clip(run.q[-1], lower, upper)).max())
    stopped = run.t[-1] < 0.5 and bool(run.events)
    return Outcome(run.ok and stopped and missed < 1e-8, missed, "" if run.ok else run.status)


def ensemble(subject: Subject) -> Outcome:
    """64 starts spread by 5 % of the range, brought back by a PD controller; error of the energy balance."""
    lower, upper = subject.range
    q0, rng = subject.middle, subject.rng("ensemble")
    starts = q0 + 0.05 * (upper - lower) * rng.uniform(-0.5, 0.5, (64, subject.arm.dof))
    run = ls.simulate(subject.arm, starts, tau=ls.PD(q0, 100, 20, gravity=True), until=0.5)
    return Outcome(run.ok, float(np.nanmax(run.balance_error)), "" if run.ok else run.status)


def _without_friction(arm: ls.Arm) -> ls.Arm:
    """The law of a computed torque is exact where no joint sticks."""
    links = [link.replace(joint=link.joint.replace(friction=0.0)) if link.joint.moves else link for link in arm.links]
    return arm.replace(links=links)


TRIALS = {
    "free": free,
    "PD 200/40": held(lambda M: (200.0, 40.0)),
    "PD 2000/100": held(lambda M: (2000.0, 100.0)),
    "PD 400 M/40 M": held(lambda M: (list(400 * M), list(40 * M))),
    "computed torque": computed_torque,
    "friction": friction,
    "limits": limits,
    "ensemble of 64": ensemble,
}
