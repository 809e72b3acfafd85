"""Blocks of an ensemble as one ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.simulation.outcome import RunOutcome

if TYPE_CHECKING:
    from lissom.simulation.run import Run


def joined(runs: Sequence[Run]) -> Run:
    """Join blocks of runs into one ensemble."""
    if len(runs) == 1:
        return runs[0]
    starts = np.cumsum([0, *(len(run.q) for run in runs)])
    arrays: dict[str, Any] = {word: np.concatenate([getattr(run, word) for run in runs]) for word in runs[0].over_time}
    events = tuple(e._replace(run=e.run + int(s)) for run, s in zip(runs, starts, strict=False) for e in run.events)
    failures = {k + int(s): why for run, s in zip(runs, starts, strict=False) for k, why in run.failures.items()}
    reports = [run.report for run in runs]
    notes = tuple(dict.fromkeys(note for report in reports for note in report.notes))
    report = replace(
        reports[0], notes=notes, steps=max(r.steps for r in reports), evaluations=sum(r.evaluations for r in reports),
        wall=sum(r.wall for r in reports), cpu=sum(r.cpu for r in reports),
    )  # fmt: skip
    bad = [run for run in runs if not run.ok]
    outcomes = tuple(outcome for run in runs for outcome in run.outcomes)
    status = runs[0].status if not bad else f"in {len(bad)} of {len(runs)} blocks: {bad[0].status}"
    if failures:
        first = min(failures)
        status = f"{len(failures)} of {int(starts[-1])} runs failed; run {first}: {failures[first]}"
    elif not bad and RunOutcome.STOPPED in outcomes:
        status = f"done; {outcomes.count(RunOutcome.STOPPED)} of {int(starts[-1])} runs were stopped by events"
    ok = all(run.ok for run in runs)
    arms = None if runs[0].arms is None else [arm for run in runs for arm in run.arms or ()]
    return replace(
        runs[0], **arrays, arms=arms, events=events, failures=failures, report=report, status=status, ok=ok,
        outcomes=outcomes,
    )  # fmt: skip
