"""The group of verbs: listed from a table, loaded when one is called, so that help and completion are quick."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

DESCRIBE, COMPUTE, SHOW, PROVE = "Describe an arm", "Compute", "Show results", "Test the installation and the papers"
FOLDERS = {DESCRIBE: "describe", COMPUTE: "compute", SHOW: "show", PROVE: "prove"}  # of commands/


class Verb(NamedTuple):
    """A command as the help lists it; `line` is the first line of its function's docstring."""

    name: str
    panel: str
    line: str

    @property
    def function(self) -> Any:
        """The function of the command, of the name of its file, in the folder of its panel."""
        return getattr(import_module(self.module), self.name.replace("-", "_"))

    @property
    def module(self) -> str:
        """The file of the command, in the folder of its panel."""
        return f"lissom.cli.commands.{FOLDERS[self.panel]}.{self.name.replace('-', '_')}"


VERBS = (
    Verb("robots", DESCRIBE, "List the arms that come with lissom."),
    Verb("info", DESCRIBE, "Show an arm: joints, limits, masses, flexible links, sources."),
    Verb("check", DESCRIBE, "Check whether an arm is physically plausible."),
    Verb("convert", DESCRIBE, "Convert an arm to another file format."),
    Verb("torques", COMPUTE, "Compute the joint torques of a sampled motion, and compare them with the limits."),
    Verb("modes", COMPUTE, "Compute natural frequencies, damping and mode shapes of an arm or of one beam."),
    Verb("linearise", COMPUTE, "Linearise an arm around a state: poles, zeros, weakest modes, matrices."),
    Verb("simulate", COMPUTE, "Simulate an arm from a run file, and check its energy balance."),
    Verb("predict", COMPUTE, "Find the best motion for a task file: fastest, least torque, along a path, and others."),
    Verb("track", COMPUTE, "Make a frame follow a path: joint motions and torques, also of arms whose links bend."),
    Verb("walk", COMPUTE, "Predict how a person walks: motion, torques and ground forces at a given speed."),
    Verb("lift", COMPUTE, "Predict how a person lifts a box: motion, torques and ground forces."),
    Verb("excite", COMPUTE, "Find the motion that identifies the parameters of an arm best."),
    Verb("sweep", COMPUTE, "Evaluate a study file: one computation for many values of its parameters."),
    Verb(
        "identify", COMPUTE, "Identify masses, inertias, drives and friction of an arm from logs of motion and torques."
    ),
    Verb("export-c", COMPUTE, "Write C99 source code for one arm, without dependencies."),
    Verb("draw", SHOW, "Draw an arm: links, joint axes, centres of mass, frames."),
    Verb("view", SHOW, "Show an arm in the browser: move its joints, replay a run or a motion."),
    Verb("plot", SHOW, "Plot a saved run, motion or study, or write it as a film."),
    Verb("report", SHOW, "Write one HTML page about an arm, a run, a motion or a task."),
    Verb("doctor", PROVE, "Check this installation: versions, cache, every formulation, speed."),
    Verb("count", PROVE, "Count the multiplications and additions of the published formulations."),
    Verb("reproduce", PROVE, "Reproduce the claims and figures of a paper: printed value, ours, verdict."),
)


class _LightParameters:
    """Options that take no value are listed without a type, and values are converted only where that is needed."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = list(super().get_params(ctx))  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
                param.default = bool(param.default)
            if ctx.resilient_parsing:  # the shell completes: values need not be converted
                param.process_value = lambda _, value: value
        return params


NUMBERS = re.compile(r"[-+.,\deE]*\d,?")
NEGATIVE = re.compile(r"-[.\d][-+.,\deE]*")
OF_FILES = ("predict", "simulate", "sweep")  # verbs whose file names the arm and what is done with it


FILM = "Films are written by `lissom plot FILE --film FILM.gif`, for a saved run or motion."
ELSEWHERE = {"animate": FILM, "film": FILM}  # what is not a command, and where it is


class VerbCommand(_LightParameters, TyperCommand):
    """One verb: its errors are one sentence (exit code 1)."""

    def make_context(self, info_name: Any, args: list[str], *more: Any, **extra: Any) -> Any:
        """Numbers that a space divides are named: the shell gives the second half as an option of its own."""
        for option, first, second in zip(args, args[1:], args[2:], strict=False):
            if option.startswith("--") and NUMBERS.fullmatch(first) and NEGATIVE.fullmatch(second):
                raise typer.BadParameter(f"write the numbers without spaces: {option} {first.rstrip(',')},{second}")
        return super().make_context(info_name, args, *more, **extra)

    def invoke(self, ctx: Any) -> Any:
        from lissom.cli.common import failing_kindly, plain_warnings

        with failing_kindly(of_file=self.name in OF_FILES), plain_warnings():
            return super().invoke(ctx)


class Verbs(_LightParameters, TyperGroup):
    """All verbs."""

    def __init__(self, **given: Any):
        super().__init__(**given)
        for verb in VERBS:
            self.commands[verb.name] = TyperCommand(verb.name, help=verb.line, rich_help_panel=verb.panel)

    def make_context(self, info_name: Any, args: list[str], *more: Any, **extra: Any) -> Any:
        """``lissom help VERB`` is ``lissom VERB --help``."""
        if args[:1] == ["help"]:
            args = [*(word for word in args if word != "help"), "--help"]
        with ended_by_interrupt("lissom"):
            return super().make_context(info_name, args, *more, **extra)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from lissom.cli.help_page import print_page

        print_page(self, ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb itself, where `get_command` gives what is listed."""
        if args and args[0] in ELSEWHERE:
            ctx.fail(f"No such command {args[0]!r}. {ELSEWHERE[args[0]]}")
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if listed is None else loaded(next(verb for verb in VERBS if verb.name == name)), rest

    def invoke(self, ctx: Any) -> Any:
        from lissom.cli.written import written

        written.clear()
        words = [*getattr(ctx, "_protected_args", ()), *ctx.args]
        with ended_by_interrupt(" ".join(["lissom", *words[:1]])):
            return super().invoke(ctx)


def loaded(verb: Verb) -> Any:
    """The command of a verb, with all its options."""
    single = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    single.command(verb.name, cls=VerbCommand, help=_paragraphs(verb.function))(verb.function)
    return typer.main.get_command(single)


def _paragraphs(function: Any) -> str:
    """The docstring of a command with every paragraph on one line; the terminal wraps it."""
    return "\n\n".join(" ".join(part.split()) for part in (inspect.getdoc(function) or "").split("\n\n"))


@contextmanager
def ended_by_interrupt(what: str) -> Iterator[None]:
    """Print after Ctrl-C what was interrupted and what is saved, and exit with code 130."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        from lissom.cli.written import written
        from lissom.errors import printable

        files = ", ".join(written)
        saved = f"{files} {'is' if len(written) == 1 else 'are'} complete, nothing else was written"
        message = str(interrupt) or f"interrupted; {saved if files else 'nothing was written'}."
        typer.echo(printable(f"{what}: {message}"), err=True)
        raise typer.Exit(130) from None
