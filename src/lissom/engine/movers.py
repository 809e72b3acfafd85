"""Code that moves rows of arrays into lanes and back, and checks that values are finite.

Several lanes move four entries of as many rows at a time by transposes, one lane four entries of its row.
Of an output, fours that are always zero are only filled: a table tells which, and where the others
are in the workspace. ``seen`` becomes NaN, and stays so, once something was not finite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from lissom.engine.ir import Body, Lanes


def table(slots: Sequence[int], zero: set[int], unit: int) -> NDArray[np.int64]:
    """What `move_out` reads: numbers of busy and idle fours, their first entries, then byte offsets of the
    entries of busy fours and of those after the last four. `zero` are slots that always hold zero."""
    starts = range(0, len(slots) - 3, 4)
    idle = [z for z in starts if zero.issuperset(slots[z : z + 4])]
    busy = [z for z in starts if not zero.issuperset(slots[z : z + 4])]
    wanted = [slot for z in busy for slot in slots[z : z + 4]] + list(slots[len(starts) * 4 :])
    return np.array([len(busy), len(idle), *busy, *idle, *(slot * unit for slot in wanted)], np.int64)


def move_in(lanes: Lanes) -> str:
    """``move_in(row, stride, n, lanes, seen) -> seen``: entries of the rows of a group into lanes."""
    body, T, W, FOUR, scalar = Body(lanes), lanes.type, lanes.width, lanes.four, lanes.scalar
    body.label("entry")
    rows = row_addresses(body, "%row", "%stride")

    def four(k: str) -> str:
        z = body.put(f"shl i64 {k}, 2")
        if W == 1:
            value = body.put(f"load {FOUR}, ptr {body.address('%row', z, scalar)}, align {lanes.size}")
            body.say(f"store {FOUR} {value}, ptr {body.address('%lanes', z, scalar)}, align {lanes.size}")
            return body.put(f"fmul {FOUR} {value}, zeroinitializer")
        if lanes.transposes:
            values = body.load_fours(rows, z)
        else:
            values = [gathered(body, rows, body.put(f"add i64 {z}, {i}")) for i in range(4)]
        for i, value in enumerate(values):
            body.store(value, body.address("%lanes", body.put(f"add i64 {z}, {i}"), T))
        return _none_or_nan(body, values)

    def one(k: str) -> str:
        value = gathered(body, rows, k)
        body.store(value, body.address("%lanes", k, T))
        return body.two("fmul", value, lanes.zero)

    fours, done = body.put("lshr i64 %n, 2"), body.put("and i64 %n, -4")
    _finish(body, _fours(body, fours, four), done, one)
    head = f"define internal {T} @move_in(ptr %row, i64 %stride, i64 %n, ptr noalias %lanes, {T} %seen) nounwind {{"
    return "\n".join([head, *body.lines, "}"])


def move_out(lanes: Lanes) -> str:
    """``move_out(row, stride, n, ws, table, seen) -> seen``: lanes into the rows of a group."""
    body, T, W, FOUR, scalar = Body(lanes), lanes.type, lanes.width, lanes.four, lanes.scalar
    body.label("entry")
    rows = row_addresses(body, "%row", "%stride")
    busy, idle = (body.put(f"load i64, ptr {body.address('%table', k, 'i64')}") for k in (0, 1))
    starts = body.address("%table", 2, "i64")
    idle_starts = body.address(starts, busy, "i64")
    offsets = body.address(idle_starts, idle, "i64")

    def place(index: str) -> str:
        offset = body.put(f"load i64, ptr {body.address(offsets, index, 'i64')}")
        return body.address("%ws", offset, "i8")

    def four(k: str) -> str:
        z = body.put(f"load i64, ptr {body.address(starts, k, 'i64')}")
        first = body.put(f"shl i64 {k}, 2")
        places = [place(body.put(f"add i64 {first}, {i}")) for i in range(4)]
        values = [body.load(where) for where in places]
        if W == 1:
            value = _joined(body, values, FOUR)
            body.say(f"store {FOUR} {value}, ptr {body.address('%row', z, scalar)}, align {lanes.size}")
            return body.put(f"fmul {FOUR} {value}, zeroinitializer")
        if lanes.transposes:
            body.store_fours(rows, z, values)
        else:
            for i, value in enumerate(values):
                _scattered(body, rows, body.put(f"add i64 {z}, {i}"), value)
        return _none_or_nan(body, values)

    def nothing(k: str) -> str:
        z = body.put(f"load i64, ptr {body.address(idle_starts, k, 'i64')}")
        for row in rows:
            body.say(f"store {FOUR} zeroinitializer, ptr {body.address(row, z, scalar)}, align {lanes.size}")
        return ""

    def one(k: str) -> str:
        # entries after the last four follow those of the busy fours
        value = body.load(place(body.put(f"sub i64 {k}, {skipped}")))
        _scattered(body, rows, k, value)
        return body.two("fmul", value, lanes.zero)

    done = body.put("and i64 %n, -4")
    skipped = body.put(f"shl i64 {idle}, 2")
    _loop(body, "idle", "entry", ("0", idle), None, nothing)
    seen = _fours(body, busy, four, "idle_end")
    _finish(body, seen, done, one)
    arguments = f"ptr %row, i64 %stride, i64 %n, ptr %ws, ptr %table, {T} %seen"
    return "\n".join([f"define internal {T} @move_out({arguments}) nounwind {{", *body.lines, "}"])


# ---- loops ---------------------------------------------------------------------------------------


def _loop(
    body: Body,
    name: str,
    before: str,
    between: tuple[str, str],
    sum_: tuple[str, str] | None,
    make: Callable[[str], str],
) -> str:
    """``for k in range(*between)``, adding what `make(k)` gives to sum_ = (type, start); ends in block `name`_end."""
    first, end = between
    body.lines += [
        f"  %{name}_any = icmp slt i64 {first}, {end}",
        f"  br i1 %{name}_any, label %{name}, label %{name}_end",
        f"{name}:",
        f"  %{name}_k = phi i64 [{first}, %{before}], [%{name}_next, %{name}]",
    ]
    if sum_:
        body.say(f"%{name}_sum = phi {sum_[0]} [{sum_[1]}, %{before}], [%{name}_more, %{name}]")
    term = make(f"%{name}_k")
    if sum_:
        body.say(f"%{name}_more = fadd {sum_[0]} %{name}_sum, {term}")
    body.lines += [
        f"  %{name}_next = add i64 %{name}_k, 1",
        f"  %{name}_on = icmp slt i64 %{name}_next, {end}",
        f"  br i1 %{name}_on, label %{name}, label %{name}_end",
        f"{name}_end:",
    ]
    if sum_:
        body.say(f"%{name}_total = phi {sum_[0]} [{sum_[1]}, %{before}], [%{name}_more, %{name}]")
    return f"%{name}_total"


def _fours(body: Body, count: str, make: Callable[[str], str], before: str = "entry") -> str:
    """The loop over groups of four entries; returns its finiteness check."""
    lanes = body.lanes
    if lanes.width > 1:
        return _loop(body, "fours", before, ("0", count), (lanes.type, "%seen"), make)
    total = _loop(body, "fours", before, ("0", count), (lanes.four, "zeroinitializer"), make)
    seen = "%seen"
    for i in range(4):
        seen = body.two("fadd", seen, body.put(f"extractelement {lanes.four} {total}, i32 {i}"))
    return seen


def _finish(body: Body, seen: str, done: str, make: Callable[[str], str]) -> None:
    """The loop over the remaining entries, and the end of the function."""
    total = _loop(body, "ones", "fours_end", (done, "%n"), (body.lanes.type, seen), make)
    body.say(f"ret {body.lanes.type} {total}")


# ---- entries -------------------------------------------------------------------------------------


def row_addresses(body: Body, base: str, stride: str) -> list[str]:
    """Addresses of the rows of one group."""
    rows = [base]
    for _ in range(body.lanes.width - 1):
        rows.append(body.address(rows[-1], stride, "i8"))
    return rows


def _joined(body: Body, scalars: list[str], kind: str) -> str:
    value = "poison"
    for k, scalar in enumerate(scalars):
        value = body.put(f"insertelement {kind} {value}, {body.lanes.scalar} {scalar}, i32 {k}")
    return value


def gathered(body: Body, rows: list[str], index: int | str) -> str:
    """Load one entry of every row into lanes."""
    kind, size = body.lanes.scalar, body.lanes.size
    scalars = [body.put(f"load {kind}, ptr {body.address(row, index, kind)}, align {size}") for row in rows]
    return scalars[0] if len(rows) == 1 else _joined(body, scalars, body.lanes.type)


def _scattered(body: Body, rows: list[str], index: str, value: str) -> None:
    """Store lanes to one entry of every row."""
    kind, size = body.lanes.scalar, body.lanes.size
    for k, row in enumerate(rows):
        scalar = value if len(rows) == 1 else body.put(f"extractelement {body.lanes.type} {value}, i32 {k}")
        body.say(f"store {kind} {scalar}, ptr {body.address(row, index, kind)}, align {size}")


def _none_or_nan(body: Body, values: list[str]) -> str:
    """Finiteness check of four values: zero where they are finite, else NaN."""
    zero = body.lanes.zero
    pairs = [body.fma(values[k], zero, body.two("fmul", values[k + 1], zero)) for k in (0, 2)]
    return body.two("fadd", *pairs)
