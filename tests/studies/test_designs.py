"""Which rows a study has."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

import lissom as ls
from lissom.studies.plan.design import MOST_ROWS, design, rows_of, seeds

P = ls.StudyParameter
BOX = {"a": P("q[0]", uniform=(-1.5, 2.0)), "b": P("q[1]", log_uniform=(0.01, 10.0)), "c": P("q[2]", normal=(2, 0.5))}


def test_a_grid_has_every_combination_once():
    parameters = {"a": P("q", grid=(0, 1, 3)), "b": P("q", values=[5, 7]), "c": P("q", log_grid=(0.1, 10, 3))}
    made = design(parameters, "grid", None, 0)
    assert rows_of(parameters, "grid", None, "x") == len(made["a"]) == 18
    assert len(set(zip(*(made[name] for name in "abc"), strict=True))) == 18
    assert np.unique(made["c"]) == pytest.approx([0.1, 1, 10])


def test_a_list_goes_side_by_side():
    made = design({"a": P("q", values=[1, 2, 3]), "b": P("q", values=["x", "y", "x"])}, "list", None, 0)
    assert made["a"].tolist() == [1, 2, 3]
    assert made["b"].tolist() == ["x", "y", "x"]


@pytest.mark.parametrize("sampling", ["random", "latin_hypercube", "sobol"])
def test_samples_follow_their_distributions_and_their_seed(sampling):
    made, again, other = (design(BOX, sampling, 1000, seed) for seed in (3, 3, 4))
    for name in BOX:
        assert np.array_equal(made[name], again[name])
        assert not np.array_equal(made[name], other[name])
    assert kstest(made["a"], "uniform", (-1.5, 3.5)).pvalue > 0.01
    assert kstest(np.log(made["b"]), "uniform", (np.log(0.01), np.log(1000))).pvalue > 0.01
    assert kstest(made["c"], norm(2, 0.5).cdf).pvalue > 0.01


def test_a_latin_hypercube_has_one_value_in_every_slice():
    u = (design(BOX, "latin_hypercube", 64, 0)["a"] + 1.5) / 3.5
    assert sorted((64 * u).astype(int)) == list(range(64))


def test_a_normal_parameter_stays_within():
    made = design({"a": P("q", normal=(0.0, 1.0), within=(0.0, None))}, "random", 500, 0)["a"]
    assert made.min() >= 0


def test_pairs_for_sobol_indices_exchange_one_column():
    made = np.column_stack(list(design(BOX, "saltelli", 8, 0).values())).reshape(5, 8, 3)
    A, B = made[:2]
    for k, mixed in enumerate(made[2:]):
        assert np.array_equal(mixed[:, k], B[:, k])
        assert np.array_equal(np.delete(mixed, k, 1), np.delete(A, k, 1))


def test_seeds_of_rows_do_not_depend_on_company():
    together = seeds(7, np.arange(1000))
    assert len(set(together)) == 1000
    assert (together >= 0).all()
    assert all(seeds(7, np.array([k]))[0] == together[k] for k in (0, 17, 999))
    assert not set(together) & set(seeds(8, np.arange(1000)))


@pytest.mark.parametrize(
    ("parameters", "sampling", "count", "sentence"),
    [
        ({"a": P("q", uniform=(0, 1))}, "grid", None, "parameter 'a' is uniform, which has no list of values"),
        ({"a": P("q", grid=(0, 1, 4)), "b": P("q", values=[1, 2])}, "list", None, "there are a 4, b 2"),
        ({"a": P("q", grid=(0, 1, 4))}, "grid", 4, "the values decide the rows of a grid"),
        ({"a": P("q", uniform=(0, 1))}, "sobol", None, "count is None; sobol samples need a whole number"),
        ({"a": P("q", uniform=(0, 1))}, "sobol", -3, "count is -3"),
        (
            {"a": P("q", uniform=(0, 1))},
            "saltelli",
            100,
            "count is 100; saltelli samples need a power of 2, for example 128",
        ),
        ({"a": P("q", uniform=(0, 1))}, "soboll", 100, "did you mean 'sobol'"),
        (
            {"a": P("q", uniform=(0, 1))},
            "random",
            MOST_ROWS + 1,
            "the study would have 10,000,001 rows; at most 10,000,000",
        ),
        ({n: P("q", grid=(0, 1, 9999)) for n in "abcd"}, "grid", None, "the study would have .* rows; at most"),
    ],
)
def test_designs_that_cannot_be_are_refused(parameters, sampling, count, sentence):
    with pytest.raises(ls.InputError, match=sentence):
        rows_of(parameters, sampling, count, "Study")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "it has no values; give exactly one of values"),
        ({"values": [1], "grid": (0, 1, 2)}, "it has values and grid"),
        ({"values": []}, "values is empty"),
        ({"values": [1, "a"]}, "expected numbers or strings"),
        ({"values": [np.nan]}, "expected numbers or strings"),
        ({"values": 3}, "values is 3; expected a list"),
        ({"grid": (1, 0, 3)}, "the lowest first"),
        ({"grid": (0, 1, 2.5)}, "how many is a whole number"),
        ({"log_uniform": (0, 1)}, "above 0"),
        ({"normal": (0, 0)}, "standard deviation above 0"),
        ({"uniform": (0, np.inf)}, "uniform is"),
        ({"uniform": (0, 1), "within": (0, 1)}, "it applies to normal only"),
        ({"normal": (0, 1), "within": (1, 0)}, "within is"),
        ({"uniform": (0, 1), "how": "times"}, "how is 'times'"),
        ({"uniform": (0, 1), "unit": 3}, "unit is 3"),
    ],
)
def test_parameters_that_cannot_be_are_refused(given, sentence):
    with pytest.raises(ls.InputError, match=sentence):
        P("q", **given)


def test_parameters_know_their_units():
    assert P("arm.links.fore.payload.mass", uniform=(0, 1)).unit == "kg"
    assert P("arm.links.fore.payload.mass", uniform=(0, 1), how="scale").unit == ""
    assert P("arm.gravity[2]", uniform=(0, 1)).unit == "m/s^2"
