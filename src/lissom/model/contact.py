"""Points of an arm that may touch its surroundings, and the mirror image of a symmetric arm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import ModelError, about, shown, suggest
from lissom.model.fields import at_least_zero, name, number, unit_vector, vector
from lissom.model.record import Record
from lissom.spatial.rotations import Array

PAIRS = ("coordinates", "links", "contacts")


@dataclass(frozen=True, eq=False)
class Contact(Record):
    """A point of a link that may touch a plane: the ground, or a wall.

    Parameters
    ----------
    name : str
    link : str          a link's or tool's name
    point : (3,)        in that frame's axes [m]
    friction : float    Coulomb coefficient between point and plane
    normal : (3,)       of the plane, world axes; it points to the side on which the arm is
    height : float      of the plane along its normal: it holds the places x with normal . x = height [m]

    Examples
    --------
    >>> Contact("heel", "foot", point=(-0.05, 0, -0.07)).normal
    array([0., 0., 1.])
    """

    name: str
    link: str
    point: Any = (0.0, 0.0, 0.0)
    friction: Any = 0.8
    normal: Any = (0.0, 0.0, 1.0)
    height: Any = 0.0

    def __post_init__(self) -> None:
        self._set(name=name(self.name, "name of a contact"))
        with about(f"contact {self.name!r}"):
            self._check(link=name, point=vector, friction=at_least_zero, normal=unit_vector, height=number)


class MirrorImage(NamedTuple):
    """A mirror image of arrays: q'[k] = sign[k] q[order[k]], of forces F'[i] = S F[contacts[i]].

    order, sign : (n,)       of coordinates
    contacts : list of int   partners
    S : (3, 3)               reflects vectors
    """

    order: NDArray[np.intp]
    sign: Array
    contacts: list[int]
    S: Array

    def __call__(self, q: Array) -> Array:
        """Return mirror images (..., n) of postures, rates or torques."""
        return np.asarray(self.sign * q[..., self.order])


@dataclass(frozen=True, eq=False)
class Mirror(Record):
    """The mirror image of a symmetric arm: which coordinates, links and contacts trade places, and with which signs.

    A posture q has the mirror image q'[k] = sign[k] q[partner of k]. Names that are in no pair are their own partners.

    Parameters
    ----------
    coordinates : mapping name -> name     pairs of coordinates, each once
    signs : mapping name -> 1 or -1        of coordinates whose sign changes; of a pair, that of either holds for both
    links : mapping name -> name           pairs of links
    contacts : mapping name -> name        pairs of contacts
    normal : (3,)                          of the mirror plane through the world's origin; y: left and right of an arm
                                           that faces x

    Examples
    --------
    >>> mirror = Mirror({"hip_right": "hip_left"}, signs={"roll": -1})
    >>> mirror.partner("coordinates", "hip_left"), mirror.sign("roll")
    ('hip_right', -1.0)
    """

    coordinates: Any = ()
    signs: Any = ()
    links: Any = ()
    contacts: Any = ()
    normal: Any = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        with about("mirror"):
            self._set(**{word: _pairs(getattr(self, word), word) for word in PAIRS})
            self._set(normal=unit_vector(self.normal, "normal"))
            self._set(signs=self._signs())

    def _signs(self) -> tuple[tuple[str, float], ...]:
        found: dict[str, float] = {}
        for word, value in _items(self.signs, "signs"):
            sign = number(value, f"sign of {word!r}")
            if sign not in (1.0, -1.0):
                raise ModelError(f"sign of {word!r} is {sign:g}; expected 1 or -1.")
            for one in (name(word, "a name in signs"), self.partner("coordinates", word)):
                if found.setdefault(one, sign) != sign:
                    raise ModelError(
                        f"signs of {word!r} and its partner {self.partner('coordinates', word)!r} differ, so two "
                        "reflections would not give back the posture; give both the same sign."
                    )
        return tuple(sorted((word, sign) for word, sign in found.items() if sign < 0))

    def partner(self, kind: str, word: str) -> str:
        """Return the name with which another trades places; `kind`: "coordinates", "links" or "contacts"."""
        for a, b in getattr(self, kind):
            if word in (a, b):
                return str(b if word == a else a)
        return word

    def sign(self, coordinate: str) -> float:
        """Return the sign with which a coordinate appears in the mirror image."""
        return dict(self.signs).get(coordinate, 1.0)

    def image(self, coordinates: Sequence[str], contacts: Sequence[str]) -> MirrorImage:
        """Return the mirror image as arrays, for coordinates and contacts in some order; both have their partners."""
        order = [list(coordinates).index(self.partner("coordinates", word)) for word in coordinates]
        partners = [list(contacts).index(self.partner("contacts", word)) for word in contacts]
        sign, n = [self.sign(word) for word in coordinates], np.asarray(self.normal)
        return MirrorImage(np.array(order, np.intp), np.array(sign), partners, np.eye(3) - 2 * np.outer(n, n))

    def renamed(self, kind: str, before: str, after: str) -> Mirror:
        """Return the same mirror after a coordinate, link or contact got another name."""
        pairs = [[after if word == before else word for word in pair] for pair in getattr(self, kind)]
        signs = [(after if word == before and kind == "coordinates" else word, sign) for word, sign in self.signs]
        return self.replace(**{kind: {a: b for a, b in pairs}, "signs": dict(signs)})  # noqa: C416

    def named(self, kind: str) -> list[str]:
        """Return all names of a kind that the mirror has."""
        more = [word for word, _ in self.signs] if kind == "coordinates" else []
        return [word for pair in getattr(self, kind) for word in pair] + more


def refuse_wrong_contacts(
    contacts: Iterable[Contact], mirror: Mirror | None, frames: Iterable[str], coordinates: Iterable[str]
) -> None:
    """Raise an error for contacts on links that do not exist, names used twice, and a mirror of what does not exist."""
    contacts, frames = list(contacts), list(frames)
    names = [contact.name for contact in contacts]
    for contact in contacts:
        subject = f"contact {contact.name!r}"
        if names.count(contact.name) > 1:
            raise ModelError("the name is used twice; contacts need unique names.", subject)
        if contact.link not in frames:
            raise ModelError(f"there is no link or tool {contact.link!r}; {suggest(contact.link, frames)}", subject)
    if mirror is None:
        return
    for kind, known in zip(PAIRS, (list(coordinates), frames, names), strict=True):
        for word in mirror.named(kind):
            if word not in known:
                raise ModelError(f"{kind} has {word!r}, which does not exist; {suggest(word, known)}", "mirror")


def _pairs(value: Any, what: str) -> tuple[tuple[str, str], ...]:
    """Pairs of names, from a mapping or from pairs, each pair once; a name may be its own partner."""
    seen: dict[str, str] = {}
    for a, b in _items(value, what):
        for one, other in ((name(a, f"a name in {what}"), b), (name(b, f"a name in {what}"), a)):
            if seen.setdefault(one, other) != other:
                raise ModelError(
                    f"{what} pairs {one!r} with {seen[one]!r} and with {other!r}; each name has one partner."
                )
    return tuple(sorted({(min(a, b), max(a, b)) for a, b in seen.items() if a != b}))


def _items(value: Any, what: str) -> list[tuple[Any, Any]]:
    try:
        return [(a, b) for a, b in (value.items() if isinstance(value, Mapping) else value)]
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {shown(value)}; expected a mapping of names.") from None
