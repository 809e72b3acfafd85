"""Solvers behind the contract: ours, IPOPT, and one from this file alone, casadi's sequential quadratic programming."""

import time

import casadi as ca
import numpy as np
import pytest

import lissom as ls
from lissom.motion.solve.banded import Banded
from lissom.motion.solve.casadi_program import CasadiProgram, sparsity
from lissom.motion.solve.ipopt import Ipopt
from lissom.motion.solve.search import Search
from lissom.motion.solve.solver import AbstractSolver, SolverLimits
from lissom.motion.transcription.problem import Problem

TWO = ls.load("two_link").with_gravity((0, 0, 0))
EFFORT = ls.Task([0, -2], [1, -1], duration=0.8, minimise="torque_squared", segments=6, limits=ls.Limits(velocity=4.0))


class Sqp(AbstractSolver):
    """casadi's sqpmethod, with QPs by qrqp and the exact Hessian, its eigenvalues made positive."""

    def __init__(self, program, tolerance, iterations, until=np.inf):
        super().__init__(program, tolerance, iterations, until)
        self._functions = made = CasadiProgram(program)
        p, cost, row = program, 1 / program.typical, 1 / program.sizes
        x, one, rows = (ca.Sparsity.dense(k, 1) for k in (p.size, 1, p.count))
        by_row = row[p.jacobian_pattern.rows]

        def first(a, r):
            for k, value in enumerate((p.f(a[0]) * cost, p.gradient(a[0]) * cost, p.g(a[0]) * row,
                                       p.jacobian(a[0]) * by_row)):  # fmt: skip
                if r[k] is not None:
                    r[k][:] = value

        def second(a, r):
            if r[0] is not None:
                H = ca.DM(sparsity(p.hessian_pattern), p.hessian(a[0], float(a[2][0]) * cost, a[3] * row))
                r[0][:] = np.asarray(ca.triu2symm(H).nonzeros())

        xp = [("x", x), ("p", ca.Sparsity(0, 0))]
        whole = ca.triu2symm(ca.DM(sparsity(p.hessian_pattern), 1.0)).sparsity()
        functions = {
            "jac_fg": made.function("nlp_jac_fg", xp, [("f", one), ("grad_f_x", x), ("g", rows), ("jac_g_x",
                                    sparsity(p.jacobian_pattern))], first),
            "hess_lag": made.function("nlp_hess_l", [*xp, ("lam_f", one), ("lam_g", rows)],
                                      [("hess_gamma_x_x", whole)], second),
        }  # fmt: skip
        quiet = {"print_time": False, "print_header": False, "print_iteration": False, "print_status": False}
        plain = {"print_iter": False, "print_header": False, "print_info": False, "error_on_fail": False}
        options = {"tol_pr": tolerance, "tol_du": 1e-7, "max_iter": min(iterations, 100), "qpsol": "qrqp",
                   "convexify_strategy": "eigen-reflect", "qpsol_options": plain, "error_on_fail": False,
                   "no_nlp_grad": True}  # fmt: skip
        self._run = ca.nlpsol("motion", "sqpmethod", made.nlp, {**quiet, **options, **functions})

    def __call__(self, x0, progress=None, warm=None, near=False, barrier=None):
        found, spent = self._functions.run(self._run, x0, progress, warm)
        good = self._run.stats()["success"]
        outcome = ls.MotionOutcome.SOLVED if good else ls.MotionOutcome.STALLED
        return self._functions.solution(found, spent, outcome, outcome.sentence, [])

    def __del__(self):
        self.__dict__.pop("_run", None)


@pytest.mark.parametrize("other", [Sqp, Banded])
def test_another_solver_finds_the_same_optimum(other):
    problem = Problem(TWO, EFFORT)
    program = problem.program(problem.mesh(), np.zeros(0))
    x0 = problem.guess.variables(program.curves)
    found = [kind(program, 1e-8, 200)(x0) for kind in (Ipopt, other)]
    assert [solution.outcome for solution in found] == [ls.MotionOutcome.SOLVED] * 2
    assert found[1].cost == pytest.approx(found[0].cost, rel=1e-6)
    assert found[1].seconds >= found[1].evaluation_seconds > 0


@pytest.mark.parametrize("other", [Sqp, Banded])
def test_a_whole_search_runs_with_another_solver(other):
    limits = SolverLimits(1e-8, 200, None)
    found = [Search(TWO, EFFORT, limits, 0, 0.0, solver=kind).start(0) for kind in (Ipopt, other)]
    assert found[1].ok, found[1].status
    assert found[1].cost == pytest.approx(found[0].cost, rel=1e-6)


@pytest.mark.parametrize("kind", [Ipopt, Banded])
def test_the_time_of_a_solver_is_limited(kind):
    problem = Problem(TWO, EFFORT)
    program = problem.program(problem.mesh(), np.zeros(0))
    late = kind(program, 1e-8, 200, until=time.perf_counter())
    assert late(problem.guess.variables(program.curves)).outcome is ls.MotionOutcome.OUT_OF_TIME
