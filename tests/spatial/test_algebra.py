"""The algebra of space on records: every operator against NumPy, exact integers that fold, counted operations."""

import casadi as ca
import numpy as np
import pytest

from lissom.records import flat
from lissom.spatial.inertias import ArticulatedBody, ArticulatedInertia, RigidInertia
from lissom.spatial.motions import Motion, Placement, Twist, Wrench
from lissom.spatial.orientation import Identity, InverseRotationZ, Rotation, RotationZ
from lissom.spatial.scalar import absolute, add, cos, mul, sign, sin, sub
from lissom.spatial.vectors import X_AXIS, Y_AXIS, Z_AXIS, ZERO, Matrix3, Symmetric3, Vector3, outer, skew

RNG = np.random.default_rng(7)


class Counted:
    """A number that counts products and sums of all numbers."""

    products = sums = 0

    def __init__(self, value):
        self.value = value

    def _of(self, other):
        return other.value if isinstance(other, Counted) else other

    def __add__(self, other):
        Counted.sums += 1
        return Counted(self.value + self._of(other))

    def __sub__(self, other):
        Counted.sums += 1
        return Counted(self.value - self._of(other))

    def __mul__(self, other):
        Counted.products += 1
        return Counted(self.value * self._of(other))

    def __neg__(self):
        return Counted(-self.value)

    __radd__, __rmul__ = __add__, __mul__


def counted(function, *args):
    Counted.products = Counted.sums = 0
    function(*args)
    return Counted.products, Counted.sums


def some_vector(kind=float):
    return Vector3(*map(kind, RNG.uniform(-1, 1, 3)))


def some_rotation():
    Q, _ = np.linalg.qr(RNG.normal(size=(3, 3)))
    return Rotation(matrix_of(Q * np.sign(np.linalg.det(Q))))


def some_inertia(kind=float):
    A = RNG.normal(size=(3, 3))
    return RigidInertia(kind(1.7), some_vector(kind), matrix_of(A @ A.T, kind).upper)


def matrix_of(A, kind=float):
    return Matrix3(*(Vector3(*map(kind, row)) for row in A))


def array(x):
    """A record as NumPy has it: (3,), (3, 3); a twist (w, v) or a wrench (n, f) as (6,)."""
    if isinstance(x, Vector3):
        return np.array([x.x, x.y, x.z], float)
    if isinstance(x, Matrix3):
        return np.array([array(row) for row in x.rows])
    if isinstance(x, Symmetric3):
        return array(x.full)
    if isinstance(x, Twist):
        return np.concatenate([array(x.w), array(x.v)])
    if isinstance(x, Wrench):
        return np.concatenate([array(x.n), array(x.f)])
    if isinstance(x, RigidInertia):
        H = array(skew(x.h))
        return np.block([[array(x.I), H], [H.T, x.m * np.eye(3)]])
    if isinstance(x, ArticulatedInertia):
        return np.block([[array(x.I), array(x.H)], [array(x.H).T, array(x.M)]])
    if isinstance(x, RotationZ):
        return np.array([[x.c, -x.s, 0], [x.s, x.c, 0], [0, 0, 1]])
    if isinstance(x, InverseRotationZ):
        return array(x.T).T
    return np.eye(3) if isinstance(x, Identity) else array(x.matrix)


def shift(r):
    """Twists about the origin to twists about r."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [-array(skew(r)), np.eye(3)]])


def same(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-14)


def test_vectors():
    a, b = some_vector(), some_vector()
    A, B = array(a), array(b)
    same(array(a + b), A + B)
    same(array(a - b), A - B)
    same(array(-a), -A)
    same(array(a * 2.5), 2.5 * A)
    same(a.dot(b), A @ B)
    same(array(a.cross(b)), np.cross(A, B))
    same(array(outer(a, b)), np.outer(A, B))
    same(array(skew(a)) @ B, np.cross(A, B))


def test_matrices():
    A, B = RNG.normal(size=(2, 3, 3))
    a, b, v = matrix_of(A), matrix_of(B), some_vector()
    same(array(a + b), A + B)
    same(array(a - b), A - B)
    same(array(a * 3.0), 3 * A)
    same(array(a.T), A.T)
    same(array(a.times(b)), A @ B)
    same(array(a.apply(v)), A @ array(v))
    S, R = (x + x.T for x in (A, B))
    s, r = matrix_of(S).upper, matrix_of(R).upper
    same(array(s + r), S + R)
    same(array(s - r), S - R)
    same(array(s.plus_diagonal(0.5)), S + 0.5 * np.eye(3))
    same(array(s.apply(v)), S @ array(v))
    same(s.trace, np.trace(S))


@pytest.mark.parametrize("R", [some_rotation(), RotationZ(0.6, 0.8), InverseRotationZ(0.6, 0.8), Identity()])
def test_rotations(R):
    v, I, A = some_vector(), some_inertia().I, RNG.normal(size=(3, 3))
    M = array(R)
    same(array(R @ v), M @ array(v))
    same(array(R.T @ v), M.T @ array(v))
    same(array(R @ I), M @ array(I) @ M.T)
    same(array(R.T @ I), M.T @ array(I) @ M)
    same(array(R.right_of(matrix_of(A))), A @ M)
    other = some_rotation()
    same(array(other.then(R)), array(other) @ M)
    same(array(other.z), array(other)[:, 2])


def test_motions_and_wrenches():
    w, dw, a, r = (some_vector() for _ in range(4))
    W = array(skew(dw)) + array(skew(w)) @ array(skew(w))
    motion = Motion(w, dw, a)
    same(array(motion.W), W)
    same(array(motion.acceleration_at(r)), array(a) + W @ array(r))
    R, x, y = some_rotation(), Twist(w, a), Twist(dw, r)
    f, g = Wrench(some_vector(), some_vector()), Wrench(some_vector(), some_vector())
    turn = np.kron(np.eye(2), array(R))
    same(array(x + y), array(x) + array(y))
    same(array(x * 0.3), 0.3 * array(x))
    same(array(x.turned(R)), turn @ array(x))
    same(array(x.at(r)), shift(r) @ array(x))
    same(x.dot(f), array(x) @ array(f))
    same(array(f + g), array(f) + array(g))
    same(array(f - g), array(f) - array(g))
    same(array(f * 0.3), 0.3 * array(f))
    same(array(f.turned(R)), turn @ array(f))
    same(array(f.moved(r)), shift(r).T @ array(f))
    crossing = np.block([[array(skew(x.w)), np.zeros((3, 3))], [array(skew(x.v)), array(skew(x.w))]])
    same(array(x.cross(y)), crossing @ array(y))
    same(array(x.cross_force(f)), -crossing.T @ array(f))
    same(array(Placement(R, a).point(r)), array(R) @ array(r) + array(a))


def test_rigid_inertias():
    body, other, R, r = some_inertia(), some_inertia(), some_rotation(), some_vector()
    motion, x = Motion(some_vector(), some_vector(), some_vector()), Twist(some_vector(), some_vector())
    w, dw, a, h, I = (array(y) for y in (motion.w, motion.dw, motion.a, body.h, body.I))
    n = I @ dw + np.cross(w, I @ w) + np.cross(h, a)
    f = body.m * a + np.cross(dw, h) + np.cross(w, np.cross(w, h))
    same(array(body.force(motion)), [*n, *f])
    same(array(body.velocity_force(motion.w)), [*np.cross(w, I @ w), *np.cross(w, np.cross(w, h))])
    same(array(body.times(x)), array(body) @ array(x))
    same(array(body + other), array(body) + array(other))
    turn = np.kron(np.eye(2), array(R))
    same(array(body.turned(R)), turn @ array(body) @ turn.T)
    same(array(body.moved(r)), shift(r).T @ array(body) @ shift(r))


def test_articulated_bodies():
    rigid, r, x = some_inertia(), some_vector(), Twist(some_vector(), some_vector())
    U, V = Wrench(some_vector(), some_vector()), Wrench(some_vector(), some_vector())
    body = ArticulatedInertia.rigid(rigid)
    same(array(body), array(rigid))
    left = body.minus(U, U * 0.2)
    same(array(left), array(rigid) - 0.2 * np.outer(array(U), array(U)))
    same(array(left + body), array(left) + array(body))
    same(array(left.times(x)), array(left) @ array(x))
    same(array(left.moved(r)), shift(r).T @ array(left) @ shift(r))
    whole = ArticulatedBody.rigid(rigid, V)
    same(array(whole.without(U, U * 0.2, 0.7).p), array(V) + 0.14 * array(U))
    same(array(whole.accelerated(x).p), array(V) + array(rigid) @ array(x))
    both, moved = whole + whole, whole.moved(r, rigid.m)
    same([*array(both.p), *array(both.h), both.trace], [*array(V * 2.0), *array(rigid.h * 2.0), 2 * whole.trace])
    same(array(moved.p), array(V.moved(r)))
    same([*array(moved.h), moved.trace], [*array(rigid.moved(r).h), rigid.moved(r).I.trace])


def test_exact_integers_fold():
    x = Counted(2.0)
    assert add(0, x) is x
    assert add(x, 0) is x
    assert sub(x, 0) is x
    assert mul(1, x) is x
    assert mul(x, 1) is x
    assert mul(0, x) == 0
    assert mul(x, 0) == 0
    assert sub(0, x).value == -2.0
    assert mul(2, x).value == 4.0
    assert mul(0.0, x).value == 0.0, "floats are numbers of an arm and never fold"


def test_counts_of_operations():
    """What equations written out by hand cost."""
    v, I = some_vector(Counted), some_inertia(Counted)
    turn = RotationZ(Counted(0.6), Counted(0.8))
    motion = Motion(*(some_vector(Counted) for _ in range(3)))
    assert counted(v.cross, some_vector(Counted)) == (6, 3)
    assert counted(v.cross, Z_AXIS) == (0, 0)
    assert counted(v.dot, X_AXIS) == (0, 0)
    assert counted((v + ZERO).dot, Y_AXIS) == (0, 0)
    assert counted(lambda: turn @ v) == (4, 2)
    assert counted(lambda: turn.T @ v) == (4, 2)
    assert counted(lambda: turn @ I.I) == (9, 7)
    assert counted(lambda: motion.W) == (6, 9)
    assert counted(Twist(ZERO, Z_AXIS).dot, Wrench(v, v)) == (0, 0)
    assert counted(I.times, Twist(Z_AXIS, ZERO)) == (0, 0)


def test_scalars_of_every_kind():
    values = np.linspace(-1, 1, 5)
    for ours, theirs in ((sin, np.sin), (cos, np.cos), (sign, np.sign), (absolute, np.abs)):
        same(ours(values), theirs(values))
        same([ours(float(v)) for v in values], theirs(values))
        x = ca.SX.sym("x")
        same([float(ca.Function("f", [x], [ours(x)])(v)) for v in values], theirs(values))
    symbols = Vector3(*ca.vertsplit(ca.SX.sym("v", 3)))
    assert len(flat(symbols.cross(Z_AXIS)).entries) == 2
