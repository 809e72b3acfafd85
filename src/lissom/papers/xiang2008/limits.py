"""Section 6.3, (66): at which times the torque limits of example 1 hold; the paper does not state it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.motion.solve.ipopt import Ipopt
from lissom.motion.splines.basis import Basis
from lissom.motion.splines.mesh import Mesh
from lissom.motion.transcription.problem import Problem
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.rows import Block
from lissom.papers.claims import Claim, Drawing, undecidable
from lissom.papers.xiang2008.closed_form import TORQUE
from lissom.papers.xiang2008.tasks import EXAMPLE_1, SEGMENTS, weightless_arm
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.views.figures.panels import Curve, Panel


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
    breaks = Basis(SEGMENTS).breaks
    half = (breaks[1:] + breaks[:-1]) / 2
    choices = {
        "interior knots": breaks[1:-1], "midpoints": half, "knots": breaks,
        "knots and midpoints": np.append(breaks, half),
    }  # fmt: skip
    return [_enforced(where, at) for where, at in choices.items()]


def _enforced(where: str, at: Array) -> Enforced:
    problem = Problem(weightless_arm(), EXAMPLE_1)
    basis = Basis(SEGMENTS)
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


def claim(places: list[Enforced]) -> Claim:
    listed = "; ".join(f"{p.where}: T = {p.duration:.4f} s, {_beyond(p.excess)}" for p in places)
    return undecidable(
        "(66)",
        "torques stay within 10 N m; the paper does not state where along the motion this is enforced",
        listed,
        "with limits at interior knots only, T falls to the lower bound of our search, 0.0001 s; "
        "at midpoints only, the optimum is false; at "
        "knots only, T is too small; at knots and midpoints, torques stay within 0.1 % at all times",
    )


def _beyond(excess: float) -> str:
    """How far torques go beyond their limits in between, in words that can be read."""
    if excess < 1:
        return f"limits exceeded by {100 * excess:.2g} %"
    return (
        f"torques up to {1 + excess:.0f} times the limits"
        if excess < 1e6
        else "torques over a million times the limits"
    )


def drawing(places: list[Enforced]) -> Drawing:
    panels = tuple(
        Panel(f"{p.where}: T = {p.duration:.4f} s", "time [s]", "torque [N m]",
              tuple(Curve(f"joint {j + 1}", p.t, p.tau[:, j]) for j in range(2)), range=(-3 * TORQUE, 3 * TORQUE))
        for p in places
    )  # fmt: skip
    return Drawing("where_limits_hold", "Example 1 with the torque limits enforced in some places only", panels, 2)
