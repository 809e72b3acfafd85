"""What acts on an arm besides its joints: motion of the base, loads, payloads, and numbers that vary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.from_arm import INERTIA_OF_BODY, BodyNumbers, body_numbers, constants_of, placement_of
from lissom.dynamics.stations import on_frame
from lissom.dynamics.tree import Position, Tree
from lissom.engine.run import AbstractRun
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.records import filled, flat
from lissom.spatial.motions import LoadValues, Motion, Placement
from lissom.spatial.orientation import Rotation
from lissom.spatial.rotations import Array
from lissom.spatial.vectors import Matrix3, Vector3

NUMBERS = Vector3(0.0, 0.0, 0.0)
MOTION = flat(Motion(NUMBERS, NUMBERS, NUMBERS)).structure
GRAVITY = flat(NUMBERS).structure
LOAD = flat(LoadValues(NUMBERS, NUMBERS, NUMBERS)).structure
INERTIA = INERTIA_OF_BODY.size
UPRIGHT = Rotation(Matrix3(Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0)))
WORLD = Placement(UPRIGHT, NUMBERS)


class VariedNumbers(Protocol):
    """Numbers of an arm that are inputs of a program (`varied.Varied`)."""

    @property
    def size(self) -> int:
        """How many they are."""

    @property
    def geared(self) -> bool:
        """Whether friction of any joint depends on its load."""

    def filled(self, run: Any, bodies: Bodies, values: Any) -> Bodies:
        """The bodies with these values."""


class Acting(NamedTuple):
    """What acts on an arm besides its joints, as far as it varies: the inputs of a program behind the states, in order.

    It is what a program's code depends on, besides the arm; values are given with every call.

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
    varied: VariedNumbers | None = None

    @property
    def inputs(self) -> list[tuple[str, int]]:
        """Names and lengths of the inputs."""
        return [
            *[("base", MOTION.size)] * self.base,
            *[("load", LOAD.size)] * len(self.loads),
            *[("point", GRAVITY.size)] * (self.frame is not None),
            *[("payload", INERTIA)] * len(self.payloads),
            *([("arm", self.varied.size)] if self.varied is not None else []),
        ]

    @property
    def own_inputs(self) -> int:
        """Number of inputs, at the end, that describe the bodies."""
        return len(self.payloads) + (self.varied is not None)

    @property
    def geared(self) -> bool:
        """Whether friction of any joint depends on its load, by numbers that are inputs."""
        return self.varied is not None and self.varied.geared

    @property
    def of_bodies(self) -> Acting:
        """What of it concerns the bodies."""
        return Acting(payloads=self.payloads, varied=self.varied)

    def read(self, run: Any, bodies: Bodies) -> tuple[Bodies, Motion, list[Loaded]]:
        """Read base motion and loads, then the bodies; the arm's own gravity and standing loads are included."""
        motion = run.input(MOTION.size) if self.base else None
        loads = [(frame, run.input(LOAD.size)) for frame in self.loads]
        bodies = self.read_bodies(run, bodies)
        return bodies, base_motion(run, bodies, motion), placed(bodies, loads) + standing_loads(run, bodies)

    def read_bodies(self, run: Any, bodies: Bodies) -> Bodies:
        """Read payloads and varied numbers, and return the bodies with them."""
        payloads = [(frame, run.input(INERTIA)) for frame in self.payloads]
        if self.varied is not None:
            bodies = self.varied.filled(run, bodies, run.input(self.varied.size))
        return with_payloads(run, bodies, payloads)

    def read_loads(self, run: Any, bodies: Bodies) -> list[tuple[str, Any]]:
        """(frame, nine entries) of every load: the call's as inputs, the arm's own as constants."""
        return [(frame, run.input(LOAD.size)) for frame in self.loads] + _standing(run, bodies)


class Loaded(NamedTuple):
    """A load: its frame, where that is (a body or BASE, and its placement there), and its values."""

    frame: str
    body: int
    placement: Placement
    values: LoadValues


def base_motion(run: Any, bodies: Bodies, motion: Any = None) -> Motion:
    """Motion of the base, at rest without `motion` (nine entries); gravity enters as its acceleration."""
    if motion is None and ("gravity", 0) not in bodies.given:
        still: Motion = filled(MOTION, run.constant([*np.zeros(6), *(-bodies.arm.gravity)]))
        return still
    given = filled(MOTION, run.constant(np.zeros(9)) if motion is None else motion)
    fallen: Motion = run.call(_minus_gravity, given, filled(GRAVITY, bodies.gravity))
    return fallen


def _minus_gravity(base: Motion, gravity: Vector3) -> Motion:
    return Motion(base.w, base.dw, base.a - gravity)


def placed(bodies: Bodies, loads: Iterable[tuple[str, Any]]) -> list[Loaded]:
    """Loads, nine entries each, with the places of their frames."""
    places = ((frame, bodies.place(frame), nine) for frame, nine in loads)
    return [Loaded(frame, at.body, placement_of(at.row), filled(LOAD, nine)) for frame, at, nine in places]


def standing_loads(run: Any, bodies: Bodies) -> list[Loaded]:
    """The arm's standing loads."""
    return placed(bodies, _standing(run, bodies))


def _standing(run: Any, bodies: Bodies) -> list[tuple[str, Any]]:
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
            parts = body_numbers(have), filled(INERTIA_OF_BODY, payload)
            rows[k] = flat(run.call(BodyNumbers.with_payload, *parts)).entries
    return bodies.changed(constants=rows) if rows else bodies


def nine_of(load: Load) -> Array:
    """Force, moment and point of a load."""
    return np.concatenate([load.force, load.moment, load.point])


def take_loads(
    run: AbstractRun, tree: Tree, x: dict[int, Position], loads: Iterable[Loaded], force: dict[int, Any]
) -> None:
    """Subtract loads from the forces of the elements that they act on."""
    R: dict[int, Rotation] = {BASE: run.constant(UPRIGHT)}
    for load in loads:
        for i in tree.path(load.body):
            if i not in R:
                R[i] = run.call(tree.nodes[i].element.orientation, R[tree.nodes[i].parent], x[i])
        if load.body != BASE:  # what acts on the base does not reach the joints
            parts = (R[load.body], load.values, load.placement)
            force[load.body] = run.call(tree.nodes[load.body].element.minus_load, force.get(load.body), *parts)
