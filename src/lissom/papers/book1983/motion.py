"""Sections 1.1 and 3: energy of free motion, and what rates and deflections do to each other."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from lissom.errors import IndefiniteInertia
from lissom.model.arm import Arm
from lissom.model.beam import Beam, Modes
from lissom.model.link import Link
from lissom.papers.book1983.arms import TRUNCATIONS, named, slopes_of, three_joint_arm
from lissom.papers.claims import ROUNDING, Claim, Drawing, Tolerance, limited, near
from lissom.simulation.simulate import simulate
from lissom.verbs.dynamics import mass_matrix
from lissom.verbs.modes import modes as natural_modes
from lissom.verbs.sensitivity import inverse_dynamics_gradient
from lissom.views.figures.panels import Curve, Panel

SPEED, RISE, UNTIL = 6.0, 15.0, 20.0  # of the spin-up [rad/s], [s], [s]


def energy(tell: Callable[[str], object]) -> tuple[list[Claim], Drawing]:
    """Free motion of a spatial arm that bends and twists, from several initial deflections."""
    arm = three_joint_arm("linear")
    modes = list(arm.mode_index)
    sizes = np.array([0.00625, 0.0125, 0.025, 0.05])
    q0 = np.zeros((len(sizes), arm.dof))
    q0[:, list(arm.joint_index)] = 0.3, 0.4, -0.7
    q0[:, modes] = sizes[:, None] * np.array([1.0, -0.7, 0.5, 0.8, 0.6, -0.5]) / slopes_of(arm)
    drift, runs = {}, {}
    for word in ("linear", *TRUNCATIONS):
        tell(f"free motion, {word}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IndefiniteInertia)
            run = simulate(arm.replace(flexibility=word), q0=q0, until=0.5, method="rk8", dt=2e-4, every=1e-3)
        runs[word] = run
        drift[word] = np.abs(run.energy - run.energy[:, :1]).max(axis=1) / run.energy[:, 0]
    power = float(np.polyfit(np.log(sizes[:3]), np.log(drift["book"][:3]), 1)[0])
    whole, some = float(drift["linear"].max()), 2
    claims = [
        near(
            "(36)-(39)",
            "Lagrange's equations of the kinetic energy (22), with bending and torsion in space",
            f"three joints, 2 x 3 modes, not truncated: energy of free motion drifts by {whole:.1e} of itself in 0.5 s",
            whole, Tolerance(1e-8, "that of the integrator, steps of 0.2 ms of order 8"),
        ),
        limited(
            "(37), (72), (73)",
            "second-order terms can be ignored consistent with the assumption that the deflections are small",
            f"modes turn the tips by up to {sizes[some]:g} rad: energy drifts by "
            + ", ".join(f"{drift[word][some]:.1e} truncated by {TRUNCATIONS[word]}" for word in TRUNCATIONS)
            + f"; by power {power:.1f} of the deflection",
            bool(1.5 < power < 2.5 and drift["book"][0] < 2e-3 < drift["book"][some] and whole < 1e-8),
            f"energy drifts by {drift['book'][0]:.0e} of itself in 0.5 s where modes turn the tips by "
            f"{sizes[0]:g} rad, by {drift['book'][-1]:.0e} at {sizes[-1]:g} rad",
            "what is left out is small, but the rest is no longer the equations of a Lagrangian",
        ),
    ]  # fmt: skip
    panels = (
        Panel(f"modes of {sizes[some]:g} rad", "t [s]", "energy, relative change", tuple(
            Curve(named(word), run.t, run.energy[some] / run.energy[some, 0] - 1) for word, run in runs.items()
        )),
        Panel("largest drift in 0.5 s", "initial turn of the tips by a mode [rad]", "drift of energy, relative", tuple(
            Curve(named(word), sizes, drift[word], "o-") for word in drift
        ), ("log", "log")),
    )  # fmt: skip
    return claims, Drawing("energy", "Free motion of a spatial arm with bending and torsion", panels)


def rotating_beam(flexibility: str) -> Arm:
    """A beam of 10 m on a joint, after Kane, Ryan and Banerjee 1987; it bends in the plane and out of it."""
    beam = Beam(10.0, 1.2, EI=1.4e4, modes=Modes(2, 2))
    return Arm("rotating beam", (Link("beam", beam=beam),), gravity=(0.0, 0.0, 0.0), flexibility=flexibility)


def interaction() -> Claim:
    """What a constant rate of the joint does to the stiffness of the modes, and the modes' rates to the joint."""
    arm = rotating_beam("book")
    rate, modes = 2.5, list(arm.mode_index)
    q, qd = np.zeros(arm.dof), np.zeros(arm.dof)
    q[modes] = 0.02
    qd[0] = rate
    M = mass_matrix(arm, 0 * q)[np.ix_(modes, modes)]
    still, moving = (inverse_dynamics_gradient(arm, q, v, 0 * q) for v in (0 * qd, qd))
    softened = (still.q - moving.q)[np.ix_(modes, modes)]
    inside = np.diag([1.0, 1.0, 0.0, 0.0])  # bending about z lies in the plane of rotation
    worst = float(np.abs(softened - rate**2 * inside @ M).max() / np.abs(M).max() / rate**2)
    coriolis = moving.qd[0, modes]
    expected = 2 * rate * (M @ q[modes])[:2]
    worst = max(worst, float(np.abs(coriolis[:2] - expected).max() / np.abs(expected).max()))
    hz = float(natural_modes(arm).frequencies_hz[0])
    return near(
        "section 1.1",
        "the equations do not ignore the interaction of angular rates and deflections",
        f"a beam of 10 m at {rate:g} rad/s: the stiffness of bending in the plane falls by rate^2 M, that out of it "
        f"does not change, and rates of deflection give the joint 2 rate M delta: within {worst:.0e}, relative. The "
        f"first frequency in the plane falls from {2 * np.pi * hz:.2f} to "
        f"{np.sqrt((2 * np.pi * hz) ** 2 - rate**2):.2f} rad/s",
        worst, ROUNDING,
        "the claim holds: centrifugal and Coriolis forces on the deflected beam are there. What is missing is "
        "stiffening, see the spin-up",
    )  # fmt: skip


def spin_up(tell: Callable[[str], object]) -> tuple[list[Claim], Drawing]:
    """A beam on a joint that is driven to 6 rad/s in 15 s (Kane, Ryan and Banerjee 1987)."""

    def rate(t: float) -> float:
        return SPEED / RISE * (1 - np.cos(2 * np.pi * t / RISE)) if t < RISE else 0.0

    beam = Beam(10.0, 1.2, EI=1.4e4, modes=Modes(2))
    arm = Arm("rotating beam", (Link("beam", beam=beam),), gravity=(0.0, 0.0, 0.0))
    clamped = 2 * np.pi * float(natural_modes(arm).frequencies_hz[0])
    curves, ends, peak = [], {}, 0.0
    for word in ("second_order", "linear", "book"):
        tell(f"spin-up, {word}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IndefiniteInertia)
            run = simulate(arm.replace(flexibility=word), prescribed={"beam": rate}, until=UNTIL, every=0.02, rtol=1e-6,
                           on_failure="return")  # fmt: skip
        lag = run.tip_deflection[:, 1]
        past = np.flatnonzero(np.abs(lag) > beam.length)
        last = past[0] if len(past) else len(lag)
        ends[word] = float(run.t[past[0]]) if len(past) else np.inf
        curves.append(Curve(word.replace("_", " "), run.t[:last], lag[:last], "--" if word == "book" else "-"))
        if word == "second_order":
            peak = float(np.nanmin(lag))
    speed = SPEED / RISE * (ends["book"] - RISE / (2 * np.pi) * np.sin(2 * np.pi * ends["book"] / RISE))
    claim = limited(
        "(4)-(7)",
        "deflections are sums of mode shapes, linear in their amplitudes",
        f"a beam of 10 m driven to {SPEED:g} rad/s: the tip is deflected by more than the beam's length from "
        f"t = {ends['linear']:.1f} s (linear) and {ends['book']:.1f} s (book), at {speed:.2f} rad/s; with "
        f"foreshortening (second_order) it lags by {-peak:.3f} m at most and comes back",
        bool(np.isfinite(ends["book"]) and -0.6 < peak < -0.55 and speed > 0.9 * clamped),
        f"rates below the first clamped frequency, {clamped:.2f} rad/s: the softening by rate^2 M is there, the "
        "stiffening by foreshortening, which is larger, is not",
    )
    panel = Panel("a beam spun up to 6 rad/s", "t [s]", "deflection of the tip [m]", tuple(curves), range=(-2.0, 2.0))
    return [claim], Drawing(
        "spin_up", "No geometric stiffening in a linear field; curves end where the tip is deflected by 10 m", (panel,)
    )
