"""Arguments of `Motion.verify`, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.errors import InputError, UnsupportedError, shown


def check_numbers(tolerance: Any, rtol: Any, per_segment: Any) -> None:
    """Raise an error for tolerances that are not above 0, and for a number of points that is not whole."""
    for word, value in (("tolerance", tolerance), ("rtol", rtol)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value > 0:
            raise InputError(f"verify: {word} is {shown(value)}; expected a number above 0.")
    if isinstance(per_segment, bool) or not isinstance(per_segment, int | np.integer) or per_segment < 1:
        raise InputError(f"verify: per_segment is {shown(per_segment)}; expected a whole number, at least 1.")


def refuse_with_phases(**given: Any) -> None:
    """Raise an error for the first argument that is given, of those that motions with phases do not have."""
    for word, value in given.items():
        if value:
            raise UnsupportedError(
                f"verify: {word} is not supported for motions with phases, whose segments are simulated under torques "
                "and contact forces; omit it."
            )
