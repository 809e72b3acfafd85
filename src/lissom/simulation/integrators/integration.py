"""The result of an integrator: states at the requested times, failures and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.simulation.events import EventHit
from lissom.simulation.outcome import Failure
from lissom.spatial.rotations import Array


class Integration(NamedTuple):
    """States (runs, nt, state) at times (nt,): q, qd, z, work (3), friction states (and lags); NaN after a run's end.

    ends : (runs,)      index of the last good sample of every run
    failures : by run   why it ended early
    stopped : by run    the event that ended it
    trails : by run     times and states of all steps, where links form closed loops
    notes :             sentences for the report
    poses : by run      (dof,) the last good one of runs that failed, also between samples
    """

    t: Array
    states: Array
    ends: NDArray[np.intp]
    events: list[EventHit]
    failures: dict[int, Failure]
    stopped: dict[int, str]
    steps: int
    evaluations: int
    interrupted: bool = False
    trails: Sequence[tuple[Array, Array]] = ()
    notes: tuple[str, ...] = ()
    poses: Mapping[int, Array] = MappingProxyType({})

    def ended(self) -> Integration:
        """Return a single run without the samples after its end."""
        end = int(self.ends[0]) + 1
        return self._replace(t=self.t[:end], states=self.states[:, :end])
