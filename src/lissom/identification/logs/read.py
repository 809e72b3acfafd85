"""`load_log`: logs from files, tables and runs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Never

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, LissomError, ModelError, shown, suggest
from lissom.formats.tables import Columns
from lissom.identification.logs.assign import Assignment
from lissom.identification.logs.clock import Clock, of_rate
from lissom.identification.logs.log import FEWEST, Log
from lissom.identification.logs.plausible import check_units
from lissom.identification.logs.tables import columns_of
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array


@without_unknown
def load_log(
    source: Any,
    arm: Arm,
    *,
    columns: Mapping[str, Any] | None = None,
    scale: Mapping[str, Any] | None = None,
    shift: Mapping[str, Any] | None = None,
    rate_hz: float | None = None,
    between: Sequence[float] | None = None,
    load: str = "",
    **unknown: Never,
) -> Log:
    """Load a log of measured motion and torques of an arm.

    Columns are recognised by their names: ``q[joint]``, ``joint.position``, ``qd_1``, ``actual_current_0``,
    ``act_pos_deg_2``; joints by name or number, units (``deg``, ``mm``, ``rpm``, ``ms``) by a word in the name,
    otherwise SI. Set points and columns that are not understood are left out and listed in `Log.notes`.

    Parameters
    ----------
    source : path               a table (.csv, .txt) with a header, a NetCDF file (.nc) of xarray, or a saved run
        or Run                  a simulation: its positions, rates and torques
        or DataFrame, Dataset   of pandas, of xarray
        or mapping, array       arrays by name of a column; an array (rows, columns) without names
    arm : Arm                   whose joints the log is about
    columns : mapping or None   where names say too little: {"q": ["a1", "a2"], "t": "clock"}, one name per joint, None
                                for a joint without; or with braces for the joint's number, {"q": "pos_{}"}; numbers of
                                columns from 0 for tables without names: {"t": 0, "q": [1, 2], "tau": [3, 4]}
    scale : mapping or None     {"tau": factors}: a number, or one per joint, that the columns are multiplied by, for
                                example gear ratios where torques are those of the motors; {"t": 1e-3} for milliseconds
    shift : mapping or None     {"q": angles}: added after scaling, for example zeros of encoders
    rate_hz : float or None     samples per second, of tables without times
    between : (start, end)      the part of a table that is taken [s], where only a part of it is good
    load : str                  a word for what the arm carries, see `Log`

    Returns
    -------
    Log

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link")
    >>> log = ls.load_log(ls.simulate(arm, [0.3, 0.1], until=1.0), arm)
    >>> log.joints, log.channels
    (('upper', 'fore'), ('q', 'qd', 'tau'))
    """
    check_keywords(load_log, unknown)
    if not isinstance(arm, Arm):
        raise InputError(f"load_log: arm is {shown(arm)}; expected the Arm that the log is about.")
    found = source if isinstance(source, Run) else columns_of(source)
    if isinstance(found, Run):
        log = _of_run(found, arm, load)
        log = log if between is None else log.between(*between)
    else:
        log, doubts = _of_table(*found, arm, Given(columns or {}, scale or {}, shift or {}, rate_hz, between), load)
        for sentence in doubts:
            warnings.warn(f"{log.source}: {sentence}", stacklevel=3)
    check_units(log, arm)
    return log


class Given(NamedTuple):
    """What the caller says about the columns of a table."""

    columns: Mapping[str, Any]
    scale: Mapping[str, Any]
    shift: Mapping[str, Any]
    rate_hz: float | None
    between: Sequence[float] | None


def _of_table(table: Columns, where: str, arm: Arm, given: Given, load: str) -> tuple[Log, tuple[str, ...]]:
    """The log of columns by name, and sentences about what looks wrong in them."""
    if not given.columns and all(name.isdigit() for name in table):
        what = "it has no names of columns" if where == "array" else "its first line has numbers"
        raise ModelError(
            f"{what}; expected names such as t, q_1, tau_1. Or say what the columns are by their numbers from 0: "
            "columns={'t': 0, 'q': [1, 2], 'tau': [3, 4]}.",
            file=where,
        )
    try:
        assigned = Assignment(table, arm, given.columns, given.scale, given.shift)
        arrays = assigned.arrays()
        if given.rate_hz is None:
            clock = assigned.times(arrays)
        else:
            clock = Clock(of_rate(given.rate_hz, len(next(iter(table.values())))))
        left = assigned.note()
        rows = _rows(clock.t, given.between)
    except LissomError as error:
        raise InputError(f"{where}: {error}") from None
    part = {word: None if values is None else values[rows] for word, values in arrays.items()}
    log = Log(clock.t[rows], load=load, joints=assigned.names, source=where, **part)
    return log.replaced(notes=(*log.notes, *clock.notes, *clock.doubt, *left)), clock.doubt


def _rows(t: Array, between: Any) -> NDArray[np.bool_]:
    """Whether rows with times t (nt,) are to be taken."""
    if between is None:
        return np.ones(len(t), bool)
    try:
        start, end = (float(x) for x in between)
    except (TypeError, ValueError):
        raise InputError(f"between is {shown(between)}; expected two times [s], such as (0, 12.5).") from None
    rows = (t >= start) & (t <= end)
    if rows.sum() < FEWEST:
        finite = t[np.isfinite(t)]
        has = f"the log has {finite.min():g} to {finite.max():g} s" if finite.size else "the log has no times"
        raise InputError(f"between: {rows.sum()} samples lie from {start:g} to {end:g} s; {has}.")
    return rows


def _of_run(run: Run, arm: Arm, load: str) -> Log:
    """The log of a simulation whose joints are those of the arm; deflections of elastic joints as second encoders."""
    if run.count is not None:
        raise InputError("load_log: the run is an ensemble; expected a single run.")
    names, known = tuple(joint.name for joint in arm.joints), run.arm.coordinates
    missing = [name for name in names if name not in known]
    if missing:
        raise InputError(f"load_log: the run has no joint {missing[0]!r}; {suggest(missing[0], known)}")
    at = [known.index(name) for name in names]
    second = np.full((len(run.t), len(names)), np.nan)
    for k, name in enumerate(names):
        if f"{name}.deflection" in known:
            second[:, k] = run.q[:, at[k]] + run.q[:, known.index(f"{name}.deflection")]
    return Log(
        run.t, run.q[:, at], run.qd[:, at], run.tau[:, at], load=load, joints=names, source=f"run of {run.arm.name}",
        second=second if np.isfinite(second).any() else None,
    )  # fmt: skip
