"""Kinematics, dynamics and their derivatives beside Pinocchio, which reads the same file by itself.

Pinocchio takes inertias literally and gives every joint a coordinate, so both are asked of lissom too; drives (damping,
friction) are left out of both. Errors are relative to the largest entry of Pinocchio's result.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pinocchio as pin

import lissom as ls
from trials.subject import Outcome, Subject, relative

STATES = 20
# Products of some thirty rotations in double precision.
POSES = 1e-12
# Sums over forty bodies, of which some are a million times lighter than others.
FORCES = 1e-10
# Rounding of an accurate factorisation of the mass matrix, times its condition number.
SOLVED = 1e-13


@lru_cache(maxsize=1)
def pair(subject: Subject) -> tuple[ls.Arm, pin.Model]:
    """The arm without drives and with every joint free, and Pinocchio's model of the same file."""
    arm = ls.load(subject.path, mimic="free", repair="as_written")
    links = [
        link.replace(joint=link.joint.replace(damping=0.0, friction=0.0)) if link.joint.moves else link
        for link in arm.links
    ]
    return arm.replace(links=links), pin.buildModelFromUrdf(str(subject.path))


def order(arm: ls.Arm, model: pin.Model) -> np.ndarray:
    """Place of each of our coordinates in Pinocchio's vectors of rates."""
    return np.array([model.joints[model.getJointId(joint.name)].idx_v for joint in arm.joints], int)


def states(subject: Subject, word: str) -> tuple[ls.Arm, pin.Model, list[np.ndarray], list[np.ndarray]]:
    """Random states, in our order and in Pinocchio's; there a position is a turn from neutral."""
    arm, model = pair(subject)
    rng, places = subject.rng(word), order(arm, model)
    q, qd, qdd = rng.uniform(-2.5, 2.5, (STATES, arm.dof)), *rng.normal(size=(2, STATES, arm.dof))
    theirs = [np.zeros((STATES, model.nv)) for _ in range(3)]
    for ours, there in zip((q, qd, qdd), theirs, strict=True):
        there[:, places] = ours
    theirs[0] = np.array([pin.integrate(model, pin.neutral(model), row) for row in theirs[0]])
    return arm, model, [q, qd, qdd], theirs


def kinematics(subject: Subject) -> Outcome:
    """Frames of all links, and the Jacobian of the last."""
    arm, model, (q, _, _), (Q, _, _) = states(subject, "kinematics")
    data, places, last = model.createData(), order(arm, model), arm.links[-1].name
    frames = [model.getFrameId(link.name, pin.FrameType.BODY) for link in arm.links]
    poses, slopes, worst = ls.poses(arm, q), ls.jacobian(arm, q, last), 0.0
    for k, row in enumerate(Q):
        pin.framesForwardKinematics(model, data, row)
        theirs = np.array([data.oMf[frame].homogeneous for frame in frames])
        J = pin.computeFrameJacobian(model, data, row, frames[-1], pin.LOCAL_WORLD_ALIGNED)[:, places]
        worst = max(worst, np.abs(poses[k] - theirs).max(), np.abs(slopes[k] - J).max())
    return Outcome(worst < POSES, worst)


def inverse_dynamics(subject: Subject) -> Outcome:
    """Torques of a motion."""
    arm, model, ours, theirs = states(subject, "inverse dynamics")
    data, places = model.createData(), order(arm, model)
    expected = np.array([pin.rnea(model, data, *row)[places] for row in zip(*theirs, strict=True)])
    error = relative(ls.inverse_dynamics(arm, *ours), expected)
    return Outcome(error < FORCES, error)


def forward_dynamics(subject: Subject) -> Outcome:
    """Accelerations, and the mass matrix; an error is judged beside the condition number."""
    arm, model, (q, qd, tau), (Q, V, T) = states(subject, "forward dynamics")
    data, places, worst, allowed = model.createData(), order(arm, model), 0.0, 0.0
    M, qdd = ls.mass_matrix(arm, q), ls.forward_dynamics(arm, q, qd, tau)
    for k in range(STATES):
        theirs = pin.crba(model, data, Q[k])
        theirs = (np.triu(theirs) + np.triu(theirs, 1).T)[np.ix_(places, places)]
        if (matrix := relative(M[k], theirs)) > FORCES:
            return Outcome(False, matrix, "the mass matrix differs")
        worst = max(worst, relative(qdd[k], pin.aba(model, data, Q[k], V[k], T[k])[places]))
        allowed = max(allowed, SOLVED * np.linalg.cond(theirs))
    return Outcome(worst < max(allowed, FORCES), worst)


def gradients(subject: Subject) -> Outcome:
    """Derivatives of torques and of accelerations, each part beside Pinocchio's."""
    arm, model, ours, theirs = states(subject, "gradients")
    data, places = model.createData(), order(arm, model)
    grid, worst, allowed = np.ix_(places, places), 0.0, FORCES
    inverse, forward = ls.inverse_dynamics_gradient(arm, *ours), ls.forward_dynamics_gradient(arm, *ours)
    for k, row in enumerate(zip(*theirs, strict=True)):
        parts = pin.computeRNEADerivatives(model, data, *row)
        M = np.triu(parts[2]) + np.triu(parts[2], 1).T
        found = [(inverse.q, parts[0]), (inverse.qd, parts[1]), (inverse.qdd, M)]
        # a derivative that vanishes for one library is rounding in the other: judge by the size of the torques
        worst = max(worst, *(_beside(mine[k], part[grid]) for mine, part in found))
        parts = pin.computeABADerivatives(model, data, *row)
        solved = np.triu(parts[2]) + np.triu(parts[2], 1).T
        found = [(forward.q, parts[0]), (forward.qd, parts[1]), (forward.tau, solved)]
        condition = SOLVED * np.linalg.cond(M)
        worst = max(worst, *(_beside(mine[k], part[grid]) / max(condition / FORCES, 1.0) for mine, part in found))
    return Outcome(worst < allowed, worst)


def _beside(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.abs(ours - theirs).max(initial=0.0) / max(np.abs(theirs).max(initial=0.0), 1.0))


def inverse_kinematics(subject: Subject) -> Outcome:
    """Twenty reachable poses of the last moving link, from the middle of the range."""
    arm = subject.arm
    q, _, _ = subject.states("inverse kinematics", STATES)
    link = max(arm.links, key=lambda link: depth(arm, link.name)).name
    found = ls.inverse_kinematics(arm, ls.pose(arm, q, link), link, q0=subject.middle, on_failure="return")
    missed = int((~found.solved).sum())
    note = f"{missed} of {STATES} not reached" if missed else ""
    return Outcome(missed == 0, float(found.position_error.max()), note)


def depth(arm: ls.Arm, name: str | None) -> int:
    """Moving joints between the base and a link."""
    count = 0
    while name is not None:
        link = arm.link(name)
        count, name = count + link.joint.moves, link.parent
    return count


TRIALS = {
    "kinematics": kinematics,
    "inverse dynamics": inverse_dynamics,
    "forward dynamics": forward_dynamics,
    "gradients": gradients,
    "inverse kinematics": inverse_kinematics,
}
