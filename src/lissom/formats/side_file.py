"""Side files: links of an arm made flexible. `docs/side-file.md` describes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import ModelError, about, shown
from lissom.formats.documents import notes_of, read_document, refuse_unfit_document
from lissom.formats.native_read import Reader, default_modes
from lissom.formats.strict import Table, as_rows, as_table, inside, record, refuse_unknown
from lissom.model.arm import Arm
from lissom.model.bend import Line, line_of, with_flexible_link
from lissom.model.fields import number, text
from lissom.model.link import Link
from lissom.model.loads import Payload
from lissom.spatial.frames import inverse
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array

TOP = ("lissom_flexible", "source", "notes", "links")
LINK = ("name", "beam", "modal_integrals", "child", "end", "z", "at", "hub")
NEAREST = "nearest"  # of `at`: the section nearest to the joint of the child
ROUNDING = 1e-6  # m, by which a centre of mass may move without a note
NO_HUB = Inertia(0.0, np.zeros(3), np.zeros((3, 3)))


def made_flexible(arm: Arm, path: Path) -> Arm:
    """The arm with the flexible links that a side file describes."""
    return read_document(path, "side", lambda document: _Side(path).read(arm, document))


class _Side:
    """Reads one side file."""

    def __init__(self, path: Path):
        self.path, self.native = path, Reader(path.parent)

    def read(self, arm: Arm, document: Table) -> Arm:
        refuse_unfit_document(document, "side", TOP)
        rows = as_rows(document, "links")
        if not rows:
            raise ModelError("it names no links; expected [[links]] with a name and a beam.")
        notes = [*arm.notes, *notes_of(document)]
        for i, row in enumerate(rows):
            with inside("links", i), about(f"link {shown(row.get('name', i + 1))}"):
                arm, note = self._flexible(arm, row)
                notes.append(note)
        origin = text(document.get("source", ""), "source")
        source = f"{arm.source}; flexible links: {origin or f'side file {self.path.name}'}"
        return arm.replace(notes=notes, source=source.removeprefix("; "))

    def _flexible(self, arm: Arm, row: Table) -> tuple[Arm, str]:
        refuse_unknown(row, LINK, "a link")
        if "name" not in row:
            raise ModelError("name is missing.")
        if ("beam" in row) == ("modal_integrals" in row):
            raise ModelError("give the link either [links.beam] or [links.modal_integrals].")
        link = arm.link(row["name"])
        if link.flexible:
            raise ModelError("it is flexible already; name it once.")
        if "modal_integrals" in row:
            return self._given(arm, link, row)
        child = text(row["child"], "child") if "child" in row else None
        at = _along(row.get("at", {}))
        line = line_of(arm, link.name, child, row.get("end"), row.get("z"), at)
        with inside("beam"):
            table = {"length": line.length, **as_table(row["beam"], "beam")}
            length = number(table["length"], "length", above=0.0)
        for word, distance in at.items():
            if distance is not None and distance > length:
                raise ModelError(f"at is {distance:g} for {word!r}, beyond the end of the beam, {length:g} m.")
        hub = self._hub(row, link, table.get("mass_per_length"), length)
        with inside("beam"):
            beam = self.native.beam({**self._mass(link, hub, table, length), **table})
        made = with_flexible_link(arm, link.name, line.frame, hub, beam, at)
        modes = default_modes(as_table(row["beam"], "beam"))
        modes = modes and f" {modes[:1].upper()}{modes[1:]}"
        return made, _note(link, made.link(link.name), hub) + _moved_children(arm, link, line, at) + modes

    def _given(self, arm: Arm, link: Link, row: Table) -> tuple[Arm, str]:
        """The link with given modal integrals, in its own axes."""
        for word in ("child", "end", "z", "at"):
            if word in row:
                raise ModelError(f"{word} is for beams; modal integrals are in the axes of the link.")
        hub = self._hub(row, link, None, 0.0)
        with inside("modal_integrals"):
            modes = self.native.modal_integrals(row["modal_integrals"])
        made = with_flexible_link(arm, link.name, np.asarray(link.frame), hub, modes)
        return made, _note(link, made.link(link.name), hub)

    @staticmethod
    def _hub(row: Table, link: Link, per_length: Any, length: float) -> Inertia:
        """The rigid hub at the joint: none, the given one, or a point with the rest of the link's mass."""
        hub = row.get("hub")
        if hub is None:
            return NO_HUB
        if hub != "rest":
            with inside("hub"):
                given: Payload = record(Payload, as_table(hub, "hub"), "hub")
                return given.body
        if isinstance(per_length, bool) or not isinstance(per_length, int | float):
            raise ModelError(
                'hub is "rest", the mass of the link less that of the beam; give mass_per_length as a number.'
            )
        rest = link.mass - per_length * length
        if rest < 0:
            raise ModelError(
                f'hub is "rest", but the beam is heavier than the link by {-rest:.4g} kg. Leave hub out, or make the '
                "beam lighter."
            )
        at_joint = -link.frame[:3, :3].T @ link.frame[:3, 3]
        return Inertia(rest, at_joint, np.zeros((3, 3)))

    @staticmethod
    def _mass(link: Link, hub: Inertia, beam: Table, length: float) -> Table:
        """Mass per length; by default such that the link keeps its mass."""
        if "mass_per_length" in beam:
            return {}
        left = link.mass - hub.mass
        if left <= 0:
            raise ModelError(
                f"mass_per_length is missing, and the link's {link.mass:.4g} kg less the hub's {hub.mass:.4g} kg leave "
                "nothing for the beam. Give mass_per_length."
            )
        return {"mass_per_length": left / length}


def _along(given: Any) -> dict[str, float | None]:
    """Return the children along a beam with their distances from its root; None means the nearest place."""
    found: dict[str, float | None] = {}
    for child, distance in as_table(given, "at").items():
        if distance == NEAREST:
            found[child] = None
        elif isinstance(distance, str):
            raise ModelError(f"at is {shown(distance)} for {shown(child)}; expected a distance or {NEAREST!r}.")
        else:
            found[child] = number(distance, f"at of {child!r}", least=0.0)
    return found


def _note(old: Link, new: Link, hub: Inertia) -> str:
    """A note about the link's mass and its centre, where that moves."""
    body = new.without_payload
    note = f"link {old.name!r}: a rigid body of {old.mass:.4g} kg became flexible, {body.mass - hub.mass:.4g} kg"
    note += f" with a hub of {hub.mass:.4g} kg." if hub.mass else "."
    com = (inverse(old.frame) @ new.frame @ [*body.com, 1.0])[:3]  # in the axes in which the rigid one is given
    if old.mass and np.linalg.norm(com - old.com) > ROUNDING:
        note += f" Its centre of mass moves from {_metres(old.com)} to {_metres(com)} m in the axes of the rigid link."
    return note


def _metres(place: Array) -> str:
    """Coordinates to a micrometre."""
    return f"({', '.join(f'{x:.6g}' for x in np.round(place, 6) + 0.0)})"


def _moved_children(arm: Arm, link: Link, line: Line, at: Mapping[str, float | None]) -> str:
    """A note about children that are now at the tip; empty where there are none but the one that the beam leads to."""
    others = [other.name for other in arm.links if other.parent == link.name and other.name not in at]
    if line.child is None or len(others) < 2:
        return ""
    return f" Its other children are now attached to its tip: {', '.join(map(repr, others))}."
