"""`gait_report`: the report of a walk."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, shown
from lissom.gait.curves import GaitCurves
from lissom.gait.cycles import cycles_of, mean_of
from lissom.gait.legs import SIDES
from lissom.gait.measures import measures_of
from lissom.gait.of_motion import samples_of
from lissom.gait.opensim import load_gait
from lissom.gait.report import GaitReport
from lissom.gait.samples import GaitSamples
from lissom.gait.walk import Walk
from lissom.kernels.arguments import as_state
from lissom.keywords import check_keywords, without_unknown

if TYPE_CHECKING:
    from lissom.formats.opensim_table import OpenSimTable
    from lissom.motion.result.motion import Motion

    Table = OpenSimTable | str | os.PathLike[str]
    Reference = GaitCurves | GaitReport | tuple[Table, Table]


@without_unknown
def gait_report(
    motion: Motion | GaitSamples,
    reference: Reference | Sequence[Reference] | Mapping[str, Reference] | None = None,
    *,
    neutral: ArrayLike | None = None,
    joints: Mapping[str, Any] | None = None,
    name: str | None = None,
    **unknown: Never,
) -> GaitReport:
    """Return numbers and curves over the cycle of a walk, compared with references.

    A cycle begins with the heel strike of a foot and ends with its next. Of a motion of one step that is mirrored at
    its end, the other step is added. Angles are turns of the links in the plane of the walk since they stood upright:
    the hip is the thigh against the vertical, positive forward; knee and ankle are between links, positive in flexion
    and dorsiflexion. Moments are those of the joints with their springs and dampers, positive in extension and plantar
    flexion. Which joints are hip, knee and ankle, and which contacts belong to which foot, is found by their names.

    Parameters
    ----------
    motion : Motion or GaitSamples
        a motion with contacts, as of `predict_walk`, or samples of any walk
    reference : GaitCurves, a pair of files, several of them, or {name: one of them}
        walks to compare with: curves (see `load_gait`), another report, or two tables of OpenSim, of coordinates and of
        ground forces (.mot, .sto)
    neutral : (dof,) or None
        the posture of standing upright, in which the angles are zero; None: all coordinates are zero
    joints : mapping or None
        {"hip": (right, left), "knee": ..., "ankle": ...}, names of joints, or of several that are one: where their own
        names do not say it
    name : str or None          what the walk is called; None: the name of the arm

    Returns
    -------
    GaitReport

    Examples
    --------
    >>> import lissom as ls
    >>> walk = ls.predict_walk(ls.human(joints=13), speed=1.33, step=0.69, segments=(1, 1, 3, 3))
    >>> report = ls.gait_report(walk)
    >>> round(report["cadence"], 1), round(report["stance"], 1), report.right["knee"].shape
    (115.7, 62.5, (101,))
    """
    check_keywords(gait_report, unknown)
    references = _references(reference)  # files are read before anything is computed
    samples = motion if isinstance(motion, GaitSamples) else _samples(motion)
    arm = samples.arm
    rest = np.zeros(arm.dof) if neutral is None else as_state(arm, neutral, "neutral", "gait_report")
    whole = samples.whole()
    walk = Walk(whole, rest, joints)
    cycles = {}
    for side, other in zip(SIDES, reversed(SIDES), strict=True):
        cycles[side] = cycles_of(walk.curves[side], walk.curves[other])
        if not cycles[side]:
            raise InputError(
                f"gait_report: the {side} foot has no whole cycle from one heel strike to the next; expected a motion "
                "that repeats itself, or is mirrored, or lasts longer."
            )
        if walk.periodic:  # all are the same; both feet are known before and after the one in the middle
            cycles[side] = [cycles[side][len(cycles[side]) // 2]]
    title = name or arm.name
    legs = {side: mean_of(title, some, walk.mass) for side, some in cycles.items()}
    notes = _notes(samples, walk)
    return GaitReport(
        title, whole, legs["right"], legs["left"], measures_of(walk, cycles, legs["right"]), references, notes
    )


def _samples(motion: Any) -> GaitSamples:
    from lissom.motion.result.motion import Motion

    if not isinstance(motion, Motion):
        raise InputError(f"gait_report: got {shown(motion)}; expected a Motion with contacts, or GaitSamples.")
    return samples_of(motion)


def _notes(samples: GaitSamples, walk: Walk) -> tuple[str, ...]:
    missing = [word for word in ("hip", "knee", "ankle") if word not in walk.legs["right"]]
    notes = ["the motion is one step; the other is its mirror image"] if samples.mirror is not None else []
    return (*notes, *(f"the arm has no {word}, so it has no curves" for word in missing))


def _references(given: Any) -> tuple[GaitCurves, ...]:
    if given is None:
        return ()
    if isinstance(given, Mapping):
        return tuple(_named(_reference(one, str(name)), str(name)) for name, one in given.items())
    many = given if isinstance(given, Sequence) and not isinstance(given, str) and not _pair(given) else [given]
    found = tuple(_reference(one, None) for one in many)
    names = [one.name for one in found]
    if len(set(names)) != len(names):
        raise InputError("gait_report: two references have the same name; give them as {name: reference}.")
    return found


def _pair(value: Any) -> bool:
    """Whether it is two tables, of coordinates and of forces."""
    from lissom.formats.opensim_table import OpenSimTable

    table = (str, os.PathLike, OpenSimTable)
    return isinstance(value, Sequence) and len(value) == 2 and all(isinstance(one, table) for one in value)


def _reference(one: Any, name: str | None) -> GaitCurves:
    if isinstance(one, GaitReport):
        return one.right
    if isinstance(one, GaitCurves):
        return one
    if not _pair(one):
        raise InputError(
            f"gait_report: reference is {shown(one)}; expected GaitCurves (of load_gait), a GaitReport, or a pair of "
            "files: coordinates and ground forces (.mot, .sto)."
        )
    return load_gait(*one, name=name)


def _named(curves: GaitCurves, name: str) -> GaitCurves:
    from lissom.later import replaced

    return replaced(curves, {"name": name})
