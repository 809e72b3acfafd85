"""Small vibrations of two beams joined at an angle, by cubic finite elements that cannot stretch.

Nothing of the library's shapes or recursion is used: every node's deflection and slope is a coordinate. A link that
cannot stretch moves along itself as one, with the tip of the link before.
"""

import numpy as np
from scipy.linalg import eigh


def element(mu, EI, h):
    """Consistent inertia and stiffness of a beam element in (v, slope) of its two ends."""
    M = mu * h / 420 * np.array([
        [156, 22 * h, 54, -13 * h],
        [22 * h, 4 * h**2, 13 * h, -3 * h**2],
        [54, 13 * h, 156, -22 * h],
        [-13 * h, -3 * h**2, -22 * h, 4 * h**2],
    ])  # fmt: skip
    K = EI / h**3 * np.array([
        [12, 6 * h, -12, 6 * h],
        [6 * h, 4 * h**2, -6 * h, 2 * h**2],
        [-12, -6 * h, 12, -6 * h],
        [6 * h, 2 * h**2, -6 * h, 4 * h**2],
    ])  # fmt: skip
    return M, K


def link_matrices(link, elements):
    """Inertia and stiffness of a link, hub and payload included, in (shift along itself, v0, slope0, v1, ...)."""
    beam, n = link.beam, 2 * elements + 3
    M, K = np.zeros((n, n)), np.zeros((n, n))
    m, k = element(beam.mass_per_length, beam.EI[1], beam.length / elements)
    for i in range(elements):
        at = slice(2 * i + 1, 2 * i + 5)
        M[at, at] += m
        K[at, at] += k
    M[0, 0] = beam.mass
    for body, v in ((link, 1), (link.payload, n - 2)):
        if body is not None:
            M[[0, v, v + 1], [0, v, v + 1]] += body.mass, body.mass, body.inertia[2, 2]
    return M, K


def frequencies(arm, q2, joints, count, elements=24):
    """Lowest frequencies [Hz] of two links, the second turned by q2; "free" joints leave two motions out."""
    n = 2 * elements
    size = 2 * (n + 1)  # turn of the joint, then (v, slope) of every node but the root, of each link
    first, second = np.zeros((n + 3, size)), np.zeros((n + 3, size))
    first[2, 0] = 1  # the root turns with its joint
    first[3:, 1 : n + 1] = np.eye(n)
    v, slope = n - 1, n  # of the first link's tip
    second[0, v], second[1, v] = np.sin(q2), np.cos(q2)
    second[2, slope] = second[2, n + 1] = 1
    second[3:, n + 2 :] = np.eye(n)
    M, K = np.zeros((size, size)), np.zeros((size, size))
    for link, B in zip(arm.links, (first, second), strict=True):
        m, k = link_matrices(link, elements)
        M += B.T @ m @ B
        K += B.T @ k @ B
    if joints == "locked":
        kept = np.delete(np.arange(size), [0, n + 1])
        M, K = M[np.ix_(kept, kept)], K[np.ix_(kept, kept)]
    rigid = 2 if joints == "free" else 0
    values = eigh(K, M, eigvals_only=True, subset_by_index=[0, rigid + count - 1])
    return np.sqrt(values[rigid:]) / (2 * np.pi)
