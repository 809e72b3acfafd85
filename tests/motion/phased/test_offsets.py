"""Heights of frames, and offsets between two, along motions with contacts."""

import numpy as np
import pytest
from tests.legged import biped, scissors, step

import lissom as ls


def test_a_step_keeps_heights_and_offsets_between_its_samples_too():
    """The swinging foot lifts higher, and passes closer to the other leg's hip, than it would by itself."""
    arm = biped()
    free = ls.predict_motion(arm, step(arm), guess=scissors(arm))
    fine = np.linspace(0.0, free.duration, 1001)

    def seen(motion):
        q = motion.at(fine * motion.duration / free.duration)[0]
        left, right = (ls.pose(arm, q, f"foot_{side}")[:, :3, 3] for side in ("left", "right"))
        return left[:, 2].min(), (left - right)[:, 0].min()

    height, offset = seen(free)
    rows = [ls.FrameHeight("foot_left", lower=height + 0.01),
            ls.FrameOffset("foot_left", "foot_right", (1, 0, 0), lower=offset + 0.02)]  # fmt: skip
    motion = ls.predict_motion(arm, step(arm, constraints=rows), guess=free)
    assert motion.ok
    found = seen(motion)
    assert found[0] >= height + 0.01 - 1e-4
    assert found[1] >= offset + 0.02 - 1e-4
    assert motion.cost > free.cost
    assert {"height", "offset from 'foot_right'"} <= {peak.quantity for peak in motion.report.peaks}
    strict = motion.task.replace(constraints=[rows[0].replace(lower=height + 0.03)])
    assert "height of 'foot_left' is" in motion.with_verdict(task=strict).verify().status


def test_ends_beyond_them_are_refused():
    arm = ls.load("ur5").replace(contacts=[ls.Contact("palm", "wrist_3", normal=(-1, 0, 0), height=-0.9)])
    phases = [ls.Phase("reach", (), 0.5, 3)]
    low = ls.FrameOffset("wrist_3", "shoulder", (0, 0, 1), lower=5.0)
    with pytest.raises(ls.InputError, match="at the start the offset from 'shoulder' of 'wrist_3' is"):
        ls.predict_motion(arm, start=arm.ready, goal=arm.ready + 0.1, phases=phases, constraints=low)
    with pytest.raises(ls.InputError, match="wrist_9"):
        ls.predict_motion(arm, start=arm.ready, goal=arm.ready + 0.1, phases=phases,
                          constraints=ls.FrameHeight("wrist_9", lower=0.0))  # fmt: skip
