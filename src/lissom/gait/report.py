"""The report of a walk: numbers, curves over the cycle, and how like they are to those of references."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lissom.errors import InputError, suggest
from lissom.formats.tables import save_csv
from lissom.gait.curves import GRID, KINDS, GaitCurves, Likeness, likeness
from lissom.gait.measures import Measure
from lissom.gait.samples import GaitSamples
from lissom.later import cached_property
from lissom.listing import Listing
from lissom.markup import Markup, paragraphs
from lissom.spatial.rotations import Array


def _cells(found: Likeness | None) -> tuple[str, str]:
    """RMSE and correlation as text."""
    return ("-", "-") if found is None else (f"{found.rmse:.3g}", f"{found.r:.2f}")


@dataclass(frozen=True, eq=False, repr=False)
class GaitReport:
    """What a walk is like: numbers and curves over the cycle, beside references. See `gait_report`.

    Attributes
    ----------
    name : str                       whose walk
    samples : GaitSamples            whole cycles of the motion
    right, left : GaitCurves         curves over the cycle of each leg, from its heel strike
    measures : tuple of Measure      numbers: step length, cadence, peaks of forces ...; `report["step_length_right"]`
    references : tuple of GaitCurves
    notes : tuple of str

    Examples
    --------
    A report of a predicted walk beside a measured one::

        report = ls.gait_report(motion, reference=("walk_IK.mot", "walk_grf.mot"))
        print(report)
        report["cadence"], report.likeness["walk_IK.mot"]["knee"].rmse
        ls.plot(report)
        ls.write_report(report, "walk.html")
    """

    name: str
    samples: GaitSamples
    right: GaitCurves
    left: GaitCurves
    measures: tuple[Measure, ...]
    references: tuple[GaitCurves, ...] = ()
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        """Return a number by its name."""
        for measure in self.measures:
            if measure.name == name:
                return measure.value
        raise InputError(f"gait report: there is no number {name!r}; {suggest(name, self.names)}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all numbers."""
        return tuple(measure.name for measure in self.measures)

    @property
    def curves(self) -> Mapping[str, Array]:
        """{name: (101,)} curves of the right leg over 0 to 100 % of its cycle."""
        return self.right.curves

    @cached_property
    def likeness(self) -> dict[str, dict[str, Likeness]]:
        """{reference: {curve: RMSE and Pearson's correlation}} of the right leg."""
        return {reference.name: likeness(self.right, reference) for reference in self.references}

    def listing(self) -> Listing:
        """Return a table of the numbers."""
        rows = ((one.title, f"{one.value:.3g}", one.unit) for one in self.measures)
        return Listing.of(("", "value", "unit"), rows)

    def comparison(self) -> Listing:
        """Return a table with RMSE and correlation of every curve, for each reference."""
        heads = ["curve", "unit"]
        for reference in self.references:
            heads += [f"{reference.name}: RMSE", "r"]
        known = [name for name in self.right.curves if any(name in found for found in self.likeness.values())]
        return Listing.of(heads, (self._compared(name) for name in known))

    def _compared(self, name: str) -> Iterable[str]:
        yield KINDS[name].title
        yield KINDS[name].unit
        for reference in self.references:
            yield from _cells(self.likeness[reference.name].get(name))

    def beside_others(self) -> Listing:
        """Return a table of how like this walk and all further references are to the first reference."""
        if len(self.references) < 2:
            raise InputError("gait report: expected at least two references, a measured walk and other predictions.")
        first, *others = self.references
        walks = [self.right, *others]
        found = [likeness(one, first) for one in walks]
        heads = ["curve", "unit", *(head for one in walks for head in (f"{one.name}: RMSE", "r"))]
        known = [name for name in self.right.curves if name in first.curves]
        rows = ((KINDS[name].title, KINDS[name].unit, *(cell for like in found for cell in _cells(like.get(name))))
                for name in known)  # fmt: skip
        return Listing.of(heads, rows, f"against {first.name}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the curves over the cycle as CSV: percent, then ``right.hip`` ..., ``left.hip`` ..., references."""
        target = Path(path)
        if target.suffix.lower() != ".csv":
            raise InputError(f"{target}: curves of a walk are written as .csv; choose such a name.")
        columns = {"percent": GRID}
        for label, curves in [("right", self.right), ("left", self.left), *((r.name, r) for r in self.references)]:
            columns |= {f"{label}.{name}": y for name, y in curves.curves.items()}
        save_csv(target, columns)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write a self-contained page (.html): numbers, curves, likeness, the person in motion."""
        import lissom  # pages are made of results, so this one is looked up when it is asked for

        return lissom.write_report(self, path)

    def describe(self) -> str:
        """Return numbers and likeness as text."""
        compared = ["", *self.comparison().lines()] if self.references else []
        notes = (f"note: {note}" for note in self.notes)
        return "\n".join([repr(self).strip("<>"), *self.listing().lines(), *compared, *notes])

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> Markup:
        compared = self.comparison().html() if self.references else Markup("")
        return Markup(repr(self).strip("<>") + self.listing().html() + compared + paragraphs(self.notes))

    def __repr__(self) -> str:
        pace = f"{self['speed']:.3g} m/s, {self['cadence']:.3g} steps per minute, stance {self['stance']:.3g} %"
        return f"<GaitReport of {self.name!r}: {pace}>"
