"""From an estimate to what a person sees."""

from __future__ import annotations

import numpy as np

from lissom.identification.fit.pseudo_inertia import COUNT
from lissom.identification.logs.log import Log
from lissom.identification.result.arms import identified_arm
from lissom.identification.result.check import TorqueFit
from lissom.identification.result.identification import Identification
from lissom.identification.result.predictor import TorquePredictor
from lissom.identification.result.table import ParameterTable, identifiable
from lissom.identification.signals.samples import Samples
from lissom.identification.torque.carried import Carried
from lissom.identification.torque.estimate import Estimate
from lissom.identification.torque.gains import Gains
from lissom.identification.torque.notes import notes
from lissom.model.loads import Payload


def result(found: Estimate, load: Carried, samples: list[Samples], gains: Gains | None) -> Identification:
    """The arm with its table, fits and notes."""
    model, regression = found.model, found.regression
    predictor = TorquePredictor(model, found.x, samples[0].cutoff_hz, regression.delays)
    fits = tuple(predictor.of_samples(one, log.source) for one, log in zip(samples, load.logs, strict=True))
    table = _table(found)
    moves = np.any([one.qd.any(axis=0) for one in samples], axis=0)
    arm = identified_arm(model, found.x, _provenance(load.logs, found, fits))
    return Identification(
        arm, model.arm, table, fits, predictor, regression.delays, regression.delay_std, found.law,
        found.law_errors, _payloads(found), None if gains is None else gains.values,
        None if gains is None else gains.std, strength=found.strength,
        notes=notes(found, table, fits, moves, samples[0].cutoff_hz),
    )  # fmt: skip


def _payloads(found: Estimate) -> dict[str, Payload]:
    first = COUNT * len(found.model.inertias.links)
    ends = [first + COUNT * (k + 1) for k in range(len(found.model.payloads))]
    return {
        one.load: one.payload(found.x[end - COUNT : end], found.model.arm)
        for one, end in zip(found.model.payloads, ends, strict=True)
    }


def _table(found: Estimate) -> ParameterTable:
    """Rows of all base parameters."""
    terms, base, regression = found.model.terms, found.base, found.regression
    std = np.sqrt(np.diag(regression.covariance))
    prior, used = base.of_parameters(terms.prior), base.of_parameters(found.x)
    sizes = np.maximum(np.abs(prior), terms.scale[base.kept])
    units = tuple(terms.units[k] for k in base.kept)
    known = identifiable(regression.values, std, sizes)
    return ParameterTable(base.names, units, regression.values, std, prior, used, known)


def _provenance(logs: list[Log], found: Estimate, fits: tuple[TorqueFit, ...]) -> tuple[str, ...]:
    """Where the numbers come from, for the notes of the arm."""
    sources = ", ".join(f"{log.source or 'log'} ({log.duration:.4g} s at {log.rate:.4g} Hz)" for log in logs)
    law = " + ".join(found.law) or "none"
    errors = np.sqrt(np.mean(np.concatenate([fit.residuals for fit in fits]) ** 2, axis=0))
    listed = ", ".join(f"{name} {error:.3g}" for name, error in zip(fits[0].joints, errors, strict=True))
    what = "inertias, drive inertia, friction" if found.model.inertias.links else "friction"
    return (
        f"identified from {sources}: {what} ({law}), prior of strength {found.strength:g} from the arm as given. "
        f"Torque errors (rms, N m or N): {listed}.",
    )
