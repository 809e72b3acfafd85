"""Inertial parameters of the links, and of payloads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.identification.columns.terms import State, Terms
from lissom.identification.fit.pseudo_inertia import (
    COUNT,
    UNITS,
    WORDS,
    made_definite,
    parameters_of,
    pseudo_inertia,
    sizes,
)
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


def carriers(arm: Arm) -> list[int]:
    """Return the link of each moving rigid body whose inertia is found: the heaviest of those welded together.

    The torques depend on the sum alone, so the other links of a body keep what is given.
    """
    root: dict[int, int] = {}
    for k, link in enumerate(arm.links):
        parent = int(arm.parent_index[k])
        if link.joint.moves:
            root[k] = k
        elif parent in root:
            root[k] = root[parent]
    bodies = dict.fromkeys(root.values())
    return [max((k for k in root if root[k] == body), key=lambda k: (arm.links[k].mass, -k)) for body in bodies]


def columns_of_link(Y: Array, link: int) -> Array:
    """Columns (nt, n, 10) of a link in the regressor of all links."""
    return Y[..., COUNT * link : COUNT * (link + 1)]


@dataclass(frozen=True, eq=False)
class LinkInertias:
    """Ten parameters about the link's frame of each moving body, without payloads.

    pseudo : (bodies, 4, 4)   the prior, positive definite also where the given link is a point or a rod
    """

    links: tuple[int, ...]
    terms: Terms
    pseudo: Array
    kind: str = "inertia"

    @classmethod
    def of(cls, arm: Arm, sought: bool = True) -> LinkInertias:
        """The inertias of an arm; none if they are not sought."""
        if not sought:
            nothing = Terms((), (), np.zeros(0), np.zeros(0), np.zeros(0, bool))
            return cls((), nothing, np.zeros((0, 4, 4)))
        links = carriers(arm)
        given = [parameters_of(arm.links[k].without_payload) for k in links]
        mass, extent = typical(np.array(given))
        pseudo = np.array([made_definite(P, mass, extent) for P in pseudo_inertia(np.concatenate(given))])
        names = tuple(f"{arm.links[k].name}.{word}" for k in links for word in WORDS)
        scale = np.concatenate([sizes(P) for P in pseudo])
        free = np.zeros(len(names), bool)
        return cls(tuple(links), Terms(names, UNITS * len(links), np.concatenate(given), scale, free), pseudo)

    def columns(self, state: State) -> Array:
        """See `Block`."""
        nothing = np.zeros((*state.samples.q.shape, 0))
        return np.concatenate([nothing, *(columns_of_link(state.Y, k) for k in self.links)], axis=-1)


def typical(parameters: Array) -> tuple[float, float]:
    """Mean mass [kg] of the links (n, 10), and their extent about their frames [m]."""
    mass = float(parameters[:, 0].mean()) or 1.0
    second = float(np.trace(pseudo_inertia(parameters.ravel()).sum(axis=0)[:3, :3]))
    return mass, float(np.sqrt(second / (mass * len(parameters)))) or 0.1
