"""Progress reports of a simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lissom.errors import InputError, shown
from lissom.progress import bar, bar_if_long

Progress = Callable[[float], None]


@contextmanager
def shown_progress(progress: Any, until: float, what: str = "simulating") -> Iterator[Progress]:
    """Yield a function to call with the time reached: it updates a bar, calls the user's function, or does nothing."""
    if progress is False:
        yield lambda _t: None
    elif callable(progress):
        yield lambda t: progress(min(1.0, t / until))
    elif progress is True or progress is None:
        with (bar if progress else bar_if_long)(what, until) as show:
            yield show
    else:
        raise InputError(
            f"simulate: progress is {shown(progress)}; expected True, False or a function of the fraction."
        )
