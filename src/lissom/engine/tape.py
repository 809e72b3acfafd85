"""Tape kernels: small compiled steps, called in an order given by data.

A tape is a list of entries of `words` 64-bit words: address of the step's code, byte offsets of its
outputs and inputs in the workspace, byte offset of its constants. Each step ends by jumping to the
next entry's step (a tail call), the last entry's step returns. Inputs are moved into lanes at the
start of the workspace, outputs are gathered from byte offsets, both by 4x4 transposes.

    i64 kernel(ptr arrays, ptr tape, ptr workspace, ptr constants, i64 rows)

`arrays` holds four words for every input (address, row stride, length, workspace offset) and for
every output (address, row stride, length, address of its table of byte offsets), after a first word
pair (number of inputs, number of outputs). The machine code depends on the steps only, not on the
order: one compilation serves every model.
"""

from __future__ import annotations

from collections.abc import Sequence

from lissom.engine.graph import Node
from lissom.engine.ir import Body, Lanes, any_nan, arithmetic
from lissom.engine.program import GROUPS, ROW, Step
from lissom.engine.straight import SIGNATURE, close_loop, open_loop

ZERO = Node("const", data=(0.0,))
STEP = "(ptr %t, ptr %ws, ptr %constants) noinline nounwind"


def words_of(steps: Sequence[Step], width: int) -> int:
    """Words of a tape entry: code, operands, constants."""
    return 2 + max([4, *(len(step.inputs) + len(step.outputs) for step in _variants(steps, width))])


def _variants(steps: Sequence[Step], width: int) -> list[Step]:
    """The steps that calls name: paired ones of several lanes take several items."""
    plain = [step for step in steps if not step.paired]
    paired = [step for step in steps if step.paired]
    return plain + ([step.on_several(k) for step in paired for k in GROUPS] if width > 1 else [])


def module_ir(steps: Sequence[Step], lanes: Lanes) -> str:
    """The module of a set of steps."""
    words = words_of(steps, lanes.width)
    parts = shell(lanes)
    for step in _variants(steps, lanes.width):
        parts.append(_step(step, lanes, words))
    paired = [step for step in steps if step.paired and lanes.width == 1]
    if paired:
        side_by_side = Lanes(ROW, lanes.fma)
        parts += side_by_side.declarations
        parts += [_row_step(step, side_by_side, words) for step in paired]
        parts += [_put_step(size, words) for size in sorted({step.inputs[0] for step in paired})]
    return "\n".join([*parts, f"define void @step_halt{STEP} {{\n  ret void\n}}"])


def shell(lanes: Lanes) -> list[str]:
    """The loop over rows, and what moves them into lanes and back."""
    return [*lanes.declarations, _mover_in(lanes), _mover_out(lanes), _kernel(lanes)]


def names_of(steps: Sequence[Step], width: int) -> list[str]:
    """Names of all the functions that entries of a tape may call."""
    names = [step.name for step in _variants(steps, width)]
    if width == 1:
        names += [f"{step.name}_row" for step in steps if step.paired]
        names += sorted({f"put_{step.inputs[0]}" for step in steps if step.paired})
    return names


def _operand(body: Body, word: int, base: str) -> str:
    """Address of an operand: a word of the entry is its byte offset."""
    offset = body.put(f"load i64, ptr {body.address('%t', word, 'i64')}")
    return body.address(base, offset, "i8")


def _jump(body: Body, words: int) -> None:
    """Go on with the next entry."""
    following = body.address("%t", words, "i64")
    code = body.put(f"load ptr, ptr {following}")
    body.say(f"musttail call void {code}(ptr {following}, ptr %ws, ptr %constants)")
    body.say("ret void")


def _put_step(size: int, words: int) -> str:
    """Scatter an item's scalars into its place among four side by side."""
    body = Body(Lanes(1, fma=False))
    into, source = _operand(body, 1, "%ws"), _operand(body, 2, "%ws")
    for k in range(size):
        body.store(body.load(body.address(source, k, "double")), body.address(into, ROW * k, "double"))
    _jump(body, words)
    return "\n".join([f"define void @step_put_{size}{STEP} {{", *body.lines, "}"])


def _row_step(step: Step, lanes: Lanes, words: int) -> str:
    """A paired step on groups of four items; operands: results, items, shared, number of groups."""
    graph = step.graph(lanes.fma)
    body = Body(lanes)
    body.label("entry")
    out, items, shared = (_operand(body, k, "%ws") for k in (1, 2, 3))
    groups = body.put(f"load i64, ptr {body.address('%t', 4, 'i64')}")
    groups = body.put(f"lshr i64 {groups}, 3")  # it was scaled like an offset
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
    _jump(body, words)
    return "\n".join([f"define void @step_{step.name}_row{STEP} {{", *body.lines, "}"])


def _step(step: Step, lanes: Lanes, words: int) -> str:
    body, graph, constants = Body(lanes), step.graph(lanes.fma), step.constants > 0
    n_out, n_in = len(graph.outputs), len(graph.inputs) - constants
    out = [_operand(body, 1 + k, "%ws") for k in range(n_out)]
    into = [_operand(body, 1 + n_out + k, "%ws") for k in range(n_in)]
    if constants:
        into.append(_operand(body, words - 1, "%constants"))

    def read(vector: int, entry: int) -> str:
        if vector < n_in:
            return body.load(body.address(into[vector], entry, lanes.type))
        return body.splat(body.put(f"load double, ptr {body.address(into[vector], entry, 'double')}"))

    names: dict[int, str] = {}
    arithmetic(body, graph, read, names.__setitem__)
    for k, entries in enumerate(graph.outputs):
        for z, node in enumerate(entries):
            if step.adds and graph.nodes[node] == ZERO:
                continue
            place = body.address(out[k], z, lanes.type)
            value = names[node]
            body.store(body.two("fadd", body.load(place), value) if step.adds else value, place)
    _jump(body, words)
    return "\n".join([f"define void @step_{step.name}{STEP} {{", *body.lines, "}"])


def _kernel(lanes: Lanes) -> str:
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
    where, length, offsets = _described(body, first, "%b")
    table = body.put(f"inttoptr i64 {offsets} to ptr")
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


def _mover_in(lanes: Lanes) -> str:
    """``move_in(row, stride, n, lanes, seen) -> seen``: entries of the rows of a group into lanes."""
    body, T, W = Body(lanes), lanes.type, lanes.width
    body.label("entry")
    rows = _row_addresses(body, W)
    _open_fours(body, T)
    if W == 4:
        loaded = [body.load(body.address(row, "%j", "double"), aligned=False) for row in rows]
        values = body.transpose4(loaded)
    else:
        values = [_gathered(body, rows, body.put(f"add i64 %j, {i}")) for i in range(4)]
    for i, value in enumerate(values):
        body.store(value, body.address("%lanes", body.put(f"add i64 %j, {i}"), T))
    _close_fours(body, T, values)
    _open_ones(body, T)
    value = _gathered(body, rows, "%i")
    body.store(value, body.address("%lanes", "%i", T))
    _close_ones(body, T, value)
    head = f"define internal {T} @move_in(ptr %rowp, i64 %stride, i64 %n, ptr noalias %lanes, {T} %seen) nounwind {{"
    return "\n".join([head, *body.lines, "}"])


def _gathered(body: Body, rows: list[str], index: str) -> str:
    """One entry of every row."""
    value = "poison"
    for k, row in enumerate(rows):
        scalar = body.put(f"load double, ptr {body.address(row, index, 'double')}, align 8")
        value = (
            scalar if len(rows) == 1 else body.put(f"insertelement {body.lanes.type} {value}, double {scalar}, i32 {k}")
        )
    return value


def _mover_out(lanes: Lanes) -> str:
    """``move_out(row, stride, n, ws, offsets, seen) -> seen``: lanes at byte offsets into rows."""
    body, T, W = Body(lanes), lanes.type, lanes.width
    body.label("entry")
    rows = _row_addresses(body, W)

    def at(index: str) -> str:
        offset = body.put(f"load i64, ptr {body.address('%offsets', index, 'i64')}")
        return body.load(body.address("%ws", offset, "i8"))

    _open_fours(body, T)
    places = [body.put(f"add i64 %j, {i}") for i in range(4)]
    values = [at(place) for place in places]
    if W == 4:
        for row, value in zip(rows, body.transpose4(values), strict=True):
            body.store(value, body.address(row, "%j", "double"), aligned=False)
    else:
        for place, value in zip(places, values, strict=True):
            _scattered(body, rows, place, value)
    _close_fours(body, T, values)
    _open_ones(body, T)
    value = at("%i")
    _scattered(body, rows, "%i", value)
    _close_ones(body, T, value)
    arguments = f"ptr %rowp, i64 %stride, i64 %n, ptr %ws, ptr %offsets, {T} %seen"
    head = f"define internal {T} @move_out({arguments}) nounwind {{"
    return "\n".join([head, *body.lines, "}"])


def _scattered(body: Body, rows: list[str], index: str, value: str) -> None:
    """One entry of every row."""
    for k, row in enumerate(rows):
        scalar = value if len(rows) == 1 else body.put(f"extractelement {body.lanes.type} {value}, i32 {k}")
        body.say(f"store double {scalar}, ptr {body.address(row, index, 'double')}, align 8")


def _row_addresses(body: Body, width: int) -> list[str]:
    rows = ["%rowp"]
    for _ in range(width - 1):
        rows.append(body.address(rows[-1], "%stride", "i8"))
    return rows


def _open_fours(body: Body, T: str) -> None:
    """Loop over whole groups of four entries."""
    body.lines += [
        "  %n4 = and i64 %n, -4",
        "  %any = icmp sgt i64 %n4, 0",
        "  br i1 %any, label %fours, label %rest",
        "fours:",
        "  %j = phi i64 [0, %entry], [%j1, %fours]",
        f"  %a = phi {T} [%seen, %entry], [%a1, %fours]",
    ]


def _close_fours(body: Body, T: str, values: list[str]) -> None:
    """Note whether the four were finite, with one addition in the loop's chain."""
    zero = body.lanes.zero
    pairs = [body.fma(values[k], zero, body.two("fmul", values[k + 1], zero)) for k in (0, 2)]
    total = body.two("fadd", *pairs)
    body.lines += [
        f"  %a1 = fadd {T} %a, {total}",
        "  %j1 = add i64 %j, 4",
        "  %j_more = icmp slt i64 %j1, %n4",
        "  br i1 %j_more, label %fours, label %rest",
        "rest:",
        f"  %sum = phi {T} [%seen, %entry], [%a1, %fours]",
        "  %left = icmp slt i64 %n4, %n",
        "  br i1 %left, label %ones, label %end",
    ]


def _open_ones(body: Body, T: str) -> None:
    """Loop over the entries that are left."""
    body.lines += [
        "ones:",
        "  %i = phi i64 [%n4, %rest], [%i1, %ones]",
        f"  %s = phi {T} [%sum, %rest], [%s1, %ones]",
    ]


def _close_ones(body: Body, T: str, value: str) -> None:
    body.lines += [
        f"  %s1 = fadd {T} %s, {body.two('fmul', value, body.lanes.zero)}",
        "  %i1 = add i64 %i, 1",
        "  %i_more = icmp slt i64 %i1, %n",
        "  br i1 %i_more, label %ones, label %end",
        "end:",
        f"  %done = phi {T} [%sum, %rest], [%s1, %ones]",
        f"  ret {T} %done",
    ]
