"""The end of a beam as a function of its amplitudes: position, orientation, Jacobians.

    r = point + shift eta + 1/2 eta shift2 eta,   Jp = dr/deta
    u = turn eta + 1/2 eta turn2 eta;  b = u_y + u_y^3/6,  a = u_z + u_z^3/6 + u_z u_y^2/2
    E = Rz(a) Ry(b) Rx(u_x),   Jw: rates of eta to angular velocity in tip axes

The cubic terms are the third-order completion; without it a = u_z, b = u_y.
"""

from __future__ import annotations

from typing import NamedTuple

from lissom.elements.arrays import Objects, form, objects, slope
from lissom.elements.tables import Tables
from lissom.spatial.scalar import cos, sin


class Tip(NamedTuple):
    """The end of a beam for given amplitudes; (rd, w) and (gp, gw): its rates, and accelerations of steady rates."""

    r: Objects
    E: Objects
    Jp: Objects  # (3, m), beam axes
    Jw: Objects  # (3, m), tip axes
    rd: Objects
    w: Objects
    gp: Objects
    gw: Objects


def tip_of(t: Tables, cubic: bool, eta: Objects, etad: Objects | None = None) -> Tip:
    """The end of a beam; default rates are zero."""
    etad = 0 * eta if etad is None else etad
    Jp = (t.shift + slope(t.shift2, eta)).T
    r = t.point + eta @ t.shift + 0.5 * form(t.shift2, eta, eta)
    Ju = (t.turn + slope(t.turn2, eta)).T
    u = eta @ t.turn + 0.5 * form(t.turn2, eta, eta)
    ud = Ju @ etad
    angles, A, bent = _angles(u, ud, cubic)
    E, B, spun = _turned(angles, A @ ud)
    gw = B @ (A @ form(t.turn2, etad, etad) + bent) + spun
    return Tip(r, E, Jp, B @ A @ Ju, Jp @ etad, B @ (A @ ud), form(t.shift2, etad, etad), gw)


def _angles(u: Objects, ud: Objects, cubic: bool) -> tuple[Objects, Objects, Objects]:
    """Angles of Rx, Ry, Rz, their derivative with respect to u, and their acceleration where u has none."""
    x, b, a = u
    O, one = 0 * x, 0 * x + 1
    if not cubic:
        return u, objects([one, O, O, O, one, O, O, O, one], 3, 3), objects([O, O, O])
    _, bd, ad = ud
    angles = objects([x, b + b * b * b / 6, a + a * a * a / 6 + 0.5 * (a * b * b)])
    A = objects([one, O, O, O, 1 + 0.5 * (b * b), O, O, a * b, 1 + 0.5 * (a * a + b * b)], 3, 3)
    return angles, A, objects([O, b * bd * bd, a * (ad * ad + bd * bd) + 2 * (b * ad * bd)])


def _turned(angles: Objects, rates: Objects) -> tuple[Objects, Objects, Objects]:
    """E, angular velocity in tip axes per rate of each angle, and angular acceleration of steady rates."""
    (sx, sy, sz), (cx, cy, cz) = [sin(v) for v in angles], [cos(v) for v in angles]
    x, y, z = rates
    E = objects([
        cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx,
        sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx,
        -sy, cy * sx, cy * cx,
    ], 3, 3)  # fmt: skip
    O, one = 0 * sx, 0 * sx + 1
    B = objects([one, O, -sy, O, cx, sx * cy, O, -sx, cx * cy], 3, 3)
    spun = objects([
        -cy * y * z,
        -sx * x * y + (cx * cy * x - sx * sy * y) * z,
        -cx * x * y - (sx * cy * x + cx * sy * y) * z,
    ])  # fmt: skip
    return E, B, spun
