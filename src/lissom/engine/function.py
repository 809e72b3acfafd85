"""A compiled function of arrays: shapes, broadcasting, `out=`, one state or many, and what to do
when a number is not finite."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.arrays import as_floats
from lissom.engine import native
from lissom.engine.blocks import Box, Joined, boxes, rows_in_room, taken
from lissom.engine.kernel import Kernel
from lissom.engine.program import Plain
from lissom.errors import InputError, shown
from lissom.later import cached_property

Array = NDArray[np.float64]
FLOAT = np.dtype(float)  # comparing with it is much quicker than with `float`
SEQUENCES = (list, tuple)
PLAIN_ROWS = 4096  # at once on NumPy, where thousands of intermediate values lie in memory
HARD = 10_000  # how hard to look for entries in common


class Function:
    """`program` as a function of arrays (..., n), results (..., *shape).

    name, arguments : for messages
    shapes : of each result for one state
    program : the program, run plainly where the kernel's numbers are not finite or there is no kernel
    kernel : compiled, or None for plain NumPy
    explain : called with words for a state (" of state [3]") and its inputs when its results are not finite; raises
    record : what several results are returned as, a class of tuples

    `rescue(inputs)` may be set: given rows whose results are not finite, it gives results, not finite where it fails.

    `read(value, k)` turns argument k into an array (..., n); it can be replaced.

    `row_bytes` is what a row takes beside inputs and results where it is not computed in place.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        sizes: Sequence[int],
        shapes: Sequence[tuple[int, ...]],
        program: Callable[[Any], None],
        kernel: Kernel | None,
        explain: Callable[..., None],
        record: type[tuple[Any, ...]] | None = None,
    ):
        self.name, self.arguments, self.sizes, self.shapes = name, tuple(arguments), tuple(sizes), tuple(shapes)
        self.program, self.kernel, self.explain, self.record = program, kernel, explain, record or tuple
        self._lengths = tuple(math.prod(shape) for shape in self.shapes)
        self.row_bytes = 8 * (sum(self.sizes) + sum(self._lengths))
        self._matrices = any(len(shape) > 1 for shape in self.shapes)
        self.read: Callable[[ArrayLike, int], Array] = self._numbers
        self.rescue: Callable[[list[Array]], list[Array]] | None = None
        self.one: Callable[..., Any] = self
        self._entries: native.OneState | None = None
        if kernel is not None:
            self._entries = native.OneState(kernel, self.shapes, self, self._into, self.record)
            self.one = self._entries.call

    @cached_property
    def into(self) -> Callable[..., Any]:
        """The entry for one state whose results are given: ``into(*arrays, *results)``, also as one tuple."""
        return self._into if self._entries is None else self._entries.into

    def prepare(self) -> None:
        """Compile the code for single states, which else the first call does."""
        if self._entries is not None and not self._entries.ready:
            self._entries.prepare()

    def __call__(self, *arrays: ArrayLike, out: Any = None, threads: int | None = None) -> Any:
        """Results for one state or a batch; a record (a tuple unless another was given) when there are several."""
        check_count(self.name, self.arguments, arrays)
        if self.kernel is not None and type(arrays[0]) is np.ndarray and arrays[0].ndim == 2:
            results = self._quick(arrays, out, threads)
            if results is not None:
                return results
        given = [self._later(x, k) for k, x in enumerate(arrays)]
        batch = self._batch(given)
        if not batch and self._entries is not None and not self._entries.ready:
            self.prepare()  # the next state needs no Python
            if out is None and self._in_place(given, [], batch):
                return self._entries.call(*given)  # and this one no code for rows
        if out is None:
            results = [np.empty((*batch, *shape)) for shape in self.shapes]
        else:
            results = self._given(out, batch)
        most = rows = math.prod(batch)
        if not self._in_place(given, results, batch):
            most = rows_in_room(self.row_bytes)
            if out is not None and rows > most:
                given = [_apart(x, results, batch) for x in given]
        for box in boxes(batch, most):
            self._box(given, results, batch, box, threads)
        return self._returned(results)

    def _returned(self, results: Sequence[Array]) -> Any:
        """One result, or all of them as a record."""
        return results[0] if len(results) == 1 else tuple.__new__(self.record, results)

    def _later(self, value: Any, k: int) -> Any:
        """Convert an argument to an array, except one that can be read block by block."""
        if type(value) is Joined or (type(value) is np.ndarray and value.ndim and value.dtype.kind in "iuf"):
            return value
        return self.read(value, k)

    def _in_place(self, given: list[Any], results: list[Array], batch: tuple[int, ...]) -> bool:
        """Whether a kernel can run on these inputs and results without copies."""
        if self.kernel is None:
            return False
        for x, n in zip(given, self.sizes, strict=True):
            if type(x) is Joined or x.dtype != FLOAT or x.shape[-1] != n:
                return False
            if not (_plain(x) and (x.ndim == 1 or x.shape[:-1] == batch)):
                return False
        return all(_plain(y) and not any(np.may_share_memory(y, x) for x in given) for y in results)

    def _box(
        self, given: list[Any], results: list[Array], batch: tuple[int, ...], box: Box, threads: int | None
    ) -> None:
        """Compute the results of a block of states, through copies where needed."""
        inputs = []
        for k, (x, n) in enumerate(zip(given, self.sizes, strict=True)):
            try:
                some = self.read(taken(x, batch, box), k)
            except InputError:
                self.read(x, k)  # it names the place in all of the array
                raise
            inputs.append(_rows(some, box.rows, n))
        parts = [y[box.index] for y in results]
        flat = [_flat(y, box.rows, n) for y, n in zip(parts, self._lengths, strict=True)]
        if any(np.may_share_memory(y, x) for y in flat for x in inputs):
            inputs = [x.copy() for x in inputs]
        self.fill(inputs, flat, batch, threads, box.first)
        for y, part in zip(parts, flat, strict=True):
            if not np.may_share_memory(y, part):  # it could not be written in place
                y[...] = part.reshape(y.shape)

    def _into(self, *arrays: Any) -> None:
        """Call the function and write its results to the arrays given after the inputs."""
        k = len(self.sizes)
        if len(arrays) <= k:
            check_count(self.name, (*self.arguments, "out"), arrays)
        out = arrays[k:]
        self(*arrays[:k], out=out[0] if len(out) == 1 else out)

    def _quick(self, arrays: Sequence[Any], out: Any, threads: int | None) -> Any:
        """Fast path for few rows of plain arrays; None if it does not apply."""
        rows = len(arrays[0])
        for x in arrays:
            if type(x) is not np.ndarray or x.ndim != 2 or len(x) != rows:
                return None
        if threads != 1 and (threads is not None or self.kernel.threaded(rows)):  # type: ignore[union-attr]
            return None
        if out is None:
            results = [np.empty((rows, *shape)) for shape in self.shapes]
        else:
            results = self._given(out, (rows,))
            if not all(y.flags.c_contiguous for y in results):
                return None
            if any(np.may_share_memory(y, x) for y in results for x in arrays):
                return None
        flat = [y.reshape(rows, n) for y, n in zip(results, self._lengths, strict=True)] if self._matrices else results
        if not self.kernel.try_rows(rows, (*arrays, *flat)):  # type: ignore[union-attr]
            return None
        return self._returned(results)

    def fill(
        self, inputs: list[Array], flat: list[Array], batch: tuple[int, ...], threads: int | None, first: int = 0
    ) -> None:
        """Compute into flat results; recover or explain what is not finite. `first`: number of the first row."""
        if self.kernel is not None and self.kernel.run(inputs, flat, threads):
            return
        for start in range(0, max(len(flat[0]), 1), PLAIN_ROWS):
            some = slice(start, start + PLAIN_ROWS)
            few, into = [x[some] for x in inputs], [y[some] for y in flat]
            if self.kernel is None:
                self._plainly(few, into, np.arange(len(into[0])))
            if not all(np.isfinite(y).all() for y in (*few, *into)):
                self._recover(few, into, batch, first + start)

    def _numbers(self, value: ArrayLike, k: int) -> Array:
        try:
            array = as_floats(value)
        except TypeError as error:
            raise InputError(f"{self.name}: {self.arguments[k]} is {shown(value)}; expected {error}.") from None
        if array.ndim == 0 or array.shape[-1] != self.sizes[k]:
            have = f"shape {array.shape}" if array.ndim else "no axis"
            raise InputError(
                f"{self.name}: {self.arguments[k]} has {have}; expected ({self.sizes[k]},) or (..., {self.sizes[k]})."
            )
        return array

    def _batch(self, arrays: list[Array]) -> tuple[int, ...]:
        first = arrays[0].shape[:-1]
        if all(x.shape[:-1] == first for x in arrays[1:]):
            return first
        try:
            return np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        except ValueError:
            shapes = ", ".join(f"{word} {x.shape}" for word, x in zip(self.arguments, arrays, strict=True))
            raise InputError(f"{self.name}: the batches do not fit together: {shapes}.") from None

    def _given(self, out: Any, batch: tuple[int, ...]) -> list[Array]:
        """The arrays of `out`, validated."""
        shapes = [(*batch, *shape) for shape in self.shapes]
        return check_out(self.name, [out] if len(shapes) == 1 else out, shapes)

    def _plainly(self, inputs: list[Array], flat: list[Array], rows: NDArray[np.intp]) -> None:
        """Run the program on NumPy arrays, for some rows."""
        run = Plain([x[rows] for x in inputs])
        with np.errstate(all="ignore"):
            self.program(run)
        for y, entries in zip(flat, run.outputs, strict=True):
            for k, entry in enumerate(entries):
                y[rows, k] = entry

    @staticmethod
    def _still(flat: list[Array], rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows whose results are still not finite."""
        return rows[~np.all([np.isfinite(y[rows]).all(axis=1) for y in flat], axis=0)]

    def _recover(self, inputs: list[Array], flat: list[Array], batch: tuple[int, ...], first: int) -> None:
        """Recompute non-finite rows with NumPy (angles beyond the kernel's range); raise an error for the rest."""
        for word, x in zip(self.arguments, inputs, strict=True):
            if not np.isfinite(x).all():
                row, column = (int(i) for i in np.argwhere(~np.isfinite(x))[0])
                spot = [*(int(i) for i in np.unravel_index(first + row, batch)), column] if batch else [column]
                raise InputError(f"{self.name}: {word}{spot} is {x[row, column]}; expected finite numbers.")
        bad = self._still(flat, np.arange(len(flat[0])))
        self._plainly(inputs, flat, bad)
        still = self._still(flat, bad)
        if still.size and self.rescue is not None:
            for y, found in zip(flat, self.rescue([x[still] for x in inputs]), strict=True):
                y[still] = found
            still = self._still(flat, still)
        if still.size:
            spot = [int(i) for i in np.unravel_index(first + still[0], batch)]
            self.explain(f" of state {spot}" if batch else "", *(x[still[0]] for x in inputs))


def check_count(name: str, arguments: Sequence[str], given: Sequence[Any]) -> None:
    """Raise an error for more or fewer arrays than a function takes."""
    if len(given) != len(arguments):
        raise InputError(f"{name}: got {len(given)} arguments; expected {len(arguments)}: {', '.join(arguments)}.")


def check_out(name: str, out: Any, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    """Validated `out` arrays for results of these shapes; raises InputError for others."""
    if not isinstance(out, SEQUENCES) or len(out) != len(shapes):
        have = f"{len(out)} arrays" if isinstance(out, SEQUENCES) else type(out).__name__
        raise InputError(f"{name}: out is {have}; expected {len(shapes)} arrays, as the function returns them.")
    for y, shape in zip(out, shapes, strict=True):
        if not isinstance(y, np.ndarray) or y.dtype != FLOAT or y.shape != shape or not y.flags.writeable:
            have = f"{y.dtype} {y.shape}" if isinstance(y, np.ndarray) else type(y).__name__
            raise InputError(f"{name}: out is {have}; expected a writeable float64 array of shape {shape}.")
        if _overlaps_itself(y):
            raise InputError(
                f"{name}: out has entries that share memory (strides {y.strides}); give an array of its own."
            )
    for k, y in enumerate(out):
        if any(_share(y, other) for other in out[:k]):
            raise InputError(f"{name}: arrays of out share memory; give each result an array of its own.")
    return list(out)


def _share(a: Array, b: Array) -> bool:
    """Whether two arrays share memory, or it cannot be decided quickly."""
    try:
        return np.may_share_memory(a, b) and bool(np.shares_memory(a, b, max_work=HARD))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _overlaps_itself(y: Array) -> bool:
    """Whether some entries of an array share memory."""
    if y.flags.c_contiguous or y.size < 2:
        return False
    extent = y.itemsize
    for stride, n in sorted((abs(stride), n) for stride, n in zip(y.strides, y.shape, strict=True) if n > 1):
        if stride < extent:
            return True
        extent = stride * (n - 1) + extent
    return False


def _flat(y: Array, rows: int, n: int) -> Array:
    """An array (rows, n) with contiguous rows to compute into: y itself if possible."""
    view = y.reshape(rows, n)
    return view if n < 2 or view.strides[1] == view.itemsize else np.empty((rows, n))


def _rows(x: Array, rows: int, n: int) -> Array:
    """An input as (rows, n) with contiguous rows; a repeated row is not copied."""
    if x.ndim == 1:
        return np.broadcast_to(np.ascontiguousarray(x), (rows, n))
    if x.flags.c_contiguous:
        return x.reshape(rows, n)
    flat = x.reshape(rows, n)
    return flat if flat.strides[-1] == 8 or n == 1 else np.ascontiguousarray(flat)


def _plain(x: Array) -> bool:
    """Whether the rows of an array are contiguous and at equal distances."""
    return x.flags.c_contiguous or (x.ndim == 2 and x.strides[1] == x.itemsize)


def _apart(x: Any, results: list[Array], batch: tuple[int, ...]) -> Any:
    """The input, copied if it may share memory with a result."""
    for y in results:
        if type(x) is Joined or not np.may_share_memory(x, y):
            continue
        same = x.shape == y.shape and x.strides == y.strides and x.ctypes.data == y.ctypes.data
        if not same:  # then every block of it is read before it is written
            return x.copy()
    return x
