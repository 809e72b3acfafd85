"""A flexible link as steps of kinematics and energies; inverse dynamics has it as an element (`elements.beam`)."""

from __future__ import annotations

from typing import Any

from lissom.dynamics.layout import kind
from lissom.elements.arrays import Objects, objects, skew
from lissom.elements.tables import Layout, Tables
from lissom.elements.tip import Tip, tip_of


def _still(layout: Layout, eta: Any, K: Any) -> tuple[Tables, Tip]:
    """The tables of the beam, and its end at rest."""
    t = layout.unpacked(K)
    return t, tip_of(t, layout.cubic, objects(eta))


def _root(t: Tables, body: Any) -> tuple[Objects, Objects]:
    """Orientation and origin of the root in the world, from those of the joint's body."""
    X, o = objects(body[0:9], 3, 3), objects(body[9:12])
    return X @ t.root, o + X @ t.p


@kind(lambda m: (12, m), lambda m: (12,))
def frame(layout: Layout) -> Any:
    def step(body: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(R, o) of the tip from that of the joint's body."""
        t, tip = _still(layout, eta, K)
        R, o = _root(t, body)
        return [[*(R @ tip.E).ravel(), *(o + R @ tip.r)]]

    return step


@kind(lambda m: (12, m, 3), lambda m: (6,) * m)
def columns(layout: Layout) -> Any:
    def step(body: Any, eta: Any, P: Any, K: Any) -> list[list[Any]]:
        """Velocity of P, beyond the tip, and angular velocity, per unit rate of every amplitude."""
        t, tip = _still(layout, eta, K)
        R, o = _root(t, body)
        arm = objects(P) - (o + R @ tip.r)
        turns, shifts = R @ tip.E @ tip.Jw, R @ tip.Jp
        return [[*(shifts[:, k] + skew(turns[:, k]) @ arm), *turns[:, k]] for k in range(layout.m)]

    return step


@kind(lambda m: (2, m), lambda m: (2,))
def strain(layout: Layout) -> Any:
    def step(energy: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(T, V) with the beam's elastic energy."""
        t = layout.unpacked(K)
        eta = objects(eta)
        V = 0.5 * (eta @ t.K @ eta)
        for B in t.bend:
            part = 0.5 * (eta @ B @ eta)
            V = V + 0.5 * (part * part)
        return [[energy[0] + 0, energy[1] + V]]

    return step


@kind(lambda m: (1, m), lambda m: (1,))
def loss(layout: Layout) -> Any:
    def step(lost: Any, etad: Any, K: Any) -> list[list[Any]]:
        """Power, with the dissipation of the beam's damping."""
        t, etad = layout.unpacked(K), objects(etad)
        return [[lost[0] + etad @ t.damping @ etad]]

    return step


KINDS = (frame, columns, strain, loss)
