"""Fixed steps: the classical Runge-Kutta method of order four, compiled with the closed loop.

    k1 = f(t, y), k2 = f(t + h/2, y + h/2 k1), k3 = f(t + h/2, y + h/2 k2), k4 = f(t + h, y + h k3)
    y(t + h) = y + h/6 (k1 + 2 k2 + 2 k3 + k4)

The state is q, qd, work (in, lost, outer), then the way of every joint with friction: 1 or -1 where it
slides, 0 where it sticks. During a step the ways stay as they are. At its end a joint whose rate has
turned comes to rest and sticks; one that sticks and would need more than its friction to be held
starts to slide the way it is pushed. So friction never chatters, and a joint at rest stays exactly
there; the instants of such changes are known to one step.

What varies with time is given at the start, the middle and the end of every step; at a jump the end
of a step sees the value before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.plant import POWERS
from lissom.engine import repeat
from lissom.engine.program import Inline, Plain, Step, absolute, sign, sized
from lissom.simulation.closed_loop import STEPS, ClosedLoop, code_version
from lissom.spatial.rotations import Array
from lissom.verbs.library import compiler_present

ALONG = sized("rk_along", lambda y, h, k: y + h * k, "n1n")
FINISH = sized("rk_finish", lambda y, h, a, b, c, d: y + h * ((a + d) + 2 * (b + c)), "n1nnnn")
PART = Step("rk_part", lambda h: [[0.5 * h[0], h[0] * (1 / 6)]], (1,), (2,))


def _settled(qd: Any, way: Any, effort: Any, K: Any) -> list[list[Any]]:
    """Rate and way after a step: K = friction."""
    slides = absolute(way[0])
    reversed_ = 0.5 * (1 - sign(qd[0] * way[0] + TINY)) * slides  # its rate has turned
    pushed = 0.5 * (1 + sign(absolute(effort[0]) - K[0])) * (1 - slides)  # it can no longer be held
    return [[qd[0] * (1 - reversed_)], [way[0] * (1 - reversed_) - pushed * sign(effort[0])]]


TINY = 1e-300  # a joint that has just been let go has not turned
SETTLED = Step("settled", _settled, (1, 1, 1), (1, 1), 1)


class Stepper:
    """Fixed steps of a closed loop, all runs at once."""

    def __init__(self, loop: ClosedLoop):
        self.loop = loop
        self.native = loop.controller is not None and compiler_present()
        self._repeated: repeat.Repeated | None = None

    @property
    def state_size(self) -> int:
        """q, qd, work, ways."""
        return 2 * self.loop.dof + POWERS + len(self.loop.sliding)

    def advance(
        self, state: Array, t: Array, h: float, repeats: int, kept: Array, threads: int = 1
    ) -> bool:
        """Fill `kept` (runs, samples, state): `repeats` steps h from each of the times t (samples,) on.

        Returns True when everything was finite.
        """
        fixed = self._fixed(len(state), h)
        stream = self._stream(t, h, repeats, len(state))
        if not self.native:
            return self._in_python(state, fixed, stream, t, h, repeats, kept)
        if self._repeated is None:
            self._repeated = self._compiled()
        return self._repeated.run(state, fixed, stream, repeats, kept, threads)

    def _fixed(self, rows: int, h: float) -> Array:
        steady = self.loop.steady(rows)
        if steady.strides[0] == 0:
            row = np.concatenate([[h], steady[0]])
            return np.broadcast_to(row, (rows, len(row)))
        return np.concatenate([np.full((rows, 1), h), steady], axis=1)

    def _stream(self, t: Array, h: float, repeats: int, rows: int) -> Array:
        """(rows, steps, 3 varying): what varies, at the start, the middle and the end of every step."""
        size = self.loop.given_size - self.loop.steady_size
        steps = len(t) * repeats
        if not size:
            return np.zeros((rows, steps, 0))
        begins = (t[:, None] + h * np.arange(repeats)).ravel()
        values = [
            np.concatenate([self.loop.varying(s), self.loop.varying(s + h / 2), self.loop.varying(s + h, True)], axis=-1)
            for s in begins
        ]
        table = np.stack(values, axis=-2)
        return np.ascontiguousarray(table) if table.ndim == 3 else np.broadcast_to(table, (rows, steps, 3 * size))

    # ---- compiled --------------------------------------------------------------------------------

    def _compiled(self) -> repeat.Repeated:
        """The whole closed loop and step as machine code."""
        loop = self.loop
        own = (*ALONG, *FINISH, PART, SETTLED)
        if loop.straight:
            return repeat.Repeated(f"rk4|{loop.key}", (*own, self._stage), self._program)
        return repeat.Repeated(f"rk4|{code_version()}", (*STEPS, *own), self._program)

    @property
    def _sizes(self) -> dict[str, int]:
        """Lengths of a stage's operands, those that are empty left out."""
        loop = self.loop
        steady, given = loop.steady_size, loop.given_size
        sizes = {"q": loop.dof, "qd": loop.dof, "way": len(loop.sliding), "steady": steady, "varying": given - steady}
        return {word: n for word, n in sizes.items() if n}

    @property
    def _stage(self) -> Step:
        """One evaluation of the closed loop as one step of straight-line code."""
        n, h = self.loop.dof, len(self.loop.sliding)
        outputs = (n, POWERS, *([h] if h else []))
        return Step("stage", self._straight_stage, tuple(self._sizes.values()), outputs)

    def _straight_stage(self, *operands: Any) -> list[Any]:
        given = dict(zip(self._sizes, operands, strict=True))
        qdd, power, effort = self._flow(Inline(), given)
        out = [[entry[0] for entry in qdd], list(power)]
        return [*out, [entry[0] for entry in effort]] if effort else out

    def _flow(self, run: Any, given: dict[str, Any]) -> tuple[list[Any], Any, list[Any]]:
        loop = self.loop
        nothing: Any = []
        steady, varying = given.get("steady", nothing), given.get("varying", nothing)
        both = steady + varying if len(steady) and len(varying) else steady if len(steady) else varying
        way = {k: given["way"][i : i + 1] for i, k in enumerate(loop.sliding)}
        flow, _ = loop.flow(run, given["q"], given["qd"], None, way, both)
        return flow.qdd, flow.power, [flow.effort[k] for k in loop.sliding]

    def _evaluate(self, run: Any, given: dict[str, Any]) -> tuple[Any, Any, list[Any]]:
        """Accelerations as one vector, power, efforts of joints with friction."""
        if self.loop.straight and not isinstance(run, Plain):
            found = run.call(self._stage, *given.values())
            effort = found[2] if len(found) > 2 else []
            return found[0], found[1], [effort[i : i + 1] for i in range(len(self.loop.sliding))]
        qdd, power, effort = self._flow(run, given)
        return run.gathered(qdd), power, effort

    def _program(self, run: Any) -> None:
        """Inputs state; h and what is steady; what varies. Output the new state."""
        n, slides = self.loop.dof, len(self.loop.sliding)
        state = run.input(self.state_size)
        fixed = run.input(1 + self.loop.steady_size)
        size = self.loop.given_size - self.loop.steady_size
        stream = run.input(3 * size)
        q, qd, work, way = state[0:n], state[n : 2 * n], state[2 * n : 2 * n + POWERS], state[2 * n + POWERS :]
        part = run.call(PART, fixed[0:1])
        spans = (None, part[0:1], part[0:1], fixed[0:1])
        speeds: list[Any] = []
        rates: list[Any] = []
        powers: list[Any] = []
        effort: list[Any] = []
        for stage, moment in enumerate((0, 1, 1, 2)):
            at = (q, qd) if stage == 0 else (
                run.each(ALONG, q, spans[stage], speeds[-1]), run.each(ALONG, qd, spans[stage], rates[-1])
            )  # fmt: skip
            given = dict(q=at[0], qd=at[1], way=way, steady=fixed[1:], varying=stream[size * moment : size * (moment + 1)])
            given = {word: given[word] for word in self._sizes}
            speeds.append(at[1])
            rate, power, effort = self._evaluate(run, given)
            rates.append(rate)
            powers.append(power)
        sixth = part[1:2]
        new_q = run.each(FINISH, q, sixth, *speeds)
        new_qd = run.each(FINISH, qd, sixth, *rates)
        new_work = run.each(FINISH, work, sixth, *powers)
        ways = []
        if slides:
            rest = [new_qd[k : k + 1] for k in range(n)]
            for i, k in enumerate(self.loop.sliding):
                friction = self.loop.friction[k]
                rest[k], settled = run.call(SETTLED, rest[k], way[i : i + 1], effort[i], constants=[friction])
                ways.append(settled)
            new_qd = run.gathered(rest)
        out = [run.carry(new_q, q), run.carry(new_qd, qd), run.carry(new_work, work)]
        if slides:
            out.append(run.carry(run.gathered(ways), way))
        run.output(*out)

    # ---- in Python -------------------------------------------------------------------------------

    def _in_python(
        self, state: Array, fixed: Array, stream: Array, t: Array, h: float, repeats: int, kept: Array
    ) -> bool:
        """The same steps where a user's function gives the torques, or nothing can be compiled."""
        if self.loop.controller is not None:
            return repeat.plainly(self._program, state, fixed, stream, repeats, kept)
        now, step = state, 0
        size = stream.shape[-1] // 3
        for sample, begin in enumerate(t):
            for k in range(repeats):
                parts = [stream[:, step, size * m : size * (m + 1)] for m in range(3)]
                now = self._one_step(now, fixed[:, 1:], parts, begin + h * k, h)
                step += 1
            kept[:, sample] = now
        return bool(np.isfinite(kept).all())

    def _one_step(self, state: Array, steady: Array, varying: list[Array], t: float, h: float) -> Array:
        n = self.loop.dof
        y, way = state[:, : 2 * n + POWERS], state[:, 2 * n + POWERS :]
        slopes, at = [], y
        for stage, (moment, c) in enumerate(zip((0, 1, 1, 2), (0.0, 0.5, 0.5, 1.0), strict=True)):
            if stage:
                at = y + h * c * slopes[-1]
            slope, effort = self._slope(at, way, np.concatenate([steady, varying[moment]], axis=1), t + c * h)
            slopes.append(slope)
        new = y + h / 6 * (slopes[0] + slopes[3] + 2 * (slopes[1] + slopes[2]))
        if way.shape[1]:
            friction = np.array([self.loop.friction[k] for k in self.loop.sliding])
            rates, ways = _settled([new[:, [n + k for k in self.loop.sliding]]], [way], [effort], [friction])
            new[:, [n + k for k in self.loop.sliding]], way = rates[0], ways[0]
        return np.concatenate([new, way], axis=1)

    def _slope(self, y: Array, way: Array, given: Array, t: float) -> tuple[Array, Array]:
        loop, n = self.loop, self.loop.dof
        q, qd = np.ascontiguousarray(y[:, :n]), np.ascontiguousarray(y[:, n : 2 * n])
        single = len(q) == 1
        tau = loop.outside(t, q[0] if single else q, qd[0] if single else qd)
        if tau is not None:
            tau = tau.reshape(q.shape)
        rates = loop.rates(q, qd, np.ascontiguousarray(way), np.ascontiguousarray(given), tau)
        sliding = [loop.held.index(k) for k in loop.sliding]
        return np.concatenate([qd, rates.qdd, rates.power], axis=1), rates.effort[:, sliding]
