"""The contract of controllers: their fields, input signals, control law, and what must be compiled anew.

A controller is a frozen dataclass. Fields declared with `reference`, `gain`, `per_joint`, `limit` or `given` are inputs
of the compiled loop: changing them needs no compilation, each run of an ensemble may have its own, and they may be
functions of time. All other fields are structure: a different value is a different program.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from lissom.engine.program import OnScalars, Plain
from lissom.engine.step import Step
from lissom.errors import InputError, differing, shown
from lissom.formats.identity import identity
from lissom.kernels.arguments import as_arm
from lissom.keywords import KnownKeywords
from lissom.model.arm import Arm
from lissom.simulation.controllers.law import LoopState, motors
from lissom.simulation.controllers.planned import is_planned_motion, refuse_planned_samples
from lissom.simulation.controllers.references import ORDERS, rates_unknown, references
from lissom.simulation.signals import Profile, Signal, Steady, as_signal
from lissom.spatial.rotations import Array

# ---- fields --------------------------------------------------------------------------------------

ROLE = "lissom input"
SOURCE = 4
HOUSE = __file__.removesuffix(os.path.join("simulation", "controllers", "base.py"))  # as modules have it
Made = Callable[["Controller", Arm, str], list[Signal]]


class _Role(NamedTuple):
    """What a field is to the compiled loop.

    order : its place among the signals
    signals : makes its signals; None: a reference
    least : of its entries
    stacks : fields of several controllers can be stacked to one with a row for every run
    """

    order: int
    signals: Made | None = None
    least: float | None = None
    stacks: bool = True


def _field(role: _Role, default: Any) -> Any:
    metadata = {ROLE: role}
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def given(size: Callable[[Arm], int], shape: Callable[[Array, Arm], Array], default: Any = dataclasses.MISSING) -> Any:
    """Declare an input with `size(arm)` entries, which `shape(values, arm)` makes from what the user gave."""

    def signals(self: Controller, arm: Arm, word: str) -> list[Signal]:
        name = f"{type(self).__name__}: {word}"
        return [as_signal(getattr(self, word), size(arm), name, lambda x: shape(x, arm))]

    return _field(_Role(0, signals), default)


def reference(default: Any = dataclasses.MISSING) -> Any:
    """Declare a reference (q, qd or qdd), one entry per joint; None: derived from the lower ones."""
    return _field(_Role(1), default)


def per_joint(default: Any = dataclasses.MISSING, least: float | None = None) -> Any:
    """Declare an input with one entry per joint, or one for all; at least `least`."""
    return _field(_Role(2, lambda self, arm, word: self._per_joint(arm, word, getattr(self, word)), least), default)


def gain(default: Any = dataclasses.MISSING) -> Any:
    """Declare a gain: an input with one entry per joint, or one for all, at least 0."""
    return per_joint(default, 0.0)


def optional_per_joint(least: float | None = None) -> Any:
    """Declare an input with one entry per joint that may be absent: None."""

    def signals(self: Controller, arm: Arm, word: str) -> list[Signal]:
        value = getattr(self, word)
        return [] if value is None else self._per_joint(arm, word, value)

    return _field(_Role(2, signals, least), None)


def source(default: Any = dataclasses.MISSING) -> Any:
    """Declare a field from which `signals` or `initial_states` are made; the law does not see it."""
    return _field(_Role(SOURCE, lambda *_: []), default)


def matrix(default: Any = dataclasses.MISSING) -> Any:
    """Declare a field with a matrix for one run, of which the controller makes signals itself."""
    return _field(_Role(0, lambda *_: [], None, False), default)


def limit() -> Any:
    """Declare the largest torque: None, True (the arm's own limits), or one entry per joint."""
    return _field(_Role(3, lambda self, arm, word: torque_limit(arm, getattr(self, word), type(self).__name__)), None)


# ---- the contract --------------------------------------------------------------------------------


class Controller(KnownKeywords):
    """Base class of the controllers that `simulate` accepts as ``tau``.

    A subclass is a frozen dataclass and has one of these methods:

    - ``law(q, qd)``: torques (dof) as expressions of ``+ - * /`` and of `sin`, `cos`, `sign`, `absolute` of
      `lissom.spatial.scalar`; entries of input fields are ``self.kp[k]``. Compiled, also in ensembles. With `states` it
      is ``law(q, qd, z)`` and returns (torques, rates of z).
    - ``program(now)``: the same as calls of steps, see `LoopState`; for laws that evaluate the dynamics of a model
    - ``torque(t, q, qd)``: torques by joint or coordinate, from Python code at every stage of the integrator

    Torques of `law` and `program` are clipped to the field `limit`, if there is one, and zero for coordinates without
    an actuator.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import Any
    >>> import lissom as ls
    >>> from lissom.simulation.controllers import gain
    >>> @dataclass(frozen=True, eq=False)
    ... class Damper(ls.Controller):
    ...     c: Any = gain()
    ...
    ...     def law(self, q, qd):
    ...         return [-c * v for c, v in zip(self.c, qd)]
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], tau=Damper(2.0), until=0.1, dt=1e-3)
    >>> bool(abs(run.tau + 2.0 * run.qd).max() < 1e-12)
    True
    """

    damps: ClassVar[bool] = False  # references without known rates are taken as at rest: kd is then a damper
    restores: ClassVar[bool] = False  # positions are fed back, so that the motion is defined without inertia
    reads_unactuated: ClassVar[bool] = False  # the output depends on coordinates without an actuator
    proportional: ClassVar[bool] = False  # kp times an error is a torque, and errors are not integrated
    open_loop: ClassVar[bool] = False  # the torques do not depend on the state

    # ---- the law -----------------------------------------------------------------------------------

    def program(self, now: LoopState) -> Any:
        """Return the torques of all coordinates as vectors of one entry, or (torques, rates) with `states`."""
        names, states = sorted(now.given), [now.z] if len(now.z) else []
        operands = [now.q, now.qd, *states, *(now.given[name] for name in names)]
        step = self._law_step(names, [len(operand) for operand in operands], len(now.z))
        found = step.function(*operands) if isinstance(now.run, OnScalars) else now.run.apply(step, *operands)
        found = found if isinstance(now.run, OnScalars) or states else [found]
        torques = [found[0][k : k + 1] for k in range(now.arm.dof)]
        return (torques, found[1]) if states else torques

    def _law_step(self, names: Sequence[str], sizes: Sequence[int], states: int) -> Step:
        """Return `law` as one step; its operands are q, qd, the states if there are any, and inputs by name."""
        n = sizes[0]
        function = functools.partial(_expressions, self, names, n, states)
        name = hashlib.sha256(f"{self.structure(names)}|{names}|{sizes}".encode()).hexdigest()
        return Step(f"law_{name}", function, tuple(sizes), (n, states) if states else (n,), once=True)

    def _with_inputs(self, entries: Mapping[str, Any]) -> Any:
        """Return the controller with input fields replaced by their entries in the program; the law sees no values."""
        found = copy.copy(self)
        hidden = [word for word, role in self.inputs().items() if role.order == SOURCE]
        for name, value in (*dict.fromkeys(hidden).items(), *entries.items()):
            object.__setattr__(found, name, value)
        return found

    @property
    def _by_expressions(self) -> bool:
        return type(self).program is Controller.program and hasattr(type(self), "law")

    def try_law(self, arm: Arm, inputs: Mapping[str, slice]) -> None:
        """Raise an error where `law` returns another number of entries."""
        if self._by_expressions:
            given = {name: [np.zeros(1)] * (where.stop - where.start) for name, where in inputs.items()}
            q, qd, z = ([np.zeros(1)] * n for n in (arm.dof, arm.dof, len(self.states(arm))))
            with np.errstate(all="ignore"):
                self.program(LoopState(Plain([]), arm, q, qd, z, given))

    def torques(self, now: LoopState) -> tuple[list[Any], Any]:
        """Return the torques of all coordinates, limited, zero without an actuator; and rates of the own states."""
        found = self._with_inputs(now.given).program(now)
        torques, rates = found if isinstance(found, tuple) else (found, [])
        return motors(now, torques), rates

    @property
    def compiled(self) -> bool:
        """Whether the law is a program of the engine; False: `torque` is called from Python."""
        kind = type(self)
        if kind.program is not Controller.program or hasattr(kind, "law"):
            return True
        if hasattr(kind, "torque"):
            return False
        raise InputError(
            f"simulate: tau is a {kind.__name__}, which has no control law. Derive it from PD, ComputedTorque, "
            "GravityCompensation, Impedance or StateFeedback, give it a method law(q, qd) or torque(t, q, qd), or give "
            "a function tau(t, q, qd)."
        )

    def states(self, arm: Arm) -> tuple[str, ...]:
        """Return the names of the controller's own states, which are integrated with the motion."""
        return ()

    def initial_states(self, arm: Arm) -> Array:
        """Return the initial values of `states`, (states,) or (runs, states); default: zero."""
        return np.zeros(len(self.states(arm)))

    def start(self, arm: Arm) -> tuple[Array, Array] | None:
        """Return positions and rates (dof,) at which runs begin by default; None: home, at rest."""
        return None

    # ---- inputs and structure ----------------------------------------------------------------------

    @classmethod
    def inputs(cls) -> dict[str, _Role]:
        """Return the fields that are inputs of the compiled loop."""
        found = getattr(cls, "__dataclass_fields__", {}).values()
        return {field.name: field.metadata[ROLE] for field in found if ROLE in field.metadata}

    @classmethod
    def matrices(cls) -> list[str]:
        """Return the input fields whose value for one run may be a matrix."""
        return [word for word, role in cls.inputs().items() if role.order == 0]

    def signals(self, arm: Arm) -> list[Signal]:
        """Return the input vectors of the controller for an arm: one for every input field that is given."""
        self.assumed_model(arm)
        roles = self.inputs()
        words = sorted(roles, key=lambda word: roles[word].order)
        moving = [word for word in ORDERS if word in roles and roles[word].signals is None]
        values = {word: getattr(self, word) for word in moving}
        name = type(self).__name__
        refuse_planned_samples(name, values.get("q"), getattr(self, "tau", None))
        values = references(name, arm, self.damps, **values) if moving else {}
        out: list[Signal] = []
        for word in words:
            make = roles[word].signals
            made = self._per_joint(arm, word, values[word]) if make is None else make(self, arm, word)
            out += [signal._replace(name=word) for signal in made]
        return out

    def _per_joint(self, arm: Arm, word: str, value: Any) -> list[Signal]:
        role = self.inputs()[word]
        return [joint_signal(arm, value, f"{type(self).__name__}: {word}", role.least)]

    def structure(self, inputs: Sequence[str]) -> str:
        """Return what must be compiled anew where it differs: the class, and all attributes that are no inputs."""
        seen = {*inputs, *(word for word, role in self.inputs().items() if role.order == SOURCE)}
        held = {word: value for word, value in vars(self).items() if word not in seen}
        held = {word: value.digest if isinstance(value, Arm) else value for word, value in held.items()}
        found = identity([type(self), held])
        if found.unseen:
            raise InputError(
                f"simulate: the content of {', '.join(found.unseen)} in {type(self).__name__} cannot be compared, so "
                "compiled code might belong to a different controller. Use numbers, arrays and plain objects in its "
                "fields."
            )
        return json.dumps([found.content, _written(type(self))], sort_keys=True)

    # ---- what it needs and says --------------------------------------------------------------------

    @property
    def label(self) -> str:
        """Name of the controller in messages."""
        return type(self).__name__

    @property
    def needs_model(self) -> bool:
        """Whether the law evaluates the dynamics or kinematics of an open arm; closed loops are then refused."""
        return False

    def assumed_model(self, arm: Arm) -> Arm:
        """Return the arm that the controller's model describes: `model`, or the simulated arm."""
        model = getattr(self, "model", None)
        if model is None:
            return arm
        name = type(self).__name__
        as_arm(model, name)
        if model.coordinates != arm.coordinates:
            raise InputError(
                f"{name}: model {model.name!r} has other coordinates than arm {arm.name!r}; expected the same ones: "
                f"{differing(model.coordinates, arm.coordinates, 'the model', 'the arm')}."
            )
        return model

    def neglected(self, arm: Arm) -> str:
        """Return what the controller neglects of an arm or a reference, for the report; empty if nothing."""
        if self.damps and getattr(self, "qd", 0.0) is None and rates_unknown(getattr(self, "q", None), arm):
            name = type(self).__name__
            return f"{name}: the reference q is a function of time without rates; qd is assumed zero. Give qd."
        return ""

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain numbers and text for the record of a run; an arm as its fingerprint."""
        return {word: _plain(value) for word, value in vars(self).items()}


def _written(kind: type) -> list[str]:
    """Return hashes of the modules of a class outside lissom: installed packages change without a change of names."""
    modules = [sys.modules.get(base.__module__) for base in kind.__mro__ if base is not object]
    files = [getattr(module, "__file__", None) for module in modules if module is not None]
    own = [Path(file) for file in dict.fromkeys(files) if file and not file.startswith(HOUSE)]
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in own if file.is_file()]


def _expressions(control: Controller, names: Sequence[str], n: int, m: int, *operands: Any) -> list[list[Any]]:
    """Evaluate `law` with the input fields replaced by their entries; returns torques, and rates of m states."""
    first = 3 if m else 2
    now = control._with_inputs({name: list(x) for name, x in zip(names, operands[first:], strict=True)})
    found = now.law(*(list(x) for x in operands[:first]))
    parts = [list(part) for part in found] if m else [list(found)]
    for what, part, size in zip(("torques", "rates of states"), parts, (n, m), strict=False):
        if len(part) != size:
            raise InputError(f"{type(control).__name__}: law returned {len(part)} {what}; expected {size}.")
    return parts


def _plain(value: Any) -> Any:
    """Return a setting as JSON can store it; for values that vary over time, a description."""
    if isinstance(value, Signal):
        return _plain(value.value)
    if isinstance(value, Arm):
        return value.digest
    if isinstance(value, Steady):
        return _plain(value.profile)
    if isinstance(value, Profile):
        return f"{value.kind} profile of {len(value.t)} samples, {value.t[0]:g} to {value.t[-1]:g} s"
    if is_planned_motion(value):
        return f"planned motion of {value.duration:g} s"
    if callable(value):
        return "function of time"
    if value is None or isinstance(value, str | bool | int | float):
        return value
    try:
        return np.asarray(value, float).tolist()
    except (TypeError, ValueError):
        return type(value).__name__


def joint_signal(arm: Arm, value: Any, name: str, least: float | None = None) -> Signal:
    """One entry per joint (or coordinate), or one for all joints; entries of elastic coordinates are zero."""

    def shape(x: Array) -> Array:
        if x.ndim == 0 or (x.shape[-1] == 1 and len(arm.joints) > 1):
            x = np.repeat(x.reshape(*x.shape[:-1], 1), len(arm.joints), axis=-1)
        if x.shape[-1] not in (arm.dof, len(arm.joints)):
            raise InputError(
                f"{name} has {x.shape[-1]} entries; expected 1 for all joints, or {len(arm.joints)}, one per joint"
                + (f" ({arm.dof} with modes and other elastic coordinates)." if arm.dof > len(arm.joints) else ".")
            )
        return arm.expanded(x)

    signal = as_signal(value, arm.dof, name, shape)
    if least is not None and not signal.varies and (signal.value < least).any():
        spot = tuple(int(i) for i in np.argwhere(signal.value < least)[0])
        raise InputError(
            f"{name}{list(spot)} is {signal.value[spot]:g}; a negative gain drives the arm away from the reference. "
            "Give a gain of at least 0."
        )
    return signal


def torque_limit(arm: Arm, limit: Any, name: str) -> list[Signal]:
    """Return the torque limit of a controller as signals: None, True (the arm's own limits) or numbers."""
    if limit is None or limit is False:
        return []
    if limit is True:
        lower, upper = arm.bounds("torque")
        limit = np.where([joint.actuated for joint in arm.joints], np.minimum(-lower, upper), 0.0)
        if not np.isfinite(limit).all():
            missing = ", ".join(j.name for j, x in zip(arm.joints, limit, strict=True) if not np.isfinite(x))
            raise InputError(f"{name}: limit is True, but the arm has no torque limits for {missing}; give numbers.")
    signal = joint_signal(arm, limit, f"{name}: limit")
    if not signal.varies and (signal.value < 0).any():
        raise InputError(f"{name}: limit is {shown(limit)}; expected at least 0.")
    return [signal]
