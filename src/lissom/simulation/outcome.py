"""How a run ended, as a value: `Run.outcome` to compare, `Run.status` to read."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from lissom.errors import SolveError


class RunOutcome(Enum):
    """How a run ended; the value is a sentence. Listed from harmless to severe: an ensemble has its most severe one.

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=0.1)
    >>> run.outcome is ls.RunOutcome.DONE, run.outcome.value
    (True, 'The run reached its end.')
    """

    DONE = "The run reached its end."
    STOPPED = "An event stopped the run."
    DEFLECTED = "The run reached its end, but deflections exceed the range of small-deflection modes."
    INDEFINITE = "The run reached its end, but the truncated mass matrix is not positive definite everywhere."
    UNBALANCED = "The run reached its end, but the energy balance error exceeds the tolerance."
    SINGULAR = "The run ended at or near a singular configuration of the closed loops."
    FAILED = "The run ended because something could not be evaluated."
    COLLAPSED = "The run ended because the step size collapsed."
    DIVERGED = "The run ended because the motion or the integration diverged."
    INTERRUPTED = "The simulation was interrupted."

    @property
    def complete(self) -> bool:
        """Whether the run reached its end, or an event that stops it."""
        return self in COMPLETE


COMPLETE = (RunOutcome.DONE, RunOutcome.STOPPED, RunOutcome.DEFLECTED, RunOutcome.INDEFINITE, RunOutcome.UNBALANCED)
SEVERITY = {outcome: rank for rank, outcome in enumerate(RunOutcome)}


class Failure(NamedTuple):
    """Why a run ended early: the sentence, and its kind."""

    why: str
    outcome: RunOutcome = RunOutcome.FAILED

    @classmethod
    def of(cls, error: Exception, where: str = "") -> Failure:
        """Return the failure that an error describes."""
        return cls(f"{where}{error}", getattr(error, "outcome", RunOutcome.FAILED))


class DivergedError(SolveError):
    """Raised where a state grew beyond all bounds."""

    outcome = RunOutcome.DIVERGED


class CollapsedError(SolveError):
    """Raised where steps became too short to advance."""

    outcome = RunOutcome.COLLAPSED
