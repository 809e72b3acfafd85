"""The equation of the fit: measured torque = known torque + columns times parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.identification.columns.drives import Armatures
from lissom.identification.columns.extra import Extras
from lissom.identification.columns.friction import Frictions
from lissom.identification.columns.inertia import LinkInertias
from lissom.identification.columns.terms import Block, Bodies, State, Terms
from lissom.identification.fit.masks import Mask
from lissom.identification.signals.samples import Samples
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.link import Link
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.sensitivity import regressor


@dataclass(frozen=True, eq=False)
class Model:
    """Blocks of columns of an arm, in the order of its parameters."""

    arm: Arm
    inertias: LinkInertias
    armatures: Armatures
    frictions: Frictions
    extras: Extras
    payloads: tuple[Bodies, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks; inertias first, distal parameters regroup into proximal ones before them."""
        return (self.inertias, *self.payloads, self.armatures, self.frictions, self.extras)

    @cached_property
    def terms(self) -> Terms:
        """All parameters."""
        return Terms.joined([block.terms for block in self.blocks])

    @cached_property
    def kinds(self) -> NDArray[np.str_]:
        """The kind of the block of each parameter (p,)."""
        return np.concatenate([np.full(len(block.terms.names), block.kind) for block in self.blocks])

    @cached_property
    def bodies(self) -> Mask:
        """Whether a parameter is one of a link's or payload's ten (p,)."""
        return np.asarray(np.isin(self.kinds, ("inertia", "payload")))

    @cached_property
    def bare(self) -> Arm:
        """The arm without the drive inertia and friction that are to be found."""
        words: dict[str, Any] = {"armature": 0.0, "rotor_inertia": 0.0}
        words |= {"damping": 0.0} if "viscous" in self.frictions.law else {}
        words |= {"friction": 0.0} if "coulomb" in self.frictions.law else {}
        links = [_with_joint(link, words) for link in self.arm.links]
        return self.arm.replace(links=links)

    def with_law(self, law: Sequence[str]) -> Model:
        """The model with another friction law."""
        return replace(self, frictions=Frictions.of(self.arm, tuple(law), self.frictions.rates, self.frictions.smooth))

    def state(self, samples: Samples) -> State:
        """What the columns are functions of; friction does not depend on load yet."""
        Y = regressor(self.arm, samples.q, samples.qd, samples.qdd)
        return State(samples, Y, np.zeros_like(samples.q))

    def columns(self, state: State) -> Array:
        """(nt, n, p)."""
        return np.concatenate([block.columns(state) for block in self.blocks], axis=-1)

    def known(self, state: State) -> Array:
        """Torques (nt, n) of what is given and not sought: payloads, welded links, springs, standing loads."""
        s = state.samples
        of_links = self.inertias.columns(state) @ self.inertias.terms.prior
        return np.asarray(inverse_dynamics(self.bare, s.q, s.qd, s.qdd) - of_links)

    def link_torque(self, state: State, x: Array, known: Array) -> Array:
        """Torques (nt, n) of links and payloads with parameters x (p,): the load of the joints' friction."""
        columns = np.concatenate([block.columns(state) for block in (self.inertias, *self.payloads)], axis=-1)
        return np.asarray(columns @ x[: columns.shape[-1]] + known)


def _with_joint(link: Link, words: dict[str, Any]) -> Link:
    """A link with fields of its joint changed, if that moves."""
    return link.replace(joint=link.joint.replace(**words)) if link.joint.moves else link
