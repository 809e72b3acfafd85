"""Check that the joint-space inertia determines every acceleration.

Articulated-body inertias from the tips to the base, at one generic posture: the
inertia ``s^T IA s`` that each joint moves must be positive (Featherstone 2008,
chapter 7). One pass, linear in the number of links, nothing recursive.

Where joints follow another one, several move with one coordinate z, which cannot be
eliminated at any one of them. The recursion then carries the quadratic form of the
inertia over the six components of the motion and over every such z, until all joints
of the coordinate are passed; there z is eliminated like the others. Its size is six plus
the number of coordinates whose joints lie on both sides of a link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom.errors import ModelError
from lissom.model.link import Link
from lissom.model.mimic import Mimic
from lissom.spatial.rotations import Array, skew

# A joint's articulated inertia that is this small a part of its composite one is rounding of an exact zero.
ROUNDING = 1e-12
MOST_NAMED = 12


class _Inertia(NamedTuple):
    """Inertia of a branch as quadratic forms over a motion (6) and coordinates that move several of its joints.

    articulated : the other joints of the branch are free
    composite : they are locked
    passed : how many joints of each such coordinate are in the branch, in the order of the forms
    """

    articulated: Array
    composite: Array
    passed: Mapping[str, int] = MappingProxyType({})

    def in_frame(self, X: Array) -> _Inertia:
        """Return this inertia in the frame in which its own frame has pose X."""
        A = np.eye(6 + len(self.passed))
        A[:6, :6] = _velocity_transform(X)
        return self._replace(articulated=A.T @ self.articulated @ A, composite=A.T @ self.composite @ A)

    def over(self, passed: Mapping[str, int]) -> _Inertia:
        """Return this inertia over the coordinates of `passed`; it does not depend on new ones."""
        if list(passed) == list(self.passed):
            return self._replace(passed=passed)
        place = [*range(6), *(6 + k for k, name in enumerate(passed) if name in self.passed)]
        forms = np.zeros((2, 6 + len(passed), 6 + len(passed)))
        for wide, form in zip(forms, self[:2], strict=True):
            wide[np.ix_(place, place)] = form
        return _Inertia(forms[0], forms[1], passed)

    def plus(self, other: _Inertia) -> _Inertia:
        """Return the inertia of two branches on one body."""
        passed = _sum(self.passed, other.passed)
        one, two = self.over(passed), other.over(passed)
        return _Inertia(one.articulated + two.articulated, one.composite + two.composite, passed)

    def coupled(self, screw: Array, name: str, armature: float) -> _Inertia:
        """Return this inertia beyond a joint that moves by `screw` per unit of the coordinate `name`."""
        wide = self.over(_sum(self.passed, {name: 1}))
        at = wide.place(name)
        J = np.eye(len(wide.articulated))
        J[:6, at] = screw
        forms = [J.T @ form @ J for form in wide[:2]]
        for form in forms:
            form[at, at] += armature
        return _Inertia(forms[0], forms[1], wide.passed)

    def place(self, name: str) -> int:
        """Return the index of a coordinate in the quadratic forms."""
        return 6 + list(self.passed).index(name)

    def without(self, name: str) -> _Inertia:
        """Return this inertia without a coordinate that has no further effect."""
        rest = [k for k in range(len(self.articulated)) if k != self.place(name)]
        passed = {word: count for word, count in self.passed.items() if word != name}
        block = np.ix_(rest, rest)
        return _Inertia(self.articulated[block], self.composite[block], passed)


def _sum(one: Mapping[str, int], two: Mapping[str, int]) -> Mapping[str, int]:
    """Return the counts of two branches in the alphabetical order of their coordinates."""
    if not two:
        return one
    return {name: one.get(name, 0) + two.get(name, 0) for name in sorted({*one, *two})}


def refuse_singular_inertia(
    links: Sequence[Link], parent: NDArray[np.intp], mimics: Mapping[str, Mimic] = MappingProxyType({})
) -> None:
    """Raise `ModelError` naming the joints that move nothing, the first from the tips in full.

    `mimics` are joints that follow others (see `Arm.mimics`). Inertias taken as written may be negative: then only
    what is next to nothing is refused.
    """
    found = _Pass(links, parent, mimics).singular()
    if found:
        _raise_all(found)


class _Pass:
    """A pass over the links from the tips to the base, which collects singular joints.

    at : positions of the joints of links
    members : how many joints move with each coordinate that moves several
    found : joints that move no inertia, with their errors
    """

    def __init__(self, links: Sequence[Link], parent: NDArray[np.intp], mimics: Mapping[str, Mimic]):
        self.links, self.parent, self.mimics = links, parent, mimics
        self.signed = any(link.as_written for link in links)
        self.at = [_generic_position(i) for i in range(len(links))]
        index = {link.joint.name: i for i, link in enumerate(links) if mimics and link.joint.moves}
        for name, mimic in mimics.items():
            self.at[index[name]] = mimic.multiplier * self.at[index[mimic.joint]] + mimic.offset
        self.followed = {mimic.joint: links[index[mimic.joint]] for mimic in mimics.values()}
        self.members = Counter([*self.followed, *(mimic.joint for mimic in mimics.values())])
        self.found: list[tuple[str, ModelError]] = []

    def singular(self) -> list[tuple[str, ModelError]]:
        """Pass all links and return the joints that move nothing."""
        outboard: dict[int, _Inertia] = {}  # of what links carry; -1 is the base
        for i in range(len(self.links) - 1, -1, -1):
            link, above = self.links[i], int(self.parent[i])
            rigid = link.body.spatial()
            inertia = _Inertia(rigid, rigid)
            if i in outboard:
                inertia = self._closed(inertia.plus(outboard.pop(i)))
            inertia = self._through_joint(link, inertia.in_frame(link.frame))
            placed = link.joint.placement @ link.joint.transform(self.at[i])
            if above >= 0:
                placed = self.links[above].attachment(link.joint.at) @ placed
            inertia = inertia.in_frame(placed)
            outboard[above] = outboard[above].plus(inertia) if above in outboard else inertia
        self._closed(outboard[-1])
        return self.found

    def _through_joint(self, link: Link, inertia: _Inertia) -> _Inertia:
        """Return the inertia that the fixed side of a joint carries."""
        joint = link.joint
        if not joint.moves:
            return inertia
        s = np.zeros(6 + len(inertia.passed))
        (s[:6],) = joint.mechanism.directions(joint.axis)
        if joint.elastic is not None:  # the spring side first, without the motor's inertia
            inertia = self._eliminated(link, s, inertia)
        mimic = self.mimics.get(joint.name)
        name = joint.name if mimic is None else mimic.joint
        if name not in self.members:
            return self._eliminated(link, s, inertia, joint.reflected_inertia)
        per_unit = 1.0 if mimic is None else mimic.multiplier
        return self._closed(inertia.coupled(per_unit * s[:6], name, per_unit**2 * joint.reflected_inertia))

    def _closed(self, inertia: _Inertia) -> _Inertia:
        """Return an inertia without the coordinates all of whose joints are in the branch."""
        for name in [name for name, count in inertia.passed.items() if count == self.members[name]]:
            s = np.zeros(len(inertia.articulated))
            s[inertia.place(name)] = 1.0
            inertia = self._eliminated(self.followed[name], s, inertia).without(name)
        return inertia

    def _eliminated(self, link: Link, s: Array, inertia: _Inertia, armature: float = 0.0) -> _Inertia:
        """Return an inertia with the motion `s` of a joint free; a joint that moves no inertia is recorded."""
        U = inertia.articulated @ s
        free, locked = float(s @ U) + armature, float(s @ inertia.composite @ s)
        if ROUNDING * (abs(locked) if self.signed else locked) >= (abs(free) if self.signed else free):
            self.found.append((link.joint.name, ModelError(_undetermined(link, locked), f"link {link.name!r}")))
            return inertia
        return inertia._replace(articulated=inertia.articulated - np.outer(U, U) / free)


def _raise_all(found: list[tuple[str, ModelError]]) -> NoReturn:
    (_, first), *others = found
    if not others:
        raise first
    named = ", ".join(repr(joint) for joint, _ in others[:MOST_NAMED]) + (", ..." if len(others) > MOST_NAMED else "")
    count = f"{len(others)} more joint{'s' if len(others) > 1 else ''}"
    raise ModelError(f"{first.problem} The same holds for {count}: {named}.", first.subject)


def _undetermined(link: Link, locked: float) -> str:
    own = "the link mass and inertia"
    if link.beam is not None:
        own = "its beam gyration=(r_y, r_z), or the link a hub"
    return (
        f"its joint {link.joint.name!r} moves no inertia, so its acceleration is undetermined: "
        f"{_why(link, locked)}. Give {own}, give the joint armature, make the "
        "joint fixed, or set kinematics_only=True."
    )


def _why(link: Link, locked: float) -> str:
    if locked > 0.0:
        return "everything it carries is on another joint with the same axis, which can move against it"
    if link.body.mass > 0.0 and not link.joint.travel:
        return f"its mass of {link.body.mass:g} kg lies on the joint's axis and has no moment of inertia about it"
    return "neither the link nor anything it carries has mass"


def _generic_position(i: int) -> float:
    """A position of joint i without special angles (golden-ratio sequence)."""
    return float(0.3 + (0.6180339887498949 * (i + 1)) % 1.0)


def _velocity_transform(X: Array) -> Array:
    """6x6: the velocity of a body in the frame where its own has pose X -> the same in its own."""
    R = X[:3, :3]
    A = np.zeros((6, 6))
    A[:3, :3] = A[3:, 3:] = R.T
    A[3:, :3] = -R.T @ skew(X[:3, 3])
    return A
