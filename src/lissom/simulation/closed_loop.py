"""An arm with all that acts on it, as one function of time and state.

`ClosedLoop` gathers what is given (gains, references, loads, base, prescribed accelerations, payloads)
into one vector, steady entries first, then those that vary with time, and compiles controller and
arm together: accelerations, torques, efforts and power from q, qd, the way friction acts, and that vector.
"""

from __future__ import annotations

import copy
import functools
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics import plant
from lissom.dynamics.bodies import Bodies, refuse_unready
from lissom.dynamics.forward import Given
from lissom.dynamics.inverse import FALL, Setting, laden, read_loads, standing_frames
from lissom.dynamics.pivot import Held
from lissom.engine import kernel
from lissom.engine.function import Function
from lissom.engine.program import Entries, Step
from lissom.errors import LissomError, SolveError
from lissom.model.arm import Arm
from lissom.model.loads import Payload
from lissom.simulation import laws
from lissom.simulation.controllers import Controller
from lissom.simulation.signals import Signal, checked, common_runs, over
from lissom.spatial.rotations import Array
from lissom.verbs.call import library_of
from lissom.verbs.library import compiler_present, digest, sources

STRAIGHT = 8  # coordinates up to which straight-line code is the better one, as for forward dynamics
FREE = Step("free", lambda way: [[way[0] * way[0]]], (1,), (1,))
STEPS = (*plant.STEPS, *laws.STEPS, FREE)
Feedback = Callable[[float, Array, Array], Array]
FASTEST = 1e5  # rad or m, and per second, beyond which a run has diverged


class Rates(NamedTuple):
    """What the loop gives for states (..., dof)."""

    qdd: Array
    tau: Array  # torques of the motors, and of what leads prescribed joints
    effort: Array  # (..., held) what holding takes
    power: Array  # (..., 3) in, lost, outer


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
    variant : run -> Arm                      the arm with the payloads of a run
    """

    def __init__(
        self,
        arm: Arm,
        controller: Controller | None,
        feedback: Feedback | None = None,
        loads: Sequence[tuple[str, Signal]] = (),
        base: Signal | None = None,
        prescribed: dict[int, Signal] | None = None,
        payloads: Sequence[tuple[str, Signal]] = (),
        variant: Callable[[int], Arm] | None = None,
    ):
        refuse_unready(arm)
        self.arm, self.controller, self.feedback = arm, controller, feedback
        self._variant, self._run = variant, 0
        bodies = library_of(arm).bodies
        self.friction = {body.coordinate: body.friction for body in bodies.list if body.friction}
        self.prescribed = dict(sorted((prescribed or {}).items()))
        self.sliding = [k for k in self.friction if k not in self.prescribed]
        smooth = [k for k, body in enumerate(bodies.list) if body.coordinate in self.sliding]
        bodies = bodies.with_stations((*(frame for frame, _ in loads), *standing_frames(arm)))
        self.bodies = bodies.changed(friction=dict.fromkeys(smooth, 0.0))
        self.held = sorted({*self.sliding, *self.prescribed})
        signals: list[tuple[str, Signal]] = []
        if controller is not None:
            signals += [(f"controller.{s.name}", s) for s in controller.signals(arm)]
        else:
            signals.append(("controller.tau", Signal("tau", arm.dof, np.zeros(arm.dof))))
        signals += [(f"load{i}", s) for i, (_, s) in enumerate(loads)]
        signals += [("base", base)] if base is not None else []
        signals += [(f"lead{k}", s) for k, s in self.prescribed.items()]
        signals += [(f"payload{i}", s) for i, (_, s) in enumerate(payloads)]
        self.loaded, self.laden = [frame for frame, _ in loads], [frame for frame, _ in payloads]
        self.has_base = base is not None
        # steady ones first
        self.signals = sorted(signals, key=lambda pair: pair[1].varies)
        self._place: dict[str, slice] = {}
        at = 0
        for name, signal in self.signals:
            self._place[name] = slice(at, at + signal.size)
            at += signal.size
        self.given_size = at
        self.runs = self._count_runs()
        self.steady_size = sum(s.size for _, s in self.signals if not s.varies)

    # ---- what is given ---------------------------------------------------------------------------

    @property
    def dof(self) -> int:
        """Number of coordinates."""
        return self.arm.dof

    def _count_runs(self) -> int | None:
        """Number of runs that what is given tells of; None: of no number."""
        return common_runs((signal.name, signal.runs) for _, signal in self.signals)

    @property
    def jumps(self) -> Array:
        """Times at which something given jumps."""
        return np.unique(np.concatenate([np.zeros(0), *(s.jumps for _, s in self.signals)]))

    def finest(self, sample: float) -> float:
        """Longest step that passes over nothing given; functions are looked at once per sample."""
        times = [s.finest or sample for _, s in self.signals if s.varies]
        return min([*times, sample] if self.feedback is not None else times, default=np.inf)

    def ways(self, states: Array) -> Array:
        """The ways of joints with friction in states (..., q, qd, work, ways ...)."""
        first = 2 * self.dof + plant.POWERS
        return np.ascontiguousarray(states[..., first : first + len(self.sliding)])

    def steady(self, rows: int) -> Array:
        """(rows, steady_size) of what does not vary; a repeated row is not copied."""
        parts = [np.broadcast_to(s.value, (rows, s.size)) for _, s in self.signals if not s.varies]
        if all(part.strides[0] == 0 for part in parts):
            row = np.concatenate([part[0] for part in parts]) if parts else np.zeros(0)
            return np.broadcast_to(row, (rows, len(row)))
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def varying(self, t: float, before: bool = False) -> Array:
        """(varying,) or (runs, varying) at a time."""
        parts = [s.at(t, before) for _, s in self.signals if s.varies]
        if not parts:
            return np.zeros(0)
        if any(part.ndim == 2 for part in parts):
            rows = max(len(part) for part in parts if part.ndim == 2)
            parts = [np.broadcast_to(part, (rows, part.shape[-1])) for part in parts]
        return np.concatenate(parts, axis=-1)

    def varying_over(self, times: Array, before: bool = False) -> Array:
        """(nt, varying) or (nt, runs, varying) at many times."""
        parts = [over(s, times, before) for _, s in self.signals if s.varies]
        if not parts:
            return np.zeros((len(times), 0))
        runs = max((part.shape[1] for part in parts if part.ndim == 3), default=None)
        if runs is not None:
            wide = [part if part.ndim == 3 else part[:, None] for part in parts]
            parts = [np.broadcast_to(part, (len(times), runs, part.shape[-1])) for part in wide]
        return np.concatenate(parts, axis=-1)

    def member(self, run: int) -> ClosedLoop:
        """The loop of one run of an ensemble."""
        if self.runs is None and not any(s.varies for _, s in self.signals):
            return self
        other = copy.copy(self)
        other.__dict__.pop("_steady_row", None)
        other.signals = [(name, signal.member(run)) for name, signal in self.signals]
        other._run = self._run + run
        return other

    def rows(self, some: slice) -> ClosedLoop:
        """The loop of some runs of an ensemble."""
        other = copy.copy(self)
        other.__dict__.pop("_steady_row", None)
        other.signals = [(name, signal.rows(some)) for name, signal in self.signals]
        other._run = some.start
        return other

    @property
    def laden_arm(self) -> Arm:
        """The arm with the payloads of this run."""
        return self.arm if not self.laden or self._variant is None else self._variant(self._run)

    def given(self, t: float, before: bool = False) -> Array:
        """(given_size,) of a single run at a time."""
        return np.concatenate([self._steady_row, self.varying(t, before)])

    @functools.cached_property
    def _steady_row(self) -> Array:
        return np.ascontiguousarray(self.steady(1)[0])

    # ---- the program -----------------------------------------------------------------------------

    def flow(self, run: Any, q: Any, qd: Any, tau: Any, way: dict[int, Any], given: Any) -> tuple[Any, list[Any]]:
        """Accelerations, efforts and power, and the torques by coordinate; `tau` from outside, or None."""
        parts = {name: given[where] for name, where in self._place.items()}
        if self.controller is not None:
            torques = self.torques(run, q, qd, given)
        else:
            torques = [tau[k : k + 1] for k in range(self.dof)]
        held = {}
        for k in self.sliding:
            held[k] = Held(run.call(FREE, way[k]), run.constant([0.0]))
        for k in self.prescribed:
            held[k] = Held(run.constant([0.0]), parts[f"lead{k}"])
        bodies = laden(run, self.bodies, [(frame, parts[f"payload{i}"]) for i, frame in enumerate(self.laden)])
        base = run.constant([*np.zeros(6), *(-self.arm.gravity)])
        if self.has_base:
            base = run.call(FALL, parts["base"], constants=list(map(float, self.arm.gravity)))
        loads = [(frame, parts[f"load{i}"]) for i, frame in enumerate(self.loaded)]
        loads += read_loads(run, self.arm, Setting())
        acts = Given(q, qd, Entries(torques), base, loads)
        rubs = plant.Sliding(self.friction, way)
        flow = plant.plant(run, bodies, acts, held, rubs, self.has_base, not self.straight)
        return flow, torques

    def torques(self, run: Any, q: Any, qd: Any, given: Any) -> list[Any]:
        """The controller's torques by coordinate."""
        assert self.controller is not None
        own = {
            name.removeprefix("controller."): given[where]
            for name, where in self._place.items()
            if name.startswith("controller.")
        }
        return laws.torques(self.controller, laws.Scene(run, q, qd, own), self.arm)

    def part(self, name: str, given: Array) -> Array:
        """One of the vectors that are given."""
        return given[..., self._place[name]]

    @property
    def straight(self) -> bool:
        """Compiled as straight-line code."""
        return self.bodies.dof <= STRAIGHT or self.bodies.flexible

    @functools.cached_property
    def key(self) -> str:
        """What is compiled, besides the steps."""
        what = "feedback" if self.controller is None else self.controller.key()
        shape = [(name, signal.size, signal.varies) for name, signal in self.signals]
        motors = self.arm.actuated.tolist()
        parts = (
            digest(self.bodies),
            motors,
            what,
            shape,
            self.loaded,
            self.laden,
            self.friction,
            list(self.prescribed),
        )
        return f"{parts}|{code_version()}"

    def program(self, run: Any) -> None:
        """Inputs q, qd, [tau], [way], [given]; outputs qdd, and (tau, efforts, power)."""
        n = self.dof
        q, qd = run.input(n), run.input(n)
        tau = run.input(n) if self.controller is None else None
        slide = run.input(len(self.sliding)) if self.sliding else None
        given = run.input(self.given_size)
        way = {k: slide[i : i + 1] for i, k in enumerate(self.sliding)}  # type: ignore[index]
        flow, torques = self.flow(run, q, qd, tau, way, given)
        for k in self.prescribed:
            torques[k] = run.call(laws.SUM1, torques[k], flow.effort[k])
        run.output(*flow.qdd)
        run.output(*torques, *(flow.effort[k] for k in self.held), flow.power)

    @functools.cached_property
    def function(self) -> Function:
        """`program`, compiled."""
        n = self.dof
        words = ["q", "qd", *(["tau"] if self.controller is None else []), *(["way"] if self.sliding else []), "given"]
        sizes = {"way": len(self.sliding), "given": self.given_size}
        lengths = [sizes.get(word, n) for word in words]
        shapes = [(n,), (n + len(self.held) + plant.POWERS,)]
        code = self.kept("kernel", lambda: self._kernel(lengths, [n, shapes[1][0]])) if compiler_present() else None
        return Function("simulate", words, lengths, shapes, self.program, code, self._explain)

    def _kernel(self, inputs: list[int], outputs: list[int]) -> kernel.Kernel:
        if self.straight:
            return kernel.straight_kernel(f"loop|{self.key}", inputs, outputs, lambda: kernel.graph_of(self.program))
        return kernel.tape_kernel(f"loop|{code_version()}", STEPS, self.program)

    def kept(self, what: str, make: Callable[[], Any]) -> Any:
        """Compiled code, kept with the arm for the next simulation of the same kind."""
        known = self.arm.__dict__.setdefault("_loops", {})
        if (what, self.key) not in known:
            known[what, self.key] = make()
        return known[what, self.key]

    def _explain(self, where: str, q: Array, *_: Array) -> None:
        library_of(self.arm).get("forward_dynamics").explain(where, q)
        raise SolveError("simulate: the accelerations are not finite.")

    # ---- values ----------------------------------------------------------------------------------

    def rates(
        self, q: Array, qd: Array, way: Array, given: Array, tau: Array | None = None, threads: int | None = None
    ) -> Rates:
        """At one state or a batch; `tau` from outside where a user's function gives it."""
        outside = [tau] if self.controller is None and tau is not None else []
        arguments = [q, qd, *outside, *([way] if self.sliding else []), given]
        qdd, rest = self.function.one(*arguments) if q.ndim == 1 else self.function(*arguments, threads=threads)
        n, h = self.dof, len(self.held)
        return Rates(qdd, rest[..., :n], rest[..., n : n + h], rest[..., n + h :])

    def outside(self, t: float, q: Array, qd: Array) -> Array | None:
        """Torques of a user's function at a time, checked, run by run; None when there is none."""
        if self.feedback is None:
            return None
        if q.ndim == 2:
            return np.array([self.outside(t, *row) for row in zip(q, qd, strict=True)])
        try:
            found = self.feedback(t, q.copy(), qd.copy())
        except LissomError:
            raise
        except Exception as error:
            raise SolveError(f"tau(t, q, qd) raised {type(error).__name__} at t = {t:.6g} s: {error}") from error
        return checked(found, self.dof, "tau", t)


@functools.cache
def code_version() -> str:
    """Fingerprint of the code that makes kernels, the controllers' included."""
    own = (Path(__file__).parent / name for name in ("closed_loop.py", "laws.py", "stepping.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in own) + sources().encode()).hexdigest()


def payload_rows(bodies: Bodies, frame: str, payloads: Sequence[Payload]) -> Array:
    """(runs, 10) m, mc, I about the origin of the body that carries a frame."""
    X = bodies.place(frame).X
    R, p = X[:3, :3], X[:3, 3]
    m = np.array([payload.mass for payload in payloads])[:, None]
    com = np.array([payload.com for payload in payloads]) @ R.T + p
    I = R @ np.array([payload.inertia for payload in payloads]) @ R.T
    I = I + m[..., None] * ((com * com).sum(axis=1)[:, None, None] * np.eye(3) - com[:, :, None] * com[:, None, :])
    rows, columns = np.triu_indices(3)
    return np.concatenate([m, m * com, I[:, rows, columns]], axis=1)
