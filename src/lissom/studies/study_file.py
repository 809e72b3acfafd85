"""Study files: a study described in TOML, strict like the native format. `docs/study-file.md` describes it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from lissom.errors import EntryError, InputError, ModelError, about, shown
from lissom.formats.documents import read_document, refuse_unfit_document
from lissom.formats.scenario import ARM_KEYS, in_radians, named_arm
from lissom.formats.strict import Table, as_table, inside, made_rows, record, refuse_unknown
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.motion.path_task import PathTask
from lissom.motion.run_file import read_run_file
from lissom.motion.task_file import read_task_file
from lissom.studies.plan import verbs
from lissom.studies.plan.output import StudyOutput
from lissom.studies.plan.parameter import StudyParameter
from lissom.studies.study import Study

TOP = ("lissom_study", "title", "evaluate", *ARM_KEYS, "gravity", "run", "task",
       "arguments", "parameters", "outputs", "sampling", "lanes", "store")  # fmt: skip
ANGLES = ("q", "qd", "qdd", "q0", "qd0")
SCENES = {"run": "simulate", "task": "predict_motion"}


class StudyFile(NamedTuple):
    """Content of a study file: the study, and the folder for its rows."""

    study: Study
    store: Path


def read_study_file(path: Path, allow_code: bool = False) -> StudyFile:
    """Read a study file; errors name the line.

    allow_code : load a function from a Python file that the study names; otherwise such a study is an error
    """
    return read_document(path, "study", lambda document: _read(document, path, allow_code))


def _read(document: Table, path: Path, allow_code: bool) -> StudyFile:
    refuse_unfit_document(document, "study", TOP)
    for word in ("evaluate", "parameters"):
        if word not in document:
            raise ModelError(f"{word} is missing from the file.")
    evaluate = _evaluated(document["evaluate"], path.parent, allow_code)
    arm, arguments = _scene(document, evaluate, path.parent)
    with inside("sampling"):
        row = as_table(document.get("sampling", {}), "sampling")
        refuse_unknown(row, ("kind", "count", "seed"), "[sampling]")
    given = (evaluate, arm, arguments, _parameters(document), _outputs(document))
    sampled = (row.get("kind", "grid"), row.get("count"), row.get("seed", 0))
    study = _study(*given, *sampled, document.get("lanes", True), document.get("title", path.stem))
    store = document.get("store", path.stem)
    if not isinstance(store, str) or not store:
        raise ModelError(f"store is {shown(store)}; expected the name of a folder.")
    return StudyFile(study, path.parent / store)


def _study(*given: Any) -> Study:
    """Return the study; errors have the line of the entry that they are about."""
    try:
        return Study(*given)
    except EntryError as error:
        with inside(*error.place):
            raise ModelError(error.problem, error.subject) from None
    except InputError as error:
        raise ModelError(str(error).removeprefix("Study: ")) from None


# ---- what is evaluated ---------------------------------------------------------------------------


def _evaluated(value: Any, folder: Path, allow_code: bool) -> str | Callable[..., Any]:
    if not isinstance(value, str):
        raise ModelError(f"evaluate is {shown(value)}; expected the name of a function, such as 'modes'.")
    file, colon, name = value.rpartition(":")
    if not colon:
        try:
            verbs.check_verb(value, "")
        except InputError as error:
            raise ModelError(str(error).removeprefix(": ")) from None
        return value
    if not allow_code:
        raise ModelError(
            f"evaluate is {value!r}, a function in a Python file, and running code is not allowed by default. Check "
            "the file, then use --allow-code."
        )
    return _loaded(folder / file, name)


def _loaded(file: Path, name: str) -> Callable[..., Any]:
    """Return a function of a Python file."""
    if not file.is_file():
        raise ModelError(f"evaluate names {file}, which is not a file.")
    spec = importlib.util.spec_from_file_location(f"lissom_study_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ModelError(f"evaluate names {file}, which is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise ModelError(f"evaluate: {file} raised {type(error).__name__}: {error}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise ModelError(f"evaluate: {file} has no function {name!r}.")
    try:  # workers have not read this file: its functions travel by value
        import cloudpickle

        sys.modules[spec.name] = module
        cloudpickle.register_pickle_by_value(module)
    except ImportError:
        pass
    return function


def _scene(document: Table, evaluate: Any, folder: Path) -> tuple[Arm | None, dict[str, Any]]:
    """Return arm and arguments: those of a run or task file, or the document's own."""
    arguments: dict[str, Any] = {}
    arm: Arm | None = None
    for word, verb in SCENES.items():
        if word not in document:
            continue
        if evaluate != verb and isinstance(evaluate, str):
            raise ModelError(f"{word} is given, but evaluate is {evaluate}; a {word} file needs evaluate = {verb!r}.")
        if not isinstance(document[word], str):
            raise ModelError(f"{word} is {shown(document[word])}; expected a {word} file.")
        arm, arguments = _scenario(word, folder / document[word])
    if "arm" in document:
        if arm is not None:
            raise ModelError("arm is given, but the run or task file already names one; omit it.")
        arm = named_arm(document, folder)
    elif arm is None and isinstance(evaluate, str):
        raise ModelError("arm is missing from the file.")
    elif alone := [word for word in ARM_KEYS if word in document]:
        raise ModelError(f"{alone[0]} needs arm in the same file; put it where arm is given.")
    if "gravity" in document and arm is not None:
        arm = arm.with_gravity(document["gravity"])
    with inside("arguments"):
        return arm, arguments | _own(as_table(document.get("arguments", {}), "arguments"), arm)


def _scenario(word: str, file: Path) -> tuple[Arm, dict[str, Any]]:
    """Return arm and arguments: of `simulate` from a run file, of `predict_motion` from a task file."""
    if word == "run":
        run = read_run_file(file)
        given = {name: value for name, value in run.arguments.items() if name not in verbs.OWN}
        return run.arm, {name: value for name, value in given.items() if name not in ("prescribed", "loads") or value}
    task = read_task_file(file)
    if isinstance(task.task, PathTask):
        raise ModelError(f"{file.name} follows a path; expected a task with a goal, for predict_motion.")
    return task.arm, {"task": task.task} | {n: x for n, x in task.options.items() if n not in verbs.OWN}


def _own(row: Table, arm: Arm | None) -> dict[str, Any]:
    made = dict(row) if arm is None else in_radians(row, ANGLES, arm)
    if "loads" in made:
        made["loads"] = made_rows(made, "loads", "load", lambda one: record(Load, one, "[[arguments.loads]]"))
    return made


# ---- what varies, what is kept -------------------------------------------------------------------


def _parameters(document: Table) -> dict[str, StudyParameter]:
    return {
        name: _record(StudyParameter, row, "parameters", name)
        for name, row in as_table(document["parameters"], "parameters").items()
    }


def _outputs(document: Table) -> dict[str, StudyOutput] | None:
    if "outputs" not in document:
        return None
    rows = as_table(document["outputs"], "outputs")
    return {
        name: _record(StudyOutput, {"of": r} if isinstance(r, str) else r, "outputs", name) for name, r in rows.items()
    }


def _record(kind: type, row: Any, table: str, name: str) -> Any:
    """Return a parameter or an output; errors name its table."""
    with inside(table, name), about(f"{table.removesuffix('s')} {name!r}"):
        known = as_table(row, f"[{table}.{name}]")
        refuse_unknown(known, tuple(field.name for field in fields(kind)), f"[{table}.{name}]")
        try:
            return kind(**known)
        except InputError as error:
            raise ModelError(str(error)) from None
