"""Figures of studies."""

import io

import numpy as np
import pytest

import lissom as ls

P = ls.StudyParameter
KINDS = ("scatter", "distribution", "map", "sensitivity", "pareto")


def numbers(case):
    if case["x"] == 3.0:
        raise ValueError("not this one")
    return {"sum": case["x"] + case["z"], "product": case["x"] * (1 - case["z"])}


def drawn(result, kind=None):
    """A figure that can be put on paper."""
    figure = ls.plot(result, kind)
    figure.savefig(io.BytesIO(), format="png", dpi=40)
    return figure


@pytest.fixture(scope="module")
def results():
    grid = {"x": P(grid=(0, 5, 6), unit="m"), "z": P(values=[0.1, 0.5, 0.9])}
    spread = {"x": P(uniform=(0, 5)), "z": P(normal=(0.5, 0.1))}
    made = {"grid": ls.Study(numbers, parameters=grid).run(workers=1)}
    for sampling in ("random", "latin_hypercube", "sobol", "saltelli"):
        made[sampling] = ls.Study(numbers, parameters=spread, sampling=sampling, count=16).run(workers=1)
    return made


@pytest.mark.some(6)
@pytest.mark.parametrize("sampling", ["grid", "random", "saltelli"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn(results, sampling, kind):
    assert drawn(results[sampling], kind).axes


def test_what_is_drawn_are_the_rows(results):
    result = results["grid"]
    axes = drawn(result).axes
    assert [ax.get_xlabel() for ax in axes] == ["", "", "x [m]", "z"]
    dots, crosses = axes[0].lines
    assert np.array_equal(dots.get_ydata(), result["sum"], equal_nan=True)
    assert crosses.get_xdata().tolist() == [3.0] * 3  # the rows that failed, at the foot
    mesh = drawn(result, "map").axes[0].collections[0]
    means = np.asarray(mesh.get_array()).reshape(3, 6)
    assert np.allclose(np.delete(means, 3, 1), np.delete(np.add.outer([0.1, 0.5, 0.9], np.arange(6.0)), 3, 1))


def test_words_as_a_parameter():
    parameters = {"name": P(values=["long", "a", "$b"]), "x": P(values=[1.0, 2.0])}
    result = ls.Study(lambda case: {"n": len(case["name"]) * case["x"], "m": case["x"]}, parameters=parameters)
    result = result.run(workers=1)
    ticks = [text.get_text().replace("\\", "") for text in drawn(result).axes[-2].get_xticklabels()]
    assert sorted(ticks) == ["$b", "a", "long"]
    for kind in ("distribution", "pareto"):
        drawn(result, kind)
    for kind, sentence in (("map", "two numeric parameters"),):
        with pytest.raises(ls.InputError, match=sentence):
            ls.plot(result, kind)


def test_one_parameter_and_one_output():
    result = ls.Study(lambda case: {"y": case["x"]}, parameters={"x": P(grid=(0, 1, 5))}).run(workers=1)
    for kind in ("scatter", "distribution", "sensitivity"):
        drawn(result, kind)
    with pytest.raises(ls.InputError, match="a map needs two numeric parameters"):
        ls.plot(result, "map")
    with pytest.raises(ls.InputError, match="a Pareto front needs two outputs"):
        ls.plot(result, "pareto")


@pytest.mark.parametrize("kind", KINDS)
def test_odd_names_break_nothing(kind):
    parameters = {"$x_{$": P(grid=(0, 1, 3), unit="$^"), "a_b$c$": P(values=[1.0, 2.0]), "\u4e2d": P(values=[1.0])}
    outputs = {"$\\frac$": "a", "_legend$": "b"}
    study = ls.Study(
        lambda case: {"a": case["$x_{$"], "b": -case["a_b$c$"]},
        None,
        None,
        parameters,
        outputs,
        title="cost in $ of $x",
    )
    with np.errstate(all="ignore"):
        drawn(study.run(workers=1).only("$x_{$", "a_b$c$", "$\\frac$", "_legend$"), kind)


def test_nothing_to_draw():
    def failing(case):
        raise ValueError("never")

    result = ls.Study(failing, parameters={"x": P(values=[1.0, 2.0])}).run(workers=1)
    for kind in KINDS:
        with pytest.raises(ls.InputError, match="the study has no outputs to plot; all rows failed"):
            ls.plot(result, kind)


def test_all_rows_alike_are_drawn():
    parameters = {"x": P(values=[1.0]), "z": P(values=[2.0])}
    result = ls.Study(lambda case: {"y": 1.0, "w": 2.0}, parameters=parameters).run(workers=1)
    for kind in ("scatter", "distribution", "map", "pareto"):
        drawn(result, kind)


def test_what_is_no_result_is_said(results):
    study = ls.Study(numbers, parameters={"x": P(values=[1.0]), "z": P(values=[1.0])})
    with pytest.raises(ls.InputError, match=r"plot: .*run"):
        ls.plot(study)
    with pytest.raises(ls.InputError, match="kind is 'pie'"):
        ls.plot(results["grid"], "pie")
