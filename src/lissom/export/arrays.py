"""Arrays that exported functions read and write: names, units and meanings."""

from __future__ import annotations

from lissom.export.record import CArgument
from lissom.kernels.verb import Refused, Verb
from lissom.model.arm import Arm
from lissom.model.units import units

INPUTS = {
    "q": "positions",
    "qd": "rates",
    "qdd": "accelerations",
    "tau": "torques",
    "weights": "one per torque",
    "base": "angular velocity, angular acceleration, linear acceleration of the base, world axes",
    "load": "force and moment in world axes, and the point where it acts in the axes of {frame}",
}
GIVEN_UNITS = {"weights": "1", "base": "rad/s, rad/s^2, m/s^2", "load": "N, N m, m"}


def argument(arm: Arm, word: str, size: int, name: str | None = None, frame: str = "") -> CArgument:
    """An input array with its unit and meaning."""
    unit = GIVEN_UNITS.get(word) or " or ".join(dict.fromkeys(units(arm, word)))
    return CArgument(name or word, (size,), unit, INPUTS[word].format(frame=repr(frame)))


def results(arm: Arm, verb: Verb, shapes: tuple[tuple[int, ...], ...], place: str) -> tuple[CArgument, ...]:
    """Output arrays of a function; `place` describes the frame of kinematics."""
    assert not isinstance(verb.outputs, Refused), verb.name
    out = []
    for result, shape in zip(verb.outputs, shapes, strict=True):
        unit = result.unit
        if unit in ("tau", "qdd"):
            unit = " or ".join(dict.fromkeys(units(arm, unit)))
        out.append(CArgument(result.name, shape, unit, result.meaning.format(frame=place)))
    return tuple(out)
