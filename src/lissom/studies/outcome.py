"""How a study and its rows ended, as values to compare; `status` is the sentence to read."""

from __future__ import annotations

from enum import StrEnum


class StudyRowOutcome(StrEnum):
    """How a row of a study ended; `sentence` describes it, the row's `status` says why.

    Examples
    --------
    >>> import lissom as ls
    >>> study = ls.Study(lambda case: {"y": 1 / int(case["x"])}, parameters={"x": ls.StudyParameter(values=[0, 2])})
    >>> for outcome, status in zip(*map(study.run().__getitem__, ("outcome", "status"))):
    ...     print(outcome is ls.StudyRowOutcome.FAILED, status)
    True ZeroDivisionError: division by zero
    False ok
    """

    OK = "ok"
    DOUBTFUL = "doubtful"
    FAILED = "failed"

    @property
    def sentence(self) -> str:
        """What it means."""
        return SENTENCES[self]


class StudyOutcome(StrEnum):
    """How a study ended; `sentence` describes it, `StudyResult.status` has the details.

    Examples
    --------
    >>> import lissom as ls
    >>> study = ls.Study(lambda case: {"y": case["x"]}, parameters={"x": ls.StudyParameter(values=[1, 2])})
    >>> result = study.run()
    >>> result.outcome is ls.StudyOutcome.DONE, result.outcome.sentence
    (True, 'all rows are evaluated')
    """

    DONE = "done"
    INCOMPLETE = "incomplete"
    INTERRUPTED = "interrupted"
    WORKERS_LOST = "workers_lost"

    @property
    def sentence(self) -> str:
        """What it means."""
        return SENTENCES[self]


SENTENCES: dict[StrEnum, str] = {
    StudyRowOutcome.OK: "the row is evaluated",
    StudyRowOutcome.DOUBTFUL: "the row is evaluated, but its result reports a problem or is not a number",
    StudyRowOutcome.FAILED: "the row could not be evaluated",
    StudyOutcome.DONE: "all rows are evaluated",
    StudyOutcome.INCOMPLETE: "some rows are not evaluated yet",
    StudyOutcome.INTERRUPTED: "the study was interrupted",
    StudyOutcome.WORKERS_LOST: "the workers do not answer any more",
}
