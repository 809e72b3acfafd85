"""Jobs and answers as bytes, the same for processes and clusters.

Functions of ``__main__``, lambdas and closures travel by value (cloudpickle). A job is the pickled function and what
it is given, each by itself, so that a worker which gets one function again and again makes it once: what belongs to
the function's module, such as the warnings that were shown, is then kept from job to job.
"""

from __future__ import annotations

import pickle
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lissom.errors import InputError, install_extra, shown

_last: list[tuple[bytes, Any]] = [(b"", None)]  # the function that this worker did last


def cloudpickle_for(what: str) -> Any:
    """Return the package that sends functions by value; raise an error that names the extra which brings it."""
    try:
        import cloudpickle
    except ImportError:
        raise InputError(
            f"{what} needs cloudpickle: {install_extra('studies')} (`make install` brings it), or use workers=1."
        ) from None
    if "__mp_main__" in sys.modules:  # the name of a script in processes that `multiprocessing` spawned
        cloudpickle.register_pickle_by_value(sys.modules["__mp_main__"])
    return cloudpickle


def packed(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    """Return a job as bytes; functions of lissom, which workers can import, need no further package."""
    dumps = pickle.dumps if _ours(fn) else cloudpickle_for("a job in another process").dumps
    try:
        return pickle.dumps((dumps(fn), dumps((args, kwargs))))
    except Exception as error:
        raise InputError(
            f"{shown(fn)} and its arguments cannot be sent to another process ({_named(error)}). Use workers=1 to stay "
            "in this process, or create these objects inside the function."
        ) from None


def _ours(fn: Any) -> bool:
    """Whether a function of lissom is called, or a part of one; its arguments are then plain values and records."""
    return str(getattr(getattr(fn, "func", fn), "__module__", "")).startswith("lissom.")


def answer(job: bytes) -> bytes:
    """Run a job in a worker and return its answer, a result or an error, as bytes."""
    try:
        fn, args, kwargs = _unpacked(job)
        return _sendable(fn(*args, **kwargs))
    except BaseException as error:
        text = "".join(traceback.format_exception(error)).rstrip()
        sent = b""
        if isinstance(error, Exception):  # `SystemExit` of a job must not end who asked for it
            with suppress(Exception):
                sent = _pickled(error)
        return pickle.dumps((False, sent, (_named(error), text)))


def opened(message: bytes) -> tuple[Any, BaseException | None]:
    """Return the result of a job, or the error that it raised."""
    good, sent, (name, text) = pickle.loads(message)
    try:
        found = pickle.loads(sent)
    except Exception as error:
        found = (
            InputError(f"the result of a job cannot be unpickled ({_named(error)}).") if good else RuntimeError(name)
        )
        good = False
    if good:
        return found, None
    if text:
        found.add_note(f"in the worker:\n{text}")
    return None, found


def _unpacked(job: bytes) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    fn, given = pickle.loads(job)
    try:
        if fn != _last[0][0]:
            _last[0] = fn, pickle.loads(fn)
        return (_last[0][1], *pickle.loads(given))
    except ImportError as error:
        raise InputError(
            f"a worker cannot load the function of a job or its arguments ({_named(error)}). Make its module "
            "importable on the workers, or define the function in the script itself."
        ) from None


def _sendable(result: Any) -> bytes:
    try:
        return pickle.dumps((True, _pickled(result), ("", "")))
    except Exception as error:
        raise InputError(
            f"the job's result {shown(result)} cannot be pickled ({_named(error)}). Return plain values or arrays."
        ) from None


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)  # an order of magnitude quicker, where it can
    except Exception:
        return bytes(cloudpickle_for("a result that plain pickle cannot send").dumps(value))


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
