"""What the columns of a table mean: quantity, joint and unit, from the names that loggers give them.

``q[elbow]``, ``elbow.position``, ``/joint_states/elbow/velocity``, ``actual_q_0``, ``act_pos_mot_deg_1``, ``tau3``: the
name of a joint or a number says which joint, the other words the quantity and its unit. Set points are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from lissom.errors import InputError
from lissom.formats.columns.words import (
    AXES,
    DERIVATIVES,
    DOUBTFUL,
    ELSEWHERE,
    FILLERS,
    LETTERS,
    MEASURED,
    MOTOR,
    OF_CONTACT,
    PAIRS,
    PARTS,
    QUANTITIES,
    RATE_UNITS,
    SECOND,
    SET_POINTS,
    TIME_UNITS,
    TIMES,
    TORQUE_UNITS,
    UNITS,
    UNITS_OF,
)

KNOWN = frozenset[str]().union(*QUANTITIES.values())
STARTS = ("joint", "motor", "axis", "act", "meas", "msr", "ist", "soll")  # of compounds
LONG = 5  # letters of a word that ends a compound
WORDS = re.compile(r"[^\W_\d]+|\d+")
MIXED = re.compile(r"(?<![A-Za-z])(mA|kNm|mNm|kN|mN)(?![A-Za-z])")  # units with a capital letter inside


class Meaning(NamedTuple):
    """What a column holds: a quantity of a joint (its index); of several the one with the least doubt is meant."""

    word: str
    joint: int
    doubt: int = 0


def tokens(name: str) -> list[str]:
    """Words and numbers of a name in small letters: ``actQ_elbow[2]`` has act, q, elbow, 2."""
    plain = name.replace("°", " deg ").replace("µ", "u").replace("%", " percent ")
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", MIXED.sub(lambda found: found.group().lower(), plain))
    return [word for part in WORDS.findall(spaced) for word in _parts(part.lower())]


def _parts(word: str) -> list[str]:
    """The words of a compound such as jointpos or istposition; other words as they are."""
    if word in KNOWN or word.isdigit():
        return [word]
    first = next((start for start in STARTS if word.startswith(start) and word[len(start) :] in KNOWN), "")
    last = next((end for end in KNOWN if len(end) >= LONG and word.endswith(end)), "")
    cut = len(first) or len(word) - len(last)
    return [part for part in (word[:cut], word[cut:]) if part]


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


def has_time_unit(name: str) -> bool:
    """Whether a name has a unit of time."""
    return any(word in TIME_UNITS for word in tokens(name))


def stamp_parts(names: Sequence[str]) -> tuple[str, str] | None:
    """The two columns of times in whole seconds and nanoseconds, as ROS has them; None where there are none."""
    for name in names:
        words = tokens(name)
        for other in names if time_unit(name) == 1.0 else ():
            if time_unit(other) == 1e-9 and tokens(other)[:-1] == words[:-1]:
                return name, other
    return None


def unit_factor(name: str, joints: Sequence[str] = (), word: str | None = None) -> float:
    """The factor that makes a column SI, from a unit in its name beside the name of a joint.

    word : str or None     the quantity, whose units alone are then looked for: the A of ``A1 deg`` is no ampere

    Examples
    --------
    >>> unit_factor("pos_mm_3"), unit_factor("q[elbow]"), unit_factor("torque [N mm] 1")
    (0.001, 1.0, 0.001)
    """
    words = _split(name, joints)[0]
    known = UNITS_OF.get(word or "", UNITS)
    pairs = [a + b for a, b in pairwise(words) if a in PAIRS]
    found = [part for part in (*pairs, *words) if part in known]
    return known[max(found, key=len)] if found else 1.0


def is_part(name: str) -> bool:
    """Whether a column is in per cent of a value that the table does not say."""
    return any(part in PARTS for part in tokens(name))


def meanings(names: Sequence[str], joints: Sequence[str]) -> dict[str, Meaning]:
    """What each column means, of those that are understood; times and set points are left out."""
    parts = {name: _split(name, joints) for name in names if time_factor(name) is None}
    words = {name: _quantity(words) for name, (words, _, _) in parts.items()}
    numbers = {n for name, (_, joint, n) in parts.items() if joint is None and n is not None and words[name]}
    at = _places(joints, numbers)
    found = {}
    for name, (own, joint, number) in parts.items():
        word, k = words[name], joint if joint is not None else at.get(number)
        if word is not None and k is not None:
            found[name] = Meaning(word, k, _doubt(own))
    return found


def _places(joints: Sequence[str], numbers: set[int]) -> dict[int | None, int]:
    """The joint of each number in a table: by the numbers in the names of the joints if they fit, or in their order."""
    own = [next((int(part) for part in reversed(tokens(name)) if part.isdigit()), None) for name in joints]
    if None not in own and len(set(own)) == len(own) and numbers <= {*own}:
        return {number: k for k, number in enumerate(own)}
    first = 0 if 0 in numbers else 1
    return {first + k: k for k in range(len(joints))}


def _doubt(words: Sequence[str]) -> int:
    """How much speaks against a column as the measurement that is meant, beside others of the same quantity."""
    quantities = set().union(*QUANTITIES.values())
    known = {*quantities, *UNITS, *FILLERS, *MOTOR, *SECOND, *DERIVATIVES}
    strange = sum(part not in known and not part.isdigit() for part in words)
    unnamed = not quantities & set(words)
    return strange + 3 * len(DOUBTFUL & set(words)) + 5 * unnamed - len(MEASURED & set(words))


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
    have = set(words)
    if have & SET_POINTS or have & ELSEWHERE:
        return None
    known = [word for word, names in QUANTITIES.items() if have & names]
    if not known:
        return _by_unit(words)
    if "current" in known and "current" in have and known[0] != "current":
        known.remove("current")  # the present one
    if known == ["q"] and have & SECOND and not have & {"mot", "motor"}:
        return "second"
    if "qd" in known and have & (SECOND - {"abs"}):
        return None  # rates of second encoders are not used
    if known[-1] == "tau" and have & OF_CONTACT:
        return None
    return next((made[known[-1]] for dot, made in DERIVATIVES.items() if dot in have and known[-1] in made), known[-1])


def _by_unit(words: Sequence[str]) -> str | None:
    """The quantity of a column that names none, by its unit; just the name of a joint is its position."""
    rest = [part for part in words if part not in {*UNITS, *FILLERS, *MOTOR, *AXES}]
    if rest and not set(rest) <= LETTERS:
        return None
    pairs = {a + b for a, b in pairwise(words)}
    if {*words, *pairs} & {*TORQUE_UNITS}:
        return "tau"
    if "ma" in words or (words[-1:] == ["a"] and len(words) > 1):
        return "current"
    angles = [k for k, part in enumerate(words) if part in UNITS and part != "a"]
    if set(words) & {*RATE_UNITS} or any(part in ("s", "sec") for k in angles for part in words[k + 1 :]):
        return "qd"
    return "q" if angles or set(words) <= {*FILLERS, *MOTOR, *AXES} else None


def strangers(names: Sequence[str], joints: Sequence[str]) -> list[str]:
    """Columns of positions that name neither a joint nor a number."""
    nobody = [name for name in names if time_factor(name) is None and _split(name, joints)[1:] == (None, None)]
    return [name for name in nobody if _quantity(tokens(name)) == "q" and set(tokens(name)) & QUANTITIES["q"]]


def axes_beyond(names: Sequence[str], joints: Sequence[str]) -> list[int]:
    """Numbers of axes that a table of numbered columns has and the arm has not."""
    parts = [_split(name, joints) for name in names if time_factor(name) is None]
    numbers = {n for words, joint, n in parts if joint is None and n is not None and _quantity(words) in QUANTITIES}
    return sorted(numbers - {*_places(joints, numbers)})


def chosen(found: Mapping[str, Meaning]) -> dict[tuple[str, int], str]:
    """The column of each quantity of each joint; an error where two columns compete for the same one."""
    out: dict[tuple[str, int], str] = {}
    for name, meaning in sorted(found.items(), key=lambda one: one[1].doubt):
        rival = out.setdefault(meaning[:2], name)
        if rival != name and found[rival].doubt == meaning.doubt:
            raise InputError(
                f"columns {rival!r} and {name!r} both look like {meaning.word} of the same joint; say which with "
                f"columns={{{meaning.word!r}: [...]}}."
            )
    return out
