"""What is known about a function of an arm: its arguments, its program, its results, and what it covers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.engine.function import Function
from lissom.engine.step import Step
from lissom.model.arm import Arm

Shapes = tuple[tuple[int, ...], ...]


class Program(NamedTuple):
    """A program of the engine with what its tape needs.

    function : ``function(run, bodies, acting, tape)``
    steps : of the tape
    straight_up_to : coordinates up to which straight-line code is the better one
    """

    function: Callable[[Any, Bodies, Acting, bool], None]
    steps: tuple[Step, ...]
    straight_up_to: int


class Composition(NamedTuple):
    """A function that is computed from those of other verbs.

    of : names of these verbs, the one with the same inputs first
    make : ``make(verb, functions, read, check, carriers)``
    """

    of: tuple[str, ...]
    make: Callable[..., Function]


class Refused(NamedTuple):
    """Something that a verb does not cover, and why."""

    because: str


class Output(NamedTuple):
    """A result: name, unit (q, qd, qdd and tau stand for those of the coordinates), description."""

    name: str
    unit: str
    meaning: str


class Verb(NamedTuple):
    """One function of an arm.

    name : of the public function, or of the compiled one where there is none
    arguments : names of its state arguments
    shapes : of its results for one state
    program : for arms with rigid links; None where it is composed of other verbs
    flexible : the program for arms with flexible links
    loops : for arms with closed loops: "closed" has a function in `closed_loops`; for "tree" results are those of the
        tree that is left when the closures are cut
    outputs : results of the function in C
    composed : how it is computed from other verbs
    internal : there is no public function of this name
    shown_as : its name in messages, where it is that of another verb
    record : what several results are returned as
    scalar : its result is one number
    needs_inertia : False for kinematics, which exists for arms without mass and takes rotations unrounded
    acted : it takes loads and base motion
    frame : it is about a point of a link or tool
    batch_of_arms : it is there for arms of one structure with different numbers, one per row
    inverts_inertia : results are not finite where the inertia is singular
    single : it is available in single precision
    checks_inertia : a warning follows where truncated equations made the inertia indefinite
    stations : places along beams that its program needs
    lengths : of its state arguments; None: one entry per coordinate each
    check : raises an error for arms that it does not cover
    """

    name: str
    arguments: tuple[str, ...]
    shapes: Callable[[Bodies], Shapes]
    program: Program | None
    flexible: Program | Refused | None
    loops: Literal["closed", "tree"] | Refused
    outputs: tuple[Output, ...] | Refused
    composed: Composition | None = None
    internal: bool = False
    shown_as: str = ""
    record: type[tuple[Any, ...]] | None = None
    scalar: bool = False
    needs_inertia: bool = True
    acted: bool = False
    frame: bool = False
    batch_of_arms: bool = False
    inverts_inertia: bool = False
    single: bool = False
    checks_inertia: bool = False
    stations: Callable[[Arm], Sequence[str]] | None = None
    lengths: Callable[[Bodies], tuple[int, ...]] | None = None
    check: Callable[[Arm], None] | None = None

    @property
    def composed_of(self) -> tuple[str, ...]:
        """Names of the verbs that it is computed from."""
        return () if self.composed is None else self.composed.of

    @property
    def label(self) -> str:
        """The name in messages."""
        return self.shown_as or self.name

    @property
    def exported(self) -> bool:
        """Whether `export_c` writes it."""
        return not isinstance(self.outputs, Refused)

    @property
    def studied(self) -> bool:
        """Whether a study can evaluate it: every public function."""
        return not self.internal

    def program_for(self, flexible: bool) -> Program | Refused:
        """The program for rigid or flexible links."""
        found = self.flexible if flexible else self.program
        assert found is not None, f"{self.name} is composed of other verbs"
        return found

    def returned(self, results: Any) -> Any:
        """Results of the compiled function as the public one returns them."""
        return results[..., 0][()] if self.scalar else results
