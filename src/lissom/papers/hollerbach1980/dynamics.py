"""Claims of Hollerbach 1980 about the equations: torques, energies, and what velocity terms are worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.formats.load import load
from lissom.formulations.linkage import Linkage, State
from lissom.model.arm import Arm
from lissom.papers.claims import ROUNDING, Claim, Drawing, as_corrected, judged, limited, near, slip
from lissom.papers.hollerbach1980.as_printed import hollerbach_3x3
from lissom.papers.hollerbach1980.printed import PRINTED
from lissom.spatial.rotations import Array
from lissom.verbs.count import puma_like
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.energy import kinetic_energy, potential_energy
from lissom.verbs.torque_parts import TorqueParts, inverse_dynamics_parts
from lissom.views.figures.panels import Curve, Panel

# A motion of the PUMA 560 across its workspace [rad], from rest to rest.
START = np.array([-1.5, -2.0, 0.5, -1.0, -1.0, 0.0])
END = np.array([1.5, 0.3, 2.0, 1.0, 1.2, 1.0])
DURATIONS = (8.0, 4.0, 2.0, 1.0, 0.5)  # s
SMALL = 0.1  # of the largest torque: what feedback is commonly left to correct


def claims_and_drawings() -> tuple[list[Claim], list[Drawing]]:
    """All claims about torques and energies."""
    motions = [Motion.of(load("puma560"), duration) for duration in DURATIONS]
    claims = [_agreement(), _printed_3x3(), *_energies(), _slow_and_fast(motions), _corrections(motions)]
    return claims, [_drawn(motions)]


def _agreement(joints: int = 9) -> Claim:
    worst = 0.0
    for arm in (load("puma560"), load("stanford"), puma_like(joints)):
        rng = np.random.default_rng(0)
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 20, arm.dof))
        want = inverse_dynamics(arm, q, qd, qdd)
        for method in (*PRINTED, "newton_euler_base"):
            got = inverse_dynamics(arm, q, qd, qdd, method=method)
            worst = max(worst, float(np.abs(got - want).max() / np.abs(want).max()))
    return as_corrected(
        "throughout",
        "all formulations give the same torques",
        f"PUMA 560, Stanford arm, {joints} joints: largest difference {worst:.1e} of the largest torque",
        worst,
        ROUNDING,
        "as corrected in docs/errata.md, where each equation has its test: as printed (11) lacks iW_j, the 3x3 form "
        "and rdd_i of the Newton-Euler list are wrong, and the latter has no prismatic joints",
    )


def printed_3x3_errors() -> tuple[float, float, float]:
    """Errors of the 3x3 form relative to the largest torque: as printed, with n_i corrected alone, and as corrected."""
    arm = puma_like(6)
    linkage = Linkage(Bodies(arm))
    divided = [member._replace(moment=[x / member.mass for x in member.com]) for member in linkage.members]
    q, qd, qdd = np.random.default_rng(1).uniform(-1.5, 1.5, (3, 20, arm.dof))
    want = inverse_dynamics(arm, q, qd, qdd)
    gravity = linkage.in_frame_0(arm.gravity)
    found = [
        np.array([
            hollerbach_3x3(State(members, linkage.frames(list(a)), list(b), list(c), gravity))
            for a, b, c in zip(q, qd, qdd, strict=True)
        ])
        for members in (divided, linkage.members)
    ]  # fmt: skip
    found.append(inverse_dynamics(arm, q, qd, qdd, method="hollerbach_3x3"))
    printed, some, whole = (float(np.abs(tau - want).max() / np.abs(want).max()) for tau in found)
    return printed, some, whole


def _printed_3x3() -> Claim:
    printed, some, whole = printed_3x3_errors()
    return slip(
        "before (15), (16), (17), (B1)",
        "n_i = r*_i / m_i; pdd_j = pdd_{j-1} - Wdd_{j-1}^T p*_j; c_i = m_i r*_i + A_{i+1} c_{i+1}; "
        "F_i = tr(dW_i D_i) - g^T dW_i c_i, since dp_j/dq_i = dW_i/dq_i ip_j",
        f"six joints, 20 states: the 3x3 form as printed is off by {100 * printed:.0f} % of the largest torque, with "
        f"n_i = m_i r*_i alone by {100 * some:.0f} %; as corrected by {whole:.1e}",
        min(printed, some) > 0.01 and whole < ROUNDING.size,
        "n_i = m_i r*_i; p*_j differentiated twice in (16); M_{i+1} ip_{i+1} more in c_i; e_i dp_i - g^T M_i dp_i more "
        "in F_i",
        "each equation has its own test, see docs/errata.md; the terms with dp_i vanish where origin i lies on axis i",
    )


# ---- energies ----------------------------------------------------------------------------------------------


def energies(arm: Arm, q: Array, qd: Array) -> tuple[float, float, float]:
    """K of (A5) with 3x3 matrices, and P of (A6), as printed and with p_j; of a revolute arm, up to a constant."""
    linkage = Linkage(Bodies(arm))
    frames, g = linkage.frames(list(q)), np.array(linkage.in_frame_0(arm.gravity))
    W, Wd, p, pd = np.eye(3), np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    K = printed = corrected = 0.0
    for member, A, dA, reach, rate in zip(linkage.members, frames.A, frames.dA, frames.reach, qd, strict=True):
        R, dR = np.array(A, float)[:3, :3], np.array(dA, float)[:3, :3]
        W, Wd = W @ R, Wd @ R + W @ dR * rate
        p, pd = p + W @ np.array(reach, float), pd + Wd @ np.array(reach, float)
        m, n, J = member.mass, np.array(member.moment, float), np.array(member.second, float)
        K += 0.5 * (m * pd @ pd + 2 * (Wd @ n) @ pd + np.trace(Wd @ J @ Wd.T))  # (A4)
        printed -= g @ W @ n  # (A6)
        corrected -= g @ (m * p + W @ n)
    return float(K), float(printed), float(corrected)


def _energies() -> list[Claim]:
    """(A4)-(A6) against the energies of the fast path; of the potential its change between two positions."""
    arm = load("puma560")
    drives = np.array([joint.reflected_inertia for joint in arm.joints])
    rng = np.random.default_rng(5)
    states = rng.uniform(-1.5, 1.5, (20, 2, arm.dof))
    found = np.array([energies(arm, q, qd) for q, qd in states])
    K = kinetic_energy(arm, *np.moveaxis(states, 1, 0)) - 0.5 * states[:, 1] ** 2 @ drives
    P = potential_energy(arm, states[:, 0])
    kinetic = float(np.abs(found[:, 0] / K - 1).max())
    change = P - P[0]
    off = [float(np.abs(found[:, k] - found[0, k] - change).max() / np.abs(change).max()) for k in (1, 2)]
    return [
        near("(A4), (A5)", "the kinetic energy with 3x3 matrices", f"PUMA 560, 20 states: within {kinetic:.1e}",
             kinetic, ROUNDING),
        slip(
            "(A6)", "P = const - sum m_j g^T W_j j_r_j",
            f"its changes between 20 positions of a PUMA 560 are off by {100 * off[0]:.0f} % of the largest; with p_j "
            f"by {off[1]:.1e}",
            off[0] > 0.01 and off[1] < ROUNDING.size,
            "P = const - sum m_j g^T (p_j + W_j j_r_j)",
            "with 3x3 matrices W_j only turns; the place of the link is p_j",
        ),
    ]  # fmt: skip


# ---- velocity terms ----------------------------------------------------------------------------------------


class Motion(NamedTuple):
    """A quintic motion from START to END: duration [s], times, rates and the parts of the torques."""

    duration: float
    t: Array
    qd: Array
    parts: TorqueParts

    @classmethod
    def of(cls, arm: Arm, duration: float) -> Motion:
        """Parts of the torques along the motion."""
        s = np.linspace(0.0, 1.0, 201)[:, None]
        way = END - START
        q = START + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
        qd = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / duration
        qdd = way * (60 * s - 180 * s**2 + 120 * s**3) / duration**2
        return cls(duration, duration * s[:, 0], qd, inverse_dynamics_parts(arm, q, qd, qdd))

    @property
    def share(self) -> float:
        """Largest velocity force relative to the largest torque, of the joint where it is largest."""
        return float((np.abs(self.parts.velocity).max(axis=0) / np.abs(self.parts.total).max(axis=0)).max())

    @property
    def of_inertia(self) -> float:
        """The same relative to the largest inertial force."""
        return float((np.abs(self.parts.velocity).max(axis=0) / np.abs(self.parts.inertia).max(axis=0)).max())


def at_the_limits(first: Motion) -> Motion:
    """The shortest motion that stays within the rate limits of the PUMA 560; rates scale with 1 / duration."""
    arm = load("puma560")
    rates = arm.bounds("velocity")[1]
    return Motion.of(arm, first.duration * float((np.abs(first.qd).max(axis=0) / rates).max()))


def _slow_and_fast(motions: list[Motion]) -> Claim:
    """What a model without velocity terms leaves out."""
    limit = at_the_limits(motions[0])
    shares = [motion.share for motion in motions]
    listed = ", ".join(f"{100 * share:.1f} % in {m.duration:g} s" for share, m in zip(shares, motions, strict=True))
    slowest = max(m.duration for m, share in zip(motions, shares, strict=True) if share > SMALL)
    beyond = ", ".join(f"{m.duration:g}" for m in motions if m.duration < limit.duration)
    return judged(
        "Introduction",
        "ignoring Coriolis and centrifugal forces works well only at slower speeds; at fast speeds they are a major "
        "component",
        f"a PUMA 560 across its workspace: the velocity part is {listed} of a joint's largest torque. Its rate limits "
        f"allow {limit.duration:.2f} s, with {100 * limit.share:.1f} %; the motions of {beyond} s are beyond them",
        shares[0] < 0.02 and shares[-1] > 0.25,
        f"above {100 * SMALL:g} % for motions of {slowest:g} s and shorter; beside inertial forces alone it is "
        f"{100 * motions[0].of_inertia:.0f} % at any speed, since both grow with its square; slow motions hide it "
        "behind gravity and friction",
        f"it is below 2 % in {motions[0].duration:g} s and above 25 % in {motions[-1].duration:g} s",
    )


def _corrections(motions: list[Motion]) -> Claim:
    """What feedback would have to give, beside what the motors can."""
    torques = load("puma560").bounds("torque")[1]
    fastest = at_the_limits(motions[0])
    need = [float((np.abs(m.parts.velocity).max(axis=0) / torques).max()) for m in (fastest, motions[-1])]
    return limited(
        "Introduction",
        "errors of ignoring them cannot be corrected with feedback because of excessive corrective torques",
        f"PUMA 560: at its rate limits, in {fastest.duration:.2f} s, feedback must give up to {100 * need[0]:.1f} % of "
        f"a motor's torque; in {motions[-1].duration:g} s, beyond them, {100 * need[1]:.0f} %",
        need[0] < SMALL < need[1],
        f"not excessive within the rate limits of this geared arm; {100 * SMALL:g} % of a motor's torque is needed at "
        f"{np.sqrt(SMALL / need[0]):.1f} times its rates",
        "corrective torques grow with the square of the rates",
    )


def _drawn(motions: list[Motion]) -> Drawing:
    slow, fast = motions[1], motions[-1]
    allowed = at_the_limits(motions[0]).duration
    words = ("inertia", "velocity", "gravity", "dissipation", "total")
    panels = []
    for motion in (slow, fast):
        curves = tuple(
            Curve(word, motion.t, getattr(motion.parts, word)[:, 1], "--" if word == "total" else "-") for word in words
        )
        beyond = f", beyond the rate limits ({allowed:.2f} s)" if motion.duration < allowed else ""
        panels.append(Panel(f"in {motion.duration:g} s{beyond}", "time [s]", "torque of the shoulder [N m]", curves))
    return Drawing("velocity_terms", "A PUMA 560 across its workspace: parts of a torque", tuple(panels))
