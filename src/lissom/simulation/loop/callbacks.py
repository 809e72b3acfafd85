"""Check of the functions that users give: whether they can be called as they will be."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from lissom.errors import InputError


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
