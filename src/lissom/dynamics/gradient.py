"""All first derivatives of inverse dynamics, O(n^2) numbers by one recursion, of rigid links.

World axes, six-dimensional vectors about the world's origin (Carpentier and Mansard 2018; Singh, Russell and Wensing
2022). With S the screw of a joint, v and a the velocity and acceleration of what carries it,

    psd = v x S,   psdd = a x S + v x psd,   Sd = psd for one coordinate

and, summed over what a joint carries, inertia IC, B (from the velocities) and force f, the rows and
columns of a pair (i carries j) are dot products:

    dtau_i/dq_j   = S_i . (2 B psd_j + IC psdd_j + S_j x* f)
    dtau_j/dq_i   = (2 B^T S_j) . psd_i + (IC S_j) . psdd_i
    dtau_i/dqd_j  = S_i . (2 B S_j + 2 IC psd_j)          dtau_j/dqd_i likewise
    dtau_i/dqdd_j = S_i . IC S_j

Loads stay constant in the world while their points move: with F the force at P on what j carries,
E S = ((w x P + v) x F, 0) replaces S x* f, and dtau_j/dq_i gets -S_i . (S_j x* f + E^T S_j).
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from lissom.dynamics.acting import UPRIGHT, Acting, Loaded
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.drives import with_slopes
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.tree import Tree
from lissom.elements.link import RigidLink
from lissom.elements.results import Placed
from lissom.engine.run import AbstractRun
from lissom.records import dense, filled, flat, record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import LoadValues, Motion, Placement, Pose, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar, add, mul, sub
from lissom.spatial.vectors import ZERO, Matrix3, Vector3, skew

Entries = dict[tuple[int, int, int], Any]  # (which, row, column) -> vector of one entry


@record
class SpatialMotion:
    """Placement of a frame, and velocity and acceleration of its body about the world's origin."""

    R: Rotation
    o: Vector3
    v: Twist
    a: Twist


@record
class Screws:
    """The screw S of a joint and its derivatives psd and psdd."""

    S: Twist
    psd: Twist
    psdd: Twist


@record
class Composite:
    """Sums over a body and what it carries: inertia IC, upper left block of B (the lower left one is -[l]), force f."""

    inertia: RigidInertia
    B: Matrix3
    l: Vector3
    f: Wrench

    def __add__(self, other: Composite) -> Composite:
        return Composite(self.inertia + other.inertia, self.B + other.B, self.l + other.l, self.f + other.f)

    def twice_B(self, x: Twist) -> Wrench:
        """2 B x."""
        return Wrench(x.w.cross(self.l), self.B.apply(x.w)) * 2


@record
class Loads:
    """Loads on a body and what it carries: wrench about the world's origin, and A = [F] [P]."""

    wrench: Wrench
    A: Matrix3

    def __add__(self, other: Loads) -> Loads:
        return Loads(self.wrench + other.wrench, self.A + other.A)


@record
class Column:
    """Terms that the pairs of a column share; g of loads."""

    t1: Wrench
    t2: Wrench
    t3: Wrench
    u: Vector3
    g: Wrench | None = None


@record
class PairDerivatives:
    """dtau_i/dq_j, dtau_j/dq_i, dtau_i/dqd_j, dtau_j/dqd_i, M_ij."""

    q_ij: Scalar
    q_ji: Scalar
    qd_ij: Scalar
    qd_ji: Scalar
    M: Scalar


class Passed(NamedTuple):
    """The outward pass of a link."""

    motion: SpatialMotion
    screws: Screws
    composite: Composite


def outward(link: RigidLink, parent: SpatialMotion, x: Pose, qd: Coordinates, qdd: Coordinates) -> Passed:
    """Motion of a link, its screw, and its own part of the composites."""
    placed: Placed = link.place(Placement(parent.R, parent.o), x)
    (S,), R, o = placed.screws, placed.frame.R, placed.frame.p
    psd = parent.v.cross(S)
    psdd = parent.a.cross(S) + parent.v.cross(psd)
    v, a = parent.v + S * qd[0], parent.a + S * qdd[0] + psd * qd[0]
    inertia = placed.inertia.moved(o)
    momentum = inertia.times(v)
    f = inertia.times(a) + v.cross_force(momentum)
    own = Composite(inertia, velocity_matrix(inertia, v, momentum), momentum.f, f)
    return Passed(SpatialMotion(R, o, v, a), Screws(S, psd, psdd), own)


def velocity_matrix(inertia: RigidInertia, v: Twist, momentum: Wrench) -> Matrix3:
    """Upper left block of B = 1/2 (v x* IC - IC v x + (IC v) x*)."""
    I, H, V, W = inertia.I.full, skew(inertia.h), skew(v.v), skew(v.w)
    return (W.times(I) - V.times(H) - I.times(W) - H.times(V) - skew(momentum.n)) * 0.5


def column(screws: Screws, composite: Composite) -> Column:
    """Terms of a column."""
    S, psd, psdd = screws.S, screws.psd, screws.psdd
    t1 = composite.twice_B(psd) + composite.inertia.times(psdd) + S.cross_force(composite.f)
    t2 = composite.twice_B(S) + composite.inertia.times(psd) * 2
    u = (composite.B.T.apply(S.w) + composite.l.cross(S.v)) * 2
    return Column(t1, t2, composite.inertia.times(S), u)


def pair(screws: Screws, shared: Column) -> PairDerivatives:
    """Derivatives of a pair of coordinates."""
    S, psd, psdd = screws.S, screws.psd, screws.psdd
    q_ji = add(shared.u.dot(psd.w), psdd.dot(shared.t3))
    if shared.g is not None:
        q_ji = add(q_ji, S.dot(shared.g))
    qd_ji = add(shared.u.dot(S.w), mul(2, psd.dot(shared.t3)))
    return PairDerivatives(S.dot(shared.t1), q_ji, S.dot(shared.t2), qd_ji, S.dot(shared.t3))


def loads_at(frame: SpatialMotion, load: LoadValues, place: Placement) -> Loads:
    """A load at a place on a frame."""
    P = frame.o + frame.R @ place.point(load.point)
    return Loads(Wrench(load.f, load.n).moved(P), skew(load.f).times(skew(P)))


def with_loads(shared: Column, S: Twist, loads: Loads) -> Column:
    """The column with loads: t1 corrected, and g with dtau_j/dq_i += S_i . g."""
    F, A, back = loads.wrench.f, loads.A, S.cross_force(loads.wrench)
    t1 = Wrench(shared.t1.f, shared.t1.n - A.apply(S.w) + F.cross(S.v))
    g = Wrench(-(back.f + F.cross(S.w)), -(back.n + A.T.apply(S.w)))
    return Column(t1, shared.t2, shared.t3, shared.u, g)


def base_of(R: Rotation, base: Motion) -> SpatialMotion:
    """The base, which passes through the world's origin at rest; with the structure of every other motion."""
    return dense(SpatialMotion(R, ZERO, Twist(base.w, ZERO), Twist(base.dw, base.a)))


def program(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, qdd, then as `Acting.read`; outputs dtau/dq, dtau/dqd, dtau/dqdd, row by row."""
    n = bodies.dof
    q, qd, qdd = run.input(n), run.input(n), run.input(n)
    bodies, motion, loads = acting.read(run, bodies)
    free, q, qd, qdd = bodies.expanded(run, q, qd, qdd)
    entries = tree_derivatives(run, tree_of(free), q, qd, qdd, motion, loads)
    zero = run.constant([0.0])
    for which in range(3):
        own = {(i, j): entry for (of, i, j), entry in entries.items() if of == which}
        if bodies.coupling is not None:
            own = bodies.coupling.matrix(run, own, symmetric=False)
        run.output(*(own.get((i, j), zero) for i in range(n) for j in range(n)))


def tree_derivatives(
    run: AbstractRun, tree: Tree, q: Any, qd: Any, qdd: Any, base: Motion, loads: list[Loaded]
) -> Entries:
    """Derivatives by q, qd, qdd of the torques of a tree."""
    x = tree.positions(run, q)
    motion: dict[int, SpatialMotion] = {BASE: run.call(base_of, run.constant(UPRIGHT), base)}
    screws: dict[int, Screws] = {}
    composite: dict[int, Composite] = {}
    for i, node in tree.outward():
        assert isinstance(node.element, RigidLink)
        parts = (motion[node.parent], x[i], node.part(qd), node.part(qdd))
        motion[i], screws[i], composite[i] = run.call(outward, node.element, *parts)
    carried = _loads(run, motion, loads)
    for i, node in tree.inward():
        if node.parent != BASE:
            composite[node.parent] = run.call(_sum, composite[node.parent], composite[i])
            _add(run, carried, node.parent, carried.get(i))
    entries = _entries(run, tree, screws, composite, carried)
    geared = [j for j, node in tree.own() if node.drive is not None and node.drive.bears_load]
    wrench = {j: carried[j].wrench if j in carried else None for j in geared}
    tau = {j: run.call(transmitted, screws[j], composite[j], wrench[j]) for j in geared}
    return with_slopes(run, tree, entries, (q, qd), tau)


C = TypeVar("C", Composite, Loads)


def _sum(a: C, b: C) -> C:
    return a + b


def _add(run: AbstractRun, sums: dict[int, Loads], i: int, more: Loads | None) -> None:
    if more is not None:
        sums[i] = run.call(_sum, sums[i], more) if i in sums else more


def _loads(run: AbstractRun, motion: dict[int, SpatialMotion], loads: list[Loaded]) -> dict[int, Loads]:
    """Loads summed on their bodies."""
    out: dict[int, Loads] = {}
    for load in loads:
        if load.body != BASE:
            _add(run, out, load.body, run.call(loads_at, motion[load.body], load.values, load.placement))
    return out


def _entries(
    run: AbstractRun, tree: Tree, screws: dict[int, Screws], composite: dict[int, Composite], loads: dict[int, Loads]
) -> Entries:
    """Entries of all pairs on a branch."""
    columns = [run.call(column, screws[j], composite[j]) for j in range(len(tree.nodes))]
    if loads:
        nothing = filled(flat(next(iter(loads.values()))).structure, run.constant([0.0] * 15))
        parts = enumerate(columns)
        columns = [run.call(with_loads, shared, screws[j].S, loads.get(j, nothing)) for j, shared in parts]
    out: Entries = {}
    found = run.call_pairs(pair, tree.chain, [screws[j] for j in range(len(columns))], columns)
    for (i, j), five in found.items():
        out |= {(0, i, j): [five.q_ij], (1, i, j): [five.qd_ij], (2, i, j): [five.M]}
        if i != j:
            out |= {(0, j, i): [five.q_ji], (1, j, i): [five.qd_ji], (2, j, i): [five.M]}
    return out


def transmitted(screws: Screws, composite: Composite, loads: Wrench | None) -> Scalar:
    """Torque that moves what a joint carries."""
    tau = screws.S.dot(composite.f)
    return tau if loads is None else sub(tau, screws.S.dot(loads))
