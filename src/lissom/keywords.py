"""Keyword arguments that a function does not have: the error names the nearest one that it has.

A function takes them as ``**unknown: Never``, which type checkers refuse as before, and gives them to
`check_keywords`; `without_unknown` leaves them out of its signature. Nothing is wrapped around it: tracebacks and
warnings keep their depth.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

from lissom.errors import KeywordError, suggest

F = TypeVar("F", bound=Callable[..., Any])


def without_unknown(function: F) -> F:
    """The same function, with a signature that does not show its ``**unknown``."""
    whole = inspect.signature(function)
    shown = [one for one in whole.parameters.values() if one.kind is not one.VAR_KEYWORD]
    function.__signature__ = whole.replace(parameters=shown)  # type: ignore[attr-defined]
    return function


def check_keywords(
    function: Callable[..., Any], unknown: Mapping[str, Any], elsewhere: Mapping[str, str] | None = None
) -> None:
    """Raise an error that names the first keyword a function does not have, and the one that was probably meant.

    elsewhere : {keyword: sentence} for what people expect here and find in another place
    """
    for word in unknown:
        hint = (elsewhere or {}).get(word) or suggest(word, inspect.signature(function).parameters)
        raise KeywordError(f"{function.__name__}: unexpected keyword {word!r}; {hint}")


class SignatureOfInit:
    """`inspect.signature` of a class whose ``__new__`` accepts anything: that of its ``__init__``."""

    def __get__(self, made: Any, kind: type) -> inspect.Signature:
        whole = inspect.signature(kind.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:])


class KnownKeywords:
    """Base of classes whose constructor, for a keyword that it does not have, names the nearest one."""

    __signature__ = SignatureOfInit()

    def __new__(cls, *_given: Any, **words: Any) -> Self:
        """Raise an error for unknown keywords, before the constructor sees them."""
        known = inspect.signature(cls).parameters if words else {}
        if not any(one.kind is one.VAR_KEYWORD for one in known.values()):
            for word in words:
                if word not in known:
                    raise KeywordError(f"{cls.__name__}: unexpected keyword {word!r}; {suggest(word, known)}")
        return super().__new__(cls)
