"""Nasty files: each is refused with a sentence, or does no harm; nothing else, and quickly."""

from __future__ import annotations

import contextlib
import time
import traceback
from pathlib import Path

import pytest

import lissom as ls

SLOWEST = 5.0  # s for one file; they take milliseconds


# ---- the promise ---------------------------------------------------------------------------------------------------


def use(path: Path) -> bool:
    """Load a file; whether it was accepted. What loads is a whole arm: it speaks, merges and survives being saved."""
    try:
        arm = ls.load(path)
    except ls.ModelError:
        return False
    assert arm.name in arm.describe()
    assert all(finding.message for finding in arm.check())
    again = path.with_name("again.toml")
    ls.save(arm, again)
    assert ls.load(again) == arm, "it loads, but what is saved of it is another arm"
    with contextlib.suppress(ls.ModelError):  # sums of huge bodies may be beyond all bounds
        arm.merge_fixed()
    return True


def assert_harmless(path: Path, data: bytes) -> bool:
    """Use a file and fail with its content when anything unforeseen happens."""
    path.write_bytes(data)
    start = time.process_time()
    try:
        loaded = use(path)
    except Exception:
        pytest.fail(f"{traceback.format_exc()}\n---- the file ----\n{data.decode(errors='backslashreplace')}")
    took = time.process_time() - start
    assert took < SLOWEST, f"took {took:.1f} s\n---- the file ----\n{data.decode(errors='backslashreplace')}"
    return loaded


LINK = '[[links]]\nname = "a"\nmass = 1.0\ninertia = 0.1\n'
DEEP = ".".join("a" * 5000)
NASTY_TOML: dict[str, str] = {
    "empty": "",
    "only a name": 'name = "x"',
    "a byte order mark in the middle": 'name = "x"\n\ufeff' + LINK,
    "nested lists": f'name = "x"\ngravity = {"[" * 5000}{"]" * 5000}\n{LINK}',
    "nested tables": f'name = "x"\ngravity = {"{a=" * 300}1{"}" * 300}\n{LINK}',
    "lists nested beyond what arrays can be": f'name = "x"\ngravity = {"[" * 90}1{"]" * 90}\n{LINK}',
    "a key of thousands of parts": f'name = "x"\ngravity.{DEEP} = 1\n{LINK}',
    "a table of thousands of parts": f'name = "x"\n{LINK}[links.joint.axis.{DEEP}]\n',
    "a name that is a deep table": f'name = "x"\n[[links]]\nname.{DEEP} = 1\n',
    "an unknown key beside a list that is none": 'name = "x"\nlinks = [1, 2]\nnmae = 3\n',
    "an unknown key beside a table that is none": 'name = "x"\ndh = 3\nnmae = 3\n',
    "rows that are none": 'name = "x"\n[dh]\nconvention = "standard"\nrows = 4\n',
    "rows of numbers": 'name = "x"\nnmae = 3\n[dh]\nconvention = "standard"\nrows = [1, 2]\n',
    "ragged limits": f'name = "x"\n{LINK}joint = {{ limits = {{ position = [[1.0, [2.0]], 3.0] }} }}\n',
    "a whole number of many digits": f'name = "x"\n{LINK}com = [{"7" * 5000}, 0, 0]\n',
    "a name of a megabyte": f'name = "{"y" * 1_000_000}"\n{LINK}',
    "a date for a mass": 'name = "x"\n[[links]]\nname = "a"\nmass = 1979-05-27\n',
    "parents in a ring": 'name = "x"\n[[links]]\nname = "a"\nparent = "b"\n[[links]]\nname = "b"\nparent = "a"\n',
    "thousands of links on a missing one": 'name = "x"\n'
    + "".join(f'[[links]]\nname = "link_number_{i}"\nmass = 1.0\nparent = "link_numbr_77x"\n' for i in range(2000)),
}
TINY = "length = 1e-200, mass_per_length = [1e-200, 1e-200], stations = [0.0, 1e-200], EI = 1.0"
INTEGRALS = """[links.modal_integrals]
C = [[1e-300, 0.0, 1e-10, 0.0], [0.0, 1.0, 0.0, 0.0], [1e-10, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
Ck = [[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]
Ckl = [[[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]]
K = [[1.0]]
D = [[0.0]]
tip = [0.4, 0.0, 0.0]
tip_shift = [[0.0, 1.0, 0.0]]
tip_turn = [[0.0, 0.0, 1.0]]
"""
# Allowed or refused, both make sense; numbers out of range inside would not.
EXTREME_TOML: dict[str, str] = {
    "a tiny beam": f'name = "x"\n{LINK}beam = {{ length = 1e-200, mass_per_length = 1e-200, EI = 1.0 }}\n',
    "a tiny tapered beam": f'name = "x"\n{LINK}beam = {{ {TINY} }}\n',
    "a huge beam": f'name = "x"\n{LINK}beam = {{ length = 1e29, mass_per_length = 1e29, EI = 1.0 }}\n',
    "integrals of next to no mass": f'name = "x"\n{LINK}{INTEGRALS}',
    "next to no mass with inertia": 'name = "x"\n[[links]]\nname = "a"\nmass = 1e-300\ninertia = [1e29, 1e29, 1e29]\n',
    "a mass far away": 'name = "x"\n[[links]]\nname = "a"\nmass = 1e30\ncom = [1e30, 1e30, 1e30]\ninertia = 1.0\n',
    "the largest drive": f'name = "x"\n{LINK}joint = {{ gear_ratio = 1e30, rotor_inertia = 1e30 }}\n',
}
TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
LINK_URDF = f'<link name="a"><inertial><mass value="1"/>{TENSOR}</inertial></link>'
RING = '<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>'
NASTY_URDF: dict[str, bytes] = {
    "empty": b"",
    "only white": b"  \n\n ",
    "no links": b'<robot name="x"/>',
    "deep": b"<robot>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</robot>",
    "deep and never closed": b"<robot>" * 50_000,
    "entities of entities": b'<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>',
    "an unknown entity": b'<robot name="&b;"/>',
    "an attribute twice": b'<robot name="x" name="y"/>',
    "an encoding nobody has": b'<?xml version="1.0" encoding="klingon"?><robot/>',
    "an encoding that is none": b'<?xml version="1.0" encoding="hex"?><robot/>',
    "UTF-16 that is none": b'<?xml version="1.0" encoding="utf-16"?><robot/>',
    "not UTF-8": f'<robot name="\xe4">{LINK_URDF}</robot>'.encode("latin-1"),
    "a link on itself": f'<robot name="x">{LINK_URDF}{RING}</robot>'.encode(),
    "two roots": f'<robot name="x">{LINK_URDF}<link name="b"/></robot>'.encode(),
    "a name twice": f'<robot name="x">{LINK_URDF * 2}</robot>'.encode(),
    "a mass beyond the range": f'<robot name="x">{LINK_URDF}</robot>'.replace('value="1"', 'value="1e400"').encode(),
    "an inertia beyond the range": f'<robot name="x">{LINK_URDF}</robot>'.replace('ixx="1"', 'ixx="inf"').encode(),
    "a name of a megabyte": f'<robot name="{"y" * 1_000_000}">{LINK_URDF}</robot>'.encode(),
    "xacro": f'<robot name="x"><xacro:arm/>{LINK_URDF}</robot>'.encode(),
}


@pytest.mark.parametrize("what", NASTY_TOML)
def test_nasty_native_files_are_refused(what: str, tmp_path: Path) -> None:
    assert not assert_harmless(tmp_path / "nasty.toml", NASTY_TOML[what].encode())


@pytest.mark.parametrize("what", EXTREME_TOML)
def test_extreme_numbers_do_no_harm(what: str, tmp_path: Path) -> None:
    """Warnings are errors here, so overflow and 0/0 would show."""
    path = tmp_path / "extreme.toml"
    if assert_harmless(path, EXTREME_TOML[what].encode()):
        body = ls.load(path).links[0].body
        assert all(abs(value) < 1e300 for value in (body.mass, *body.com, *body.moment.ravel()))


@pytest.mark.parametrize("what", NASTY_URDF)
def test_nasty_urdf_files_are_refused(what: str, tmp_path: Path) -> None:
    assert not assert_harmless(tmp_path / "nasty.urdf", NASTY_URDF[what])


def test_long_chains_load_quickly(tmp_path: Path) -> None:
    """Nothing recursive, nothing quadratic that hurts."""
    links = ['name = "chain"']
    for i in range(600):
        parent = f'parent = "l{i - 1}"\n' if i else ""
        links.append(f'[[links]]\nname = "l{i}"\n{parent}mass = 1.0\ninertia = 0.1\n')
    assert assert_harmless(tmp_path / "chain.toml", "\n".join(links).encode())
