"""Reproduction of Xiang, Arora and Abdel-Malek 2008: both examples of motion prediction."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline

from lissom.model.arm import Arm
from lissom.motion.public import predict_motion
from lissom.motion.result.motion import Motion
from lissom.motion.solve.ipopt import Ipopt
from lissom.motion.splines.basis import Basis
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.task import Task
from lissom.motion.transcription.problem import Problem
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.rows import Block
from lissom.papers.claims import Claim, Drawing, Reproduction, judged, undecidable
from lissom.papers.xiang2008_bang_bang import BangBang, rates, read_off, shot
from lissom.papers.xiang2008_closed_form import TABLE_1, TORQUE, TwoLink, gradient, two_link_arm
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.kinematics import poses
from lissom.verbs.sensitivity import inverse_dynamics_gradient
from lissom.views.figures.palette import COLOURS
from lissom.views.figures.panels import Curve, Panel

TITLE = (
    "Optimization-based motion prediction of mechanical systems: sensitivity analysis "
    "(Xiang, Arora and Abdel-Malek 2008)"
)
U = 0.01  # of (67)
EXAMPLE_1 = Task(start=(0.0, -2.0), goal=(1.0, -1.0), segments=20)  # (66)
EXAMPLE_2 = Task(
    start=(1.32, -2.37), goal=(2.80, -2.37), minimise={"time": 1 - U, "torque_squared": U}, segments=20
)  # (68)
WEIGHTLESS: TwoLink = TABLE_1._replace(g=0.0, f=0.0)
PRINTED = {1: 0.3934, 2: 0.520}  # T [s]
PRINTED_CPU = {1: 1.07, 2: 2.44}  # seconds at 1.4 GHz
STARTS = 25
FINEST = 160


def weightless_arm() -> Arm:
    """The arm of example 1: neither gravity nor load."""
    return two_link_arm(WEIGHTLESS)


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True) -> Reproduction:
    """Check every claim of section 6; those about time only when `timed`. Takes about 15 seconds."""
    tell = progress or (lambda _words: None)
    tell("example 1")
    first = predict_motion(weightless_arm(), EXAMPLE_1, starts=STARTS)
    tell("example 2")
    second = predict_motion(two_link_arm(), EXAMPLE_2, starts=STARTS)
    tell("shortest time")
    law, ladder = bang_bang(), finer_and_finer()
    tell("where limits hold")
    places = where_limits_hold()
    claims = [
        *_examples(first, second), *_starts(first, second), _control_points(), _limits(places), *_shortest(law, ladder),
        *_played(first, second), _sensitivities(second),
    ]  # fmt: skip
    claims += [_time(1, first), _time(2, second)] if timed else []
    drawings = (*_figures(1, first), *_figures(2, second), _history(first), _slopes(second), _law(law, ladder))
    return Reproduction("xiang2008", TITLE, tuple(claims), (*drawings, _between(places)))


# ---- the examples ----------------------------------------------------------------------------------------


def _examples(first: Motion, second: Motion) -> list[Claim]:
    torque = [max(peak.utilisation for peak in m.report.peaks if peak.quantity == "torque") for m in (first, second)]
    return [
        judged(
            "section 6.3",
            "example 1: the minimum travel time is T = 0.3934 s (0.3945 s by Furukawa, 0.394 s by Wang et al.)",
            f"T = {first.duration:.4f} s on 20 segments, torque at most {TORQUE * torque[0]:.3f} N m at all times",
            0.3918 < first.duration < 0.3935,
        ),
        judged(
            "section 6.4",
            "example 2: the optimal travel time is T = 0.520 s",
            f"T = {second.duration:.4f} s, cost (67) {second.cost:.4f}, which the paper does not print; torque at most "
            f"{TORQUE * torque[1]:.3f} N m at all times",
            0.5187 < second.duration < 0.5204,
        ),
    ]


def _starts(first: Motion, second: Motion) -> list[Claim]:
    out = []
    for k, motion in ((1, first), (2, second)):
        table = motion.report.starts
        same = [row for row in table if row["same"]]
        spread = max(row["cost"] for row in same) / min(row["cost"] for row in same) - 1
        others = ", ".join(
            f"start {row['start']}: {row['cost']:.5g}, {row['status']}" for row in table if row not in same
        )
        out.append(judged(
            "section 6.3",
            f"different starting points all converge to the same solution (example {k})",
            f"{len(same)} of {len(table)} starts, one straight, the rest random, end within {spread:.0e} of the "
            f"same cost" + (f"; others: {others}" if others else ""),
            len(same) == len(table),
            "" if not others else "the table names those that end elsewhere",
        ))  # fmt: skip
    return out


def _control_points() -> Claim:
    count = Basis(20).count
    return judged(
        "section 6.1",
        "22 control points per joint on 20 segments",
        f"a cubic spline on 20 segments has {count}; 22 are those of {Basis(19).segments} segments",
        count == 22,
        "of the 23, four follow from the ends, so 19 per joint are free",
    )


def _time(k: int, motion: Motion) -> Claim:
    seconds = motion.report.seconds["solve"]
    return judged(
        f"section 6.{k + 2}",
        f"example {k}: solved in {PRINTED_CPU[k]} s on a 1.4 GHz computer",
        f"{1e3 * seconds:.0f} ms here, {len(motion.report.iterations) - 1} iterations, of the best start",
        seconds < PRINTED_CPU[k],
    )


# ---- where torque limits hold ----------------------------------------------------------------------------


class Enforced(NamedTuple):
    """Example 1 with torque limits at some samples only: its duration, and torques (nt, 2) over t between them."""

    where: str
    duration: float
    t: Array
    tau: Array

    @property
    def excess(self) -> float:
        """Largest torque relative to its limit, minus 1."""
        return float(np.abs(self.tau).max() / TORQUE - 1)


def where_limits_hold() -> list[Enforced]:
    """Example 1 with torque limits enforced at four choices of samples; the paper does not state which."""
    breaks = Basis(20).breaks
    half = (breaks[1:] + breaks[:-1]) / 2
    choices = {
        "interior knots": breaks[1:-1], "midpoints": half, "knots": breaks,
        "knots and midpoints": np.append(breaks, half),
    }  # fmt: skip
    return [_enforced(where, at) for where, at in choices.items()]


def _enforced(where: str, at: Array) -> Enforced:
    problem = Problem(weightless_arm(), EXAMPLE_1)
    basis = Basis(20)
    whole = problem.program(Mesh(basis), np.zeros(0))
    block = whole.blocks[0].block
    keep = np.array([np.abs(at - name[2]).min() < 1e-9 for name in block.names])
    some = Block(
        block.sample, block.s, block.weights, block.combine[keep], block.lower[keep], block.upper[keep],
        [name for name, kept in zip(block.names, keep, strict=True) if kept], block.data,
    )  # fmt: skip
    program = Program(whole.curves, [some], [], whole.low, whole.high)
    found = Ipopt(program, tolerance=1e-8, iterations=500)(problem.guess.variables(program.curves))
    curves, s = program.curves, np.linspace(0.0, 1.0, 2001)
    q, qd, qdd = curves.at(found.x, s)
    T = curves.T(found.x)
    return Enforced(where, T, s * T, inverse_dynamics(problem.arm, q, qd, qdd))


def _limits(places: list[Enforced]) -> Claim:
    listed = "; ".join(f"{p.where}: T = {p.duration:.4f} s, exceeded by {100 * p.excess:.2g} %" for p in places)
    return undecidable(
        "(66)",
        "torques stay within 10 N m; the paper does not state where along the motion this is enforced",
        listed,
        "with limits at interior knots only, T falls to its lower bound; at midpoints only, the optimum is false; at "
        "knots only, T is too small; at knots and midpoints, torques stay within 0.1 % at all times",
    )


# ---- the shortest time -----------------------------------------------------------------------------------


def bang_bang() -> BangBang:
    """The time-optimal law, its structure read off a motion on a fine mesh."""
    fine = predict_motion(weightless_arm(), EXAMPLE_1, segments=80)
    return shot(WEIGHTLESS, read_off(fine.t, fine.tau), np.array(EXAMPLE_1.start), np.array(EXAMPLE_1.goal))


def finer_and_finer() -> list[Motion]:
    """Example 1 on 10 to 160 segments."""
    arm = weightless_arm()
    return [predict_motion(arm, EXAMPLE_1, segments=k) for k in (10, 20, 40, 80, FINEST)]


def _shortest(law: BangBang, ladder: list[Motion]) -> list[Claim]:
    over = [motion.duration / law.duration - 1 for motion in ladder]
    listed = ", ".join(f"{len(m.breaks) - 1}: {100 * x:.3f} %" for m, x in zip(ladder, over, strict=True))
    at_limit = float(np.mean(np.abs(ladder[-1].tau).max(axis=1) > 0.99 * TORQUE))
    return [
        judged(
            "section 6.3",
            "T = 0.3934 s is the shortest time",
            f"the bang-bang law takes {law.duration:.6f} s, switches at "
            f"{', '.join(f'{x:.4f}' for x in law.times[1:-1])} s; the printed time is "
            f"{100 * (PRINTED[1] / law.duration - 1):.2f} % above",
            PRINTED[1] <= law.duration * (1 + 1e-4),
            "a smooth spline cannot switch; its best times are "
            + ", ".join(f"{m.duration:.4f} s on {len(m.breaks) - 1} segments" for m in ladder[1:3]),
        ),
        judged(
            "section 6.3",
            "the literature's time-optimal answers are bang-bang; splines come near",
            f"above the bang-bang time, by segments: {listed}; a torque is within 1 % of a limit "
            f"{100 * at_limit:.0f} % of the time at {FINEST}",
            0 <= over[-1] < 3e-4 and bool(np.all(np.diff(over) < 0)),
        ),
    ]


# ---- verification ----------------------------------------------------------------------------------------


def played(motion: Motion, p: TwoLink) -> tuple[Array, Array]:
    """Times and errors (nt, 2) when (69), (70) are simulated under the torques, segment by segment."""
    T, n = motion.duration, motion.arm.dof
    spline = BSpline(motion.basis.knots * T, motion.control_points, motion.degree)
    rate, acceleration = spline.derivative(1), spline.derivative(2)

    def slope(t: float, z: Array) -> Array:
        tau = inverse_dynamics(motion.arm, spline(t), rate(t), acceleration(t))
        return rates(t, z, p, tau)

    z, times, errors = np.concatenate([motion.q[0], motion.qd[0]]), [0.0], [np.zeros(n)]
    for a, b in pairwise(motion.breaks * T):
        z = solve_ivp(slope, (a, np.nextafter(b, a)), z, "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
        times.append(b)
        errors.append(z[:n] - spline(np.nextafter(b, a)))
    return np.array(times), np.array(errors)


def _played(first: Motion, second: Motion) -> list[Claim]:
    out = []
    for k, motion, p in ((1, first, WEIGHTLESS), (2, second, TABLE_1)):
        worst = float(np.abs(played(motion, p)[1]).max())
        out.append(judged(
            "section 6.4",
            f"torques put into another program (ADAMS) give the same motion (example {k}; the paper: example 2)",
            f"(69), (70) integrated under these torques, DOP853: joints within {worst:.1e} rad at all knots",
            worst < 1e-6,
        ))  # fmt: skip
    return out


def _sensitivities(motion: Motion) -> Claim:
    ours, want = _both(motion)
    apart = max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(ours, want, strict=True))
    return judged(
        "Fig. 14",
        "sensitivities by recursion match those of the closed form closely at the optimum of example 2",
        f"largest difference {apart:.1e}, relative, of all twelve along the motion (recursion: method='xiang')",
        apart < 1e-10,
    )


def _both(motion: Motion) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    state = motion.q, motion.qd, motion.qdd
    return tuple(inverse_dynamics_gradient(motion.arm, *state, method="xiang")), tuple(gradient(TABLE_1, *state))


# ---- figures ---------------------------------------------------------------------------------------------


def _figures(k: int, motion: Motion) -> list[Drawing]:
    """Draw figures 7-9 of example 1, 11-13 of example 2."""
    number = {1: (7, 8, 9), 2: (11, 12, 13)}[k]
    curves = {"angle [rad]": motion.q, "torque [N m]": motion.tau}
    panels = [
        Panel(f"Fig. {n}: {word.split()[0]}s", "time [s]", word,
              tuple(Curve(f"joint {j + 1}", motion.t, table[:, j]) for j in range(2)))
        for n, (word, table) in zip(number, curves.items(), strict=False)
    ]  # fmt: skip
    some = np.linspace(0, len(motion.t) - 1, 11).astype(int)
    places = poses(motion.arm, motion.q[some])[..., :2, 3]
    elbow, tip = places[:, 0], places[:, 1]
    shades = [str(round(0.85 * (1 - j / (len(some) - 1)), 3)) for j in range(len(some))]  # from light to black
    sticks = tuple(
        Curve({0: "start", len(some) - 1: "end"}.get(j, ""), [0.0, a[0], b[0]], [0.0, a[1], b[1]], "o-", shades[j])
        for j, (a, b) in enumerate(zip(elbow, tip, strict=True))
    )
    panels.append(Panel(f"Fig. {number[2]}: motion", "x [m]", "y [m]", sticks))
    caption = f"Example {k}: T = {motion.duration:.4f} s"
    return [Drawing(f"figures_{number[0]}_{number[2]}", caption, tuple(panels), 3)]


def _history(motion: Motion) -> Drawing:
    log = motion.report.iterations
    steps = [step.number for step in log]
    return Drawing("figure_10", "Example 1: iterations", (
        Panel("Fig. 10: cost", "iteration", "T [s]", (Curve("", steps, [step.cost for step in log], "o-"),)),
        Panel("distance from feasible and optimal", "iteration", "", (
            Curve("largest violation [N m]", steps, [max(step.violation, 1e-16) for step in log]),
            Curve("optimality", steps, [max(step.optimality, 1e-16) for step in log]),
        ), ("linear", "log")),
    ))  # fmt: skip


def _slopes(motion: Motion) -> Drawing:
    ours, want = _both(motion)
    quantities = {"q": ("positions", "N m/rad"), "qd": ("rates", "N m s/rad"), "qdd": ("accelerations", "N m s^2/rad")}
    pairs = [(i, j) for i in range(2) for j in range(2)]
    panels = []
    for (word, (name, unit)), a, b in zip(quantities.items(), ours, want, strict=True):
        curves = []
        for k, ((i, j), colour) in enumerate(zip(pairs, COLOURS, strict=False)):  # of its line and its dots
            same = i > j and np.allclose(b[:, i, j], b[:, j, i])  # the mass matrix is symmetric: both must be seen
            curves.append(Curve(f"d tau{i + 1} / d {word}{j + 1}", motion.t, b[:, i, j], "--" if same else "-", colour))
            curves.append(Curve("", motion.t[2 * k :: 8], a[2 * k :: 8, i, j], "o", colour))
        panels.append(Panel(f"Fig. 14: by {name}", "time [s]", f"sensitivity of the torques [{unit}]", tuple(curves)))
    return Drawing("figure_14", "Sensitivities of example 2: closed form (lines), recursion (dots)", tuple(panels), 3)


def _law(law: BangBang, ladder: list[Motion]) -> Drawing:
    panels = []
    for j in range(2):
        steps = np.repeat(law.times, 2)[1:-1], np.repeat(TORQUE * law.signs[:, j], 2)
        curves = [Curve("bang-bang", *steps, "--")]
        curves += [Curve(f"{len(m.breaks) - 1} segments", m.t, m.tau[:, j]) for m in (ladder[1], ladder[-1])]
        panels.append(Panel(f"torque of joint {j + 1}", "time [s]", "[N m]", tuple(curves)))
    sizes = [len(m.breaks) - 1 for m in ladder]
    over = [100 * (m.duration / law.duration - 1) for m in ladder]
    panels.append(Panel("above the bang-bang time", "segments", "[%]", (Curve("", sizes, over, "o-"),), ("log", "log")))
    return Drawing("shortest_time", f"Example 1 and the shortest time, {law.duration:.6f} s", tuple(panels), 3)


def _between(places: list[Enforced]) -> Drawing:
    panels = tuple(
        Panel(f"{p.where}: T = {p.duration:.4f} s", "time [s]", "torque [N m]",
              tuple(Curve(f"joint {j + 1}", p.t, p.tau[:, j]) for j in range(2)), range=(-3 * TORQUE, 3 * TORQUE))
        for p in places
    )  # fmt: skip
    return Drawing("where_limits_hold", "Example 1 with the torque limits enforced in some places only", panels, 2)
