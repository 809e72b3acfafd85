"""Xiang, Arora and Abdel-Malek 2008 on a tape: the steps of `xiang` and `xiang_sensitivity`, link by link.

The equations are those of the two modules; here they are called one link, or one pair of a link and a joint, at a
time, so that each is compiled once however large the tree is. Between calls the values that begin a recursion stand
as structure, which is known when code is made: None for `ZERO`, 1 for `ONE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.drives import is_zero, motor_forces
from lissom.dynamics.from_arm import tree_of
from lissom.engine.run import AbstractRun
from lissom.formulations.lagrange import base_motion, rates
from lissom.formulations.linkage import Linkage, Member, Push, State, base_state_of, frames_of, pushed
from lissom.formulations.matrices import (
    ONE,
    ZERO,
    inner,
    minus,
    outer,
    plus,
    product,
    scaled,
    times,
    trace,
    transposed,
    value,
)
from lissom.formulations.xiang import Z_0, transforms_of
from lissom.formulations.xiang_sensitivity import (
    CarriedSlopes,
    MotionSlopes,
    handed_in,
    slopes_by_earlier,
    slopes_by_own,
    summed,
)
from lissom.spatial.scalar import Scalar, add

NOTHING = (None,) * 6  # slopes of what a joint does not move


def _in(x: Any) -> Any:
    """A matrix, vector or number as the formulations take it."""
    if x is None:
        return ZERO
    if isinstance(x, int):
        return ONE
    if hasattr(x, "__len__"):
        return [_in(entry) for entry in x]
    return x


def _out(x: Any) -> Any:
    return None if x is ZERO else 1 if x is ONE else x


class Tree(NamedTuple):
    """Values of a run, of the links of an arm: transforms, A_i, B_i, C_i and dA_i, and the same of the base."""

    members: Sequence[Member]
    transforms: list[Any]
    motion: list[Any]
    base: tuple[Any, Any, Any]
    pushes: dict[int, list[tuple[Any, Any, Any]]]
    gravity: list[float]

    def before(self, i: int) -> Any:
        """A, B, C of what carries link i."""
        parent = self.members[i].parent
        return self.base if parent < 0 else self.motion[parent][:3]

    def above(self, i: int) -> list[int]:
        """The joints that carry link i and its own, outermost first."""
        out = []
        while i >= 0:
            out.append(i)
            i = self.members[i].parent
        return out

    def start(self, i: int) -> Any:
        """O of link i."""
        return _out(self.members[i].O)


# ---- steps ---------------------------------------------------------------------------------------


def transforms(O: Any, B: Any, prismatic: int, q: Scalar) -> Any:
    """T_i and its first three derivatives."""
    unused: Any = None
    member = Member(-1, bool(prismatic), _in(O), _in(B), *(unused,) * 7)
    state = State([member], frames_of([member], [q]), [], [], [])
    return tuple(_out(part[0]) for part in transforms_of(state))


def outward(carrier: Any, own: Any, qd: Scalar, qdd: Scalar) -> Any:
    """(12)-(14): A_i, B_i, C_i, dA_i."""
    (A, B, C), (T, dT, ddT, _) = _in(carrier), _in(own)
    return tuple(_out(X) for X in rates(A, B, C, T, dT, ddT, qd, qdd))


def base_of(pose: Any, nine: Any) -> Any:
    """A_0, B_0, C_0 of a moving base."""
    return tuple(_out(X) for X in base_motion(base_state_of(_in(pose), _in(nine))))


def push_of(X: Any, base: Any, nine: Any) -> Any:
    """Force and moment in frame 0, point in frame i."""
    found = pushed(0, _in(X), _in(base), _in(nine))
    return found.force, found.moment, found.point


def own_part(pseudo: Any, mass: Scalar, com: Any, C: Any, pushes: Any) -> Any:
    """D_i, E_i, G_i of a link alone, (17)-(20)."""
    some = [Push(0, *push) for push in _in(pushes)]
    forces = plus(*(outer([*push.point, 1.0], [*push.force, 0.0]) for push in some))
    D = minus(product(_in(pseudo), transposed(_in(C))), forces)
    G = plus(*([*push.moment, 0.0] for push in some))
    return _out(D), scaled(mass, [*_in(com), 1.0]), _out(G)


def with_child(carried: Any, T: Any, child: Any) -> Any:
    """(37b): D, E, G with what a link adds to the one that carries it."""
    (D, E, G), T, (own_D, own_E, own_G) = _in(carried), _in(T), _in(child)
    return _out(plus(D, product(T, own_D))), _out(plus(E, times(T, own_E))), _out(plus(G, own_G))


def torque(O: Any, prismatic: int, A: Any, dA: Any, gravity: Any, carried: Any) -> Scalar:
    """The joint torque (16)."""
    D, E, G = _in(carried)
    inertia, weight = trace(product(_in(dA), D)), inner([*_in(gravity), 0.0], times(_in(dA), E))
    found: Scalar = value(minus(minus(inertia, weight), _moment(prismatic, O, A, G)))
    return found


def _moment(prismatic: int, O: Any, A: Any, G: Any) -> Any:
    """G_i^T A z_0; nothing for a prismatic joint."""
    return ZERO if prismatic or G is ZERO else inner(G, times(_in(A), times(_in(O), Z_0)))


def by_earlier(above: Any, own: Any, qd: Scalar, qdd: Scalar) -> Any:
    """(21)-(26), k < i."""
    T, dT, ddT, _ = _in(own)
    return tuple(_out(X) for X in slopes_by_earlier(MotionSlopes(*_in(above)), T, dT, ddT, qd, qdd))


def by_own(carrier: Any, own: Any, qd: Scalar, qdd: Scalar) -> Any:
    """(21)-(26), k = i."""
    (A, B, C), (_, dT, ddT, dddT) = _in(carrier), _in(own)
    return tuple(_out(X) for X in slopes_by_own(A, B, C, dT, ddT, dddT, qd, qdd))


def own_slopes(pseudo: Any, moving: Any) -> Any:
    """I_i dC_i^T/dq_k and so on, the link's own part of (27)-(29)."""
    I = _in(pseudo)
    return (*(_out(product(I, transposed(C))) for C in _in(moving)[3:]), None)


def with_slopes(carried: Any, T: Any, child: Any) -> Any:
    """(27)-(30): slopes of what a link carries with those of a child, the joint not being the child's."""
    new = handed_in(_in(T), CarriedSlopes(*_in(child)))
    return tuple(_out(X) for X in summed(new, None if carried is None else CarriedSlopes(*_in(carried))))


def with_turned(carried: Any, own: Any, held: Any) -> Any:
    """The term dT_c D_c and dT_c E_c of (27), (30) for the child's own joint, k = c."""
    dT, (D, E, _) = _in(own)[1], _in(held)
    turned = CarriedSlopes(D_q=product(dT, D), E_q=times(dT, E))
    return tuple(_out(X) for X in summed(turned, CarriedSlopes(*_in(carried))))


def torque_slopes(
    joint: Any, own: Any, A: Any, dA: Any, gravity: Any, carried: Any, slopes: Any, above: Any
) -> tuple[Scalar, Scalar, Scalar]:
    """(33)-(35); `joint` is (O, prismatic, case), case -1, 0, 1 for k < i, k = i, k > i."""
    O, prismatic, case = joint
    slope, (D, E, G) = CarriedSlopes(*_in(slopes)), _in(carried)
    dA, (_, dT, ddT, _), above = _in(dA), _in(own), _in(above)
    second = product(_in(A), ddT) if case == 0 else product(above, dT)
    inertia = plus(trace(product(second, D)), trace(product(dA, slope.D_q)))
    weight = inner([*_in(gravity), 0.0], plus(times(second, E), times(dA, slope.E_q)))
    moment = ZERO if above is ZERO else _moment(prismatic, O, _out(above), G)
    by_q = minus(minus(inertia, weight), moment)
    by_rate, by_acceleration = (value(trace(product(dA, D))) for D in (slope.D_qd, slope.D_qdd))
    return value(by_q), by_rate, by_acceleration


# ---- programs ------------------------------------------------------------------------------------


def torque_program(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, qdd, then the base's motion and the loads; output tau."""
    n = len(bodies)
    q, qd, qdd = (run.input(n) for _ in range(3))
    tree = _tree(run, bodies, acting, q, qd, qdd)
    tau = []
    for i, carried in enumerate(_carried(run, tree)):
        member = tree.members[i]
        own = run.call(torque, tree.start(i), int(member.prismatic), tree.before(i)[0], tree.motion[i][3],
                       tree.gravity, carried)  # fmt: skip
        tau.append([own])
    run.output(*motor_forces(run, tree_of(bodies), tau, q, qd, qdd))


def gradient_program(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs as of `torque_program`; outputs dtau/dq, dtau/dqd, dtau/dqdd, row by row."""
    n = len(bodies)
    q, qd, qdd = (run.input(n) for _ in range(3))
    tree = _tree(run, bodies, acting, q, qd, qdd)
    carried, moving = _carried(run, tree), _moving(run, tree, qd, qdd)
    carrying = _carrying(run, tree, carried, moving)
    zero = run.constant([0.0])
    entries: list[dict[tuple[int, int], Any]] = [{}, {}, {}]
    for i, joints in enumerate(carrying):
        for k, slopes in joints.items():
            found = _slopes(run, tree, i, k, carried[i], slopes, moving)
            for matrix, entry in zip(entries, found, strict=True):
                matrix[i, k] = [entry]
    for i, body in enumerate(bodies.list):
        for matrix, own in zip(entries, (body.stiffness, body.damping, body.armature), strict=True):
            if not is_zero(own):
                matrix[i, i] = [run.call(add, matrix[i, i][0], own)]
    for matrix in entries:
        run.output(*(matrix.get((i, k), zero) for i in range(n) for k in range(n)))


def _tree(run: AbstractRun, bodies: Bodies, acting: Acting, q: Any, qd: Any, qdd: Any) -> Tree:
    linkage = Linkage(bodies)
    pose = linkage.base.tolist()
    base: Any = run.call(base_of, pose, run.input(9)) if acting.base else (1, None, None)
    pushes: dict[int, list[Any]] = {}
    for frame, nine in acting.read_loads(run, bodies):
        place = linkage.place(frame)
        if place is not None:
            pushes.setdefault(place[0], []).append(run.call(push_of, place[1], pose, nine))
    gravity = [float(g) for g in linkage.in_frame_0(bodies.arm.gravity)]
    tree = Tree(linkage.members, [], [], base, pushes, gravity)
    for i, member in enumerate(tree.members):
        tree.transforms.append(run.call(transforms, tree.start(i), member.B, int(member.prismatic), q[i]))
        tree.motion.append(run.call(outward, tree.before(i), tree.transforms[i], qd[i], qdd[i]))
    return tree


def _carried(run: AbstractRun, tree: Tree) -> list[Any]:
    """D_i, E_i, G_i of all links."""
    out: list[Any] = []
    for i, member in enumerate(tree.members):
        own = (member.pseudo, member.mass, member.com, tree.motion[i][2], tree.pushes.get(i, []))
        out.append(run.call(own_part, *own))
    for i in range(len(out) - 1, -1, -1):
        parent = tree.members[i].parent
        if parent >= 0:
            out[parent] = run.call(with_child, out[parent], tree.transforms[i][0], out[i])
    return out


def _moving(run: AbstractRun, tree: Tree, qd: Any, qdd: Any) -> list[dict[int, Any]]:
    """(21)-(26): per link i, by the joints k that move it."""
    out: list[dict[int, Any]] = []
    for i, own in enumerate(tree.transforms):
        parent = tree.members[i].parent
        above = {} if parent < 0 else out[parent]
        mine = {k: run.call(by_earlier, slopes, own, qd[i], qdd[i]) for k, slopes in above.items()}
        mine[i] = run.call(by_own, tree.before(i), own, qd[i], qdd[i])
        out.append(mine)
    return out


def _carrying(run: AbstractRun, tree: Tree, carried: list[Any], moving: list[dict[int, Any]]) -> list[dict[int, Any]]:
    """(27)-(31): per link i, by the joints k on its branch."""
    out: list[dict[int, Any]] = []
    for member, slopes in zip(tree.members, moving, strict=True):
        out.append({k: run.call(own_slopes, member.pseudo, own) for k, own in slopes.items()})
    for i in range(len(out) - 1, -1, -1):
        parent = tree.members[i].parent
        if parent < 0:
            continue
        T, below = tree.transforms[i], out[parent]
        for k, slopes in out[i].items():
            below[k] = run.call(with_slopes, below.get(k), T[0], slopes)
            if k == i:
                below[k] = run.call(with_turned, below[k], T, carried[i])
    return out


def _slopes(run: AbstractRun, tree: Tree, i: int, k: int, carried: Any, slopes: Any, moving: list[Any]) -> Any:
    """Derivatives of torque i by q, qd and qdd of joint k."""
    member = tree.members[i]
    case = 0 if k == i else -1 if k in moving[i] else 1
    above = None if member.parent < 0 else moving[member.parent].get(k, NOTHING)[0]
    joint = (tree.start(i), int(member.prismatic), case)
    return run.call(torque_slopes, joint, tree.transforms[i], tree.before(i)[0], tree.motion[i][3], tree.gravity,
                    carried, slopes, above)  # fmt: skip
