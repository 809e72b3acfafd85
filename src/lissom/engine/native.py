"""CPython builtins made by LLVM: no machinery between Python and a kernel.

`one_state` checks that its arguments are plain one-dimensional float64 arrays of the right length,
makes the result arrays, runs the one-lane kernel in place, and returns them. `rows` does the same
for two-dimensional arrays and given results, with the GIL released. Anything else, and any number
that is not finite, goes to a Python function that converts or explains.

They rely on the layout that every compiled NumPy extension relies on (the public array struct and
`PyArray_New`). Their machine code knows no kernel: a table of 64-bit words, the data of the array
bound as `self`, tells it what to call, so it is compiled once and cached. That array owns everything
its words point to: a builtin may outlive the function, the library and the arm it was made for. Where
this cannot be (another Python, no GIL), the Python function serves.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
import platform
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.engine.cache import compiled
from lissom.engine.compile import Loaded

if TYPE_CHECKING:
    from lissom.engine.kernel import Code, Kernel

METH_FASTCALL = 0x80
PYARRAY_NEW, NDARRAY_TYPE = 93, 2  # places in NumPy's table of functions
CONTIGUOUS, ALIGNED = 1, 256  # NumPy's flags
MOST_INPUTS, MOST_OUTPUTS = 16, 4
# words of the table, before those of inputs and outputs
(N_IN, N_OUT, KERNEL, ARRAYS, TAPE, WORKSPACE, CONSTANTS, SLOW, TYPE, DTYPE, NEW, VECTORCALL, DECREF, TUPLE, SETITEM,
 SAVE, RESTORE, TRUTH, FIRST) = range(19)  # fmt: skip


@functools.cache
def available() -> bool:
    """This interpreter has the layout the builtin reads."""
    if platform.python_implementation() != "CPython" or sys.maxsize < 2**32:
        return False
    if sysconfig.get_config_var("Py_GIL_DISABLED") or object.__basicsize__ != 16:
        return False
    return _numpy_api()[NDARRAY_TYPE] == id(np.ndarray)


@functools.cache
def _numpy_api() -> Any:
    place = "numpy._core" if hasattr(np, "_core") else "numpy.core"  # NumPy 2 and 1
    core = importlib.import_module(f"{place}._multiarray_umath")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))


def _address(name: str) -> int:
    return int(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)


@functools.cache
def _shim() -> Loaded:
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    return compiled(f"native|{own}", lambda: _one_state_ir() + _rows_ir())


class _Definition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Table(np.ndarray):
    """Words that a builtin reads, and the owner of what they point to."""

    owned: tuple[Any, ...]


def one_state(kernel: Kernel, shapes: Sequence[tuple[int, ...]], slow: Callable[..., Any]) -> Callable[..., Any]:
    """A callable on single states.

    shapes : of the results, with as many entries as the kernel's outputs have
    slow : called with the same arguments when they are unusual or a number is not finite
    """
    if not available() or len(kernel.inputs) > MOST_INPUTS or len(shapes) > MOST_OUTPUTS:
        return slow
    code = kernel.codes[1]
    arrays, places = _template(kernel.inputs, kernel.outputs, code)
    workspace = code.workspace()
    words = _words(code, len(kernel.inputs), len(shapes), arrays, workspace, slow)
    for n, place in zip(kernel.inputs, places[: len(kernel.inputs)], strict=True):
        words += [n, place]
    sizes = [np.array(shape, np.int64) for shape in shapes]
    for size, place in zip(sizes, places[len(kernel.inputs) :], strict=True):
        words += [len(size), size.ctypes.data, place]
    return _method("one_state", words, (arrays, workspace, sizes, slow, kernel))


def rows(code: Code, inputs: Sequence[int], outputs: Sequence[int], slow: Callable[..., Any]) -> Callable[..., Any]:
    """A callable on 2-D inputs and outputs that says whether all was finite.

    It has one workspace: one caller at a time.
    """
    if not available():
        return slow
    arrays, places = _template(inputs, outputs, code)
    workspace = aligned_copy(code.template)
    words = _words(code, len(inputs), len(outputs), arrays, workspace, slow)
    for n, place in zip((*inputs, *outputs), places, strict=True):
        words += [n, place]
    return _method("rows", words, (arrays, workspace, slow, code))


def _words(
    code: Code, n_in: int, n_out: int, arrays: NDArray[np.int64], workspace: NDArray[np.float64], slow: Any
) -> list[int]:
    """The table's head."""
    api = ("PyObject_Vectorcall", "Py_DecRef", "PyTuple_New", "PyTuple_SetItem", "PyEval_SaveThread",
           "PyEval_RestoreThread", "PyBool_FromLong")  # fmt: skip
    return [
        n_in, n_out, code.address, arrays.ctypes.data, code.tape.ctypes.data, workspace.ctypes.data,
        code.constants.ctypes.data, id(slow), id(np.ndarray), id(np.dtype(float)), _numpy_api()[PYARRAY_NEW],
        *map(_address, api),
    ]  # fmt: skip


@functools.cache
def _definition(name: str) -> _Definition:
    """What a builtin says about itself; it must never go away, as the interpreter reads it while it frees one."""
    return _Definition(name.encode(), _shim().address(name), METH_FASTCALL, None)


def _method(name: str, words: list[int], owned: tuple[Any, ...]) -> Callable[..., Any]:
    """A builtin bound to a table, which owns what its words point to."""
    table = np.array(words, np.int64).view(_Table)
    table.owned = owned
    make = ctypes.pythonapi.PyCMethod_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p]
    made: Callable[..., Any] = make(ctypes.addressof(_definition(name)), table, None, None)
    return made


def aligned_copy(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy that starts on a cache line, as vector loads want."""
    raw = np.empty(values.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    copy = raw[start : start + values.nbytes].view(float).reshape(values.shape)
    copy[...] = values
    return copy


def _template(inputs: Sequence[int], outputs: Sequence[int], code: Code) -> tuple[NDArray[np.int64], list[int]]:
    """The kernel's table of arrays for one row, and the words where addresses go (strides follow them)."""
    blank = [[np.zeros((1, n)) for n in sizes] for sizes in (inputs, outputs)]
    arrays = np.array(code.words(*blank), np.int64)
    count = len(inputs) + len(outputs)
    places = [2 + 4 * k for k in range(count)] if code.tables else [2 * k for k in range(count)]
    return arrays, places


# ---- the machine code ----------------------------------------------------------------------------


HEAD = object.__basicsize__  # of every object; its type is the last word of it


def _word(name: str, k: int) -> str:
    """Word k of the table, as a number and as a pointer."""
    return (
        f"  %{name}.p = getelementptr i64, ptr %table, i64 {k}\n  %{name} = load i64, ptr %{name}.p\n"
        f"  %{name}.f = inttoptr i64 %{name} to ptr\n"
    )


def _field(name: str, offset: int, kind: str, of: str = "%arg") -> str:
    """A field of an object's struct."""
    return f"  %{name}.p = getelementptr i8, ptr {of}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}.p\n"


def _array_fields() -> str:
    """data, nd, dimensions, strides, descr and flags of the array %arg."""
    return (
        _field("where", HEAD, "ptr") + _field("axes", HEAD + 8, "i32") + _field("dims", HEAD + 16, "ptr")
        + _field("steps", HEAD + 24, "ptr") + _field("descr", HEAD + 40, "i64") + _field("flags", HEAD + 48, "i32")
    )  # fmt: skip


def _rows_ir() -> str:
    """All arguments are 2-D with the same number of rows; their rows lie in one piece."""
    return f"""
define ptr @rows(ptr %self, ptr %args, i64 %nargs) nounwind {{
entry:
  %table.p = getelementptr i8, ptr %self, i64 {HEAD}
  %table = load ptr, ptr %table.p
{_word("n_in", N_IN)}{_word("n_out", N_OUT)}{_word("arrays", ARRAYS)}{_word("type", TYPE)}{_word("dtype", DTYPE)}
  %count = add i64 %n_in, %n_out
  %count.ok = icmp eq i64 %nargs, %count
  br i1 %count.ok, label %check, label %slow

check:
  %i = phi i64 [0, %entry], [%i.next, %fits]
  %rows = phi i64 [-1, %entry], [%rows.have, %fits]
  %arg.p = getelementptr ptr, ptr %args, i64 %i
  %arg = load ptr, ptr %arg.p
{_field("kind", HEAD - 8, "i64")}
  %kind.ok = icmp eq i64 %kind, %type
  br i1 %kind.ok, label %array, label %slow

array:
{_array_fields()}
  %flags.and = and i32 %flags, {ALIGNED}
  %flags.ok = icmp eq i32 %flags.and, {ALIGNED}
  %axes.ok = icmp eq i32 %axes, 2
  %descr.ok = icmp eq i64 %descr, %dtype
  %ok.1 = and i1 %flags.ok, %axes.ok
  %ok.2 = and i1 %ok.1, %descr.ok
  br i1 %ok.2, label %shape, label %slow

shape:
  %rows.have = load i64, ptr %dims
  %columns.p = getelementptr i64, ptr %dims, i64 1
  %columns = load i64, ptr %columns.p
  %step = load i64, ptr %steps
  %inner.p = getelementptr i64, ptr %steps, i64 1
  %inner = load i64, ptr %inner.p
  %word = shl i64 %i, 1
  %at = add i64 %word, {FIRST}
  %want.p = getelementptr i64, ptr %table, i64 %at
  %want = load i64, ptr %want.p
  %first = icmp eq i64 %i, 0
  %rows.same = icmp eq i64 %rows, %rows.have
  %rows.ok = or i1 %first, %rows.same
  %columns.ok = icmp eq i64 %columns, %want
  %inner.8 = icmp eq i64 %inner, 8
  %inner.1 = icmp eq i64 %want, 1
  %inner.ok = or i1 %inner.8, %inner.1
  %ok.3 = and i1 %rows.ok, %columns.ok
  %ok.4 = and i1 %ok.3, %inner.ok
  br i1 %ok.4, label %fits, label %slow

fits:
  %place.p = getelementptr i64, ptr %want.p, i64 1
  %place = load i64, ptr %place.p
  %slot = getelementptr i64, ptr %arrays.f, i64 %place
  store ptr %where, ptr %slot
  %slot.step = getelementptr i64, ptr %slot, i64 1
  store i64 %step, ptr %slot.step
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %count
  br i1 %i.more, label %check, label %run

run:
{_word("kernel", KERNEL)}{_word("tape", TAPE)}{_word("ws", WORKSPACE)}{_word("constants", CONSTANTS)}\
{_word("save", SAVE)}{_word("restore", RESTORE)}{_word("truth", TRUTH)}
  %state = call ptr %save.f()
  %bad = call i64 %kernel.f(ptr %arrays.f, ptr %tape.f, ptr %ws.f, ptr %constants.f, i64 %rows.have)
  call void %restore.f(ptr %state)
  %finite = icmp eq i64 %bad, 0
  %answer.64 = zext i1 %finite to i64
  %answer = call ptr %truth.f(i64 %answer.64)
  ret ptr %answer

slow:
{_word("vectorcall", VECTORCALL)}{_word("callable", SLOW)}
  %other = call ptr %vectorcall.f(ptr %callable.f, ptr %args, i64 %nargs, ptr null)
  ret ptr %other
}}
"""


def _one_state_ir() -> str:
    """Written out: it is short, and every line matters."""
    return f"""
define ptr @one_state(ptr %self, ptr %args, i64 %nargs) nounwind {{
entry:
  %data = alloca [{MOST_INPUTS} x ptr]
  %made = alloca [{MOST_OUTPUTS} x ptr]
  %table.p = getelementptr i8, ptr %self, i64 {HEAD}
  %table = load ptr, ptr %table.p
{_word("n_in", N_IN)}{_word("n_out", N_OUT)}{_word("arrays", ARRAYS)}{_word("type", TYPE)}{_word("dtype", DTYPE)}\
{_word("new", NEW)}{_word("decref", DECREF)}
  %count.ok = icmp eq i64 %nargs, %n_in
  br i1 %count.ok, label %check, label %slow

check:
  %i = phi i64 [0, %entry], [%i.next, %fits]
  %arg.p = getelementptr ptr, ptr %args, i64 %i
  %arg = load ptr, ptr %arg.p
{_field("kind", HEAD - 8, "i64")}
  %kind.ok = icmp eq i64 %kind, %type
  br i1 %kind.ok, label %array, label %slow

array:
{_array_fields()}
  %flags.and = and i32 %flags, {CONTIGUOUS | ALIGNED}
  %flags.ok = icmp eq i32 %flags.and, {CONTIGUOUS | ALIGNED}
  %axes.ok = icmp eq i32 %axes, 1
  %descr.ok = icmp eq i64 %descr, %dtype
  %ok.1 = and i1 %flags.ok, %axes.ok
  %ok.2 = and i1 %ok.1, %descr.ok
  br i1 %ok.2, label %length, label %slow

length:
  %length.have = load i64, ptr %dims
  %in.word = shl i64 %i, 1
  %in.at = add i64 %in.word, {FIRST}
  %want.p = getelementptr i64, ptr %table, i64 %in.at
  %want = load i64, ptr %want.p
  %length.ok = icmp eq i64 %length.have, %want
  br i1 %length.ok, label %fits, label %slow

fits:
  %data.p = getelementptr ptr, ptr %data, i64 %i
  store ptr %where, ptr %data.p
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n_in
  br i1 %i.more, label %check, label %results

results:
  %out.first.0 = shl i64 %n_in, 1
  %out.first = add i64 %out.first.0, {FIRST}
  br label %result

result:
  %o = phi i64 [0, %results], [%o.next, %keep]
  %o.3 = mul i64 %o, 3
  %o.at = add i64 %o.3, %out.first
  %nd.p = getelementptr i64, ptr %table, i64 %o.at
  %nd.64 = load i64, ptr %nd.p
  %nd = trunc i64 %nd.64 to i32
  %shape.p = getelementptr i64, ptr %nd.p, i64 1
  %shape = load ptr, ptr %shape.p
  %fresh = call ptr %new.f(ptr %type.f, i32 %nd, ptr %shape, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %fresh.bad = icmp eq ptr %fresh, null
  br i1 %fresh.bad, label %drop, label %keep

keep:
  %made.p = getelementptr ptr, ptr %made, i64 %o
  store ptr %fresh, ptr %made.p
  %o.next = add i64 %o, 1
  %o.more = icmp slt i64 %o.next, %n_out
  br i1 %o.more, label %result, label %wire.in

; from here to the kernel's return no Python code can run, so the shared table of arrays is ours
wire.in:
  %a = phi i64 [0, %keep], [%a.next, %wire.in]
  %a.word = shl i64 %a, 1
  %a.at = add i64 %a.word, {FIRST + 1}
  %a.place.p = getelementptr i64, ptr %table, i64 %a.at
  %a.place = load i64, ptr %a.place.p
  %a.slot = getelementptr i64, ptr %arrays.f, i64 %a.place
  %a.data.p = getelementptr ptr, ptr %data, i64 %a
  %a.data = load ptr, ptr %a.data.p
  store ptr %a.data, ptr %a.slot
  %a.next = add i64 %a, 1
  %a.more = icmp slt i64 %a.next, %n_in
  br i1 %a.more, label %wire.in, label %wire.out

wire.out:
  %b = phi i64 [0, %wire.in], [%b.next, %wire.out]
  %b.3 = mul i64 %b, 3
  %b.at.0 = add i64 %b.3, %out.first
  %b.at = add i64 %b.at.0, 2
  %b.place.p = getelementptr i64, ptr %table, i64 %b.at
  %b.place = load i64, ptr %b.place.p
  %b.slot = getelementptr i64, ptr %arrays.f, i64 %b.place
  %b.made.p = getelementptr ptr, ptr %made, i64 %b
  %b.made = load ptr, ptr %b.made.p
  %b.data.p = getelementptr i8, ptr %b.made, i64 {HEAD}
  %b.data = load ptr, ptr %b.data.p
  store ptr %b.data, ptr %b.slot
  %b.next = add i64 %b, 1
  %b.more = icmp slt i64 %b.next, %n_out
  br i1 %b.more, label %wire.out, label %run

run:
{_word("kernel", KERNEL)}{_word("tape", TAPE)}{_word("ws", WORKSPACE)}{_word("constants", CONSTANTS)}
  %bad = call i64 %kernel.f(ptr %arrays.f, ptr %tape.f, ptr %ws.f, ptr %constants.f, i64 1)
  %finite = icmp eq i64 %bad, 0
  br i1 %finite, label %done, label %undo

done:
  %single = icmp eq i64 %n_out, 1
  br i1 %single, label %one, label %several

one:
  %first = load ptr, ptr %made
  ret ptr %first

several:
{_word("tuple", TUPLE)}{_word("setitem", SETITEM)}
  %all = call ptr %tuple.f(i64 %n_out)
  %all.bad = icmp eq ptr %all, null
  br i1 %all.bad, label %drop.all, label %fill

fill:
  %f = phi i64 [0, %several], [%f.next, %fill]
  %f.p = getelementptr ptr, ptr %made, i64 %f
  %f.made = load ptr, ptr %f.p
  %f.set = call i32 %setitem.f(ptr %all, i64 %f, ptr %f.made)
  %f.next = add i64 %f, 1
  %f.more = icmp slt i64 %f.next, %n_out
  br i1 %f.more, label %fill, label %full

full:
  ret ptr %all

; not finite: give the results back and let Python find out why
undo:
  %u = phi i64 [0, %run], [%u.next, %undo]
  %u.p = getelementptr ptr, ptr %made, i64 %u
  %u.made = load ptr, ptr %u.p
  call void %decref.f(ptr %u.made)
  %u.next = add i64 %u, 1
  %u.more = icmp slt i64 %u.next, %n_out
  br i1 %u.more, label %undo, label %slow

; no memory: drop the results made so far, the error is set
drop:
  br label %dropping

drop.all:
  br label %dropping

dropping:
  %left = phi i64 [%o, %drop], [%n_out, %drop.all], [%left.next, %dropped]
  %any = icmp sgt i64 %left, 0
  br i1 %any, label %dropped, label %failed

dropped:
  %left.next = sub i64 %left, 1
  %left.p = getelementptr ptr, ptr %made, i64 %left.next
  %left.made = load ptr, ptr %left.p
  call void %decref.f(ptr %left.made)
  br label %dropping

failed:
  ret ptr null

slow:
{_word("vectorcall", VECTORCALL)}{_word("callable", SLOW)}
  %answer = call ptr %vectorcall.f(ptr %callable.f, ptr %args, i64 %nargs, ptr null)
  ret ptr %answer
}}
"""
