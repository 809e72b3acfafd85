"""What `lissom walk` and `lissom lift` do alike: files are checked first, the motion is found, saved and verified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lissom.cli.commands.compute.predict import attempt, verification
from lissom.cli.common import check_figure, check_film, check_kind, check_output, wrote
from lissom.errors import Unfinished

if TYPE_CHECKING:
    from lissom.motion.result.motion import Motion


class Searched(NamedTuple):
    """A motion, its verification or None, what went wrong or nothing, and whether Ctrl-C ended it."""

    motion: Motion
    found: Any
    problem: str
    interrupted: bool

    def finish(self) -> None:
        """End the command with what went wrong, once all is printed and written."""
        if self.problem:
            raise Unfinished(self.problem, self.interrupted)


def refuse_unwritable(
    output: Path | None, report: Path | None, figure: Path | None, film: Path | None, film_speed: float,
    kind: str | None, kinds: Sequence[str],
) -> None:  # fmt: skip
    """Refuse files that could not be written, before any work is done for them."""
    check_output(output, (".nc",), "a motion")
    check_output(report, (".html", ".htm"), "the page")
    check_figure(figure)
    check_film(film, film_speed)
    check_kind(kind, kinds)


def searched(make: Callable[[], Motion], command: str, output: Path | None, verify: bool) -> Searched:
    """Find a motion, save it, solved or not, and verify it."""
    motion, problem = attempt(make, command)
    if output is not None:
        motion.save(output)
        wrote(output)
    found, problem = verification(motion, problem) if verify else (None, problem)
    return Searched(motion, found, problem, bool(motion.interrupted or (verify and found is None)))
