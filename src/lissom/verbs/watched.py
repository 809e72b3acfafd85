"""Functions whose results are looked at."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from lissom.engine.function import Function
from lissom.spatial.rotations import Array


class Watched(Function):
    """A function whose states are looked at after each call: `look(arguments, results)`."""

    look: Callable[[list[Array], Any], None]

    def watch(self, look: Callable[[list[Array], Any], None]) -> None:
        """Look from now on, also where one state is asked for."""
        self.look, self.one = look, self
        self._single = functools.partial(Function.__call__, self)  # within a call, which looks itself

    def __call__(self, *arrays: ArrayLike, out: Any = None, threads: int | None = None) -> Any:
        results = super().__call__(*arrays, out=out, threads=threads)
        self.look([self.read(x, k) for k, x in enumerate(arrays)], results)
        return results
