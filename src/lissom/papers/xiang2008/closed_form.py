"""The two-link arm of Xiang, Arora and Abdel-Malek 2008 and its closed form, equations (69)-(82).

The first joint turns about z at the origin, the arm lies along x at zero angles; gravity g and a load f on the tip pull
along -y. Corrected: (75) and (76) are derivatives by the accelerations; the paper prints angles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.model.arm import Arm
from lissom.model.dh import DH
from lissom.model.limits import Limits
from lissom.model.loads import Load
from lissom.spatial.rotations import Array
from lissom.verbs.sensitivity import InverseGradient

GRAVITY = 9.8062  # section 6.4
LOAD = 10.0  # section 6.4
TORQUE = 10.0  # Table 1


class TwoLink(NamedTuple):
    """Table 1: lengths L, joints to centres of mass l [m], masses [kg], inertias about the centres of mass [kg m^2].

    g : gravity [m/s^2]
    f : force on the tip, downwards [N]
    """

    L1: float = 0.4
    L2: float = 0.4
    l1: float = 0.2
    l2: float = 0.2
    m1: float = 0.5
    m2: float = 0.5
    I1: float = 0.1
    I2: float = 0.1
    g: float = GRAVITY
    f: float = LOAD


TABLE_1 = TwoLink()


def two_link_arm(p: TwoLink = TABLE_1) -> Arm:
    """The arm of Tables 1 and 2, with its load and its torque limits."""
    rows = [
        DH(a=L, alpha=0.0, d=0.0, mass=m, com=(l - L, 0.0, 0.0), inertia=I, name=name, limits=Limits(torque=TORQUE))
        for name, L, l, m, I in (("upper", p.L1, p.l1, p.m1, p.I1), ("fore", p.L2, p.l2, p.m2, p.I2))
    ]
    tip = [Load("fore", force=(0.0, -p.f, 0.0))] if p.f else []
    arm = Arm.from_dh(rows, convention="standard", gravity=(0.0, -p.g, 0.0), name="two-link arm of Xiang et al. 2008")
    return arm.replace(loads=tip)


def torques(p: TwoLink, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """(69), (70): joint torques (..., 2) from states (..., 2)."""
    th, thd, thdd = _columns(q), _columns(qd), _columns(qdd)
    c1, c2, s2, c12 = np.cos(th[0]), np.cos(th[1]), np.sin(th[1]), np.cos(th[0] + th[1])
    k = p.m2 * p.L1 * p.l2
    M11, M12, M22 = _inertias(p, c2)
    fore = p.m2 * p.g * p.l2 * c12 + p.f * p.L2 * c12
    upper = (p.m1 * p.g * p.l1 + p.m2 * p.g * p.L1 + p.f * p.L1) * c1
    one = M11 * thdd[0] + M12 * thdd[1] - 2 * k * thd[0] * thd[1] * s2 - k * thd[1] ** 2 * s2 + fore + upper  # (69)
    two = M22 * thdd[1] + M12 * thdd[0] + k * thd[0] ** 2 * s2 + fore  # (70)
    return np.stack([one, two], axis=-1)


def gradient(p: TwoLink, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> InverseGradient:
    """(71)-(82): derivatives (..., 2, 2) of the torques; rows are torques."""
    th, thd, thdd = _columns(q), _columns(qd), _columns(qdd)
    s1, c2, s2, s12 = np.sin(th[0]), np.cos(th[1]), np.sin(th[1]), np.sin(th[0] + th[1])
    k = p.m2 * p.L1 * p.l2
    M11, M12, M22 = _inertias(p, c2)  # (75), (76) and (81), (82), by thdd
    fore = -p.m2 * p.g * p.l2 * s12 - p.f * p.L2 * s12
    upper = -(p.m1 * p.g * p.l1 + p.m2 * p.g * p.L1 + p.f * p.L1) * s1
    turning = 2 * thd[0] * thd[1] + thd[1] ** 2
    by_q = [
        [fore + upper, -2 * k * s2 * thdd[0] - k * s2 * thdd[1] - k * turning * c2 + fore],  # (71), (72)
        [fore, -k * s2 * thdd[0] + k * thd[0] ** 2 * c2 + fore],  # (77), (78)
    ]
    by_qd = [
        [-2 * k * thd[1] * s2, -2 * k * thd[0] * s2 - 2 * k * thd[1] * s2],  # (73), (74)
        [2 * k * thd[0] * s2, np.zeros_like(s2)],  # (79), (80)
    ]
    return InverseGradient(*(_matrices(rows) for rows in (by_q, by_qd, [[M11, M12], [M12, M22]])))


def _inertias(p: TwoLink, c2: Array) -> tuple[Array, Array, Array]:
    """Coefficients of the accelerations in (69) and (70)."""
    both = p.I2 + p.m2 * p.l2**2
    M11 = p.I1 + p.I2 + p.m1 * p.l1**2 + p.m2 * (p.L1**2 + p.l2**2 + 2 * p.L1 * p.l2 * c2)
    return M11, both + p.m2 * p.L1 * p.l2 * c2, np.full_like(c2, both)


def _columns(x: ArrayLike) -> Array:
    return np.moveaxis(np.asarray(x, float), -1, 0)


def _matrices(rows: list[list[Array]]) -> Array:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
