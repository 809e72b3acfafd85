"""The project, the conda recipe, the citation, the changelog and the notes about changed names agree."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import lissom as ls

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
OF_CONDA = {"matplotlib": "matplotlib-base"}  # without the windows of Qt


def listed(section):
    """The items of a list in the recipe."""
    (block,) = re.findall(rf"^ +{section}:\n((?: +- .*\n)+)", RECIPE, re.MULTILINE)
    return [line.strip().removeprefix("- ") for line in block.splitlines()]


def test_the_recipe_needs_what_the_project_needs():
    bounds = {canonicalize_name(need.name): str(need.specifier) for need in map(Requirement, PROJECT["dependencies"])}
    wanted = {f"{OF_CONDA.get(name, name)} {bound}" for name, bound in bounds.items()}
    assert set(listed("run")) == wanted | {f"python {PROJECT['requires-python']}"}
    assert listed("entry_points") == [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]


def test_one_version():
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f'version: "{ls.__version__}"' in RECIPE
    assert f"\nversion: {ls.__version__}\n" in cited
    newest, date = re.findall(r"^## (\S+) \((\S+)\)$", changes, re.MULTILINE)[0]
    assert newest == ls.__version__
    assert f"date-released: {date}" in cited


MIGRATION = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")
RENAMED = re.findall(r"^\| (.+?) \| (.+?) \|$", MIGRATION.split("## Renamed on")[0], re.MULTILINE)
PAIRS = [
    (old, new)
    for left, right in RENAMED
    for old, new in zip(re.findall(r"`(\w+)`", left), re.findall(r"`(\w+)`", right), strict=False)
    if new[0].isupper()
]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_new_names_are_there_and_old_ones_are_not(old, new):
    assert inspect.isclass(getattr(ls, new))
    assert old not in dir(ls)
