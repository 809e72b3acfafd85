"""Functions in single precision, of batches: eight states at a time, in float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.engine.function import Function, check_count
from lissom.engine.kernel import SINGLE_LANES, Kernel
from lissom.errors import InputError
from lissom.kernels.checked import Checked
from lissom.kernels.non_finite import non_finite_stretches

Single = NDArray[np.float32]
SINGLE = np.dtype(np.float32)


class SingleFunction:
    """A function of float32 arrays; states that have no finite result in single precision are computed in double.

    double : the same function in double precision
    kernel : in single precision
    """

    def __init__(self, double: Function, kernel: Kernel):
        self.double, self.kernel, self.name = double, kernel, double.name
        self._lengths = [int(np.prod(shape)) for shape in double.shapes]

    def __call__(self, *arrays: Any, threads: int | None = None) -> Any:
        """Results for one state or a batch, as float32 arrays."""
        check_count(self.name, self.double.arguments, arrays)
        given = [self._read(x, k) for k, x in enumerate(arrays)]
        batch = self.double._batch(given)  # type: ignore[arg-type]
        results = [np.empty((*batch, *shape), SINGLE) for shape in self.double.shapes]
        self._compute(given, batch, results, threads)
        self._check(arrays)
        return results[0] if len(results) == 1 else tuple.__new__(self.double.record, results)

    def into(self, *arrays: Any, threads: int | None = None) -> None:
        """Compute into the last argument, an array or a tuple of arrays."""
        check_count(self.name, (*self.double.arguments, "out"), arrays)
        given = [self._read(x, k) for k, x in enumerate(arrays[:-1])]
        batch, out = self.double._batch(given), arrays[-1]  # type: ignore[arg-type]
        results = [out] if len(self._lengths) == 1 else list(out)
        for y, shape in zip(results, self.double.shapes, strict=True):
            want = (*batch, *shape)
            if not isinstance(y, np.ndarray) or y.dtype != SINGLE or y.shape != want or not y.flags.writeable:
                have = f"{y.dtype} {y.shape}" if isinstance(y, np.ndarray) else type(y).__name__
                raise InputError(f"{self.name}: out is {have}; expected a writeable float32 array of shape {want}.")
        direct = [y.flags.c_contiguous and not any(np.may_share_memory(y, x) for x in given) for y in results]
        made = [y if plain else np.empty(y.shape, SINGLE) for y, plain in zip(results, direct, strict=True)]
        self._compute(given, batch, made, threads)
        for y, value in zip(results, made, strict=True):
            if y is not value:
                y[...] = value
        self._check(arrays[:-1])

    def _check(self, arrays: Sequence[Any]) -> None:
        """The check that follows calls of the function in double precision, if there is one."""
        if isinstance(self.double, Checked) and self.double.check is not None:
            self.double.check(arrays)

    def _read(self, value: Any, k: int) -> Single:
        """An argument as a float32 array (..., n)."""
        n = self.double.sizes[k]
        if type(value) is np.ndarray and value.dtype == SINGLE and value.ndim and value.shape[-1] == n:
            return value
        return np.asarray(self.double.read(value, k), SINGLE)

    def _compute(
        self, given: Sequence[Single], batch: tuple[int, ...], results: Sequence[Single], threads: int | None
    ) -> None:
        rows = int(np.prod(batch))
        if rows == 0:
            return
        inputs = [np.ascontiguousarray(np.broadcast_to(x, (*batch, x.shape[-1]))).reshape(rows, -1) for x in given]
        flat = [y.reshape(rows, n) for y, n in zip(results, self._lengths, strict=True)]
        if rows < SINGLE_LANES:
            fine = self._few(inputs, flat)
        else:
            fine = self.kernel.run(inputs, flat, threads)  # type: ignore[arg-type]
        if not fine:
            self._recover(inputs, flat, batch)

    def _few(self, inputs: Sequence[Single], flat: Sequence[Single]) -> bool:
        """Compute fewer rows than there are lanes, beside copies of the last one."""
        rows = len(flat[0])
        more = [np.concatenate([x, np.repeat(x[-1:], SINGLE_LANES - rows, axis=0)]) for x in inputs]
        room = [np.empty((SINGLE_LANES, y.shape[1]), SINGLE) for y in flat]
        fine = self.kernel.run(more, room)  # type: ignore[arg-type]
        for y, all_rows in zip(flat, room, strict=True):
            y[...] = all_rows[:rows]
        return fine

    def _recover(self, inputs: Sequence[Single], flat: Sequence[Single], batch: tuple[int, ...]) -> None:
        """Compute rows that are not finite in double precision, which explains what is wrong with them."""
        for rows in non_finite_stretches([*inputs, *flat]):
            some = [x[rows].astype(float) for x in inputs]
            made = [np.empty((rows.stop - rows.start, n)) for n in self._lengths]
            self.double.fill(some, made, batch, None, rows.start)
            for y, value in zip(flat, made, strict=True):
                y[rows] = value
