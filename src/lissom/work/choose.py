"""Choice of where jobs run."""

from __future__ import annotations

import numbers
from typing import Any

from lissom.cores import cores
from lissom.errors import InputError, shown
from lissom.work.here import Here
from lissom.work.processes import Processes
from lissom.work.workplace import Workplace


def executor(workers: int | None, scheduler: str | None, verb: str) -> Workplace:
    """Return where jobs run: processes on this machine (1: this process; None: one per usable core), or a cluster.

    verb : name of the calling function, for error messages
    """
    if workers is not None and scheduler is not None:
        raise InputError(
            f"{verb}: workers is {shown(workers)} and scheduler is {shown(scheduler)}; give only one of them: workers "
            "for processes on this machine, scheduler for a cluster."
        )
    if scheduler is not None:
        return _cluster(scheduler, verb)
    if workers is not None and not _positive(workers):
        raise InputError(f"{verb}: workers is {shown(workers)}; expected a whole number above 0, or None.")
    count = cores() if workers is None else int(workers)
    return Here() if count == 1 else Processes(count)


def _positive(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Integral) and int(value) > 0


def _cluster(scheduler: Any, verb: str) -> Workplace:
    from lissom.work.cluster import Cluster

    if not isinstance(scheduler, str) or not scheduler.strip():
        raise InputError(
            f"{verb}: scheduler is {shown(scheduler)}; expected the address of a dask scheduler, such as "
            "'tcp://127.0.0.1:8786', or None."
        )
    try:
        return Cluster(scheduler)
    except InputError as error:
        raise InputError(f"{verb}: {error}") from None
