"""Options of a search: what they are, and what each may be."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lissom.errors import InputError, shown

WHOLE = ("iterations", "starts", "seed", "workers")
MAY_BE_NONE = ("seconds", "workers", "refine", "residual", "starts")
OPTIONS = ("tolerance", "seconds", "refine", "regularise", "residual", "compare", *WHOLE)
LARGEST_FRACTION = 0.01
REGULARISE = 1e-5  # by default


@dataclass(frozen=True)
class SearchOptions:
    """How a motion is searched for: the keywords of `predict_motion`."""

    tolerance: float
    iterations: int
    seconds: float | None
    starts: int | None
    seed: int
    workers: int | None
    scheduler: str | None
    refine: float | None
    residual: float | None
    compare: bool
    regularise: float
    on_failure: str

    def check(self, verb: str) -> None:
        """Raise an error for an option that is not what it may be."""
        refuse_wrong(verb, **{field.name: getattr(self, field.name) for field in fields(self) if field.name in OPTIONS})
        if self.on_failure not in ("raise", "return"):
            raise InputError(f"{verb}: on_failure is {shown(self.on_failure)}; expected 'raise' or 'return'.")


def wrong(word: str, value: Any) -> str:
    """Return a sentence about what is wrong with an option; empty where nothing is."""
    if value is None and word in MAY_BE_NONE:
        return ""
    if word == "compare":
        return "" if isinstance(value, bool) else f"compare is {shown(value)}; expected true or false."
    kinds = int | np.integer if word in WHOLE else int | float | np.integer | np.floating
    least = 0 if word in ("seed", "regularise") else np.nextafter(0.0, 1.0)
    most = LARGEST_FRACTION if word == "regularise" else np.inf
    if not isinstance(value, bool) and isinstance(value, kinds) and least <= value <= most and value < np.inf:
        return ""
    what = "a whole number" if word in WHOLE else "a number"
    expected = f"{what} {'above 0' if least else 'from 0'}"
    if word == "regularise":
        expected = f"a small fraction, 0 to {LARGEST_FRACTION:g}"
    return f"{word} is {shown(value)}; expected {expected}{', or None' if word in MAY_BE_NONE else ''}."


def refuse_wrong(verb: str, **given: Any) -> None:
    """Raise an error for options that are no numbers, or out of range."""
    for word, value in given.items():
        sentence = wrong(word, value)
        if sentence:
            raise InputError(f"{verb}: {sentence}")
