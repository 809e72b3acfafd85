"""Parameters that are to be found, and blocks of columns that multiply them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from lissom.identification.fit.masks import Mask
from lissom.identification.signals.samples import Samples
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Terms:
    """Parameters of a block.

    Parameters
    ----------
    names, units : sequences of str (k,)
    prior : (k,)         values of the given arm
    scale : (k,)         typical sizes; 0 where there is none
    nonnegative : (k,)   whether a negative value would be unphysical
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    prior: Array
    scale: Array
    nonnegative: Mask

    @classmethod
    def joined(cls, parts: Sequence[Terms]) -> Terms:
        """The terms of several blocks in a row."""
        words = tuple(name for part in parts for name in part.names)
        units = tuple(unit for part in parts for unit in part.units)
        prior, scale = (np.concatenate([getattr(part, word) for part in parts]) for word in ("prior", "scale"))
        return cls(words, units, prior, scale, np.concatenate([part.nonnegative for part in parts]))


class State(NamedTuple):
    """What columns are functions of.

    samples : Samples
    Y : (nt, n, 10 links)      regressor of the links
    link_torque : (nt, n)      torque of the links alone, on which friction may depend
    """

    samples: Samples
    Y: Array
    link_torque: Array


class Block(Protocol):
    """Columns of one kind; ``kind`` is "inertia", "payload", "armature", "friction" or "extra"."""

    @property
    def kind(self) -> str:
        """Which kind."""
        ...

    @property
    def terms(self) -> Terms:
        """Parameters of this part of the model."""
        ...

    def columns(self, state: State) -> Array:
        """Torques (nt, n, k) of unit parameters."""
        ...


def diagonal(values: Array) -> Array:
    """Columns (nt, n, n) of one parameter per joint, each of which acts on its own joint."""
    count = values.shape[1]
    out = np.zeros((*values.shape, count))
    out[:, range(count), range(count)] = values
    return out
