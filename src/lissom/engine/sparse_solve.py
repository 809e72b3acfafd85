"""Machine code for `M X = [-A, -B, 1]` with a sparse symmetric M, of one state at a time.

The order of all operations is data (see `sparse_tables`), so that one piece of code serves every tree. Columns are
computed in panels; a row of a panel is in registers while others are subtracted from it.
"""

from __future__ import annotations

from collections.abc import Callable

from lissom.engine import sparse_tables as words
from lissom.engine.ir import Lanes
from lissom.engine.nest import FOUR, Nest

SOLVE = "double @solve(ptr %table, ptr %ws, ptr %qdd, ptr %A, ptr %B, ptr %M, ptr %XA, ptr %XB, ptr %XM)"
EIGHT = "<8 x double>"


def solve_ir(lanes: Lanes) -> str:
    """``solve(table, ws, qdd, A, B, M, XA, XB, XM) -> seen``, which is NaN if something was not finite, else 0."""
    body = Nest(lanes)
    body.label("entry")
    columns = body.address("%ws", _header(body, words.COLUMNS_AT), "i8")
    tau = body.address(columns, _header(body, words.TAU_AT), "i8")
    _pack(body)
    _eliminate(body)
    _fill_columns(body, columns, tau)
    _solve_panels(body, columns)
    _write_rows(body, columns)
    _write_symmetric(body, tau)
    body.say(f"ret double {_finite(body, columns)}")
    code = "\n".join([f"define internal {SOLVE} nounwind {{", *body.lines, "}"])
    return "\n".join(
        [*_declarations(lanes), _sweep(lanes, "wide", words.WIDE), _sweep(lanes, "narrow", words.NARROW), code]
    )


def _declarations(lanes: Lanes) -> list[str]:
    kinds = {4: FOUR, 8: EIGHT, 1: "double"}
    names = {4: "v4f64", 8: "v8f64", 1: "f64"}
    return [f"declare {kinds[w]} @llvm.fma.{names[w]}({kinds[w]}, {kinds[w]}, {kinds[w]})" for w in (1, 4, 8)
            if w != lanes.width]  # fmt: skip


def _header(body: Nest, k: int) -> str:
    return body.read("i64", "%table", k)


def _list(body: Nest, k: int) -> str:
    """Address of a list, whose byte offset is in the header."""
    return body.address("%table", _header(body, k), "i8")


def _pack(body: Nest) -> None:
    """The entries of M on branches, row by row."""
    places = _list(body, words.PACKED_AT)

    def one(k: str) -> None:
        body.write("double", body.read("double", "%M", body.word(places, k), "i8"), "%ws", k)

    body.each(_header(body, words.PACKED), one)


def _eliminate(body: Nest) -> None:
    """M = L^T D L in place; the diagonal becomes 1 / D."""

    def unknown(_: str, at: list[str]) -> list[str]:
        row = body.address("%ws", body.word(at[0], 0), "i8")
        fours, count = body.word(at[0], 1), body.word(at[0], 2)
        pivot = body.address(row, count, "double")
        inverse = body.put(f"fdiv double 1.0, {body.read('double', pivot)}")
        others = body.address(at[0], 12, "i8")

        def other(t: str) -> None:
            where = body.address(others, body.put(f"shl i64 {t}, 3"), "i8")
            above = body.address("%ws", body.word(where, 0), "i8")
            entry = body.read("double", row, body.put(f"sub i64 {body.put(f'sub i64 {count}, 1')}, {t}"))
            factor = body.spread(body.put(f"fneg double {body.put(f'fmul double {entry}, {inverse}')}"))

            def four(v: str) -> None:
                now = body.multiply_add(FOUR, factor, body.read(FOUR, row, v), body.read(FOUR, above, v))
                body.write(FOUR, now, above, v)

            body.each(body.word(where, 1), four)

        body.each(count, other)
        scale = body.spread(inverse)
        body.each(fours, lambda v: body.scale(FOUR, row, v, scale))
        body.write("double", inverse, pivot)
        return [body.address(others, body.put(f"shl i64 {count}, 3"), "i8")]

    body.loop(_header(body, words.N), [("ptr", _list(body, words.ELIMINATED_AT))], unknown)


def _fill_columns(body: Nest, columns: str, tau: str) -> None:
    """-A, -B and the identity side by side; the ends of rows are overwritten by what comes after them.

    The identity is NaN where an acceleration is not finite, so that no result looks right.
    """
    n, step = _header(body, words.N), _header(body, words.ROW_BYTES)
    fours, zeros = _header(body, words.FOURS), _header(body, words.ZERO_FOURS)
    [seen] = body.loop(n, [("double", "1.0")], lambda k, v: [
        body.multiply_add("double", body.read("double", "%qdd", k), "0.0", v[0])])  # fmt: skip

    def row(i: str) -> None:
        start = body.address(columns, body.put(f"mul i64 {i}, {step}"), "i8")
        first = body.put(f"mul i64 {i}, {n}")
        for k, source in enumerate(("%A", "%B")):
            into = body.address(start, body.put(f"mul i64 {n}, {k}"), "double")
            have = body.address(source, first, "double")
            body.each(fours, lambda v, a=have, b=into: body.write(  # type: ignore[misc]
                FOUR, body.put(f"fneg {FOUR} {body.read(FOUR, a, v)}"), b, v))  # fmt: skip
        end = body.address(tau, body.put(f"mul i64 {i}, {step}"), "i8")
        body.each(zeros, lambda v: body.write(FOUR, "zeroinitializer", end, v))
        body.write("double", seen, end, i)

    body.each(n, row)


def _solve_panels(body: Nest, columns: str) -> None:
    panels = _list(body, words.PANELS_AT)

    def panel(k: str) -> None:
        here = body.address(panels, body.put(f"shl i64 {k}, 4"), "i8")
        wide, first, items, count = (body.word(here, z) for z in range(4))
        start, rows = body.address(columns, first, "i8"), body.address("%table", items, "i8")
        code = body.put(f"select i1 {body.put(f'icmp ne i64 {wide}, 0')}, ptr @sweep_wide, ptr @sweep_narrow")
        body.say(f"call void {code}(ptr {rows}, i64 {count}, ptr %ws, ptr {start})")

    body.each(_header(body, words.PANELS), panel)


def _sweep(lanes: Lanes, name: str, width: int) -> str:
    """``sweep(items, count, L, columns)``: rows of a panel, each scaled, then with others subtracted from it."""
    body, vectors = Nest(lanes), range(width // 8)
    body.label("entry")

    def row(_: str, at: list[str]) -> list[str]:
        here = body.address("%columns", body.word(at[0], 0), "i8")
        scale = body.spread(body.read("double", "%L", body.word(at[0], 1), "i8"), EIGHT)
        count, terms = body.word(at[0], 2), body.address(at[0], 12, "i8")
        first = [(EIGHT, body.put(f"fmul {EIGHT} {body.read(EIGHT, here, v)}, {scale}")) for v in vectors]

        def term(e: str, sums: list[str]) -> list[str]:
            where = body.address(terms, body.put(f"shl i64 {e}, 3"), "i8")
            entry = body.spread(body.read("double", "%L", body.word(where, 0), "i8"), EIGHT)
            entry, other = body.put(f"fneg {EIGHT} {entry}"), body.address("%columns", body.word(where, 1), "i8")
            return [body.multiply_add(EIGHT, entry, body.read(EIGHT, other, v), sums[v]) for v in vectors]

        for v, value in enumerate(body.loop(count, first, term)):
            body.write(EIGHT, value, here, v)
        return [body.address(terms, body.put(f"shl i64 {count}, 3"), "i8")]

    body.loop("%count", [("ptr", "%items")], row)
    body.say("ret void")
    head = f"define internal void @sweep_{name}(ptr %items, i64 %count, ptr noalias %L, ptr %columns) nounwind {{"
    return "\n".join([head, *body.lines, "}"])


def _write_rows(body: Nest, columns: str) -> None:
    """The first two results."""
    n, step, fours = _header(body, words.N), _header(body, words.ROW_BYTES), _header(body, words.WHOLE_FOURS)
    done = body.put(f"shl i64 {fours}, 2")
    left = body.put(f"sub i64 {n}, {done}")

    def row(i: str) -> None:
        start = body.address(columns, body.put(f"mul i64 {i}, {step}"), "i8")
        first = body.put(f"mul i64 {i}, {n}")
        for k, result in enumerate(("%XA", "%XB")):
            have = body.address(start, body.put(f"mul i64 {n}, {k}"), "double")
            into = body.address(result, first, "double")
            body.each(fours, _copy(body, FOUR, have, into))
            rest, end = body.address(have, done, "double"), body.address(into, done, "double")
            body.each(left, _copy(body, "double", rest, end))

    body.each(n, row)


def _copy(body: Nest, kind: str, have: str, into: str) -> Callable[[str], None]:
    """A turn of a loop that copies."""
    return lambda v: body.write(kind, body.read(kind, have, v), into, v)


def _write_symmetric(body: Nest, tau: str) -> None:
    """The inverse, from its upper triangle."""
    n, step = _header(body, words.N), _header(body, words.ROW_BYTES)

    def row(i: str) -> None:
        start = body.address(body.address(tau, body.put(f"mul i64 {i}, {step}"), "i8"), i, "double")
        corner = body.address("%XM", body.put(f"mul i64 {i}, {body.put(f'add i64 {n}, 1')}"), "double")

        def entry(c: str) -> None:
            value = body.read("double", start, c)
            body.write("double", value, corner, c)
            body.write("double", value, corner, body.put(f"mul i64 {c}, {n}"))

        body.each(body.put(f"sub i64 {n}, {i}"), entry)

    body.each(n, row)


def _finite(body: Nest, columns: str) -> str:
    """NaN if an entry of the columns is not finite, else 0."""
    step, zero = _header(body, words.ROW_BYTES), "zeroinitializer"
    count = body.put(f"lshr i64 {body.put(f'mul i64 {_header(body, words.N)}, {step}')}, 7")

    def pair(k: str, seen: list[str]) -> list[str]:
        here = body.address(columns, body.put(f"shl i64 {k}, 7"), "i8")
        return [body.multiply_add(EIGHT, body.read(EIGHT, here, z), zero, seen[z]) for z in range(2)]

    a, b = body.loop(count, [(EIGHT, zero)] * 2, pair)
    both, total = body.put(f"fadd {EIGHT} {a}, {b}"), "0.0"
    for z in range(8):
        total = body.put(f"fadd double {total}, {body.put(f'extractelement {EIGHT} {both}, i32 {z}')}")
    return total
