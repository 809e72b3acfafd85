"""An arm with its controller and all loads, as one function of time and state.

`ClosedLoop` has what is given (gains, references, loads, base, prescribed accelerations, payloads, numbers of the
arm itself) gathered into one vector, see `Inputs`, and compiles controller and arm together: accelerations, torques,
efforts and power from q, qd, the way friction acts, and that vector.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics import plant
from lissom.dynamics.acting import Acting, base_motion, placed, standing_frames, standing_loads, with_payloads
from lissom.dynamics.articulated import Given
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.drives import FRICTION, smoothed
from lissom.dynamics.from_arm import drive_of, joint_drive
from lissom.dynamics.refusals import refuse_unready
from lissom.dynamics.varied import Several
from lissom.elements.pivots import Held
from lissom.engine import kernel
from lissom.engine.function import Function
from lissom.engine.program import Entries
from lissom.engine.step import Step
from lissom.errors import SolveError
from lissom.kernels.cache import cache_of, functions_of
from lissom.kernels.functions import compiler_present
from lissom.kernels.keys import fingerprint, sources
from lissom.kernels.verbs import FORWARD_DYNAMICS, MASS_MATRIX
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.records import flat
from lissom.simulation.controllers import Controller
from lissom.simulation.controllers.law import SUM1, LoopState
from lissom.simulation.controllers.sampled import SampledController, Sampler
from lissom.simulation.loop.actuators import Actuators
from lissom.simulation.loop.callbacks import called
from lissom.simulation.loop.inputs import Inputs
from lissom.simulation.signals import Signal, checked
from lissom.spatial.rotations import Array

# coordinates up to which straight-line code is the better one, as for forward dynamics
STRAIGHT = 8
STRAIGHT_FLEXIBLE = 12  # with flexible links
FREE = Step("free", lambda way: [[way[0] * way[0]]], (1,), (1,))
Feedback = Callable[[float, Array, Array], Array]
AT_ONCE = 1e-9  # of the sampling time: times that are nearer are the same
FASTEST = 1e5  # rad or m, and per second, beyond which a run has diverged


class States(NamedTuple):
    """States of the arm (..., dof), and those of its controller and of actuators with lag (..., m)."""

    q: Array
    qd: Array
    z: Array


class Rates(NamedTuple):
    """Outputs of the closed loop for states (..., dof)."""

    qdd: Array
    tau: Array  # torques of the motors, and of what leads prescribed joints
    effort: Array  # (..., held) what holding takes
    power: Array  # (..., 3) in, lost, outer
    z: Array  # (..., m) rates of the states of controller and actuators


class ClosedLoop:
    """The arm, its controller and what acts on it.

    Parameters
    ----------
    arm : Arm
    controller : Controller or None           None with `feedback`
    feedback : f(t, q, qd) -> tau or None     a user's function, called from Python
    loads : (frame, Signal of 9) each         force, moment, point
    base : Signal of 9 or None
    prescribed : coordinate -> Signal of 1    accelerations
    payloads : (frame, Signal of 10) each     on top of what the arm carries, about the origin of the carrying body
    several : Several or None                 the arm of every run
    """

    looped = False  # links form closed loops, see `Linkage`
    taped = False  # its functions are on tapes, see `on_tape`

    def __init__(
        self,
        arm: Arm,
        controller: Controller | None,
        feedback: Feedback | None = None,
        loads: Sequence[tuple[str, Signal]] = (),
        base: Signal | None = None,
        prescribed: dict[int, Signal] | None = None,
        payloads: Sequence[tuple[str, Signal]] = (),
        several: Several | None = None,
    ):
        refuse_unready(arm, base is not None)
        self.arm, self.controller, self.feedback = arm, controller, feedback
        self.described = arm  # as it was given, for the record
        self._first = 0
        self.several = several
        bodies = functions_of(arm).bodies
        drives = {body.coordinate: joint_drive(body) for body in bodies.list if not body.follows and body.beam is None}
        rough = {k: drive for k, drive in drives.items() if drive is not None and drive.sticks}
        self.friction: dict[int, Any] = {k: drive.friction for k, drive in rough.items()}
        self.prescribed = dict(sorted((prescribed or {}).items()))
        self.sliding = [k for k in self.friction if k not in self.prescribed]
        self._drives = {k: rough[k] for k in self.sliding if rough[k].laws is not None or self._may_have_laws(k)}
        smooth = [k for k, body in enumerate(bodies.list) if body.coordinate in self.sliding]
        bodies = bodies.with_stations((*(frame for frame, _ in loads), *standing_frames(arm)))
        self.bodies = bodies.changed(friction=dict.fromkeys(smooth, 0.0), laws=dict.fromkeys(smooth, ()))
        self.held = sorted({*self.sliding, *self.prescribed})
        signals: list[tuple[str, Signal]] = []
        self.actuators = Actuators(arm, self.prescribed, None if several is None else several.arms)
        own: tuple[str, ...] = ()
        if controller is not None:
            signals += [(f"controller.{s.name}", s) for s in controller.signals(arm)]
            own = controller.states(arm)
        else:
            signals.append(("controller.tau", Signal("tau", arm.dof, np.zeros(arm.dof))))
        signals += [(f"load{i}", s) for i, (_, s) in enumerate(loads)]
        signals += [("base", base)] if base is not None else []
        signals += [(f"lead{k}", s) for k, s in self.prescribed.items()]
        signals += [(f"payload{i}", s) for i, (_, s) in enumerate(payloads)]
        signals += [("lag", self.actuators.signal)] if len(self.actuators) else []
        self.controller_states = (*own, *self.actuators.names)  # of the actuators last
        if several is not None:
            signals.append(("arm", Signal("arms", several.varied.size, several.varied.rows(several.arms))))
        self.loaded, self.payload_frames = [frame for frame, _ in loads], [frame for frame, _ in payloads]
        self.has_base = base is not None
        self.inputs = Inputs(signals)
        self.sampling: float | None = None  # time between two actions of a sampled controller [s]
        self.sampler: Sampler | None = None
        if isinstance(controller, SampledController):
            arms = None if several is None else several.arms
            self.sampling, self.sampler = controller.every, controller.sampler(arm, arms)
        self.structure = "feedback" if controller is None else controller.structure(list(self.controller_inputs))

    # ---- what is given ---------------------------------------------------------------------------

    @property
    def dof(self) -> int:
        """Number of coordinates of the arm."""
        return self.arm.dof

    @property
    def size(self) -> int:
        """Number of entries of the state: q, qd, the controller's states and torques behind a lag."""
        return 2 * self.arm.dof + len(self.controller_states)

    @property
    def z0(self) -> Array | None:
        """Initial states of the controller, (m,) or (runs, m), and zero for actuators; None without any."""
        if not self.controller_states:
            return None
        own = np.zeros(0) if self.controller is None else self.controller.initial_states(self.arm)
        return np.concatenate([own, np.zeros((*own.shape[:-1], len(self.actuators)))], axis=-1)

    def finest(self, sample: float) -> float:
        """Longest step [s] that skips no feature of the inputs; functions are evaluated once per sample."""
        return min(self.inputs.finest(sample), sample if self.feedback is not None else np.inf)

    def ways(self, states: Array) -> Array:
        """Friction states of the joints with friction, from states (..., q, qd, work, friction states ...)."""
        first = self.size + plant.POWERS
        return np.ascontiguousarray(states[..., first : first + len(self.sliding)])

    def member(self, run: int) -> ClosedLoop:
        """Return the closed loop of one run of an ensemble."""
        own = self.inputs.member(run)
        return self if own is self.inputs and self.sampler is None else self._of(own, run)

    def rows(self, some: slice) -> ClosedLoop:
        """Return the closed loop of some runs of an ensemble."""
        return self._of(self.inputs.rows(some), some.start or 0)

    def _of(self, inputs: Inputs, first: int) -> ClosedLoop:
        """Return the same loop for the runs from `first` on."""
        other = copy.copy(self)
        vars(other).pop("_on_tape", None)  # has the inputs of this one
        other.inputs, other._first = inputs, self._first + first
        return other

    def on_tape(self) -> ClosedLoop:
        """Return the same loop with its functions on tapes: nothing is compiled for new numbers of an arm.

        For what Python calls state by state, which takes longer than the evaluation itself.
        """
        return self._on_tape if self.straight and not self.looped else self

    def for_steps_in_python(self) -> ClosedLoop:
        """Return the loop for adaptive steps of one run, whose evaluations take little of their time: on a tape.

        But what a controller computes with a model is shared with the arm's dynamics in straight-line code, and an arm
        that it holds stays exactly at rest.
        """
        shares = self.controller is not None and self.controller.needs_model
        return self if shares else self.on_tape()

    @cached_property
    def _on_tape(self) -> ClosedLoop:
        other = copy.copy(self)
        vars(other).pop("function", None)
        other.taped = True
        return other

    def arms(self, count: int) -> Sequence[Arm] | None:
        """Arms of the first `count` runs, None where all runs have the same arm."""
        return None if self.several is None else self.several.arms[self._first : self._first + count]

    @property
    def acting(self) -> Acting:
        """Inputs of the arm's functions that differ from run to run (payloads, parameters)."""
        varied = self.several.varied if self.several is not None and self.several.varied.size else None
        return Acting(payloads=tuple(self.payload_frames), varied=varied)

    def own(self, given: Array) -> list[Array]:
        """Return the inputs that `acting` names, from the input vector (..., size) or its constant part."""
        words = [f"payload{i}" for i in range(len(self.payload_frames))]
        words += ["arm"] if self.acting.varied is not None else []
        return [self.inputs.part(word, given) for word in words]

    def friction_of(self, given: Any) -> dict[int, Any]:
        """Return the friction of the joints that have some, one entry each, from the input vector.

        Efforts of joints with further laws are relative: 1 is the largest that sticks.
        """
        rows = self._drive_rows(given)
        out = {k: rows[k][FRICTION] if k in rows else [value] for k, value in self.friction.items()}
        return out | {k: [1.0] for k in self._drives}

    def drives_of(self, given: Any) -> plant.Drives:
        """Return the drives of the joints with further laws of friction, from the input vector."""
        rows = self._drive_rows(given)
        return {k: drive_of(rows[k]) if k in rows else drive for k, drive in self._drives.items()}

    def _drive_rows(self, given: Any) -> dict[int, Any]:
        """Return the drives that differ between the arms of the runs, of joints with friction."""
        if self.several is None:
            return {}
        row = given[self.inputs.places["arm"]]
        found = {k: self.several.varied.drive(row, k) for k in self.friction}
        return {k: drive for k, drive in found.items() if drive is not None}

    def _may_have_laws(self, coordinate: int) -> bool:
        """Whether the arm of any run has further laws of friction at a joint."""
        varied = None if self.several is None else self.several.varied
        return varied is not None and varied.has_laws(coordinate)

    @property
    def has_laws(self) -> bool:
        """Whether joints have friction other than Coulomb and viscous."""
        return any(body.laws for body in functions_of(self.arm).bodies.list)

    @property
    def grips(self) -> Array:
        """(sliding,) friction of the joints that may stick, of a single run."""
        found = self.friction_of(self.inputs.steady(1)[0])
        return np.array([float(found[k][0]) for k in self.sliding])

    @property
    def controller_inputs(self) -> dict[str, slice]:
        """Places of the controller's inputs in the input vector."""
        word = "controller."
        places = self.inputs.places.items()
        return {name.removeprefix(word): where for name, where in places if name.startswith(word)}

    # ---- the program -----------------------------------------------------------------------------

    def flow(
        self, run: Any, q: Any, qd: Any, z: Any, tau: Any, way: dict[int, Any], given: Any
    ) -> tuple[Any, list[Any], Any]:
        """Return accelerations, efforts and power; torques by coordinate (`tau` from outside, or None); rates of z."""
        parts = {name: given[where] for name, where in self.inputs.places.items()}
        torques, changes = self.torques(run, q, qd, z, given, tau)
        held = {}
        for k in self.sliding:
            held[k] = Held(run.apply(FREE, way[k])[0], run.constant([0.0])[0])
        for k in self.prescribed:
            held[k] = Held(run.constant([0.0])[0], parts[f"lead{k}"][0])
        bodies = self._numbered(run, parts)
        bodies = with_payloads(
            run, bodies, [(frame, parts[f"payload{i}"]) for i, frame in enumerate(self.payload_frames)]
        )
        base = base_motion(run, bodies, parts.get("base"))
        loads = placed(bodies, [(frame, parts[f"load{i}"]) for i, frame in enumerate(self.loaded)])
        loads += standing_loads(run, bodies)
        acts = Given(q, qd, Entries(torques), base, loads)
        sliding = plant.Sliding(self.friction_of(given), way, self.drives_of(given))
        flow = plant.plant(run, bodies, acts, held, sliding, self.has_base, not self.straight)
        for k, drive in () if self.looped else sliding.drives.items():
            flow.effort[k] = [run.call(drive.strain, flow.effort[k][0], torques[k][0])]
        return flow, torques, changes

    def _numbered(self, run: Any, parts: dict[str, Any]) -> Bodies:
        """Return the bodies with the numbers of the run's own arm, without the friction of joints that may stick."""
        if self.several is None:
            return self.bodies
        bodies = self.several.varied.filled(run, self.bodies, parts["arm"])
        rough = [(i, body) for i, body in enumerate(bodies.list) if body.coordinate in self.sliding]
        smooth = {i: smoothed(run, body.drive) for i, body in rough if body.drive is not None}
        return bodies.changed(drive=smooth)

    def torques(self, run: Any, q: Any, qd: Any, z: Any, given: Any, tau: Any = None) -> tuple[list[Any], Any]:
        """Return the torques that act, by coordinate, and the rates of the states of controller and actuators.

        tau : torques that a user's function commands, without a controller
        """
        own = len(self.controller_states) - len(self.actuators)
        torques: list[Any]
        changes: Any = []
        if self.controller is None:
            torques = [tau[k : k + 1] for k in range(self.dof)]
        else:
            inputs = {name: given[where] for name, where in self.controller_inputs.items()}
            torques, changes = self.controller.torques(LoopState(run, self.arm, q, qd, z[:own], inputs))
        if not len(self.actuators):
            return torques, changes
        torques, rates = self.actuators.behind(run, torques, z[own:], given[self.inputs.places["lag"]])
        return torques, run.gathered([*(changes[k : k + 1] for k in range(own)), *rates])

    @property
    def straight(self) -> bool:
        """Whether the loop is compiled as straight-line code."""
        return (
            self.bodies.dof <= (STRAIGHT_FLEXIBLE if self.bodies.flexible else STRAIGHT)
            and not functions_of(self.arm).short_lived
            and not self.taped
        )

    @property
    def backend(self) -> str | None:
        """Backend of the arm's own functions; None: as the arm has it."""
        return "tape" if self.taped and compiler_present() else None

    @cached_property
    def key(self) -> str:
        """Key of the compiled code: everything it depends on besides the steps."""
        acting = (self.inputs.shape, self.loaded, self.payload_frames, list(self.prescribed), self.acting)
        drives = {k: [*map(float, flat(drive).entries)] for k, drive in self._drives.items()}
        parts = (self.bodies, self.arm.actuated, self.structure, self.controller_states, acting, self.friction, drives)
        return f"{fingerprint(*parts)}|{sources()}"

    def program(self, run: Any) -> None:
        """Write the program with inputs q, qd, [z], [tau], [friction], [inputs].

        Its outputs are qdd, and (tau, efforts, power, rates of z); z : states of the controller
        """
        n, m = self.dof, len(self.controller_states)
        q, qd = run.input(n), run.input(n)
        z = run.input(m) if m else []
        tau = run.input(n) if self.controller is None else None
        slide = run.input(len(self.sliding)) if self.sliding else None
        given = run.input(self.inputs.size)
        way = {k: slide[i : i + 1] for i, k in enumerate(self.sliding)}  # type: ignore[index]
        flow, torques, changes = self.flow(run, q, qd, z, tau, way, given)
        for k in self.prescribed:
            torques[k] = run.apply(SUM1, torques[k], flow.effort[k])
        run.output(*flow.qdd)
        run.output(*torques, *(flow.effort[k] for k in self.held), flow.power, *([changes] if m else []))

    @cached_property
    def function(self) -> Function:
        """The compiled `program`, for every step and for samples."""
        n, m = self.dof, len(self.controller_states)
        there = {"q": True, "qd": True, "z": m, "tau": self.controller is None, "way": self.sliding, "given": True}
        words = [word for word, some in there.items() if some]
        sizes = {"z": m, "way": len(self.sliding), "given": self.inputs.size}
        lengths = [sizes.get(word, n) for word in words]
        shapes = [(n,), (n + len(self.held) + plant.POWERS + m,)]
        make = partial(self._kernel, lengths, [n, shapes[1][0]])
        code = self.kept("kernel" if self.straight else "tape", make) if compiler_present() else None
        return Function("simulate", words, lengths, shapes, self.program, code, self._explain)

    def _kernel(self, inputs: list[int], outputs: list[int]) -> kernel.Kernel:
        if self.straight:
            return kernel.straight_kernel(f"loop|{self.key}", inputs, outputs, lambda: kernel.graph_of(self.program))
        return kernel.tape_kernel(sources(), inputs, outputs, (), self.program)

    @property
    def compiled(self) -> bool:
        """Whether the whole loop runs as compiled code: no Python function of the user gives torques."""
        return self.controller is not None and compiler_present()

    @property
    def quick(self) -> bool:
        """Whether the loop is compiled and calls no Python function of the user at every step."""
        return self.compiled and self.inputs.ready

    def kept(self, what: str, make: Callable[[], Any]) -> Any:
        """Return compiled code, stored with the arm for the next simulation of the same kind."""
        return cache_of(self.arm).stored(f"closed loop: {what}", self.key, make)

    def _explain(self, where: str, q: Array, *rest: Array) -> None:
        functions_of(self.arm).get(FORWARD_DYNAMICS, self.acting).explain(where, q, *self.own(rest[-1]))
        raise SolveError(
            f"simulate: the accelerations{where} are not finite (overflow); rates, torques or gains are too large."
        )

    # ---- values ----------------------------------------------------------------------------------

    def split(self, states: Array) -> States:
        """Return q, qd and the controller's states from states (..., q, qd, z, ...)."""
        n = self.dof
        parts = states[..., :n], states[..., n : 2 * n], states[..., 2 * n : self.size]
        return States(*(np.ascontiguousarray(x) for x in parts))

    def rates(
        self, state: States, way: Array, given: Array, tau: Array | None = None, threads: int | None = None
    ) -> Rates:
        """Return the outputs at one state or a batch; `tau` is given where a user's function computes it."""
        outside = [tau] if self.controller is None and tau is not None else []
        own = [state.z] if self.controller_states else []
        arguments = [state.q, state.qd, *own, *outside, *([way] if self.sliding else []), given]
        one = state.q.ndim == 1
        qdd, rest = self.function.one(*arguments) if one else self.function(*arguments, threads=threads)
        n, h = self.dof, self.dof + len(self.held)
        p = h + plant.POWERS
        return Rates(qdd, rest[..., :n], rest[..., n:h], rest[..., h:p], rest[..., p:])

    def slope(self, t: float, y: Array, way: Array, before: bool = False) -> Rates:
        """Return the outputs of one run at a time and a state (q, qd, z, ...)."""
        state = self.split(y)
        return self.rates(state, way, self.inputs.at(t, before), self.outside(t, state.q, state.qd))

    def unknown_rates(self, rows: int) -> Rates:
        """Return outputs (rows, ...) that are not known yet: NaN."""
        widths = (self.dof, self.dof, len(self.held), plant.POWERS, len(self.controller_states))
        return Rates(*(np.full((rows, width), np.nan) for width in widths))

    def inertia(self, q: Array, own: Sequence[Array]) -> Array:
        """Return the mass matrix (..., dof, dof) with the inputs of each run (see `own`)."""
        function = functions_of(self.arm).get(MASS_MATRIX, self.acting, self.backend)
        state = (q, *(np.ascontiguousarray(x) for x in own))
        return np.asarray(function.one(*state) if q.ndim == 1 else function(*state))

    def projected(self, states: Array) -> Array:
        """Return the states after a step, projected onto the loop closures; unchanged without loops."""
        return states

    def followed(self, _q: Array, qd: Array) -> Array:
        """Return rates (runs, dof) consistent with those of joints with friction; unchanged without loops."""
        return qd

    def begun(self, states: Array, _pass_singular: bool) -> Array:
        """Return checked initial states (runs, size)."""
        return states

    # ---- sampled controllers ---------------------------------------------------------------------

    def sampling_times(self, start: float, end: float) -> Array:
        """Return the times in (start, end] at which a sampled controller acts."""
        if self.sampling is None:
            return np.zeros(0)
        first, last = (int(np.floor(t / self.sampling + AT_ONCE)) for t in (start, end))
        return np.minimum(self.sampling * np.arange(first + 1, last + 1), end)

    def sampled(self, t: float, states: Array) -> Array:
        """Return states (runs, ...) after the action of a sampled controller at one of its sampling times."""
        if self.sampler is None or self.sampling is None:
            return states
        k, at, own = round(t / self.sampling), self.split(states), self.size - len(self.actuators)
        out, rows = states.copy(), range(self._first, self._first + len(states))
        z = states[:, 2 * self.dof : own]
        out[:, 2 * self.dof : own] = self.sampler(k, at.q, at.qd, z if k else None, rows)
        return out

    def started(self, states: Array, tau0: Array | None) -> Array:
        """Return initial states after the first action of a sampled controller, with the torques behind a lag.

        tau0 : (dof,) or (runs, dof) torques that act; None: those commanded at t = 0
        """
        states, places = self.sampled(0.0, states), self.actuators.coordinates
        if not places:
            return states
        if tau0 is None:
            at, rows = self.split(states), len(states)
            varying = np.broadcast_to(self.inputs.varying(0.0), (rows, self.inputs.size - self.inputs.steady_size))
            given = np.ascontiguousarray(np.concatenate([self.inputs.steady(rows), varying], axis=1))
            ways = np.zeros((rows, len(self.sliding)))
            found = self.rates(at, ways, given, self.outside(0.0, at.q, at.qd))
            before = states[:, self.size - len(places) : self.size]
            acting = before + self.inputs.part("lag", given) * found.z[:, -len(places) :]
        else:
            acting = np.broadcast_to(tau0, (len(states), self.dof))[:, places]
        return np.concatenate([states[:, : self.size - len(places)], acting], axis=1)

    def outside(self, t: float, q: Array, qd: Array) -> Array | None:
        """Return the checked torques of a user's function at a time, run by run; None if there is no such function."""
        if self.feedback is None:
            return None
        if q.ndim == 2:
            return np.array([self.outside(t, *row) for row in zip(q, qd, strict=True)])
        return checked(called("tau(t, q, qd)", t, self.feedback, t, q.copy(), qd.copy()), self.dof, "tau", t)
