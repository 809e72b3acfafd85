"""Sections 4.3 and 5: sensitivities against the closed form, by control points, by knots, and the search on them."""

from __future__ import annotations

import numpy as np

from lissom.motion.result.motion import Motion
from lissom.papers.claims import ROUNDING, Claim, Tolerance, as_corrected, judged
from lissom.papers.xiang2008 import sqp
from lissom.papers.xiang2008.closed_form import TABLE_1, gradient, torques, two_link_arm
from lissom.papers.xiang2008.tasks import EXAMPLE_1, EXAMPLE_2, U, weightless_arm
from lissom.spatial.rotations import Array
from lissom.verbs.sensitivity import inverse_dynamics_gradient

STEP = 1e-5  # of differences
CORRECTION = "(23) and (26), which give the sensitivities by q, qd and qdd, end in dT_i/dq_i"
STEPS = (1e-14, 1e-8, 1e-3)  # of the differences that a search is tried on: too small, right, too wide


def claims(motion: Motion) -> list[Claim]:
    """Claims about the sensitivities of example 2 and about the searches on them."""
    return [_closed_form(motion), _control_points(motion), _knots(motion), *_searches(motion), _accuracy()]


def both(motion: Motion) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """The three matrices along a motion by the recursion, and by the closed form."""
    state = motion.q, motion.qd, motion.qdd
    return tuple(inverse_dynamics_gradient(motion.arm, *state, method=sqp.METHOD)), tuple(gradient(TABLE_1, *state))


def _closed_form(motion: Motion) -> Claim:
    ours, want = both(motion)
    apart = max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(ours, want, strict=True))
    return as_corrected(
        "Fig. 14",
        "sensitivities by recursion match those of the closed form closely at the optimum of example 2",
        f"largest difference {apart:.1e}, relative, of all twelve along the motion (recursion: method='xiang')",
        apart, ROUNDING, "(23) and (26) end in dT_i/dq_i; (75) and (76) are derivatives by accelerations",
    )  # fmt: skip


# ---- (41) and (42) -----------------------------------------------------------------------------------------


def _control_points(motion: Motion) -> Claim:
    """(41) against central differences of the closed form (69), (70)."""
    found = motion.sensitivity(method=sqp.METHOD)
    P, want = motion.control_points, np.zeros_like(found.control_points)
    for k in np.ndindex(*P.shape):
        moved = [P.copy(), P.copy()]
        moved[0][k] += STEP
        moved[1][k] -= STEP
        ahead, behind = (torques(TABLE_1, *_states(motion, Q, motion.duration)) for Q in moved)
        want[:, :, k[0], k[1]] = (ahead - behind) / (2 * STEP)
    apart = float(np.abs(found.control_points - want).max() / np.abs(want).max())
    return as_corrected(
        "(41)",
        "derivatives of the torques by the control points follow from the chain rule",
        f"motion.sensitivity(method='xiang'), {want.size:,} numbers along example 2, against differences of "
        f"(69), (70): {apart:.1e} of the largest",
        apart, Tolerance(1e-7, f"central differences with a step of {STEP:g}"), CORRECTION,
    )  # fmt: skip


def _states(motion: Motion, P: Array, T: float) -> list[Array]:
    s = motion.t / motion.duration
    return [motion.basis.rows(s, r) @ P / T**r for r in range(3)]


def _knots(motion: Motion) -> Claim:
    """(42), knot by knot, at fixed times; moved in proportion they give the derivative by the duration."""
    s = (motion.t / motion.duration)[3::10]  # not at knots, where moving one changes the piece
    T, knots, P = motion.duration, motion.basis.knots, motion.control_points
    q, qd, qdd, jerk = _profile(s * T, knots * T, P)
    slopes = inverse_dynamics_gradient(motion.arm, q, qd, qdd, method=sqp.METHOD)

    def by(change: tuple[Array, Array, Array]) -> Array:
        """The torques' change with that of q, qd, qdd."""
        return np.asarray(sum((D @ x[..., None])[..., 0] for D, x in zip(slopes, change, strict=True)))

    total, count = by((qd, qdd, jerk)) * (s * T)[:, None], 0
    for value in np.unique(knots)[1:]:
        h = 1e-20
        moved = knots * T + np.where(knots == value, 1j * h, 0)
        parts = _profile(s * T, moved, P)
        total = total + value * T * by(tuple(x.imag / h for x in parts[:3]))  # type: ignore[arg-type]
        count += 1
    want = motion.sensitivity(s * T).duration * T
    apart = float(np.abs(total - want).max() / np.abs(want).max())
    return as_corrected(
        "(42)",
        "derivatives of the torques by the knots follow from the chain rule",
        f"all {count} knots one by one, complex steps in the basis functions; moved in proportion they give the "
        f"derivative by the duration to {apart:.1e}, relative (example 2, {len(s)} times)",
        apart, ROUNDING, CORRECTION,
        "an optimisation with equal segments needs the derivative by the duration only: motion.sensitivity().duration",
    )  # fmt: skip


def _profile(t: Array, knots: Array, P: Array, degree: int = 3) -> list[Array]:
    """Position and three derivatives (nt, n) at times t; knots may be complex. By Cox and de Boor."""
    out = []
    for r in range(4):
        B = _basis(t, knots, degree, r)
        out.append(B @ P)
    return out


def _basis(t: Array, knots: Array, d: int, r: int) -> Array:
    """(nt, count) derivative r of the functions of degree d."""
    if d == 0:
        at = t[:, None] * np.ones(len(knots) - 1)
        here = (at >= knots.real[:-1]) & (at < knots.real[1:])
        return here.astype(knots.dtype) * (r == 0)
    lower = _basis(t, knots, d - 1, max(r - 1, 0))
    out = np.zeros((len(t), len(knots) - 1 - d), knots.dtype)
    for j in range(out.shape[1]):
        for k, side in ((j, 1.0), (j + 1, -1.0)):
            gap = knots[k + d] - knots[k]
            if gap.real > 0:
                away = t - knots[j] if side > 0 else knots[j + d + 1] - t
                out[:, j] += lower[:, k] * (side * d / gap if r else away / gap)
    return out


# ---- the search on them --------------------------------------------------------------------------------------


def _searches(second: Motion) -> list[Claim]:
    """The paper's own optimisation, beside ours and beside differences."""
    out = []
    for k, arm, task, u in ((1, weightless_arm(), EXAMPLE_1, 0.0), (2, two_link_arm(), EXAMPLE_2, U)):
        own = sqp.solve(sqp.SplineProgram(arm, task, u))
        plain = sqp.solve(sqp.SplineProgram(arm, task, u), 1e-8)
        cost = second.cost if k == 2 else sqp.solve(sqp.SplineProgram(arm, task, u, method=None)).cost
        apart, beside = abs(own.cost / cost - 1), "predict_motion" if k == 2 else "the fast path"
        out.append(as_corrected(
            "sections 1, 6.1",
            f"the sensitivities serve an SQP method to find the optimum (example {k})",
            f"SLSQP on the gradients of method='xiang': T = {own.duration:.5f} s, cost {own.cost:.6f}, {apart:.0e} "
            f"from that of {beside}; {own.iterations} iterations, {own.torques} evaluations of all torques and "
            f"{own.gradients} of their gradients, {own.seconds:.1f} s CPU. On differences: T = {plain.duration:.5f} s, "
            f"{plain.iterations} iterations, {plain.torques} evaluations of all torques",
            apart, Tolerance(1e-5, "ten times the optimality tolerance of the paper, 1e-6"), CORRECTION,
        ))  # fmt: skip
    return out


def _accuracy() -> Claim:
    """Example 2 by differences of several steps."""

    def run(step: float | None) -> sqp.Solution:
        return sqp.solve(sqp.SplineProgram(two_link_arm(), EXAMPLE_2, U), step)

    exact, (tiny, right, wide) = run(None), [run(step) for step in STEPS]
    listed = "; ".join(
        f"step {step:g}: {x.iterations} iterations, cost {x.cost:.5f}"
        for step, x in zip(STEPS, (tiny, right, wide), strict=True)
    )
    off = [x.cost / exact.cost - 1 for x in (tiny, right, wide)]
    return judged(
        "section 1",
        "accuracy of the derivatives can affect the convergence of the optimisation",
        f"example 2 on forward differences: {listed}; on the analytic gradients: {exact.iterations} iterations, cost "
        f"{exact.cost:.5f}",
        abs(off[1]) < 1e-6 and off[0] > 1e-3 and tiny.iterations > 2 * exact.iterations and off[2] > 1e-2,
        "rounding spoils small steps, curvature wide ones; the step of 1e-8 is harmless",
        "the small step costs over twice the iterations and 0.1 % of the optimum, the wide one 1 %, the right one none",
    )
