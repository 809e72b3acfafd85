"""A log: what was measured on an arm while it moved."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lissom.arrays import as_floats
from lissom.errors import InputError, shown
from lissom.formats.tables import save_csv
from lissom.identification.logs.gains import torques_per_current
from lissom.identification.logs.repair import repaired
from lissom.identification.logs.work import CHANNELS
from lissom.keywords import KnownKeywords
from lissom.listing import Listing
from lissom.markup import Markup, paragraphs
from lissom.spatial.rotations import Array

FEWEST = 20  # samples of a log


@dataclass(frozen=True, eq=False, repr=False)
class Log(KnownKeywords):
    """Measured motion and torques of an arm, cleaned and on a uniform grid of times.

    Bad rows are removed, single outliers and short gaps are interpolated, angles are unwrapped, and uneven times are
    resampled; `notes` says what was done. What cannot be repaired is refused: clocks that jump back, gaps of more than
    five samples, positions that jump for good, more than 1 % of bad rows. `dead` has the times from and to [s] in which
    a sensor stops while its joint moves: fits of torques leave them out.

    Parameters
    ----------
    t : (nt,)                       times [s]
    q : (nt, joints)                positions [rad or m], of the motor's side where a joint has two encoders
    qd : (nt, joints) or None       measured rates; None: they are derived from q
    tau : (nt, joints) or None      torques at the joint (after the gear) [N m or N]
    current : (nt, joints) or None  motor currents [A], in place of torques
    second : (nt, joints) or None   positions of the link's side by a second encoder; NaN for joints without one
    load : str                      what the arm carries: logs with the same word carry the same payload; "" is the arm
                                    as it is
    joints : sequence of str        names of the joints, in the order of the columns; () where they are not known
    source : str                    where the log comes from

    Examples
    --------
    >>> import lissom as ls, numpy as np
    >>> t = np.arange(0.0, 1.0, 0.01)
    >>> log = ls.Log(t=t, q=np.sin(t)[:, None], tau=np.cos(t)[:, None])
    >>> log
    <Log: 100 samples at 100 Hz, 1 joint, q tau>
    """

    t: Any
    q: Any
    qd: Any = None
    tau: Any = None
    current: Any = None
    second: Any = None
    load: str = ""
    joints: tuple[str, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = field(default=(), init=False)
    dead: tuple[tuple[float, float], ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        given = {word: getattr(self, word) for word in CHANNELS if getattr(self, word) is not None}
        table = {"t": _times(self.t)} | {word: _channel(value, word) for word, value in given.items()}
        self._check_shapes(table)
        work = repaired(table, tuple(self.joints), self.source)
        rest = {"joints": tuple(self.joints), "notes": tuple(work.notes), "dead": tuple(work.dead)}
        for word, value in {**work.table, **rest}.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, word, value)

    def _check_shapes(self, table: dict[str, Array]) -> None:
        shape = table["q"].shape
        if len(shape) != 2 or shape[0] != len(table["t"]):
            raise InputError(f"Log: q has shape {shape} for {len(table['t'])} times; expected (times, joints).")
        for word, values in table.items():
            if word != "t" and values.shape != shape:
                raise InputError(f"Log: {word} has shape {values.shape}, q has {shape}; expected the same.")
        if shape[0] < FEWEST:
            raise InputError(f"Log: {shape[0]} samples are too few to identify anything; expected at least {FEWEST}.")
        if self.joints and len(self.joints) != shape[1]:
            raise InputError(f"Log: {len(self.joints)} names for {shape[1]} joints; give one per column of q.")
        if not isinstance(self.load, str):
            raise InputError(f"Log: load is {shown(self.load)}; expected a word such as 'disc 2.8 kg'.")

    @property
    def rate(self) -> float:
        """Samples per second [Hz]."""
        return float((len(self.t) - 1) / (self.t[-1] - self.t[0]))

    @property
    def duration(self) -> float:
        """Time from the first to the last sample [s]."""
        return float(self.t[-1] - self.t[0])

    @property
    def channels(self) -> tuple[str, ...]:
        """Which of q, qd, tau, current and second there are."""
        return tuple(word for word in CHANNELS if getattr(self, word) is not None)

    @property
    def sourced_notes(self) -> tuple[str, ...]:
        """The notes, each with where the log comes from."""
        return tuple(f"{self.source or 'log'}: {note}" for note in self.notes)

    def names(self) -> tuple[str, ...]:
        """Names of the joints, or their numbers from 1."""
        return self.joints or tuple(str(k + 1) for k in range(self.q.shape[1]))

    def between(self, start: float, end: float) -> Log:
        """The part of the log from `start` to `end` [s]."""
        inside = (self.t >= start) & (self.t <= end)
        if inside.sum() < FEWEST:
            raise InputError(
                f"between: {inside.sum()} samples lie from {start:g} to {end:g} s; the log has {self.t[0]:g} to "
                f"{self.t[-1]:g} s."
            )
        return self.replaced(**{word: getattr(self, word)[inside] for word in ("t", *self.channels)})

    def with_torque(self, gains: Any) -> Log:
        """The log with torques of the motors: gains (joints,) [N m/A or N/A] times currents."""
        if self.current is None:
            raise InputError("with_torque: the log has no currents.")
        tau = self.current * torques_per_current(gains, self.current.shape[1])
        return self.replaced(tau=tau, current=None)

    def replaced(self, **changes: Any) -> Log:
        """The same log, which is clean already, with other values of some fields."""
        made = object.__new__(Log)
        made.__dict__.update(self.__dict__ | changes)
        for value in changes.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the log to a CSV file with columns ``t``, ``q[joint]``, ``tau[joint]`` ..., as `load_log` reads it."""
        target = Path(path)
        if target.suffix.lower() != ".csv":
            raise InputError(f"{target}: a log is written as .csv; choose such a name.")
        columns = {"t": self.t}
        for word in self.channels:
            values = getattr(self, word)
            known = [k for k in range(values.shape[1]) if np.isfinite(values[:, k]).all()]
            columns |= {f"{word}[{self.names()[k]}]": values[:, k] for k in known}
        save_csv(target, columns)

    def listing(self) -> Listing:
        """Return a table with the range of every joint's positions and the largest rate and torque."""
        heads = ["joint", "least position", "greatest position", "largest rate", "largest torque"]
        rows = []
        for k, name in enumerate(self.names()):
            rate = np.gradient(self.q[:, k], self.t) if self.qd is None else self.qd[:, k]
            torque = "-" if self.tau is None else f"{np.abs(self.tau[:, k]).max():.4g}"
            low, high = self.q[:, k].min(), self.q[:, k].max()
            rows.append([name, f"{low:.4g}", f"{high:.4g}", f"{np.abs(rate).max():.4g}", torque])
        return Listing.of(heads, rows)

    def describe(self) -> str:
        """Return size, channels, ranges, and what was repaired, as text."""
        return "\n".join([repr(self).strip("<>"), *self.listing().lines(), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return repr(self).strip("<>") + self.listing().html() + paragraphs(self.notes) + Markup("")

    def __repr__(self) -> str:
        count = self.q.shape[1]
        more = f", {len(self.notes)} notes" if len(self.notes) > 1 else ", 1 note" if self.notes else ""
        joints = f"{count} joint{'s' if count != 1 else ''}"
        return f"<Log: {len(self.t)} samples at {self.rate:.4g} Hz, {joints}, {' '.join(self.channels)}{more}>"


def _times(value: Any) -> Array:
    t = _channel(value, "t")
    if t.shape[1] != 1:
        raise InputError(f"Log: t has shape {np.shape(value)}; expected one time per sample.")
    return t[:, 0]


def _channel(value: Any, word: str) -> Array:
    """Numbers (nt, columns) of a channel; one column may come as a vector, and tables as pandas frames."""
    try:
        values = as_floats(value.to_numpy() if hasattr(value, "to_numpy") else value)
    except TypeError as error:
        raise InputError(f"Log: {word} is {shown(value)}; expected an array of {error}.") from None
    if values.ndim not in (1, 2):
        raise InputError(f"Log: {word} has shape {values.shape}; expected (times, joints).")
    return np.array(values[:, None] if values.ndim == 1 else values)
