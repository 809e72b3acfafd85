"""Records as plain values that JSON knows, and back: arrays, tuples, records of lissom, and criteria of the user's."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from lissom.errors import InputError, ModelError, shown
from lissom.model.record import Record
from lissom.motion.result import comparison, report
from lissom.motion.task import task
from lissom.motion.transcription import peak
from lissom.motion.transcription.constraints.known import path_constraint_kinds
from lissom.motion.transcription.loops import closures

MODULES = (closures, comparison, peak, report, task)  # that hold records of motions


def plain(value: Any, dof: int) -> Any:
    """Numbers, text, lists and tables of these; what is more is a table with one key that says what."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return {"array": value.tolist()} if np.ndim(value) else value.item()
    if isinstance(value, tuple) and type(value).__name__ in _known():
        return {"record": type(value).__name__, "fields": {k: plain(v, dof) for k, v in value._asdict().items()}}  # type: ignore[attr-defined]
    if isinstance(value, tuple):
        return {"tuple": [plain(item, dof) for item in value]}
    if isinstance(value, list):
        return [plain(item, dof) for item in value]
    if isinstance(value, dict):
        return {"table": [[plain(k, dof), plain(v, dof)] for k, v in value.items()]}
    if dataclasses.is_dataclass(value) and type(value).__name__ in _known():
        fields = {f.name: plain(getattr(value, f.name), dof) for f in dataclasses.fields(value) if f.init}
        return {"record": type(value).__name__, "fields": fields}
    if callable(value):
        from lissom.motion.result.files.written_criteria import written

        return {"criterion": written(value, dof)}
    raise InputError(f"save: {shown(value)} cannot be written to a file.")


def revived(value: Any, dof: int) -> Any:
    """What `plain` was given; a function comes back as a casadi function of the same steps."""
    if isinstance(value, list):
        return [revived(item, dof) for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"], float)
    if "tuple" in value:
        return tuple(revived(item, dof) for item in value["tuple"])
    if "table" in value:
        return {revived(k, dof): revived(v, dof) for k, v in value["table"]}
    if "criterion" in value:
        from lissom.motion.result.files.written_criteria import read

        return read(value["criterion"], dof)
    kind = _known().get(value["record"])
    if kind is None:
        raise ModelError(f"it has a record {shown(value['record'])}, which this version of lissom does not know.")
    return kind(**{word: revived(item, dof) for word, item in value["fields"].items()})


def _known() -> dict[str, type]:
    """Records of tasks and reports, by name."""
    path_constraint_kinds()  # their classes are records too
    return {
        kind.__name__: kind
        for kind in (*_below(Record), *(kind for module in MODULES for kind in vars(module).values()))
        if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"))
    }


def _below(kind: Any) -> Iterator[type]:
    for part in kind.__subclasses__():
        yield part
        yield from _below(part)
