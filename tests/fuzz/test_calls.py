"""The API under random calls with awkward arrays: the same bits as a plain call, or a `LissomError`; nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz import fuzz_calls
from tests.fuzz.fuzz_arrays import KINDS, SAME, WRONG

import lissom as ls

TOP = Path(__file__).parents[2]
EACH = 1000  # calls of one process


QUICK = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "pose", "momentum", "modes", "simulate", "assemble")


def test_some_random_calls():
    told = fuzz_calls.Told()
    for k in range(300):
        fuzz_calls.try_call(k, told, ("two_link", "four_bar"), QUICK)
    assert not told.failures
    assert min(told.same, told.refused) > 80


@pytest.mark.slow
def test_twenty_thousand_random_calls():
    """In processes that may be lost; each call within 60 s and 512 MiB."""
    failures, same, refused, widest = [], 0, 0, 0
    for first in range(0, 20_000, EACH):
        words = [sys.executable, "-m", "tests.fuzz.fuzz_calls", str(first), str(EACH)]
        done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"lost (exit {done.returncode}) at call {done.stderr[-3000:]}"
        told = json.loads(done.stdout)
        failures += told["failures"]
        same, refused, widest = same + told["same"], refused + told["refused"], max(widest, told["widest"])
        print(f"{first + EACH}: {same} the same, {refused} refused, most memory {widest / 2**20:.0f} MiB", flush=True)
    assert not failures, f"{len(failures)} failures: {failures[:20]}"


# ---- every guise once, so that none hides behind chance ------------------------------------------------------------

ROWS = np.random.default_rng(7).uniform(-1, 1, (5, 6))


@pytest.mark.parametrize("guise", SAME)
@pytest.mark.parametrize("rows", [ROWS, ROWS[0]], ids=["batch", "one"])
def test_numbers_in_any_guise_give_the_same_bits(guise, rows):
    arm = ls.load("puma560")
    found = ls.inverse_dynamics(arm, SAME[guise](rows), SAME[guise](rows), SAME[guise](rows))
    assert np.array_equal(found, ls.inverse_dynamics(arm, rows, rows, rows))


@pytest.mark.parametrize("guise", KINDS)
def test_numbers_of_other_kinds_are_what_numpy_makes_of_them(guise):
    value = KINDS[guise](ROWS)
    plain = np.ascontiguousarray(value, float)
    arm = ls.load("puma560")
    assert np.array_equal(ls.forward_dynamics(arm, value, value, value), ls.forward_dynamics(arm, plain, plain, plain))


@pytest.mark.parametrize("guise", WRONG)
@pytest.mark.parametrize("rows", [ROWS, ROWS[0]], ids=["batch", "one"])
def test_what_is_no_number_is_refused(guise, rows):
    with pytest.raises(ls.InputError):
        ls.mass_matrix(ls.load("puma560"), WRONG[guise](rows))


MASKED = np.ma.masked_greater([0.1, 0.2, 9.0], 1.0)
TAKERS = {
    "Load": lambda: ls.Load("forearm", force=MASKED),
    "Link": lambda: ls.Link("a", mass=1.0, com=MASKED),
    "Payload": lambda: ls.Payload(1.0, com=MASKED),
    "BaseMotion": lambda: ls.BaseMotion(linear_acceleration=MASKED),
    "Task": lambda: ls.Task(start=MASKED, goal=[0, 0, 0]),
    "Limits": lambda: ls.Limits(torque=MASKED),
    "Sphere": lambda: ls.Sphere(MASKED, 0.1),
    "simulate": lambda: ls.simulate(ls.load("two_link"), MASKED[1:], until=0.1),
    "retime_motion": lambda: ls.retime_motion(ls.load("two_link"), np.ma.masked_equal([[0.0, 0.0], [1.0, 0.5]], 0.5)),
    "equilibrium": lambda: ls.equilibrium(ls.load("two_link"), MASKED[1:]),
    "inverse_kinematics": lambda: ls.inverse_kinematics(ls.load("puma560"), MASKED, "flange", match="position"),
    "with_gravity": lambda: ls.load("two_link").with_gravity(MASKED),
    "PD": lambda: ls.simulate(ls.load("two_link"), [0, 0], tau=ls.PD(MASKED[1:], 100, 20), until=0.1),
    "Profile": lambda: ls.Profile([0.0, 1.0], np.ma.masked_equal([[0.0, 0.0], [1.0, 0.5]], 0.5)),
    "Parameter": lambda: ls.StudyParameter("arm.gravity", values=MASKED),
}


@pytest.mark.parametrize("taker", TAKERS)
def test_masks_are_not_forgotten(taker):
    with pytest.raises(ls.LissomError):
        TAKERS[taker]()
