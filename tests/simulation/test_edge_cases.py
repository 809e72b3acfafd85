"""What happens at the edges: nothing given, starts on limits, functions that fail, targets that cannot be written."""

import re

import numpy as np
import pytest

import lissom as ls
from lissom.motion.run_file import read_run_file
from lissom.simulation import setup
from lissom.simulation.integrators import adaptive
from lissom.simulation.options import Scenario

ARM = ls.load("two_link")
Q0 = np.array([0.31, -0.17])
BOTH = pytest.mark.parametrize("options", [{}, {"dt": 1e-3}], ids=["adaptive", "fixed"])


# ---- nothing, or too little, is given ------------------------------------------------------------


@BOTH
def test_an_empty_list_of_loads_is_none(options):
    assert (
        ls.simulate(ARM, Q0, until=0.1, loads=[], **options).q == ls.simulate(ARM, Q0, until=0.1, **options).q
    ).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loads": None}, "loads is None; expected a list of Load"),
        ({"loads": lambda t: []}, r"loads\(0\) is empty; a load that begins later must be listed from the start"),
        ({"loads": [ls.Load("fore", force=np.zeros((0, 3)))]}, "load on 'fore' has no rows; expected at least one run"),
        ({"q0": np.zeros((0, 2))}, "q0 has no rows; expected at least one run"),
        ({"payloads": []}, r"payloads of 'fore' is \[\]; expected a list of Payload"),
    ],
    ids=["None", "function", "rows", "states", "payloads"],
)
def test_nothing_where_something_is_needed(options, message):
    with pytest.raises(ls.InputError, match=message):
        ls.simulate(ARM, **{"q0": Q0, "until": 0.1, **options})


def test_two_loads_on_one_link_must_tell_of_the_same_runs():
    loads = [ls.Load("fore", force=np.ones((n, 3))) for n in (4, 3)]
    with pytest.raises(ls.InputError, match="the numbers of runs differ: load on 'fore' 4, load on 'fore' 3"):
        ls.simulate(ARM, Q0, until=0.1, loads=loads)


def test_rows_of_rows_carry_their_own_payloads():
    """Blocks that are kept on disk are cut again where memory is short."""
    masses = [0.3, 0.7, 1.1, 1.9, 2.3]
    payloads = [ls.Payload(mass, com=(0.1, 0.02, 0.0)) for mass in masses]
    loop = setup.closed_loop(Scenario(ARM, payloads=payloads), 1.0)
    inner = loop.rows(slice(1, 5)).rows(slice(2, 4))
    assert [inner.member(k).own(inner.member(k).inputs.at(0.0))[0][0] for k in (0, 1)] == masses[3:5]


# ---- places along a beam -------------------------------------------------------------------------


def along(s, force=(0.0, 0.3, 0.0)):
    return ls.Load("link1", force=force, point=(s, 0.0, 0.0))


@pytest.mark.parametrize(
    ("loads", "message"),
    [
        (lambda t: [along(0.185 if t < 0.01 else 0.23)],
         "act on 'link1' at 0.23 m; at the start on 'link1' at 0.185 m"),
        (lambda t: [along(0.185)] if t < 0.01 else [], "act on nothing; at the start on 'link1' at 0.185 m"),
        (lambda t: [along(0.185, [0.0, 1.0 / float(t < 0.01), 0.0])],
         "load on 'link1' at 0.185 m raised ZeroDivisionError"),
        ([along(0.185, np.ones((2, 3))), along(0.23, np.ones((3, 3)))],
         "load on 'link1' at 0.185 m 2, load on 'link1' at 0.23 m 3"),
        (lambda t: [ls.Load("link1" if t < 0.01 else "link2")], "act on 'link2'; at the start on 'link1'"),
    ],
    ids=["moves", "vanishes", "raises", "runs", "links"],
)  # fmt: skip
@pytest.mark.some(1)
def test_messages_name_places_along_a_beam(loads, message):
    with pytest.raises(ls.LissomError) as caught:
        ls.simulate(ls.load("two_link_flexible"), until=0.02, loads=loads)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


# ---- limits of joints ----------------------------------------------------------------------------

LIMIT = 0.47
BOUNDED = ARM.with_joint("fore", limits=ls.Limits(position=(-1.0, LIMIT)))
NAME = "fore at its upper limit"


@BOTH
def test_a_start_on_a_limit_counts_where_it_goes_beyond(options):
    out, back = [-0.2, LIMIT], [0.0, 0.8]
    stopped = ls.simulate(BOUNDED, out, back, until=0.1, stop_at_limits=True, **options)
    assert (len(stopped), stopped.ok) == (1, True)
    assert stopped.status == f"stopped at t = 0 s: {NAME}"
    noted = ls.simulate(BOUNDED, out, back, until=0.1, **options)
    assert [(event.t, event.name) for event in noted.events] == [(0.0, NAME)]
    inwards = ls.simulate(BOUNDED, out, [0.0, -0.8], until=0.05, stop_at_limits=True, **options)
    assert inwards.status == "done"
    assert not inwards.events


@BOTH
def test_a_start_beyond_a_limit_is_noted_and_stops_only_at_the_next_crossing(options):
    """There and back: it enters without an event, and is stopped where it leaves again."""
    pull = ls.PD([0.0, 2.0], [0.0, 3.0], [0.0, 0.1])
    with pytest.warns(ls.OutsideLimits, match="simulate: The start is outside the limits: joint"):
        run = ls.simulate(BOUNDED, [0.0, LIMIT + 0.05], [0.0, -4.0], pull, 1.0, stop_at_limits=True, **options)
    assert run.report.notes[0].startswith("The start is outside the limits: joint")
    assert run.q[:, 1].min() < LIMIT
    assert [event.name for event in run.events] == [NAME]
    assert run.q[-1, 1] == pytest.approx(LIMIT, abs=1e-12)
    assert run.qd[-1, 1] > 0
    with pytest.warns(ls.OutsideLimits):
        onwards = ls.simulate(BOUNDED, [0.0, LIMIT + 0.05], [0.0, 2.0], pull, 0.1, stop_at_limits=True, **options)
    assert onwards.status == "done"


@BOTH
def test_the_limit_of_a_passive_joint_is_none(options):
    """limit=True asks only motors for their limits; a joint without one gets no torque."""
    arm = ARM.with_joint("fore", actuated=False, limits=ls.Limits())
    run = ls.simulate(arm, Q0, tau=ls.PD([2.0, 1.0], 400.0, 20.0, limit=True), until=0.2, **options)
    assert (run.tau[:, 1] == 0).all()
    assert np.abs(run.tau[:, 0]).max() == pytest.approx(ARM.bounds("torque")[1][0], rel=1e-12)
    assert run.ok


# ---- runs that end early -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"dt": 1e-3}, {"method": "radau"}, {"dt": 1e-3, "every": 0.07}],
    ids=["adaptive", "fixed", "implicit", "sampled"],
)  # fmt: skip
def test_a_function_that_raises_keeps_the_run_so_far(options):
    def law(t, q, qd):
        if t > 0.2:
            raise RuntimeError("the cable broke")
        return [0.13, -0.21 * qd[1]]

    with pytest.raises(ls.SimulationError, match=r"raised RuntimeError at t = 0\.2\d* s: the cable broke") as caught:
        ls.simulate(ARM, Q0, tau=law, until=0.5, **options)
    run = caught.value.run
    assert 0.14 < run.t[-1] <= 0.2 + 1e-9
    whole = ls.simulate(ARM, Q0, tau=lambda t, q, qd: [0.13, -0.21 * qd[1]], until=0.5, rtol=1e-10).at(run.t[1:])
    assert np.abs(run.q[1:] - whole.q).max() < 1e-7  # rk4 with 1e-3 s and rtol 1e-8 are both better than this


def test_an_event_that_raises_is_named_with_the_time():
    def broken(t, q, qd):
        raise KeyError("speed")

    with pytest.raises(ls.SimulationError, match="event 'broken' raised KeyError at t = 0 s: 'speed'"):
        ls.simulate(ARM, Q0, until=0.1, events=[broken])


@BOTH
@pytest.mark.parametrize("truth", [True, np.bool_(False)])
def test_events_that_are_true_or_false_are_refused(truth, options):
    with pytest.raises(ls.SimulationError, match=f"gave {truth} at t = 0 s; expected a number that crosses zero"):
        ls.simulate(ARM, Q0, until=0.1, events=[lambda t, q, qd: truth], **options)


def test_a_run_that_gets_nowhere_is_ended(monkeypatch):
    """Friction written as a sign chatters: steps shrink to the jump and never pass it."""
    monkeypatch.setattr(adaptive, "STALL", 150)
    with pytest.raises(
        ls.SimulationError, match=r"step size collapsed at .* \(150 steps advanced only \S+ s\)"
    ) as caught:
        ls.simulate(ARM, Q0, tau=lambda t, q, qd: -5.0 * np.sign(qd), until=1.0, method="rk45")
    message = str(caught.value)
    assert "increase rtol" in message
    assert "smaller" not in message  # one advice, not two that contradict each other
    run = caught.value.run
    assert run.report.steps <= 2 * 150
    assert 0 <= run.t[-1] < 1e-6


def test_advice_is_drawn_from_the_poles_at_the_start():
    """m x'' + c x' + k x = 0 decays at the larger root; the classical method is stable up to 2.785 over it."""
    m, c, k = 2.3, 1700.0, 30.0
    joint = ls.Joint("prismatic", axis=(1, 0, 0))
    arm = ls.Arm("slider", [ls.Link("block", joint=joint, mass=m, inertia=0.1)], gravity=(0, 0, 0))
    with pytest.raises(ls.SimulationError) as caught:
        ls.simulate(arm, [0.2], tau=ls.PD([0.0], k, c), until=3.0, dt=1e-2)
    decay, limit = re.search(r"decay rate of (\S+) 1/s at the start.*steps above (\S+) s", str(caught.value)).groups()
    fastest = float(np.max(-np.roots([m, c, k])))
    assert float(decay) == pytest.approx(fastest, rel=5e-3)  # three digits are shown
    assert float(limit) == pytest.approx(2.785 / fastest, rel=1e-2)


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"), [("no/run.nc", "there is no folder"), ("run.txt", "unknown ending"), ("run", "unknown ending")]
)
def test_the_target_is_checked_before_the_run(name, message, tmp_path):
    asked = []
    with pytest.raises(ls.InputError, match=message):
        ls.simulate(ARM, Q0, tau=lambda t, q, qd: asked.append(t), until=0.1, save=tmp_path / name)
    assert not asked


def test_degrees_are_of_joints_that_turn(tmp_path):
    """The third joint of the Stanford arm slides: its entry stays in metres, its rate in m/s."""
    file = tmp_path / "run.toml"
    file.write_text(
        'arm = "stanford"\nuntil = 0.1\n[start]\nq_deg = [10, -40, 0.35, 20, 30, 5]\nqd_deg = [0, 6, 0.02, 0, 3, 0]\n'
        '[controller]\nkind = "pd"\nq_deg = [12, -30, 0.41, 20, 30, 5]\nkp = 50\nkd = 9\n'
    )
    asked = read_run_file(file).arguments
    turn = np.array([1, 1, 0, 1, 1, 1], bool)
    for found, given in (
        (asked["q0"], [10, -40, 0.35, 20, 30, 5]),
        (asked["qd0"], [0, 6, 0.02, 0, 3, 0]),
        (asked["tau"].q, [12, -30, 0.41, 20, 30, 5]),
    ):
        assert np.array_equal(found, np.where(turn, np.radians(given), given))
    file.write_text('arm = "stanford"\nuntil = 0.1\n[start]\nq_deg = [10, -40]\n')
    with pytest.raises(ls.ModelError, match=r"q_deg has 2 entries; expected 6, one per joint"):
        read_run_file(file)


def test_a_run_file_follows_a_motion(tmp_path):
    motion = ls.predict_motion(ARM, start=[0, 0], goal=[0.5, 0.3], duration=0.5, minimise="torque_squared", starts=1)
    motion.save(tmp_path / "plan.nc")
    file = tmp_path / "run.toml"
    file.write_text(
        'arm = "two_link"\nuntil = 0.5\n[controller]\nkind = "follow"\nmotion = "plan.nc"\nkp = 150\nkd = 20\n'
    )
    asked = read_run_file(file)
    assert np.abs(ls.simulate(asked.arm, motion.q[0], **asked.arguments).q[-1] - motion.q[-1]).max() < 1e-7
    for motion_line, message in (("motion = 3", "expected the file of a saved motion"), ("", "motion is missing")):
        file.write_text(f'arm = "two_link"\nuntil = 0.5\n[controller]\nkind = "follow"\nkp = 150\n{motion_line}\n')
        with pytest.raises(ls.ModelError, match=message):
            read_run_file(file)


def stiffer(EI):
    """The two-link arm with links that bear its weight."""
    soft = ls.load("two_link_flexible").replace(gravity=(0, -9.81, 0))
    return soft.replace(links=[link.replace(beam=link.beam.replace(EI=(None, EI))) for link in soft.links])


@BOTH
@pytest.mark.some(1)
def test_controllers_feel_loads_that_stand_along_a_beam(options):
    """What holds the arm at rest holds the load too: it stays where it is."""
    heavy = stiffer(20.0).replace(loads=[along(0.185, (0.4, -2.3, 0.0))])
    rest = ls.equilibrium(heavy, [0.3, 0.2])
    for tau in (ls.GravityCompensation(), ls.ComputedTorque(rest.q[heavy.joint_index], 30.0, 9.0)):
        run = ls.simulate(heavy, rest.q, tau=tau, until=0.02, **({"dt": 1e-4} if options else {}))
        assert np.abs(run.tau[0] - rest.tau).max() < 1e-9
        assert np.abs(run.q - rest.q).max() < 1e-9


def test_payloads_of_every_run_sit_on_the_tips_of_flexible_links():
    """As the arm with that payload moves, whose mode shapes follow its mass, but for what two modes miss."""
    arm = stiffer(20.0)
    payload = ls.Payload(0.37, com=(0.03, 0.01, 0.0), inertia=4e-4)
    options = {"tau": ls.PD([0.3, 0.2], 2.0, 0.1), "until": 0.05, "every": 0.01, "dt": 2e-5}
    bare = ls.simulate(arm, [0.3, 0.2], **options)
    for link in ("link1", "link2"):
        one = ls.simulate(arm.with_payload(payload, link), [0.3, 0.2], **options)
        many = ls.simulate(arm, [0.3, 0.2], payloads={link: [payload, payload]}, **options)
        felt = np.abs(bare.tip - one.tip).max()
        assert np.abs(many.tip[1] - one.tip).max() < 1e-3 * felt
        assert many.ok


@pytest.mark.parametrize("q0", [None, np.zeros(0), np.zeros((3, 0))])
def test_an_arm_without_coordinates_is_refused(q0):
    """Some URDF files describe a single body."""
    block = ls.Arm("block", [ls.Link("base", joint=ls.Joint("fixed"), mass=1.0, inertia=0.1 * np.eye(3))])
    with pytest.raises(ls.UnsupportedError, match="'block' has no moving joint"):
        ls.simulate(block, q0, until=0.1)
