"""Shared parts of run files and task files: an arm by name, degrees by joint, errors with their line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lissom.errors import LissomError, ModelError, PlacedError, shown
from lissom.formats.files import AS_WRITTEN, read_bytes
from lissom.formats.kinds import refuse_other_ending, refuse_other_kind
from lissom.formats.load import load
from lissom.formats.strict import Table, as_table, inside, parse, record
from lissom.formats.toml_text import find_line
from lissom.model.arm import Arm
from lissom.model.fields import number
from lissom.model.loads import Payload

T = TypeVar("T")
ARM_KEYS = ("arm", "flexible", "repair", "mimic", "lock", "lock_deg", "payload")  # of `named_arm`


def read_document(path: Path, kind: str, read: Callable[[Table], T]) -> T:
    """Read a file of a kind (see `kinds.KINDS`) by a function; errors have its line."""
    refuse_other_ending(path, kind)
    text, document = parse(str(path), read_bytes(path))
    try:
        refuse_other_kind(document, kind)
        return read(document)
    except ModelError as error:
        if error.file:
            raise
        where = error.path if isinstance(error, PlacedError) else ()
        key = re.sub(r"\W.*", "", error.problem.split()[0].rstrip(":"))
        raise ModelError(error.problem, error.subject, str(path), find_line(text, where, key=key)) from None
    except LissomError as error:
        raise ModelError(str(error), file=str(path)) from None
    except (
        TypeError,
        ValueError,
        OverflowError,
    ) as error:  # numbers where words stand, tables with rows of unlike length
        raise ModelError(f"a value does not fit its key ({error}).", file=str(path)) from None


def refuse_version(document: Table, word: str, version: int) -> None:
    """Raise an error if a file declares an unknown format version."""
    given = document.get(word, version)
    if given != version or isinstance(given, bool):
        raise ModelError(f"{word} is {given!r}; this version of lissom reads format {version}.")


def named_arm(document: Table, folder: Path) -> Arm:
    """The ``arm`` of a document, loaded, with joints locked and with a payload as the other `ARM_KEYS` say."""
    if "arm" not in document:
        raise ModelError("arm is missing from the file.")
    side = document.get("flexible")
    if side is not None and not isinstance(side, str):
        raise ModelError(f"flexible is {shown(side)}; expected a side file that gives links beams.")
    mimic = document.get("mimic", "follow")
    if mimic not in ("follow", "free"):
        raise ModelError(f"mimic is {shown(mimic)}; expected 'follow' or 'free'.")
    repair = document.get("repair", False)
    if not isinstance(repair, bool) and repair != AS_WRITTEN:
        raise ModelError(f"repair is {shown(repair)}; expected true, false or {AS_WRITTEN!r}.")
    options = {"flexible": None if side is None else folder / side, "mimic": mimic, "repair": repair}
    arm = _locked(load_beside(document["arm"], "arm", folder, **options), document)
    if "payload" in document:
        row = dict(as_table(document["payload"], "payload"))
        link = row.pop("link", None)
        with inside("payload"):
            arm = arm.with_payload(record(Payload, row, "[payload]"), link)
    return arm


def _locked(arm: Arm, document: Table) -> Arm:
    """The arm with the joints of ``lock`` fixed at their positions, those of ``lock_deg`` in degrees."""
    turning = {joint.name for joint in arm.joints if joint.angular}
    for word in ("lock", "lock_deg"):
        row = as_table(document.get(word, {}), word)
        with inside(word):
            in_degrees = [name for name in row if word == "lock_deg" and name in turning]
            arm = arm.lock(row | {name: np.radians(number(row[name], name)) for name in in_degrees}) if row else arm
    return arm


def load_beside(source: Any, word: str, folder: Path, **options: Any) -> Arm:
    """An arm from a file beside the document, or a shipped one, with options of `load`."""
    if not isinstance(source, str):
        raise ModelError(f"{word} is {shown(source)}; expected a file or the name of a shipped arm.")
    return load(folder / source if Path(source).suffix else source, **options)


def in_radians(row: Table, words: Sequence[str], arm: Arm) -> Table:
    """A copy with ``x_deg`` as x: degrees of the joints that turn; a sliding joint's entry is in metres."""
    row = dict(row)
    turns = np.array([joint.angular for joint in arm.joints])
    for word in words:
        if f"{word}_deg" in row:
            if word in row:
                raise ModelError(f"{word} is given twice, in rad and in deg.")
            value = np.asarray(row.pop(f"{word}_deg"), float)
            if value.shape[-1:] != turns.shape:
                have = value.shape[-1] if value.ndim else 1
                raise ModelError(f"{word}_deg has {have} entries; expected {len(turns)}, one per joint.")
            row[word] = np.where(turns, np.radians(value), value).tolist()
    return row


def output_files(document: Table, folder: Path, kinds: Sequence[str]) -> tuple[Path, ...]:
    """The ``output`` of a document, as files beside it."""
    ending = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    given = document.get("output", [])
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise ModelError(f"output is {shown(given)}; expected a file or a list of files ({', '.join(kinds)}).")
    for name in given:
        if Path(name).suffix.lower() not in kinds:
            raise ModelError(f"output has {name!r}; expected files that end in {ending}.")
    return tuple(folder / name for name in given)
