"""Values of motions in files: records of tasks and reports, and criteria of the user's own."""

from __future__ import annotations

from functools import partial
from typing import Any

from lissom.formats.records.encode import Encoding
from lissom.model import contact
from lissom.motion.result import comparison, contact_path, information, report
from lissom.motion.result.files.written_criteria import read, written
from lissom.motion.task import phases, task, tracked_path
from lissom.motion.transcription import peak
from lissom.motion.transcription.constraints.known import path_constraint_kinds
from lissom.motion.transcription.loops import closures


def _kinds() -> tuple[Any, ...]:
    """Classes in modules that hold records of motions."""
    path_constraint_kinds()  # their classes are records too
    return tuple(
        kind
        for module in (
            contact,
            phases,
            contact_path,
            closures,
            comparison,
            information,
            peak,
            report,
            task,
            tracked_path,
        )
        for kind in vars(module).values()
    )


def encoding(dof: int) -> Encoding:
    """Return how values of motions of an arm are written; functions come back as casadi functions of the same steps."""
    return Encoding(_kinds, partial(written, dof=dof), partial(read, dof=dof))
