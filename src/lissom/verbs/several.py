"""Public functions for a batch of arms that differ in numbers only: one arm per row, compiled once.

What may differ is a `Varied`, made once, from the arms of a call or from samples; results of a row depend on its arm,
its state and on what may vary, not on other rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.bending import along_beam
from lissom.dynamics.varied import Varied
from lissom.errors import InputError, UnsupportedError
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.call import NO_LOADS, Loads, acting, library_of
from lissom.verbs.forward_slopes import product
from lissom.verbs.kinematics import ORIGIN
from lissom.verbs.sensitivity import ForwardGradient, InverseGradient
from lissom.verbs.states import as_frame, as_points, as_threads

DYNAMICS = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces", "gravity_forces", "kinetic_energy",
    "potential_energy", "energies", "inverse_dynamics_gradient", "forward_dynamics_gradient",
)  # fmt: skip
KINEMATICS = ("poses", "pose", "jacobian", "velocity", "acceleration")


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
    name : str                   one of `DYNAMICS` or `KINEMATICS`
    state : its state arguments, (n,) or (rows, n) each
    loads, base : as of the verb, for dynamics with loads; batches have one entry per row
    threads : int or None        None: all cores for large batches
    link, point : of "pose", "jacobian", "velocity" and "acceleration"
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
    chosen = varied.unrounded if name in KINEMATICS else varied
    return call_rows(chosen, chosen.rows(arms), name, state, loads, base, threads, link=link, point=point)


def places(
    arm: Arm, name: str, loads: Loads = NO_LOADS, link: str | None = None, point: ArrayLike = ORIGIN
) -> list[str]:
    """The frames that loads act on and that of the point of interest, places along beams included."""
    found = list(acting(arm, name, loads, None).frames)
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
    if name not in (*DYNAMICS, *KINEMATICS):
        raise UnsupportedError(f"{name} is not available for a batch of arms; call it for each arm.")
    if name == "forward_dynamics_gradient":
        return _forward_gradient(varied, rows, state, loads, base, threads)
    arm = varied.arm
    library = library_of(arm)
    pushed = acting(arm, name, loads, base)
    frame, spot = (None, []) if link is None else _point_of_interest(arm, name, link, point)
    varied.covers((*pushed.frames, *([frame] if frame else [])), name)
    own = varied if varied.size else None
    setting = library.setting(pushed.frames, base is not None, frame, varied=own)
    numbers = [np.asarray(rows, float)] if own is not None else []
    batch = np.shape(rows)[:-1]
    given = [np.asarray(x, float) for x in (*state, *pushed.values, *spot)]
    if own is None and batch:
        given[0] = np.broadcast_to(given[0], (*batch, given[0].shape[-1]))
    results = library.get(name, setting)(*given, *numbers, threads=as_threads(threads, name))
    if name in ("kinetic_energy", "potential_energy"):
        return results[..., 0]
    return InverseGradient(*results) if name == "inverse_dynamics_gradient" else results


def _point_of_interest(arm: Arm, name: str, link: str, point: ArrayLike) -> tuple[str, list[Array]]:
    frame, spot = along_beam(arm, link, as_frame(arm, link, name), as_points(point, "point", name), name)
    return frame, [np.asarray(spot, float)]


def _forward_gradient(
    varied: Varied, rows: Array, state: Sequence[ArrayLike], loads: Loads, base: Any, threads: int | None
) -> ForwardGradient:
    """Derivatives of the accelerations, computed from those of the torques."""
    q, qd, _ = state
    qdd = call_rows(varied, rows, "forward_dynamics", state, loads, base, threads)
    D = call_rows(varied, rows, "inverse_dynamics_gradient", (q, qd, qdd), loads, base, threads)
    inverse = np.linalg.inv(D.qdd)
    return ForwardGradient(-product(inverse, D.q), -product(inverse, D.qd), inverse)
