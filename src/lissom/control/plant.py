"""What the analysis of linear plants needs to know of them."""

from __future__ import annotations

from typing import Protocol

from lissom.spatial.rotations import Array


class Plant(Protocol):
    """``dx/dt = A x + B u``, ``y = C x + D u`` with names; ``x[k+1] = ...`` where there is a sampling time dt."""

    @property
    def A(self) -> Array: ...
    @property
    def B(self) -> Array: ...
    @property
    def C(self) -> Array: ...
    @property
    def D(self) -> Array: ...
    @property
    def states(self) -> tuple[str, ...]: ...
    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def outputs(self) -> tuple[str, ...]: ...
    @property
    def dt(self) -> float | None: ...
