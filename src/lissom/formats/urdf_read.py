"""Reading URDF: strict, with notes about what is ignored.

Frames are URDF's own: a link's frame is its joint's frame after the motion. The root link
becomes a link fixed to the base. Floating and planar joints become chains of virtual
massless links. Meshes are referenced, never opened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import ModelError, about, misspelt, suggest
from lissom.formats import xml
from lissom.formats.faults import Faults
from lissom.formats.files import AS_WRITTEN, MOST_LINKS
from lissom.formats.foreign import XACRO, about_root, nothing_to_read
from lissom.formats.urdf_write import DRAWING
from lissom.model.arm import Arm
from lissom.model.fields import array, inertia as physical_inertia, number, unit_vector
from lissom.model.joint import Joint
from lissom.model.limits import Limits
from lissom.model.link import Link, LinkShape, hexadecimal, hub_fields
from lissom.model.mimic import Mimic
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia, nearest_physical, principal_moments
from lissom.spatial.rotations import Array, from_rpy

# Writers put huge numbers where they mean "no limit".
UNLIMITED = 1e10
# What each element we read may hold: (children, attributes). Others are reported, or refused when
# they look like a misspelling of one of these.
KNOWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "robot": (("link", "joint", "material"), ("name", "version")),
    "link": (("inertial", "visual", "collision"), ("name", "type")),
    "joint": (("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"), ("name", "type")),
    "inertial": (("origin", "mass", "inertia"), ()),
    "visual": (("origin", "geometry", "material"), ("name",)),
    "collision": (("origin", "geometry"), ("name",)),
    "geometry": (("mesh", "box", "cylinder", "sphere"), ()),
    "origin": ((), ("xyz", "rpy")),
    "mass": ((), ("value",)),
    "inertia": ((), ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    "parent": ((), ("link",)),
    "child": ((), ("link",)),
    "axis": ((), ("xyz",)),
    "limit": ((), ("lower", "upper", "effort", "velocity")),
    "dynamics": ((), ("damping", "friction")),
    "mimic": ((), ("joint", "multiplier", "offset")),
    "mesh": ((), ("filename", "scale")),
    "box": ((), ("size",)),
    "cylinder": ((), ("radius", "length")),
    "sphere": ((), ("radius",)),
}
ADVICE = (
    "To let lissom repair such tensors, load with repair=True (--repair); to take them as they are, with "
    "repair='as_written' (--as-written)."
)
# Extensions of other programs and data about display, safety and wiring: nothing in them changes the model.
OF_OTHERS = (
    "calibration", "collision_checking", "contact", "dont_collapse", "gazebo", "gravity", "kinematic", "material",
    "mujoco", "ros2_control", "safety_controller", "sensor", "surface", "transmission", "verbose",
)  # fmt: skip
# Close to words we read, but words of their own.
NOT_MISSPELT = ("capsule",)
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)", re.IGNORECASE | re.ASCII)


def read(
    path: Path, data: bytes, kinematics_only: bool = False, repair: bool | str = False, follow: bool = True
) -> Arm:
    """An arm from the bytes of a URDF file; `path` is only for messages and the source."""
    return _Reader(str(path), repair or kinematics_only, follow).arm(xml.parse(data, str(path)), kinematics_only)


class _Reader:
    """State of reading one file: its name, line numbers, and ignored elements."""

    def __init__(self, file: str, repair: bool | str, follow: bool = True):
        self.file, self.repair, self.follow = file, repair, follow
        self.faults = Faults()
        self.advice = ""
        self.lines: dict[str, int] = {}
        self.ignored: Counter[str] = Counter()  # of other programs
        self.without_meaning: dict[str, list[int]] = {}  # lines of what URDF does not define
        self.notes: list[str] = []
        self.colours: dict[str, str] = {}  # of materials that the file names

    # ---- the whole -------------------------------------------------------------------------------

    def arm(self, robot: xml.Element, kinematics_only: bool) -> Arm:
        if robot.tag != "robot":
            raise self._error(robot, about_root(robot, "<robot>. Is it a URDF?"))
        self._look_over(robot)
        self.faults.raise_any()  # stage by stage: a misspelt word makes faults further on that are none
        bodies, joints = self._named(robot, "link"), self._named(robot, "joint")
        self.faults.raise_any()
        if not bodies:
            raise self._error(robot, nothing_to_read(robot))
        if max(len(bodies), len(joints)) > MOST_LINKS:
            raise self._error(robot, f"it has {len(bodies)} links; at most {MOST_LINKS} are read.")
        self.colours = {m.attributes["name"]: c for m in robot.all("material") if "name" in m.attributes
                        and (c := _colour(m))}  # fmt: skip
        links = self._links(bodies, joints)
        self.faults.raise_any(self.advice)
        self._note_ignored()
        try:
            return Arm(
                robot.attributes.get("name", "").strip() or Path(self.file).stem or "urdf",
                tuple(links),
                kinematics_only=kinematics_only,
                source=f"URDF file {Path(self.file).name}",
                notes=tuple(self.notes),
            )
        except ModelError as error:
            raise self._located(error) from None

    def _located(self, error: ModelError) -> ModelError:
        """The error with file and line added, found by its subject."""
        line = next((line for subject, line in self.lines.items() if error.subject.endswith(subject)), None)
        return ModelError(error.problem, error.subject, self.file, error.line or line)

    def _named(self, robot: xml.Element, tag: str) -> dict[str, xml.Element]:
        found: dict[str, xml.Element] = {}
        for element in robot.all(tag):
            with self.faults.gathered():
                word = self._attribute(element, "name")
                if word in found:
                    raise self._error(element, f"the name {word!r} is used twice (first at line {found[word].line}).")
                found[word] = element
                self.lines[f"{tag} {word!r}"] = element.line
        return found

    def _links(self, bodies: dict[str, xml.Element], joints: dict[str, xml.Element]) -> list[Link]:
        """All links, parents first; their faults are collected."""
        links: list[Link] = []
        read: set[str] = set()
        with self.faults.gathered():
            for element, joint in self._tree(bodies, joints):
                read.add(element.attributes["name"])
                with self.faults.gathered():
                    links += self._link(element, joint, joints)
        for word, element in bodies.items():
            if word not in read:  # the tree is broken; the bodies may have faults of their own
                with self.faults.gathered(), self._at(element, f"link {word!r}"):
                    self._body(element)
        return links

    def _tree(
        self, bodies: dict[str, xml.Element], joints: dict[str, xml.Element]
    ) -> Iterator[tuple[xml.Element, xml.Element | None]]:
        """Links with the joints that carry them, parents first, without recursion."""
        carried: dict[str, xml.Element] = {}
        children: dict[str, list[str]] = {word: [] for word in bodies}
        before = len(self.faults.list)
        for word, joint in joints.items():
            with self.faults.gathered():
                parent, child = (self._end(joint, end, bodies) for end in ("parent", "child"))
                if child in carried:
                    other = carried[child].attributes["name"]
                    raise self._error(
                        joint, f"link {child!r} is already the child of joint {other!r}; expected one parent."
                    )
                carried[child] = joints[word]
                children[parent].append(child)
        if len(self.faults.list) > before:  # what follows from a joint that leads nowhere is no fault of its own
            return
        roots = [word for word in bodies if word not in carried]
        if len(roots) > 1:
            shown = ", ".join(repr(word) for word in roots[:5])
            raise self._error(bodies[roots[1]], f"there are {len(roots)} root links ({shown}); join them with joints.")
        seen: set[str] = set()
        stack = list(roots)
        while stack:
            word = stack.pop()
            seen.add(word)
            yield bodies[word], carried.get(word)
            stack += reversed(children[word])
        if len(seen) < len(bodies):
            raise self._cycle(next(word for word in bodies if word not in seen), carried)

    def _cycle(self, word: str, carried: dict[str, xml.Element]) -> ModelError:
        """Raise an error that names the cycle of links reached from a link without a path to the root."""
        path: list[str] = []
        while word not in path:
            path.append(word)
            word = next(carried[word].all("parent")).attributes["link"].strip()
        ring = path[path.index(word) :]
        shown = " - ".join(repr(link) for link in [*ring[:6], *(["..."] if len(ring) > 6 else [])])
        first = min((carried[link] for link in ring), key=lambda joint: joint.line)
        return self._error(first, f"the links {shown} form a cycle; a URDF must be a tree.")

    def _end(self, joint: xml.Element, end: str, bodies: dict[str, xml.Element]) -> str:
        element = self._one(joint, end)
        word = self._attribute(element, "link")
        if word not in bodies:
            problem = f"{end} {word!r} does not exist; {suggest(word, bodies)}"
            raise ModelError(problem, f"joint {joint.attributes['name']!r}", self.file, element.line)
        return word

    # ---- links -----------------------------------------------------------------------------------

    def _link(self, element: xml.Element, joint: xml.Element | None, joints: dict[str, xml.Element]) -> list[Link]:
        """The link, preceded by the virtual links that a floating or planar joint needs."""
        word = element.attributes["name"]
        fields: dict[str, Any] = {"name": word}
        with self.faults.gathered(), self._at(element, f"link {word!r}"):
            fields |= {"shapes": self._shapes(element), **self._body(element)}
        if joint is None:
            with self._at(element, f"link {word!r}"):
                free = word if word not in joints else f"{word}@base"
                return [Link(joint=Joint("fixed", name=free), **fields)]
        with self._at(joint, f"joint {joint.attributes['name']!r}"):
            parent = self._attribute(next(joint.all("parent")), "link")
            chain = self._joint(joint)
            virtual = [
                Link(step.name, parent if k == 0 else chain[k - 1].name, step) for k, step in enumerate(chain[:-1])
            ]
            return [*virtual, Link(parent=virtual[-1].name if virtual else parent, joint=chain[-1], **fields)]

    def _body(self, link: xml.Element) -> dict[str, Any]:
        inertial = self._maybe(link, "inertial")
        if inertial is None:
            return {}
        mass, tensor = self._one(inertial, "mass"), self._one(inertial, "inertia")
        with self._at(tensor):
            I = {word: self._number(tensor, word) for word in KNOWN["inertia"][1]}
            given = array([[I["ixx"], I["ixy"], I["ixz"]],
                           [I["ixy"], I["iyy"], I["iyz"]],
                           [I["ixz"], I["iyz"], I["izz"]]], "inertia", (3, 3))  # fmt: skip
            moment, as_written = self._moment(link, given)
        with self._at(mass):
            kilograms = number(self._number(mass, "value"), "mass", least=0.0)
        body = Inertia(kilograms, np.zeros(3), moment).in_frame(self._origin(inertial))
        return {**hub_fields(body), "as_written": as_written}

    def _moment(self, link: xml.Element, given: Array) -> tuple[Array, bool]:
        """The inertia tensor, repaired if requested, and whether it is unphysical and taken as written."""
        try:
            return physical_inertia(given), False
        except ModelError as error:
            if not self.repair:
                self.advice = ADVICE
                raise ModelError(error.problem) from None
            note = f"link {link.attributes['name']!r}: unphysical principal moments {_listed(given)}"
            if self.repair == AS_WRITTEN:
                self.notes.append(f"{note} taken as written.")
                return given, True
            moment = nearest_physical(given)
            self.notes.append(f"{note} repaired to {_listed(moment)}.")
            return physical_inertia(moment), False

    def _shapes(self, link: xml.Element) -> tuple[LinkShape, ...]:
        shapes = []
        for element in link.children:
            if element.tag not in ("visual", "collision"):
                continue
            for solid in self._one(element, "geometry").children:
                if solid.tag in KNOWN["geometry"][0]:
                    with self._at(solid):
                        shapes.append(self._shape(solid, element))
        return tuple(shapes)

    def _shape(self, solid: xml.Element, element: xml.Element) -> LinkShape:
        colour = ""
        for material in element.all("material"):
            colour = _colour(material) or self.colours.get(material.attributes.get("name", ""), "")
        role = "drawing" if element.attributes.get("name") == DRAWING else element.tag
        common: dict[str, Any] = {"origin": self._origin(element), "role": role, "colour": colour}
        if solid.tag == "mesh":
            scale = self._numbers(solid, "scale", 3, (1.0, 1.0, 1.0))
            return LinkShape("mesh", scale, file=self._attribute(solid, "filename"), **common)
        if solid.tag == "box":
            return LinkShape("box", self._numbers(solid, "size", 3), **common)
        words = ("radius", "length") if solid.tag == "cylinder" else ("radius",)
        return LinkShape(solid.tag, [self._number(solid, word) for word in words], **common)

    # ---- joints ----------------------------------------------------------------------------------

    def _joint(self, element: xml.Element) -> list[Joint]:
        """The joint, or the chain of one-coordinate joints that replaces it."""
        word, kind = element.attributes["name"], self._attribute(element, "type")
        known = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
        if kind not in known:
            raise self._error(element, f"type is {kind!r}; {suggest(kind, known)}")
        placement = self._origin(element)
        unread = [tag for tag in ("limit", "dynamics", "mimic") if self._maybe(element, tag) is not None]
        if kind in ("fixed", "floating", "planar") and unread:
            self.notes.append(f"{kind} joint {word!r}: its {', '.join(unread)} ignored.")
        if kind == "fixed":
            return [Joint("fixed", placement, name=word)]
        axis = self._axis(element)
        if kind in ("floating", "planar"):
            return self._chain(word, kind, placement, axis)
        return [
            Joint(
                "prismatic" if kind == "prismatic" else "revolute",
                placement,
                axis,
                word,
                limits=self._limits(element, kind),
                mimic=self._mimic(element),
                **self._dynamics(element),
            )
        ]

    def _axis(self, joint: xml.Element) -> Array:
        element = self._maybe(joint, "axis")
        if element is None:
            return np.array([1.0, 0.0, 0.0])
        with self._at(element):
            return unit_vector(self._numbers(element, "xyz", 3).tolist(), "axis")

    def _chain(self, word: str, kind: str, placement: Array, normal: Array) -> list[Joint]:
        """A floating joint as x, y, z, yaw, pitch, roll; a planar one as two slides and a turn."""
        X, Y, Z = np.eye(3)
        if kind == "floating":
            steps = [("prismatic", X, "x"), ("prismatic", Y, "y"), ("prismatic", Z, "z"),
                     ("revolute", Z, "yaw"), ("revolute", Y, "pitch"), ("revolute", X, "roll")]  # fmt: skip
        else:
            first = X if abs(normal @ X) < 0.9 else Y
            first = first - (first @ normal) * normal
            first /= np.linalg.norm(first)
            second = np.cross(normal, first)
            steps = [("prismatic", first, "u"), ("prismatic", second, "v"), ("revolute", normal, "turn")]
        names = [f"{word}:{end}" for _, _, end in steps]
        self.notes.append(f"{kind} joint {word!r} became the joints {', '.join(names)} with virtual massless links.")
        return [
            Joint(moves, placement if k == 0 else pose(), axis, names[k]) for k, (moves, axis, _) in enumerate(steps)
        ]

    def _limits(self, joint: xml.Element, kind: str) -> Limits:
        element = self._maybe(joint, "limit")
        if element is None:
            if kind != "continuous":
                raise self._error(
                    joint, f"a {kind} joint needs <limit lower= upper= effort= velocity=>; "
                    "without position limits its type is continuous."
                )  # fmt: skip
            return Limits()
        with self._at(element):
            given = {word: self._number(element, word, 0.0) for word in KNOWN["limit"][1]}
            if kind == "continuous" and {"lower", "upper"} & set(element.attributes):
                self.notes.append(f"continuous joint {joint.attributes['name']!r}: its lower and upper ignored.")
            position = None
            if kind != "continuous" and not {"lower", "upper"} & set(element.attributes):
                self.notes.append(f"joint {joint.attributes['name']!r}: <limit> without lower and upper means 0 to 0.")
            if kind != "continuous":
                position = (None if given["lower"] <= -UNLIMITED else given["lower"],
                            None if given["upper"] >= UNLIMITED else given["upper"])  # fmt: skip
            top = {}
            for word, ours in (("effort", "torque"), ("velocity", "velocity")):
                if given[word] == 0.0 and word in element.attributes:
                    self.notes.append(f"joint {joint.attributes['name']!r}: {word}=0 taken as not given.")
                top[ours] = None if given[word] == 0.0 or given[word] >= UNLIMITED else given[word]
            return Limits(position=position, **top)

    def _dynamics(self, joint: xml.Element) -> dict[str, Any]:
        element = self._maybe(joint, "dynamics")
        if element is None:
            return {}
        return {word: self._number(element, word, 0.0) for word in ("damping", "friction")}

    def _mimic(self, joint: xml.Element) -> Mimic | None:
        element = self._maybe(joint, "mimic")
        if element is None:
            return None
        leader = self._attribute(element, "joint")
        with self._at(element):
            mimic = Mimic(leader, self._number(element, "multiplier", 1.0), self._number(element, "offset", 0.0))
        if self.follow:
            return mimic
        self.notes.append(f"joint {joint.attributes['name']!r} is free: its <mimic> of {leader!r} ignored.")
        return None

    def _note_ignored(self) -> None:
        """Note what was not read: what belongs to other programs, and what URDF does not define, with its lines."""
        if self.ignored:
            words = ", ".join(f"{count} {word}" for word, count in sorted(self.ignored.items()))
            self.notes.append(f"ignored, because it is for other programs and does not change the model: {words}.")
        for word, lines in sorted(self.without_meaning.items()):
            where = f"line {lines[0]}" if len(lines) == 1 else f"{len(lines)} times, first in line {lines[0]}"
            self.notes.append(f"ignored, because URDF does not define it: {word} ({where}). It has no effect.")

    # ---- elements and attributes -----------------------------------------------------------------

    def _look_over(self, robot: xml.Element) -> None:
        """Raise an error for misspelt tags and attributes, and count ignored ones; iterative."""
        stack = [robot]
        while stack:
            element = stack.pop()
            children, attributes = KNOWN[element.tag]
            for word, value in element.attributes.items():
                if "${" in value or word.startswith("xacro:") or word == "xacro":
                    raise self._error(element, f"{word}={value!r} is xacro, not URDF: {XACRO}.")
                if word not in attributes:
                    with self.faults.gathered():
                        self._pass_over(element, word, attributes, f"attribute {word} of <{element.tag}>")
            for child in element.children:
                if child.tag.startswith("xacro:"):
                    raise self._error(child, f"<{child.tag}> is xacro, not URDF: {XACRO}.")
                if child.tag == "material" and child.tag in children:
                    continue  # colours are read where they can be; nothing about them is an error
                if child.tag in children:
                    stack.append(child)
                    continue
                with self.faults.gathered():
                    self._pass_over(child, child.tag, children, f"<{child.tag}> in <{element.tag}>")

    def _pass_over(self, element: xml.Element, word: str, known: tuple[str, ...], label: str) -> None:
        """Count an ignored word; raise an error if it is close to a known one."""
        meant = misspelt(word, known)
        if meant is not None and word not in NOT_MISSPELT:
            raise self._error(element, f"unknown {word!r}; did you mean {meant!r}?")
        if word in OF_OTHERS or word.startswith("xmlns"):
            self.ignored[word] += 1
        else:
            self.without_meaning.setdefault(label, []).append(element.line)

    def _maybe(self, element: xml.Element, tag: str) -> xml.Element | None:
        found = list(element.all(tag))
        if len(found) > 1:
            raise self._error(found[1], f"<{element.tag}> has {len(found)} <{tag}>; expected one.")
        return found[0] if found else None

    def _one(self, element: xml.Element, tag: str) -> xml.Element:
        found = self._maybe(element, tag)
        if found is None:
            raise self._error(element, f"<{element.tag}> has no <{tag}>.")
        return found

    def _attribute(self, element: xml.Element, word: str) -> str:
        if word not in element.attributes:
            raise self._error(element, f"<{element.tag}> has no {word}=.")
        return element.attributes[word].strip()

    def _numbers(self, element: xml.Element, word: str, count: int, default: Any = None) -> Array:
        if word not in element.attributes and default is not None:
            return np.asarray(default, float)
        raw = self._attribute(element, word)
        parts = raw.split()
        if len(parts) != count or not all(NUMBER.fullmatch(part) for part in parts):
            comma = " Write decimals with a point." if "," in raw else ""
            numbers = "a number" if count == 1 else f"{count} numbers"
            raise self._error(element, f"<{element.tag} {word}={raw!r}>: expected {numbers}.{comma}")
        values = np.array([float(part) for part in parts])
        if np.isnan(values).any():
            raise self._error(element, f"<{element.tag} {word}={raw!r}>: expected finite numbers.")
        return values

    def _number(self, element: xml.Element, word: str, default: float | None = None) -> float:
        return float(self._numbers(element, word, 1, None if default is None else [default])[0])

    def _origin(self, element: xml.Element) -> Array:
        origin = self._maybe(element, "origin")
        if origin is None:
            return pose()
        xyz, rpy = (self._numbers(origin, word, 3, np.zeros(3)) for word in ("xyz", "rpy"))
        if not (np.isfinite(xyz).all() and np.isfinite(rpy).all()):
            raise self._error(origin, f"<origin xyz={xyz.tolist()} rpy={rpy.tolist()}>: expected finite numbers.")
        return pose(from_rpy(rpy) if np.any(rpy) else None, xyz)

    # ---- errors ----------------------------------------------------------------------------------

    def _error(self, element: xml.Element, problem: str) -> ModelError:
        word = element.attributes.get("name", "")
        subject = f"{element.tag} {word!r}" if word and element.tag in ("link", "joint") else ""
        return ModelError(problem, subject, self.file, element.line)

    @contextmanager
    def _at(self, element: xml.Element, subject: str = "") -> Iterator[None]:
        """Context that adds file, line of the innermost element and subject to errors."""
        try:
            with about(subject) if subject else nullcontext():
                yield
        except ModelError as error:
            raise ModelError(error.problem, error.subject, self.file, error.line or element.line) from None


def _colour(material: xml.Element) -> str:
    """The colour of a material as "#rrggbb", empty where it has none that can be read."""
    for element in material.all("color"):
        parts = element.attributes.get("rgba", "").split()
        if len(parts) == 4 and all(NUMBER.fullmatch(part) for part in parts):
            return hexadecimal([float(part) for part in parts[:3]])
    return ""


def _listed(moment: Array) -> str:
    """Principal moments as text, with rounding errors near zero removed."""
    values = principal_moments(moment)
    return ", ".join(f"{value if abs(value) > 1e-12 * np.abs(values).max() else 0.0:.4g}" for value in values)
