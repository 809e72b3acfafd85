"""Layers as casadi functions that run Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from lissom.errors import LissomError
from lissom.export.casadi.layers import Layer
from lissom.spatial.rotations import Array

_alive: list[LayerFunction] = []  # expressions hold bare pointers to them, and outlive any object of Python


def as_function(layer: Layer, name: str, inputs: Sequence[str], outputs: Sequence[str], n: int) -> Any:
    """The layer as a casadi function that lives as long as the process."""
    made = LayerFunction(layer, name, inputs, outputs, n)
    _alive.append(made)
    return made


class LayerFunction(ca.Callback):
    """A layer on casadi's own buffers; states for which it fails give no numbers, so that solvers step back."""

    def __init__(self, layer: Layer, name: str, inputs: Sequence[str], outputs: Sequence[str], n: int) -> None:
        ca.Callback.__init__(self)
        self._layer, self._inputs, self._outputs, self._n = layer, inputs, outputs, n
        # one adjoint: from the product; more of them: from the Jacobian
        self.construct(name, {"jac_penalty": 1.0 / layer.outputs[0].nnz()})

    def get_n_in(self) -> int:
        return len(self._inputs)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_name_in(self, k: int) -> str:
        return self._inputs[k]

    def get_name_out(self, k: int) -> str:
        return self._outputs[k]

    def get_sparsity_in(self, k: int) -> Any:
        return self._layer.inputs[k]

    def get_sparsity_out(self, k: int) -> Any:
        return self._layer.outputs[k]

    def has_jacobian(self) -> bool:
        return self._layer.jacobian is not None

    def get_jacobian(self, name: str, inputs: Sequence[str], outputs: Sequence[str], options: Any) -> Any:
        assert self._layer.jacobian is not None
        return as_function(self._layer.jacobian(), name, inputs, outputs, self._n)

    def has_reverse(self, count: int) -> bool:
        return count == 1 and self._layer.reverse is not None

    def get_reverse(self, count: int, name: str, inputs: Sequence[str], outputs: Sequence[str], options: Any) -> Any:
        assert self._layer.reverse is not None
        return as_function(self._layer.reverse(), name, inputs, outputs, self._n)

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arguments: Sequence[Any], results: Sequence[Any]) -> int:
        given = [self._read(k, buffer) for k, buffer in enumerate(arguments)]
        try:
            found = self._layer.compute(given)
        except LissomError:
            found = [np.nan] * len(results)
        for buffer, value, pattern in zip(results, found, self._layer.outputs, strict=True):
            if buffer is not None and pattern.nnz():
                np.frombuffer(buffer)[:] = np.ravel(value)
        return 0

    def _read(self, k: int, buffer: Any) -> Array:
        """An input as an array (n,), or (samples, n) for several; one that is not there is zero."""
        pattern = self._layer.inputs[k]
        entries = np.zeros(pattern.nnz()) if buffer is None else np.frombuffer(buffer)
        return entries if entries.size <= self._n else entries.reshape(-1, self._n)
