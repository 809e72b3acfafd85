"""What acts on an arm besides its joints: motion of the base, loads, payloads, and numbers that vary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.dynamics.bending import on_frame
from lissom.dynamics.bodies import BASE, Bodies, Place
from lissom.dynamics.from_arm import constants_of, placement_of
from lissom.dynamics.tree import Position, Tree
from lissom.dynamics.vectors import add, sub
from lissom.engine.run import AbstractRun
from lissom.engine.step import Step
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.records import filled, flat
from lissom.spatial.motions import LoadValues, Motion, Placement, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.rotations import Array
from lissom.spatial.vectors import Matrix3, Vector3

if TYPE_CHECKING:
    from lissom.dynamics.varied import Varied

CONSTANTS = 22  # of a body: R0 (9), p (3), m, mc (3), I (6)
INERTIA = 10  # of them m, mc, I, the last ones
NUMBERS = Vector3(0.0, 0.0, 0.0)
MOTION = flat(Motion(NUMBERS, NUMBERS, NUMBERS)).structure
UPRIGHT = Rotation(Matrix3(Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0)))
WORLD = Placement(UPRIGHT, NUMBERS)
FALL = Step("fall", lambda base, K: [[*base[0:6], *sub(base[6:9], K)]], (9,), (9,), 3)
WITH_PAYLOAD = Step(
    "with_payload", lambda K, P: [[*[x + 0 for x in K[:12]], *add(K[12:], P)]], (CONSTANTS, INERTIA), (CONSTANTS,)
)


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
    return with_payloads(run, bodies, payloads)


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


def with_payloads(run: Any, bodies: Bodies, payloads: Iterable[tuple[str, Any]]) -> Bodies:
    """The bodies with payloads on frames, ten entries each (m, mc, I, about the origin of its body)."""
    rows: dict[int, Any] = {}
    for frame, payload in payloads:
        k = bodies.place(frame).body
        if k != BASE:  # what lies on the base does not move
            own = constants_of(bodies.list[k])
            have = rows[k] if k in rows else own if bodies.list[k].constants is not None else run.constant(own)
            rows[k] = run.apply(WITH_PAYLOAD, have, payload)
    return bodies.changed(constants=rows) if rows else bodies


def nine_of(load: Load) -> Array:
    """Force, moment and point of a load."""
    return np.concatenate([load.force, load.moment, load.point])


# ---- loads in body axes --------------------------------------------------------------------------


LOAD = flat(LoadValues(NUMBERS, NUMBERS, NUMBERS)).structure


Placed = list[tuple[Place, Any]]  # loads, nine entries each, and the places of their frames


def placed(bodies: Bodies, loads: list[tuple[str, Any]]) -> Placed:
    """Loads with the places of their frames."""
    return [(bodies.place(frame), load) for frame, load in loads]


def take_loads(run: AbstractRun, tree: Tree, x: dict[int, Position], loads: Placed, force: dict[int, Wrench]) -> None:
    """Subtract loads from the forces of the elements that they act on."""
    R: dict[int, Rotation] = {BASE: run.constant(UPRIGHT)}
    for place, load in loads:
        for i in tree.path(place.body):
            if i not in R:
                R[i] = run.call(tree.nodes[i].element.orientation, R[tree.nodes[i].parent], x[i])
        if place.body != BASE:  # what acts on the base does not reach the joints
            parts = (R[place.body], filled(LOAD, load), placement_of(place.row))
            force[place.body] = run.call(tree.nodes[place.body].element.minus_load, force.get(place.body), *parts)
