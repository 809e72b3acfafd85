"""Progress of long work, as a line or a bar, at a terminal or in a notebook.

In notebooks, rich and tqdm show live bars only where ipywidgets is installed as well, which lissom does not need: a
`<progress>` element that is replaced shows the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from lissom.errors import InputError, shown
from lissom.markup import Markup, tag

PAUSE = 0.1  # seconds between two updates of a notebook, which are slow
PATIENCE = 3.0  # seconds after which people want to see that something happens
Reporter = Callable[[Any], object]


@contextmanager
def line(words: str) -> Iterator[Callable[[str], None]]:
    """Context with a function that shows a message and the elapsed time; the line disappears at the end."""
    if in_notebook():
        with _cell() as show:
            start = time.monotonic()
            show(tag("span", words), True)
            yield lambda said: show(tag("span", f"{said}   {time.monotonic() - start:.0f} s"), False)
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with _terminal(SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()) as made:
        task = made.add_task(words)
        yield lambda said: made.update(task, description=said)


@contextmanager
def line_if_long(words: str) -> Iterator[Callable[[str], None]]:
    """As `line`, but shown only to a person at a terminal or notebook, and only when the work takes some seconds."""
    start, show = time.monotonic(), None
    with ExitStack() as stack:

        def update(text: str) -> None:
            nonlocal show
            if show is None and time.monotonic() - start > PATIENCE and interactive():
                show = stack.enter_context(line(words))
            if show is not None:
                show(text)

        yield update


@contextmanager
def bar(words: str, total: float, counted: str = "") -> Iterator[Callable[[float], None]]:
    """Context with a function that shows how much of `total` is done; the bar disappears at the end.

    counted : what is counted, whose number and rate are shown then
    """
    pace = _Pace(words, total, counted)
    if in_notebook():
        with _cell() as show:
            yield lambda done: show(_bar(pace.said(done), min(1.0, done / total)), done >= total)
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with _terminal(*columns) as made:
        task = made.add_task(words, total=total)
        yield lambda done: made.update(task, completed=done, description=pace.said(done))


@contextmanager
def reporter(
    progress: Any, display: Callable[[], AbstractContextManager[Reporter]], call: Reporter, verb: str, form: str
) -> Iterator[Reporter]:
    """Context with a function to call with progress: it shows it (True), calls the user's function, or does nothing.

    progress : what the user gave, True, False, None or a function
    display : for True; a context such as `bar` or `line`
    call : for a function of the user, with arguments of the `form` that the error names
    """
    if progress is False or progress is None:
        yield lambda _: None
    elif progress is True:
        with display() as show:
            yield show
    elif callable(progress):
        yield call
    else:
        raise InputError(f"{verb}: progress is {shown(progress)}; expected True, False or a function {form}.")


class _Pace:
    """A message with the number done and the rate per second."""

    def __init__(self, words: str, total: float, counted: str):
        self._words, self._total, self._counted = words, total, counted
        self._first: tuple[float, float] | None = None

    def said(self, done: float) -> str:
        if not self._counted:
            return self._words
        now = time.monotonic()
        began, before = self._first = self._first or (now, done)
        rate = f", {(done - before) / (now - began):.3g} a second" if done > before and now > began else ""
        return f"{self._words} {done:.0f} of {self._total:.0f} {self._counted}{rate}"


def in_notebook() -> bool:
    """Whether this runs in a kernel that shows HTML; IPython is loaded there already."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def interactive() -> bool:
    """Whether a person watches: at a terminal, or in a notebook."""
    return in_notebook() or sys.stderr.isatty()


def _terminal(*columns: Any) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def _cell() -> Iterator[Callable[[Markup, bool], None]]:
    """A notebook output that is replaced, at most once per `PAUSE` except on request."""
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)
    last = 0.0

    def show(inner: Markup, now: bool) -> None:
        nonlocal last
        if now or time.monotonic() - last > PAUSE:
            last = time.monotonic()
            handle.update(HTML(inner))

    try:
        yield show
    finally:
        handle.update(HTML(""))


def _bar(words: str, share: float) -> Markup:
    return tag("span", f"{words} ", tag("progress", value=f"{share:.3f}", max="1"), f" {100 * share:.0f} %")
