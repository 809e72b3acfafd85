"""Functions that users give: whether they can be called as they will be, and calls whose errors name them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from lissom.errors import InputError, LissomError, SolveError


def check_arguments(function: Callable[..., Any], form: str, what: str) -> None:
    """Refuse a function that does not take the arguments of `form`, for example ``tau(t, q, qd)``.

    what : the argument of the user, as it begins the message
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some compiled functions have none
        return
    count = form.partition("(")[2].count(",") + 1
    try:
        signature.bind(*range(count))
    except TypeError:
        raise InputError(f"{what} is a function with the arguments {signature}; expected {form}.") from None


def called(what: str, t: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function of the user gives; an error that it raises names it and the time."""
    try:
        return function(*arguments)
    except LissomError:
        raise
    except Exception as error:
        raise SolveError(f"{what} raised {type(error).__name__} at t = {t:.6g} s: {error}") from error
