"""Small-deflection check: assumed modes are valid for small slopes of flexible links only."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.dynamics.flexible_links import flexible_bodies
from lissom.engine.blocks import boxes, rows_in_room
from lissom.errors import InputError, LargeDeflection
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.deformation import amplitudes

SMALL = 0.5  # slope [rad] up to which deflections count as small
MEANINGLESS = 1.0  # slope beyond which the field is no longer that of a beam
FIX = "stiffen the link, reduce its load, or divide it into several flexible links"


class Bend(NamedTuple):
    """The steepest slope of a link, and the index of the state in which it occurs."""

    link: str
    slope: float
    at: tuple[int, ...]


def steepest(arm: Arm, q: Array, arms: Sequence[Arm] | None = None) -> Bend | None:
    """The link with the steepest slope in states (..., dof); None without flexible links or finite slopes.

    arms : along the first axis of the states, where they are of different arms
    """
    if arms is not None and arm.flexible:
        each = [(k, steepest(own, q[k])) for k, own in enumerate(arms)]
        bends = [bend._replace(at=(k, *bend.at)) for k, bend in each if bend is not None]
        return max(bends, key=lambda bend: bend.slope, default=None)
    found: Bend | None = None
    for i, body in flexible_bodies(arm).items():
        name = arm.links[i].name
        eta, batch = q[..., amplitudes(arm, name)], q.shape[:-1]
        for box in boxes(batch, rows_in_room(4 * body.slopes[0][0].nbytes)):
            about_y, about_z = (eta[box.index] @ turns for turns in body.slopes)
            slopes = np.hypot(about_y, about_z).max(axis=-1).reshape(-1)
            if not np.isfinite(slopes).any():
                continue
            k = int(np.nanargmax(slopes))
            if found is None or slopes[k] > found.slope:
                at = np.unravel_index(box.first + k, batch) if batch else ()
                found = Bend(name, float(slopes[k]), tuple(int(i) for i in at))
    return found


def refuse_large_deflections(arm: Arm, q: Array, verb: str) -> None:
    """Raise an error for states (..., dof) with slopes beyond the validity of small-deflection modes."""
    bend = steepest(arm, q)
    if bend is not None and bend.slope > MEANINGLESS:
        raise InputError(
            f"{verb}: link {bend.link!r} is given with a slope of {bend.slope:.3g} rad; modes describe small "
            f"deflections, up to about {SMALL:g} rad. Give smaller amplitudes (one entry per joint means undeformed), "
            f"or {FIX}."
        )


def warn_if_large(arm: Arm, q: Array, verb: str) -> None:
    """Warn of states (..., dof) in which deflections are large, but not beyond validity."""
    bend = steepest(arm, q)
    if bend is not None and bend.slope > SMALL:
        sentence = (
            f"{verb}: link {bend.link!r} bends to a slope of {bend.slope:.2g} rad: beyond {SMALL:g} rad deflections "
            f"are not small, and results lose accuracy (some 10 % at {MEANINGLESS:g} rad). For accurate results, {FIX}."
        )
        warnings.warn(sentence, LargeDeflection, stacklevel=3)


def deflection_report(arm: Arm, t: Array, q: Array, arms: Sequence[Arm] | None = None) -> tuple[str, bool]:
    """A note on states (..., nt, dof), empty if deflections stay small; and whether the run is still valid."""
    bend = steepest(arm, q, arms)
    if bend is None or bend.slope <= SMALL:
        return "", True
    who = f"in run {bend.at[0]} " if len(bend.at) > 1 else ""
    when = f"{who}link {bend.link!r} bends to a slope of {bend.slope:.2g} rad at t = {t[bend.at[-1]]:.4g} s"
    if bend.slope <= MEANINGLESS:
        return f"{when}: beyond {SMALL:g} rad deflections are not small, and results lose accuracy", True
    return f"{when}, where small-deflection modes are not valid: {FIX}", False
