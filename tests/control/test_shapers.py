"""Input shapers: what they leave, how wide their bands are, and what they do to a course and to an arm."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PPoly

import lissom as ls

KINDS = (ls.Shaper.zv, ls.Shaper.zvd, ls.Shaper.ei)


@pytest.mark.parametrize(("f", "damping"), [(0.7, 0.0), (2.3, 0.04), (11.0, 0.2)])
def test_what_they_leave_at_their_frequency(f, damping):
    for make, left in zip(KINDS, (0.0, 0.0, 0.05), strict=True):
        made = make(f, damping)
        assert made.residual(f, damping) == pytest.approx(left, abs=1e-10)
        assert made.sizes.sum() == pytest.approx(1.0)
        assert (made.sizes > 0).all()
        assert made.designed_for == ((f, damping),)
    # robust: off by five percent, ZVD leaves a fraction of what ZV does
    assert ls.Shaper.zvd(f, damping).residual(1.05 * f, damping) < 0.25 * ls.Shaper.zv(f, damping).residual(
        1.05 * f, damping
    )


@pytest.mark.parametrize(("damping", "level"), [(0.01, 0.05), (0.05, 0.05), (0.1, 0.05), (0.1, 0.2), (0.03, 0.01)])
def test_damped_ei_solves_its_equations(damping, level):
    """The level at f without slope, and two frequencies at which nothing is left."""
    made = ls.Shaper.ei(1.7, damping, level)
    step = 1e-4
    left = [made.residual(1.7 * (1 + k * step), damping) for k in (-1, 0, 1)]
    assert left[1] == pytest.approx(level, abs=1e-10)
    assert abs(left[2] - left[0]) < 3 * step**2
    ratios = np.linspace(0.4, 1.6, 20001)
    curve = made.residual(1.7 * ratios, damping)
    dips = ratios[1:-1][(curve[1:-1] < curve[:-2]) & (curve[1:-1] < curve[2:]) & (curve[1:-1] < 1e-3)]
    assert len(dips) == 2
    assert dips[0] < 1 < dips[1]


def test_widths_of_their_bands():
    """Undamped, at r f: ZV leaves |cos(pi r / 2)|, ZVD its square, EI |1 - V + (1 + V) cos(pi r)| / 2."""
    widths = [make(3.1).insensitivity() for make in KINDS]
    closed = [4 / np.pi * np.arcsin(x) for x in (0.05, np.sqrt(0.05))]
    closed.append(2 - 2 / np.pi * np.arccos((2 * 0.05 - 0.95) / 1.05))
    assert widths == pytest.approx(closed, abs=1e-8)
    assert widths == pytest.approx([0.063, 0.287, 0.399], abs=1e-3)
    damped = [ls.Shaper.ei(3.1, damping).insensitivity() for damping in (0.01, 0.05, 0.1)]
    assert damped == pytest.approx([0.406, 0.433, 0.472], abs=1e-3)


def test_one_after_the_other():
    both = ls.Shaper.zv(0.7).then(ls.Shaper.ei(2.3))
    assert both.residual(0.7) < 1e-12
    assert both.residual(2.3) < 0.05
    assert both.duration == pytest.approx(0.5 / 0.7 + 1 / 2.3)
    arm = ls.load("two_link_flexible")
    arm = arm.replace(links=[link.replace(beam=link.beam.replace(damping=0.03)) for link in arm.links])
    found = ls.modes(arm, [0.8, 0.8], count=2)
    made = ls.shaper(arm, [0.8, 0.8], "zvd", 2)
    assert max(made.residual(f, z) for f, z in zip(found.frequencies_hz, found.damping, strict=True)) < 1e-12


def test_convolution_of_polynomials():
    """Zero outside of the course."""
    rng = np.random.default_rng(3)
    course = PPoly(rng.normal(size=(4, 5, 2)), np.array([0.0, 0.13, 0.4, 0.55, 0.8, 1.1]))
    made = ls.Shaper(np.array([0.0, 0.31, 0.77]), np.array([0.2, 0.5, 0.3]))
    shaped, t = made.convolved(course), np.linspace(-0.01, 1.9, 1013)
    assert shaped.x[-1] == pytest.approx(1.1 + 0.77)
    want = sum(
        size * np.where(((t - time >= 0) & (t - time <= 1.1))[:, None], course(np.clip(t - time, 0, 1.1)), 0.0)
        for time, size in zip(made.times, made.sizes, strict=True)
    )
    inside = (t > 0) & (t < shaped.x[-1])
    assert np.abs(shaped(t[inside]) - want[inside]).max() < 1e-10


def courses():
    t = np.array([0.2, 0.5, 0.9, 1.4])
    values = np.array([[0.1, -0.4], [0.7, 0.2], [0.3, 0.9], [1.1, 0.6]])
    yield from (ls.Profile(t, values, kind=kind) for kind in ("linear", "cubic", "hold"))
    yield CubicSpline(t, values)
    yield ls.predict_motion(ls.load("two_link"), start=[0, 0], goal=[1, 0.5], minimise="time")


@pytest.mark.parametrize("course", courses(), ids=["linear", "cubic", "hold", "spline", "motion"])
def test_shaped_courses(course):
    """Each impulse adds the course, delayed and held at its ends."""
    made = ls.Shaper.ei(1.3, 0.02)
    shaped = made.shaped(course)
    if hasattr(course, "at"):
        begin, end = 0.0, course.duration
        value = lambda t: course.at(np.clip(t, begin, end))[0]  # noqa: E731
    else:
        begin, end = (course.t[0], course.t[-1]) if hasattr(course, "t") else (course.x[0], course.x[-1])
        value = lambda t: course(np.clip(t, begin, end))  # noqa: E731
    hold = getattr(course, "kind", None) == "hold"  # its last value begins at its last time
    assert shaped.x[0] == begin
    assert shaped.x[-1] == pytest.approx(end + made.duration + (0.3 if hold else 0.0), abs=1e-11)
    t = np.linspace(begin, end + made.duration, 777)[1:-1] + 1e-7
    want = sum(size * value(t - time) for time, size in zip(made.times, made.sizes, strict=True))
    assert np.abs(shaped(t) - want).max() < 1e-9


def test_a_shaped_ramp_leaves_a_flexible_joint_at_rest():
    """One joint with a beam of one mode, the motor held on the course: what is left is what `residual` says."""
    beam = ls.Beam(0.6, 0.3, EI=1.5, modes=ls.Modes(bending_z=1))
    arm = ls.Arm("rod", [ls.Link("rod", beam=beam, payload=ls.Payload(0.2))], gravity=(0, 0, 0))
    made = ls.shaper(arm, [0.0], "zv", 1)
    ramp = ls.Profile([0.0, 0.4], [0.0, 0.05])
    swing = []
    for course in (ls.Shaper([0.0], [1.0]).shaped(ramp), made.shaped(ramp)):
        until = float(course.x[-1])
        smooth = CubicSpline([0, 0.5 * until, until], [0, 0.5, 1])  # keep the motor's path differentiable
        assert smooth(until) == 1
        run = ls.simulate(
            arm, [0.0, 0.0], tau=ls.PD(course, kp=4e4, kd=400.0), until=until + 2.0, rtol=1e-8, atol=1e-10
        )
        swing.append(np.ptp(run.q[run.t > until + 0.3, 1]))
    assert swing[1] < 0.02 * swing[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ls.Shaper.zv(-1.0), "frequency -1.0 Hz"),
        (lambda: ls.Shaper.ei(1.0, 0.0, 1.5), "level is 1.5"),
        (lambda: ls.Shaper([0.0, 1.0], [0.5, 0.6]), "sizes sum to 1.1"),
        (lambda: ls.Shaper([0.1, 1.0], [0.5, 0.5]), "increasing from 0"),
        (lambda: ls.Shaper([0.0], [1.0]).insensitivity(), "no design frequency"),
        (lambda: ls.Shaper.zv(1.0).shaped([1.0, 2.0]), "expected a Profile, a Motion or a SciPy spline"),
        (lambda: ls.shaper(ls.load("two_link_flexible"), [0.8, 0.8], "zvdd"), "kind is 'zvdd'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ls.InputError, match=message):
        call()


def test_their_figure():
    title = ls.plot(ls.Shaper.zvd(2.0)).get_suptitle()
    assert "3 impulses" in title
    assert "28.7 %" in title.replace("\n", " ")
