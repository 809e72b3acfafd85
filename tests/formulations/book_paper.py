"""Book (1983), the parts of his equations that only tests need: inverse form, energy, sums instead of recursions."""

import numpy as np

from lissom.papers.book1983.equations import Equations, Link, squares, summed, transform
from lissom.spatial.rotations import skew


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


class Paper(Equations):
    """The equations at one state, with cascades of transforms."""

    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self._cascades()

    def _cascades(self):
        """jW_i from beyond link j, and jWt_i from its joint, to link i."""
        n = self.n + 1
        self.jW, self.Wt = {}, {(j, j): np.eye(4) for j in range(n)}
        for j in range(n):
            X = np.eye(4)
            for i in range(j + 1, n):
                X = X @ self.joints[i][0] if i == j + 1 else X @ self.E[i - 1] @ self.joints[i][0]
                self.jW[j, i], self.Wt[j, i] = X, self.E[j] @ X  # (62), (61)

    def kinetic_energy(self):
        """(22)"""
        total = 0.0
        for i, link in enumerate(self.links):
            d, dd = self.delta[i], self.rate[i]
            B1 = squares(link, dd, dd)  # (24)
            B2 = summed(dd, link.Ck) + squares(link, d, dd)  # (27)
            sides = link.Ck + link.Ck.transpose(0, 2, 1)
            if "29 index" in self.printed:
                sides = np.array([sides[-1]] * link.m).reshape(-1, 4, 4)
            B3 = link.C + summed(d, sides) + squares(link, d, d)  # (29)
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
            slopes = {i: self.slopes[j] @ self.Wt[j, i] for i in range(j, self.n + 1)}
            rows.append(sum(2 * np.trace(X @ felt[i]) - self.g @ X @ r[i] for i, X in slopes.items()))  # (38), (53)
            for f in range(link.m):
                slopes = {i: self.W[j] @ link.M[f] @ self.jW[j, i] for i in range(j + 1, self.n + 1)}
                beyond = sum(2 * np.trace(X @ felt[i]) - self.g @ X @ r[i] for i, X in slopes.items())  # (39), (54)
                times = 2 * (self.n - j) if "39 braces" in self.printed else 1
                rows.append(
                    beyond
                    + times * 2 * np.trace(self._bracket(j, f) @ self.W[j].T)  # (39)
                    + self.delta[j] @ link.K[:, f]  # (48)
                    - self.g @ self.W[j] @ self.eps[j][f]  # (55)
                )
        return np.array(rows)

    def _bracket(self, j, f):
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
