"""Book (1983) as he writes it: 4x4 matrices over [1 x y z], J zdd = R of a chain of revolute joints.

A transcription with the corrected equations, (1)-(17), (36), (37), (51), (52) and (58)-(90). Every word of `printed`
puts one equation in place as it is printed (`docs/errata.md`). Indices count links from 0; n is the last link. Names
are the paper's: d for a dot, `What` for a hat, `Wt` for a tilde. Numbers may be of any kind: with counting ones the
operations are counted. As the paper has it, products that several equations share are kept, the symmetry of J is
used, and of a trace only the diagonal is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.spatial.rotations import Array, skew

TRUNCATED = ("37", "72")  # "72" goes for (73) too
Tables = dict[tuple[int, int], Any]


class Link(NamedTuple):
    """Constants of a link with m modes.

    before, axis, after : make the joint's A
    C, Ck, Ckl : (4, 4), (m, 4, 4), (m, m, 4, 4), (30), (28), (25)
    H, M : (4, 4), (m, 4, 4), (6), (7)
    K : (m, m), (42)
    """

    before: Any
    axis: Any
    after: Any
    C: Any
    Ck: Any
    Ckl: Any
    H: Any
    M: Any
    K: Any

    @property
    def m(self) -> int:
        """Number of modes."""
        return len(self.K)

    def joint(self, c: Any, s: Any) -> tuple[Any, Any, Any]:
        """A, U = dA/dq and U2 = d2A/dq2 from the cosine and the sine of the angle."""
        S = skew(self.axis)
        first, second = _wide(S), _wide(S @ S)
        parts = (np.eye(4) + second + first * s - second * c, first * c + second * s, second * c - first * s)
        A, U, U2 = (self.before @ X @ self.after for X in parts)
        return ordered(A), ordered(U), ordered(U2)


def _wide(X: Array) -> Array:
    return np.pad(X, (0, 1))


def ordered(X: Any) -> Any:
    """A matrix over [x y z 1] as one over [1 x y z]."""
    return np.roll(X, 1, axis=(0, 1))


def transform(p: Any, R: Any) -> Array:
    """[[0 0], [p R]]"""
    out = np.zeros((4, 4))
    out[1:, 0], out[1:, 1:] = p, R
    return out


def links_of(arm: Arm) -> list[Link]:
    """The links of a serial arm with revolute joints, no payloads, flexible links given by modal tables."""
    out = []
    for link in arm.links:
        tables = link.modes
        m = 0 if tables is None else len(tables.K)
        H = transform(link.tip[:3, 3] if tables is None else tables.tip, np.eye(3))
        H[0, 0] = 1.0
        Ck, Ckl, M, K = np.zeros((m, 4, 4)), np.zeros((m, m, 4, 4)), np.zeros((m, 4, 4)), np.zeros((m, m))
        C = _rigid(link.mass, link.com, link.inertia)  # of a flexible link: the hub at its joint
        if tables is not None:
            C, Ck, Ckl, K = C + tables.C, tables.Ck, tables.Ckl, tables.K
            M = np.array([transform(p, skew(w)) for p, w in zip(tables.tip_shift, tables.tip_turn, strict=True)])
        out.append(Link(link.joint.placement, link.joint.axis, link.frame, C, Ck, Ckl, H, M, K))
    return out


def _rigid(mass: float, com: Any, inertia: Any) -> Array:
    """C of a rigid body: half its second moments over [1 x y z]."""
    r = np.asarray(com, float)
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(r, r)
    return 0.5 * np.block([[np.array([[mass]]), mass * r[None]], [mass * r[:, None], second]])


class Equations:
    """The equations at one state: z, zd (and zdd for the inverse form) in the order of the paper."""

    def __init__(
        self,
        links: Sequence[Link],
        z: Any,
        zd: Any,
        zdd: Any = None,
        gravity: Sequence[float] = (0.0, 0.0, 0.0),
        printed: Collection[str] = (),
        truncated: Collection[str] = TRUNCATED,
        joints: Callable[[Link, Any], tuple[Any, Any, Any]] | None = None,
    ) -> None:
        self.links, self.n = links, len(links) - 1
        self.printed, self.truncated = frozenset(printed), frozenset(truncated)
        self.g = np.array([0.0, *gravity])
        self.first = np.cumsum([0] + [1 + link.m for link in links])
        known = [z, zd, np.zeros(self.first[-1]) if zdd is None else zdd]
        self.q, self.qd, self.qdd = (x[self.first[:-1]] for x in known)
        self.delta, self.rate, self.push = (
            [x[a + 1 : b] for a, b in zip(self.first[:-1], self.first[1:], strict=True)] for x in known
        )
        turned = joints or (lambda link, q: link.joint(np.cos(q), np.sin(q)))
        self.joints = [turned(link, q) for link, q in zip(links, self.q, strict=True)]
        self.E = [link.H + summed(d, link.M) for link, d in zip(links, self.delta, strict=True)]  # (5)
        self.onward = [E @ joint[0] for E, joint in zip(self.E, self.joints[1:], strict=False)]  # E_j A_{j+1}
        self._products: dict[tuple[Any, ...], Any] = {}
        self._integrals()
        self._motion()
        self.slopes = [What @ joint[1] for What, joint in zip(self.before, self.joints, strict=True)]  # What_{j-1} U_j
        self.levers = [[W @ M for M in link.M] for W, link in zip(self.W, links, strict=True)]  # W_j M_jf

    def _integrals(self) -> None:
        self.D: list[list[Any]] = []
        self.G: list[Any] = []
        self.eps: list[Any] = []
        self.P0: list[Any] = []
        for link, d in zip(self.links, self.delta, strict=True):
            self.D.append([link.Ck[k] + summed(d, link.Ckl[:, k]) for k in range(link.m)])  # (36)
            G = link.C + summed(d, link.Ck + np.transpose(link.Ck, (0, 2, 1)))  # (37)
            self.G.append(G if "37" in self.truncated else G + squares(link, d, d))
            top = link.Ck[:, 0]
            self.eps.append(top if "52" in self.printed else 2 * top)  # after (52)
            self.P0.append(2 * link.C[:, 0])  # M_i r_ri

    def _motion(self) -> None:
        """W, What and their derivatives; without accelerations the second ones are those with index v."""
        What: Any = np.eye(4)
        Whatd: Any = np.zeros((4, 4))
        Whatdd: Any = np.zeros((4, 4))
        Wd: Any = Whatd
        Wdd: Any = Whatdd
        self.W: list[Any] = []
        self.Wd: list[Any] = []
        self.Wdd: list[Any] = []
        self.before: list[Any] = []
        for j, link in enumerate(self.links):
            A, U, U2 = self.joints[j]
            Ad, Add = U * self.qd[j], U2 * (self.qd[j] * self.qd[j]) + U * self.qdd[j]  # (11), (12)
            self.before.append(What)
            firsts, seconds = (Wd, Wdd) if "10" in self.printed else (Whatd, Whatdd)
            Wdd = seconds @ A + 2 * (firsts @ Ad) + What @ Add  # (10), (64)
            Wd = (What if "9" in self.printed else Whatd) @ A + What @ Ad  # (9)
            W = What @ A  # (3)
            self.W.append(W)
            self.Wd.append(Wd)
            E, Ed, Edd = self.E[j], summed(self.rate[j], link.M), summed(self.push[j], link.M)  # (16), (17)
            if j < self.n:
                What = W @ E  # (13)
                Whatd = W @ Ed + Wd @ (Ed if "14" in self.printed else E)  # (14)
            if j < self.n or "65" in self.printed:
                Whatdd = Wdd @ E + 2 * (Wd @ Ed) + W @ Edd  # (15), (65)
                if "15" in self.printed:
                    Whatdd = Wdd @ Ed + 2 * (Wd @ Edd) + W @ Edd
            self.Wdd.append(Whatdd if "65" in self.printed else Wdd)

    # ---- simulation form: J ----------------------------------------------------------------------

    def recursions(self) -> tuple[Tables, Tables, Tables]:
        """Ft, F, Phi by (77)-(81); F and Phi only where modes need them."""
        Ft: Tables = {}
        F: Tables = {}
        Phi: Tables = {}
        n, A = self.n, [joint[0] for joint in self.joints]
        for h in range(n, -1, -1):
            Ft[h, h] = self.G[h]  # (77)
            if h < n:
                Ft[h, h] = self.G[h] + Ft[h, h + 1] @ self.onward[h].T  # (79)
            for j in range(h - 1, -1, -1):
                onward = self.E[j] @ A[j] if "78" in self.printed else self.onward[j]
                Ft[j, h] = onward @ Ft[j + 1, h]  # (78)
                Ft[h, j] = Ft[j, h].T
        flexible = [h for h in range(n) if self.links[h].m]
        for h in flexible:
            for j in range(n + 1):
                F[j, h] = Ft[j, h + 1] @ A[h if "80" in self.printed else h + 1].T  # (80)
        for h in flexible:
            for j in (j for j in flexible if j <= h):
                Phi[j, h] = A[j + 1] @ (Ft[j, h] if "81" in self.printed else F[j + 1, h])  # (81)
        return Ft, F, Phi

    def J(self, tables: tuple[Tables, Tables, Tables] | None = None) -> Any:
        """The inertia matrix (82)."""
        Ft, F, Phi = tables or self.recursions()
        J = np.zeros((self.first[-1],) * 2, dtype=self.W[-1].dtype)
        for j, at in enumerate(self.first[:-1]):
            for h, to in enumerate(self.first[:-1]):
                if h >= j:  # J is symmetric
                    J[at, to] = J[to, at] = 2 * traced(self.slopes[j] @ Ft[j, h], self.slopes[h].T)  # (66)
                for k in range(self.links[h].m):
                    J[at, to + 1 + k] = J[to + 1 + k, at] = self._joint_row(F, j, h, k)
                    for f in range(self.links[j].m if j <= h else 0):
                        if j < h or f <= k:
                            found = self._mode_row(Phi, j, f, h, k)
                            J[at + 1 + f, to + 1 + k] = J[to + 1 + k, at + 1 + f] = found
        return J

    def _joint_row(self, F: Tables, j: int, h: int, k: int) -> Any:
        """J_jhk: (68)-(70)"""
        total: Any = 0.0
        if h < self.n:
            lever = self.levers[h][k]
            if "70" in self.printed and h < j:
                lever = self.W[self.n] @ self.links[h].M[k]
            total = traced(self._kept(("F", j, h), lambda: self.slopes[j] @ F[j, h]), lever.T)
        if h >= j:
            total = total + traced(self._beyond(("S", j), self.slopes[j], j, h), self._own(h, k))
        return 2 * total

    def _mode_row(self, Phi: Tables, j: int, f: int, h: int, k: int) -> Any:
        """I_jfhk, j <= h: (72)-(75)"""
        if j == h:
            return self._same_link(Phi, j, f, k)
        if "75" in self.printed and h < self.n:
            M, MT, W = self.links[j].M[f], self.links[h].M[k].T, self.W[h]
            return 2 * np.trace(M @ (Phi[j, h] + MT + W @ self.D[h][k] @ W.T) @ W.T)
        onward = self._beyond(("L", j, f), self._lever(j, f), j + 1, h)
        total = traced(onward, self._own(h, k))  # (74)
        if h < self.n:  # (75)
            total = total + traced(
                self._kept(("P", j, f, h), lambda: self.levers[j][f] @ Phi[j, h]), self.levers[h][k].T
            )
        return 2 * total

    def _same_link(self, Phi: Tables, j: int, f: int, k: int) -> Any:
        """(72), (73)"""
        link, W = self.links[j], self.W[j]
        if "72" not in self.truncated:
            inner = link.Ckl[k, f] + (link.M[f] @ Phi[j, j] @ link.M[k].T if j < self.n else 0.0)
            return 2 * traced(W @ inner, W.T)
        beyond = traced(self._kept(("M", j, f), lambda: link.M[f] @ Phi[j, j]), link.M[k].T) if j < self.n else 0.0
        return 2 * (np.trace(link.Ckl[k, f]) + beyond)

    def _own(self, h: int, k: int) -> Any:
        """D_hk W_h^T"""
        return self._kept(("D", h, k), lambda: self.D[h][k] @ self.W[h].T)

    def _lever(self, j: int, f: int) -> Any:
        """W_j M_jf A_{j+1}"""
        return self._kept(("A", j, f), lambda: self.levers[j][f] @ self.joints[j + 1][0])

    def _beyond(self, name: tuple[Any, ...], X: Any, j: int, h: int) -> Any:
        """X jWt_h of (61), from the joint of link j to link h."""
        if h == j:
            return X
        return self._kept((*name, h), lambda: self._beyond(name, X, j, h - 1) @ self.onward[h - 1])

    def _kept(self, key: tuple[Any, ...], made: Callable[[], Any]) -> Any:
        """A product that several equations share."""
        if key not in self._products:
            self._products[key] = made()
        return self._products[key]

    # ---- simulation form: R ----------------------------------------------------------------------

    def R(self) -> Any:
        """The rest (83)-(90) without joint torques."""
        n, rows = self.n, []
        Q: list[Any] = [None] * (n + 1)
        P: list[Any] = [None] * (n + 1)
        for j in range(n, -1, -1):
            Q[j] = self.G[j] @ self.Wdd[j].T + 2 * (summed(self.rate[j], self.D[j]) @ self.Wd[j].T)  # (87)
            deflected = summed(self.delta[j], self.eps[j])
            P[j] = self.P0[j] + deflected  # (89)
            if "89" in self.printed:  # r_j as (51) has it, times the mass M_j
                P[j] = self.P0[j][0] * (self.P0[j] + deflected) + deflected
            if j < n:
                Q[j], P[j] = Q[j] + self.onward[j] @ Q[j + 1], P[j] + self.onward[j] @ P[j + 1]  # (88), (90)
        for j, link in enumerate(self.links):
            rows.append(-2 * traced(self.slopes[j], Q[j]) + self.g @ (self.slopes[j] @ P[j]))  # (83), (84)
            for f in range(link.m):
                rows.append(self._mode_rest(j, f, Q, P))
        return np.array(rows)

    def _mode_rest(self, j: int, f: int, Q: Sequence[Any], P: Sequence[Any]) -> Any:
        """R_jf: (85), (86)"""
        link, W = self.links[j], self.W[j]
        own = self.Wdd[j] @ self.D[j][f] + 2 * (self.Wd[j] @ summed(self.rate[j], link.Ckl[:, f]))
        total, weight = traced(own, W.T), self.g @ (W @ self.eps[j][f])  # (85)
        if j < self.n:
            lever = self._lever(j, f)
            if "86" in self.printed:
                total = np.trace(lever @ Q[j + 1] @ (own @ W.T))
            else:
                total = total + traced(lever, Q[j + 1])  # (86)
            weight = weight + self.g @ (lever @ P[j + 1])
        return -2 * total - self.delta[j] @ link.K[:, f] + weight


def traced(X: Any, Y: Any) -> Any:
    """Tr{X Y}, of which only the diagonal is computed."""
    return (X * Y.T).sum()


def squares(link: Link, a: Any, b: Any) -> Any:
    """sum_k sum_l a_k b_l C_kl"""
    return sum((summed(b, link.Ckl[k]) * a[k] for k in range(link.m)), np.zeros((4, 4)))


def summed(amplitudes: Any, tables: Any) -> Any:
    """sum_k a_k T_k; zero (4, 4) without modes, (4,) of vectors."""
    if not len(amplitudes):
        return np.zeros(np.shape(tables)[1:] or (4, 4))
    total = tables[0] * amplitudes[0]
    for a, T in zip(amplitudes[1:], tables[1:], strict=True):
        total = total + T * a
    return total
