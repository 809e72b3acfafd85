"""The equation of the fit: measured torque = known torque + columns times parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lissom.identification.columns.drives import Armatures
from lissom.identification.columns.extra import Extras
from lissom.identification.columns.friction import Frictions
from lissom.identification.columns.inertia import LinkInertias
from lissom.identification.columns.payload import PayloadInertia
from lissom.identification.columns.terms import Block, State, Terms
from lissom.identification.fit.masks import Mask
from lissom.identification.signals.samples import Samples
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.joint import Joint
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
    payloads: tuple[PayloadInertia, ...] = ()

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
        return self.arm.replace(links=[link.replace(joint=self._bare(link.joint)) for link in self.arm.links])

    def _bare(self, joint: Joint) -> Joint:
        """A joint without what is to be found of it; mimic joints count at the joint that they follow."""
        if not joint.moves:
            return joint
        rubs, driven = bool(self.frictions.law), bool(self.armatures.driven.any()) and joint.actuated
        words = {"armature": driven, "rotor_inertia": driven, "damping": rubs, "friction": rubs}
        return joint.replace(**{word: 0.0 for word, sought in words.items() if sought})

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
        blocks: tuple[Block, ...] = (self.inertias, *self.payloads)
        columns = np.concatenate([block.columns(state) for block in blocks], axis=-1)
        return np.asarray(columns @ x[: columns.shape[-1]] + known)
