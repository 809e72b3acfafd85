"""The Coriolis matrix by Christoffel symbols, O(n^2) numbers by one recursion.

With h(q, qd) the forces of velocities alone, which are quadratic in qd, its entries are those of

    C = 1/2 dh/dqd,    C qd = h,    C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k

and dM/dt - 2 C is skew (Siciliano et al. 2009, section 7.2.1). Of rigid links, in world axes about the world's origin
(Echeandia and Wensing 2021): S the screw of a joint, psd = v x S with v the velocity of what carries it, and summed
over what a joint carries the inertia IC and B = 1/2 (v x* IC - IC v x + (IC v) x*); for a pair (i carries j)

    C_ij = S_i . (B S_j + IC psd_j)          C_ji = (B^T S_j) . S_i + (IC S_j) . psd_i

Of flexible links the tape of inverse dynamics is differentiated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.acting import MOTION, UPRIGHT, Acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.gradient import velocity_matrix
from lissom.dynamics.inverse import joint_torques
from lissom.dynamics.tree import Tree
from lissom.elements.link import RigidLink
from lissom.engine import derive
from lissom.engine.record import Recorder
from lissom.engine.run import AbstractRun
from lissom.records import dense, filled, record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Placement, Pose, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar, add, mul
from lissom.spatial.vectors import ZERO, Matrix3, Vector3


@record
class Moving:
    """Placement of a frame, and velocity of its body about the world's origin."""

    R: Rotation
    o: Vector3
    v: Twist


@record
class Screw:
    """The screw S of a joint, and psd = v x S."""

    S: Twist
    psd: Twist


@record
class VelocityComposite:
    """Sums over a body and what it carries: inertia IC, upper left block of B (the lower left one is -[l])."""

    inertia: RigidInertia
    B: Matrix3
    l: Vector3

    def __add__(self, other: VelocityComposite) -> VelocityComposite:
        return VelocityComposite(self.inertia + other.inertia, self.B + other.B, self.l + other.l)


@record
class CoriolisColumn:
    """Terms that the pairs of a column share: B S + IC psd, IC S, and the angular part of B^T S."""

    t: Wrench
    momentum: Wrench
    u: Vector3


@record
class PairEntries:
    """C_ij and C_ji."""

    ij: Scalar
    ji: Scalar


class Passed(NamedTuple):
    """The outward pass of a link."""

    moving: Moving
    screw: Screw
    composite: VelocityComposite


def outward(link: RigidLink, parent: Moving, x: Pose, qd: Coordinates) -> Passed:
    """Velocity of a link, its screw, and its own part of the composites."""
    placed = link.place(Placement(parent.R, parent.o), x)
    (S,), frame = placed.screws, placed.frame
    v, inertia = parent.v + S * qd[0], placed.inertia.moved(frame.p)
    momentum = inertia.times(v)
    own = VelocityComposite(inertia, velocity_matrix(inertia, v, momentum), momentum.f)
    return Passed(dense(Moving(frame.R, frame.p, v)), Screw(S, parent.v.cross(S)), own)


def column(screw: Screw, composite: VelocityComposite) -> CoriolisColumn:
    """Terms of a column."""
    S, l = screw.S, composite.l
    BS = Wrench(S.w.cross(l), composite.B.apply(S.w))
    t = BS + composite.inertia.times(screw.psd)
    return CoriolisColumn(t, composite.inertia.times(S), composite.B.T.apply(S.w) + l.cross(S.v))


def pair(screw: Screw, shared: CoriolisColumn) -> PairEntries:
    """Entries of a pair of coordinates."""
    ji = add(shared.u.dot(screw.S.w), screw.psd.dot(shared.momentum))
    return PairEntries(screw.S.dot(shared.t), ji)


def _sum(a: VelocityComposite, b: VelocityComposite) -> VelocityComposite:
    return a + b


def _at_rest(R: Rotation) -> Moving:
    return dense(Moving(R, ZERO, Twist(ZERO, ZERO)))


def program(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, then as `Acting.read_bodies`; output C, row by row."""
    n = bodies.dof
    q, qd = run.input(n), run.input(n)
    bodies = acting.read_bodies(run, bodies)
    free, q, qd = bodies.expanded(run, q, qd)
    entries = tree_entries(run, tree_of(free), q, qd)
    if bodies.coupling is not None:
        entries = bodies.coupling.matrix(run, entries, symmetric=False)
    zero = run.constant([0.0])
    run.output(*(entries.get((i, j), zero) for i in range(n) for j in range(n)))


def tree_entries(run: AbstractRun, tree: Tree, q: Any, qd: Any) -> dict[tuple[int, int], Any]:
    """Entries of C of a tree with one coordinate per joint; missing ones are zero."""
    x = tree.positions(run, q)
    moving: dict[int, Moving] = {BASE: run.call(_at_rest, run.constant(UPRIGHT))}
    screws: dict[int, Screw] = {}
    composite: dict[int, VelocityComposite] = {}
    for i, node in tree.outward():
        assert isinstance(node.element, RigidLink)
        moving[i], screws[i], composite[i] = run.call(outward, node.element, moving[node.parent], x[i], node.part(qd))
    for i, node in tree.inward():
        if node.parent != BASE:
            composite[node.parent] = run.call(_sum, composite[node.parent], composite[i])
    numbers = range(len(tree.nodes))
    columns = [run.call(column, screws[j], composite[j]) for j in numbers]
    found = run.call_pairs(pair, tree.chain, [screws[j] for j in numbers], columns)
    out: dict[tuple[int, int], Any] = {}
    for (i, j), two in found.items():
        out |= {(i, j): [two.ij], (j, i): [two.ji if i != j else two.ij]}
    return out


# ---- flexible links ------------------------------------------------------------------------------


def differentiated_program(run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd; output 1/2 dh/dqd, row by row, by reverse mode."""
    assert acting == Acting(), "the Coriolis matrix takes neither loads nor varied numbers"
    recorder = Recorder(4)
    n = bodies.dof
    q, qd = recorder.input(n), recorder.input(n)
    still, base = recorder.constant(np.zeros(n)), filled(MOTION, recorder.constant(np.zeros(9)))
    h = joint_torques(recorder, bodies.conservative, q, qd, still, base, [])
    recorder.output(*([recorder.call(_half, x[0])] for x in h))
    tape = recorder.tape(reuse=False)
    steps = derive.family(recorder.steps.values(), 1)
    run.play(derive.jacobian(tape, steps, 2, first=1), steps)


def _half(x: Scalar) -> Scalar:
    return mul(0.5, x)
