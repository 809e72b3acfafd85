"""What the columns of a table mean: quantity, joint and unit, from the names that loggers give them.

``q[elbow]``, ``elbow.position``, ``/joint_states/elbow/velocity``, ``actual_q_0``, ``act_pos_mot_deg_1``, ``tau3``: the
name of a joint or a number says which joint, the other words the quantity and its unit. Set points are passed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from lissom.errors import InputError

QUANTITIES = {
    "q": {"q", "pos", "position", "positions", "angle", "angles", "theta", "phi", "axis"},
    "qd": {"qd", "dq", "vel", "velocity", "velocities", "speed", "rate", "qdot", "omega"},
    "qdd": {"qdd", "ddq", "acc", "accel", "acceleration", "qddot"},
    "tau": {"tau", "torque", "torques", "effort", "efforts", "trq", "moment", "force"},
    "current": {"current", "currents", "cur", "amp", "amps", "iq"},
    "second": {"second"},
}
SECOND = {"se", "secondary", "link", "load", "output", "arm", "abs"}  # beside a position: the encoder of the link
MOTOR = {"mot", "motor", "drive", "actuator", "actual", "act", "measured", "meas", "state", "states"}
SET_POINTS = {
    "ref",
    "reference",
    "target",
    "desired",
    "des",
    "cmd",
    "command",
    "commanded",
    "goal",
    "setpoint",
    "error",
}
TIMES = {"t", "time", "timestamp", "stamp", "secs", "elapsed", "zeit"}
TIME_UNITS = {
    "s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "millis": 1e-3,
    "milliseconds": 1e-3, "us": 1e-6, "usec": 1e-6, "micros": 1e-6, "microseconds": 1e-6, "ns": 1e-9, "nsec": 1e-9,
    "nsecs": 1e-9, "nanos": 1e-9, "nanosec": 1e-9, "nanosecs": 1e-9, "nanoseconds": 1e-9,
}  # fmt: skip
DEGREE = math.pi / 180
UNITS = {
    "deg": DEGREE, "degs": DEGREE, "degree": DEGREE, "degrees": DEGREE, "grad": DEGREE, "rad": 1.0, "rads": 1.0,
    "rpm": math.pi / 30, "mm": 1e-3, "m": 1.0, "nm": 1.0, "n": 1.0, "mnm": 1e-3, "knm": 1e3, "ma": 1e-3, "a": 1.0,
    "mrad": 1e-3, "nmm": 1e-3, "ncm": 1e-2, "turns": 2 * math.pi, "rev": 2 * math.pi, "revs": 2 * math.pi,
    "revolutions": 2 * math.pi,
}  # fmt: skip
PARTS = {"percent", "pct", "permille"}  # of a rated value, which a table does not say
PAIRS = {"n", "kn", "mn"}  # words that the next one may complete to a unit: N mm
FILLERS = {"per", "s", "sec", "ros", "data", "value", "joint", "joints", "robot", "feedback"}
WORDS = re.compile(r"[^\W_\d]+|\d+")
MIXED = re.compile(r"(?<![A-Za-z])(mA|kNm|mNm|kN|mN)(?![A-Za-z])")  # units with a capital letter inside


class Meaning(NamedTuple):
    """What a column holds: a quantity of a joint (its index)."""

    word: str
    joint: int


def tokens(name: str) -> list[str]:
    """Words and numbers of a name in small letters: ``actQ_elbow[2]`` has act, q, elbow, 2."""
    plain = name.replace("°", " deg ").replace("µ", "u").replace("%", " percent ")
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", MIXED.sub(lambda found: found.group().lower(), plain))
    return [part.lower() for part in WORDS.findall(spaced)]


def time_factor(name: str) -> float | None:
    """The factor that makes a column of times seconds; None for other columns."""
    words = tokens(name)
    plain = [word for word in words if word not in TIME_UNITS] or words
    if not words or (plain[0] not in TIMES and plain[-1] not in TIMES) or any(part.isdigit() for part in words):
        return None
    return time_unit(name)


def time_unit(name: str) -> float:
    """The factor from a unit of time in a name.

    Examples
    --------
    >>> time_unit("robot_clock_ms"), time_unit("clock")
    (0.001, 1.0)
    """
    return next((TIME_UNITS[word] for word in reversed(tokens(name)) if word in TIME_UNITS), 1.0)


def stamp_parts(names: Sequence[str]) -> tuple[str, str] | None:
    """The two columns of times in whole seconds and nanoseconds, as ROS has them; None where there are none."""
    for name in names:
        words = tokens(name)
        for other in names if time_unit(name) == 1.0 else ():
            if time_unit(other) == 1e-9 and tokens(other)[:-1] == words[:-1]:
                return name, other
    return None


def unit_factor(name: str, joints: Sequence[str] = ()) -> float:
    """The factor that makes a column SI, from a unit in its name beside the name of a joint.

    Examples
    --------
    >>> unit_factor("pos_mm_3"), unit_factor("q[elbow]"), unit_factor("torque [N mm] 1")
    (0.001, 1.0, 0.001)
    """
    words = _split(name, joints)[0]
    pairs = [a + b for a, b in pairwise(words) if a in PAIRS]
    return next((UNITS[part] for part in (*pairs, *words) if part in UNITS), 1.0)


def is_part(name: str) -> bool:
    """Whether a column is in per cent of a value that the table does not say."""
    return any(part in PARTS for part in tokens(name))


def meanings(names: Sequence[str], joints: Sequence[str]) -> dict[str, Meaning]:
    """What each column means, of those that are understood; times and set points are left out."""
    parts = {name: _split(name, joints) for name in names if time_factor(name) is None}
    numbered = {number for _, joint, number in parts.values() if joint is None and number is not None}
    first = 0 if 0 in numbered else 1
    found = {}
    for name, (words, joint, number) in parts.items():
        at = joint if joint is not None else None if number is None else number - first
        word = _quantity(words)
        if word is not None and at is not None and 0 <= at < len(joints):
            found[name] = Meaning(word, at)
    return found


def _split(name: str, joints: Sequence[str]) -> tuple[list[str], int | None, int | None]:
    """The words of a name apart from its joint, the joint that it names, or the number at its end."""
    words = tokens(name)
    for own, k in _labels(joints):
        for at in range(len(words) - len(own) + 1):
            if words[at : at + len(own)] == own:
                return words[:at] + words[at + len(own) :], k, None
    numbers = [k for k, part in enumerate(words) if part.isdigit()]
    if not numbers:
        return words, None, None
    return [part for k, part in enumerate(words) if k != numbers[-1]], None, int(words[numbers[-1]])


def _labels(joints: Sequence[str]) -> list[tuple[list[str], int]]:
    """The words of each joint's name, long names first; then those without the word joint."""
    whole = [(tokens(name), k) for k, name in enumerate(joints)]
    known = {*UNITS, *TIMES}.union(*QUANTITIES.values())
    bare = [(own[:-1] if own[-1] == "joint" else own[1:], k) for own, k in whole if "joint" in (own[0], own[-1])]
    clear = [(own, k) for own, k in bare if not all(part.isdigit() or part in known for part in own)]
    return [one for group in (whole, clear) for one in sorted(group, key=lambda one: -len(one[0]))]


def _quantity(words: Sequence[str]) -> str | None:
    """The quantity that words name, or None."""
    if any(part in SET_POINTS for part in words):
        return None
    known = [word for word, names in QUANTITIES.items() if any(part in names for part in words)]
    if not known:  # just the name of a joint is its position
        return "q" if all(part in {*UNITS, *FILLERS, *MOTOR} for part in words) else None
    if known == ["q"] and any(part in SECOND for part in words) and not any(part in {"mot", "motor"} for part in words):
        return "second"
    if "qd" in known and any(part in SECOND - {"abs"} for part in words):
        return None  # rates of second encoders are not used
    return known[-1]


def strangers(names: Sequence[str], joints: Sequence[str]) -> list[str]:
    """Columns of positions that name neither a joint nor a number."""
    nobody = [name for name in names if time_factor(name) is None and _split(name, joints)[1:] == (None, None)]
    return [name for name in nobody if _quantity(tokens(name)) == "q" and set(tokens(name)) & QUANTITIES["q"]]


def axes_beyond(names: Sequence[str], joints: Sequence[str]) -> list[int]:
    """Numbers of axes that a table of numbered columns has and the arm has not."""
    parts = [_split(name, joints) for name in names if time_factor(name) is None]
    numbers = {n for words, joint, n in parts if joint is None and n is not None and _quantity(words) in QUANTITIES}
    first = 0 if 0 in numbers else 1
    return sorted(n for n in numbers if n - first >= len(joints))


def chosen(found: Mapping[str, Meaning]) -> dict[tuple[str, int], str]:
    """The column of each quantity of each joint; an error where two columns compete for the same one."""
    out: dict[tuple[str, int], str] = {}
    for name, meaning in found.items():
        rival = out.setdefault((meaning.word, meaning.joint), name)
        if rival != name:
            raise InputError(
                f"columns {rival!r} and {name!r} both look like {meaning.word} of the same joint; say which with "
                f"columns={{{meaning.word!r}: [...]}}."
            )
    return out
