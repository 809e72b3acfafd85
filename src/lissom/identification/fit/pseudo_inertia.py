"""Ten inertial parameters of a link, and its pseudo-inertia, whose positive definiteness is physical consistency.

Wensing, Kim and Slotine 2018: a body with mass m, first moment mc and second moments S of its mass about the frame has
P = [[S, mc], [mc^T, m]], and a distribution of positive mass exists exactly if P is positive definite.
With the inertia I about the frame's origin, S = tr(I)/2 1 - I. P is linear in (m, mc, Ixx, Ixy, Ixz, Iyy, Iyz, Izz).
"""

from __future__ import annotations

import numpy as np

from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array, skew

WORDS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
UNITS = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)
COUNT = len(WORDS)
WITHIN = (4, 5, 6, 7, 8, 9, 1, 2, 3, 0)  # of a link: masses come last, and regroup into inertias of links before them
LEAST = 1e-3  # of a link's own size are the eigenvalues of its prior at least
LIGHT = 1e-2  # of a typical link: the scale of links without mass
_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of the six inertias


def _basis() -> Array:
    """E (10, 4, 4) of P = sum_k x_k E_k."""
    E = np.zeros((COUNT, 4, 4))
    E[0, 3, 3] = 1.0
    for k in range(3):
        E[1 + k, k, 3] = E[1 + k, 3, k] = 1.0
    for k, (row, column) in enumerate(_PLACES):
        moment = np.zeros((3, 3))
        moment[row, column] = moment[column, row] = 1.0
        E[4 + k, :3, :3] = 0.5 * np.trace(moment) * np.eye(3) - moment
    return E


BASIS = _basis()


def pseudo_inertia(x: Array) -> Array:
    """P (n, 4, 4) of parameters (10 n,)."""
    return np.asarray(np.einsum("nk,kab->nab", np.reshape(x, (-1, COUNT)), BASIS))


def parameters_of_pseudo(P: Array) -> Array:
    """Parameters (10,) of a pseudo-inertia (4, 4)."""
    S, mc, m = P[:3, :3], P[:3, 3], P[3, 3]
    moment = np.trace(S) * np.eye(3) - S
    return np.array([m, *mc, *(moment[place] for place in _PLACES)])


def parameters_of(body: Inertia) -> Array:
    """Parameters (10,) of a body about the origin of its frame."""
    about_origin = body.spatial()[:3, :3]
    return np.array([body.mass, *(body.mass * body.com), *(about_origin[place] for place in _PLACES)])


def body_of(x: Array) -> Inertia:
    """The body with parameters (10,) whose mass is positive."""
    mass, com = float(x[0]), x[1:4] / x[0]
    moment = np.zeros((3, 3))
    for value, (row, column) in zip(x[4:], _PLACES, strict=True):
        moment[row, column] = moment[column, row] = value
    about_com = moment - mass * (skew(com) @ skew(com).T)
    return Inertia(mass, com, 0.5 * (about_com + about_com.T))


def sizes(P: Array) -> Array:
    """Typical sizes (10,) of the parameters of a body like P: mass, mass times extent, mass times extent squared."""
    mass, second = P[3, 3], float(np.trace(P[:3, :3]))
    return np.array([mass, *[np.sqrt(mass * second)] * 3, *[second] * 6])


def made_definite(P: Array, mass: float, extent: float) -> Array:
    """P with small eigenvalues raised where it is (nearly) singular: that of a point, of a rod, or of no mass at all.

    mass, extent : of a typical link of the arm [kg, m], the scale of a link without mass
    """
    if P[3, 3] < LIGHT * mass:
        P = P + LIGHT * mass * np.diag([*[(LIGHT * extent) ** 2] * 3, 1.0])
    second = float(np.trace(P[:3, :3]))
    scale = np.sqrt(np.array([max(second, P[3, 3] * (LIGHT * extent) ** 2)] * 3 + [P[3, 3]]))
    values, axes = np.linalg.eigh(P / np.outer(scale, scale))
    if values[0] >= LEAST:
        return P
    return np.asarray((axes * np.maximum(values, LEAST)) @ axes.T * np.outer(scale, scale))
