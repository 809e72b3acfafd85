"""Names and numbers of spatial axes are inside the figure, and over nothing else."""

import matplotlib as mpl
import numpy as np
import pytest

import lissom as ls
from lissom.views.figures.spatial_fit import _on_screen

mpl.use("Agg")


@pytest.fixture(scope="module")
def spatial_motion():
    arm = ls.load("puma560")
    start = np.asarray(arm.ready)
    return ls.retime_motion(arm, [start, start + 0.4])


def _names(figure):
    figure.draw_without_rendering()
    for ax in figure.axes:
        if hasattr(ax, "get_zlim"):
            for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
                yield ax, axis.label.get_window_extent()


def _figures(motion):
    bends = ls.Beam(EI=250.0, length=0.4, mass_per_length=4.0, modes=ls.Modes(bending_z=1, bending_y=1))
    chain = ls.Arm("chain", [
        ls.Link("a", joint=ls.Joint("revolute", axis=(0, 0, 1)), beam=bends),
        ls.Link("b", "a", ls.Joint("revolute", axis=(0, 1, 0)), beam=bends),
    ])  # fmt: skip
    yield ls.plot(motion)
    yield ls.plot(motion, "poses")
    yield ls.plot(ls.modes(chain, [0.3, 0.8], count=4))
    yield ls.draw(motion.arm)


def test_names_of_spatial_axes_are_inside_the_figure_and_over_no_other_panel(spatial_motion):
    for figure in _figures(spatial_motion):
        found = list(_names(figure))
        assert found
        for ax, box in found:
            assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
            assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
            beside = [other.get_tightbbox() for other in figure.axes if not hasattr(other, "get_zlim")]
            beside += [other.title.get_window_extent() for other in figure.axes if other is not ax]
            assert not any(box.overlaps(other) for other in beside)


def test_a_spatial_view_fills_its_place(spatial_motion):
    """Zoomed out far enough for its names, but no farther: something ends within a tenth of the edge of its place."""
    figure = ls.draw(spatial_motion.arm, labels=False)
    (ax,) = figure.axes
    boxes = [box for _, box in _names(figure)]
    slack = min(*(min(box.x0, figure.bbox.x1 - box.x1, box.y0) for box in boxes))
    limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    corners = [_on_screen(ax, limits[[0, 1, 2], list(k)]) for k in np.ndindex(2, 2, 2)]
    top = min(ax.bbox.y1 - corner[1] for corner in corners)
    assert min(slack, top) < 0.1 * figure.bbox.height


def test_another_size_is_fitted_again(spatial_motion):
    figure = ls.plot(spatial_motion, "poses")
    figure.draw_without_rendering()
    figure.set_size_inches(3.5, 3.5)
    for _, box in _names(figure):
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1


def test_names_of_links_stay_clear_of_the_numbers_of_the_axes():
    for name in ("puma560", "tree_demo", "xarm7"):
        figure = ls.draw(ls.load(name))
        figure.draw_without_rendering()
        (ax,) = figure.axes
        own = [text for text in ax.texts if len(text.get_text().strip()) > 1]
        assert own
        right = min(_on_screen(ax, text.get_position_3d())[0] for text in own)
        low, high = sorted(ax.zaxis.get_view_interval())
        shown = [tick.label1 for tick in ax.zaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        assert shown
        assert all(label.get_window_extent().x1 < right for label in (*shown, ax.zaxis.label))
