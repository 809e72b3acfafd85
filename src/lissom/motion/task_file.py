"""Task files: a motion to find, described in TOML, strict like the native format. `docs/task-file.md` describes it."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, ModelError, about, shown
from lissom.formats.documents import read_document, refuse_unfit_document
from lissom.formats.scenario import ARM_KEYS, in_radians, locked_joints, named_arm, output_files
from lissom.formats.strict import Table, as_table, inside, made_rows, record, refuse_unknown
from lissom.model.arm import Arm
from lissom.model.contact import Mirror
from lissom.model.limits import QUANTITIES, Limits
from lissom.model.loads import Load
from lissom.motion.path_task import KEYS as PATH_KEYS, PathTask, read_path
from lissom.motion.public import predict_motion, track_motion
from lissom.motion.result.files.export import ENDINGS
from lissom.motion.result.motion import Motion
from lissom.motion.task.bending_limits import BendingLimit
from lissom.motion.task.obstacles import Capsule, CollisionBody, Sphere
from lissom.motion.task.options import OPTIONS, wrong
from lissom.motion.task.path_constraint import AbstractPathConstraint
from lissom.motion.task.phases import Phase, Transfer, Travel
from lissom.motion.task.reach import Reach
from lissom.motion.task.task import Task, Via
from lissom.motion.transcription.constraints.known import path_constraint_kinds

ANGLES = ("start", "goal", "start_velocity", "goal_velocity", "start_acceleration", "goal_acceleration")
TURNING = ("position", "velocity", "acceleration", "jerk")  # limits that may be given in degrees
GIVEN = tuple(field.name for field in fields(Task))
TOP = ("lissom_task", "title", *ARM_KEYS, "gravity", *GIVEN, *(f"{word}_deg" for word in ANGLES),
       *OPTIONS, "guess", "path", "output")  # fmt: skip


class TaskFile(NamedTuple):
    """Contents of a task file, from `load_task`.

    arm : Arm                     with its payload, gravity and side file
    task : Task, or PathTask where a frame follows a path
    options : dict                further arguments of `predict_motion`, or of `track_motion`
    outputs : tuple of paths      where ``lissom predict`` writes the motion
    """

    arm: Arm
    task: Task | PathTask
    options: dict[str, Any]
    outputs: tuple[Path, ...]

    def planned(self, **options: Any) -> Motion:
        """Return the motion, by `predict_motion` or `track_motion`; `options` replace those of the file."""
        if isinstance(self.task, PathTask):
            return track_motion(self.arm, self.task.path, **self.options | options)
        return predict_motion(self.arm, self.task, **self.options | options)


def load_task(path: str | os.PathLike[str]) -> TaskFile:
    """Read a task file, as ``lissom predict`` does.

    Parameters
    ----------
    path : path     a task file (``.toml``)

    Returns
    -------
    TaskFile        with `arm`, `task` and `options`; `planned()` is the motion

    Examples
    --------
    >>> import lissom as ls
    >>> given = ls.load_task("lift.toml")  # doctest: +SKIP
    >>> motion = given.planned()  # doctest: +SKIP
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"load_task: path is {shown(path)}; expected the path of a task file (.toml).")
    return read_task_file(Path(path))


def read_task_file(path: Path) -> TaskFile:
    """Read a task file; errors name the line."""
    return read_document(path, "task", lambda document: _read(document, path.parent))


def _read(document: Table, folder: Path) -> TaskFile:
    refuse_unfit_document(document, "task", PATH_KEYS if "path" in document else TOP)
    arm = named_arm(document, folder)
    if "gravity" in document:
        arm = arm.with_gravity(document["gravity"])
    row = in_radians(document, ANGLES, arm, locked_joints(document))
    given: dict[str, Any] = {word: row[word] for word in GIVEN if word in row}
    with inside("limits"):
        given["limits"] = _limits(as_table(row.get("limits", {}), "limits"), arm)
    given["loads"] = made_rows(row, "loads", "load", lambda one: record(Load, one, "[[loads]]"))
    given["bending"] = made_rows(row, "bending", "bending", lambda one: record(BendingLimit, one, "[[bending]]"))
    options = _checked({word: row[word] for word in OPTIONS if word in row})
    outputs = output_files(document, folder, (".nc", *ENDINGS))
    if "path" in row:
        with inside("path"):
            path, others = read_path(as_table(row["path"], "path"), folder)
        return TaskFile(arm, PathTask(path), given | options | others, outputs)
    given["via"] = made_rows(row, "via", "via point", lambda one: _via(one, arm))
    given |= {word: _place(row[word], word) for word in ("start", "goal") if word in row}
    given["obstacles"] = made_rows(row, "obstacles", "obstacle", _obstacle)
    if "bodies" in row:
        given["bodies"] = made_rows(row, "bodies", "body", lambda one: record(CollisionBody, one, "[[bodies]]"))
    given["constraints"] = made_rows(row, "constraints", "constraint", _constraint)
    given |= _contacts(row)
    if "guess" in row:
        options["guess"] = _guess(row["guess"], folder, arm)
    return TaskFile(arm, Task(**given), options, outputs)


def _limits(row: Table, arm: Arm) -> Limits:
    """Return limits: a number for all joints, a list with one for each, or a table with lower and upper."""
    known = (*QUANTITIES, *(f"{word}_deg" for word in TURNING))
    refuse_unknown(row, known, "[limits]")
    made: dict[str, Any] = {}
    for word, value in row.items():
        quantity = word.removesuffix("_deg")
        if quantity in made:
            raise ModelError(f"{quantity} is given twice, in rad and in deg.")
        factor: Any = 1.0
        if word.endswith("_deg"):
            turns = [joint.angular for joint in arm.joints]
            factor = np.where(turns, np.pi / 180, 1.0)
        with inside(word):
            made[quantity] = _bound(value, quantity, factor)
    return Limits(**made)


def _bound(value: Any, word: str, factor: Any) -> Any:
    if isinstance(value, dict):
        refuse_unknown(value, ("lower", "upper"), f"{word} of [limits]")
        return tuple(None if side not in value else _side(value[side], word, factor) for side in ("lower", "upper"))
    return _side(value, word, factor)


def _side(value: Any, word: str, factor: Any) -> Any:
    try:
        numbers = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ModelError(f"{word} is {shown(value)}; expected a number, or a list with one per joint.") from None
    found = numbers * factor
    return float(found) if found.ndim == 0 else np.asarray(found)


def _via(row: Table, arm: Arm) -> Via:
    row = in_radians(row, ("q", "velocity"), arm)
    return record(Via, row | ({"q": _place(row["q"], "q")} if "q" in row else {}), "[[via]]")


def _place(value: Any, word: str) -> Any:
    """Return positions of the joints, or from a table the pose of a frame to reach."""
    if not isinstance(value, dict):
        return value
    with inside(word), about(word):
        return record(Reach, value, f"[{word}]")


def _obstacle(row: Table) -> Sphere | Capsule:
    """Return a capsule where an end is given, else a sphere."""
    refuse_unknown(row, ("centre", "a", "b", "radius"), "[[obstacles]]")
    return record(Capsule if "a" in row or "b" in row else Sphere, row, "[[obstacles]]")


def _constraint(row: Table) -> AbstractPathConstraint:
    """Return a constraint of the kind that is named."""
    kinds = path_constraint_kinds()
    kind = kinds.get(row.get("kind", ""))
    if kind is None:
        raise ModelError(f"kind is {shown(row.get('kind'))}; expected one of {', '.join(kinds)}.")
    return record(kind, {word: value for word, value in row.items() if word != "kind"}, "[[constraints]]")


def _contacts(row: Table) -> dict[str, Any]:
    """Return what is about phases and contacts."""
    given: dict[str, Any] = {
        "phases": made_rows(row, "phases", "phase", lambda one: record(Phase, one, "[[phases]]")),
        "travel": made_rows(row, "travel", "travel", lambda one: record(Travel, one, "[[travel]]")),
        "transfer": made_rows(row, "transfer", "transfer", lambda one: record(Transfer, one, "[[transfer]]")),
    }
    if isinstance(row.get("mirror"), dict):
        with inside("mirror"):
            given["mirror"] = record(Mirror, row["mirror"], "[mirror]")
    return given


def _checked(options: Table) -> Table:
    """Return options; raise an error for one that is out of range."""
    for word, value in options.items():
        sentence = wrong(word, value)
        if sentence:
            raise ModelError(sentence.replace(", or None", ""))  # which TOML does not have
    return options


def _guess(value: Any, folder: Path, arm: Arm) -> Any:
    """Return an earlier motion, or waypoints of the arm."""
    from lissom.motion.result.files.read import read
    from lissom.motion.solve import guess

    given = read(folder / value) if isinstance(value, str) else value
    try:
        guess.as_guess(arm, given)
    except InputError as error:
        raise ModelError(str(error).removeprefix(f"{guess.VERB}: ")) from None
    return given
