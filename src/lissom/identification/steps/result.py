"""What ``method="steps"`` returns: the table, positions of all windows, and predictions for other logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import listed
from lissom.identification.correlation import memory
from lissom.identification.logs.log import Log
from lissom.identification.parameters import Numbers
from lissom.identification.result.check import TorqueFit
from lissom.identification.result.identification import Identification
from lissom.identification.result.table import CERTAIN, ParameterTable
from lissom.identification.signals.filters import shifted
from lissom.identification.steps.fit import Fit, Fitter, State
from lissom.identification.steps.measured import Measured
from lissom.identification.steps.plant import Plant
from lissom.identification.steps.windows import Integration
from lissom.spatial.rotations import Array

COLOURED = 5.0  # times the spread of white noise: residuals that move slowly are errors of the model


class Outcome(NamedTuple):
    """The last fit; coordinates and standard deviations of all numbers, the delays last; which are identifiable."""

    found: Fit
    x: Array
    std: Array
    known: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class StepsPredictor:
    """Predictions over windows of any log, whose initial states are fitted to it.

    late : (joints,)      times by which torques are logged late [s], besides that of `at`
    channels : names      of the measured positions that were fitted: others have delays that were not
    """

    numbers: Numbers
    at: State
    window: float
    held: bool
    late: Array
    channels: tuple[str, ...]

    def fit(self, log: Log, extra: Any = None) -> TorqueFit:
        """Measured positions of all windows, those of the simulated arm, and those of the arm before."""
        measured = Measured.of(self.numbers.arm, [on_time(self._fitted(log), self.late)], self.window, self.held)
        steps = Integration(Plant(self.numbers), measured)
        nothing = np.zeros(len(self.numbers) + 2, bool)
        guess = measured.first_states()
        pair = [
            Fitter(steps, nothing, lambda _: None).run(State(factor * self.at.x, self.at.delays, guess)).residuals
            for factor in (1.0, 0.0)
        ]
        return _compared(measured, [log], 0, *pair)

    def _fitted(self, log: Log) -> Log:
        """A log without the second encoders that were not fitted."""
        if log.second is None:
            return log
        had = [f"second[{joint.name}]" in self.channels for joint in self.numbers.arm.joints]
        return replace(log, second=np.where(had, log.second, np.nan) if any(had) else None)


def on_time(log: Log, late: Array) -> Log:
    """A log whose torques are read later by `late` (joints,) [s]."""
    return log if not late.any() else replace(log, tau=shifted(log.tau, log.rate, late))


def result(measured: Measured, logs: Sequence[Log], outcome: Outcome, predictor: StepsPredictor) -> Identification:
    """The record of a fit."""
    numbers, found = predictor.numbers, outcome.found
    nothing = np.zeros(len(numbers) + 2, bool)
    steps = Integration(Plant(numbers), measured)
    before = Fitter(steps, nothing, lambda _: None).run(State(0 * found.at.x, found.at.delays, measured.first_states()))
    fits = tuple(_compared(measured, logs, i, found.residuals, before.residuals) for i in range(len(logs)))
    joints = len(numbers.arm.joints)
    arm = numbers.arm_at(found.at.x)
    sources = ", ".join(f"{log.source or 'log'} ({log.duration:.4g} s at {log.rate:.4g} Hz)" for log in logs)
    what = listed(numbers.names, 12)
    note = f"{what} identified from {sources}, by simulation over windows of {predictor.window:.3g} s."
    return Identification(
        arm.replace(notes=(*arm.notes, note)), numbers.arm, _table(numbers, measured, outcome),
        fits, predictor, predictor.late + found.at.delays[0], np.full(joints, _finite(outcome.std[-2])), method="steps",
        notes=_notes(numbers, outcome),
    )  # fmt: skip


def _table(numbers: Numbers, measured: Measured, outcome: Outcome) -> ParameterTable:
    """Rows of all numbers, and one of the delay of second encoders where there are some."""
    table = numbers.table(outcome.x, outcome.std[:-2], outcome.known)
    late, std = outcome.found.at.delays[1], outcome.std[-1]
    if not measured.second.any() or not np.isfinite(std):
        return table
    sure = abs(late) > CERTAIN * std
    columns = (
        (table.values, late),
        (table.std, std),
        (table.prior, 0.0),
        (table.used, late),
        (table.identifiable, sure),
    )
    return ParameterTable(
        (*table.names, "second.delay"), (*table.units, "s"), *(np.append(old, new) for old, new in columns)
    )


def _finite(x: float) -> float:
    return float(x) if np.isfinite(x) else np.nan


def _compared(measured: Measured, logs: Sequence[Log], i: int, residuals: Array, before: Array) -> TorqueFit:
    """Positions of all windows of log i, one after the other."""
    own = measured.lanes.log == i
    rows = (measured.lanes.start[own][:, None] + np.arange(1, measured.count + 1)).ravel()
    y = measured.y[i][rows]

    def in_a_row(r: Array) -> Array:
        return r[:, own].swapaxes(0, 1).reshape(y.shape)

    t = logs[i].t[rows]
    return TorqueFit(
        measured.channels, measured.units, t, y, y - in_a_row(residuals), y - in_a_row(before), logs[i].source,
        quantity="position",
    )  # fmt: skip


def _notes(numbers: Numbers, outcome: Outcome) -> tuple[str, ...]:
    out = []
    lost = [name for name, known in zip(numbers.names, outcome.known, strict=True) if not known]
    if lost:
        one = len(lost) == 1
        out.append(
            f"{listed(lost, 8)} {'is' if one else 'are'} not identifiable from these logs and "
            f"{'keeps' if one else 'keep'} what is given: the motion hardly excites "
            f"{'it' if one else 'them'}, or only in combination with others."
        )
    if not outcome.found.converged:
        out.append(
            "the search did not converge: give an arm closer to the real one, other windows, or fewer parameters."
        )
    slow = memory(outcome.found.residuals)
    if slow.max() > COLOURED:
        out.append(
            f"errors are correlated in time ({slow.max():.0f} times the spread of white noise): the model lacks "
            "something, such as friction, another mode, or a delay between sensors. Standard deviations allow for the "
            "correlation, not for what is missing."
        )
    return tuple(out)
