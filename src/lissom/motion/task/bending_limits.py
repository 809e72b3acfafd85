"""Limits of how far flexible links bend, as a task has them; `bending` makes rows of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lissom.errors import ModelError, about
from lissom.model.fields import array, name, number, rank
from lissom.model.record import Record

QUANTITIES = ("deflection", "strain", "stress")


@dataclass(frozen=True, eq=False)
class BendingLimit(Record):
    """Limits on the deflection, strain or stress of a flexible link, for `Task.bending`.

    Parameters
    ----------
    link : str
    deflection : float or None        of its tip across the link [m], along y and along z each
    strain : float or None            at the root, in the outermost fibres
    stress : float or None            at the root, in the outermost fibres [Pa]
    half_height : float, (y, z) or None     how far these fibres are from the axis, along y and z [m]; strain and
                                      stress need it
    youngs_modulus : float or None    [Pa]; stress needs it

    Examples
    --------
    >>> BendingLimit("link1", deflection=0.02, strain=5e-4, half_height=0.002).half_height
    array([0.002, 0.002])
    """

    link: str
    deflection: Any = None
    strain: Any = None
    stress: Any = None
    half_height: Any = None
    youngs_modulus: Any = None

    def __post_init__(self) -> None:
        with about(f"bending of {self.link!r}"):
            self._set(link=name(self.link, "link"))
            for word in (*QUANTITIES, "youngs_modulus"):
                if getattr(self, word) is not None:
                    self._set(**{word: number(getattr(self, word), word, above=0.0)})
            if self.half_height is not None:
                one = rank(self.half_height) == 0
                pair = [number(self.half_height, "half_height")] * 2 if one else self.half_height
                sides = array(pair, "half_height", (2,))
                if (sides < 0).any() or not sides.any():
                    raise ModelError(f"half_height is {sides.tolist()}; expected distances from the axis above 0.")
                self._set(half_height=sides)
            if all(getattr(self, word) is None for word in QUANTITIES):
                raise ModelError("nothing is limited; give deflection, strain or stress.")
            if self.half_height is None and (self.strain is not None or self.stress is not None):
                raise ModelError("strain and stress need half_height, how far the outermost fibres are from the axis.")
            if self.youngs_modulus is None and self.stress is not None:
                raise ModelError("stress needs youngs_modulus.")
