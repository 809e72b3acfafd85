"""What kinds of figures need, so that those that cannot be drawn are refused before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.studies.plan.description import AbstractStudy
from lissom.studies.rows.single import evaluated, outcome
from lissom.studies.statistics import FEWEST


def check_needs(kind: str | None, arm: Arm, compared: bool, tracked: bool = False, excites: bool = False) -> None:
    """Raise an error where a motion of an arm has not what a kind of figure shows."""
    if kind == "information" and not excites:
        raise InputError("plot: kind 'information' needs a motion of lissom.excite, or of the command excite.")
    if kind == "deflection" and not arm.flexible:
        raise InputError(f"plot: arm {arm.name!r} has no flexible links, so there is no deflection to plot.")
    if kind == "residual" and not compared:
        raise InputError(
            "plot: kind 'residual' needs a comparison; use predict_motion(..., compare=True), or --compare."
        )
    if kind == "path" and not tracked:
        raise InputError("plot: kind 'path' needs a motion whose frame follows a path; use track_motion.")


def check_study_needs(kind: str | None, study: AbstractStudy) -> None:
    """Raise an error where no result of a study can have what a kind of figure shows.

    How many numbers a single output becomes is known from its first row, which is evaluated for a Pareto front.
    """
    if kind == "map":
        refuse_map(study.values(np.zeros(1, np.int64)).values())
    if kind == "sensitivity" and study.rows < FEWEST:
        raise InputError(f"plot: kind 'sensitivity' needs {FEWEST} rows at least; this study has {study.rows}.")
    if kind == "pareto" and len(study.outputs) == 1:
        try:
            first = outcome(study, evaluated(study, study.case(0)))
        except InputError:
            raise
        except Exception:  # a row may fail in any way; the sweep records it
            return
        refuse_pareto(first.columns)


def refuse_map(parameters: Iterable[Any]) -> None:
    """Raise an error where the first two parameters, arrays, are not the axes of a map."""
    if [x.dtype.kind in "if" for x in parameters][:2] != [True, True]:
        raise InputError("plot: a map needs two numeric parameters; choose another kind.")


def refuse_pareto(outputs: Iterable[str]) -> None:
    """Raise an error where there is one output only, by its columns."""
    if len(list(outputs)) < 2:
        raise InputError("plot: a Pareto front needs two outputs; this study has one.")
