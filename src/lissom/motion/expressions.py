"""One sample of a motion as expressions: rows of torques, their rates and powers, and the rate of cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from lissom.engine.symbolics import alone
from lissom.kernels.cache import cache_of
from lissom.kernels.keys import fingerprint
from lissom.later import cached_property
from lissom.motion.criteria import own_expression
from lissom.motion.rubbing import excess
from lissom.motion.sample import Sample, Symbols
from lissom.motion.smoothing import Layout, Widths, expected_widths
from lissom.motion.tapes import TapeSample, prefers_tape
from lissom.motion.torques import torques
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.motion.build import Problem

APART = 4  # joints from which squares of torques are left out of compiled code: half of it would be theirs


class Expressions:
    """What a sample of a problem is made of."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.n = problem, problem.n
        self.bounds, self.task, self.driven = problem.bounds, problem.task, problem.arm.actuated

    def sample(self, check: Callable[[], None] = lambda: None) -> Sample | TapeSample:
        """Torques, their rates and powers, the rate of cost; compiled once for an arm. `check` may stop that."""
        problem = self.problem
        key = f"{fingerprint(problem.bodies, problem.setting)}|{self._spec}"
        closing = problem.closing
        if closing is not None:
            key += f"|{closing.key(problem.bodies)}"
        return cache_of(problem.arm).stored("sample", key, lambda: self._made(key, check))

    def _made(self, key: str, check: Callable[[], None]) -> Sample | TapeSample:
        """Compile the sample."""
        problem, closing = self.problem, self.problem.closing
        rates = bool(self.bounds.limited("torque_rate").any())
        if closing is None and prefers_tape(problem.arm, self.task.minimise, rates):
            powers = np.flatnonzero(self.bounds.limited("power"))
            return TapeSample(
                problem.arm, problem.setting, powers, self.task.minimise, problem.small, problem.rubbing,
                self.layout, check,
            )  # fmt: skip
        squares = self._squares if self.n >= APART else None
        wide = self.n + (0 if closing is None else closing.count)
        return Sample(key, wide, self._expressions, self.orders, self.data, squares, check)

    @property
    def rates(self) -> bool:
        """A sample has rates of torques; its data then have slopes of the loads."""
        return bool(self.bounds.limited("torque_rate").any()) or "torque_rate" in self.task.minimise

    @property
    def orders(self) -> int:
        """Derivatives that a sample sees."""
        return 4 if self.rates or "jerk" in self.task.minimise else 3

    @property
    def data(self) -> int:
        """Numbers that a sample is given: those of the loads, then widths."""
        return 9 * len(self.problem.frames) * (2 if self.rates else 1) + self.layout.size

    @property
    def layout(self) -> Layout:
        """Widths that a sample is given."""
        return Layout(self.n, "energy" in self.task.minimise, bool(self.problem.friction.any()))

    @cached_property
    def widths(self) -> Widths:
        """Within which jumps are rounded off in the end."""
        return expected_widths(self.problem)

    def width_data(self, soft: float) -> Array:
        """(layout.size,) widths, that of |power| `soft` times as wide as in the end."""
        return self.layout.pack(self.widths._replace(power=soft * self.widths.power))

    @property
    @alone
    def _spec(self) -> str:
        """What decides the expressions of a sample."""
        limited = {quantity: self.bounds.limited(quantity).tolist() for quantity in ("power", "torque_rate")}
        limited["rubbing"] = self.problem.rubbing.tolist()
        terms = {}
        for word, weight in self.task.minimise.items():
            if callable(word):
                symbols = [ca.SX.sym(x, self.n) for x in ("q", "qd", "qdd", "tau")]
                terms[str(ca.Function("f", symbols, [own_expression(word, *symbols)]).serialize())] = weight
            else:
                terms[word] = weight
        return f"{limited}|{terms}|{self.problem.small.tolist()}|{self.driven.tolist()}|{self.layout}"

    def row_limits(self) -> tuple[Array, Array, list[tuple[str, str]]]:
        """Of the rows of a sample: torques of all, then rates of torque and powers of the limited, then torques with
        friction on the safe side: their upper limits and their lower ones."""
        names, far, some = self.problem.names, np.full(self.n, np.inf), self.problem.rubbing
        plain = np.isin(np.arange(self.n), some, invert=True)
        least, most = self._tightened("torque")
        lower, upper = [np.where(plain, least, -far)], [np.where(plain, most, far)]
        words = [("torque", name) for name in names]
        for quantity in ("torque_rate", "power"):
            some = np.flatnonzero(self.bounds.limited(quantity))
            low, high = self._tightened(quantity)
            lower.append(low[some])
            upper.append(high[some])
            words += [(quantity, names[k]) for k in some]
        some = self.problem.rubbing
        lower += [-far[some], least[some]]
        upper += [most[some], far[some]]
        words += 2 * [("torque", names[k]) for k in some]
        return np.concatenate(lower), np.concatenate(upper), words

    def _tightened(self, quantity: str) -> tuple[Array, Array]:
        """(n,) lower and upper limits, less the margins of the problem."""
        lower, upper = self.bounds.lower[quantity], self.bounds.upper[quantity]
        margin = self.problem.margins.get(quantity)
        if margin is None:
            return lower, upper
        room = [margin * np.abs(np.where(np.isfinite(limit), limit, 0.0)) for limit in (lower, upper)]
        return lower + room[0], upper - room[1]

    def _expressions(self, z: Symbols) -> tuple[Any, Any]:
        """Rows as `row_limits` has them; the rate of cost."""
        problem, n, count = self.problem, self.n, len(self.problem.frames)
        loads = [z.data[9 * k : 9 * k + 9] for k in range(count)]
        slopes = [z.data[9 * k : 9 * k + 9] for k in range(count, 2 * count)] if self.rates else []
        widths = self.layout.expressions([z.data[k] for k in range(self.data - self.layout.size, self.data)])
        force, z = z.q[n:], z._replace(q=z.q[:n], qd=z.qd[:n], qdd=z.qdd[:n], jerk=z.jerk[:n])
        tau = torques(problem.bodies, problem.setting, z.q, z.qd, z.qdd, loads, widths.torque)
        if problem.closing is not None:
            tau = tau - problem.closing.pull(z.q, force)
        rows = [tau]
        rate: Any = self._torque_rate(z, loads, slopes, widths) if self.rates else None
        some = np.flatnonzero(self.bounds.limited("torque_rate"))
        if len(some):
            rows.append(rate[some.tolist()])
        some = np.flatnonzero(self.bounds.limited("power"))
        if len(some):
            rows.append((tau * z.qd)[some.tolist()])
        some = problem.rubbing
        if len(some):
            safe = [tau + problem.friction * excess(z.qd, side, widths.limit, widths.torque) for side in (1.0, -1.0)]
            rows += [bound[some.tolist()] for bound in safe]
        return ca.vertcat(*rows), self._cost(z, tau, rate, widths.power)

    def _torque_rate(self, z: Symbols, loads: Any, slopes: Any, widths: Widths) -> Any:
        """d tau / dt along the motion; slopes: of all loads by the fraction of the duration."""
        q, qd, qdd = (ca.SX.sym(x, self.n) for x in ("q", "qd", "qdd"))
        pushes = [ca.SX.sym("load", 9) for _ in loads]
        tau = torques(self.problem.bodies, self.problem.setting, q, qd, qdd, pushes, widths.torque)
        state = ca.vertcat(q, qd, qdd, *pushes)
        along = ca.jtimes(tau, state, ca.vertcat(z.qd, z.qdd, z.jerk, *(slope / z.T for slope in slopes)))
        return ca.substitute(along, state, ca.vertcat(z.q, z.qd, z.qdd, *loads))

    @property
    def _squares(self) -> Array:
        """(n,) weights of squared torques."""
        return self.problem.small + self.driven * self.task.minimise.get("torque_squared", 0.0)

    def _cost(self, z: Symbols, tau: Any, rate: Any, width: Any) -> Any:
        """Of what motors do; the rows of unactuated coordinates vanish, and their jerks are not commanded."""
        cost = ca.dot(self._squares, tau * tau) if self.n < APART else ca.SX(0)
        driven = np.flatnonzero(self.driven).tolist()
        for word, weight in self.task.minimise.items():
            if word == "torque_squared":
                continue
            if callable(word):
                term = own_expression(word, z.q, z.qd, z.qdd, tau)
            elif word == "energy":
                power = (tau * z.qd)[driven]
                term = ca.sum1(ca.sqrt(power * power + width**2) - width)
            else:
                vectors = {"jerk": z.jerk, "torque_rate": rate}
                term = 1.0 if word == "time" else ca.sumsqr(vectors[word][driven])
            cost = cost + weight * term
        return cost
