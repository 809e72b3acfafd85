"""Progress reports of a search, and its interruption by Ctrl-C without loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from lissom.engine.interrupts import noted_interrupts
from lissom.motion.result.report import Iteration
from lissom.telling import line, line_if_long, reporter

Progress = Callable[[Iteration], object]


@contextmanager
def reporting(progress: Any) -> Iterator[Progress]:
    """Yield a function to call after every iteration; it raises KeyboardInterrupt in the first one after Ctrl-C.

    Solvers run in other languages, where an exception at an arbitrary moment would be lost: so the signal is noted, and
    raised where the solver listens.
    """
    asked = progress is not None
    made = partial(_line, line if asked else line_if_long)
    with reporter(progress if asked else True, made, progress, "predict_motion", "of an iteration") as show, \
            noted_interrupts() as pressed:  # fmt: skip

        def report(step: Iteration) -> None:
            if pressed:
                raise KeyboardInterrupt
            show(step)

        yield report


@contextmanager
def _line(kind: Callable[[str], AbstractContextManager[Callable[[str], None]]]) -> Iterator[Progress]:
    """A line of text that is written over after every iteration."""
    with kind("compiling and building") as show:
        yield lambda step: show(words(step))


def words(step: Iteration) -> str:
    """Return an iteration as one line of text."""
    return (
        f"iteration {step.number:3d}   cost {step.cost:.6g}   {step.duration:.4f} s   "
        f"largest violation {step.violation:.1e}"
    )
