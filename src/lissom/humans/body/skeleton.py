"""The links of a person: a tree that begins with the pelvis, which moves freely."""

from __future__ import annotations

from collections.abc import Sequence

from lissom.humans.body import bodies, drawing, joints
from lissom.humans.body.build import TRUNK, Build
from lissom.humans.body.joints import SIDES
from lissom.humans.body.soles import grips
from lissom.humans.body.tables import proportion
from lissom.model.joint import Joint
from lissom.model.link import Link, hub_fields
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia

Place = tuple[float, float, float]
HERE: Place = (0.0, 0.0, 0.0)


class Skeleton:
    """Links in the order of their coordinates; `count` joints, see `lissom.human`."""

    def __init__(self, build: Build, count: int):
        self.build, self.count = build, count
        self.planar = count < 31
        self.links: list[Link] = []
        self._chest = 0.0  # height of the last joint of the spine above the hip centres
        self._pelvis()
        last = self._spine()
        for side in SIDES:
            self._leg(side)
            self._arm(side, last)

    def _hang(self, joint: Joint, parent: str | None, name: str | None = None, body: Inertia | None = None) -> str:
        """Add a link on a joint; without a body it is massless and has the name of its joint."""
        word = joint.name if name is None else name
        tools = {place.name: pose(p=place.point) for place in grips(self.build, self.count) if place.link == word}
        shapes = drawing.shapes(self.build, self.count, word)
        fields = {} if body is None else hub_fields(body)
        self.links.append(Link(word, parent=parent, joint=joint, tools=tools, shapes=shapes, **fields))
        return word

    def _chain(self, parent: str, at: Place, kinds: Sequence[str], end: str, name: str, body: Inertia) -> str:
        """Add joints one after another at one place; the last one carries the body. Returns the link's name."""
        for kind in kinds[:-1]:
            parent = self._hang(joints.joint(self.build, kind, kind + end, at), parent)
            at = HERE
        return self._hang(joints.joint(self.build, kinds[-1], kinds[-1] + end, at), parent, name, body)

    def _pelvis(self) -> None:
        words = joints.PLANAR_ROOT if self.planar else tuple(joints.ROOT)
        build = self.build
        body = bodies.upper_body(build, 0.0, TRUNK) if self.count == 13 else bodies.trunk(
            build, TRUNK[:1], 0.0)  # fmt: skip
        parent = None
        for word in words[:-1]:
            parent = self._hang(joints.root_joint(word), parent)
        self._hang(joints.root_joint(words[-1]), parent, "pelvis", body)

    def _spine(self) -> str:
        """Add the spine; returns the link that carries the arms."""
        build = self.build
        heights = [part * build.trunk_length for part in proportion("of_trunk", "spine")]
        if self.count == 13:
            return "pelvis"
        if self.count < 55:
            self._chest = heights[0]
            kinds = ["lumbar_flexion"] if self.planar else ["lumbar_flexion", "lumbar_bend", "lumbar_rotation"]
            body = bodies.upper_body(build, self._chest)
            return self._chain("pelvis", (0.0, 0.0, self._chest), kinds, "", "chest", body)
        parent = "pelvis"
        for k, height in enumerate(heights):
            at = (0.0, 0.0, height - self._chest)
            self._chest = height
            body = bodies.half_trunk(build, TRUNK[1 + k // 2], k % 2 == 1, height)
            parent = self._vertebra(parent, at, k + 1, body)
        self._neck(parent)
        return parent

    def _vertebra(self, parent: str, at: Place, number: int, body: Inertia) -> str:
        """Add flexion, bend and rotation of one part of the spine."""
        for kind in ("flexion", "bend", "rotation"):
            joint = joints.joint(self.build, f"spine_{kind}", f"spine{number}_{kind}", at)
            last = kind == "rotation"
            parent = self._hang(joint, parent, f"spine{number}" if last else None, body if last else None)
            at = HERE
        return parent

    def _neck(self, parent: str) -> None:
        build = self.build
        base = build.trunk_length
        for kind in ("neck_flexion", "neck_bend", "neck_rotation"):
            at = (0.0, 0.0, base - self._chest) if kind == "neck_flexion" else HERE
            parent = self._hang(joints.joint(build, kind, kind, at), parent)
        nod = build.length("nod")
        self._chain(parent, (0.0, 0.0, nod), ("head_flexion", "head_bend"), "", "head", bodies.head(build, base + nod))

    def _leg(self, side: str) -> None:
        build, end = self.build, f"_{side}"
        hip = ("hip_flexion",) if self.planar else ("hip_adduction", "hip_rotation", "hip_flexion")
        ankle = ("ankle_dorsiflexion",) if self.planar else ("ankle_dorsiflexion", "subtalar_inversion")
        y = 0.0 if self.planar else SIDES[side] * build.length("hip")
        thigh, shank = (build.segment(name) for name in ("thigh", "shank"))
        link = self._chain("pelvis", (0.0, y, 0.0), hip, end, f"thigh{end}", bodies.hanging(build, "thigh"))
        link = self._chain(
            link, (0.0, 0.0, -thigh.length), ("knee_flexion",), end, f"shank{end}", bodies.hanging(build, "shank")
        )
        link = self._chain(link, (0.0, 0.0, -shank.length), ankle, end, f"foot{end}", bodies.foot(build))
        axis = (build.along_foot("ball"), 0.0, -build.length("ankle"))
        self._chain(link, axis, ("toe_extension",), end, f"toes{end}", bodies.toes(build))

    def _arm(self, side: str, chest: str) -> None:
        build, end = self.build, f"_{side}"
        y = 0.0 if self.planar else SIDES[side] * build.length("shoulder")
        at = (0.0, y, build.shoulder_height - self._chest)
        if self.count == 13:
            self._chain(chest, at, ("shoulder_flexion",), end, f"arm{end}", bodies.whole_arm(build))
            return
        if self.count == 55:
            sternum = SIDES[side] * build.length("sternum")
            kinds = ("clavicle_elevation", "clavicle_protraction")
            base = (0.0, sternum, at[2])
            chest = self._hang(joints.joint(build, kinds[0], kinds[0] + end, base), chest)
            chest = self._hang(joints.joint(build, kinds[1], kinds[1] + end, HERE), chest)
            at = (0.0, y - sternum, 0.0)
        ball = ("shoulder_adduction", "shoulder_flexion", "shoulder_rotation")
        shoulder = ball[1:2] if self.planar else ball
        link = self._chain(chest, at, shoulder, end, f"upper_arm{end}", bodies.hanging(build, "upper_arm"))
        self._forearm(link, end)

    def _forearm(self, parent: str, end: str) -> None:
        build = self.build
        elbow = (0.0, 0.0, -build.segment("upper_arm").length)
        if self.count < 55:
            self._chain(parent, elbow, ("elbow_flexion",), end, f"forearm{end}", bodies.lower_arm(build))
            return
        kinds = ("elbow_flexion", "forearm_pronation")
        link = self._chain(parent, elbow, kinds, end, f"forearm{end}", bodies.hanging(build, "forearm"))
        wrist = (0.0, 0.0, -build.segment("forearm").length)
        self._chain(link, wrist, ("wrist_flexion", "wrist_deviation"), end, f"hand{end}", bodies.hanging(build, "hand"))
