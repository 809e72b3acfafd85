"""What was computed for an arm and serves again: one object, in the arm's slot, as long as the arm lives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

from lissom.later import cached_property, hold_at_fork, importing

if TYPE_CHECKING:
    from lissom.kernels.closures import Closure
    from lissom.kernels.functions import Functions
    from lissom.model.arm import Arm

Result = TypeVar("Result")
_creating = threading.RLock()
hold_at_fork(_creating)


class Entries:
    """Entries for one state, as attributes named after their verbs; an attribute is there after the first call."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...


class ArmCache:
    """Everything that was computed for one arm.

    one : Entries        ``entry(*state)``, which the public functions call
    into : Entries       ``entry(*state, out)``, which writes to given arrays; several results are one tuple
    """

    __slots__ = ("__dict__", "__weakref__", "arm", "into", "one")  # found 10 ns sooner than in a dictionary

    def __init__(self, arm: Arm):
        self.arm = arm
        self.one, self.into = Entries(), Entries()
        self._stored: dict[tuple[str, Hashable], Any] = {}

    @cached_property
    def functions(self) -> Functions:
        """The compiled functions; the engine is imported on first use."""
        with importing:
            from lissom.kernels.functions import Functions
        return Functions(self.arm)

    @cached_property
    def without_friction(self) -> Functions:
        """The compiled functions of the arm without the jumps of friction in its joints."""
        from lissom.kernels.functions import Functions

        rough = any(body.breakaway for body in self.functions.bodies.list)
        return Functions(self.arm, friction=False, short_lived=self.functions.short_lived) if rough else self.functions

    @cached_property
    def closure(self) -> Closure:
        """The closures of the arm's loops."""
        from lissom.kernels.closures import Closure

        return Closure(self.functions)

    def stored(self, what: str, key: Hashable, make: Callable[[], Result]) -> Result:
        """What `make` returned the first time, of one kind and key; where threads make it at once, the first counts."""
        if (what, key) not in self._stored:
            self._stored.setdefault((what, key), make())
        found: Result = self._stored[what, key]
        return found


def cache_of(arm: Arm) -> ArmCache:
    """The cache of an arm, made on first use."""
    try:
        made: ArmCache = arm._compiled
    except AttributeError:
        with _creating:
            made = getattr(arm, "_compiled", None) or ArmCache(arm)
            object.__setattr__(arm, "_compiled", made)
    return made


def functions_of(arm: Arm) -> Functions:
    """The compiled functions of an arm."""
    return cache_of(arm).functions


def closure_of(arm: Arm) -> Closure:
    """The closures of an arm's loops."""
    return cache_of(arm).closure
