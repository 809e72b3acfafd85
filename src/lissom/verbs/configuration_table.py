"""Horn and Raibert's table: the coefficients of the dynamics over a grid of positions, interpolated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.arrays import as_floats
from lissom.errors import InputError, ModelError, UnsupportedError, shown
from lissom.formats.files import write_whole
from lissom.formats.npz import read_npz
from lissom.kernels.arguments import as_arm, as_state
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

if TYPE_CHECKING:
    from lissom.dynamics.bodies import Bodies

LARGEST = 2 * 2**30  # bytes
ROWS = 4096  # positions evaluated at once
WHOLE = 1e-9  # a grid that misses a turn by less, relative to it, has no ends


class TableError(NamedTuple):
    """Error of interpolated torques, relative to the largest exact torque of each joint.

    worst, mean : over random states; joint : the joint with the worst error
    """

    worst: float
    mean: float
    joint: str


@dataclass(frozen=True, eq=False)
class ConfigurationTable:
    """Table of the coefficients G, J and C of the configuration-space form over a grid of joint positions.

    ``F_i = G_i(q) + sum_j J_ij(q) qdd_j + sum_jk C_ijk(q) qd_j qd_k``, with the coefficients read from a
    table by multilinear interpolation. Made by `build`, or read by `load`. A revolute joint whose grid spans one turn
    has no end there: its positions wrap around.

    Attributes
    ----------
    arm : Arm                    the arm the table was filled for
    axes : tuple of (k,)         positions of the grid, per joint [rad or m]
    values : (k1, ..., kn, m)    G (n), then J on and above its diagonal, then the same of every C_i
    """

    arm: Arm
    axes: tuple[Array, ...]
    values: Array

    @classmethod
    def build(
        cls, arm: Arm, points: int | Sequence[int] = 9, ranges: Sequence[tuple[float, float]] | None = None
    ) -> ConfigurationTable:
        """Compute the table of an arm.

        Parameters
        ----------
        arm : Arm                        serial, with rigid links and joints
        points : int or one per joint    positions of the grid along each joint, at least 2
        ranges : one (lower, upper) per joint, or None
            None: the joints' limits; where there are none, one turn, or two metres, around zero

        Examples
        --------
        >>> import lissom as ls
        >>> table = ls.ConfigurationTable.build(ls.load("two_link"), points=33)
        >>> table.values.shape, table.memory
        ((33, 33, 11), 95832)
        """
        from lissom.dynamics.acting import Acting
        from lissom.dynamics.bodies import Bodies
        from lissom.dynamics.refusals import refuse_loops, refuse_unready
        from lissom.formulations.catalogue import ALL, refuse_uncovered

        refuse_unready(as_arm(arm, "ConfigurationTable"))
        refuse_loops(arm, "ConfigurationTable", "For the open tree, use arm.replace(loops=()).")
        bodies = Bodies(arm)
        if not len(bodies):
            raise UnsupportedError(f"ConfigurationTable: arm {arm.name!r} has no joint that moves.")
        refuse_uncovered(ALL["horn_raibert"], arm, bodies, Acting(), "inverse_dynamics", "ConfigurationTable")
        if arm.loads:
            raise UnsupportedError(
                "ConfigurationTable: the arm has standing loads, which a table of positions cannot include. Remove "
                "them: arm.replace(loads=())."
            )
        counts, pairs = _grid(arm, points, ranges)
        width = _width(arm.dof)
        size = 8 * width * math.prod(counts)
        if size > LARGEST:
            raise UnsupportedError(
                f"ConfigurationTable: {' x '.join(map(str, counts))} positions of {width} numbers need "
                f"{size / 2**30:.3g} GiB, more than {LARGEST // 2**30} GiB. Use fewer points."
            )
        axes = tuple(np.linspace(low, high, count) for (low, high), count in zip(pairs, counts, strict=True))
        return cls(arm, axes, _filled(bodies, axes, width))

    def __repr__(self) -> str:
        size = " x ".join(str(len(axis)) for axis in self.axes)
        return f"ConfigurationTable({self.arm.name!r}, {size} positions, {_in_bytes(self.memory)})"

    @property
    def memory(self) -> int:
        """Size of the table in bytes."""
        return int(self.values.nbytes)

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques from interpolated coefficients, drives included.

        Parameters
        ----------
        q, qd, qdd : (dof,) or (..., dof)   q within the grid, or at any angle of joints whose grid spans a turn

        Returns
        -------
        tau : (..., dof)
        """
        verb = "ConfigurationTable.inverse_dynamics"
        state = [as_state(self.arm, x, word, verb) for x, word in ((q, "q"), (qd, "qd"), (qdd, "qdd"))]
        try:
            p, v, a = np.broadcast_arrays(*state)
        except ValueError:
            shapes = ", ".join(f"{word} {x.shape}" for word, x in zip(("q", "qd", "qdd"), state, strict=True))
            raise InputError(f"{verb}: the batches do not fit together: {shapes}.") from None
        p = self._wrapped(p)
        self._refuse_outside(p)
        rows = self._interpolated(p.reshape(-1, self.arm.dof)).reshape(*p.shape[:-1], self.values.shape[-1])
        n = self.arm.dof
        upper = np.triu_indices(n)
        weights = np.where(upper[0] == upper[1], 1.0, 2.0)
        J = np.zeros((*p.shape[:-1], n, n))
        J[..., upper[0], upper[1]] = J[..., upper[1], upper[0]] = rows[..., n : n + len(upper[0])]
        C = rows[..., n + len(upper[0]) :].reshape(*p.shape[:-1], n, len(upper[0]))
        pairs = weights * v[..., upper[0]] * v[..., upper[1]]
        tau = rows[..., :n] + (J @ a[..., None])[..., 0] + (C @ pairs[..., None])[..., 0]
        return tau + self._drives(p, v, a, tau)

    def error(self, samples: int = 1000, seed: int = 0) -> TableError:
        """Compare with exact torques at random states inside the grid, velocities and accelerations up to 1."""
        if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
            raise InputError(f"ConfigurationTable.error: samples is {shown(samples)}; expected a number of at least 1.")
        rng = np.random.default_rng(seed)
        lower, upper = (np.array([axis[k] for axis in self.axes]) for k in (0, -1))
        q = rng.uniform(lower, upper, (samples, self.arm.dof))
        qd, qdd = rng.uniform(-1.0, 1.0, (2, samples, self.arm.dof))
        exact = inverse_dynamics(self.arm, q, qd, qdd)
        off = np.abs(self.inverse_dynamics(q, qd, qdd) - exact) / np.abs(exact).max(axis=0)
        joint = int(off.max(axis=0).argmax())
        return TableError(float(off.max()), float(off.mean()), self.arm.joints[joint].name)

    def save(self, path: str | Path) -> None:
        """Store the table in NumPy's .npz format; the arm itself is not in it, only its fingerprint."""
        named = {f"axis{k}": axis for k, axis in enumerate(self.axes)}

        def write(place: Path) -> None:
            with place.open("wb") as stream:
                np.savez_compressed(stream, values=self.values, digest=self.arm.digest, **named)  # type: ignore[arg-type]

        try:
            write_whole(Path(path), write)
        except ModelError as error:
            raise InputError(f"ConfigurationTable: {error}") from None

    @classmethod
    def load(cls, path: str | Path, arm: Arm) -> ConfigurationTable:
        """Read a table; it must have been built for the same arm (and payload)."""
        try:
            stored = read_npz(Path(path), LARGEST)
            values, digest = stored["values"], str(stored["digest"])
            axes = tuple(stored[f"axis{k}"] for k in range(values.ndim - 1))
            whole = tuple(map(len, axes)) == values.shape[:-1] and values.shape[-1] == _width(len(axes))
            if values.dtype != float or not whole or not np.isfinite(values).all():
                raise ValueError
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            raise InputError(
                f"ConfigurationTable: {path} cannot be read as a table; fill it again with build."
            ) from None
        if digest != as_arm(arm, "ConfigurationTable.load").digest:
            raise InputError(
                f"ConfigurationTable: {path} was filled for an arm other than {arm.name!r}; a change of geometry, mass "
                "or payload invalidates a table. Fill it again with ConfigurationTable.build."
            )
        return cls(arm, axes, values)

    def _wrapped(self, q: Array) -> Array:
        """Positions with those of joints whose grid spans their period brought into the grid."""
        q = np.array(q, float)
        for k, (axis, joint) in enumerate(zip(self.axes, self.arm.joints, strict=True)):
            span = axis[-1] - axis[0]
            if joint.period is not None and abs(span - joint.period) < WHOLE * joint.period:
                q[..., k] = axis[0] + np.mod(q[..., k] - axis[0], span)
        return q

    def _refuse_outside(self, q: Array) -> None:
        for k, axis in enumerate(self.axes):
            outside = np.argwhere((q[..., k] < axis[0]) | (q[..., k] > axis[-1]))
            if len(outside):
                spot = [*map(int, outside[0]), k]
                raise InputError(
                    f"ConfigurationTable: q{spot} = {q[tuple(spot)]:.4g} is beyond the grid of joint "
                    f"{self.arm.joints[k].name!r}, {axis[0]:.4g} to {axis[-1]:.4g}. Build a larger table, or use "
                    "inverse_dynamics with method='horn_raibert' or any other, which have no grid."
                )

    def _interpolated(self, q: Array) -> Array:
        """(rows, m): multilinear between the corners of the cell."""
        lower, share = [], []
        for k, axis in enumerate(self.axes):
            cell = np.clip(np.searchsorted(axis, q[:, k], side="right") - 1, 0, len(axis) - 2)
            lower.append(cell)
            share.append((q[:, k] - axis[cell]) / (axis[cell + 1] - axis[cell]))
        total = np.zeros((len(q), self.values.shape[-1]))
        for corner in itertools.product((0, 1), repeat=len(self.axes)):
            weight = np.prod([s if up else 1.0 - s for up, s in zip(corner, share, strict=True)], axis=0)
            total += weight[:, None] * self.values[tuple(cell + up for cell, up in zip(lower, corner, strict=True))]
        return total

    def _drives(self, q: Array, qd: Array, qdd: Array, tau: Array) -> Array:
        """Drive inertia, damping, friction and springs, which need no table; tau: torques that move the arm."""
        rows = np.array([(j.reflected_inertia, j.viscous, j.coulomb, j.stiffness, j.rest) for j in self.arm.joints])
        inertia, damping, friction, stiffness, rest = rows.T
        spring = stiffness * (q - rest)
        out = inertia * qdd + damping * qd + friction * np.sign(qd) + spring
        for k, joint in enumerate(self.arm.joints):
            more = joint.friction_laws.further
            out[..., k] += more.torque(qd[..., k], (tau + spring)[..., k])
        return np.asarray(out)


def _in_bytes(size: float) -> str:
    """A size with the unit that leaves a short number."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def _width(n: int) -> int:
    """Numbers per position: G, half of J, half of every C_i."""
    return n + (n + 1) * (n * (n + 1) // 2)


def _grid(arm: Arm, points: Any, ranges: Any) -> tuple[list[int], list[list[float]]]:
    """Number of positions and (lower, upper) of every joint."""
    n = arm.dof
    if n != len(arm.joints):
        raise UnsupportedError(
            f"ConfigurationTable: arm {arm.name!r} has elastic coordinates, which have no range to tabulate."
        )
    counts = [points] * n if isinstance(points, int | np.integer) else points
    whole = isinstance(counts, Sequence) and len(counts) == n
    if not whole or any(isinstance(c, bool) or not isinstance(c, int | np.integer) or c < 2 for c in counts):
        raise InputError(
            f"ConfigurationTable: points is {shown(points)}; expected a number of at least 2, or {n} of them."
        )
    lower, upper = arm.bounds("position")
    if ranges is None:
        turn = 2 * np.array([joint.half_range() for joint in arm.joints])
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - turn, -turn / 2))
        pairs = np.column_stack([low, np.where(np.isfinite(upper), upper, low + turn)])
    else:
        try:
            pairs = as_floats(ranges)
        except TypeError:
            pairs = np.zeros(0)
    if pairs.shape != (n, 2) or not np.isfinite(pairs).all() or not (pairs[:, 0] < pairs[:, 1]).all():
        raise InputError(
            f"ConfigurationTable: ranges is {shown(ranges)}; expected {n} finite pairs, lower below upper."
        )
    return [int(count) for count in counts], pairs.tolist()


def _filled(bodies: Bodies, axes: tuple[Array, ...], width: int) -> Array:
    """Coefficients at every position of the grid, some thousand positions at a time."""
    from lissom.formulations.horn_raibert import coefficients
    from lissom.formulations.linkage import Linkage, State

    linkage, n = Linkage(bodies), len(bodies)
    gravity = [float(g) for g in linkage.in_frame_0(bodies.arm.gravity)]
    nothing = [0.0] * n
    shape = tuple(len(axis) for axis in axes)
    values = np.empty((math.prod(shape), width))
    for start in range(0, len(values), ROWS):
        rows = np.arange(start, min(start + ROWS, len(values)))
        places = np.unravel_index(rows, shape)
        q = [axis[place] for axis, place in zip(axes, places, strict=True)]
        found, _ = coefficients(State(linkage.members, linkage.frames(q), nothing, nothing, gravity))
        upper = [(j, k) for j in range(n) for k in range(j, n)]
        numbers = [*found.G, *(found.J[j][k] for j, k in upper)]
        numbers += [found.C[i][j][k] for i in range(n) for j, k in upper]
        for column, number in enumerate(numbers):
            values[rows, column] = number
    return values.reshape(*shape, width)
