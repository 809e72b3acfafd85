"""Fingerprints of the graphs of dynamics: what an arm's straight-line code computes, however it is written.

Run as a script it writes `graphs.json`, which holds those of commit 00024d4.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

import lissom as ls
from lissom.dynamics import forward, inverse, mass
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.engine.program import Inline
from lissom.engine.symbolics import alone
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis

STORED = Path(__file__).with_name("graphs.json")
PROGRAMS = {
    "inverse_dynamics": lambda run, b: inverse.program(run, b, Acting()),
    "acted": lambda run, b: inverse.program(run, b, Acting((b.arm.links[-1].name,), True)),
    "gravity_forces": lambda run, b: inverse.program_at_rest(run, b, Acting(), rates=False),
    "mass_matrix in body axes": lambda run, b: mass.program(run, b, Acting(), tape=False),
    "mass_matrix in world axes": lambda run, b: mass.program(run, b, Acting(), tape=True),
    "forward_dynamics by the mass matrix": lambda run, b: forward.program(run, b, Acting(), tape=False),
    "forward_dynamics by articulated bodies": lambda run, b: forward.program(run, b, Acting(), tape=True),
}
NAMES = ("panda", "puma560", "stanford", "tree_demo", "two_link", "ur5e", "xarm7", "kinova_gen3", "tree", "slides")


def arm_of(name):
    """A shipped arm, or a generic tree of 30 joints, revolute, or with slides and drives."""
    return ls.load(name) if name not in ("tree", "slides") else generic_tree(name == "slides")


def generic_tree(slides):
    rng = np.random.default_rng(3)
    links = []
    for i in range(30):
        parent = None if i == 0 else f"l{max(0, i - 1 if i % 7 else i - 5)}"
        placement = pose(about_axis((1.0, 0.0, 0.0), rng.uniform(-2.0, 2.0)), rng.uniform(-0.3, 0.3, 3))
        mass = rng.uniform(0.2, 4.0)
        drive = {"armature": 0.1, "damping": 0.2, "friction": 0.05, "stiffness": 0.3, "rest": 0.1} if slides else {}
        kind = "prismatic" if slides and i % 4 == 2 else "revolute"
        links.append(ls.Link(f"l{i}", parent, ls.Joint(kind, placement, name=f"j{i}", **drive), mass,
                             rng.normal(size=3) * 0.1, np.diag(mass * rng.uniform(0.01, 0.013, 3))))  # fmt: skip
    return ls.Arm("tree", links)


def print_of(graph):
    """Digest of what the outputs are, and the number of operations; the order of nodes does not matter."""
    marks = []
    for node in graph.nodes:
        data = [x.hex() if isinstance(x, float) else x for x in node.data]
        text = f"{node.op}{data}{[marks[k] for k in node.args]}"
        marks.append(hashlib.sha256(text.encode()).hexdigest())
    whole = repr([[marks[k] for k in out] for out in graph.outputs])
    return [hashlib.sha256(whole.encode()).hexdigest()[:20], sum(bool(node.args) for node in graph.nodes)]


@alone
def prints_of(name):
    """{program: [digest, operations]} of an arm."""
    bodies, out = Bodies(arm_of(name)), {}
    for word, program in PROGRAMS.items():
        run = Inline()
        program(run, bodies)
        out[word] = print_of(run.graph(fuse=False))
    return out


if __name__ == "__main__":
    STORED.write_text(json.dumps({name: prints_of(name) for name in NAMES}, indent=1) + "\n")
