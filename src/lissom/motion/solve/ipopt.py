"""IPOPT on a program, through casadi: derivatives come from the program, not from a graph."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import casadi as ca
import numpy as np

from lissom.motion.result.report import INTERRUPTED, RAN_OUT, Iteration
from lissom.motion.solve.blas import one_thread
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.sparsity import Pattern
from lissom.spatial.rotations import Array

# option_file_name: IPOPT would read a file of the working directory
QUIET = {"print_level": 0, "sb": "yes", "option_file_name": ""}
# Rows have size one already. Without its other scaling too, an iteration of a tree of 44 joints takes 71 instead of
# 82 ms, and trees of 20 to 44 joints with limits end in the same optima.
# IPOPT has MUMPS reserve eleven times the memory it expects to need, and pages of it are new to the process in every
# factorisation; a fifth more, MUMPS's own default, gives the same bits in less time, and IPOPT doubles it if needed.
LINEAR = {"mumps_permuting_scaling": 0, "mumps_scaling": 0, "mumps_mem_percent": 20}
# from a solution with multipliers: start near the bounds, with a small barrier
WARM: dict[str, Any] = {
    "warm_start_init_point": "yes", "mu_init": 1e-5, "warm_start_bound_push": 1e-7, "warm_start_bound_frac": 1e-7,
    "warm_start_slack_bound_push": 1e-7, "warm_start_slack_bound_frac": 1e-7, "warm_start_mult_bound_push": 1e-7,
}  # fmt: skip
# from a solution without them, on another mesh: a barrier that does not drive it away
BEGIN: dict[str, dict[str, Any]] = {"": {}, "warm": WARM, "near": {"mu_init": 1e-3}}
# where a step leads to no number the solver takes a shorter one; casadi need not report each
PLAIN = {"print_time": False, "show_eval_warnings": False}
LEAST_TIME, MOST_ITERATIONS = 1e-6, 2**31 - 1  # that IPOPT can be given [s]
INFEASIBLE = "infeasible"
OUT_OF_TIME = f"time {RAN_OUT}"
STATUS = {
    "Solve_Succeeded": "solved",
    "Solved_To_Acceptable_Level": "solved to a larger tolerance",
    "Infeasible_Problem_Detected": INFEASIBLE,
    "Maximum_Iterations_Exceeded": f"stalled: iterations {RAN_OUT}",
    "Maximum_CpuTime_Exceeded": f"stalled: {OUT_OF_TIME}",
    "Maximum_WallTime_Exceeded": f"stalled: {OUT_OF_TIME}",
    "User_Requested_Stop": INTERRUPTED,
    "Search_Direction_Becomes_Too_Small": "stalled: steps became too small",
    "Diverging_Iterates": "diverged",
    "Restoration_Failed": "stalled: no feasible step was found",
    "Not_Enough_Degrees_Of_Freedom": f"{INFEASIBLE}: more equality constraints than variables, try more segments",
}


class Solution(NamedTuple):
    """What the solver ended with."""

    x: Array
    cost: float
    rows: Array
    multipliers: Array
    bound_multipliers: Array
    status: str
    solved: bool
    iterations: tuple[Iteration, ...]
    seconds: float
    evaluation_seconds: float


def carried(program: Program, solution: Solution, larger: Program) -> Solution:
    """A solution for a program with more rows: multipliers of the rows that were there, by name; zero for others."""
    known = dict(zip(_distinct(program.names), solution.multipliers, strict=True))
    multipliers = np.array([known.get(name, 0.0) for name in _distinct(larger.names)])
    curves = larger.curves
    bounds = curves.with_forces(solution.bound_multipliers, np.zeros(len(curves.nodes) * curves.each))
    return solution._replace(multipliers=multipliers, bound_multipliers=bounds)


def numbered_on(log: Sequence[Iteration], steps: Sequence[Iteration]) -> tuple[Iteration, ...]:
    """A log with those of the next run, which begins where the one before ended, or where that began."""
    before = log[:-1] if steps else log
    return (*before, *(step._replace(number=k) for k, step in enumerate(steps, len(before))))


def _distinct(names: Sequence[Any]) -> list[Any]:
    """Names with how often each was there before."""
    seen: dict[Any, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, -1) + 1
        out.append((name, seen[name]))
    return out


ACCEPTABLE = 1e-6  # errors, in IPOPT's scaling, of a solution to a looser tolerance; IPOPT's own default


def _verdict(stats: dict[str, Any]) -> str:
    """IPOPT's word for how it ended; steps that become too small at a solution, for want of digits, are a solution."""
    word, log = str(stats["return_status"]), stats.get("iterations", {})
    last = [abs(log[key][-1]) if log.get(key) else np.inf for key in ("inf_pr", "inf_du", "mu")]
    if word == "Search_Direction_Becomes_Too_Small" and max(last) <= ACCEPTABLE:
        return "Solved_To_Acceptable_Level"
    return word


class Solver:
    """A program made ready for IPOPT, which sees costs and rows of size one; it can be solved from several starts.

    Parameters
    ----------
    program : Program
    tolerance, iterations : float, int     of IPOPT
    until : float                          when it has to end, as `time.perf_counter` tells it
    """

    def __init__(self, program: Program, tolerance: float, iterations: int, until: float = np.inf) -> None:
        self.program, self._until, self._tolerance = program, until, float(tolerance)
        self._cost, self._row = 1 / program.typical, 1 / program.sizes
        self._log: list[Iteration] = []
        self._progress: Callable[[Iteration], object] | None = None
        self._stop: list[BaseException] = []
        self._spent = 0.0
        self._options = QUIET | LINEAR | {"tol": float(tolerance), "max_iter": min(int(iterations), MOST_ITERATIONS)}
        self._parts = self._callbacks()
        self._runs: dict[str, Any] = {}

    def __call__(
        self, x0: Array, progress: Callable[[Iteration], object] | None = None, warm: Solution | None = None,
        near: bool = False, barrier: float | None = None,
    ) -> Solution:  # fmt: skip
        """From a start; `warm` has multipliers of a solution there, `near` says that it is near one without them.

        barrier : to begin with, where `warm` is given
        """
        program = self.program
        self._log, self._progress, self._stop, self._spent = [], progress, [], 0.0
        if np.sum(program.lower == program.upper) > np.sum(program.low < program.high):
            return self._unsolved(x0)
        begin = "warm" if warm is not None else "near" if near else ""
        run = self._made(begin, self._least(barrier) if begin == "warm" else None)
        given: dict[str, Any] = {"x0": np.clip(x0, program.low, program.high), "lbx": program.low, "ubx": program.high}
        given |= {"lbg": program.lower * self._row, "ubg": program.upper * self._row}
        if warm is not None:
            given |= {
                "lam_g0": warm.multipliers * self._cost / self._row,
                "lam_x0": warm.bound_multipliers * self._cost,
            }
        start = time.perf_counter()
        with one_thread:
            found = run(**given)
        spent = time.perf_counter() - start
        if self._stop and not isinstance(self._stop[0], KeyboardInterrupt):
            raise self._stop[0]
        word = "User_Requested_Stop" if self._stop else _verdict(run.stats())
        x, rows, lam, bound = (np.asarray(found[key], float).ravel() for key in ("x", "g", "lam_g", "lam_x"))
        status = STATUS.get(word, f"stalled: {word.replace('_', ' ').lower()}")
        return Solution(
            x, float(found["f"]) / self._cost, rows / self._row, lam * self._row / self._cost, bound / self._cost,
            status, status.startswith("solved"), self._whole_log(run.stats()), spent, self._spent,
        )  # fmt: skip

    def _unsolved(self, x: Array) -> Solution:
        """Where there are more equations than variables: the start."""
        rows, cost = self.program.g(x), self.program.f(x)
        self.told(x, cost * self._cost, rows * self._row)
        status = STATUS["Not_Enough_Degrees_Of_Freedom"]
        return Solution(x, cost, rows, 0 * rows, 0 * x, status, False, tuple(self._log), 0.0, 0.0)

    def _whole_log(self, told: dict[str, Any]) -> tuple[Iteration, ...]:
        """The log with what IPOPT knows of optimality, which it tells at the end only."""
        known = told.get("iterations", {}).get("inf_du", [])
        return tuple(step._replace(optimality=float(x)) for step, x in zip(self._log, known, strict=False)) + tuple(
            self._log[len(known) :]
        )

    def _least(self, barrier: float | None) -> float | None:
        """A barrier between that of solutions and that of warm starts."""
        return None if barrier is None else min(max(barrier, self._tolerance), float(WARM["mu_init"]))

    def _made(self, begin: str, barrier: float | None) -> Any:
        """IPOPT on the program, from any start, from a solution or near one; for the time that is left."""
        if begin not in self._runs or self._until < np.inf or barrier is not None:
            nlp, watch, extra = self._parts
            words = self._options | BEGIN[begin] | ({} if barrier is None else {"mu_init": barrier})
            options: dict[str, Any] = {f"ipopt.{word}": value for word, value in words.items()}
            if self._until < np.inf:
                options["ipopt.max_wall_time"] = max(self._until - time.perf_counter(), LEAST_TIME)
            fixed: dict[str, Any] = {**PLAIN, "iteration_callback": watch}
            self._runs[begin] = ca.nlpsol("motion", "ipopt", nlp, {**fixed, **extra, **options})
        return self._runs[begin]

    # ---- what casadi calls ---------------------------------------------------------------------------

    def _callbacks(self) -> tuple[Any, Any, dict[str, Any]]:
        p = self.program
        X, O, G, none = (ca.Sparsity.dense(k, 1) for k in (p.size, 1, p.count, 0))
        none = ca.Sparsity(0, 0)
        J, H = _sparsity(p.jacobian_pattern), _sparsity(p.hessian_pattern)
        xp = [("x", X), ("p", none)]
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

        def made(name: str, inputs: Any, outputs: Any, call: Any) -> Any:
            return _Callback(name, inputs, outputs, self._guarded(call))

        multipliers = [("lam_f", O), ("lam_g", G)]
        whole = made("nlp", xp, [("f", O), ("g", G)], nlp)
        extra = {
            "grad_f": made("nlp_grad_f", xp, [("f", O), ("grad_f_x", X)], gradient),
            "jac_g": made("nlp_jac_g", xp, [("g", G), ("jac_g_x", J)], jacobian),
            "hess_lag": made("nlp_hess_l", [*xp, *multipliers], [("triu_hess_gamma_x_x", H)], hessian),
            "no_nlp_grad": True,
        }
        self._keep = (whole, *extra.values())
        watch = _Watch(cast(Solver, weakref.proxy(self)))
        return whole, watch, extra

    def __del__(self) -> None:
        """IPOPT goes before the callbacks that it calls by bare pointers; callbacks do not keep this alive."""
        self.__dict__.get("_runs", {}).clear()

    def _guarded(self, call: Any) -> Any:
        """casadi prints what is raised inside and goes on; here it is kept, and raised again afterwards."""

        me: Any = weakref.proxy(self)

        def inner(a: Any, r: Any) -> int:
            start = time.perf_counter()
            try:
                call(a, r)
                return 0
            except BaseException as error:
                me._stop.append(error)
                return 1
            finally:
                me._spent += time.perf_counter() - start

        return inner

    def told(self, x: Array, cost: float, rows: Array) -> int:
        """After every iteration; other than 0 stops."""
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


def _sparsity(pattern: Pattern) -> Any:
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

    def __init__(self, solver: Solver) -> None:
        ca.Callback.__init__(self)
        self._solver = solver
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
        sizes = {"f": 1, "x": self._solver.program.size, "lam_x": self._solver.program.size,
                 "g": self._solver.program.count, "lam_g": self._solver.program.count}  # fmt: skip
        n = sizes.get(str(ca.nlpsol_out(k)), 0)
        return ca.Sparsity.dense(n, 1) if n else ca.Sparsity(0, 0)

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arguments: Any, results: Any) -> int:
        x, f, g = (np.frombuffer(arguments[k]) for k in self._places)
        np.frombuffer(results[0])[0] = self._solver.told(x, float(f[0]), g)
        return 0
