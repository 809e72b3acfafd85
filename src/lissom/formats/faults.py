"""Collecting the faults of a file, to report them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lissom.errors import ModelError

MOST_REPORTED = 10


class Faults:
    """Faults that a reader found; it continues after each and raises them together."""

    def __init__(self) -> None:
        self.list: list[ModelError] = []

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Context that stores a fault raised inside and continues."""
        try:
            yield
        except ModelError as error:
            self.list.append(error)

    def raise_any(self, advice: str = "") -> None:
        """Raise the stored faults as one error, in the order of the file, with the advice at the end."""
        if self.list:
            raise joined(self.list, advice) from None


def joined(faults: Sequence[ModelError], advice: str = "") -> ModelError:
    """One error made of several: the first, then the others on one line each."""
    first, *others = sorted(faults, key=lambda fault: fault.line or 0)
    sentences = [first.problem, *(str(fault) for fault in others[: MOST_REPORTED - 1])]
    if len(others) >= MOST_REPORTED:
        sentences.append(f"and {len(others) - MOST_REPORTED + 1} more faults.")
    return ModelError("\n".join(sentences) + (f"{chr(10) if others else ' '}{advice}" if advice else ""),
                      first.subject, first.file, first.line)  # fmt: skip
