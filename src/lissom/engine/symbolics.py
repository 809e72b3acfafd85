"""One thread at a time with casadi's expressions.

casadi leaves Python's lock while it works, and expressions of different threads share nodes, such as constants. Two
threads that write, differentiate or drop expressions at once may end the process or get a wrong function (seen with
casadi 3.8.2). So functions that work with expressions have the decorator `alone`. It is a decorator and no block
because what a function holds is dropped when it returns, which must be inside too. What lives longer is `Kept`.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from lissom.later import importing

_dropped: list[Any] = []


class _Alone(ContextDecorator):
    """Decorates functions that work with expressions; they may call each other.

    The lock is that of imports: what is traced may import something, and a fork waits for it.
    """

    def __enter__(self) -> None:
        importing.acquire()

    def __exit__(self, *_: object) -> None:
        _dropped.clear()
        importing.release()


alone = _Alone()


class Kept:
    """A casadi function that lives as long as this does, and is dropped by whoever works with expressions next.

    Python may collect this anywhere, also where waiting for another thread is not possible.
    """

    def __init__(self, function: Any):
        self.function = function

    def __del__(self) -> None:
        _dropped.append(self.function)
