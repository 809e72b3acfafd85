"""Write the dynamics of an arm for the controller in this folder: `python export_model.py robot.urdf`."""

import sys
from pathlib import Path

import lissom as ls

NAME = "arm_model"
JOINTS = """// Made by export_model.py: the joints of {arm}, in the order of the arrays of {name}.h.
#pragma once

#include <array>

inline constexpr std::array<const char *, {count}> ARM_JOINTS = {{{names}}};
"""


def write_model(arm: ls.Arm, folder: Path) -> None:
    """Inverse dynamics (friction included) and gravity in C, and the names of the joints."""
    if not arm.actuated.all():
        passive = ", ".join(name for name, driven in zip(arm.coordinates, arm.actuated, strict=True) if not driven)
        sys.exit(f"{arm.name}: {passive} has no motor; this controller is for arms with a motor on each coordinate.")
    print(ls.export_c(arm, ["inverse_dynamics", "gravity_forces"], into=folder, name=NAME))
    names = ", ".join(f'"{name}"' for name in arm.coordinates)
    text = JOINTS.format(arm=arm.name, name=NAME, count=arm.dof, names=names)
    (folder / "arm_joints.hpp").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python export_model.py ARM (a file, or the name of a shipped arm)")
    write_model(ls.load(sys.argv[1]), Path(__file__).parent / "generated")
