"""A table under repair: rows that are kept, what was done, and when too much of it is bad."""

from __future__ import annotations

from lissom.errors import InputError
from lissom.spatial.rotations import Array

CHANNELS = ("q", "qd", "tau", "current", "second")
MOST_BAD = 0.01  # part of the rows that may be removed or repaired

Table = dict[str, Array]


def counted(count: int, word: str) -> str:
    """A number of things: "1 row", "3 rows"."""
    return f"{count} {word}{'s' if count != 1 else ''}"


class Repair:
    """A table under repair, with the sentences that say what was done."""

    def __init__(self, table: Table, joints: tuple[str, ...], source: str) -> None:
        self.table, self.joints, self.notes = table, joints, list[str]()
        self.dead = list[tuple[float, float]]()  # times from and to in which a sensor stops
        self._where, self._rows, self._bad = f"{source}: " if source else "log: ", len(table["t"]), 0

    def name(self, k: int) -> str:
        """The name of a joint, for sentences."""
        return repr(self.joints[k]) if self.joints else str(k + 1)

    def keep(self, rows: Array, what: str, bad: int = 0, place: str = "") -> None:
        """Keep some rows; `bad`: as many values of a channel were bad; `place`: where most are, for an error."""
        lost = len(rows) - int(rows.sum())
        if lost:
            self.table = {word: values[rows] for word, values in self.table.items()}
            self.count(bad, f"{counted(lost, 'row')} removed: {what}.", place)

    def count(self, bad: int, note: str, place: str = "") -> None:
        """Count bad rows, and say so; too many are an error."""
        self._bad += bad
        self.notes.append(note)
        if self._bad > max(MOST_BAD * self._rows, 2):
            what = f"{note.rstrip('.')}{place}"
            raise self.refusal(
                f"{self._bad} of {self._rows} rows are bad, more than {100 * MOST_BAD:g} % ({what}). "
                "Repair the file, or take a good part of it with between=(start, end) of load_log."
            )

    def refusal(self, problem: str) -> InputError:
        """An error about this log."""
        return InputError(f"{self._where}{problem}")
