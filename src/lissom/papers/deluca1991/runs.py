"""Simulations of section VII, figures 5 to 10, with the paper's numbers: Runge-Kutta, 1 ms, 2 s."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.model.beam import Modes
from lissom.papers.claims import Claim, Drawing, judged, limited, undecidable
from lissom.papers.deluca1991.two_link_coefficients import TwoLink
from lissom.papers.deluca1991.two_links import (
    METHOD,
    STEP,
    SWITCH,
    TORQUE,
    UNTIL,
    Motion,
    arm_with,
    bang_bang,
    deflections,
    march,
    stiffness,
    tip,
)
from lissom.simulation.signals import Profile
from lissom.simulation.simulate import simulate
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import mass_matrix
from lissom.views.figures.panels import Curve, Panel

JOINTS, MODES = [0, 3], [1, 2, 4, 5]
LONG = 12.0  # of slow motion that two seconds do not tell from vibration [s]
REST = 6.0  # by then damping has ended all motion but that of the joints [s]


class Case(NamedTuple):
    """A figure: arm, initial coordinates and torque."""

    number: int
    words: str
    arm: Arm
    q: tuple[float, ...]
    torque: Callable[[float], Array] | None = None

    def run(self, until: float = UNTIL, dt: float = STEP) -> Motion:
        """The motion from rest."""
        return march(self.arm, np.array(self.q), np.zeros(6), self.torque, until, dt)


BANG_BANG = f"0.2 N m until {SWITCH:g} s, -0.2 N m until {2 * SWITCH:g} s"


def cases() -> list[Case]:
    """Figures 5 to 10; coordinates in the arm's order."""
    free, damped = arm_with(), arm_with(damped=True)
    outer, inner = (0.0, 0.0, 0.0, 0.0, 0.1, 0.002), (0.0, 0.1, 0.002, np.pi / 2, 0.0, 0.0)
    return [
        Case(5, "theta_2(0) = 0, delta_21(0) = 0.1, delta_22(0) = 0.002", free, outer),
        Case(6, "theta_2(0) = pi/2, delta_11(0) = 0.1, delta_12(0) = 0.002", free, inner),
        Case(7, "as figure 5, D = 0.1 sqrt(K)", damped, outer),
        Case(8, "as figure 6, D = 0.1 sqrt(K)", damped, inner),
        Case(9, BANG_BANG, free, (0.0,) * 6, bang_bang()),
        Case(10, f"{BANG_BANG}, D = 0.1 sqrt(K)", damped, (0.0,) * 6, bang_bang()),
    ]


def claims_and_drawings() -> tuple[list[Claim], list[Drawing]]:
    """All claims and figures of the simulations."""
    given = {case.number: case for case in cases()}
    motions = {number: case.run() for number, case in given.items()}
    claims = [
        _converged(given, motions),
        _coupling(motions),
        _drift(given[5], motions[5]),
        _limited(motions),
        _improved(motions),
        *(_bias(given[k]) for k in (7, 8)),
        *_bang_bang(given[9], motions),
        _two_modes(),
        _switches(),
        _offset(motions[9], motions[6]),
        _rotation(motions[9]),
    ]
    return claims, [_figure(given[k], motions[k]) for k in given]


def _converged(given: dict[int, Case], motions: dict[int, Motion]) -> Claim:
    away = {}
    for number, case in given.items():
        half = case.run(dt=STEP / 2)
        away[number] = 1e3 * np.abs(tip(case.arm, half.q[::2]) - tip(case.arm, motions[number].q)).max()
    listed = ", ".join(f"{number}: {x:.1g}" for number, x in away.items())
    return judged(
        "section VII",
        "fourth-order Runge-Kutta in steps of 1 ms for 2 s",
        f"half the step moves the tip by at most (mm, by figure) {listed}",
        max(away.values()) < 0.1,
        bar="half the step moves the tip by less than 0.1 mm",
    )


def _energy_share(motion: Motion, link: int) -> float:
    """Largest fraction of the initial energy that goes into bending of a link."""
    K = stiffness(arm_with())
    energy = 0.5 * K * motion.q**2
    return float(energy[:, 1 + 3 * link : 3 + 3 * link].sum(axis=1).max() / energy[0].sum())


def _peaks(motion: Motion) -> list[Array]:
    return [np.abs(d).max(axis=0) for d in motion.delta]


def _numbers(values: Array) -> str:
    return " and ".join(f"{x:.2g}" for x in values)


def _coupling(motions: dict[int, Motion]) -> Claim:
    """Claim about coupling: amplitudes relative to the initial deflection; figure 6 is the case without it."""
    share, (inner, outer) = _energy_share(motions[5], 0), _peaks(motions[5])
    other = _peaks(motions[6])
    return judged(
        "figures 5(a), (b)",
        "strong vibration coupling between the links",
        f"link 2 is deflected by delta_21 = {outer[0]:.2g}, and |delta_11| grows to {inner[0]:.2g} (figure 6, link 1 "
        f"deflected by {other[0][0]:.2g}: |delta_21| grows to {other[1][0]:.2g}); {100 * share:.0f} % of the energy "
        "goes into link 1",
        inner[0] > 0.5 * outer[0],
        bar="|delta_11| grows to more than half of the initial delta_21; the paper gives no measure of coupling",
    )


def _drift(case: Case, motion: Motion) -> Claim:
    """Claim about drift: means over whole seconds, which average out vibration, also by another model."""
    gap = motion.joints @ [-1.0, 1.0]
    half = len(gap) // 2
    means = gap[:half].mean(), gap[half:].mean()
    grown = means[1] / means[0] - 1
    run = simulate(case.arm, q0=case.q, until=UNTIL, method="rk8", dt=STEP, every=STEP)
    apart = np.asarray(run.q[:, JOINTS] @ [-1.0, 1.0])
    other = apart[half:].mean() / apart[:half].mean() - 1
    late = case.run(until=LONG).joints[-1] @ [-1.0, 1.0]
    return judged(
        "figures 5(c), (d)",
        "a slow relative drift of the joints",
        f"within the paper's 2 s: theta_2 - theta_1 is {means[0]:.4f} rad in the mean of the first second, "
        f"{means[1]:.4f} of the next, {means[1] - means[0]:.4f} rad or {100 * grown:.0f} % more (second-order model: "
        f"{100 * other:.0f} % more)",
        bool(grown > 0.05 and other > 0.05),
        f"no figure shows more than 2 s; in {LONG:g} s it grows to {late:.2f} rad, no longer slowly",
        "the mean of the second second is more than 5 % above that of the first, by both models",
    )


def _limited(motions: dict[int, Motion]) -> Claim:
    outer, inner = _peaks(motions[5])[1], _peaks(motions[6])[1]
    orders = np.log10(outer / inner)
    share = _energy_share(motions[6], 1)
    return judged(
        "figures 6(a), (b)",
        "transfer from upper arm to forearm is limited: two orders of magnitude on delta_2j",
        f"|delta_2j| up to {_numbers(inner)}, in figure 5 {_numbers(outer)}: {_numbers(orders)} orders of magnitude; "
        f"at most {100 * share:.2f} % of the energy bends link 2",
        bool((np.round(orders) >= 2).all()),
        bar="both are two orders of magnitude, rounded",
    )


def _improved(motions: dict[int, Motion]) -> Claim:
    """Claim about damping: vibration in the last half second, damped and undamped."""
    last = slice(-500, None)
    ratios = []
    for free, damped in ((5, 7), (6, 8)):
        swing = [np.abs(motions[k].q[last][:, MODES]).max(axis=0) for k in (free, damped)]
        ratios.append(float((swing[1] / swing[0]).max()))
    return judged(
        "figures 7, 8",
        "damping D_i = 0.1 sqrt(K_i) improves the motion of both cases uniformly",
        f"after 1.5 s no delta_ij of figure 7 exceeds {100 * ratios[0]:.1f} % of that in figure 5, figure 8: "
        f"{100 * ratios[1]:.1f} % of figure 6 (damping ratio {0.05 / np.sqrt(0.1):.3f})",
        max(ratios) < 0.2,
        bar="less than 20 % of the undamped vibration is left after 1.5 s, in both cases",
    )


def _bias(case: Case) -> Claim:
    """Claim about the final joint positions, compared with momentum conservation of small motion."""
    motion = case.run(until=REST)
    moved = motion.joints[-1] - motion.joints[0]
    B = mass_matrix(case.arm, np.where(np.isin(range(6), JOINTS), case.q, 0.0), method=METHOD)
    want = np.linalg.solve(B[np.ix_(JOINTS, JOINTS)], B[np.ix_(JOINTS, MODES)] @ np.array(case.q)[MODES])
    left = np.abs(motion.q[-1, MODES]).max()
    return judged(
        f"figure {case.number}",
        f"the initial displacement of link {9 - case.number} leaves a net bias in the final position",
        f"joints at rest after {REST:g} s have moved by {moved[0]:.4f} and {moved[1]:.4f} rad (largest |delta| left "
        f"{left:.0e}); momentum of small motion predicts {want[0]:.4f} and {want[1]:.4f}",
        bool(np.abs(moved).max() > 1e-2 and np.abs(moved - want).max() < 0.1 * np.abs(want).max()),
        bar="a joint has moved by more than 0.01 rad, both within 10 % of the prediction",
    )


def _bang_bang(case: Case, motions: dict[int, Motion]) -> list[Claim]:
    """Claims about figures 9 and 10; coupling by what a torque at joint 1 alone does to link 2."""
    free, damped = motions[9], motions[10]
    peaks = [np.abs(deflections(arm_with(), m.q)[0]).max(axis=0) * 1e3 for m in (free, damped)]
    after = [m.q[m.t > 2 * SWITCH] for m in (free, damped)]
    swing = [np.ptp(q[:, JOINTS], axis=0) for q in after]
    big = [_peaks(m)[0][0] for m in (free, damped)]
    drive = bang_bang()
    alone = case._replace(torque=lambda t: drive(t) * [1, 1, 1, 0, 1, 1]).run()
    carried = float(np.abs(deflections(arm_with(), alone.q)[0][:, 1]).max() * 1e3)
    return [
        judged(
            "figure 9",
            "bang-bang torque induces large and coupled vibrations of both links",
            f"ends of the links bend by up to {peaks[0][0]:.0f} and {peaks[0][1]:.0f} mm; after the torque the joints "
            f"swing by {swing[0][0]:.2f} and {swing[0][1]:.2f} rad. With the torque at joint 1 alone link 2 bends by "
            f"up to {carried:.0f} mm",
            bool(peaks[0].min() > 10 and carried > 0.2 * peaks[0][1]),
            bar="both ends bend by more than 10 mm, 2 % of the length; the torque at joint 1 alone bends link 2 by "
            "more than a fifth of that",
        ),
        judged(
            "figure 10",
            "smoothed down by damping",
            f"ends bend by up to {peaks[1][0]:.0f} and {peaks[1][1]:.0f} mm (|delta_11| {big[1]:.2f} instead of "
            f"{big[0]:.2f}); after the torque the joints swing by {swing[1][0]:.3f} and {swing[1][1]:.3f} rad",
            bool((peaks[1] < 0.6 * peaks[0]).all()),
            bar="both ends bend by less than 60 %",
        ),
    ]


def _switches() -> Claim:
    ours = (
        f"+0.2 N m at both joints until {SWITCH:g} s, -0.2 N m until {2 * SWITCH:g} s, then none: close to a motion "
        "from rest to rest, within which B stays positive definite"
    )
    return undecidable("figures 9, 10", "symmetric bang-bang of 0.2 N m", ours, "the switch times are not given")


def _two_modes() -> Claim:
    """The bang-bang motion with one to four shapes per link, to second order, whose inertia stays positive definite."""
    tau = Profile([0.0, SWITCH, 2 * SWITCH], np.outer([TORQUE, -TORQUE, 0.0], [1.0, 1.0]), "hold")
    paths = {}
    for count in (1, 2, 4):
        links = [x.replace(beam=x.beam.replace(modes=Modes(count))) for x in arm_with().links if x.beam is not None]
        arm = arm_with().replace(links=links)
        paths[count] = simulate(arm, tau=tau, until=UNTIL, method="rk8", dt=STEP / 4, every=10 * STEP).tip[:, :2]
    one, two = (1e3 * float(np.linalg.norm(paths[k] - paths[4], axis=1).max()) for k in (1, 2))
    return judged(
        "section VI",
        "two modes per link are sufficient for the relevant flexibility issues",
        f"figure 9 by the second-order model, tip beside that with four modes per link: two modes are at most "
        f"{two:.2g} mm away, one mode {one:.2g} mm",
        two < 2.0,
        "steps of torque excite more than the limited bandwidth that the paper assumes",
        "two modes are less than 2 mm away, 0.2 % of the arm",
    )


def _offset(motion: Motion, right: Motion) -> Claim:
    """Both terms of (28) in figure 9, and in figure 6, which begins at a right angle."""
    p = TwoLink.of(arm_with())
    square = np.abs((right.q[:, 4:6] @ np.array(p.V)) * np.sin(right.q[:, 3]))
    over = square > 0.1 * np.abs(p.far * np.cos(right.q[:, 3]))
    first = np.abs(p.far * np.cos(motion.q[:, 3])).min()
    second = np.abs((motion.q[:, 4:6] @ np.array(p.V)) * np.sin(motion.q[:, 3])).max()
    gap = np.degrees(np.arcsin(min(1.0, 10 * second / p.far)))
    return limited(
        "section VI, (28)",
        "the deflection term of (MD)_1 is an order of magnitude smaller than the other",
        f"in figure 9 at most {second:.2g} kg m beside at least {first:.2g} kg m: a factor of {first / second:.0f}. "
        f"The other, {p.far:g} cos(theta_2), vanishes at a right angle: in figure 6, which begins there, the factor is "
        f"below 10 in {100 * over.mean():.0f} % of the time",
        bool(first / second > 10 and over.any()),
        f"not within {gap:.0f} degrees of theta_2 = +-pi/2, with deflections as in figure 9",
        "the paper says itself that the deflection term alone is left there",
    )


def _rotation(motion: Motion) -> Claim:
    """Claim about (12a), with the slope at the end of link 1."""
    slope = np.abs(deflections(arm_with(), motion.q)[1][:, 0]).max()
    return limited(
        "(12a)",
        "E_i^T E_i = I",
        f"it is (1 + y'^2) I: in figure 9 y'_1e reaches {slope:.3f}, and E_1^T E_1 = {1 + slope**2:.3f} I",
        slope**2 > 1e-3,
        f"small slopes: right to 0.1 % up to {np.sqrt(1e-3):.3f}, {100 * slope**2:.0f} % off in figure 9",
        "an approximation, not an identity",
    )


def _figure(case: Case, motion: Motion) -> Drawing:
    t, at, n = motion.t, tip(case.arm, motion.q), case.number
    panels = []
    for link, delta in enumerate(motion.delta):
        # the second mode is small beside the first one
        scale = _scale(delta)
        label = f"{scale:g} x delta_{link + 1}2" if scale > 1 else f"delta_{link + 1}2"
        curves = (Curve(f"delta_{link + 1}1", t, delta[:, 0]), Curve(label, t, scale * delta[:, 1]))
        panels.append(Panel(f"{n}({'ab'[link]}) deflections of link {link + 1}", "time [s]", "delta [m]", curves))
    joints = motion.joints - motion.joints[0]
    panels.append(Panel(f"{n}(c) joints, from their start", "time [s]", "angle [rad]",
                        (Curve("theta_1", t, joints[:, 0]), Curve("theta_2", t, joints[:, 1])),
                        range=_roomy(joints)))  # fmt: skip
    start = at[0] if n < 9 else np.zeros(2)
    panels.append(Panel(f"{n}(d) tip" + (", from its start" if n < 9 else ""), "time [s]", "position [m]",
                        (Curve("x", t, at[:, 0] - start[0]), Curve("y", t, at[:, 1] - start[1]))))  # fmt: skip
    return Drawing(f"figure_{n:02d}", f"Figure {n} by the closed form: {case.words}", tuple(panels))


def _roomy(joints: Array) -> tuple[float, float]:
    """Limits of y that leave the upper third to the legend."""
    low, high = float(joints.min()), float(joints.max())
    return low - 0.05 * (high - low), high + 0.5 * (high - low)


def _scale(delta: Array) -> float:
    one, two = np.abs(delta).max(axis=0)
    return float(10 ** max(0, np.floor(np.log10(one / two)))) if two > 0 else 1.0
