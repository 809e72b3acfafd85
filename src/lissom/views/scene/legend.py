"""The legend of a scene: which colours, arrows and lines are in the picture, and what they stand for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from lissom.markup import Markup, tag
from lissom.views.figures.palette import COLOURS, FLEXIBLE, TRIAD
from lissom.views.scene.contacts import PRINTS, WALL
from lissom.views.scene.scene import ARROWS, CONTACT, LOOP, MASS, PASSIVE, Colour, Scene, joint_colour, rgb
from lissom.views.scene.surroundings import OBSTACLE, VIA

TRAIL, GHOST = rgb(COLOURS[1]), (123, 142, 163)
GROUPS = {"obstacle": (OBSTACLE, "obstacle"), "via": (VIA, "via point"), "payload": (MASS, "payload"),
          "loop": (LOOP, "closure of a loop"), "wall": (WALL, "wall")}  # fmt: skip
MARKS = {"solid": "■", "arrow": "➜", "line": "━", "ghost": "■"}


class Entry(NamedTuple):
    """One mark and its label."""

    kind: Literal["solid", "arrow", "line", "ghost"]
    colour: Colour
    label: str


def legend(scene: Scene, arrows: Iterable[str], trail: bool) -> Iterable[Entry]:
    """Return the entries for a scene with these kinds of arrows, with or without the path of the tip."""
    drawn = {solid.name.split("/")[0] for solid in scene.solids}
    colours = {solid.colour for solid in scene.solids if solid.name.startswith("joint/")}
    yield from (Entry("solid", colour, label) for colour, label in _joints(scene) if colour in colours)
    if any(skin.kind == "beam" and skin.colour == rgb(FLEXIBLE) for skin in scene.skins):
        yield Entry("solid", rgb(FLEXIBLE), "flexible link")
    yield from (Entry("solid", rgb(c), label) for group, (c, label) in GROUPS.items() if group in drawn)
    for side in ("right", "left"):
        if any(solid.name.startswith(f"print/{side}/") for solid in scene.solids):
            yield Entry("solid", rgb(PRINTS[side]), f"print of the {side} foot")
    for kind in arrows:
        yield Entry("arrow", rgb(ARROWS[kind]), _stands_for(kind, scene.peaks, scene.size))
    if trail:
        yield Entry("line", TRAIL, "path of the tip")
    if scene.goal is not None:
        yield Entry("ghost", GHOST, "goal")


def _joints(scene: Scene) -> Iterable[tuple[Colour, str]]:
    """Colours of the joints of an arm, and what they stand for."""
    driven = {link.joint.kind: link.joint for link in scene.arm.links if link.joint.moves and link.joint.actuated}
    yield from ((joint_colour(driven[kind]), f"{kind} joint") for kind in sorted(driven, reverse=True))
    yield rgb(PASSIVE), "joint without a motor"


def _stands_for(kind: str, peaks: dict[str, float], size: float) -> str:
    """What an arrow is, and what the longest of its kind stands for."""
    if kind == "contact":
        return f"contact force (the weight of {peaks[kind]:.4g} N would be {CONTACT * size:.2g} m long)"
    known = {"force": "N", "moment": "N m", "torque": "N m", "push": "N"}
    names = {"force": "force", "moment": "moment", "torque": "motor torque", "gravity": "gravity"}
    parts = [f"{peaks[k]:.3g} {known[k]}" for k in ((kind, "push") if kind == "torque" else (kind,))
             if k in known and peaks.get(k, 0.0) > 0]  # fmt: skip
    return names[kind] + (f" (longest arrow: {' or '.join(parts)})" if parts else "")


def legend_html(entries: Iterable[Entry], axes: bool = True) -> Markup:
    """Return a list in HTML, with the axes of the tip as its last entry where they are drawn."""
    rows = [_row([(MARKS[one.kind], one.colour)], one.label, faint=one.kind == "ghost") for one in entries]
    if axes:
        rows.append(_row(list(zip("xyz", map(rgb, TRIAD), strict=True)), "axes of the tip"))
    return tag("div", *rows, style="padding: 0 0.8em 0.5em; font-size: 0.85em; line-height: 1.6")


def _row(marks: list[tuple[str, Colour]], label: str, faint: bool = False) -> Markup:
    look = "font-weight: bold; opacity: " + ("0.5" if faint else "1")
    spans = [tag("span", mark, style=f"color: rgb{colour}; {look}") for mark, colour in marks]
    first = tag("span", *spans, style="display: inline-block; width: 2.4em")
    return tag("div", first, label)
