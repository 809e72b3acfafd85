"""Links from finite-element matrices: frames of beam elements, and clouds of nodes without turns."""

import numpy as np
import pytest
from scipy import sparse

import lissom as ls
from lissom.dynamics.flexible_links import flexible_bodies
from lissom.flexible.body import beam_body
from lissom.flexible.tips import Hanging, tips
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis

L, MU, EIY, EIZ, GJ, EA = 0.83, 0.37, 4.1, 2.7, 1.3, 6e4
GYRATION = (0.011, 0.013)
LOAD = ls.Payload(0.22, (0.0, 0.0, 0.0), (0.0009, 0.0011, 0.0013))
BEAM = ls.Beam(L, MU, EI=(EIY, EIZ), GJ=GJ, gyration=GYRATION, modes=ls.Modes(2, 2, 1))
SKEWED = pose(about_axis(np.array([0.6, 0.0, 0.8]), 0.7), (0.3, -0.2, 0.1))  # of the link among the nodes


def bending(h, stiffness, mass, rotary):
    """Hermite matrices in deflection and slope; rotary inertia of the section."""
    K = stiffness / h**3 * np.array([
        [12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
        [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]])  # fmt: skip
    M = mass * h / 420 * np.array([
        [156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
        [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]])  # fmt: skip
    turning = rotary / (30 * h) * np.array([
        [36, 3 * h, -36, 3 * h], [3 * h, 4 * h**2, -3 * h, -(h**2)],
        [-36, -3 * h, 36, -3 * h], [3 * h, -(h**2), -3 * h, 4 * h**2]])  # fmt: skip
    return K, M + turning


def frame_model(elements, gyration=GYRATION):
    """Beam elements along x, six freedoms per node, consistent mass; rotary inertia of the section."""
    n, h = elements + 1, L / elements
    K, M = np.zeros((2, 6 * n, 6 * n))
    line, mass = np.array([[1, -1], [-1, 1]]) / h, np.array([[2, 1], [1, 2]]) * h / 6
    polar = MU * (gyration[0] ** 2 + gyration[1] ** 2)
    for e in range(elements):
        a, b = 6 * e, 6 * e + 6
        for c, stiffness, inertia in ((0, EA, MU), (3, GJ, polar)):
            at = np.ix_([a + c, b + c], [a + c, b + c])
            K[at] += stiffness * line
            M[at] += inertia * mass
        for y, turn, sign, EI, radius in ((1, 5, 1.0, EIZ, gyration[1]), (2, 4, -1.0, EIY, gyration[0])):
            at = np.ix_([a + y, a + turn, b + y, b + turn], [a + y, a + turn, b + y, b + turn])
            k, m = bending(h, EI, MU, MU * radius**2)
            flip = np.outer([1, sign, 1, sign], [1, sign, 1, sign])
            K[at] += k * flip
            M[at] += m * flip
    nodes = np.column_stack([np.linspace(0, L, n), np.zeros(n), np.zeros(n)])
    return M, K, nodes


def cloud_model(elements):
    """Each section as four nodes without turns, as far apart as the radii of gyration want; lumped mass.

    The nodes' mean shift and turn bend the frame above; stiff springs hold each section's form.
    """
    _, K6, axis = frame_model(elements)
    r_y, r_z = GYRATION
    offsets = np.array([[0, np.sqrt(2) * r_z, 0], [0, -np.sqrt(2) * r_z, 0], [0, 0, np.sqrt(2) * r_y],
                        [0, 0, -np.sqrt(2) * r_y]])  # fmt: skip
    n = len(axis)
    rigid = np.concatenate([np.hstack([np.eye(3), -np.array(
        [[0, -o[2], o[1]], [o[2], 0, -o[0]], [-o[1], o[0], 0]])]) for o in offsets])  # (12, 6)  # fmt: skip
    mean = np.linalg.pinv(rigid)
    T = np.kron(np.eye(n), mean)
    form = np.kron(np.eye(n), np.eye(12) - rigid @ mean)
    K = T.T @ K6 @ T + 1e7 * form
    share = np.full(n, L * MU / elements) * np.array([0.5, *[1.0] * (n - 2), 0.5])
    M = np.diag(np.repeat(share / 4, 12))
    return M, K, (axis[:, None] + offsets).reshape(-1, 3)


def both_arms(modal, beam=BEAM):
    """Two joints that look along different axes, then the link with a load."""
    shoulder = ls.Link("shoulder", joint=ls.Joint("revolute", axis=(0, 0, 1)), mass=0.5, inertia=(0.01, 0.02, 0.03))
    elbow = ls.Joint("revolute", pose(p=(0.1, 0.05, 0.2)), axis=(0.2, 1, 0.3))
    return [
        ls.Arm("x", [shoulder, ls.Link("boom", "shoulder", elbow, payload=LOAD, **{word: value})])
        for word, value in (("modes", modal), ("beam", beam))
    ]


def weightless(arms):
    """Without gravity: its pull on bent links is geometric stiffening, which matrices do not have."""
    return [arm.with_gravity((0, 0, 0)) for arm in arms]


def test_frame_gives_the_beams_frequencies():
    """Hermite elements, 16 of them: order four, so 1e-5 for the second mode."""
    M, K, nodes = frame_model(16, gyration=(0.0, 0.0))
    alone = ls.ModalIntegrals.from_matrices(M, K, nodes, root=0, tip=16, count=6)
    exact = np.sort(np.concatenate([
        ls.beam_modes(BEAM, None, 3, kind).frequencies_hz for kind in ("bending_z", "bending_y")]))  # fmt: skip
    assert alone.frequencies_hz[:4] == pytest.approx(exact[:4], rel=1e-5)
    assert alone.mass == pytest.approx(BEAM.mass, rel=1e-12)
    assert alone.tip == pytest.approx([L, 0, 0])


@pytest.mark.parametrize("model", ["frame", "cloud"])
@pytest.mark.parametrize("skewed", [False, True], ids=["straight", "skewed"])
@pytest.mark.some(2)
def test_the_arm_is_that_of_the_beam(model, skewed):
    """Frequencies, joint inertia, gravity and coupling: to what the mesh can do (consistent h^4, lumped h^2)."""
    M, K, nodes = frame_model(20) if model == "frame" else cloud_model(40)
    root, tip = (0, 20) if model == "frame" else (range(4), range(160, 164))
    frame = None
    if skewed:  # the same link, with nodes and displacements in other axes
        frame, R = SKEWED, SKEWED[:3, :3]
        turned = np.kron(np.eye(len(M) // 3), R)
        M, K, nodes = turned @ M @ turned.T, turned @ K @ turned.T, nodes @ R.T + frame[:3, 3]
    modal = ls.ModalIntegrals.from_matrices(M, K, nodes, root, tip, count=5, carries=LOAD, frame=frame)
    arms = arm, wanted = both_arms(modal)
    bar = 1e-4 if model == "frame" else 1e-3
    q = [0.3, -0.9]
    found, exact = (ls.modes(a, q, count=5).frequencies_hz for a in weightless(arms))
    assert np.abs(found / exact - 1).max() < bar
    A, B = (ls.mass_matrix(a, q) for a in (arm, wanted))
    assert A[:2, :2] == pytest.approx(B[:2, :2], rel=bar)
    # modes by frequency, each over the root of its stiffness: their sizes and signs are free
    coupled = []
    for a, mass in zip(arms, (A, B), strict=True):
        stiffness = np.diag(flexible_bodies(a)[1].K)
        order = np.argsort(stiffness / np.diag(mass)[2:])
        coupled.append((mass[2:, :2] / np.sqrt(stiffness)[:, None])[order])
    for k in range(5):
        gap = min(np.abs(coupled[0][k] - sign * coupled[1][k]).max() for sign in (1, -1))
        assert gap < 5 * bar * np.abs(coupled[1]).max()
    g, h = (ls.gravity_forces(a, q) for a in (arm, wanted))
    assert g[:2] == pytest.approx(h[:2], rel=bar)


def test_integrals_are_those_of_the_beam():
    """All of Book's integrals against the exact ones, bending in a plane: signs, places, and coupling x phi."""
    beam = ls.Beam(L, MU, EI=(EIY, EIZ), modes=ls.Modes(2))
    exact = beam_body(beam, *tips(Hanging(LOAD.body, np.zeros(3))))
    M, K, nodes = frame_model(24, gyration=(0.0, 0.0))
    modal = ls.ModalIntegrals.from_matrices(M, K, nodes, 0, 24, 4, carries=LOAD)
    planar = [k for k in range(4) if abs(modal.tip_shift[k, 1]) > abs(modal.tip_shift[k, 2])]
    assert len(planar) == 2
    sign = np.sign(exact.tip.shift[:, 1] * modal.tip_shift[planar, 1])
    assert 2 * modal.C[:2, :2] == pytest.approx(exact.C[:2, :2], rel=1e-10)
    D = 2 * np.transpose(modal.Ck[planar][:, :, 1:], (0, 2, 1)) * sign[:, None, None]
    assert np.abs(D - exact.D).max() < 1e-5 * np.abs(exact.D).max()
    Y = 2 * modal.Ckl[np.ix_(planar, planar)][:, :, 1:, 1:] * np.outer(sign, sign)[:, :, None, None]
    assert np.abs(Y - exact.Y).max() < 1e-4 * np.abs(exact.Y).max()
    assert modal.tip_shift[planar] * sign[:, None] == pytest.approx(exact.tip.shift, rel=1e-4)
    assert modal.tip_turn[planar] * sign[:, None] == pytest.approx(exact.tip.turn, rel=1e-4)


def test_static_shapes_are_in_the_basis():
    """With all modes of the basis kept a force at the tip bends the link as statics says."""
    M, K, nodes = frame_model(3)
    modal = ls.ModalIntegrals.from_matrices(M, K, nodes, 0, 3, 18)
    give = modal.tip_shift.T @ np.linalg.solve(modal.K, modal.tip_shift)
    assert give == pytest.approx(np.diag([L / EA, L**3 / 3 / EIZ, L**3 / 3 / EIY]), rel=1e-7, abs=1e-9)
    turn = modal.tip_turn.T @ np.linalg.solve(modal.K, modal.tip_shift)
    assert turn[2, 1] == pytest.approx(L**2 / 2 / EIZ, rel=1e-7)
    assert turn[1, 2] == pytest.approx(-(L**2) / 2 / EIY, rel=1e-7)


def test_damping_and_sparse_matrices():
    M, K, nodes = frame_model(6)
    dense = ls.ModalIntegrals.from_matrices(M, K, nodes, 0, 6, 3, damping=[0.01, 0.02, 0.03])
    assert np.diag(dense.D) == pytest.approx(2 * np.array([0.01, 0.02, 0.03]) * np.sqrt(np.diag(dense.K) * dense.mass))
    for kind in (sparse.csr_array, sparse.coo_matrix):
        assert ls.ModalIntegrals.from_matrices(kind(M), kind(K), nodes, [0], [6], 3, [0.01, 0.02, 0.03]) == dense


def test_large_meshes_go_another_way():
    """Above 1200 freedoms only the low modes are computed; they are the same."""
    M, K, nodes = (sparse.csc_array(A) if k < 2 else A for k, A in enumerate(frame_model(210)))
    large = ls.ModalIntegrals.from_matrices(M, K, nodes, 0, 210, 4)
    small = ls.ModalIntegrals.from_matrices(*frame_model(60), 0, 60, 4)
    with pytest.raises(ls.ModelError, match="stiffness is negative"):
        ls.ModalIntegrals.from_matrices(M, -K, nodes, 0, 210, 4)
    assert large.frequencies_hz == pytest.approx(small.frequencies_hz, rel=1e-6)
    assert large.tip_shift == pytest.approx(small.tip_shift, rel=1e-3, abs=1e-6)


def test_second_order_terms_are_used():
    """A link given by the constants of a beam, second-order ones included, is that beam to its quartic energy."""
    beam = ls.Beam(L, MU, EI=(EIY, EIZ), modes=ls.Modes(1, 1))
    b = beam_body(beam, *tips(Hanging(LOAD.body, np.zeros(3))))
    m = b.m
    Ck = np.concatenate([np.zeros((m, 4, 1)), np.transpose(b.D, (0, 2, 1))], axis=2) / 2
    Ckl = np.pad(b.Y, ((0, 0), (0, 0), (1, 0), (1, 0))) / 2
    t = b.tip
    given = ls.ModalIntegrals(b.C / 2, Ck, Ckl, b.K, b.damping, t.point, t.shift, t.turn, b.Lam, t.shift2, t.turn2)
    arm, wanted = both_arms(given, beam)
    q = [0.2, 0.4, 1e-3, -2e-3]
    exact = ls.mass_matrix(wanted, q)
    assert np.abs(ls.mass_matrix(arm, q) - exact).max() < 1e-7  # cubic terms of the tip's angles: third order
    plain = given.replace(Lam=None, tip_shift2=None, tip_turn2=None)
    assert np.abs(ls.mass_matrix(both_arms(plain)[0], q) - exact).max() > 1e-5
    assert "geometric stiffening as given" in arm.describe()
    assert "no geometric stiffening" in both_arms(plain)[0].describe()


# ---- refusals --------------------------------------------------------------------------------------------------------

M0, K0, NODES = frame_model(4)


def attempt(M=M0, K=K0, nodes=NODES, root=0, tip=4, count=2, **more):
    return ls.ModalIntegrals.from_matrices(M, K, nodes, root, tip, count, **more)


def without_rows(A):
    return A[6:, 6:]


def grounded():
    K = K0.copy()
    K[1, 1] += 1e4
    return K


BAD = {
    "rows": (lambda: attempt(nodes=NODES[:4]), r"\(30, 30\) with 4 nodes; expected 12 rows .* or 24"),
    "sizes": (lambda: attempt(K=without_rows(K0)), r"M is \(30, 30\) and K is \(24, 24\)"),
    "not square": (lambda: attempt(M=M0[:, :20]), "expected a square matrix"),
    "not symmetric": (lambda: attempt(K=np.triu(K0)), "K is not symmetric .* only one triangle"),
    "complex": (lambda: attempt(M=sparse.csc_array(M0 * 1j)), "expected real numbers"),
    "nan": (lambda: attempt(M=np.where(M0 > 0, np.nan, M0)), "expected finite numbers"),
    "supports": (lambda: attempt(K=grounded()), "K resists a shift along y of the whole link .*without supports"),
    "millimetres": (lambda: attempt(nodes=1000 * NODES), "K resists a turn about . .*same unit of length"),
    "mass": (lambda: attempt(M=-M0), "total masses .* expected one positive mass"),
    "uneven mass": (lambda: attempt(M=M0 + np.diag([0.1, *np.zeros(29)])), "along x, y and z; expected one positive"),
    "root": (lambda: attempt(root=7), "root is 7; expected different nodes from 0 to 4"),
    "root word": (lambda: attempt(root="base"), "root"),
    "root twice": (lambda: attempt(root=[0, 0]), "expected different nodes"),
    "same node": (lambda: attempt(tip=0), "share a node"),
    "count": (lambda: attempt(count=40), "count is 40; these matrices have 1 to 24 modes"),
    "no modes": (lambda: attempt(count=0), "count is 0; these matrices have 1 to"),
    "damping": (lambda: attempt(damping=[0.1, -0.1]), "damping has an entry -0.1"),
    "carries": (lambda: attempt(carries=3.0), "carries is 3.0; expected Payload"),
    "loose": (
        lambda: attempt(np.kron(np.eye(2), M0), np.kron(np.eye(2), K0), np.vstack([NODES, NODES])),
        "some part of the link is not connected",
    ),
    "stiffness sign": (lambda: attempt(K=-K0), "stiffness is negative"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_refusals(case):
    make, sentence = BAD[case]
    with pytest.raises(ls.ModelError, match=sentence):
        make()


def test_nodes_without_turns_need_three():
    M, K, nodes = cloud_model(3)
    with pytest.raises(ls.ModelError, match="root lets the link turn"):
        ls.ModalIntegrals.from_matrices(M, K, nodes, [0, 1], range(12, 16), 2)
    with pytest.raises(ls.ModelError, match="at least three nodes that are not on one line"):
        ls.ModalIntegrals.from_matrices(M, K, nodes, range(4), [12, 13], 2)


def test_second_order_tables_are_checked():
    good = attempt()
    with pytest.raises(ls.ModelError, match=r"Lam has shape"):
        good.replace(Lam=np.zeros((3, 3, 2, 2)))
    with pytest.raises(ls.ModelError, match="tip_turn2 is not symmetric"):
        good.replace(tip_turn2=np.arange(12.0).reshape(2, 2, 3))
