"""Linear equality constraints of MJCF between two joints, read as mimic joints.

MuJoCo keeps ``y - y0 = a0 + a1 (x - x0) + a2 (x - x0)^2 + ...`` with a stiff spring; with a2 ... a4 zero the joint y
follows x exactly: multiplier a1, offset y0 + a0 - a1 x0.
"""

from __future__ import annotations

from typing import Any

from lissom.model.mimic import Mimic


def couplings(mujoco: Any, model: Any, notes: list[str]) -> dict[int, Mimic]:
    """Mapping from each mimic joint to its `Mimic`; other equalities are noted."""
    hinges = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    leader: dict[int, int] = {}
    found: dict[int, Mimic] = {}
    for e in range(model.neq):
        if int(model.eq_type[e]) != int(mujoco.mjtEq.mjEQ_JOINT):
            continue
        y, x = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        a0, a1, *higher = (float(value) for value in model.eq_data[e][:5])
        if not model.eq_active0[e]:
            notes.append(f"equality {e} is not active; ignored.")
        elif x < 0:
            notes.append(f"equality {e} holds a joint where it is; ignored. arm.lock does this.")
        elif any(higher):
            notes.append(f"equality {e} between joints is not linear; ignored.")
        elif y in leader or y in _above(leader, x) or any(int(model.jnt_type[j]) not in hinges for j in (x, y)):
            notes.append(f"equality {e} couples joints that other equalities couple already; ignored.")
        else:
            leader[y] = x
            y0, x0 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in (y, x))
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, x)
            found[y] = Mimic(name, a1, y0 + a0 - a1 * x0)
    return found


def _above(leader: dict[int, int], joint: int) -> list[int]:
    """A joint and the joints that it follows, direct and indirect."""
    out = [joint]
    while out[-1] in leader:
        out.append(leader[out[-1]])
    return out
