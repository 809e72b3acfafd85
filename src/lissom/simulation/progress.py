"""Telling how far a simulation is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lissom.errors import InputError, shown

Progress = Callable[[float], None]


@contextmanager
def shown_progress(progress: Any, until: float, what: str = "simulating") -> Iterator[Progress]:
    """A function that is told the time reached; a bar, the user's function of the fraction, or nothing."""
    if progress is False or progress is None:
        yield lambda _t: None
    elif callable(progress):
        yield lambda t: progress(min(1.0, t / until))
    elif progress is True:
        from rich.progress import BarColumn, Progress as Bar, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        from rich.console import Console

        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=until)
            yield lambda t: bar.update(task, completed=t)
    else:
        raise InputError(
            f"simulate: progress is {shown(progress)}; expected True, False or a function of the fraction."
        )
