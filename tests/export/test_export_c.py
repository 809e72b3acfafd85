"""Generated C computes what lissom computes, needs nothing but libm, and says no where it cannot."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest
from tests.arms import random_arm, random_base, random_loads
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.export.export_c import EXPORTED
from lissom.kernels.verbs import VERBS

if shutil.which("gcc") is None:
    pytest.skip("there is no gcc on this machine to compile generated C with", allow_module_level=True)

STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
AGREES = 1e-12  # relative to the largest entry of a result: thousands of roundings
LIBM = {"sin", "cos", "sincos", "sqrt", "fabs"}
LINKER = {"_GLOBAL_OFFSET_TABLE_"}
BRANCHED = random_arm(5, 4)  # a tree: sliding, fixed and elastic joints, friction, springs, gears, payload
BENT = ls.load("two_link_flexible").with_gravity((0.3, -9.0, 1.0))


def gcc(folder, *words, compiler="gcc"):
    done = subprocess.run([compiler, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def compiled(made, *flags):
    """The object of an export, made once; strict about warnings."""
    folder = made.files[0].parent
    if not (folder / f"{made.name}.o").exists():
        gcc(folder, *STRICT, *flags, "-fPIC", "-c", f"{made.name}.c")
    return folder


def shared(made, *flags):
    """The generated functions as a library of this process."""
    folder = compiled(made, *flags)
    gcc(folder, "-shared", f"{made.name}.o", "-o", f"{made.name}.so", "-lm")
    return ctypes.CDLL(str(folder / f"{made.name}.so"))


def run(code, function, arrays, kind=np.float64):
    """Outputs, and what the function returned."""
    given = [np.ascontiguousarray(x, kind) for x in arrays]
    found = [np.zeros(x.shape, kind) for x in function.outputs]
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*given, *found)]
    return found, getattr(code, function.name)(*pointers)


def error(have, want):
    size = np.abs(want).max()
    return np.abs(np.reshape(have, -1) - np.reshape(want, -1)).max() / (size or 1.0)


def state(arm, seed, count):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.7, 1.7, (count, arm.dof))
    x[0, arm.mode_index] *= 0.02
    return list(x)


def compare(made, arm, public, extra=(), seeds=range(4)):
    """All functions of an export against the public verbs, given as {verb: call(*state)}."""
    code = shared(made)
    assert [f.verb for f in made.functions] == list(public)
    for function in made.functions:
        acted = [x for x in extra if x.size] if VERBS[function.verb].acted else []
        for seed in seeds:
            x = state(arm, seed, len(function.inputs) - len(acted))
            want = public[function.verb](*x)
            have, status = run(code, function, [*x, *acted])
            assert status == 0, function.name
            for part, other in zip(have, want if isinstance(want, tuple) else (want,), strict=True):
                assert error(part, np.asarray(other)) < AGREES, (function.name, seed)


@pytest.fixture(scope="module")
def branched(tmp_path_factory):
    """Every verb of the tree, with two loads and a moving base."""
    folder = tmp_path_factory.mktemp("branched")
    loads = [load.link for load in random_loads(BRANCHED, 7)][:2]
    return ls.export_c(
        BRANCHED, EXPORTED, folder / "made" / "here", frame="l3", point=(0.1, -0.2, 0.3), loads=loads, base=True,
        name="branched",
    )  # fmt: skip


def test_every_verb_of_a_tree(branched):
    loads, base, point = random_loads(BRANCHED, 7)[:2], random_base(5), (0.1, -0.2, 0.3)
    nine = [np.concatenate([base.angular_velocity, base.angular_acceleration, base.linear_acceleration])]
    nine += [np.concatenate([load.force, load.moment, load.point]) for load in loads]
    acted = {"loads": loads, "base": base}
    public = {}
    for function in branched.functions:
        verb, entry = getattr(ls, function.verb), VERBS[function.verb]
        options = acted if entry.acted else {}
        frame = ("l3", point) if entry.frame else ()
        public[function.verb] = lambda *x, v=verb, f=frame, o=options: v(BRANCHED, *x, *f, **o)
    compare(branched, BRANCHED, public, nine)
    inputs = branched.functions[0].inputs
    assert [x.name for x in inputs] == ["q", "qd", "qdd", "base", *(f"load_{load.link}" for load in loads)]
    assert [x.size for x in inputs] == [4, 4, 4, 9, 9, 9]
    assert inputs[0].unit == "rad or m"


@pytest.mark.parametrize("model", ["second_order", pytest.param("de_luca_siciliano", marks=pytest.mark.slow)])
def test_flexible_links(model, tmp_path):
    """A place along a beam, a load on its tip, modes as coordinates."""
    arm = BENT.with_joint("joint1", friction=0.3, damping=0.2).replace(flexibility=model)
    load = ls.Load("link2.tip", (0.3, -2.0, 0.5), (0.1, 0.2, -0.4), (0.02, 0.01, 0.0))
    verbs = ["inverse_dynamics", "mass_matrix", "forward_dynamics", "potential_energy", "jacobian"]
    made = ls.export_c(arm, verbs, tmp_path, loads=["link2.tip"], frame="link2", point=(0.31, 0.01, 0.0))
    public = {
        "inverse_dynamics": lambda *x: ls.inverse_dynamics(arm, *x, loads=[load]),
        "mass_matrix": lambda q: ls.mass_matrix(arm, q),
        "forward_dynamics": lambda *x: ls.forward_dynamics(arm, *x, loads=[load]),
        "potential_energy": lambda q: ls.potential_energy(arm, q),
        "jacobian": lambda q: ls.jacobian(arm, q, "link2", (0.31, 0.01, 0.0)),
    }
    compare(made, arm, public, [np.concatenate([load.force, load.moment, load.point])])


def test_a_tape_is_shorter_and_the_same(tmp_path):
    """Beyond twelve coordinates steps are shared: text grows by calls, not by copies of the arithmetic."""
    verbs = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_gradient", "poses"]
    arm = random_arm(21, 16, kinds=("revolute", "prismatic"))
    made = ls.export_c(arm, verbs, tmp_path / "long")
    assert {f.form for f in made.functions} == {"tape"}
    compare(made, arm, {verb: lambda *x, v=verb: getattr(ls, v)(arm, *x) for verb in verbs}, seeds=range(2))
    row = ls.export_c(arm, "forward_dynamics", tmp_path / "row", form="straight")
    short = ls.export_c(arm, "forward_dynamics", tmp_path / "short")
    assert row.functions[0].form == "straight"
    assert row.functions[0].workspace > 0  # in pieces
    compare(row, arm, {"forward_dynamics": lambda *x: ls.forward_dynamics(arm, *x)}, seeds=range(2))
    assert short.bytes[1] < 0.7 * row.bytes[1]


def test_the_test_program_tells(branched, tmp_path):
    folder, name = compiled(branched), branched.name
    assert branched.compile == f"cc -std=c99 -O2 {name}.c {name}_test.c -o {name}_test -lm"
    gcc(folder, *STRICT, f"{name}.o", f"{name}_test.c", "-o", "right", "-lm")
    done = subprocess.run([folder / "right"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert len(done.stdout.splitlines()) == len(branched.functions)
    assert all("ns per call" in line and "FAILED" not in line for line in done.stdout.splitlines())
    made = ls.export_c(ls.load("two_link"), "gravity_forces", tmp_path)
    source = made.files[1].read_text()
    made.files[1].write_text(source.replace(" = sin(", " = 1e-11 + sin(", 1))
    gcc(tmp_path, "-std=c99", "two_link.c", "two_link_test.c", "-o", "wrong", "-lm")
    done = subprocess.run([tmp_path / "wrong"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "FAILED" in done.stdout


@pytest.mark.parametrize(
    ("verb", "flags"),
    [("forward_dynamics_gradient", ["-O2"]), ("inverse_dynamics", ["-Os", "-DPUMA560_WORKSPACE=static"])],
)
def test_nothing_but_the_functions_of_libm_is_called(verb, flags, tmp_path):
    """Also when optimised: no memcpy or memset is made of anything."""
    made = ls.export_c(ls.load("puma560"), verb, tmp_path, form="tape")
    compiled(made, *flags)
    listed = subprocess.run(["nm", "-u", "puma560.o"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert {line.split()[-1] for line in listed.stdout.splitlines()} <= LIBM | LINKER
    names = subprocess.run(["nm", "-g", "--defined-only", "puma560.o"], cwd=tmp_path, capture_output=True, text=True)
    assert {line.split()[-1] for line in names.stdout.splitlines() if "T" in line.split()} == {
        f.name for f in made.functions
    }
    gcc(tmp_path, *STRICT, "puma560.o", "puma560_test.c", "-o", "t", "-lm")
    assert subprocess.run([tmp_path / "t"], capture_output=True).returncode == 0


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ on this machine")
def test_header_and_source_are_cpp_too(branched):
    folder = compiled(branched)
    (folder / "user.cpp").write_text(
        '#include "branched.h"\nint main() { double q[4] = {0}, g[4]; return branched_gravity_forces(q, g); }\n'
    )
    strict = [*STRICT[1:], "-std=c++11"]
    gcc(folder, *strict, "user.cpp", "branched.o", "-lm", "-o", "user", compiler="g++")
    assert subprocess.run([folder / "user"]).returncode == 0
    gcc(folder, *strict, "-x", "c++", "-c", "branched.c", "-o", "cpp.o", compiler="g++")


def test_single_precision(tmp_path):
    arm = ls.load("puma560")
    made = ls.export_c(arm, ["inverse_dynamics", "forward_dynamics_gradient"], tmp_path, precision="float")
    assert [f.verb for f in made.functions][1:] == [
        "forward_dynamics", "inverse_dynamics_gradient", "forward_dynamics_gradient",
    ]  # fmt: skip
    assert made.functions[-1].stack > made.functions[-2].stack
    compiled(made, "-Wdouble-promotion")  # nothing slips into double
    gcc(tmp_path, *STRICT, "puma560.o", "puma560_test.c", "-o", "t", "-lm")
    assert subprocess.run([tmp_path / "t"], capture_output=True).returncode == 0
    x = [np.float32(v) for v in state(arm, 2, 3)]
    (tau,), status = run(shared(made), made.functions[0], x, np.float32)
    assert status == 0
    assert 1e-9 < error(tau, ls.inverse_dynamics(arm, *map(np.float64, x))) < 1e-5


def test_what_is_not_finite_is_told(branched, tmp_path):
    code = shared(branched)
    for function in branched.functions:
        x = [np.full(a.size, 0.3) for a in function.inputs]
        assert run(code, function, x)[1] == 0
        for k in range(len(x)):
            bad = [a.copy() for a in x]
            bad[k][-1] = np.nan if k % 2 else np.inf
            assert run(code, function, bad)[1] == 1, (function.name, k)
    # a mass on the axis of the first joint when the second is at zero
    hinge = ls.Link("b", "a", ls.Joint("revolute", axis=(1, 0, 0)), 1.0, (0.0, 0.0, 0.2))
    arm = ls.Arm("gimbal", [ls.Link("a", None, ls.Joint("revolute")), hinge])
    made = ls.export_c(arm, "forward_dynamics", tmp_path)
    code, still = shared(made), [0.0, 0.0]
    with pytest.raises(ls.SolveError, match="singular"):
        ls.forward_dynamics(arm, [0.4, 0.0], still, [1.0, 0.0])
    assert run(code, made.functions[0], [[0.4, 0.0], still, [1.0, 0.0]])[1] == 1
    assert run(code, made.functions[0], [[0.4, 0.1], still, [1.0, 0.0]])[1] == 0


def test_arrays_may_be_the_same(tmp_path):
    """Also where a result is an input: the pose of a sliding link holds its position."""
    slide = ls.Joint("prismatic", axis=(1, 0, 0))
    arm = ls.Arm("rail", [ls.Link("a", None, slide, 2.0), ls.Link("b", "a", ls.Joint("prismatic"), 1.0)])
    made = ls.export_c(arm, ["pose", "inverse_dynamics"], tmp_path)
    code, room = shared(made), np.zeros(16)
    room[:2] = 0.4, -0.7
    pointer = ctypes.c_void_p(room.ctypes.data)
    assert code.rail_pose(pointer, pointer) == 0
    assert room.reshape(4, 4)[:3, 3] == pytest.approx([0.4, 0.0, -0.7], abs=1e-15)
    room = np.array([0.1, -0.2])
    pointer = ctypes.c_void_p(room.ctypes.data)
    assert code.rail_inverse_dynamics(pointer, pointer, pointer, pointer) == 0
    assert room == pytest.approx([0.3, -0.2 + 9.81], rel=1e-14)


def test_awkward_names(tmp_path):
    arm = ls.load("two_link").replace(name="2-Gelenk */ Ärmchen ??/ \\")
    made = ls.export_c(arm, "gravity_forces", tmp_path)
    assert made.name == "arm_2_Gelenk_Armchen"
    assert [path.name for path in made.files] == [f"{made.name}{end}" for end in (".h", ".c", "_test.c")]
    gcc(tmp_path, *STRICT, "-Wcomment", "-Wtrigraphs", f"{made.name}.c", f"{made.name}_test.c", "-o", "t", "-lm")
    assert ls.export_c(arm, "gravity_forces", tmp_path, name="own").functions[0].name == "own_gravity_forces"


def test_foreign_files_stay(tmp_path):
    arm = ls.load("two_link")
    made = ls.export_c(arm, "gravity_forces", tmp_path)
    before = made.files[1].read_bytes()
    again = ls.export_c(arm, "inverse_dynamics", str(tmp_path))  # its own it may write again
    assert again.files == made.files
    assert before != made.files[1].read_bytes()
    ls.export_c(arm, "gravity_forces", tmp_path)
    assert before == made.files[1].read_bytes()
    made.files[2].write_text("/* mine */\n")
    with pytest.raises(ls.InputError, match=r"two_link_test\.c exists and was not made by export_c"):
        ls.export_c(arm, "inverse_dynamics", tmp_path)
    assert before == made.files[1].read_bytes()
    assert made.files[2].read_text() == "/* mine */\n"
    with pytest.raises(ls.InputError, match="cannot be made"):
        ls.export_c(arm, "inverse_dynamics", made.files[2] / "below")
    with pytest.raises(ls.InputError, match="is a file"):
        ls.export_c(arm, "inverse_dynamics", made.files[2])


def test_files_say_which_arm_they_are_of_and_those_of_others_stay(tmp_path):
    """Names that become the same word of C, in scripts that it cannot spell at all too."""
    arm = ls.load("two_link")
    for name, alike, word in (("my arm", "my-arm", "my_arm"), ("腕, 二", "*/ 腕", "arm")):
        made = ls.export_c(arm.replace(name=name), "gravity_forces", tmp_path)
        before = [path.read_text() for path in made.files]
        assert made.name == word
        assert all(arm.replace(name=name).digest in text for text in before)
        with pytest.raises(ls.InputError, match=re.escape(f"{word}.h exists and is of arm {name!r}, not of {alike!r}")):
            ls.export_c(arm.replace(name=alike), "gravity_forces", tmp_path)
        assert before == [path.read_text() for path in made.files]
        loaded = ls.export_c(arm.replace(name=name).with_payload(ls.Payload(2.3)), "gravity_forces", tmp_path)
        assert all(path.read_text() != text for path, text in zip(loaded.files, before, strict=True))


LOOPED = ls.Arm(
    "closed",
    [
        ls.Link("a", None, ls.Joint("revolute"), 1.0, (0.2, 0, 0), np.eye(3)),
        ls.Link("b", "a", ls.Joint("revolute"), 1.0, (0.1, 0, 0), np.eye(3)),
    ],
    loops=[ls.Loop(a=("b", (0.3, 0, 0)), b=("a", (0.3, 0, 0)), joint="spherical")],
)


@pytest.mark.parametrize(
    ("verbs", "options", "words"),
    [
        ("inverse_dynamic", {}, "did you mean 'inverse_dynamics'"),
        ("simulate", {}, "'simulate' cannot be exported"),
        ([], {}, "expected the name of one or several"),
        (7, {}, "functions is 7"),
        ([["pose"]], {}, "cannot be exported"),
        ("pose", {"frame": "nose"}, "nose"),
        ("pose", {"point": (1, 2)}, "expected \\(3,\\)"),
        ("pose", {"point": np.zeros((2, 3))}, "one point"),
        ("mass_matrix", {"frame": "link1"}, "mass_matrix does not use one"),
        ("mass_matrix", {"loads": ["link2.tip"]}, "accepts no loads"),
        ("inverse_dynamics", {"loads": "link2.tip"}, "expected names of links"),
        ("inverse_dynamics", {"loads": ["link2"]}, "'link2.tip'"),
        ("inverse_dynamics", {"base": 1}, "base is 1"),
        ("inverse_dynamics", {"precision": "half"}, "double, float"),
        ("inverse_dynamics", {"form": "numpy"}, "straight, tape"),
        ("inverse_dynamics", {"name": "a-b"}, "for example 'a_b'"),
        ("inverse_dynamics", {"name": "double"}, "for example 'arm_double'"),
        ("inverse_dynamics", {"name": "a_test"}, "not ending in _test, for example 'a_test_arm'"),
        ("inverse_dynamics", {"into": 3}, "into is 3"),
        ("regressor", {}, "regressor is not available"),
    ],
)
def test_refusals(verbs, options, words, tmp_path):
    with pytest.raises(ls.LissomError, match=words):
        ls.export_c(BENT, verbs, **{"into": tmp_path / "none", **options})
    assert list(tmp_path.iterdir()) == []


def test_closed_loops(tmp_path):
    for verb in ("inverse_dynamics", "forward_dynamics", "forward_dynamics_gradient"):
        with pytest.raises(ls.UnsupportedError, match=f"closed loops, and {verb} of the closed arm"):
            ls.export_c(LOOPED, verb, tmp_path)
    made = ls.export_c(LOOPED, "mass_matrix", tmp_path)  # that of the tree, as in Python
    (M,), _ = run(shared(made), made.functions[0], [[0.3, 0.7]])
    assert error(M, ls.mass_matrix(LOOPED, [0.3, 0.7])) < AGREES


def test_the_command(tmp_path):
    words = ["export-c", "puma560", "gravity_forces", "jacobian", "--output", str(tmp_path), "--point", "0,0,0.1"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    made = ls.export_c(ls.load("puma560"), ["gravity_forces", "jacobian"], tmp_path, point=(0, 0, 0.1))
    assert done.output == f"{made}\n"
    assert "'flange' at (0, 0, 0.1)" in made.files[0].read_text()
    done = CliRunner().invoke(app, [*words, "--json"])
    assert '"name": "puma560_jacobian"' in done.output
    done = CliRunner().invoke(app, ["export-c", "puma560", "nonsense", "--output", str(tmp_path)])
    assert done.exit_code == 1
    assert "'nonsense' cannot be exported" in done.output
