"""What a picture of an arm in space consists of, and where all of it is at one state; nothing about who draws it.

Solids are triangles that move with a frame. Skins are triangles that follow several frames: flexible links follow
sections along them, rods of sliding joints follow both of their ends. Arrows stand for forces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.joint import Joint
from lissom.model.link import Link, LinkShape
from lissom.model.loads import Load
from lissom.spatial.frames import inverse, pose as to
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.views.arms.skeleton import SECTIONS, Skeleton, hidden_links, twigs
from lissom.views.figures.palette import COLOURS, FLEXIBLE, LINK, TRIAD
from lissom.views.followed import followed_frame
from lissom.views.scene import solids
from lissom.views.scene.mesh_files import MeshFiles
from lissom.views.scene.solids import Mesh

THICK = 0.018  # radius of a link that has no shape, of the arm's size
ALONG = slice(None, None, 2)  # sections that a flexible link follows; fewer are fewer to send
ARROW = 0.3  # the longest, of the arm's size
CONTACT = 0.5  # a contact force as large as the weight, of the arm's size
HEAVY = 7800.0  # kg/m^3; payloads are shown as balls of steel
UPRIGHT = 0.9  # cosine from which a plane is ground
SHORTEST = 1e-3  # of the arm's size: shorter rods are not shown
PRISMATIC, REVOLUTE, _, MASS = COLOURS[:4]
HELICAL = COLOURS[5]
PASSIVE, MESH, LOOP = "#b4bac1", "#d6d9dc", COLOURS[4]
ARROWS = {"gravity": "#999999", "force": COLOURS[1], "moment": COLOURS[3], "torque": COLOURS[4],
          "contact": COLOURS[2]}  # fmt: skip
Colour = tuple[int, int, int]


class Solid(NamedTuple):
    """Triangles that move with a frame: link i is frame i, its tip frame n + i of n links, the world the last."""

    name: str
    mesh: Mesh
    colour: Colour
    frame: int
    opacity: float = 1.0

    @property
    def part_of_arm(self) -> bool:
        """Whether it is a link, a joint or a payload, and not a mark or an obstacle."""
        return self.name.split("/")[0] not in ("tip", "obstacle", "via", "print", "wall")


class Skin(NamedTuple):
    """Triangles that follow frames: each vertex moves with the mean of them by its weights (vertices, frames).

    rest : (frames, 4, 4)     where they are in the axes of `mesh`, undeformed
    kind : str                "beam": along the flexible `link`; "slide": between the ends of the joint before `link`
    """

    name: str
    mesh: Mesh
    colour: Colour
    rest: Array
    weights: Array
    link: int
    kind: Literal["beam", "slide"]

    def deformed(self, sections: Array) -> Mesh:
        """The triangles where its frames are at `sections` (frames, 4, 4)."""
        moved = np.einsum("vb,bij->vij", self.weights, sections @ np.linalg.inv(self.rest))
        return Mesh(np.einsum("vij,vj->vi", moved[:, :3, :3], self.mesh.vertices) + moved[:, :3, 3], self.mesh.faces)


class State(NamedTuple):
    """What is shown of one instant: positions (dof,), torques (dof,) where there are some, loads (vectors (3,)).

    contacts : forces of the surroundings on contact points, the same points at all instants
    """

    q: Array
    tau: Array | None = None
    loads: Sequence[Load] = ()
    contacts: Sequence[Load] = ()


class Look(NamedTuple):
    """Poses of all parts, and the arrows, at one instant.

    frames : (2 n + 1, 4, 4)      of the solids
    sections : [(frames, 4, 4)]   of each skin
    arrows : {kind: (m, 2, 3)}    from where to where
    """

    frames: Array
    sections: list[Array]
    arrows: dict[str, Array]


def up_of(arm: Arm) -> Array:
    """(3,) across the ground that an arm has contacts with, which may be a slope; against gravity, or along z."""
    length = np.linalg.norm(arm.gravity)
    up = np.asarray(-arm.gravity / length) if length > 0 else np.array([0.0, 0.0, 1.0])
    return next((np.asarray(one.normal) for one in arm.contacts if one.normal @ up > UPRIGHT), up)


def rgb(colour: str) -> Colour:
    """Return the three numbers of "#rrggbb"."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue


class Scene:
    """An arm in space.

    arm : Arm
    files : MeshFiles               where its meshes come from
    states : (n, dof)               that it will be shown in: they say how large it is, and where to stand
    peaks : {"force", "moment", "torque", "push": float}    what the longest arrow of a kind stands for
    around : solids that stand in the world
    goal : (dof,) or None           a state that is drawn transparent beside the present one
    ground : float or None          height of the ground along `up`; None: just below the base
    """

    def __init__(
        self,
        arm: Arm,
        files: MeshFiles,
        states: Array,
        peaks: dict[str, float] | None = None,
        around: Iterable[Solid] = (),
        goal: Array | None = None,
        ground: float | None = None,
    ):
        self.arm, self.peaks, self.goal, self.ground = arm, peaks or {}, goal, ground
        self.hidden = hidden_links(arm)
        self.bones = Skeleton(arm, states)
        self.size = self.bones.size
        self.radius = THICK * self.size
        self.world = 2 * len(arm.links)
        self.solids: list[Solid] = []
        self.skins: list[Skin] = []
        for i, link in enumerate(arm.links):
            self._add_link(i, link, files)
        self._add_base(files)
        files.warn()
        self._add_loops()
        self._add_axes()
        self.solids += around

    # ---- what there is ----------------------------------------------------------------------------

    def _add_link(self, i: int, link: Link, files: MeshFiles) -> None:
        """Add the shapes of a link where it has some that can be shown, else rods, drums and tubes."""
        if i in self.hidden:
            return
        parts = _parts(link.shapes, files)
        for k, (mesh, colour) in enumerate(parts):
            if link.flexible:
                step = float(np.linalg.norm(link.tip[:3, 3])) / SECTIONS
                mesh = solids.divided(mesh, link.tip[:3, 3], step)
                self._add_beam(f"link/{link.name}/{k}", i, mesh, colour or rgb(FLEXIBLE))
            else:
                self.solids.append(Solid(f"link/{link.name}/{k}", mesh, colour or rgb(MESH), i))
        if link.payload is not None and link.payload.mass > 0:
            self._add_payload(i, link)
        if parts:
            return
        if link.flexible:
            tube = solids.capsule((0, 0, 0), link.tip[:3, 3], 0.7 * self.radius, rings=2 * SECTIONS)
            self._add_beam(f"link/{link.name}/tube", i, tube, rgb(FLEXIBLE))
        self._add_rods(i, link)
        if link.joint.moves and int(self.arm.parent_index[i]) not in self.hidden:
            self._add_joint(i, link)

    def _add_rods(self, i: int, link: Link) -> None:
        """Add rods from a link's joint to its frame, from its tip to tools and to the next joints, to its mass."""
        tip, start = len(self.arm.links) + i, inverse(link.frame)[:3, 3]
        rods = [(i, start, np.zeros(3))]
        rods += [(tip, np.zeros(3), tool.placement[:3, 3]) for tool in link.tools]
        children = [child for child in self.arm.links if child.parent == link.name]
        rods += [(tip, np.zeros(3), child.joint.placement[:3, 3]) for child in children]
        if i in twigs(self.arm):
            rods.append((i, start, link.body.com))
        for k, (frame, a, b) in enumerate(rods):
            self._add_rod(f"link/{link.name}/rod{k}", frame, a, b)

    def _add_rod(self, name: str, frame: int, a: Array, b: Array) -> None:
        if np.linalg.norm(np.subtract(b, a)) > SHORTEST * self.size:
            self.solids.append(Solid(name, solids.capsule(a, b, self.radius), rgb(LINK), frame))

    def _add_joint(self, i: int, link: Link) -> None:
        """A drum along the axis; of a sliding joint a rod from where it slides."""
        back, r = inverse(link.frame), self.radius
        origin, axis = back[:3, 3], back[:3, :3] @ link.joint.axis
        drum = solids.cylinder(origin - 1.8 * r * axis, origin + 1.8 * r * axis, 1.5 * r)
        self.solids.append(Solid(f"joint/{link.joint.name}", drum, joint_colour(link.joint), i))
        if link.joint.travel:
            rod = solids.capsule((0, 0, 0), link.joint.axis, 0.6 * r)
            far = (rod.vertices @ link.joint.axis > 0.5).astype(float)
            rest = np.array([to(), to(p=link.joint.axis)])
            weights = np.stack([1 - far, far], axis=1)
            self.skins.append(Skin(f"joint/{link.joint.name}/slide", rod, rgb(LINK), rest, weights, i, "slide"))

    def _add_beam(self, name: str, i: int, mesh: Mesh, colour: Colour) -> None:
        """A vertex goes with the two sections beside it."""
        tip = self.arm.links[i].tip[:3, 3]
        rest = np.array([to(p=s * tip) for s in np.linspace(0.0, 1.0, SECTIONS)])[ALONG]
        place = np.clip(mesh.vertices @ tip / (tip @ tip), 0.0, 1.0) * (len(rest) - 1)
        k = np.minimum(place.astype(int), len(rest) - 2)
        weights = np.zeros((len(place), len(rest)))
        rows = np.arange(len(place))
        weights[rows, k], weights[rows, k + 1] = 1 - (place - k), place - k
        self.skins.append(Skin(name, mesh, colour, rest, weights, i, "beam"))

    def _add_payload(self, i: int, link: Link) -> None:
        assert link.payload is not None
        radius = (3 * link.payload.mass / (4 * np.pi * HEAVY)) ** (1 / 3)
        shown = solids.ball(link.payload.com, float(np.clip(radius, 1.2 * self.radius, 0.1 * self.size)))
        self.solids.append(Solid(f"payload/{link.name}", shown, rgb(MASS), len(self.arm.links) + i))

    def _add_base(self, files: MeshFiles) -> None:
        """Add the shapes of the base, or rods to the first joints."""
        parts = _parts(self.arm.shapes, files)
        for k, (mesh, colour) in enumerate(parts):
            self.solids.append(Solid(f"base/{k}", mesh, colour or rgb(MESH), self.world))
        for link in self.arm.links:
            if link.parent is None and not parts:
                self._add_rod(f"base/{link.name}", self.world, np.zeros(3), link.joint.placement[:3, 3])

    def _add_loops(self) -> None:
        for k, loop in enumerate(self.arm.loops):
            frame, X = self._attached(*loop.a)
            shown = solids.ball(X[:3, 3], 1.3 * self.radius)
            self.solids.append(Solid(f"loop/{k}", shown, rgb(LOOP), frame))

    def _add_axes(self) -> None:
        """Add the axes of the tip."""
        frame, X = self.tip
        for k, colour in enumerate(TRIAD):
            rod = solids.cylinder((0, 0, 0), 5 * self.radius * np.eye(3)[k], 0.25 * self.radius)
            self.solids.append(Solid(f"tip/{'xyz'[k]}", rod.placed(X), rgb(colour), frame))

    @cached_property
    def tip(self) -> tuple[int, Array]:
        """The frame that carries the tip, and the pose of the tip in it."""
        return self._attached(followed_frame(self.arm), to())

    def _attached(self, word: str | None, X: Array) -> tuple[int, Array]:
        """The frame of a solid at pose X of a named frame, and its pose there."""
        if word is None:
            return self.world, X
        frame = self.arm.frame(word)
        if not frame.at_tip:
            return frame.link, frame.offset @ X
        return len(self.arm.links) + frame.link, inverse(self.arm.links[frame.link].tip) @ frame.offset @ X

    @property
    def shows_tip(self) -> bool:
        """Whether the axes of the tip are among its solids."""
        return any(solid.name.startswith("tip/") for solid in self.solids)

    @property
    def arrow_kinds(self) -> list[str]:
        """Kinds of arrows that are longer than nothing at some time."""
        motors = max(self.peaks.get("torque", 0.0), self.peaks.get("push", 0.0))
        weight = 0.0 if self.peaks.get("contact") else float(np.linalg.norm(self.arm.gravity))
        longest = {**self.peaks, "torque": motors, "gravity": weight}
        return [kind for kind in ARROWS if longest.get(kind, 0.0) > 0]

    # ---- where it is ------------------------------------------------------------------------------

    @property
    def ghost(self) -> list[Mesh]:
        """The arm at the goal, in the world; nothing where there is no goal."""
        if self.goal is None:
            return []
        look = self.look(State(self.goal))
        rigid = [solid.mesh.placed(look.frames[solid.frame]) for solid in self.solids
                 if solid.part_of_arm and solid.frame != self.world]  # fmt: skip
        return rigid + [skin.deformed(X) for skin, X in zip(self.skins, look.sections, strict=True)]

    def look(self, state: State) -> Look:
        """Return where everything is at one state."""
        return self.looks([state])[0]

    def looks(self, states: Sequence[State]) -> list[Look]:
        """Return where everything is at many states of a record, with as many loads each; quicker than one by one."""
        bones = Skeleton(self.arm, np.array([state.q for state in states]))
        world = np.broadcast_to(np.eye(4), (len(states), 1, 4, 4))
        frames = np.concatenate([bones.X, bones.tips, world], axis=-3)
        sections = [self._sections(bones, skin) for skin in self.skins]
        arrows = self._arrows(bones, states)
        return [
            Look(frames[k], [some[k] for some in sections], {kind: some[k] for kind, some in arrows.items()})
            for k in range(len(states))
        ]

    def _sections(self, bones: Skeleton, skin: Skin) -> Array:
        """(states, frames, 4, 4)."""
        if skin.kind == "beam":
            return bones.beams[skin.link][..., ALONG, :, :]
        near = bones.attachment(skin.link) @ self.arm.links[skin.link].joint.placement
        far = np.array(near)
        far[..., :3, 3] = bones.origins[..., skin.link, :]
        return np.stack([near, far], axis=-3)

    def _arrows(self, bones: Skeleton, states: Sequence[State]) -> dict[str, Array]:
        """(states, m, 2, 3) of every kind."""
        kinds: dict[str, list[Array]] = {kind: [] for kind in ARROWS}
        for load in self.arm.loads:
            at = pose(self.arm, bones.q, load.link, load.point)[..., :3, 3]
            for kind, vector in (("force", load.force), ("moment", load.moment)):
                kinds[kind].append(self._arrow(at, vector, kind))
        for some in zip(*(state.loads for state in states), strict=True):  # one load after the other, over time
            at = np.array([pose(self.arm, state.q, load.link, load.point)[:3, 3] for state, load in zip(states, some)])
            for kind in ("force", "moment"):
                kinds[kind].append(self._arrow(at, np.array([getattr(load, kind) for load in some]), kind))
        for k, contact in enumerate(states[0].contacts):
            at = pose(self.arm, bones.q, contact.link, contact.point)[..., :3, 3]
            kinds["contact"].append(self._arrow(at, np.array([state.contacts[k].force for state in states]), "contact"))
        if all(state.tau is not None for state in states):
            kinds["torque"] += self._torques(bones, np.array([state.tau for state in states]))
        if np.any(self.arm.gravity) and not states[0].contacts:  # these show what carries the weight
            down = self.arm.gravity / np.linalg.norm(self.arm.gravity)
            arrow = np.array([np.zeros(3), 0.5 * ARROW * self.size * down])
            kinds["gravity"].append(np.broadcast_to(arrow, (len(states), 2, 3)))
        none = np.zeros((len(states), 0, 2, 3))
        return {kind: np.stack(some, axis=1) if some else none for kind, some in kinds.items()}

    def _torques(self, bones: Skeleton, tau: Array) -> Iterable[Array]:
        """Along the axes of the joints, for torques (states, dof)."""
        for i, k in zip(np.flatnonzero([link.joint.independent for link in self.arm.links]), self.arm.joint_index):
            link = self.arm.links[i]
            axis = (bones.X[..., i, :, :] @ inverse(link.frame))[..., :3, :3] @ link.joint.axis
            kind = "torque" if link.joint.angular else "push"
            yield self._arrow(bones.origins[..., i, :], tau[..., k, None] * axis, kind)

    def _arrow(self, at: Array, vector: Array, kind: str) -> Array:
        """(states, 2, 3), as long as its share of the largest of its kind."""
        peak = self.peaks.get(kind, 0.0)
        longest = CONTACT if kind == "contact" else ARROW
        way = longest * self.size / peak * np.asarray(vector) if peak > 0 else np.zeros(3)
        return np.stack([at, at + way], axis=-2)

    # ---- where to stand ---------------------------------------------------------------------------

    @property
    def up(self) -> Array:
        """(3,) against gravity, or along z."""
        return up_of(self.arm)

    @cached_property
    def corners(self) -> tuple[Array, Array]:
        """Corners of the box around all that will be shown of the arm."""
        base = np.zeros((0, 3)) if self.hidden else np.zeros((1, 3))  # nothing stands at the origin if it moves freely
        points = np.vstack([self.bones.points, base, self._base_points, self._body_points])
        return points.min(axis=0), points.max(axis=0)

    @cached_property
    def _body_points(self) -> Array:
        """(n, 3) corners of the parts of an arm that moves freely, whose shapes are larger than its lines."""
        some = [solid for solid in self.solids if self.hidden and solid.part_of_arm and solid.frame < self.world]
        frames = np.concatenate([self.bones.X, self.bones.tips], axis=-3)
        out = [np.zeros((0, 3))]
        for solid in some:
            X = frames[..., solid.frame, :, :]
            out.append((solid.mesh.corners @ np.swapaxes(X[..., :3, :3], -1, -2) + X[..., None, :3, 3]).reshape(-1, 3))
        return np.vstack(out)

    @property
    def _base_points(self) -> Array:
        """(n, 3) what the base consists of."""
        parts = [solid.mesh.vertices for solid in self.solids if solid.name.startswith("base/")]
        return np.vstack([np.zeros((0, 3)), *parts])

    @cached_property
    def floor(self) -> float:
        """Height of the floor, along `up`: the ground that is known, or just below the base."""
        if self.ground is not None:
            return self.ground
        low = float(np.min(self._base_points @ self.up, initial=-self.radius))
        return low - 0.02 * self.radius

    @property
    def camera(self) -> tuple[Array, Array]:
        """Return places of the camera and of what it looks at (3,): a flat arm from its side, others from above."""
        low, high = self.corners
        spread = high - low
        centre, size = (low + high) / 2, float(np.linalg.norm(spread))
        aside = np.array([1.0, -1.4, 0.0]) if abs(self.up[2]) > 0.5 else np.array([0.6, 0.0, 1.0])
        thin = np.flatnonzero(spread <= 0.05 * spread.max())
        if thin.size:  # its first axis to the right
            aside = 0.3 * np.array([0.0, -1.0, 0.0]) * (thin[-1] == 2) * abs(self.up[2]) + np.eye(3)[thin[-1]]
            aside[1] *= -1 if thin[-1] == 1 else 1
        aside = aside / np.linalg.norm(aside) + 0.45 * self.up
        return centre + 1.25 * max(size, 1e-3) * aside / np.linalg.norm(aside), centre


def _parts(shapes: Iterable[LinkShape], files: MeshFiles) -> list[tuple[Mesh, Colour | None]]:
    """What is shown of the shapes of a link or the base; nothing where one of them cannot be shown.

    Primitives of one colour are one part: fewer are fewer to send.
    """
    out: list[tuple[Mesh, Colour | None]] = []
    primitives: dict[str, list[Mesh]] = {}
    for shape in shapes:
        if shape.role == "collision":
            continue
        if shape.kind != "mesh":
            primitives.setdefault(shape.colour, []).append(primitive(shape))
            continue
        parts = files.parts(shape)
        if parts is None:
            return []
        own = rgb(shape.colour) if shape.colour else None
        out += [(mesh, colour or own) for mesh, colour in parts]
    return out + [(solids.joined(some), rgb(colour) if colour else None) for colour, some in primitives.items()]


def primitive(shape: LinkShape) -> Mesh:
    if shape.kind == "box":
        return solids.box(shape.size).placed(shape.origin)
    if shape.kind == "sphere":
        return solids.ball((0, 0, 0), shape.size[0]).placed(shape.origin)
    half = np.array([0.0, 0.0, shape.size[1] / 2])
    return solids.cylinder(-half, half, shape.size[0]).placed(shape.origin)


def joint_colour(joint: Joint) -> Colour:
    """Colour of a joint that rotates, that slides or both, or that has no motor."""
    if not joint.actuated:
        return rgb(PASSIVE)
    return rgb((HELICAL if joint.rotation else PRISMATIC) if joint.travel else REVOLUTE)
