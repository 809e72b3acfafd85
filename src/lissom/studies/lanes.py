"""Rows evaluated together: states of a batch, runs of an ensemble.

Where only states, gains, loads or numbers of the arm vary, the rows of a chunk go to the compiled code together. A row
gives the same bits alone and in any company.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.alike import refuse_unlike
from lissom.dynamics.varied import Varied
from lissom.errors import LissomError
from lissom.kernels.arguments import as_state
from lissom.kernels.batch_of_arms import call_each, places
from lissom.kernels.loads import NO_LOADS
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.studies import verbs
from lissom.studies.block import FAILED, OK, Block, Told, gathered, joined
from lissom.studies.design import Columns
from lissom.studies.evaluation import attempted, called, outcome, quietly, refuse_taken
from lissom.studies.output import columns_of_rows
from lissom.studies.stacking import NotAlike, single, stacked
from lissom.studies.study import RESERVED, Study

FIXED = (None, "rk4", "rk8")
TRIED = 4  # rows that choose the step of all
SPREAD = (0.13, 0.41, 0.87)  # places in the spreads of parameters; generic ones, no two alike from the middle


def lanes_of(study: Study, settings: Mapping[str, Any]) -> Lanes | None:
    """Return how the rows of a study are evaluated together, None where they cannot be."""
    if not study.lanes or callable(study.evaluate):
        return None
    made = (Batch if study.evaluate in verbs.STATES else Ensemble)(study, settings)
    return made if made.suits() and made.settled() else None


def settings_of(study: Study) -> dict[str, Any]:
    """Return the settings chosen once for all rows: method and step of an ensemble."""
    made = Ensemble(study, {})
    if not study.lanes or study.arguments.get("dt") is not None or not made.suits():
        return {}
    some = np.unique(np.linspace(0, study.rows - 1, min(TRIED, study.rows)).astype(np.int64))
    report = made.report(some)
    if report is None:  # by those that can be simulated
        report = made.report(np.array([row for row in some if made.report(np.array([row])) is not None], np.int64))
    return {} if report is None else {"dt": report.dt, "method": report.method}


class Lanes(ABC):
    """Rows that are evaluated together, some at a time."""

    most: int

    def __init__(self, study: Study, settings: Mapping[str, Any]):
        self.study, self.settings = study, dict(settings)

    @abstractmethod
    def suits(self) -> bool:
        """Whether the study's rows can be evaluated together."""

    def settled(self) -> bool:
        """Whether all settings are fixed, so that a row's result does not depend on the others."""
        return True

    @abstractmethod
    def together(self, values: Columns) -> Any:
        """The record of rows with these values."""

    @abstractmethod
    def parted(self, record: Any, rows: NDArray[np.int64]) -> Block:
        """Split that record into rows."""

    def __call__(self, rows: NDArray[np.int64], values: Columns) -> list[Block]:
        """Evaluate all rows, some at a time."""
        blocks = []
        for start in range(0, len(rows), self.most):
            some = slice(start, start + self.most)
            blocks.append(self._some(rows[some], {name: column[some] for name, column in values.items()}))
        return blocks

    def _some(self, rows: NDArray[np.int64], values: Columns) -> Block:
        try:
            record = self.together(values)
        except LissomError:
            if len(rows) == 1:
                return gathered(rows, [attempted(self.study, lambda: self._alone(values))])
            # one of them is at fault; the others are what they would have been
            half = len(rows) // 2
            parts = (slice(0, half), slice(half, None))
            return joined([self._some(rows[part], {n: x[part] for n, x in values.items()}) for part in parts])
        return self.parted(record, rows)

    def _alone(self, values: Columns) -> Any:
        """The record of a row that cannot go with others: its arm differs in more than those of the samples do."""
        (subject,) = self.subjects(values)
        return called(self.study, subject | self.settings)

    def subjects(self, values: Columns) -> list[dict[str, Any]]:
        """Arm and arguments of every row."""
        count = len(next(iter(values.values())))
        return [self.study.put({name: column[k] for name, column in values.items()}) for k in range(count)]

    def arguments(self, subjects: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Arguments of all rows, those that vary stacked; without the arm."""
        given = {word: value for word, value in self.study.subject.items() if word != "arm"}
        return given | {word: stacked([s[word] for s in subjects]) for word in self.study.roots - {"arm"}}

    @cached_property
    def samples(self) -> list[Arm]:
        """Arms that differ from the study's in all that its rows differ in; none where the arm does not vary.

        What differs between arms is an input of compiled code, the rest is not. The samples decide what differs, so
        that it is the same whatever rows come together.
        """
        return [self.study.sample(u)["arm"] for u in SPREAD] if "arm" in self.study.roots else []

    @cached_property
    def varied(self) -> Varied:
        """What may differ between the arms of rows that go together."""
        return Varied(self.study.arm, self.samples)

    def stacks(self) -> bool:
        """Whether varying values can be stacked (judged by the first and last row) and arms have the same structure."""
        try:
            self.arguments(self.subjects(self.study.values(np.array([0, self.study.rows - 1], np.int64))))
            for k, arm in enumerate(self.samples):
                refuse_unlike(self.study.arm, arm, k)
        except (NotAlike, LissomError):
            return False
        return True


class Batch(Lanes):
    """States of a dynamics verb."""

    most = 16384

    def suits(self) -> bool:
        words, given = verbs.STATES[str(self.study.evaluate)], self.study.arguments
        alike = self.study.roots <= {*words, "loads", "arm"} and not self.study.arm.loops
        if "arm" in self.study.roots:  # what `call_each` takes
            alike = alike and {*given} <= {*words, "loads", "base"}
        return alike and all(single(value) for value in given.values()) and self.stacks()

    def together(self, values: Columns) -> Any:
        name, count = str(self.study.evaluate), len(next(iter(values.values())))
        if self.samples:
            return self._of_arms(name, self.subjects(values))
        given = self._quickly(values) or self.arguments(self.subjects(values))
        first = verbs.STATES[name][0]  # as many as there are rows, also where it is something else that varies
        given[first] = np.broadcast_to(given[first], (count, np.shape(given[first])[-1]))
        return verbs.function_of(name)(self.study.arm, **given, **quietly(name))

    def _of_arms(self, name: str, subjects: list[dict[str, Any]]) -> Any:
        """One arm for each row."""
        given, arms = self.arguments(subjects), [subject["arm"] for subject in subjects]
        arm = self.study.arm
        state = [as_state(arm, given[word], word, name) for word in verbs.STATES[name]]
        loads, base = given.get("loads", NO_LOADS), given.get("base")
        varied = Varied(arm, self.samples, places(arm, name, loads))
        return call_each(arms, name, state, loads, base, threads=1, varied=varied)

    def _quickly(self, values: Columns) -> dict[str, Any] | None:
        """Arguments whose entries alone vary, without a look at every row; None where more varies."""
        given, count = dict(self.study.arguments), len(next(iter(values.values())))
        for name, parameter in self.study.parameters.items():
            for where in parameter.places:
                base = self.study.subject[where.root]
                entry = where.steps[-1]
                if not isinstance(base, np.ndarray) or len(where.steps) != 2 or not isinstance(entry, int):
                    return None
                if given[where.root] is base:
                    given[where.root] = np.tile(base.astype(float), (count, 1))
                column = given[where.root][:, entry]
                column[...] = parameter.changed(column, values[name])
        return given

    def parted(self, record: Any, rows: NDArray[np.int64]) -> Block:
        plain = all(output.whole for output in self.study.outputs.values())
        if plain:
            columns: dict[str, Array] = {}
            for name, output in self.study.outputs.items():
                found = columns_of_rows(name, output.of_record(record))
                refuse_taken(found, (*RESERVED, *self.study.parameters, *columns))
                columns |= found
            if not any(np.isnan(column).any() for column in columns.values()):
                return Block(rows, columns, [OK] * len(rows), [""] * len(rows))
        return gathered(rows, [outcome(self.study, _member(record, k)) for k in range(len(rows))])


def _member(record: Any, k: int) -> Any:
    """One row of an array, or of a record of arrays."""
    return record[k] if isinstance(record, np.ndarray) else type(record)(*(part[k] for part in record))


class Ensemble(Lanes):
    """Runs of a simulation."""

    most = 256

    def suits(self) -> bool:
        given = self.study.arguments
        alike = self.study.evaluate == "simulate" and given.get("method") in FIXED and "payloads" not in given
        alike = alike and self.study.roots <= {"q0", "qd0", "tau", "loads", "arm"} and not self.study.arm.loops
        alike = alike and not _is_function(given.get("tau")) and all(single(value) for value in given.values())
        return alike and self.stacks() and all(_sticking(arm) == _sticking(self.study.arm) for arm in self.samples)

    def settled(self) -> bool:
        return bool(self.settings) or self.study.arguments.get("dt") is not None

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
        return gathered(rows, [self._run(record, k, shared) for k in range(len(rows))])

    def _run(self, record: Any, k: int, shared: dict[str, Any]) -> Told:
        if k in record.failures:
            return Told({}, FAILED, record.failures[k])
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
    """Return which joints have friction."""
    return [bool(friction) for friction in arm.friction]


def _is_function(tau: Any) -> bool:
    from lissom.simulation.controllers import Controller
    from lissom.simulation.signals import Profile

    if isinstance(tau, Controller):
        return not tau.compiled
    return callable(tau) and not isinstance(tau, Profile)
