"""Jobs run in this process, immediately."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from lissom.work.workplace import Workplace


class Here(Workplace):
    """Does a job when it is handed in; Ctrl-C passes through `submit`."""

    count = 1
    place = "this process"

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a job and return its completed future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
