"""Motions that are best for random tasks, each verified by an independent simulation.

The error is the largest defect that the verification found: how far the simulated state at the end of a segment is from
the planned one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import lissom as ls
from trials.dynamics import depth
from trials.subject import Outcome, Subject

MOST = 9  # coordinates of the robots that are planned for
INNER = 0.25  # of the range on each side that starts and goals keep away from
RATE, ACCELERATION = 2.0, 10.0  # that a user would allow [rad/s or m/s, and per s]; limits of the joints hold too
UNHURRIED = 2.0  # times the shortest duration that rates allow, where effort is minimised


def ends(subject: Subject, word: str) -> tuple[np.ndarray, np.ndarray]:
    """A random start and goal, inside the range."""
    lower, upper = subject.range
    room = INNER * (upper - lower)
    return tuple(subject.rng(word).uniform(lower + room, upper - room, (2, subject.arm.dof)))  # type: ignore[return-value]


def tip(arm: ls.Arm) -> str:
    """The link that is farthest from the base in joints."""
    return max(arm.links, key=lambda link: depth(arm, link.name)).name


def planned(arm: ls.Arm, **task: Any) -> Outcome:
    """Plan and verify."""
    motion = ls.predict_motion(arm, limits=ls.Limits(velocity=RATE, acceleration=ACCELERATION), **task)
    check = motion.verify()
    return Outcome(motion.ok and check.ok, float(np.abs(check.defects).max()), "" if check.ok else check.status)


def unhurried(arm: ls.Arm, distance: np.ndarray) -> float:
    """A duration in which all joints have ample time for their ways."""
    fastest = np.minimum(np.abs(arm.bounds("velocity")).min(axis=0), RATE)
    return max(1.5, UNHURRIED * float((np.abs(distance) / fastest).max()))


def joint_goal(minimise: str) -> Callable[[Subject], Outcome]:
    """From one random position to another."""

    def trial(subject: Subject) -> Outcome:
        start, goal = ends(subject, minimise)
        timed = {} if minimise == "time" else {"duration": unhurried(subject.arm, goal - start)}
        return planned(subject.arm, start=start, goal=goal, minimise=minimise, **timed)

    return trial


def pose_goal(subject: Subject) -> Outcome:
    """A place in space as the goal, which is reachable."""
    start, goal = ends(subject, "pose")
    link = tip(subject.arm)
    place = ls.pose(subject.arm, goal, link)
    return planned(subject.arm, start=start, goal=ls.Reach(link, position=place[:3, 3]))


def via_point(subject: Subject) -> Outcome:
    """By way of a third position."""
    start, goal = ends(subject, "via")
    between, _ = ends(subject, "between")
    return planned(subject.arm, start=start, goal=goal, via=[ls.Via(0.5, between)])


def payload(subject: Subject) -> Outcome:
    """With a payload of a twentieth of the arm's mass."""
    start, goal = ends(subject, "payload")
    arm = subject.arm.with_payload(ls.Payload(0.05 * subject.arm.mass), link=tip(subject.arm))
    return planned(arm, start=start, goal=goal)


def obstacle(subject: Subject) -> Outcome:
    """A small ball beside the middle of the straight motion of the tip."""
    start, goal = ends(subject, "obstacle")
    arm, link = subject.arm, tip(subject.arm)
    first, middle, last = (ls.pose(arm, q, link)[:3, 3] for q in (start, (start + goal) / 2, goal))
    radius = 0.2 * min(np.linalg.norm(middle - first), np.linalg.norm(middle - last))
    if radius < 1e-3:
        return Outcome(True, None, "the tip does not move")
    ball = ls.Sphere(middle + [0.0, 0.0, 0.5 * radius], radius)
    return planned(arm, start=start, goal=goal, obstacles=[ball])


TRIALS = {
    "time": joint_goal("time"),
    "torque": joint_goal("torque_squared"),
    "energy": joint_goal("energy"),
    "jerk": joint_goal("jerk"),
    "pose": pose_goal,
    "via": via_point,
    "payload": payload,
    "obstacle": obstacle,
}
