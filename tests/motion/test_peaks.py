"""Torques that peak between the places of a grid."""

import numpy as np

import lissom as ls
from lissom.motion.task.bounds import bounds_of
from lissom.motion.transcription.peaks import summits


def test_a_top_between_two_places_is_looked_at():
    limits = ls.Limits(torque=[1.0, 2.0])
    bounds = bounds_of(ls.load("two_link"), ls.Task(start=[0, 0], goal=[1, 1], limits=limits), "test")
    s = np.linspace(0, 1, 11)
    tau = np.stack([1.001 - 2 * (s - 0.337) ** 2, 0.9 - (s - 0.5) ** 2], axis=1)  # the second stays far from its limit
    closer = summits(bounds, s, np.zeros_like(tau), tau)
    assert np.abs(closer - 0.337).min() < 0.01
    assert closer.min() >= 0.2
    assert closer.max() <= 0.4


def test_torques_of_elastic_joints_between_samples():
    """Accelerations of deflections jump at breaks, so torques rise steeply beside them."""
    X = np.eye(4)
    X[0, 3] = 0.43
    first = ls.Joint(armature=0.031, elastic=ls.JointElasticity(47.0, 0.02))
    second = ls.Joint("revolute", X, armature=0.012, elastic=ls.JointElasticity(29.0))
    links = [
        ls.Link("u", joint=first, mass=1.3, com=(0.21, 0, 0), inertia=0.021),
        ls.Link(
            "f", "u", joint=second, mass=0.8, com=(0.17, 0, 0), inertia=0.011, payload=ls.Payload(0.4, (0.35, 0, 0))
        ),
    ]
    arm = ls.Arm("elastic", links, gravity=(0, -9.81, 0))
    motion = ls.predict_motion(arm, start=[-0.9, 0.3], goal=[0.7, -0.4], limits=ls.Limits(torque=[30, 12]))
    assert motion.verify().torque_utilisation < 1.001
