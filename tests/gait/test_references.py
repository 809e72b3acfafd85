"""Curves of walks from tables of OpenSim."""

from pathlib import Path

import numpy as np
import pytest
from tests.gait.made_up import ALPHA, BEND, CYCLE, STANCE, fore_aft, share, states, vertical

import lissom as ls
from lissom.gait.curves import likeness

MEASURED = Path(__file__).resolve().parents[3] / "shared" / "data" / "gait"
MASS = 71.3
WEIGHT = MASS * 9.80665


def table(path, t, columns, degrees):
    head = f"made up\nversion=1\nnRows={len(t)}\nnColumns={len(columns) + 1}\ninDegrees={degrees}\nendheader\n"
    rows = "\n".join("\t".join(f"{x:.12g}" for x in row) for row in np.column_stack([t, *columns.values()]))
    path.write_text(head + "\t".join(["time", *columns]) + "\n" + rows + "\n")


def written(folder, t, name="{}_{}", force="ground_force_{}_v{}", degrees="yes", knee=-1.0, tilt=0.1, start=0.0):
    """The made-up walk as tables at times t; `start`: the time of the walk at t = 0."""
    q, _ = states(t + start)
    angles, forces = {name.format("pelvis", "tilt"): np.full(len(t), tilt)}, {}
    for k, side, mark in ((3, "right", "r"), (6, "left", "l")):
        words = ("hip_flexion", "knee_angle", "ankle_angle")
        for word, y in zip(words, (q[:, k] - tilt, knee * q[:, k + 1], q[:, k + 2]), strict=True):
            angles[name.format(word, mark)] = y
        u = share(t + start, side)
        parts = {"x": fore_aft(u), "y": vertical(u), "z": 0.05 * vertical(u) * (-1 if mark == "r" else 1)}
        for axis, y in parts.items():
            forces[force.format(mark, axis)] = WEIGHT * y
    factor = np.rad2deg(1.0) if degrees == "yes" else 1.0
    table(folder / "q.mot", t, {word: factor * y for word, y in angles.items()}, degrees)
    table(folder / "f.sto", t, forces, degrees)
    return folder / "q.mot", folder / "f.sto"


def check(found, tolerance=1.2):
    """The curves are those of the walk; the foot stands from 3 % of the weight on, which is a little late."""
    u = np.linspace(0, 1, 101)
    s = np.pi * (u - STANCE) / (1 - STANCE)
    assert np.abs(found["hip"] - np.rad2deg(ALPHA * np.cos(2 * np.pi * u))).max() < tolerance
    assert np.abs(found["knee"] - np.rad2deg(np.where(u > STANCE, BEND * np.sin(s) ** 2, 0))).max() < 4 * tolerance
    assert np.abs(found["vertical"] - vertical(u)).max() < 0.04  # a heel strikes at 0.03
    assert found.duration == pytest.approx(CYCLE, rel=2e-3)
    assert found.stance == pytest.approx(100 * STANCE, abs=1.0)
    assert found.double_support == pytest.approx(200 * (STANCE - 0.5), abs=2.0)
    assert found["medial"].min() > -1e-9  # both feet push inwards


def test_a_recording_of_several_cycles(tmp_path):
    t = np.linspace(0.0, 3.6, 2000)
    found = ls.load_gait(*written(tmp_path, t, start=0.4), mass=MASS)
    check(found)
    assert found.cycles == 5  # three of one leg, two of the other
    assert max(y.max() for y in found.spread.values()) < 1.0  # all cycles are the same


def test_a_whole_cycle_repeats_itself(tmp_path):
    t = np.linspace(0.0, CYCLE, 200, endpoint=False)
    check(ls.load_gait(*written(tmp_path, t), mass=MASS))
    t = np.linspace(0.0, CYCLE - 1e-9, 200)
    check(ls.load_gait(*written(tmp_path, t), mass=MASS))


def test_half_a_cycle_gets_the_other_leg(tmp_path):
    found = ls.load_gait(*written(tmp_path, np.linspace(0.0, CYCLE / 2, 150, endpoint=False)), mass=MASS)
    check(found)
    assert "half a cycle" in found.notes[0]


def test_names_of_known_models(tmp_path):
    t = np.linspace(0.0, CYCLE, 400, endpoint=False)
    paths = written(tmp_path, t, name="/jointset/any/{}_{}/value", degrees="no")
    check(ls.load_gait(*paths, mass=MASS))
    check(ls.load_gait(*written(tmp_path, t, force="{}_ground_force_v{}"), mass=MASS))
    check(ls.load_gait(*written(tmp_path, t, knee=1.0), mass=MASS))  # knees that are positive in flexion


def test_plates_without_a_side_belong_to_the_leg_in_front(tmp_path):
    t = np.linspace(0.0, 3.6, 2000)
    for first, second in (("r", "l"), ("l", "r")):
        q, f = written(tmp_path, t, start=0.4)
        text = f.read_text().replace(f"ground_force_{first}_v", "ground_force_v")
        f.write_text(text.replace(f"ground_force_{second}_v", "1_ground_force_v"))
        found = ls.load_gait(q, f, mass=MASS)
        check(found)
        assert "right" in found.notes[0]


def test_mass_is_that_of_the_mean_vertical_force(tmp_path):
    t = np.linspace(0.0, CYCLE, 400, endpoint=False)
    found = ls.load_gait(*written(tmp_path, t))
    u = np.linspace(0, 1, 20001)
    assert found.mass == pytest.approx(2 * MASS * np.trapezoid(vertical(u), u), rel=2e-3)
    with pytest.raises(ls.InputError, match=r"the weight of .* kg, but mass is 20 kg"):
        ls.load_gait(tmp_path / "q.mot", tmp_path / "f.sto", mass=20)


def test_other_models_and_damaged_walks_are_refused(tmp_path):
    t = np.linspace(0.0, CYCLE, 200, endpoint=False)
    q, f = written(tmp_path, t)
    with pytest.raises(ls.InputError, match=r"no column 'pelvis_tilt'.* no gait model that is known"):
        ls.load_gait(f, f)
    with pytest.raises(ls.InputError, match=r"q.mot: it has the ground forces of 0 feet; expected two"):
        ls.load_gait(q, q)
    q.write_text(q.read_text().replace("knee_angle_r", "right_knee"))
    with pytest.raises(ls.InputError, match=r"columns=\{'knee_angle_r': \.\.\.\}"):
        ls.load_gait(q, f)
    check(ls.load_gait(q, f, mass=MASS, columns={"knee_angle_r": "right_knee"}))
    with pytest.raises(ls.InputError, match="columns has 'knee'"):
        ls.load_gait(q, f, columns={"knee": "right_knee"})
    q, f = written(tmp_path, np.linspace(0.0, 0.7, 200))
    with pytest.raises(ls.InputError, match="no whole cycle"):
        ls.load_gait(q, f)
    f.write_text(f.read_text().replace("_r_v", "_a_v"))
    table(f, t, {f"ground_force_{side}_v{axis}": np.zeros(len(t)) for side in "rl" for axis in "xyz"}, "yes")
    with pytest.raises(ls.InputError, match="mean vertical force is 0 N"):
        ls.load_gait(q, f)


@pytest.mark.skipif(not MEASURED.is_dir(), reason="the measured walk is not on this machine")
def test_published_predictions_beside_a_measured_walk():
    """Mass 72.6 kg is that of the subject; errors are near those that another evaluation of the same files found."""
    q, f = (MEASURED / f"gait10dof18_subject01_walk_{word}.mot" for word in ("IK", "grf"))
    measured = ls.load_gait(q, f, mass=72.6)
    assert measured.cycles == 3
    assert ls.load_gait(q, f).mass == pytest.approx(72.6, rel=0.01)
    peaks = measured["vertical"][:30].max(), measured["vertical"][30:60].max()
    assert peaks == pytest.approx((1.06, 1.11), abs=0.01)
    files = {
        "predsim": ("falisse_predsim_ref_motion.mot", "falisse_predsim_ref_GRF.mot"),
        "moco": ("moco2d_referenceCoordinates.sto", "moco2d_referenceGRF.sto"),
    }
    wanted = {"predsim": (5.2, 11.4, 10.7), "moco": (5.4, 12.5, 11.0)}
    for name, (angles, forces) in files.items():
        found = ls.load_gait(MEASURED / angles, MEASURED / forces)
        assert found.mass == pytest.approx(62.0, rel=0.01)
        like = likeness(found, measured)
        assert [like[word].rmse for word in ("hip", "knee", "ankle")] == pytest.approx(wanted[name], rel=0.05)
        assert like["hip"].r == pytest.approx(0.96, abs=0.01)
