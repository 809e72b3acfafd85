"""IPOPT, through casadi."""

from __future__ import annotations

import time
from typing import Any

import casadi as ca
import numpy as np

from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.solve.casadi_program import CasadiProgram
from lissom.motion.solve.solver import AbstractSolver, Progress, Solution
from lissom.motion.transcription.program import Program
from lissom.spatial.rotations import Array

# option_file_name: IPOPT would read a file of the working directory
QUIET = {"print_level": 0, "sb": "yes", "option_file_name": ""}
# Rows have size one already. Without its other scaling too, an iteration of a tree of 44 joints takes 71 instead of
# 82 ms, and trees of 20 to 44 joints with limits end in the same optima.
# IPOPT has MUMPS reserve eleven times the memory it expects to need, and pages of it are new to the process in every
# factorisation; a fifth more, MUMPS's own default, gives the same bits in less time, and IPOPT doubles it if needed.
LINEAR = {"mumps_permuting_scaling": 0, "mumps_scaling": 0, "mumps_mem_percent": 20}
# Equality rows can be dependent but for rounding (modes at rest at both ends). Without MUMPS's scalings their matrices
# look singular now and then; IPOPT then regularises the rows by 1e-8 for good, and full steps no longer meet them: of
# 20 motions of a flexible arm 2 ran out of iterations. With scalings and 1e-10, all took 7 to 39 iterations.
EQUALITIES = {"mumps_mem_percent": 20, "jacobian_regularization_value": 1e-10}
# from a solution with multipliers: start near the bounds, with a small barrier
WARM: dict[str, Any] = {
    "warm_start_init_point": "yes", "mu_init": 1e-5, "warm_start_bound_push": 1e-7, "warm_start_bound_frac": 1e-7,
    "warm_start_slack_bound_push": 1e-7, "warm_start_slack_bound_frac": 1e-7, "warm_start_mult_bound_push": 1e-7,
}  # fmt: skip
# from a solution without them, on another mesh: a barrier that does not drive it away
BEGIN: dict[str, dict[str, Any]] = {"": {}, "warm": WARM, "near": {"mu_init": 1e-3}}
# from a posture far from any motion with contacts: of a person's step, 35 to 60 iterations instead of 400
ADAPTIVE = {"mu_strategy": "adaptive"}
# where a step leads to no number the solver takes a shorter one; casadi need not report each
PLAIN = {"print_time": False, "show_eval_warnings": False}
LEAST_TIME, MOST_ITERATIONS = 1e-6, 2**31 - 1  # that IPOPT can be given [s]
# IPOPT's words for how it ended: the outcome, and details
OUTCOMES = {
    "Solve_Succeeded": (MotionOutcome.SOLVED, ""),
    "Solved_To_Acceptable_Level": (MotionOutcome.ACCEPTABLE, ""),
    "Infeasible_Problem_Detected": (MotionOutcome.INFEASIBLE, ""),
    "Maximum_Iterations_Exceeded": (MotionOutcome.OUT_OF_ITERATIONS, ""),
    "Maximum_CpuTime_Exceeded": (MotionOutcome.OUT_OF_TIME, ""),
    "Maximum_WallTime_Exceeded": (MotionOutcome.OUT_OF_TIME, ""),
    "Search_Direction_Becomes_Too_Small": (MotionOutcome.STALLED, "steps became too small"),
    "Diverging_Iterates": (MotionOutcome.DIVERGED, ""),
    "Restoration_Failed": (MotionOutcome.STALLED, "no feasible step was found"),
    "Not_Enough_Degrees_Of_Freedom": (MotionOutcome.OVERDETERMINED, ""),
}
NAME = "IPOPT"
ACCEPTABLE = 1e-6  # errors, in IPOPT's scaling, of a solution to a looser tolerance; IPOPT's own default


class Ipopt(AbstractSolver):
    """Interior points, with exact second derivatives; `adaptive`: the barrier follows the iterates of a first run."""

    def __init__(
        self, program: Program, tolerance: float, iterations: int, until: float = np.inf, adaptive: bool = False
    ) -> None:
        super().__init__(program, tolerance, iterations, until)
        self._begin = BEGIN | {"": ADAPTIVE} if adaptive else BEGIN
        linear = EQUALITIES if (program.lower == program.upper).any() else LINEAR
        self._options = QUIET | linear | {"tol": self._tolerance, "max_iter": min(int(iterations), MOST_ITERATIONS)}
        self._functions = CasadiProgram(program)
        self._runs: dict[str, Any] = {}

    def __call__(
        self, x0: Array, progress: Progress | None = None, warm: Solution | None = None, near: bool = False,
        barrier: float | None = None,
    ) -> Solution:  # fmt: skip
        """Solve from a start; see `AbstractSolver`."""
        program = self.program
        if np.sum(program.lower == program.upper) > np.sum(program.low < program.high):
            return self._functions.unsolved(x0, progress, *_outcome("Not_Enough_Degrees_Of_Freedom"))
        begin = "warm" if warm is not None else "near" if near else ""
        run = self._made(begin, self._least(barrier) if begin == "warm" else None)
        found, spent = self._functions.run(run, x0, progress, warm)
        stats = run.stats()
        optimality = stats.get("iterations", {}).get("inf_du", [])
        return self._functions.solution(found, spent, *_outcome(_verdict(stats)), optimality)._replace(solver=NAME)

    def _least(self, barrier: float | None) -> float | None:
        """A barrier between that of solutions and that of warm starts."""
        return None if barrier is None else min(max(barrier, self._tolerance), float(WARM["mu_init"]))

    def _made(self, begin: str, barrier: float | None) -> Any:
        """IPOPT on the program, from any start, from a solution or near one; for the time that is left."""
        if begin not in self._runs or self._until < np.inf or barrier is not None:
            words = self._options | self._begin[begin] | ({} if barrier is None else {"mu_init": barrier})
            options: dict[str, Any] = {f"ipopt.{word}": value for word, value in words.items()}
            if self._until < np.inf:
                options["ipopt.max_wall_time"] = max(self._until - time.perf_counter(), LEAST_TIME)
            made = self._functions
            fixed: dict[str, Any] = {**PLAIN, "iteration_callback": made.watch, **made.functions, "no_nlp_grad": True}
            self._runs[begin] = ca.nlpsol("motion", "ipopt", made.nlp, {**fixed, **options})
        return self._runs[begin]

    def __del__(self) -> None:
        """IPOPT goes before the callbacks that it calls by bare pointers; callbacks do not keep this alive."""
        self.__dict__.get("_runs", {}).clear()


def _verdict(stats: dict[str, Any]) -> str:
    """IPOPT's word for how it ended; steps that become too small at a solution, for want of digits, are a solution."""
    word, log = str(stats["return_status"]), stats.get("iterations", {})
    last = [abs(log[key][-1]) if log.get(key) else np.inf for key in ("inf_pr", "inf_du", "mu")]
    if word == "Search_Direction_Becomes_Too_Small" and max(last) <= ACCEPTABLE:
        return "Solved_To_Acceptable_Level"
    return word


def _outcome(word: str) -> tuple[MotionOutcome, str]:
    """The outcome, and the sentence that describes it."""
    outcome, details = OUTCOMES.get(word, (MotionOutcome.STALLED, word.replace("_", " ").lower()))
    return outcome, f"{outcome.sentence}{details and f': {details}'}"
