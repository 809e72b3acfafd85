"""Timing of the published formulations: compiled as written, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.errors import InputError, UnsupportedError, shown, suggest
from lissom.model.arm import Arm
from lissom.model.dh import DH
from lissom.verbs.count import bending_chain

if TYPE_CHECKING:
    from lissom.engine.graph import Graph
    from lissom.engine.trace import AsWritten
    from lissom.formulations.linkage import Linkage, State

ROWS = 1024
PASSES = 4
WINDOW = 0.01  # of one measurement, at least [s]
NUMBERS = ("B", "mass", "com", "moment", "inertia", "second", "pseudo", "armature")


class FormulationTime(NamedTuple):
    """Cost of one formulation on an arm of n joints.

    operations : nodes of its graph, as written; nanoseconds : CPU time per state, best of some rounds
    seconds : compile time
    """

    method: str
    joints: int
    operations: int
    nanoseconds: float
    seconds: float


def time_formulations(
    methods: Sequence[str] | None = None,
    joints: Sequence[int] = tuple(range(1, 13)),
    *,
    seconds: float = 10.0,
    progress: Callable[[str], object] | None = None,
) -> tuple[FormulationTime, ...]:
    """Time formulations of inverse and forward dynamics, each compiled as it is written.

    Every operation that a formulation spells out on the arm's numbers becomes one operation of the
    compiled code: nothing is merged, folded or shared (instruction selection may still merge what is
    identical within a few hundred operations, and products that are added become one instruction). The
    arm is revolute, with generic twists, lengths and inertias. `horn_raibert_table` is what is left when
    a table gives the coefficients.

    Parameters
    ----------
    methods : names, or None     None: all of rigid arms, and "horn_raibert_table"; a number of joints means flexible
                                 links of two modes each for "de_luca_siciliano"
    joints : numbers of joints   in rising order; a formulation stops where it would compile too long
    seconds : float              largest time for one compilation
    progress : callable or None  called with a message on what is under way

    Returns
    -------
    tuple of FormulationTime     by method, then by number of joints

    Examples
    --------
    >>> import lissom as ls
    >>> [row.joints for row in ls.time_formulations(["newton_euler_link"], joints=(1, 2))]
    [1, 2]
    """
    from lissom.formulations.catalogue import ALIASES, ALL
    from lissom.kernels.functions import compiler_present

    if not compiler_present():
        raise UnsupportedError(
            "time_formulations compiles, and llvmlite or casadi is not installed: pip install llvmlite casadi."
        )
    if isinstance(methods, str) or (methods is not None and not isinstance(methods, Iterable)):
        raise InputError(f"time_formulations: methods is {shown(methods)}; expected a list of names, or None.")
    rigid = [f.name for f in ALL.values() if not f.planar]
    names = [*rigid, TABLE] if methods is None else [ALIASES.get(name, name) for name in methods]
    unknown = [name for name in names if name not in ALL and name != TABLE]
    if unknown:
        raise InputError(
            f"time_formulations: methods has {shown(unknown[0])}; {suggest(str(unknown[0]), [*ALL, TABLE])}"
        )
    sizes = sorted(joints) if isinstance(joints, Iterable) else []
    if not sizes or any(isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1 for n in sizes):
        raise InputError(f"time_formulations: joints is {shown(joints)}; expected whole numbers of at least 1.")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InputError(f"time_formulations: seconds is {shown(seconds)}; expected a number above 0.")
    tell = progress or (lambda _words: None)
    return _measured([case for name in names for case in _compiled(name, sizes, float(seconds), tell)], tell)


def time_graphs(
    name: str, graphs: Mapping[int, Graph], progress: Callable[[str], object] | None = None
) -> tuple[FormulationTime, ...]:
    """Time programs given as graphs, by number of joints, in the way of `time_formulations`."""
    return _measured([_Case(name, n, graph) for n, graph in graphs.items()], progress or (lambda _words: None))


def _measured(made: Sequence[_Case], tell: Callable[[str], object]) -> tuple[FormulationTime, ...]:
    for turn in range(PASSES):  # spread over time, so that a busy moment of the machine hurts no method alone
        for case in made:
            tell(f"pass {turn + 1} of {PASSES}: {case.method}, {case.joints} joints")
            case.measure()
    return tuple(FormulationTime(c.method, c.joints, c.operations, c.best, c.seconds) for c in made)


TABLE = "horn_raibert_table"


class _Case:
    """One formulation compiled for one arm."""

    def __init__(self, method: str, joints: int, graph: Graph):
        from lissom.engine.kernel import four_lanes

        start = time.process_time()
        self._run = four_lanes(graph)
        self.seconds = time.process_time() - start
        self.method, self.joints, self.operations, self.best = method, joints, len(graph.nodes), float("inf")
        rng = np.random.default_rng(0)
        self._inputs = [rng.uniform(-1.0, 1.0, (ROWS, size)) for size in graph.inputs]
        self._outputs = [np.zeros((ROWS, len(out))) for out in graph.outputs]

    def measure(self) -> None:
        """Nanoseconds of CPU time per state, the best so far."""
        start, spent, repeats = time.process_time(), 0.0, 0
        while spent < WINDOW:
            self._run(self._inputs, self._outputs)
            repeats, spent = repeats + 1, time.process_time() - start
        self.best = min(self.best, spent / repeats / ROWS * 1e9)


def _compiled(name: str, joints: list[int], seconds: float, tell: Callable[[str], object]) -> Iterator[_Case]:
    """One formulation on longer and longer arms, until the next would take too long to compile."""
    rate = 1e-4  # seconds per operation, until one was compiled
    for n in joints:
        tell(f"compiling {name}, {n} joints")
        graph = _as_written(name, n)
        if rate * len(graph.nodes) > seconds:
            return
        case = _Case(name, n, graph)
        rate = case.seconds / case.operations
        yield case


def generic_arm(n: int, theta: float = 0.3) -> Arm:
    """A revolute arm of n joints without zeros and ones among its numbers; theta : offset of every angle [rad]."""
    rng = np.random.default_rng(1980)
    rows = []
    for _ in range(n):
        points = rng.normal(size=(6, 3)) * 0.1
        points -= points.mean(axis=0)
        inertia = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        rows.append(DH(a=rng.uniform(0.1, 0.5), alpha=rng.uniform(-1.5, 1.5), d=rng.uniform(0.05, 0.2), theta=theta,
                       mass=rng.uniform(0.5, 5.0), com=rng.uniform(-0.2, 0.2, 3), inertia=inertia))  # fmt: skip
    return Arm.from_dh(rows, convention="standard", gravity=(0.7, -1.3, -9.6), name=f"generic {n}")


def traced_state(run: AsWritten, linkage: Linkage, direction: str) -> tuple[State, list[Any]]:
    """A state of nodes, and the last input: accelerations for inverse dynamics, torques for forward dynamics."""
    from lissom.formulations.linkage import State, frames_of

    n = len(linkage)
    q, qd, last = run.input(n), run.input(n), run.input(n)
    members = [m._replace(**{word: run.node(getattr(m, word)) for word in NUMBERS}) for m in linkage.members]
    gravity = run.node(linkage.in_frame_0(linkage.bodies.arm.gravity))
    qdd = last if direction == "inverse" else run.node([0.0] * n)
    return State(members, frames_of(members, q), qd, qdd, gravity), last


def _as_written(name: str, n: int) -> Graph:
    from lissom.dynamics.bodies import Bodies
    from lissom.dynamics.planar.chain import Planar
    from lissom.dynamics.planar.equations import Equations
    from lissom.engine.compile import has_fma
    from lissom.engine.trace import AsWritten
    from lissom.formulations import catalogue
    from lissom.formulations.horn_raibert import Coefficients, combined
    from lissom.formulations.linkage import Linkage

    run = AsWritten()
    if name == TABLE:
        G, J, C = run.input(n), run.input(n * n), run.input(n**3)
        square = [J[n * i : n * i + n] for i in range(n)]
        cube = [[C[n * (n * i + j) : n * (n * i + j) + n] for j in range(n)] for i in range(n)]
        run.output(combined(Coefficients(G, square, cube), run.input(n), run.input(n)))
    elif catalogue.ALL[name].planar:
        equations = Equations.of(Planar(Bodies(bending_chain(n))))
        q, qd, qdd = (run.input(equations.dof) for _ in range(3))
        run.output(catalogue.ALL[name].function(equations.mapped(run.node), q, qd, qdd))
    else:
        f = catalogue.ALL[name]
        state, last = traced_state(run, Linkage(Bodies(generic_arm(n))), f.direction)
        run.output(f.function(state) if f.direction == "inverse" else f.function(state, last))
    return run.graph(has_fma())
