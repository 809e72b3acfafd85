"""C99 code for arithmetic on one state, from the graphs and tapes that the engine compiles.

A short graph is one function, a long one is cut into pieces that hand on values in a workspace (`pieces`), a tape is
a list of calls of its steps on a workspace. No memory is allocated and nothing but sin, cos, sqrt and fabs is called.
Products and sums stay apart: whether they become multiply-adds is the compiler's choice. All inputs are read before
the first output is written, so that arrays may be the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lissom.engine import pieces
from lissom.engine.graph import Graph, Node
from lissom.engine.record import Recorder
from lissom.engine.recorded import Tape
from lissom.engine.step import Step
from lissom.engine.tape import ZERO, objects, used_steps
from lissom.errors import UnsupportedError

KINDS = {"double": "", "float": "f"}  # types, and what ends the names of their functions and numbers
BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
SIGN = "sign_of"
WIDTH = 116  # of lines
LOOPED = 64  # entries from which collecting them is worth a loop and a table


class Real(NamedTuple):
    """The type of all numbers: "double" or "float"."""

    type: str

    @property
    def bytes(self) -> int:
        return 8 if self.type == "double" else 4

    def number(self, x: float) -> str:
        """A constant, exact in the type."""
        value = x if self.type == "double" else float(np.float32(x))
        if not math.isfinite(value):
            raise UnsupportedError(f"the number {x:g} cannot be written as a C constant of type {self.type}.")
        text = repr(value) if self.type == "double" else str(np.float32(x))
        return f"{text}{KINDS[self.type]}"

    def called(self, function: str, argument: str) -> str:
        return f"{function}{KINDS[self.type]}({argument})"

    def table(self, name: str, values: Iterable[float]) -> list[str]:
        """A constant array."""
        return _array(f"static const {self.type} {name}", [self.number(x) for x in values])

    @property
    def sign(self) -> list[str]:
        """The C function that computes signs."""
        return [
            f"static {self.type} {SIGN}({self.type} x)", "{",
            f"    return ({self.type})((x > 0) - (x < 0));", "}",
        ]  # fmt: skip


class Helper(NamedTuple):
    """A static function or table that a routine needs: equal ones may be shared."""

    name: str
    lines: tuple[str, ...]


class Routine(NamedTuple):
    """The body of a function on given arrays.

    lines : statements; they read the inputs and write the outputs
    helpers : what must stand before it
    slots : numbers of its workspace `w`
    live : numbers that are held besides at any time, about
    operations : how many of each kind it carries out
    """

    lines: tuple[str, ...]
    helpers: tuple[Helper, ...]
    slots: int
    live: int
    operations: Counter[str]


# ---- graphs --------------------------------------------------------------------------------------


def statements(graph: Graph, real: Real, read: Callable[[int, int], str]) -> tuple[list[str], list[str]]:
    """C statements, one for every operation, and the C names of all nodes."""
    lines: list[str] = []
    names: list[str] = []
    for k, node in enumerate(graph.nodes):
        if node.op == "const":
            text = real.number(node.data[0])
            names.append(f"({text})" if text.startswith("-") else text)
        elif node.op == "input":
            names.append(read(int(node.data[0]), int(node.data[1])))
        else:
            lines.append(f"const {real.type} t{k} = {_operation(node, [names[j] for j in node.args], real)};")
            names.append(f"t{k}")
    return lines, names


def _operation(node: Node, a: list[str], real: Real) -> str:
    if node.op in BINARY:
        return f"{a[0]} {BINARY[node.op]} {a[1]}"
    if node.op == "neg":
        return f"-{a[0]}"
    if node.op == "sign":
        return f"{SIGN}({a[0]})"
    return real.called({"abs": "fabs"}.get(node.op, node.op), a[0])


def counted(graph: Graph) -> Counter[str]:
    """Number of operations of a graph, by kind."""
    return Counter(node.op for node in graph.nodes if node.op not in ("const", "input"))


def most_alive(graph: Graph) -> int:
    """Largest number of results that are still needed, when nodes are computed in their order."""
    last = {j: k for k, node in enumerate(graph.nodes) for j in node.args}
    last |= {j: len(graph.nodes) for out in graph.outputs for j in out}
    computed = [k for k, node in enumerate(graph.nodes) if node.args and k in last]
    ends = Counter(last[k] for k in computed)
    starts = set(computed)
    alive = most = 0
    for k in range(len(graph.nodes)):
        alive += (k in starts) - ends[k]
        most = max(most, alive)
    return most


def straight(name: str, graph: Graph, inputs: Sequence[str], outputs: Sequence[str], real: Real) -> Routine:
    """A graph as one function, or in pieces when it is long; `inputs` and `outputs` are names of arrays."""
    if len(graph.nodes) > pieces.WHOLE:
        return _in_pieces(name, graph, inputs, outputs, real)
    lines, names = statements(graph, real, lambda vector, entry: f"{inputs[vector]}[{entry}]")
    for k in sorted({node for nodes in graph.outputs for node in nodes if graph.nodes[node].op == "input"}):
        lines.append(f"const {real.type} t{k} = {names[k]};")  # the array may be that of an output
        names[k] = f"t{k}"
    for array, nodes in zip(outputs, graph.outputs, strict=True):
        lines += [f"{array}[{z}] = {names[node]};" for z, node in enumerate(nodes)]
    operations = counted(graph)
    return Routine(tuple(lines), (), 0, most_alive(graph), operations)


def _in_pieces(name: str, graph: Graph, inputs: Sequence[str], outputs: Sequence[str], real: Real) -> Routine:
    parts, slots = pieces.cut(graph)
    helpers = []
    for k, part in enumerate(parts):
        lines, names = statements(part.graph, real, lambda _vector, entry: f"w[{entry}]")
        lines += [f"w[{at}] = {names[node]};" for node, at in part.stores]
        helpers.append(_function(f"{name}_{k}", f"{real.type} *w", lines))
    starts, ends = pieces.layout(graph.inputs, [len(out) for out in graph.outputs])
    body = [line for array, at, n in zip(inputs, starts, graph.inputs, strict=True)
            for line in _moved_in(array, at, n)]  # fmt: skip
    body += [f"{name}_{k}(w);" for k in range(len(parts))]
    for array, at, out in zip(outputs, ends, graph.outputs, strict=True):
        body += [f"{array}[{z}] = w[{at + z}];" for z in range(len(out))]
    return Routine(tuple(body), tuple(helpers), slots, max(most_alive(part.graph) for part in parts), counted(graph))


# ---- tapes ---------------------------------------------------------------------------------------


def recorded(program: Callable[..., None], steps: Sequence[Step]) -> tuple[Tape, dict[str, Step]]:
    """A program as a tape for one state at a time, and its steps by name."""
    run = Recorder(4)  # what is recorded for one lane lays items side by side in vectors, which C does not have
    program(run)
    tape = run.tape()
    called = {call for call, _, _ in tape.calls}
    known = {step.name: step for step in steps} | run.steps
    pieces_of_steps = (piece for some in objects(used_steps(known.values(), called), 4) for piece in some)
    return tape, {piece.name: piece.step for piece in pieces_of_steps if piece.name in called}


def tape(
    name: str,
    program: Callable[..., None],
    steps: Sequence[Step],
    inputs: Sequence[str],
    outputs: Sequence[str],
    real: Real,
) -> Routine:
    """A program as calls of its steps."""
    played, known = recorded(program, steps)
    graphs = {word: step.graph(fuse=False) for word, step in known.items()}
    helpers = [_step_function(step, graphs[word], real) for word, step in known.items()]
    constants = f"{name}_constants"
    if played.constants:
        helpers.append(Helper(constants, tuple(real.table(constants, played.constants))))
    lines = [line for array, (at, n) in zip(inputs, played.inputs, strict=True) for line in _moved_in(array, at, n)]
    lines += [f"w[{slot}] = {real.number(value)};" for slot, value in played.fixed]
    lines += [f"w[{slot}] = 0;" for slot in _never_set(played, known)]
    for word, slots, position in played.calls:
        places = [f"w + {slot}" for slot in slots]
        places += [f"{constants} + {position}"] * (known[word].constants > 0)
        lines.append(f"{_step_name(word)}({', '.join(places)});")
    for k, (array, out) in enumerate(zip(outputs, played.outputs, strict=True)):
        table, moved = _moved_out(f"{name}_out{k}", array, out)
        helpers += table
        lines += moved
    operations: Counter[str] = Counter()
    for word, times in Counter(call for call, _, _ in played.calls).items():
        operations += Counter({op: times * n for op, n in counted(graphs[word]).items()})
    alive = max((most_alive(graph) for graph in graphs.values()), default=0)
    return Routine(tuple(lines), tuple(helpers), played.slots, alive, operations)


def _step_name(word: str) -> str:
    return f"step_{word}"


def _step_function(step: Step, graph: Graph, real: Real) -> Helper:
    """A step on places of the workspace."""
    count = len(graph.outputs)
    names = [*(f"x{k}" for k in range(len(graph.inputs) - (step.constants > 0))), *["K"] * (step.constants > 0)]
    arguments = [f"{real.type} *y{k}" for k in range(count)] + [f"const {real.type} *{word}" for word in names]
    read = {(int(node.data[0]), int(node.data[1])) for node in graph.nodes if node.op == "input"}
    lines = [f"const {real.type} {names[v]}_{z} = {names[v]}[{z}];" for v, z in sorted(read)]
    lines += [f"(void){word};" for v, word in enumerate(names) if all(v != vector for vector, _ in read)]
    body, values = statements(graph, real, lambda vector, entry: f"{names[vector]}_{entry}")
    lines += body
    for k, nodes in enumerate(graph.outputs):
        for z, node in enumerate(nodes):
            if not (step.adds and graph.nodes[node] == ZERO):
                lines.append(f"y{k}[{z}] {'+=' if step.adds else '='} {values[node]};")
    lines += [f"(void)y{k};" for k in range(count) if not any(line.startswith(f"y{k}[") for line in lines)]
    return _function(_step_name(step.name), ", ".join(arguments), lines)


def _never_set(tape: Tape, steps: Mapping[str, Step]) -> list[int]:
    """Slots that are read, or added to, before they are written; they start at zero."""
    known = {slot for slot, _ in tape.fixed} | {at + k for at, n in tape.inputs for k in range(n)}
    found: dict[int, None] = {}

    def needed(slots: Iterable[int]) -> None:
        found.update(dict.fromkeys(slot for slot in slots if slot not in known))

    for word, slots, _ in tape.calls:
        step = steps[word]
        spans = [range(at, at + n) for at, n in zip(slots, (*step.outputs, *step.inputs), strict=True)]
        made, read = spans[: len(step.outputs)], spans[len(step.outputs) :]
        for span in read + made * step.adds:
            needed(span)
        known.update(slot for span in made for slot in span)
    for out in tape.outputs:
        needed(out)
    return list(found)


# ---- text ----------------------------------------------------------------------------------------


def _function(name: str, arguments: str, lines: Sequence[str]) -> Helper:
    head = wrapped(f"static void {name}({arguments})", ",")
    return Helper(name, (*head, "{", *indented(lines), "}"))


def indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def wrapped(text: str, after: str, indent: str = "    ") -> list[str]:
    """A long line split into several, after a mark and a space."""
    lines, line = [], ""
    for part in text.split(f"{after} "):
        if line and len(line) + len(part) + 2 > WIDTH:
            lines.append(f"{line}{after}")
            line = f"{indent}{part}"
        else:
            line = f"{line}{after} {part}" if line else part
    return [*lines, line]


def _array(declared: str, values: Sequence[str]) -> list[str]:
    return [f"{declared}[{len(values)}] = {{", *wrapped("    " + ", ".join(values), ","), "};"]


def _moved_in(array: str, at: int, n: int) -> list[str]:
    """Statements that copy inputs one by one; a compiler could turn a loop into a call of memcpy."""
    return [f"w[{at + k}] = {array}[{k}];" for k in range(n)]


def _moved_out(table: str, array: str, slots: Sequence[int]) -> tuple[list[Helper], list[str]]:
    """Statements that copy results from the workspace, by a table when they are many."""
    if len(slots) < LOOPED:
        return [], [f"{array}[{z}] = w[{slot}];" for z, slot in enumerate(slots)]
    kind = "unsigned short" if max(slots) < 2**16 else "unsigned long"
    lines = _array(f"static const {kind} {table}", [str(slot) for slot in slots])
    return [Helper(table, tuple(lines))], [f"for (i = 0; i < {len(slots)}; ++i) {array}[i] = w[{table}[i]];"]
