"""Advice of the library in the words of the terminal: what a message says in Python becomes an option or a key."""

from __future__ import annotations

import re
from collections.abc import Callable

_ENTRY = re.compile(r"'([^']+)': ([^,}]+)")
_LOCK = re.compile(r"(?:with )?arm\.lock\(\{([^}]*)\}\)")


def in_terminal(message: str, *, of_file: bool = False) -> str:
    """Return a message with commands instead of calls.

    of_file : the command reads its arm from a task or run file, where keys do what options of an arm do
    """
    from lissom.model.positions import HOW

    lock = _lock_key if of_file else _lock_options
    message = _LOCK.sub(lambda found: lock(found[1]), message)
    message = message.replace(HOW, "use names that end in _deg, such as goal_deg" if of_file else "use --deg")
    for pattern, words in WORDS:
        message = pattern.sub(words, message)
    return message


def _entries(text: str, other: Callable[[str, str], str]) -> list[str]:
    return [other(name, value) for name, value in _ENTRY.findall(text)]


def _lock_options(text: str) -> str:
    options = _entries(text, lambda name, value: f"--lock {name}={'POSITION' if value == 'position' else value}")
    return " ".join(options) or "--lock JOINT=POSITION"


def _lock_key(text: str) -> str:
    values = ", ".join(_entries(text, lambda name, value: f"{name} = {value}")) or "JOINT = POSITION"
    return f"lock = {{ {values} }} in the file"


FOLLOW = 'kind = "follow" as the [controller] of a run file (lissom simulate)'
WORDS = (
    (re.compile(r"ls\.Follow\(motion, kp=\.\.\., kd=\.\.\.\)"), FOLLOW),
    (re.compile(r"change the arm: arm\.with_joint\(name, limits=\.\.\.\)"), "change the limits in the file of the arm"),
    (re.compile(r"arm\.with_joint\('[^']*', limits=\.\.\.\)"), "the limits in the file of the arm"),
    (re.compile(r"(--lock [^,\s]+), or --lock [^,\s]+?(?=\.?$|[.;,]\s)"), r"\1"),
    (re.compile(r"a controller with limit=True"), "limit = true in [controller]"),
    (re.compile(r"stop_at_limits=True ends"), "stop_at_limits = true in the file ends"),
    (re.compile(r"(minimise has .*), (\w+), or a function"), r"\1 or \2"),
    (re.compile(r"or refine=1e-3,"), "or refine = 1e-3 in the task file,"),
    (re.compile(r"scale=\{'(\w+)': numpy\.pi / 180\}(?: to load_log)?"), r"--scale \1=deg"),
    (re.compile(r"scale=\{'(\w+)': (?:\[\.\.\.\]|\.\.\.)\}(?: to load_log)?"), r"--scale \1=..."),
    (re.compile(r"scale=\{'(\w+)': ([\w.-]+)\}(?: to load_log)?"), r"--scale \1=\2"),
    (re.compile(r"columns=\{'(\w+)':\s?(?:\[\.\.\.\]|\.\.)\}"), r"--column \1=..."),
    (re.compile(r"columns=\{'t': 0, 'q': \[1, 2\], 'tau': \[3, 4\]\}"), "--column t=0 --column q=1,2 --column tau=3,4"),
    (re.compile(r"rate_hz="), "--rate HZ"),
    (re.compile(r"load_log\(\.\.\., between=\(([^,]*), ([^)]*)\)\)(?: and \(([^,]*), ([^)]*)\))?"), r"--between \1,\2"),
    (re.compile(r"between=\(start, end\) of load_log"), "--between START,END"),
    (re.compile(r"cutoff_hz=([\d.]+)"), r"--cutoff \1"),
    (re.compile(r"Give gains=, the torque"), "Give --gains, the torque"),
    (re.compile(r"payload=\(link, mass\)"), "--loaded LOG --known-mass KG"),
    (re.compile(r"lower `strength`"), "lower --strength"),
    (re.compile(r"accept it with on_failure='return'"), "take it from the .nc file"),
)
