"""Identification from torques: the stages from logs to parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lissom.identification.columns.friction import BASIC, EVERY
from lissom.identification.columns.model import Model
from lissom.identification.columns.rows import Rows
from lissom.identification.fit.base import BaseParameters
from lissom.identification.fit.consistent import Prior, consistent_fit
from lissom.identification.fit.masks import Mask
from lissom.identification.fit.pseudo_inertia import COUNT
from lissom.identification.result.table import CERTAIN
from lissom.identification.signals.samples import Samples
from lissom.identification.torque.friction_choice import choose_law, choose_smoothing, used_by
from lissom.identification.torque.regression import Regression, Regressor, with_delays
from lissom.identification.torque.structure import base_parameters
from lissom.progress import stage
from lissom.spatial.rotations import Array


class Options(NamedTuple):
    """What the caller asks for: a friction law or "auto", delays (n,) or "auto", and the strength of the prior."""

    law: tuple[str, ...] | str
    delays: Array | str
    strength: float


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters of a model from logs.

    Parameters
    ----------
    model : Model                with the friction law that was chosen
    base : BaseParameters        of all laws; `at` are those in use
    regression : Regression      base parameters without constraints
    x : (p,)                     physically consistent parameters of `model`
    rows : sequence of Rows
    law_errors : mapping         held-out error by friction law, where one was chosen
    """

    model: Model
    base: BaseParameters
    regression: Regression
    x: Array
    law_errors: dict[str, float]
    strength: float

    @property
    def law(self) -> tuple[str, ...]:
        """Terms of the friction law that some joint has."""
        values = dict(zip(self.model.terms.names, self.x, strict=True))
        joints = [joint.name for joint in self.model.arm.joints]
        law = self.model.frictions.law
        return tuple(term for term in law if any(values[f"{joint}.{term}"] for joint in joints))


def estimate(model: Model, samples: list[Samples], options: Options) -> Estimate:
    """Fit a model to samples; `model` has the friction law of the options, or every term for "auto"."""
    stage("base parameters")
    base = base_parameters(model, [one.load for one in samples])
    stage("columns")
    rows = [Rows(model, one) for one in samples]
    model, law, errors = _friction(model, base, rows, options)
    of_law = used_by(model, law)
    stage("robust least squares")
    regressor = Regressor(rows, base, of_law, model.terms.prior)
    regression = _regression(regressor, options, "load" in law, model.arm.dof)
    stage("physically consistent parameters")
    idle = _idle(model, regressor, regression) & isinstance(options.law, str)
    x = consistent(model, base, regressor, regression, idle, options.strength * regression.memory)
    own = model.with_law(law)
    return Estimate(own, _restricted(base, of_law, regressor), regression, x[of_law], errors, options.strength)


def _regression(regressor: Regressor, options: Options, on_load: bool, count: int) -> Regression:
    """The robust fit, with delays that are given or fitted."""
    if isinstance(options.delays, str):
        return with_delays(regressor, on_load, count)
    return regressor.run(options.delays, np.zeros(count, bool), on_load)


def _idle(model: Model, regressor: Regressor, regression: Regression) -> Mask:
    """Friction terms (p,) beside viscous and Coulomb friction that a joint does without: within two deviations of zero.

    In the arm they are zero: an offset that is not needed would be confounded with gravity.
    """
    std = np.sqrt(np.diag(regression.covariance))
    weak = np.zeros(len(model.kinds), bool)
    weak[regressor.leaders] = ~(np.abs(regression.values) > CERTAIN * std)
    plain = _of_term(model, "viscous") | _of_term(model, "coulomb")
    return np.asarray(weak & (model.kinds == "friction") & ~plain)


def _of_term(model: Model, term: str) -> Mask:
    """Whether parameters (p,) are coefficients of a term of the friction law."""
    return np.array([name.endswith(f".{term}") for name in model.terms.names]) & (model.kinds == "friction")


def every_law(law: tuple[str, ...] | str) -> tuple[str, ...]:
    """The terms that a model needs for a law; all of them where one is to be chosen."""
    return EVERY if isinstance(law, str) else law


def _friction(
    model: Model, base: BaseParameters, rows: list[Rows], options: Options
) -> tuple[Model, tuple[str, ...], dict[str, float]]:
    """The model with smooth signs, the friction law, and held-out errors where it is chosen."""
    law = BASIC if isinstance(options.law, str) else options.law
    if not law:
        return model, law, {}
    stage("friction")
    given = None if isinstance(options.delays, str) else options.delays
    used = used_by(model, law)
    frictions, first = choose_smoothing(model, base, rows, used, given)
    model = replace(model, frictions=frictions)
    if not isinstance(options.law, str):
        return model, law, {}
    regressor = Regressor(rows, base, used, model.terms.prior)
    for row in rows:
        row.load_with(regressor.all_parameters(first.values))
    law, errors = choose_law(model, base, rows, first.weights)
    return model, law, errors


def consistent(
    model: Model, base: BaseParameters, regressor: Regressor, regression: Regression, idle: Mask, strength: float
) -> Array:
    """All parameters (p,): links that can exist near the prior, drive terms that are not negative.

    Drive terms that the logs say nothing about keep what is given, those that are `idle` are zero.
    """
    terms, solution, used = model.terms, regression.solution, regressor.used & ~idle
    K, count = regressor.K, len(regressor.at)
    seen = used & (model.bodies | (np.abs(solution.R[:, :count] @ K) > 0).any(axis=0))
    free = np.flatnonzero(seen)
    positive = terms.nonnegative[free]
    near = np.where(terms.prior > 0.0, terms.prior, _sizes(regressor, regression))[free][positive]
    prior = Prior(_bodies(model, regressor.all_parameters(regression.values)), np.flatnonzero(positive), near)
    fixed = np.where(seen, 0.0, np.where(used, terms.prior, 0.0))
    R = solution.R[:, :count] @ K[:, free]
    z = solution.z - solution.R[:, :count] @ (K @ fixed) - solution.R[:, count:] @ solution.x[count:]
    out = fixed
    out[free] = consistent_fit(R, z, prior, strength, terms.prior[free])
    return out


def _bodies(model: Model, x: Array) -> Array:
    """Pseudo-inertias (bodies, 4, 4) of the prior of links, and of payloads about what the regression found."""
    first = COUNT * len(model.inertias.links)
    own = np.split(x[first : first + COUNT * len(model.payloads)], len(model.payloads) or 1)
    balls = [payload.near(part, model.arm) for payload, part in zip(model.payloads, own, strict=False)]
    return np.concatenate([model.inertias.pseudo, *balls])


def _sizes(regressor: Regressor, regression: Regression) -> Array:
    """Sizes (p,) of parameters without a prior: what the regression found, or its standard deviation.

    A parameter that acts together with others, as a drive does with the links about its axis, may be as large as their
    sum: a small size would hold it at zero, and what it explains would be taken for mass of the links.
    """
    std = np.sqrt(np.diag(regression.covariance))
    found = np.maximum(np.abs(regression.values), np.where(np.isfinite(std), std, 0.0))
    return np.maximum(found @ np.abs(regressor.K), 1e-6)


def _restricted(base: BaseParameters, used: Mask, regressor: Regressor) -> BaseParameters:
    """Base parameters of the model with the chosen law alone."""
    place = np.cumsum(used) - 1
    names = tuple(base.names[k] for k in regressor.at)
    return BaseParameters(place[regressor.leaders], base.K[np.ix_(regressor.at, used)], names)
