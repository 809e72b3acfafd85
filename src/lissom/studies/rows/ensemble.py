"""Rows that are runs of a simulation, evaluated as an ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import LissomError
from lissom.model.arm import Arm
from lissom.simulation.controllers import Controller
from lissom.simulation.signals import Profile
from lissom.studies.plan import verbs
from lissom.studies.plan.design import Columns
from lissom.studies.rows.block import FAILED, Block, Row
from lissom.studies.rows.lanes import Lanes
from lissom.studies.rows.single import attempted
from lissom.studies.rows.stacking import single

FIXED = (None, "rk4", "rk8")
TRIED = 4  # rows that choose the step of all


class Ensemble(Lanes):
    """Rows that are runs of a simulation."""

    most = 256

    def suits(self) -> bool:
        given = self.study.arguments
        together = self.study.evaluate == "simulate" and given.get("method") in FIXED and "payloads" not in given
        together = together and self.study.roots <= {"q0", "qd0", "tau", "loads", "arm"} and not self.study.arm.loops
        together = together and not _is_function(given.get("tau")) and all(single(value) for value in given.values())
        return together and self.stacks() and all(_sticking(arm) == _sticking(self.study.arm) for arm in self.samples)

    def settled(self) -> bool:
        return bool(self.settings) or self.study.arguments.get("dt") is not None

    def slow(self, method: str) -> bool:
        """Whether rows are quicker one by one: adaptive steps of many runs under references that change with time.

        Seven joints with friction that follow a motion take 2.7 times as long together as alone; with a fixed reference
        a sixth, and with fixed steps a fiftieth of that time.
        """
        tau = self.study.arguments.get("tau")
        return method == "rodas" and isinstance(tau, Controller) and any(s.varies for s in tau.signals(self.study.arm))

    def report(self, rows: NDArray[np.int64]) -> Any:
        """Return the settings chosen for some rows; None where they cannot be evaluated together."""
        try:
            return self.together(self.study.values(rows)).report if len(rows) else None
        except LissomError:
            return None

    def together(self, values: Columns) -> Any:
        subjects = self.subjects(values)
        arm, count = self.study.arm, len(subjects) + len(self.samples)
        if self.samples:
            self.varied.rows([subject["arm"] for subject in subjects])  # they differ in what the samples differ in
        subjects += [subjects[0] | {"arm": sample} for sample in self.samples]
        given = self.arguments(subjects) | self.settings
        start = arm.home if given.get("q0") is None else np.asarray(given["q0"], float)
        given["q0"] = np.broadcast_to(start, (count, start.shape[-1]))
        if self.samples:
            given["arms"] = [subject["arm"] for subject in subjects]
        run = verbs.function_of("simulate")(arm, **given, threads=1, on_failure="return")
        if run.interrupted:
            raise KeyboardInterrupt
        return run

    def parted(self, record: Any, rows: NDArray[np.int64]) -> Block:
        shared: dict[str, Any] = {}
        return Block.of(rows, [self._run(record, k, shared) for k in range(len(rows))])

    def _run(self, record: Any, k: int, shared: dict[str, Any]) -> Row:
        if k in record.failures:
            return Row({}, FAILED, record.failures[k])
        return attempted(self.study, lambda: _Member(record, k, shared) if self.samples else record.member(k))


class _Member:
    """A run of an ensemble of different arms; positions of points are computed for all runs together."""

    FOR_ALL = ("tip", "tip_velocity", "tip_deflection")

    def __init__(self, run: Any, k: int, shared: dict[str, Any]):
        self._run, self._k, self._shared, self._own = run, k, shared, run.member(k)

    def __getattr__(self, word: str) -> Any:
        if word not in self.FOR_ALL:
            return getattr(self._own, word)
        if word not in self._shared:
            self._shared[word] = getattr(self._run, word)
        return self._shared[word][self._k, : len(self._own.t)]


def _sticking(arm: Arm) -> list[bool]:
    """Return which joints have friction that can hold them."""
    return [bool(sticks) for sticks in arm.sticks]


def _is_function(tau: Any) -> bool:
    if isinstance(tau, Controller):
        return not tau.compiled
    return callable(tau) and not isinstance(tau, Profile)
