"""The inputs of a closed loop in one vector: constant entries first, then those that vary with time."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np

from lissom.later import cached_property
from lissom.simulation.signals import Signal, Steady, common_runs, over
from lissom.spatial.rotations import Array


class Inputs:
    """Signals by name, and their positions in the input vector.

    Parameters
    ----------
    signals : (name, Signal) each, in any order
    """

    def __init__(self, signals: Iterable[tuple[str, Signal]]):
        self.signals = sorted(signals, key=lambda pair: pair[1].varies)
        self.places: dict[str, slice] = {}
        at = 0
        for name, signal in self.signals:
            self.places[name] = slice(at, at + signal.size)
            at += signal.size
        self.size = at
        self.steady_size = sum(signal.size for _, signal in self.signals if not signal.varies)
        # of how many runs it tells, None: of no number
        self.runs = common_runs((signal.name, signal.runs) for _, signal in self.signals)

    @property
    def shape(self) -> list[tuple[str, int, bool]]:
        """(name, size, varies) of every signal, which decide the compiled program."""
        return [(name, signal.size, signal.varies) for name, signal in self.signals]

    @cached_property
    def jumps(self) -> Array:
        """Times at which some signal jumps."""
        return np.unique(np.concatenate([np.zeros(0), *(signal.jumps for _, signal in self.signals)]))

    @property
    def ready(self) -> bool:
        """Whether no signal calls a Python function of the user, so that all can be sampled in advance."""
        return all(isinstance(signal.value, Steady) for _, signal in self.signals if signal.varies)

    def finest(self, sample: float) -> float:
        """Longest step [s] that skips no feature of the signals; functions are evaluated once per sample."""
        return min((signal.finest or sample for _, signal in self.signals if signal.varies), default=np.inf)

    def part(self, name: str, vector: Array) -> Array:
        """Return one of the signals from the vector (..., size), or from its constant part."""
        return vector[..., self.places[name]]

    # ---- some of the runs ------------------------------------------------------------------------

    def member(self, run: int) -> Inputs:
        """Return the inputs of one run."""
        if not any(signal.varies or signal.value.ndim == 2 for _, signal in self.signals):
            return self
        return self._with([(name, signal.member(run)) for name, signal in self.signals], None)

    def rows(self, some: slice) -> Inputs:
        """Return the inputs of some runs."""
        runs = self.runs if self.runs in (None, 1) else len(range(*some.indices(self.runs)))
        return self._with([(name, signal.rows(some)) for name, signal in self.signals], runs)

    def _with(self, signals: list[tuple[str, Signal]], runs: int | None) -> Inputs:
        other = copy.copy(self)
        other.__dict__.pop("_steady_row", None)
        other.signals, other.runs = signals, runs
        return other

    # ---- values ----------------------------------------------------------------------------------

    def steady(self, rows: int) -> Array:
        """(rows, steady_size) constant part of the vector; a repeated row is not copied."""
        parts = [np.broadcast_to(s.value, (rows, s.size)) for _, s in self.signals if not s.varies]
        if all(part.strides[0] == 0 for part in parts):
            row = np.concatenate([part[0] for part in parts]) if parts else np.zeros(0)
            return np.broadcast_to(row, (rows, len(row)))
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def varying(self, t: float, before: bool = False) -> Array:
        """(varying,) or (runs, varying) part that varies, at one time."""
        parts = [s.at(t, before) for _, s in self.signals if s.varies]
        if not parts:
            return np.zeros(0)
        if any(part.ndim == 2 for part in parts):
            rows = max(len(part) for part in parts if part.ndim == 2)
            parts = [np.broadcast_to(part, (rows, part.shape[-1])) for part in parts]
        return np.concatenate(parts, axis=-1)

    def varying_over(self, times: Array, before: bool = False) -> Array:
        """(nt, varying) or (nt, runs, varying) part that varies, at many times."""
        parts = [over(s, times, before) for _, s in self.signals if s.varies]
        if not parts:
            return np.zeros((len(times), 0))
        runs = max((part.shape[1] for part in parts if part.ndim == 3), default=None)
        if runs is not None:
            wide = [part if part.ndim == 3 else part[:, None] for part in parts]
            parts = [np.broadcast_to(part, (len(times), runs, part.shape[-1])) for part in wide]
        return np.concatenate(parts, axis=-1)

    def at(self, t: float, before: bool = False) -> Array:
        """(size,) whole vector of a single run at one time."""
        return np.concatenate([self._steady_row, self.varying(t, before)])

    @cached_property
    def _steady_row(self) -> Array:
        return np.ascontiguousarray(self.steady(1)[0])
