"""Compile the steps of rigid arms for common processors, for a wheel.

    python -m tools.ship_steps

Run it before a wheel is built: it writes ``src/lissom/engine/shipped/LEVEL.steps`` for each level of x86-64 (Linux).
The files are not in git, and lissom works without them: then it compiles at first use. They are used only with the
sources that they were made from, so this is the last thing that is done before building.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from unittest import mock

import numpy as np

import lissom as ls
from lissom.dynamics.acting import Acting
from lissom.engine import compile as compiler, joined, machine, native, native_code, shipped
from lissom.engine.kernel import SINGLE_LANES, tape_kernel
from lissom.engine.machine import Part
from lissom.kernels.functions import Functions
from lissom.kernels.verb import Verb
from lissom.kernels.verbs import JOINT_REACTIONS, REACTIONS_IN_LINK_AXES, VERBS

TRIPLE = "x86_64-unknown-linux-gnu"
WIDTHS = (1, 4)


def arms() -> Iterator[ls.Arm]:
    """Every kind of joint, six in a row, with and without drives, in branches; then with a coupled joint too."""
    links, parent = [], None
    drive = {"armature": 0.1, "damping": 0.2, "friction": 0.3, "stiffness": 0.4}
    for kind in ("revolute", "prismatic", "helical"):
        for k in range(6):
            joint = ls.Joint(kind, pitch=0.01 if kind == "helical" else None, **(drive if k % 2 else {}))
            links.append(_link(f"{kind} {k}", parent, joint))
            parent = f"{kind} {k}" if k < 5 else "revolute 2"
    links.append(_link("fixed", "revolute 4", ls.Joint("fixed")))
    yield ls.Arm("steps", links)
    follower = ls.Joint("revolute", mimic=ls.Mimic("revolute 1", 0.5))
    yield ls.Arm("steps of coupled joints", [*links, _link("follower", "revolute 3", follower)])


OF_LINKS = (JOINT_REACTIONS, REACTIONS_IN_LINK_AXES)  # payloads that are inputs belong to bodies, not to links


def _link(name: str, parent: str | None, joint: ls.Joint) -> ls.Link:
    return ls.Link(name, parent, joint, 1.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25]))


def actings(verb: Verb, arm: ls.Arm) -> Iterator[Acting]:
    """What may act on an arm, and where a frame is asked for."""
    carriers = {link.parent for link in arm.links}
    ends = tuple(link.name for link in arm.links if link.name not in carriers)
    if verb.frame:
        yield from (Acting(frame=end) for end in ends)
        return
    yield Acting()
    if verb.acted:
        yield from (Acting(base=True), Acting(loads=ends))
    if verb.batch_of_arms and verb not in OF_LINKS:
        yield Acting(payloads=tuple(link.name for link in arm.links))


def parts(some: Iterable[ls.Arm], verbs: Iterable[Verb] = tuple(VERBS.values())) -> list[Part]:
    """The objects that arms ask for; nothing is compiled: they are recorded where they would be loaded."""
    found: list[Part] = []

    def recorded(asked: Sequence[Part]) -> list[mock.Mock]:
        found.extend(asked)
        return [mock.Mock(address=lambda _: 1) for _ in asked]

    joins = [Part(*joined.part(width)) for width in WIDTHS]
    builtins = [Part(*native.part(name)) for name in native_code.BUILTINS]
    with mock.patch.object(machine, "load", recorded):
        for functions in map(Functions, some):
            for verb in verbs:
                if verb.composed is None:
                    _ask(functions, verb)
    return list({part.key: part for part in [*found, *joins, *builtins]}.values())


def _ask(functions: Functions, verb: Verb) -> None:
    """Make the tapes of a verb of every width."""
    for acting in actings(verb, functions.arm):
        plan = functions.plan(verb, acting)
        if plan.program.steps:
            lengths = [math.prod(shape) for shape in plan.shapes]
            for single in (False, True)[: 1 + verb.single]:
                made = tape_kernel(plan.tape_key, plan.sizes, lengths, plan.program.steps, plan.runs(True), single)
                for width in (SINGLE_LANES,) if single else WIDTHS:
                    made.code(width)


def compiled(level: str, found: Sequence[Part]) -> dict[str, bytes]:
    """Object code for a level of processors, by keys."""
    return {part.key: compiler.object_code(part.ir(), TRIPLE, level) for part in found}


def main() -> None:
    if not compiler.has_fma():
        raise SystemExit("ship_steps: this processor has no FMA, which all levels have; use another machine.")
    found = parts(arms())
    for level in shipped.LEVELS:
        path = shipped.FOLDER / f"{level}.steps"
        shipped.write(path, compiled(level, found))
        print(f"{path}: {len(found)} objects, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
