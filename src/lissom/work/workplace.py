"""What all workplaces have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class Workplace(Executor):
    """A `concurrent.futures.Executor` that can say where it works, and why it does not any more.

    An error inside ``with`` (Ctrl-C is one) ends its work at once; otherwise it is waited for.
    """

    @property
    @abstractmethod
    def count(self) -> int:
        """Jobs at once."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Where, in words."""

    @property
    def trouble(self) -> str:
        """Why no more answers will come, in words; empty while they may."""
        return ""

    @abstractmethod
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future of ``fn(*args, **kwargs)``."""

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)
