"""What a study is given, checked: arm, arguments, parameters and outputs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from lissom.errors import InputError, shown
from lissom.formats.load import load
from lissom.model.arm import Arm
from lissom.motion.task.task import Task
from lissom.studies.plan import verbs
from lissom.studies.plan.output import StudyOutput
from lissom.studies.plan.parameter import StudyParameter
from lissom.studies.plan.paths import refuse_name

VERB = "Study"
MOST_PARAMETERS = 200
RESERVED = ("row", "seed", "outcome", "status")  # columns that every study has


def as_arm(given: Any, evaluate: Any) -> Arm | None:
    if given is None:
        if isinstance(evaluate, str):
            raise InputError(f"{VERB}: {evaluate} needs an arm; give one, or its name.")
        return None
    if isinstance(given, Arm):
        return given
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"{VERB}: arm is {shown(given)}; expected an Arm, or a name or file to load.")
    return load(given)


def as_parameters(evaluate: Any, given: Any) -> dict[str, StudyParameter]:
    """Return the parameters, with ``controller`` in paths (as in run files) replaced by ``tau``."""
    made = _named(given, StudyParameter, "parameter", "StudyParameter(path, ...)")
    if len(made) > MOST_PARAMETERS:
        raise InputError(f"{VERB}: there are {len(made)} parameters; expected at most {MOST_PARAMETERS}.")
    if evaluate != "simulate":
        return made
    named = {name: tuple(re.sub(r"^controller\b", "tau", path) for path in p.path) for name, p in made.items()}
    return {name: p.replace(path=named[name]) if named[name] != p.path else p for name, p in made.items()}


def as_arguments(evaluate: Any, given: Any, parameters: Mapping[str, StudyParameter]) -> dict[str, Any]:
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
    """Return lists of numbers as arrays, into which paths lead."""
    if not isinstance(value, list | tuple):
        return value
    try:
        array = np.asarray(value)
    except ValueError:
        return value
    return array.astype(float) if array.dtype.kind in "iuf" and array.size else value


def _tasked(given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with the fields of a task gathered into one."""
    known = {field.name for field in fields(Task)}
    task = given.get("task")
    own = {word: value for word, value in given.items() if word in known}
    rest = {word: value for word, value in given.items() if word not in known}
    if task is not None and not isinstance(task, Task):
        raise InputError(f"{VERB}: task is {shown(task)}; expected Task(...), or its fields.")
    return rest | {"task": Task(**own) if task is None else task.replace(**own) if own else task}


def refuse_same_names(parameters: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    """Raise an error where two columns would have the same name."""
    for name in (*parameters, *outputs):
        if name in RESERVED:
            raise InputError(f"{VERB}: {name!r} is the name of a column of every study; choose another name.")
    shared = sorted(set(parameters) & set(outputs))
    if shared:
        raise InputError(f"{VERB}: {shared[0]!r} is both a parameter and an output; rename one of them.")


def as_outputs(evaluate: Any, given: Any) -> dict[str, StudyOutput]:
    if given is not None:
        if isinstance(given, dict):  # a string names a field of the result
            given = {name: StudyOutput(x) if isinstance(x, str) else x for name, x in given.items()}
        return _named(given, StudyOutput, "output", "StudyOutput(of, take=...)")
    return verbs.default_outputs(evaluate) if isinstance(evaluate, str) else {}


def _named(given: Any, kind: type, what: str, form: str) -> dict[str, Any]:
    """Return checked parameters or outputs by name."""
    if not isinstance(given, dict) or not given:
        raise InputError(f"{VERB}: {what}s is {shown(given)}; expected {{name: {form}}}, at least one.")
    for name, one in given.items():
        refuse_name(name, f"{VERB}: {'an' if what == 'output' else 'a'} {what}")
        if not isinstance(one, kind):
            raise InputError(f"{VERB}: {what} {name!r} is {shown(one)}; expected {form}.")
    return dict(given)
