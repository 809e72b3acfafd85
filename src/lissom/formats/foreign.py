"""Advice for formats that are not supported."""

from __future__ import annotations

from lissom.errors import listed
from lissom.formats import xml
from lissom.formats.kinds import RECORD

XACRO = "run xacro on the file first (xacro robot.urdf.xacro -o robot.urdf) and load the URDF"
ENDINGS = {
    ".sdf": "SDF is not read: convert it to URDF first, or load the URDF that it was made from",
    ".world": "SDF worlds are not read: convert the robot to URDF first",
    ".xacro": f"xacro is not read: {XACRO}",
    ".srdf": "SRDF names groups and poses of a robot but does not describe it: load the URDF that belongs to it",
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), "USD is not read: export the robot as URDF or MJCF first"),
    **dict.fromkeys((".stl", ".dae", ".obj", ".glb"), "it is a mesh, not a robot: load the URDF or MJCF that uses it"),
    **dict.fromkeys((".nc", ".csv", ".parquet"), f"it is {RECORD}"),
    **dict.fromkeys((".yaml", ".yml", ".json"), "YAML and JSON are not read: write the arm as .toml, or as URDF"),
}
ROOTS = {
    "sdf": ENDINGS[".sdf"],
    "mujoco": "it is MJCF: give it the ending .xml, which is read through MuJoCo",
    "COLLADA": ENDINGS[".dae"],
    "mujocoinclude": "it is a part of an MJCF model: load the file that includes it",
}


def about_root(root: xml.Element, expected: str) -> str:
    """The message for an XML file with an unsupported root element."""
    known = ROOTS.get(root.tag)
    return f"the root is <{root.tag[:60]}>; " + (f"{known}." if known else f"expected {expected}.")


def nothing_to_read(robot: xml.Element) -> str:
    """The message for a URDF without links, with what it contains."""
    tags = sorted({child.tag[:40] for child in robot.children})
    inside = f"only {listed([f'<{tag}>' for tag in tags], 6)}" if tags else "nothing"
    made = " It was made by xacro, perhaps from a file that only defines macros: load the file that uses them."
    return f"it has no links: <robot> contains {inside}." + (made if "xmlns:xacro" in robot.attributes else "")
