"""The time by which second encoders are logged late, as a by-product of other methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lissom.errors import LissomError
from lissom.identification.encoders.identify import identify_from_encoders
from lissom.identification.logs.log import Log
from lissom.identification.result.identification import Identification


def with_encoder_skew(found: Identification, logs: Sequence[Log]) -> Identification:
    """An identification with the delays of second encoders, where every log has some; with the torques found."""
    if any(log.second is None for log in logs):
        return found
    try:
        seen = identify_from_encoders(found.arm, list(logs), None)
    except LissomError:  # a motor is missing, or nothing with two encoders moves: there is nothing to say
        return found
    measured = np.isfinite(seen.skew_std)
    late = np.where(measured, seen.skew, np.nan)
    times = ", ".join(f"{name} {1e3 * x:.2f} ms" for name, x in zip(found.joints, late, strict=True) if np.isfinite(x))
    note = f"second encoders are logged late by: {times} (method='encoders' finds stiffness with it)."
    return replace(found, encoder_skew=late, notes=(*found.notes, note))
