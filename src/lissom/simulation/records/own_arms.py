"""Ensembles with a separate arm for each run: kinematics of the runs, and storage of the arms in files.

In a file an arm is stored as the lines of its text that differ from the base arm, or as its whole text if lines were
added.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.alike import refuse_unlike
from lissom.dynamics.varied import Varied
from lissom.errors import InputError
from lissom.kernels.batch_of_arms import call_rows, places
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.deformation import Deformation, Rule, amplitudes

Differences = dict[str, Any]


def at_point(
    arm: Arm, arms: Sequence[Arm], name: str, states: Sequence[Array], which: Any, link: str, point: ArrayLike
) -> Array:
    """Return a kinematic result for a point of a link in states (rows, dof), each of the arm number `which`."""
    varied = Varied(arm, arms, places(arm, name, link=link, point=point), rounded=False)
    rows = varied.rows(arms)[which]
    return np.asarray(call_rows(varied, rows, name, [np.ascontiguousarray(x) for x in states], link=link, point=point))


def deformed(arms: Sequence[Arm], q: Array, link: str, s: ArrayLike | None) -> Deformation:
    """Return the deformation along a flexible link of every arm, for states (arms, ..., dof)."""
    rules = [Rule(arm, link, s, "deformation") for arm in arms]
    if any(not np.array_equal(rule.s, rules[0].s) for rule in rules):
        raise InputError(
            f"deformation: link {link!r} has different lengths in the runs; give distances s within all of them, or "
            "use member(k)."
        )
    found = [rule(q[k][..., amplitudes(arm, link)]) for k, (arm, rule) in enumerate(zip(arms, rules, strict=True))]
    words = [field.name for field in dataclasses.fields(Deformation)[2:]]
    return Deformation(link, rules[0].s, *(np.stack([getattr(one, word) for one in found]) for word in words))


# ---- files ---------------------------------------------------------------------------------------


def differences(arm: Arm, arms: Sequence[Arm]) -> list[Differences]:
    """Return arms as their differences from a base arm's text."""
    from lissom.formats import native_write

    if isinstance(arms, StoredArms) and arms.base == arm:
        return arms.differences
    base = native_write.write(arm).split("\n")
    out: list[Differences] = []
    for other in arms:
        lines = native_write.write(other).split("\n")
        if len(lines) != len(base):
            out.append({"text": "\n".join(lines)})
        else:
            out.append({str(i): line for i, (line, old) in enumerate(zip(lines, base, strict=True)) if line != old})
    return out


class StoredArms(Sequence[Arm]):
    """Arms from a file, each parsed on first use."""

    def __init__(self, base: Arm, text: str, differences: list[Differences], file: str):
        if not isinstance(differences, list) or not all(_lines(row) for row in differences):
            raise TypeError("arms are not stored as lines of text")
        self.base, self.differences = base, differences
        self._lines, self._file = text.split("\n"), file
        self._made: dict[int, Arm] = {}

    def __len__(self) -> int:
        return len(self.differences)

    @overload
    def __getitem__(self, k: int) -> Arm: ...

    @overload
    def __getitem__(self, k: slice) -> Sequence[Arm]: ...

    def __getitem__(self, k: int | slice) -> Arm | Sequence[Arm]:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        k = range(len(self))[k]
        if k not in self._made:
            arm = self._read(self.differences[k])
            refuse_unlike(self.base, arm, k)
            self._made[k] = arm
        return self._made[k]

    def _read(self, differences: Differences) -> Arm:
        from lissom.formats import native_read

        if not differences:
            return self.base
        text = differences.get("text") or "\n".join(differences.get(str(i), line) for i, line in enumerate(self._lines))
        return native_read.read(Path(self._file), text.encode())


def _lines(row: Any) -> bool:
    """Whether a row of a file has lines of text by their numbers."""
    return isinstance(row, dict) and all(isinstance(x, str) for pair in row.items() for x in pair)
