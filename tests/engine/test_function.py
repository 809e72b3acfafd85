"""Functions of arrays: shapes, out, one state, and numbers that are not finite."""

import contextlib
import gc
import sys
import threading

import numpy as np
import pytest

import lissom as ls
from lissom.engine import native
from lissom.engine.function import Function
from lissom.engine.kernel import graph_of, straight_kernel
from lissom.spatial.scalar import sin


def program(run):
    x, y = run.input(2), run.input(3)
    run.output([sin(x[0]) + y[0], x[1] / y[2]])
    run.output([y[1]])


def explain(_where, *inputs):
    raise ls.SolveError(f"division by {inputs[1][2]}")


def function(kernel=True):
    made = straight_kernel("function", (2, 3), (2, 1), lambda: graph_of(program)) if kernel else None
    return Function("f", ("x", "y"), (2, 3), ((2,), (1,)), program, made, explain)


@pytest.fixture(params=[True, False], ids=["compiled", "numpy"])
def f(request):
    return function(request.param)


def test_shapes(f):
    x, y = np.ones((4, 1, 2)), np.ones((5, 3))
    a, b = f(x, y)
    assert a.shape == (4, 5, 2)
    assert b.shape == (4, 5, 1)
    assert f(x[0, 0], y[0])[0].shape == (2,)
    assert f(np.ones((0, 2)), y[0])[0].shape == (0, 2)
    assert f([1, 2], [1, 2, 3])[0] == pytest.approx([np.sin(1) + 1, 2 / 3])


def test_views_orders_and_types(f):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 2)), rng.normal(size=(6, 3))
    want = f(x, y)[0]
    for other in (np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], x[::-1][::-1], x.tolist()):
        assert np.array_equal(f(other, y)[0], want)
    assert np.allclose(f(x.astype(np.float32), y)[0], want, atol=1e-6)


def test_out(f):
    x, y = np.ones((6, 2)), np.ones((6, 3))
    out = (np.zeros((6, 2)), np.zeros((6, 1)))
    assert f(x, y, out=out)[0] is out[0]
    assert np.array_equal(out[0], f(x, y)[0])
    for wrong in ((np.zeros((5, 2)), out[1]), (np.zeros((6, 2), np.float32), out[1]), ([0], out[1])):
        with pytest.raises(ls.InputError, match="out is"):
            f(x, y, out=wrong)


def test_out_may_be_an_input():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 2)), rng.normal(size=(7, 3))
    f = function()
    want = f(x, y)[0]
    f(x, y, out=(x, np.zeros((7, 1))))
    assert np.array_equal(x, want)


def test_out_in_pieces(f):
    x, y = np.random.default_rng(1).normal(size=(2, 3, 2)), np.ones((2, 3, 3))
    room = np.zeros((3, 2, 2)).transpose(1, 0, 2)
    f(x, y, out=(room, np.zeros((2, 3, 1))))
    assert np.array_equal(room, f(x, y)[0])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.ones(3), np.ones(3), r"f: x has shape \(3,\); expected \(2,\)"),
        (1.0, np.ones(3), "x has no axis"),
        ("ab", np.ones(3), "x is 'ab'; expected numbers"),
        (np.ones(2) * 1j, np.ones(3), "expected numbers"),
        (np.ones((2, 2)), np.ones((3, 3)), "batches do not fit"),
        (np.ones((2, 3, 2)) * np.array([1, np.nan]), np.ones(3), r"x\[0, 0, 1\] is nan"),
        (np.ones(2), [1, 2, np.inf], r"y\[2\] is inf"),
    ],
)
def test_bad_arguments_are_named(f, x, y, message):
    with pytest.raises(ls.InputError, match=message):
        f(x, y)


def test_results_that_are_not_finite_are_explained(f):
    with pytest.raises(ls.SolveError, match=r"division by 0\.0"):
        f(np.ones((9, 2)), np.array([1.0, 1.0, 0.0]))


def test_large_angles_are_right(f):
    x = np.array([[1e9, 1.0], [0.5, 1.0], [-3e7, 2.0], [1e15, 1.0], [4.0, 1.0]])
    got = f(x, np.ones(3))[0][:, 0]
    assert got == pytest.approx(np.sin(x[:, 0]) + 1, rel=1e-14)
    assert function().one(x[0].copy(), np.ones(3))[0][0] == got[0]


# ---- one state -----------------------------------------------------------------------------------


def test_one_state_is_a_builtin_here():
    assert native.available()
    assert type(function().one).__name__ == "builtin_function_or_method"


def test_one_state_takes_anything():
    f = function()
    x, y = np.array([0.25, 0.75]), np.array([1.0, 2.0, 3.0])
    want = f(x, y)
    for a, b in [
        (x, y),
        (list(x), y),
        (x.astype(np.float32), y),
        (np.repeat(x, 2)[::2], y),
        (x[None], y),
    ]:
        got = f.one(a, b)
        assert all(np.array_equal(np.ravel(u), np.ravel(v)) for u, v in zip(got, want, strict=True))
    big = x.astype(">f8")
    assert np.array_equal(f.one(big, y)[0], want[0])
    locked = x.copy()
    locked.flags.writeable = False
    assert np.array_equal(f.one(locked, y)[0], want[0])


@pytest.mark.parametrize("bad", [(), (np.ones(2),), (np.ones(2), np.ones(3), np.ones(1))])
def test_one_state_with_a_wrong_number_of_arguments(bad):
    with pytest.raises((TypeError, ValueError, IndexError)):
        function().one(*bad)


def test_one_state_does_not_leak():
    f = function()
    x, y, wrong = np.ones(2), np.ones(3), np.ones(5)
    nan = np.array([np.nan, 1.0])

    def calls():
        for _ in range(500):
            f.one(x, y)
            for a in (wrong, nan, [1]):
                with contextlib.suppress(ls.LissomError):
                    f.one(a, y)

    calls()
    gc.collect()
    before = [sys.getrefcount(v) for v in (x, y, wrong, nan, f, np.ndarray)], len(gc.get_objects())
    calls()
    gc.collect()
    after = [sys.getrefcount(v) for v in (x, y, wrong, nan, f, np.ndarray)], len(gc.get_objects())
    assert after[0] == before[0]
    assert abs(after[1] - before[1]) < 50


def test_one_state_results_are_fresh():
    f = function()
    first = f.one(np.ones(2), np.ones(3))[0]
    keep = first.copy()
    f.one(np.zeros(2), np.ones(3))
    assert np.array_equal(first, keep)
    assert first.flags.owndata
    assert first.flags.writeable


def test_threads_hammering_one_entry():
    f = function()
    rng = np.random.default_rng(2)
    states = [(rng.normal(size=2), rng.normal(size=3)) for _ in range(20)]
    want = [f(x, y)[0] for x, y in states]
    wrong = []

    def hammer():
        for _ in range(300):
            for (x, y), expected in zip(states, want, strict=True):
                if not np.array_equal(f.one(x, y)[0], expected):
                    wrong.append((x, y))

    threads = [threading.Thread(target=hammer) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_without_a_builtin_python_serves(monkeypatch):
    monkeypatch.setattr(native, "available", lambda: False)
    f = function()
    assert f.one is f
    assert f.one(np.ones(2), np.ones(3))[0].shape == (2,)


# ---- one state into given results ----------------------------------------------------------------


def test_into_writes_the_bits_of_a_call():
    f, x, y = function(), np.array([0.25, 0.75]), np.array([1.0, 2.0, 3.0])
    want = f(x, y)
    for _ in range(2):  # the first call compiles, the second one is a builtin's
        out = [np.full(2, np.nan), np.full(1, np.nan)]
        assert f.into(x, y, *out) is None
        assert all(np.array_equal(a, b) for a, b in zip(out, want, strict=True))
    assert type(f.into).__name__ == "builtin_function_or_method"


def test_builtins_are_made_when_they_are_first_needed(monkeypatch):
    """Compiling each takes a part of the first answer; one that is made later is served like the first."""
    made, define = [], native._definition
    monkeypatch.setattr(native, "_definition", lambda name: made.append(name) or define(name))
    f, x, y = function(), np.ones(2), np.ones(3)
    f.one(x, y)
    assert made == ["one_state"]
    out = np.zeros(2), np.zeros(1)
    f.into(x, y, *out)
    assert made == ["one_state", "one_into"]
    monkeypatch.setattr(Function, "__call__", None)  # from here on nothing may go through Python
    assert f.into(x, y, *out) is None
    assert np.array_equal(f.one(x, y)[0], out[0])


def test_into_takes_what_a_call_takes():
    """Lists, batches, results that are read across memory, results that lie on an argument or beside it."""
    f, x, y = function(), np.array([0.25, 0.75]), np.array([1.0, 2.0, 3.0])
    want = f(x, y)
    strided = np.zeros(4)[::2]
    shared = np.zeros(8)
    shared[1:3] = x
    cases = [
        ((x, y), (strided, np.zeros(1))),
        (([0.25, 0.75], y), (np.zeros(2), np.zeros(1))),
        ((shared[1:3], y), (shared[2:4], np.zeros(1))),
        ((x, y), (shared[4:6], shared[6:7])),
    ]
    for given, out in cases:
        f.into(*given, *out)
        assert all(np.array_equal(a, b) for a, b in zip(out, want, strict=True))
    on_itself = x.copy()
    f.into(on_itself, y, on_itself, np.zeros(1))
    assert np.array_equal(on_itself, want[0])
    many = np.zeros((5, 2)), np.zeros((5, 1))
    f.into(np.tile(x, (5, 1)), y, *many)
    assert np.array_equal(many[0], np.tile(want[0], (5, 1)))


def locked(n):
    out = np.zeros(n)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    "out",
    [
        (np.zeros(3), np.zeros(1)),
        (np.zeros((2, 1)), np.zeros(1)),
        (np.zeros(2, np.float32), np.zeros(1)),
        (locked(2), np.zeros(1)),
        (np.zeros(2), None),
        (np.zeros(2),),
        (),
        (np.zeros(2), np.zeros(1), np.zeros(1)),
        (np.zeros(2),) * 2,
        (lambda whole: (whole[:2], whole[1:2]))(np.zeros(2)),
    ],
)
def test_results_that_cannot_be_written_are_refused(out):
    f, x, y = function(), np.ones(2), np.ones(3)
    f.one(x, y)
    with pytest.raises(ls.InputError, match="out"):
        f.into(x, y, *out)


def test_into_finds_out_why_a_result_is_not_finite():
    f, out = function(), (np.zeros(2), np.zeros(1))
    f.one(np.ones(2), np.ones(3))
    with pytest.raises(ls.SolveError, match=r"division by 0\.0"):
        f.into(np.ones(2), np.array([1.0, 1.0, 0.0]), *out)
    with pytest.raises(ls.InputError, match="finite"):
        f.into(np.array([np.nan, 1.0]), np.ones(3), *out)


def test_only_the_lanes_that_are_asked_for_are_compiled():
    f = function()
    f(np.ones((9, 2)), np.ones(3))
    assert set(f.kernel._codes) == {4}
    f.one(np.ones(2), np.ones(3))
    assert set(f.kernel._codes) == {1, 4}
