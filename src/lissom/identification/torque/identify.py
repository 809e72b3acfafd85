"""``method="torque"``: measured torques along a measured motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lissom.identification.columns.drives import Armatures
from lissom.identification.columns.extra import Extras
from lissom.identification.columns.friction import Frictions, largest_rates
from lissom.identification.columns.inertia import LinkInertias
from lissom.identification.columns.model import Model
from lissom.identification.logs.log import Log
from lissom.identification.result.arms import identified_arm
from lissom.identification.result.check import TorqueFit
from lissom.identification.result.identification import Identification
from lissom.identification.result.predictor import TorquePredictor
from lissom.identification.result.table import ParameterTable, identifiable
from lissom.identification.signals.filters import suggested_cutoff
from lissom.identification.signals.samples import Samples, samples_of
from lissom.identification.torque.estimate import Estimate, Options, estimate, every_law
from lissom.identification.torque.notes import notes
from lissom.identification.torque.refusals import refuse_arm, refuse_log
from lissom.model.arm import Arm


def identify_from_torques(
    arm: Arm, logs: list[Log], options: Options, extra: Any, cutoff_hz: float | None
) -> Identification:
    """See `lissom.identify`."""
    refuse_arm(arm)
    for log in logs:
        refuse_log(log)
    cutoff = max(suggested_cutoff(log.q, log.rate) for log in logs) if cutoff_hz is None else cutoff_hz
    model, samples = _model(arm, logs, options, Extras.of(extra), cutoff)
    found = estimate(model, samples, options)
    return _result(found, logs, samples, cutoff)


def _model(arm: Arm, logs: list[Log], options: Options, extras: Extras, cutoff: float) -> tuple[Model, list[Samples]]:
    """The columns of an arm, and the samples of its logs."""
    samples = [samples_of(log, cutoff) for log in logs]
    samples = [
        replace(one, extras=extras.for_log(log, k, len(logs)))
        for k, (one, log) in enumerate(zip(samples, logs, strict=True))
    ]
    rates = largest_rates([one.qd for one in samples])
    frictions = Frictions.of(arm, every_law(options.law), rates)
    return Model(arm, LinkInertias.of(arm), Armatures.of(arm), frictions, extras), samples


def _result(found: Estimate, logs: list[Log], samples: list[Samples], cutoff: float) -> Identification:
    model, regression = found.model, found.regression
    predictor = TorquePredictor(model, found.x, cutoff, regression.delays)
    fits = tuple(predictor.of_samples(one, log.source) for one, log in zip(samples, logs, strict=True))
    table = _table(found)
    words = notes(found, table, fits)
    arm = identified_arm(model, found.x, _provenance(logs, found, fits))
    return Identification(
        arm, model.arm, table, fits, predictor, regression.delays, regression.delay_std, model.frictions.law,
        found.law_errors, strength=found.strength, notes=words,
    )  # fmt: skip


def _table(found: Estimate) -> ParameterTable:
    """Rows of all base parameters."""
    terms, base, regression = found.model.terms, found.base, found.regression
    std = np.sqrt(np.diag(regression.covariance))
    prior, used = base.of_parameters(terms.prior), base.of_parameters(found.x)
    sizes = np.maximum(np.abs(prior), terms.scale[base.kept])
    names, leaders = base.names, [terms.units[k] for k in base.kept]
    known = identifiable(regression.values, std, sizes)
    return ParameterTable(names, tuple(leaders), regression.values, std, prior, used, known)


def _provenance(logs: list[Log], found: Estimate, fits: tuple[TorqueFit, ...]) -> tuple[str, ...]:
    """Where the numbers come from, for the notes of the arm."""
    sources = ", ".join(f"{log.source or 'log'} ({log.duration:.4g} s at {log.rate:.4g} Hz)" for log in logs)
    law = " + ".join(found.model.frictions.law) or "none"
    errors = np.sqrt(np.mean(np.concatenate([fit.residuals for fit in fits]) ** 2, axis=0))
    listed = ", ".join(f"{name} {error:.3g}" for name, error in zip(fits[0].joints, errors, strict=True))
    return (
        f"identified from {sources}: inertias, drive inertia, friction ({law}), prior of strength {found.strength:g} "
        f"from the arm as given. Torque errors (rms, N m or N): {listed}.",
    )
