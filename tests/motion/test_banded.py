"""The library's own solver: programs with a known optimum, the same optima as IPOPT, when IPOPT has the program."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import lissom as ls
from lissom.motion.solve.banded import NAME, Banded, supports, unsupported
from lissom.motion.solve.carried.nested import prolonged
from lissom.motion.solve.interior.barrier import Bounds, SlackForm
from lissom.motion.solve.interior.condensed import Condensed
from lissom.motion.solve.interior.equalities import Equalities
from lissom.motion.solve.interior.method import Ended, InteriorPoint
from lissom.motion.solve.ipopt import Ipopt
from lissom.motion.solve.search import Search
from lissom.motion.solve.solver import SolverLimits
from lissom.motion.transcription.problem import Problem
from lissom.motion.transcription.sparsity import Pattern

TWO = ls.load("two_link")
EFFORT = ls.Task([0, -2], [1, -1], duration=0.8, minimise="torque_squared", segments=6, limits=ls.Limits(velocity=4.0))
FAST = ls.Task([0.1, -0.2], [0.9, 0.5], limits=ls.Limits(torque=30.0, velocity=4.0), segments=8)


def made(task=EFFORT, arm=TWO, regularise=1e-5):
    problem = Problem(arm, task, regularise)
    program = problem.program(problem.mesh(), np.array([0.31]))
    return program, problem.guess.variables(program.curves)


class Small:
    """min sum of c_k (x_k - a_k)^4 - T on lower <= G x <= upper, its rows dense: a program with numbers only."""

    def __init__(self, c, a, G, lower, upper, low, high):
        self.c, self.a, self.G, self.low, self.high = c, a, G, low, high
        self.lower, self.upper, (self.count, self.size) = lower, upper, G.shape
        self.typical, self.sizes, self.smooth = 1.0, np.ones(self.count), True
        places = np.stack([np.arange(self.size), np.zeros(self.size, int)], axis=1)
        self.curves = SimpleNamespace(duration=1.0, variable_places=places, n=1, T=lambda x: 1.0)
        rows, columns = np.nonzero(np.ones_like(G))
        self.jacobian_pattern = Pattern(G.shape, rows, columns)
        self.hessian_pattern = Pattern((self.size, self.size), np.arange(self.size), np.arange(self.size))

    def f(self, x):
        return float(self.c @ (x - self.a) ** 4)

    def g(self, x):
        return self.G @ x

    def gradient(self, x):
        return 4 * self.c * (x - self.a) ** 3

    def jacobian(self, x):
        return self.G.T.ravel()

    def hessian(self, x, sigma, lam):
        return sigma * 12 * self.c * (x - self.a) ** 2


def test_a_program_with_a_known_optimum():
    """x_0 + x_1 <= 1 is active: c_0 (x_0 - 2)^3 = c_1 (x_1 - 1)^3, so with c = (1, 8): x_0 - 2 = 2 (x_1 - 1); x_2 is
    at its bound, x_3 free."""
    far = np.full(4, np.inf)
    low = np.array([-np.inf, -np.inf, 0.5, -np.inf])
    program = Small(
        np.array([1.0, 8.0, 3.0, 1.0]), np.array([2.0, 1.0, -1.0, 0.3]), np.array([[1.0, 1.0, 0.0, 0.0]]),
        np.array([-np.inf]), np.array([1.0]), low, far,
    )  # fmt: skip
    found = Banded(program, 1e-9, 100)(np.array([0.0, 0.0, 3.0, 5.0]))
    assert found.outcome is ls.MotionOutcome.SOLVED
    assert found.solver == NAME
    assert found.x[:3] == pytest.approx([2 - 2 * (2 / 3), 1 - 2 / 3, 0.5], abs=1e-6)
    assert found.x[3] == pytest.approx(0.3, abs=1e-2)  # of fourth order there: flat
    assert found.multipliers[0] == pytest.approx(4 * (4 / 3) ** 3, rel=1e-6)
    assert found.bound_multipliers[2] == pytest.approx(-12 * 1.5**3, rel=1e-6)


def test_a_fixed_variable_stays():
    program = Small(np.ones(3), np.full(3, 2.0), np.ones((1, 3)), np.array([-np.inf]), np.array([3.0]),
                    np.array([-9.0, 0.25, -9.0]), np.array([9.0, 0.25, 9.0]))  # fmt: skip
    found = Banded(program, 1e-9, 100)(np.zeros(3))
    assert found.x == pytest.approx([1.375, 0.25, 1.375], abs=1e-6)


def test_the_condensed_system_is_the_dense_one():
    """K x = r with a free duration as border, against dense matrices; joints of limited torques and velocities."""
    program, x = made(FAST)
    form, rng = SlackForm(program), np.random.default_rng(3)
    S, D = rng.uniform(0.1, 3.0, program.count), rng.uniform(5e3, 9e3, program.size)
    form.slopes(x)
    H, J = form.curvature(x, rng.normal(size=program.count)), form.J
    system = Condensed(program, form.moving)
    system.assemble(J, H, S, D)
    factors = system.factors(0.7)
    r = rng.normal(size=program.size)
    p, q = program.jacobian_pattern, program.hessian_pattern
    J = sparse.coo_array((J, (p.rows, p.columns)), shape=p.shape).toarray()
    H = sparse.coo_array((H, (q.rows, q.columns)), shape=q.shape).toarray()
    K = H + np.triu(H, 1).T + np.diag(D + 0.7) + J.T @ (S[:, None] * J)
    assert system.solved(factors, r) == pytest.approx(np.linalg.solve(K, r), rel=1e-8)
    assert system.bandwidth == 4 * TWO.dof - 1
    assert system.factors(-1e9) is None


def test_gaps_and_their_forces():
    bounds = Bounds(np.array([0.0, -np.inf, 2.0, 1.0]), np.array([4.0, 3.0, np.inf, 1.0]))
    w, v = np.array([1.0, 1.0, 5.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert bounds.gaps(w).tolist() == [1.0, 3.0, 3.0, 2.0]
    assert bounds.forces(v).tolist() == [2.0, 4.0, -2.0, 0.0]
    assert bounds.summed(v).tolist() == [4.0, 4.0, 2.0, 0.0]
    assert bounds.multipliers(np.array([-1.0, 5.0, 6.0, 0.0])).tolist() == [1.0, 0.0, 0.0, 5.0]
    assert bounds.inside(np.array([9.0, 9.0, 0.0, 1.0]), 1e-2).tolist() == [3.96, 2.97, 2.02, 1.0]


@pytest.mark.parametrize("task", [EFFORT, FAST, EFFORT.replace(minimise="jerk", degree=5)])
def test_the_same_optimum_as_ipopt(task):
    program, x = made(task)
    ours, theirs = (kind(program, 1e-8, 200)(x) for kind in (Banded, Ipopt))
    assert [ours.outcome, theirs.outcome] == [ls.MotionOutcome.SOLVED] * 2
    assert [ours.solver, theirs.solver] == [NAME, "IPOPT"]
    assert ours.cost == pytest.approx(theirs.cost, rel=1e-6)
    assert ours.x == pytest.approx(theirs.x, abs=2e-3)
    size = 1e-3 * np.abs(theirs.multipliers).max() + 1e-6 * program.typical  # no limit is active at all in the last one
    assert ours.multipliers == pytest.approx(theirs.multipliers, abs=size)
    assert ours.seconds >= ours.evaluation_seconds > 0


def test_a_solution_starts_the_next_one():
    program, x = made(FAST)
    solver = Banded(program, 1e-8, 200)
    first = solver(x)
    again = solver(first.x, warm=first)
    assert again.cost == pytest.approx(first.cost, rel=1e-7)
    assert len(again.iterations) < len(first.iterations) / 2


@pytest.mark.parametrize("task", [EFFORT, FAST], ids=["given duration", "free duration"])
def test_a_solution_on_a_coarse_mesh_starts_a_finer_one(task):
    """With the multipliers of the coarse mesh: the same optimum in fewer iterations than from its splines alone."""
    problem = Problem(TWO, task, 1e-5)
    mesh = problem.mesh(segments=12)
    coarse = problem.program(mesh, np.zeros(0))
    known = Banded(coarse, 1e-8, 200)(problem.guess.variables(coarse.curves))
    mesh, points = mesh.refined(coarse.curves.control_points(known.x))
    finer = problem.program(mesh, np.zeros(0))
    x = finer.curves.fitted(points, coarse.curves.T(known.x))
    warm = prolonged(coarse, known, finer, x)
    cold, found = Banded(finer, 1e-8, 200)(x), Banded(finer, 1e-8, 200)(x, warm=warm, barrier=1e-6)
    assert found.cost == pytest.approx(cold.cost, rel=1e-7)
    assert len(found.iterations) < len(cold.iterations)
    for word in ("torque", "velocity"):  # densities of multipliers stay as they are
        sums = [
            sum(abs(m) for m, name in zip(solution.multipliers, program.names, strict=True) if name[0] == word)
            for program, solution in ((coarse, known), (finer, warm))
        ]
        assert sums[1] == pytest.approx(sums[0], rel=0.1, abs=1e-6 * coarse.typical)


def test_multipliers_are_not_carried_over_where_programs_are_not_smooth():
    rough = TWO.with_joint(TWO.joints[0].name, friction=0.5)
    program, x = made(FAST, rough)
    assert prolonged(program, Banded(program, 1e-3, 100)(x), program, x) is None


def test_an_equality_row_with_a_known_optimum():
    """x_0 + x_1 + x_2 = 1 with x_2 at its bound of 0.5: 4 c_k (x_k - a_k)^3 = -y, so x_0 - 2 = 2 (x_1 - 1)."""
    far = np.full(3, np.inf)
    program = Small(
        np.array([1.0, 8.0, 3.0]), np.array([2.0, 1.0, -1.0]), np.ones((1, 3)), np.array([1.0]), np.array([1.0]),
        np.array([-np.inf, -np.inf, 0.5]), far,
    )  # fmt: skip
    program.curves.each, program.curves.shared = 0, True
    found = Banded(program, 1e-9, 100)(np.array([3.0, 0.0, 3.0]))
    assert (found.outcome, found.solver, found.reason) == (ls.MotionOutcome.SOLVED, NAME, "")
    assert found.x == pytest.approx([2 - 2 * (2.5 / 3), 1 - 2.5 / 3, 0.5], abs=1e-6)
    assert found.multipliers[0] == pytest.approx(4 * (5 / 3) ** 3, rel=1e-6)


def test_equality_rows_that_depend_on_each_other_are_ipopts():
    program = Small(
        np.ones(2), np.zeros(2), np.ones((2, 2)), np.ones(2), np.ones(2), *np.array([[-9.0] * 2, [9.0] * 2])
    )
    program.curves.each, program.curves.shared = 0, True
    form = SlackForm(program)
    method = InteriorPoint(form, Condensed(program, form.moving), 1e-8, lambda point, error: False)
    assert method.run(form.begin(np.zeros(2)), 0.1, 50) is Ended.STUCK


ELBOW = FAST.replace(goal=ls.Reach("fore", position=(0.5, 0.3, np.nan)))


@pytest.mark.parametrize("duration", [None, 1.1])
@pytest.mark.parametrize("task", [FAST.replace(via=[ls.Via(0.43, q=[0.3, 0.1])]), ELBOW], ids=["via", "reach"])
def test_the_same_optimum_with_equality_rows(task, duration):
    task = task.replace(duration=duration, minimise="torque_squared" if duration else "time")
    program, x = made(task)
    assert (program.lower == program.upper).sum() == 2
    ours, theirs = (kind(program, 1e-8, 200)(x) for kind in (Banded, Ipopt))
    assert [ours.outcome, theirs.outcome] == [ls.MotionOutcome.SOLVED] * 2
    assert ours.solver == NAME
    assert ours.cost == pytest.approx(theirs.cost, rel=1e-6)
    equal = program.lower == program.upper
    assert ours.rows[equal] == pytest.approx(program.lower[equal], abs=1e-8)
    assert ours.multipliers[equal] == pytest.approx(theirs.multipliers[equal], rel=1e-3, abs=1e-6 * program.typical)


def test_steps_along_equality_rows_solve_the_whole_system():
    program, x = made(FAST.replace(via=[ls.Via(0.43, q=[0.3, 0.1])]))
    form, rng = SlackForm(program), np.random.default_rng(4)
    S, D = np.where(form.equal, 1e3, rng.uniform(0.1, 3.0, program.count)), rng.uniform(1e3, 2e3, program.size)
    form.slopes(x)
    H, system = form.curvature(x, rng.normal(size=program.count)), Condensed(program, form.moving)
    system.assemble(form.J, H, S, D)
    factors = system.factors(0.0)
    tied = Equalities(program.jacobian_pattern, form.equal).tied(system, factors, form.J)
    r, v = rng.normal(size=program.size), rng.normal(size=2)
    dx, y = tied.step(system.solved(factors, r), v)
    p, q = program.jacobian_pattern, program.hessian_pattern
    J = sparse.coo_array((form.J, (p.rows, p.columns)), shape=p.shape).toarray()
    H = sparse.coo_array((H, (q.rows, q.columns)), shape=q.shape).toarray()
    A, K = J[form.equal], H + np.triu(H, 1).T + np.diag(D) + J.T @ (S[:, None] * J)
    assert A @ dx == pytest.approx(-v, abs=1e-9)
    assert K @ dx + A.T @ y == pytest.approx(r, abs=1e-8)


def test_programs_for_ipopt_and_why():
    crane = ls.Arm("crane", [
        ls.Link("cart", joint=ls.Joint("prismatic", axis=(1, 0, 0)), mass=1.0),
        ls.Link("load", "cart", ls.Joint(axis=(0, 1, 0), actuated=False), mass=0.2, com=(0, 0, -0.35),
                inertia=[1e-3] * 3),
    ])  # fmt: skip
    carried = ls.Task([0, 0], [1, 0], limits=ls.Limits(torque=4.0), duration=2.0, minimise="torque_squared", segments=8)
    assert "equations of motion of unactuated coordinates are 32 equality rows" in unsupported(made(carried, crane)[0])
    assert supports(made()[0])
    found = Search(crane, carried, SolverLimits(1e-8, 200, None), 0, 0.0).start(0)
    assert found.ok, found.status
    assert found.report.solver == "IPOPT"
    assert "solver: IPOPT, " in found.report.describe()
    assert "why IPOPT: the equations of motion" in found.report.describe()
    rough = TWO.with_joint(TWO.joints[0].name, friction=0.5)
    program, x = made(FAST, rough)
    after = Banded(program, 1e-8, 300)(x)
    assert after.solver == f"{NAME}, then IPOPT"
    assert after.reason.startswith("with Coulomb friction or |power| the banded")


def test_a_program_without_a_solution_ends_as_in_ipopt():
    program, x = made(FAST.replace(duration=0.2, minimise="torque_squared"))
    ours, theirs = (kind(program, 1e-8, 300)(x) for kind in (Banded, Ipopt))
    assert ours.outcome is theirs.outcome is ls.MotionOutcome.INFEASIBLE
    assert ours.solver == f"{NAME}, then IPOPT"
    assert NAME in ours.reason
    assert [step.number for step in ours.iterations] == list(range(len(ours.iterations)))


def test_the_same_bits_with_any_number_of_threads():
    import threadpoolctl

    program, x = made(FAST)
    found = []
    for threads in (1, 2, 2):
        with threadpoolctl.threadpool_limits(threads):
            found.append(Banded(program, 1e-8, 200)(x))
    assert all(np.array_equal(found[0].x, other.x) for other in found)


def test_iterations_time_and_the_user_end_it():
    program, x = made(FAST)
    assert Banded(program, 1e-8, 3)(x).outcome is ls.MotionOutcome.OUT_OF_ITERATIONS
    assert len(Banded(program, 1e-8, 3)(x).iterations) == 4
    assert Banded(program, 1e-8, 200, until=0.0)(x).outcome is ls.MotionOutcome.OUT_OF_TIME

    def stop(step):
        if step.number == 2:
            raise KeyboardInterrupt

    stopped = Banded(program, 1e-8, 200)(x, stop)
    assert stopped.outcome is ls.MotionOutcome.INTERRUPTED
    assert len(stopped.iterations) == 3

    def fail(step):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Banded(program, 1e-8, 200)(x, fail)
