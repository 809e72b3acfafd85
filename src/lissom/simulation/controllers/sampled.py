"""The contract of controllers that act at sampling times and hold their torques in between."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.model.arm import Arm
from lissom.simulation.controllers.base import Controller
from lissom.simulation.controllers.law import LoopState
from lissom.spatial.rotations import Array


class Sampler(ABC):
    """What a sampled controller does at its sampling times, for many runs at once."""

    @abstractmethod
    def __call__(self, k: int, q: Array, qd: Array, z: Array | None, rows: range) -> Array:
        """Return the states (runs, states) after sampling time k = 0, 1, ...

        Parameters
        ----------
        q, qd : (runs, dof)      state of the arms at that time
        z : (runs, states) or None   states since the sampling time before; None at k = 0
        rows : range             numbers of the runs in their ensemble
        """

    @property
    @abstractmethod
    def content(self) -> tuple[Any, ...]:
        """Everything that its results depend on, for fingerprints."""


class SampledController(Controller):
    """Base class of controllers that act at sampling times 0, `every`, 2 `every` ... and hold their torques in between.

    Their states change at sampling times only. The last of them are the torques of the actuated coordinates.
    """

    @property
    @abstractmethod
    def every(self) -> float:
        """Sampling time [s]."""

    @property
    def instability(self) -> str:
        """What to say where the controller makes its own model unstable, a sentence; empty if it does not."""
        return ""

    @abstractmethod
    def sampler(self, arm: Arm, arms: Sequence[Arm] | None) -> Sampler:
        """Return what happens at sampling times; `arms`: the arm of every run, where they differ."""

    def program(self, now: LoopState) -> tuple[list[Any], Any]:
        """Return the held torques, and rates of zero."""
        nothing = now.run.constant([0.0])
        driven = np.flatnonzero(now.arm.actuated).tolist()
        first = len(now.z) - len(driven)
        held = {k: now.z[first + i : first + i + 1] for i, k in enumerate(driven)}
        rates = now.run.constant(np.zeros(len(now.z)))
        return [held.get(k, nothing) for k in range(now.arm.dof)], rates
