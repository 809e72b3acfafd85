"""Claims of Nasser about accelerations: against other methods and closed forms, reactions, and the closed chain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.formulations import nasser
from lissom.formulations.linkage import Linkage, State
from lissom.formulations.matrices import ONE, negative, plus, rotation, times
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion, Load
from lissom.papers.claims import ROUNDING, Claim, as_corrected, limited, slip, undecidable
from lissom.papers.nasser.arms import four_bar, planar_arm, shuttle_like_arm, two_arms
from lissom.spatial.rotations import Array
from lissom.verbs.assembly import assemble
from lissom.verbs.dynamics import forward_dynamics
from lissom.verbs.kinematics import acceleration
from lissom.verbs.reactions import joint_reactions

SPINS = "(2.1.6), (2.1.13.2) and gamma as in docs/errata.md"
GRAVITY = f"{SPINS}, and gravity as an acceleration of the base"
TREES = f"{GRAVITY}; sliding joints by (2.2.4) and (2.2.7), each branch its own P, R, sigma*, all as in docs/errata.md"
FORCES = f"{SPINS}; F_i^E with the sign of (2.1.7.6)"
WALKER_ORIN = ("walker_orin_1", "walker_orin_2", "walker_orin_3")


def claims() -> list[Claim]:
    """All claims about accelerations."""
    return [
        _identical(), _shuttle(), _two_links(), _tree(), _pushed(), _reactions(), _closed(), _drift(), _gravity(),
    ]  # fmt: skip


def _away(ours: Array, want: Array) -> float:
    """Largest difference relative to the largest value."""
    return float(np.abs(ours - want).max() / np.abs(want).max())


def _difference(arm: Arm, methods: tuple[str, ...], rows: int = 50) -> float:
    """Largest relative difference of the hinge accelerations of `nasser` to others."""
    rng = np.random.default_rng(4)
    q, qd = rng.uniform(-1.5, 1.5, (2, rows, arm.dof))
    tau = rng.uniform(-50.0, 50.0, (rows, arm.dof))
    ours = forward_dynamics(arm, q, qd, tau, method="nasser")
    others = [forward_dynamics(arm, q, qd, tau, method=method) for method in methods]
    others.append(forward_dynamics(arm, q, qd, tau))
    return max(_away(ours, other) for other in others)


def _identical() -> Claim:
    worst = _difference(shuttle_like_arm(), WALKER_ORIN)
    return as_corrected(
        "Introduction", "hinge accelerations identical to Walker-Orin on a six-joint arm",
        f"largest relative difference {worst:.1e} (methods 1, 2, 3 and the fast path)", worst, ROUNDING, SPINS,
    )  # fmt: skip


def _shuttle() -> Claim:
    arm = shuttle_like_arm()
    mass = sum(link.mass for link in arm.links)
    return undecidable(
        "Introduction", "tested with the Shuttle Remote Manipulator System data",
        f"a stated stand-in was used: six joints, booms of 6.4 and 7.1 m, {mass:.1f} kg, no gravity",
        "the paper prints no data of the arm",
    )  # fmt: skip


def _two_links() -> Claim:
    """Compare with the closed form of a planar arm with point-like elbows: M(q) qdd + h = tau."""
    l1, r1, m1, I1, r2, m2, I2, g = 0.7, 0.31, 2.3, 0.09, 0.27, 1.9, 0.06, 9.81
    arm = planar_arm(l1, {"shoulder": (m1, r1, I1), "fore": (m2, r2, I2)}, g)
    rng = np.random.default_rng(2)
    worst = 0.0
    for q, qd, tau in np.moveaxis(rng.uniform(-2.0, 2.0, (3, 25, 2)), 0, 1):
        a, b, d = I1 + m1 * r1**2 + I2 + m2 * (l1**2 + r2**2), m2 * l1 * r2, I2 + m2 * r2**2
        M = np.array([[a + 2 * b * np.cos(q[1]), d + b * np.cos(q[1])], [d + b * np.cos(q[1]), d]])
        h = b * np.sin(q[1]) * np.array([-(2 * qd[0] + qd[1]) * qd[1], qd[0] ** 2])
        fall = m2 * r2 * g * np.cos(q[0] + q[1])
        weight = np.array([(m1 * r1 + m2 * l1) * g * np.cos(q[0]) + fall, fall])
        want = np.linalg.solve(M, tau - h - weight)
        worst = max(worst, _away(forward_dynamics(arm, q, qd, tau, method="nasser"), want))
    return as_corrected(
        "Introduction", "verified analytically on a planar two-link arm",
        f"largest relative difference to the closed form {worst:.1e}", worst, ROUNDING, GRAVITY,
    )  # fmt: skip


def _tree() -> Claim:
    """Claim about trees: two arms on a column that turns and slides."""
    worst = _difference(two_arms(), WALKER_ORIN)
    return as_corrected(
        "section 2.3", "rotational and translational joints and a topological tree",
        f"largest relative difference {worst:.1e} on a branched arm of eight joints", worst, ROUNDING, TREES,
    )  # fmt: skip


def _pushed() -> Claim:
    """Claim about base motion and external forces on two links."""
    arm = shuttle_like_arm()
    rng = np.random.default_rng(9)
    q, qd, tau = rng.uniform(-1.0, 1.0, (3, 20, arm.dof))
    around: dict[str, Any] = {
        "base": BaseMotion(*rng.uniform(-0.5, 0.5, (3, 3))),
        "loads": [
            Load(arm.links[k].name, rng.uniform(-20.0, 20.0, 3), rng.uniform(-20.0, 20.0, 3), rng.uniform(-1.0, 1.0, 3))
            for k in (2, 5)
        ],
    }
    ours = forward_dynamics(arm, q, qd, tau, method="nasser", **around)
    worst = _away(ours, forward_dynamics(arm, q, qd, tau, **around))
    return as_corrected(
        "sections 2.1, 3.1", "prescribed base motion, control and external forces and torques",
        f"largest relative difference to the fast path {worst:.1e}", worst, ROUNDING, FORCES,
    )  # fmt: skip


# ---- as printed ----------------------------------------------------------------------------------------------


def _drift() -> Claim:
    """The sign in the lower half of (2.1.13.2)."""
    arm = shuttle_like_arm()
    linkage = Linkage(Bodies(arm))
    printed, corrected = [], []
    q, qd = np.random.default_rng(8).uniform(-1.5, 1.5, (2, 20, arm.dof))
    for row, rate in zip(q, qd, strict=True):
        frames = linkage.frames(list(row))
        state = State(linkage.members, frames, list(rate), [0.0] * arm.dof, linkage.in_frame_0(arm.gravity))
        links = nasser.velocities(state, [0.0] * arm.dof)
        turned = [link._replace(before=negative(link.before)) for link in links]  # it stands nowhere else from here on
        printed.append(nasser.outbound(state, turned, nasser.inbound(state, turned)))
        corrected.append(nasser.outbound(state, links, nasser.inbound(state, links)))
    want = forward_dynamics(arm, q, qd, np.zeros_like(q))
    off, right = _away(np.array(printed, float), want), _away(np.array(corrected, float), want)
    return slip(
        "(2.1.13.2)", "- w_{i-1} x z thd_i in the lower half of sigma*",
        f"six joints, 20 states: hinge accelerations off by {100 * off:.0f} % of the largest, with the other sign by "
        f"{right:.1e}",
        off > 0.01 and right < ROUNDING.size, "+ w_{i-1} x z thd_i",
    )  # fmt: skip


def _gravity() -> Claim:
    """What the equations give without a word about gravity."""
    arm = two_arms()
    q, qd, tau = np.random.default_rng(7).uniform(-1.0, 1.0, (3, 20, arm.dof))
    want = forward_dynamics(arm, q, qd, tau)
    off = _away(forward_dynamics(arm.replace(gravity=(0.0, 0.0, 0.0)), q, qd, tau, method="nasser"), want)
    right = _away(forward_dynamics(arm, q, qd, tau, method="nasser"), want)
    return limited(
        "(2.1.20)", "the hinge accelerations, with no word about gravity",
        f"a tree of {arm.dof} joints, 20 states: off by {100 * off:.0f} % of the largest, with gravity by {right:.1e}",
        off > 0.01 and right < ROUNDING.size,
        "weightless arms such as that of the Shuttle in orbit; elsewhere - g is added at the base",
    )  # fmt: skip


# ---- reactions ---------------------------------------------------------------------------------------------


def unknowns(arm: Arm, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
    """U_i of (2.1.7.1), (2.2.3) for all links, (n, 6) in axes of frames i-1, and these axes in the world (n, 3, 3)."""
    linkage = Linkage(Bodies(arm))
    gravity = linkage.in_frame_0(arm.gravity)
    state = State(linkage.members, linkage.frames(list(q)), list(qd), [0.0] * len(linkage), gravity)
    links = nasser.velocities(state, list(tau))
    hinges = nasser.inbound(state, links)
    before: list[Any] = []
    frames: list[Any] = []
    U, axes = [], []
    for i, member in enumerate(state.members):
        z, hinge = nasser.z_of(member), hinges[i]
        root = member.parent < 0
        a = nasser.base_acceleration(state, member) if root else nasser.passed(state, before, links, i)
        F = np.array(plus(times(hinge.A, a), hinge.B), float)
        U.append(F - np.array(hinge.k, float) * F[z] / hinge.k[z])  # G F: all rows but the hinge's
        U[-1][z] = -F[z] / hinge.k[z]
        a[z] = a[z] + U[-1][z]
        before.append(a)
        start = linkage.base if root else frames[member.parent]
        axes.append(start[:3, :3] if member.O is ONE else start[:3, :3] @ np.array(rotation(member.O)))
        frames.append(axes[-1] @ np.array(rotation(state.frames.A[i]), float))
    return np.array(U), np.array(axes)


def _reactions() -> Claim:
    """U_i against the reactions of inverse dynamics at the accelerations that follow."""
    worst = 0.0
    for arm in (shuttle_like_arm(), two_arms()):
        rng = np.random.default_rng(6)
        q, qd, tau = rng.uniform(-1.0, 1.0, (3, arm.dof)) * [[1.0], [1.0], [30.0]]
        U, axes = unknowns(arm, q, qd, tau)
        qdd = forward_dynamics(arm, q, qd, tau)
        want = joint_reactions(arm, q, qd, qdd).reshape(-1, 2, 3)
        want = np.einsum("nji,nbj->nbi", axes, want).reshape(-1, 6)
        for k, joint in enumerate(arm.joints):
            if not joint.angular:  # from the origin that slides with the link to that of frame i-1
                want[k, 3:] += np.cross([0.0, 0.0, q[k]], want[k, :3])
            want[k, 5 if joint.angular else 2] = qdd[k]
        worst = max(worst, _away(U, want))
    return as_corrected(
        "(2.1.7.1), (2.2.3)",
        "U_i holds the reactions of the joint, and the hinge acceleration in the place of the drive's direction",
        f"against joint_reactions at these accelerations: largest relative difference {worst:.1e}, six joints and a "
        "tree with sliding ones",
        worst, ROUNDING, TREES,
        "moments about the origin of frame i-1, in its axes",
    )  # fmt: skip


# ---- closed chain ------------------------------------------------------------------------------------------


class Closed(NamedTuple):
    """Accelerations of a closed chain and the forces at its cut ball joints, world axes (loops, 3)."""

    qdd: Array
    force: Array


def closed_chain(arm: Arm, q: Array, qd: Array, tau: Array) -> Closed:
    """Forward dynamics of a chain that closes by balls: cut there, the recursion run with the forces of the cuts.

    One run without forces and one for each component of each force give what every force changes; the forces are those
    for which the two sides of every cut accelerate alike. Components that a chain cannot feel are zero (least squares).
    """
    tree = arm.replace(loops=())
    pairs = [[(link, np.array(X)[:3, 3]) for link, X in (loop.a, loop.b)] for loop in arm.loops]

    def run(force: Array) -> tuple[Array, Array]:
        loads = [
            Load(link, sign * f, point=point)
            for f, ends in zip(force, pairs, strict=True)
            for sign, (link, point) in zip((1.0, -1.0), ends, strict=True)
        ]
        qdd = forward_dynamics(tree, q, qd, tau, loads=loads, method="nasser")
        apart = [
            np.subtract(*(acceleration(tree, q, qd, qdd, link, point)[:3] for link, point in ends)) for ends in pairs
        ]
        return qdd, np.concatenate(apart)

    size = 3 * len(pairs)
    still, gap = run(np.zeros((len(pairs), 3)))
    runs = [run(row.reshape(-1, 3)) for row in np.eye(size)]
    change = np.column_stack([apart - gap for _, apart in runs])
    force = np.linalg.lstsq(change, -gap, rcond=1e-10)[0]
    qdd = still + sum(f * (other - still) for f, (other, _) in zip(force, runs, strict=True))
    return Closed(np.asarray(qdd, float), np.asarray(force, float).reshape(-1, 3))


def _closed() -> Claim:
    """The extension that the paper announces, against the closed-loop dynamics of the fast path."""
    worst, described = 0.0, []
    for arm in (four_bar(), two_arms(closed=True)):
        rng = np.random.default_rng(3)
        away = 0.0
        for _ in range(5):
            state = assemble(arm, 0.4 + 0.2 * rng.normal(size=arm.dof), qd=rng.normal(size=arm.dof))
            tau = np.where([joint.actuated for joint in arm.joints], rng.uniform(-5.0, 5.0, arm.dof), 0.0)
            ours = closed_chain(arm, state.q, state.qd, tau)
            away = max(away, _away(ours.qdd, forward_dynamics(arm, state.q, state.qd, tau)))
        worst = max(worst, away)
        described.append(f"{arm.name} of {arm.dof} joints: {away:.1e}")
    return as_corrected(
        "section 4",
        "the extension to a closed kinematic chain follows naturally (its presentation is pending)",
        f"by its own recursion, run with forces at cut ball joints, largest relative difference to closed-loop forward "
        f"dynamics: {', '.join(described)}",
        worst, ROUNDING, f"{TREES}; F_i^E with the sign of (2.1.7.6)",
        "one run more for each force component of a cut, linear in the number of joints",
    )  # fmt: skip
