"""The description of a study: the evaluation, its parameters and its outputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import EntryError, InputError, LissomError, shown
from lissom.kernels.cache import functions_of
from lissom.keywords import KnownKeywords
from lissom.later import cached_property
from lissom.studies.plan import verbs
from lissom.studies.plan.design import Columns, design, rows_of, seeds
from lissom.studies.plan.given import (
    RESERVED as RESERVED,
    VERB,
    as_arguments,
    as_arm,
    as_outputs,
    as_parameters,
    refuse_same_names,
)
from lissom.studies.plan.paths import Where, found


@dataclass(frozen=True, eq=False)
class StudyCase:
    """One row of a study, the argument of a user's evaluation function.

    row, seed : int          number of the row, and its seed for random numbers
    values : dict            parameter values by name
    given : dict             arm and arguments, with the parameter values inserted

    ``case["name"]`` returns a parameter or an argument; ``case.arm`` the arm.
    """

    row: int
    seed: int
    values: dict[str, Any]
    given: dict[str, Any]

    @property
    def arm(self) -> Any:
        """Arm of this row."""
        return self.given["arm"]

    def __getitem__(self, name: str) -> Any:
        return self.values[name] if name in self.values else self.given[name]


@dataclass(frozen=True, eq=False)
class AbstractStudy(KnownKeywords):
    """What a study is, without the ways to run it; see `Study`."""

    evaluate: str | Callable[..., Any]
    arm: Any = None
    arguments: Any = None
    parameters: Any = None
    outputs: Any = None
    sampling: str = "grid"
    count: int | None = None
    seed: int = 0
    lanes: bool = True
    title: str = ""

    def __post_init__(self) -> None:
        put = self.__dict__.update
        if not callable(self.evaluate):
            verbs.check_verb(self.evaluate, VERB)
        put(arm=as_arm(self.arm, self.evaluate), parameters=as_parameters(self.evaluate, self.parameters))
        put(arguments=as_arguments(self.evaluate, self.arguments, self.parameters))
        put(outputs=as_outputs(self.evaluate, self.outputs))
        put(**{word: int(x) for word in ("count", "seed") if isinstance(x := getattr(self, word), np.integer)})
        for word, kind, what in (("seed", int, "a whole number, from 0"), ("lanes", bool, "True or False")):
            value = getattr(self, word)
            if not isinstance(value, kind) or (word == "seed" and (isinstance(value, bool) or value < 0)):
                raise InputError(f"{VERB}: {word} is {shown(value)}; expected {what}.")
        if not isinstance(self.title, str) or not self.title.isprintable():
            raise InputError(f"{VERB}: title is {shown(self.title)}; expected one line of printable text.")
        refuse_same_names(self.parameters, self.outputs)
        put(_rows=rows_of(self.parameters, self.sampling, self.count, VERB))
        self._try_paths()

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.__dict__["_rows"])

    # ---- what is evaluated -----------------------------------------------------------------------

    @property
    def verb(self) -> str:
        """Name of the evaluated function."""
        if isinstance(self.evaluate, str):
            return self.evaluate
        return getattr(self.evaluate, "__qualname__", type(self.evaluate).__name__)

    @cached_property
    def subject(self) -> dict[str, Any]:
        """Nominal arm and arguments, before any parameter is applied."""
        return {**({} if self.arm is None else {"arm": self.arm}), **self.arguments}

    @property
    def units(self) -> dict[str, str]:
        """Units of parameters and outputs, by name."""
        return {name: one.unit for name, one in (*self.parameters.items(), *self.outputs.items())}

    @cached_property
    def roots(self) -> frozenset[str]:
        """First words of all parameter paths, such as "arm" or "q0"."""
        return frozenset(Where.of(path).root for p in self.parameters.values() for path in p.path)

    @cached_property
    def design(self) -> Columns:
        """Parameter values of all rows, by name."""
        return design(self.parameters, self.sampling, self.count, self.seed)

    def values(self, rows: NDArray[np.int64]) -> Columns:
        """Return the parameter values of some rows."""
        return {name: column[rows] for name, column in self.design.items()}

    def put(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return arm and arguments with parameter values inserted."""
        subject = self.subject
        for name, parameter in self.parameters.items():
            value = values[name]
            subject = parameter.put(subject, value.item() if isinstance(value, np.generic) else value)
        if "arm" in self.roots:
            functions_of(subject["arm"]).short_lived = True
            subject = self._believing(subject)
        return subject

    def _believing(self, subject: dict[str, Any]) -> dict[str, Any]:
        """Give a controller without a model the nominal arm as its model."""
        control = subject.get("tau") if self.evaluate == "simulate" else None
        if dataclasses.is_dataclass(control) and getattr(control, "model", self.arm) is None:
            return subject | {"tau": dataclasses.replace(control, model=self.arm)}  # type: ignore[type-var]
        return subject

    def sample(self, u: float) -> dict[str, Any]:
        """Return arm and arguments with all parameters at quantile u, from 0 to 1."""
        return self.put({name: parameter.drawn(u) for name, parameter in self.parameters.items()})

    def case(self, row: int) -> StudyCase:
        """Return one row: its parameter values, and arm and arguments with them."""
        if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < self.rows:
            raise InputError(f"case: there is no row {shown(row)}; there are {self.rows}, from 0.")
        at = np.array([row], np.int64)
        values = {name: column[0] for name, column in self.values(at).items()}
        return StudyCase(int(row), int(seeds(self.seed, at)[0]), values, self.put(values))

    def _try_paths(self) -> None:
        """Raise an error where a path does not exist or does not accept the parameter's values."""
        for name, parameter in self.parameters.items():
            if not parameter.path and isinstance(self.evaluate, str):
                problem = f"parameter {name!r} has no path; give the argument of {self.verb} to change."
                raise EntryError(VERB, "", problem, ("parameters", name))
            try:
                for where in parameter.places:
                    self._refuse_not_given(where)
                    found(self.subject, where)
                for value in parameter.tried:
                    parameter.put(self.subject, value)
            except LissomError as error:
                raise EntryError(VERB, f"parameter {name!r}", str(error), ("parameters", name)) from None

    def _refuse_not_given(self, where: Where) -> None:
        """Raise an error for a path to an argument without a nominal value."""
        missing = isinstance(self.evaluate, str) and where.root not in self.subject
        if missing and where.root in verbs.arguments_of(self.verb):
            raise InputError(f"path {where.text!r}: this argument of {self.verb} has no value; add it to arguments.")

    def __reduce__(self) -> tuple[Any, ...]:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self), tuple((given | {"outputs": self.outputs or None}).values())

    def __repr__(self) -> str:
        what = ", ".join(self.parameters)
        return f"<Study of {self.verb}: {self.rows} rows ({self.sampling}) over {what}>"
