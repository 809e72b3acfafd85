"""Sections 1 and 7: the algorithm predicts walking of digital humans with many degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.gait.curves import GRID, KINDS
from lissom.gait.public import gait_report
from lissom.gait.report import GaitReport
from lissom.humans.human import human
from lissom.humans.walk.predict import predict_walk
from lissom.model.loads import Load
from lissom.motion.result.motion import Motion
from lissom.papers.claims import Claim, Drawing, judged
from lissom.verbs.dynamics import inverse_dynamics
from lissom.views.figures.panels import Curve, Panel

SPEED, STEP = 1.33, 0.69  # m/s, m
PLANAR, LARGE = (13,), (31, 55)  # coordinates
FINE = 30  # points in every phase
RESIDUAL, SLIP = 1e-3, 1e-3  # N or N m; m
PEAKS, VALLEY = (1.0, 1.25), (0.7, 0.95)  # vertical forces of people over their weight
SHOWN = ("hip", "knee", "vertical", "ankle_moment")


def walks(sizes: Sequence[int]) -> dict[int, Motion]:
    """Predicted walks of persons with that many coordinates."""
    return {n: predict_walk(human(joints=n), SPEED, STEP, progress=False) for n in sizes}


def claims(found: dict[int, Motion]) -> list[Claim]:
    """One claim for each person."""
    return [_claim(n, motion) for n, motion in found.items()]


def _claim(n: int, motion: Motion) -> Claim:
    report, residual, slip = gait_report(motion), residual_of(motion), slip_of(motion)
    first, valley, second = (report[word] for word in ("first_peak", "valley", "second_peak"))
    human_like = PEAKS[0] <= min(first, second) and max(first, second) <= PEAKS[1] and VALLEY[0] <= valley <= VALLEY[1]
    return judged(
        "sections 1, 7",
        "the algorithm has been used to simulate walking of digital human models; 55 degrees of freedom"
        if n == max(LARGE)
        else f"the same algorithm simulates the walking of a digital human, here of {n} degrees of freedom",
        f"{motion.status} in {len(motion.report.iterations) - 1} iterations at {SPEED} m/s; residual {residual:.1e} N, "
        f"slip {1e3 * slip:.2g} mm, vertical force {first:.2f} and {second:.2f} body weights and {valley:.2f} "
        f"between, ankle moment {report['ankle_moment']:.2f} N m/kg",
        bool(motion.ok and residual <= RESIDUAL and slip <= SLIP and human_like),
        "durations of the phases are those of people; weights were chosen with a measured walk in sight",
        f"solved, residual of the base at most {RESIDUAL:g} N, feet slip by at most {1e3 * SLIP:g} mm, both peaks "
        f"{PEAKS[0]:g} to {PEAKS[1]:g} and the valley {VALLEY[0]:g} to {VALLEY[1]:g} body weights",
    )


def residual_of(motion: Motion) -> float:
    """Largest force or torque that inverse dynamics asks of coordinates without a motor [N, N m]."""
    contacts = motion.contacts
    assert contacts is not None
    points = {one.name: one for one in motion.arm.contacts}
    loads = [Load(points[name].link, contacts.forces[:, k], point=points[name].point)
             for k, name in enumerate(contacts.names)]  # fmt: skip
    tau = inverse_dynamics(motion.arm, motion.q, motion.qd, motion.qdd, loads=loads)
    return float(np.abs(tau[:, ~motion.arm.actuated]).max())


def slip_of(motion: Motion) -> float:
    """How far a contact moves while it holds [m]."""
    contacts = motion.contacts
    assert contacts is not None
    moved = []
    for phase in contacts.phases:
        places = contacts.points_at(np.linspace(phase.begin, phase.end, FINE))
        held = [k for k, name in enumerate(contacts.names) if name in phase.contacts]
        moved += [np.linalg.norm(places[:, k] - places[0, k], axis=-1).max() for k in held]
    return float(max(moved))


def drawing(found: dict[int, Motion]) -> Drawing:
    """Curves over the cycle of all persons."""
    reports: dict[int, GaitReport] = {n: gait_report(motion) for n, motion in found.items()}
    panels = tuple(
        Panel(KINDS[name].title, "part of the cycle [%]", f"[{KINDS[name].unit}]",
              tuple(Curve(f"{n} coordinates", GRID, report.right[name]) for n, report in reports.items()))
        for name in SHOWN
    )  # fmt: skip
    return Drawing("walking", f"Predicted walks at {SPEED} m/s from heel strike to heel strike", panels)
