"""Reading the native format: TOML, strict, SI units. `docs/native-format.md` describes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import InputError, ModelError, about, shown, suggest
from lissom.formats.documents import located, notes_of, refuse_unfit_document
from lissom.formats.faults import Faults, joined
from lissom.formats.files import AS_WRITTEN, MOST_LINKS
from lissom.formats.kinds import refuse_other_kind
from lissom.formats.modal import FILES, OPTIONS, read_modal_integrals
from lissom.formats.strict import Table, as_rows, as_table, degrees, inside, made_rows, parse, record, refuse_unknown
from lissom.joints import JOINTS
from lissom.model.actuator import Actuator
from lissom.model.arm import Arm
from lissom.model.beam import Beam, Modes, Tip
from lissom.model.contact import Contact, Mirror
from lissom.model.dh import DH, dh_links
from lissom.model.fields import array, text, transform, vector
from lissom.model.friction import Friction
from lissom.model.joint import Joint
from lissom.model.joint_elasticity import JointElasticity
from lissom.model.limits import Limits
from lissom.model.link import Link, LinkShape, Tool
from lissom.model.loads import Load, Loop, Payload
from lissom.model.mimic import Mimic
from lissom.model.modal_integrals import ModalIntegrals
from lissom.model.poses import NamedPose
from lissom.model.shape_table import ShapeTable
from lissom.spatial.frames import pose
from lissom.spatial.inertia import principal_moments
from lissom.spatial.rotations import Array, from_quaternion, from_rpy

TOP = ("lissom", "name", "gravity", "flexibility", "kinematics_only", "source", "notes", "links", "dh", "loops",
       "loads", "shapes", "poses", "contacts", "mirror")  # fmt: skip


def read(
    path: Path, data: bytes, kinematics_only: bool = False, repair: bool | str = False, follow: bool = True
) -> Arm:
    """An arm from the bytes of a native file at `path`; files that it names are beside it."""
    if repair is True:
        raise InputError(f"load: repair is for URDF files; correct the inertias in {path} instead.")
    content, document = parse(str(path), data)
    reader = Reader(path.parent, follow, as_written=repair == AS_WRITTEN)
    try:
        return reader.arm(document, kinematics_only)
    except ModelError as error:
        faults = reader.faults.list or [error]
        raise joined([located(fault, str(path), content, _named(fault, document)) for fault in faults]) from None


def _named(error: ModelError, document: Table) -> tuple[str | int, ...]:
    """The place of the link or joint that an error names."""
    table = document.get("dh")
    word, rows = ("rows", table.get("rows")) if isinstance(table, dict) else ("links", document.get("links"))
    # from the end: of two links with one name the second is the mistake
    for i, row in reversed(list(enumerate(rows if isinstance(rows, list) else ()))):
        if not isinstance(row, dict):
            continue
        link = row.get("name", f"link{i + 1}")
        joint = row["joint"].get("name", link) if isinstance(row.get("joint"), dict) else link
        if error.subject.endswith((f"link {shown(link)}", f"joint {shown(joint)}")):
            return word, i
    return ()


def default_modes(beam: Table) -> str:
    """Return a note about modes of a beam that its table leaves to the defaults; empty if nothing is worth one."""
    modes, count = beam.get("modes"), Modes().bending_z
    if modes is None and ("EI" in beam or beam.get("EI_y") is not None):
        return (
            f"modes is not given: the beam keeps {count} modes of bending_z and none of bending_y, in which it may "
            f"vibrate more slowly. Give, for example, modes = {{ bending_z = {count}, bending_y = {count} }}."
        )
    if isinstance(modes, dict) and modes and "bending_z" not in modes:
        return f"modes does not name bending_z, of which {count} are the default; bending_z = 0 leaves them out."
    return ""


class Reader:
    """Converts tables to records; rejects unknown keys. Files are relative to a folder."""

    def __init__(self, folder: Path, follow: bool = True, as_written: bool = False):
        self.folder, self.follow, self.as_written = folder, follow, as_written
        self.notes: list[str] = []
        self.faults = Faults()  # of links; the rest is reported one at a time
        self.freed: list[str] = []  # notes about joints that would follow others

    def arm(self, document: Table, kinematics_only: bool) -> Arm:
        refuse_other_kind(document, "arm")
        refuse_unfit_document(document, "arm", TOP)
        words = ("flexibility", "kinematics_only", "source", "gravity")
        options: dict[str, Any] = {word: document[word] for word in words if word in document}
        if kinematics_only:
            options["kinematics_only"] = True
        notes = notes_of(document)
        loops = made_rows(document, "loops", "loop", self._loop)
        loads = made_rows(document, "loads", "load", partial(record, Load, what="a load"))
        if ("links" in document) == ("dh" in document):
            raise ModelError("give the arm either as [[links]] or as [dh], exactly one of them.")
        table = document.get("dh", document)
        rows = table.get("rows" if "dh" in document else "links") if isinstance(table, dict) else None
        if isinstance(rows, list) and len(rows) > MOST_LINKS:
            raise ModelError(f"it has {len(rows)} links; at most {MOST_LINKS} are read.")
        links = self._dh(document["dh"]) if "dh" in document else self._links(as_rows(document, "links"))
        options["shapes"] = self._parts({"shapes": document["shapes"]})["shapes"] if "shapes" in document else ()
        options["named_poses"] = self._poses(document.get("poses", {}), links)
        options["contacts"] = made_rows(document, "contacts", "contact", partial(record, Contact, what="a contact"))
        if "mirror" in document:
            with inside("mirror"):
                options["mirror"] = record(Mirror, document["mirror"], "mirror")
        options["notes"] = [*notes, *self.freed, *self.notes]
        return Arm(document.get("name", ""), tuple(links), loops=tuple(loops), loads=tuple(loads), **options)

    def _links(self, rows: list[Table]) -> list[Link]:
        links = []
        for i, row in enumerate(rows):
            with self.faults.gathered(), inside("links", i), about(f"link {shown(row.get('name', i + 1))}"):
                links.append(self._link(row))
        self.faults.raise_any()
        return links

    def _dh(self, table: Any) -> tuple[Link, ...]:
        with inside("dh"):
            refuse_unknown(as_table(table, "dh"), ("convention", "base", "rows"), "[dh]")
            if "convention" not in table:
                raise ModelError('convention is missing; give "standard" or "modified".')
            base = _placement(table.get("base", {}), "base")
            rows = []
            for i, row in enumerate(as_rows(table, "rows")):
                place = inside("dh", "rows", i)
                with self.faults.gathered(), place, about(f"link {shown(row.get('name', f'link{i + 1}'))}"):
                    rows.append(self._dh_row({"name": f"link{i + 1}", **row}))
            self.faults.raise_any()
            return dh_links(rows, table["convention"], base)

    def _dh_row(self, row: Table) -> DH:
        row = degrees(row, ("alpha", "theta"))
        known = tuple(f.name for f in fields(DH))
        refuse_unknown(row, (*known, "alpha_deg", "theta_deg"), "a DH row")
        _refuse_degrees_of_slides(row, row.get("joint"))
        return DH(**self._parts(row))

    def _link(self, row: Table) -> Link:
        renamed = {"modal_integrals" if f.name == "modes" else f.name for f in fields(Link)}
        refuse_unknown(row, tuple(sorted(renamed)), "a link")
        if "name" not in row:
            raise ModelError("name is missing.")
        if isinstance(row.get("beam"), dict) and default_modes(row["beam"]):
            self.notes.append(f"link {row['name']!r}: {default_modes(row['beam'])}")
        row = self._parts(row)
        if "frame" in row:
            row["frame"] = _placement(row["frame"], "frame")
        row = _made(row, {"joint": self._joint, "beam": self.beam, "modal_integrals": self.modal_integrals})
        if "modal_integrals" in row:
            row["modes"] = row.pop("modal_integrals")
        if not self.as_written:
            return Link(**row)
        try:
            return Link(**row)
        except ModelError:
            link = Link(**row | {"as_written": True})  # refuses what is wrong besides its inertia
            moments = ", ".join(f"{value:.4g}" for value in principal_moments(link.inertia))
            self.notes.append(f"link {link.name!r}: unphysical principal moments {moments} taken as written.")
            return link

    def _parts(self, row: Table) -> Table:
        """Sub-tables that links and DH rows share."""
        makers: dict[str, Callable[[Any], Any]] = {
            "payload": lambda value: record(Payload, value, "payload"),
            "limits": self._limits,
            "friction": lambda value: record(Friction, value, "friction") if isinstance(value, dict) else value,
            "elastic": lambda value: record(JointElasticity, value, "elastic"),
            "mimic": self._mimic,
            "actuator": lambda value: record(Actuator, value, "actuator"),
            "tools": lambda _: tuple(self._tool(tool) for tool in as_rows(row, "tools")),
            "shapes": lambda _: tuple(self._shape(shape) for shape in as_rows(row, "shapes")),
        }
        return _made(row, makers)

    def _mimic(self, value: Any) -> Mimic | None:
        mimic: Mimic = record(Mimic, value, "mimic")
        if self.follow:
            return mimic
        self.freed.append(f"a joint is free: its mimic of {mimic.joint!r} ignored.")
        return None

    def _joint(self, value: Any) -> Joint:
        row = as_table(value, "joint")
        known = ("type", *(f.name for f in fields(Joint) if f.name != "kind"))
        refuse_unknown(row, known, "a joint")
        with about(f"joint {shown(row['name'])}" if "name" in row else "joint"):
            _refuse_degrees_of_slides(row, row.get("type"))
            row = self._parts(row)
            if "placement" in row:
                row["placement"] = _placement(row["placement"], "placement")
            return Joint(row.pop("type", "revolute"), **row)

    def _limits(self, value: Any) -> Limits:
        row = degrees(as_table(value, "limits"), ("position", "velocity", "acceleration", "jerk"))
        refuse_unknown(row, tuple(f.name for f in fields(Limits)), "limits")
        for word, bound in row.items():
            if isinstance(bound, list) and len(bound) != 2:
                raise ModelError(f"{word} is {bound!r}; expected one number or [lower, upper].")
        # inf is how a file says "no bound on this side"
        return Limits(**{word: tuple(bound) if isinstance(bound, list) else bound for word, bound in row.items()})

    def beam(self, value: Any) -> Beam:
        """A beam from its table."""
        row = dict(as_table(value, "beam"))
        known = (*(f.name for f in fields(Beam)), "EI_y", "EI_z")
        refuse_unknown(row, known, "a beam")
        if "EI" in row and ("EI_y" in row or "EI_z" in row):
            raise ModelError("EI is for both planes; give it, or EI_y and EI_z.")
        for word in ("length", "mass_per_length"):
            if word not in row:
                raise ModelError(f"{word} is missing.")
        both = row.pop("EI", None)
        row["EI"] = (row.pop("EI_y", both), row.pop("EI_z", both))
        if "tip_pose" in row:
            as_table(row["tip_pose"], "tip_pose")
        tables = {"modes": Modes, "shapes": ShapeTable, "tip": Tip}  # shapes and tip may also be words
        wanted = (word for word in tables if word == "modes" or isinstance(row.get(word), dict))
        return Beam(**_made(row, {word: partial(record, tables[word], what=word) for word in wanted}))

    def modal_integrals(self, value: Any) -> ModalIntegrals:
        """Modal integrals from their table: the numbers, or files of them or of matrices."""
        row = dict(as_table(value, "modal_integrals"))
        if not {"file", "mass", "stiffness", "nodes"} & set(row):
            found: ModalIntegrals = record(ModalIntegrals, row, "modal_integrals")
            return found
        refuse_unknown(row, (*FILES, *OPTIONS), "modal_integrals from files")
        for word in FILES:
            if word in row:
                row[word] = self.folder / text(row[word], word)
        if "carries" in row:
            with inside("carries"):
                row["carries"] = record(Payload, row["carries"], "carries")
        if "frame" in row:
            row["frame"] = _placement(row["frame"], "frame")
        return read_modal_integrals(**row)

    def _tool(self, row: Table) -> Tool:
        refuse_unknown(row, ("name", "placement"), "a tool")
        return Tool(row.get("name", ""), _placement(row.get("placement", {}), "placement"))

    def _shape(self, row: Table) -> LinkShape:
        refuse_unknown(row, tuple(f.name for f in fields(LinkShape)), "a shape")
        row = dict(row)
        row["origin"] = _placement(row.get("origin", {}), "origin")
        return LinkShape(row.pop("kind", None), **row)

    def _poses(self, table: Any, links: Sequence[Link]) -> list[NamedPose]:
        """Named poses, whose joints exist."""
        known = [link.joint.name for link in links]
        with inside("poses"):
            poses = [NamedPose(word, as_table(row, word)) for word, row in as_table(table, "poses").items()]
            for pose_named in poses:
                for joint, _ in pose_named.positions:
                    if joint not in known:
                        problem = f"it names joint {joint!r}, which does not exist; {suggest(joint, known)}"
                        raise ModelError(problem, f"pose {pose_named.name!r}")
        return poses

    def _loop(self, row: Table) -> Loop:
        refuse_unknown(row, ("a", "b", "joint"), "a loop")
        ends = []
        for word in ("a", "b"):
            end = as_table(row.get(word), word)
            refuse_unknown(end, ("link", "point", "frame"), "an end of a loop")
            if ("point" in end) == ("frame" in end):
                raise ModelError(f"{word} needs either a point or a frame.")
            ends.append((end.get("link"), end["point"] if "point" in end else _placement(end["frame"], "frame")))
        return Loop(ends[0], ends[1], row.get("joint", "spherical"))


def _made(row: Table, makers: Mapping[str, Callable[[Any], Any]]) -> Table:
    """A copy of a table with the parts that it has made into records."""
    out = dict(row)
    for word, make in makers.items():
        if word in row:
            with inside(word):
                out[word] = make(row[word])
    return out


def _refuse_degrees_of_slides(row: Table, kind: Any) -> None:
    limits, made = row.get("limits"), JOINTS.get(kind) if isinstance(kind, str) else None
    if made is not None and made.unit != "rad" and isinstance(limits, dict):
        for word in limits:
            if word.endswith("_deg"):
                raise ModelError(f"{word} is for joints that turn; a {kind} joint's limits are in {made.unit}.")


def _placement(value: Any, what: str) -> Array:
    """A pose from ``{ xyz, and one of rpy, rpy_deg, quaternion, rotation }`` or a 4x4 matrix."""
    if isinstance(value, list):
        return transform(value, what)
    refuse_unknown(as_table(value, what), ("xyz", "rpy", "rpy_deg", "quaternion", "rotation"), what)
    row = degrees(value, ("rpy",))
    if sum(word in row for word in ("rpy", "quaternion", "rotation")) > 1:
        raise ModelError(f"{what} gives its rotation more than once.")
    R: Any = None
    if "rpy" in row:
        R = from_rpy(vector(row["rpy"], f"rpy of {what}"))
    elif "rotation" in row:
        R = array(row["rotation"], f"rotation of {what}", (3, 3))
    elif "quaternion" in row:
        wxyz = array(row["quaternion"], f"quaternion of {what}", (4,))
        if np.linalg.norm(wxyz) < 1e-9:
            raise ModelError(f"quaternion of {what} is zero; expected (w, x, y, z).")
        R = from_quaternion(wxyz)
    return transform(pose(R, vector(row.get("xyz", [0.0, 0.0, 0.0]), f"xyz of {what}")), what)
