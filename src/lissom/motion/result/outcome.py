"""How a search for a motion ended, as a value."""

from __future__ import annotations

from lissom.outcome import Outcome


class MotionOutcome(Outcome):
    """How a search for a motion ended; `sentence` describes it.

    Compare `motion.outcome` with these; `motion.status` is the sentence with its details.

    Examples
    --------
    >>> import lissom as ls
    >>> motion = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1])
    >>> motion.outcome is ls.MotionOutcome.SOLVED, motion.outcome.sentence
    (True, 'solved')
    """

    SOLVED = "solved", "solved"
    ACCEPTABLE = "acceptable", "solved to a larger tolerance"
    INFEASIBLE = "infeasible", "infeasible"
    OVERDETERMINED = "overdetermined", "infeasible: more equality constraints than variables, try more segments"
    OUT_OF_ITERATIONS = "out_of_iterations", "iterations ran out"
    OUT_OF_TIME = "out_of_time", "time ran out"
    STALLED = "stalled", "stalled"
    DIVERGED = "diverged", "diverged"
    INTERRUPTED = "interrupted", "interrupted"
    LIMIT_EXCEEDED = "limit_exceeded", "no motion was found that satisfies all limits between samples"
    SINGULAR = "singular", "the path passes through a singular configuration"
    NO_SHORTEST_TIME = (
        "no_shortest_time",
        "no limit of this task bounds its duration from below, so it tends to zero; give a duration",
    )
    TARGET_MISSED = "target_missed", "no motion was found that reaches all targets"
    LARGE_DEFLECTION = "large_deflection", "links bend too far for their model of small deflections"
    VIBRATING = "vibrating", "no motion was found that ends at rest"
    UNKNOWN = "unknown", "not recorded: the file was written by an earlier version"

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
