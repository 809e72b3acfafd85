"""The paper's model compared with lissom's other models and with exact beams; spin-up of a beam."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import IndefiniteInertia
from lissom.model.arm import Arm
from lissom.model.beam import Beam, Modes
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.papers.claims import Claim, Drawing, limited
from lissom.papers.deluca1991.two_links import METHOD, STEP, SWITCH, TORQUE, UNTIL, arm_with, bang_bang, march, tip
from lissom.simulation.signals import Profile
from lissom.simulation.simulate import simulate
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.verbs.modes import BeamModes, beam_modes
from lissom.views.figures.panels import Curve, Panel

EVERY = 0.01  # between samples [s]
FINE = 1e-4  # step of the orders-8 method for arms of many pieces [s]
PIECES = (4, 8)  # of each link
LINEAR, SECOND, CLOSED = "linear", "second_order", METHOD
LENT = "the same, second-order tip"  # its motion shown by the better field: what its dynamics alone cost


class Given(NamedTuple):
    """A motion: initial coordinates and rates of the joints, deflections, and whether torque acts."""

    words: str
    joints: tuple[float, float] = (0.0, 0.0)
    rates: tuple[float, float] = (0.0, 0.0)
    delta: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    driven: bool = False

    @property
    def q(self) -> Array:
        """Initial coordinates, in the order of the two-link arm."""
        return np.array([self.joints[0], *self.delta[:2], self.joints[1], *self.delta[2:]])

    @property
    def qd(self) -> Array:
        """Initial rates; deflections start at rest."""
        return np.array([self.rates[0], 0.0, 0.0, self.rates[1], 0.0, 0.0])


# pieces start straight: their amplitudes are not those of the whole link
STRAIGHT = (
    Given(f"bang-bang, switched at {SWITCH:g} s", driven=True),
    Given("free, theta_2 = pi/2, rates 2 and -3 rad/s", (0.0, np.pi / 2), (2.0, -3.0)),
)


def claims_and_drawings(tell: Callable[[str], object]) -> tuple[list[Claim], list[Drawing]]:
    """All claims and figures of the comparison."""
    tell("exact beams: links of many pieces")
    exact = {given.words: _against_exact(given) for given in STRAIGHT}
    tell("other models of flexible links")
    spins = _spins()
    claims = [*(_tips(words, found) for words, found in exact.items()), _spun(spins)]
    return claims, [_error_figure(exact), _spin_figure(spins)]


# ---- two links -------------------------------------------------------------------------------------


def in_pieces(arm: Arm, count: int) -> Arm:
    """Every link divided into so many beams of two shapes each, joined rigidly: with more of them, exact beams.

    Each piece bends little in its own frame, however far the link does.
    """
    links: list[Link] = []
    for link in arm.links:
        assert link.beam is not None
        beam = link.beam.replace(length=link.beam.length / count, modes=Modes(2))
        for k in range(count):
            own: dict[str, Any] = {"joint": Joint("fixed")}
            if k == 0:
                own = {"joint": link.joint, "mass": link.mass, "com": link.com, "inertia": link.inertia}
            end = link.payload if k == count - 1 else None
            before = links[-1].name if links else None
            links.append(Link(link.name if k == 0 else f"{link.name}_{k + 1}", before, beam=beam, payload=end, **own))
    return arm.replace(name=f"{arm.name}_{count}", links=links)


def _simulated(arm: Arm, given: Given, dt: float = STEP / 4) -> Array:
    """The tip path (nt, 2), simulated with the arm's flexibility model."""
    tau = (
        Profile([0.0, SWITCH, 2 * SWITCH], np.outer([TORQUE, -TORQUE, 0.0], [1.0, 1.0]), "hold")
        if given.driven
        else None
    )
    whole = arm.dof == 6  # else pieces, which start straight
    q0, qd0 = (given.q, given.qd) if whole else (np.array(given.joints), np.array(given.rates))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteInertia)  # what a linear field costs is what is looked for
        return simulate(arm, q0, qd0, tau=tau, until=UNTIL, every=EVERY, method="rk8", dt=dt).tip[:, :2]


def _models(given: Given) -> dict[str, Array]:
    """The tip by the three models of two shapes per link, and once more by the paper's amplitudes."""
    arm = arm_with()
    closed = march(arm, given.q, given.qd, bang_bang() if given.driven else None, dt=STEP / 2)
    q = closed.q[:: round(EVERY / (STEP / 2))]
    return {
        CLOSED: tip(arm, q),
        LENT: pose(arm, q, "link2.tip")[:, :2, 3],
        LINEAR: _simulated(arm.replace(flexibility=LINEAR), given),
        SECOND: _simulated(arm, given),
    }


def _against_exact(given: Given) -> dict[str, Array]:
    """Distances (nt,) of the tips [m] to that of the most pieces; the fewer pieces among them."""
    fewer, exact = (_simulated(in_pieces(arm_with(), count), given, FINE) for count in PIECES)
    found = {**_models(given), f"{PIECES[0]} pieces": fewer}
    return {name: np.linalg.norm(at - exact, axis=1) for name, at in found.items()}


def _size(away: Array) -> str:
    return f"{1e3 * np.sqrt((away**2).mean()):.2g} rms, {1e3 * away.max():.2g} max"


def _tips(words: str, found: dict[str, Array]) -> Claim:
    """Claim: the model is accurate (the paper compares it with no other)."""
    errors = {name: float(np.sqrt((away**2).mean())) for name, away in found.items()}
    listed = "; ".join(f"{name} {_size(away)}" for name, away in found.items())
    ratio = errors[CLOSED] / errors[SECOND]
    return limited(
        "section VIII",
        f"the equations of motion are accurate ({words})",
        f"distance of the tip to that of exact beams ({PIECES[1]} pieces per link) in 2 s, mm: {listed}",
        bool(ratio > 10 and errors[CLOSED] < errors[LINEAR] and errors[f"{PIECES[0]} pieces"] < 0.5 * errors[SECOND]),
        f"to first order in the deflections: {1e3 * found[CLOSED].max():.2g} mm at most here; second order with the "
        f"same shapes is {ratio:.0f} times as close",
        f"{LINEAR}, all products of the linear field kept, is {errors[LINEAR] / errors[CLOSED]:.1f} times as far as "
        "the paper's model",
    )


def _error_figure(exact: dict[str, dict[str, Array]]) -> Drawing:
    panels: list[Panel] = []
    for words, found in exact.items():
        t = EVERY * np.arange(1, len(found[CLOSED]))
        curves = tuple(Curve(name, t, 1e3 * np.maximum(away[1:], 1e-9)) for name, away in found.items())
        panels.append(
            Panel(
                words, "time [s]", "distance to exact beams [mm]", curves, ("linear", "log"), (1e-6, 300), beside=True
            )
        )
    return Drawing("against_exact_beams", "Tip of the two-link arm beside geometrically exact beams", tuple(panels))


# ---- spin-up ---------------------------------------------------------------------------------------

SPEED, RISE, PEAK = 6.0, 15.0, -0.5738  # [rad/s], [s], known largest lag of exact beams [m]
SPUN, SPIN_EVERY = 20.0, 0.02


def _acceleration(t: float) -> float:
    """Acceleration of the joint: to 6 rad/s in 15 s, Kane, Ryan and Banerjee's law."""
    return SPEED / RISE * (1 - np.cos(2 * np.pi * t / RISE)) if t < RISE else 0.0


def _spinning() -> Arm:
    beam = Beam(10.0, 1.2, EI=1.4e4, EA=2.8e7, modes=Modes(2))
    return Arm("rotating", (Link("beam", joint=Joint("revolute", name="hub"), beam=beam),), gravity=(0.0, 0.0, 0.0))


def _spin_modes() -> BeamModes:
    beam = _spinning().links[0].beam
    assert beam is not None
    return beam_modes(beam, count=2)


class Spin(NamedTuple):
    """Lag of the tip behind the joint (nt,) [m], and why a run ended."""

    t: Array
    lag: Array
    ended: str = ""


def _spins() -> dict[str, Spin]:
    arm, out = _spinning(), {}
    for flexibility in (CLOSED, LINEAR, SECOND):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IndefiniteInertia)
            run = simulate(
                arm.replace(flexibility=flexibility), prescribed={"hub": _acceleration}, until=SPUN, every=SPIN_EVERY,
                rtol=1e-6, on_failure="return",
            )  # fmt: skip
        out[flexibility] = Spin(run.t, run.tip_deflection[:, 1], "" if run.t[-1] >= SPUN else str(run.status))
    return out


def _spun(spins: dict[str, Spin]) -> Claim:
    """Claim about the spin-up; the reference lag is that of geometrically exact beams."""
    linear = spins[LINEAR]
    lags = {name: float(spins[name].lag.min()) for name in (CLOSED, SECOND)}
    parts = [f"{name} {-lag:.4f} m ({100 * (lag / PEAK - 1):+.2f} %)" for name, lag in lags.items()]
    clamped = 2 * np.pi * float(_spin_modes().frequencies_hz[0])
    return limited(
        "section II",
        "all second-order terms, products of deformations, are neglected",
        f"a beam of 10 m spun up to {SPEED:g} rad/s, largest lag of the tip (exact beams {-PEAK} m): "
        f"{', '.join(parts)}; {LINEAR} diverges at {linear.t[-1]:.1f} s",
        bool(linear.ended and 0.03 < lags[CLOSED] / PEAK - 1 < 0.2 and abs(lags[SECOND] / PEAK - 1) < 3e-3),
        f"slow rotation: {100 * (lags[CLOSED] / PEAK - 1):.0f} % too much lag here, where the joint turns faster than "
        f"the first clamped frequency of {clamped:.2f} rad/s",
        "no centrifugal stiffening: terms of second order in B are terms of first order in h. The paper's model stays "
        "bounded; with all products of a linear field kept the softening exceeds the stiffness",
    )


def _spin_figure(spins: dict[str, Spin]) -> Drawing:
    curves = [Curve(name, spin.t, spin.lag) for name, spin in spins.items()]
    curves.append(Curve("exact beams, largest lag", [0.0, SPUN], [PEAK, PEAK], ":"))
    panel = Panel(
        "beam of 10 m on a joint driven to 6 rad/s in 15 s",
        "time [s]",
        "deflection of the tip [m]",
        tuple(curves),
        range=(-1.5, 0.3),
        beside=True,
    )
    return Drawing("spin_up", f"Spin-up: exact beams lag by {-PEAK} m at most", (panel,), 1)
