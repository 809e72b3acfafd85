"""Xiang, Arora and Abdel-Malek 2008: what is printed, put in place of the right equation, gives something else.

Every case is a row of docs/errata.md, under its id. The words given with it are those of the page.
"""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.interpolate import BSpline
from tests.arms import random_arm, random_states

import lissom as ls
from lissom.dynamics.bodies import Bodies
from lissom.formulations import uicker_kahn, xiang, xiang_sensitivity
from lissom.formulations.counting import Tally, counted_state, degree_of
from lissom.formulations.linkage import Linkage, State
from lissom.formulations.matrices import ONE, ZERO, dot, negative, outer, plus, product, times, trace
from lissom.kernels.cache import functions_of
from lissom.papers.xiang2008 import limits, shortest
from lissom.papers.xiang2008.closed_form import TwoLink, gradient, two_link_arm
from lissom.papers.xiang2008.tasks import PRINTED
from lissom.verbs.count import puma_like

PAGE = Path(__file__).parents[2] / "docs" / "errata.md"
SAME, CLEARLY = 1e-10, 1e-3  # errors, relative to the largest entry
FORCES, SLOPES = "inverse_dynamics", "inverse_dynamics_gradient"


class Erratum(NamedTuple):
    """`apply` puts an equation in place as it is printed; `part` of the results is looked at."""

    id: str
    method: str
    verb: str
    part: int
    arm: Callable
    apply: Callable
    printed: str
    should: str


CASES: list[Erratum] = []


def erratum(method, verb, arm, part=0, *, printed, should):
    """Register a case; `printed` and `should` stand on the page."""

    def register(apply):
        CASES.append(Erratum(apply.__name__, method, verb, part, arm, apply, printed, should))
        return apply

    return register


# ---- arms ----------------------------------------------------------------------------------------


def chain():
    """Both kinds of joints, loads on two links."""
    arm = random_arm(12, 4, tree=False, drives=False, kinds=("revolute", "prismatic"))
    loads = [ls.Load("l1", (3.0, -4.0, 5.0), (0.5, 0.7, -0.4), (0.1, 0.2, -0.3)),
             ls.Load("l3", (-2.0, 1.0, 6.0), (0.3, -0.2, 0.9), (0.2, -0.1, 0.3))]  # fmt: skip
    return arm.replace(loads=loads)


def tree():
    """Links that carry several."""
    arm = random_arm(3, 8, drives=False, kinds=("revolute", "prismatic"))
    assert branching(arm)
    return arm


def branching(arm):
    """Links (by number) that carry several."""
    return {p for p, many in Counter(m.parent for m in Linkage(Bodies(arm)).members).items() if many > 1 and p >= 0}


# ---- the regular Lagrangian: (6)-(8) are what `uicker_kahn` computes -----------------------------


@erratum("uicker_kahn", FORCES, chain, printed="`+ sum_i J_i^T m_i g + J_s^T f_s`",
         should="`- sum_i J_i^T m_i g - J_s^T f_s`, as (16) has it")  # fmt: skip
def xiang_6(patch):
    right = uicker_kahn.generalized_force

    def generalized_force(state, *rest):
        pushes = [p._replace(force=negative(p.force), moment=negative(p.moment)) for p in state.pushes]
        return right(state._replace(gravity=negative(state.gravity), pushes=pushes), *rest)

    patch.setattr(uicker_kahn, "generalized_force", generalized_force)


@erratum("uicker_kahn", FORCES, chain, printed="`J_i = d(T_i r_i)/dq_i`, `J_s = d(T_s r_s)/dq_s`, by one coordinate",
         should="`d(T_i r_i)/dq`, `d(T_s r_s)/dq`, by all: joint k feels every link it carries")  # fmt: skip
def xiang_9(patch):
    right = uicker_kahn.generalized_force

    def generalized_force(state, W, first, second, i):
        member = state.members[i]
        rest = right(state._replace(gravity=[0.0] * 3, pushes=()), W, first, second, i)
        own = member.mass * dot([*state.gravity, 0.0], times(first[i, i], [*member.com, 1.0]))
        for push in state.pushes_on(i):
            own = own + trace(product(first[i, i], uicker_kahn.load_matrix(push, W[-1, i])))
        return rest - own

    patch.setattr(uicker_kahn, "generalized_force", generalized_force)


# ---- the recursion -------------------------------------------------------------------------------


@erratum("xiang", FORCES, chain, printed="one `f_k`; `F_i` gathers the points of all loaded links",
         should="`F_i = sum_k r_k f_k^T` of all forces on link i, 4x4, taken off `D_i`")  # fmt: skip
def xiang_19(patch):
    def forces(state, i):
        one = [*state.pushes[0].force, 0.0]
        return plus(*(outer([*push.point, 1.0], one) for push in state.pushes_on(i)))

    patch.setattr(xiang, "forces", forces)


@erratum("xiang", SLOPES, chain, 1, printed="k = i: `A_{i-1} dT_i/dqd_k`", should="k = i: `A_{i-1} dT_i/dq_i`")
def xiang_23(patch):
    own_slopes(patch, B_qd=ZERO)


@erratum("xiang", SLOPES, chain, 2, printed="k = i: `A_{i-1} dT_i/dqdd_k`", should="k = i: `A_{i-1} dT_i/dq_i`")
def xiang_26(patch):
    own_slopes(patch, C_qdd=ZERO)


def own_slopes(patch, **changes):
    """T_i depends on q_i alone: its derivatives by rates vanish."""
    right = xiang_sensitivity.slopes_by_own
    patch.setattr(xiang_sensitivity, "slopes_by_own", lambda *given: right(*given)._replace(**changes))


@erratum("xiang", FORCES, tree, printed="`D_parent = sum D_child`, and likewise `E_parent`, `F_parent`",
         should="`sum T_child D_child`, `sum T_child E_child`, `sum T_child F_child`; `G` is right")  # fmt: skip
def xiang_37b(patch):
    right, several = xiang.hand_in, branching(tree())
    patch.setattr(
        xiang, "hand_in", lambda carried, parent, i, T: right(carried, parent, i, ONE if parent in several else T)
    )


# ---- tests ---------------------------------------------------------------------------------------


def evaluate(arm, method, verb, part):
    """On an arm made for this call: what is made for an arm stays with it, and would outlive a patch."""
    fresh = arm()
    found = functions_of(fresh).get(verb, backend="numpy", method=method)(*random_states(fresh, 3, seed=4))
    return found if verb == FORCES else found[part]


def error(found, want):
    return np.abs(found - want).max() / np.abs(want).max()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_printed(case, monkeypatch):
    """The right equation gives what the fast path gives, the printed one does not."""
    want = evaluate(case.arm, None, case.verb, case.part)
    assert error(evaluate(case.arm, case.method, case.verb, case.part), want) < SAME
    case.apply(monkeypatch)
    assert error(evaluate(case.arm, case.method, case.verb, case.part), want) > CLEARLY


def test_printed_15():
    """A point r of a link is at rest in it: B and C multiply r itself."""
    arm = random_arm(12, 4, tree=False, drives=False, kinds=("revolute", "prismatic"))
    q, qd, qdd = random_states(arm, 1)[:, 0]
    linkage = Linkage(Bodies(arm))
    state = State(linkage.members, linkage.frames(q), qd, qdd, [0.0] * 3)
    motion = xiang.kinematics(state, xiang.transforms_of(state))
    point = np.array([0.1, -0.2, 0.3])
    r = linkage.push("l3", [0.0] * 6 + point.tolist()).point
    R = linkage.base[:3, :3]  # of frame 0
    velocity, acceleration = (R @ times(X[3], [*r, 1.0])[:3] for X in (motion.B, motion.C))
    assert error(velocity, ls.velocity(arm, q, qd, "l3", point)[:3]) < SAME
    assert error(acceleration, ls.acceleration(arm, q, qd, qdd, "l3", point)[:3]) < SAME
    assert np.array_equal(times(motion.B[3], [0.0] * 4), [0.0] * 4)  # as printed, with the rate of r


def test_printed_61():
    """The right-hand side is d tau_2/d th_2, not by thdd_2."""
    found, want = closed()
    assert error(found.q[..., 1, 1], want.q[..., 1, 1]) < SAME
    assert error(found.q[..., 1, 1], want.qdd[..., 1, 1]) > CLEARLY


def test_printed_75():
    """(75) and (76) are derivatives by thdd_1 and thdd_2, not by th_1 and th_2."""
    found, want = closed()
    for column in (0, 1):
        assert error(found.qdd[..., 0, column], want.qdd[..., 0, column]) < SAME
        assert error(found.qdd[..., 0, column], want.q[..., 0, column]) > CLEARLY


def closed():
    """The closed form and the fast path."""
    p = TwoLink(L1=0.43, L2=0.37, l1=0.21, l2=0.16, m1=0.7, m2=0.45, I1=0.03, I2=0.02, g=9.1, f=3.3)
    states = np.random.default_rng(2).uniform(-2, 2, (3, 7, 2))
    return gradient(p, *states), ls.inverse_dynamics_gradient(two_link_arm(p), *states)


def test_printed_4_4():
    """Sensitivities of all pairs of joints cost O(n^2): n x n numbers cannot be had for less."""

    def products(n):
        tally = Tally(folded=False)
        xiang_sensitivity.gradient(counted_state(Linkage(Bodies(puma_like(n))), tally))
        return tally.multiplications

    assert degree_of({n: products(n) for n in range(2, 7)}) == 2
    arm = random_arm(12, 5, tree=False, drives=False, kinds=("revolute",))
    assert np.all(np.array(ls.inverse_dynamics_gradient(arm, *random_states(arm, 1))) != 0)


def test_printed_6_1():
    """A uniform cubic spline on 20 segments has 23 control points, all of which are felt."""
    segments, degree = 20, 3
    knots = np.arange(-degree, segments + degree + 1.0)
    assert len(knots) - degree - 1 == 23
    felt = BSpline.design_matrix(np.linspace(0.0, segments, 400, endpoint=False), knots, degree).toarray()
    assert np.linalg.matrix_rank(felt) == 23


def test_printed_66():
    """Torque limits in some places only: a shorter time than is possible, and torques beyond their limits between."""
    interior, middles, knots, both = limits.where_limits_hold()
    least = 0.391855  # the bang-bang time; see test_xiang_reproduction
    assert interior.duration < 0.01 * least
    assert interior.excess > 1e3
    assert middles.duration < 0.95 * least
    assert middles.excess > 10
    assert knots.duration < both.duration
    assert 5e-3 < knots.excess < 8e-3
    assert both.duration > least
    assert both.excess < 1e-3


def test_printed_6_3():
    """The bang-bang law is shorter than the printed time, by more than the last digit that is printed."""
    assert shortest.bang_bang().duration < PRINTED[1] - 1e-3


def test_printed_1():
    """Hollerbach counts the 4x4 recursion at several times the cost of Newton and Euler's, and so do we."""
    ours, theirs = (ls.count_operations(method, 6) for method in ("xiang", "newton_euler_link"))
    assert ours.multiplications > 5 * theirs.multiplications
    assert ours.additions > 4 * theirs.additions


def test_page_has_a_row_for_every_case():
    rows = re.findall(
        r"^\|[^|]+\| (.+) \| (.+) \| `tests/formulations/test_xiang_errata.py::(\w+(?:\[\w+\])?)` \|$",
        PAGE.read_text(encoding="utf-8"), re.MULTILINE,
    )  # fmt: skip
    listed = {test: (printed, should) for printed, should, test in rows}
    named = {f"test_printed[{case.id}]": (case.printed, case.should) for case in CASES}
    assert {test: words for test, words in listed.items() if "[" in test} == named
    alone = {name for name in globals() if re.fullmatch(r"test_printed_\w+", name)}
    assert {test for test in listed if "[" not in test} == alone
