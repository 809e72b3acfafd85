"""One thread for the linear algebra of a search.

MUMPS inside IPOPT, and the products around it, work on small dense blocks. More threads wait for each other on such
blocks, on a busy machine for most of the time; and since they share out sums differently, the iterates depend on their
number.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from typing import Any


@functools.cache
def _controller() -> Any:
    """The linear algebra libraries of this process: those of NumPy and SciPy, and the one that casadi brings."""
    import casadi
    import threadpoolctl

    class CasadiController(threadpoolctl.OpenBLASController):  # type: ignore[misc]
        filename_prefixes = ("libcasadi-tp-openblas",)

    threadpoolctl.register(CasadiController)
    casadi.has_nlpsol("ipopt")  # loads it, and its linear algebra
    return threadpoolctl.ThreadpoolController()


class OneThread(contextlib.AbstractContextManager[None]):
    """Linear algebra runs on one thread inside; the number of threads comes back with the last to leave."""

    def __init__(self) -> None:
        self._count, self._lock = 0, threading.Lock()
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._count == 0:
                self._limit = _controller().limit(limits=1, user_api="blas")
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                self._limit.restore_original_limits()

    def renew(self) -> None:
        """Renew the lock after a fork: another thread may have held it."""
        self._lock = threading.Lock()


one_thread = OneThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_thread.renew)
