"""Tables of OpenSim: what they say, and what damaged ones are refused with."""

import numpy as np
import pytest

import lissom as ls

GOOD = """\
Coordinates
version=1
nRows=3
nColumns=3
inDegrees=yes

Units are S.I. units (second, meters, Newtons, ...)
endheader
time\tknee_angle_r\t/jointset/groundPelvis/pelvis_tx/value
0.0\t-12.5\t0.1
   0.01  \t -13.0\t1e-1
0.02\t-14.25\t0.12
"""


def loaded(folder, text, name="walk.mot"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return ls.load_opensim_table(path)


def test_columns_times_and_units(tmp_path):
    table = loaded(tmp_path, GOOD)
    assert table.title == "Coordinates"
    assert table.in_degrees
    assert table.t.tolist() == [0.0, 0.01, 0.02]
    assert table["knee_angle_r"].tolist() == [-12.5, -13.0, -14.25]
    assert np.allclose(table.angle("knee_angle_r"), np.deg2rad([-12.5, -13.0, -14.25]))
    assert "/jointset/groundPelvis/pelvis_tx/value" in table
    assert "3 rows from 0 to 0.02 s, 2 columns, angles in degrees" in table.describe()
    with pytest.raises(ls.InputError, match="no column 'knee_angle'; did you mean 'knee_angle_r'"):
        table["knee_angle"]


def test_sto_in_radians_with_windows_lines_and_padded_keys(tmp_path):
    text = GOOD.replace("Coordinates\n", "").replace("nRows=3", "datarows=3\t\t").replace("nColumns", "datacolumns")
    table = loaded(tmp_path, text.replace("=yes", "=no").replace("\n", "\r\n"), "walk.sto")
    assert table.title == ""
    assert table.angle("knee_angle_r")[0] == -12.5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("endheader", "endhead", "no line 'endheader'"),
        ("nRows=3", "nRows=4", r"walk.mot:3: its header says 4 rows, but it has 3: the file is cut short"),
        ("nRows=3", "nRows=2", "says 2 rows, but it has 3: rows were added"),
        ("nRows=3", "nRows=x", r"walk.mot:3: the number of rows is 'x'; expected a whole number"),
        ("nColumns=3", "nColumns=9", "says 9 columns, but it has 3"),
        ("inDegrees=yes", "inDegrees=maybe", r"walk.mot:5: inDegrees is 'maybe'; expected yes or no"),
        ("version=1", "DataType=Vec3", "DataType is 'Vec3'; expected double"),
        ("time\t", "frame\t", r"walk.mot:9: the first column is 'frame'; expected time"),
        ("-13.0", "-1x3", r"walk.mot:11: column 'knee_angle_r' has '-1x3'; expected a finite number"),
        ("-13.0", "nan", r"walk.mot:11: column 'knee_angle_r' has 'nan'"),
        ("-13.0\t", "\t", r"walk.mot:11: it has 2 numbers for 3 columns"),
        ("0.02\t", "0.005\t", r"walk.mot:12: time falls or stays: 0.01 s, then 0.005 s"),
        ("/jointset/groundPelvis/pelvis_tx/value", "knee_angle_r", "two columns have the same name, 'knee_angle_r'"),
    ],
)
def test_damaged_tables_are_refused_with_their_line(tmp_path, old, new, message):
    assert GOOD.count(old) == 1
    with pytest.raises(ls.ModelError, match=message):
        loaded(tmp_path, GOOD.replace(old, new))


def test_other_things_are_refused(tmp_path):
    with pytest.raises(ls.InputError, match=r"a table of OpenSim ends in .mot or .sto"):
        ls.load_opensim_table(tmp_path / "walk.csv")
    with pytest.raises(ls.ModelError, match="does not exist"):
        ls.load_opensim_table(tmp_path / "walk.mot")
    with pytest.raises(ls.InputError, match="expected a file"):
        ls.load_opensim_table(3)
    with pytest.raises(ls.ModelError, match="it has no line 'endheader'"):
        loaded(tmp_path, bytes(range(256)) * 4)
    with pytest.raises(ls.ModelError, match="nothing follows endheader"):
        loaded(tmp_path, "endheader\n\n")
    with pytest.raises(ls.ModelError, match="it has 1 rows; expected at least two"):
        loaded(tmp_path, "endheader\ntime a\n0 1\n")
