"""Shapes of beams: exact ones against finite elements, printed numbers, extreme tips, many modes."""

import numpy as np
import pytest

import lissom as ls
from lissom.flexible import bending, elements
from lissom.flexible.quadrature import Panels


def uniform(value):
    return lambda s: np.full_like(s, value)


def random_tip(rng, mass, length):
    """Mass, inertia about the tip and offset moment of a body that can exist."""
    M, offset = rng.uniform(0, 5) * mass, rng.uniform(-0.3, 0.3) * length
    return ls.Tip(M, M * offset**2 + rng.uniform(0, 1) * mass * length**2, M * offset)


@pytest.mark.parametrize("seed", range(8))
def test_wavenumbers_against_finite_elements(seed):
    """The bar: 1e-6 relative for ten modes, random tip mass, inertia and offset moment."""
    rng = np.random.default_rng(seed)
    L, mu, EI = rng.uniform(0.3, 2), rng.uniform(0.1, 3), rng.uniform(0.5, 20)
    tip = random_tip(rng, mu * L, L)
    modes = ls.beam_modes(ls.Beam(L, mu, EI), tip, 10)
    mesh = elements.bending(elements.mesh(L, None, 160), uniform(mu), uniform(EI), tip.matrix, 10)
    assert np.abs(mesh.omega / (2 * np.pi) / modes.frequencies_hz - 1).max() < 1e-6
    x = np.linspace(0, L, 23)
    assert np.abs(mesh.shapes.at(x) - modes.shape(x)).max() < 1e-5
    assert np.abs(mesh.shapes.at(x, 1) - modes.slope(x)).max() < 1e-4 * np.abs(modes.slope(x)).max()


def test_numbers_of_de_luca_and_siciliano():
    """Section VII, nominal payload: 20 values to their printed digits."""
    beam, panels = ls.Beam(0.5, 0.2, EI=1.0), Panels(np.linspace(0, 0.5, 9))
    outer = 0.1 + 0.2 * 0.5**3 / 3 + 0.0005 + 0.1 * 0.5**2  # J_h2 + J_o2 + J_p + m_p l_2^2
    printed = {
        1: (
            ls.Tip(0.1 + 1.0 + 0.1, outer),
            (0.48, 1.80),
            (0.186, 0.215),
            (0.657, -0.560),
            (0.007, 0.013),
            (0.002, 0.004),
        ),
        2: (ls.Tip(0.1, 0.0005), (2.18, 15.91), (0.883, -0.069), (2.641, -10.853), (0.033, 0.054), (0.012, 0.016)),
    }
    for tip, f, end, slope, v, w in printed.values():
        modes = ls.beam_modes(beam, tip, 2)
        assert tuple(modes.frequencies_hz.round(2)) == f
        assert tuple(modes.shape(0.5).round(3)) == end
        assert tuple(modes.slope(0.5).round(3)) == slope
        assert tuple((0.2 * panels.w @ modes.shape(panels.s)).round(3)) == v
        assert tuple((0.2 * (panels.w * panels.s) @ modes.shape(panels.s)).round(3)) == w


def test_forty_modes_are_orthogonal():
    beam, tip = ls.Beam(0.7, 0.3, EI=2.0), ls.Tip(0.2, 0.01, 0.03)
    modes = ls.beam_modes(beam, tip, 40)
    panels = Panels(np.linspace(0, 0.7, 80))
    y, e, de = modes.shape(panels.s), modes.shape(0.7), modes.slope(0.7)
    ends = np.stack([e, de])
    gram = 0.3 * (y.T * panels.w) @ y + ends.T @ tip.matrix @ ends
    assert np.abs(gram - beam.mass * np.eye(40)).max() < 1e-10 * beam.mass
    bent = modes.curvature(panels.s)
    stiff = 2.0 * (bent.T * panels.w) @ bent
    assert np.abs(stiff - modes.stiffness).max() < 1e-9 * modes.stiffness.max()
    assert (np.diff(modes.wavenumbers) > 0).all()
    assert (modes.curvature(0.0) > 0).all()


def test_clamped_free():
    roots = ls.beam_modes(ls.Beam(1.0, 1.0, EI=1.0), count=3).wavenumbers
    assert np.allclose(roots, [1.8751040687119611, 4.694091132974175, 7.854757438237613], rtol=1e-14)


@pytest.mark.parametrize("mass", [1e-12, 1e-6, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("radius", [1e-6, 0.1, 1.0])
def test_no_root_is_missed_or_doubled(mass, radius):
    """Heavy tips push two roots near zero; the count below and above each root differs by one."""
    tip = ls.Tip(mass, mass * radius**2 * 1.0001, 0.5 * mass * radius)
    roots = bending.wavenumbers(0.9, 0.4, tip, 6)
    assert (np.diff(roots) > 0).all()
    for k, b in enumerate(roots):
        assert bending.count_below(b * (1 - 1e-7), 0.9, 0.4, tip) == k
        assert bending.count_below(b * (1 + 1e-7), 0.9, 0.4, tip) == k + 1


def test_a_heavy_tip_is_a_spring_and_a_mass():
    """w^2 = 3 EI / (M L^3), with Rayleigh's correction of 33/140 of the beam."""
    modes = ls.beam_modes(ls.Beam(1.2, 0.5, EI=7.0), ls.Tip(1e3), 1)
    want = np.sqrt(3 * 7.0 / ((1e3 + 33 / 140 * 0.6) * 1.2**3)) / (2 * np.pi)
    assert modes.frequencies_hz[0] == pytest.approx(want, rel=1e-7)


@pytest.mark.parametrize("plane", ["torsion", "stretch"])
def test_rods_against_finite_elements(plane):
    beam = ls.Beam(0.8, 0.5, EI=1.0, GJ=3.0, EA=200.0, gyration=(0.02, 0.03))
    tip = ls.Tip(0.3, 0.001, 0.0, polar=4e-4)
    modes = ls.beam_modes(beam, tip, 6, plane)
    rho = 0.5 * (0.02**2 + 0.03**2) if plane == "torsion" else 0.5
    S, end = (3.0, 4e-4) if plane == "torsion" else (200.0, 0.3)
    mesh = elements.rods(elements.mesh(0.8, None, 60), uniform(rho), uniform(S), end, 6)
    assert np.abs(mesh.omega / (2 * np.pi) / modes.frequencies_hz - 1).max() < 1e-7
    assert np.abs(mesh.shapes.at([0.3, 0.8]) - modes.shape([0.3, 0.8])).max() < 1e-4


def test_a_shaft_without_inertia_turns_its_tip():
    beam = ls.Beam(0.8, 0.5, EI=1.0, GJ=3.0)
    modes = ls.beam_modes(beam, ls.Tip(polar=0.02), 1, "torsion")
    assert modes.frequencies_hz[0] == pytest.approx(np.sqrt(3.0 / 0.8 / 0.02) / (2 * np.pi))
    assert modes.shape([0.4, 0.8])[:, 0].tolist() == [0.5, 1.0]


def test_tapered_beams():
    """A cone-like taper against the exact first root; a table of a constant is the uniform beam."""
    stations = np.linspace(0, 1.0, 9)
    flat = ls.Beam(1.0, np.full(9, 0.4), EI=(None, np.full(9, 2.0)), stations=stations)
    same = ls.beam_modes(ls.Beam(1.0, 0.4, EI=2.0), ls.Tip(0.1, 0.002, 0.005), 4)
    got = ls.beam_modes(flat, ls.Tip(0.1, 0.002, 0.005), 4)
    assert np.abs(got.frequencies_hz / same.frequencies_hz - 1).max() < 1e-6
    assert np.abs(got.shape(stations) - same.shape(stations)).max() < 1e-5
    # wedge of constant width, thickness falling to a tenth: mesh independence
    thick = 1 - 0.9 * stations
    coarse, fine = (
        elements.bending(elements.mesh(1.0, stations, n), lambda s: np.interp(s, stations, 0.4 * thick),
                         lambda s: np.interp(s, stations, 2.0 * thick**3), np.zeros((2, 2)), 4) for n in (40, 120)
    )  # fmt: skip
    assert np.abs(coarse.omega / fine.omega - 1).max() < 1e-5


@pytest.mark.parametrize(
    ("message", "make"),
    [
        ("count is 0; expected a whole number from 1", lambda: ls.beam_modes(ls.Beam(1, 1, EI=1), count=0)),
        ("plane is 'bending'; expected one of bending_z", lambda: ls.beam_modes(ls.Beam(1, 1, EI=1), plane="bending")),
        ("the beam has no GJ; give it for torsion", lambda: ls.beam_modes(ls.Beam(1, 1, EI=1), plane="torsion")),
        ("torsion modes need inertia about the beam's axis",
         lambda: ls.beam_modes(ls.Beam(1, 1, EI=1, GJ=1), plane="torsion", count=1)),
        ("2 torsion modes are requested; without gyration",
         lambda: ls.beam_modes(ls.Beam(1, 1, EI=1, GJ=1), ls.Tip(polar=1), plane="torsion", count=2)),
        ("cannot exceed the root of mass times inertia", lambda: ls.Tip(1.0, 0.01, 0.5)),
        ("tip is 3; expected Tip", lambda: ls.beam_modes(ls.Beam(1, 1, EI=1), tip=3)),
        ("has no position", lambda: ls.beam_modes(ls.Beam(1, 1, EI=1)).shape(1.5)),
    ],
)  # fmt: skip
def test_bad_input(message, make):
    with pytest.raises(ls.LissomError, match=message):
        make()
