"""Public functions for a batch of arms that differ in numbers only: one arm per row, compiled once.

What may differ is a `Varied`, made once, from the arms of a call or from samples; results of a row depend on its arm,
its state and on what may vary, not on other rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.stations import along_beam
from lissom.dynamics.varied import Varied
from lissom.errors import InputError, UnsupportedError
from lissom.kernels.arguments import ORIGIN, as_frame, as_points, as_threads
from lissom.kernels.cache import functions_of
from lissom.kernels.loads import NO_LOADS, Loads, load_inputs
from lissom.kernels.verbs import VERBS
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


def call_each(
    arms: Sequence[Arm],
    name: str,
    state: Sequence[ArrayLike],
    loads: Loads = NO_LOADS,
    base: Any = None,
    threads: int | None = None,
    *,
    link: str | None = None,
    point: ArrayLike = ORIGIN,
    varied: Varied | None = None,
) -> Any:
    """Results of a public function for one arm per row.

    Parameters
    ----------
    arms : (rows) of Arm         of the same structure, with other numbers
    name : str                   a verb with `batch_of_arms`
    state : its state arguments, (n,) or (rows, n) each
    loads, base : as of the verb, for dynamics with loads; batches have one entry per row
    threads : int or None        None: all cores for large batches
    link, point : of verbs about a point of a link
    varied : Varied or None      what may vary; None: what differs between these arms and the first

    Returns
    -------
    As the verb, (rows, ...)
    """
    arms = list(arms)
    if not arms:
        raise InputError(f"{name}: the list of arms is empty.")
    frames = places(arms[0], name, loads, link, point)
    varied = Varied(arms[0], arms, frames) if varied is None else varied
    varied.covers(frames, name)
    chosen = varied if VERBS[name].needs_inertia else varied.unrounded
    return call_rows(chosen, chosen.rows(arms), name, state, loads, base, threads, link=link, point=point)


def places(
    arm: Arm, name: str, loads: Loads = NO_LOADS, link: str | None = None, point: ArrayLike = ORIGIN
) -> list[str]:
    """The frames that loads act on and that of the point of interest, places along beams included."""
    found = list(load_inputs(arm, name, loads, None).acting.loads)
    return [*found, _point_of_interest(arm, name, link, point)[0]] if link is not None else found


def call_rows(
    varied: Varied,
    rows: Array,
    name: str,
    state: Sequence[ArrayLike],
    loads: Loads = NO_LOADS,
    base: Any = None,
    threads: int | None = None,
    *,
    link: str | None = None,
    point: ArrayLike = ORIGIN,
) -> Any:
    """Results from rows of `varied` (`varied.unrounded` for kinematics); a single row goes with one state."""
    verb = VERBS[name]
    if not verb.batch_of_arms:
        raise UnsupportedError(f"{name} is not available for a batch of arms; call it for each arm.")
    arm = varied.arm
    inputs = load_inputs(arm, name, loads, base)
    frame, spot = (None, []) if link is None else _point_of_interest(arm, name, link, point)
    varied.covers((*inputs.acting.loads, *([frame] if frame else [])), name)
    own = varied if varied.size else None
    acting = inputs.acting._replace(frame=frame, varied=own)
    numbers = [np.asarray(rows, float)] if own is not None else []
    batch = np.shape(rows)[:-1]
    given = [np.asarray(x, float) for x in (*state, *inputs.values, *spot)]
    if own is None and batch:
        given[0] = np.broadcast_to(given[0], (*batch, given[0].shape[-1]))
    function = functions_of(arm).get(verb, acting)
    return verb.returned(function(*given, *numbers, threads=as_threads(threads, name)))


def _point_of_interest(arm: Arm, name: str, link: str, point: ArrayLike) -> tuple[str, list[Array]]:
    frame, spot = along_beam(arm, link, as_frame(arm, link, name), as_points(point, "point", name), name)
    return frame, [np.asarray(spot, float)]
