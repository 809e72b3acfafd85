"""The figure of what a motion says about the parameters of its arm."""

import numpy as np
import pytest

import lissom as ls


def test_the_information_of_a_motion():
    motion = ls.excite(ls.load("two_link"), 4.0, starts=1)
    positions, deviations = ls.plot(motion, "information").axes
    assert np.allclose(positions.lines[0].get_ydata()[[0, -1]], 0.0)
    random, own = (line.get_xdata() for line in deviations.lines)
    assert np.allclose(np.sort(own), np.sort(motion.information.std))
    assert np.allclose(np.sort(random), np.sort(motion.information.random_std))
    assert deviations.get_xscale() == "log"
    labels = [text.get_text() for text in deviations.get_yticklabels()]
    assert sorted(labels) == sorted(motion.information.short_names)
    assert "most information" in ls.plot(motion)._suptitle.get_text()


def test_other_motions_have_none():
    plain = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1])
    with pytest.raises(ls.InputError, match=r"kind 'information' needs a motion of lissom\.excite"):
        ls.plot(plain, "information")
