"""How a study and its rows ended, as values to compare; `status` is the sentence to read."""

from __future__ import annotations

from lissom.outcome import Outcome


class StudyRowOutcome(Outcome):
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

    OK = "ok", "the row is evaluated"
    DOUBTFUL = "doubtful", "the row is evaluated, but its result reports a problem or is not a number"
    FAILED = "failed", "the row could not be evaluated"


class StudyOutcome(Outcome):
    """How a study ended; `sentence` describes it, `StudyResult.status` has the details.

    Examples
    --------
    >>> import lissom as ls
    >>> study = ls.Study(lambda case: {"y": case["x"]}, parameters={"x": ls.StudyParameter(values=[1, 2])})
    >>> result = study.run()
    >>> result.outcome is ls.StudyOutcome.DONE, result.outcome.sentence
    (True, 'all rows are evaluated')
    """

    DONE = "done", "all rows are evaluated"
    INCOMPLETE = "incomplete", "some rows are not evaluated yet"
    INTERRUPTED = "interrupted", "the study was interrupted"
    WORKERS_LOST = "workers_lost", "the workers do not answer any more"
