"""Progress of long work: a line or a bar at a terminal or in a notebook, plain lines elsewhere.

The display has a thread of its own, so that it appears in time and its clock runs while compiled code works. Work
inside other work has no display of its own: it fills in the details of the outer one.

In notebooks, rich and tqdm show live bars only where ipywidgets is installed as well, which lissom does not need: a
`<progress>` element that is replaced shows the same.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

from lissom.errors import InputError, shown
from lissom.markup import Markup, tag

PAUSE = 0.2  # seconds between two updates
PATIENCE = 3.0  # seconds after which people want to see that something happens
LONGEST = 20.0  # seconds without a plain line in a log
FIRST_NOTICE, NOTICE = 3.0, 10.0  # seconds after which a log gets plain lines; then after 20 s, 40 s, 60 s ...

Reporter = Callable[[Any], object]


class Display:
    """What is shown of one piece of work: its stage, details, the time it took so far and, if known, how much is done.

    total : amount of all work; None: unknown, so that there is a line without a bar
    counted : what is counted, whose number and rate are shown then
    """

    def __init__(self, words: str, patience: float, total: float | None = None, counted: str = "") -> None:
        self.stage, self.details, self.done = words, "", 0.0
        self.fixed = False  # the stage stays: stages of the work within are details
        self._patience, self._total, self._counted = patience, total, counted
        self._began = time.monotonic()
        self._first: tuple[float, float] | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Let the display appear as soon as patience is over."""
        self._thread = threading.Thread(target=self._run, name="lissom progress", daemon=True)
        self._thread.start()

    def describe(self, details: str) -> None:
        """Show other details."""
        self.details = details

    def advance(self, done: float) -> None:
        """Show how much is done; a bar appears with the first such call after patience is over."""
        now = time.monotonic()
        self.done, self._first = done, self._first or (now, done)
        if self._thread is None and now - self._began >= self._patience:
            self.start()

    def close(self) -> None:
        """End the display; it leaves nothing behind."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    @property
    def seconds(self) -> float:
        """Seconds since the work began."""
        return time.monotonic() - self._began

    @property
    def fraction(self) -> float | None:
        """Fraction of the work that is done; None if unknown."""
        return None if self._total is None else min(1.0, self.done / self._total)

    @property
    def text(self) -> str:
        """Stage, counts and details in one line."""
        words = self.stage
        if self._counted:
            words += f" {self.done:.0f} of {self._total:.0f} {self._counted}{self._rate()}"
        return f"{words}: {self.details}" if self.details else words

    def _rate(self) -> str:
        began, before = self._first or (time.monotonic(), self.done)
        spent = time.monotonic() - began
        return f", {(self.done - before) / spent:.3g} a second" if self.done > before and spent > 0 else ""

    def _run(self) -> None:
        if self._over.wait(max(self._patience - self.seconds, 0.0)):
            return
        if in_notebook():
            self._in_cell()
        elif interactive():
            self._at_terminal()
        else:
            self._in_log()

    def _at_terminal(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

        bar = () if self._total is None else (BarColumn(), TaskProgressColumn())
        clock = TextColumn("{task.fields[seconds]:.0f} s")
        # prints of the user's program go where they always go, not through this display
        shown = Progress(
            SpinnerColumn(), clock, *bar, TextColumn("{task.description}", markup=False), console=Console(stderr=True),
            redirect_stdout=False, redirect_stderr=False, transient=True,
        )  # fmt: skip
        with shown:
            task = shown.add_task(self.text, total=1.0, seconds=self.seconds)
            while not self._over.wait(PAUSE):
                shown.update(task, completed=self.fraction or 0.0, description=self.text, seconds=self.seconds)

    def _in_cell(self) -> None:
        from IPython.display import HTML, display

        handle = display(HTML(self._html()), display_id=True)
        while not self._over.wait(PAUSE):
            handle.update(HTML(self._html()))
        handle.update(HTML(""))

    def _html(self) -> Markup:
        words, clock, x = f"{self.text} ", f" {self.seconds:.0f} s", self.fraction
        if x is None:
            return tag("span", words, clock)
        return tag("span", words, tag("progress", value=f"{x:.3f}", max="1"), f" {100 * x:.0f} %{clock}")

    def _in_log(self) -> None:
        after = FIRST_NOTICE
        while not self._over.wait(max(after - self.seconds, 0.0)):
            done = "" if self.fraction is None or self._counted else f", {100 * self.fraction:.0f} %"
            print(f"lissom: {self.text}{done}, after {self.seconds:.0f} s", file=sys.stderr, flush=True)
            after = max(NOTICE, min(2 * after, after + LONGEST))


_current: ContextVar[Display | None] = ContextVar("display", default=None)
_switch = {"on": True}


@contextmanager
def line(words: str, after: float = 0.0) -> Iterator[Callable[[str], None]]:
    """Context with a function that shows details of the work; the line appears `after` some seconds.

    Inside other work, the details are shown there. A delayed line is for people, who call from the main thread.
    """
    outer = _current.get()
    if outer is not None:
        yield outer.describe
    elif after and not _watched():
        yield lambda _details: None
    else:
        with _made(Display(words, after)) as made:
            made.start()
            yield made.describe


@contextmanager
def bar(words: str, total: float, counted: str = "", after: float = 0.0) -> Iterator[Callable[[float], None]]:
    """Context with a function that shows how much of `total` is done; otherwise as `line`.

    counted : what is counted, whose number and rate are shown then
    """
    outer = _current.get()
    if outer is not None:
        yield lambda done: outer.describe(f"{words}, {100 * min(1.0, done / total):.0f} %")
    elif after and not _watched():
        yield lambda _done: None
    else:
        with _made(Display(words, after, total, counted)) as made:
            yield made.advance


def line_if_long(words: str) -> AbstractContextManager[Callable[[str], None]]:
    """Return a `line` for work that usually ends before anybody asks what it does."""
    return line(words, PATIENCE)


def bar_if_long(words: str, total: float, counted: str = "") -> AbstractContextManager[Callable[[float], None]]:
    """Return a `bar` for work that usually ends before anybody asks what it does."""
    return bar(words, total, counted, PATIENCE)


@contextmanager
def reporter(
    progress: Any, display: Callable[[float], AbstractContextManager[Reporter]], call: Reporter, verb: str, form: str
) -> Iterator[Reporter]:
    """Context with a function to call with progress: it shows it, calls the user's function, or does nothing.

    progress : what the user gave: True, False, a function, or None to show work that takes long
    display : a context such as `bar` or `line`, for the seconds after which it appears
    call : for a function of the user, with arguments of the `form` that the error names
    """
    if progress is False:
        yield lambda _: None
    elif progress is True or progress is None:
        with display(0.0 if progress else PATIENCE) as show:
            yield show
    elif callable(progress):
        yield call
    else:
        raise InputError(f"{verb}: progress is {shown(progress)}; expected True, False or a function {form}.")


@contextmanager
def _made(display: Display) -> Iterator[Display]:
    token = _current.set(display)
    try:
        yield display
    finally:
        _current.reset(token)
        display.close()


def stage(words: str) -> None:
    """Name what the work does now, where its progress is shown."""
    display = _current.get()
    if display is not None:
        display.stage, display.details = (display.stage, words) if display.fixed else (words, "")


@contextmanager
def whole_stage(words: str) -> Iterator[None]:
    """Context of a stage whose work has stages of its own, which are shown as its details."""
    stage(words)
    display = _current.get()
    outermost = display is not None and not display.fixed
    if display is not None and outermost:
        display.fixed = True
    try:
        yield
    finally:
        if display is not None and outermost:
            display.fixed = False


def turn_off() -> None:
    """Show nothing in this process, which works for another one, unless it is requested."""
    _switch["on"] = False


def _watched() -> bool:
    """Whether a person may wait for this: calls of other threads and of processes for parallel work have no display."""
    parent = getattr(sys.modules.get("multiprocessing"), "parent_process", lambda: None)()
    return _switch["on"] and parent is None and threading.current_thread() is threading.main_thread()


def in_notebook() -> bool:
    """Whether this runs in a kernel that shows HTML; IPython is loaded there already."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def interactive() -> bool:
    """Whether a person watches: at a terminal, or in a notebook."""
    return in_notebook() or sys.stderr.isatty()
