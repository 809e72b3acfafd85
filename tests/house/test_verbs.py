"""The registry of verbs: no other list of them, and each of them is complete."""

import ast
import inspect
import re
from pathlib import Path

import pytest
from tests.house.test_arrows import MAY_USE, SOURCE, room_of

import lissom as ls
from lissom.dynamics.acting import Acting
from lissom.errors import InputError, UnsupportedError
from lissom.formulations import catalogue
from lissom.kernels import closed_loops
from lissom.kernels.batch_of_arms import call_each
from lissom.kernels.cache import functions_of
from lissom.kernels.keys import ROOMS
from lissom.kernels.verb import Program, Refused
from lissom.kernels.verbs import VERBS

DOCS = Path(__file__).parents[2] / "docs"
REGISTRY = SOURCE / "kernels" / "verbs.py"
# that name verbs: the public functions, commands, formulations (below the registry), hints at names of other libraries
NAMING = {"verbs", "cli", "formulations", "later"}
# verbs whose names are also keys of something else: limits, files, pictures
ORDINARY = {"pose", "poses", "velocity", "acceleration"}
NAMED = re.compile(f"['\"]({'|'.join(VERBS)})['\"]")
PUBLIC = [name for name, verb in VERBS.items() if not verb.internal]


def literals(path):
    """String constants of a file that are no docstrings, if it names a verb: parsing takes time."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text if NAMED.search(text) else "")
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value, node.lineno


def test_no_other_file_lists_verbs():
    found = []
    for path in SOURCE.rglob("*.py"):
        if path == REGISTRY or room_of(path) in NAMING:
            continue
        found += [f"{path.relative_to(SOURCE)}:{line}: {text!r}" for text, line in literals(path) if text in VERBS]
    found = [place for place in found if not any(place.endswith(repr(word)) for word in ORDINARY)]
    assert not found, "take the entry of kernels/verbs.py instead"
    assert {text for text, _ in literals(REGISTRY)} >= set(VERBS)  # what is looked for is seen where it stands


def test_formulations_name_verbs_that_exist():
    for formulation in catalogue.ALL.values():
        assert set(formulation.verbs) <= set(PUBLIC)


def test_keys_of_kernels_cover_all_rooms_that_make_them():
    """And of loops of simulation, which share their steps."""
    assert set(ROOMS) == MAY_USE["kernels"] | {"kernels", "simulation"}


# ---- every verb ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PUBLIC)
def test_a_verb_has_a_public_function_with_its_arguments(name):
    verb, parameters = VERBS[name], list(inspect.signature(getattr(ls, name)).parameters)
    assert parameters[0] == "arm"
    assert tuple(parameters[1 : 1 + len(verb.arguments)]) == verb.arguments
    assert ({"loads", "base"} <= set(parameters)) == verb.acted
    assert ({"link", "point"} <= set(parameters)) == verb.frame
    assert "threads" in parameters


@pytest.mark.parametrize("name", PUBLIC)
def test_a_verb_is_on_a_page_of_the_reference(name):
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md") if page.name != "index.md"]
    assert sum(bool(re.search(rf"^   {name}$", page, re.MULTILINE)) for page in pages) == 1
    assert f"`{name}`" in (DOCS / "api" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_covers_flexible_links_and_loops_or_refuses_them(name):
    verb = VERBS[name]
    if verb.composed_of:
        assert set(verb.composed_of) <= set(VERBS)
    else:
        assert isinstance(verb.program, Program)
        assert isinstance(verb.flexible, Program | Refused)
    assert verb.loops in ("tree", "closed") or isinstance(verb.loops, Refused)
    assert (verb.loops == "closed") == callable(getattr(closed_loops, name, None))
    for part in (verb.flexible, verb.loops, verb.outputs):
        assert not isinstance(part, Refused) or len(part.because) > 20


@pytest.mark.parametrize("name", PUBLIC)
def test_a_refusal_is_an_error_with_its_reason(name, tmp_path):
    verb = VERBS[name]
    if isinstance(verb.loops, Refused):
        arm = ls.load("examples/four_bar.toml")
        with pytest.raises(UnsupportedError, match=re.escape(verb.loops.because[:40])):
            getattr(ls, name)(arm, *[arm.home] * len(verb.arguments))
    if isinstance(verb.flexible, Refused):
        with pytest.raises(UnsupportedError, match=re.escape(verb.flexible.because)):
            functions_of(ls.load("two_link_flexible")).plan(verb)
    if isinstance(verb.outputs, Refused):
        with pytest.raises(InputError, match=re.escape(verb.outputs.because)):
            ls.export_c(ls.load("two_link"), name, into=tmp_path)
    if not verb.batch_of_arms:
        arm = ls.load("two_link")
        with pytest.raises(UnsupportedError, match=f"{name} is not available for a batch of arms"):
            call_each([arm, arm], name, [arm.home] * len(verb.arguments))


@pytest.mark.parametrize("name", [name for name in PUBLIC if VERBS[name].exported])
def test_an_exported_verb_is_on_the_page_of_the_export(name):
    assert f"`{name}`" in (DOCS / "export-c.md").read_text(encoding="utf-8")
    assert f'"{name}"' in ls.export_c.__doc__
    verb, arm = VERBS[name], ls.load("two_link")
    if not verb.composed_of:
        acting = Acting(frame=arm.links[-1].name) if verb.frame else Acting()
        assert len(verb.outputs) == len(functions_of(arm).plan(verb, acting).shapes)
