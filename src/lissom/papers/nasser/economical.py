"""Nasser's recursion with its symmetry and its zeros used, for serial arms of revolute joints in the paper's axes.

The same numbers as `formulations.nasser`, made with fewer operations:

- A* is symmetric: of its blocks [[M, H], [H^T, J]] only the upper triangles of M and J are computed.
- Reduced by its own hinge it is A* - a a^T / d with a = A* Z and d = Z^T a + J^a; a and 1 / d are all that the outbound
  pass needs, and gamma G is never formed.
- P R* is made of two screws, along and about x_i and along and about z_{i-1} (A.1.1), (A.1.3): no product of matrices.
- A_i is constant in axes of link i about the origin of its frame, and is added there.
- The part w_{i-1} x z thd of sigma* acts on all of A*_i, through two of its columns.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import UnsupportedError
from lissom.formulations.counting import Count, Tally, counted_state
from lissom.formulations.linkage import Linkage, Member, State
from lissom.formulations.matrices import cross, dot, negative, plus, scaled, skew, times
from lissom.spatial.rotations import Array

X, Z = 0, 2
PARALLEL = 1e-9  # sine of the angle between axes, and distances [m], that count as zero


class Screw(NamedTuple):
    """Shift along an axis and turn about it, by cosine and sine."""

    axis: int
    shift: Any
    c: Any
    s: Any


class Hinge(NamedTuple):
    """Values of link i that the outbound pass needs: a, 1 / d, B*_z, and the drifts of sigma*."""

    a: Any
    share: Any  # 1 / d
    B: Any
    angular: Any  # w_{i-1} x z thd, its entries x and y, axes of frame i-1
    linear: Any  # w_i x (w_i x P_i), axes of frame i


class Inertia(NamedTuple):
    """Blocks of a symmetric 6x6 matrix [[M, H], [H^T, J]]."""

    M: Any
    H: Any
    J: Any


def in_paper_axes(linkage: Linkage) -> Linkage:
    """The linkage with its frames moved along their joint axes to the common normals, (A.1.1) and (A.1.3)."""
    if not linkage.serial or any(joint.period is None for joint in linkage.bodies.arm.moving_joints):
        raise UnsupportedError("the economical form of Nasser covers serial arms of revolute joints only.")
    out, members, before = copy.copy(linkage), [], 0.0
    for member in linkage.members:
        B = np.array(member.B, float)
        sine = B[2, 1]
        if member is linkage.members[-1]:
            along = before  # it carries nothing: its frame stays on its joint
        elif abs(sine) < PARALLEL:
            along = 0.0
        else:
            along = float(B[1, 0] * B[0, 3] - B[0, 0] * B[1, 3]) / float(sine)
        moved = B @ _along_z(-along)
        if abs(B[2, 0]) > PARALLEL or abs(B[0, 0] * moved[1, 3] - B[1, 0] * moved[0, 3]) > PARALLEL:
            raise UnsupportedError("the economical form of Nasser covers arms in Denavit-Hartenberg axes only.")
        com = [*member.com[:2], member.com[2] + along]
        moment = [member.mass * x for x in com]
        members.append(member._replace(B=(_along_z(before) @ moved).tolist(), com=com, moment=moment))
        before = along
    out.members = members
    return out


def _along_z(shift: float) -> Array:
    T = np.eye(4)
    T[2, 3] = shift
    return T


def count_economical(linkage: Linkage, folded: bool) -> Count:
    """Operations of `accelerations` on an arm, dense or with zeros, ones and constants folded."""
    linkage = in_paper_axes(linkage)
    tally = Tally(folded)
    state = counted_state(linkage, tally)
    tally.counting = False  # constants of the links are given, as are the entries of A_i
    given = constants(state.members)
    tally.counting = True
    accelerations(state, list(state.qd), given)
    return Count(tally.multiplications, tally.additions)


def constants(members: Sequence[Member]) -> list[tuple[Inertia, Any]]:
    """A_i and m r of all links in their own frames."""
    out = []
    for member in members:
        S, Sm = skew(member.com), skew(member.moment)
        J = [[member.inertia[i][j] - dot(Sm[i], [row[j] for row in S]) for j in range(3)] for i in range(3)]
        out.append((Inertia(member.mass, [negative(row) for row in Sm], J), member.moment))
    return out


def accelerations(state: State, tau: Any, given: list[tuple[Inertia, Any]]) -> list[Any]:
    """Hinge accelerations."""
    rates = velocities(state)
    hinges = inbound(state, tau, given, rates)
    return outbound(state, hinges)


def screws(state: State, i: int) -> tuple[Screw, Screw]:
    """Screws about z_{i-1} and about x_i that lead from frame i-1 to frame i: Rot_z Trans_z Trans_x Rot_x."""
    A, reach = state.frames.A[i], state.frames.reach[i]
    return Screw(Z, A[2][3], A[0][0], A[1][0]), Screw(X, reach[0], A[2][2], A[2][1])


# ---- screws ------------------------------------------------------------------------------------------------


def _turned(axis: int, c: Any, s: Any, v: Any) -> Any:
    """A vector turned about an axis."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    out = list(v)
    out[j], out[k] = c * v[j] - s * v[k], s * v[j] + c * v[k]
    return out


def _shift(axis: int, by: Any, f: Any) -> dict[int, Any]:
    """The two entries of p x f with p along an axis."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    return {j: negative(by * f[k]), k: by * f[j]}


def _added(v: Any, some: dict[int, Any]) -> Any:
    return [x + some[k] if k in some else x for k, x in enumerate(v)]


def wrench_before(screw: Screw, f: Any, n: Any) -> tuple[Any, Any]:
    """A wrench behind a screw, about the origin and in the axes before it."""
    f, n = (_turned(screw.axis, screw.c, screw.s, v) for v in (f, n))
    return f, _added(n, _shift(screw.axis, screw.shift, f))


def motion_behind(screw: Screw, a: Any, dw: Any) -> tuple[Any, Any]:
    """An acceleration before a screw, at the origin and in the axes behind it."""
    by = _shift(screw.axis, screw.shift, dw)
    a = [x - by[k] if k in by else x for k, x in enumerate(a)]
    back = negative(screw.s)
    return _turned(screw.axis, screw.c, back, a), _turned(screw.axis, screw.c, back, dw)


def inertia_before(screw: Screw, A: Inertia) -> Inertia:
    """A symmetric matrix behind a screw, about the origin and in the axes before it."""
    c, s, axis = screw.c, screw.s, screw.axis
    M, J = (_symmetric_turned(axis, c, s, B) for B in (A.M, A.J))
    H = _both_sides(axis, c, s, A.H)
    return _shifted(axis, screw.shift, Inertia(M, H, J))


def _both_sides(axis: int, c: Any, s: Any, H: Any) -> Any:
    """R H R^T: a row, a column, and the block that turns."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    out = [list(row) for row in H]
    out[axis] = _turned(axis, c, s, H[axis])
    column = _turned(axis, c, s, [row[axis] for row in H])
    out[j][axis], out[k][axis] = column[j], column[k]
    mixed = H[j][k] + H[k][j]
    out[j][j], out[k][k], turned = _block(c, s, H[j][j], H[k][k], mixed)
    out[j][k], out[k][j] = turned - H[k][j], turned - H[j][k]
    return out


def _block(c: Any, s: Any, a: Any, d: Any, mixed: Any) -> tuple[Any, Any, Any]:
    """Diagonal of a turned 2x2 matrix with diagonal (a, d), and the sum of its turned and its old entries aside it.

    The antisymmetric part does not turn, so that four products are enough instead of sixteen.
    """
    w = s * (a - d) + c * mixed
    moved = s * w
    return a - moved, d + moved, c * w


def _symmetric_turned(axis: int, c: Any, s: Any, B: Any) -> Any:
    """R B R^T of a symmetric matrix."""
    i, j, k = axis, (axis + 1) % 3, (axis + 2) % 3
    out = [list(row) for row in B]
    out[i] = _turned(axis, c, s, B[i])
    out[j][j], out[k][k], turned = _block(c, s, B[j][j], B[k][k], B[j][k] + B[j][k])
    out[j][k] = turned - B[j][k]
    out[j][i], out[k][i], out[k][j] = out[i][j], out[i][k], out[j][k]
    return out


def _shifted(axis: int, by: Any, A: Inertia) -> Inertia:
    """P A P^T: H' = H - M S, J' = J + S H - H'^T S with S = [p], p along an axis."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    H = [list(row) for row in A.H]
    for r in range(3):  # M S has the columns 0, by M_k, -by M_j
        H[r][j] = A.H[r][j] - by * A.M[r][k]
        H[r][k] = A.H[r][k] + by * A.M[r][j]
    J = [list(row) for row in A.J]
    # rows of S H: j is -by H_k, k is by H_j; columns of H'^T S: j is by H'_k, k is -by H'_j
    J[axis][j] = A.J[axis][j] - by * H[k][axis]
    J[axis][k] = A.J[axis][k] + by * H[j][axis]
    J[j][j] = A.J[j][j] - by * (A.H[k][j] + H[k][j])
    J[k][k] = A.J[k][k] + by * (A.H[j][k] + H[j][k])
    J[j][k] = A.J[j][k] - by * (A.H[k][k] - H[j][j])
    J[j][axis], J[k][axis], J[k][j] = J[axis][j], J[axis][k], J[j][k]
    return Inertia(A.M, H, J)


# ---- passes ------------------------------------------------------------------------------------------------


class Rate(NamedTuple):
    """Angular velocity of link i in its axes, w_{i-1} x z thd in axes of frame i-1 (x and y), and w x (w x P)."""

    w: Any
    angular: Any
    linear: Any


def velocities(state: State) -> list[Rate]:
    """Outward."""
    out: list[Rate] = []
    for i, qd in enumerate(state.qd):
        about_z, about_x = screws(state, i)
        if i == 0:
            before, angular = [0.0, 0.0, qd], None
        else:
            w = out[-1].w
            before, angular = [w[0], w[1], w[2] + qd], [w[1] * qd, negative(w[0] * qd)]
        w = before if i == 0 else _turned(Z, about_z.c, negative(about_z.s), before)
        w = _spun(about_x, qd) if i == 0 else _turned(X, about_x.c, negative(about_x.s), w)
        last = i + 1 == len(state.members)
        out.append(Rate(w, angular, None if last else cross(w, cross(w, state.frames.reach[i]))))
    return out


def _spun(about_x: Screw, qd: Any) -> Any:
    """z qd of the first joint in axes of link 1."""
    return [qd * 0.0, about_x.s * qd, about_x.c * qd]


def inbound(state: State, tau: Any, given: list[tuple[Inertia, Any]], rates: list[Rate]) -> list[Hinge]:
    """Compute a, 1 / d and B*_z of every hinge, from the free end."""
    n = len(state.members)
    hinges: list[Any] = [None] * n
    A: Any = None
    f: Any = None
    m: Any = None
    for i in range(n - 1, -1, -1):
        own, moment = given[i]
        w = rates[i].w
        own_f, own_m = cross(w, cross(w, moment)), cross(w, times(own.J, w))
        if A is None:
            A, f, m = _as_matrix(own), own_f, own_m
        else:
            A, f, m = _passed(A, f, m, hinges[i + 1], state.members[i + 1].armature)
            A, f, m = _joined(own, A), plus(f, own_f), plus(m, own_m)
            f, m = _drifting(A, f, m, rates[i].linear)
        for screw in reversed(screws(state, i)):
            A, (f, m) = inertia_before(screw, A), wrench_before(screw, f, m)
        f, m, hinges[i] = _at_hinge(A, f, m, rates[i], state.members[i].armature, tau[i])
    return hinges


def _at_hinge(A: Inertia, f: Any, m: Any, rate: Rate, armature: Any, tau: Any) -> tuple[Any, Any, Hinge]:
    """B* with the drift of the hinge, and what the outbound pass needs."""
    if rate.angular is not None:
        x, y = rate.angular
        f = [f[r] + (A.H[r][0] * x + A.H[r][1] * y) for r in range(3)]
        m = [m[r] + (A.J[r][0] * x + A.J[r][1] * y) for r in range(3)]
    a = [*(row[2] for row in A.H), *(row[2] for row in A.J)]
    return f, m, Hinge(a, 1.0 / (a[5] + armature), m[2] - tau, rate.angular, rate.linear)


def _as_matrix(own: Inertia) -> Inertia:
    """The mass as a matrix that counts where it meets numbers."""
    zero = own.M * 0.0 if not hasattr(own.M, "tally") else type(own.M)(own.M.tally, 0.0)
    return own._replace(M=[[own.M if r == c else zero for c in range(3)] for r in range(3)])


def _joined(own: Inertia, A: Inertia) -> Inertia:
    """A_i added: its M is a multiple of 1, its H has no diagonal."""
    M, H, J = ([list(row) for row in block] for block in A)
    for r in range(3):
        M[r][r] = M[r][r] + own.M
        for c in range(3):
            if c != r:
                H[r][c] = H[r][c] + own.H[r][c]
            if c >= r:
                J[r][c] = J[c][r] = J[r][c] + own.J[r][c]
    return Inertia(M, H, J)


def _drifting(A: Inertia, f: Any, m: Any, linear: Any) -> tuple[Any, Any]:
    """B with A times the drift of the origin, w x (w x P)."""
    turned = [dot([A.H[c][r] for c in range(3)], linear) for r in range(3)]
    return plus(f, times(A.M, linear)), plus(m, turned)


def _passed(A: Inertia, f: Any, m: Any, hinge: Hinge, armature: Any) -> tuple[Inertia, Any, Any]:
    """What link i+1 does to link i, its hinge eliminated; in the hinge's row the reaction of the drive's inertia."""
    u = scaled(hinge.share, hinge.a)
    a, last = hinge.a, scaled(armature, u)
    M = _symmetric(lambda r, c: A.M[r][c] - a[r] * u[c])
    H = [[last[r] if c == 2 else A.H[r][c] - a[r] * u[3 + c] for c in range(3)] for r in range(3)]
    J = _symmetric(lambda r, c: last[3 + r] if c == 2 else A.J[r][c] - a[3 + r] * u[3 + c])
    f = [f[r] - u[r] * hinge.B for r in range(3)]
    m = [m[r] - u[3 + r] * hinge.B for r in range(3)]
    return Inertia(M, H, J), f, m


def _symmetric(entry: Any) -> Any:
    out: Any = [[None] * 3 for _ in range(3)]
    for r in range(3):
        for c in range(r, 3):
            out[r][c] = out[c][r] = entry(r, c)
    return out


def outbound(state: State, hinges: list[Hinge]) -> list[Any]:
    """Compute thdd = -(a . q + B*_z) / d from the base, of the acceleration q without the hinge's own drift."""
    thdd: list[Any] = []
    a: Any = negative(state.gravity)
    dw: Any = None
    for i, hinge in enumerate(hinges):
        force = dot(hinge.a[:3], a) + hinge.B
        force = force if dw is None else force + dot(hinge.a[3:], dw)
        thdd.append(negative(force * hinge.share))
        if i + 1 == len(hinges):
            break
        if dw is None:
            zero = thdd[0] * 0.0 if not hasattr(thdd[0], "tally") else type(thdd[0])(thdd[0].tally, 0.0)
            dw = [zero, zero, thdd[0]]
        else:
            dw = [dw[0] + hinge.angular[0], dw[1] + hinge.angular[1], dw[2] + thdd[-1]]
        for screw in screws(state, i):
            a, dw = motion_behind(screw, a, dw)
        a = plus(a, hinge.linear)
    return thdd
