"""Steps: small functions on lists of scalars, traced once and compiled once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lissom.engine.graph import Graph, from_casadi, fused
from lissom.engine.symbolics import alone


class Step(NamedTuple):
    """A small function on lists of scalars.

    function : takes one list per operand (and one of constants, when there are any), gives one list
        per output; only ``+ - * /``, `sin`, `cos`, `sign`, `absolute`
    inputs, outputs : lengths of operands and outputs
    constants : number of constants
    sizes : name of the operation that this and other steps do on different numbers of entries (`sized`)
    """

    name: str
    function: Callable[..., Sequence[Sequence[Any]]]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    constants: int = 0
    paired: bool = False  # called through `pairs`
    adds: bool = False  # results are added to what is there; only on tapes
    once: bool = False  # it is not worth remembering how it was traced
    passive: int = 0  # last operands that nothing is differentiated by
    sizes: str = ""

    def on_several(self, count: int) -> Step:
        """The step (item, shared) applied to several items with one shared operand."""
        item, shared = self.inputs

        def function(*operands: Any) -> list[Sequence[Any]]:
            return [out for k in range(count) for out in self.function(operands[k], operands[count])]

        inputs = (*[item] * count, shared)
        function.__module__ = self.home
        return Step(f"{self.name}_x{count}", function, inputs, self.outputs * count)

    @property
    def given(self) -> Step:
        """The step with its constants as one more operand."""
        return self._replace(name=f"{self.name}_given", inputs=(*self.inputs, self.constants), constants=0, passive=1)

    @property
    def home(self) -> str:
        """The module that the step's function is from."""
        return str(getattr(self.function, "__module__", ""))

    @alone
    def graph(self, fuse: bool) -> Graph:
        """The step as a graph; constants are the last input."""
        graph = from_casadi(traced.__wrapped__(self) if self.once else traced(self))
        return fused(graph) if fuse else graph


@functools.cache
@alone
def traced(step: Step) -> Any:
    """The step as a casadi function of column vectors; constants are the last."""
    import casadi as ca

    sizes = [*step.inputs, *([step.constants] if step.constants else [])]
    symbols = [ca.SX.sym(f"x{k}", n) for k, n in enumerate(sizes)]
    results = step.function(*[scalars(x) for x in symbols])
    columns = ca.cse([ca.densify(ca.vertcat(*result)) for result in results])
    return ca.Function("step", symbols, columns)


def scalars(x: Any) -> list[Any]:
    """The entries of a column of symbols."""
    import casadi as ca

    return ca.vertsplit(x)


def sized(name: str, function: Callable[..., Any], sizes: str) -> tuple[Step, ...]:
    """An operation on entries, as steps on eight, four, two and one of them, for `each`.

    sizes : for every operand "n" (as long as the result) or "1" (one entry for all)
    """

    def step(n: int) -> Step:
        def entries(*operands: Any) -> list[list[Any]]:
            rows = [[x[k if word == "n" else 0] for x, word in zip(operands, sizes, strict=True)] for k in range(n)]
            return [[function(*row) for row in rows]]

        entries.__module__ = function.__module__
        return Step(f"{name}_{n}", entries, tuple(n if word == "n" else 1 for word in sizes), (n,), sizes=name)

    return tuple(step(n) for n in (8, 4, 2, 1))
