"""Straight-line kernels: a whole graph as one loop body over the rows of a batch.

    i64 kernel(ptr arrays, ptr tape, ptr workspace, ptr constants, i64 rows)

`arrays` holds (address, bytes from row to row) of every input, then of every output. With several
lanes, as many rows are read and written by transposes of four entries; a last incomplete group is done as the last
rows again, so a batch must have at least as many rows as there are lanes. The result is not zero when some input or
output was not finite. Straight-line code ignores `tape`, `workspace` and `constants`: all kernels
have one signature.
"""

from __future__ import annotations

from lissom.engine.graph import Graph
from lissom.engine.ir import Body, Finite, Lanes, any_nan, arithmetic
from lissom.engine.movers import gathered, row_addresses

SIGNATURE = (
    "define i64 @kernel(ptr noalias %arrays, ptr noalias %tape, ptr noalias %ws, ptr noalias %constants, i64 %rows)"
)


def kernel_ir(graph: Graph, lanes: Lanes) -> str:
    """The module that holds the kernel of a graph."""
    body = Body(lanes)
    body.label("entry")
    table = [_array(body, k) for k in range(len(graph.inputs) + len(graph.outputs))]
    open_loop(body)
    bases = [body.address(where, body.put(f"mul i64 %row, {step}"), "i8") for where, step in table]
    strides = [step for _, step in table]
    finite = Finite(body)
    inputs = _load(body, graph, bases, strides, finite)
    store = _Store(body, graph, bases[len(graph.inputs) :], strides[len(graph.inputs) :], finite)
    arithmetic(body, graph, lambda vector, entry: inputs[vector, entry], store.ready)
    close_loop(body, any_nan(body, finite.total()))
    return "\n".join([*lanes.declarations, f"{SIGNATURE} nounwind {lanes.stack} {{", *body.lines, "}"])


def open_loop(body: Body) -> None:
    """``for row in 0, width, ...`` with the last group moved back so that it ends at the last row."""
    body.lines += [
        f"  %last = sub i64 %rows, {body.lanes.width}",
        "  br label %loop",
        "loop:",
        "  %next = phi i64 [0, %entry], [%after, %tail]",
        "  %bad = phi i64 [0, %entry], [%worse, %tail]",
        "  %over = icmp sgt i64 %next, %last",
        "  %row = select i1 %over, i64 %last, i64 %next",
    ]


def close_loop(body: Body, flag: str) -> None:
    body.lines += [
        "  br label %tail",
        "tail:",
        f"  %worse = or i64 %bad, {flag}",
        f"  %after = add i64 %next, {body.lanes.width}",
        "  %more = icmp slt i64 %after, %rows",
        "  br i1 %more, label %loop, label %end",
        "end:",
        "  ret i64 %worse",
    ]


def _array(body: Body, k: int) -> tuple[str, str]:
    """Address and row stride of array k."""
    where = body.put(f"load ptr, ptr {body.address('%arrays', 2 * k, 'i64')}")
    step = body.put(f"load i64, ptr {body.address('%arrays', 2 * k + 1, 'i64')}")
    return where, step


def groups_of_four(n: int) -> list[int]:
    """Starts of groups of four that cover n entries; the last may overlap the one before."""
    return [*range(0, n - 3, 4), *([n - 4] if n > 4 and n % 4 else [])]


def _load(body: Body, graph: Graph, bases: list[str], strides: list[str], finite: Finite) -> dict[tuple[int, int], str]:
    """Load all entries of all inputs into lanes, and check that they are finite."""
    out: dict[tuple[int, int], str] = {}
    for vector, n in enumerate(graph.inputs):
        rows = row_addresses(body, bases[vector], strides[vector])
        if body.lanes.transposes:
            for z in groups_of_four(n):
                for i, name in enumerate(body.load_fours(rows, z)):
                    out.setdefault((vector, z + i), name)
        for z in range(n):
            if (vector, z) not in out:
                out[vector, z] = gathered(body, rows, z)
            finite.see(out[vector, z])
    return out


class _Store:
    """Writes outputs as soon as the last of a group of four is known, so that few values stay alive."""

    def __init__(self, body: Body, graph: Graph, bases: list[str], strides: list[str], finite: Finite):
        self.body, self.finite = body, finite
        self.rows = [row_addresses(body, base, stride) for base, stride in zip(bases, strides, strict=True)]
        self.names: dict[int, str] = {}
        self.seen: set[int] = set()
        self.waiting: dict[int, list[tuple[int, int, tuple[int, ...]]]] = {}
        for vector, entries in enumerate(graph.outputs):
            starts = groups_of_four(len(entries)) if body.lanes.transposes else []
            covered = {z + i for z in starts for i in range(4)}
            pieces = [(z, entries[z : z + 4]) for z in starts]
            pieces += [(z, (j,)) for z, j in enumerate(entries) if z not in covered]
            for z, nodes in pieces:
                self.waiting.setdefault(max(nodes), []).append((vector, z, tuple(nodes)))

    def ready(self, node: int, name: str) -> None:
        self.names[node] = name
        for vector, z, nodes in self.waiting.get(node, ()):
            values = [self.names[j] for j in nodes]
            for j, value in zip(nodes, values, strict=True):
                if j not in self.seen:
                    self.seen.add(j)
                    self.finite.see(value)
            self._write(self.rows[vector], z, values)

    def _write(self, rows: list[str], z: int, values: list[str]) -> None:
        body = self.body
        if len(values) == 4:
            body.store_fours(rows, z, values)
            return
        for i, row in enumerate(rows):
            value = values[0]
            if body.lanes.width > 1:
                value = body.put(f"extractelement {body.lanes.type} {value}, i32 {i}")
            kind = body.lanes.scalar
            body.say(f"store {kind} {value}, ptr {body.address(row, z, kind)}, align {body.lanes.size}")
