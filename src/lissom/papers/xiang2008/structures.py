"""Sections 4.2 and 4.4: branches, closed loops, external moments and a moving base by the paper's recursion."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.formulations import xiang
from lissom.formulations.linkage import Linkage, State
from lissom.formulations.matrices import ONE
from lissom.model.arm import Arm
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.model.loads import BaseMotion, Load, Loop
from lissom.papers.claims import ROUNDING, Claim, as_corrected
from lissom.spatial.rotations import Array, about_axis
from lissom.verbs.assembly import assemble, closure_forces
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.kinematics import jacobian, pose
from lissom.verbs.sensitivity import inverse_dynamics_gradient

METHOD = "xiang"
JOINTS = 55  # of the human model that the paper mentions
STATES = 20
TOOL = (0.03, -0.05, 0.12)


def claims() -> list[Claim]:
    """All claims about structures and loads."""
    return [_branches(), _closed_loop(), _moments(), _virtual_joints()]


# ---- arms --------------------------------------------------------------------------------------------------


def chain(n: int) -> Arm:
    """n joints in space, every fourth one prismatic."""
    return _tree("chain", [k - 1 for k in range(n)])


def torso(n: int = JOINTS) -> Arm:
    """A tree: a spine of a fifth of the joints, from whose ends and middle limbs leave."""
    spine = n // 5
    parents = [k - 1 for k in range(spine)]
    roots = [0, 0, spine // 2, spine - 1]
    ends = list(roots)
    for k in range(spine, n):
        limb = k % len(roots)
        parents.append(ends[limb])
        ends[limb] = k
    return _tree("torso", parents)


def _tree(name: str, parents: list[int]) -> Arm:
    """Joints about all axes, awkward places and inertias."""
    rng, links = np.random.default_rng(len(parents)), []
    for k, parent in enumerate(parents):
        X, A = np.eye(4), rng.normal(size=(3, 3))
        X[:3, :3] = about_axis(_unit(rng), rng.uniform(-1.0, 1.0))
        X[:3, 3] = rng.uniform(-0.2, 0.3, 3)
        joint = Joint("prismatic" if k % 4 == 3 else "revolute", X, _unit(rng))
        second = 0.02 * A @ A.T
        links.append(Link(f"l{k}", None if parent < 0 else f"l{parent}", joint, 0.5 + rng.uniform(),
                          rng.uniform(-0.1, 0.1, 3), np.trace(second) * np.eye(3) - second))  # fmt: skip
    return Arm(name, tuple(links), gravity=(1.0, -2.0, -9.0))


def _unit(rng: np.random.Generator) -> Array:
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def five_bar() -> Arm:
    """Two arms of two links whose ends are joined; motors at the shoulders."""

    def rod(name: str, parent: str | None, length: float, x: float, motor: bool) -> Link:
        X = np.eye(4)
        X[0, 3] = x
        mass = 2.0 * length
        return Link(name, parent, Joint("revolute", X, actuated=motor), mass=mass, com=(0.47 * length, 0.01, 0.0),
                    inertia=mass * length**2 / 11)  # fmt: skip

    links = [rod("left", None, 0.4, -0.15, True), rod("left_fore", "left", 0.5, 0.4, False),
             rod("right", None, 0.4, 0.15, True), rod("right_fore", "right", 0.5, 0.4, False)]  # fmt: skip
    grip = Loop(("left_fore", (0.5, 0.0, 0.0)), ("right_fore", (0.5, 0.0, 0.0)))
    return Arm("five_bar", tuple(links), gravity=(0.7, -9.7, 0.0), loops=(grip,))


# ---- claims ------------------------------------------------------------------------------------------------


def _apart(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


def _states(arm: Arm, seed: int) -> Array:
    return np.random.default_rng(seed).uniform(-1.2, 1.2, (3, STATES, arm.dof))


def _branches() -> Claim:
    """(36), (37) on a tree, beside the fast path (Newton and Euler in six-dimensional vectors)."""
    arm = torso(23)
    q, qd, qdd = _states(arm, 1)
    torque = _apart(inverse_dynamics(arm, q, qd, qdd, method=METHOD), inverse_dynamics(arm, q, qd, qdd))
    slopes = zip(
        inverse_dynamics_gradient(arm, q, qd, qdd, method=METHOD),
        inverse_dynamics_gradient(arm, q, qd, qdd),
        strict=True,
    )
    slope = max(_apart(a, b) for a, b in slopes)
    loose = _apart(np.array(_printed(arm, q[0], qd[0], qdd[0]), float), inverse_dynamics(arm, q[0], qd[0], qdd[0]))
    return as_corrected(
        "(36), (37)",
        "branched chains: kinematics go to every child, dynamics of the children are summed in the parent",
        f"a tree of {arm.dof} joints with four limbs, {STATES} states: torques within {torque:.1e}, sensitivities "
        f"within {slope:.1e} of the fast path, relative; with (37b) as printed torques are {100 * loose:.0f} % off",
        max(torque, slope) if loose > 0.01 else np.inf, ROUNDING,
        "(37b) sums T_child D_child, T_child E_child and T_child F_child; (19), (23) and (26) as in the errata",
    )  # fmt: skip


def _printed(arm: Arm, q: Array, qd: Array, qdd: Array) -> list[Any]:
    """Torques with (37b) as it is printed: sums of the children's D and E without their T."""
    linkage = Linkage(Bodies(arm))
    members, gravity = linkage.members, [float(g) for g in linkage.in_frame_0(arm.gravity)]
    state = State(members, linkage.frames(list(q)), list(qd), list(qdd), gravity, ())
    transforms = xiang.transforms_of(state)
    motion, children = xiang.kinematics(state, transforms), Counter(member.parent for member in members)
    bare = [ONE if children[m.parent] > 1 else T for m, T in zip(members, transforms.T, strict=True)]
    carried = xiang.dynamics(state, transforms._replace(T=bare), motion)
    return [xiang.torque(state, motion, carried, i) for i in range(len(members))]


def _closed_loop() -> Claim:
    """(38): the loop cut, the forces in it as external ones, a constraint on the position."""
    arm = five_bar()
    cut, worst, gap = arm.replace(loops=()), 0.0, 0.0
    rng = np.random.default_rng(3)
    for _ in range(STATES):
        start = np.array([2.2, -1.2, 0.9, 1.2]) + rng.uniform(-0.2, 0.2, 4)
        q, qd, qdd, *_ = assemble(arm, start, ["left", "right"], *rng.uniform(-1.0, 1.0, (2, 4)))
        held = closure_forces(arm, q, qd, qdd)
        loads = [Load(name, sign * held.force[0], sign * held.moment[0], (0.5, 0.0, 0.0))
                 for name, sign in (("right_fore", 1.0), ("left_fore", -1.0))]  # fmt: skip
        tau = inverse_dynamics(cut, q, qd, qdd, loads=loads, method=METHOD)
        worst = max(worst, float(np.abs(tau - inverse_dynamics(arm, q, qd, qdd)).max() / np.abs(held.tau).max()))
        ends = [pose(arm, q, name, point=(0.5, 0.0, 0.0))[:3, 3] for name in ("left_fore", "right_fore")]
        gap = max(gap, float(np.abs(ends[0] - ends[1]).max()))
    return as_corrected(
        "(38)",
        "closed loops: a cut joint with external forces and a constraint on the position",
        f"five-bar with two motors, {STATES} states: torques of the cut tree under the forces in the loop within "
        f"{worst:.1e} of those of the mechanism, none at the two joints without motors; the ends meet within "
        f"{gap:.0e} m",
        worst, ROUNDING, "(19) per loaded link: there are two, the ends of the cut loop",
    )  # fmt: skip


def _moments() -> Claim:
    """(20) and the last term of (16), beside virtual work J^T f."""
    arm, worst = torso(23), 0.0
    rng, (q, qd, qdd) = np.random.default_rng(6), _states(arm, 2)
    plain = inverse_dynamics(arm, q, qd, qdd, method=METHOD)
    links, pushes = (arm.links[7].name, arm.links[-1].name), rng.uniform(-20.0, 20.0, (2, 2, 3))
    loads = [Load(link, push[0], push[1], TOOL) for link, push in zip(links, pushes, strict=True)]
    parts = [np.swapaxes(jacobian(arm, q, link, point=TOOL), -1, -2) @ push.ravel()
             for link, push in zip(links, pushes, strict=True)]  # fmt: skip
    for some, work in ((loads[:1], parts[0]), (loads[1:], parts[1]), (loads, parts[0] + parts[1])):
        loaded = inverse_dynamics(arm, q, qd, qdd, loads=some, method=METHOD)
        worst = max(worst, float(np.abs(plain - loaded - work).max() / np.abs(loaded).max()))
    return as_corrected(
        "(16)-(20)",
        "external forces and moments at any point of the mechanism",
        f"a force and a moment on each of two links of a tree of {arm.dof} joints, one at a time and both at once, "
        f"{STATES} states: torques change by the sum of J^T f to {worst:.1e}, relative",
        worst, ROUNDING, "(19) is the sum of r_k f_k^T over the loads of link i; (37b) with T_child",
    )  # fmt: skip


def _virtual_joints() -> Claim:
    """A moving base by six virtual joints without mass, beside the base's motion given as such."""
    some = chain(6).links  # the first is the body of the base
    arm = chain(6).replace(links=(some[0].replace(joint=Joint("fixed")), *some[1:]))
    axes = np.eye(3)
    names = [f"virtual_{k}" for k in range(6)]
    virtual = [
        Link(name, names[k - 1] if k else None, Joint("prismatic" if k < 3 else "revolute", axis=axes[k % 3]))
        for k, name in enumerate(names)
    ]
    whole = arm.replace(links=(*virtual, *(x if x.parent else x.replace(parent=names[-1]) for x in arm.links)))
    rng = np.random.default_rng(8)
    (q, qd, qdd), (v, dv) = _states(arm, 5), rng.uniform(-1.0, 1.0, (2, 6))
    first = np.zeros((STATES, 6))
    Q, QD, QDD = (np.hstack([first + more, x]) for more, x in ((0.0, q), (v, qd), (dv, qdd)))
    turn = np.array([v[4] * v[5], -v[3] * v[5], v[3] * v[4]])  # of the axes of the virtual joints, at zero angles
    base = BaseMotion(v[3:], dv[3:] + turn, dv[:3])
    found = inverse_dynamics(whole, Q, QD, QDD, method=METHOD)[:, 6:]
    apart = _apart(found, inverse_dynamics(arm, q, qd, qdd, base=base))
    slopes = inverse_dynamics_gradient(whole, Q, QD, QDD, method=METHOD).q[:, 6:, 6:]
    slope = _apart(slopes, inverse_dynamics_gradient(arm, q, qd, qdd, base=base).q)
    return as_corrected(
        "section 4.4",
        "a moving base is dealt with by virtual joints of zero mass and inertia",
        f"six of them under five joints, {STATES} states: torques within {apart:.1e} and sensitivities within "
        f"{slope:.1e} of those with the base's motion given, relative",
        max(apart, slope), ROUNDING, "(23) and (26) as in the errata, for the sensitivities",
        "method='xiang' also takes base=, and starts (12)-(14) with it",
    )  # fmt: skip
