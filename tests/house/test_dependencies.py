"""What lissom needs: declared, used, permissively licensed, not pinned, and in agreement with itself."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from importlib.metadata import metadata, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.house.imports import imports_of
from tools.audit import FOR_USERS, closure

import lissom

SOURCE = Path(lissom.__file__).parent
TOP = Path(__file__).parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
EXTRAS = {
    extra: {canonicalize_name(Requirement(line).name) for line in lines}
    for extra, lines in PROJECT["optional-dependencies"].items()
}
OFFERED = CORE.union(*(EXTRAS[extra] for extra in FOR_USERS))
# Imported only where the package that brings it is at work.
BROUGHT = {
    "ipython": "the notebook",
    "trimesh": "viser",
    "websockets": "viser",
    "pandas": "xarray",
    "dask": "distributed",
}
BY_NAME = {"h5netcdf": "xarray reads and writes files with it"}

PERMISSIVE = {
    "0BSD", "Apache-2.0", "LLVM-exception", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT",
    "MIT-CMU", "PSF-2.0", "Zlib",
}  # fmt: skip
SPOKEN = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
WEAK = {
    "casadi": "LGPL: used as a library of its own, which users may replace; lissom's licence is not touched",
    "certifi": "MPL-2.0: certificates, unchanged; copyleft by file",
    "tqdm": "MPL-2.0 and MIT: unchanged; copyleft by file",
}


@functools.cache
def imports(folder=SOURCE):
    """Third-party packages and the files below a folder that import them."""
    found = {}
    for path in folder.rglob("*.py"):
        for node in imports_of(path):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"lissom", ""}:
                found.setdefault(name, set()).add(path.relative_to(folder).as_posix())
    return found


@functools.cache
def installed():
    return packages_distributions()


def distributions(module):
    """Packages that a module may come from."""
    return {canonicalize_name(name) for name in installed().get(module, [module])}


def test_every_import_is_declared():
    known = OFFERED | set(BROUGHT)
    wrong = {module: sorted(files) for module, files in imports().items() if not distributions(module) & known}
    assert not wrong


def test_every_import_of_tests_and_benchmarks_is_declared():
    """Modules that a test writes itself, and scripts that import each other by name, come from no package."""
    known = CORE | EXTRAS["test"] | EXTRAS["docs"] | EXTRAS["torch"]  # tests that need torch are skipped without it
    for folder in (TOP / "tests", TOP / "benchmarks"):
        own = {path.stem for part in (folder, TOP / "benchmarks", TOP) for path in part.iterdir()}
        others = {module for module in imports(folder) if module not in own and module in installed()}
        assert {module for module in others if not distributions(module) & known} == set()


def test_every_core_dependency_is_used():
    used = set().union(*(distributions(module) for module in imports()))
    assert CORE - used == set(BY_NAME)
    assert "h5netcdf" in (SOURCE / "simulation" / "records" / "written.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "by"), [(name, by) for name, by in BROUGHT.items() if name != "ipython"])
def test_what_is_brought_is_brought(name, by):
    assert name in {canonicalize_name(Requirement(line).name) for line in requires(by) or ()}


def test_extras_for_users_are_those_the_audit_knows():
    assert set(EXTRAS) == {*FOR_USERS, "docs", "test"}


LINES = [*PROJECT["dependencies"], *(line for lines in PROJECT["optional-dependencies"].values() for line in lines)]


@pytest.mark.parametrize("line", LINES)
def test_lower_bounds_only(line):
    need = Requirement(line)
    if need.name == "lissom":
        return
    assert [bound.operator for bound in need.specifier] == [">="]


def licence(name):
    """Words of a package's licence: its expression, else its classifier, else what it says in short."""
    known = metadata(name)
    given = known.get("License-Expression")
    if given is None:
        spoken = [line.split(" :: ")[-1] for line in known.get_all("Classifier", []) if line.startswith("License ::")]
        given = " AND ".join(SPOKEN[word] for word in spoken if word in SPOKEN)
    if not given:
        given = (known.get("License") or "nothing").split("\n")[0]
    return set(re.split(r"\s+(?:AND|OR|WITH)\s+|[()]", given)) - {""}


@pytest.mark.parametrize("name", sorted(closure()))
def test_licences_are_permissive(name):
    if name in WEAK:
        assert licence(name) - PERMISSIVE  # else it needs no excuse
        return
    assert licence(name) <= PERMISSIVE


def test_what_is_installed_agrees_with_itself():
    """`pip check`, as far as lissom's needs go."""
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    ours = {"lissom", *closure()}
    wrong = [line for line in done.stdout.splitlines() if canonicalize_name(line.split(" ")[0]) in ours]
    assert not wrong
