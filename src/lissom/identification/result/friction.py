"""Friction of a joint from the coefficients that were found, which may not drive it at any rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lissom.identification.columns.friction import FASTEST, STRIBECK
from lissom.model.friction import Friction

MOST_LOAD = 0.95  # friction per transmitted torque; at 1 no torque of the link could move the joint
SAFE = 1 - 1e-9  # of a bound, so that rounding does not pass it


def joint_friction(found: Mapping[str, float], rate: float) -> dict[str, Any]:
    """Fields `damping` and `friction` of a joint whose largest rate in the logs is `rate` [rad/s or m/s].

    Coefficients are cut off where friction would drive the joint.
    """
    viscous, coulomb = (max(float(found.get(word, 0.0)), 0.0) for word in ("viscous", "coulomb"))
    asymmetry = _between(found.get("asymmetry", 0.0), coulomb)
    other_way = _between(found.get("viscous_asymmetry", 0.0), viscous)
    stribeck, load = (max(float(found.get(word, 0.0)), 0.0) for word in ("stribeck", "load"))
    degressive, fast = float(found.get("degressive", 0.0)), FASTEST * rate
    least = coulomb - abs(asymmetry) + (viscous - abs(other_way)) * fast
    degressive = max(degressive, -SAFE * least / fast**2)
    if not any((asymmetry, other_way, stribeck, load, degressive)):
        return {"damping": viscous, "friction": coulomb}
    law = Friction(
        coulomb, viscous, asymmetry, other_way, stribeck, STRIBECK * rate if stribeck else None, degressive,
        fast if degressive else None, min(load, MOST_LOAD),
    )  # fmt: skip
    return {"damping": 0.0, "friction": law}


def _between(value: float, bound: float) -> float:
    return float(min(max(value, -SAFE * bound), SAFE * bound))
