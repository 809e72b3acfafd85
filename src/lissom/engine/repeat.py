"""A tape run repeatedly: the state is carried over, signals are read, and samples are stored.

    i64 kernel(ptr arrays, ptr tape, ptr workspace, ptr constants, i64 rows)

For every group of rows the state and what stays fixed are moved into lanes. Then, `samples` times: the
tape runs `repeats` times, each time on the next stretch of the stream, and ends by writing the new state
into the place of the old (`Recorder.carry`); the state is moved out to its sample. `arrays` holds

    repeats, samples,
    state   address, bytes from row to row, length, offset in the workspace
    fixed   address, bytes from row to row, length, offset in the workspace
    stream  address, bytes from row to row, length of a stretch, offset in the workspace, bytes from stretch to stretch
    kept    address, bytes from row to row, length, address of its table (see `movers`), bytes from sample to sample

Zero bytes from row to row: all rows read the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import wait
from itertools import pairwise

from lissom.engine import kernel as kernels, tape
from lissom.engine.ir import Body, Lanes, any_nan
from lissom.engine.kernel import PROTOTYPE, Array, Code
from lissom.engine.machine import machine
from lissom.engine.record import Recorder
from lissom.engine.straight import SIGNATURE, close_loop, open_loop


def kernel_ir(lanes: Lanes) -> str:
    """The loops over rows, samples and repeats."""
    body, T = Body(lanes), lanes.type

    def word(k: int, kind: str = "i64") -> str:
        return body.put(f"load {kind}, ptr {body.address('%arrays', k, 'i64')}")

    def move_in(base: int, seen: str, into: str, shift: str | None = None) -> None:
        row = body.address(address[base], body.put(f"mul i64 %row, {words[base + 1]}"), "i8")
        row = row if shift is None else body.address(row, shift, "i8")
        lane = body.address("%ws", words[base + 3], "i8")
        call = f"call {T} @move_in(ptr {row}, i64 {words[base + 1]}, i64 {words[base + 2]}, ptr {lane}, {T} {seen})"
        body.say(f"{into} = {call}")

    body.label("entry")
    words = {k: word(k) for k in range(20)}
    address = {k: word(k, "ptr") for k in (STATE, FIXED, STREAM, KEPT)}
    table = word(KEPT + 3, "ptr")
    open_loop(body)
    move_in(STATE, lanes.zero, "%seen_state")
    move_in(FIXED, "%seen_state", "%seen_fixed")
    body.say("br label %sampling")
    body.label("sampling")
    body.say("%sample = phi i64 [0, %loop], [%sample_next, %keeping]")
    body.say("%at = phi i64 [0, %loop], [%at_next, %keeping]")
    body.say(f"%seen = phi {T} [%seen_fixed, %loop], [%seen_kept, %keeping]")
    body.say("br label %repeating")
    body.label("repeating")
    body.say("%turn = phi i64 [0, %sampling], [%turn_next, %repeating]")
    body.say("%now = phi i64 [%at, %sampling], [%at_next, %repeating]")
    body.say(f"%seen_before = phi {T} [%seen, %sampling], [%seen_stream, %repeating]")
    move_in(STREAM, "%seen_before", "%seen_stream", "%now")
    code = body.put("load ptr, ptr %tape")
    body.say(f"call void {code}(ptr %tape, ptr %ws, ptr %constants)")
    body.say(f"%at_next = add i64 %now, {words[STREAM + 4]}")
    body.say("%turn_next = add i64 %turn, 1")
    body.say(f"%turn_more = icmp slt i64 %turn_next, {words[0]}")
    body.say("br i1 %turn_more, label %repeating, label %keeping")
    body.label("keeping")
    row = body.address(address[KEPT], body.put(f"mul i64 %row, {words[KEPT + 1]}"), "i8")
    row = body.address(row, body.put(f"mul i64 %sample, {words[KEPT + 4]}"), "i8")
    place = f"ptr {row}, i64 {words[KEPT + 1]}, i64 {words[KEPT + 2]}, ptr %ws, ptr {table}"
    body.say(f"%seen_kept = call {T} @move_out({place}, {T} %seen_stream)")
    body.say("%sample_next = add i64 %sample, 1")
    body.say(f"%sample_more = icmp slt i64 %sample_next, {words[1]}")
    body.say("br i1 %sample_more, label %sampling, label %checking")
    body.label("checking")
    close_loop(body, any_nan(body, "%seen_kept"))
    return "\n".join([f"{SIGNATURE} nounwind {{", *body.lines, "}"])


STATE, FIXED, STREAM, KEPT = 2, 6, 10, 15


class Repeated:
    """A compiled program with inputs state, fixed and stream and the new state as output, carried on."""

    def __init__(self, key: str, program: Callable[..., None]):
        """`key` stands for the sources of the program's steps."""
        self._key, self._program = key, program
        self._codes: dict[int, Code] = {}

    def _code(self, width: int) -> Code:
        """The code of a width, compiled when it is first needed."""
        if width not in self._codes:
            run = Recorder(width)
            self._program(run)
            recorded = run.tape()
            used = tape.used_steps(run.steps.values(), {name for name, _, _ in recorded.calls})
            self._codes[width] = kernels.tape_code(machine(self._key, used, width, kernel_ir), recorded)
        return self._codes[width]

    def run(self, state: Array, fixed: Array, stream: Array, repeats: int, kept: Array, threads: int) -> bool:
        """Fill `kept` (rows, samples, n), `repeats` times per sample; True when everything was finite.

        state : (rows, n)
        fixed : (rows, m); a row stride of zero repeats a row
        stream : (rows, samples * repeats, s), of which every time reads the next; a row stride of zero repeats a row
        """
        rows = len(state)
        for x in (state, fixed, stream, kept):
            if len(x) != rows or (x.shape[-1] > 1 and x.strides[-1] != 8):
                raise ValueError(f"an array of shape {x.shape} and strides {x.strides} for {rows} rows")
        code = self._code(4 if rows >= 4 else 1)
        count = max(1, min(threads, rows // 4))
        cuts = [rows * k // count // 4 * 4 for k in range(count)] + [rows]
        jobs = [slice(a, b) for a, b in pairwise(cuts)]
        if count == 1:
            return _call(code, state, fixed, stream, repeats, kept)
        run = lambda s: _call(code, state[s], fixed[s], stream[s], repeats, kept[s])  # noqa: E731
        futures = [kernels.pool().submit(run, job) for job in jobs]
        try:
            finite = [future.result() for future in futures]
            return all(finite)
        finally:
            wait(futures)  # also after an interrupt nobody may still be writing


def _call(code: Code, state: Array, fixed: Array, stream: Array, repeats: int, kept: Array) -> bool:
    room, table = code.workspace(), code.tables[0]
    words = [repeats, kept.shape[1]]
    for x, offset in zip((state, fixed, stream), code.inputs, strict=True):
        words += [x.ctypes.data, x.strides[0], x.shape[-1], offset]
    words += [stream.strides[1], kept.ctypes.data, kept.strides[0], kept.shape[2], table.ctypes.data, kept.strides[1]]
    pointers = (code.tape.ctypes.data, room.ctypes.data, code.constants.ctypes.data)
    return PROTOTYPE(code.address)((ctypes.c_int64 * len(words))(*words), *pointers, len(state)) == 0
