"""The common interface of all places where jobs run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class Workplace(Executor):
    """A `concurrent.futures.Executor` with a description of its place and of failures.

    An error inside ``with`` (such as Ctrl-C) cancels its jobs; otherwise leaving the block waits for them.
    """

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of jobs that run at once."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Description of the place for messages."""

    @property
    def trouble(self) -> str:
        """Why no answers are expected any more; empty while they are."""
        return ""

    @abstractmethod
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit ``fn(*args, **kwargs)`` and return its future."""

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)
