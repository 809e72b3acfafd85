"""Handling of Ctrl-C so that none is lost.

Python raises KeyboardInterrupt between any two steps of the main thread. Inside a function that a C++ library calls
back, or inside a finaliser, such an exception is forgotten. There the signal is noted instead, and raised
at a moment when somebody listens.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noted_interrupts() -> Iterator[list[int]]:
    """Context with a list that becomes non-empty at Ctrl-C; a second Ctrl-C interrupts as usual."""
    pressed: list[int] = []
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield pressed  # only the main thread is told of signals; and where they are ignored they stay so
        return

    def note(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            usual(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, usual)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Context that delays Ctrl-C to its end; a second one interrupts as usual."""
    usual = signal.getsignal(signal.SIGINT)
    pressed: list[int] = []
    try:
        with noted_interrupts() as pressed:
            yield
    finally:
        if pressed and callable(usual):
            usual(pressed[0], None)
