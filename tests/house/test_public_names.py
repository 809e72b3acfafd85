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
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind < 2]
    with pytest.raises(TypeError, match="unexpected keyword"):
        function(*[ls.load("two_link")] * len(needed), no_such_keyword=1)


@pytest.mark.parametrize(("name", "word", "meant"), [
    ("simulate", "untill", "until"), ("load", "mimick", "mimic"), ("retime_motion", "limit", "limits"),
    ("inverse_kinematics", "tolerence", "tolerance"), ("linearise", "outputs", "output"),
    ("equilibrium", "load", "loads"),
    ("modes", "counts", "count"), ("assemble", "fix", "fixed"), ("plot", "kid", "kind"), ("draw", "label", "labels"),
    ("animate", "frames_per_second", ""), ("view", "modus", "modes"), ("export_c", "to", "into"),
    ("write_report", "verified", "verify"), ("predict_motion", "strat", "start"),
])  # fmt: skip
def test_misspelt_keywords_are_named_with_what_was_meant(name, word, meant):
    """At functions that take their time; those of microseconds leave it to Python, from 3.13 with a suggestion."""
    function = getattr(ls, name)
    assert word not in inspect.signature(function).parameters
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind < 2]
    with pytest.raises(ls.InputError, match=f"^{name}: unexpected keyword '{word}'") as caught:
        function(*[ls.load("two_link")] * len(needed), **{word: 1})
    assert (f"did you mean '{meant}'?" if meant else "; known: result, path") in str(caught.value)
    assert "unknown" not in inspect.signature(function).parameters


@pytest.mark.parametrize(("name", "word", "meant"), [
    ("PD", "k_p", "kp"), ("ComputedTorque", "limits", "limit"), ("StateFeedback", "tua", "tau"),
    ("Payload", "con", "com"),
    ("Event", "directions", "direction"), ("Profile", "knid", "kind"), ("Study", "aram", "arm"),
])  # fmt: skip
def test_misspelt_keywords_of_classes_too(name, word, meant):
    with pytest.raises(ls.InputError, match=f"^{name}: .* '{word}'; did you mean '{meant}'") as caught:
        getattr(ls, name)(**{word: 1})
    assert isinstance(caught.value, TypeError)


def test_classes_derived_from_controllers_have_keywords_of_their_own():
    class Soft(ls.PD):
        def __init__(self, q, softness=1.0, **more):
            super().__init__(q, 10.0 / softness, 1.0, **more)

    assert Soft([0, 0], softness=2.0, limit=3.0).kp == 5.0
    assert list(inspect.signature(ls.PD).parameters)[:3] == ["q", "kp", "kd"]


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


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda arm: ls.simulate(arm, controller=ls.PD(0, 1, 1)), "simulate: unexpected keyword 'controller'; .* tau="),
        (lambda _: ls.load("two_link", flexibility="book"), r"load: unexpected keyword 'flexibility'; .*arm\.replace"),
        (lambda arm: ls.plot(arm), r"plot: an arm has no curves; draw\(arm\)"),
    ],
)
def test_what_people_look_for_in_another_place(call, sentence):
    with pytest.raises((TypeError, ls.InputError), match=sentence):
        call(ls.load("two_link"))
