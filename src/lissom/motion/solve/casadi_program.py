"""A program as casadi's solvers see it: derivatives come from the program, not from a graph."""

from __future__ import annotations

import time
import weakref
from typing import Any, cast

import casadi as ca
import numpy as np

from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import Iteration
from lissom.motion.solve.blas import one_thread
from lissom.motion.solve.solver import Progress, Solution
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.sparsity import Pattern
from lissom.spatial.rotations import Array


class CasadiProgram:
    """Functions of a program on casadi's own buffers; solvers see costs and rows of size one.

    Attributes
    ----------
    nlp : f, g                  of x
    functions : dict            gradient "grad_f", Jacobian "jac_g", Hessian of the Lagrangian "hess_lag"
    watch : casadi callback     after every iteration
    """

    def __init__(self, program: Program) -> None:
        self.program, self._cost, self._row = program, 1 / program.typical, 1 / program.sizes
        self._progress: Progress | None = None
        self._log: list[Iteration] = []
        self._stop: list[BaseException] = []
        self._spent = 0.0
        self._callbacks_alive: list[Any] = []
        self.nlp, self.functions = self._callbacks()
        self.watch = _Watch(cast(CasadiProgram, weakref.proxy(self)))

    def run(self, solver: Any, x0: Array, progress: Progress | None, warm: Solution | None) -> tuple[Any, float]:
        """What a casadi solver returns from a start, and the seconds it took."""
        program = self.program
        self._log, self._progress, self._stop, self._spent = [], progress, [], 0.0
        given: dict[str, Any] = {"x0": np.clip(x0, program.low, program.high), "lbx": program.low, "ubx": program.high}
        given |= {"lbg": program.lower * self._row, "ubg": program.upper * self._row}
        if warm is not None:
            given |= {
                "lam_g0": warm.multipliers * self._cost / self._row,
                "lam_x0": warm.bound_multipliers * self._cost,
            }
        start = time.perf_counter()
        with one_thread:
            found = solver(**given)
        spent = time.perf_counter() - start
        if self._stop and not isinstance(self._stop[0], KeyboardInterrupt):
            raise self._stop[0]
        return found, spent

    def solution(self, found: Any, spent: float, outcome: MotionOutcome, status: str, optimality: Any) -> Solution:
        """Return the solution that `run` found; optimality: the error of every iteration, as far as it is known."""
        if self._stop:
            outcome, status = MotionOutcome.INTERRUPTED, MotionOutcome.INTERRUPTED.sentence
        x, rows, lam, bound = (np.asarray(found[key], float).ravel() for key in ("x", "g", "lam_g", "lam_x"))
        log = [step._replace(optimality=float(e)) for step, e in zip(self._log, optimality, strict=False)]
        return Solution(
            x, float(found["f"]) / self._cost, rows / self._row, lam * self._row / self._cost, bound / self._cost,
            outcome, status, (*log, *self._log[len(log) :]), spent, self._spent,
        )  # fmt: skip

    def unsolved(self, x: Array, progress: Progress | None, outcome: MotionOutcome, status: str) -> Solution:
        """The start itself, where a solver cannot begin."""
        self._log, self._progress, self._stop = [], progress, []
        rows, cost = self.program.g(x), self.program.f(x)
        self.iterated(x, cost * self._cost, rows * self._row)
        return Solution(x, cost, rows, 0 * rows, 0 * x, outcome, status, tuple(self._log), 0.0, 0.0)

    # ---- what casadi calls ---------------------------------------------------------------------------

    def _callbacks(self) -> tuple[Any, dict[str, Any]]:
        p = self.program
        X, O, G = (ca.Sparsity.dense(k, 1) for k in (p.size, 1, p.count))
        J, H = sparsity(p.jacobian_pattern), sparsity(p.hessian_pattern)
        xp = [("x", X), ("p", ca.Sparsity(0, 0))]
        cost, row, by_row = self._cost, self._row, self._row[p.jacobian_pattern.rows]

        def nlp(a: Any, r: Any) -> None:
            if r[0] is not None:
                r[0][0] = p.f(a[0]) * cost
            if r[1] is not None:
                r[1][:] = p.g(a[0]) * row

        def gradient(a: Any, r: Any) -> None:
            if r[0] is not None:
                r[0][0] = p.f(a[0]) * cost
            if r[1] is not None:
                r[1][:] = p.gradient(a[0]) * cost

        def jacobian(a: Any, r: Any) -> None:
            if r[0] is not None:
                r[0][:] = p.g(a[0]) * row
            if r[1] is not None:
                r[1][:] = p.jacobian(a[0]) * by_row

        def hessian(a: Any, r: Any) -> None:
            if r[0] is not None:
                r[0][:] = p.hessian(a[0], float(a[2][0]) * cost, a[3] * row if a[3] is not None else np.zeros(0))

        multipliers = [("lam_f", O), ("lam_g", G)]
        return self.function("nlp", xp, [("f", O), ("g", G)], nlp), {
            "grad_f": self.function("nlp_grad_f", xp, [("f", O), ("grad_f_x", X)], gradient),
            "jac_g": self.function("nlp_jac_g", xp, [("g", G), ("jac_g_x", J)], jacobian),
            "hess_lag": self.function("nlp_hess_l", [*xp, *multipliers], [("triu_hess_gamma_x_x", H)], hessian),
        }

    def function(self, name: str, inputs: Any, outputs: Any, call: Any) -> Any:
        """A casadi function of names and sparsities; casadi prints what is raised inside, so it is raised later."""
        me: Any = weakref.proxy(self)

        def guarded(a: Any, r: Any) -> int:
            start = time.perf_counter()
            try:
                call(a, r)
                return 0
            except BaseException as error:
                me._stop.append(error)
                return 1
            finally:
                me._spent += time.perf_counter() - start

        made = _Callback(name, inputs, outputs, guarded)
        self._callbacks_alive.append(made)  # solvers hold bare pointers to them
        return made

    def iterated(self, x: Array, cost: float, rows: Array) -> int:
        """Report an iteration; another answer than 0 stops the solver."""
        p = self.program
        rows = rows / self._row
        over = np.maximum(np.maximum(p.lower - rows, rows - p.upper), 0.0).max(initial=0.0)
        step = Iteration(len(self._log), cost / self._cost, float(over), np.nan, p.curves.T(x))
        self._log.append(step)
        try:
            if self._progress is not None:
                self._progress(step)
        except BaseException as error:
            self._stop.append(error)
        return 1 if self._stop else 0


def sparsity(pattern: Pattern) -> Any:
    """Return the pattern in the form of casadi."""
    rows, columns = pattern.shape
    starts = np.searchsorted(pattern.columns, np.arange(columns + 1))
    return ca.Sparsity(rows, columns, starts.tolist(), pattern.rows.tolist())


class _Callback(ca.Callback):
    """A Python function of arrays with given sparsities, on casadi's own buffers."""

    def __init__(self, name: str, inputs: Any, outputs: Any, call: Any) -> None:
        ca.Callback.__init__(self)
        self._inputs, self._outputs, self._call = inputs, outputs, call
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self._inputs)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_name_in(self, k: int) -> str:
        return str(self._inputs[k][0])

    def get_name_out(self, k: int) -> str:
        return str(self._outputs[k][0])

    def get_sparsity_in(self, k: int) -> Any:
        return self._inputs[k][1]

    def get_sparsity_out(self, k: int) -> Any:
        return self._outputs[k][1]

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arguments: Any, results: Any) -> int:
        given = [None if a is None else np.frombuffer(a) for a in arguments]
        return int(self._call(given, [None if r is None else np.frombuffer(r) for r in results]))


class _Watch(ca.Callback):
    """The log of iterations."""

    def __init__(self, owner: CasadiProgram) -> None:
        ca.Callback.__init__(self)
        self._owner = owner
        words = [str(ca.nlpsol_out(k)) for k in range(ca.nlpsol_n_out())]
        self._places = [words.index(word) for word in ("x", "f", "g")]
        self.construct("watch", {})

    def get_n_in(self) -> int:
        return int(ca.nlpsol_n_out())

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, k: int) -> str:
        return str(ca.nlpsol_out(k))

    def get_sparsity_in(self, k: int) -> Any:
        sizes = {"f": 1, "x": self._owner.program.size, "lam_x": self._owner.program.size,
                 "g": self._owner.program.count, "lam_g": self._owner.program.count}  # fmt: skip
        n = sizes.get(str(ca.nlpsol_out(k)), 0)
        return ca.Sparsity.dense(n, 1) if n else ca.Sparsity(0, 0)

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arguments: Any, results: Any) -> int:
        x, f, g = (np.frombuffer(arguments[k]) for k in self._places)
        np.frombuffer(results[0])[0] = self._owner.iterated(x, float(f[0]), g)
        return 0
