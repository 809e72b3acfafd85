"""Rules of the core: joints know their kind, elements know what they are, records have names of their own."""

import importlib
import pkgutil
import re
from collections import Counter
from pathlib import Path

import pytest

import lissom
import lissom.dynamics
from lissom import load, shipped
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.from_arm import tree_of
from lissom.records import FIELDS, flat

SOURCE = Path(lissom.__file__).parent
RECURSIONS = ("acting", "articulated", "coriolis", "energy", "forward", "gradient", "inverse", "joint_space",
              "kinematics", "mass", "plant", "reactions", "regressor", "tree")  # fmt: skip


@pytest.mark.parametrize("name", RECURSIONS)
def test_recursions_do_not_ask_what_they_walk_over(name):
    """No kinds of joints, no beams, no declared steps, no entries of anonymous lists by constant slices."""
    text = (SOURCE / "dynamics" / f"{name}.py").read_text(encoding="utf-8")
    code = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.S)
    found = re.findall(r"prismatic|revolute|\.beam\b|\.linear\b|\bStep\(|\[\d+:\d+\]|\[\d+ : \d+\]", code)
    assert not found


# where it is decided whether a body or link has a beam, and why; all other rooms of the core ask the element
BEAMS = {
    "body", "bodies", "merging", "from_arm",  # where elements are made
    "flexible_links", "stations", "numbers", "alike", "varied",  # constants of beams, and what may vary of them
    "planar",  # the closed form of arms with beams
    "refusals",  # models of flexible arms that do not cover something
}  # fmt: skip


def decides_by_beam(text):
    """Lines of code that ask whether there is a beam, or whether something is flexible."""
    code = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.S)
    return re.findall(
        r"\bif [^\n]*\.(?:beam|flexible)\b[^\n]*|\.(?:beam|flexible) is [^\n]*|isinstance\([^\n]*Beam\)", code
    )


def test_only_where_elements_are_made_it_is_asked_for_beams():
    assert (
        len(decides_by_beam("if body.beam:\n  x = a.beam is None\n# if b.beam:\nisinstance(e, SecondOrderBeam)")) == 3
    )
    found = {}
    for room in ("dynamics", "elements", "engine", "joints", "loops", "spatial"):
        for path in (SOURCE / room).rglob("*.py"):
            lines = decides_by_beam(path.read_text(encoding="utf-8"))
            if lines and not BEAMS & {path.stem, path.parent.name}:
                found[path.relative_to(SOURCE).as_posix()] = lines
    assert not found, "ask the element, or give it a method"


def test_files_of_joints_elements_and_recursions_are_short():
    rooms = [*(SOURCE / "joints").glob("*.py"), *(SOURCE / "elements").rglob("*.py")]
    rooms += [SOURCE / "dynamics" / f"{name}.py" for name in RECURSIONS]
    long = {path.name: n for path in rooms if (n := len(path.read_text(encoding="utf-8").splitlines())) > 260}
    assert not long


def test_no_two_records_have_one_name():
    """The name of a step is made from the names of the records that it takes."""
    for module in pkgutil.walk_packages(lissom.dynamics.__path__, "lissom.dynamics."):
        importlib.import_module(module.name)
    names = Counter(cls.__name__ for cls in FIELDS if cls.__module__.startswith("lissom."))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("name", shipped())
def test_numbers_of_an_arm_are_floats(name):
    """An integer would become part of the structure, and every arm would need code of its own."""
    for node in tree_of(Bodies(load(name))).nodes:
        assert all(type(entry) is float for entry in flat(node.element).entries)
        assert node.drive is None or all(type(entry) is float for entry in flat(node.drive).entries)
