"""Progress reports of a search, and its interruption by Ctrl-C without loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lissom.engine.interrupts import noted_interrupts
from lissom.motion.result.report import Iteration
from lissom.progress import line, reporter

Progress = Callable[[Iteration], object]


@contextmanager
def reporting(progress: Any) -> Iterator[Progress]:
    """Yield a function to call after every iteration; it raises KeyboardInterrupt in the first one after Ctrl-C.

    Solvers run in other languages, where an exception at an arbitrary moment would be lost: so the signal is noted, and
    raised where the solver listens.
    """
    with reporter(progress, _line, progress, "predict_motion", "of an iteration") as show, \
            noted_interrupts() as pressed:  # fmt: skip

        def report(step: Iteration) -> None:
            if pressed:
                raise KeyboardInterrupt
            show(step)

        yield report


@contextmanager
def _line(after: float) -> Iterator[Progress]:
    """A line of text that is written over after every iteration."""
    with line("compiling", after) as show:
        yield lambda step: show(words(step))


def words(step: Iteration) -> str:
    """Return an iteration as one line of text."""
    return (
        f"iteration {step.number}, cost {step.cost:.5g}, duration {step.duration:.4g} s, "
        f"largest violation {step.violation:.0e}"
    )
