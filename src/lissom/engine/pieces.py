"""Straight-line code in pieces: a long graph as functions of bounded length.

A compiler's time and memory grow faster than the length of a function. Each piece reads and writes
lanes of the workspace and jumps to the next one, as the steps of a tape do, so the loop over rows is
the tape's. The workspace holds the inputs, the outputs, then what one piece leaves for later ones; a
slot is used again when its value is no longer needed. ``slots()`` tells how many there are. Outputs that are constants
are not computed: ``fixed_slots`` and ``fixed_values`` say what the workspace holds from the beginning. A compiler's
time grows with the stores of a function too, and a matrix of derivatives may have thousands of zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lissom.engine.graph import Graph, Node
from lissom.engine.ir import Body, Lanes, arithmetic
from lissom.engine.tape import STEP, rows_ir, shell

LENGTH = 500  # nodes of a piece
WHOLE = 4000  # nodes, and stores twice, up to which a graph is better left in one piece


def is_long(graph: Graph) -> bool:
    """Whether a graph compiles faster in pieces."""
    return len(graph.nodes) + 2 * sum(len(out) for out in graph.outputs) > WHOLE


class Piece(NamedTuple):
    """A part of a graph: its inputs are entries of the workspace.

    stores : (node, slot) of what it leaves there
    """

    graph: Graph
    stores: tuple[tuple[int, int], ...]


def layout(inputs: Sequence[int], outputs: Sequence[int]) -> tuple[list[int], list[int]]:
    """First slots of the inputs and of the outputs."""
    ends = [0]
    for n in (*inputs, *outputs):
        ends.append(ends[-1] + n)
    return ends[: len(inputs)], ends[len(inputs) : -1]


def cut(graph: Graph, length: int | None = None) -> tuple[list[Piece], int]:
    """The pieces of a graph and the number of slots they need."""
    length = LENGTH if length is None else length
    inputs, outputs = layout(graph.inputs, [len(out) for out in graph.outputs])
    top = sum(graph.inputs) + sum(len(out) for out in graph.outputs)
    results: dict[int, list[int]] = {}
    for first, out in zip(outputs, graph.outputs, strict=True):
        for k, node in enumerate(out):
            if graph.nodes[node].op != "const":
                results.setdefault(node, []).append(first + k)
    parts = [range(a, min(a + length, len(graph.nodes))) for a in range(0, len(graph.nodes), length)]
    leaves = _leaves(graph, length)
    slot = {k: inputs[int(n.data[0])] + int(n.data[1]) for k, n in enumerate(graph.nodes) if n.op == "input"}
    free: list[int] = []
    pieces = []
    for p, part in enumerate(parts):
        for k in part:
            if leaves.get(k, p) > p and k not in slot:
                if not free:
                    free.append(top)
                    top += 1
                slot[k] = free.pop()
        pieces.append(_piece(graph, part, slot, leaves, results, p))
        # a piece may store before it has read everything: only later pieces use a slot again
        free += [slot[k] for k, last in leaves.items() if last == p and graph.nodes[k].op != "input"]
    return pieces, top


def fixed(graph: Graph) -> list[tuple[int, float]]:
    """Slots and values of the outputs that are constants."""
    _, outputs = layout(graph.inputs, [len(out) for out in graph.outputs])
    return [
        (first + k, graph.nodes[node].data[0])
        for first, out in zip(outputs, graph.outputs, strict=True)
        for k, node in enumerate(out)
        if graph.nodes[node].op == "const"
    ]


def _leaves(graph: Graph, length: int) -> dict[int, int]:
    """The last piece that uses a node of an earlier piece; constants are written again wherever they are used."""
    last: dict[int, int] = {}
    for k, node in enumerate(graph.nodes):
        for j in node.args:
            if graph.nodes[j].op != "const" and j // length < k // length:
                last[j] = k // length
    return last


def _piece(
    graph: Graph, part: range, slot: dict[int, int], leaves: dict[int, int], results: dict[int, list[int]], p: int
) -> Piece:
    nodes: list[Node] = []
    place: dict[int, int] = {}

    def local(j: int) -> int:
        """Number of a node in the piece; a node from outside becomes an input."""
        if j not in place:
            place[j] = len(nodes)
            outside = graph.nodes[j].op != "const"
            nodes.append(Node("input", data=(0, slot[j])) if outside else graph.nodes[j])
        return place[j]

    stores = []
    for k in part:
        node = graph.nodes[k]
        if node.args:
            args = tuple(local(j) for j in node.args)
            place[k] = len(nodes)
            nodes.append(Node(node.op, args))
            if leaves.get(k, p) > p:
                stores.append((place[k], slot[k]))
        stores += [(local(k), at) for at in results.get(k, ())]
    return Piece(Graph(tuple(nodes), (), ()), tuple(stores))


def module_ir(graph: Graph, lanes: Lanes) -> str:
    """The module of a graph in pieces."""
    pieces, slots = cut(graph)
    functions = [_function(piece, k, k + 1 == len(pieces), lanes) for k, piece in enumerate(pieces)]
    return "\n".join([shell(lanes, rows_ir), *functions, _count("slots", slots), *_fixed_data(fixed(graph))])


def _count(name: str, value: int) -> str:
    return f"define i64 @{name}() {{\n  ret i64 {value}\n}}"


def _fixed_data(entries: list[tuple[int, float]]) -> list[str]:
    """Slots and values as data of the module."""
    n, one = len(entries), Lanes(1, fma=False)
    slots = ", ".join(f"i64 {slot}" for slot, _ in entries)
    values = ", ".join(f"double {one.number(value)}" for _, value in entries)
    data = [f"@fixed_slots = constant [{n} x i64] [{slots}]", f"@fixed_values = constant [{n} x double] [{values}]"]
    return [_count("fixed_count", n), *(data if n else [])]


def _function(piece: Piece, k: int, last: bool, lanes: Lanes) -> str:
    body = Body(lanes)
    stores: dict[int, list[int]] = {}
    for node, at in piece.stores:
        stores.setdefault(node, []).append(at)

    def read(_vector: int, entry: int) -> str:
        return body.load(body.address("%ws", entry, lanes.type))

    def done(node: int, name: str) -> None:
        for at in stores.get(node, ()):
            body.store(name, body.address("%ws", at, lanes.type))

    arithmetic(body, piece.graph, read, done)
    if not last:
        body.say(f"musttail call void @piece_{k + 1}(ptr %t, ptr %ws, ptr %constants)")
    body.say("ret void")
    return "\n".join([f"define void @piece_{k}{STEP} {{", *body.lines, "}"])
