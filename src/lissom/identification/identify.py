"""`identify`: the numbers of an arm from logs of the real machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom import progress as shown_progress
from lissom.arrays import as_floats
from lissom.errors import InputError, shown, suggest
from lissom.identification.columns.friction import law_of
from lissom.identification.encoders.delay import with_encoder_skew
from lissom.identification.encoders.identify import identify_from_encoders
from lissom.identification.logs.log import Log
from lissom.identification.logs.plausible import check_units
from lissom.identification.result.identification import Identification
from lissom.identification.steps.identify import StepOptions, identify_from_steps
from lissom.identification.torque.estimate import Options
from lissom.identification.torque.identify import Given, identify_from_torques
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

OPTIONS = {
    "torque": ("friction", "payload", "extra", "strength"), "encoders": (), "steps": ("parameters", "window", "held"),
}  # fmt: skip
METHODS = tuple(OPTIONS)


@without_unknown
def identify(
    arm: Arm,
    log: Log | Sequence[Log],
    *,
    friction: str | Sequence[str] | None = "auto",
    payload: Any = None,
    extra: Mapping[str, Any] | None = None,
    gains: ArrayLike | None = None,
    skew: str | ArrayLike | None = "auto",
    strength: float = 1.0,
    cutoff_hz: float | None = None,
    method: str = "torque",
    parameters: Sequence[str] | None = None,
    window: float | None = None,
    held: bool = False,
    progress: bool | None = None,
    **unknown: Never,
) -> Identification:
    """Identify the inertias, drives and friction of an arm from logs of motion and torques.

    Torques are linear in what is sought. The parameters that a log can show (base parameters) are fitted by robust
    least squares, with standard deviations that hold for coloured residuals. The arm that is returned is physically
    consistent: every link has a positive definite pseudo-inertia, and no drive or friction term is negative. What the
    log cannot show stays near the given arm.

    Parameters
    ----------
    arm : Arm                     a tree of rigid links with estimates of its masses, the prior
    log : Log or several          measured motions; `load_log` reads them
    friction : str or names       "auto": the law with the least error on held-out parts of the logs; or terms, as
                                  "viscous+coulomb" or a sequence of names, of viscous, coulomb, offset (zero of the
                                  torque sensor), asymmetry, viscous_asymmetry, stribeck, degressive, load, see
                                  `Friction`; None: as given
    payload : link, mass or (link, mass)   what the arm carries in some logs, which have a word for it (`Log.load`; of
                                  several logs without, the first is the arm as it is and each other one has its own
                                  payload): the link or tool that carries it (default: the end of the arm), and its mass
                                  [kg], if it is known. If every log has a payload, the links keep what is given
    extra : mapping or None       further torques that are linear in an unknown factor: {name: column}, a function of
                                  (q, qd, qdd), each (nt, joints), or an array like log.q, or a list of one per log
    gains : (joints,) or None     torques per current [N m/A or N/A] for logs with currents; None: they are found from
                                  logs without and with a payload of known mass
    skew : "auto", (joints,) or None   time by which torques are logged late [s]; "auto": estimated, None: zero
    strength : float              of the prior; 1 weighs a link's prior like one independent sample
    cutoff_hz : float or None     of the low-pass filter; None: five times the highest frequency of the motion
    method : "torque"             inertias, drives and friction from torques along the measured motion
        "encoders"                stiffness and damping of joints with a second encoder, from the deflection
        "steps"                   any `parameters`, from the error of simulations over short windows
    parameters : names or None    of "steps": fields of joints and links by name, such as ``elbow.elastic.stiffness`` or
                                  ``fore.mass``; without a name, of all that have it; None: springs, beams, drives
    window : float or None        of "steps": length of a window [s]; None: half the longest period of a vibration,
                                  0.25 s at least
    held : bool                   of "steps": each logged torque acts unchanged until the next, as drives with a slow
                                  clock do it; False: torques change smoothly
    progress : bool or None       show the stages; default: where it takes long

    Returns
    -------
    Identification
        `.arm`, `.table`, `.residuals`, `.check(other_log)`, `.skew`, `.friction`, `.payloads`, `.gains`, `.notes`

    Raises
    ------
    UnsupportedError
        for arms with closed loops; of "torque" for flexible links and elastic joints

    Examples
    --------
    >>> import lissom as ls, numpy as np
    >>> arm = ls.load("two_link")
    >>> t = np.arange(0.0, 8.0, 0.01)
    >>> q = np.stack([np.sin(1.3 * t) + 0.4 * np.sin(4.1 * t), 0.9 * np.cos(2.3 * t)], axis=-1)
    >>> qd, qdd = (np.gradient(x, t, axis=0) for x in (q, np.gradient(q, t, axis=0)))
    >>> log = ls.Log(t=t, q=q, tau=ls.inverse_dynamics(arm, q, qd, qdd))
    >>> heavier = arm.with_link("fore", mass=0.8)
    >>> found = ls.identify(heavier, log)
    >>> bool(np.all(found.check(log).relative < 0.01))
    True
    """
    check_keywords(identify, unknown)
    logs = _logs(arm, log)
    options = Options(_law(friction), _delays(skew, len(arm.joints)), _strength(strength))
    logs = [_with_torque(one, gains) for one in logs]
    if method not in METHODS:
        raise InputError(f"identify: method is {shown(method)}; {suggest(str(method), METHODS)}")
    _refuse_options(method, friction=friction not in ("auto", None), payload=payload is not None,
                    extra=extra is not None, strength=strength != 1.0, parameters=parameters is not None,
                    window=window is not None, held=bool(held))  # fmt: skip
    with shown_progress.line_if_long("identify") if progress is None else _shown(progress):
        if method == "encoders":
            found = identify_from_encoders(arm, logs, _cutoff(cutoff_hz, logs))
        elif method == "steps":
            found = identify_from_steps(arm, logs, StepOptions(parameters, window, held, options.delays))
        else:
            found = identify_from_torques(arm, logs, options, Given(extra, payload, _cutoff(cutoff_hz, logs)))
            found = with_encoder_skew(found, logs)
    return replace(found, notes=(*found.notes, *(note for one in logs for note in one.sourced_notes)))


def _refuse_options(method: str, **given: bool) -> None:
    """Raise an error for an option that the method does not have."""
    for word, there in given.items():
        if there and word not in OPTIONS[method]:
            owners = [repr(name) for name, words in OPTIONS.items() if word in words]
            raise InputError(f"identify: {word} is an option of method={' or '.join(owners)}, not of {method!r}.")


def _shown(progress: bool) -> Any:
    from contextlib import nullcontext

    return shown_progress.line("identify") if progress else nullcontext()


def _logs(arm: Any, log: Any) -> list[Log]:
    """The logs, each of which is of the arm."""
    if not isinstance(arm, Arm):
        raise InputError(f"identify: arm is {shown(arm)}; expected an Arm.")
    logs = list(log) if isinstance(log, list | tuple) else [log]
    if not logs or not all(isinstance(one, Log) for one in logs):
        raise InputError(f"identify: log is {shown(log)}; expected a Log or several, such as load_log(file, arm).")
    for one in logs:
        check_units(one, arm)
    return logs


def _law(friction: Any) -> tuple[str, ...] | str:
    return "auto" if isinstance(friction, str) and friction == "auto" else law_of(friction)


def _delays(skew: Any, count: int) -> Array | str:
    if isinstance(skew, str):
        if skew != "auto":
            raise InputError(f"identify: skew is {skew!r}; expected 'auto', None or seconds for each joint.")
        return skew
    try:
        return np.array(np.broadcast_to(as_floats(0.0 if skew is None else skew), count))
    except (TypeError, ValueError):
        raise InputError(f"identify: skew is {shown(skew)}; expected 'auto', None or {count} times [s].") from None


def _strength(strength: Any) -> float:
    if not (isinstance(strength, int | float | np.integer) and 0.0 < strength < np.inf):
        raise InputError(f"identify: strength is {shown(strength)}; expected a number above 0.")
    return float(strength)


def _cutoff(cutoff_hz: Any, logs: list[Log]) -> float | None:
    if cutoff_hz is None:
        return None
    highest = min(log.rate for log in logs) / 2
    if not (isinstance(cutoff_hz, int | float | np.integer) and 0.0 < cutoff_hz < highest):
        raise InputError(f"identify: cutoff_hz is {shown(cutoff_hz)}; expected between 0 and {highest:.4g} Hz.")
    return float(cutoff_hz)


def _with_torque(log: Log, gains: Any) -> Log:
    """A log with torques, from its currents where it has none."""
    if log.tau is not None or log.current is None:
        return log
    return log if gains is None else log.with_torque(gains)
