"""The columns of a table that are the channels of a log."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lissom.arrays import as_floats
from lissom.errors import InputError, listed, shown, suggest
from lissom.formats.columns.headers import (
    axes_beyond,
    chosen,
    has_time_unit,
    is_part,
    meanings,
    stamp_parts,
    strangers,
    time_factor,
    time_unit,
    unit_factor,
)
from lissom.formats.tables import Columns
from lissom.identification.logs.clock import Clock, seconds
from lissom.identification.logs.work import CHANNELS
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

NEEDED = ("q", "tau", "current")  # of all joints, if of one
RUNS = 0.5  # of the rows: a clock shows a later time than in the row before


class Pick(NamedTuple):
    """A column, and the factor that makes it SI."""

    name: str
    factor: float


class Assignment:
    """Which column is which channel of which joint: those that the caller names, then those whose names say it."""

    def __init__(
        self, table: Columns, arm: Arm, columns: Mapping[str, Any], scale: Mapping[str, Any], shift: Mapping[str, Any]
    ) -> None:
        self.names = tuple(joint.name for joint in arm.joints)
        columns = {word: _as_names(value) for word, value in columns.items()}
        self._table, self._columns, self._scale, self._shift = table, columns, scale, shift
        for what, given, known in (("columns", columns, ("t", *CHANNELS)), ("scale", scale, ("t", *CHANNELS)),
                                   ("shift", shift, CHANNELS)):  # fmt: skip
            for word in given:
                if word not in known:
                    raise InputError(f"{what} has {word!r}; {suggest(str(word), known)}")
        self._picks = self._given() | self._recognised()

    def _given(self) -> dict[tuple[str, int], Pick]:
        """Columns that the caller names."""
        out = {}
        for word in (word for word in self._columns if word != "t"):
            value, count = self._columns[word], len(self.names)
            names = self._filled_in(value) if isinstance(value, str) else list(value)
            if len(names) != count:
                raise InputError(f"columns[{word!r}] has {len(names)} names; expected {count}, one per joint.")
            for k, name in enumerate(names):
                if name is not None:
                    self._refuse_unknown(name)
                    out[(word, k)] = self._pick(name, word)
        return out

    def _filled_in(self, pattern: str) -> list[str]:
        """Names of a pattern such as ``pos_{}``, with numbers from 1, or from 0 where the table has that."""
        first = 0 if pattern.format(0) in self._table and pattern.format(len(self.names)) not in self._table else 1
        return [pattern.format(first + k) for k in range(len(self.names))]

    def _recognised(self) -> dict[tuple[str, int], Pick]:
        """Columns whose names say what they are, of quantities that the caller does not name."""
        used = {name for word in self._columns if word != "t" for name in self._columns[word]}
        found = meanings([name for name in self._table if name not in used], self.names)
        found = {name: at for name, at in found.items() if at.word not in self._columns and at.word in CHANNELS}
        return {key: self._pick(name, key[0]) for key, name in chosen(found).items()}

    def _pick(self, name: str, word: str) -> Pick:
        """A column with its unit; per cent of something need the caller's factor."""
        if is_part(name) and word not in self._scale:
            unit = {"tau": "N m or N", "current": "A"}.get(word, "SI units")
            raise InputError(
                f"column {name!r} is in per cent of a value that the table does not say; expected {unit}. Give "
                f"scale={{{word!r}: [...]}}, what one per cent is at each joint."
            )
        return Pick(name, unit_factor(name, self.names, word))

    def _refuse_unknown(self, name: Any) -> None:
        if name not in self._table:
            raise InputError(f"there is no column {name!r}; {suggest(str(name), self._table)}")

    def arrays(self) -> dict[str, Array | None]:
        """Channels (nt, joints) by name, None where the table has none."""
        found = {word: self._array(word) for word in CHANNELS}
        if found["second"] is not None and "q" in self._shift and "second" not in self._shift:
            raise InputError(
                "shift has 'q', and the table has second encoders: their difference is the deflection. Say what holds "
                "for these, shift={'q': ..., 'second': ...}: the same where the zero of the joint moves, 0 where only "
                "the encoder of the motor was off."
            )
        if found["q"] is None:
            raise InputError(f"there are no positions. {self._reason}{self._expected}")
        return found

    def _array(self, word: str) -> Array | None:
        """The columns of a quantity (nt, joints), scaled and shifted; None where there are none."""
        have = {k: self._picks[(word, k)] for k in range(len(self.names)) if (word, k) in self._picks}
        missing = [name for k, name in enumerate(self.names) if k not in have]
        if have and missing and word in NEEDED:
            raise InputError(
                f"{word} of joint {missing[0]!r} is missing. {self._expected} A joint that is not logged because it is "
                f"held, as a gripper is, is locked: arm.lock({{{missing[0]!r}: 0.0}})."
            )
        if not have or (missing and word == "qd"):  # rates of some joints alone: all are derived
            return None
        out = np.full((len(next(iter(self._table.values()))), len(self.names)), np.nan)
        for k, pick in have.items():
            out[:, k] = pick.factor * self._table[pick.name]
        return out * as_floats(self._scale.get(word, 1.0)) + as_floats(self._shift.get(word, 0.0))

    def times(self, arrays: Mapping[str, Array | None]) -> Clock:
        """The times [s]; a unit that no name says shows in measured positions and rates (nt, joints)."""
        name = self._columns.get("t")
        if name is not None:
            self._refuse_unknown(name)
        found = [name] if name is not None else [word for word in self._table if time_factor(word) is not None]
        if not found:
            have = listed(map(repr, self._table), 8)
            raise InputError(
                f"there is no column of times, it has {have}. Name it t, in seconds, or columns={{'t':..}}; for rows "
                "at a constant rate give rate_hz=."
            )
        own = stamp_parts(found) or [max(found, key=self._runs)]
        t = self._time_scale() * np.sum([time_unit(word) * self._table[word] for word in own], axis=0)
        unclear = len(own) == 1 and not has_time_unit(own[0]) and "t" not in self._scale
        return seconds(t, arrays["q"], arrays["qd"]) if unclear else Clock(t)

    def _runs(self, name: str) -> bool:
        """Whether a column of times increases in most rows, as the clock of the log does."""
        step = np.diff(self._table[name])
        return bool(step.size) and float(np.mean(step > 0.0)) > RUNS

    def _time_scale(self) -> float:
        scale = self._scale.get("t", 1.0)
        if isinstance(scale, bool) or not isinstance(scale, int | float | np.number) or not 0.0 < scale < np.inf:
            raise InputError(f"scale['t'] is {shown(scale)}; expected a number above 0, such as 1e-3 for milliseconds.")
        return float(scale)

    def note(self) -> tuple[str, ...]:
        """A sentence about the columns that are left out."""
        used = {pick.name for pick in self._picks.values()} | {self._columns.get("t")}
        left = [name for name in self._table if name not in used and time_factor(name) is None]
        beyond = axes_beyond([name for name in self._table if not name.isdigit()], self.names)
        patterns = dict.fromkeys(name if name.isdigit() else re.sub(r"\d+(?=\D*$)", "*", name) for name in left)
        out = [f"columns not used: {listed(patterns, 8)}."] if left else []
        if beyond:
            out.append(
                f"the table has more axes than the arm, which has {len(self.names)} joints: axes "
                f"{listed(map(str, beyond), 6)} are not used. Is it the right arm?"
            )
        return tuple(out)

    @property
    def _reason(self) -> str:
        """Why columns that look like positions are not taken for them."""
        second = [pick.name for (word, _), pick in self._picks.items() if word == "second"]
        unknown = strangers(list(self._table), self.names)
        if second:
            return (
                f"Columns {listed(map(repr, second), 3)} were taken for second encoders, at the links; if they are the "
                f"positions, give columns={{'q': [{second[0]!r}, ...]}}. "
            )
        if unknown:
            known = listed(map(repr, self.names), 8)
            return f"Columns {listed(map(repr, unknown), 3)} name no joint of the arm; its joints are {known}. "
        return ""

    @property
    def _expected(self) -> str:
        wanted = ", ".join(f"q[{name}]" for name in self.names[:3])
        have = listed(map(repr, self._table), 8)
        return (
            f"Expected columns such as {wanted} or q_1, q_2 ...; the table has {have}. Other names are given with "
            "columns={'q': [...]}."
        )


def _as_names(value: Any) -> Any:
    """Names of columns; tables without names have the numbers of their columns."""
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, int | np.integer):
        return str(value)
    return [_as_names(one) for one in value]
