"""What the arm carries in each log, and whether its mass is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lissom.errors import InputError, shown
from lissom.identification.logs.log import Log
from lissom.model.arm import Arm
from lissom.model.loads import Payload

FORMS = "the name of the link that carries it, its known mass [kg], or (link, mass)"


class Carried(NamedTuple):
    """Logs whose `load` says what they carry, the link or tool that carries it, and its mass [kg] if that is known."""

    logs: list[Log]
    frame: str
    mass: float | None

    @property
    def loads(self) -> tuple[str, ...]:
        """Words for what is carried, without "" for the arm as it is."""
        return tuple(dict.fromkeys(log.load for log in self.logs if log.load))

    @property
    def bare(self) -> bool:
        """Whether there is a log of the arm as it is."""
        return any(not log.load for log in self.logs)


def carried(arm: Arm, logs: Sequence[Log], payload: Any) -> Carried:
    """Read the argument `payload` of `identify`; logs without words for their load get some if there is a payload."""
    frame, mass = _frame_and_mass(arm, payload)
    loads = any(log.load for log in logs)
    if payload is None and not loads:
        return Carried(list(logs), frame, None)
    if not loads:
        words = ["payload"] if len(logs) == 1 else ["", *(f"log {k}" for k in range(2, len(logs) + 1))]
        logs = [log.replaced(load=word) for log, word in zip(logs, words, strict=True)]
    arm.frame(frame)  # an error for names that the arm does not have
    return Carried(list(logs), frame, mass)


def _frame_and_mass(arm: Arm, payload: Any) -> tuple[str, float | None]:
    """Link or tool and known mass."""
    parts = payload if isinstance(payload, tuple | list) else (payload,)
    names = [part for part in parts if isinstance(part, str)]
    masses = [part.mass if isinstance(part, Payload) else part for part in parts if not isinstance(part, str | None)]
    numbers = [x for x in masses if isinstance(x, int | float) and not isinstance(x, bool) and x > 0.0]
    if len(names) > 1 or len(masses) > 1 or len(numbers) != len(masses):
        raise InputError(f"identify: payload is {shown(payload)}; expected {FORMS}.")
    frame = names[0] if names else (arm.tip_frame if len(arm.ends) == 1 or payload is not None else arm.links[-1].name)
    return frame, float(numbers[0]) if numbers else None
