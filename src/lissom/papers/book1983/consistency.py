"""Sections 3 and 5: J and R make up the equations, and links without modes are rigid."""

from __future__ import annotations

import numpy as np

from lissom.model.arm import Arm
from lissom.papers.book1983.arms import general_arm, general_rigid_arm
from lissom.papers.book1983.equations import TRUNCATED, Equations, links_of
from lissom.papers.claims import ROUNDING, Claim, as_corrected
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import bias_forces, inverse_dynamics, mass_matrix

STATES = 5


def claims() -> list[Claim]:
    """All claims about consistency."""
    return [*_equations(), _rigid()]


def _states(arm: Arm, rows: int, amplitude: float) -> tuple[Array, Array, Array]:
    """Random positions, rates and accelerations; modes up to an amplitude."""
    q, qd, qdd = np.random.default_rng(7).uniform(-1.0, 1.0, (3, rows, arm.dof))
    q[:, arm.mode_index] *= amplitude
    return q, qd, qdd


def _equations() -> list[Claim]:
    """The paper's own J and R beside lissom's inverse dynamics."""
    links, out = links_of(general_arm("book")), []
    for flexibility, truncated, words in (("book", TRUNCATED, "with its truncations"), ("linear", (), "without them")):
        arm = general_arm(flexibility)
        worst = 0.0
        for q, qd, qdd in zip(*_states(arm, STATES, 0.05), strict=True):
            paper = Equations(links, q, qd, gravity=arm.gravity, truncated=truncated)
            want = inverse_dynamics(arm, q, qd, qdd)
            worst = max(worst, float(np.abs(paper.J() @ qdd - paper.R() - want).max() / np.abs(want).max()))
        out.append(as_corrected(
            "(36)-(39), (57)",
            f"J zdd = R makes up the joint and deflection equations, {words}",
            f"the paper's J by (66)-(82) and R by (83)-(90), six general joints, 2 x 3 modes: J zdd - R within "
            f"{worst:.1e} of lissom's inverse dynamics, relative, in {STATES} states",
            worst, ROUNDING, "the equations from (9) to (89) that the errata list; as printed J and R are far off",
        ))  # fmt: skip
    return out


def _rigid() -> Claim:
    """The paper's equations run with m_i = 0 in every link."""
    arm = general_rigid_arm(6)
    links, worst = links_of(arm), 0.0
    for z, zd in np.random.default_rng(3).uniform(-1.5, 1.5, (STATES, 2, arm.dof)):
        paper = Equations(links, z, zd, gravity=arm.gravity)
        J, rest = mass_matrix(arm, z), bias_forces(arm, z, zd)
        worst = max(worst, float(np.abs(paper.J() - J).max() / np.abs(J).max()))
        worst = max(worst, float(np.abs(paper.R() + rest).max() / np.abs(rest).max()))
    return as_corrected(
        "section 3",
        "links without modes, m_i = 0, are rigid links",
        f"(66)-(90) run with m_i = 0 in all of six links: J and R within {worst:.1e} of the mass matrix and the bias "
        f"forces of the rigid arm (Newton-Euler), relative, in {STATES} states",
        worst, ROUNDING, "(9), (10), (14), (65), (78) and (89) as in the errata",
        "four of the six links of the other rows are rigid too",
    )  # fmt: skip
