"""`Identification`: what `identify` returns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import InputError, shown
from lissom.formats.load import save
from lissom.identification.logs.log import Log
from lissom.identification.logs.plausible import check_units
from lissom.identification.result.check import TorqueFit
from lissom.identification.result.predictor import Predictor
from lissom.identification.result.table import ParameterTable
from lissom.listing import Listing
from lissom.markup import Markup, paragraphs
from lissom.model.arm import Arm
from lissom.model.loads import Payload
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False, repr=False)
class Identification:
    """An arm whose numbers come from logs of the real machine.

    Parameters
    ----------
    arm : Arm                   with the parameters found; physically consistent
    given : Arm                 the arm before, whose numbers were the prior
    table : ParameterTable      value, standard deviation, prior, and whether a parameter is identifiable
    fits : sequence of TorqueFit    measured and predicted torques of each log
    skew, skew_std : (joints,)  time by which torques are logged late [s], and its standard deviation; nan: not fitted;
                                of method="encoders" the time by which second encoders are late
    friction : sequence of str  terms of the friction law
    law_errors : mapping        held-out error of each law that was tried, in standard deviations of the residuals
    payloads : mapping          `Payload` by what logs say that the arm carries, in the axes of the link
    gains, gain_std : (joints,) or None    torques per current [N m/A or N/A], where they were found, and their
                                standard deviations
    encoder_skew : (joints,) or None    time by which second encoders are logged late [s], where every log has some;
                                nan for joints without
    strength : float            of the prior
    method : str
    notes : sequence of str     what to know about this result
    predictor : Predictor       predicts the torques of other logs
    checks : sequence of TorqueFit    of other logs, which `report` shows
    """

    arm: Arm
    given: Arm
    table: ParameterTable
    fits: tuple[TorqueFit, ...]
    predictor: Predictor
    skew: Array
    skew_std: Array
    friction: tuple[str, ...] = ()
    law_errors: dict[str, float] = field(default_factory=dict)
    payloads: dict[str, Payload] = field(default_factory=dict)
    gains: Array | None = None
    gain_std: Array | None = None
    encoder_skew: Array | None = None
    strength: float = 1.0
    method: str = "torque"
    notes: tuple[str, ...] = ()
    checks: tuple[TorqueFit, ...] = ()

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints."""
        return tuple(joint.name for joint in self.arm.joints)

    @property
    def residuals(self) -> Array:
        """(nt, joints) measured less predicted torques of all logs in a row [N m or N]."""
        return np.concatenate([fit.residuals for fit in self.fits])

    @property
    def rmse(self) -> Array:
        """(joints,) root mean square of the residuals [N m or N]."""
        return np.asarray(np.sqrt(np.mean(self.residuals**2, axis=0)))

    @property
    def payload(self) -> Payload:
        """The payload, where logs have one."""
        if len(self.payloads) != 1:
            raise InputError(f"the logs have {len(self.payloads)} payloads; see `payloads`.")
        return next(iter(self.payloads.values()))

    def check(self, log: Log, *, extra: Any = None) -> TorqueFit:
        """Predict the torques of a log that was not used, beside those of the arm before.

        Parameters
        ----------
        log : Log
        extra : mapping or None      columns of the user's own for this log, where they were given as arrays

        Returns
        -------
        TorqueFit
            `.rmse` (joints,), `.rmse_before`, `.relative`, and the torques
        """
        if not isinstance(log, Log):
            raise InputError(f"check: log is {shown(log)}; expected a Log, such as load_log(file, arm).")
        check_units(log, self.given)
        if log.tau is None and self.gains is not None and log.current is not None:
            log = log.with_torque(self.gains)
        if log.tau is None and self.method != "encoders":
            raise InputError("check: the log has no torques; expected tau.")
        return self.predictor.fit(log, extra)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the arm to a native file (.toml); its notes say what it was identified from, and how well."""
        if Path(path).suffix.lower() != ".toml":
            raise InputError(f"{path}: an identified arm is written as .toml, which has its notes; choose such a name.")
        save(self.arm, path)

    def report(self, path: str | os.PathLike[str], *, checks: Sequence[TorqueFit] = ()) -> Path:
        """Write a self-contained page (.html): parameters, torques, spectra, friction, notes, and checks on other logs.

        Parameters
        ----------
        path : path
        checks : sequence of TorqueFit     what `check` returned for other logs
        """
        import lissom  # pages are made of results, so this one is looked up when it is asked for

        return lissom.write_report(replace(self, checks=(*self.checks, *checks)), path)

    def listing(self) -> Listing:
        """Return a table with the errors of every joint over all logs, and the delay of its torques."""
        one = self.fits[0]
        words = ("t", "measured", "predicted", "before")
        t, measured, predicted, before = (np.concatenate([getattr(fit, word) for fit in self.fits]) for word in words)
        table = replace(one, t=t, measured=measured, predicted=predicted, before=before).listing()
        if not np.any(self.skew) or one.quantity != "torque":
            return table
        heads, delays = (*table.heads, "torque late by"), [f"{1e3 * x:.3g} ms" if x else "-" for x in self.skew]
        return Listing.of(heads, ((*row, late) for row, late in zip(table.rows, delays, strict=True)))

    def describe(self) -> str:
        """Return errors, the friction law and notes as text."""
        return "\n".join([repr(self).strip("<>"), *self.listing().lines(), *(f"note: {note}" for note in self.notes)])

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> Markup:
        return Markup(repr(self).strip("<>") + self.listing().html() + paragraphs(self.notes))

    def __repr__(self) -> str:
        law = f", friction {' + '.join(self.friction) or 'none'}" if self.method == "torque" else ""
        found = f"{int(self.table.identifiable.sum())} of {len(self.table)} parameters identifiable"
        return f"<Identification of {self.arm.name}: {found}{law}>"
