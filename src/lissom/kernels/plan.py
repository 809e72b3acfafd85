"""A verb bound to the bodies of an arm and to what acts on them, ready to be compiled or exported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.kernels.keys import fingerprint, sources
from lissom.kernels.verb import Program, Shapes, Verb


class Plan(NamedTuple):
    """A program and everything that it can read.

    method : the formulation that the program is of; None: the fast path
    """

    verb: Verb
    program: Program
    bodies: Bodies
    acting: Acting
    method: str | None = None

    @property
    def inputs(self) -> tuple[tuple[str, int], ...]:
        """Names and lengths of the inputs: states, then what acts on the arm."""
        words, lengths = self.verb.arguments, self.verb.lengths
        sizes = lengths(self.bodies) if lengths is not None else (self.bodies.arm.dof,) * len(words)
        return (*zip(words, sizes, strict=True), *self.acting.inputs)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(word for word, _ in self.inputs)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of the inputs."""
        return tuple(size for _, size in self.inputs)

    @property
    def shapes(self) -> Shapes:
        """Shapes of the results for one state."""
        return self.verb.shapes(self.bodies)

    @property
    def key(self) -> str:
        """Key of straight-line code: all that the program can read, and the code that makes kernels."""
        return f"{self.verb.name}|{self.method}|{fingerprint(self.bodies, self.acting)}|{sources()}"

    @property
    def tape_key(self) -> str:
        """Key of the steps of a tape, which know neither arm nor verb."""
        return sources()

    def runs(self, tape: bool) -> Callable[[Any], None]:
        """The program as a function of a run, for straight-line code or for a tape."""
        return lambda run: self.program.function(run, self.bodies, self.acting, tape)
