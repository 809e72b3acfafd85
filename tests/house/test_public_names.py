"""What the public surface promises: documented arguments, examples, a quick import."""

import doctest
import inspect
import os
import subprocess
import sys

import pytest

import lissom as ls

FUNCTIONS = [name for name in ls.__all__ if inspect.isfunction(getattr(ls, name))]
CLASSES = [name for name in ls.__all__ if inspect.isclass(getattr(ls, name))]
IMPORT_SECONDS = 0.3
# what must not be loaded by `import lissom`
HEAVY = ("matplotlib", "mujoco", "scipy", "typer", "rich", "casadi", "llvmlite", "sympy", "numpy")


def test_all_names_exist_and_are_sorted_once():
    assert len(set(ls.__all__)) == len(ls.__all__)
    assert all(hasattr(ls, name) for name in ls.__all__)
    assert "motion" in vars(ls)  # a room that is loaded is no public name
    shown = {name for name in dir(ls) if not name.startswith("_")}
    assert shown == set(ls.__all__)  # for completion, before any is loaded


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_document_every_argument_and_run_an_example(name):
    function = getattr(ls, name)
    text = inspect.getdoc(function)
    for argument in inspect.signature(function).parameters:
        assert argument in text, f"{name}: argument {argument} is not documented"
    if name != "shipped":
        assert doctest.DocTestParser().get_examples(text), f"{name}: no example"


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_docstrings_of_their_own(name):
    assert getattr(ls, name).__doc__.strip()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_keywords_are_rejected(name):
    function = getattr(ls, name)
    # a function that takes the fields of a record as keywords looks at them when it has the rest
    fields = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())
    with pytest.raises(TypeError, match="unexpected keyword"):
        function(*[ls.load("two_link")] * fields, no_such_keyword=1)


def test_import_is_quick_and_light():
    code = f"""
import sys, time
start = time.process_time()
import lissom
print(time.process_time() - start, *[m for m in {HEAVY!r} if m in sys.modules])
"""
    # the best of several: other work on the machine must not fail this
    quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # threads of NumPy's BLAS spin while they start
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True, env=quiet) for _ in range(3)]
    seconds = min(float(run.stdout.split()[0]) for run in runs)
    loaded = runs[0].stdout.split()[1:]
    assert loaded == []
    assert seconds < IMPORT_SECONDS


def test_errors_are_lissom_errors():
    for name in ("ModelError", "InputError", "UnsupportedError", "SolveError"):
        assert issubclass(getattr(ls, name), ls.LissomError)
