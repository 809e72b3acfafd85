"""A scene as nodes of viser: made once, then moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.spatial.rotations import Array
from lissom.views.scene.legend import GHOST, TRAIL
from lissom.views.scene.poses import quaternions
from lissom.views.scene.scene import ARROWS, Look, Scene, rgb

CHUNKS = 60  # pieces of a trail, which appear one by one
PATH = (205, 210, 215)
FLOOR = {False: ((225, 228, 231), (200, 205, 210)), True: ((46, 51, 57), (70, 77, 85))}  # lines on a dark ground: True
LINE = 0.006  # width of a trail, of the arm's size
HEAD = 0.05  # length of an arrow's head, of the arm's size


class Nodes:
    """The nodes of a scene in `api`, viser's scene of a server."""

    def __init__(self, api: Any, scene: Scene):
        self.api, self.scene = api, scene
        marks = ("trail", "tip axes") if scene.shows_tip else ()
        self.groups = dict.fromkeys(("forces", *marks, *(["goal"] if scene.goal is not None else [])), True)
        self._stand()
        self._frames: dict[int, Any] = {}
        self._solids = [self._solid(k, solid) for k, solid in enumerate(scene.solids)]
        self._skins = [self._skin(k, skin) for k, skin in enumerate(scene.skins)]
        self._ghost: list[Any] = []
        self.put_goal()
        self._placed: Array | None = None
        self._arrows: dict[str, Any] = {}
        self._chunks: list[Any] = []
        self._path: Any = None
        self._last = -1

    def _stand(self) -> None:
        """The floor, and where to look from."""
        up, size = self.scene.up, self.scene.size
        position, target = self.scene.camera
        self.api.set_up_direction(tuple(up))
        side = round(4 * size, 1) or 4 * size
        cell, section = FLOOR[False]
        self._floor = self.api.add_grid(
            "/floor", side, side, plane="xy", cell_size=size / 5, section_size=size, wxyz=_upright(up),
            position=tuple(self.scene.floor * up), cell_color=cell, section_color=section,
            shadow_opacity=0.1)  # fmt: skip
        self.camera = {"position": tuple(position), "look_at": tuple(target), "up": tuple(up)}

    def _frame(self, k: int) -> str:
        """The name of frame k, which exists from the first time that it is asked for."""
        name = f"/arm/{k}"
        if k not in self._frames:
            self._frames[k] = self.api.add_frame(name, show_axes=False)
        return name

    def _solid(self, k: int, solid: Any) -> Any:
        name = f"{self._frame(solid.frame)}/{k}/{_path(solid.name)}"
        return self.api.add_mesh_simple(
            name, solid.mesh.vertices, solid.mesh.faces, color=solid.colour, side="double",
            opacity=None if solid.opacity >= 1 else solid.opacity)  # fmt: skip

    def _skin(self, k: int, skin: Any) -> Any:
        return self.api.add_mesh_skinned(
            f"/skin/{k}/{_path(skin.name)}", skin.mesh.vertices, skin.mesh.faces, color=skin.colour, side="double",
            bone_wxyzs=quaternions(skin.rest), bone_positions=skin.rest[:, :3, 3],
            skin_weights=skin.weights)  # fmt: skip

    # ---- moving -----------------------------------------------------------------------------------

    def put(self, look: Look) -> None:
        """Move all nodes to their present poses; unchanged ones are not sent again."""
        moving = [*self._frames.values(), *(bone for node in self._skins for bone in node.bones)]
        X = np.concatenate([look.frames[list(self._frames)], *look.sections])
        moved = np.ones(len(X), bool) if self._placed is None else (self._placed != X).any(axis=(-2, -1))
        for k, wxyz in zip(np.flatnonzero(moved), quaternions(X[moved]), strict=True):
            moving[k].position, moving[k].wxyz = X[k, :3, 3], wxyz
        self._placed = X
        for kind, arrows in look.arrows.items():
            self._put_arrows(kind, arrows)

    def _put_arrows(self, kind: str, arrows: Array) -> None:
        """Put arrows into the page; those too short to be seen are left out."""
        size = self.scene.size
        seen = arrows[np.linalg.norm(arrows[:, 1] - arrows[:, 0], axis=-1) > 0.2 * HEAD * size]
        if kind not in self._arrows:
            if not len(seen):
                return
            self._arrows[kind] = self.api.add_arrows(
                f"/arrows/{kind}", seen, rgb(ARROWS[kind]), shaft_radius=0.1 * HEAD * size,
                head_radius=0.25 * HEAD * size, head_length=0.6 * HEAD * size)  # fmt: skip
        node = self._arrows[kind]
        node.visible = bool(len(seen)) and self.groups["forces"]
        if len(seen):
            node.points = seen.astype(np.float32)

    def put_goal(self) -> None:
        """Draw the goal where the scene has it now."""
        for node in self._ghost:
            node.remove()
        self._ghost = [
            self.api.add_mesh_simple(f"/goal/{k}", mesh.vertices, mesh.faces, color=GHOST, side="double", opacity=0.25,
                                     visible=self.groups["goal"])
            for k, mesh in enumerate(self.scene.ghost)
        ]  # fmt: skip

    def darken(self, dark: bool) -> None:
        """Draw the floor for a dark or a light ground."""
        self._floor.cell_color, self._floor.section_color = FLOOR[dark]

    def put_trail(self, path: Array) -> None:
        """A path of the tip (n, 3), of which nothing is passed yet."""
        for node in (self._path, *self._chunks):
            if node is not None:
                node.remove()
        self._path, self._chunks, self._last = None, [], -1
        if len(path) < 2:
            return
        line = LINE * self.scene.size
        pairs = np.stack([path[:-1], path[1:]], axis=1)
        self._path = self.api.add_line_segments("/trail/path", pairs, PATH, thickness=0.4 * line)
        for k, piece in enumerate(np.array_split(pairs, min(CHUNKS, len(pairs)))):
            self._chunks.append(self.api.add_line_segments(f"/trail/{k}", piece, TRAIL, thickness=line, visible=False))
        self._path.visible = self.groups.get("trail", False)

    def pass_trail(self, share: float) -> None:
        """Show as much of the trail as that share of the time has passed."""
        last = int(share * len(self._chunks) + 1e-9) if self.groups.get("trail", False) else 0
        if last != self._last:
            for k, node in enumerate(self._chunks):
                if node.visible != (k < last):
                    node.visible = k < last
            self._last = last

    def show(self, group: str, visible: bool) -> None:
        """Show or hide the forces, the trail, the axes of the tip or the goal."""
        self.groups[group] = visible
        self._last = -1
        if group == "trail" and self._path is not None:
            self._path.visible = visible
        if group == "goal":
            for node in self._ghost:
                node.visible = visible
        if group == "tip axes":
            for solid, node in zip(self.scene.solids, self._solids, strict=True):
                if solid.name.startswith("tip/"):
                    node.visible = visible


def _path(name: str) -> str:
    """A name as a path, without what viser would read as something else; two names may become the same."""
    return "/".join("".join(c if c.isalnum() or c in "-_.+ " else "_" for c in word) for word in name.split("/"))


def _upright(up: Array) -> Array:
    """Quaternion that turns z to `up`."""
    axis = np.cross([0.0, 0.0, 1.0], up)
    w = 1.0 + up[2]
    q = np.array([w, *axis]) if w > 1e-9 else np.array([0.0, 1.0, 0.0, 0.0])
    return q / np.linalg.norm(q)
