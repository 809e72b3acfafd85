"""What is stored with an arm: in one slot, for this arm alone, and without another arm that is equal but different."""

import copy
import pickle
import re
import sys
import threading
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from tests.house.test_arrows import SOURCE

import lissom as ls
from lissom.kernels.cache import ArmCache, cache_of, functions_of


def rough():
    """A flexible arm with friction."""
    arm = ls.load("two_link_flexible")
    return arm.with_joint(arm.joints[0].name, friction=0.2)


def test_the_slot_is_not_part_of_the_arm():
    arm = ls.load("two_link_flexible")
    ls.mass_matrix(arm, arm.home)
    assert isinstance(arm._compiled, ArmCache)
    assert set(arm._constants) == {"flexible links", ("bounds", "position")}
    assert not {"_compiled", "_constants"} & set(vars(arm))
    for other in (pickle.loads(pickle.dumps(arm)), copy.copy(arm), copy.deepcopy(arm), arm.replace(name=arm.name)):
        assert other == arm
        assert hash(other) == hash(arm)
        assert not hasattr(other, "_compiled")
        assert not hasattr(other, "_constants")


def test_nothing_is_written_into_an_arm():
    writes = re.compile(r"\barm\.__dict__|vars\((\w+\.)?arm\)|setattr\((\w+\.)?arm\b")
    found = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if writes.search(path.read_text())}
    assert found <= {"kernels/cache.py"}


def test_equal_arms_have_equal_inertia_whatever_was_done_with_them():
    """Functions without friction belong to the same arm; no second arm with the shapes of another is made."""
    used, fresh = rough(), rough()
    start = np.full(len(used.joints), 0.1)
    ls.simulate(used, start, tau=ls.PD(start, 5.0, 1.0), until=0.01, method="radau")
    smooth = cache_of(used).without_friction
    assert smooth.arm is used
    assert smooth is not functions_of(used)
    q = np.random.default_rng(0).uniform(-0.1, 0.1, used.dof)
    assert used == fresh
    assert np.array_equal(ls.mass_matrix(used, q), ls.mass_matrix(fresh, q))
    assert np.array_equal(smooth.get("mass_matrix")(q), ls.mass_matrix(fresh, q))
    without = used.with_joint(used.joints[0].name, friction=0.0)
    rates = np.full(used.dof, 0.3)
    assert np.array_equal(smooth.get("bias_forces")(q, rates), ls.bias_forces(without, q, rates))
    assert not np.array_equal(ls.bias_forces(used, q, rates), ls.bias_forces(without, q, rates))


def test_shapes_are_given_to_no_other_arm():
    """An arm with the mode shapes of another would be equal to one with its own, and have another inertia."""
    users = [path for path in SOURCE.rglob("*.py") if "with_shapes_of" in path.read_text(encoding="utf-8")]
    assert not users


def test_an_arm_without_friction_has_its_functions_once():
    arm = ls.load("two_link")
    assert cache_of(arm).without_friction is functions_of(arm)


def test_threads_share_one_cache():
    for _ in range(20):
        arm, found, start = ls.load("two_link").replace(), [], threading.Barrier(8)

        def look(arm=arm, found=found, start=start):
            start.wait()
            found.append((cache_of(arm), functions_of(arm)))

        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(map(id, (cache for cache, _ in found)))) == 1
        assert len(set(map(id, (functions for _, functions in found)))) == 1


def frames(call):
    """Names of the Python functions that a call enters."""
    entered = []
    sys.setprofile(lambda frame, event, _: entered.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [name for name in entered if name != "<lambda>"]


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_gradient"])
def test_a_warm_call_is_one_python_frame(name):
    arm = ls.load("puma560")
    function, state = getattr(ls, name), [arm.home] * (1 if name == "mass_matrix" else 3)
    for _ in range(2):
        found = function(arm, *state)
    assert frames(lambda: function(arm, *state)) == [name]
    if name != "inverse_dynamics_gradient":
        function(arm, *state, out=found)
        assert frames(lambda: function(arm, *state, out=found)) == [name]


def test_the_stages_of_a_first_call_are_drawn_and_exist():
    page = (Path(__file__).parents[2] / "docs" / "engine.md").read_text(encoding="utf-8")
    stages = re.findall(r"^\| (\d+) \| `([\w.]+)` \|", page, re.MULTILINE)
    assert [int(number) for number, _ in stages] == list(range(1, len(stages) + 1))
    assert 8 <= len(stages) <= 12
    for _, name in stages:
        parts = name.split(".")
        found = import_module(".".join(["lissom", *parts[:2]]))
        for part in parts[2:]:
            found = getattr(found, part)
