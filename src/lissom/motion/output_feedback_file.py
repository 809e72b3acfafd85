"""Output feedback in run files: the controller is designed for the arm of the file."""

from __future__ import annotations

from typing import Any

from lissom.control.output_feedback import OutputFeedback
from lissom.control.sensors.base import AbstractSensor
from lissom.control.sensors.encoder import Encoder
from lissom.control.sensors.strain_gauge import StrainGauge
from lissom.errors import ModelError, shown, suggest
from lissom.formats.strict import Table, made_rows, record, refuse_unknown
from lissom.model.arm import Arm

KIND = "output_feedback"
SENSORS = {"encoder": Encoder, "strain_gauge": StrainGauge}
NEEDED = ("q", "sensors", "Q", "R", "every", "torque_noise")
KEYS = (*NEEDED, "limit", "seed", "model")


def read_output_feedback(row: Table, arm: Arm) -> OutputFeedback:
    """Return the controller that a table describes; `model`, an arm, is what it is designed for."""
    what = f"[controller] of kind {KIND!r}"
    refuse_unknown(row, KEYS, what)
    missing = [word for word in NEEDED if word not in row]
    if missing:
        raise ModelError(f"{missing[0]} is missing from {what}.")
    given: dict[str, Any] = {word: row[word] for word in row if word not in ("q", "sensors", "Q", "R", "model")}
    sensors = made_rows(row, "sensors", "sensor", _sensor)
    return OutputFeedback.lqg(row.get("model", arm), row["q"], sensors, row["Q"], row["R"], **given)


def _sensor(row: Table) -> AbstractSensor:
    kind = row.get("kind")
    if not isinstance(kind, str) or kind not in SENSORS:
        raise ModelError(f"kind is {shown(kind)}; {suggest(str(kind), SENSORS)}")
    own = {word: value for word, value in row.items() if word != "kind"}
    made: AbstractSensor = record(SENSORS[kind], own, f"sensor {kind!r}")
    return made
