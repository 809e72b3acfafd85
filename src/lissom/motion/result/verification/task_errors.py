"""By how much a motion with contacts misses what its task asks for: ends, travels, durations, transfers, swings."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lissom.model.contact import Mirror
from lissom.motion.result.contact_path import ContactPath, contacts_named
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.verification.force_excess import weight_of
from lissom.motion.task.ends import rates_at, spread
from lissom.spatial.rotations import Array


class TaskErrors(NamedTuple):
    """phases : str            what is wrong with names and contacts of phases; empty where they are those of the task
    end : float             positions at the ends, and rates there times the duration, minus required ones [rad or m]
    travel : float          distance of a travel outside its range, or off its speed times the duration [m]
    duration : float        of a phase or of the whole outside its range [s]
    transfer : float        normal force minus the part that a transfer requires, at samples, in parts of the weight
    clearance : float       height of the swing that is required, minus the height, at samples [m]
    """

    phases: str
    end: float = 0.0
    travel: float = 0.0
    duration: float = 0.0
    transfer: float = 0.0
    clearance: float = 0.0


def task_errors(motion: AbstractMotion) -> TaskErrors:
    """Return by how much a motion misses what its task asks for."""
    path, task = motion.contact_path, motion.task
    assert path is not None
    wrong = _wrong_phases(motion, path)
    if wrong:
        return TaskErrors(wrong)
    durations = np.diff(path.ends) * motion.duration
    ranges = [phase.bounds for phase in task.phases]
    ranges += [] if task.duration is None else [_range(task.duration)]
    late = max(_outside(T, span) for T, span in zip([*durations, motion.duration], ranges, strict=False))
    end, travel = _at_ends(motion)
    return TaskErrors("", end, travel, late, _transfer_error(motion, path), _clearance_error(motion, path, durations))


def _wrong_phases(motion: AbstractMotion, path: ContactPath) -> str:
    required = [(phase.name, set(phase.contacts)) for phase in motion.task.phases]
    found = [(name, {word for word, on in zip(path.contacts, row, strict=True) if on})
             for name, row in zip(path.phases, path.active, strict=True)]  # fmt: skip
    if [name for name, _ in required] != [name for name, _ in found]:
        return f"its phases are {', '.join(path.phases)}, not those of its task"
    return next((f"contacts in phase {one[0]!r} are not those of its task"
                 for one, other in zip(found, required, strict=True) if one != other), "")  # fmt: skip


def _range(value: object) -> tuple[float, float]:
    return value if isinstance(value, tuple) else (float(value), float(value))  # type: ignore[arg-type]


def _outside(value: float, span: tuple[float, float]) -> float:
    return max(span[0] - value, value - span[1], 0.0)


def _at_ends(motion: AbstractMotion) -> tuple[float, float]:
    """Errors of the ends, and of travels."""
    arm, task, T = motion.arm, motion.task, motion.duration
    q, qd = motion.profiles(np.array([0.0, T]), 2)
    if not task.periodic:
        given = [spread(arm, getattr(task, word), 0.0) for word in ("start", "goal")]
        rates = [rates_at(arm, task, word) for word in ("start", "goal")]
        apart = np.concatenate([q - given, T * (qd - rates)])
        return float(np.abs(np.nan_to_num(apart)).max()), 0.0
    mirror = arm.mirror if task.mirror is True else task.mirror
    image = (mirror if isinstance(mirror, Mirror) else Mirror()).image(arm.coordinates, ())
    apart = np.stack([image(x[1]) - x[0] for x in (q, qd)])
    off = 0.0
    for one in task.travel:
        k = arm.coordinates.index(one.coordinate)
        distance, apart[0, k] = float(apart[0, k]), 0.0
        if one.distance is not None:
            off = max(off, _outside(distance, _range(one.distance)))
        if one.speed is not None:
            off = max(off, abs(distance - one.speed * T))
    return float(np.abs(apart * [[1.0], [T]]).max()), off


def _transfer_error(motion: AbstractMotion, path: ContactPath) -> float:
    some, names = contacts_named(motion.arm, path.contacts), list(path.phases)
    normal = np.einsum("nix,ix->ni", path.forces, np.reshape([one.normal for one in some], (-1, 3)))
    phase, largest = path.phase_at(path.s), 0.0
    for one in motion.task.transfer:
        at = [names.index(word) for word in one.phases]
        here = (phase >= at[0]) & (phase <= at[-1])
        begin, end = path.ends[at[0]], path.ends[at[-1] + 1]
        part = one.start + (one.end - one.start) * (path.s[here] - begin) / (end - begin)
        carried = normal[here][:, [word in one.contacts for word in path.contacts]].sum(axis=1)
        error = carried - part * normal[here].sum(axis=1)
        largest = max(largest, float(np.abs(error).max(initial=0.0)))
    return largest / weight_of(motion.arm)


def _clearance_error(motion: AbstractMotion, path: ContactPath, durations: Array) -> float:
    height, view, largest = motion.task.swing_height, motion.contacts, 0.0
    assert view is not None
    x, phase = view.points_at(path.s * motion.duration), path.phase_at(path.s)
    for i, one in enumerate(contacts_named(motion.arm, path.contacts)):
        for begin, end in _swings(motion, path, i, durations):
            t = path.s * motion.duration
            here = (path.active[phase, i] == 0) & (t > begin) & (t < end)
            least = height * np.sin(np.pi * (t[here] - begin) / (end - begin)) ** 2
            gap = x[here, i] @ one.normal - one.height
            largest = max(largest, float((least - gap).max(initial=0.0)))
    return largest


def _swings(motion: AbstractMotion, path: ContactPath, i: int, durations: Array) -> list[tuple[float, float]]:
    """Times at which a contact leaves its plane and comes back, of swings in the motion; those of periodic motions may
    begin in the period before it, or end in the one after."""
    task, active = motion.task, path.active > 0
    mirror = motion.arm.mirror if task.mirror is True else task.mirror
    partner = i
    if isinstance(mirror, Mirror):
        partner = path.contacts.index(mirror.partner("contacts", path.contacts[i]))
    periods = range(-2, 3) if task.periodic else range(1)
    holds = np.concatenate([active[:, partner if k % 2 else i] for k in periods])
    ends = periods[0] * motion.duration + np.concatenate([[0.0], np.cumsum(np.tile(durations, len(periods)))])
    at = np.flatnonzero(holds)
    return [(float(ends[a + 1]), float(ends[b])) for a, b in pairwise(at.tolist()) if b > a + 1]
