"""CPython builtins compiled by LLVM, which call a kernel without Python overhead.

`one_state` checks that its arguments are plain one-dimensional float64 arrays of the right length,
makes the result arrays, runs the one-lane kernel in place, and returns them. `one_into` does the
same for given results that lie apart from the arguments. `rows` does so for two-dimensional arrays
and given results, with the GIL released. Anything else, and any number that is not finite, goes to
a Python function that converts or explains.

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
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lissom.engine import native_code
from lissom.engine.cache import compiled
from lissom.engine.compile import Loaded
from lissom.engine.native_code import (
    BUFFERS,
    FIRST,
    KERNEL,
    MOST_INPUTS,
    MOST_OUTPUTS,
    N_IN,
    NOT_READY,
    RESULT,
    SLOW,
)
from lissom.later import cached_property

METH_FASTCALL = 0x80
PYARRAY_NEW, NDARRAY_TYPE = 93, 2  # places in NumPy's table of functions
LARGE = 4096  # bytes of a result from which its memory is reused: the allocator gives it back to the system


@functools.cache
def available() -> bool:
    """Whether this interpreter has the memory layout that the builtins read."""
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


def _shim(name: str) -> Loaded:
    """The machine code of one builtin: each costs some milliseconds to compile, and many processes need only one."""
    return compiled(*part(name))


def part(name: str) -> tuple[str, Callable[[], str]]:
    """Key and LLVM code of the object of a builtin."""
    own = hashlib.sha256(Path(native_code.__file__).read_bytes()).hexdigest()
    return f"native|{name}|{own}", native_code.BUILTINS[name]


class _Definition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class Code(Protocol):
    """What the builtins read of machine code (`kernel.Code`)."""

    address: int
    sizes: tuple[tuple[int, ...], tuple[int, ...]]
    tape: NDArray[np.int64]
    constants: NDArray[Any]
    template: NDArray[Any]
    tables: tuple[NDArray[np.int64], ...]
    dtype: np.dtype[Any]

    def workspace(self) -> NDArray[Any]: ...
    def words(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[int]: ...


class Kernel(Protocol):
    """What they read of a kernel (`kernel.Kernel`)."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def code(self, width: int) -> Code: ...


class _Table(np.ndarray):
    """Words that a builtin reads, and the owner of what they point to."""

    owned: list[Any]


class OneState:
    """Two callables on single states: `call(*inputs)`, and `into(*inputs, *results)`, which returns None.

    Several results can also be given to `into` as one record or tuple.

    kernel : its one-lane code is compiled by `prepare`; until then everything goes to `slow`
    shapes : of the results, with as many entries as the kernel's outputs have
    record : what several results are returned as, a class of tuples
    slow, slow_into : called with the same arguments when they are unusual or a number is not finite
    """

    def __init__(
        self,
        kernel: Kernel,
        shapes: Sequence[tuple[int, ...]],
        slow: Callable[..., Any],
        slow_into: Callable[..., Any],
        record: type[tuple[Any, ...]] = tuple,
    ):
        self._kernel, self._shapes, self._slow_into = kernel, [np.array(shape, np.int64) for shape in shapes], slow_into
        self._tables: list[_Table] = []
        self._record = record
        self._possible = available() and len(kernel.inputs) <= MOST_INPUTS and len(shapes) <= MOST_OUTPUTS
        self.ready = not self._possible
        self.call: Callable[..., Any] = self._builtin("one_state", slow) if self._possible else slow

    @cached_property
    def into(self) -> Callable[..., Any]:
        """The entry for given results, made on first use."""
        vectors = all(shape.size for shape in self._shapes)  # NumPy's own scalars have no shape to look at
        return self._builtin("one_into", self._slow_into) if self._possible and vectors else self._slow_into

    def prepare(self) -> None:
        """Compile the kernel's code for one lane, so that calls reach it without Python."""
        code = self._kernel.code(1)
        self._fill_tables(code)
        self.ready = True
        self._fill_tables(code)  # also one that another thread has just made

    def _builtin(self, name: str, fallback: Callable[..., Any]) -> Callable[..., Any]:
        head = [NOT_READY, len(self._shapes), *[0] * (SLOW - KERNEL), id(fallback), id(self._record), *_interpreter()]
        words = [*head, *[0] * (2 * len(self._kernel.inputs) + RESULT * len(self._shapes))]
        made, table = _method(name, words, (self._shapes, fallback, self._record, self._kernel))
        self._tables.append(table)
        if self.ready:
            self._fill_tables(self._kernel.code(1))
        return made

    def _fill_tables(self, code: Code) -> None:
        """Fill the tables of existing builtins so that they call the code."""
        kernel, inputs = self._kernel, len(self._kernel.inputs)
        for table in self._tables:
            if table[N_IN] != NOT_READY:
                continue
            arrays, places = kernel_table(code)
            workspace = code.workspace()
            rest: list[int] = []
            for n, place in zip(kernel.inputs, places[:inputs], strict=True):
                rest += [n, place]
            for shape, n, place in zip(self._shapes, kernel.outputs, places[inputs:], strict=True):
                buffers = _buffers(8 * n)
                rest += [len(shape), shape.ctypes.data, place, 8 * n, buffers.ctypes.data if len(buffers) else 0]
                table.owned.append(buffers)
            table.owned.append((arrays, workspace))  # threads may prepare at once: each keeps its own
            table[KERNEL:SLOW] = _runs(code, arrays, workspace)
            table[FIRST:] = rest
            table[N_IN] = inputs  # from here on calls are served


def rows(code: Code, inputs: Sequence[int], outputs: Sequence[int], slow: Callable[..., Any]) -> Callable[..., Any]:
    """A callable on 2-D inputs and outputs that says whether all was finite.

    It has one workspace: one caller at a time.
    """
    if not available():
        return slow
    arrays, places = kernel_table(code)
    workspace = aligned_copy(code.template)
    numbers = _interpreter(code.dtype)
    words = [len(inputs), len(outputs), *_runs(code, arrays, workspace), id(slow), id(tuple), *numbers]
    for n, place in zip((*inputs, *outputs), places, strict=True):
        words += [n, place]
    return _method("rows", words, (arrays, workspace, slow, code))[0]


def _runs(code: Code, arrays: NDArray[np.int64], workspace: NDArray[np.float64]) -> list[int]:
    """Return the words KERNEL to CONSTANTS of a table."""
    return [
        code.address, arrays.ctypes.data, code.tape.ctypes.data, workspace.ctypes.data, code.constants.ctypes.data,
    ]  # fmt: skip


def _interpreter(dtype: np.dtype[Any] = np.dtype(float)) -> list[int]:  # noqa: B008
    """Return the words TYPE to ITEM of a table."""
    api = ("PyObject_Vectorcall", "Py_IncRef", "Py_DecRef", "PyType_GenericAlloc", "PyTuple_SetItem",
           "PyEval_SaveThread", "PyEval_RestoreThread", "PyBool_FromLong")  # fmt: skip
    return [id(np.ndarray), id(dtype), id(tuple), _numpy_api()[PYARRAY_NEW], *map(_address, api),
            id(None), dtype.itemsize]  # fmt: skip


def _buffers(size: int) -> NDArray[Any]:
    """Arrays whose memory results of a number of bytes are made on; none for small ones.

    The array of objects has the only references to them, and its data are their addresses.
    """
    count = BUFFERS if size >= LARGE else 0
    out = np.empty(count, object)
    for k in range(count):
        out[k] = np.empty(size // 8)
    return out


_definitions: dict[str, tuple[_Definition, Loaded]] = {}


def _definition(name: str) -> _Definition:
    """The method definition of a builtin; it is never freed, as the interpreter reads it.

    Threads may make one at the same time: all of them use the same one, with the code that belongs to it.
    """
    found = _definitions.get(name)
    if found is None:
        shim = _shim(name)
        made = _Definition(name.encode(), shim.address(name), METH_FASTCALL, None)
        found = _definitions.setdefault(name, (made, shim))
    return found[0]


def _method(name: str, words: list[int], owned: tuple[Any, ...]) -> tuple[Callable[..., Any], _Table]:
    """A builtin bound to a table, which owns what its words point to."""
    table = np.array(words, np.int64).view(_Table)
    table.owned = list(owned)
    return _new_method()(ctypes.addressof(_definition(name)), table, None, None), table


@functools.cache
def _new_method() -> Callable[..., Any]:
    """CPython's constructor of builtins.

    Its types are declared once: ctypes borrows them during a call, so no thread may replace them while another calls.
    """
    pointer = ctypes.c_void_p
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, pointer, ctypes.py_object, pointer, pointer)
    return prototype(("PyCMethod_New", ctypes.pythonapi))


def aligned_copy(values: NDArray[Any]) -> NDArray[Any]:
    """A copy that starts on a cache line, for aligned vector loads."""
    raw = np.empty(values.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    copy = raw[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def kernel_table(code: Code) -> tuple[NDArray[np.int64], list[int]]:
    """The table of arrays that code reads, for one row, and the words where addresses go (strides follow them)."""
    inputs, outputs = code.sizes
    blank = [[np.zeros((1, n)) for n in sizes] for sizes in (inputs, outputs)]
    arrays = np.array(code.words(*blank), np.int64)
    count = len(inputs) + len(outputs)
    places = [2 + 4 * k for k in range(count)] if code.tables else [2 * k for k in range(count)]
    return arrays, places
