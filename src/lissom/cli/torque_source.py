"""Motions for `lissom torques`: their arm, payload and loads, and whether their own torques agree."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom.cli.arm_options import ArmOptions
from lissom.errors import InputError, LissomError, ModelError, listed
from lissom.formats.files import LARGEST_TABLE, read_bytes
from lissom.formats.table_header import TableHeader, header_of, read_header
from lissom.model.arm import Arm
from lissom.model.loads import Load, Payload
from lissom.model.units import units
from lissom.simulation.records.acting import loads_at, loads_of
from lissom.simulation.run import Run
from lissom.simulation.trajectory import Trajectory, read_columns, read_trajectory
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

SAME = 0.01  # of a file's largest torque, within which torques agree with those of the file
SAME_DERIVED = 0.1  # the same, where accelerations are derivatives of what the file has
RESTING = 1e-6  # of the largest rate of a joint, up to which it stands still
MOTIONS = (".csv", ".nc", ".parquet")  # endings of motions, which arms do not have
EXPLAINED = 0.02  # of the difference that may remain where a payload or a force is given as its cause


class TorqueSource(NamedTuple):
    """A motion with its arm and the loads that act; its own torques and header, if the file has some."""

    arm: Arm
    path: Trajectory
    loads: Any = ()
    tau: Array | None = None
    header: TableHeader | None = None
    file: Path | None = None


def check_record(file: Path, refused: list[str]) -> None:
    """Raise an error for a file without an arm, and for options that are for an arm that is given (`refused`)."""
    if file.suffix.lower() == ".csv":
        raise InputError(f"torques: {file} is a table; name the arm before it: lissom torques ARM {file}.")
    if file.suffix.lower() not in (".nc", ".parquet"):
        raise InputError(
            f"torques: name the motion too: lissom torques {file} MOTION. Only a saved motion or run (.nc) contains "
            "its arm."
        )
    if refused:
        raise InputError(f"{file} contains its arm; omit {' and '.join(refused)}.")


def refuse_swapped(arm: Path, motion: Path) -> None:
    """Raise an error where the motion is named before its arm."""
    if arm.suffix.lower() in MOTIONS and motion.suffix.lower() not in MOTIONS:
        raise InputError(
            f"torques: arm and motion are swapped: {arm} is a {'table' if arm.suffix.lower() == '.csv' else 'record'}; "
            f"the arm comes first: lissom torques {motion} {arm}."
        )


def of_record(file: Path, options: ArmOptions, with_loads: bool) -> tuple[TorqueSource, list[str]]:
    """A motion or a run with the arm that it was saved with and the loads; sentences that name them.

    options : their payload replaces the one of the arm; with_loads : other loads are given
    """
    from lissom.motion.result.files.read import load_record
    from lissom.motion.result.motion import Motion

    found, payload = load_record(file), options.carried()
    arm = found.arm if payload is None else found.arm.with_payload(payload, options.carrier(found.arm))
    if isinstance(found, Motion):
        path = Trajectory(found.t, found.q, found.qd, found.qdd, ())
        header = header_of(found.arm, found.task.loads, found.duration)
        return TorqueSource(arm, path, found.loads_at(found.t), found.tau, header, file), []
    return completed(of_table(arm, file), payload is not None, with_loads)


def of_table(arm: Arm, file: Path) -> TorqueSource:
    """A motion from a table, a saved motion or a saved run, for an arm that is given."""
    if file.suffix.lower() in (".nc", ".parquet"):
        return _of_saved(arm, file)
    path = read_trajectory(file, arm)
    header = read_header(read_bytes(file, LARGEST_TABLE).decode("utf-8-sig", errors="replace"))
    try:
        own = read_columns(file, arm, "tau")[1]
    except ModelError:  # it has none, or not of every joint
        own = None
    return TorqueSource(arm, path, (), own, header, file)


def _of_saved(arm: Arm, file: Path) -> TorqueSource:
    from lissom.motion.result.files.read import load_record

    found = load_record(file)
    if isinstance(found, Run):
        header = header_of(found.arm, found.report.provenance.get("loads", ()))
        own = found.tau if found.q.ndim == 2 else None
        return TorqueSource(arm, read_trajectory(file, arm), (), own, header, file)
    if found.arm.coordinates != arm.coordinates:
        raise InputError(f"{file}: it has other joints than arm {arm.name!r}: {other_joints(arm, found.arm, 'motion')}")
    header = header_of(found.arm, found.task.loads, found.duration)
    return TorqueSource(arm, Trajectory(found.t, found.q, found.qd, found.qdd, ()), (), found.tau, header, file)


def other_joints(arm: Arm, recorded: Arm, what: str) -> str:
    """How the joints of an arm and of the one that a record was made with differ, and what to do, as sentences."""
    missing = [name for name in arm.coordinates if name not in recorded.coordinates]
    more = [name for name in recorded.coordinates if name not in arm.coordinates]
    rows = [f"the {what} has no coordinate {listed(map(repr, missing), 4)}"] if missing else []
    rows += [f"arm {arm.name!r} has no coordinate {listed(map(repr, more), 4)}"] if more else []
    differ = " and ".join(rows) or "their joints have another order"
    joints = {joint.name for joint in arm.joints}
    if missing and not more and joints.issuperset(missing):
        lock = " ".join(f"--lock {name}=POSITION" for name in missing)
        again = f"If that is a joint that was fixed, fix it again: {lock}"
        return f"{differ}. {again}; or leave out ARM, which the {what} contains."
    return f"{differ}. Leave out ARM: the {what} contains the arm that it was made with."


def completed(source: TorqueSource, with_payload: bool, with_loads: bool) -> tuple[TorqueSource, list[str]]:
    """The source with payload and loads of its header, unless others are given; sentences that name them."""
    header, notes = source.header, list[str]()
    if header is None:
        return source, notes
    if not with_payload:
        source, notes = _with_payloads(source, header)
    if not with_loads:
        source, more = _with_loads(source, header)
        notes += more
    return source, notes


def _with_payloads(source: TorqueSource, header: TableHeader) -> tuple[TorqueSource, list[str]]:
    """The source with exactly the payloads of the header."""
    arm, own = source.arm, _payloads(source.arm)
    if _same_payloads(arm, header):
        return source, []
    try:
        for link in {**own, **header.payloads}:
            arm = arm.with_payload(header.payloads.get(link), link)
    except LissomError:
        words = _payload_words(header.payloads)
        return source, [f"the motion's payload is not used, arm {arm.name!r} has no such link: {words}."]
    return source._replace(arm=arm), [f"{_payload_note(header.payloads, own)}; another one: --payload."]


def _payload_note(used: dict[str, Payload], own: dict[str, Payload]) -> str:
    """Return which payloads are used, and which ones of the arm are not."""
    if not used:
        return f"the motion was made without a payload, the arm's is not used: {_payload_words(own)}"
    instead = f" instead of the arm's {_payload_words(own)}" if own else ""
    return f"the motion's payload is used: {_payload_words(used)}{instead}"


def _with_loads(source: TorqueSource, header: TableHeader) -> tuple[TorqueSource, list[str]]:
    names = {
        *(link.name for link in source.arm.links),
        *(tool.name for link in source.arm.links for tool in link.tools),
    }
    links = [load.link for load in header.loads]
    if header.varying:
        recorded = _loads_of_run_file(source)
        if recorded is not None:
            return source._replace(loads=recorded), ["the external loads of the motion's run file act."]
        there = ", ".join(map(repr, header.varying))
        return source, [f"external loads on {there} change with time and are not in the file; give them by --loads."]
    if not links:
        return source, []
    if not set(links) <= names:
        return source, [f"the motion's external loads are not used, the arm has no such link: {', '.join(links)}."]
    acting = header.loads_at(source.path.t)
    return source._replace(loads=acting), [f"the motion's external loads on {', '.join(map(repr, links))} act."]


def _loads_of_run_file(source: TorqueSource) -> Any:
    """Loads at the times of a run that `lissom simulate` made, which keeps its run file; None for other files."""
    from lissom.motion.result.files.read import load_record

    try:
        found = None if source.file is None else load_record(source.file)
        text = found.report.provenance.get("run_file") if isinstance(found, Run) else None
        return None if text is None else loads_at(loads_of(tomllib.loads(text)), source.path.t)
    except (LissomError, ValueError):
        return None


def _payload_words(payloads: dict[str, Payload]) -> str:
    return ", ".join(f"{payload.mass:.4g} kg on link {link!r}" for link, payload in payloads.items())


def explained(source: TorqueSource, tau: Array) -> str:
    """How the file's own torques (nt, dof) differ from these, and the probable cause; empty where they agree."""
    own, arm = source.tau, source.arm
    if own is None:
        return ""
    away = np.where(arm.actuated, np.abs(tau - own), 0.0)
    joints = arm.joint_index
    held = np.where(_at_rest(source.path.qd[:, joints]), arm.breakaway + arm.asymmetry, 0.0)
    away[:, joints] = np.maximum(away[:, joints] - held, 0.0)
    allowed = (SAME_DERIVED if source.path.derived else SAME) * np.abs(own).max(initial=0.0)
    # friction turns round where a joint does: a tenth of the samples may differ
    if not away.size or np.quantile(away, 0.9, axis=0).max() <= allowed:
        return ""
    at, k = np.unravel_index(int(np.argmax(away)), away.shape)
    unit, largest = units(arm, "tau")[k], float(np.abs(own[:, k]).max())
    share = f" ({100 * away[at, k] / largest:.0f} % of its peak there)" if largest > 0 else ""
    return (
        f"the file's own torques differ from the computed ones by up to {away[at, k]:.4g} {unit}{share}, at joint "
        f"{arm.coordinates[k]!r}, t = {source.path.t[at]:.4g} s. {_cause(source, own - tau)}"
    )


def _at_rest(qd: Array) -> Array:
    """Return where joints (nt, dof) stand still: there friction may be anything up to its limit."""
    return np.abs(qd) <= RESTING * np.abs(qd).max(axis=0, initial=0.0)


def _cause(source: TorqueSource, missing: Array) -> str:
    """What the arm probably lacks, in a sentence."""
    header, arm = source.header, source.arm
    if header is not None and header.varying and not len(source.loads):
        return f"The loads on {', '.join(map(repr, header.varying))} are missing; give them by --loads."
    if header is not None and not _same_payloads(arm, header):
        return _other_payload(header, arm)
    end = _end(arm)
    mass = None if end is None else _fitted(missing, [_unit_payload(source, end)])
    if mass is not None and mass[0] > 0:
        return f"A payload of {mass[0]:.4g} kg on link {end!r} explains it: add --payload {mass[0]:.4g}."
    force = None if end is None else _fitted(missing, _unit_forces(source, end))
    if force is not None:
        values = ", ".join(f"{x:.4g}" for x in force)
        return (
            f"A constant force ({values}) N, in world axes, at the origin of link {end!r} explains it: "
            "describe it in a file with [[loads]] and add --loads FILE."
        )
    if header is not None and header.digest != arm.digest:
        return f"The file was made with another arm: {header.arm!r}, of which masses, friction or gravity differ."
    return "Probably the arm lacks a payload (--payload), external loads (--loads), or has other masses or friction."


def _other_payload(header: TableHeader, arm: Arm) -> str:
    """How the payloads of a header differ from those of the arm, in a sentence."""
    if not header.payloads:
        return "The motion was made without a payload; leave out --payload."
    carried = f"The motion was made with another payload: {_payload_words(header.payloads)}"
    if header.payloads.keys() <= {link.name for link in arm.links}:
        return f"{carried}; leave out --payload to use it."
    return f"{carried}; arm {arm.name!r} has no such link."


def _same_payloads(arm: Arm, header: TableHeader) -> bool:
    """Whether an arm has the payloads of a header, or had them before fixed links were merged and they became mass."""
    return header.payloads == _payloads(arm) or header.digest == arm.merge_fixed().digest


def _payloads(arm: Arm) -> dict[str, Payload]:
    return {link.name: link.payload for link in arm.links if link.payload is not None}


def _computed(source: TorqueSource, arm: Arm, loads: Any) -> Array:
    path = source.path
    return np.asarray(inverse_dynamics(arm, path.q, path.qd, path.qdd, loads=loads))


def _end(arm: Arm) -> str | None:
    """The frame where a payload is by default; None where it must be named."""
    try:
        return arm.tip_frame
    except ModelError:
        return None


def _unit_payload(source: TorqueSource, frame: str) -> Array:
    """Torques (nt, dof) that another kilogram at a link or tool takes."""
    arm = source.arm
    if arm.links[arm.frame(frame).link].payload is not None:
        return np.zeros_like(source.path.q)
    heavier = arm.with_payload(Payload(1.0), frame)
    return _computed(source, heavier, source.loads) - _computed(source, arm, source.loads)


def _unit_forces(source: TorqueSource, link: str) -> list[Array]:
    """Torques (nt, dof) that one newton at a link's origin takes, along each axis of the world."""
    arm = source.arm
    free = _computed(source, arm, ())
    return [_computed(source, arm, [Load(link, force=axis)]) - free for axis in np.eye(3)]


def _fitted(missing: Array, effects: list[Array]) -> Array | None:
    """Amounts of effects whose sum is what is missing; None where they are not its cause."""
    A, b = np.stack([effect.ravel() for effect in effects], axis=1), missing.ravel()
    found = np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], float)
    rest = np.quantile(np.abs(A @ found - b), 0.9)  # friction at rest may differ in some samples
    return found if rest <= EXPLAINED * np.abs(b).max() else None
