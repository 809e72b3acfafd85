"""Torques of an identified model along logs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

from lissom.identification.columns.extra import Extras
from lissom.identification.columns.model import Model
from lissom.identification.columns.rows import Rows
from lissom.identification.logs.log import Log
from lissom.identification.result.check import TorqueFit
from lissom.identification.signals.samples import Samples, samples_of
from lissom.model.units import units
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics


class Predictor(Protocol):
    """What a method of identification leaves: a prediction of any log's torques."""

    def fit(self, log: Log, extra: Any = None) -> TorqueFit:
        """Measured and predicted torques of a log."""
        ...


@dataclass(frozen=True, eq=False)
class TorquePredictor:
    """Parameters x (p,) of a model, the filter and the delays (n,) [s] of the torque sensors."""

    model: Model
    x: Array
    cutoff_hz: float
    delays: Array

    def fit(self, log: Log, extra: Any = None) -> TorqueFit:
        """See `Predictor`."""
        extras = Extras.of(extra, self.model.extras)
        samples = samples_of(log, self.cutoff_hz, self.model.arm)
        return self.of_samples(replace(samples, extras=extras.for_log(log, 0, 1, samples.every)), log.source)

    def of_samples(self, samples: Samples, source: str = "") -> TorqueFit:
        """The same of samples."""
        arm, s = self.model.arm, samples
        rows = Rows(self.model, s)
        rows.use_delays(self.delays)
        if "load" in self.model.frictions.law:
            rows.load_with(self.x)
        before = s.filtered(inverse_dynamics(arm, s.q, s.qd, s.qdd))
        joints = tuple(joint.name for joint in arm.joints)
        return TorqueFit(
            joints, tuple(units(arm, "tau")), s.t[s.rows], rows.measured, rows.predicted(self.x), before, source
        )
