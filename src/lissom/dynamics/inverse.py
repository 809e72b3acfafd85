"""Inverse dynamics: recursive Newton-Euler in body axes.

Outward, each body gets its angular velocity w, angular acceleration dw and the acceleration a of
its origin minus gravity (Luh, Walker and Paul 1980; gravity as an acceleration of the base):

    w  = R^T w' + z qd                    dw = R^T dw' + z qdd + R^T w' x z qd          (revolute)
    a  = R^T (a' + dw' x p + w' x (w' x p))   [+ z qdd + 2 w x z qd, p + z q            (prismatic)]

Its inertia resists with F = m a + W mc and N = I dw + w x I w + mc x a, where W = [dw] + [w]^2 and
everything is about the body's origin. Inward, F and N are summed over what a body carries; the
joint takes the part along z. The constants of a body are R0 (9), p (3), m, mc (3), I (6).

A flexible link adds its beam behind the joint's body (`flexing`): outward the motion of its tip, inward the force
of the beam and of its tip on the joint's body, and one force per mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.dynamics.bending import on_frame
from lissom.dynamics.bodies import BASE, Bodies, Body
from lissom.dynamics.drives import drive_of
from lissom.dynamics.moves import STEPS as MOVES, moves
from lissom.dynamics.vectors import (
    add,
    columns_turned,
    cross,
    product,
    scale,
    sub,
    symmetric_times,
    times,
    transposed,
    turned_about_z,
    turned_back,
)
from lissom.engine.step import Step
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.spatial.rotations import Array
from lissom.spatial.scalar import sign

if TYPE_CHECKING:
    from lissom.dynamics.varied import Varied

CONSTANTS = 22
INERTIA = 10  # of them m, mc, I, the last ones


def constants_of(body: Body) -> Any:
    """R0 (9), p (3), m, mc (3), I (6) of a body."""
    if body.constants is not None:
        return body.constants
    I = body.inertia
    six = [I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
    return [*map(float, (*body.R.ravel(), *body.p, body.mass, *body.moment, *six))]


def _spin(w: Sequence[Any], dw: Sequence[Any]) -> list[Any]:
    """W = [dw] + [w]^2, nine entries."""
    x, y, z = w
    dx, dy, dz = dw
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return [-(yy + zz), xy - dz, xz + dy, xy + dz, -(xx + zz), yz - dx, xz - dy, yz + dx, -(xx + yy)]


def _body_force(w: Any, dw: Any, a: Any, K: Sequence[Any]) -> list[Any]:
    """F and N of a body from its motion."""
    m, mc, I = K[12], K[13:16], K[16:22]
    F = add(scale(m, a), times(_spin(w, dw), mc))
    N = add(add(symmetric_times(I, dw), cross(w, symmetric_times(I, w))), cross(mc, a))
    return F + N


def _tip_force(motion: Any, K: Any) -> list[Any]:
    """F and N of a rigid body on a tip: K = m, mc (3), I (6)."""
    return _body_force(motion[0:3], motion[3:6], motion[6:9], [None] * 12 + list(K))


def _outward_revolute(motion: Any, turn: Any, qd: Any, qdd: Any, K: Any) -> list[list[Any]]:
    """(w, dw, a) of the parent -> (w, dw, a), (F, N)."""
    R0t, p = transposed(K[0:9]), K[9:12]
    w0, dw0, a0 = motion[0:3], motion[3:6], motion[6:9]
    c, s = turn
    u = turned_back(c, s, times(R0t, w0))
    v = turned_back(c, s, times(R0t, dw0))
    w = [u[0], u[1], u[2] + qd[0]]
    dw = [v[0] + u[1] * qd[0], v[1] - u[0] * qd[0], v[2] + qdd[0]]
    a = turned_back(c, s, times(R0t, add(a0, times(_spin(w0, dw0), p))))
    return [w + dw + a, _body_force(w, dw, a, K)]


def _outward_prismatic(motion: Any, q: Any, qd: Any, qdd: Any, K: Any) -> list[list[Any]]:
    R0t = transposed(K[0:9])
    w0, dw0, a0 = motion[0:3], motion[3:6], motion[6:9]
    r = slid(q, K)
    w, dw = times(R0t, w0), times(R0t, dw0)
    a = times(R0t, add(a0, times(_spin(w0, dw0), r)))
    a = [a[0] + 2 * (w[1] * qd[0]), a[1] - 2 * (w[0] * qd[0]), a[2] + qdd[0]]
    return [w + dw + a, _body_force(w, dw, a, K)]


def slid(q: Any, K: Any) -> list[Any]:
    """Origin of a body behind a prismatic joint, in its parent's frame."""
    R0, p = K[0:9], K[9:12]
    return [p[0] + R0[2] * q[0], p[1] + R0[5] * q[0], p[2] + R0[8] * q[0]]


def _inward_revolute(below: Any, force: Any, turn: Any, K: Any) -> list[list[Any]]:
    """(F, N) carried by the parent, plus this body's."""
    R0, p = K[0:9], K[9:12]
    F = times(R0, turned_about_z(turn[0], turn[1], force[0:3]))
    N = times(R0, turned_about_z(turn[0], turn[1], force[3:6]))
    return [add(below[0:3], F) + add(below[3:6], add(N, cross(p, F)))]


def _inward_prismatic(below: Any, force: Any, q: Any, K: Any) -> list[list[Any]]:
    R0, r = K[0:9], slid(q, K)
    F, N = times(R0, force[0:3]), times(R0, force[3:6])
    return [add(below[0:3], F) + add(below[3:6], add(N, cross(r, F)))]


def _drive(tau: Any, q: Any, qd: Any, qdd: Any, K: Any) -> list[list[Any]]:
    """Drive inertia, damping, friction and spring of a joint: K = armature, damping, friction, stiffness, rest."""
    passive = K[1] * qd[0] + K[2] * sign(qd[0]) + K[3] * (q[0] - K[4])
    return [[tau[0] + (K[0] * qdd[0] + passive)]]


def _orient_revolute(R: Any, turn: Any, K: Any) -> list[list[Any]]:
    """World orientation (9) of a body from its parent's."""
    return [columns_turned(product(R, K[0:9]), *turn)]


def _orient_prismatic(R: Any, _q: Any, K: Any) -> list[list[Any]]:
    return [product(R, K[0:9])]


def _unload(force: Any, R: Any, load: Any, K: Any) -> list[list[Any]]:
    """Subtract a load (force, moment in the world; point on the link) from (F, N); K is the link's pose on the body."""
    Rt = transposed(R)
    point = add(times(K[0:9], load[6:9]), K[9:12])
    F = times(Rt, load[0:3])
    N = add(times(Rt, load[3:6]), cross(point, F))
    return [sub(force[0:3], F) + sub(force[3:6], N)]


OUT_R = Step("out_r", _outward_revolute, (9, 2, 1, 1), (9, 6), CONSTANTS)
OUT_P = Step("out_p", _outward_prismatic, (9, 1, 1, 1), (9, 6), CONSTANTS)
IN_R = Step("in_r", _inward_revolute, (6, 6, 2), (6,), CONSTANTS)
IN_P = Step("in_p", _inward_prismatic, (6, 6, 1), (6,), CONSTANTS)
DRIVE = Step("drive", _drive, (1, 1, 1, 1), (1,), 5)
ORIENT_R = Step("orient_r", _orient_revolute, (9, 2), (9,), CONSTANTS)
ORIENT_P = Step("orient_p", _orient_prismatic, (9, 1), (9,), CONSTANTS)
SUM6 = Step("sum_6", lambda a, b: [add(a, b)], (6, 6), (6,))
TIP_FORCE = Step("tip_force", lambda motion, K: [_tip_force(motion, K)], (9,), (6,), INERTIA)
UNLOAD = Step("unload", _unload, (6, 9, 9), (6,), 12)
FALL = Step("fall", lambda base, K: [[*base[0:6], *sub(base[6:9], K)]], (9,), (9,), 3)
LADEN = Step("laden", lambda K, P: [[*[x + 0 for x in K[:12]], *add(K[12:], P)]], (CONSTANTS, INERTIA), (CONSTANTS,))
STEPS = (*MOVES, LADEN, OUT_R, OUT_P, IN_R, IN_P, DRIVE, ORIENT_R, ORIENT_P, SUM6, TIP_FORCE, UNLOAD,
         FALL)  # fmt: skip


class Setting(NamedTuple):
    """Inputs of a program besides the joints: loads, base motion, output frame, payloads, varied numbers.

    loads : frames of the loads that are inputs of the call, nine entries each (force, moment, point)
    base : whether the base's motion is an input, nine entries (w, dw, a)
    frame : the output frame, whose point is an input
    payloads : frames whose payload is an input, ten entries each (m, mc, I, about the origin of its body)
    varied : what of the arm itself is an input, one row
    """

    loads: tuple[str, ...] = ()
    base: bool = False
    frame: str | None = None
    payloads: tuple[str, ...] = ()
    varied: Varied | None = None

    @property
    def own_inputs(self) -> int:
        """Number of inputs, at the end, that describe the bodies."""
        return len(self.payloads) + (self.varied is not None)

    @property
    def of_bodies(self) -> Setting:
        """The setting reduced to what concerns the bodies."""
        return Setting(payloads=self.payloads, varied=self.varied)


class Acting(NamedTuple):
    """Inputs of a program besides the state: bodies, base motion, loads by frame."""

    bodies: Bodies
    base: Any
    loads: list[tuple[str, Any]]


def read_acting(run: Any, bodies: Bodies, setting: Setting) -> Acting:
    """Read base motion, loads, payloads and varied numbers from the inputs."""
    motion = run.input(9) if setting.base else None
    loads = [(frame, run.input(9)) for frame in setting.loads]
    bodies = read_bodies(run, bodies, setting)
    return Acting(bodies, base_motion(run, bodies, motion), loads + standing_loads(run, bodies))


def read_bodies(run: Any, bodies: Bodies, setting: Setting) -> Bodies:
    """Read the bodies, with payloads and varied numbers that are inputs."""
    payloads = [(frame, run.input(INERTIA)) for frame in setting.payloads]
    if setting.varied is not None:
        bodies = setting.varied.filled(run, bodies, run.input(setting.varied.size))
    return laden(run, bodies, payloads)


def base_motion(run: Any, bodies: Bodies, motion: Any = None) -> Any:
    """(w, dw, a) of the base, at rest without `motion`; gravity enters as its acceleration."""
    if motion is None and ("gravity", 0) not in bodies.given:
        return run.constant([*np.zeros(6), *(-bodies.arm.gravity)])
    return run.apply(FALL, run.constant(np.zeros(9)) if motion is None else motion, constants=bodies.gravity)


def read_loads(run: Any, bodies: Bodies, setting: Setting) -> list[tuple[str, Any]]:
    """(frame, nine entries) of every load: the call's as inputs, the arm's own as constants."""
    return [(frame, run.input(9)) for frame in setting.loads] + standing_loads(run, bodies)


def standing_loads(run: Any, bodies: Bodies) -> list[tuple[str, Any]]:
    """(frame, nine entries) of the arm's standing loads."""
    standing = [on_frame(bodies.arm, load) for load in bodies.arm.loads]
    given = [bodies.given.get(("load", k)) for k in range(len(standing))]
    return [
        (frame, run.constant(nine_of(load)) if own is None else own)
        for (frame, load), own in zip(standing, given, strict=True)
    ]


def standing_frames(arm: Arm) -> list[str]:
    """Frames of the arm's standing loads."""
    return [on_frame(arm, load)[0] for load in arm.loads]


def laden(run: Any, bodies: Bodies, payloads: Iterable[tuple[str, Any]]) -> Bodies:
    """The bodies with payloads on frames, ten entries each (m, mc, I, about the origin of its body)."""
    rows: dict[int, Any] = {}
    for frame, payload in payloads:
        k = bodies.place(frame).body
        if k != BASE:  # what lies on the base does not move
            own = constants_of(bodies.list[k])
            have = rows[k] if k in rows else own if bodies.list[k].constants is not None else run.constant(own)
            rows[k] = run.apply(LADEN, have, payload)
    return bodies.changed(constants=rows)


def nine_of(load: Load) -> Array:
    """Force, moment and point of a load."""
    return np.concatenate([load.force, load.moment, load.point])


def joint_torques(run: Any, bodies: Bodies, q: Any, qd: Any, qdd: Any, base: Any, loads: Any) -> list[Any]:
    """Joint torques by the recursion; one vector of length one per coordinate."""
    if bodies.coupling is not None:
        tree, q, qd, qdd = bodies.expanded(run, q, qd, qdd)
        return bodies.coupling.force(run, joint_torques(run, tree, q, qd, qdd, base, loads))
    if bodies.linear:
        from lissom.dynamics.book import forces

        return forces.joint_torques(run, bodies, q, qd, qdd, base, loads)
    n = len(bodies)
    constants = [constants_of(body) for body in bodies.list]
    modal: dict[int, Any] = {}
    motion: list[Any] = [None] * n
    force: list[Any] = [None] * n
    move = moves(run, bodies, q)
    for i, body in enumerate(bodies.list):
        before = base if body.parent == BASE else motion[body.parent]
        state = (move[i], bodies.own(qd, i), bodies.own(qdd, i))
        if body.beam_owner >= 0 and not body.mount:  # a place along a beam: only what pushes there
            force[i] = run.constant(np.zeros(6))
            continue
        if body.beam is not None:
            beam = body.beam
            motion[i] = run.apply(beam.step("motion"), before, *state, constants=beam.values)
            if body.mount:
                force[i] = run.apply(TIP_FORCE, motion[i], constants=constants[i][12:])
                continue
            felt, modal[i] = run.apply(beam.step("force"), before, *state, constants=beam.values)
            if body.parent != BASE:
                force[body.parent] = run.apply(SUM6, force[body.parent], felt)
            force[i] = run.apply(TIP_FORCE, motion[i], constants=constants[i][12:])
            continue
        step = OUT_P if body.prismatic else OUT_R
        motion[i], force[i] = run.apply(step, before, *state, constants=constants[i])
    _take_loads(run, bodies, move, constants, force, loads)
    tau: list[Any] = [None] * bodies.dof
    nothing = run.constant(np.zeros(6))
    for i in range(n - 1, -1, -1):
        body = bodies.list[i]
        if body.beam is not None:
            below = nothing if body.parent == BASE else force[body.parent]
            tip = i if body.beam_owner < 0 else body.beam_owner
            parts = (below, modal[tip], force[i], bodies.own(q, i))
            below, modal[tip] = run.apply(body.beam.step("inward"), *parts, constants=body.beam.values)
            for k, c in enumerate(bodies.coordinates(i)):
                tau[c] = modal[tip][k : k + 1]
            if body.parent != BASE:
                force[body.parent] = below
            continue
        turn = force[i][2:3] if body.prismatic else force[i][5:6]
        state = tuple(bodies.own(x, i) for x in (q, qd, qdd))
        tau[body.coordinate] = driven(run, body, turn, *state)
        if body.parent != BASE:
            step = IN_P if body.prismatic else IN_R
            force[body.parent] = run.apply(step, force[body.parent], force[i], move[i], constants=constants[i])
    return tau


def driven(run: Any, body: Body, tau: Any, q: Any, qd: Any, qdd: Any) -> Any:
    """A joint's torque with its drive's inertia, damping, friction and spring."""
    row = drive_of(body)
    return run.apply(DRIVE, tau, q, qd, qdd, constants=row) if row is not None else tau


def _take_loads(run: Any, bodies: Bodies, move: Any, constants: Any, force: Any, loads: Any) -> None:
    """Subtract loads from the forces of the bodies they act on."""
    R: dict[int, Any] = {BASE: run.constant(np.eye(3).ravel())}
    for frame, load in loads:
        place = bodies.place(frame)
        if place.body == BASE:
            continue  # it pushes on the base
        for k in reversed(bodies.ancestors(place.body)):
            body = bodies.list[k]
            if k not in R and body.beam is not None:
                R[k] = run.apply(body.beam.step("turn"), R[body.parent], move[k], constants=body.beam.values)
            elif k not in R:
                step = ORIENT_P if body.prismatic else ORIENT_R
                R[k] = run.apply(step, R[body.parent], move[k], constants=constants[k])
        force[place.body] = run.apply(UNLOAD, force[place.body], R[place.body], load, constants=place.row)


def program(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, qdd, then as `read_acting`; output tau."""
    n = bodies.dof
    q, qd, qdd = run.input(n), run.input(n), run.input(n)
    bodies, base, loads = read_acting(run, bodies, setting)
    run.output(*joint_torques(run, bodies, q, qd, qdd, base, loads))


def program_at_rest(run: Any, bodies: Bodies, setting: Setting, rates: bool) -> None:
    """Input q, and qd when `rates`, then as `read_acting`; output tau at zero acceleration."""
    n = bodies.dof
    q = run.input(n)
    nothing = run.constant(np.zeros(n))
    qd = run.input(n) if rates else nothing
    bodies, base, loads = read_acting(run, bodies, setting)
    run.output(*joint_torques(run, bodies, q, qd, nothing, base, loads))
