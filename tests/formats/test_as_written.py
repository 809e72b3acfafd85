"""Unphysical inertias taken as they are written, to compare with tools that do not look at them."""

import numpy as np
import pinocchio as pin
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.spatial.frames import pose

TEXT = """<robot name="r">
<link name="base"/>
<joint name="one" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0.2 0.3 1"/>
  <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
<link name="a"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="2"/>
  <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.3"/></inertial></link>
<joint name="mount" type="fixed"><origin xyz="0.3 0 0"/><parent link="a"/><child link="camera"/></joint>
<link name="camera"><inertial><mass value="0.1"/>
  <inertia ixx="-1e-5" ixy="0" ixz="0" iyy="2e-5" iyz="0" izz="2e-5"/></inertial></link>
<joint name="two" type="revolute"><origin xyz="0.5 0 0" rpy="0 0.4 0"/><parent link="a"/><child link="b"/>
  <axis xyz="1 0 0.5"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
<link name="b"><inertial><origin xyz="0.1 0.1 0"/><mass value="1"/>
  <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
</robot>
"""
Q, QD, QDD = np.array([0.3, -0.7]), np.array([0.5, 0.2]), np.array([-0.4, 1.1])


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(TEXT)
    return file


def test_numbers_are_those_of_pinocchio(path):
    arm = ls.load(path, repair="as_written")
    model = pin.buildModelFromUrdf(str(path))
    expected = pin.rnea(model, model.createData(), Q, QD, QDD)
    assert np.allclose(ls.inverse_dynamics(arm, Q, QD, QDD), expected, rtol=1e-13, atol=1e-13)
    assert not np.allclose(ls.inverse_dynamics(ls.load(path, repair=True), Q, QD, QDD), expected, rtol=1e-3)
    assert np.allclose(ls.forward_dynamics(arm, Q, QD, expected), QDD, atol=1e-10)


def test_each_link_is_listed_and_found_by_check(path):
    arm = ls.load(path, repair="as_written")
    assert [link.name for link in arm.links if link.as_written] == ["a", "camera"]
    listed = [finding for finding in arm.check() if "taken as written" in finding.message]
    assert {finding.level for finding in listed} == {"warning"}
    assert [finding.message.split("'")[1] for finding in listed] == ["a", "camera"]
    assert "-1e-05, 2e-05, 2e-05" in listed[1].message


def test_it_survives_files_copies_and_merging(path, tmp_path):
    arm = ls.load(path, repair="as_written")
    ls.save(arm, tmp_path / "r.toml")
    assert ls.load(tmp_path / "r.toml") == arm  # the file says as_written
    ls.save(arm, tmp_path / "again.urdf", lossy=True)
    assert ls.load(tmp_path / "again.urdf", repair="as_written").link("camera").inertia[0, 0] == -1e-5
    merged = ls.load(path, repair="as_written", fixed="merge")
    assert np.allclose(ls.inverse_dynamics(merged, Q, QD, QDD), ls.inverse_dynamics(arm, Q, QD, QDD), rtol=1e-13)


def test_native_files_are_taken_as_written_too(tmp_path):
    file = tmp_path / "r.toml"
    file.write_text('name = "r"\n[[links]]\nname = "a"\nmass = 1.0\ncom = [0.1, 0, 0]\ninertia = [0.1, 0.1, 0.5]\n')
    with pytest.raises(ls.ModelError, match="inertia is not physical"):
        ls.load(file)
    arm = ls.load(file, repair="as_written")
    assert arm.links[0].as_written
    assert arm.notes == ("link 'a': unphysical principal moments 0.1, 0.1, 0.5 taken as written.",)
    with pytest.raises(ls.InputError, match="repair is for URDF files"):
        ls.load(file, repair=True)


def test_physical_files_are_not_touched():
    assert ls.load("puma560", repair="as_written") == ls.load("puma560")


def test_the_terminal_takes_it_too(path):
    run = CliRunner()
    done = run.invoke(app, ["check", str(path), "--as-written"])
    assert done.exit_code == 0
    assert "r: not physical, used as written, 2 warnings" in done.output
    assert run.invoke(app, ["info", str(path)]).exit_code == 1
    both = run.invoke(app, ["info", str(path), "--as-written", "--repair"])
    assert "--repair and --as-written exclude each other" in both.output


def test_other_words_are_refused(path):
    with pytest.raises(ls.InputError, match="repair is 'written'; expected False, True or 'as_written'"):
        ls.load(path, repair="written")


def test_a_mass_matrix_that_is_not_definite_is_named():
    first = ls.Link("a", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, -0.5), as_written=True)
    second = ls.Link("b", "a", ls.Joint(placement=pose(p=(0.5, 0, 0))), mass=1.0, com=(0.1, 0, 0), inertia=0.1)
    arm = ls.Arm("negative", [first, second])
    assert np.linalg.eigvalsh(ls.mass_matrix(arm, Q))[0] < 0
    with pytest.raises(ls.SimulationError, match="not positive definite at joint 'a': the inertia of link 'a'"):
        ls.simulate(arm, Q, until=0.1)
    with pytest.raises(ls.ModelError, match=r"principal moment -0\.5 is negative"):
        first.replace(as_written=False)
