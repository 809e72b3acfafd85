"""``method="torque"``: measured torques along a measured motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError
from lissom.identification.columns.drives import Armatures
from lissom.identification.columns.extra import Extras
from lissom.identification.columns.friction import BASIC, Frictions, largest_rates
from lissom.identification.columns.inertia import LinkInertias
from lissom.identification.columns.model import Model
from lissom.identification.columns.payload import PayloadInertia
from lissom.identification.columns.rows import Rows
from lissom.identification.logs.log import Log
from lissom.identification.result.identification import Identification
from lissom.identification.signals.filters import suggested_cutoff
from lissom.identification.signals.samples import Samples, samples_of
from lissom.identification.torque.carried import Carried, carried
from lissom.identification.torque.estimate import Estimate, Options, estimate, every_law
from lissom.identification.torque.friction_choice import used_by
from lissom.identification.torque.gains import Gains, gains_of
from lissom.identification.torque.refusals import refuse_arm, refuse_log, refuse_names, refuse_rest
from lissom.identification.torque.result import result
from lissom.identification.torque.structure import base_parameters
from lissom.model.arm import Arm
from lissom.progress import stage
from lissom.spatial.rotations import Array


class Given(NamedTuple):
    """What the caller gives beside the options: extra columns, payload, cut-off [Hz] or None."""

    extra: Any
    payload: Any
    cutoff_hz: float | None


def identify_from_torques(arm: Arm, logs: list[Log], options: Options, given: Given) -> Identification:
    """See `lissom.identify`."""
    refuse_arm(arm)
    for log in logs:
        refuse_log(log)
    load = carried(arm, logs, given.payload)
    cutoff = given.cutoff_hz or max(suggested_cutoff(log.q, log.rate) for log in logs)
    extras = Extras.of(given.extra)
    refuse_names(arm, extras.terms.names)
    setting = Setting(arm, load, extras, cutoff)
    if all(log.tau is not None for log in logs):
        samples = setting.samples(load.logs)
        refuse_rest(samples)
        found = estimate(setting.model(samples, every_law(options.law)), samples, options)
        return result(found, load, samples, None)
    return _from_currents(setting, options)


class Setting(NamedTuple):
    """An arm with its logs."""

    arm: Arm
    load: Carried
    extras: Extras
    cutoff_hz: float

    def samples(self, logs: list[Log]) -> list[Samples]:
        """Filtered logs with their extra columns."""
        made = [samples_of(log, self.cutoff_hz, self.arm) for log in logs]
        return [
            replace(one, extras=self.extras.for_log(log, k, len(logs), one.every))
            for k, (one, log) in enumerate(zip(made, logs, strict=True))
        ]

    def model(self, samples: list[Samples], law: tuple[str, ...]) -> Model:
        """The columns of the arm; if every log has a payload, the links keep what is given."""
        arm, load = self.arm, self.load
        frictions = Frictions.of(arm, law, largest_rates([one.qd for one in samples]))
        payloads = tuple(PayloadInertia.of(arm, word, load.frame, len(load.loads) == 1) for word in load.loads)
        inertias, armatures = LinkInertias.of(arm, load.bare), Armatures.of(arm, load.bare)
        return Model(arm, inertias, armatures, frictions, self.extras, payloads)


def _from_currents(setting: Setting, options: Options) -> Identification:
    """Torques per current first, with plain friction and then with the law that those torques ask for."""
    load = setting.load
    if load.mass is None or len(load.loads) != 1 or not load.bare:
        raise InputError(
            "identify: the logs have currents and no torques. Give gains=, the torque per current of each joint; or "
            "two logs, one without and one with a payload of known mass, payload=(link, mass)."
        )
    stage("torques per current")
    currents = setting.samples([_as_torque(log, np.ones(len(setting.arm.joints))) for log in load.logs])
    refuse_rest(currents)
    law = BASIC if isinstance(options.law, str) else options.law
    gains = _gains(setting.model(currents, law), currents, load.mass, None)
    found, samples = _with_gains(setting, options, gains)
    gains = _gains(found.model, currents, load.mass, found.x)
    found, samples = _with_gains(setting, options._replace(law=found.model.frictions.law), gains)
    return result(found, load, samples, gains)


def _gains(model: Model, currents: list[Samples], mass: float, x: Array | None) -> Gains:
    """Torques per current with a friction law that may depend on torques, those of parameters x (p,)."""
    base = base_parameters(model, [one.load for one in currents])
    rows = [Rows(model, one) for one in currents]
    if x is not None and "load" in model.frictions.law:
        for row in rows:
            row.load_with(x)
    used = np.flatnonzero(used_by(model, model.frictions.law)[base.kept])
    return gains_of(model, base, rows, used, mass)


def _with_gains(setting: Setting, options: Options, gains: Gains) -> tuple[Estimate, list[Samples]]:
    samples = setting.samples([_as_torque(log, gains.values) for log in setting.load.logs])
    return estimate(setting.model(samples, every_law(options.law)), samples, options), samples


def _as_torque(log: Log, gains: Array) -> Log:
    """A log with torques; currents times gains where it has none."""
    return log if log.tau is not None else log.with_torque(gains)
