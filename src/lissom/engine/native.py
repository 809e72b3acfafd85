"""CPython builtins made by LLVM: no machinery between Python and a kernel.

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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.engine import native_code
from lissom.engine.cache import compiled
from lissom.engine.compile import Loaded
from lissom.engine.native_code import FIRST, KERNEL, MOST_INPUTS, MOST_OUTPUTS, N_IN, NOT_READY, SLOW

if TYPE_CHECKING:
    from lissom.engine.kernel import Code, Kernel

METH_FASTCALL = 0x80
PYARRAY_NEW, NDARRAY_TYPE = 93, 2  # places in NumPy's table of functions


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
    own = hashlib.sha256(Path(native_code.__file__).read_bytes()).hexdigest()
    return compiled(f"native|{own}", native_code.module_ir)


class _Definition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Table(np.ndarray):
    """Words that a builtin reads, and the owner of what they point to."""

    owned: list[Any]


class OneState:
    """Two callables on single states: `call(*inputs)` and `into(*inputs, *results)`, which answers True.

    kernel : its one-lane code is compiled by `prepare`; until then everything goes to `slow`
    shapes : of the results, with as many entries as the kernel's outputs have
    slow, slow_into : called with the same arguments when they are unusual or a number is not finite
    """

    call: Callable[..., Any]
    into: Callable[..., Any]

    def __init__(
        self,
        kernel: Kernel,
        shapes: Sequence[tuple[int, ...]],
        slow: Callable[..., Any],
        slow_into: Callable[..., Any],
    ):
        self.call, self.into = slow, slow_into
        self.ready = not available() or len(kernel.inputs) > MOST_INPUTS or len(shapes) > MOST_OUTPUTS
        if self.ready:
            return
        self._kernel, self._shapes = kernel, [np.array(shape, np.int64) for shape in shapes]
        head = [NOT_READY, len(shapes), *[0] * 5]
        words = [*head, 0, *_interpreter(), *[0] * (2 * len(kernel.inputs) + 4 * len(shapes))]
        self._tables = []
        for name, fallback in (("one_state", slow), ("one_into", slow_into)):
            words[SLOW] = id(fallback)
            made, table = _method(name, words, (self._shapes, fallback, kernel))
            self._tables.append(table)
            if name == "one_state":
                self.call = made
            elif all(shapes):  # NumPy's own scalars have no shape to look at
                self.into = made

    def prepare(self) -> None:
        """Compile the kernel's code for one lane, so that calls reach it without Python."""
        kernel, code = self._kernel, self._kernel.code(1)
        inputs = len(kernel.inputs)
        for table in self._tables:
            arrays, places = _template(kernel.inputs, kernel.outputs, code)
            workspace = code.workspace()
            rest: list[int] = []
            for n, place in zip(kernel.inputs, places[:inputs], strict=True):
                rest += [n, place]
            for shape, n, place in zip(self._shapes, kernel.outputs, places[inputs:], strict=True):
                rest += [len(shape), shape.ctypes.data, place, 8 * n]
            table.owned.append((arrays, workspace))  # threads may prepare at once: each keeps its own
            table[KERNEL:SLOW] = _runs(code, arrays, workspace)
            table[FIRST:] = rest
            table[N_IN] = inputs  # from here on calls are served
        self.ready = True


def rows(code: Code, inputs: Sequence[int], outputs: Sequence[int], slow: Callable[..., Any]) -> Callable[..., Any]:
    """A callable on 2-D inputs and outputs that says whether all was finite.

    It has one workspace: one caller at a time.
    """
    if not available():
        return slow
    arrays, places = _template(inputs, outputs, code)
    workspace = aligned_copy(code.template)
    words = [len(inputs), len(outputs), *_runs(code, arrays, workspace), id(slow), *_interpreter()]
    for n, place in zip((*inputs, *outputs), places, strict=True):
        words += [n, place]
    return _method("rows", words, (arrays, workspace, slow, code))[0]


def _runs(code: Code, arrays: NDArray[np.int64], workspace: NDArray[np.float64]) -> list[int]:
    """The words KERNEL to CONSTANTS of a table."""
    return [
        code.address, arrays.ctypes.data, code.tape.ctypes.data, workspace.ctypes.data, code.constants.ctypes.data,
    ]  # fmt: skip


def _interpreter() -> list[int]:
    """The words TYPE to TRUTH of a table."""
    api = ("PyObject_Vectorcall", "Py_DecRef", "PyTuple_New", "PyTuple_SetItem", "PyEval_SaveThread",
           "PyEval_RestoreThread", "PyBool_FromLong")  # fmt: skip
    return [id(np.ndarray), id(np.dtype(float)), _numpy_api()[PYARRAY_NEW], *map(_address, api)]


@functools.cache
def _definition(name: str) -> _Definition:
    """What a builtin says about itself; it must never go away, as the interpreter reads it while it frees one."""
    return _Definition(name.encode(), _shim().address(name), METH_FASTCALL, None)


def _method(name: str, words: list[int], owned: tuple[Any, ...]) -> tuple[Callable[..., Any], _Table]:
    """A builtin bound to a table, which owns what its words point to."""
    table = np.array(words, np.int64).view(_Table)
    table.owned = list(owned)
    make = ctypes.pythonapi.PyCMethod_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p]
    return make(ctypes.addressof(_definition(name)), table, None, None), table


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
