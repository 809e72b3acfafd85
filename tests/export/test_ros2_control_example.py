"""The controller for ros2_control in the examples, compiled against a stand-in for ROS and run."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import lissom as ls

if shutil.which("gcc") is None or shutil.which("g++") is None:
    pytest.skip("there is no gcc and g++ on this machine to compile the example with", allow_module_level=True)

STUB = Path(__file__).parent / "ros2_stub"
EXAMPLE = Path(__file__).parents[2] / "examples" / "ros2_control"
FRICTION = ls.Friction(coulomb=3.0, viscous=2.0)
ARM = ls.load("ur5").with_joint("elbow", friction=FRICTION).with_payload(ls.Payload(1.5, com=(0.02, 0, 0.05)))
KP, KD, LIMIT = np.linspace(100, 50, 6), np.linspace(10, 5, 6), np.full(6, 1e4)
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def model_writer():
    spec = importlib.util.spec_from_file_location("export_model", EXAMPLE / "export_model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.write_model


def call(folder, *words, **options):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, **options)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The controller with the model of `ARM`, and a program that drives it."""
    folder = tmp_path_factory.mktemp("ros2")
    model_writer()(ARM, folder)
    includes = [f"-I{STUB}", f"-I{EXAMPLE}", "-I."]
    for words in (
        ["gcc", "-std=c99", *STRICT, "-c", "arm_model.c"],
        ["g++", "-std=c++17", *STRICT, *includes, str(STUB / "drive.cpp"), str(EXAMPLE / "feedforward_controller.cpp"),
         "arm_model.o", "-o", "drive", "-lm"],
    ):  # fmt: skip
        done = call(folder, *words)
        assert done.returncode == 0, done.stderr
    return folder / "drive"


def line(values):
    return " ".join(map(repr, np.ravel(values).tolist()))


def driven(program, cases, limit=LIMIT, kp=KP):
    """Interface names, and the torques of every case; None where the controller reports an error."""
    given = [f"{len(values)} {line(values)}" for values in (kp, KD, limit)]
    given += [
        f"{kind} {line(np.stack(reference, axis=1))} {line(np.stack(state, axis=1))}"
        for kind, reference, state in cases
    ]
    done = call(program.parent, str(program), input="\n".join(given))
    if done.returncode:
        return done.returncode, done.stderr
    names, *rows = done.stdout.splitlines()
    return names.split(), [None if row == "error" else np.array(row.split(), float) for row in rows]


@pytest.fixture
def case():
    rng = np.random.default_rng(3)
    return list(rng.normal(size=(3, 6))), list(rng.normal(size=(2, 6)))


def test_torques_are_those_of_the_arm_with_friction_and_payload(program, case):
    reference, (q, qd) = case
    names, (first, last) = driven(program, [("chained", reference, (q, qd))])
    want = ls.inverse_dynamics(ARM, *reference) + KP * (reference[0] - q) + KD * (reference[1] - qd)
    assert np.abs(first - want).max() < 1e-11 * np.abs(want).max()
    assert not last.any()  # deactivated
    joints = ARM.coordinates
    assert names[:3] == [f"feedforward/{joints[0]}/{word}" for word in ("position", "velocity", "acceleration")]
    assert names[18:24] == [f"{joint}/effort" for joint in joints]
    assert names[24:26] == [f"{joints[0]}/position", f"{joints[0]}/velocity"]


def test_without_a_reference_the_arm_is_held_and_damped(program, case):
    reference, (q, qd) = case
    none = [np.full(6, np.nan)] * 3
    _, (chained, alone, _) = driven(program, [("chained", none, (q, qd)), ("alone", reference, (q, qd))])
    want = ls.gravity_forces(ARM, q) - KD * qd
    assert np.abs(chained - want).max() < 1e-11 * np.abs(want).max()
    assert np.array_equal(alone, chained)


def test_torques_are_clipped_and_lost_measurements_are_errors(program, case):
    reference, (q, qd) = case
    limit = np.full(6, 2.0)
    cases = [("chained", reference, (q, qd)), ("chained", reference, (np.full(6, np.nan), qd))]
    _, (clipped, lost, _) = driven(program, cases, limit)
    free = ls.inverse_dynamics(ARM, *reference) + KP * (reference[0] - q) + KD * (reference[1] - qd)
    assert np.allclose(clipped, np.clip(free, -2, 2), atol=1e-10)
    assert lost is None


@pytest.mark.parametrize("kp", [KP[:5], -KP])
def test_wrong_parameters_are_refused(program, kp):
    assert driven(program, [], kp=kp)[0] == 3


def test_arms_with_passive_coordinates_are_refused(tmp_path):
    with pytest.raises(SystemExit, match=r"has no motor; this controller is for arms"):
        model_writer()(ls.load("two_link_flexible"), tmp_path)
