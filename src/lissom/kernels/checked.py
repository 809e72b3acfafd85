"""Functions whose states are checked after each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from lissom.engine.function import Function

Check = Callable[[Sequence[ArrayLike]], None]


class Checked(Function):
    """A function with a check of its states after each call: `check(arguments)`; None: nothing is checked."""

    check: Check | None = None

    def check_by(self, check: Check) -> None:
        """Install the check in all entries of a function, that of single states included."""
        self.check, self.one, self.into = check, self, self._into

    def __call__(self, *arrays: ArrayLike, out: Any = None, threads: int | None = None) -> Any:
        results = super().__call__(*arrays, out=out, threads=threads)
        if self.check is not None:
            self.check(arrays)
        return results
