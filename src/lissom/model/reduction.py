"""Modal integrals of a link from finite-element matrices: its root clamped, few modes kept.

Craig and Bampton 1968, with the attachment modes of its tip: low modes of the clamped link (k of them, tip free)
and the six static shapes under unit forces and moments at the tip make a basis; in it

    K U = (M + T^T I T) U w^2

gives the modes that are kept, lowest first. T takes displacements of the nodes to the motion of the tip frame, I is
the inertia that the tip is assumed to carry. Integrals use M itself, with the fields that they contain:

    C  : rigid motions          int x x^T dm = 1/2 tr J - J, J the inertia about the link's origin
    Ck : e_a, and e_a x_j       int phi_k x_j e_a dm
    Ckl: parts of the modes     int (e_a . phi_k)(e_b . phi_l) dm

Nodes with six freedoms need rotations in the last two kinds of fields, which follow from the translations by least
strain energy: a beam whose nodes lie on a slope turns with it. What sections hold beyond that (rotary inertia) enters
where it matters to first order: in moments of the rigid link, in int x x phi_k dm, and in the modal masses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.errors import ModelError, shown
from lissom.later import cached_property
from lissom.model.fields import array, number, rank, transform, whole
from lissom.model.loads import Payload
from lissom.spatial.rotations import Array, skew

DENSE = 1200  # free displacements up to which all eigenvalues are computed
SLACK = 1e-6  # relative: symmetry, rigid motions and masses of matrices that come with few digits
ROUNDING = 1e-11  # of the largest entry: what is left where a mode does not move
AXES = "xyz"


class Mesh:
    """Matrices and nodes of a free link, in the nodes' axes; the link's frame among them.

    M, K : sparse (n, n);  nodes (N, 3);  n = 3 N or 6 N, node by node: x, y, z (and turns about x, y, z)
    """

    def __init__(self, M: Any, K: Any, nodes: Any, frame: Any = None):
        self.M, self.K = _matrix(M, "M"), _matrix(K, "K")
        self.nodes = array(nodes, "nodes", (None, 3))
        if self.M.shape != self.K.shape:
            raise ModelError(f"M is {self.M.shape} and K is {self.K.shape}; expected the same size.")
        self.n, self.N = self.M.shape[0], len(self.nodes)
        self.per = self.n // max(self.N, 1)
        if self.per not in (3, 6) or self.per * self.N != self.n:
            raise ModelError(
                f"M and K are {self.M.shape} with {self.N} nodes; expected {3 * self.N} rows (x, y, z of each node) or "
                f"{6 * self.N} (and turns about x, y, z)."
            )
        X = np.eye(4) if frame is None else transform(frame, "frame")
        self.R, self.x = X[:3, :3], (self.nodes - X[:3, 3]) @ X[:3, :3]
        self._refuse_supports()
        self._refuse_odd_mass()

    def field(self, translations: Array, turns: Array | None = None) -> Array:
        """(n,) displacements from translations (N, 3) and turns (N, 3) in link axes."""
        out = np.zeros((self.N, self.per))
        out[:, :3] = translations @ self.R.T
        if turns is not None and self.per == 6:
            out[:, 3:] = turns @ self.R.T
        return out.ravel()

    def translations(self, u: Array) -> Array:
        """Translations (N, 3) of a displacement (n,), in link axes."""
        return np.asarray(u.reshape(self.N, self.per)[:, :3] @ self.R)

    def entries(self, nodes: Array) -> Array:
        """Indices of some nodes' displacements among all."""
        return (nodes[:, None] * self.per + np.arange(self.per)).ravel()

    @cached_property
    def rigid(self) -> Array:
        """Rigid motions (n, 6): rotations about the link's axes, and translations along them."""
        ones, E = np.ones((self.N, 1)), np.eye(3)
        turns = [self.field(np.cross(e, self.x), ones * e) for e in E]
        return np.array([*turns, *(self.field(ones * e) for e in E)]).T

    def completed(self, u: Array, held: Array) -> Array:
        """Fields (n, fields) whose turns follow their translations by least strain energy; `held` entries are zero."""
        if self.per == 3:
            return u
        from scipy.sparse import identity
        from scipy.sparse.linalg import splu

        turning = (np.arange(self.n) % 6 >= 3) & ~np.isin(np.arange(self.n), held)
        block = self.K[turning][:, turning]
        # nodes on one line do not say how they twist: the least turns then
        small = 1e-10 * float(block.diagonal().max(initial=1e-300))
        out = np.array(u)
        out[turning] = -splu((block + small * identity(block.shape[0])).tocsc()).solve(
            np.asarray(self.K[turning][:, ~turning] @ u[~turning])
        )
        return out

    def _refuse_supports(self) -> None:
        size = float(np.abs(self.K).sum(axis=1).max())
        for k in range(6):
            r = self.rigid[:, k]
            force = float(np.abs(self.K @ r).max())
            if force > SLACK * size * float(np.abs(r).max()):
                what = f"a turn about {AXES[k]}" if k < 3 else f"a shift along {AXES[k - 3]}"
                raise ModelError(
                    f"K resists {what} of the whole link (by {force / size:.1g} of its largest row). Give the matrices "
                    "of the free link, without supports; nodes in the same unit of length; and rows node by node: x, "
                    "y, z, then turns."
                )

    def _refuse_odd_mass(self) -> None:
        masses = np.diag(self.rigid.T @ (self.M @ self.rigid))[3:]
        if masses.min() <= 0 or np.ptp(masses) > SLACK * masses.max():
            raise ModelError(
                f"M has the total masses {', '.join(f'{m:.6g}' for m in masses)} along x, y and z; expected one "
                "positive mass. Give the whole matrix, without rows left out for supports."
            )


def _matrix(A: Any, what: str) -> Any:
    """A symmetric sparse matrix of finite numbers."""
    from scipy.sparse import csc_array, issparse

    if issparse(A):
        if A.dtype.kind not in "iuf":
            raise ModelError(f"{what} has entries of type {A.dtype}; expected real numbers.")
        A = csc_array(A, dtype=float)
        array(A.data, f"entries of {what}", (None,))
    else:
        A = csc_array(array(A, what, (None, None)))
    if A.shape[0] != A.shape[1]:
        raise ModelError(f"{what} has shape {A.shape}; expected a square matrix.")
    gap, size = float(np.abs(A - A.T).max()), float(np.abs(A).max())
    if gap > SLACK * size:
        raise ModelError(
            f"{what} is not symmetric (entries differ by {gap:.3g} across the diagonal). Was only one triangle given?"
        )
    return ((A + A.T) / 2).tocsc()


def _places(value: Any, what: str, mesh: Mesh) -> Array:
    """Validated numbers of nodes, from 0."""
    given = [value] if rank(value) == 0 else value
    try:
        found = np.array([whole(int(k) if isinstance(k, np.integer) else k, what, most=10**9) for k in given])
    except TypeError:
        raise ModelError(f"{what} is {shown(value)}; expected numbers of nodes, from 0.") from None
    if not found.size or found.max() >= mesh.N or len(set(found.tolist())) < found.size:
        raise ModelError(f"{what} is {shown(value)}; expected different nodes from 0 to {mesh.N - 1}.")
    return found


def _tip_motion(mesh: Mesh, tip: Array) -> tuple[Array, Array]:
    """Place (3,) of the tip in link axes, and T (6, n): turn and shift of the tip frame there."""
    point = mesh.x[tip].mean(axis=0)
    arms = mesh.x[tip] - point
    T = np.zeros((6, mesh.N, mesh.per))
    T[3:, tip, :3] = mesh.R.T[:, None, :] / len(tip)
    if mesh.per == 6:
        T[:3, tip, 3:] = mesh.R.T[:, None, :] / len(tip)
        return point, T.reshape(6, mesh.n)
    moments = np.einsum("pi,pi->", arms, arms) * np.eye(3) - arms.T @ arms
    if np.linalg.eigvalsh(moments)[0] < 1e-9 * max(np.trace(moments), 1e-300):
        raise ModelError(
            "tip needs at least three nodes that are not on one line: nodes with x, y, z alone turn only together."
        )
    for k, arm in zip(tip, arms, strict=True):  # the turn that fits the shifts best
        T[:3, k, :3] = np.linalg.solve(moments, skew(arm)) @ mesh.R.T
    return point, T.reshape(6, mesh.n)


def reduced(M: Any, K: Any, nodes: Any, root: Any, tip: Any, count: int, damping: Any, carries: Any, frame: Any) -> Any:
    """Fields of `ModalIntegrals`, see `ModalIntegrals.from_matrices`."""
    mesh = Mesh(M, K, nodes, frame)
    count = whole(count, "count")
    held, ends = _places(root, "root", mesh), _places(tip, "tip", mesh)
    if np.isin(ends, held).any():
        raise ModelError("tip and root share a node; expected the two ends of the link.")
    clamped = mesh.entries(held)
    if np.linalg.matrix_rank(mesh.rigid[clamped], tol=1e-9 * np.abs(mesh.rigid).max()) < 6:
        raise ModelError(
            "root lets the link turn: clamp at least three nodes that are not on one line, or one with turns."
        )
    point, T = _tip_motion(mesh, ends)
    phi, stiffness = _modes(mesh, clamped, T, _carried(carries), count)
    mass, C = _rigid_integrals(mesh)
    D, Y = _coupling(mesh, phi), _products(mesh, phi, clamped)
    motion = T @ phi
    return {
        "C": C / 2,
        "Ck": _quiet(np.concatenate([np.zeros((count, 4, 1)), np.transpose(D, (0, 2, 1))], axis=2) / 2),
        "Ckl": _quiet(np.pad(Y, ((0, 0), (0, 0), (1, 0), (1, 0))) / 2),
        "K": np.diag(stiffness), "D": np.diag(2 * _ratios(damping, count) * np.sqrt(stiffness * mass)),
        "tip": point, "tip_shift": _quiet(motion[3:].T), "tip_turn": _quiet(motion[:3].T),
    }  # fmt: skip


def _carried(carries: Any) -> Array:
    """Inertia (6, 6) of the carried payload at the tip."""
    if carries is None:
        return np.zeros((6, 6))
    if not isinstance(carries, Payload):
        raise ModelError(f"carries is {shown(carries)}; expected Payload(mass, com, inertia).")
    return np.asarray(carries.body.spatial())


def _ratios(damping: Any, count: int) -> Array:
    if rank(damping) == 0:
        return np.full(count, number(damping, "damping", least=0.0))
    ratios = array(damping, "damping", (count,))
    if (ratios < 0).any():
        raise ModelError(f"damping has an entry {ratios.min():g}; expected ratios of at least 0.")
    return ratios


def _modes(mesh: Mesh, clamped: Array, T: Array, carried: Array, count: int) -> tuple[Array, Array]:
    """Modes (n, count) and their stiffness; modal mass with what is carried is the mass of the link."""
    free = np.setdiff1d(np.arange(mesh.n), clamped)
    K, M = mesh.K[free][:, free], mesh.M[free][:, free]
    Q = _basis(K, M, T[:, free], count)
    if count < 1 or count > Q.shape[1]:
        raise ModelError(f"count is {count}; these matrices have 1 to {Q.shape[1]} modes.")
    motion = T[:, free] @ Q
    values, U = np.linalg.eigh(Q.T @ (M @ Q) + motion.T @ carried @ motion)  # 1/w^2, as K is 1 on Q
    values, U = values[::-1][:count], U[:, ::-1][:, :count]
    if values[-1] <= 0:
        raise ModelError(f"count is {count}; fewer modes of these matrices move any mass. Keep fewer.")
    mass = float(mesh.rigid[:, 3] @ (mesh.M @ mesh.rigid[:, 3]))
    phi = np.zeros((mesh.n, count))
    phi[free] = Q @ U * np.sqrt(mass / values)
    return phi * _signs(T @ phi), mass / values


def _basis(K: Any, M: Any, T: Array, count: int) -> Array:
    """Low modes and static shapes of the clamped link, with elastic energy 1 and independent."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import eigsh, splu

    n, k = K.shape[0], min(K.shape[0], count + 6)
    try:
        if n <= DENSE:
            values, V = eigh(M.toarray(), K.toarray(), subset_by_index=(n - k, n - 1))
            low = V[:, values > 1e-14 * values[-1]]
        else:
            squares, low = eigsh(K, k=k, M=M, sigma=0.0, v0=np.ones(n))
            if squares.min() <= 0:
                raise np.linalg.LinAlgError
        static = splu(K).solve(np.ascontiguousarray(T.T))
    except (np.linalg.LinAlgError, RuntimeError):
        raise ModelError(
            "K is not positive where the root is clamped: some part of the link is not connected, or stiffness is "
            "negative. Look for nodes without elements, and for signs."
        ) from None
    Q = np.column_stack([low, static])
    Q = Q / np.sqrt(np.einsum("ik,ik->k", Q, K @ Q))
    for _ in range(2):  # the second time for the digits that the first one lost
        energies, W = np.linalg.eigh(Q.T @ (K @ Q))
        Q = Q @ (W / np.sqrt(np.maximum(energies, 1e-300)))[:, energies > 1e-12 * energies[-1]]
    return Q


def _signs(motion: Array) -> Array:
    """Signs of the modes, such that the largest component of the tip's motion is positive."""
    turn, shift = motion[:3], motion[3:]
    far = np.linalg.norm(shift, axis=0) > 1e-6 * np.linalg.norm(shift, axis=0).max(initial=1e-300)
    part = np.where(far, shift, turn)
    largest = part[np.abs(part).argmax(axis=0), np.arange(part.shape[1])]
    return np.where(largest < 0, -1.0, 1.0)


def _rigid_integrals(mesh: Mesh) -> tuple[float, Array]:
    """Mass, and int h h^T dm over h = [1 x y z]."""
    I = mesh.rigid.T @ (mesh.M @ mesh.rigid)
    mass, J, moment = float(np.trace(I[3:, 3:]) / 3), I[:3, :3], I[:3, 3:]
    first = np.array([moment[2, 1] - moment[1, 2], moment[0, 2] - moment[2, 0], moment[1, 0] - moment[0, 1]]) / 2
    C = np.zeros((4, 4))
    C[0, 0], C[0, 1:], C[1:, 0] = mass, first, first
    C[1:, 1:] = np.trace(J) / 2 * np.eye(3) - J
    return mass, _quiet((C + C.T) / 2)


def _coupling(mesh: Mesh, phi: Array) -> Array:
    """(m, 3, 4) int phi_k h^T dm."""
    inertia = np.asarray(mesh.M @ phi)
    E = np.eye(3)
    fields = np.array([mesh.field(mesh.x[:, [j]] * E[a]) for a in range(3) for j in range(3)]).T
    D = np.zeros((phi.shape[1], 3, 4))
    D[:, :, 0] = inertia.T @ mesh.rigid[:, 3:]
    G = D[:, :, 1:]  # int phi_a x_j dm
    G += (inertia.T @ mesh.completed(fields, np.zeros(0, int))).reshape(-1, 3, 3)
    exact = inertia.T @ mesh.rigid[:, :3]  # int x x phi dm, sections included
    for c in range(3):
        i, j = (c + 1) % 3, (c + 2) % 3
        missing = exact[:, c] - (G[:, j, i] - G[:, i, j])
        G[:, j, i] += missing / 2
        G[:, i, j] -= missing / 2
    return D


def _products(mesh: Mesh, phi: Array, clamped: Array) -> Array:
    """(m, m, 3, 3) int phi_k phi_l^T dm; traces are the modal masses."""
    m = phi.shape[1]
    moved = [mesh.translations(phi[:, k]) for k in range(m)]
    along = np.array([mesh.field(u * e) for e in np.eye(3) for u in moved]).T  # (n, 3 m), axis by axis
    along = mesh.completed(along, clamped)
    Y = (along.T @ (mesh.M @ along)).reshape(3, m, 3, m).transpose(1, 3, 0, 2)
    missing = phi.T @ (mesh.M @ phi) - np.einsum("klaa->kl", Y)
    Y = Y + missing[:, :, None, None] / 3 * np.eye(3)
    return np.asarray((Y + np.transpose(Y, (1, 0, 3, 2))) / 2)


def _quiet(A: Array) -> Array:
    """An array with rounding errors set to zero, which makes the code of a link shorter."""
    return np.where(np.abs(A) > ROUNDING * np.abs(A).max(initial=0.0), A, 0.0)
