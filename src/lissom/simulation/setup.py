"""From the arguments of `simulate` to a closed loop, with checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.alike import refuse_unlike
from lissom.dynamics.stations import spoken
from lissom.dynamics.varied import Several, Varied
from lissom.errors import InputError, shown, suggest
from lissom.kernels.arguments import as_frame, as_numbers, as_state
from lissom.kernels.cache import functions_of
from lissom.kernels.labels import by_name
from lissom.kernels.loads import as_loads
from lissom.model.arm import Arm
from lissom.model.edit import carrier_of
from lissom.model.loads import BaseMotion, Load, Payload
from lissom.simulation.controllers import Controller, Torques
from lissom.simulation.controllers.planned import refuse_motion_as_torques
from lissom.simulation.loop.actuators import refuse_initial_torques
from lissom.simulation.loop.callbacks import check_arguments
from lissom.simulation.loop.closed_loop import FASTEST, ClosedLoop
from lissom.simulation.options import Scenario
from lissom.simulation.signals import OverTime, Profile, Signal, as_signal, common_runs, sampled
from lissom.spatial.rotations import Array

VERB = "simulate"
TAU = (
    "None, numbers (one per joint, or one row per run), samples over time, Profile(t, tau), a controller (PD, "
    "PID, ComputedTorque, GravityCompensation, Impedance, StateFeedback, Follow), or a function tau(t, q, qd)"
)


class Start(NamedTuple):
    """Initial states (runs, q qd z) of the runs; `single`: one run, not an ensemble."""

    states: Array
    dof: int
    single: bool

    @property
    def q(self) -> Array:
        """(runs, dof) initial positions."""
        return self.states[:, : self.dof]

    @property
    def qd(self) -> Array:
        """(runs, dof) initial rates."""
        return self.states[:, self.dof : 2 * self.dof]

    def rows(self, some: slice) -> Start:
        """Return the initial states of some of the runs."""
        return self._replace(states=self.states[some])


def closed_loop(scenario: Scenario, until: float, runs: int | None = None) -> ClosedLoop:
    """Return the arm with its controller, loads, base motion, prescribed joints and payloads; `runs`: of its states."""
    arm = scenario.arm
    if scenario.payloads is not None and scenario.arms is not None:
        raise InputError(f"{VERB}: payloads and arms are both given; put the payloads in arms: arm.with_payload(...).")
    payloads = _payloads(arm, scenario.payloads)
    lead = _prescribed(arm, scenario.prescribed)
    pushes, ground = _loads(arm, scenario.loads), _base(scenario.base)
    several = _several(arm, scenario.arms, [frame for frame, _ in pushes])
    others = [*(s for _, s in (*payloads, *pushes)), *lead.values(), *([ground] if ground else [])]
    counts = [s.runs for s in others if s.runs is not None] + ([] if several is None else [len(several.arms)])
    most = max([*counts, *([runs] if runs else [])], default=None)
    controller, feedback = as_controller(arm, scenario.tau, until, most)
    loop = _kind(arm)(arm, controller, feedback, pushes, ground, lead, payloads, several)
    if controller is not None:
        controller.try_law(arm, loop.controller_inputs)
    return loop


def _kind(arm: Arm) -> type[ClosedLoop]:
    if not arm.loops:
        return ClosedLoop
    from lissom.simulation.loop.linkage import Linkage

    return Linkage


class InitialState(NamedTuple):
    """Checked initial positions and rates, (dof,) or (runs, dof) each, and torques behind a lag, if they are given."""

    q: Array
    qd: Array
    tau: Array | None

    @classmethod
    def of(cls, scenario: Scenario) -> InitialState:
        """Return the initial state of the arguments of `simulate`; default: of the controller, or home."""
        arm, tau = scenario.arm, scenario.tau
        begun = tau.start(arm) if scenario.q0 is None and isinstance(tau, Controller) else None
        home, rest = begun or (arm.home, np.zeros(arm.dof))
        q = as_state(arm, home if scenario.q0 is None else scenario.q0, "q0", VERB)
        qd = as_state(arm, rest if scenario.qd0 is None else scenario.qd0, "qd0", VERB)
        for word, x in (("q0", q), ("qd0", qd)):
            if x.ndim > 2:
                raise InputError(f"{VERB}: {word} has shape {x.shape}; expected ({arm.dof},) or (runs, {arm.dof}).")
            if (np.abs(x) >= FASTEST).any():  # where a run counts as diverged
                spot = tuple(int(i) for i in np.argwhere(np.abs(x) >= FASTEST)[0])
                unit = "rad or m" if word == "q0" else "rad/s or m/s"
                raise InputError(
                    f"{VERB}: {word}{list(spot)} is {x[spot]:g}; expected less than {FASTEST:g} {unit}, beyond which a "
                    "run counts as diverged."
                )
        found = cls(q, qd, _initial_torques(arm, scenario.tau0))
        common_runs(found.counts.items())
        return found

    @property
    def counts(self) -> dict[str, int | None]:
        """Numbers of runs by name, None where the values are the same for all runs."""
        given = {"q0": self.q, "qd0": self.qd} | ({} if self.tau is None else {"tau0": self.tau})
        return {word: len(x) if x.ndim == 2 else None for word, x in given.items()}

    @property
    def runs(self) -> int | None:
        """Number of runs, None for a single state."""
        return common_runs(self.counts.items())

    def start(self, runs: int | None, z0: Array | None) -> Start:
        """Return the initial states of all runs; `runs`: the number that the other arguments have.

        z0 : (m,) or (runs, m)      initial states of the controller
        """
        z = np.zeros(0) if z0 is None else z0
        counts = {**self.counts, "gains, loads, torques, payloads or arms": runs}
        counts["initial states of the controller"] = len(z) if z.ndim == 2 else None
        rows = common_runs(counts.items())
        parts = [np.broadcast_to(x, (rows or 1, x.shape[-1])) for x in (self.q, self.qd, z)]
        return Start(np.concatenate(parts, axis=1), self.q.shape[-1], rows is None)


def _initial_torques(arm: Arm, tau0: Any) -> Array | None:
    """Return checked initial torques (dof,) or (runs, dof), None if there are none."""
    if tau0 is None:
        return None
    refuse_initial_torques(arm)
    tau = as_state(arm, tau0, "tau0", VERB)
    if tau.ndim > 2:
        raise InputError(f"{VERB}: tau0 has shape {tau.shape}; expected ({arm.dof},) or (runs, {arm.dof}).")
    return tau


# ---- torques -------------------------------------------------------------------------------------


class Feedback:
    """A user's function tau(t, q, qd), its torques expanded to all coordinates; `controller`: whose method it is."""

    def __init__(self, arm: Arm, source: Any, controller: Controller | None = None):
        self.arm, self.source, self.controller = arm, source, controller

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        found = self.source(t, q, qd)
        try:
            return _expanded(self.arm, as_numbers(found, "tau", VERB))
        except InputError as error:
            raise InputError(f"{str(error).rstrip('.')} (from tau(t, q, qd) at t = {t:.6g} s).") from None


def as_controller(arm: Arm, tau: Any, until: float, runs: int | None) -> tuple[Controller | None, Any]:
    """Return torques as a controller that is compiled, or as a function called from Python."""
    if isinstance(tau, Controller):
        return (tau, None) if tau.compiled else (None, Feedback(arm, tau.torque, tau))  # type: ignore[attr-defined]
    refuse_motion_as_torques(VERB, tau)
    if isinstance(tau, Profile):
        return Torques(as_signal(tau, arm.dof, "tau", lambda x: _expanded(arm, x))), None
    if isinstance(tau, type):
        raise InputError(f"{VERB}: tau is the class {tau.__name__}; expected an instance, {tau.__name__}(...).")
    if callable(tau):
        check_arguments(tau, "tau(t, q, qd)", f"{VERB}: tau")
        return None, Feedback(arm, tau)
    if tau is None:
        return Torques(Signal("tau", arm.dof, np.zeros(arm.dof))), None
    if isinstance(tau, str | bytes | Mapping):
        raise InputError(f"{VERB}: tau is {shown(tau)}; expected {TAU}.")
    numbers = _expanded(arm, as_numbers(by_name(arm, tau, "tau", VERB), "tau", VERB))
    if numbers.ndim == 2 and (runs is None or len(numbers) != runs):
        if runs is not None:
            raise InputError(
                f"{VERB}: tau has {len(numbers)} rows for {runs} runs; give one row per run, or Profile(t, tau) for "
                "torques over time."
            )
        numbers = numbers[None]
    if numbers.ndim == 3:
        return Torques(_sampled(numbers, until)), None
    return Torques(Signal("tau", arm.dof, numbers)), None


def _expanded(arm: Arm, x: Array) -> Array:
    if x.ndim == 0:
        if len(arm.joints) != 1:
            raise InputError(f"{VERB}: tau is a single number; expected {len(arm.joints)}, one per joint.")
        x = x.reshape(1)
    if x.shape[-1] not in (arm.dof, len(arm.joints)) or x.ndim > 3:
        names = ", ".join(joint.name for joint in arm.joints)
        raise InputError(f"{VERB}: tau has {x.shape[-1]} entries; expected {len(arm.joints)}, one per joint ({names}).")
    return arm.expanded(x)


def _sampled(tau: Array, until: float) -> Signal:
    """Return samples (runs or 1, nt, dof), equally spaced over the simulated time, as a piecewise linear signal."""
    nt = tau.shape[1]
    if nt < 2:
        raise InputError(f"{VERB}: tau has {nt} sample; expected at least two over time, or ({tau.shape[2]},).")
    return sampled("tau", tau, until)


# ---- loads, base, prescribed joints, payloads ----------------------------------------------------


def _loads(arm: Arm, loads: Any) -> list[tuple[str, Signal]]:
    if callable(loads):
        if not isinstance(loads, OverTime):
            check_arguments(loads, "loads(t)", f"{VERB}: loads")
        frames = [frame for frame, _ in _pushes(arm, loads(0.0), "loads(0)")]
        if not frames:
            raise InputError(
                f"{VERB}: loads(0) is empty; a load that begins later must be listed from the start, with zero force."
            )

        def nine(now: Any, t: float, i: int) -> Array:
            pushes = _pushes(arm, now, f"loads({t:.6g})")
            if [frame for frame, _ in pushes] != frames:
                now_on, then_on = (
                    ", ".join(map(spoken, x)) or "nothing" for x in ([frame for frame, _ in pushes], frames)
                )
                raise InputError(
                    f"{VERB}: loads at t = {t:.6g} s act on {now_on}; at the start on {then_on}. Let the function "
                    "return loads on the same places at all times, with zero force where there is none."
                )
            return _nine(pushes[i][1])

        made = [lambda now, t, i=i: nine(now, t, i) for i in range(len(frames))]
        return [
            (frame, _timed(f"load on {spoken(frame)}", loads, part)) for frame, part in zip(frames, made, strict=True)
        ]
    pushes = _pushes(arm, loads, "loads")
    return [(frame, Signal(f"load on {spoken(frame)}", 9, _nine(load))) for frame, load in pushes]


def _timed(name: str, function: Any, part: Callable[[Any, float], Array]) -> Signal:
    """Return nine entries of a function of time as a signal; it may list its jumps, see `OverTime`."""
    over_time = function if isinstance(function, OverTime) else OverTime(lambda t, _before: function(t))
    value = OverTime(lambda t, before: part(over_time(t, before), t), source=function)
    return Signal(name, 9, value, over_time.jumps, over_time.finest)


def _pushes(arm: Arm, loads: Any, what: str) -> list[tuple[str, Load]]:
    """Return loads with the frames they move with; a single load need not be in a list."""
    return as_loads(arm, [loads] if isinstance(loads, Load) else loads, VERB, what)


def _nine(load: Load) -> Array:
    return _rows(load.force, load.moment, load.point)


def _rows(*parts: Array) -> Array:
    row = np.concatenate(np.broadcast_arrays(*parts), axis=-1)
    if row.ndim > 2:
        raise InputError(
            f"{VERB}: loads and base motions have shape (3,) or (runs, 3); got a batch of {row.shape[:-1]}."
        )
    return row


def _base(base: Any) -> Signal | None:
    if base is None:
        return None

    def nine(motion: Any, when: str) -> Array:
        if not isinstance(motion, BaseMotion):
            raise InputError(f"{VERB}: base{when} is {shown(motion)}; expected BaseMotion(...) or a function of time.")
        return _rows(motion.angular_velocity, motion.angular_acceleration, motion.linear_acceleration)

    if callable(base):
        if not isinstance(base, OverTime):
            check_arguments(base, "base(t)", f"{VERB}: base")
        return _timed("base", base, lambda motion, t: nine(motion, f"({t:.6g})"))
    return Signal("base", 9, nine(base, ""))


def _prescribed(arm: Arm, prescribed: Any) -> dict[int, Signal]:
    if prescribed is None:
        return {}
    if not isinstance(prescribed, Mapping):
        raise InputError(f"{VERB}: prescribed is {shown(prescribed)}; expected {{joint: acceleration(t)}}.")
    joints = {joint.name: int(k) for joint, k in zip(arm.joints, arm.joint_index, strict=True)}
    by_link = {link.name: joints[link.joint.name] for link in arm.links if link.joint.independent}
    out: dict[int, Signal] = {}
    for word, value in prescribed.items():
        k = joints.get(word, by_link.get(word))
        if k is None:
            raise InputError(f"{VERB}: prescribed has {shown(word)}; {suggest(str(word), joints)}")
        if k in out:
            raise InputError(f"{VERB}: prescribed names the joint of {word!r} twice.")
        out[k] = as_signal(value, 1, f"prescribed[{word!r}]", lambda x: x.reshape(1) if x.ndim == 0 else x)
    return out


def _payloads(arm: Arm, payloads: Any) -> list[tuple[str, Signal]]:
    """Return what the payload of every run adds to that of the arm."""
    payloads = {} if payloads is None else payloads
    if not isinstance(payloads, Mapping):
        payloads = {arm.tip_frame: payloads}
    bodies, out = functions_of(arm).bodies, []
    for frame, many in payloads.items():
        as_frame(arm, frame, VERB)
        if isinstance(many, Payload) or not isinstance(many, Sequence) or not many:
            raise InputError(
                f"{VERB}: payloads of {frame!r} is {shown(many)}; expected a list of Payload, one per run."
            )
        for payload in many:
            if not isinstance(payload, Payload):
                raise InputError(f"{VERB}: payloads of {frame!r} has {shown(payload)}; expected Payload(...).")
        link, X = carrier_of(arm, frame)
        carried, place = arm.link(link).payload, f"{link}.tip" if arm.link(link).flexible else link
        there = bodies.place(place).X
        rows = _payload_rows(there if X is None else there @ X, many)
        rows -= 0.0 if carried is None else _payload_rows(there, [carried])
        out.append((place, Signal(f"payload of {link!r}", 10, rows)))
    return out


def _several(arm: Arm, arms: Any, frames: list[str]) -> Several | None:
    """Return the arms of all runs and the parameters that differ between them; `frames` carry loads."""
    if arms is None:
        return None
    if isinstance(arms, Several):
        several = arms
        if several.varied.arm != arm:
            raise InputError(
                f"{VERB}: arms were prepared for arm {several.varied.arm.name!r}, which is a different arm."
            )
        for k, other in enumerate(several.arms):
            refuse_unlike(arm, other, k)
    else:
        if isinstance(arms, Arm | str) or not isinstance(arms, Sequence) or not arms:
            raise InputError(f"{VERB}: arms is {shown(arms)}; expected a list of Arm, one per run.")
        several = Several(Varied(arm, arms, frames), tuple(arms))
    several.varied.covers(frames, VERB)
    for k, other in enumerate(several.arms):
        for mine, its in zip(arm.joints, other.joints, strict=True):
            have, want = its.friction_laws.hold, mine.friction_laws.hold
            if bool(have) != bool(want):
                raise InputError(
                    f"{VERB}: arm {k}, joint {its.name!r}: friction is {have:g}, but {want:g} in "
                    f"{arm.name!r}. A joint must have friction in all arms or in none; give it a tiny value where it "
                    "should not matter."
                )
    return several


def _payload_rows(X: Array, payloads: Sequence[Payload]) -> Array:
    """(runs, 10) m, mc, I about the origin of the axes in which the frame of the payloads has pose X."""
    R, p = X[:3, :3], X[:3, 3]
    m = np.array([payload.mass for payload in payloads])[:, None]
    com = np.array([payload.com for payload in payloads]) @ R.T + p
    I = R @ np.array([payload.inertia for payload in payloads]) @ R.T
    I = I + m[..., None] * ((com * com).sum(axis=1)[:, None, None] * np.eye(3) - com[:, :, None] * com[:, None, :])
    rows, columns = np.triu_indices(3)
    return np.concatenate([m, m * com, I[:, rows, columns]], axis=1)
