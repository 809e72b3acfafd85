"""Colours of figures: Okabe and Ito's, distinct for every kind of colour vision, on a light and on a dark ground."""

from __future__ import annotations

from typing import NamedTuple

# yellow, the eighth of Okabe and Ito, cannot be read on white; grey stands in its place
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c8c8c")
LINK, FLEXIBLE = "#56606b", "#009e73"
RESTING = "#b4bac1"
TRIAD = ("#d62728", "#2ca02c", "#1f5fd6")  # x, y, z: red, green, blue, as in robotics


class Palette(NamedTuple):
    """Colours on one ground.

    curves : of lines, in this order
    link, flexible, resting : of an arm: rigid links, flexible links, poses that it does not have now
    ink, muted : of text, and of text and lines that should step back
    beyond : of regions beyond a limit
    grid : of grid lines
    ground : of the figure
    triad : of x, y and z axes
    """

    curves: tuple[str, ...]
    link: str
    flexible: str
    resting: str
    ink: str
    muted: str
    beyond: str
    grid: str
    ground: str
    triad: tuple[str, str, str]


LIGHT = Palette(
    COLOURS[:7], LINK, FLEXIBLE, RESTING, "#1f2328", "#6b737c", "#f3e3e0", "#e4e7ea", "#ffffff", TRIAD
)  # fmt: skip
DARK = Palette(  # the same hues, lighter
    ("#4ba3e3", "#f58a4b", "#2fc79b", "#e59cc6", "#f2b544", "#a6dcff", "#f0f2f4"),
    "#a9b3bd", "#2fc79b", "#5d6771", "#e6e9ec", "#9aa4ae", "#47302e", "#363c43", "#16191d",
    ("#ff6b63", "#57c957", "#6ea3ff"),
)  # fmt: skip


def palette() -> Palette:
    """Return the colours for the background that matplotlib's settings have now."""
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(rcParams["axes.facecolor"])
    return DARK if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else LIGHT


def curve_colour(k: int) -> str:
    """Return the colour of curve k; colours repeat after the seventh."""
    curves = palette().curves
    return curves[k % len(curves)]


def themed(colour: str) -> str:
    """Return one of `COLOURS` as it is on the background that matplotlib's settings have now; others as they are."""
    return dict(zip(LIGHT.curves, palette().curves, strict=True)).get(colour, colour)
