"""Functions whose results are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from lissom.engine.function import Function

Look = Callable[[Sequence[ArrayLike]], None]


class Checked(Function):
    """A function whose states are looked at after each call: `look(arguments)`."""

    look: Look

    def check_by(self, look: Look) -> None:
        """Look from now on, also where one state is asked for."""
        self.look, self.one, self.into = look, self, self._into

    def __call__(self, *arrays: ArrayLike, out: Any = None, threads: int | None = None) -> Any:
        results = super().__call__(*arrays, out=out, threads=threads)
        self.look(arrays)
        return results
