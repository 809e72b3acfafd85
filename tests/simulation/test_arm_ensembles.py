"""Ensembles whose runs have arms of their own: as single simulations of each, the same bits in any company."""

import numpy as np
import pytest

import lissom as ls
from arms import other_numbers, random_arm
from lissom.dynamics.varied import Several, Varied
from lissom.errors import InputError, UnsupportedError
from lissom.simulation import recording

ROUNDING = 1e-9  # over a few tenths of a second, where rounding grows with the motion


def others(arm, count, seed=0, **options):
    rng = np.random.default_rng(seed)
    return [other_numbers(arm, rng, **options) for _ in range(count)]


def agrees(many, arms, allowed=ROUNDING, which=-1, **options):
    """A run of an ensemble as the simulation of its arm."""
    k = which % len(arms)
    if np.ndim(options["q0"]) == 2:
        options["q0"] = options["q0"][k]
    one, member = ls.simulate(arms[k], **options), many.member(k)
    assert member.arm is arms[k]
    assert member.ok, member.status
    for word in ("q", "qd", "qdd", "tau", "kinetic", "potential", "power", "work"):
        a, b = getattr(one, word), getattr(member, word)
        assert np.abs(a - b).max() <= allowed * max(1.0, np.abs(a).max()), word
    for end in one.arm.ends:
        assert np.abs(member.path(end) - one.path(end)).max() <= allowed * max(1.0, np.abs(one.path(end)).max())
        assert np.abs(many.path(end)[k] - one.path(end)).max() <= allowed


@pytest.mark.some(1)
@pytest.mark.parametrize(("seed", "n"), [(12, 11), (3, 3)])
def test_trees_with_drives(seed, n):
    """Straight-line code and tape; slides, elastic joints, springs, gravity and places varied."""
    arm = random_arm(seed, n)
    arm = arm.replace(links=[link.replace(joint=link.joint.replace(friction=0.0)) for link in arm.links])
    arms = others(arm, 5)
    q0 = 0.3 * np.random.default_rng(1).normal(size=(5, arm.dof))
    options = {"q0": q0, "until": 0.1, "dt": 1e-3, "every": 0.02, "method": "rk8"}
    many = ls.simulate(arm, arms=arms, **options)
    assert many.ok, many.status
    assert many.balance_error.max() < 1e-6
    agrees(many, arms, **options)


def test_flexible_arms_under_a_controller():
    arm = ls.load("two_link_flexible")
    arms = others(arm, 6, places=False)
    gains = ls.PD([0.15, 0.25], kp=[1.0, 0.5], kd=[0.3, 0.1])
    options = {"q0": [0.1, 0.3], "until": 0.2, "dt": 1e-3, "every": 0.02, "method": "rk8", "tau": gains}
    many = ls.simulate(arm, arms=arms, **options)
    agrees(many, arms, **options)
    bent = many.tip_deflection
    assert bent.shape == (6, 11, 3)
    for k in (0, 5):
        member = many.member(k)
        assert np.allclose(bent[k], member.tip_deflection, atol=1e-13)
        assert np.allclose(many.tip_velocity[k], member.tip_velocity, atol=1e-11)
        along = many.deformation("link2", [0.1, 0.3])
        assert np.allclose(along.displacement[k], member.deformation("link2", [0.1, 0.3]).displacement, atol=1e-13)
        want = ls.modes(arms[k], member.q[-1][arm.joint_index], count=2).frequencies_hz
        assert np.allclose(ls.modes(member.arm, member.q[-1][arm.joint_index], count=2).frequencies_hz, want)


@pytest.mark.slow
@pytest.mark.parametrize("flexibility", ["linear", "book", "de_luca_siciliano"])
def test_other_models_of_flexibility(flexibility):
    arm = ls.load("two_link_flexible").replace(flexibility=flexibility)
    arms = others(arm, 4, places=False)
    options = {"q0": [0.1, 0.3], "until": 0.05, "dt": 1e-3, "every": 0.01, "tau": [0.02, 0.01], "method": "rk8"}
    agrees(ls.simulate(arm, arms=arms, **options), arms, which=1, **options)


def rough():
    joints = [
        ls.Joint(axis=(0, 1, 0.1), friction=0.4, damping=0.1),
        ls.Joint("prismatic", axis=(1, 0, 0), friction=3.0),
    ]
    links = [ls.Link(f"l{k}", f"l{k - 1}" if k else None, joint, 1.0 + k, (0.2, 0.1, 0), (0.02, 0.03, 0.04))
             for k, joint in enumerate(joints)]  # fmt: skip
    return ls.Arm("rough", links, gravity=(0.5, 0, -9.0))


@pytest.mark.some(2)
@pytest.mark.parametrize("method", ["rk4", "dop853", "radau"])
def test_friction_of_every_arm_is_its_own(method):
    arms = others(rough(), 4)
    options = {"q0": [0.2, 0.1], "qd0": [0.3, -0.2], "until": 0.5, "every": 0.05, "method": method}
    options |= {"dt": 1e-3} if method == "rk4" else {"rtol": 1e-9}
    many = ls.simulate(rough(), arms=arms, **options)
    assert many.ok, many.status
    agrees(many, arms, 1e-7 if method == "radau" else ROUNDING, **options)


def test_loads_base_prescribed_joints_and_standing_loads():
    arm = random_arm(6, 3, kinds=("revolute", "prismatic"), drives=False).replace(
        loads=[ls.Load("l1", (1.0, 2.0, -1.0))]
    )
    arms = others(arm, 4)
    options = {
        "q0": np.full(arm.dof, 0.2), "until": 0.1, "dt": 1e-3, "every": 0.02,
        "base": ls.BaseMotion((0.1, 0.2, 0.3), (0, 1, 0)),
        "loads": [ls.Load("l2", (3.0, 1.0, 0.0), point=(0.1, 0.0, 0.2))], "prescribed": {"j1": 0.5},
    }  # fmt: skip
    agrees(ls.simulate(arm, arms=arms, **options), arms, **options)


def test_a_load_along_a_beam():
    arm = ls.load("two_link_flexible")
    arms = others(arm, 3, places=False)
    push = [ls.Load("link1", (0.0, 0.3, 0.0), point=(0.21, 0.0, 0.0))]
    options = {"q0": [0.1, 0.3], "until": 0.05, "dt": 1e-3, "every": 0.01, "loads": push, "method": "rk8"}
    agrees(ls.simulate(arm, arms=arms, **options), arms, which=1, **options)
    with pytest.raises(InputError, match="not among the frames"):
        ls.simulate(arm, arms=Several(Varied(arm, arms), arms), **options)


def test_a_controller_believes_in_the_base_arm():
    """As with payloads: the model is that of `arm`, the plant that of the run."""
    arm = ls.load("two_link")
    heavy = arm.with_link("fore", mass=3.0)
    gains = {"q": [0.5, 0.5], "kp": [25.0, 25.0], "kd": [10.0, 10.0]}
    options = {"q0": [0.3, 0.1], "until": 0.3, "dt": 1e-3, "every": 0.05}
    many = ls.simulate(arm, arms=[arm, heavy], tau=ls.ComputedTorque(**gains), **options)
    one = ls.simulate(heavy, tau=ls.ComputedTorque(**gains, model=arm), **options)
    assert np.abs(many.q[1] - one.q).max() < 1e-10
    assert np.abs(many.q[0] - many.q[1]).max() > 1e-2


def test_functions_and_gains_of_every_run():
    arm = ls.load("two_link")
    arms = others(arm, 3)
    kp = np.array([[10.0, 5.0], [20.0, 9.0], [30.0, 12.0]])
    options = {"q0": [0.3, 0.1], "until": 0.1, "dt": 1e-3, "every": 0.05}
    many = ls.simulate(arm, arms=arms, tau=ls.PD([0.0, 0.0], kp=kp, kd=[1.0, 1.0]), **options)
    one = ls.simulate(arms[2], tau=ls.PD([0.0, 0.0], kp=kp[2], kd=[1.0, 1.0]), **options)
    assert np.abs(many.q[2] - one.q).max() < 1e-11
    push = lambda t, q, qd: [np.sin(9 * t), -qd[1]]  # noqa: E731
    agrees(ls.simulate(arm, arms=arms, tau=push, **options), arms, tau=push, **options)


def test_a_run_has_the_same_bits_in_any_company():
    arm = ls.load("two_link_flexible")
    arms = others(arm, 70, places=False)
    varied = Varied(arm, arms[:4])
    options = {"q0": [0.1, 0.3], "until": 0.04, "dt": 2e-3, "every": 0.02, "method": "rk8", "tau": [0.1, 0.0]}
    whole = ls.simulate(arm, arms=Several(varied, arms), threads=2, **options)
    for some in (slice(0, 1), slice(60, 65)):
        part = ls.simulate(arm, arms=Several(varied, arms[some]), threads=1, **options)
        for word in ("q", "qd", "qdd", "kinetic", "potential", "work"):
            assert np.array_equal(getattr(whole, word)[some], getattr(part, word)), word


def test_the_step_suits_the_stiffest_arm():
    arm = ls.load("two_link")
    stiff = arm.with_joint("fore", stiffness=4000.0)
    many = ls.simulate(arm, [0.1, 0.3], until=0.2, arms=[*[arm] * 40, stiff, *[arm] * 41])
    alone = ls.simulate(stiff, [[0.1, 0.3]], until=0.2)
    assert many.report.dt <= 1.01 * alone.report.dt
    assert many.ok, many.status


def test_failures_name_their_runs():
    arm = ls.load("two_link")
    spring = lambda k: arm.with_joint("fore", stiffness=k)  # noqa: E731
    options = {"q0": [0.3, 0.1], "until": 0.5, "dt": 5e-3, "on_failure": "return"}
    many = ls.simulate(arm, arms=[spring(1.0), spring(1e6), spring(2.0)], **options)
    assert list(many.failures) == [1]
    assert not many.ok
    assert many.member(0).ok
    assert not many.member(1).ok
    assert "at t = 0 s with steps of 0.005 s, but not with" in many.failures[1]  # its first step is beyond all bounds


@pytest.mark.some(1)
@pytest.mark.parametrize("ending", ["nc", "csv"])
def test_arms_travel_in_files(tmp_path, ending):
    """As lines that differ, and as a whole where there are more of them."""
    arm = ls.load("two_link")
    arms = [arm, *others(arm, 2), arm.with_payload(ls.Payload(0.3, (0.1, 0.2, 0.3)))]
    many = ls.simulate(arm, [0.1, 0.2], until=0.05, dt=1e-3, every=0.01, arms=arms)
    file = tmp_path / f"runs.{ending}"
    many.save(file)
    again = ls.load_run(file)
    assert list(again.arms) == arms
    assert np.array_equal(again.balance_error, many.balance_error)
    assert np.array_equal(again.tip, many.tip)
    assert again.member(3).arm == arms[3]
    again.save(file)
    assert list(ls.load_run(file).arms) == arms


def test_ensembles_by_the_block_can_be_resumed(tmp_path):
    arm = ls.load("two_link")
    arms = others(arm, 7)
    options = {"q0": [0.1, 0.2], "until": 0.1, "dt": 1e-3, "every": 0.05, "arms": arms}
    many = ls.simulate(arm, save=tmp_path / "a.nc", save_every=3, **options)
    whole = ls.simulate(arm, **options)
    assert np.array_equal(many.q, whole.q)
    assert list(many.arms) == list(ls.load_run(tmp_path / "a.nc").arms) == arms


def test_parts_of_runs_keep_their_arms():
    arm = ls.load("two_link")
    arms = others(arm, 3)
    many = ls.simulate(arm, [0.1, 0.2], until=0.1, dt=1e-3, every=0.02, arms=arms)
    assert many[1:3].member(2).arm is arms[2]
    assert many.at([0.01, 0.03]).arms is many.arms
    assert ls.simulate(arm, [0.1, 0.2], until=0.1, dt=1e-3, arms=[arm] * 3).count == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"arms": []}, "expected a list of Arm"),
        ({"arms": "two_link"}, "expected a list of Arm"),
        ({"arms": ls.load("two_link")}, "expected a list of Arm"),
        ({"arms": [ls.load("puma560")]}, "the number of links is 6"),
        ({"arms": [ls.load("two_link")] * 2, "payloads": [ls.Payload(1.0)] * 2}, "put the payloads in arms"),
        ({"arms": [ls.load("two_link")] * 2, "q0": np.zeros((3, 2))}, "the numbers of runs differ"),
        ({"arms": [ls.load("two_link").with_joint("fore", friction=0.1)]}, "friction in all arms or in none"),
    ],
)
def test_what_cannot_be_is_refused(options, words):
    with pytest.raises(InputError, match=r"simulate|arms") as told:
        ls.simulate(ls.load("two_link"), until=0.1, **options)
    assert words in str(told.value)


def test_closed_loops_are_refused():
    two = ls.load("two_link")
    arm = two.replace(loops=[ls.Loop(a=("fore", (0.4, 0, 0)), b=(None, (0.5, 0.2, 0)), joint="planar")])
    with pytest.raises(UnsupportedError, match="closed loops"):
        ls.simulate(arm, until=0.1, arms=[arm, arm])


def test_starts_that_no_beam_can_have_are_refused_for_their_own_arm():
    arm = ls.load("two_link_flexible")
    q0 = np.zeros((2, arm.dof))
    q0[1, arm.mode_index[0]] = 5.0
    with pytest.raises(InputError, match="slope"):
        ls.simulate(arm, q0, until=0.1, arms=[arm, arm])


def test_several_arms_must_be_of_the_base_arm():
    arm = ls.load("two_link")
    with pytest.raises(InputError, match="a different arm"):
        ls.simulate(arm, until=0.1, arms=Several(Varied(arm.with_gravity((0, 0, -1)), [arm]), [arm]))
    with pytest.raises(InputError, match="the number of links"):
        ls.simulate(arm, until=0.1, arms=Several(Varied(arm, [arm]), [ls.load("puma560")]))


def test_memory_of_samples_does_not_change_the_numbers(monkeypatch):
    """Samples are evaluated by the slice where every run is given much."""
    arm = ls.load("two_link")
    options = {"q0": [0.1, 0.2], "until": 0.1, "dt": 1e-3, "every": 0.01, "arms": others(arm, 5)}
    many = ls.simulate(arm, **options)
    monkeypatch.setattr(recording, "BATCH", 12)
    again = ls.simulate(arm, **options)
    assert all(np.array_equal(getattr(many, word), getattr(again, word)) for word in ("qdd", "tau", "kinetic", "power"))


def forked(first, second):
    """A flexible link with two links along its beam."""
    base = ls.load("two_link_flexible")
    stem, fore = base.links
    joint = ls.Joint("revolute", name="js", axis=(0, 0, 1), at=second)
    side = ls.Link("side", parent="link1", joint=joint, mass=0.1, com=(0.1, 0, 0), inertia=1e-3)
    return base.replace(links=[stem, fore.replace(joint=fore.joint.replace(at=first)), side])


def test_a_load_where_some_arms_have_a_joint():
    """The place of a load along a beam is a body of its own, whichever joints are there."""
    base = forked(0.2, 0.3)
    arms = [forked(0.35, 0.1), forked(0.3, 0.2)]
    options = {"until": 0.01, "dt": 1e-3, "method": "rk8", "loads": [ls.Load("link1", [0, 5.0, 0], point=(0.2, 0, 0))]}
    options["q0"] = 0.03 * np.ones(base.dof)
    agrees(ls.simulate(base, arms=arms, **options), arms, **options)


def test_places_along_a_beam_are_shared_alike():
    """Joints at one place share a body: arms in which other joints do so differ in more than numbers."""
    together, apart = forked(0.2, 0.2), forked(0.2, 0.3)
    for arm, other, has, wanted in ((together, apart, "side", "link2"), (apart, together, "link2", "side")):
        sentence = rf"arm 0, link 'side': the link at the same place .* is {has}, but of .* it is {wanted}"
        with pytest.raises(InputError, match=sentence):
            ls.simulate(arm, arms=[other], until=0.01)
    arms, options = [apart, forked(0.35, 0.1)], {"until": 0.02, "dt": 1e-3, "method": "rk8"}
    options["q0"] = 0.03 * np.ones(apart.dof)
    agrees(ls.simulate(apart, arms=arms, **options), arms, **options)
