"""Pictures of vibration show what kinematics says, at a size that can be seen."""

import numpy as np
import pytest

import lissom as ls
from lissom.spatial.frames import pose
from lissom.views.arms.skeleton import RIB, SECTIONS, Skeleton
from lissom.views.plots.vibration import READABLE, STEEPEST, swing

FLAT = ls.load("two_link_flexible")


def crane():
    """Bends in two planes, twists, carries a weight beside its axis: nothing about it is flat."""
    boom = ls.Beam(0.83, 0.6, EI=(60.0, 40.0), GJ=25.0, gyration=(0.012, 0.017), modes=ls.Modes(1, 1, 1), damping=0.013)
    return ls.Arm("crane", [
        ls.Link("mast", joint=ls.Joint("revolute", armature=0.5), mass=4.0, com=(0, 0, 0.2), inertia=(0.1, 0.1, 0.05),
                frame=pose(p=(0, 0, 0.5))),
        ls.Link("boom", "mast", ls.Joint("revolute", axis=(0, 1, 0), armature=0.1), mass=0.5, inertia=0.01, beam=boom,
                payload=ls.Payload(1.0, (0.05, 0.08, 0), (0.01, 0.01, 0.01)), tools={"hook": pose(p=(0.1, 0, 0))}),
        ls.Link("weight", "boom", ls.Joint("revolute", axis=(0, 1, 0)), mass=0.3, com=(0.02, 0, -0.15),
                inertia=(0.001, 0.001, 0.001)),
    ])  # fmt: skip


def given_rod():
    """A flexible link that is known by its integrals, so by its tip alone."""
    C, Ck, Ckl = np.diag([0.5, 0.1, 0.0, 0.0]), np.zeros((1, 4, 4)), np.zeros((1, 1, 4, 4))
    Ck[0, 0, 2], Ckl[0, 0, 2, 2] = 0.2, 0.3
    given = ls.ModalIntegrals(C, Ck, Ckl, [[40.0]], [[0.0]], (0.9, 0, 0), [[0, 1.1, 0]], [[0, 0, 2.0]])
    return ls.Arm("given", [ls.Link("boom", modes=given)])


CRANE, GIVEN = crane(), given_rod()
POSES = {"two_link_flexible": [0.3, 0.9], "crane": [0.4, -0.6, 0.3], "given": [0.4]}


@pytest.fixture(scope="module", params=[FLAT, CRANE, GIVEN], ids=lambda arm: arm.name)
def found(request):
    return ls.modes(request.param, POSES[request.param.name])


def drawn(ax):
    """(n, 3) points of all lines in axes, flat ones with z = 0."""
    rows = []
    for line in ax.lines:
        data = line.get_data_3d() if hasattr(line, "get_data_3d") else (*line.get_data(), 0 * line.get_xdata())
        rows.append(np.column_stack([np.asarray(part, float) for part in data]))
    points = np.vstack(rows)
    return points[np.isfinite(points).all(axis=1)]


def has(points, wanted):
    return np.abs(points - wanted).max(axis=1).min() < 1e-12


def test_links_are_drawn_where_kinematics_says(found):
    """Every mode's panel holds the bent axis: places along it, the tip, and what hangs there."""
    arm = found.arm
    for k, ax in enumerate(ls.plot(found).axes):
        q, points = found.q + swing(found, k), drawn(ax)
        for link in arm.links:
            if link.beam is not None:
                for s in np.linspace(0.0, link.beam.length, SECTIONS)[[3, 10, 17]]:
                    assert has(points, ls.pose(arm, q, link.name, (s, 0, 0))[:3, 3])
            if link.flexible:
                assert has(points, ls.pose(arm, q, f"{link.name}.tip")[:3, 3])
            for tool in link.tools:
                assert has(points, ls.pose(arm, q, tool.name)[:3, 3])
        assert has(points, ls.pose(arm, found.q, arm.links[-1].name)[:3, 3])  # the arm at rest


def test_titles_have_frequency_and_damping(found):
    figure = ls.plot(found)
    assert f"{found.arm.name}, joints locked" in figure.get_suptitle()
    assert len(figure.axes) == len(found.frequencies_hz)
    for k, ax in enumerate(figure.axes):
        assert f"mode {k + 1}: {found.frequencies_hz[k]:.4g} Hz" in ax.get_title()
        assert ("damping" in ax.get_title()) == (found.damping[k] > 0)
        assert hasattr(ax, "get_zlim") == (found.arm is CRANE)  # flat arms in their plane
        assert ax.get_xlabel() == "x [m]"


def turned(A, B):
    """Small angle between two frames."""
    return np.linalg.norm(B[:3, :3] - A[:3, :3]) / np.sqrt(2)


def test_swings_are_seen_and_not_too_steep(found):
    """One of the limits is reached, none is passed: of displacement, of slopes against the root, of turning links.

    Taken at a thousandth of the swing, where it is linear to that; hence one percent.
    """
    arm, rest, part = found.arm, Skeleton(found.arm, found.q), 1e-3
    for k in range(len(found.frequencies_hz)):
        q = found.q + part * swing(found, k)
        moved = np.linalg.norm(Skeleton(arm, q).points - rest.points, axis=1).max() / part / rest.size
        angles = [turned(a, b) for a, b in zip(ls.poses(arm, found.q), ls.poses(arm, q), strict=True)]
        for link in arm.links:
            if link.beam is not None:
                for s in np.linspace(0.0, link.beam.length, SECTIONS):
                    before, after = (np.linalg.inv(ls.pose(arm, x, link.name)) @ ls.pose(arm, x, link.name, (s, 0, 0))
                                     for x in (found.q, q))  # fmt: skip
                    angles.append(turned(before, after))
            elif link.flexible:
                angles.append(turned(*(ls.pose(arm, x, f"{link.name}.tip") for x in (found.q, q))))
        steepest = max(angles) / part
        assert moved < 1.01 * READABLE
        assert steepest < 1.01 * STEEPEST
        assert moved > 0.99 * READABLE or steepest > 0.99 * STEEPEST


def test_torsion_shows(found):
    """The axis of a beam that twists stays where it is; its ribs do not."""
    if found.arm is not CRANE:
        assert not np.isfinite(Skeleton(found.arm, found.q).ribs).any()
        return
    twisted = found.q.copy()
    twisted[list(CRANE.coordinates).index("boom.torsion1")] = 2.0
    before, after = Skeleton(CRANE, found.q), Skeleton(CRANE, twisted)
    assert np.nanmax(np.abs(after.flexible - before.flexible)) < 1e-12
    ends = [ls.pose(CRANE, q, "boom.tip") for q in (found.q, twisted)]
    y = RIB * before.size * (ends[1] - ends[0])[:3, 1]
    assert np.linalg.norm(y) > 0.005  # metres that the last rib's end moves
    assert np.allclose((after.ribs - before.ribs)[[-3, -2]], [-y, y], atol=1e-12)


def test_many_modes_are_cut_and_none_is_said():
    many = ls.modes(FLAT.with_link("link1", beam=FLAT.link("link1").beam.replace(modes=ls.Modes(9))), [0, 0.2])
    figure = ls.plot(many)
    assert len(figure.axes) == 9
    assert "2 more not shown" in figure.get_suptitle()
    upright = ls.plot(ls.modes(ls.load("two_link"), [np.pi / 2, 0], "free"))
    assert "no vibration modes" in upright.get_suptitle()


def test_shapes_of_a_beam():
    beam, tip = CRANE.link("boom").beam, ls.beam_tip(CRANE, "boom", "torsion")
    for plane in ("bending_z", "torsion"):
        shapes = ls.beam_modes(beam, tip, 3, plane)
        figure = ls.plot(shapes)
        for k, ax in enumerate(figure.axes):
            curve = ax.lines[-1]
            assert np.array_equal(curve.get_ydata(), shapes.shape(curve.get_xdata())[:, k])
            assert f"{shapes.frequencies_hz[k]:.4g} Hz" in ax.get_title(loc="left")
    assert "twist" in figure.get_supylabel()


def test_convergence_figure(tmp_path):
    told = ls.mode_convergence(FLAT, [0.1, 0.5], count=3, most=4)
    values, changes = ls.plot(told).axes
    assert changes.get_yscale() == "log"
    assert np.array_equal(changes.lines[0].get_ydata(), told.change[:, 0])
    assert np.array_equal(values.lines[1].get_ydata(), told.frequencies_hz[:, 1])
    ls.plot(ls.mode_convergence(FLAT, [0.1, 0.5], count=3, most=1)).savefig(tmp_path / "one.png")  # nothing to compare


def test_plot_and_animate_say_what_they_take():
    with pytest.raises(ls.InputError, match="ArmModes has only one figure"):
        ls.plot(ls.modes(FLAT, [0, 0]), "tip")
    with pytest.raises(ls.InputError, match=r"expected a Run .* or ArmModes"):
        ls.animate(ls.mode_convergence(FLAT, most=1), "a.gif")


@pytest.mark.parametrize("ending", [".gif", ".html"])
@pytest.mark.some(2)
def test_films_of_modes(found, ending, tmp_path):
    told = []
    ls.animate(found, tmp_path / f"m{ending}", mode=len(found.frequencies_hz), fps=4, progress=told.append)
    data = (tmp_path / f"m{ending}").read_bytes()
    assert data.startswith(b"GIF89a") if ending == ".gif" else b"data:image/png;base64" in data
    assert len(told) == 8  # one period of two seconds


def test_frames_of_a_film_of_a_mode():
    """A period: through rest, both ends, and back; the picture at an end is the arm at full swing."""
    from lissom.views.films.animate import _vibration

    found = ls.modes(FLAT, POSES[FLAT.name])
    film = _vibration(found, 10.0, 1.0, 2)
    end = swing(found, 1)
    assert np.allclose(film.bones.q[[0, 5, 10, 15]], found.q + np.outer([0, 1, 0, -1], end), atol=1e-12)
    film.show(5)
    bent = np.column_stack(film.lines.flexible.get_data())
    assert has(np.column_stack([bent, 0 * bent[:, 0]])[np.isfinite(bent[:, 0])],
               ls.pose(FLAT, found.q + end, "link2", (0.25, 0, 0))[:3, 3])  # fmt: skip
    assert f"shown {2 * found.frequencies_hz[1]:.3g}x slower" in film.figure.get_suptitle()


@pytest.mark.parametrize("mode", [0, 5, True, 1.0])
def test_modes_that_are_not_there(mode, tmp_path):
    with pytest.raises(ls.InputError, match="expected a whole number from 1 to 4"):
        ls.animate(ls.modes(FLAT, [0, 0.5]), tmp_path / "a.gif", mode=mode)


def test_films_of_runs_show_bent_links():
    from lissom.views.films.animate import _run

    run = ls.simulate(FLAT, [0.1, 0.1, 0.01, 0.2, 0.08, 0.004], until=0.2, every=0.05)
    film = _run(run, 20.0, 1.0, 0)
    film.show(3)
    bent = film.lines.flexible.get_data()
    bent = np.column_stack([*bent, np.zeros(len(bent[0]))])
    for link in ("link1", "link2"):
        assert has(bent[np.isfinite(bent[:, 0])], ls.pose(FLAT, run.q[3], link, (0.25, 0, 0))[:3, 3])
    assert np.allclose(np.column_stack(film.line.get_data()), run.tip[:4, :2][[0, 1, 2, 3, 3]])  # the trail so far


def test_a_drawn_arm_is_bent():
    q = np.array([0.4, -0.6, 0.1, 0.08, 0.3, 0.2])
    points = drawn(ls.draw(CRANE, q).axes[0])
    for s in (0.249, 0.415):
        assert has(points, ls.pose(CRANE, q, "boom", (s, 0, 0))[:3, 3])
    assert has(points, ls.pose(CRANE, q, "weight")[:3, 3])


def test_centres_of_mass_move_with_the_beam():
    """Straight: where the body's data say. Bent: with the section, or with the tip beyond it."""
    for arm, q in ((CRANE, [0.4, -0.6, 0.1, 0.08, 0.3, 0.2]), (FLAT, [0.1, 0.1, 0, 0.2, 0.1, 0.01])):
        rest = arm.expanded(np.asarray(q)[arm.joint_index])
        X = ls.poses(arm, rest)
        want = [X[i] @ np.append(link.body.com, 1.0) for i, link in enumerate(arm.links)]
        assert np.allclose(Skeleton(arm, rest).centres, np.array(want)[:, :3], atol=1e-12)
        i = next(i for i, link in enumerate(arm.links) if link.flexible)
        bent = ls.pose(arm, q, arm.links[i].name, arm.links[i].body.com)[:3, 3]
        assert np.allclose(Skeleton(arm, np.asarray(q)).centres[i], bent)


def test_a_batch_of_skeletons_is_the_single_ones():
    q = np.array([[0.4, -0.6, 0.1, 0.08, 0.3, 0.2], [0.1, 0.5, -0.1, 0.02, 0.0, -0.4]])
    many = Skeleton(CRANE, q)
    for k in range(2):
        one = Skeleton(CRANE, q[k])
        for word in ("rigid", "flexible", "joints", "centres"):
            assert np.array_equal(getattr(many, word)[k], getattr(one, word), equal_nan=True)
