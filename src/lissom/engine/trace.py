"""Tracing of programs as written: every operation is one node, nothing is merged or folded.

`Inline` gives the graph that is best to run; this gives the graph that a program spells out, to time a
formulation and not a compiler's wit.
"""

from __future__ import annotations

from typing import Any

from lissom.engine.graph import Graph, Node, fused
from lissom.engine.program import OnScalars


class Scalar:
    """A node of a growing graph."""

    __slots__ = ("at", "nodes")

    def __init__(self, nodes: list[Node], at: int):
        self.nodes, self.at = nodes, at

    def _put(self, op: str, *args: Any) -> Scalar:
        self.nodes.append(Node(op, tuple(self._index(x) for x in args)))
        return Scalar(self.nodes, len(self.nodes) - 1)

    def _index(self, x: Any) -> int:
        if isinstance(x, Scalar):
            return x.at
        self.nodes.append(Node("const", data=(float(x),)))
        return len(self.nodes) - 1

    def __add__(self, other: Any) -> Scalar:
        return self._put("add", self, other)

    def __radd__(self, other: Any) -> Scalar:
        return self._put("add", other, self)

    def __sub__(self, other: Any) -> Scalar:
        return self._put("sub", self, other)

    def __rsub__(self, other: Any) -> Scalar:
        return self._put("sub", other, self)

    def __mul__(self, other: Any) -> Scalar:
        return self._put("mul", self, other)

    def __rmul__(self, other: Any) -> Scalar:
        return self._put("mul", other, self)

    def __truediv__(self, other: Any) -> Scalar:
        return self._put("div", self, other)

    def __rtruediv__(self, other: Any) -> Scalar:
        return self._put("div", other, self)

    def __neg__(self) -> Scalar:
        return self._put("neg", self)

    def sin(self) -> Scalar:
        return self._put("sin", self)

    def cos(self) -> Scalar:
        return self._put("cos", self)

    def sign(self) -> Scalar:
        return self._put("sign", self)


class AsWritten(OnScalars):
    """Run a program on nodes; `graph()` returns the recorded operations."""

    def __init__(self) -> None:
        super().__init__()
        self._nodes: list[Node] = []
        self._sizes: list[int] = []

    def input(self, n: int) -> list[Any]:
        out = []
        for k in range(n):
            self._nodes.append(Node("input", data=(len(self._sizes), k)))
            out.append(Scalar(self._nodes, len(self._nodes) - 1))
        self._sizes.append(n)
        return out

    def node(self, x: Any) -> Any:
        """Convert numbers, also in lists, to constants of the graph."""
        if isinstance(x, list):
            return [self.node(entry) for entry in x]
        self._nodes.append(Node("const", data=(float(x),)))
        return Scalar(self._nodes, len(self._nodes) - 1)

    def graph(self, fuse: bool) -> Graph:
        outputs = []
        for vector in self.outputs:
            entries = []
            for value in vector:
                if not isinstance(value, Scalar):
                    self._nodes.append(Node("const", data=(float(value),)))
                entries.append(value.at if isinstance(value, Scalar) else len(self._nodes) - 1)
            outputs.append(tuple(entries))
        graph = Graph(tuple(self._nodes), tuple(self._sizes), tuple(outputs))
        return fused(graph) if fuse else graph
