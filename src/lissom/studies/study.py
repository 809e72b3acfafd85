"""The description of a study: the evaluation, its parameters and its outputs."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, LissomError, shown
from lissom.kernels.cache import functions_of
from lissom.keywords import KnownKeywords
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.studies import verbs
from lissom.studies.design import Columns, design, rows_of, seeds
from lissom.studies.output import StudyOutput, as_outputs
from lissom.studies.parameter import StudyParameter, as_parameters
from lissom.studies.paths import Where, found

if TYPE_CHECKING:
    from lissom.studies.result import StudyResult

VERB = "Study"
RESERVED = ("row", "seed", "status", "error")


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
class Study(KnownKeywords):
    """A parameter study: one evaluation repeated for many parameter values.

    Parameters
    ----------
    evaluate : str or f(case) -> {name: number or array}
        a public function by its name ("modes", "simulate", "predict_motion", "linearise", "forward_dynamics", ...), or
        a function of a `StudyCase`
    arm : Arm, str or None     the arm; a name or file is loaded. None if a function needs no arm
    arguments : dict           arguments of the public function, or data for a user's function
    parameters : {name: StudyParameter}
    outputs : {name: StudyOutput or str} or None
        numbers to extract from each result. None: the default outputs of the public function, or all that a user's
        function returns
    sampling : str
        "grid", "list" (values side by side), "random", "latin_hypercube", "sobol" or "saltelli" (for Sobol' indices)
    count : int or None        number of samples; for "saltelli" a power of two, with (parameters + 2) rows each
    seed : int                 random seed of the samples and of the rows' seeds
    lanes : bool               evaluate many rows at once in compiled code, where possible
    title : str

    Where parameters of the arm vary, a controller of `simulate` without a `model` uses the nominal arm given here.

    Paths of parameters begin with ``arm`` or an argument: ``arm.links.fore.payload.mass``, ``arm.links.*.beam.EI``,
    ``q0[1]``, ``controller.kp`` (or ``tau.kp``), ``loads[0].force[2]``, ``task.duration``.

    Examples
    --------
    >>> import lissom as ls
    >>> study = ls.Study(
    ...     "modes", "two_link_flexible", {"q": [0.0, 0.5], "count": 2},
    ...     parameters={"payload": ls.StudyParameter("arm.links.link2.payload.mass", grid=(0.0, 0.2, 5))},
    ... )
    >>> result = study.run(workers=1)
    >>> result["frequency[0]"].round(3)
    array([0.502, 0.47 , 0.442, 0.419, 0.399])
    """

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
        put(arm=_arm(self.arm, self.evaluate), parameters=_parameters(self.evaluate, self.parameters))
        put(arguments=_arguments(self.evaluate, self.arguments, self.parameters))
        put(outputs=_outputs(self.evaluate, self.outputs))
        put(**{word: int(x) for word in ("count", "seed") if isinstance(x := getattr(self, word), np.integer)})
        for word, kind, what in (("seed", int, "a whole number, from 0"), ("lanes", bool, "True or False")):
            value = getattr(self, word)
            if not isinstance(value, kind) or (word == "seed" and (isinstance(value, bool) or value < 0)):
                raise InputError(f"{VERB}: {word} is {shown(value)}; expected {what}.")
        if not isinstance(self.title, str) or not self.title.isprintable():
            raise InputError(f"{VERB}: title is {shown(self.title)}; expected one line of printable text.")
        _refuse_alike(self.parameters, self.outputs)
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

    def record(self, row: int) -> Any:
        """Evaluate one row and return its full result: a `Run`, a `Motion`, an array ..."""
        from lissom.studies.evaluation import evaluated

        return evaluated(self, self.case(row))

    # ---- doing it --------------------------------------------------------------------------------

    def run(
        self,
        store: str | os.PathLike[str] | None = None,
        *,
        workers: int | None = None,
        scheduler: str | None = None,
        resume: bool = False,
        retry: bool = False,
        overwrite: bool = False,
        progress: bool | Callable[[int, int], object] = False,
    ) -> StudyResult:
        """Evaluate all rows and return the result.

        Results do not depend on where rows are evaluated, in which order, or with how many workers. A failing row is
        recorded with its error; the study continues. Ctrl-C returns the rows evaluated so far, with the status
        "interrupted".

        Parameters
        ----------
        store : path or None       folder to which finished rows are written (needs the extra ``studies``); None: memory
                                   only
        workers : int or None      number of processes; None: one per core, if there is enough work; 1: this process
        scheduler : str or None    address of a dask.distributed scheduler instead (extra ``cluster``)
        resume : bool              continue a store: evaluate the missing rows only
        retry : bool               continue a store: evaluate failed rows again too
        overwrite : bool           evaluate all rows; the first of them replace the rows that a store has
        progress : bool or f(done, total)    show a progress bar, or call f

        Returns
        -------
        StudyResult
        """
        from lissom.studies.runner import run

        return run(self, store, workers, scheduler, resume, retry, overwrite, progress)

    def _try_paths(self) -> None:
        """Raise an error where a path does not exist or does not accept the parameter's values."""
        for name, parameter in self.parameters.items():
            if not parameter.path and isinstance(self.evaluate, str):
                raise InputError(f"{VERB}: parameter {name!r} has no path; give the argument of {self.verb} to change.")
            try:
                for where in parameter.places:
                    self._refuse_not_given(where)
                    found(self.subject, where)
                for value in parameter.tried:
                    parameter.put(self.subject, value)
            except LissomError as error:
                raise InputError(f"{VERB}: parameter {name!r}: {error}") from None

    def _refuse_not_given(self, where: Where) -> None:
        """Raise an error for a path to an argument without a nominal value."""
        missing = isinstance(self.evaluate, str) and where.root not in self.subject
        if missing and where.root in verbs.arguments_of(self.verb):
            raise InputError(f"path {where.text!r}: this argument of {self.verb} has no value; add it to arguments.")

    def __reduce__(self) -> tuple[Any, ...]:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return Study, tuple((given | {"outputs": self.outputs or None}).values())

    def __repr__(self) -> str:
        what = ", ".join(self.parameters)
        return f"<Study of {self.verb}: {self.rows} rows ({self.sampling}) over {what}>"


def _arm(given: Any, evaluate: Any) -> Arm | None:
    if given is None:
        if isinstance(evaluate, str):
            raise InputError(f"{VERB}: {evaluate} needs an arm; give one, or its name.")
        return None
    if isinstance(given, Arm):
        return given
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"{VERB}: arm is {shown(given)}; expected an Arm, or a name or file to load.")
    from lissom.formats.load import load

    return load(given)


def _parameters(evaluate: Any, given: Any) -> dict[str, StudyParameter]:
    """Return the parameters, with ``controller`` in paths (as in run files) replaced by ``tau``."""
    made = as_parameters(given, VERB)
    if evaluate != "simulate":
        return made
    named = {name: tuple(re.sub(r"^controller\b", "tau", path) for path in p.path) for name, p in made.items()}
    return {name: p.replace(path=named[name]) if named[name] != p.path else p for name, p in made.items()}


def _arguments(evaluate: Any, given: Any, parameters: Mapping[str, StudyParameter]) -> dict[str, Any]:
    """Return checked arguments by name, lists of numbers as arrays."""
    if given is None:
        given = {}
    if not isinstance(given, Mapping) or not all(isinstance(word, str) for word in given):
        raise InputError(f"{VERB}: arguments is {shown(given)}; expected {{name: value}}.")
    made = {word: _numbers(value) for word, value in given.items()}
    if isinstance(evaluate, str):
        if "controller" in made and evaluate == "simulate":
            made["tau"] = made.pop("controller")
        made = _tasked(made) if evaluate == "predict_motion" else made
        verbs.check_arguments(evaluate, made, VERB)
    shared = sorted(set(parameters) & {*made, "arm"})
    if shared and not isinstance(evaluate, str):
        raise InputError(f"{VERB}: {shared[0]!r} is both a parameter and an argument; rename one of them.")
    return made


def _numbers(value: Any) -> Any:
    """Lists of numbers as arrays, which paths lead into."""
    if not isinstance(value, list | tuple):
        return value
    try:
        array = np.asarray(value)
    except ValueError:
        return value
    return array.astype(float) if array.dtype.kind in "iuf" and array.size else value


def _tasked(given: dict[str, Any]) -> dict[str, Any]:
    """Fields of a task gathered into one."""
    from lissom.motion.task.task import Task

    known = {field.name for field in fields(Task)}
    task = given.get("task")
    own = {word: value for word, value in given.items() if word in known}
    rest = {word: value for word, value in given.items() if word not in known}
    if task is not None and not isinstance(task, Task):
        raise InputError(f"{VERB}: task is {shown(task)}; expected Task(...), or its fields.")
    return rest | {"task": Task(**own) if task is None else task.replace(**own) if own else task}


def _refuse_alike(parameters: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    """Raise an error where two columns would have the same name."""
    for name in (*parameters, *outputs):
        if name in RESERVED:
            raise InputError(f"{VERB}: {name!r} is the name of a column of every study; choose another name.")
    shared = sorted(set(parameters) & set(outputs))
    if shared:
        raise InputError(f"{VERB}: {shared[0]!r} is both a parameter and an output; rename one of them.")


def _outputs(evaluate: Any, given: Any) -> dict[str, StudyOutput]:
    if given is not None:
        return as_outputs(given, VERB)
    return verbs.default_outputs(evaluate) if isinstance(evaluate, str) else {}
