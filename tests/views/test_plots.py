"""Figures of results show what they should."""

import numpy as np
import pytest

import lissom as ls


def test_frequency_response_of_a_sampled_and_a_continuous_plant():
    plant = ls.linearise(ls.load("two_link"), [-1.2, 0.3])
    figure = ls.plot(plant)
    gain, _, phase, _ = figure.axes
    curve = gain.lines[0]
    want = np.abs(plant.frequency_response(curve.get_xdata())[:, 0, 0])
    assert np.allclose(curve.get_ydata(), want)
    assert "rad/s" in phase.get_xlabel()
    assert [text.get_text() for text in gain.get_legend().get_texts()] == ["upper", "fore"]
    sampled = ls.plot(plant.discrete(0.05)).axes[0].lines[0]
    assert sampled.get_xdata()[-1] <= np.pi / 0.05 + 1e-9


def test_anything_else_is_refused():
    with pytest.raises(ls.InputError, match="plot: got str"):
        ls.plot("run.nc")
