"""What a study can evaluate: public functions of an arm, with what they take and what is kept by default."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from lissom.errors import EntryError, InputError, shown, suggest
from lissom.kernels.verbs import VERBS
from lissom.studies.plan.output import StudyOutput

OWN = (
    "arm", "out", "threads", "progress", "on_failure", "save", "save_every", "resume", "workers", "arms", "scheduler",
)  # fmt: skip
RESULT = {"result": StudyOutput()}
# functions of other rooms that a study can evaluate, and what is kept of them by default
OTHERS: dict[str, dict[str, StudyOutput]] = {
    "simulate": {"q_end": StudyOutput("q", "last"), "balance_error": StudyOutput("balance_error")},
    "predict_motion": {"duration": StudyOutput("duration", unit="s"), "cost": StudyOutput("cost")},
    "retime_motion": {"duration": StudyOutput("duration", unit="s"), "cost": StudyOutput("cost")},
    "modes": {"frequency": StudyOutput("frequencies_hz", unit="Hz")},
    "mode_convergence": RESULT,
    "linearise": {"slowest_decay": StudyOutput("poles", "max", unit="1/s")},
    "equilibrium": {"q": StudyOutput("q")},
    "inverse_kinematics": {"q": StudyOutput("q")},
    "deformation": RESULT,
    "assemble": RESULT,
    "closure_forces": RESULT,
}
EVALUATED = (*OTHERS, *(name for name, verb in VERBS.items() if verb.studied))
# verbs whose states go to the compiled code row by row, one arm for each where arms vary: their state arguments
STATES = {
    name: verb.arguments for name, verb in VERBS.items() if verb.studied and verb.needs_inertia and verb.batch_of_arms
}


def function_of(name: str) -> Callable[..., Any]:
    """Return the public function of a name."""
    import lissom

    return getattr(lissom, name)


def check_verb(name: str, verb: str) -> None:
    """Raise an error for a name that a study cannot evaluate."""
    if name not in EVALUATED:
        hint = suggest(str(name), EVALUATED)
        raise InputError(f"{verb}: evaluate is {shown(name)}; {hint} Or give a function of a case.")


def takes(name: str, argument: str) -> bool:
    """Whether a verb has such an argument."""
    return argument in inspect.signature(function_of(name)).parameters


@cache
def arguments_of(name: str) -> dict[str, bool]:
    """Return {argument: whether it must be given} of a verb, without those that a study gives itself."""
    parameters = inspect.signature(function_of(name)).parameters.values()
    named = [p for p in parameters if p.kind is not p.VAR_KEYWORD and p.name not in OWN]
    return {p.name: p.default is p.empty for p in named}


def check_arguments(name: str, given: Mapping[str, Any], verb: str) -> None:
    """Raise an error for unknown or missing arguments of a function."""
    known = arguments_of(name)
    for word in given:
        if word in OWN:
            raise InputError(f"{verb}: arguments has {word!r}, which a study sets itself; omit it.")
        if word not in known:
            problem = f"{name} has no argument {word!r}; {suggest(word, known)}"
            raise EntryError(verb, "", problem, ("arguments", word))
    missing = [word for word, needed in known.items() if needed and word not in given]
    if missing:
        raise InputError(f"{verb}: arguments has no {missing[0]!r}, which {name} needs.")


def default_outputs(name: str) -> dict[str, StudyOutput]:
    """Return the default outputs of a function."""
    return dict(OTHERS.get(name, RESULT))
