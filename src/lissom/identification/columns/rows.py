"""Equations of logs: columns through the filter once, those of friction again where they change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lissom.identification.columns.friction import Frictions
from lissom.identification.columns.model import Model
from lissom.identification.columns.terms import State
from lissom.identification.fit.equations import Equations
from lissom.identification.fit.masks import Indices
from lissom.identification.signals.filters import low_pass, slope
from lissom.identification.signals.samples import Samples
from lissom.spatial.rotations import Array


class Rows:
    """The equations of one log, for all parameters of a model; torques are read later by the delay of each joint."""

    def __init__(self, model: Model, samples: Samples) -> None:
        self.samples, self._model = samples, model
        self.delays = np.zeros(samples.q.shape[1])
        self._state: State = model.state(samples)
        self._known = model.known(self._state)
        self.known = samples.filtered(self._known)
        parts = [samples.filtered(block.columns(self._state)) for block in model.blocks]
        self.columns = np.concatenate(parts, axis=-1)

    def load_with(self, x: Array) -> None:
        """Let friction depend on the torques of links with parameters x (p,)."""
        self._state = self._state._replace(link_torque=self._model.link_torque(self._state, x, self._known))
        self._renew()

    def use_friction(self, frictions: Frictions) -> None:
        """Take the columns of other friction, of the same law."""
        self._model = replace(self._model, frictions=frictions)
        self._renew()

    def use_delays(self, delays: Array) -> None:
        """Take other delays (n,) [s] of the torques."""
        self.delays = delays

    def _renew(self) -> None:
        """Compute the columns of friction."""
        columns = self._model.frictions.columns(self._state)
        self.columns[..., self._model.kinds == "friction"] = self.samples.filtered(columns)

    @property
    def measured(self) -> Array:
        """Torques (nr, n), read later by the delays."""
        return self.samples.torque(self.delays)

    @property
    def torque(self) -> Array:
        """Torques (nr, n) to be explained."""
        return np.asarray(self.measured - self.known)

    def equations(self, columns: Indices) -> Equations:
        """Rows with some of the columns (indices)."""
        return Equations(self.columns[..., columns], self.torque)

    def predicted(self, x: Array) -> Array:
        """Torques (nr, n) with parameters x (p,)."""
        return np.asarray(self.columns @ x + self.known)

    def late(self, x: Array) -> Array:
        """Change (nr, n) of the torques that appear one second late, to first order."""
        rate = self.samples.rate / self.samples.steps
        return -slope(low_pass(self.predicted(x), self.samples.cutoff_hz, rate), rate)
