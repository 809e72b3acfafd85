"""Mirrors, travels and bases that do not fit a machine are refused with a sentence."""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.legged import biped, scissors, step

import lissom as ls
from lissom.motion.phased.problem import PhasedProblem
from lissom.motion.phased.search import Found, PhasedSearch
from lissom.motion.solve.guess import Guess

ALL = ("heel_left", "heel_right", "toe_left", "toe_right")


@pytest.mark.parametrize(
    ("make", "changes", "words"),
    [
        (lambda arm: arm.replace(mirror=None), {}, "has no mirror"),
        (lambda arm: arm.replace(mirror=arm.mirror.replace(signs={"hip_left": -1})), {}, "from the image of"),
        (lambda arm: arm.with_link("shank_left", mass=2.9), {}, "the arm is not symmetric"),
        (lambda arm: arm.replace(contacts=[*arm.contacts[:3], arm.contacts[3].replace(height=0.1)]), {},
         "is not that of its partner"),
        (lambda arm: arm, {"travel": ls.Travel("z", speed=1.0)}, "off its plane"),
        (lambda arm: arm, {"travel": ls.Travel("y", speed=1.0)}, "'y'"),
        (lambda arm: arm, {"transfer": ls.Transfer(["heal_right"], ["loading"])}, "did you mean 'heel_right'"),
        (lambda arm: arm, {"contacts": ["heel_right", "toe_right", "toe_left"]},
         "contacts has 'heel_right', but not 'heel_left', its partner in the mirror; give both or none"),
        (lambda arm: arm, {"phases": [ls.Phase("stand", ALL)]},
         "holds in all phases, so the motion cannot travel along 'x'"),
        (lambda arm: arm, {"phases": [ls.Phase("stand", ALL, 0.5)], "travel": ls.Travel("x", distance=(0.3, 0.6))},
         "holds in all phases, so the motion cannot travel along 'x'"),
        (lambda arm: arm, {"duration": 2.0}, r"the phases take 0.52 s, but duration is 2 s. Change one of them"),
        (lambda arm: arm, {"travel": ls.Travel("x", distance=(0.1, 0.2), speed=1.0)},
         r"the phases take 0.52 s, but travel along 'x' at 1 m/s takes 0.1 to 0.2 s"),
        (lambda arm: arm, {"travel": ls.Travel("x", distance=0.3, speed=0.0)}, "has a distance, but its speed is 0"),
        (lambda arm: arm, {"phases": [ls.Phase("fall", (), 0.4)]}, "no phase has a contact that carries the weight"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(make, changes, words):
    arm = make(biped())
    with pytest.raises(ls.LissomError, match=words):
        ls.predict_motion(arm, step(biped(), **changes), guess=scissors(biped()))


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("duration", "in the last iterate, duration of the whole motion is violated by 1.1 of its size"),
        ("speed", "in the last iterate, speed of the whole motion is violated by 1.1 of its size"),
        ("load transfer", "load transfer 'heel_right' in phase 'loading' is violated by 1.1 of its size"),
    ],
)
def test_messages_name_a_phase_where_a_row_belongs_to_one(what, sentence):
    arm = biped()
    task = step(arm, free=True, duration=0.5, transfer=ls.Transfer(["heel_right"], ["loading"]))
    made = PhasedProblem(arm, task, [2, 5, 3], Guess(scissors(arm), None))
    program = made.program
    rows = np.clip(0.0, program.lower, program.upper)
    rows[next(k for k, name in enumerate(program.names) if name[0] == what)] += 1.1
    assert PhasedSearch._violated(Found(made, SimpleNamespace(rows=rows), ())).endswith(sentence)
