"""Tape kernels: small compiled steps, called in an order given by data.

A tape is a list of entries of 64-bit words: address of the step's code, byte offsets of its outputs and
inputs in the workspace, and, where it has constants, their byte offset. Each step ends by jumping to the
step of the entry behind its own (a tail call), the last entry's step returns. Inputs are moved into lanes of the
workspace, outputs out of them (`movers`).

    i64 kernel(ptr arrays, ptr tape, ptr workspace, ptr constants, i64 rows)

`arrays` holds four words for every input (address, row stride, length, workspace offset) and for
every output (address, row stride, length, address of its table, see `movers`), after a first word
pair (number of inputs, number of outputs). The machine code of a step depends on nothing but the step: an object each,
which serves every tape that calls it (`machine`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from lissom.engine.graph import Node
from lissom.engine.ir import Body, Lanes, any_nan, arithmetic
from lissom.engine.movers import move_in, move_out
from lissom.engine.record import GROUPS, ROW
from lissom.engine.step import Step
from lissom.engine.straight import SIGNATURE, close_loop, open_loop

ZERO = Node("const", data=(0.0,))
STEP = "(ptr %t, ptr %ws, ptr %constants) noinline nounwind"


class Piece(NamedTuple):
    """A function that entries of a tape may call.

    name : in entries, without the "step_" of its symbol
    step : the step that it computes
    code : the function, from the step and a type of lanes
    words : length of its entries
    tail : whether the last word is an offset of constants (or, of a row, a count)
    """

    name: str
    step: Step
    code: Callable[[Step, Lanes], str]
    words: int
    tail: bool


def objects(steps: Iterable[Step], width: int) -> list[list[Piece]]:
    """The functions that calls of steps name, by the objects that they are compiled in: one for each step, and one for
    all sizes of a step."""
    found: dict[str, list[Piece]] = {}
    for step in steps:
        found.setdefault(f"sizes {step.sizes}" if step.sizes else step.name, []).extend(_pieces(step, width))
    return list(found.values())


def _pieces(step: Step, width: int) -> list[Piece]:
    """The functions of a step: paired ones take several items, or, in one lane's code, whole rows."""
    if not step.paired:
        return [_piece(step)]
    if width > 1:
        return [_piece(step.on_several(count)) for count in GROUPS]
    put = f"{step.name}_put"
    return [Piece(f"{step.name}_row", step, _row_code, 5, True), Piece(put, step, _put_code, 3, False)]


def _piece(step: Step) -> Piece:
    tail = step.constants > 0
    return Piece(step.name, step, _step_code, 1 + len(step.outputs) + len(step.inputs) + tail, tail)


def object_ir(pieces: Iterable[Piece], lanes: Lanes) -> str:
    """The module of functions that are compiled together."""
    declared = [*lanes.declarations, *(Lanes(ROW, lanes.fma).declarations if lanes.width == 1 else [])]
    return "\n".join([*declared, *(piece.code(piece.step, lanes) for piece in pieces)])


def shell(lanes: Lanes, kernel: Callable[[Lanes], str]) -> str:
    """The module with the loop over rows, `kernel`, and the end of tapes."""
    halt = f"define void @step_halt{STEP} {{\n  ret void\n}}"
    return "\n".join([*lanes.declarations, move_in(lanes), move_out(lanes), kernel(lanes), halt])


def used_steps(steps: Iterable[Step], called: set[str]) -> tuple[Step, ...]:
    """The steps that calls name, with all sizes of each; calls of a paired step have names that begin with its."""
    steps = tuple(steps)
    paired = {step.name for step in steps if step.paired and any(name.startswith(f"{step.name}_") for name in called)}
    given = (step.given for step in steps if step.constants)
    used = {step.name: step for step in (*steps, *given) if step.name in called or step.name in paired}
    sizes = {step.sizes for step in used.values()} - {""}
    used |= {step.name: step for step in steps if step.sizes in sizes}
    return tuple(used[name] for name in sorted(used))


def _operand(body: Body, word: int, base: str) -> str:
    """Address of an operand: a word of the entry is its byte offset."""
    offset = body.put(f"load i64, ptr {body.address('%t', word, 'i64')}")
    return body.address(base, offset, "i8")


def _jump(body: Body, words: int) -> None:
    """Jump to the code of the entry behind this one of a number of words."""
    following = body.address("%t", words, "i64")
    code = body.put(f"load ptr, ptr {following}")
    body.say(f"musttail call void {code}(ptr {following}, ptr %ws, ptr %constants)")
    body.say("ret void")


def _put_code(step: Step, _lanes: Lanes) -> str:
    """Scatter an item's scalars into its place among four side by side."""
    body, size = Body(Lanes(1, fma=False)), step.inputs[0]
    into, source = _operand(body, 1, "%ws"), _operand(body, 2, "%ws")
    for k in range(size):
        body.store(body.load(body.address(source, k, "double")), body.address(into, ROW * k, "double"))
    _jump(body, 3)
    return "\n".join([f"define void @step_{step.name}_put{STEP} {{", *body.lines, "}"])


def _row_code(step: Step, one: Lanes) -> str:
    """A paired step on groups of four items; operands: results, items, shared, number of groups."""
    lanes = Lanes(ROW, one.fma)
    graph = step.graph(lanes.fma)
    body = Body(lanes)
    body.label("entry")
    out, items, shared = (_operand(body, k, "%ws") for k in (1, 2, 3))
    groups = body.put(f"load i64, ptr {body.address('%t', 4, 'i64')}")
    groups = body.put(f"lshr i64 {groups}, 3")  # in the place of constants, and scaled like their offset
    body.lines += ["  br label %loop", "loop:", "  %g = phi i64 [0, %entry], [%g1, %loop]"]
    size, n_out = step.inputs[0], step.outputs[0]
    item = body.address(items, body.put(f"mul i64 %g, {size * lanes.bytes}"), "i8")
    result = body.address(out, body.put(f"mul i64 %g, {n_out * lanes.bytes}"), "i8")

    def read(vector: int, entry: int) -> str:
        if vector == 0:
            return body.load(body.address(item, entry, lanes.type), aligned=False)
        return body.splat(body.put(f"load double, ptr {body.address(shared, entry, 'double')}"))

    names: dict[int, str] = {}
    arithmetic(body, graph, read, names.__setitem__)
    for z, node in enumerate(graph.outputs[0]):
        body.store(names[node], body.address(result, z, lanes.type), aligned=False)
    body.lines += ["  %g1 = add i64 %g, 1", f"  %more = icmp slt i64 %g1, {groups}",
                   "  br i1 %more, label %loop, label %end", "end:"]  # fmt: skip
    _jump(body, 5)
    return "\n".join([f"define void @step_{step.name}_row{STEP} {{", *body.lines, "}"])


def _step_code(step: Step, lanes: Lanes) -> str:
    body, graph, constants = Body(lanes), step.graph(lanes.fma), step.constants > 0
    n_out, n_in = len(graph.outputs), len(graph.inputs) - constants
    out = [_operand(body, 1 + k, "%ws") for k in range(n_out)]
    into = [_operand(body, 1 + n_out + k, "%ws") for k in range(n_in)]
    if constants:
        into.append(_operand(body, 1 + n_out + n_in, "%constants"))

    def read(vector: int, entry: int) -> str:
        if vector < n_in:
            return body.load(body.address(into[vector], entry, lanes.type))
        return body.splat(body.put(f"load {lanes.scalar}, ptr {body.address(into[vector], entry, lanes.scalar)}"))

    names: dict[int, str] = {}
    arithmetic(body, graph, read, names.__setitem__)
    for k, entries in enumerate(graph.outputs):
        for z, node in enumerate(entries):
            if step.adds and graph.nodes[node] == ZERO:
                continue
            place = body.address(out[k], z, lanes.type)
            value = names[node]
            body.store(body.two("fadd", body.load(place), value) if step.adds else value, place)
    _jump(body, 1 + n_out + n_in + constants)
    return "\n".join([f"define void @step_{step.name}{STEP} {{", *body.lines, "}"])


def rows_ir(lanes: Lanes) -> str:
    """The loop that runs a tape once for every group of rows."""
    body = Body(lanes)
    T = lanes.type
    body.label("entry")
    n_in = body.put("load i64, ptr %arrays")
    n_out = body.put(f"load i64, ptr {body.address('%arrays', 1, 'i64')}")
    first = body.address("%arrays", 2, "i64")
    open_loop(body)
    body.say("br label %reading")
    body.label("reading")
    body.say("%a = phi i64 [0, %loop], [%a1, %reading]")
    body.say(f"%seen = phi {T} [{lanes.zero}, %loop], [%seen1, %reading]")
    where, length, offset = _described(body, first, "%a")
    lane = body.address("%ws", offset, "i8")
    body.say(f"%seen1 = call {T} @move_in(ptr {where[0]}, i64 {where[1]}, i64 {length}, ptr {lane}, {T} %seen)")
    body.say("%a1 = add i64 %a, 1")
    body.say(f"%a_more = icmp slt i64 %a1, {n_in}")
    body.say("br i1 %a_more, label %reading, label %running")
    body.label("running")
    code = body.put("load ptr, ptr %tape")
    body.say(f"call void {code}(ptr %tape, ptr %ws, ptr %constants)")
    body.say("br label %writing")
    body.label("writing")
    body.say(f"%b = phi i64 [{n_in}, %running], [%b1, %writing]")
    body.say(f"%found = phi {T} [%seen1, %running], [%found1, %writing]")
    where, length, fourth = _described(body, first, "%b")
    table = body.put(f"inttoptr i64 {fourth} to ptr")
    body.say(
        f"%found1 = call {T} @move_out(ptr {where[0]}, i64 {where[1]}, i64 {length}, ptr %ws, ptr {table}, {T} %found)"
    )
    body.say("%b1 = add i64 %b, 1")
    everything = body.put(f"add i64 {n_in}, {n_out}")
    body.say(f"%b_more = icmp slt i64 %b1, {everything}")
    body.say("br i1 %b_more, label %writing, label %checking")
    body.label("checking")
    close_loop(body, any_nan(body, "%found1"))
    return "\n".join([f"{SIGNATURE} nounwind {{", *body.lines, "}"])


def _described(body: Body, first: str, index: str) -> tuple[tuple[str, str], str, str]:
    """Address of the current row and row stride, length, and fourth word of array `index`."""
    entry = body.address(first, body.put(f"shl i64 {index}, 2"), "i64")
    base = body.put(f"load ptr, ptr {entry}")
    stride, length, fourth = (body.put(f"load i64, ptr {body.address(entry, k, 'i64')}") for k in (1, 2, 3))
    row = body.address(base, body.put(f"mul i64 %row, {stride}"), "i8")
    return (row, stride), length, fourth
