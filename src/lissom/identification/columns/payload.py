"""Payloads: ten parameters of what an arm carries in some of its logs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.identification.columns.inertia import columns_of_link
from lissom.identification.columns.terms import State, Terms
from lissom.identification.fit.pseudo_inertia import COUNT, UNITS, WORDS, body_of, parameters_of, pseudo_inertia, sizes
from lissom.model.arm import Arm
from lissom.model.loads import Payload
from lissom.spatial.frames import inverse
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array

RADIUS = 0.05  # m, of the ball that the prior of a payload is
LIGHTEST = 1e-3  # of the arm's mass


@dataclass(frozen=True, eq=False)
class PayloadInertia:
    """Parameters of the payload of logs with a load, in the axes of the link that carries it.

    frame : str          name of a link or tool
    pseudo : (1, 4, 4)   the prior, which `near` makes from a first fit
    """

    load: str
    frame: str
    link: int
    terms: Terms
    pseudo: Array
    kind: str = "payload"

    @classmethod
    def of(cls, arm: Arm, load: str, frame: str, only: bool) -> PayloadInertia:
        """The payload of logs with a load; `only`: there is no other one."""
        P = _ball(arm.mass / 10, np.zeros(3))
        names = tuple(f"payload.{word}" if only else f"payload[{load}].{word}" for word in WORDS)
        terms = Terms(names, UNITS, np.zeros(COUNT), sizes(P[0]), np.zeros(COUNT, bool))
        return cls(load, frame, arm.frame(frame).link, terms, P)

    def columns(self, state: State) -> Array:
        """See `Block`."""
        here = float(state.samples.load == self.load)
        return here * columns_of_link(state.Y, self.link)

    def near(self, x: Array, arm: Arm) -> Array:
        """A prior (1, 4, 4) about parameters (10,) that may belong to no body: a ball with their mass and centre."""
        mass = max(float(x[0]), LIGHTEST * arm.mass)
        return _ball(mass, x[1:4] / mass)

    def payload(self, x: Array, arm: Arm) -> Payload:
        """The payload with parameters (10,), in the axes of its frame."""
        body = body_of(x)
        return Payload(*body.in_frame(inverse(arm.frame(self.frame).offset)))


def _ball(mass: float, com: Array) -> Array:
    radius = RADIUS + float(np.linalg.norm(com)) / 4
    return pseudo_inertia(parameters_of(Inertia(mass, com, 0.4 * mass * radius**2 * np.eye(3))))
