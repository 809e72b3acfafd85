"""Kinds of joints, one file each, and the drives of joints.

Every file of this room is read, so a new kind of joint is a new file and nothing else.
"""

import importlib
import pkgutil

from lissom.joints.base import JOINTS, AbstractJoint, is_prismatic, joint_class

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["JOINTS", "AbstractJoint", "is_prismatic", "joint_class"]
