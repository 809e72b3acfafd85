"""`lissom torques`: payload and loads of a motion, and torques of a file that disagree."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app


def torques(*arguments):
    done = CliRunner().invoke(app, ["torques", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done


def words(done):
    return " ".join(done.stderr.split())


@pytest.fixture(scope="module")
def carried(tmp_path_factory):
    """A motion with a payload and a load that changes, as .csv and .nc."""
    folder = tmp_path_factory.mktemp("carried")
    arm = ls.load("two_link").with_payload(ls.Payload(0.5, (0.1, 0, 0)))
    loads = [ls.Load("fore", force=[[0, 0, 0], [1.0, -2.0, 0]])]
    task = {"start": [0, -2], "goal": [1, -1], "duration": 0.8, "minimise": "torque_squared", "segments": 6}
    motion = ls.predict_motion(arm, loads=loads, **task)
    motion.save(folder / "m.nc")
    motion.to_csv(folder / "m.csv", 200)
    return motion, folder


@pytest.mark.parametrize("file", ["m.csv", "m.nc"])
def test_payload_and_loads_of_the_motion_are_used(carried, file):
    motion, folder = carried
    done = torques("two_link", folder / file, "--json")
    assert "the motion's payload is used: 0.5 kg on link 'fore'" in words(done)
    assert "the motion's external loads on 'fore' act." in words(done)
    found = json.loads(done.stdout)
    assert found["differs"] == ""
    peaks = np.abs(motion.table(200).tau if file == "m.csv" else motion.tau).max(axis=0)
    assert [abs(row["peak"]) for row in found["torques"]] == pytest.approx(peaks, rel=1e-6)


def test_other_payloads_and_loads_are_named(carried, tmp_path):
    motion, folder = carried
    less = torques("two_link", folder / "m.csv", "--payload", "0.2")
    assert "warning: the file's own torques differ from the computed ones by up to" in words(less)
    assert "at joint 'upper', t = " in words(less) or "at joint 'fore', t = " in words(less)
    assert "another payload: 0.5 kg on link 'fore'; leave out --payload" in words(less)
    (tmp_path / "none.toml").write_text("[[loads]]\nlink = 'fore'\n")
    none = torques("two_link", folder / "m.csv", "--loads", tmp_path / "none.toml")
    assert "warning: the file's own torques differ" in words(none)
    ls.save(motion.arm, tmp_path / "carrying.toml")
    same = torques(tmp_path / "carrying.toml", folder / "m.csv")
    assert "payload is used" not in words(same)
    assert "warning" not in words(same)


def without_header(file, target):
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    target.write_text("\n".join(lines) + "\n")
    return target


def test_probable_causes(tmp_path):
    """Tables without a header: a payload or a force is found from the difference."""
    task = {"start": [0, -2], "goal": [1, -1], "duration": 0.8, "minimise": "torque_squared", "segments": 6}
    arm = ls.load("two_link")
    heavy = ls.predict_motion(arm.with_payload(ls.Payload(0.5)), **task)
    heavy.to_csv(tmp_path / "m.csv")
    plain = without_header(tmp_path / "m.csv", tmp_path / "plain.csv")
    assert "A payload of 0.5 kg on link 'fore' explains it: add --payload 0.5." in words(torques("two_link", plain))
    assert "warning" not in words(torques("two_link", plain, "--payload", "0.5"))
    pushed = ls.predict_motion(arm, loads=[ls.Load("fore", force=[3.0, -2.0, 0.0])], **task)
    pushed.to_csv(tmp_path / "p.csv")
    plain = without_header(tmp_path / "p.csv", tmp_path / "plain.csv")
    assert "A constant force (3, -2, " in words(torques("two_link", plain))
    table = pushed.table(1000)
    rows = np.column_stack([table.t, table.q, table.qd, table.qdd, table.tau * [1.5, 0.2]])
    names = "t," + ",".join(f"{word}[{name}]" for word in ("q", "qd", "qdd", "tau") for name in arm.coordinates)
    np.savetxt(tmp_path / "odd.csv", rows, delimiter=",", header=names, comments="")
    assert "Probably the arm lacks a payload (--payload), external loads" in words(
        torques("two_link", tmp_path / "odd.csv")
    )


def test_tables_are_read_by_pandas_and_numpy(carried, tmp_path):
    import pandas

    motion, folder = carried
    run = ls.simulate(ls.load("two_link"), [0.1, 0.2], until=0.1, loads=[ls.Load("fore", force=[1, 0, 0])])
    run.save(tmp_path / "run.csv")
    for file, q in ((folder / "m.csv", motion.table(200).q), (tmp_path / "run.csv", run.q)):
        lines = file.read_text().splitlines()
        frame = pandas.read_csv(file, comment="#")
        assert np.array_equal(frame[["q[upper]", "q[fore]"]].to_numpy(), q)
        (command,) = [line for line in lines if line.startswith("# numpy.loadtxt")]
        skipped = int(command.split("skiprows=")[1].rstrip(")"))
        assert np.array_equal(np.loadtxt(file, delimiter=",", skiprows=skipped)[:, 1:3], q)
        assert any(line == '# arm: "two_link"' for line in lines)
        assert any(line.startswith("# digest: ") for line in lines)
    assert '# loads: [{"link": "fore", "force": [1.0, 0.0, 0.0]' in (tmp_path / "run.csv").read_text()
    assert ls.load_run(tmp_path / "run.csv").report.provenance["loads"][0]["link"] == "fore"
    assert "external loads on 'fore' act" in words(torques("two_link", tmp_path / "run.csv"))


def test_loads_that_are_functions_of_time_are_named_as_missing(tmp_path):
    arm = ls.load("two_link")
    run = ls.simulate(arm, [0.1, 0.2], until=0.2, loads=lambda t: [ls.Load("fore", force=[30 * t, 0, 0])])
    run.save(tmp_path / "run.csv")
    done = torques("two_link", tmp_path / "run.csv")
    assert "external loads on 'fore' change with time and are not in the file; give them by --loads." in words(done)


def test_a_payload_replaces_that_of_a_saved_motion(carried):
    motion, folder = carried
    own, less = (json.loads(torques(folder / "m.nc", *more, "--json").stdout) for more in ((), ("--payload", "0.2")))
    assert own["differs"] == ""
    assert [abs(row["peak"]) for row in own["torques"]] == pytest.approx(np.abs(motion.tau).max(axis=0))
    lighter = motion.arm.with_payload(ls.Payload(0.2))
    tau = ls.inverse_dynamics(lighter, motion.q, motion.qd, motion.qdd, loads=motion.loads_at(motion.t))
    assert [abs(row["peak"]) for row in less["torques"]] == pytest.approx(np.abs(tau).max(axis=0))
    assert "another payload: 0.5 kg on link 'fore'; leave out --payload to use it." in less["differs"]
    same = json.loads(torques(folder / "m.nc", "--payload", "0.5,0.1,0,0", "--json").stdout)
    assert same["differs"] == ""


def test_a_payload_replaces_that_of_a_saved_run_and_its_loads_are_named(tmp_path):
    arm = ls.load("two_link")
    run = ls.simulate(arm, [0.1, 0.2], until=0.2, loads=[ls.Load("fore", force=[1, 0, 0])])
    run.save(tmp_path / "run.nc")
    note = "the motion's external loads on 'fore' act."
    assert note in words(torques(tmp_path / "run.nc"))
    heavy = json.loads(torques(tmp_path / "run.nc", "--payload", "2", "--json").stdout)
    assert heavy["notes"] == [note]
    given = json.loads(torques("two_link", tmp_path / "run.nc", "--payload", "2", "--json").stdout)
    assert heavy["torques"] == given["torques"]
    assert "made without a payload; leave out --payload." in heavy["differs"]


@pytest.mark.parametrize(
    "option", [["--flexible", "side.toml"], ["--mimic", "free"], ["--merge-fixed"], ["--repair"], ["--as-written"]]
)
def test_options_of_an_arm_are_refused_where_the_file_contains_it(carried, option):
    done = CliRunner().invoke(app, ["torques", str(carried[1] / "m.nc"), *option])
    assert done.exit_code == 1
    assert f"m.nc contains its arm; omit {option[0]}." in words(done)


def test_a_payload_that_is_missing_is_looked_for_where_the_option_puts_it(tmp_path):
    X = np.eye(4)
    X[:3, 3] = 0.2, 0.05, 0.0
    arm = ls.load("two_link").with_link("fore", tools={"gripper": X})
    ls.save(arm, tmp_path / "arm.toml")
    run = ls.simulate(arm.with_payload(ls.Payload(0.5)), [0.1, 0.2], until=0.2, tau=[3.0, 1.0])
    run.save(tmp_path / "with_header.csv")
    without_header(tmp_path / "with_header.csv", tmp_path / "run.csv")
    assert "A payload of 0.5 kg on link 'gripper' explains it: add --payload 0.5." in words(
        torques(tmp_path / "arm.toml", tmp_path / "run.csv")
    )
    assert "warning" not in words(torques(tmp_path / "arm.toml", tmp_path / "run.csv", "--payload", "0.5"))


def test_the_payload_of_the_arm_is_not_that_of_the_motion(carried, tmp_path):
    """Payloads are exactly those of the header, so that file and computation agree."""
    bare, task = ls.load("two_link"), {"start": [0, -2], "goal": [1, -1], "duration": 0.8, "segments": 6}
    ls.save(bare.with_payload(ls.Payload(0.7), "upper"), tmp_path / "carrying.toml")
    ls.predict_motion(bare, minimise="torque_squared", **task).to_csv(tmp_path / "bare.csv", 200)
    done = torques(tmp_path / "carrying.toml", tmp_path / "bare.csv")
    assert "made without a payload, the arm's is not used: 0.7 kg on link 'upper'; another one: --payload" in words(
        done
    )
    assert "warning" not in words(done)
    given = torques(tmp_path / "carrying.toml", tmp_path / "bare.csv", "--payload", "0.7")
    assert "The motion was made without a payload; leave out --payload." in words(given)
    done = torques(tmp_path / "carrying.toml", carried[1] / "m.csv")
    assert "is used: 0.5 kg on link 'fore' instead of the arm's 0.7 kg on link 'upper'; another one" in words(done)
    assert "warning" not in words(done)


def test_the_payload_of_a_merged_link_is_mass_of_the_motion(tmp_path):
    bare = ls.load("two_link")
    hand = ls.Link("hand", parent="fore", joint=ls.Joint("fixed"), mass=0.1, inertia=1e-3 * np.eye(3))
    arm = bare.replace(links=(*bare.links, hand)).with_payload(ls.Payload(0.5), "hand")
    ls.save(arm, tmp_path / "arm.toml")
    ls.simulate(arm.merge_fixed(), [0.1, 0.2], until=0.2, tau=[3.0, 1.0]).save(tmp_path / "run.csv")
    for option in ([], ["--merge-fixed"]):
        assert words(torques(tmp_path / "arm.toml", tmp_path / "run.csv", *option)) == ""
    (tmp_path / "load.toml").write_text("[[loads]]\nlink = 'fore'\nforce = [5.0, 0, 0]\n")
    loaded = words(torques(tmp_path / "arm.toml", tmp_path / "run.csv", "--loads", tmp_path / "load.toml"))
    assert "warning: the file's own torques differ" in loaded
    assert "leave out --payload" not in loaded


def test_a_payload_on_a_link_that_the_arm_lacks_is_named(carried, tmp_path):
    table = (carried[1] / "m.csv").read_text()
    (tmp_path / "m.csv").write_text(table.replace('payload: [{"link": "fore"', 'payload: [{"link": "hand"'))
    done = torques("two_link", tmp_path / "m.csv")
    assert "payload is not used, arm 'two_link' has no such link: 0.5 kg on link 'hand'." in words(done)
    assert "another payload: 0.5 kg on link 'hand'; arm 'two_link' has no such link." in words(done)
    assert "--payload" not in words(done)


def test_the_motion_is_missing():
    done = CliRunner().invoke(app, ["torques", "two_link"])
    assert done.exit_code == 1
    assert "name the motion too: lissom torques two_link MOTION" in words(done)


def test_motions_of_other_arms_are_refused(carried):
    done = CliRunner().invoke(app, ["torques", "puma560", str(carried[1] / "m.nc")])
    assert done.exit_code == 1
    assert "it has other joints than arm 'puma560'" in words(done)


def test_friction_at_rest_is_no_disagreement(tmp_path):
    """A joint that sticks needs any torque up to its friction, and the computed one is without it."""
    sticking = ls.load("two_link")
    for joint in sticking.joints:
        sticking = sticking.with_joint(joint.name, friction=30.0)
    ls.save(sticking, tmp_path / "sticking.toml")
    ls.simulate(sticking, [0.3, -1.0], tau=[2.0, 1.0], until=0.2).save(tmp_path / "run.csv")
    assert words(torques(tmp_path / "sticking.toml", tmp_path / "run.csv")) == ""


def rest_to_rest(file, names, amplitude, duration=2.0, samples=201, scale=1.0):
    """Write a quintic from zero to `amplitude` as columns t and q, without rates."""
    s = np.linspace(0.0, 1.0, samples)
    q = scale * amplitude * (10 * s**3 - 15 * s**4 + 6 * s**5)
    table = np.column_stack([duration * s, *[q] * len(names)])
    np.savetxt(file, table, delimiter=",", header=",".join(["t", *(f"q[{x}]" for x in names)]), comments="")
    return file


@pytest.fixture
def rubbing(tmp_path):
    """The arm two_link without gravity, with friction of 1 N m at its first joint."""
    arm = ls.load("two_link").with_gravity([0, 0, 0]).with_joint("upper", friction=1.0)
    ls.save(arm, tmp_path / "rubbing.toml")
    return tmp_path / "rubbing.toml"


@pytest.mark.parametrize("digits", [17, 6])
def test_friction_does_not_take_the_sign_of_the_error_of_rates(rubbing, tmp_path, digits):
    file = rest_to_rest(tmp_path / "q.csv", ["upper", "fore"], 0.5)
    lines = np.loadtxt(file, delimiter=",", skiprows=1).round(digits)
    head = file.read_text().splitlines()[0]
    np.savetxt(file, lines, delimiter=",", header=head, comments="")
    done = torques(rubbing, file, "-o", tmp_path / "tau.csv")
    tau = np.loadtxt(tmp_path / "tau.csv", delimiter=",", skiprows=1)[:, 1]
    assert np.abs(tau[[0, -1]]).max() < 0.1  # at rest: neither +1 nor -1
    assert (tau[5:100] > 0.99).all()  # moving: friction is there
    assert "count as rest, without friction" in words(done)
    assert "upper" in words(done)


def test_forces_that_hold_beams_straight_are_explained(tmp_path):
    done = torques("two_link_flexible", rest_to_rest(tmp_path / "q.csv", ["joint1", "joint2"], 0.3, samples=21))
    assert "rows such as 'link1.bending_z1' are no motors: they are the forces that would hold" in words(done)


def test_slow_motions_keep_their_friction(rubbing, tmp_path):
    t = np.linspace(0, 1, 21)
    np.savetxt(tmp_path / "slow.csv", np.c_[t, 1e-6 * t, 0 * t], delimiter=",", header="t,upper,fore", comments="")
    done = torques(rubbing, tmp_path / "slow.csv", "--json")
    assert json.loads(done.stdout)["torques"][0]["rms"] == pytest.approx(1.0, rel=1e-3)
    assert "count as rest" not in words(done)


def test_tables_in_degrees_and_overloads_are_warned_of(tmp_path):
    arm = ls.load("ur5")
    names = [joint.name for joint in arm.joints]
    done = torques("ur5", rest_to_rest(tmp_path / "deg.csv", names, 90.0))
    assert "90 looks like degrees: convert these columns" in words(done)
    assert "needs more than the torque limit of joint" in words(done)
    assert "% of its limit" not in words(torques("ur5", rest_to_rest(tmp_path / "rad.csv", names, 0.1)))


@pytest.mark.parametrize(
    ("words_given", "sentence"),
    [
        (["m.csv", "two_link"], "arm and motion are swapped: m.csv is a table; .*: lissom torques two_link m.csv"),
        (["m.csv"], "m.csv is a table; name the arm before it: lissom torques ARM m.csv"),
        (["two_link", "bare.csv"], "its first line has numbers; expected a line with the names of the columns"),
        (["two_link", "semicolons.csv"], "its columns are separated by semicolons; expected commas"),
        (["two_link", "twice.csv"], "two columns have the same name, 'upper'"),
    ],
)
def test_tables_in_the_wrong_place_or_form_are_named(words_given, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "0,0,0\n1,1,1\n2,2,2\n3,3,3\n"
    for name, text in (
        ("m.csv", "t,upper,fore\n" + rows),
        ("bare.csv", rows),
        ("semicolons.csv", ("t,upper,fore\n" + rows).replace(",", ";")),
        ("twice.csv", "t,upper,upper\n" + rows),
    ):
        (tmp_path / name).write_text(text)
    done = CliRunner().invoke(app, ["torques", *words_given])
    assert done.exit_code == 1
    assert re.search(sentence, words(done)), words(done)


@pytest.mark.parametrize(
    ("names", "factors"),
    [
        (("time", "q1", "q2"), (1, 1, 1)),
        (("t", "q_deg[upper]", "q_deg[fore]"), (1, 180 / np.pi, 180 / np.pi)),
        (("time_ms", "upper_deg", "fore_deg"), (1e3, 180 / np.pi, 180 / np.pi)),
        (("t", "upper.position", "fore.position"), (1, 1, 1)),
    ],
)
def test_tables_may_have_the_columns_of_logs(tmp_path, names, factors):
    t = np.linspace(0, 1, 101)
    table = np.column_stack([t, 0.3 * np.sin(3 * t), 0.2 * np.cos(2 * t)])
    found = []
    for file, head, values in (("own", "t,q[upper],q[fore]", table), ("other", ",".join(names), table * factors)):
        np.savetxt(tmp_path / f"{file}.csv", values, delimiter=",", header=head, comments="")
        found.append(json.loads(torques("two_link", tmp_path / f"{file}.csv", "--json").stdout))
    assert [row["peak"] for row in found[1]["torques"]] == pytest.approx([row["peak"] for row in found[0]["torques"]])


def test_a_table_without_positions_is_told_what_it_has(tmp_path):
    (tmp_path / "m.csv").write_text("t,force,speed\n0,1,2\n1,2,3\n")
    done = CliRunner().invoke(app, ["torques", "two_link", str(tmp_path / "m.csv")])
    assert "expected columns q[upper], q[fore]; it has force, speed" in " ".join(done.output.split())
