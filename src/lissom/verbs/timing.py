"""The published formulations in nanoseconds: compiled as written, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, shown
from lissom.model.arm import Arm
from lissom.model.dh import DH

ROWS = 1024
ROUNDS = 5


class FormulationTime(NamedTuple):
    """Cost of one formulation on an arm of n joints.

    operations : nodes of its graph, as written; nanoseconds : CPU time per state, best of some rounds
    seconds : that compiling took
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

    Every operation that a formulation spells out becomes one operation of the compiled code: nothing is
    merged, folded or shared (instruction selection may still merge what is identical within a few
    hundred operations, and products that are added become one instruction). The arm is revolute, with
    generic twists, lengths and inertias. `horn_raibert_table` is what is left when a table gives the
    coefficients.

    Parameters
    ----------
    methods : names, or None     None: all, and "horn_raibert_table"
    joints : numbers of joints   in rising order; a formulation stops where it would compile too long
    seconds : float              that one compilation may take
    progress : callable or None  told in words what is under way

    Returns
    -------
    tuple of FormulationTime     by method, then by number of joints

    Examples
    --------
    >>> import lissom as ls
    >>> [row.joints for row in ls.time_formulations(["newton_euler_link"], joints=(1, 2))]
    [1, 2]
    """
    from lissom.formulations.catalogue import ALL

    names = [*ALL, TABLE] if methods is None else list(methods)
    unknown = [name for name in names if name not in ALL and name != TABLE]
    if unknown:
        raise InputError(
            f"time_formulations: methods has {shown(unknown[0])}; expected some of {', '.join([*ALL, TABLE])}."
        )
    return tuple(row for name in names for row in _series(name, list(joints), seconds, progress))


TABLE = "horn_raibert_table"


def _series(
    name: str, joints: list[int], seconds: float, progress: Callable[[str], object] | None
) -> Iterator[FormulationTime]:
    """One formulation on longer and longer arms, until the next would take too long to compile."""
    before: FormulationTime | None = None
    for n in joints:
        if progress is not None:
            progress(f"{name}, {n} joints")
        graph = _as_written(name, n)
        if before is not None and before.seconds / before.operations * len(graph.nodes) > seconds:
            return
        before = _timed(name, n, graph)
        yield before


def generic_arm(n: int) -> Arm:
    """Revolute joints, nothing zero and nothing one."""
    rng = np.random.default_rng(1980)
    rows = []
    for _ in range(n):
        points = rng.normal(size=(6, 3)) * 0.1
        points -= points.mean(axis=0)
        inertia = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        rows.append(DH(a=rng.uniform(0.1, 0.5), alpha=rng.uniform(-1.5, 1.5), d=rng.uniform(0.05, 0.2), theta=0.3,
                       mass=rng.uniform(0.5, 5.0), com=rng.uniform(-0.2, 0.2, 3), inertia=inertia))  # fmt: skip
    return Arm.from_dh(rows, convention="standard", gravity=(0.7, -1.3, -9.6), name=f"generic {n}")


def _as_written(name: str, n: int) -> Any:
    from lissom.dynamics.bodies import Bodies
    from lissom.dynamics.inverse import Setting
    from lissom.engine.compile import has_fma
    from lissom.engine.trace import AsWritten
    from lissom.formulations import catalogue
    from lissom.formulations.horn_raibert import Coefficients, combined

    run = AsWritten()
    if name == TABLE:
        G, J, C = run.input(n), run.input(n * n), run.input(n**3)
        square = [J[n * i : n * i + n] for i in range(n)]
        cube = [[C[n * (n * i + j) : n * (n * i + j) + n] for j in range(n)] for i in range(n)]
        run.output(combined(Coefficients(G, square, cube), run.input(n), run.input(n)))
    else:
        f = catalogue.ALL[name]
        program = catalogue.inverse_program if f.direction == "inverse" else catalogue.forward_program
        program(f, run, Bodies(generic_arm(n)), Setting())
    return run.graph(has_fma())


def _timed(name: str, n: int, graph: Any) -> FormulationTime:
    from lissom.engine.kernel import four_lanes

    start = time.process_time()
    run = four_lanes(graph)
    compiled = time.process_time() - start
    rng = np.random.default_rng(0)
    inputs = [rng.uniform(-1.0, 1.0, (ROWS, size)) for size in graph.inputs]
    outputs = [np.zeros((ROWS, len(out))) for out in graph.outputs]
    best = np.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        repeats = 0
        while time.process_time() - start < 0.01:
            run(inputs, outputs)
            repeats += 1
        best = min(best, (time.process_time() - start) / repeats / ROWS * 1e9)
    return FormulationTime(name, n, len(graph.nodes), float(best), compiled)
