"""The planar model as an object: parameters, regressor, symbols, C; and the printed two-link coefficients."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from tests.formulations.planar_cloud import modal
from tests.formulations.test_de_luca_siciliano import DLS, START, close, planar_arm, states

import lissom as ls
from lissom.dynamics.flexible_links import flexible_bodies
from lissom.papers.deluca1991 import two_link_coefficients as two

PAPER = ls.load("two_link_flexible")


CASES = [((1, 2), {}), ((2, 0, 1), {"drives": True}), ((1, 1), {"stretch": True})]


@pytest.mark.parametrize(("modes", "options"), CASES)
def test_the_model_is_linear_in_its_parameters(modes, options):
    arm = planar_arm(11, modes, **options)
    model = ls.planar_model(arm)
    q, qd, qdd = (np.stack([states(arm, k)[at] for k in range(3)]) for at in range(3))
    Y = model.Y(q, qd, qdd)
    assert Y.shape == (3, arm.dof, len(model.parameters))
    close(Y @ model.parameters, ls.inverse_dynamics(arm, q, qd, qdd, method=DLS), 1e-12)
    assert np.array_equal(model.Y(q[1], qd[1], qdd[1]), Y[1])
    assert len(set(model.names)) == len(model.names) == len(model.meanings)
    assert all(meaning.endswith("]") for meaning in model.meanings)
    assert np.all(model.parameters != 0)


def test_parameters_are_those_of_the_paper():
    """Section VII, with payload and hub in the second link: v_2j + m_p phi_2j,e and so on."""
    model = ls.planar_model(PAPER)
    found = dict(zip(model.names, model.parameters, strict=True))
    want = {"v_11": 0.007, "v_12": 0.013, "w_11": 0.002, "w_12": 0.004, "m_1": 0.1, "m_2": 1.2, "z_211": 0.1,
            "v_21": 0.033 + 0.1 * 0.883, "v_22": 0.054 - 0.1 * 0.069, "mx_2": 0.1 * 0.25 + 0.1 * 0.5}  # fmt: skip
    assert all(abs(found[name] - value) < 6e-4 for name, value in want.items())
    assert "my_1" not in found  # what is zero is left out
    assert "m_1" in model.describe()
    assert repr(model) == "PlanarModel(arm='two_link_flexible', coordinates=6, parameters=23)"


def test_wrong_input():
    model = ls.planar_model(PAPER)
    with pytest.raises(ls.InputError, match="planar_model: got str"):
        ls.planar_model("two_link_flexible")
    with pytest.raises(ls.InputError, match=r"planar_model\.Y: qd has 5 entries"):
        model.Y(np.zeros(6), np.zeros(5), np.zeros(6))
    with pytest.raises(ls.InputError, match="batches do not fit together"):
        model.h(np.zeros((2, 6)), np.zeros((3, 6)))
    with pytest.raises(ls.InputError, match="cannot be written"):
        model.c(into="no/such/folder/model.c")
    with pytest.raises(ls.UnsupportedError, match="up to 5 links, and arm 'planar1' has 7"):
        ls.planar_model(planar_arm(1, (1, 0, 0, 0, 0, 0, 0))).sympy()


@pytest.mark.parametrize("modes", [(2, 2), (1, 0, 1), (0, 0, 1, 0, 0)])
def test_symbols_give_the_numbers(modes):
    arm = planar_arm(12, modes, drives=True)
    model = ls.planar_model(arm)
    found = model.sympy()
    q, qd, _ = states(arm, 5)
    at = found.values | dict(zip(found.q, q, strict=True)) | dict(zip(found.qd, qd, strict=True))
    number = lambda m: np.array(m.xreplace({k: sp.Float(v, 17) for k, v in at.items()}).evalf(), float)  # noqa: E731
    close(number(found.B), model.B(q), 1e-12)
    close(number(found.h).ravel(), model.h(q, qd), 1e-12)
    close(number(found.K), model.K, 1e-12)
    close(number(found.D), model.D, 1e-12)
    still = ls.inverse_dynamics(arm, q, 0 * q, 0 * q, method=DLS)
    close(number(found.G).ravel() + number(found.K) @ q, still, 1e-12)
    assert found.B.free_symbols <= set(found.values) | set(found.q)


def test_symbols_read_like_the_paper():
    """(32a): b_112 c_2 with b_112 = 2 (m_2 d_2 + m_p l_2) l_1; no floats."""
    found = ls.planar_model(PAPER).sympy()
    name = {s.name: s for s in (*found.values, *found.q, *found.qd)}
    cos2 = sp.cos(name["theta_2"])
    assert found.B[0, 0].expand().coeff(cos2) == 2 * name["mx_2"] * name["l_1"]
    assert not found.B.atoms(sp.Float) | found.h.atoms(sp.Float)
    text = ls.planar_model(PAPER).latex()
    assert r"\phi'_{11,e}" in text
    assert r"\dot{\theta}_{2}" in text
    assert [text.count(f"{word}_{{{k}") for word, k in (("K", 22), ("K", 66), ("h", 6))] == [1, 1, 1]
    assert "G_" not in text  # it has no gravity, and what is zero is left out


def test_indices_of_two_digits_in_latex():
    """z_{1_10_10} would be a double subscript, and B_{111} could be two entries."""
    text = ls.planar_model(ls.Arm("many", [ls.Link("a", beam=ls.Beam(0.5, 0.3, EI=1.0, modes=ls.Modes(11)))])).latex()
    assert re.search(r"_\{[^}]*_", text) is None
    assert {"z_{1,10,10}", "B_{1,11}", "B_{11,11}"} <= set(re.findall(r"[zB]_\{[\d,]*\}", text))


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_c_compiles_and_gives_the_numbers(tmp_path):
    arm = planar_arm(13, (2, 1), drives=True)
    model = ls.planar_model(arm)
    text = model.c(into=tmp_path / "model.c")
    assert (tmp_path / "model.c").read_text(encoding="utf-8") == text
    built = tmp_path / "model.so"
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run(["cc", *strict, "-shared", "-fPIC", "-o", built, tmp_path / "model.c", "-lm"], check=True)
    code = ctypes.CDLL(str(built))
    n = arm.dof
    q, qd, qdd = states(arm, 6)
    B, h, g, p = np.zeros((n, n)), *np.zeros((3, n))
    pointer = lambda x: x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))  # noqa: E731
    code.planar_B(pointer(q), pointer(B))
    code.planar_h(pointer(q), pointer(qd), pointer(h))
    code.planar_g(pointer(q), pointer(g))
    code.planar_p(pointer(q), pointer(qd), pointer(p))
    close(B, model.B(q), 1e-12)
    close(h, model.h(q, qd), 1e-12)
    smooth = arm.replace(links=[x.replace(joint=x.joint.replace(friction=0.0)) for x in arm.links])
    close(B @ qdd + h + g + p, ls.inverse_dynamics(smooth, q, qd, qdd, method="de_luca_siciliano"), 1e-12)
    assert "e-1" not in text.replace("e-10", "")  # no coefficients that are rounding


# ---- the printed coefficients ---------------------------------------------------------------------

ORDER = list(two.ORDER)
BACK = np.argsort(ORDER)


def samples(count):
    """States of the paper's arm in the paper's order, and h there by the closed form."""
    rng = np.random.default_rng(1)
    q, qd = rng.uniform(-1, 1, (2, count, 6))
    return q, qd, ls.planar_model(PAPER).h(q[:, BACK], qd[:, BACK])[:, ORDER]


def test_every_b_and_t_is_right_as_printed():
    p = two.TwoLink.of(PAPER)
    coefficients = two.printed(p)
    q = 0.3 * samples(20)[0]
    want = ls.planar_model(PAPER).B(q[:, BACK])[:, ORDER][:, :, ORDER]
    got = np.stack([two.inertia(coefficients, row) for row in q])
    close(got, want, 1e-12)


def test_every_h_is_compared_with_the_closed_form():
    """What multiplies every coefficient of (34) is known, so the closed form tells each of them."""
    p = two.TwoLink.of(PAPER)
    printed, corrected = two.printed(p), two.corrected(p)
    q, qd, h = samples(150)
    rows = [two.velocity_terms(printed, *row) for row in zip(q, qd, strict=True)]
    wrong, count = set(), 0
    for i in range(6):
        names = list(rows[0][i])
        A = np.array([[row[i][name] for name in names] for row in rows])
        found, _, rank, _ = np.linalg.lstsq(A, h[:, i], rcond=1e-12)
        assert rank == len(names)
        count += rank
        assert np.abs(found - [corrected[name] for name in names]).max() < 1e-11
        wrong |= {name for name, x in zip(names, found, strict=True) if abs(x - printed[name]) > 1e-6}
    assert count == sum(name.startswith("h_") for name in printed) == 24 + 18 + 22 + 22 + 6 + 6
    assert wrong == set(two.ERRATA)


@pytest.mark.parametrize("name", two.ERRATA)
def test_printed_h(name):
    """Mended all but one: h is off where that one stands."""
    p = two.TwoLink.of(PAPER)
    q, qd, h = samples(5)
    half_mended = {**two.corrected(p), name: two.printed(p)[name]}
    got = np.stack([two.velocity_forces(half_mended, *row) for row in zip(q, qd, strict=True)])
    off = np.abs(got - h).max(axis=0)
    assert off[int(name[2]) - 1] > 1e-3 * np.abs(h).max()
    mended = np.stack([two.velocity_forces(two.corrected(p), *row) for row in zip(q, qd, strict=True)])
    close(mended, h, 1e-10)


def test_printed_24g():
    """(24g) has no derivatives: with phi phi it is no stiffness, with phi'' phi'' it is omega^2 m_i, (35)."""
    modes = ls.beam_modes(PAPER.links[1].beam, ls.Tip(mass=0.1, inertia=0.0005), count=2)
    line = flexible_bodies(PAPER)[1].line
    s, w = np.polynomial.legendre.leggauss(40)
    s, w = 0.25 * (s + 1), 0.25 * w
    phi, bent = (line.field.columns("bending_z", s, order) for order in (0, 2))
    omega = 2 * np.pi * modes.frequencies_hz
    K = np.diag(omega**2 * 0.1)
    close((bent * w) @ bent.T, K, 1e-9)
    assert np.abs((phi * w) @ phi.T - K).max() > 0.1 * K.max()


def test_printed_27():
    """Factors of amplitude rates: as printed without the ends, and with half of (MD)."""
    p = two.TwoLink.of(PAPER)
    for theta in (0.0, 0.7):
        B = ls.planar_model(PAPER).B([0.0, 0.0, 0.0, theta, 0.0, 0.0])
        MD = p.far * np.cos(theta)  # (28)
        for link, at, offset in ((0, (1, 2), MD), (1, (4, 5), 0.0)):
            for j, k in ((0, 0), (0, 1), (1, 1)):
                assert abs(two.modal_inertia(p, link, j, k, offset) - B[at[j], at[k]]) < 1e-12
                printed = two.modal_inertia(p, link, j, k, offset, as_printed=True)
                if j == k or link == 0:
                    assert abs(printed - B[at[j], at[k]]) > 1e-3


def test_printed_30():
    """z_ijj = m_i does not give the end values of section VII; total modal mass m_i does."""
    p = two.TwoLink.of(PAPER)
    close([p.phi_11, p.phi_12, p.phi_21, p.phi_22], [0.186, 0.215, 0.883, -0.069], 1e-3)
    for link, m in ((0, p.m1), (1, p.m2)):
        for j in range(2):
            assert abs(two.modal_inertia(p, link, j, j) - m) < 1e-12
            assert abs((p.z_1, p.z_2)[link][j][j] - m) > 0.01


def test_printed_12a():
    """E^T E = (1 + y'^2) 1: the identity only to first order."""
    y = 0.1
    E = np.array([[1.0, -y], [y, 1.0]])
    assert np.allclose(E.T @ E, (1 + y**2) * np.eye(2), atol=1e-15)
    assert abs(np.linalg.det(E) - 1.0) > 1e-3


def test_printed_25():
    """B is not positive definite at finite deflections, whatever (25) says; at zero deflection it is."""
    p = two.printed(two.TwoLink.of(PAPER))
    assert np.linalg.eigvalsh(two.inertia(p, [0.0, np.pi / 2, 0.0, 0.0, 3.0, 0.0]))[0] < 0
    assert np.linalg.eigvalsh(two.inertia(p, [0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0]))[0] > 0


def test_energy_drifts_with_the_printed_coefficients_only():
    """The bar: 1e-8 of the energy at the start with the corrected ones."""
    p = two.TwoLink.of(PAPER)
    K = np.diag(ls.planar_model(PAPER).K)[ORDER]
    start = np.concatenate([x[ORDER] for x in START])
    drift = {}
    for word, x in (("printed", two.printed(p)), ("corrected", two.corrected(p))):

        def slopes(_t, y, x=x):
            force = -np.array(two.velocity_forces(x, y[:6], y[6:])) - K * y[:6]
            return np.concatenate([y[6:], np.linalg.solve(two.inertia(x, y[:6]), force)])

        path = solve_ivp(slopes, (0, 0.5), start, method="DOP853", rtol=1e-12, atol=1e-13).y.T
        E = np.array([0.5 * y[6:] @ two.inertia(x, y[:6]) @ y[6:] + 0.5 * K @ y[:6] ** 2 for y in path])
        drift[word] = np.abs(E - E[0]).max() / E[0]
    assert drift["corrected"] < 1e-8
    assert drift["printed"] > 1e-3


def test_arms_that_the_printed_coefficients_do_not_fit():
    with pytest.raises(ls.UnsupportedError, match="not two flexible links of two modes each"):
        two.TwoLink.of(ls.load("two_link"))
    one, last = PAPER.links
    about_z, along = np.diag([-1.0, -1.0, 1.0, 1.0]), np.eye(4)
    along[0, 3] = 0.1
    others = (
        last.replace(joint=last.joint.replace(placement=about_z)),
        last.replace(joint=last.joint.replace(axis=(0, 0, -1))),
        last.replace(joint=last.joint.replace(placement=along)), last.replace(frame=along),
        last.replace(beam=last.beam.replace(EA=90.0, modes=ls.Modes(bending_z=1, stretch=1))),
    )  # fmt: skip
    for arm in (planar_arm(1, (2, 2)), *(PAPER.replace(links=[one, other]) for other in others)):
        with pytest.raises(ls.UnsupportedError, match="that the two-link arm of the paper does not have"):
            two.TwoLink.of(arm)
    assert len(modal(PAPER)) == 4
