"""Summary of a run: as data, as a table and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lissom.listing import Listing
from lissom.markup import Markup, folded, paragraphs, spark, tag
from lissom.model.limits import used
from lissom.model.units import units
from lissom.simulation.records.record import AbstractRun

COLUMNS = {"end": "q", "fastest": "qd", "largest_torque": "tau"}
MOST_EVENTS = 8
BEYOND = 1e-3  # of a limit of torque, from which it is reported


def summary(run: AbstractRun) -> dict[str, Any]:
    """Return the main numbers of a run."""
    report = run.report
    return {
        "arm": run.arm.name, "status": run.status, "outcome": run.outcome.value, "ok": run.ok, "runs": run.count,
        "samples": len(run.t),
        "until": float(run.t[-1]), "method": report.method, "why": report.why, "dt": report.dt, "steps": report.steps,
        "evaluations": report.evaluations, "cpu_seconds": report.cpu, "balance_error": np.max(run.balance_error),
        "notes": list(report.notes),
        "events": [{"t": e.t, "name": e.name, "run": e.run} for e in run.events],
        "tip_frame": followed(run),
        "coordinates": coordinates(run),
        "largest_deflection": deflections(run),
    }  # fmt: skip


def followed(run: AbstractRun) -> str | None:
    """Return the frame that `run.tip` follows, None for a tree with several ends."""
    return run.tip_frame if len(run.arm.ends) == 1 else None


def limits_used(run: AbstractRun) -> dict[str, float]:
    """Return {joint: largest torque relative to its limit} of the joints with a torque limit."""
    lower, upper = run.arm.bounds("torque")
    joints = run.arm.joint_index
    most = used(run.tau[..., joints], lower, upper).reshape(-1, len(joints)).max(axis=0)
    limited = np.isfinite(lower) | np.isfinite(upper)
    return {run.arm.coordinates[k]: float(x) for k, x, some in zip(joints, most, limited, strict=True) if some}


def deflections(run: AbstractRun) -> dict[str, float]:
    """Return {flexible link: largest deflection of its end, relative to the undeflected link [m]}."""
    flexible = [link.name for link in run.arm.links if link.mode_labels]
    return {name: _largest(np.linalg.norm(run.deflection(name), axis=-1)) for name in flexible}


def coordinates(run: AbstractRun) -> dict[str, dict[str, Any]]:
    """Return {coordinate: final value, largest rate, largest torque, and their units}."""
    return {
        name: {
            "end": _spread(run.q[..., -1, k]), "fastest": _largest(run.qd[..., k]),
            "largest_torque": _largest(run.tau[..., k]),
            "units": {word: units(run.arm, of)[k] for word, of in COLUMNS.items()},
        }
        for k, name in enumerate(run.arm.coordinates)
    }  # fmt: skip


def _largest(x: Any) -> float:
    """Return the largest magnitude, nan if no run came so far."""
    return float(np.abs(x).max(where=np.isfinite(x), initial=0.0)) if np.isfinite(x).any() else np.nan


def _spread(x: Any) -> Any:
    """Return a number, or least, median and largest of several, nan if no run came so far."""
    if np.ndim(x) == 0:
        return float(x)
    some = x[np.isfinite(x)]
    return [float(some.min()), float(np.median(some)), float(some.max())] if some.size else [np.nan] * 3


def listing(run: AbstractRun, curves: bool = False) -> Listing:
    """Return a table of the joints of a run, optionally with their curves; modal amplitudes are omitted."""
    end = "final value" if run.count is None else "final value: min, median, max"
    heads = ["coordinate", end, "largest rate", "largest torque", *(["position", "torque"] if curves else [])]
    found = coordinates(run)
    rows = []
    for k, name in enumerate(run.arm.coordinates):
        if k in run.arm.mode_index:
            continue
        last, unit = found[name]["end"], {word: "" if x == "1" else f" {x}" for word, x in found[name]["units"].items()}
        text = f"{last:.5g}" if isinstance(last, float) else ", ".join(f"{x:.4g}" for x in last)
        row = [name, text + unit["end"], *(f"{found[name][word]:.4g}{unit[word]}" for word in COLUMNS if word != "end")]
        rows.append([*row, *([_curve(run, run.q[..., k]), _curve(run, run.tau[..., k])] if curves else [])])
    return Listing.of(heads, rows)


def _curve(run: AbstractRun, values: Any) -> Markup:
    """Return a small curve of values over time; of an ensemble the median."""
    return spark(run.t.tolist(), (values if run.count is None else np.nanmedian(values, axis=0)).tolist())


def audit(run: AbstractRun) -> Iterator[str]:
    """Yield sentences about a run: events, torques above limits, deflections, and the energy balance."""
    for event in run.events[:MOST_EVENTS]:
        yield f"t = {event.t:.6g} s: {event.name}" + ("" if run.count is None else f" (run {event.run})")
    if len(run.events) > MOST_EVENTS:
        yield f"... and {len(run.events) - MOST_EVENTS} more events"
    for joint, use in limits_used(run).items():
        if use > 1 + BEYOND:
            yield f"the torque of {joint} reaches {100 * use:.0f} % of its limit; a controller with limit=True keeps it"
    for link, size in deflections(run).items():
        yield f"largest deflection of the end of {link}, relative to the undeflected link: {1e3 * size:.4g} mm"
    frame = followed(run)
    if frame:
        yield f"The tip of the run (run.tip) is link {frame}."
    else:
        yield f"The arm has {len(run.arm.ends)} ends; run.path(link) gives the path of one."
    ended = f"; {len(run.failures)} runs ended early and count up to their ends" if run.failures and run.count else ""
    unbalanced = float(np.max(run.balance_error))
    kept = f"the error is {unbalanced:.2g} of the energy exchanged" if unbalanced else "kept, but for rounding"
    yield f"Energy balance: {kept}{ended}"
    yield from str(run.report).splitlines()


def to_html(run: AbstractRun) -> Markup:
    """Return a table with small curves, and the audit in a fold-out."""
    many = "" if run.count is None else f", {run.count} runs"
    head = f"{run.arm.name}: {run.t[0]:g} to {run.t[-1]:g} s, {len(run.t)} samples{many}, {run.status}"
    return Markup(tag("p", tag("b", head)) + listing(run, curves=True).html() + folded("audit", paragraphs(audit(run))))
