"""Progress reports of a search, and its interruption by Ctrl-C without loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from lissom.engine.interrupts import noted_interrupts
from lissom.errors import InputError, shown
from lissom.motion.result.report import Iteration
from lissom.progress import line, line_if_long

Progress = Callable[[Iteration], object]


@contextmanager
def reporting(progress: Any) -> Iterator[Progress]:
    """Yield a function to call after every iteration; it raises KeyboardInterrupt in the first one after Ctrl-C.

    Solvers run in other languages, where an exception at an arbitrary moment would be lost: so the signal is noted, and
    raised where the solver listens.
    """
    with ExitStack() as stack:
        show = stack.enter_context(_shown(progress))
        pressed = stack.enter_context(noted_interrupts())

        def report(step: Iteration) -> None:
            if pressed:
                raise KeyboardInterrupt
            show(step)

        yield report


@contextmanager
def _shown(progress: Any) -> Iterator[Progress]:
    """A line that is written over, by default if the search takes some seconds; the user's function; or nothing."""
    if progress is False:
        yield lambda _step: None
    elif callable(progress):
        yield progress
    elif progress is True or progress is None:
        with (line if progress else line_if_long)("compiling") as show:
            yield lambda step: show(words(step))
    else:
        raise InputError(
            f"predict_motion: progress is {shown(progress)}; expected True, False or a function of an iteration."
        )


def words(step: Iteration) -> str:
    """One iteration on one line."""
    return (
        f"iteration {step.number}, cost {step.cost:.5g}, duration {step.duration:.4g} s, "
        f"largest violation {step.violation:.0e}"
    )
