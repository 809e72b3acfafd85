"""Words that loggers use in the names of columns: quantities, units, and words that say more about either."""

from __future__ import annotations

import math

QUANTITIES = {
    "q": {"q", "pos", "position", "positions", "angle", "angles", "theta", "phi", "axis", "winkel"},
    "qd": {"qd", "dq", "vel", "velocity", "velocities", "speed", "rate", "qdot", "omega", "dtheta", "geschwindigkeit"},
    "qdd": {"qdd", "ddq", "acc", "accel", "acceleration", "qddot", "ddtheta"},
    "tau": {"tau", "torque", "torques", "effort", "efforts", "trq", "torq", "tq", "moment", "force", "drehmoment"},
    "current": {"current", "currents", "cur", "amp", "amps", "iq", "i", "strom"},
    "second": {"second"},
}
DERIVATIVES = {"dot": {"q": "qd", "qd": "qdd"}, "ddot": {"q": "qdd"}}  # what such a word makes of a quantity
SECOND = {"se", "secondary", "link", "load", "output", "arm", "abs"}  # beside a position: the encoder of the link
MEASURED = {"actual", "act", "measured", "meas", "msr", "ist"}
MOTOR = {"mot", "motor", "drive", "actuator", "state", "states"} | MEASURED
SET_POINTS = {
    "ref", "reference", "target", "desired", "des", "d", "cmd", "command", "commanded", "goal", "setpoint", "sp",
    "soll", "nominal", "planned", "requested", "demand", "model", "predicted", "error", "err",
}  # fmt: skip
ELSEWHERE = {
    "tcp", "tool", "cartesian", "cart", "ee", "eef", "flange", "wrench", "pose", "twist", "temperature",
    "temperatures", "temp", "voltage", "voltages", "power", "limit", "limits", "mode", "status", "quality",
}  # fmt: skip # beside a quantity: not the motion or torque of a joint
OF_CONTACT = {"ext", "external", "contact", "disturbance", "residual", "gravity", "coriolis", "friction"}  # torques
DOUBTFUL = {"est", "estimated", "estimate", "hat", "filtered", "filt", "raw", "window", "smooth", "smoothed", "sim"}
TIMES = {"t", "time", "timestamp", "stamp", "secs", "elapsed", "zeit"}
TIME_UNITS = {
    "s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "millis": 1e-3,
    "milliseconds": 1e-3, "us": 1e-6, "usec": 1e-6, "micros": 1e-6, "microseconds": 1e-6, "ns": 1e-9, "nsec": 1e-9,
    "nsecs": 1e-9, "nanos": 1e-9, "nanosec": 1e-9, "nanosecs": 1e-9, "nanoseconds": 1e-9,
}  # fmt: skip
DEGREE = math.pi / 180
POSITION_UNITS = {
    "deg": DEGREE, "degs": DEGREE, "degree": DEGREE, "degrees": DEGREE, "grad": DEGREE, "rad": 1.0, "rads": 1.0,
    "mrad": 1e-3, "turns": 2 * math.pi, "rev": 2 * math.pi, "revs": 2 * math.pi, "revolutions": 2 * math.pi,
    "mm": 1e-3, "cm": 1e-2, "m": 1.0,
}  # fmt: skip
RATE_UNITS = {"rpm": math.pi / 30, "dps": DEGREE, "degps": DEGREE, "radps": 1.0}
TORQUE_UNITS = {
    "nm": 1.0, "n": 1.0, "mnm": 1e-3, "knm": 1e3, "nmm": 1e-3, "ncm": 1e-2, "kn": 1e3, "mn": 1e-3,
}  # fmt: skip
CURRENT_UNITS = {"ma": 1e-3, "a": 1.0}
UNITS_OF = {
    "q": POSITION_UNITS, "second": POSITION_UNITS, "qd": POSITION_UNITS | RATE_UNITS,
    "tau": TORQUE_UNITS, "current": CURRENT_UNITS,
}  # fmt: skip
UNITS = CURRENT_UNITS | TORQUE_UNITS | RATE_UNITS | POSITION_UNITS
PARTS = {"percent", "pct", "permille"}  # of a rated value, which a table does not say
PAIRS = {"n", "kn", "mn"}  # words that the next one may complete to a unit: N mm
FILLERS = {"per", "s", "sec", "ros", "data", "value", "joint", "joints", "jnt", "robot", "feedback"}
AXES = {"j", "jt", "jnt", "axis"}  # alone with a number: the axis, and so its position
LETTERS = AXES | {"a", "ax"}  # with a number and a unit: the axis
