"""Studies, and how they are run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lissom.studies.plan.description import AbstractStudy
from lissom.studies.result import StudyResult
from lissom.studies.rows.single import evaluated
from lissom.studies.runner import run


@dataclass(frozen=True, eq=False)
class Study(AbstractStudy):
    """A parameter study: one evaluation repeated for many parameter values.

    Parameters
    ----------
    evaluate : str or f(case) -> {name: number or array}
        a public function by its name ("modes", "simulate", "predict_motion", "linearise", "forward_dynamics", ...), or
        a function of a `StudyCase`
    arm : Arm, str or None     the arm; a name or file is loaded. None if a function needs no arm
    arguments : dict           arguments of the public function, or data for a user's function
    parameters : {name: StudyParameter}
    outputs : {name: StudyOutput or str} or None
        numbers to extract from each result. None: the default outputs of the public function, or all that a user's
        function returns
    sampling : str
        "grid", "list" (values side by side), "random", "latin_hypercube", "sobol" or "saltelli" (for Sobol' indices)
    count : int or None        number of samples; for "saltelli" a power of two, with (parameters + 2) rows each
    seed : int                 random seed of the samples and of the rows' seeds
    lanes : bool               evaluate many rows at once in compiled code, where possible
    title : str

    Where parameters of the arm vary, a controller of `simulate` without a `model` uses the nominal arm given here.

    Paths of parameters begin with ``arm`` or an argument: ``arm.links.fore.payload.mass``, ``arm.links.*.beam.EI``,
    ``q0[1]``, ``controller.kp`` (or ``tau.kp``), ``loads[0].force[2]``, ``task.duration``.

    Examples
    --------
    >>> import lissom as ls
    >>> study = ls.Study(
    ...     "modes", "two_link_flexible", {"q": [0.0, 0.5], "count": 2},
    ...     parameters={"payload": ls.StudyParameter("arm.links.link2.payload.mass", grid=(0.0, 0.2, 5))},
    ... )
    >>> result = study.run(workers=1)
    >>> result["frequency[0]"].round(3)
    array([0.502, 0.47 , 0.442, 0.419, 0.399])
    """

    def record(self, row: int) -> Any:
        """Evaluate one row and return its full result: a `Run`, a `Motion`, an array ..."""
        return evaluated(self, self.case(row))

    # ---- doing it --------------------------------------------------------------------------------

    def run(
        self,
        store: str | os.PathLike[str] | None = None,
        *,
        workers: int | None = None,
        scheduler: str | None = None,
        resume: bool = False,
        retry: bool = False,
        overwrite: bool = False,
        progress: bool | Callable[[int, int], object] | None = None,
    ) -> StudyResult:
        """Evaluate all rows and return the result.

        Results do not depend on where rows are evaluated, in which order, or with how many workers. A failing row is
        recorded with its error; the study continues. Ctrl-C returns the rows evaluated so far, with the status
        "interrupted".

        Parameters
        ----------
        store : path or None       folder to which finished rows are written (needs the extra ``studies``); None: memory
                                   only
        workers : int or None      number of processes; None: one per core, if there is enough work; 1: this process
        scheduler : str or None    address of a dask.distributed scheduler instead (extra ``cluster``)
        resume : bool              continue a store: evaluate the missing rows only
        retry : bool               continue a store: evaluate failed rows again too
        overwrite : bool           evaluate all rows; the first of them replace the rows that a store has
        progress : bool or f(done, total)    show a progress bar, or call f; default: a bar after three seconds

        Returns
        -------
        StudyResult
        """
        return run(self, store, workers, scheduler, resume, retry, overwrite, progress)
