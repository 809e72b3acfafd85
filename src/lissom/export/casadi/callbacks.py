"""Layers as casadi functions that run Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from lissom.errors import InputError, SolveError
from lissom.export.casadi.layers import Layer
from lissom.later import cached_property
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

    @cached_property
    def _slopes(self) -> Layer | None:
        return None if self._layer.jacobian is None else self._layer.jacobian()

    def has_jac_sparsity(self, result: int, by: int) -> bool:
        return self._slopes is not None

    def get_jac_sparsity(self, result: int, by: int, symmetric: bool) -> Any:
        assert self._slopes is not None
        return self._slopes.outputs[result * self.get_n_in() + by]

    def has_jacobian(self) -> bool:
        return self._slopes is not None

    def get_jacobian(self, name: str, inputs: Sequence[str], outputs: Sequence[str], options: Any) -> Any:
        assert self._slopes is not None
        return as_function(self._slopes, name, inputs, outputs, self._n)

    def has_forward(self, count: int) -> bool:
        return self._slopes is not None

    def get_forward(self, count: int, name: str, inputs: Sequence[str], outputs: Sequence[str], options: Any) -> Any:
        symbols, moves = self._symbols(inputs, self._layer.inputs, count)
        J = self.jacobian().call(symbols[: len(self._inputs) + len(self._outputs)])
        results = []
        for k, pattern in enumerate(self._layer.outputs):
            row = J[k * len(moves) : (k + 1) * len(moves)]
            moved = sum(ca.mtimes(slope, _stacked(move, count)) for slope, move in zip(row, moves, strict=True))
            results.append(ca.reshape(moved, pattern.size1(), pattern.size2() * count))
        return ca.Function(name, symbols, results, list(inputs), list(outputs))

    def has_reverse(self, count: int) -> bool:
        return self._slopes is not None

    def get_reverse(self, count: int, name: str, inputs: Sequence[str], outputs: Sequence[str], options: Any) -> Any:
        if count == 1 and self._layer.reverse is not None:
            return as_function(self._layer.reverse(), name, inputs, outputs, self._n)
        symbols, weights = self._symbols(inputs, self._layer.outputs, count)
        J = self.jacobian().call(symbols[: len(self._inputs) + len(self._outputs)])
        results = []
        for k, pattern in enumerate(self._layer.inputs):
            column = J[k :: len(self._inputs)]
            share = sum(ca.mtimes(slope.T, _stacked(w, count)) for slope, w in zip(column, weights, strict=True))
            results.append(ca.reshape(share, pattern.size1(), pattern.size2() * count))
        return ca.Function(name, symbols, results, list(inputs), list(outputs))

    def _symbols(self, names: Sequence[str], seeds: Sequence[Any], count: int) -> tuple[list[Any], list[Any]]:
        """Symbols for the inputs of a derivative along `count` directions side by side, and the directions of them."""
        states = [*self._layer.inputs, *(ca.Sparsity(*pattern.shape) for pattern in self._layer.outputs)]
        wide = [ca.horzcat(*[pattern] * count) for pattern in seeds]
        symbols = [ca.MX.sym(word, pattern) for word, pattern in zip(names, [*states, *wide], strict=True)]
        return symbols, symbols[len(states) :]

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arguments: Sequence[Any], results: Sequence[Any]) -> int:
        given = [self._read(k, buffer) for k, buffer in enumerate(arguments)]
        try:
            found = self._layer.compute(given)
        except (InputError, SolveError):  # numbers that are not finite, singular inertia
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


def _stacked(directions: Any, count: int) -> Any:
    """Directions side by side as columns."""
    return ca.reshape(directions, directions.numel() // count, count)
