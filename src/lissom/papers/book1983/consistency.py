"""Sections 3 and 5: J and R make up the equations, and links without modes are rigid."""

from __future__ import annotations

import numpy as np

from lissom.model.arm import Arm
from lissom.model.beam import Modes
from lissom.papers.book1983.arms import six_joint_arm, slopes_of
from lissom.papers.claims import ROUNDING, Claim, near
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics, mass_matrix


def claims() -> list[Claim]:
    """All claims about consistency."""
    return [*_equations(), _undeformed()]


def _states(arm: Arm, rows: int, slope: float) -> tuple[Array, Array, Array]:
    """Random positions, rates and accelerations; tips turn by about `slope` radians."""
    rng = np.random.default_rng(7)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, rows, arm.dof))
    modes = list(arm.mode_index)
    q[:, modes] *= slope / slopes_of(arm)
    qd[:, modes] *= slope / slopes_of(arm)
    return q, qd, qdd


def _equations() -> list[Claim]:
    out = []
    for flexibility, words in (("book", "with its truncations"), ("linear", "without them")):
        arm = six_joint_arm(flexibility)
        q, qd, qdd = _states(arm, 40, 0.05)
        J, still = mass_matrix(arm, q), inverse_dynamics(arm, q, qd, 0 * qdd)
        whole = inverse_dynamics(arm, q, qd, qdd)
        columns = inverse_dynamics(arm, q[:, None], qd[:, None], np.eye(arm.dof)) - still[:, None]
        apart = float(np.abs(np.einsum("rij,rj->ri", J, qdd) + still - whole).max() / np.abs(whole).max())
        skewed = float(np.abs(columns - np.swapaxes(columns, 1, 2)).max() / np.abs(columns).max())
        out.append(near(
            "(56), (57), (82)",
            f"the inertia matrix J, symmetric, and the rest, R, make up joint and deflection equations, {words}",
            f"six joints, 2 x 3 modes: J zdd - R against the equations with accelerations in them {apart:.1e}, "
            f"asymmetry of their slope in zdd {skewed:.1e}, relative",
            max(apart, skewed), ROUNDING,
        ))  # fmt: skip
    return out


def _undeformed() -> Claim:
    """Claim: at zero deflection the joint equations are those of the arm with rigid links."""
    soft = six_joint_arm("book")
    links = [
        link if link.beam is None else link.replace(beam=link.beam.replace(modes=Modes(0, 0, 0))) for link in soft.links
    ]
    stiff = soft.replace(links=tuple(links))
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 40, len(soft.joints)))
    ours = inverse_dynamics(soft, q, qd, qdd)[:, list(soft.joint_index)]
    rigid = inverse_dynamics(stiff, q, qd, qdd)
    apart = float(np.abs(ours - rigid).max() / np.abs(rigid).max())
    return near(
        "section 3",
        "links without modes, m_i = 0, are rigid links",
        f"joint torques at zero deflection against Newton-Euler for rigid links: {apart:.1e} relative",
        apart, ROUNDING,
    )  # fmt: skip
