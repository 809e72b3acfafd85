"""A motion as samples for a controller."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError, shown
from lissom.formats.files import write_whole
from lissom.formats.table_header import TableHeader, header_lines, header_of
from lissom.formats.tables import write_table
from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.motion.result.commands import command_of
from lissom.motion.result.record import AbstractMotion
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

if TYPE_CHECKING:
    import pandas

MOST_SAMPLES = 10_000_000
WORDS = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True, eq=False)
class MotionTable:
    """Equally spaced samples of a motion.

    Where a motion ends at rest between two ticks, one more sample at the next tick holds the goal; where it ends
    moving, the last tick before its end is the last sample.

    Attributes
    ----------
    arm : Arm
    rate_hz : float
    t : (nt,)                    k / rate_hz [s]
    q, qd, qdd, tau : (nt, dof)
    command : (nt, dof) or None  of arms whose actuators have a lag: what makes the torques `tau` act, see
                                 `Motion.command`
    about : TableHeader or None  what `to_csv` writes of arm, payload and loads

    Examples
    --------
    >>> import lissom as ls
    >>> table = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1]).table(rate_hz=500)
    >>> print(table.header)
    t [s], q [rad, rad], qd [rad/s, rad/s], qdd [rad/s^2, rad/s^2], tau [N m, N m]
    >>> table.q[-1].round(9).tolist(), table.qd[-1].tolist()
    ([1.0, -1.0], [0.0, 0.0])
    """

    arm: Arm
    rate_hz: float
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    command: Array | None = None
    about: TableHeader | None = None  # the task's loads too, where the table is of a motion

    def __len__(self) -> int:
        return len(self.t)

    @property
    def header(self) -> str:
        """Names and units of all columns."""
        kinds = {word: word for word in WORDS} | ({} if self.command is None else {"command": "tau"})
        return ", ".join(["t [s]", *(f"{word} [{', '.join(units(self.arm, kind))}]" for word, kind in kinds.items())])

    @property
    def columns(self) -> dict[str, Array]:
        """Columns by name: t, q[joint], qd[joint], qdd[joint], tau[joint]; with lags command[joint] too."""
        names = self.arm.coordinates
        words = WORDS if self.command is None else (*WORDS, "command")
        return {"t": self.t} | {
            f"{word}[{name}]": getattr(self, word)[:, k] for word in words for k, name in enumerate(names)
        }

    def to_dataframe(self) -> pandas.DataFrame:
        """Return `columns` as a pandas DataFrame with the times as index."""
        import pandas

        return pandas.DataFrame(self.columns).set_index("t")

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write comment lines behind # (arm, payload, loads, units), a line of names, one line per sample, all digits.

        ``pandas.read_csv(path, comment="#")`` reads it; ``numpy.loadtxt`` with the `skiprows` that a comment names.
        """
        lines = [f"{self.arm.name}, {self.rate_hz:g} samples per second; units: {self.header}"]
        if self.command is not None:
            lines.append("actuators have a lag: tau are the torques that act, command is what to send to the motors")
        lines += header_lines(self.about or header_of(self.arm))
        lines.append(f"numpy.loadtxt(file, delimiter=',', skiprows={len(lines) + 2})")

        def write(place: Path) -> None:
            with place.open("w", encoding="utf-8", newline="\n") as stream:
                stream.writelines(f"# {line}\n" for line in lines)
                write_table(stream, self.columns)

        write_whole(Path(path), write)

    def __repr__(self) -> str:
        return f"<MotionTable of {self.arm.name!r}: {len(self)} samples, {self.rate_hz:g} per second>"


def sampled(motion: AbstractMotion, rate_hz: float) -> MotionTable:
    """See `Motion.table`."""
    checked_rate(rate_hz, "table")
    ticks = motion.duration * rate_hz
    if ticks > MOST_SAMPLES:
        raise InputError(f"table: {ticks:.3g} samples; at most {MOST_SAMPLES} are allowed. Use a smaller rate_hz.")
    count = int(np.floor(ticks * (1 + 1e-12)))
    t = np.minimum(np.arange(count + 1) / rate_hz, motion.duration)
    q, qd, qdd = motion.at(t)
    tau = motion.torques(t)
    if t[-1] < motion.duration * (1 - 1e-9) and _rests(motion):
        goal, still = motion.q[-1:], np.zeros((1, motion.arm.dof))
        end = np.array([motion.duration])
        if motion.contact_path is None:
            hold = inverse_dynamics(motion.arm, goal, still, still, loads=motion.loads_at(end))
        else:
            hold = motion.required(np.ones(1), goal, still, still, motion.loads_at(end))
            hold = np.where(motion.arm.actuated, hold, 0.0)
        t = np.append(t, (count + 1) / rate_hz)
        q, qd, qdd, tau = (np.vstack(pair) for pair in ((q, goal), (qd, still), (qdd, still), (tau, hold)))
    about = header_of(motion.arm, motion.task.loads, motion.duration)
    command = command_of(motion, None)(t) if motion.arm.actuator_lag.any() else None
    return MotionTable(motion.arm, float(rate_hz), t, q, qd, qdd, tau, command, about)


def checked_rate(rate_hz: Any, name: str) -> float:
    """Return the rate as a number; raise `InputError` unless it is positive and finite."""
    if isinstance(rate_hz, bool) or not isinstance(rate_hz, int | float | np.number) or not 0 < rate_hz < np.inf:
        raise InputError(f"{name}: rate_hz is {shown(rate_hz)}; expected a number above 0.")
    return float(rate_hz)


def _rests(motion: AbstractMotion) -> bool:
    speed = np.abs(motion.qd).max()
    return bool(np.abs(motion.qd[-1]).max() <= 1e-9 * max(speed, 1e-300)) or speed == 0.0
