"""Scalar expression graphs: traced by casadi, flattened, multiply-adds chosen.

Multiply-adds are chosen here and not by LLVM, so that one lane and four lanes round in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lissom.errors import UnsupportedError

if TYPE_CHECKING:
    import casadi


class Node(NamedTuple):
    """One operation: its name, the nodes it uses, and for `input` (vector, entry) or `const` (value,) the data."""

    op: str
    args: tuple[int, ...] = ()
    data: tuple[float, ...] = ()


class Graph(NamedTuple):
    """Nodes in an order in which arguments precede their uses.

    inputs : sizes of the input vectors
    outputs : for each output vector, the node of every entry
    """

    nodes: tuple[Node, ...]
    inputs: tuple[int, ...]
    outputs: tuple[tuple[int, ...], ...]


def from_casadi(function: casadi.Function) -> Graph:
    """Flatten a casadi SX function whose inputs and outputs are column vectors."""
    names = _casadi_names()
    nodes: list[Node] = []
    known: dict[Node, int] = {}
    register: dict[int, int] = {}
    outputs = [[-1] * function.size1_out(k) for k in range(function.n_out())]

    def put(op: str, args: tuple[int, ...] = (), data: tuple[float, ...] = ()) -> int:
        node = Node(op, args, data)
        if node not in known:
            known[node] = len(nodes)
            nodes.append(node)
        return known[node]

    rows_out = [function.sparsity_out(k).row() for k in range(function.n_out())]
    rows_in = [function.sparsity_in(k).row() for k in range(function.n_in())]
    for k in range(function.n_instructions()):
        op = names.get(function.instruction_id(k), "")
        if not op:
            raise UnsupportedError(
                f"{_casadi_word(function.instruction_id(k))} cannot be compiled; available are {WORDS}."
            )
        into, using = function.instruction_output(k), function.instruction_input(k)
        if op == "output":
            outputs[into[0]][rows_out[into[0]][into[1]]] = register[using[0]]
        elif op == "const":
            register[into[0]] = put("const", data=(function.instruction_constant(k),))
        elif op == "input":
            register[into[0]] = put("input", data=(using[0], rows_in[using[0]][using[1]]))
        else:
            register[into[0]] = _expanded(op, tuple(register[j] for j in using), put)
    zero = put("const", data=(0.0,))
    dense = tuple(tuple(zero if j < 0 else j for j in vector) for vector in outputs)
    inputs = tuple(function.size1_in(k) for k in range(function.n_in()))
    return reciprocated(_pruned(Graph(tuple(nodes), inputs, dense)))


def _expanded(op: str, args: tuple[int, ...], put: Callable[..., int]) -> int:
    """casadi's compound operations expanded into basic ones."""
    if op == "assign":
        return args[0]
    if op == "square":
        return put("mul", (args[0], args[0]))
    if op == "twice":
        return put("add", (args[0], args[0]))
    if op == "inverse":
        return put("div", (put("const", data=(1.0,)), args[0]))
    return put(op, args)


def evaluated(graph: Graph, vectors: Sequence[Sequence[Any]], operations: Mapping[str, Callable[..., Any]]) -> Any:
    """Output vectors of a graph for given input vectors, by given operations."""
    values: list[Any] = []
    for node in graph.nodes:
        if node.op == "input":
            values.append(vectors[int(node.data[0])][int(node.data[1])])
        elif node.op == "const":
            values.append(node.data[0])
        else:
            values.append(operations[node.op](*(values[j] for j in node.args)))
    return [[values[j] for j in vector] for vector in graph.outputs]


def _casadi_names() -> dict[int, str]:
    import casadi as ca

    return {
        ca.OP_ADD: "add", ca.OP_SUB: "sub", ca.OP_MUL: "mul", ca.OP_DIV: "div", ca.OP_NEG: "neg",
        ca.OP_SQ: "square", ca.OP_TWICE: "twice", ca.OP_INV: "inverse", ca.OP_SQRT: "sqrt", ca.OP_SIN: "sin",
        ca.OP_COS: "cos", ca.OP_SIGN: "sign", ca.OP_FABS: "abs", ca.OP_CONST: "const", ca.OP_INPUT: "input",
        ca.OP_OUTPUT: "output", ca.OP_ASSIGN: "assign",
    }  # fmt: skip


WORDS = "+, -, *, /, whole powers, sqrt, sin, cos, sign and fabs"


def _casadi_word(operation: int) -> str:
    """casadi's name of an operation."""
    import casadi as ca

    return next((word[3:].lower() for word in dir(ca) if word[:3] == "OP_" and getattr(ca, word) == operation), "this")


def reciprocated(graph: Graph) -> Graph:
    """A graph in which several divisions by the same node become one division and products.

    casadi writes ``a * (1 / b)`` as ``a / b``; a vector division costs as much as a dozen products.
    """
    times = Counter(node.args[1] for node in graph.nodes if node.op == "div")
    if max(times.values(), default=0) < 2:
        return graph
    one = Node("const", data=(1.0,))
    nodes: list[Node] = []
    place: list[int] = []
    inverse: dict[int, int] = {}
    for node in graph.nodes:
        args = tuple(place[j] for j in node.args)
        if node.op == "div" and times[node.args[1]] > 1:
            if args[1] not in inverse:
                nodes += [one, Node("div", (len(nodes), args[1]))]
                inverse[args[1]] = len(nodes) - 1
            node = Node("mul")
            args = (args[0], inverse[args[1]])
        place.append(len(nodes))
        nodes.append(Node(node.op, args, node.data))
    outputs = tuple(tuple(place[j] for j in vector) for vector in graph.outputs)
    return Graph(tuple(nodes), graph.inputs, outputs)


def fused(graph: Graph) -> Graph:
    """The graph with a product used once, in a sum or difference, made one multiply-add.

    fma = a b + c, fms = a b - c, fnma = c - a b.
    """
    uses = _uses(graph)
    nodes = list(graph.nodes)

    def once(j: int) -> bool:
        return nodes[j].op == "mul" and uses[j] == 1

    for k, node in enumerate(nodes):
        if node.op not in ("add", "sub"):
            continue
        a, b = node.args
        if once(b):
            nodes[k] = Node("fma" if node.op == "add" else "fnma", (*nodes[b].args, a))
        elif once(a):
            nodes[k] = Node("fma" if node.op == "add" else "fms", (*nodes[a].args, b))
    return _pruned(graph._replace(nodes=tuple(nodes)))


def depth_first(graph: Graph) -> Graph:
    """The graph with every node just before its first use: long graphs keep fewer values alive, and spill less."""
    place: dict[int, int] = {}
    nodes: list[Node] = []
    stack = [(k, False) for vector in reversed(graph.outputs) for k in reversed(vector)]
    while stack:
        k, complete = stack.pop()
        if k in place:
            continue
        op, args, data = graph.nodes[k]
        if complete:
            place[k] = len(nodes)
            nodes.append(Node(op, tuple([place[j] for j in args]), data))
        else:
            stack.append((k, True))
            stack += [(j, False) for j in reversed(args) if j not in place]
    outputs = tuple(tuple(place[j] for j in vector) for vector in graph.outputs)
    return Graph(tuple(nodes), graph.inputs, outputs)


def _uses(graph: Graph) -> list[int]:
    uses = [0] * len(graph.nodes)
    for node in graph.nodes:
        for j in node.args:
            uses[j] += 1
    for vector in graph.outputs:
        for j in vector:
            uses[j] += 1
    return uses


def _pruned(graph: Graph) -> Graph:
    """The graph without nodes that no output needs."""
    needed = [False] * len(graph.nodes)
    for vector in graph.outputs:
        for j in vector:
            needed[j] = True
    for k in range(len(graph.nodes) - 1, -1, -1):
        if needed[k]:
            for j in graph.nodes[k].args:
                needed[j] = True
    if all(needed):
        return graph
    place = [-1] * len(graph.nodes)
    nodes: list[Node] = []
    for k, (op, args, data) in enumerate(graph.nodes):
        if needed[k]:
            place[k] = len(nodes)
            nodes.append(Node(op, tuple([place[j] for j in args]), data))
    outputs = tuple(tuple(place[j] for j in vector) for vector in graph.outputs)
    return Graph(tuple(nodes), graph.inputs, outputs)
