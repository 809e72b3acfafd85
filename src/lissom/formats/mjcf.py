"""Reading MJCF, through MuJoCo's own compiler (extra ``mujoco``).

MuJoCo resolves defaults, includes and inertias; this file turns its compiled bodies and
joints into links. A body with several joints becomes a chain of virtual massless links,
ball and free joints become chains of one-coordinate joints.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import InputError, ModelError, UnsupportedError, install_extra
from lissom.formats import urdf_read, xml
from lissom.formats.files import MOST_LINKS
from lissom.formats.foreign import about_root
from lissom.formats.mjcf_couplings import couplings
from lissom.formats.mjcf_files import DEEPEST
from lissom.formats.mjcf_limits import refuse_harmful
from lissom.model.arm import Arm
from lissom.model.fields import frozen
from lissom.model.joint import Joint
from lissom.model.limits import Limits
from lissom.model.link import Link, LinkShape, Tool, hexadecimal, hub_fields
from lissom.model.loads import Loop
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array, about_axis, from_quaternion

BOUND = 1e30  # of any number
DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)  # of a geom that names no colour
PLACED = (
    "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis", "qpos0",
    "geom_pos", "geom_quat", "site_pos", "site_quat",
)  # fmt: skip


def read(
    path: Path, data: bytes, kinematics_only: bool = False, repair: bool | str = False, follow: bool = True
) -> Arm:
    """An arm from an ``.xml`` file: MJCF, or URDF when its root says so.

    MuJoCo has its own switch for unphysical inertias (``balanceinertia``), so `repair` is for URDF.
    """
    root = xml.parse(data, str(path), deepest=DEEPEST)
    if root.tag == "robot":
        return urdf_read.read(path, data, kinematics_only, repair, follow)
    if root.tag != "mujoco":
        raise ModelError(about_root(root, "<mujoco> or <robot>"), "XML", str(path), root.line)
    if repair:
        raise InputError(f"load: repair does not apply to MJCF; set balanceinertia in the <compiler> of {path}.")
    refuse_harmful(root, path)
    mujoco = _mujoco()
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise ModelError(f"MuJoCo cannot compile it: {' '.join(str(error).split())}", file=str(path)) from None
    try:
        _refuse_odd(model)
        return _Reader(mujoco, model, follow).arm(path, kinematics_only)
    except ModelError as error:
        raise ModelError(error.problem, error.subject, str(path)) from None


def _refuse_odd(model: Any) -> None:
    """Raise an error for non-finite or huge numbers, which the compiler accepts."""
    if model.nbody > MOST_LINKS:
        raise ModelError(f"it has {model.nbody} bodies; at most {MOST_LINKS} are read.")
    for word in PLACED:
        values = np.asarray(getattr(model, word))
        if not (np.abs(values) < BOUND).all() or (word.endswith("quat") and not values.any(axis=-1).all()):
            raise ModelError(f"MuJoCo compiles it to {word} that are not finite; check its numbers.")


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise UnsupportedError(f"reading MJCF needs MuJoCo: {install_extra('mujoco')}.") from None
    return mujoco


@dataclass
class _Step:
    """One one-coordinate motion of a body: about `anchor`, starting from `reference`."""

    kind: str
    axis: Array
    anchor: Array
    name: str
    reference: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def before(self) -> Array:
        """Pose of the joint: at its anchor, turned back so that the reference position is MuJoCo's zero pose."""
        if self.kind == "revolute":
            return pose(about_axis(self.axis, -self.reference), self.anchor)
        return pose(p=self.anchor - self.reference * self.axis)

    @property
    def after(self) -> Array:
        """Link frame in the moved joint frame: back from the anchor."""
        return pose(p=-self.anchor)


class _Reader:
    def __init__(self, mujoco: Any, model: Any, follow: bool):
        self.mj, self.model = mujoco, model
        self.notes: list[str] = []
        self._mimics = couplings(mujoco, model, self.notes) if follow else None

    def arm(self, path: Path, kinematics_only: bool) -> Arm:
        links: list[Link] = []
        for body in range(1, self.model.nbody):
            links += self._body(body)
        if not links:
            raise ModelError("there are no bodies besides the world.")
        loops = self._loops()
        self._note_the_rest()
        return Arm(
            self._clean_name() or path.stem,
            tuple(links),
            gravity=self._gravity(),
            loops=tuple(loops),
            kinematics_only=kinematics_only,
            source=f"MJCF file {path.name}, compiled by MuJoCo {self.mj.__version__}",
            notes=tuple(self.notes),
        )

    def _note_the_rest(self) -> None:
        """Add notes about physics of the model that is not supported."""
        m, bits = self.model, self.mj.mjtDisableBit
        lost = {
            "gravity compensation": bool(np.any(m.body_gravcomp)),
            "fluid forces": bool(m.opt.density or m.opt.viscosity or np.any(m.opt.wind)),
            "mocap bodies (taken as fixed)": bool(m.nmocap),
            "sites of the world": bool(np.any(m.site_bodyid == 0)),
        }
        for word in ("jnt_stiffnesspoly", "dof_dampingpoly"):
            lost[f"nonlinear terms of {word}"] = bool(np.any(getattr(m, word, 0)))
        for flag in ("mjDSBL_SPRING", "mjDSBL_DAMPER", "mjDSBL_LIMIT", "mjDSBL_FRICTIONLOSS", "mjDSBL_EQUALITY"):
            bit = getattr(bits, flag, None)
            lost[f"the switch {flag} (its forces stay on)"] = bit is not None and bool(m.opt.disableflags & int(bit))
        self.notes += [f"ignored: {what}." for what, there in lost.items() if there]

    def _gravity(self) -> Array:
        off = self.model.opt.disableflags & int(self.mj.mjtDisableBit.mjDSBL_GRAVITY)
        return np.zeros(3) if off else np.array(self.model.opt.gravity)

    def _clean_name(self) -> str:
        """The model's name: the first string in MuJoCo's table of names."""
        return self.model.names.split(b"\0", 1)[0].decode("utf-8", "replace").strip()

    # ---- bodies and joints -----------------------------------------------------------------------

    def _body(self, body: int) -> list[Link]:
        m = self.model
        word = self._name(self.mj.mjtObj.mjOBJ_BODY, body, "body")
        above = int(m.body_parentid[body])
        parent = self._name(self.mj.mjtObj.mjOBJ_BODY, above, "body") if above else None
        X = pose(from_quaternion(m.body_quat[body]), m.body_pos[body])
        first, count = int(m.body_jntadr[body]), int(m.body_jntnum[body])
        steps = [step for j in range(first, first + count) for step in self._steps(j)]
        fields = {"shapes": self._shapes(body), "tools": self._sites(body), **self._inertia(body)}
        if not steps:
            return [Link(word, parent, Joint("fixed", X, name=f"{word}@mount"), **fields)]
        if any(int(m.jnt_type[j]) == self.mj.mjtJoint.mjJNT_FREE for j in range(first, first + count)):
            X = pose()  # a free joint's coordinates are the body's pose in the world
        links = []
        for k, step in enumerate(steps):
            joint = Joint(step.kind, frozen(X @ step.before), step.axis, step.name, **step.options)
            last = k == len(steps) - 1
            name = word if last else f"{word}:{step.name}"
            links.append(Link(name, parent, joint, frame=step.after, **(fields if last else {})))
            X, parent = pose(), name
        return links

    def _steps(self, j: int) -> list[_Step]:
        m, types = self.model, self.mj.mjtJoint
        word = self._name(self.mj.mjtObj.mjOBJ_JOINT, j, "joint")
        # MuJoCo's enums compare with int only
        kind, axis, anchor, dof = (
            int(m.jnt_type[j]),
            np.array(m.jnt_axis[j]),
            np.array(m.jnt_pos[j]),
            int(m.jnt_dofadr[j]),
        )
        place = int(m.jnt_qposadr[j])
        if kind in (types.mjJNT_HINGE, types.mjJNT_SLIDE):
            moves = "revolute" if kind == types.mjJNT_HINGE else "prismatic"
            return [_Step(moves, axis, anchor, word, float(m.qpos0[place]), self._options(j, dof, place))]
        X, Y, Z = np.eye(3)
        turns = [("yaw", Z), ("pitch", Y), ("roll", X)]
        slides = [("x", X), ("y", Y), ("z", Z)] if kind == types.mjJNT_FREE else []
        where = np.zeros(3) if kind == types.mjJNT_FREE else anchor
        steps = [_Step("prismatic", axis, np.zeros(3), f"{word}:{end}") for end, axis in slides]
        steps += [_Step("revolute", axis, where, f"{word}:{end}") for end, axis in turns]
        damped = {"armature": float(m.dof_armature[dof]), "damping": float(_first(m.dof_damping[dof])),
                  "friction": float(m.dof_frictionloss[dof])}  # fmt: skip
        if any(damped.values()) or float(_first(m.jnt_stiffness[j])):
            self.notes.append(f"joint {word!r}: its armature, damping, friction and stiffness act on angles that have "
                              "no counterpart here; left out.")  # fmt: skip
        self.notes.append(f"{'free' if slides else 'ball'} joint {word!r} became {', '.join(s.name for s in steps)}.")
        return steps

    def _options(self, j: int, dof: int, place: int) -> dict[str, Any]:
        m = self.model
        limits: dict[str, Any] = {}
        if m.jnt_limited[j]:
            limits["position"] = tuple(float(v) for v in m.jnt_range[j])
        if m.jnt_actfrclimited[j]:
            limits["torque"] = tuple(float(v) for v in m.jnt_actfrcrange[j])
        stiffness = float(_first(m.jnt_stiffness[j]))
        return {
            "armature": float(m.dof_armature[dof]),
            "damping": float(_first(m.dof_damping[dof])),
            "friction": float(m.dof_frictionloss[dof]),
            "stiffness": stiffness,
            "rest": float(m.qpos_spring[place]) if stiffness else 0.0,
            "limits": Limits(**limits),
            "mimic": None if self._mimics is None else self._mimics.get(j),
        }

    def _inertia(self, body: int) -> dict[str, Any]:
        m = self.model
        moments = np.diag(m.body_inertia[body])
        X = pose(from_quaternion(m.body_iquat[body]), m.body_ipos[body])
        inertia = Inertia(float(m.body_mass[body]), np.zeros(3), moments).in_frame(X)
        return hub_fields(inertia)

    def _shapes(self, body: int) -> tuple[LinkShape, ...]:
        m, geoms = self.model, self.mj.mjtGeom
        shapes = []
        skipped: Counter[str] = Counter()
        for g in range(int(m.body_geomadr[body]), int(m.body_geomadr[body]) + int(m.body_geomnum[body])):
            size, kind = m.geom_size[g], int(m.geom_type[g])
            common: dict[str, Any] = {
                "origin": pose(from_quaternion(m.geom_quat[g]), m.geom_pos[g]),
                "role": "collision" if m.geom_contype[g] or m.geom_conaffinity[g] else "visual",
                "colour": self._colour(g),
            }
            if kind == geoms.mjGEOM_BOX:
                shapes.append(LinkShape("box", 2 * size, **common))
            elif kind == geoms.mjGEOM_SPHERE:
                shapes.append(LinkShape("sphere", size[:1], **common))
            elif kind in (geoms.mjGEOM_CYLINDER, geoms.mjGEOM_CAPSULE):
                shapes.append(LinkShape("cylinder", (size[0], 2 * size[1]), **common))
            else:
                skipped[geoms(kind).name.removeprefix("mjGEOM_").lower()] += 1
        for what, count in skipped.items():
            word = self._name(self.mj.mjtObj.mjOBJ_BODY, body, "body")
            self.notes.append(f"body {word!r}: {count} geoms of type {what} are not drawn.")
        return tuple(shapes)

    def _colour(self, geom: int) -> str:
        """The colour of a geom, of its material where it has one; empty for MuJoCo's default."""
        m, material = self.model, int(self.model.geom_matid[geom])
        rgba = m.mat_rgba[material] if material >= 0 else m.geom_rgba[geom]
        return "" if np.allclose(rgba, DEFAULT_RGBA) else hexadecimal(rgba[:3])

    def _sites(self, body: int) -> tuple[Tool, ...]:
        """Named sites as tools."""
        m, tools = self.model, []
        for s in np.flatnonzero(m.site_bodyid == body):
            word = self.mj.mj_id2name(m, self.mj.mjtObj.mjOBJ_SITE, int(s))
            if word and self.mj.mj_name2id(m, self.mj.mjtObj.mjOBJ_BODY, word) < 0:
                tools.append(Tool(word, pose(from_quaternion(m.site_quat[s]), m.site_pos[s])))
        return tuple(tools)

    # ---- loops and names -------------------------------------------------------------------------

    def _loops(self) -> list[Loop]:
        """connect and weld constraints between bodies as closures; others are noted."""
        m, kinds = self.model, self.mj.mjtEq
        loops = []
        for e in range(m.neq):
            kind, by_body = int(m.eq_type[e]), int(m.eq_objtype[e]) == self.mj.mjtObj.mjOBJ_BODY
            if kind == kinds.mjEQ_JOINT and self._mimics is not None:
                continue
            if kind not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) or not by_body:
                self.notes.append(f"equality {e} of type {kinds(kind).name.removeprefix('mjEQ_').lower()} ignored.")
                continue
            if not m.eq_active0[e]:
                self.notes.append(f"equality {e} is not active; ignored.")
                continue
            ends = [int(m.eq_obj1id[e]), int(m.eq_obj2id[e])]
            names = [self._name(self.mj.mjtObj.mjOBJ_BODY, b, "body") if b else None for b in ends]
            numbers = m.eq_data[e]
            if kind == kinds.mjEQ_CONNECT:
                loops.append(Loop((names[0], numbers[:3]), (names[1], numbers[3:6]), "spherical"))
            else:  # the anchor in the second body, and its pose in the first
                first = pose(from_quaternion(numbers[6:10]), numbers[3:6])
                loops.append(Loop((names[0], first), (names[1], pose(p=numbers[:3])), "fixed"))
        if m.nu:
            self.notes.append(f"{m.nu} actuators ignored: every joint takes its torque directly.")
        if m.ntendon:
            self.notes.append(f"{m.ntendon} tendons ignored.")
        return loops

    def _name(self, kind: Any, number: int, word: str) -> str:
        given = self.mj.mj_id2name(self.model, kind, number)
        made = f"{word}{number}"
        while not given and self.mj.mj_name2id(self.model, kind, made) >= 0:
            made += "_"
        return given or made


def _first(value: Any) -> float:
    """The first number of a value; some versions of MuJoCo store a row of coefficients."""
    return float(np.atleast_1d(value)[0])
