"""The result of a study: a table of rows, with statistics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, shown, suggest
from lissom.formats.tables import save_csv
from lissom.later import cached_property
from lissom.listing import Listing
from lissom.markup import tag
from lissom.spatial.rotations import Array
from lissom.studies import statistics
from lissom.studies.outcome import StudyOutcome, StudyRowOutcome
from lissom.studies.plan.description import RESERVED, AbstractStudy
from lissom.studies.plan.design import Columns
from lissom.studies.rows.block import DOUBTFUL, FAILED, OK
from lissom.studies.rows.single import evaluated
from lissom.studies.statistics import StudySensitivity

if TYPE_CHECKING:
    import pandas
    import xarray

SHOWN = 30  # picked rows that are shown one by one


class StudyRow(NamedTuple):
    """One row of a result: its number and seed, parameters and outputs by name, how it ended, and why."""

    row: int
    seed: int
    values: dict[str, Any]
    outcome: StudyRowOutcome
    status: str


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The result of a study: a table with one row per evaluation.

    Attributes
    ----------
    study : Study or None        None if the result was loaded from a store
    table : {column: (n,)}       ``row``, parameters, ``seed``, outputs, ``outcome`` (members of `StudyRowOutcome`) and
                                 ``status`` ("ok", or what is wrong), in the order of rows; NaN where a row has no such
                                 output
    parameters, outputs : tuple of names
    units : {name: unit}         of parameters and outputs
    rows : int                   number of rows of the study, evaluated or not
    sampling : str
    outcome : StudyOutcome       how the study ended, a value to compare
    status : str                 the same as a sentence: "done", or what happened
    title : str
    settings : dict              settings chosen once for all rows: method and step of simulations
    effort : dict                ``seconds`` of wall time, ``evaluating`` (seconds of all workers together), ``rows``
                                 evaluated, ``place``; empty if the result was loaded from a store
    picked : bool                a selection of rows by `worst`, `pareto` or `where`, which is printed row by row
    """

    study: AbstractStudy | None
    table: Columns
    parameters: tuple[str, ...]
    units: dict[str, str]
    rows: int
    sampling: str
    outcome: StudyOutcome
    status: str
    title: str
    settings: dict[str, Any]
    effort: dict[str, Any] = field(default_factory=dict)
    picked: bool = False
    _sampled: tuple[str, ...] = ()  # all parameters of the study, also those that are left out

    def __post_init__(self) -> None:
        self.__dict__["_sampled"] = self._sampled or self.parameters

    # ---- what there is ---------------------------------------------------------------------------

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of the columns that were computed."""
        return tuple(name for name in self.table if name not in (*RESERVED, *self.parameters))

    def __len__(self) -> int:
        return len(self.table["row"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column by name."""
        if name not in self.table:
            raise InputError(f"there is no column {shown(name)}; {suggest(str(name), self.table)}")
        return self.table[name]

    @property
    def complete(self) -> bool:
        """Whether all rows are evaluated."""
        return len(self) == self.rows

    @property
    def ok(self) -> bool:
        """Whether all rows are evaluated and none failed or is doubtful."""
        return self.complete and bool((self.table["outcome"] == OK).all())

    @property
    def interrupted(self) -> bool:
        """Whether the study was stopped from outside (Ctrl-C); rows that were finished are there."""
        return self.outcome is StudyOutcome.INTERRUPTED

    @property
    def failures(self) -> NDArray[np.int64]:
        """Numbers of the rows that failed; `table["status"]` has the reasons."""
        return np.asarray(self.table["row"][self.table["outcome"] == FAILED])

    def row(self, number: int) -> StudyRow:
        """Return the row with a number: its values, its `outcome` and its `status`."""
        (at,) = np.nonzero(self.table["row"] == number)
        if not len(at):
            raise InputError(f"row: there is no row {shown(number)} among the {len(self)} rows that are evaluated.")
        found = {name: column[at[0]] for name, column in self.table.items()}
        values = {name: x.item() if isinstance(x, np.generic) else x for name, x in found.items()}
        own = {name: values.pop(name) for name in RESERVED}
        return StudyRow(values=values, **own)

    def unit(self, name: str) -> str:
        """Return the unit of a column."""
        return self.units.get(name, self.units.get(name.split("[")[0], ""))

    def labelled(self, name: str) -> str:
        """Return a name with its unit, for table headers and plot axes."""
        return f"{name} [{self.unit(name)}]" if self.unit(name) else name

    # ---- some of it ------------------------------------------------------------------------------

    def only(self, *names: str) -> StudyResult:
        """Return the result with these parameters and outputs only, for plots and tables."""
        for name in names:
            self[name]
        kept = {name: x for name, x in self.table.items() if name in (*RESERVED, *names)}
        return replace(self, table=kept, parameters=tuple(n for n in self.parameters if n in names))

    def where(self, chosen: NDArray[Any]) -> StudyResult:
        """Return some rows, given by a mask or by indices into the table."""
        return replace(self, table={name: x[chosen] for name, x in self.table.items()}, picked=True)

    def worst(self, output: str, count: int = 10, *, most: bool = True) -> StudyResult:
        """Return the `count` rows with the largest (most=True) or smallest values of an output, sorted."""
        values = self._numbers(output)
        order = np.argsort(-values if most else values, kind="stable")
        return self.where(order[: min(count, int(np.isfinite(values).sum()))])

    def pareto(self, aims: Mapping[str, str] | Sequence[str]) -> StudyResult:
        """Return the Pareto-optimal rows.

        aims : {output: "min" or "max"}, or names of outputs to minimise
        """
        aims = aims if isinstance(aims, Mapping) else dict.fromkeys(aims, "min")
        wrong = [f"{name} is {shown(way)}" for name, way in aims.items() if way not in ("min", "max")]
        if wrong or not aims:
            raise InputError(
                f"pareto: {wrong[0] if wrong else 'no outputs are named'}; expected 'min' or 'max' for each."
            )
        costs = np.column_stack([(1 if way == "min" else -1) * self._numbers(name) for name, way in aims.items()])
        return self.where(statistics.pareto(costs))

    def _numbers(self, name: str) -> Array:
        """Return a column of numbers; entries that are not finite are ignored by statistics."""
        column = self[name]
        if column.dtype.kind not in "if":
            raise InputError(f"{name} is text; expected a column of numbers.")
        return np.where(np.isfinite(column), column, np.nan).astype(float)

    # ---- numbers about it ------------------------------------------------------------------------

    def summary(self) -> Listing:
        """Return a table with mean, standard deviation and percentiles of every output."""
        return statistics.summary({self.labelled(name): self._numbers(name) for name in self.outputs})

    def listing(self) -> Listing:
        """Return a table with one line per row: its number, parameters and outputs."""
        names = ("row", *self.parameters, *self.outputs)
        columns = [[f"{x:.4g}" if c.dtype.kind == "f" else str(x) for x in c] for c in map(self.__getitem__, names)]
        return Listing.of([self.labelled(name) for name in names], zip(*columns, strict=True))

    def sensitivity(self, output: str | None = None, *, seed: int = 0) -> StudySensitivity:
        """Sensitivity of an output to each parameter.

        For "saltelli" samples: first-order and total Sobol' indices (SciPy) with 95 % bootstrap intervals. For other
        samples: Spearman rank correlations, which detect monotonic dependence only.

        Parameters
        ----------
        output : str or None     None: the first one
        seed : int               of the bootstrap
        """
        name = output if output is not None else self.outputs[0]
        values = {n: self.table[n] for n in self.parameters}
        return statistics.sensitivity(name, values, self._numbers(name), self._paired, seed)

    @property
    def _paired(self) -> tuple[str, ...]:
        """Parameters in the order of Saltelli's design; none where rows are missing or were rearranged."""
        whole = self.sampling == "saltelli" and np.array_equal(self.table["row"], np.arange(self.rows))
        return self._sampled if whole else ()

    # ---- a row again -----------------------------------------------------------------------------

    def case(self, row: int) -> Any:
        """Return the arm and arguments of a row."""
        return self._study().case(row)

    def record(self, row: int) -> Any:
        """Evaluate a row again and return its full result: a `Run`, a `Motion`, an array ..."""
        return evaluated(self._study(), self.case(row))

    def _study(self) -> AbstractStudy:
        if self.study is None:
            raise InputError(
                "this result was loaded from a store, which has the table only; create the same Study again and use it."
            )
        return self.study

    # ---- elsewhere -------------------------------------------------------------------------------

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.table).set_index("row")

    def to_xarray(self) -> xarray.Dataset:
        """Return the table as an xarray dataset over rows, with units."""
        import xarray

        table = self.table | {"outcome": self.table["outcome"].astype(str).astype(object)}
        named = {name: ("row", x, {"units": self.unit(name)}) for name, x in table.items() if name != "row"}
        return xarray.Dataset(named, {"row": self.table["row"]}, {"title": self.title, "status": self.status})

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the table as CSV; numbers with all significant digits."""
        save_csv(Path(path), self.table)

    # ---- for people ------------------------------------------------------------------------------

    @property
    def headline(self) -> str:
        """One-line summary: title, number of rows, failures, status."""
        failed, odd = len(self.failures), int((self.table["outcome"] == DOUBTFUL).sum())
        words = [f"{len(self)} of {self.rows} rows", *([f"{failed} failed"] if failed else [])]
        words += [f"{odd} doubtful"] if odd else []
        return f"{self.title or 'study'}: {', '.join(words)}; {self.status}"

    def describe(self) -> str:
        """Return the headline, a table of the outputs, and the first errors as text."""
        if self.picked and len(self) <= SHOWN:
            return "\n".join(self.listing().lines())
        lines = [self.headline]
        if self.outputs and len(self):
            lines += ["", *self.summary().lines()]
        lines += [f"row {row}: {why}" for row, why in self.first_errors()]
        return "\n".join(lines)

    def first_errors(self, most: int = 3) -> list[tuple[int, str]]:
        """Return the first `most` different errors, each with the first row in which it occurred."""
        seen: dict[str, int] = {}
        wrong = self.table["outcome"] != OK
        for row, why in zip(self.table["row"][wrong], self.table["status"][wrong], strict=True):
            if why not in seen and len(seen) < most:
                seen[str(why)] = int(row)
        return [(row, why) for why, row in seen.items()]

    def __str__(self) -> str:
        return self.describe()

    def __repr__(self) -> str:
        return f"<StudyResult: {self.headline}>"

    def _repr_html_(self) -> str:
        return tag("p", tag("b", self.headline)) + (self.summary().html() if self.outputs and len(self) else "")


def ended(done: int, rows: int) -> tuple[StudyOutcome, str]:
    """Return how a study ended of which some rows are evaluated, and its sentence."""
    if done == rows:
        return StudyOutcome.DONE, "done"
    return StudyOutcome.INCOMPLETE, f"incomplete: {done} of {rows} rows are evaluated"


def result_of(
    study: AbstractStudy,
    table: Columns,
    settings: dict[str, Any],
    effort: dict[str, Any],
    outcome: StudyOutcome | None = None,
    status: str = "",
) -> StudyResult:
    """Return the result of a study that has been evaluated, completely or in part."""
    how = (outcome, status) if outcome else ended(len(table["row"]), study.rows)
    names, title = tuple(study.parameters), study.title or study.verb
    return StudyResult(study, table, names, study.units, study.rows, study.sampling, *how, title, settings, effort)
