"""Run files: a simulation described in TOML, strict like the native format. `docs/run-file.md` describes it.

They are read here and not in `simulation`, because a run may follow a planned motion.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, ModelError, shown, suggest
from lissom.formats.documents import read_document, refuse_unfit_document
from lissom.formats.scenario import (
    ARM_KEYS,
    in_radians,
    load_beside,
    locked_joints,
    named_arm,
    output_files,
)
from lissom.formats.strict import Table, as_table, inside, made_rows, record, refuse_unknown
from lissom.model.arm import Arm
from lissom.model.loads import Load, Payload
from lissom.motion.output_feedback_file import KIND as OUTPUT_FEEDBACK, read_output_feedback
from lissom.simulation.controllers import FILE_KINDS, Controller
from lissom.simulation.events import Event
from lissom.simulation.options import FIELDS, NUMERICAL
from lissom.simulation.records.acting import base_of, loads_of
from lissom.simulation.signals import OverTime, Profile

MOST_RUNS = 1_000_000
REFERENCES = ("q", "qd", "qdd")  # of controllers, also in degrees
KINDS = (*FILE_KINDS, OUTPUT_FEEDBACK)
OPTIONS = (*NUMERICAL, "stop_at_limits")
TOP = ("lissom_run", *ARM_KEYS, "start", "torque", "controller", "loads", "base",
       "prescribed", "events", "ensemble", "output", "title", *OPTIONS)  # fmt: skip


class RunFile(NamedTuple):
    """Content of a run file: the arm, the arguments of `simulate`, and output files."""

    arm: Arm
    arguments: dict[str, Any]
    outputs: tuple[Path, ...]


def read_run_file(path: Path) -> RunFile:
    """Read a run file; errors name the line."""
    return read_document(path, "run", _Reader(path).read)


def read_loads(path: Path) -> list[Load] | OverTime:
    """Read the ``[[loads]]`` of a run file, or of a file with nothing else."""

    def read(document: Table) -> list[Load] | OverTime:
        refuse_unknown(document, TOP, "the file")
        if "loads" not in document:
            raise ModelError("there are no [[loads]] in the file.")
        return loads_of(document)

    return read_document(path, "run", read)


class _Reader:
    def __init__(self, path: Path):
        self.path = path

    def read(self, document: Table) -> RunFile:
        refuse_unfit_document(document, "run", TOP)
        for word in ("arm", "until"):
            if word not in document:
                raise ModelError(f"{word} is missing from the file.")
        self.arm = named_arm(document, self.path.parent)
        self.locked = locked_joints(document)
        arguments: dict[str, Any] = {word: document[word] for word in OPTIONS if word in document}
        for word, value in arguments.items():
            if isinstance(value, float) and not np.isfinite(value):
                raise ModelError(f"{word} is {value}; expected a finite number.")
        for word in NUMERICAL:
            _check_option(word, arguments)
        if not isinstance(arguments.get("stop_at_limits", False), bool):
            raise ModelError(f"stop_at_limits is {shown(arguments['stop_at_limits'])}; expected true or false.")
        with inside("start"):
            start = in_radians(_start_table(document.get("start", {})), ("q", "qd"), self.arm, self.locked)
            refuse_unknown(start, ("q", "qd", "tau", "assemble", "q_deg", "qd_deg"), "[start]")
            for word in ("q", "qd", "tau"):
                if word in start:
                    arguments[f"{word}0"] = _state(start[word], word)
            if "assemble" in start:
                arguments |= self._assembled(start["assemble"], arguments)
        arguments["tau"] = self._torque(document)
        arguments["loads"] = loads_of(document)
        arguments["base"] = base_of(document)
        arguments["prescribed"] = self._prescribed(document)
        arguments["events"] = made_rows(document, "events", "event", self._event)
        if "ensemble" in document:
            with inside("ensemble"):
                arguments |= self._ensemble(as_table(document["ensemble"], "ensemble"), arguments)
        outputs = output_files(document, self.path.parent, (".nc", ".csv", ".parquet"))
        return RunFile(self.arm, {k: v for k, v in arguments.items() if v is not None}, outputs)

    def _assembled(self, held: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the initial state with its loops closed; `held` are joints that keep their positions."""
        from lissom.verbs.assembly import assemble

        if not isinstance(held, list) or not all(isinstance(name, str) for name in held):
            raise ModelError(f"assemble is {shown(held)}; expected a list of joints that keep their positions, or [].")
        found = assemble(self.arm, arguments.get("q0"), held, arguments.get("qd0"))
        return {"q0": found.q, "qd0": found.qd}

    # ---- values that may vary --------------------------------------------------------------------

    def _profile(self, row: Table, word: str) -> Any:
        """Return a constant, or with ``t`` a profile over time (``kind``: linear, hold, cubic)."""
        if "t" not in row:
            return row[word]
        return Profile(row["t"], row[word], row.get("kind", "linear"))

    def _torque(self, document: Table) -> Any:
        if "torque" in document and "controller" in document:
            raise ModelError("torque and controller are both given; give one of them.")
        if "controller" in document:
            with inside("controller"):
                return self._controller(dict(as_table(document["controller"], "controller")))
        if "torque" not in document:
            return None
        value = document["torque"]
        if isinstance(value, list):
            return _numbers(value, "torque")
        with inside("torque"):
            row = as_table(value, "torque")
            refuse_unknown(row, ("tau", "t", "kind", "file"), "[torque]")
            if "file" in row:
                from lissom.simulation.trajectory import read_columns

                t, tau = read_columns(self.path.parent / str(row["file"]), self.arm, "tau")
                return Profile(t, tau, row.get("kind", "linear"))
            if "tau" not in row:
                raise ModelError("tau is missing from [torque].")
            _numbers(row["tau"], "tau")
            return self._profile(row, "tau")

    def _controller(self, row: Table) -> Controller:
        kind = row.pop("kind", None)
        if not isinstance(kind, str) or kind not in KINDS:
            raise ModelError(f"kind is {shown(kind)}; {suggest(str(kind), KINDS)}")
        row = in_radians(row, REFERENCES, self.arm, self.locked)
        if kind == OUTPUT_FEEDBACK:
            if "model" in row:
                row["model"] = load_beside(row["model"], "model", self.path.parent)
            return read_output_feedback(row, self.arm)
        made = FILE_KINDS[kind]
        known = tuple(made.__dataclass_fields__)  # type: ignore[attr-defined]
        in_degrees = tuple(f"{word}_deg" for word in REFERENCES if word in known)
        refuse_unknown(row, (*known, "t", "profile", *in_degrees), "[controller]")
        t, shape = row.pop("t", None), row.pop("profile", "linear")
        if "motion" in row:
            row["motion"] = self._motion(row["motion"])
        if "model" in row:
            row["model"] = load_beside(row["model"], "model", self.path.parent)
        for word in ("q", "qd", "qdd", "goal", "tau") if t is not None else ():
            if isinstance(row.get(word), list) and row[word] and isinstance(row[word][0], list):
                if len(row[word]) != len(t):
                    raise ModelError(f"{word} has {len(row[word])} rows for {len(t)} times t; expected one for each.")
                row[word] = Profile(t, row[word], shape)
        return record(made, row, f"[controller] of kind {kind!r}")

    def _motion(self, source: Any) -> Any:
        from lissom.motion.public import load_motion

        if not isinstance(source, str):
            raise ModelError(f"motion is {shown(source)}; expected the file of a saved motion (.nc).")
        return load_motion(self.path.parent / source)

    def _prescribed(self, document: Table) -> Any:
        rows = as_table(document.get("prescribed", {}), "prescribed")
        out = {}
        for joint, value in rows.items():
            with inside("prescribed", joint):
                if joint not in self.arm.coordinates:
                    raise ModelError(f"{joint} is not a joint of the arm; {suggest(joint, self.arm.coordinates)}")
                row = (
                    {"acceleration": value}
                    if isinstance(value, int | float)
                    else as_table(value, f"prescribed.{joint}")
                )
                refuse_unknown(row, ("acceleration", "t", "kind"), f"[prescribed.{joint}]")
                if "acceleration" not in row:
                    raise ModelError(f"acceleration is missing from [prescribed.{joint}].")
                out[joint] = self._profile(row, "acceleration")
        return out or None

    def _event(self, row: Table) -> Event:
        refuse_unknown(row, ("name", "coordinate", "quantity", "value", "direction", "stop"), "[[events]]")
        name, quantity = row.get("coordinate"), row.get("quantity", "q")
        if name not in self.arm.coordinates:
            raise ModelError(f"coordinate is {shown(name)}; {suggest(str(name), self.arm.coordinates)}")
        if quantity not in ("q", "qd"):
            raise ModelError(f"quantity is {shown(quantity)}; expected 'q' or 'qd'.")
        value = row.get("value", 0.0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            raise ModelError(f"value is {shown(value)}; expected a finite number.")
        k = self.arm.coordinates.index(name)
        watch = lambda t, q, qd: (q if quantity == "q" else qd)[k] - value  # noqa: E731
        label = row.get("name", f"{name}.{quantity} = {value:g}")
        return Event(watch, label, row.get("direction", 0), row.get("stop", False))

    # ---- many runs -------------------------------------------------------------------------------

    def _ensemble(self, row: Table, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return random initial states, gains and payloads around the values in the file."""
        refuse_unknown(row, ("runs", "seed", "q", "qd", "kp", "kd", "payload"), "[ensemble]")
        runs, seed = row.get("runs"), row.get("seed", 0)
        for word, value, least, most in (("runs", runs, 1, MOST_RUNS), ("seed", seed, 0, 2**63)):
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ModelError(f"{word} is {shown(value)}; expected a whole number from {least} to {most}.")
        assert isinstance(runs, int)
        rng, arm = np.random.default_rng(seed), self.arm
        control = arguments["tau"]
        begun = control.start(arm) if "q0" not in arguments and isinstance(control, Controller) else None
        home, rest = begun or (arm.home, np.zeros(arm.dof))
        start = {"q": arguments.get("q0", home), "qd": arguments.get("qd0", rest)}
        out: dict[str, Any] = {}
        for word in ("q", "qd"):
            middle = arm.expanded(np.asarray(start[word], float))
            spread = np.zeros(arm.dof)
            spread[arm.joint_index] = _numbers(row.get(word, 0.0), word)
            out[f"{word}0"] = middle + spread * rng.uniform(-1.0, 1.0, (runs, arm.dof))
        for word in ("kp", "kd"):
            if word in row:
                if getattr(control, word, None) is None:
                    raise ModelError(f"{word} varies a gain that the controller does not have.")
                part = _numbers(row[word], word)
                joints = len(arm.joints)
                gains = np.broadcast_to(np.asarray(getattr(control, word), float), joints)
                control = dataclasses.replace(
                    control, **{word: gains * (1 + part * rng.uniform(-1.0, 1.0, (runs, joints)))}
                )
        out["tau"] = control
        if "payload" in row:
            out["payloads"] = self._payloads(row["payload"], runs, rng)
        return out

    def _payloads(self, value: Any, runs: int, rng: Any) -> dict[str, list[Payload]]:
        with inside("payload"):
            row = as_table(value, "payload")
            refuse_unknown(row, ("link", "mass", "com", "size"), "[ensemble.payload]")
            link = row.get("link") or self.arm.tip_frame
            low, high = (_numbers(row.get("mass", [0.0, 1.0]), "mass") * np.ones(2)).tolist()
            com, spread = np.zeros(3), 0.0
            if "com" in row:
                com = np.array(row["com"], float)
            spread = float(row.get("size", 0.0))
            if not 0 <= low <= high < np.inf:
                raise ModelError(f"mass is {shown(row.get('mass'))}; expected [least, most], at least 0.")
            if not 0 <= spread < np.inf:
                raise ModelError(f"size is {shown(row.get('size'))}; expected metres, at least 0.")
            bodies = []
            for mass in rng.uniform(low, high, runs):
                place = com + spread * rng.uniform(-1.0, 1.0, 3)
                bodies.append(Payload(float(mass), place, np.eye(3) * (0.4 * mass * spread**2)))
            return {link: bodies}


def _check_option(word: str, arguments: dict[str, Any]) -> None:
    """Raise the error of `simulate` for an option, so that it names the line of the file."""
    try:
        FIELDS[word](word, arguments[word]) if word in arguments else None
    except InputError as error:
        raise ModelError(str(error).removeprefix("simulate: ")) from None


def _start_table(value: Any) -> Table:
    """Return the table of the initial state; a list of positions, as task files have, is refused with its form here."""
    if isinstance(value, list):
        raise ModelError(f"start is {shown(value)}; expected a table, [start] with q = {shown(value)} and perhaps qd.")
    return as_table(value, "start")


def _state(value: Any, word: str) -> Any:
    """Return initial positions or rates, of one run or of several."""
    found = _numbers(value, word)
    if found.ndim not in (1, 2):
        raise ModelError(f"{word} is {shown(value)}; expected a list, one number per joint.")
    return found


def _numbers(value: Any, word: str) -> Any:
    try:
        found = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ModelError(f"{word} is {shown(value)}; expected a number or a list of numbers.") from None
    if not np.isfinite(found).all():
        raise ModelError(f"{word} is {shown(value)}; expected finite numbers.")
    return found
