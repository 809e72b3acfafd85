"""How a search for a motion ended, as a value."""

from __future__ import annotations

from enum import StrEnum


class MotionOutcome(StrEnum):
    """How a search for a motion ended; `sentence` describes it.

    Compare `motion.outcome` with these; `motion.status` is the sentence with its details.

    Examples
    --------
    >>> import lissom as ls
    >>> motion = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1])
    >>> motion.outcome is ls.MotionOutcome.SOLVED, motion.outcome.sentence
    (True, 'solved')
    """

    SOLVED = "solved"
    ACCEPTABLE = "acceptable"
    INFEASIBLE = "infeasible"
    OVERDETERMINED = "overdetermined"
    OUT_OF_ITERATIONS = "out_of_iterations"
    OUT_OF_TIME = "out_of_time"
    STALLED = "stalled"
    DIVERGED = "diverged"
    INTERRUPTED = "interrupted"
    LIMIT_EXCEEDED = "limit_exceeded"
    SINGULAR = "singular"
    NO_SHORTEST_TIME = "no_shortest_time"
    TARGET_MISSED = "target_missed"
    LARGE_DEFLECTION = "large_deflection"
    VIBRATING = "vibrating"
    UNKNOWN = "unknown"

    @property
    def sentence(self) -> str:
        """The sentence that describes the outcome."""
        return SENTENCES[self]

    @property
    def solved(self) -> bool:
        """Whether a solver converged to a motion within all limits."""
        return self in (MotionOutcome.SOLVED, MotionOutcome.ACCEPTABLE)

    @property
    def ran_out(self) -> bool:
        """Whether iterations or time ran out."""
        return self in (MotionOutcome.OUT_OF_ITERATIONS, MotionOutcome.OUT_OF_TIME)

    @property
    def stopped(self) -> bool:
        """Whether the user or the clock ended the search."""
        return self in (MotionOutcome.INTERRUPTED, MotionOutcome.OUT_OF_TIME)


SENTENCES = {
    MotionOutcome.SOLVED: "solved",
    MotionOutcome.ACCEPTABLE: "solved to a larger tolerance",
    MotionOutcome.INFEASIBLE: "infeasible",
    MotionOutcome.OVERDETERMINED: "infeasible: more equality constraints than variables, try more segments",
    MotionOutcome.OUT_OF_ITERATIONS: "stalled: iterations ran out",
    MotionOutcome.OUT_OF_TIME: "stalled: time ran out",
    MotionOutcome.STALLED: "stalled",
    MotionOutcome.DIVERGED: "diverged",
    MotionOutcome.INTERRUPTED: "interrupted",
    MotionOutcome.LIMIT_EXCEEDED: "no motion was found that satisfies all limits between samples",
    MotionOutcome.SINGULAR: "the path passes through a singular configuration",
    MotionOutcome.NO_SHORTEST_TIME: (
        "no limit of this task bounds its duration from below, so it tends to zero; give a duration"
    ),
    MotionOutcome.TARGET_MISSED: "no motion was found that reaches all targets",
    MotionOutcome.LARGE_DEFLECTION: "links bend too far for their model of small deflections",
    MotionOutcome.VIBRATING: "no motion was found that ends at rest",
    MotionOutcome.UNKNOWN: "not recorded: the file was written by an earlier version",
}
