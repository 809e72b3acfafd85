"""One time sample of an arm of many joints: as `sample.Sample`, with derivatives from the tapes of inverse dynamics.

Straight-line code of second derivatives grows with the third power of the number of joints and takes minutes to
compile beyond about ten. Tapes do not grow; what is left is the chain rule. Rows and cost are L(y, T), y_r = u_r / T^r,

    L = lam . tau + mu . (tau v) + w T (c_1 + c_2 tau . tau + c_3 sum e(tau v) + c_4 jerk . jerk)

so with F the same function of tau, v, jerk and T as if they were free, and J = d tau / dy,

    L_y  = J^T F_tau + F_v + F_jerk
    L_yy = (F_tau . tau)_yy + J^T F_tautau J + J^T F_tauv + F_vtau J + F_vv + F_jerkjerk

where the first term is what the tape of `inverse_dynamics_hessian` gives, and every F_.. is diagonal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.acting import Acting
from lissom.errors import UnsupportedError
from lissom.kernels.cache import cache_of
from lissom.kernels.verbs import INVERSE_DYNAMICS, INVERSE_DYNAMICS_GRADIENT, INVERSE_DYNAMICS_HESSIAN
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.motion.task.cost import Cost
from lissom.motion.task.criteria.known import CRITERIA
from lissom.motion.transcription.kernels.friction import excess, slopes, turn
from lissom.motion.transcription.kernels.sample import Places
from lissom.motion.transcription.kernels.smoothing import Layout, Widths
from lissom.spatial.rotations import Array

# Straight-line code is compiled for one arm, with its payload and friction; tapes are the same machine code for all.
# Compiling takes 0.1 s with 4 joints, 0.5 to 1.2 s with 6. Later calls take, with straight-line code and with tapes:
# 14 and 24 ms (2 joints), 33 and 52 (4), 14 and 18 (UR5, 6 joints), 523 and 545 (PUMA 560, 6 joints with friction).
STRAIGHT = 4  # joints up to which samples are straight-line code
LONGEST = 12  # joints up to which straight-line code can be had at all
MANY = 128  # samples from which kernels may use several threads
SIDES = (1.0, -1.0)


def prefers_tape(arm: Arm, cost: Cost, rates: bool) -> bool:
    """Whether samples of an arm should come from tapes; `rates`: those of torques are limited."""
    if arm.dof <= STRAIGHT:
        return False
    missing = [*(["limits of torque_rate"] if rates else []), *cost.without_tape]
    if missing and arm.dof > LONGEST:
        supported = ", ".join(word for word, kind in CRITERIA.items() if kind.tape() is not None)
        raise UnsupportedError(
            f"predict_motion: {missing[0]}: not supported for arms with more than {LONGEST} joints, and {arm.name!r} "
            f"has {arm.dof}. Supported criteria are {supported}; limit the jerk instead of the torque rate."
        )
    return not missing


class _Partials(NamedTuple):
    """Derivatives of F, (N, n) each: diagonals of the second ones."""

    tau: Array
    v: Array
    tau_tau: Array
    tau_v: Array
    v_v: Array
    tau_T: Array
    v_T: Array


class Curvature(NamedTuple):
    """Second derivatives of samples, in parts: of L by y, without the squares of slopes, and those.

    blocks     {(r, s): (N, n, n)} by y_r and y_s, of two orders once
    last       (N, orders n + 1) by u and T, and by T; None where it is not asked for
    weights    of J^T weights J, J the slopes of the torques (N, n)
    """

    blocks: dict[tuple[int, int], Array]
    last: Array | None
    weights: Array


class RowSlopes(NamedTuple):
    """First derivatives of the rows of samples: by y of three orders (N, 3, m, n), and by T (N, m)."""

    by_state: Array
    along: Array


class TapeSample:
    """Functions of one kind of sample, as `sample.Sample` has them.

    Parameters
    ----------
    arm : Arm
    acting : Acting               frames that carry loads
    powers : (k,)                   coordinates whose power is a row, after all torques
    weights : {term: weight}        of "time", "power" and "jerk", see `AbstractCriterion.tape`
    squares : (n,)                  weights of squared torques
    friction_joints : (r,)          whose torques are rows again, twice, with friction on the safe side of its jump:
                                    above, then below
    layout : Layout                 widths within which jumps are rounded off, which are the last data of a sample
    check : f()                     called before each of its functions is compiled, and may raise
    """

    def __init__(
        self,
        arm: Arm,
        acting: Acting,
        powers: NDArray[np.intp],
        weights: Mapping[str, float],
        squares: Array,
        friction_joints: NDArray[np.intp],
        layout: Layout,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.n, self.m = arm.dof, arm.dof + len(powers) + 2 * len(friction_joints)
        self._loads, self._layout = 9 * len(acting.loads), layout
        self.data = self._loads + layout.size
        self.orders = 4 if weights["jerk"] else 3
        self._powers, self._friction_joints = powers, friction_joints
        self._weights = weights
        self._driven = arm.actuated.astype(float)  # what the others need is nothing, and costs nothing
        self._squares = squares
        self.curved = bool(self._squares.any() or self._weights["power"])  # squares of slopes are part of it
        self._crossed = bool(len(powers) or self._weights["power"])
        self._friction, self._margin = arm.expanded(arm.breakaway), arm.expanded(arm.breakaway + arm.asymmetry)
        self._rough = bool(self._friction.any())
        functions = cache_of(arm).without_friction  # samples add it in a smooth form
        made = []
        for verb in (INVERSE_DYNAMICS, INVERSE_DYNAMICS_GRADIENT, INVERSE_DYNAMICS_HESSIAN):
            check()
            made.append(functions.get(verb, acting, "tape"))
        self._tau, self._slopes, self._curvatures = made
        self.related = related(arm)
        self.row_related = np.concatenate([self.related, self.related[powers], *2 * [self.related[friction_joints]]])
        self.blocks = [(0, 0), (1, 0), (2, 0), (1, 1)] + [(2, 1)] * self._crossed + [(3, 3)] * (self.orders > 3)
        self.jacobian, self.hessian = self._patterns(self.related)
        self._prepare(self.related)
        self._order = np.arange(float(self.orders))[:, None, None]
        self._seen: Any = None
        self._known: dict[str, Any] = {}

    # ---- patterns -----------------------------------------------------------------------------------

    def _patterns(self, R: NDArray[np.bool_]) -> tuple[Places, Places]:
        """Torques depend on the joints that carry theirs or are carried by it; so do second derivatives."""
        n, W = self.n, self.orders * self.n
        of_tau = np.zeros((n, W + 1), bool)
        of_tau[:, : 3 * n], of_tau[:, W] = np.tile(R, 3), True
        rows = np.concatenate([of_tau, of_tau[self._powers], *2 * [of_tau[self._friction_joints]]])
        H = np.zeros((W + 1, W + 1), bool)
        for r, s in ((0, 0), (0, 1), (0, 2), (1, 1)):
            H[r * n : (r + 1) * n, s * n : (s + 1) * n] = R
        speed = slice(n, 2 * n)
        if self._crossed:
            H[speed, : 3 * n] |= np.tile(R, 3)
        if self.curved:
            H |= of_tau.T @ of_tau
        H[np.arange(3 * n, W), np.arange(3 * n, W)] = True
        H[W] = True
        return _places(rows), _places(np.tril(H | H.T))

    def _prepare(self, R: NDArray[np.bool_]) -> None:
        """Where the parts of a Hessian go: blocks of two orders, its last row, products of torques' slopes."""
        n, W = self.n, self.orders * self.n
        where = np.full((W + 1, W + 1), -1, np.intp)
        where[self.hessian] = np.arange(len(self.hessian[0]))
        self._last = where[W]
        self._places_of = {}
        for r in range(self.orders):
            for s in range(r + 1):
                to = where[r * n : (r + 1) * n, s * n : (s + 1) * n].ravel()
                at = np.flatnonzero((to >= 0) & (R | (r == s == 3)).ravel())
                self._places_of[r, s] = to[at], at
        self._groups = []
        for pattern in np.unique(R, axis=0) if self.curved else ():
            rows = np.flatnonzero((pattern == R).all(axis=1))
            columns = np.flatnonzero(np.tile(pattern, 3))
            to = where[np.ix_(np.append(columns, W), np.append(columns, W))].ravel()
            at = np.flatnonzero(to >= 0)
            at = at[np.argsort(to[at])]
            all_of_them = len(at) == len(self.hessian[0])  # a slice is five times as quick as indices
            self._groups.append((rows, columns, slice(None) if all_of_them else to[at], at))

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """What decides the patterns of programs of such samples."""
        rows = self.row_related.tobytes(), self._powers.tobytes(), self._friction_joints.tobytes()
        return "tape", self.n, self.m, self.orders, self.curved, self._crossed, *rows

    # ---- values -------------------------------------------------------------------------------------

    def value(self, given: Sequence[Array]) -> list[Array]:
        """rows (N, m), T c (N, 1)."""
        y, T, tau = self._state(given)
        k, r = self._powers, self._friction_joints
        rows = [tau, tau[:, k] * y[1][:, k]]
        rows += [
            tau[:, r] + self._margin[r] * excess(y[1][:, r], side, self._widths.limit, self._widths.torque[:, r])
            for side in SIDES
        ]
        return [np.concatenate(rows, axis=1), T * self._rate(y, tau)]

    def first(self, given: Sequence[Array]) -> list[Array]:
        """Nonzeros of the Jacobian of the rows (N, .), gradient of T c (N, orders n + 1)."""
        found, T, n, W = self.row_slopes(given), given[1], self.n, self.orders * self.n
        rows = np.zeros((len(T), self.m, W + 1))
        for order in range(3):
            rows[:, :, order * n : (order + 1) * n] = found.by_state[:, order] / T[:, :, None] ** order
        rows[:, :, W] = found.along
        return [rows[:, *self.jacobian], self.gradient(given)]

    def row_slopes(self, given: Sequence[Array]) -> RowSlopes:
        """Derivatives of all rows: torques, powers, torques with friction on the safe side."""
        y, T, tau = self._state(given)
        J, along = self._slope(), self._along()
        if self.m == self.n:
            return RowSlopes(J, along)
        v, k, n = y[1], self._powers, self.n
        rows, by_T = np.empty((len(T), 3, self.m, n)), np.empty((len(T), self.m))
        rows[:, :, :n], by_T[:, :n] = J, along
        at = n + np.arange(len(k))
        rows[:, :, at], by_T[:, at] = v[:, None, k, None] * J[:, :, k], v[:, k] * along[:, k] - tau[:, k] * v[:, k] / T
        rows[:, 1, at, k] += tau[:, k]
        for r, at, side in self._friction_rows():
            slope = self._margin[r] * slopes(v[:, r], side, self._widths.limit, self._widths.torque[:, r])[0]
            rows[:, :, at], by_T[:, at] = J[:, :, r], along[:, r] - slope * v[:, r] / T
            rows[:, 1, at, r] += slope
        return RowSlopes(rows, by_T)

    def second(self, given: Sequence[Array], lam: Array, w: Array) -> Array:
        """Nonzeros of the lower triangle of the Hessian (N, .)."""
        found, T = self.curvature(given, lam, w), given[1]
        out = np.zeros((len(T), len(self.hessian[0])))
        for (r, s), block in found.blocks.items():
            to, at = self._places_of[r, s]
            out[:, to] = np.take(block.reshape(len(block), -1), at, axis=1) / T ** (r + s)
        out[:, self._last] = found.last
        if self.curved:
            J = self._slope() * (T ** -np.arange(3.0))[:, :, None, None]
            J = J.transpose(0, 2, 1, 3).reshape(len(T), self.n, -1)
            self._add_squares(out, J, self._along(), found.weights)
        return out

    def curvature(self, given: Sequence[Array], lam: Array, w: Array, free: bool = True) -> Curvature:
        """Parts of the Hessian of `second`; `free`: second derivatives by T too."""
        y, T, tau = self._state(given)
        J = self._slope()
        F = self._partials(y, T, tau, lam, w)
        blocks = self._blocks(J, F, y, T, w)
        return Curvature(blocks, self._by_duration(blocks, F, y, T, w) if free else None, F.tau_tau)

    def _by_duration(self, blocks: dict[tuple[int, int], Array], F: _Partials, y: Array, T: Array, w: Array) -> Array:
        """Second derivatives by T and u, and by T, without the squares of slopes."""
        way = self._way()  # that of positions is zero
        Ly, LyT = self._by_states(y, w * T, F.tau, F.v), self._by_states(y, w, F.tau_T, F.v_T)
        turned = np.zeros_like(Ly)
        for (r, s), block in blocks.items():
            if s:
                turned[r] += np.matmul(block, way[s][:, :, None])[:, :, 0]
            if r != s:
                turned[s] += np.matmul(way[r][:, None], block)[:, 0]
        turned += LyT
        last = (turned - self._order / T * Ly) * self._known["shrink"]
        both = (way * (turned + LyT - (self._order + 1) / T * Ly)).sum(axis=(0, 2))
        return np.concatenate([*last, both[:, None]], axis=1)

    def _add_squares(self, out: Array, J: Array, along: Array, weights: Array) -> None:
        """Add K^T weights K, K = [J, along] the slopes of the torques by u and T, to the nonzeros of a Hessian.

        Torques with the same related columns are taken together.
        """
        N = len(J)
        for rows, columns, to, at in self._groups:
            K = np.empty((N, len(rows), len(columns) + 1))
            K[:, :, :-1] = J[:, rows[:, None], columns]
            K[:, :, -1] = along[:, rows]
            product = np.swapaxes(K, 1, 2) @ (weights[:, rows, None] * K)
            out[:, to] += np.take(product.reshape(N, -1), at, axis=1)

    def _friction_rows(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp], float]]:
        """Coordinates, rows and side of the torques with friction on the safe side."""
        r, at = self._friction_joints, self.n + len(self._powers) + np.arange(2 * len(self._friction_joints))
        if not len(r):
            return []
        return [(r, rows, side) for rows, side in zip(np.split(at, 2), SIDES, strict=True)]

    # ---- parts --------------------------------------------------------------------------------------

    def _state(self, given: Sequence[Array]) -> tuple[Array, Array, Array]:
        """y (orders, N, n), T (N, 1) and the torques, kept while the same samples are asked about."""
        if given is not self._seen:
            u, T = given[0], np.array(given[1])
            y = np.ascontiguousarray(u.reshape(len(u), self.orders, self.n).transpose(1, 0, 2))
            y *= (shrink := np.cumprod([np.ones_like(T)] + [1 / T] * (self.orders - 1), axis=0))
            extra = [np.ascontiguousarray(given[2][:, k : k + 9]) for k in range(0, self._loads, 9)]
            v, widths = y[1], self._layout.columns(given[2][:, self._loads :] if self.data else np.zeros((len(u), 0)))
            tau = self._tau(*y[:3], *extra, threads=self._threads(len(u)))
            if self._rough:
                tau = tau + self._friction * v / np.sqrt(v * v + widths.torque**2)
            self._seen = given
            self._known = {"state": (y, T, tau), "extra": extra, "widths": widths, "shrink": shrink}
        return self._known["state"]

    @staticmethod
    def _threads(samples: int) -> int | None:
        """One thread for few samples, which kernels would find out themselves every time."""
        return 1 if samples < MANY else None

    @property
    def _widths(self) -> Widths:
        """Widths of the samples that were evaluated last."""
        found: Widths = self._known["widths"]
        return found

    def _slope(self) -> Array:
        """J = d tau / d(q, v, a), (N, 3, n, n), where samples were last asked about."""
        if "J" not in self._known:
            y = self._known["state"][0]
            J = np.stack(self._slopes(*y[:3], *self._known["extra"], threads=self._threads(y.shape[1])), axis=1)
            if self._rough:
                at = np.arange(self.n)
                J[:, 1, at, at] += self._friction * turn(y[1], self._widths.torque)[0]
            self._known["J"] = J
        return self._known["J"]

    def _along(self) -> Array:
        """d tau / dT (N, n)."""
        if "along" not in self._known:
            J, way = self._slope(), self._way()
            self._known["along"] = (J[:, 1] @ way[1][:, :, None] + J[:, 2] @ way[2][:, :, None])[:, :, 0]
        return self._known["along"]

    def _way(self) -> Array:
        """dy / dT (orders, N, n)."""
        if "way" not in self._known:
            y, T, _ = self._known["state"]
            self._known["way"] = -self._order * y / T
        return self._known["way"]

    def _rate(self, y: Array, tau: Array) -> Array:
        """The rate of cost (N, 1)."""
        c, R = self._weights, self._widths.power
        out = c["time"] + (tau * tau) @ self._squares
        if c["power"]:
            out += c["power"] * (np.sqrt((tau * y[1]) ** 2 + R * R) - R) @ self._driven
        if c["jerk"]:
            out += c["jerk"] * (y[3] ** 2) @ self._driven
        return out[:, None]

    def _partials(self, y: Array, T: Array, tau: Array, lam: Array, w: Array) -> _Partials:
        v, s = y[1], w * T
        mu, by_v0, curve0 = (np.zeros_like(tau) for _ in range(3))
        mu[:, self._powers] = lam[:, self.n : self.n + len(self._powers)]
        by_tau0 = lam[:, : self.n].copy()
        for r, at, side in self._friction_rows():
            first, second = slopes(v[:, r], side, self._widths.limit, self._widths.torque[:, r])
            by_tau0[:, r] += lam[:, at]
            by_v0[:, r] += lam[:, at] * self._margin[r] * first
            curve0[:, r] += lam[:, at] * self._margin[r] * second
        by_tau, by_v = self._cost_slopes(y, tau)
        found = _Partials(
            tau=by_tau0 + mu * v + s * by_tau, v=by_v0 + mu * tau + s * by_v, tau_tau=s * (2 * self._squares), tau_v=mu,
            v_v=curve0, tau_T=w * by_tau, v_T=w * by_v,
        )  # fmt: skip
        if not self._weights["power"]:
            return found
        p, (slope, curve) = tau * v, self._power_slopes(y, tau)
        return found._replace(
            tau_tau=s * (2 * self._squares + curve * v * v),
            tau_v=mu + s * (slope + curve * p),
            v_v=curve0 + s * curve * tau * tau,
        )

    def _power_slopes(self, y: Array, tau: Array) -> tuple[Array, Array]:
        """First and second derivative of the rate of cost by the power of each joint."""
        p, R, energy = tau * y[1], self._widths.power, self._weights["power"] * self._driven
        root = np.sqrt(p * p + R * R)
        return energy * p / root, energy * R * R / root**3

    def _cost_slopes(self, y: Array, tau: Array) -> tuple[Array, Array]:
        """Derivatives of the rate of cost by tau and v."""
        by_tau = 2 * self._squares * tau
        if not self._weights["power"]:
            return by_tau, np.zeros_like(tau)
        slope = self._power_slopes(y, tau)[0]
        return by_tau + slope * y[1], slope * tau

    def _by_states(self, y: Array, jerk: Array, by_tau: Array, by_v: Array) -> Array:
        """L_y (orders, N, n); jerk (N, 1): weights of its squares, but for that of the cost."""
        out = np.empty_like(y)
        np.matmul(by_tau[:, None, None], self._slope(), out=out[:3].transpose(1, 0, 2)[:, :, None])
        out[1] += by_v
        if self.orders > 3:
            out[3] = 2 * self._weights["jerk"] * self._driven * jerk * y[3]
        return out

    def gradient(self, given: Sequence[Array]) -> Array:
        """Gradient of T c with respect to u and T (N, orders n + 1)."""
        y, T, tau = self._state(given)
        by_tau, by_v = self._cost_slopes(y, tau)
        Ly = self._by_states(y, T, T * by_tau, T * by_v)
        by_T = self._rate(y, tau) + (self._way() * Ly).sum(axis=(0, 2))[:, None]
        return np.concatenate([*(Ly * self._known["shrink"]), by_T], axis=1)

    def _blocks(self, J: Array, F: _Partials, y: Array, T: Array, w: Array) -> dict[tuple[int, int], Array]:
        """L_yy without J^T F_tautau J, by orders of its rows and columns: (N, n, n) each, of two orders once."""
        n, at, v = self.n, np.arange(self.n), y[1]
        found = self._curvatures(*y[:3], F.tau, *self._known["extra"], threads=self._threads(len(T)))
        blocks = dict(zip(((0, 0), (1, 0), (2, 0), (1, 1)), found, strict=True))
        for key in ((1, 0), (2, 0)):
            blocks[key] = np.swapaxes(blocks[key], 1, 2)
        if self._crossed:
            crossed = F.tau_v[:, None, :, None] * J  # rows: of v
            blocks[1, 0] = blocks[1, 0] + crossed[:, 0]
            blocks[1, 1] = blocks[1, 1] + crossed[:, 1] + np.swapaxes(crossed[:, 1], 1, 2)
            blocks[2, 1] = np.swapaxes(crossed[:, 2], 1, 2)
        if self._crossed or self._rough:
            blocks[1, 1] = np.array(blocks[1, 1])
            blocks[1, 1][:, at, at] += F.v_v + F.tau * self._friction * turn(v, self._widths.torque)[1]
        if self.orders > 3:
            blocks[3, 3] = np.zeros((len(T), n, n))
            blocks[3, 3][:, at, at] = 2 * self._weights["jerk"] * self._driven * w * T
        return blocks


def _places(pattern: NDArray[np.bool_]) -> Places:
    rows, columns = np.nonzero(pattern)
    return rows, columns


def related(arm: Arm) -> NDArray[np.bool_]:
    """(n, n) one coordinate carries the other, or they are of the same link, or the same."""
    from lissom.dynamics.bodies import Bodies
    from lissom.dynamics.body import BASE

    bodies = Bodies(arm).list
    R = np.eye(len(bodies), dtype=bool)
    for k, body in enumerate(bodies):
        if body.parent != BASE:
            R[k] |= R[body.parent]  # parents come first
    owner = np.repeat(np.arange(len(bodies)), [body.width for body in bodies])
    at = np.concatenate([body.coordinate + np.arange(body.width) for body in bodies])
    out = np.zeros((arm.dof, arm.dof), bool)
    np.logical_or.at(out, np.ix_(at, at), (R | R.T)[np.ix_(owner, owner)])  # several joints may share a coordinate
    return out
