"""Equations as the papers (or their scans) print them, put in place of the right ones: the result is wrong.

Every case is a row of docs/errata.md, under its function's name. The words given with it are those of the page.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.arms import random_link, random_states

import lissom as ls
from lissom.formulations import catalogue, hollerbach_3x3, lagrange, nasser, newton_euler_base, uicker_kahn, waters
from lissom.formulations.linkage import Linkage, State, parts
from lissom.formulations.matrices import (
    ONE,
    ZERO,
    cross,
    dot,
    minus,
    negative,
    plus,
    position,
    product,
    scaled,
    times,
    trace,
    transposed,
)
from lissom.kernels.cache import functions_of

PAGE = Path(__file__).parents[2] / "docs" / "errata.md"
SAME, CLEARLY = 1e-10, 1e-3  # errors, relative to the largest entry


class Erratum(NamedTuple):
    """`apply` puts an equation in place as it is printed; `misfit`: its dimensions then do not fit."""

    id: str
    method: str
    arm: Callable
    apply: Callable
    printed: str
    should: str
    misfit: bool


CASES: list[Erratum] = []


def erratum(method, arm, *, printed, should, misfit=False):
    """Register a case; `printed` and `should` stand on the page."""

    def register(apply):
        CASES.append(Erratum(apply.__name__, method, arm, apply, printed, should, misfit))
        return apply

    return register


# ---- arms ----------------------------------------------------------------------------------------


def arm_of(kinds, parents=None, **changes):
    """Joints R or P in order; a chain unless `parents` (by number) says otherwise."""
    rng = np.random.default_rng(11)
    links = []
    for i, letter in enumerate(kinds):
        parent = None if i == 0 else f"l{parents[i] if parents else i - 1}"
        links.append(random_link(rng, i, parent, False, ({"R": "revolute", "P": "prismatic"}[letter],)))
    return ls.Arm("random", links, gravity=rng.normal(size=3) * 6).replace(**changes)


def turning():
    return arm_of("RRRR")


def weightless():
    return arm_of("RRRR", gravity=(0.0, 0.0, 0.0))


def mixed():
    """A rotational link carries a prismatic joint, a prismatic one both kinds, beyond the root too."""
    return arm_of("RPPRPR")


def loaded(link):
    return mixed().replace(loads=[ls.Load(link, (3.0, -4.0, 5.0), (0.5, 0.7, -0.4), (0.1, 0.2, -0.3))])


def loaded_turning_link():
    return loaded("l3")


def loaded_sliding_link():
    return loaded("l4")


def geared(joints):
    """With actuator inertia at some joints."""
    arm = mixed()
    links = [
        link.replace(joint=link.joint.replace(armature=0.4)) if i in joints else link
        for i, link in enumerate(arm.links)
    ]
    return arm.replace(links=links)


def driven():
    return geared(range(6))


def driven_at_the_root():
    return geared([0])


def tree():
    """Link 1 (R) carries links 2 and 4, link 2 (P) carries links 3 and 5."""
    return arm_of("RRPRRRP", (None, 0, 1, 2, 1, 2, 4))


# ---- Hollerbach 1980: Lagrangian, 4x4 ------------------------------------------------------------


@erratum("uicker_kahn", turning, printed="`qdd_k qdd_l` (scan)", should="`qd_k qd_l`")
def hollerbach_4(patch):
    patch.setattr(uicker_kahn, "velocity_term", lambda c, state, k, l: c * state.qdd[k] * state.qdd[l])


def change_members(patch, change):
    """Give the formulations links with other constants."""

    class Changed(Linkage):
        def __init__(self, bodies):
            super().__init__(bodies)
            self.members = [change(member) for member in self.members]

    patch.setattr(catalogue, "Linkage", Changed)


@erratum(
    "waters", turning, printed="`J_j` is the inertia tensor",
    should="`J_j` is the 4x4 pseudo-inertia, the integral of `h h^T dm` with `h = (x, y, z, 1)`",
)  # fmt: skip
def hollerbach_J_tensor(patch):
    def change(member):
        J = np.array(member.pseudo)
        J[:3, :3] = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
        return member._replace(pseudo=J.tolist())

    change_members(patch, change)


@erratum(
    "waters", turning, printed="`J_j` is about the proximal joint of link j",
    should="about the origin of frame j, which the paper's axes put at the distal joint",
)  # fmt: skip
def hollerbach_J_proximal(patch):
    def change(member):
        R, p = parts(member.B)
        shift = np.eye(4)
        shift[:3, 3] = times(transposed(R), p)
        return member._replace(pseudo=(shift @ member.pseudo @ shift.T).tolist())

    change_members(patch, change)


@erratum("waters", turning, printed="`m_j g^T dW_j/dq_i J_j r_j` (scan)", should="`m_j g^T dW_j/dq_i j_r_j`")
def hollerbach_6(patch):
    def generalized_force(state, slope, pulled, j):
        member = state.members[j]
        lever = times(product(slope, member.pseudo), [*member.com, 1.0])
        return trace(product(slope, pulled)) - member.mass * dot([*state.gravity, 0.0], lever)

    patch.setattr(waters, "generalized_force", generalized_force)


@erratum("waters", turning, printed="`Wd_j = Wd_{j-1} A_j` (scan)", should="`W_j = W_{j-1} A_j`")
def hollerbach_8(patch):
    right = lagrange.rates

    def rates(W, Wd, Wdd, A, *rest):
        new, _, second, slope = right(W, Wd, Wdd, A, *rest)
        return new, product(Wd, A), second, slope

    patch.setattr(lagrange, "rates", rates)


@erratum(
    "waters", turning, printed="`Wdd_j = Wdd_{j-1} A_j + W_{j-1} dA_j qd_j` (scan)",
    should="`Wd_j = Wd_{j-1} A_j + W_{j-1} dA_j qd_j`",
)  # fmt: skip
def hollerbach_9(patch):
    right = lagrange.rates

    def rates(W, Wd, Wdd, A, dA, ddA, qd, qdd):
        new, first, _, slope = right(W, Wd, Wdd, A, dA, ddA, qd, qdd)
        return new, first, plus(product(Wdd, A), scaled(qd, slope)), slope

    patch.setattr(lagrange, "rates", rates)


def right_inertia(iW, J):
    return product(iW, J)


def right_lever(iW, _W, _J, r):
    return times(iW, r)


def sum_up(patch, method, inertia=right_inertia, lever=right_lever):
    """(11): F_i = sum_{j>=i} [tr(dW_i X Wdd_j^T) - m_j g^T dW_i x], right with X = iW_j J_j and x = iW_j j_r_j."""

    def term(state, dW, Wdd, member, W, iW):
        x = lever(iW, W, member.pseudo, [*member.com, 1.0])
        weight = member.mass * dot([*state.gravity, 0.0], times(dW, x))
        return trace(product(dW, inertia(iW, member.pseudo), transposed(Wdd))) - weight

    def generalized_forces(state):
        W, _, Wdd, dW = lagrange.all_rates(state)
        onward = uicker_kahn.cascades(state)
        n = len(state.members)
        return [
            sum(term(state, dW[i], Wdd[j], state.members[j], W[j], onward[i, j]) for j in range(i, n)) for i in range(n)
        ]

    patch.setitem(catalogue.ALL, method, catalogue.ALL[method]._replace(function=generalized_forces))


@erratum("uicker_kahn", turning, printed="`r_j`, by the paper's rule in base axes (scan)", should="`j_r_j`")
def hollerbach_4_r(patch):
    sum_up(patch, "uicker_kahn", lever=lambda iW, W, J, r: times(iW, times(W, r)))


@erratum(
    "hollerbach_4x4", turning, printed="`dW_j/dq_i = dW_i/dq_i J_j^T` (scan)", should="`dW_j/dq_i = dW_i/dq_i iW_j`"
)
def hollerbach_11_slope(patch):
    sum_up(
        patch, "hollerbach_4x4", lambda iW, J: product(transposed(J), J), lambda iW, W, J, r: times(transposed(J), r)
    )


@erratum(
    "hollerbach_4x4", turning, printed="`tr(dW_i/dq_i J_j Wdd_j^T) - m_j g^T dW_i/dq_i J_j r_j` (scan)",
    should="`tr(dW_i/dq_i iW_j J_j Wdd_j^T) - m_j g^T dW_i/dq_i iW_j j_r_j`",
)  # fmt: skip
def hollerbach_11(patch):
    sum_up(patch, "hollerbach_4x4", lambda iW, J: J, lambda iW, W, J, r: times(J, r))


@erratum("hollerbach_4x4", turning, printed="`D_i = sum_j J_j Wdd_j^T` (scan)", should="`D_i = sum_j iW_j J_j Wdd_j^T`")
def hollerbach_12(patch):
    sum_up(patch, "hollerbach_4x4", inertia=lambda iW, J: J)


@erratum("hollerbach_4x4", turning, printed="`c_i = sum_j m_j J_j r_j` (scan)", should="`c_i = sum_j m_j iW_j j_r_j`")
def hollerbach_13(patch):
    sum_up(patch, "hollerbach_4x4", lever=lambda iW, W, J, r: times(J, r))


# ---- Hollerbach 1980: Lagrangian, 3x3 ------------------------------------------------------------


@erratum("hollerbach_3x3", weightless, printed="`n_i = r*_i / m_i`", should="`n_i = m_i r*_i`")
def hollerbach_n(patch):
    change_members(patch, lambda member: member._replace(moment=[x / member.mass for x in member.com]))


def change_origins(patch, step):
    """(16): pdd_j = step(pdd_{j-1}, Wdd_{j-1}, p*_j)."""
    right = hollerbach_3x3.origin_accelerations

    def origin_accelerations(state, W, Wd, Wdd):
        pdd, out = ZERO, []
        for A, before in zip(state.frames.A, [ZERO, *Wdd[:-1]], strict=True):
            pdd = step(pdd, before, position(A))
            out.append(pdd)
        return out, right(state, W, Wd, Wdd)[1]

    patch.setattr(hollerbach_3x3, "origin_accelerations", origin_accelerations)


@erratum(
    "hollerbach_3x3", turning, printed="`pdd_j = pdd_{j-1} - Wdd_{j-1}^T p*_j` (sign and transpose perhaps the scan)",
    should="`pdd_j = pdd_{j-1} + d2/dt2 (W_{j-1} p*_j)`",
)  # fmt: skip
def hollerbach_16(patch):
    change_origins(patch, lambda pdd, Wdd, p: minus(pdd, times(transposed(Wdd), p)))


@erratum(
    "hollerbach_3x3", turning,
    printed="the same with sign and transpose corrected, `pdd_j = pdd_{j-1} + Wdd_{j-1} p*_j`",
    should="`p*_j` moves with `q_j` when seen from frame j-1, so it is differentiated too",
)  # fmt: skip
def hollerbach_16_corrected(patch):
    change_origins(patch, lambda pdd, Wdd, p: plus(pdd, times(Wdd, p)))


def without_offsets(patch):
    patch.setattr(hollerbach_3x3, "outboard_moment", lambda member, A, c, M, p: plus(member.moment, times(A, c)))


@erratum(
    "hollerbach_3x3", turning, printed="`c_i = m_i r*_i + A_{i+1} c_{i+1}`, the same as (13)",
    should="`c_i = m_i r*_i + A_{i+1} c_{i+1} + M_{i+1} ip_{i+1}`, `M_i` the mass from link i outwards",
)  # fmt: skip
def hollerbach_17_offsets(patch):
    without_offsets(patch)


@erratum(
    "hollerbach_3x3", mixed, printed="`m_j g^T W_j j_r_j` and its derivatives", should="`m_j g^T (p_j + W_j j_r_j)`"
)
def hollerbach_A6(patch):
    right = hollerbach_3x3.generalized_force
    without_offsets(patch)
    patch.setattr(
        hollerbach_3x3, "generalized_force", lambda dW, dp, D, e, c, M, gravity: right(dW, dp, D, e, c, 0.0, gravity)
    )


def without_own_origin(patch):
    def generalized_force(dW, dp, D, e, c, M, gravity):
        return trace(product(dW, D)) - dot(gravity, times(dW, c))

    patch.setattr(hollerbach_3x3, "generalized_force", generalized_force)


@erratum(
    "hollerbach_3x3", turning, printed="`dp_j/dq_i = dW_i/dq_i ip_j`",
    should="`dp_j/dq_i = dp_i/dq_i + dW_i/dq_i ip_j`; the first term vanishes only if origin i lies on axis i",
)  # fmt: skip
def hollerbach_B1(patch):
    without_own_origin(patch)


@erratum(
    "hollerbach_3x3", mixed, printed="`F_i = tr(dW_i D_i) - g^T dW_i c_i`, nothing at all for a prismatic joint",
    should="`F_i = tr(dW_i D_i) + e_i dp_i - g^T (dW_i c_i + M_i dp_i)`",
)  # fmt: skip
def hollerbach_17(patch):
    without_own_origin(patch)


# ---- Hollerbach 1980: Newton-Euler ---------------------------------------------------------------


@erratum("newton_euler_base", turning, printed="`rdd_i = ... + rdd_{i-1}`", should="`rdd_i = ... + pdd_i`")
def hollerbach_rdd(patch):
    rdd = []

    def mass_centre_acceleration(w, dw, r, pdd):
        rdd.append(plus(cross(w, cross(w, r)), cross(dw, r), rdd[-1] if rdd else pdd))
        return rdd[-1]

    patch.setattr(newton_euler_base, "mass_centre_acceleration", mass_centre_acceleration)


@erratum(
    "newton_euler_base", mixed, printed="`pdd_i` of a rotational joint only",
    should="`z qdd_i + 2 w_i x z qd_i` more if prismatic, with `w` and `dw` those of link i-1",
)  # fmt: skip
def hollerbach_prismatic_motion(patch):
    right = newton_euler_base.outward

    def outward(state, i, before):
        still = [0.0] * len(state.qd)
        return right(state._replace(qd=still, qdd=still) if state.members[i].prismatic else state, i, before)

    patch.setattr(newton_euler_base, "outward", outward)


@erratum(
    "newton_euler_base", mixed, printed="`tau_i = z_{i-1} . n_i` of a rotational joint only",
    should="`tau_i = z_{i-1} . f_i` if prismatic",
)  # fmt: skip
def hollerbach_prismatic_force(patch):
    right = newton_euler_base.inward

    def inward(state, links):
        return right(state._replace(members=[m._replace(prismatic=False) for m in state.members]), links)

    patch.setattr(newton_euler_base, "inward", inward)


# ---- Nasser --------------------------------------------------------------------------------------


def add_control_forces(patch, prismatic):
    """f_i^c + f_{i+1}^c where their difference belongs, for the links behind one kind of joint."""
    right = nasser.control_loads

    def control_loads(state, i, tau):
        total = right(state, i, tau)
        if state.members[i].prismatic != prismatic:
            return total
        own = 2.0 * tau[i] if prismatic else 0.0
        return [-total[0], -total[1], own - total[2], *total[3:]]

    patch.setattr(nasser, "control_loads", control_loads)


def turn_external_forces(patch):
    right = nasser.external_load

    def external_load(*arguments):
        load = right(*arguments)
        return [*negative(load[:3]), *load[3:]]

    patch.setattr(nasser, "external_load", external_load)


@erratum("nasser", mixed, printed="`- f_i^c - f_{i+1}^c`", should="`- f_i^c + f_{i+1}^c`, as in (2.1.7.6)")
def nasser_2_1_3_control(patch):
    add_control_forces(patch, prismatic=False)


@erratum("nasser", loaded_turning_link, printed="`+ F_i^E`", should="`- F_i^E`, as in (2.1.7.6)")
def nasser_2_1_3_external(patch):
    turn_external_forces(patch)


@erratum("nasser", mixed, printed="`beta'_i - f_i^c - f_{i+1}^c`", should="`beta'_i - f_i^c + f_{i+1}^c`")
def nasser_2_2_4_control(patch):
    add_control_forces(patch, prismatic=True)


@erratum("nasser", loaded_sliding_link, printed="`+ F_i^E`", should="`- F_i^E`")
def nasser_2_2_4_external(patch):
    turn_external_forces(patch)


def change_lower_row(patch, row):
    """The lower row of (2.2.4), less N^t, from beta', beta*', r* and f_i^c."""
    right, velocities = nasser.bias_forces, nasser.velocities

    def with_tau(state, tau):
        def bias_forces(state, i, before, after, r, J):
            both = right(state, i, before, after, r, J)
            if not state.members[i].prismatic:
                return both
            beta = both[:3]
            star = minus(both[3:], cross(r, beta))
            return [*beta, *row(beta, star, r, scaled(tau[i], nasser.Z_AXIS))]

        patch.setattr(nasser, "bias_forces", bias_forces)
        return velocities(state, tau)

    patch.setattr(nasser, "velocities", with_tau)


@erratum("nasser", mixed, printed="`beta'_i + ...` (perhaps the scan)", should="`beta*'_i + ...`")
def nasser_2_2_4_star(patch):
    change_lower_row(patch, lambda beta, star, r, f: plus(beta, cross(r, beta)))


@erratum(
    "nasser", mixed, printed="`f'_i x beta'_i` (scan; the only force with one index is `f_i^c`)",
    should="`r*_i x beta'_i`",
)  # fmt: skip
def nasser_2_2_4_lever(patch):
    change_lower_row(patch, lambda beta, star, r, f: plus(star, cross(f, beta)))


@erratum("nasser", mixed, printed="`- w_{i-1} x z thd_i` in the lower half", should="`+ w_{i-1} x z thd_i`")
def nasser_2_1_13_2(patch):
    right = nasser.hinge_drift
    patch.setattr(nasser, "hinge_drift", lambda before, rate: negative(right(before, rate)))


@erratum(
    "nasser", driven, printed="`m_i r* x (r* x z thd_i) - J_i z thd_i` (scan)",
    should="`m_i r* x (r* x z thdd_i) - J_i z thdd_i`",
)  # fmt: skip
def nasser_2_1_6(patch):
    """What stands before thd is known: it leaves the column of L for the right-hand side."""
    velocities, inbound, column = nasser.velocities, nasser.inbound, nasser.column

    def with_known(state, tau):
        links = velocities(state, tau)
        return [
            link if member.prismatic else link._replace(B=plus(link.B, [0.0] * 3 + scaled(qd, low(link.A))))
            for link, member, qd in zip(links, state.members, state.qd, strict=True)
        ]

    def low(A):
        return [row[5] for row in A[3:]]

    def without_unknown(state, links):
        own = [link.A for link in links]

        def column_of(A, z, armature):
            k, A_i = column(A, z, armature), own.pop()
            return k if z == 2 else minus(k, [0.0] * 3 + low(A_i))

        patch.setattr(nasser, "column", column_of)
        return inbound(state, links)

    patch.setattr(nasser, "velocities", with_known)
    patch.setattr(nasser, "inbound", without_unknown)


def plain_gamma(patch):
    right = nasser.gamma_G
    patch.setattr(nasser, "gamma_G", lambda hinge, z, armature, X: right(hinge, z, 0.0, X))


@erratum(
    "nasser", driven, printed="`gamma` is not defined; `I - Z Z^T` suggests itself",
    should="`gamma = I - (1 + J^a) Z Z^T`",
)  # fmt: skip
def nasser_gamma(patch):
    plain_gamma(patch)


@erratum(
    "nasser", driven, printed="`[U_N; 0] = A_N P^T (q + sigma + sigma*)`, the line before (2.1.14)",
    should="`[U_N; 0] = gamma G_N (A_N P^T (q + sigma + sigma*) + B_N)`, as (2.1.14) and (2.1.16) have it",
)  # fmt: skip
def nasser_before_2_1_14(patch):
    def passed_on(_hinge, _z, _armature, X):
        return X if isinstance(X[0], list) else [0.0 * x for x in X]

    patch.setattr(nasser, "gamma_G", passed_on)


def inbound_with(patch, place, name, function):
    """A function of a module or class, replaced during the inbound pass only."""
    right = nasser.inbound

    def inbound(state, links):
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(place, name, function)
            return right(state, links)

    patch.setattr(nasser, "inbound", inbound)


@erratum(
    "nasser", tree, printed="one `P_K` and one `R_{K-1,K}` for all branches",
    should="each branch its own `P`, `R` and `sigma*`",
)  # fmt: skip
def nasser_2_3_3(patch):
    inbound_with(patch, State, "start", lambda state, member: parts(state.frames.A[member.parent]))


@erratum("nasser", tree, printed="one `sigma*_{K,K-1}` for all branches", should="`sigma*` with the branch's own `P`")
def nasser_2_3_4(patch):
    right = nasser.drift
    inbound_with(patch, nasser, "drift", lambda state, i, link, P: right(state, i, link, position(state.frames.A[i])))


@erratum(
    "nasser", tree, printed="`L_K = S_K - A*_{K+1,K-1} Z Z^T`, one branch",
    should="`L_K = S_K - (sum_j A*^j_{K+1,K-1}) Z Z^T`",
)  # fmt: skip
def nasser_2_3_L(patch):
    inbound, column, carried_inertia = nasser.inbound, nasser.column, nasser.carried_inertia

    def inbound_of_one_branch(state, links):
        others = [ZERO] * len(links)  # what further branches pass on
        members = list(state.members)

        def column_of(A, z, armature):
            return column(minus(A, others[len(members) - 1]), z, armature)

        def carried(X, R, P):
            passed, member = carried_inertia(X, R, P), members.pop()
            if member.O is not ONE:
                others[member.parent] = plus(others[member.parent], passed)
            return passed

        patch.setattr(nasser, "column", column_of)
        patch.setattr(nasser, "carried_inertia", carried)
        return inbound(state, links)

    patch.setattr(nasser, "inbound", inbound_of_one_branch)


@erratum(
    "nasser", mixed, printed="`Z' = [0 0 1 0 0]^T` (perhaps the scan)", should="`Z' = [0 0 1 0 0 0]^T`", misfit=True
)
def nasser_2_2_7(patch):
    right = nasser.column

    def column(A, z, armature):
        return right(A, z, armature) if z == 5 else plus(times(A, [0.0, 0.0, 1.0, 0.0, 0.0]), [0.0, 0.0, armature])

    patch.setattr(nasser, "column", column)


@erratum("nasser", mixed, printed="no gravity", should="`- g` added to the acceleration of the base")
def nasser_gravity(patch):
    right = nasser.base_acceleration
    patch.setattr(
        nasser, "base_acceleration", lambda state, member: right(state._replace(gravity=[0.0, 0.0, 0.0]), member)
    )


# ---- tests ---------------------------------------------------------------------------------------


def evaluate(arm, method, verb):
    """On an arm made for this call: what is made for an arm stays with it, and would outlive a patch."""
    fresh = arm()
    return functions_of(fresh).get(verb, backend="numpy", method=method)(*random_states(fresh, 3, seed=4))


def error(found, want):
    return np.abs(found - want).max() / np.abs(want).max()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_printed(case, monkeypatch):
    """The right equation gives what the fast path gives, the printed one does not."""
    verb = "forward_dynamics" if case.method == "nasser" else "inverse_dynamics"
    want = evaluate(case.arm, None, verb)
    assert error(evaluate(case.arm, case.method, verb), want) < SAME
    case.apply(monkeypatch)
    if case.misfit:
        with pytest.raises(ValueError, match="zip"):
            evaluate(case.arm, case.method, verb)
    else:
        try:
            off = error(evaluate(case.arm, case.method, verb), want)
        except ls.SolveError:  # the accelerations do not give the torques back, which is noticed
            off = np.inf
        assert off > CLEARLY


def test_sums_of_11_are_right_when_nothing_is_changed(monkeypatch):
    """So it is the printed parts that are wrong, not how the cases sum them."""
    want = evaluate(mixed, None, "inverse_dynamics")
    sum_up(monkeypatch, "hollerbach_4x4")
    assert error(evaluate(mixed, "hollerbach_4x4", "inverse_dynamics"), want) < SAME


def test_printed_17_leaves_prismatic_joints_without_force(monkeypatch):
    without_own_origin(monkeypatch)
    tau = evaluate(mixed, "hollerbach_3x3", "inverse_dynamics")
    slides = [joint.kind == "prismatic" for joint in mixed().joints]
    assert np.array_equal(tau == 0, np.broadcast_to(slides, tau.shape))


def test_plain_gamma_is_right_while_only_the_root_has_actuator_inertia(monkeypatch):
    want = evaluate(driven_at_the_root, None, "forward_dynamics")
    plain_gamma(monkeypatch)
    assert error(evaluate(driven_at_the_root, "nasser", "forward_dynamics"), want) < SAME


def test_page_has_a_row_for_every_case():
    rows = re.findall(r"^\|[^|]+\| (.+) \| (.+) \| `tests/formulations/test_errata.py::test_printed\[(\w+)\]` \|$",
                      PAGE.read_text(encoding="utf-8"), re.MULTILINE)  # fmt: skip
    assert sorted((case.id, case.printed, case.should) for case in CASES) == sorted(
        (word, printed, should) for printed, should, word in rows
    )
