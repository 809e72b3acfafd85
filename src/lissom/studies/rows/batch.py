"""Rows that are states of a dynamics verb, evaluated as a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.varied import Varied
from lissom.kernels.arguments import as_state
from lissom.kernels.batch_of_arms import call_each, places
from lissom.kernels.loads import NO_LOADS
from lissom.spatial.rotations import Array
from lissom.studies.plan import verbs
from lissom.studies.plan.description import RESERVED
from lissom.studies.plan.design import Columns
from lissom.studies.plan.output import columns_of_rows
from lissom.studies.rows.block import Block, Row
from lissom.studies.rows.lanes import Lanes
from lissom.studies.rows.single import outcome, quietly, refuse_taken
from lissom.studies.rows.stacking import single


class Batch(Lanes):
    """Rows that are states of a dynamics verb."""

    most = 16384

    def suits(self) -> bool:
        words, given = verbs.STATES[str(self.study.evaluate)], self.study.arguments
        together = self.study.roots <= {*words, "loads", "arm"} and not self.study.arm.loops
        if "arm" in self.study.roots:  # what `call_each` takes
            together = together and {*given} <= {*words, "loads", "base"}
        return together and all(single(value) for value in given.values()) and self.stacks()

    def together(self, values: Columns) -> Any:
        name, count = str(self.study.evaluate), len(next(iter(values.values())))
        if self.samples:
            return self._of_arms(name, self.subjects(values))
        given = self._quickly(values) or self.arguments(self.subjects(values))
        first = verbs.STATES[name][0]  # as many as there are rows, also where it is something else that varies
        given[first] = np.broadcast_to(given[first], (count, np.shape(given[first])[-1]))
        return verbs.function_of(name)(self.study.arm, **given, **quietly(name))

    def _of_arms(self, name: str, subjects: list[dict[str, Any]]) -> Any:
        """Evaluate rows that have an arm each."""
        given, arms = self.arguments(subjects), [subject["arm"] for subject in subjects]
        arm = self.study.arm
        state = [as_state(arm, given[word], word, name) for word in verbs.STATES[name]]
        loads, base = given.get("loads", NO_LOADS), given.get("base")
        varied = Varied(arm, self.samples, places(arm, name, loads))
        return call_each(arms, name, state, loads, base, threads=1, varied=varied)

    def _quickly(self, values: Columns) -> dict[str, Any] | None:
        """Return arguments of which only entries vary, without a look at every row; None where more varies."""
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
                return Block.of(rows, [Row({})] * len(rows))._replace(columns=columns)
        return Block.of(rows, [outcome(self.study, _member(record, k)) for k in range(len(rows))])


def _member(record: Any, k: int) -> Any:
    """Return one row of an array, or of a record of arrays."""
    return record[k] if isinstance(record, np.ndarray) else type(record)(*(part[k] for part in record))
