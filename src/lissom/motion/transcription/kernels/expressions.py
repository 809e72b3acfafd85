"""One sample of a motion as expressions: rows of torques, their rates and powers, and the rate of cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from lissom.kernels.cache import cache_of
from lissom.kernels.keys import fingerprint
from lissom.later import cached_property
from lissom.motion.task.criteria.criterion import State
from lissom.motion.transcription.first_guess import FirstGuess
from lissom.motion.transcription.kernels.friction import excess
from lissom.motion.transcription.kernels.sample import Sample, Symbols
from lissom.motion.transcription.kernels.smoothing import Layout, Widths, expected_widths
from lissom.motion.transcription.kernels.tape_sample import TapeSample, prefers_tape
from lissom.motion.transcription.kernels.torques import torques
from lissom.motion.transcription.specification import Specification
from lissom.spatial.rotations import Array

APART = 4  # joints from which squares of torques are left out of compiled code: half of it would be theirs


class Expressions:
    """What a sample of a problem is made of."""

    def __init__(self, spec: Specification, small: Array, friction_joints: NDArray[np.intp], guess: FirstGuess) -> None:
        """small (n,): more weights of squared torques; friction_joints: with torque limits on both sides of a jump."""
        self.spec, self.n, self._small, self._guess = spec, spec.n, small, guess
        self.friction_joints = friction_joints
        self.bounds, self.cost = spec.bounds, spec.cost

    def sample(self, check: Callable[[], None] = lambda: None) -> Sample | TapeSample:
        """Torques, their rates and powers, the rate of cost; compiled once for an arm. `check` may stop that."""
        spec = self.spec
        made = cache_of(spec.arm)
        known = made.stored("motion", spec.acting, lambda: fingerprint(spec.bodies, spec.acting))
        key = f"{known}|{self._structure}"
        if spec.closing is not None:
            key += f"|{spec.closing.key(spec.bodies)}"
        return made.stored("sample", key, lambda: self._compiled(key, check))

    def _compiled(self, key: str, check: Callable[[], None]) -> Sample | TapeSample:
        """Compile the sample."""
        spec, closing = self.spec, self.spec.closing
        rates = bool(self.bounds.limited("torque_rate").any())
        if closing is None and prefers_tape(spec.arm, self.cost, rates):
            powers = np.flatnonzero(self.bounds.limited("power"))
            assert self.cost.tape is not None
            return TapeSample(
                spec.arm, spec.acting, powers, self.cost.tape, self.squares, self.friction_joints, self.layout, check
            )
        squares = self.squares if self.n >= APART else None
        wide = self.n + (0 if closing is None else closing.count)
        return Sample(key, wide, self._expressions, self.orders, self.data, squares, check)

    @property
    def rates(self) -> bool:
        """A sample has rates of torques; its data then have slopes of the loads."""
        return bool(self.bounds.limited("torque_rate").any()) or self.cost.torque_rate

    @property
    def orders(self) -> int:
        """Derivatives that a sample sees."""
        return 4 if self.rates else self.cost.orders

    @property
    def data(self) -> int:
        """Numbers that a sample is given: those of the loads, then widths."""
        return 9 * len(self.spec.frames) * (2 if self.rates else 1) + self.layout.size

    @property
    def layout(self) -> Layout:
        """Widths that a sample is given."""
        return Layout(self.n, self.cost.kinks, bool(self.spec.friction.any()))

    @cached_property
    def widths(self) -> Widths:
        """Widths within which jumps are rounded off in the end."""
        return expected_widths(self._guess.course)

    def width_data(self, soft: float) -> Array:
        """(layout.size,) widths; `soft` times as wide as in the end are that of |power|, and those of friction in the
        torques of arms with unactuated coordinates, see `Problem.graduated`."""
        torque = self.widths.torque * (soft if len(self.spec.unactuated) else 1.0)
        return self.layout.pack(self.widths._replace(power=soft * self.widths.power, torque=torque))

    @property
    def _structure(self) -> str:
        """What decides the expressions of a sample."""
        limited = {quantity: self.bounds.limited(quantity).tolist() for quantity in ("power", "torque_rate")}
        limited["friction"] = self.friction_joints.tolist()
        return f"{limited}|{self.cost.structure}|{self._small.tolist()}|{self.layout}"

    def row_limits(self, margins: Mapping[str, Array]) -> tuple[Array, Array, list[tuple[str, str]]]:
        """Limits of a sample's rows: torques of all, then rates of torque and powers of the limited, then torques
        with friction on the safe side: their upper limits and their lower ones."""
        names, far, some = self.spec.names, np.full(self.n, np.inf), self.friction_joints
        plain = np.isin(np.arange(self.n), some, invert=True)
        least, most = self._tightened("torque", margins)
        lower, upper = [np.where(plain, least, -far)], [np.where(plain, most, far)]
        words = [("torque", name) for name in names]
        for quantity in ("torque_rate", "power"):
            some = np.flatnonzero(self.bounds.limited(quantity))
            low, high = self._tightened(quantity, margins)
            lower.append(low[some])
            upper.append(high[some])
            words += [(quantity, names[k]) for k in some]
        some = self.friction_joints
        lower += [-far[some], least[some]]
        upper += [most[some], far[some]]
        words += 2 * [("torque", names[k]) for k in some]
        return np.concatenate(lower), np.concatenate(upper), words

    def _tightened(self, quantity: str, margins: Mapping[str, Array]) -> tuple[Array, Array]:
        """(n,) lower and upper limits, less the margins of the spec."""
        lower, upper = self.bounds.lower[quantity], self.bounds.upper[quantity]
        margin = margins.get(quantity)
        if margin is None:
            return lower, upper
        room = [margin * np.abs(np.where(np.isfinite(limit), limit, 0.0)) for limit in (lower, upper)]
        return lower + room[0], upper - room[1]

    def _expressions(self, z: Symbols) -> tuple[Any, Any]:
        """Rows as `row_limits` has them; the rate of cost."""
        spec, n, count = self.spec, self.n, len(self.spec.frames)
        loads = [z.data[9 * k : 9 * k + 9] for k in range(count)]
        slopes = [z.data[9 * k : 9 * k + 9] for k in range(count, 2 * count)] if self.rates else []
        widths = self.layout.expressions([z.data[k] for k in range(self.data - self.layout.size, self.data)])
        force, z = z.q[n:], z._replace(q=z.q[:n], qd=z.qd[:n], qdd=z.qdd[:n], jerk=z.jerk[:n])
        tau = torques(spec.bodies, spec.acting, z.q, z.qd, z.qdd, loads, widths.torque)
        if spec.closing is not None:
            tau = tau - spec.closing.pull(z.q, force)
        rows = [tau]
        rate: Any = self._torque_rate(z, loads, slopes, widths) if self.rates else None
        some = np.flatnonzero(self.bounds.limited("torque_rate"))
        if len(some):
            rows.append(rate[some.tolist()])
        some = np.flatnonzero(self.bounds.limited("power"))
        if len(some):
            rows.append((tau * z.qd)[some.tolist()])
        some = self.friction_joints
        if len(some):
            safe = [tau + spec.margin * excess(z.qd, side, widths.limit, widths.torque) for side in (1.0, -1.0)]
            rows += [bound[some.tolist()] for bound in safe]
        return ca.vertcat(*rows), self._cost(z, tau, rate, widths.power)

    def _torque_rate(self, z: Symbols, loads: Any, slopes: Any, widths: Widths) -> Any:
        """d tau / dt along the motion; slopes: of all loads by the fraction of the duration."""
        q, qd, qdd = (ca.SX.sym(x, self.n) for x in ("q", "qd", "qdd"))
        pushes = [ca.SX.sym("load", 9) for _ in loads]
        tau = torques(self.spec.bodies, self.spec.acting, q, qd, qdd, pushes, widths.torque)
        state = ca.vertcat(q, qd, qdd, *pushes)
        along = ca.jtimes(tau, state, ca.vertcat(z.qd, z.qdd, z.jerk, *(slope / z.T for slope in slopes)))
        return ca.substitute(along, state, ca.vertcat(z.q, z.qd, z.qdd, *loads))

    @property
    def squares(self) -> Array:
        """(n,) weights of squared torques."""
        return self._small + self.cost.squares

    def _cost(self, z: Symbols, tau: Any, rate: Any, width: Any) -> Any:
        """The rate of cost; squares of torques are left out of code for many joints."""
        squares = ca.dot(self.squares, tau * tau) if self.n < APART else ca.SX(0)
        return self.cost.expression(State(z.q, z.qd, z.qdd, z.jerk, tau, rate, width), squares)
