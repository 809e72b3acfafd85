"""The arm of section VII, its payloads, and its motion by the paper's model."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lissom.errors import SolveError
from lissom.formats.load import load
from lissom.model.arm import Arm
from lissom.papers.deluca1991.two_link_coefficients import ORDER
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import forward_dynamics
from lissom.verbs.modes import BeamModes, beam_modes, beam_tip

METHOD = "de_luca_siciliano"
STEP, UNTIL = 1e-3, 2.0  # of the paper's Runge-Kutta method [s]
TORQUE = 0.2  # of the bang-bang input [N m]
SWITCH = 0.5  # chosen: +0.2 N m until then, -0.2 N m for as long again, then none [s]
PAYLOADS = {"zero": 0.0, "nominal": 1.0, "double": 2.0}
PAPER = list(ORDER)  # q[..., PAPER] is (theta_1, theta_2, delta_11, delta_12, delta_21, delta_22)


def arm_with(payload: float = 1.0, damped: bool = False) -> Arm:
    """The arm with a multiple of the payload (m_p and J_p), undamped or with D_i = 0.1 sqrt(K_i)."""
    arm = load("two_link_flexible")
    links = []
    for link in arm.links:
        assert link.beam is not None
        tip = link.payload
        if tip is not None:
            tip = tip.replace(mass=payload * tip.mass, inertia=payload * tip.inertia) if payload else None
        ratio = 0.1 / (2 * np.sqrt(link.beam.mass)) if damped else 0.0  # of critical: D / (2 sqrt(K m))
        links.append(link.replace(payload=tip, beam=link.beam.replace(damping=ratio)))
    return arm.replace(links=links)


def link_modes(arm: Arm) -> list[BeamModes]:
    """Two modes of each link."""
    return [beam_modes(link.beam, beam_tip(arm, link.name), count=2) for link in arm.links if link.beam is not None]


def stiffness(arm: Arm) -> Array:
    """Diagonal of K in the arm's order, (35)."""
    parts = [np.r_[0.0, (2 * np.pi * modes.frequencies_hz) ** 2 * modes.modal_mass] for modes in link_modes(arm)]
    return np.concatenate(parts)


def deflections(arm: Arm, q: Array) -> tuple[Array, Array]:
    """Deflections and slopes (..., 2) at the ends of both links."""
    ends = [(modes.shape(modes.shapes.length), modes.slope(modes.shapes.length)) for modes in link_modes(arm)]
    delta = q[..., 1:3], q[..., 4:6]
    y = [d @ shape for d, (shape, _) in zip(delta, ends, strict=True)]
    slope = [d @ turn for d, (_, turn) in zip(delta, ends, strict=True)]
    return np.stack(y, axis=-1), np.stack(slope, axis=-1)


def tip(arm: Arm, q: Array) -> Array:
    """The payload in the plane (..., 2), (2) and (3) to first order in the deflections as the paper has it."""
    y, slope = deflections(arm, q)
    l1, l2 = (link.beam.length for link in arm.links if link.beam is not None)
    one, two = np.exp(1j * q[..., 0]), np.exp(1j * q[..., 3])
    inner, outer = l1 + 1j * y[..., 0], l2 + 1j * y[..., 1] + 1j * slope[..., 0] * l2
    at = one * (inner + two * outer)
    return np.stack([at.real, at.imag], axis=-1)


class Motion(NamedTuple):
    """Motion of the arm by the paper's model: times, coordinates and rates (nt, 6), and why it ended early."""

    t: Array
    q: Array
    qd: Array
    stopped: str = ""

    @property
    def delta(self) -> tuple[Array, Array]:
        """Deflections (nt, 2) of each link."""
        return self.q[:, 1:3], self.q[:, 4:6]

    @property
    def joints(self) -> Array:
        """(nt, 2) joint angles [rad]."""
        return self.q[:, [0, 3]]


def bang_bang(switch: float = SWITCH) -> Callable[[float], Array]:
    """0.2 N m at both joints until `switch`, reversed for as long again, then none."""
    push = np.array([TORQUE, 0.0, 0.0, TORQUE, 0.0, 0.0])
    return lambda t: push if t < switch else -push if t < 2 * switch else 0 * push


def march(
    arm: Arm,
    q: Array,
    qd: Array,
    torque: Callable[[float], Array] | None = None,
    until: float = UNTIL,
    dt: float = STEP,
) -> Motion:
    """The motion by the fourth-order Runge-Kutta method in fixed steps, as in section VII.

    The torque is that of the middle of a step; it ends where B is no longer positive definite.
    """
    n, steps = len(q), round(until / dt)
    y = np.empty((steps + 1, 2 * n))
    y[0] = np.r_[q, qd]
    drive = torque or (lambda _t: np.zeros(n))

    def rate(x: Array, u: Array) -> Array:
        return np.concatenate([x[n:], forward_dynamics(arm, x[:n], x[n:], u, method=METHOD)])

    stopped = ""
    for k in range(steps):
        u, x = drive((k + 0.5) * dt), y[k]
        try:
            a = rate(x, u)
            b = rate(x + dt / 2 * a, u)
            c = rate(x + dt / 2 * b, u)
            d = rate(x + dt * c, u)
        except SolveError as error:
            stopped, y = str(error), y[: k + 1]
            break
        y[k + 1] = x + dt / 6 * (a + 2 * b + 2 * c + d)
    return Motion(dt * np.arange(len(y), dtype=float), y[:, :n], y[:, n:], stopped)
