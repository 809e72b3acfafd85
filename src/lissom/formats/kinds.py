"""Kinds of files and their readers, for messages about files given to the wrong reader."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lissom.errors import LissomError, ModelError
from lissom.formats.files import read_bytes, refuse_unreadable
from lissom.formats.netcdf import opened
from lissom.formats.shipped import shipped
from lissom.formats.strict import parse
from lissom.formats.table_header import read_header


class Kind(NamedTuple):
    """what : its name with an article; marker : the key of its version; keys : only files of this kind have them;
    read_by : a sentence that says what to do with it."""

    what: str
    marker: str
    keys: frozenset[str]
    read_by: str


KINDS = {
    "arm": Kind("an arm", "lissom", frozenset({"dh", "loops", "kinematics_only", "flexibility"}),
                "`ls.load` reads it, and the commands that take an arm, such as `lissom info`"),
    "run": Kind("a run file", "lissom_run", frozenset({"until", "torque", "controller", "events", "ensemble"}),
                "`lissom simulate` runs it"),
    "task": Kind("a task file", "lissom_task", frozenset({"goal", "goal_deg", "via", "minimise", "obstacles"}),
                 "`lissom predict` finds its motion"),
    "study": Kind("a study file", "lissom_study", frozenset({"evaluate", "parameters", "sampling"}),
                  "`lissom sweep` runs it"),
    "side": Kind("a side file", "lissom_flexible", frozenset(),
                 'it makes links of an arm flexible: `ls.load("arm.urdf", flexible="side.toml")`, or --flexible'),
}  # fmt: skip
ROBOT = "a robot description; `ls.load` reads it, and the commands that take an arm, such as `lissom info`"
RECORD = "a table of results; `ls.load_run` or `ls.load_motion` reads it, and `lissom plot` shows it"
TABLE = "a table of numbers; with columns t and q of every joint, `lissom torques` reads it, after the arm"
RECORDS = {
    "motion": "a motion; `ls.load_motion` reads it, and `lissom plot` shows it",
    "run": "a run; `ls.load_run` reads it, and `lissom plot` shows it",
    "parts": "the folder of a simulation in parts; `ls.load_run` reads its finished runs",
    "table": "a table of joint positions and torques; `lissom torques` reads it",
    "study": "the folder of a study; `ls.load_study` reads it, and `lissom plot` shows it",
}
VARIABLES = {"motion": "control_points", "run": "kinetic"}  # that only records of this kind have
INSIDE = {"study": "_study.json", "parts": "part-*.nc"}  # files that only folders of this kind have
RUN_TABLE = b'# {"format": "lissom run'
HEAD = 2**16  # bytes of a table in which its header is looked for
ENDINGS = {".urdf": ROBOT, ".xml": ROBOT, ".nc": RECORD, ".csv": TABLE, ".parquet": RECORD}
OF_SIDE_LINKS = {"child", "end", "z", "hub", "at"}


def kind_of(document: Mapping[str, Any]) -> str | None:
    """Return the kind of a TOML document: by the key of its version, else by keys that only one kind has."""
    for kind, about in KINDS.items():
        if about.marker in document:
            return kind
    if "links" in document:  # no other kind has them
        return _of_links(document["links"])
    counts = {kind: len(about.keys & document.keys()) for kind, about in KINDS.items()}
    best = max(counts, key=lambda kind: counts[kind])
    return best if counts[best] else None


def _of_links(links: Any) -> str | None:
    """Return whether a list of links is that of an arm or of a side file."""
    rows = [row for row in links if isinstance(row, dict)] if isinstance(links, list) else []
    if not rows:
        return None
    if any({"joint", "mass", "parent"} & row.keys() for row in rows):
        return "arm"
    return "side" if any(OF_SIDE_LINKS & row.keys() for row in rows) else None


def refuse_other_kind(document: Mapping[str, Any], expected: str) -> None:
    """Raise `ModelError` where a document is of another kind than its reader expects."""
    found, wanted = kind_of(document), KINDS[expected]
    if found is None or found == expected or wanted.marker in document:
        return
    if wanted.keys & document.keys() and KINDS[found].marker not in document:
        return  # of neither kind alone: its reader names the keys that do not belong
    sentence = f"it is {KINDS[found].what}, not {wanted.what}: {KINDS[found].read_by}."
    if found == "arm" and expected != "side":
        sentence += f' In {wanted.what}, give it as arm = "file or shipped name".'
    raise ModelError(sentence)


def refuse_other_ending(path: Path, expected: str) -> None:
    """Raise `ModelError` where the name of a file says that it is not TOML: by its ending, or as a shipped arm's."""
    if str(path) in shipped() and not path.exists():
        use = "" if expected == "side" else f', in which arm = "{path}" names it'
        raise ModelError(f"it is a shipped arm; expected {KINDS[expected].what} (.toml){use}.", file=str(path))
    about = about_record(path) or ENDINGS.get(path.suffix.lower())
    if about is not None:
        raise ModelError(f"it is {about}; expected {KINDS[expected].what} (.toml).", file=str(path))


def record_kind(names: Container[str]) -> str | None:
    """Return the kind of a record by the names of its variables, None where it is not known."""
    return next((kind for kind, name in VARIABLES.items() if name in names), None)


def refuse_other_record(names: Container[str], expected: str, file: str) -> None:
    """Raise `ModelError` where variables are those of another kind of record than its reader expects."""
    found = record_kind(names)
    if found not in (None, expected):
        raise ModelError(f"it is not a {expected}: it is {RECORDS[found]}.", file=file)


def about_record(path: Path) -> str:
    """Return what a file or folder of results is and what reads it, by its contents; empty where it is not known."""
    found = None
    try:
        if path.is_dir():
            found = next((kind for kind, name in INSIDE.items() if any(path.glob(name))), None)
        elif path.suffix.lower() == ".nc":
            with opened(path, "record") as data:
                found = record_kind(data)
        elif path.suffix.lower() == ".csv":
            found = _of_table(path)
    except (LissomError, OSError, ValueError):
        return ""
    return RECORDS[found] if found else ""


def _of_table(path: Path) -> str | None:
    """Return the kind of a table by its first lines."""
    refuse_unreadable(path)  # a pipe that nobody writes to would stop the reader for ever
    with path.open("rb") as stream:
        data = stream.read(HEAD)
    if data.startswith(RUN_TABLE):
        return "run"
    return "table" if read_header(data.decode("utf-8", "replace")) else None


def read_instead(path: Path) -> str:
    """Return a sentence that says what a file or folder is and what reads it; empty where that is not known."""
    if path.suffix.lower() in (".urdf", ".xml"):
        return f" It is {ROBOT}."
    if path.suffix.lower() != ".toml":
        about = about_record(path)
        return about and f" It is {about}."
    try:
        found = kind_of(parse(str(path), read_bytes(path))[1])
    except LissomError:
        return ""
    return f" It is {KINDS[found].what}: {KINDS[found].read_by}." if found else ""
