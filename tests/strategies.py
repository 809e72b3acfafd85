"""Random arms for Hypothesis: every feature of the model, awkward numbers, special geometry on purpose.

Hypothesis chooses what an arm is made of, and shrinks that; the numbers come from a seeded generator, so that a large
arm costs few draws. `arms` makes trees of everything, `rigid_arms` trees without elasticity, `serial_arms` chains,
`states` positions, rates and accelerations of an arm.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from hypothesis import HealthCheck, Phase, settings, strategies as st

import lissom as ls
from lissom.errors import CONTROL
from lissom.model.flexibility import FLEXIBILITIES

# How a joint's axis lies to the axis before it. "nearly" kinds are off by 1e-12 to 1e-3 rad.
GEOMETRIES = ("generic", "quarter", "parallel", "coincident", "intersecting", "perpendicular")
NEAR_GEOMETRIES = ("nearly_parallel", "nearly_quarter")
LIMITS = ("position", "velocity", "acceleration", "jerk", "torque", "torque_rate", "power")
ODD_NAMES = (
    "elbow", "joint 2", "ärmel", "手首", "🤖", "a.b", 'quo"te', "it's", "back\\slash", "x = 1", "[links]", "#3",
    "\u00e9", "e\u0301", "null", "base", "two  spaces", "1e400", "'''", "ﬀ", "İ", "-", "a@base", "<a&b>",
)  # fmt: skip
JOINT_FEATURES = ("armature", "gear", "damping", "friction", "spring", "passive", "limits", "elastic", "named", "mimic")
LINK_FEATURES = ("frame", "point_mass", "massless", "payload", "tools", "shapes", "beam", "modes")
ARM_FEATURES = ("gravity", "weightless", "loops", "loads", "flexibility", "kinematics_only")


MORE = float(os.environ.get("LISSOM_EXAMPLES", "0.25"))  # of all examples; 1 or more for a long run


def calm(examples: int) -> settings:
    """The profile of all property tests: the same examples on every machine, no clock; a part of them by default."""
    examples = max(round(MORE * examples), 4)
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    phases = (Phase.explicit, Phase.generate, Phase.shrink)
    return settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=quiet,
        phases=phases,
    )  # fmt: skip


class State(NamedTuple):
    """Positions, rates and accelerations of an arm, each (..., dof)."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


# ---- numbers -------------------------------------------------------------------------------------------------------


class Numbers:
    """A seeded source of the numbers in an arm."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def some(self, low: float, high: float, size: Any = None) -> Any:
        return self.rng.uniform(low, high, size)

    def sign(self) -> float:
        return float(self.rng.choice([-1.0, 1.0]))

    def positive(self, middle: float = 1.0) -> float:
        """Within a factor of thirty of `middle`."""
        return float(middle * np.exp(self.some(-3.4, 3.4)))

    def odd(self) -> float:
        """Numbers that are hard to write down, for fields that physics leaves free."""
        special = (0.0, -0.0, 5e-324, -1e-310, 1e-7, 0.1, 1 / 3, -1e15, 123456789012345680.0, 9.999e29, np.pi, 7.0)
        return float(self.rng.choice(special)) if self.rng.random() < 0.5 else float(self.rng.normal() * 3.7)

    def tiny(self) -> float:
        """An angle or length that is nearly nothing."""
        return self.sign() * 10.0 ** self.some(-12.0, -3.0)

    def vector(self, spread: float) -> np.ndarray:
        """Three numbers, now and then with zeros or almost zeros among them."""
        v = self.some(-spread, spread, 3)
        v[self.rng.random(3) < 0.15] = 0.0
        if self.rng.random() < 0.1:
            v[self.rng.integers(3)] = self.tiny()
        return v

    def direction(self) -> np.ndarray:
        v = self.rng.normal(size=3)
        return v / np.linalg.norm(v)

    def rotation(self) -> np.ndarray:
        return rotation(self.direction(), self.some(-np.pi, np.pi))

    def quarter_turns(self) -> np.ndarray:
        """A rotation made of exact zeros and ones."""
        R = np.eye(3)[self.rng.permutation(3)] * self.rng.choice([-1.0, 1.0], 3)[:, None]
        return R * np.linalg.det(R).round()

    def any_rotation(self) -> np.ndarray:
        """Generic, none, exact quarter turns, or almost one of these."""
        kind = self.rng.integers(6)
        R = self.rotation() if kind < 2 else np.eye(3) if kind == 2 else self.quarter_turns()
        return R @ rotation(self.direction(), self.tiny()) if kind == 5 else R

    def pose(self, spread: float = 0.4) -> np.ndarray:
        return pose(self.any_rotation(), self.vector(spread))

    def body(self) -> dict[str, Any]:
        """Mass, com and inertia of a few point masses, so that they are physical."""
        m = self.some(0.05, 1.5, int(self.rng.integers(4, 8)))
        r = self.vector(0.3) + self.some(-0.2, 0.2, (m.size, 3))
        com = m @ r / m.sum()
        return {"mass": float(m.sum()), "com": com, "inertia": point_inertia(m, r - com)}


def pose(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + 2.0 * np.sin(angle / 2) ** 2 * (K @ K)


def point_inertia(m: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Inertia tensor of masses m (n,) at r (n, 3) about the origin."""
    moment = np.einsum("i,ij,ij", m, r, r) * np.eye(3) - np.einsum("i,ij,ik->jk", m, r, r)
    return (moment + moment.T) / 2


# ---- parts of an arm -----------------------------------------------------------------------------------------------


def _names(count: int) -> st.SearchStrategy[list[str]]:
    printable = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=6)
    odd = st.one_of(st.sampled_from(ODD_NAMES), printable.filter(lambda word: word.isprintable() and "${" not in word))
    return st.lists(odd, min_size=count, max_size=count, unique=True)


def _geometry(pick: Numbers, kind: str, parent: ls.Link | None) -> tuple[np.ndarray, np.ndarray]:
    """Placement and axis of a joint whose axis lies in a given way to its parent's."""
    u, c = np.array([0.0, 0.0, 1.0]), np.zeros(3)  # direction and a point of the parent's axis
    if parent is not None:
        R = parent.frame[:3, :3]
        u, c = R.T @ parent.joint.axis, -R.T @ parent.frame[:3, 3] - parent.tip[:3, 3]
    R, p, axis = pick.any_rotation(), pick.vector(0.5), pick.direction()
    if kind == "quarter":
        R, axis = pick.quarter_turns(), pick.sign() * np.eye(3)[pick.rng.integers(3)]
    if kind in ("parallel", "coincident"):
        axis = pick.sign() * (R.T @ u)
    if kind == "nearly_parallel":
        axis = R.T @ rotation(pick.direction(), pick.tiny()) @ u
    if kind == "nearly_quarter":
        R = pick.quarter_turns() @ rotation(pick.direction(), pick.tiny())
    if kind == "perpendicular":
        axis = R.T @ (np.cross(u, axis) / np.linalg.norm(np.cross(u, axis)))
    if kind in ("coincident", "intersecting"):
        p = c + pick.some(-0.5, 0.5) * u
    return pose(R, p), axis


def _bound(pick: Numbers) -> Any:
    """Symmetric, two-sided or one-sided."""
    a, b = sorted(pick.rng.normal(size=2) * 2.3)
    return [abs(a), (a, b), (a, None), (None, b), (-np.inf, b), 0.0, (b, b)][int(pick.rng.integers(7))]


def _limits(pick: Numbers) -> ls.Limits:
    return ls.Limits(**{word: _bound(pick) for word in LIMITS if pick.rng.random() < 0.6})


def _drive(pick: Numbers, features: frozenset[str], name: str, leaders: list[str]) -> dict[str, Any]:
    """What a moving joint has besides its geometry."""
    has = features.__contains__
    out: dict[str, Any] = {}
    if has("armature") or has("elastic"):
        out["armature"] = pick.positive(0.05)
    if has("gear"):
        out |= {"gear_ratio": pick.sign() * pick.positive(20.0), "rotor_inertia": pick.positive(1e-4)}
    out |= {word: pick.positive() for word in ("damping", "friction") if has(word)}
    if has("spring"):
        out |= {"stiffness": pick.positive(10.0), "rest": pick.odd()}
    if has("passive"):
        out["actuated"] = False
    if has("limits"):
        out["limits"] = _limits(pick)
    if has("elastic"):
        out["elastic"] = ls.JointElasticity(pick.positive(500.0), abs(pick.odd()) if pick.rng.random() < 0.5 else 0.0)
    if has("named"):
        out["name"] = f"joint of {name}"
    if has("mimic") and leaders:
        out["mimic"] = ls.Mimic(str(pick.rng.choice(leaders)), *map(float, pick.some(-2.0, 2.0, 2)))
    return out


def beam(pick: Numbers) -> ls.Beam:
    """Uniform or tapered, in one or two planes, with what such a beam may have."""
    length = float(pick.some(0.2, 1.3))
    inner = np.sort(pick.some(0.05, 0.95, int(pick.rng.integers(0, 4)))) * length
    stations = np.concatenate([[0.0], inner, [length]]) if pick.rng.random() < 0.5 else None

    def section(middle: float) -> Any:
        tapered = stations is not None and pick.rng.random() < 0.7
        return [pick.positive(middle) for _ in stations] if tapered else pick.positive(middle)

    def stiffness(needs_y: bool) -> Any:
        """One number for both planes, or each plane its own number or table."""
        if pick.rng.random() < 0.3:
            return pick.positive(4.0)
        return (section(5.0) if needs_y else None, section(4.0))

    modes = ls.Modes(*(int(n) for n in pick.rng.integers(0, 4, 4)))
    shapes = ("natural", "natural+static", "polynomial", _shape_table(pick, length, modes))[int(pick.rng.integers(4))]
    tip = ("auto", "auto", "free", ls.Tip(0.3, 0.02, float(pick.some(-0.05, 0.05))))[int(pick.rng.integers(4))]
    damping = (0.0, float(pick.some(0.0, 0.05)), pick.some(0.0, 0.05, modes.count), np.zeros(modes.count))
    return ls.Beam(
        length,
        section(0.8),
        EI=stiffness(modes.bending_y > 0),
        GJ=section(2.0) if modes.torsion else None,
        EA=section(1e5) if modes.stretch or pick.rng.random() < 0.3 else None,
        modes=modes,
        damping=damping[int(pick.rng.integers(4))],
        gyration=pick.some(0.005, 0.03, 2) if modes.torsion or pick.rng.random() < 0.5 else None,
        stations=stations,
        third_order=pick.rng.random() < 0.7,
        shapes=shapes,
        tip=tip,
    )


def _shape_table(pick: Numbers, length: float, modes: ls.Modes) -> Any:
    """Powers of the position, mixed; no table where nothing bends."""
    s = np.linspace(0.0, length, 13)
    kinds = {word: (getattr(modes, word), first) for word, first in
             (("bending_z", 2), ("bending_y", 2), ("torsion", 1), ("stretch", 1))}  # fmt: skip
    tables = {
        word: np.column_stack([(s / length) ** (first + k) * pick.positive() for k in range(count)])
        for word, (count, first) in kinds.items()
        if count
    }
    return ls.ShapeTable(s, **tables) if tables else "natural"


def modal_integrals(pick: Numbers) -> ls.ModalIntegrals:
    """Book's integrals of a handful of point masses with invented shapes."""
    m, count = pick.some(0.1, 0.9, 5), int(pick.rng.integers(1, 4))
    h0 = np.column_stack([np.ones(5), pick.some(-0.4, 0.8, (5, 3))])
    phi = np.concatenate([np.zeros((count, 5, 1)), pick.rng.normal(size=(count, 5, 3))], axis=-1)
    Ckl = np.einsum("p,kpi,lpj->klij", m, phi, phi) / 2
    A, B = pick.rng.normal(size=(2, count, count))
    return ls.ModalIntegrals(
        C=np.einsum("p,pi,pj->ij", m, h0, h0) / 2,
        Ck=np.einsum("p,pi,kpj->kij", m, h0, phi) / 2,
        Ckl=(Ckl + np.transpose(Ckl, (1, 0, 3, 2))) / 2,
        K=A @ A.T * 100.0 + np.eye(count),
        D=B @ B.T * (pick.rng.random() < 0.5),
        tip=pick.vector(0.7),
        tip_shift=pick.rng.normal(size=(count, 3)),
        tip_turn=pick.rng.normal(size=(count, 3)),
    )


def _shape(pick: Numbers) -> ls.LinkShape:
    kind, entries = [("mesh", 3), ("box", 3), ("cylinder", 2), ("sphere", 1)][int(pick.rng.integers(4))]
    file = "package://a b/größe.stl" if kind == "mesh" else ""
    size = np.ones(3) if kind == "mesh" and pick.rng.random() < 0.5 else pick.some(0.01, 0.4, entries)
    return ls.LinkShape(kind, size, origin=pick.pose(), file=file, role=str(pick.rng.choice(["visual", "collision"])))


def _link(pick: Numbers, name: str, parent: ls.Link | None, joint: ls.Joint, features: frozenset[str]) -> ls.Link:
    has = features.__contains__
    body = pick.body()
    light_is_fine = joint.reflected_inertia > 0.0 and joint.elastic is None
    if has("massless") and light_is_fine:
        body = {}
    elif has("point_mass") and light_is_fine:
        body["inertia"] = 0.0
    return ls.Link(
        name,
        None if parent is None else parent.name,
        joint,
        **body,
        frame=pick.pose(0.2) if has("frame") else np.eye(4),
        beam=beam(pick) if has("beam") else None,
        modes=modal_integrals(pick) if has("modes") and not has("beam") else None,
        payload=ls.Payload(**pick.body()) if has("payload") else None,
        tools={f"{name}/tool{k}": pick.pose() for k in range(int(pick.rng.integers(1, 3)))} if has("tools") else (),
        shapes=tuple(_shape(pick) for _ in range(2)) if has("shapes") else (),
    )


def _frames(links: list[ls.Link]) -> list[str]:
    return [name for link in links for name in (link.name, *(tool.name for tool in link.tools))]


def _loops(pick: Numbers, links: list[ls.Link]) -> list[ls.Loop]:
    frames = [None, *_frames(links)]

    def ends() -> list[tuple[str | None, np.ndarray]]:
        """On two different frames."""
        places = [pick.vector(0.3) if pick.rng.random() < 0.5 else pick.pose() for _ in range(2)]
        return list(zip([frames[k] for k in pick.rng.permutation(len(frames))[:2]], places, strict=True))

    kinds = ("spherical", "revolute", "fixed", "planar")
    return [ls.Loop(*ends(), kinds[k]) for k in pick.rng.integers(0, 4, int(pick.rng.integers(1, 4)))]


def _loads(pick: Numbers, links: list[ls.Link]) -> list[ls.Load]:
    return [_load(pick, links, str(frame)) for frame in pick.rng.choice(_frames(links), 2)]


def _load(pick: Numbers, links: list[ls.Link], frame: str) -> ls.Load:
    """A load anywhere on a rigid frame, in a section of a beam, at the origin of a link given by integrals."""
    fields = ("force", "moment", "point")
    load = ls.Load(frame, **{f: [pick.odd() for _ in "xyz"] for f in fields if pick.rng.random() < 0.7})
    link = next((link for link in links if link.name == frame and link.mode_labels), None)
    if link is None:
        return load
    if link.beam is None:
        return load.replace(point=np.zeros(3))
    return load.replace(point=[pick.rng.random() * link.beam.length, *load.point[1:]])


# ---- arms ----------------------------------------------------------------------------------------------------------


def _subset(words: tuple[str, ...]) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(words)) if words else st.just(frozenset())


@st.composite
def arms(
    draw: st.DrawFn,
    *,
    max_links: int = 12,
    min_joints: int = 0,
    flexible: bool = True,
    elastic: bool = True,
    serial: bool = False,
    kinds: tuple[str, ...] = ("revolute", "prismatic", "helical", "fixed"),
    geometries: tuple[str, ...] = GEOMETRIES + NEAR_GEOMETRIES,
    arm_features: tuple[str, ...] = ARM_FEATURES,
) -> ls.Arm:
    """Trees of links with everything an `Arm` can have; the keywords take things away."""
    pick = Numbers(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(max(1, min_joints), max_links))
    names = draw(_names(count))
    joint_features = tuple(word for word in JOINT_FEATURES if elastic or word != "elastic")
    link_features = tuple(word for word in LINK_FEATURES if flexible or word not in ("beam", "modes"))
    links: list[ls.Link] = []
    leaders: list[str] = []
    for i, name in enumerate(names):
        above = i - 1 if serial else draw(st.integers(-1, i - 1))
        parent = links[above] if above >= 0 else None
        must_move = min_joints - len(leaders) >= count - i
        kind = draw(st.sampled_from([word for word in kinds if word != "fixed" or not must_move]))
        placement, axis = _geometry(pick, draw(st.sampled_from(geometries)), parent)
        features = draw(_subset(joint_features))
        named = {"name": f"joint of {name}"} if "named" in features else {}
        options = named if kind == "fixed" else _drive(pick, features, name, leaders)
        options |= {"pitch": float(pick.some(-0.5, 0.5))} if kind == "helical" else {}
        joint = ls.Joint(kind, placement, axis, **options)
        links.append(_link(pick, name, parent, joint, draw(_subset(link_features))))
        leaders += [links[-1].joint.name] if joint.moves else []
    return _assemble(draw, pick, links, draw(_subset(arm_features)))


def _assemble(draw: st.DrawFn, pick: Numbers, links: list[ls.Link], features: frozenset[str]) -> ls.Arm:
    has = features.__contains__
    letters = st.characters(exclude_categories=("Cs",), exclude_characters="\0").filter(lambda c: not CONTROL.match(c))
    words = st.text(letters, max_size=12)
    gravity = np.zeros(3) if has("weightless") else pick.vector(20.0) if has("gravity") else (0.0, 0.0, -9.81)
    return ls.Arm(
        draw(st.sampled_from(ODD_NAMES)),
        links,
        gravity=gravity,
        loops=_loops(pick, links) if has("loops") else (),
        loads=_loads(pick, links) if has("loads") else (),
        flexibility=draw(st.sampled_from(FLEXIBILITIES)) if has("flexibility") else "second_order",
        kinematics_only=has("kinematics_only"),
        source=draw(words),
        notes=draw(st.lists(words, max_size=2)),
    )


def rigid_arms(**options: Any) -> st.SearchStrategy[ls.Arm]:
    """Trees without beams, modal integrals or elastic joints."""
    return arms(flexible=False, elastic=False, **options)


def serial_arms(**options: Any) -> st.SearchStrategy[ls.Arm]:
    """Rigid chains with at least one moving joint, as Denavit-Hartenberg tables describe them."""
    features = ("gravity", "weightless")
    return rigid_arms(**{"serial": True, "min_joints": 1, "max_links": 8, "arm_features": features, **options})


@st.composite
def states(draw: st.DrawFn, arm: ls.Arm, batch: tuple[int, ...] = ()) -> State:
    """A state of an arm with its links undeformed; spring deflections of elastic joints are not zero.

    Positions are generic, zero, tiny, or exact quarter turns; rates may be zero.
    """
    pick = Numbers(draw(st.integers(0, 2**32 - 1)))
    shape = (*batch, arm.dof)
    q = pick.some(-3.0, 3.0, shape)
    special = draw(st.sampled_from(["none", "zero", "tiny", "quarter", "mixed"]))
    choices = {"zero": 0.0 * q, "tiny": q * 1e-9, "quarter": np.round(q) * (np.pi / 2)}
    for word, values in choices.items():
        q = np.where(pick.rng.random(shape) < {word: 1.0, "mixed": 0.3}.get(special, 0.0), values, q)
    qd, qdd = pick.some(-2.0, 2.0, shape), pick.some(-5.0, 5.0, shape)
    if draw(st.booleans()):
        qd = qd * (pick.rng.random(shape) < 0.5)
    for i, link in enumerate(arm.links):
        start = int(arm.coordinate_start[i])
        modes = slice(start + link.joint.coordinate_count, start + link.coordinate_count)
        q[..., modes] = qd[..., modes] = qdd[..., modes] = 0.0
        if link.joint.elastic is not None:
            q[..., start + link.joint.coordinate_count - 1] *= 0.1
    return State(q, qd, qdd)
