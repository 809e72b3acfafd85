"""Shared parts of run files and task files: an arm by name, degrees by joint, files to write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import ModelError, shown
from lissom.formats.files import AS_WRITTEN
from lissom.formats.load import load
from lissom.formats.strict import Table, as_table, inside, record
from lissom.model.arm import Arm
from lissom.model.fields import number
from lissom.model.loads import Payload

ARM_KEYS = ("arm", "flexible", "repair", "mimic", "lock", "lock_deg", "payload")  # of `named_arm`


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


def locked_joints(document: Table) -> tuple[str, ...]:
    """The joints that ``lock`` and ``lock_deg`` of a document fix."""
    return (*document.get("lock", {}), *document.get("lock_deg", {}))


def in_radians(row: Table, words: Sequence[str], arm: Arm, locked: Sequence[str] = ()) -> Table:
    """A copy with ``x_deg`` as x: degrees of the joints that turn; a sliding joint's entry is in metres.

    locked : joints that the document fixes, which have no entry any more
    """
    row = dict(row)
    turns = np.array([joint.angular for joint in arm.joints])
    for word in words:
        for key in (word, f"{word}_deg"):
            _refuse_locked(row.get(key), key, arm, locked)
        if f"{word}_deg" in row:
            if word in row:
                raise ModelError(f"{word} is given twice, in rad and in deg.")
            value = np.asarray(row.pop(f"{word}_deg"), float)
            if value.shape[-1:] != turns.shape:
                have = value.shape[-1] if value.ndim else 1
                raise ModelError(f"{word}_deg has {have} entries; expected {len(turns)}, one per joint.")
            row[word] = np.where(turns, np.radians(value), value).tolist()
    return row


def _refuse_locked(value: Any, word: str, arm: Arm, locked: Sequence[str]) -> None:
    """Raise an error for a list that still has entries of locked joints."""
    if isinstance(value, list) and locked and len(value) == len(arm.joints) + len(locked):
        names = ", ".join(joint.name for joint in arm.joints)
        raise ModelError(
            f"{word} has {len(value)} entries; expected {len(arm.joints)} ({names}). Locked joints have no entry: omit "
            f"{'that' if len(locked) == 1 else 'those'} of {' and '.join(locked)}."
        )


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
