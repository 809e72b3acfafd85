"""Summary of a motion: as data, as a table and as HTML for notebooks."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.listing import Listing
from lissom.markup import Markup, folded, paragraphs, spark, tag
from lissom.model.units import units
from lissom.motion.result.notes import notes_of
from lissom.motion.result.record import AbstractMotion

NOISE = 1e-12  # rad or m: positions that are rounding


def summary(motion: AbstractMotion) -> dict[str, Any]:
    """Return the main numbers of a motion."""
    report = motion.report
    return {
        "arm": motion.arm.name, "status": motion.status, "ok": motion.ok, "duration": motion.duration,
        "cost": motion.cost, "segments": motion.basis.segments, "degree": motion.degree,
        "iterations": max(len(report.iterations) - 1, 0), "exchange_iterations": report.exchange_iterations,
        "samples": report.samples,
        "violation": report.violation, "optimality": report.optimality, "seconds": report.seconds,
        "notes": list(notes_of(motion)),
        "peaks": [vars(peak) for peak in report.peaks], "starts": list(report.starts),
        "refinements": [list(row) for row in report.refinements],
        "residual_checks": [row._asdict() for row in report.residual_checks],
        "compared": None if motion.compared is None else [
            {word: value for word, value in vars(plan).items() if word != "vibration"} for plan in motion.compared.plans
        ],
        "information": None if motion.information is None else vars(motion.information),
        "tracked": None if motion.tracked is None else {
            word: getattr(motion.tracked, word) for word in ("frame", "axes", "shift", "duration", "error", "angle")
        },
        "joints": {
            name: {
                "start": float(motion.q[0, k]), "end": float(motion.q[-1, k]),
                "fastest": float(np.abs(motion.qd[:, k]).max()),
                "largest_torque": float(np.abs(motion.tau[:, k]).max()),
                "units": {word: units(motion.arm, word)[k] for word in ("q", "qd", "tau")},
            }
            for k, name in enumerate(motion.arm.coordinates)
        },
    }  # fmt: skip


def listing(motion: AbstractMotion, curves: bool = False) -> Listing:
    """Return a table of the joints of a motion, on request with their curves."""
    heads = ["joint", "start", "goal", "largest rate", "largest torque", *(["position", "torque"] if curves else [])]
    rows = []
    for k, (name, row) in enumerate(summary(motion)["joints"].items()):
        unit = row["units"]
        cells = [
            name, *(f"{0.0 if abs(row[word]) < NOISE else row[word]:.5g} {unit['q']}" for word in ("start", "end")),
            f"{row['fastest']:.4g} {unit['qd']}", f"{row['largest_torque']:.4g} {unit['tau']}",
        ]  # fmt: skip
        small = [spark(motion.t.tolist(), values[:, k].tolist()) for values in (motion.q, motion.tau) if curves]
        rows.append([*cells, *small])
    return Listing.of(heads, rows)


def headline(motion: AbstractMotion, status: str = "") -> str:
    """Return arm, duration, cost and status of a motion, or another status, in one line."""
    return f"{motion.arm.name}: {motion.duration:.6g} s, cost {motion.cost:.6g}, {status or motion.status}"


def to_html(motion: AbstractMotion) -> Markup:
    """Return a table with small curves, and how the motion was found in a fold-out."""
    compared = "" if motion.compared is None else motion.compared.listing().html()
    if motion.information is not None:
        compared += folded("base parameters", motion.information.listing().html())
    found = folded("solver report", paragraphs(motion.report.describe().splitlines()))
    notes = paragraphs(notes_of(motion))
    return Markup(tag("p", tag("b", headline(motion))) + notes + listing(motion, curves=True).html() + compared + found)
