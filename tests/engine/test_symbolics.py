"""One thread at a time with casadi's expressions."""

import threading
import weakref

from lissom.engine import kernel
from lissom.engine.symbolics import Kept, alone


def test_tracing_waits_for_another_thread_that_traces():
    begun, go_on, order = threading.Event(), threading.Event(), []

    @alone
    def other():
        begun.set()
        go_on.wait(10)
        order.append("the other thread is done")

    def program(run):
        order.append("traced")
        x = run.input(1)
        run.output(x)

    first = threading.Thread(target=other)
    first.start()
    begun.wait()
    second = threading.Thread(target=kernel.graph_of, args=(program,))
    second.start()
    second.join(0.1)  # it would have traced long ago
    go_on.set()
    for thread in (first, second):
        thread.join()
    assert order == ["the other thread is done", "traced"]


def test_what_is_dropped_anywhere_is_freed_by_who_works_with_expressions_next():
    class Expression:
        pass

    held = Expression()
    watch, kept = weakref.ref(held), Kept(held)
    del held, kept
    assert watch() is not None
    with alone:
        pass
    assert watch() is None
