"""The file in a store that describes its study, and whether another run may add rows to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from lissom.errors import InputError, ModelError
from lissom.formats.files import read_bytes, write_text
from lissom.formats.fingerprint import Fingerprint
from lissom.formats.records.text import RecordFormat, refuse_damage
from lissom.formats.strict import refuse_unknown
from lissom.formats.typed import refuse_unfit
from lissom.studies.plan.described import described
from lissom.studies.plan.description import AbstractStudy

FORMAT = RecordFormat("study", 2, earlier=(1,))
ABOUT = "_study.json"  # readers of folders of Parquet files pass such names over
LARGEST_ABOUT = 2**30  # bytes; a parameter may list many values


class Made(TypedDict):
    """How the rows of a store were made: versions of packages."""

    versions: dict[str, str]


class Settings(TypedDict, total=False):
    """What was chosen once for all rows, see `rows.evaluation.settings_of`."""

    dt: float | None
    method: str


class About(TypedDict):
    """The description of a study in its store, see `described`; arguments and values may have any text."""

    format: str
    title: str
    evaluate: str
    arguments: object
    parameters: dict[str, object]
    outputs: object
    sampling: str
    rows: int
    units: dict[str, str]
    fingerprint: str
    unseen: object
    made: Made
    settings: Settings


def write_about(folder: Path, study: AbstractStudy, settings: dict[str, Any] | None) -> None:
    """Write the description of a study."""
    write_text(folder / ABOUT, FORMAT.text({**described(study), "settings": settings or {}}, indent=1) + "\n")


def read_about(folder: Path) -> dict[str, Any]:
    """Return a store's description of its study."""
    path = folder / ABOUT
    with refuse_damage(str(path)):
        stored = FORMAT.parsed(read_bytes(path, LARGEST_ABOUT))
        refuse_unfit(About, stored)
        refuse_unknown(stored["settings"], tuple(Settings.__annotations__), "its settings")
        if stored["rows"] < 1:
            raise ModelError(f"its rows are {stored['rows']}; expected at least 1.")
    return stored


def refuse_other(path: Path, stored: dict[str, Any], study: AbstractStudy) -> None:
    """Raise an error where a store has rows of another study, of other versions, or in an earlier format."""
    own = described(study)
    Fingerprint(own["fingerprint"], own["unseen"]).refuse_unseen(f"{path}: it", "study", "Use another folder")
    if stored["format"] != FORMAT.name:
        raise InputError(
            f"{path}: its format is {stored['format']!r}, which is read but not continued. Use another folder."
        )
    if stored["fingerprint"] != own["fingerprint"]:
        unnamed = ("fingerprint", "unseen", "made")
        differing = [word for word in own if word not in unnamed and own[word] != stored.get(word)]
        what = ", ".join(differing) or "what it evaluates, or values that it uses,"
        raise InputError(
            f"{path}: it has rows of a different study ({what} differ). Use another folder. (A function that modifies "
            "a list or table while it runs differs from its first state: resume in a fresh process then.)"
        )
    then, now = stored["made"]["versions"], own["made"]["versions"]
    other = [f"{word} {then.get(word)} (here {now.get(word)})" for word in now if then.get(word) != now[word]]
    if other:
        raise InputError(
            f"{path}: its rows were computed with {', '.join(other)}; results of different versions are not mixed. "
            "Install those versions, or use another folder."
        )
