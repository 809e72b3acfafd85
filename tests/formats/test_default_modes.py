"""A beam that could bend in two planes, and keeps modes of one by default, is noted by the readers."""

import pytest

import lissom as ls

ARM = """
name = "crane"
[[links]]
name = "boom"
joint = { axis = [0, 0, 1] }
[links.beam]
length = 1.0
mass_per_length = 0.5
"""


@pytest.mark.parametrize(
    ("beam", "note"),
    [
        ("EI = 20.0\n", "the beam keeps 2 modes of bending_z and none of bending_y"),
        ("EI_y = 20.0\nEI_z = 30.0\nmodes = { bending_y = 1 }\n", "bending_z, of which 2 are the default"),
        ("EI_z = 20.0\n", ""),
        ("EI = 20.0\nmodes = { bending_z = 2 }\n", ""),
        ("EI = 20.0\nmodes = { bending_z = 0, bending_y = 1 }\n", ""),
    ],
)
def test_defaults_that_leave_out_a_plane_are_noted(tmp_path, beam, note):
    (tmp_path / "arm.toml").write_text(ARM + beam)
    notes = " ".join(ls.load(tmp_path / "arm.toml").notes)
    assert note in notes if note else not notes
