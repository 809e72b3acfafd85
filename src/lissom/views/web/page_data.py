"""A scene and what it plays as the JSON document that the player of a page reads.

The document (arrays are base64 of little-endian numbers, row by row):

    meshes   [{low, high (3,), vertices uint16 (n, 3) between them, faces uint16 or uint32 (m, 3), wide: whether 32}]
    panes    one per arm, side by side:
        title, note        text
        up (3,), eye (3,), box (2, 3), floor, size    where to look from, what is in view, the height of the floor
        start, end         [s]; equal where nothing plays
        frames             how many frames move
        times (n,), poses (n, frames, 7)              x, y, z and the quaternion w, x, y, z
        solids   [{mesh, colour, opacity, frame, mark, moves}]     marks are no parts of the arm
        skins    [{mesh, colour, first, bones, back (bones, 7), nearest (vertices,), share (vertices,), mark, moves}]
        tip                which of the frames is the tip
        arrows   [{kind, colour, count, points (n, count, 2, 3)}]
        trail              whether the path of the tip is shown
        ghost (frames, 7) or null                     the goal
        curves   [{label, unit, t (k,), series: [{name, y (k,)}]}]
        legend   [{kind: solid, arrow, line or ghost; colour; label}]
        joints   [{name, unit, low, high, value}]     sliders; empty where the page plays
        tree     [{parent, rest (7), axis, kind, after (7), joint, factor}]     one per link
        fixed    [{link, pose (7)}]                   which link each frame is on, and where
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.gait.legs import side_of
from lissom.gait.of_motion import has_contacts
from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.motion.result.motion import Motion
from lissom.spatial.frames import inverse
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.views.degrees import shown_unit
from lissom.views.followed import followed_frame
from lissom.views.playback.player import Player
from lissom.views.playback.takes import ContactTake, Curves, ModeTake, MotionTake, RecordTake, RunTake
from lissom.views.scene.legend import legend
from lissom.views.scene.poses import seven
from lissom.views.scene.scene import ARROWS, Look, Scene, Skin, State, rgb
from lissom.views.scene.solids import Mesh

RATE = 60  # frames per second
FEWEST_FRAMES, MOST_FRAMES = 120, 600
FINE = 1200  # samples of a curve that may vibrate
STEPS = 65535  # of a vertex between the corners of its mesh
MOST_SERIES = 12  # curves of one diagram


class Shown(NamedTuple):
    """One arm: its title, what plays, and what it looks like."""

    title: str
    player: Player
    scene: Scene


def document(shown: Sequence[Shown]) -> dict[str, Any]:
    """Return the document of arms side by side; curves of the tip's deflection are along one axis in all of them."""
    meshes = Meshes()
    bending = [_deflections(one) for one in shown]
    swings = [np.ptp(found[1], axis=0) for found in bending if found is not None]
    axis = int(np.argmax(np.max(swings, axis=0))) if swings else 0
    panes = [_pane(one, meshes, found, axis) for one, found in zip(shown, bending, strict=True)]
    return {"meshes": meshes.stored, "panes": panes}


# ---- numbers -------------------------------------------------------------------------------------


def packed(values: Any, kind: str = "<f4") -> str:
    """Return an array as base64 text."""
    return base64.b64encode(np.ascontiguousarray(values, kind).tobytes()).decode()


class Meshes:
    """The meshes of a page, each stored once."""

    def __init__(self) -> None:
        self.stored: list[dict[str, Any]] = []
        self._known: dict[tuple[str, str], int] = {}

    def index(self, mesh: Mesh) -> int:
        """Store a mesh, or find it among those stored."""
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        whole = np.round((mesh.vertices - low) / np.maximum(high - low, 1e-12) * STEPS)
        wide = len(mesh.vertices) > STEPS
        faces = packed(mesh.faces, "<u4" if wide else "<u2")
        key = packed(np.concatenate([whole, [low, high]])), faces
        if key not in self._known:
            self._known[key] = len(self.stored)
            row = {"low": _rounded(low), "high": _rounded(high), "vertices": packed(whole, "<u2"), "faces": faces}
            self.stored.append({**row, "wide": wide})
        return self._known[key]


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(float(x), 9) for x in values]


# ---- one arm -------------------------------------------------------------------------------------


def _pane(shown: Shown, meshes: Meshes, bending: tuple[Array, Array] | None, axis: int) -> dict[str, Any]:
    player, scene = shown.player, shown.scene
    take = player.take
    times = _times(take.start, take.end)
    states = []
    for player.t in times:
        states.append(player.state())
    looks = scene.looks(states)
    frames = sorted({solid.frame for solid in scene.solids})
    X = np.array([_placed(scene, look, frames) for look in looks])
    ghost = None if scene.goal is None else scene.look(State(scene.goal))
    arrows, trail = [*_arrows(looks, player)], isinstance(take, RunTake | MotionTake)
    return {
        "title": shown.title, "note": _note(player), **_view(scene, looks),
        "start": float(take.start), "end": float(take.end), "frames": X.shape[1],
        "times": packed(times), "poses": packed(seven(X)),
        "solids": [
            {"mesh": meshes.index(solid.mesh), "colour": solid.colour, "opacity": solid.opacity,
             "frame": frames.index(solid.frame), "mark": not solid.part_of_arm,
             "moves": solid.frame != scene.world}
            for solid in scene.solids
        ],
        "skins": [*_skins(scene.skins, len(frames), meshes)],
        "tip": X.shape[1] - 1,
        "arrows": arrows,
        "trail": trail,
        "ghost": None if ghost is None else packed(seven(_placed(scene, ghost, frames))),
        "curves": _curves(shown, bending, axis),
        "legend": [entry._asdict() for entry in legend(scene, [row["kind"] for row in arrows], trail)],
        **_sliders(player, X[0], scene),
    }  # fmt: skip


def _times(start: float, end: float) -> Array:
    """(n,) instants at which frames are stored; between them the player interpolates."""
    count = int(np.clip(round(RATE * (end - start)), FEWEST_FRAMES, MOST_FRAMES)) if end > start else 0
    return np.linspace(start, end, count + 1)


def _placed(scene: Scene, look: Look, frames: list[int]) -> Array:
    """(m, 4, 4) the frames of solids, those of skins, the tip."""
    frame, X = scene.tip
    return np.concatenate([look.frames[frames], *look.sections, (look.frames[frame] @ X)[None]])


def _view(scene: Scene, looks: list[Look]) -> dict[str, Any]:
    """Return where to look from, and the floor: as high as the base, or below the lowest vertex of the first state."""
    eye, _ = scene.camera
    low, high = scene.corners
    feet = [float((solid.mesh.placed(looks[0].frames[solid.frame]).vertices @ scene.up).min())
            for solid in scene.solids if solid.opacity == 1.0]  # fmt: skip
    reached = [float(corner @ scene.up) for corner in (low, high)]
    room = 2 * scene.radius if len(looks) > 1 else 0.15 * scene.size  # joints moved by hand need more
    return {
        "eye": _rounded(eye), "up": _rounded(scene.up), "size": scene.size,
        "box": [_rounded(low - room), _rounded(high + room)],
        "floor": min(0.0, *reached, *feet) - 0.02 * scene.radius if scene.ground is None else scene.ground,
    }  # fmt: skip


def _skins(skins: list[Skin], first: int, meshes: Meshes) -> Iterable[dict[str, Any]]:
    """Every vertex goes with two frames, one after the other."""
    for skin in skins:
        nearest = np.minimum((skin.weights > 0).argmax(axis=1), len(skin.rest) - 2)
        share = skin.weights[np.arange(len(nearest)), nearest + 1]
        yield {
            "mesh": meshes.index(skin.mesh), "colour": skin.colour, "first": first, "bones": len(skin.rest),
            "back": packed(seven(np.array([inverse(rest) for rest in skin.rest]))), "mark": False, "moves": True,
            "nearest": packed(nearest, "<u1"), "share": packed(share),
        }  # fmt: skip
        first += len(skin.rest)


def _arrows(looks: list[Look], player: Player) -> Iterable[dict[str, Any]]:
    """Gravity, loads and torques; of an arm moved by hand gravity alone, since loads would move along."""
    for kind in ("gravity",) if player.take.end <= player.take.start else ARROWS:
        points = np.array([look.arrows[kind] for look in looks])
        if points.shape[1] and np.ptp(points, axis=2).any():
            yield {"kind": kind, "colour": rgb(ARROWS[kind]), "count": points.shape[1], "points": packed(points)}


def _note(player: Player) -> str:
    """Whatever is not drawn as it is."""
    take = player.take
    if isinstance(take, ModeTake):
        return f"{take.title}, {take.pace}; the amplitude is not to scale."
    if player.arm.loops and take.end <= take.start:
        return "This arm has closed loops: its joints move in the live viewer (lissom view), not on a page."
    if player.arm.mode_index.size and player.exaggerate != 1.0:
        return f"Deflections are drawn {player.exaggerate:g} times as large as they are."
    return ""


# ---- curves --------------------------------------------------------------------------------------


def _deflections(shown: Shown) -> tuple[Array, Array] | None:
    """(n,) [s] and (n, 3) [mm] the tip's displacement by everything elastic, in the axes of the undeflected tip."""
    take, arm = shown.player.take, shown.player.arm
    if not isinstance(take, RecordTake) or not arm.mode_index.size or take.end <= take.start:
        return None
    t = np.linspace(take.start, take.end, FINE)
    q = take.sampled(t).q
    rigid = np.array(q)
    rigid[:, arm.mode_index] = 0.0
    frame = followed_frame(arm)
    there, here = pose(arm, rigid, frame), pose(arm, q, frame)
    return t, 1e3 * np.einsum("nji,nj->ni", there[:, :3, :3], here[:, :3, 3] - there[:, :3, 3])


def _curves(shown: Shown, bending: tuple[Array, Array] | None, axis: int) -> list[dict[str, Any]]:
    take = shown.player.take
    if not isinstance(take, RecordTake):
        return []
    if isinstance(take, ContactTake):
        return [_contact_curves(take), *_joint_curves(shown.player.arm, take.curves, largest=True)]
    out = []
    if bending is not None:
        t, d = bending
        out.append(_diagram(f"tip deflection along {'xyz'[axis]}", "mm", t, {"tip": d[:, axis]}))
    return out + [*_joint_curves(shown.player.arm, take.curves)]


def _contact_curves(take: ContactTake) -> dict[str, Any]:
    """Forces of the ground on both feet, or of each link with contacts."""
    feet: dict[str, Any] = {}
    for k, one in enumerate(take.samples.contacts or ()):
        side = side_of(one.name, one.link)
        name = f"{side} foot" if side else one.link
        feet[name] = feet.get(name, 0.0) + take.samples.forces[:, k] @ one.normal
    return _diagram("normal forces", "N", take.samples.t, feet)


def _joint_curves(arm: Arm, curves: Curves, largest: bool = False) -> Iterable[dict[str, Any]]:
    """One diagram per quantity and unit; `largest`: of joints with motors, those with the largest range."""
    words = {"position": ("q", curves.q), "rate": ("qd", curves.qd), "torque": ("tau", curves.tau)}
    for word, (symbol, values) in words.items():
        unit = units(arm, symbol)
        for one in dict.fromkeys(unit[k] for k in arm.joint_index):
            some = [k for k in arm.joint_index if unit[k] == one and (arm.actuated[k] or not largest)]
            order = np.argsort(-np.ptp(values[:, some], axis=0), kind="stable") if largest else np.arange(len(some))
            some = [some[k] for k in sorted(order[:MOST_SERIES])]
            if not some:
                continue
            shown, scale = shown_unit(one)
            label = {"rad": "joint angles", "m": "joint positions", "N m": "joint torques", "N": "joint forces"}
            name = label.get(one, f"joint {word}s")
            yield _diagram(name, shown, curves.t, {arm.coordinates[k]: scale * values[:, k] for k in some})


def _diagram(label: str, unit: str, t: Array, series: dict[str, Array]) -> dict[str, Any]:
    rows = [{"name": name, "y": packed(y)} for name, y in series.items()]
    return {"label": label, "unit": unit, "t": packed(t), "series": rows}


# ---- joints by hand ------------------------------------------------------------------------------


def _sliders(player: Player, placed: Array, scene: Scene) -> dict[str, Any]:
    """Joints, the tree of links, and the link that every frame is fixed to; nothing where something plays.

    Links keep the deflection of the pose. Whatever is drawn is then fixed to a link, so the player of the page needs
    only the pose of each joint in its parent's frame, and moves it by how far its slider is from where it began.
    """
    arm, q = player.arm, player.state().q
    if arm.loops or player.take.end > player.take.start:
        return {"joints": [], "tree": [], "fixed": []}
    X = scene.look(State(q)).frames[: len(arm.links)]
    low, high = player.joint_ranges(scene.size)
    joints = [
        {"name": joint.name, "unit": shown_unit(joint.unit)[0], "low": float(low[k]),
         "high": float(high[k]), "value": float(player.joints[k])}
        for k, joint in enumerate(arm.joints)
    ]  # fmt: skip
    return {"joints": joints, "tree": [*_tree(arm, X)], "fixed": [*_fixed(arm, X, placed, scene)]}


def _tree(arm: Arm, X: Array) -> Iterable[dict[str, Any]]:
    names = [joint.name for joint in arm.joints]
    for i, link in enumerate(arm.links):
        parent, joint = int(arm.parent_index[i]), link.joint
        root = inverse(X[parent]) if parent >= 0 else np.eye(4)
        mimic = arm.mimics.get(joint.name)
        follows, factor = (joint.name, 1.0) if mimic is None else (mimic.joint, mimic.multiplier)
        yield {
            "parent": parent, "rest": _exact(root @ X[i] @ inverse(link.frame)), "after": _exact(link.frame),
            "axis": [float(x) for x in joint.axis], "turn": joint.rotation, "travel": joint.travel,
            "joint": names.index(follows) if joint.moves else -1, "factor": float(factor),
        }  # fmt: skip


def _exact(X: Array) -> list[float]:
    return [float(x) for x in seven(X)]


def _fixed(arm: Arm, X: Array, placed: Array, scene: Scene) -> Iterable[dict[str, Any]]:
    """The frames in the order of `_placed`."""
    n, frame = len(arm.links), scene.tip[0]
    owners = [-1 if k == scene.world else k % n for k in sorted({solid.frame for solid in scene.solids})]
    for skin in scene.skins:
        slides = skin.kind == "slide"  # from where its joint is placed, on the parent, to the link
        parent = int(arm.parent_index[skin.link])
        owners += [parent, skin.link] if slides else [skin.link] * len(skin.rest)
    owners.append(-1 if frame == scene.world else frame % n)
    for owner, place in zip(owners, placed, strict=True):
        yield {"link": owner, "pose": _exact((inverse(X[owner]) if owner >= 0 else np.eye(4)) @ place)}


def goal_of(record: Any) -> Array | None:
    """Return the state at the end of a motion; runs and motions with contacts have no goal."""
    ends = isinstance(record, Motion) and not has_contacts(record)
    return record.at(record.duration)[0] if ends else None
