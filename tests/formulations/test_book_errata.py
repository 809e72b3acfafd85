"""Book 1983: the mended equations are those of sampled points; put in place as printed, each gives something else.

Every case is a row of docs/errata.md, under its id. The words given with it are those of the page.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.flexible.linear_arms import CHAINS, states
from tests.flexible.linear_cloud import LinearCloud
from tests.formulations.book_paper import Paper, chain

from lissom.formulations.book import printed_multiplications
from lissom.papers.book1983.equations import TRUNCATED

PAGE = Path(__file__).parents[2] / "docs" / "errata.md"
SAME, CLEARLY = 1e-9, 1e-3  # errors, relative to the largest entry


class Erratum(NamedTuple):
    """`word` puts an equation in place as it is printed; `result`: what it enters."""

    id: str
    word: str
    result: str
    where: str
    printed: str
    should: str


CASES = [
    Erratum("book_9", "9", "R", "(9)", "`Wd_j = What_{j-1} A_j + What_{j-1} dA_j` (scan)",
            "`Wd_j = Whatd_{j-1} A_j + What_{j-1} dA_j`"),
    Erratum("book_10", "10", "inverse", "(10)", "`Wdd_j = Wdd_{j-1} A_j + 2 Wd_{j-1} dA_j + What_{j-1} ddA_j` (scan)",
            "`Wdd_j = Whatdd_{j-1} A_j + 2 Whatd_{j-1} dA_j + What_{j-1} ddA_j`"),
    Erratum("book_14", "14", "R", "(14)", "`Whatd_j = W_j dE_j + Wd_j dE_j`", "`Whatd_j = W_j dE_j + Wd_j E_j`"),
    Erratum("book_15", "15", "inverse", "(15)", "`Whatdd_j = Wdd_j dE_j + 2 Wd_j ddE_j + W_j ddE_j`",
            "`Whatdd_j = Wdd_j E_j + 2 Wd_j dE_j + W_j ddE_j`"),
    Erratum("book_26", "26", "energy", "(19), (26)", "`B_2i` of `hd_i hd_i^T` (scan)",
            "`B_2i = 1/2 int mu h_i hd_i^T`, as (27) has it"),
    Erratum("book_29", "29", "energy", "(19), (29)", "`B_3i` of `hd_i hd_i^T` (scan)",
            "`B_3i = 1/2 int mu h_i h_i^T`, as its second line has it"),
    Erratum("book_29_index", "29 index", "energy", "(29)", "`sum_j delta_ij [C_ik + C_ik^T]`, k free",
            "`sum_j delta_ij [C_ij + C_ij^T]`"),
    Erratum("book_39_index", "39 index", "inverse", "(39)", "`Wdd_j D_jk`, k free",
            "`Wdd_j D_jf`, f the mode of the equation"),
    Erratum("book_39_braces", "39 braces", "inverse", "(39)",
            "the trace with `D_j` and `C_jk` within the braces of the sum over i = j + 1 ... n",
            "added once, after the sum, for j = n too"),
    Erratum("book_52", "52", "R", "after (52)", "`eps_ik` is found in the top row of `C_ik`",
            "it is twice the top row: `C_ik` carries the half of (28)"),
    Erratum("book_63", "63", "J by sums", "(63)", "`W_h M_hk hWhat_i` (scan)",
            "`W_h M_hk hW_i`, with `W_i = W_h E_h hW_i` of (62)"),
    Erratum("book_64", "10", "R", "(64)", "`Wdd_vj = Wdd_{v,j-1} A_j + 2 Wd dA_j + ...` (scan)",
            "`Wdd_vj = Whatdd_{v,j-1} A_j + 2 Whatd_{j-1} dA_j + ...`"),
    Erratum("book_65", "65", "R", "(65)", "`Wdd_vj = Wdd_vj E_j + 2 Wd_j dE_j` (scan)",
            "`Whatdd_vj = Wdd_vj E_j + 2 Wd_j dE_j`"),
    Erratum("book_70", "70", "J", "(70)", "`W_n^T` (perhaps the scan)", "`W_h^T`"),
    Erratum("book_71", "71", "J by sums", "(71)", "`jW~_i G_i hW~_i^T`", "`jW~_i G_i hW_i^T`, the second beyond `E_h`"),
    Erratum("book_75", "75", "J", "(75)", "`2 Tr{ M_jf [ jPhi_h + M_hk^T + W_h D_hk W_h^T ] W_h^T }` (scan)",
            "`2 Tr{ W_j M_jf [ jPhi_h M_hk^T + jW_h D_hk ] W_h^T }`"),
    Erratum("book_78", "78", "J", "(78)", "for j > h: `jF~_h = E_j A_j {j+1}F~_h` (scan)",
            "for j < h: `jF~_h = E_j A_{j+1} {j+1}F~_h`"),
    Erratum("book_80", "80", "J", "(80)", "`jF_h = jF~_{h+1} A_h^T`", "`jF_h = jF~_{h+1} A_{h+1}^T`"),
    Erratum("book_81", "81", "J", "(81)", "`jPhi_h = A_{j+1} jF~_h`", "`jPhi_h = A_{j+1} {j+1}F_h`"),
    Erratum("book_86", "86", "R", "(86)", "`Tr{ W_j M_jf A_{j+1} Q_{j+1} [ ... ] W_j^T }` (perhaps the scan)",
            "`Tr{ W_j M_jf A_{j+1} Q_{j+1} + [ ... ] W_j^T }`"),
    Erratum("book_89", "89", "R", "(89), (90)", "`M_n r_n`, `M_j r_j`, with `r_i` of (51)",
            "`M_n r_rn`, `M_j r_rj`: `r_i` has the mass and the deflections in it"),
]  # fmt: skip
RESULTS = {
    "J": lambda paper: paper.J(),
    "J by sums": lambda paper: paper.J(paper.sums()),
    "R": lambda paper: paper.R(),
    "inverse": lambda paper: paper.inverse(),
    "energy": lambda paper: paper.kinetic_energy(),
}


@cache
def made(name):
    """An arm, its points and its links in the paper's form."""
    arm = CHAINS[name]()
    cloud = LinearCloud(arm)
    return arm, cloud, chain(cloud)


def flat(values):
    return np.array(values).ravel()


def error(found, want):
    return np.abs(found - want).max() / np.abs(want).max()


@pytest.mark.parametrize("truncated", [(), ("37",), ("72",), TRUNCATED], ids=lambda words: "+".join(words) or "full")
@pytest.mark.parametrize("name", CHAINS)
def test_mended_equations_are_those_of_sampled_points(name, truncated):
    """J and R, by sums and by recursion, and the inverse form; as published and with what it drops."""
    arm, cloud, links = made(name)
    forces = cloud.book(products="37" not in truncated, shortcut="72" in truncated)
    still = np.zeros(arm.dof)
    for seed in range(2):
        z, zd, zdd = states(arm, seed)
        paper = Paper(links, z, zd, zdd, arm.gravity, truncated=truncated)
        rest = Paper(links, z, zd, None, arm.gravity, truncated=truncated)
        bias = flat(forces(z, zd, still))
        M = np.column_stack([flat(forces(z, still, e) - forces(z, still, still)) for e in np.eye(arm.dof)])
        assert error(rest.J(), M) < SAME
        assert error(rest.J(rest.sums()), M) < SAME
        assert error(rest.R(), -bias) < SAME
        if "72" not in truncated:  # made only in the inertia matrix
            assert error(paper.inverse(), flat(forces(z, zd, zdd))) < SAME


@pytest.mark.parametrize("name", CHAINS)
def test_without_truncation_they_are_lagranges(name):
    """The points by d'Alembert against the points by Lagrange; and (22) is their kinetic energy."""
    arm, cloud, links = made(name)
    z, zd, zdd = states(arm, 3)
    lagrange, energy = cloud.lagrange()
    want = flat(lagrange(z, zd, zdd))
    assert error(flat(cloud.book(products=True, shortcut=False)(z, zd, zdd)), want) < 1e-12
    assert error(Paper(links, z, zd, zdd, arm.gravity, truncated=()).inverse(), want) < SAME
    assert Paper(links, z, zd).kinetic_energy() == pytest.approx(0.5 * zd @ np.array(energy(z)[0]) @ zd, rel=SAME)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_printed(case):
    """On the chain whose links are all flexible, in three directions."""
    arm, _, links = made("spatial")
    z, zd, zdd = states(arm, 5)
    zdd = zdd if case.result == "inverse" else None
    want, found = (
        RESULTS[case.result](Paper(links, z, zd, zdd, arm.gravity, printed)) for printed in ((), (case.word,))
    )
    assert error(found, want) > CLEARLY


def test_what_is_dropped_from_the_inertia_is_quadratic_in_the_deflections():
    arm, _, links = made("spatial")
    z, zd, _ = states(arm, 5)
    bent = np.zeros(arm.dof, bool)
    bent[arm.mode_index] = True
    apart = []
    for size in (1.0, 0.5):
        at = np.where(bent, size * z, z)
        full, cut = (Paper(links, at, zd, truncated=words).J() for words in ((), TRUNCATED))
        apart.append(error(cut, full))
    assert apart[0] > 1e-4
    assert apart[1] == pytest.approx(apart[0] / 4, rel=0.2)


def test_published_inertia_turns_indefinite_at_slopes_of_a_tenth():
    """(72), (73) alone do it, where that of the full equations, and with (37) alone, is positive."""
    _, _, links = made("planar")
    z = np.array([0.51, 0.089, -0.079, 0.42, 0.041, -0.013])
    slopes = [np.abs(links[j].M[:, 2, 1] * d) for j, d in enumerate((z[1:3], z[4:6]))]
    assert np.max(slopes) < 0.12
    words = ((), ("37",), ("72",), TRUNCATED)
    least = [np.linalg.eigvalsh(Paper(links, z, 0 * z, truncated=some).J())[0] for some in words]
    assert min(least[:2]) > 1e-3
    assert max(least[2:]) < -1e-4


def test_multiplications_that_the_paper_quotes():
    """12,009 for six joints and two flexible links with three modes; its polynomial gives less."""
    assert printed_multiplications(6, 2, 3) == 11361
    page = PAGE.read_text(encoding="utf-8")
    assert "12,009" in page
    assert "11,361" in page


def test_page_has_a_row_for_every_case():
    test = r"`tests/formulations/test_book_errata.py::test_printed\[(\w+)\]`"
    rows = re.findall(rf"^\| (.+) \| (.+) \| (.+) \| {test} \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted((case.where, case.printed, case.should, case.id) for case in CASES) == sorted(rows)
