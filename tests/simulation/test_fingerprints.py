"""An ensemble that was saved under one function is not resumed under another."""

import numpy as np
import pytest

import lissom as ls
from lissom.simulation import integrate
from lissom.simulation.options import as_options
from lissom.simulation.parts import Store, fingerprint

ARM = ls.load("two_link")
STARTS = np.zeros((4, 2))


def printed(tau=None, **more):
    options = as_options(0.1, None, None, None, 1e-3, None, None, None, "stop")
    given = {"loads": (), "base": None, "prescribed": None, "payloads": None, "arms": None, "events": ()} | more
    scene = integrate.prepare(ARM, STARTS, None, tau, options, stop_at_limits=False, **given)
    return fingerprint(*scene[:2], options, scene.events, 2)


def closure(gain):
    return lambda t, q, qd: [-gain * q[0], 0.0]


def default(gain):
    return lambda t, q, qd, gain=gain: [-gain * q[0], 0.0]


def listed(gain):
    gains = [gain]
    return lambda t, q, qd: [-gains[0] * q[0], 0.0]


@pytest.mark.parametrize("make", [closure, default, listed])
def test_what_a_torque_function_takes_from_outside_counts(make):
    assert printed(make(1.0)) == printed(make(1.0))
    assert printed(make(1.0)) != printed(make(50.0))


def test_constants_of_functions_count():
    assert printed(lambda t, q, qd: [1.0, 0.0]) != printed(lambda t, q, qd: [50.0, 0.0])
    low, high = (ls.PD(lambda t, a=a: [a if 0.01 < t < 0.02 else 0.0, 0.0], 10, 1) for a in (1.0, 2.0))
    assert printed(low) != printed(high)
    push = [lambda t, f=f: [ls.Load("fore", [f * (0.01 < t < 0.02), 0, 0])] for f in (1.0, 2.0)]
    assert printed(loads=push[0]) != printed(loads=push[1])
    events = [[ls.Event(lambda t, q, qd, at=at: q[0] - at, "there")] for at in (1.0, 2.0)]
    assert printed(events=events[0]) != printed(events=events[1])


def test_a_resumed_ensemble_does_not_mix_two_simulations(tmp_path, monkeypatch):
    place, kept = tmp_path / "runs.nc", []
    keep = Store.keep

    def once(self, k, run):
        keep(self, k, run)
        kept.append(k)
        raise RuntimeError("killed")

    monkeypatch.setattr(Store, "keep", once)
    given = {"until": 0.02, "dt": 1e-3, "save": place, "save_every": 2}
    with pytest.raises(RuntimeError, match="killed"):
        ls.simulate(ARM, STARTS, tau=closure(1.0), **given)
    monkeypatch.undo()
    with pytest.raises(ls.InputError, match=r"of another simulation: .*functions differ"):
        ls.simulate(ARM, STARTS, tau=closure(50.0), resume=True, **given)
    assert ls.simulate(ARM, STARTS, tau=closure(1.0), resume=True, **given).ok
