"""What kinds of figures of a motion need, so that those that cannot be drawn are refused before it is computed."""

from __future__ import annotations

from lissom.errors import InputError
from lissom.model.arm import Arm


def check_needs(kind: str | None, arm: Arm, compared: bool) -> None:
    """Raise an error where a motion of an arm has not what a kind of figure shows."""
    if kind == "deflection" and not arm.flexible:
        raise InputError(f"plot: arm {arm.name!r} has no flexible links, so there is no deflection to plot.")
    if kind == "residual" and not compared:
        raise InputError(
            "plot: kind 'residual' needs a comparison; use predict_motion(..., compare=True), or --compare."
        )
