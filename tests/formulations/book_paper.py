"""Book (1983) as he writes it: 4x4 matrices over [1 x y z], J zdd = R of a chain of revolute joints.

A plain transcription with the mended equations. Of `printed`, every word puts one equation in place as it is printed.
Indices count links from 0; n is the last link. Names are the paper's: d for a dot, `What` for a hat, `Wt` for a tilde.
"""

from typing import Any, NamedTuple

import numpy as np

from lissom.spatial.frames import pose
from lissom.spatial.rotations import skew

TRUNCATED = ("37", "72")  # "72" goes for (73) too


class Link(NamedTuple):
    """Constants of a link with m modes: before, axis and after make the joint's A; C (4, 4), Ck (m, 4, 4),
    Ckl (m, m, 4, 4), H (4, 4), M (m, 4, 4), K (m, m)."""

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
    def m(self):
        return len(self.K)

    def joint(self, q):
        """A, U = dA/dq and U2 = d2A/dq2."""
        S = skew(self.axis)
        c, s = np.cos(q), np.sin(q)
        turns = (pose(np.eye(3) + s * S + (1 - c) * S @ S), c * S + s * S @ S, -s * S + c * S @ S)
        A, U, U2 = (self.before @ (X if X.shape == (4, 4) else np.pad(X, (0, 1))) @ self.after for X in turns)
        return ordered(A), ordered(U), ordered(U2)


def ordered(X):
    """A matrix over [x y z 1] as one over [1 x y z]."""
    return np.roll(X, 1, axis=(0, 1))


def transform(p, R):
    """[[0 0], [p R]]"""
    out = np.zeros((4, 4))
    out[1:, 0], out[1:, 1:] = p, R
    return out


def chain(cloud):
    """The links of a chain of revolute joints, with the integrals of its sampled points."""
    out = []
    for link, member, spot in zip(cloud.arm.links, cloud.members, cloud.spots, strict=True):
        m, S = member.m, member.moments / 2
        Ck, Ckl, M = np.zeros((m, 4, 4)), np.zeros((m, m, 4, 4)), np.zeros((m, 4, 4))
        at = [slice(4 + 3 * k, 7 + 3 * k) for k in range(m)]
        for k in range(m):
            Ck[k, :, 1:] = S[:4, at[k]]  # (28)
            M[k] = transform(spot.shift[k], skew(spot.turn[k]))  # (7)
            for l in range(m):
                Ckl[k, l, 1:, 1:] = S[at[k], at[l]]  # (25)
        H = transform(spot.point if m else link.tip[:3, 3], np.eye(3))  # (6)
        H[0, 0] = 1.0
        joint = link.joint
        out.append(Link(joint.placement, joint.axis, link.frame, S[:4, :4], Ck, Ckl, H, M, member.K))
    return out


class Paper:
    """The equations at one state: z, zd (and zdd for the inverse form) in the order of the paper."""

    def __init__(self, links, z, zd, zdd=None, gravity=(0, 0, 0), printed=(), truncated=TRUNCATED):
        self.links, self.n = links, len(links) - 1
        self.printed, self.truncated = frozenset(printed), frozenset(truncated)
        self.g = np.array([0.0, *gravity])
        self.first = np.cumsum([0] + [1 + link.m for link in links])
        known = [z, zd, np.zeros(self.first[-1]) if zdd is None else zdd]
        self.q, self.qd, self.qdd = (x[self.first[:-1]] for x in known)
        self.delta, self.rate, self.push = (
            [x[a + 1 : b] for a, b in zip(self.first[:-1], self.first[1:], strict=True)] for x in known
        )
        self.joints = [link.joint(q) for link, q in zip(links, self.q, strict=True)]
        self.E = [link.H + summed(d, link.M) for link, d in zip(links, self.delta, strict=True)]  # (5)
        self._integrals()
        self._motion()
        self._cascades()

    def _integrals(self):
        self.D, self.G, self.eps, self.P0 = [], [], [], []
        for link, d in zip(self.links, self.delta, strict=True):
            self.D.append([link.Ck[k] + summed(d, link.Ckl[:, k]) for k in range(link.m)])  # (36)
            G = link.C + summed(d, link.Ck + link.Ck.transpose(0, 2, 1))  # (37)
            self.G.append(G if "37" in self.truncated else G + self.squares(link, d, d))
            top = link.Ck[:, 0]
            self.eps.append(top if "52" in self.printed else 2 * top)  # after (52)
            self.P0.append(2 * link.C[:, 0])  # M_i r_ri

    @staticmethod
    def squares(link, a, b):
        """sum_k sum_l a_k b_l C_kl"""
        return np.einsum("k,l,klij->ij", a, b, link.Ckl)

    def _motion(self):
        """W, What and their derivatives; without accelerations the second ones are those with index v."""
        W, Wd, Wdd = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
        What, Whatd, Whatdd = W, Wd, Wdd
        self.W, self.Wd, self.Wdd, self.before = [], [], [], []
        for j, link in enumerate(self.links):
            A, U, U2 = self.joints[j]
            Ad, Add = U * self.qd[j], U2 * self.qd[j] ** 2 + U * self.qdd[j]  # (11), (12)
            self.before.append(What)
            firsts, seconds = (Wd, Wdd) if "10" in self.printed else (Whatd, Whatdd)
            Wdd = seconds @ A + 2 * firsts @ Ad + What @ Add  # (10), (64)
            Wd = (What if "9" in self.printed else Whatd) @ A + What @ Ad  # (9)
            W = What @ A  # (3)
            E, Ed, Edd = self.E[j], summed(self.rate[j], link.M), summed(self.push[j], link.M)  # (16), (17)
            What = W @ E  # (13)
            Whatd = W @ Ed + Wd @ (Ed if "14" in self.printed else E)  # (14)
            Whatdd = Wdd @ E + 2 * Wd @ Ed + W @ Edd  # (15), (65)
            if "15" in self.printed:
                Whatdd = Wdd @ Ed + 2 * Wd @ Edd + W @ Edd
            self.W.append(W)
            self.Wd.append(Wd)
            self.Wdd.append(Whatdd if "65" in self.printed else Wdd)

    def _cascades(self):
        """jW_i from beyond link j, and jWt_i from its joint, to link i."""
        n = self.n + 1
        self.jW, self.Wt = {}, {(j, j): np.eye(4) for j in range(n)}
        for j in range(n):
            X = np.eye(4)
            for i in range(j + 1, n):
                X = X @ self.joints[i][0] if i == j + 1 else X @ self.E[i - 1] @ self.joints[i][0]
                self.jW[j, i], self.Wt[j, i] = X, self.E[j] @ X  # (62), (61)

    def slope(self, j):
        """What_{j-1} U_j"""
        return self.before[j] @ self.joints[j][1]

    # ---- kinetic energy --------------------------------------------------------------------------

    def kinetic_energy(self):
        """(22)"""
        total = 0.0
        for i, link in enumerate(self.links):
            d, dd = self.delta[i], self.rate[i]
            B1 = self.squares(link, dd, dd)  # (24)
            B2 = summed(dd, link.Ck) + self.squares(link, d, dd)  # (27)
            sides = link.Ck + link.Ck.transpose(0, 2, 1)
            if "29 index" in self.printed:
                sides = np.array([sides[-1]] * link.m).reshape(-1, 4, 4)
            B3 = link.C + summed(d, sides) + self.squares(link, d, d)  # (29)
            B2 = B1 if "26" in self.printed else B2
            B3 = B1 if "29" in self.printed else B3
            W, Wd = self.W[i], self.Wd[i]
            total += np.trace(Wd @ B3 @ Wd.T + 2 * Wd @ B2 @ W.T + W @ B1 @ W.T)
        return total

    # ---- inverse form ----------------------------------------------------------------------------

    def inverse(self):
        """(56), (57) with (38), (39), (48), (53)-(55): the forces that make zdd."""
        felt = []
        for i in range(self.n + 1):
            moving = summed(self.push[i], self.D[i]) @ self.W[i].T + 2 * summed(self.rate[i], self.D[i]) @ self.Wd[i].T
            felt.append(self.G[i] @ self.Wdd[i].T + moving)
        r = [self.P0[i] + summed(self.delta[i], self.eps[i]) for i in range(self.n + 1)]  # (51)
        rows = []
        for j, link in enumerate(self.links):
            slopes = {i: self.slope(j) @ self.Wt[j, i] for i in range(j, self.n + 1)}
            rows.append(sum(2 * np.trace(X @ felt[i]) - self.g @ X @ r[i] for i, X in slopes.items()))  # (38), (53)
            for f in range(link.m):
                slopes = {i: self.W[j] @ link.M[f] @ self.jW[j, i] for i in range(j + 1, self.n + 1)}
                beyond = sum(2 * np.trace(X @ felt[i]) - self.g @ X @ r[i] for i, X in slopes.items())  # (39), (54)
                times = 2 * (self.n - j) if "39 braces" in self.printed else 1
                rows.append(
                    beyond
                    + times * 2 * np.trace(self._own(j, f) @ self.W[j].T)  # (39)
                    + self.delta[j] @ link.K[:, f]  # (48)
                    - self.g @ self.W[j] @ self.eps[j][f]  # (55)
                )
        return np.array(rows)

    def _own(self, j, f):
        """The second bracket of (39)."""
        D = self.D[j][-1 if "39 index" in self.printed else f]
        Ck = self.links[j].Ckl[:, f]
        return self.Wdd[j] @ D + 2 * self.Wd[j] @ summed(self.rate[j], Ck) + self.W[j] @ summed(self.push[j], Ck)

    # ---- simulation form -------------------------------------------------------------------------

    def sums(self):
        """Ft (67), F (71), Phi (76) as sums."""
        Ft, F, Phi, n = {}, {}, {}, self.n + 1
        for j in range(n):
            for h in range(n):
                Ft[j, h] = sum(self.Wt[j, i] @ self.G[i] @ self.Wt[h, i].T for i in range(max(j, h), n))
                beyond = range(max(j, h + 1), n)
                F[j, h] = sum((self.Wt[j, i] @ self.G[i] @ self._second(h, i).T for i in beyond), np.zeros((4, 4)))
                beyond = range(max(j, h) + 1, n)
                Phi[j, h] = sum((self.jW[j, i] @ self.G[i] @ self.jW[h, i].T for i in beyond), np.zeros((4, 4)))
        return Ft, F, Phi

    def _second(self, h, i):
        """The second factor of (71), from (63)."""
        if "71" in self.printed:
            return self.Wt[h, i]
        return self.jW[h, i] @ self.E[i] if "63" in self.printed else self.jW[h, i]

    def recursions(self):
        """Ft, F, Phi by (77)-(81)."""
        Ft, F, Phi, n = {}, {}, {}, self.n
        A = [joint[0] for joint in self.joints]
        for h in range(n, -1, -1):
            Ft[h, h] = self.G[h]  # (77)
            if h < n:
                Ft[h, h] = self.G[h] + Ft[h, h + 1] @ (self.E[h] @ A[h + 1]).T  # (79)
            for j in range(h - 1, -1, -1):
                Ft[j, h] = self.E[j] @ A[j if "78" in self.printed else j + 1] @ Ft[j + 1, h]  # (78)
                Ft[h, j] = Ft[j, h].T
        for h in range(n):
            for j in range(n + 1):
                F[j, h] = Ft[j, h + 1] @ A[h if "80" in self.printed else h + 1].T  # (80)
        for h in range(n):
            for j in range(n):
                Phi[j, h] = A[j + 1] @ (Ft[j, h] if "81" in self.printed else F[j + 1, h])  # (81)
        return Ft, F, Phi

    def J(self, recursive=True):
        """The inertia matrix (82)."""
        Ft, F, Phi = self.recursions() if recursive else self.sums()
        J = np.zeros((self.first[-1], self.first[-1]))
        for j, at in enumerate(self.first[:-1]):
            for h, to in enumerate(self.first[:-1]):
                J[at, to] = 2 * np.trace(self.slope(j) @ Ft[j, h] @ self.slope(h).T)  # (66)
                for k in range(self.links[h].m):
                    J[at, to + 1 + k] = J[to + 1 + k, at] = self._joint_row(F, j, h, k)
                    for f in range(self.links[j].m if j <= h else 0):
                        found = self._mode_row(Phi, j, f, h, k)
                        J[at + 1 + f, to + 1 + k] = J[to + 1 + k, at + 1 + f] = found
        return J

    def _joint_row(self, F, j, h, k):
        """J_jhk: (68)-(70)"""
        MT, W = self.links[h].M[k].T, self.W[h]
        if h == self.n:
            inner = self.Wt[j, h] @ self.D[h][k]  # (68)
        elif h >= j:
            inner = F[j, h] @ MT + self.Wt[j, h] @ self.D[h][k]  # (69)
        else:
            inner = F[j, h] @ MT  # (70)
            W = self.W[self.n] if "70" in self.printed else W
        return 2 * np.trace(self.slope(j) @ inner @ W.T)

    def _mode_row(self, Phi, j, f, h, k):
        """I_jfhk, j <= h: (72)-(75)"""
        M, MT, W = self.links[j].M[f], self.links[h].M[k].T, self.W[j]
        if j == h:
            inner = self.links[j].Ckl[k, f]  # (72)
            if j < self.n:
                inner = inner + M @ Phi[j, j] @ MT  # (73)
            return 2 * np.trace(inner if "72" in self.truncated else W @ inner @ W.T)
        if h == self.n:
            inner = self.jW[j, h] @ self.D[h][k]  # (74)
        elif "75" in self.printed:
            return 2 * np.trace(M @ (Phi[j, h] + MT + self.W[h] @ self.D[h][k] @ self.W[h].T) @ self.W[h].T)
        else:
            inner = Phi[j, h] @ MT + self.jW[j, h] @ self.D[h][k]  # (75)
        return 2 * np.trace(W @ M @ inner @ self.W[h].T)

    def R(self):
        """The rest (83)-(90) without joint torques."""
        n, rows = self.n, []
        Q, P = [None] * (n + 1), [None] * (n + 1)
        for j in range(n, -1, -1):
            Q[j] = self.G[j] @ self.Wdd[j].T + 2 * summed(self.rate[j], self.D[j]) @ self.Wd[j].T  # (87)
            bent = summed(self.delta[j], self.eps[j])
            P[j] = self.P0[j] + bent  # (89)
            if "89" in self.printed:  # r_j as (51) has it, times the mass M_j
                P[j] = self.P0[j][0] * (self.P0[j] + bent) + bent
            if j < n:
                onward = self.E[j] @ self.joints[j + 1][0]
                Q[j], P[j] = Q[j] + onward @ Q[j + 1], P[j] + onward @ P[j + 1]  # (88), (90)
        for j, link in enumerate(self.links):
            rows.append(-2 * np.trace(self.slope(j) @ Q[j]) + self.g @ self.slope(j) @ P[j])  # (83), (84)
            for f in range(link.m):
                own = self.Wdd[j] @ self.D[j][f] + 2 * self.Wd[j] @ summed(self.rate[j], link.Ckl[:, f])
                row = own @ self.W[j].T  # (85)
                weight = self.g @ self.W[j] @ self.eps[j][f]
                if j < n:
                    lever = self.W[j] @ link.M[f] @ self.joints[j + 1][0]
                    row = lever @ Q[j + 1] @ row if "86" in self.printed else lever @ Q[j + 1] + row  # (86)
                    weight += self.g @ lever @ P[j + 1]
                rows.append(-2 * np.trace(row) - self.delta[j] @ link.K[:, f] + weight)
        return np.array(rows)


def summed(amplitudes, tables):
    """sum_k a_k T_k, zero (4, 4) without modes."""
    if not len(amplitudes):
        return np.zeros(np.shape(tables)[1:] or (4, 4))
    return np.tensordot(amplitudes, np.asarray(tables), 1)


def multiplications(n, n_f, m):
    """The paper's polynomial, section 6."""
    modes = 6 * n_f**2 * m**2 + 17.5 * n_f * m**2 + 118 * n_f**2 * m + 74 * n * n_f * m + 137.5 * n_f * m
    return modes + 84 * n**2 + 86 * n * n_f + 279 * n + 126 * n_f - 57
