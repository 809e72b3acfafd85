"""Telling how far a search is, and letting Ctrl-C end it without loss."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from lissom.errors import InputError, shown
from lissom.motion.report import Iteration
from lissom.telling import line

Told = Callable[[Iteration], object]


@contextmanager
def watched(progress: Any) -> Iterator[Told]:
    """A function that is told every iteration; it raises KeyboardInterrupt in the first one after Ctrl-C.

    Solvers run in other languages, where an exception at an arbitrary moment would be lost: so the signal is noted, and
    raised where the solver listens.
    """
    with ExitStack() as stack:
        show = stack.enter_context(_shown(progress))
        pressed = stack.enter_context(_noted_interrupts())

        def told(step: Iteration) -> None:
            if pressed:
                raise KeyboardInterrupt
            show(step)

        yield told


@contextmanager
def _noted_interrupts() -> Iterator[list[int]]:
    """A list that Ctrl-C puts something in; a second one interrupts as usual."""
    pressed: list[int] = []
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield pressed  # only the main thread is told of signals; and where they are ignored they stay so
        return

    def note(number: int, frame: Any) -> None:
        if pressed:
            usual(number, frame)
        pressed.append(number)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, usual)


@contextmanager
def _shown(progress: Any) -> Iterator[Told]:
    """A line that is written over, the user's function, or nothing."""
    if progress is False or progress is None:
        yield lambda _step: None
    elif callable(progress):
        yield progress
    elif progress is True:
        with line("compiling and building") as told:
            yield lambda step: told(words(step))
    else:
        raise InputError(
            f"predict_motion: progress is {shown(progress)}; expected True, False or a function of an iteration."
        )


def words(step: Iteration) -> str:
    """One iteration on one line."""
    return (
        f"iteration {step.number:3d}   cost {step.cost:.6g}   {step.duration:.4f} s   "
        f"largest violation {step.violation:.1e}"
    )
