"""Residuals of a closure between two frames, as a program of the engine.

A loop joins frame a (axes x, y, z, origin p_a) on one link with frame b on another. With d = p_b - p_a its rows are

    spherical   x.d, y.d, z.d                                      the origins coincide
    revolute    these, and -(y.z_b), x.z_b                         and b only turns about z
    fixed       these, and half of the skew part of R_a^T R_b      and b does not turn
    planar      z.d, -(y.z_b), x.z_b                               b slides and turns in the xy plane of a

all in axes of a. Near closure the last rows are rotations of b about x, y (and z), so that all rows are metres or
radians. The program gives the residual phi(q), its Jacobian G = d phi / dq and the drift (dG/dt) qd, all exact
also where the loop is open, from the velocities and accelerations of both frames:

    (e.d)'   = (w_a x e).d + e.d'              (e.f)'  = (w_b - w_a).(f x e)               e on a, f on b
    (e.d)''  = e''.d + 2 e'.d' + e.d''         (e.f)'' = e''.f + 2 e'.f' + e.f''           e'' = dw x e + w x (w x e)

A closure holds when phi = 0, G qd = 0 and G qdd + drift = 0. Since G is a gradient, the drift is the second
derivative of phi taken twice along qd.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE, Place
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.kinematics import Reach, columns, point_acceleration, point_velocity, reach_place
from lissom.dynamics.stations import along_beam
from lissom.dynamics.vectors import add, cross, dot, sub
from lissom.engine.step import Step
from lissom.model.arm import Arm
from lissom.model.loads import Loop
from lissom.spatial.frames import pose

VERB = "closed loops"


class Kind(NamedTuple):
    """Rows of a closure: axes of a along which d vanishes; sums of (c, i, j), c times (axis i of a).(axis j of b)."""

    along: tuple[int, ...]
    about: tuple[tuple[tuple[float, int, int], ...], ...]
    words: tuple[str, ...]  # what every row holds, in words

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.along) + len(self.about)


TILTS = (((-1.0, 1, 2),), ((1.0, 0, 2),))
TURNS = (((0.5, 2, 1), (-0.5, 1, 2)), ((0.5, 0, 2), (-0.5, 2, 0)), ((0.5, 1, 0), (-0.5, 0, 1)))
ALONG = ("shift along x", "shift along y", "shift along z")
ABOUT = ("turn about x", "turn about y", "turn about z")
KINDS = {
    "spherical": Kind((0, 1, 2), (), ALONG),
    "revolute": Kind((0, 1, 2), TILTS, (*ALONG, *ABOUT[:2])),
    "fixed": Kind((0, 1, 2), TURNS, (*ALONG, *ABOUT)),
    "planar": Kind((2,), TILTS, (ALONG[2], *ABOUT[:2])),
}

# ---- steps ---------------------------------------------------------------------------------------


def _axis(X: Any, c: int) -> list[Any]:
    return [X[c], X[4 + c], X[8 + c]]


def _origin(X: Any) -> list[Any]:
    return [X[3], X[7], X[11]]


def _turned(w: Any, dw: Any, e: Any) -> list[Any]:
    """Second derivative of an axis that is carried along."""
    return add(cross(dw, e), cross(w, cross(w, e)))


def _total(terms: list[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _residual(kind: Kind, Xa: Any, Xb: Any) -> list[list[Any]]:
    """phi from the poses of both frames."""
    d = sub(_origin(Xb), _origin(Xa))
    shifts = [dot(_axis(Xa, i), d) for i in kind.along]
    turns = [_total([c * dot(_axis(Xa, i), _axis(Xb, j)) for c, i, j in row]) for row in kind.about]
    return [shifts + turns]


def _rate(kind: Kind, Xa: Any, Xb: Any, va: Any, vb: Any) -> list[list[Any]]:
    """d phi / dt from velocities (linear, angular) of both frames."""
    d, dd, wa, w = sub(_origin(Xb), _origin(Xa)), sub(vb[0:3], va[0:3]), va[3:6], sub(vb[3:6], va[3:6])
    shifts = [dot(cross(wa, _axis(Xa, i)), d) + dot(_axis(Xa, i), dd) for i in kind.along]
    turns = [_total([c * dot(w, cross(_axis(Xb, j), _axis(Xa, i))) for c, i, j in row]) for row in kind.about]
    return [shifts + turns]


def _drift(kind: Kind, Xa: Any, Xb: Any, va: Any, vb: Any, aa: Any, ab: Any) -> list[list[Any]]:
    """d2 phi / dt2 from velocities and accelerations of both frames."""
    d, dd, ddd = sub(_origin(Xb), _origin(Xa)), sub(vb[0:3], va[0:3]), sub(ab[0:3], aa[0:3])
    wa, wb, dwa, dwb = va[3:6], vb[3:6], aa[3:6], ab[3:6]
    shifts = []
    for i in kind.along:
        e = _axis(Xa, i)
        shifts.append(dot(_turned(wa, dwa, e), d) + 2 * dot(cross(wa, e), dd) + dot(e, ddd))
    turns = []
    for row in kind.about:
        terms = []
        for c, i, j in row:
            e, f = _axis(Xa, i), _axis(Xb, j)
            both = 2 * dot(cross(wa, e), cross(wb, f))
            terms.append(c * (dot(_turned(wa, dwa, e), f) + both + dot(e, _turned(wb, dwb, f))))
        turns.append(_total(terms))
    return [shifts + turns]


def _steps(word: str) -> dict[str, Step]:
    kind = KINDS[word]
    own: dict[str, tuple[Any, tuple[int, ...]]] = {
        "residual": (_residual, (16, 16)), "rate": (_rate, (16, 16, 6, 6)), "drift": (_drift, (16, 16, 6, 6, 6, 6)),
    }  # fmt: skip
    return {
        name: Step(f"closure_{name}_{word}", lambda *x, f=function: f(kind, *x), inputs, (kind.rows,))
        for name, (function, inputs) in own.items()
    }


CLOSE = {word: _steps(word) for word in KINDS}
STEPS = tuple(step for own in CLOSE.values() for step in own.values())

# ---- the program ---------------------------------------------------------------------------------


class End(NamedTuple):
    """One end of a loop: its frame's name (empty: the base), and the closure's frame in it."""

    frame: str
    X: Any


def ends(arm: Arm, loop: Loop) -> tuple[End, End]:
    """Both ends of every loop; on a flexible link the frame is attached to the section at its origin."""
    out = []
    for link, X in (loop.a, loop.b):
        if link is None:
            out.append(End("", X))
            continue
        frame, p = along_beam(arm, link, arm.frame(link), X[:3, 3], VERB)
        out.append(End(frame, pose(X[:3, :3], np.asarray(p, float))))
    return out[0], out[1]


def stations(arm: Arm) -> list[str]:
    """Frames of all ends."""
    return [end.frame for loop in arm.loops for end in ends(arm, loop) if end.frame]


def _place(bodies: Bodies, end: End) -> Place:
    if not end.frame:
        return Place(BASE, end.X)
    at = bodies.place(end.frame)
    return Place(at.body, at.X @ end.X)


def _way(run: Any, bodies: Bodies, end: End, q: Any) -> Reach:
    return reach_place(run, bodies, _place(bodies, end), q, run.constant(np.zeros(3)))


def coordinates(bodies: Bodies, loop: Loop) -> list[int]:
    """Coordinates that move one end of a loop, or both."""
    tree = tree_of(bodies)
    paths = [tree.path(_place(bodies, end).body) for end in ends(bodies.arm, loop)]
    return sorted({c for path in paths for k in path for c in tree.nodes[k].coordinates})


def shapes(bodies: Bodies) -> tuple[tuple[int, ...], ...]:
    """Shapes of phi, of the entries of G that are not always zero (by loop and row), and of the drift."""
    counts = [(KINDS[loop.joint].rows, len(coordinates(bodies, loop))) for loop in bodies.arm.loops]
    rows = sum(m for m, _ in counts)
    return (rows,), (sum(m * n for m, n in counts),), (rows,)


def entries(bodies: Bodies) -> tuple[Any, Any]:
    """Rows and columns of the stored entries in G."""
    rows: list[int] = []
    cols: list[int] = []
    first = 0
    for loop in bodies.arm.loops:
        moving = coordinates(bodies, loop)
        for r in range(KINDS[loop.joint].rows):
            rows += [first + r] * len(moving)
            cols += moving
        first += KINDS[loop.joint].rows
    return np.array(rows, np.intp), np.array(cols, np.intp)


def program(run: Any, bodies: Bodies) -> None:
    """Inputs q, qd; outputs phi, the entries of G, the drift."""
    n = bodies.arm.dof
    q, qd = run.input(n), run.input(n)
    still, nothing = run.constant(np.zeros(n)), run.constant(np.zeros(6))
    phi, G, drift = [], [], []
    for loop in bodies.arm.loops:
        steps = CLOSE[loop.joint]
        a, b = (_way(run, bodies, end, q) for end in ends(bodies.arm, loop))
        frames = (a.X(run), b.X(run))
        phi.append(run.apply(steps["residual"], *frames))
        by_a, by_b = columns(run, bodies, a), columns(run, bodies, b)
        own = [
            run.apply(steps["rate"], *frames, by_a.get(k, nothing), by_b.get(k, nothing))
            for k in coordinates(bodies, loop)
        ]
        G += [column[r : r + 1] for r in range(KINDS[loop.joint].rows) for column in own]
        v = [point_velocity(run, bodies, way, qd) for way in (a, b)]
        acc = [point_acceleration(run, bodies, way, qd, still) for way in (a, b)]
        drift.append(run.apply(steps["drift"], *frames, *v, *acc))
    run.output(*phi)
    run.output(*G)
    run.output(*drift)


def residual_program(run: Any, bodies: Bodies) -> None:
    """A program with phi alone, as a function of q."""
    q = run.input(bodies.arm.dof)
    for_all = [
        (loop, [_way(run, bodies, end, q).X(run) for end in ends(bodies.arm, loop)]) for loop in bodies.arm.loops
    ]
    run.output(*(run.apply(CLOSE[loop.joint]["residual"], *X) for loop, X in for_all))


def drift_program(run: Any, bodies: Bodies) -> None:
    """A program with the drift alone, to be differentiated."""
    n = bodies.arm.dof
    q, qd = run.input(n), run.input(n)
    still, drift = run.constant(np.zeros(n)), []
    for loop in bodies.arm.loops:
        ways = [_way(run, bodies, end, q) for end in ends(bodies.arm, loop)]
        v = [point_velocity(run, bodies, way, qd) for way in ways]
        acc = [point_acceleration(run, bodies, way, qd, still) for way in ways]
        drift.append(run.apply(CLOSE[loop.joint]["drift"], *(way.X(run) for way in ways), *v, *acc))
    run.output(*drift)
