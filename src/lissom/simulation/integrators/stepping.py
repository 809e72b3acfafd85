"""Fixed steps: a Runge-Kutta method (see `tableau`), compiled with the closed loop.

The state is q, qd, states z of the controller, work (in, lost, outer), then for every joint with friction its friction
state (1 or -1 where it slides, 0 where it sticks) and its lag. A step of an arm with friction begins with one extra
evaluation: a sticking joint whose holding torque exceeds its friction starts to slide in the direction of that torque.
Friction states are constant during a step. At its end a joint whose rate changed sign is brought to rest; the
time since the sign change is its lag. If it is released at the start of the next step, it gets the rate
that it would have gained since. So friction never chatters, and a sticking joint keeps its position exactly; the
instant of a change is known to one step, which causes errors of first order in h there.

What varies with time is given at all moments of a step at which the method asks; at a jump the end of a
step sees the value before it.
"""

from __future__ import annotations

import copy
import hashlib
from typing import Any

import numpy as np

from lissom.dynamics.plant import POWERS
from lissom.engine import repeat
from lissom.engine.program import Inline, OnScalars, Plain
from lissom.engine.step import Step
from lissom.kernels.keys import sources
from lissom.simulation.integrators.tableau import tableau
from lissom.simulation.loop.closed_loop import ClosedLoop, States
from lissom.simulation.loop.friction import GRIP
from lissom.spatial.rotations import Array
from lissom.spatial.scalar import absolute, sign


def _let_go(way: Any, effort: Any, K: Any) -> list[list[Any]]:
    """Return the friction state at the start of a step: K = friction."""
    pushed = 0.5 * (1 + sign(absolute(effort[0]) - K[0] * (1 + GRIP))) * (1 - absolute(way[0]))
    return [[way[0] - pushed * sign(effort[0])]]


def _caught_up(qd: Any, lag: Any, qdd: Any) -> list[list[Any]]:
    """Return the rate of a joint that was let go with a lag."""
    return [[qd[0] + lag[0] * qdd[0]]]


def _settled(before: Any, qd: Any, way: Any, h: Any) -> list[list[Any]]:
    """Return rate, friction state and lag at the end of a step."""
    turned = 0.5 * (1 - sign(qd[0] * way[0] + TINY)) * absolute(way[0])
    rest = absolute(qd[0]) / (absolute(qd[0]) + absolute(before[0]) + TINY)  # part of the step after the rate turned
    return [[qd[0] * (1 - turned)], [way[0] * (1 - turned)], [turned * (h[0] * rest)]]


TINY = 1e-300  # a joint that has just been let go has not turned
LET_GO = Step("let_go", _let_go, (1, 1), (1,), 1)
CAUGHT_UP = Step("caught_up", _caught_up, (1, 1, 1), (1,))
SETTLED = Step("settled", _settled, (1, 1, 1, 1), (1, 1, 1))


class Stepper:
    """Fixed steps of a closed loop for all runs at once."""

    def __init__(self, loop: ClosedLoop, method: str):
        self.loop, self.method = loop, method
        self.tableau = tableau(method)
        self.native = loop.compiled
        self._repeated: repeat.Repeated | None = None
        self._clock = (0.0, 0.0)  # start and length of the step being taken in Python

    @property
    def state_size(self) -> int:
        """Number of entries of a state: q, qd, z, work, friction states, lags."""
        return self.loop.size + POWERS + 2 * len(self.loop.sliding)

    def member(self, run: int) -> Stepper:
        """Return the stepper of one run, with the same compiled code."""
        other = copy.copy(self)
        other.loop = self.loop.member(run)
        return other

    def advance(self, state: Array, t: Array, h: float, repeats: int, kept: Array, threads: int = 1) -> bool:
        """Fill `kept` (runs, samples, state): `repeats` steps h from each of the times t (samples,) on.

        Returns True when everything was finite.
        """
        fixed = self._fixed(len(state), h)
        stream = self._stream(t, h, repeats, len(state))
        if not self.native:
            return self._in_python(state, fixed, stream, t, repeats, kept)
        if self._repeated is None:
            self._repeated = self.loop.kept(self.method, self._compiled)
        return self._repeated.run(state, fixed, stream, repeats, kept, threads)

    def _fixed(self, rows: int, h: float) -> Array:
        steady = self.loop.inputs.steady(rows)
        if steady.strides[0] == 0:
            row = np.concatenate([[h], steady[0]])
            return np.broadcast_to(row, (rows, len(row)))
        return np.ascontiguousarray(np.concatenate([np.full((rows, 1), h), steady], axis=1))

    def _stream(self, t: Array, h: float, repeats: int, rows: int) -> Array:
        """(rows, steps, moments varying) inputs that vary, at the stage times of every step."""
        size = self.loop.inputs.size - self.loop.inputs.steady_size
        steps = len(t) * repeats
        if not size:
            return np.zeros((rows, steps, 0))
        begins = (t[:, None] + h * np.arange(repeats)).ravel()
        inputs = self.loop.inputs
        values = []
        for part in self.tableau.moments:
            times = begins + part * h
            if part in (0.0, 1.0):
                times = _snapped(times, inputs.jumps, 1e-6 * h)
            values.append(inputs.varying_over(times, before=part == 1.0))
        table = np.ascontiguousarray(np.concatenate(values, axis=-1))
        if table.ndim == 3:
            return np.ascontiguousarray(np.moveaxis(table, 0, 1))
        return np.broadcast_to(table, (rows, steps, table.shape[-1]))

    # ---- compiled --------------------------------------------------------------------------------

    def _compiled(self) -> repeat.Repeated:
        """Return the whole closed loop and step as machine code."""
        return repeat.Repeated(sources(), self._program)

    @property
    def _sizes(self) -> dict[str, int]:
        """Lengths of a stage's operands, those that are empty left out."""
        loop = self.loop
        steady, given = loop.inputs.steady_size, loop.inputs.size
        sizes = {"q": loop.dof, "qd": loop.dof, "z": len(loop.controller_states), "way": len(loop.sliding)}
        sizes |= {"steady": steady, "varying": given - steady}
        return {word: n for word, n in sizes.items() if n}

    @property
    def _stage(self) -> Step:
        """One evaluation of the closed loop as a step of straight-line code, named after all that it depends on."""
        n, m, h = self.loop.dof, len(self.loop.controller_states), len(self.loop.sliding)
        outputs = (n, POWERS, *(size for size in (m, h) if size))
        name = f"stage_{hashlib.sha256(self.loop.key.encode()).hexdigest()}"
        return Step(name, self._straight_stage, tuple(self._sizes.values()), outputs, once=True)

    def _straight_stage(self, *operands: Any) -> list[Any]:
        given = dict(zip(self._sizes, operands, strict=True))
        qdd, power, change, effort = self._flow(Inline(), given)
        out = [[entry[0] for entry in qdd], list(power), list(change), [entry[0] for entry in effort]]
        return [part for part in out if part]

    def _flow(self, run: Any, given: dict[str, Any]) -> tuple[list[Any], Any, Any, list[Any]]:
        loop = self.loop
        nothing: Any = []
        steady, varying = given.get("steady", nothing), given.get("varying", nothing)
        both = steady + varying if len(steady) and len(varying) else steady if len(steady) else varying
        way = {k: given["way"][i : i + 1] for i, k in enumerate(loop.sliding)}
        flow, _, change = loop.flow(run, given["q"], given["qd"], given.get("z", nothing), None, way, both)
        return flow.qdd, flow.power, change, [flow.effort[k] for k in loop.sliding]

    def _evaluate(self, run: Any, given: dict[str, Any], moment: int) -> tuple[Any, Any, Any, list[Any]]:
        """Return accelerations as a vector, power, rates of the controller's states, efforts of joints that slide."""
        if self.loop.controller is None or self.loop.looped:
            return self._at_once(given, moment)
        if self.loop.straight and not isinstance(run, OnScalars):
            found = run.apply(self._stage, *given.values())
            effort = found[-1]
            change = found[2] if self.loop.controller_states else []
            return found[0], found[1], change, [effort[i : i + 1] for i in range(len(self.loop.sliding))]
        qdd, power, change, effort = self._flow(run, given)
        return run.gathered(qdd), power, change, effort

    def _program(self, run: Any) -> None:
        """Write the program with inputs state, h and constant inputs, varying inputs; output the new state."""
        n, slides, size = self.loop.dof, len(self.loop.sliding), self.loop.inputs.size - self.loop.inputs.steady_size
        state, fixed, stream = (
            run.input(self.state_size),
            run.input(1 + self.loop.inputs.steady_size),
            run.input(len(self.tableau.moments) * size),
        )
        memory = self.loop.size
        q, qd, work = state[0:n], state[n : 2 * n], state[memory : memory + POWERS]
        z = state[2 * n : memory]
        way, lag = state[self.state_size - 2 * slides : self.state_size - slides], state[self.state_size - slides :]
        h = fixed[0:1]

        def slope(q: Any, qd: Any, z: Any, way: Any, moment: int) -> tuple[Any, Any, Any, list[Any]]:
            varying = stream[size * moment : size * (moment + 1)]
            given = {"q": q, "qd": qd, "z": z, "way": way, "steady": fixed[1:], "varying": varying}
            return self._evaluate(run, {word: given[word] for word in self._sizes}, moment)

        ways, begin = way, qd
        if slides:
            ways = self._let_go(run, way, slope(q, qd, z, way, 0)[3], fixed[1:])
        rate, power, change, _ = slope(q, qd, z, ways, 0)
        if slides:
            begin = self._caught_up(run, qd, lag, rate)
            begin = self._followed(q, begin) if self.loop.looped else begin
        speeds, rates, powers, changes = [begin], [rate], [power], [change]
        own = self.loop.controller_states
        for row, moment in zip(self.tableau.stages, self.tableau.asks[1:], strict=True):
            at_q, at_qd = row.of(run, q, h, speeds), row.of(run, begin, h, rates)
            at_z = row.of(run, z, h, changes) if own else z
            rate, power, change, _ = slope(at_q, at_qd, at_z, ways, moment)
            speeds, rates = [*speeds, at_qd], [*rates, rate]
            powers, changes = [*powers, power], [*changes, change]
        parts = [(q, speeds), (begin, rates), *([(z, changes)] if own else []), (work, powers)]
        new = [self.tableau.finish.of(run, y, h, slopes) for y, slopes in parts]
        if slides:
            new[1], *settled = self._settled(run, begin, new[1], ways, h)
            new += settled
        old = (q, qd, *([z] if own else []), work, *((way, lag) if slides else ()))
        run.output(*[run.carry(after, before) for after, before in zip(new, old, strict=True)])

    def _let_go(self, run: Any, way: Any, effort: list[Any], steady: Any) -> Any:
        """Return the friction states during a step."""
        found = self.loop.friction_of(steady)
        friction = [found[k] for k in self.loop.sliding]
        parts = [run.apply(LET_GO, way[i : i + 1], needed, constants=friction[i]) for i, needed in enumerate(effort)]
        return run.gathered(parts)

    def _caught_up(self, run: Any, qd: Any, lag: Any, rate: Any) -> Any:
        """Return the rates at the start of a step."""
        entries = [qd[k : k + 1] for k in range(self.loop.dof)]
        for i, k in enumerate(self.loop.sliding):
            entries[k] = run.apply(CAUGHT_UP, entries[k], lag[i : i + 1], rate[k : k + 1])
        return run.gathered(entries)

    def _followed(self, q: Any, qd: Any) -> Any:
        """Return rates of all joints consistent with those of joints with friction."""
        rows = [np.ascontiguousarray(np.stack(np.broadcast_arrays(*x), axis=-1), float) for x in (q, qd)]
        return list(self.loop.followed(*rows).T)

    def _settled(self, run: Any, begin: Any, qd: Any, way: Any, h: Any) -> list[Any]:
        """Return rates, friction states and lags at the end of a step."""
        entries, ways, lags = [qd[k : k + 1] for k in range(self.loop.dof)], [], []
        for i, k in enumerate(self.loop.sliding):
            entries[k], *rest = run.apply(SETTLED, begin[k : k + 1], entries[k], way[i : i + 1], h)
            ways.append(rest[0])
            lags.append(rest[1])
        return [run.gathered(part) for part in (entries, ways, lags)]

    # ---- in Python -------------------------------------------------------------------------------

    def _in_python(self, state: Array, fixed: Array, stream: Array, t: Array, repeats: int, kept: Array) -> bool:
        """Take the same steps in Python: a user's function gives torques, links form loops, or there is no compiler."""
        h = float(fixed[0, 0])
        now = state
        with np.errstate(all="ignore"):
            for sample, begin in enumerate(t):
                for k in range(repeats):
                    self._clock = (begin + h * k, h)
                    run = Plain([now, fixed, stream[:, sample * repeats + k]])
                    self._program(run)
                    now = self.loop.projected(np.stack(np.broadcast_arrays(*run.outputs[0]), axis=-1))
                kept[:, sample] = now
        return bool(np.isfinite(kept).all())

    def _at_once(self, given: dict[str, Any], moment: int) -> tuple[Any, Any, Any, list[Any]]:
        """Evaluate by the loop's own function, with the torques of a user's function and with closures."""
        loop = self.loop
        rows = {word: np.stack(np.broadcast_arrays(*x), axis=-1) for word, x in given.items()}
        rows = {word: np.ascontiguousarray(x, float) for word, x in rows.items()}
        q, qd, t = rows["q"], rows["qd"], self._clock[0] + self.tableau.moments[moment] * self._clock[1]
        tau = loop.outside(t, q, qd)
        given_rows = [rows[word] for word in ("steady", "varying") if word in rows]
        values = np.concatenate([np.zeros((len(q), 0)), *given_rows], axis=1)
        way, z = (rows.get(word, np.zeros((len(q), 0))) for word in ("way", "z"))
        rates = loop.rates(States(q, qd, z), way, values, tau)
        effort = [[rates.effort[:, loop.held.index(k)]] for k in loop.sliding]
        return list(rates.qdd.T), list(rates.power.T), list(rates.z.T), effort


def _snapped(times: Array, jumps: Array, near: float) -> Array:
    """Return times with those next to a jump moved onto it, so that rounding puts no step on its wrong side."""
    if not jumps.size:
        return times
    at = np.clip(np.searchsorted(jumps, times - near), 0, len(jumps) - 1)
    return np.where(np.abs(jumps[at] - times) <= near, jumps[at], times)
