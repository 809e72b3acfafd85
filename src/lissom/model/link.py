"""Links: a joint, a body, and what is attached to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom.errors import ModelError, about, shown
from lissom.model.beam import Beam
from lissom.model.fields import (
    array,
    at_least_zero,
    choice,
    flag,
    frozen,
    inertia,
    list_of,
    made_of,
    name,
    none_or,
    records,
    text,
    transform,
    vector,
)
from lissom.model.joint import Joint
from lissom.model.loads import Payload
from lissom.model.modal_integrals import ModalIntegrals
from lissom.model.record import Record
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia, combine
from lissom.spatial.rotations import Array

ROLES = ("visual", "collision", "drawing")
HEXADECIMAL = re.compile("#[0-9a-f]{6}", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Tool(Record):
    """A named frame on a link (in the tip frame of a flexible link)."""

    name: str
    placement: Any = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        with about(f"tool {self.name!r}"):
            self._set(name=name(self.name, "tool name"))
            self._check(placement=transform)

    def in_frame(self, X: Array) -> Tool:
        """The same tool seen from the frame in which its link's frame has pose X (4, 4)."""
        return self.replace(placement=frozen(X @ self.placement))


def hexadecimal(rgb: Iterable[float]) -> str:
    """Red, green and blue, each 0 to 1, as "#rrggbb"; empty where one of them is not a number."""
    parts = np.asarray(list(rgb), float)
    if np.isnan(parts).any():
        return ""
    return "#" + "".join(f"{round(255 * part):02x}" for part in np.clip(parts, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class LinkShape(Record):
    """Geometry for pictures, in link axes. Mesh files are only referenced, never opened here.

    Parameters
    ----------
    kind : "mesh", "box", "cylinder" or "sphere"
    size : box (x, y, z), cylinder (radius, length), sphere (radius,), mesh scale (x, y, z)
    origin : (4, 4)     pose in the link frame
    file : str          path or URI of a mesh, as text
    role : "visual", "collision" or "drawing"
    colour : str        "#rrggbb", or "" for the default

    A drawing is shown like a visual shape, but is never used for distances from obstacles. Drawings and colours do not
    count when arms are compared.
    """

    kind: str
    size: Any = (1.0, 1.0, 1.0)
    origin: Any = field(default_factory=lambda: np.eye(4))
    file: str = ""
    role: str = "visual"
    colour: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        with about("shape"):
            entries = {"mesh": 3, "box": 3, "cylinder": 2, "sphere": 1}
            choice(self.kind, "kind", tuple(entries))
            choice(self.role, "role", ROLES)
            self._set(size=array(self.size, "size", (entries[self.kind],)))
            self._set(origin=transform(self.origin, "origin"))
            if not text(self.file, "file").isprintable():
                raise ModelError(f"file is {self.file!r}; expected a path or URI on one line.")
            if self.colour and not HEXADECIMAL.fullmatch(text(self.colour, "colour")):
                raise ModelError(f"colour is {shown(self.colour)}; expected '#rrggbb', for example '#d55e00'.")
            if self.kind != "mesh" and (self.size < 0).any():
                raise ModelError(f"size is {self.size.tolist()}; expected lengths of at least 0.")

    def in_frame(self, X: Array) -> LinkShape:
        """The same shape seen from the frame in which its link's frame has pose X (4, 4)."""
        return self.replace(origin=frozen(X @ self.origin))

    @property
    def compared(self) -> bool:
        """Whether the shape counts when arms are compared: a drawing does not."""
        return self.role != "drawing"


@dataclass(frozen=True, eq=False)
class Link(Record):
    """One link of an arm: the joint that carries it and its body.

    Parameters
    ----------
    name : str
    parent : str or None      the parent link's name; None is the base
    joint : Joint
    mass : float              [kg]; of a flexible link: the rigid hub at its joint
    com : (3,)                centre of mass in link axes [m]
    inertia : (3, 3)          about the centre of mass, link axes [kg m^2]; three numbers are the
                              diagonal, a scalar is planar, about z
    frame : (4, 4)            link frame in the joint frame after its motion
    beam : Beam or None       makes the link flexible
    modes : ModalIntegrals or None   makes the link flexible, from given data
    payload : Payload or None
    tools : mapping name -> (4, 4), or Tools
    shapes : Shapes
    as_written : bool         accept an unphysical inertia, as other tools do; see `lissom.load`

    Examples
    --------
    >>> Link("upper", joint=Joint("revolute", axis=(0, 1, 0)), mass=2.0, com=(0.2, 0, 0)).joint.name
    'upper'
    """

    name: str
    parent: str | None = None
    joint: Joint = field(default_factory=Joint)
    mass: float = 0.0
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = 0.0
    frame: Any = field(default_factory=lambda: np.eye(4))
    beam: Beam | None = None
    modes: ModalIntegrals | None = None
    payload: Payload | None = None
    tools: Any = ()
    shapes: tuple[LinkShape, ...] = ()
    as_written: bool = False

    def __post_init__(self) -> None:
        self._set(name=name(self.name, "link name"))
        with about(f"link {self.name!r}"):
            self._check(
                parent=none_or(name), joint=made_of(Joint), beam=none_or(made_of(Beam)),
                modes=none_or(made_of(ModalIntegrals)), payload=none_or(made_of(Payload)), mass=at_least_zero,
                com=vector, as_written=flag, frame=transform, tools=_tools, shapes=list_of(LinkShape),
            )  # fmt: skip
            self._set(inertia=inertia(self.inertia, physical=not self.as_written))
            if not self.joint.name:
                self._set(joint=self.joint._with(name=self.name))
            if self.beam is not None and self.modes is not None:
                raise ModelError("it has both a beam and modal integrals; give one.")

    @property
    def flexible(self) -> bool:
        """Whether the link is a beam or has modal integrals."""
        return self.beam is not None or self.modes is not None

    @property
    def mode_labels(self) -> tuple[str, ...]:
        """Names of its modal coordinates, without the link's name."""
        if self.beam is not None:
            return self.beam.modes.labels
        return self.modes.labels if self.modes is not None else ()

    @property
    def coordinate_count(self) -> int:
        """Number of coordinates: joint coordinates and modes."""
        return self.joint.coordinate_count + len(self.mode_labels)

    @property
    def tip(self) -> Array:
        """(4, 4) undeformed frame to which children, tools and payload attach, in link axes."""
        flexible = self.beam if self.beam is not None else self.modes
        return pose() if flexible is None else pose(p=flexible.end)

    def attachment(self, at: float | None) -> Array:
        """(4, 4) undeformed frame in which a child's joint is placed, in link axes: the tip, or along the beam."""
        return self.tip if at is None else pose(p=(at, 0.0, 0.0))

    @property
    def hub(self) -> Inertia:
        """The rigid link, or the rigid part of a flexible one at its joint, in link axes."""
        return Inertia(self.mass, self.com, self.inertia)

    @property
    def without_payload(self) -> Inertia:
        """Hub and beam, or the rigid link, undeformed, in link axes."""
        flexible = self.beam if self.beam is not None else self.modes
        return self.hub if flexible is None else combine(self.hub, flexible.undeformed)

    @property
    def body(self) -> Inertia:
        """Everything that moves with the link when it is undeformed, in link axes."""
        if self.payload is None:
            return self.without_payload
        return combine(self.without_payload, self.payload.body.in_frame(self.tip))

    def in_frame(self, X: Any) -> dict[str, Any]:
        """Body, payload, tools and shapes of a rigid link, as fields in a frame where its own has pose X."""
        if self.flexible:
            raise ModelError("a flexible link's frame cannot be moved.", f"link {self.name!r}")
        return {
            **hub_fields(self.hub.in_frame(X)),
            "payload": None if self.payload is None else self.payload.in_frame(X),
            "tools": tuple(tool.in_frame(X) for tool in self.tools),
            "shapes": tuple(shape.in_frame(X) for shape in self.shapes),
        }


def hub_fields(body: Inertia) -> dict[str, Any]:
    """Fields of a `Link` or `DH` row whose rigid part is a body."""
    return {"mass": body.mass, "com": body.com, "inertia": body.moment}


def _tools(value: Any, what: str) -> tuple[Tool, ...]:
    """Tools from a mapping or a sequence of Tools."""
    if isinstance(value, Mapping):
        return tuple(Tool(word, placement) for word, placement in value.items())
    return records(value, what, Tool)
