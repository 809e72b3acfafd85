"""How a run ended, as a value: `Run.outcome` to compare, `Run.status` to read."""

from __future__ import annotations

from typing import NamedTuple

from lissom.errors import InputError, SolveError
from lissom.outcome import Outcome


class RunOutcome(Outcome):
    """How a run ended; `sentence` describes it. Listed from harmless to severe: an ensemble has its most severe one.

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=0.1)
    >>> run.outcome is ls.RunOutcome.DONE, run.outcome == "done", run.outcome.sentence
    (True, True, 'the run reached its end')
    """

    DONE = "done", "the run reached its end"
    STOPPED = "stopped", "an event stopped the run"
    DEFLECTED = "deflected", "the run reached its end, but deflections exceed the range of small-deflection modes"
    INDEFINITE = (
        "indefinite",
        "the run reached its end, but the truncated mass matrix is not positive definite everywhere",
    )
    UNBALANCED = "unbalanced", "the run reached its end, but the energy balance error exceeds the tolerance"
    SINGULAR = "singular", "the run ended at or near a singular configuration of the closed loops"
    FAILED = "failed", "the run ended because something could not be evaluated"
    COLLAPSED = "collapsed", "the run ended because the step size collapsed"
    DIVERGED = "diverged", "the run ended because the motion or the integration diverged"
    INTERRUPTED = "interrupted", "the simulation was interrupted"

    @property
    def complete(self) -> bool:
        """Whether the run reached its end, or an event that stops it."""
        return self in COMPLETE


COMPLETE = (RunOutcome.DONE, RunOutcome.STOPPED, RunOutcome.DEFLECTED, RunOutcome.INDEFINITE, RunOutcome.UNBALANCED)
SEVERITY = {outcome: rank for rank, outcome in enumerate(RunOutcome)}


class Failure(NamedTuple):
    """Why a run ended early: the sentence, its kind, and whether a function that the user gave is the reason."""

    why: str
    outcome: RunOutcome = RunOutcome.FAILED
    by_user: bool = False

    @classmethod
    def of(cls, error: Exception, where: str = "") -> Failure:
        """Return the failure that an error describes."""
        by_user = isinstance(error, InputError) or error.__cause__ is not None
        return cls(f"{where}{error}", getattr(error, "outcome", RunOutcome.FAILED), by_user)


class DivergedError(SolveError):
    """Raised where a state grew beyond all bounds."""

    outcome = RunOutcome.DIVERGED


class CollapsedError(SolveError):
    """Raised where steps became too short to advance."""

    outcome = RunOutcome.COLLAPSED
