"""Lazy loading of a package's names, on first use.

A process that forks while another of its threads imports a package leaves its child half a package and a lock that
nobody releases. So what is loaded late is loaded under one lock, which a fork waits for. A fork takes this lock before
all others that it waits for, as threads do which import something: in another order both could wait for each other.
"""

from __future__ import annotations

import ast
import concurrent.futures.thread  # noqa: F401  it looks after forks too, and must not begin to while one waits for us
import dataclasses
import functools
import os
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

importing = threading.RLock()
_awaited: list[Any] = [importing]  # locks that a fork takes, in this order
_taken: list[Any] = []  # by the fork under way; only who holds `importing` changes it


def hold_at_fork(lock: Any) -> None:
    """Let every fork wait until no other thread holds a reentrant lock."""
    if not any(lock is other for other in _awaited):
        _awaited.append(lock)


def _before_fork() -> None:
    for lock in _awaited:
        lock.__enter__()
        _taken.append(lock)


def _after_fork() -> None:
    while _taken:
        lock = _taken.pop()
        lock.__exit__(None, None, None)
        if lock is importing:  # another fork may begin; this one has nothing more
            return


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801  a decorator
        """An attribute that is computed on first use.

        That of Python 3.11 holds a lock meanwhile, one for all objects of a class; a child forked in another thread
        would wait for it for ever. Here threads may compute it at the same time, and all get what was first stored.
        """

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            kept = vars(instance)
            if self.attrname not in kept:
                kept.setdefault(self.attrname, self.func(instance))
            return kept[self.attrname]


def replaced(record: Any, changes: Mapping[str, Any]) -> Any:
    """Return a dataclass with other values of some fields, on which none of its cached properties depends."""
    other, stored = dataclasses.replace(record, **changes), {field.name for field in dataclasses.fields(record)}
    vars(other).update({word: value for word, value in vars(record).items() if word not in stored})
    return other


# names in other libraries (Pinocchio, Robotics Toolbox, MuJoCo), in lower case without underscores, and lissom's
ELSEWHERE = {
    **dict.fromkeys(("rnea", "rne", "inversedynamics", "mjinverse"), "inverse_dynamics"),
    **dict.fromkeys(("aba", "fdyn", "accel", "mjforward"), "forward_dynamics"),
    **dict.fromkeys(("crba", "inertia", "mjfullm"), "mass_matrix"),
    **dict.fromkeys(("nle", "nonlineareffects"), "bias_forces"),
    **dict.fromkeys(("coriolis", "computecoriolismatrix"), "coriolis_matrix"),
    **dict.fromkeys(("gravload", "computegeneralizedgravity", "gravity"), "gravity_forces"),
    **dict.fromkeys(("forwardkinematics", "fkine", "fk", "mjkinematics"), "pose"),
    **dict.fromkeys(("fkineall", "updateframeplacements"), "poses"),
    **dict.fromkeys(("ik", "ikine", "ikinelm"), "inverse_kinematics"),
    **dict.fromkeys(("jacob0", "computejointjacobians", "computeframejacobian", "mjjac"), "jacobian"),
    **dict.fromkeys(("buildmodelfromurdf", "loadurdf", "urdf", "robot", "erobot", "mjmodel"), "load"),
    **dict.fromkeys(("optimize", "plan", "planmotion", "trajectory", "optimisemotion"), "predict_motion"),
    **dict.fromkeys(("linearize", "ss"), "linearise"),
    "report": "write_report",
    **dict.fromkeys(("frequencies", "eigenfrequencies", "naturalfrequencies", "modal"), "modes"),
    **dict.fromkeys(("computernearderivatives", "computeabaderivatives"), "inverse_dynamics_gradient"),
}


def is_dunder(name: str) -> bool:
    """Whether Python itself gives a name its meaning, such as ``__version__``."""
    return name.startswith("__") and name.endswith("__")


def listed(init: str) -> dict[str, str]:
    """{name: its module} of the imports in the stub (``.pyi``) beside the package's ``__init__.py``."""
    tree = ast.parse(Path(init).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def loader(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of `package`, whose names live in `homes`; what is private is not listed."""

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_hint(name, homes)}")
        with importing:
            found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)  # the next time it is at hand
        return found

    return get, lambda: sorted({*homes, *(name for name in vars(sys.modules[package]) if is_dunder(name))})


def _hint(name: str, homes: Mapping[str, str]) -> str:
    """What a user of another library, or with a slip of the pen, probably means; empty if unknown."""
    if is_dunder(name):
        return ""
    import difflib  # only when something went wrong

    known = ELSEWHERE.get(name.lower().replace("_", ""))
    near = [known] if known in homes else difflib.get_close_matches(name, homes, n=1, cutoff=0.7)
    return f"; did you mean {near[0]!r}?" if near else ""
