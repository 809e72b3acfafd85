"""Recorded programs, as data."""

from __future__ import annotations

from typing import NamedTuple

Call = tuple[str, tuple[int, ...], int]  # name of a step, first slots of its outputs and inputs, constants


class Tape(NamedTuple):
    """A recorded program."""

    calls: tuple[Call, ...]
    slots: int
    inputs: tuple[tuple[int, int], ...]  # first slot, length
    outputs: tuple[tuple[int, ...], ...]  # slot of every entry
    fixed: tuple[tuple[int, float], ...]  # slots that hold constants
    constants: tuple[float, ...]
