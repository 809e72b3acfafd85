"""Values of two processes are the same where their identities are equal."""

import collections
import dataclasses
import functools
import logging
import os
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.formats.identity import identity


def same(a, b):
    first, second = identity(a), identity(b)
    assert first.unseen == second.unseen == ()
    return first == second


class Plain:
    def __init__(self, value):
        self.value = value

    @functools.cached_property
    def doubled(self):
        return 2 * self.value


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Dropping:
    """Its state has no file."""

    def __init__(self, value):
        self.value, self.file = value, open(os.devnull)  # noqa: SIM115

    def __getstate__(self):
        return {"value": self.value}

    def __del__(self):
        self.file.close()


@dataclasses.dataclass
class Record:
    value: float
    more: list = dataclasses.field(default_factory=list, init=False)


class MyPD(ls.PD):
    extra = None

    def __init__(self, extra):
        super().__init__([0.0, 0.0], 10.0, 1.0)
        object.__setattr__(self, "extra", extra)


class MyPayload(ls.Payload):
    """A record of lissom that stores its own hash."""


@dataclasses.dataclass(slots=True)
class SlottedRecord:
    value: float
    more: float = dataclasses.field(init=False, default=0.0)


class SlottedPD(ls.PD):
    __slots__ = ("extra",)


class Scaled:
    """A decorator: a function that is called through an object with a number of its own."""

    def __init__(self, gain):
        functools.update_wrapper(self, using)
        self.gain = gain

    def __call__(self, t):
        return self.gain * t


class Number(float):
    """A number with attributes."""


class Table(np.ndarray):
    """An array with attributes."""


class Names(set):
    """A set with attributes."""


def with_attribute(made, value):
    object.__setattr__(made, "extra", value)
    return made


def slotted_record(value):
    made = SlottedRecord(1.0)
    made.more = value
    return made


def recorded(value):
    made = Record(1.0)
    made.more.append(value)
    return made


def nested(value):
    made = Plain({"a": [Slotted(value)]})
    made.self = made
    return made


KINDS = {
    "attributes": Plain,
    "slots": Slotted,
    "state": Dropping,
    "dataclass": Record,
    "field that is not an argument": recorded,
    "subclass of a record of lissom": MyPD,
    "nested, with a cycle": nested,
    "list": lambda v: [v],
    "subclass of dict": lambda v: collections.defaultdict(float, a=v),
    "keys": lambda v: {(v, 1): 2, 3: 4},
    "deque": lambda v: collections.deque([v]),
    "object array": lambda v: np.array([Plain(v), None]),
    "long array": lambda v: np.full(20_001, v),
    "masked array": lambda v: np.ma.masked_equal(np.arange(20_001.0), v),
    "complex array": lambda v: np.array([1j, v]),
    "random numbers": lambda v: np.random.default_rng(int(v)),
    "spline": lambda v: __import__("scipy.interpolate").interpolate.CubicSpline([0.0, 1.0, 2.0], [0.0, v, 1.0]),
    "method": lambda v: Plain(v).__getstate__,
    "method of C": lambda v: np.array([v]).dot,
    "namespace": lambda v: types.SimpleNamespace(a=v),
    "module of the user": lambda v: compiled("def f(t): return settings.GAIN * t", settings=module("settings", GAIN=v)),
    "arm": lambda v: ls.load("two_link").with_gravity([0, 0, -v]),
    "path": lambda v: Path(f"a{v}"),
    "local class": lambda v: local_class(v),
    "metaclass": lambda v: type("Meta", (type,), {"gain": v, "__module__": "laws"})("Law", (), {"__module__": "laws"}),
    "slots of a dataclass": slotted_record,
    "slots of a subclass of a record of lissom": lambda v: with_attribute(SlottedPD([0.0, 0.0], 10.0, 1.0), v),
    "decorator that is an object": Scaled,
    "subclass of float": lambda v: with_attribute(Number(1.0), v),
    "subclass of an array": lambda v: with_attribute(np.zeros(2).view(Table), v),
    "subclass of set": lambda v: with_attribute(Names("pqr"), v),
    "number type of an array": lambda v: np.array([1.0, 2.0], np.float32 if v == 1.0 else np.float64),
    "vectorised function": lambda v: np.vectorize(using(v)),
    "module in a package of the user": lambda v: function_of_package(v),
    "module as a value": lambda v: [module("settings", GAIN=v)],
    "signature": lambda v: compiled("def f(t, x): return x" if v == 1.0 else "def f(t, *x): return x"),
}


def using(value):
    return lambda t: value


def module(name, **content):
    made = types.ModuleType(name)
    vars(made).update(content)
    return made


def compiled(text, **names):
    exec(text, names)
    return names["f"]


def function_of_package(value):
    """A function that uses a number of a module in a package; the module knows its package."""
    package, inner = module("package"), module("package.settings", GAIN=value)
    package.settings, inner.package = inner, package
    return compiled("def f(t): return package.settings.GAIN * t", package=package)


def local_class(value):
    class Law:
        def torque(self):
            return value

    return Law()


@pytest.mark.parametrize("kind", KINDS)
def test_objects_count_by_their_content(kind):
    make = KINDS[kind]
    assert same(make(1.0), make(1.0))
    assert not same(make(1.0), make(2.0))
    assert same(using(make(1.0)), using(make(1.0)))
    assert not same(using(make(1.0)), using(make(2.0)))


def test_results_that_an_object_stores_for_itself_do_not_count():
    law = Plain(1.0)
    before = identity(law)
    assert law.doubled == 2.0
    assert identity(law) == before
    payload = MyPayload(3.0)
    before = identity(payload)
    assert len(payload.digest) == 64
    assert identity(payload) == before


def test_locks_and_loggers_can_be_compared():
    def make(gain):
        law = Plain(gain)
        law.lock, law.log = threading.RLock(), logging.getLogger("law")
        return law

    assert same(make(1.0), make(1.0))


def test_methods_of_a_class_of_the_user_count():
    def kind(body):
        scope = {"__name__": "laws"}
        exec(f"class Law:\n    def torque(self, q): return {body}", scope)
        return scope["Law"]()

    assert same(kind("2 * q"), kind("2 * q"))
    assert not same(kind("2 * q"), kind("3 * q"))


unrelated = (k for k in range(3))  # also the name of an attribute


def test_only_globals_that_a_function_loads_count():
    assert identity(lambda t: t.unrelated).unseen == ()
    assert identity(lambda t: unrelated).unseen == ("<lambda>: unrelated (builtins.generator)",)


def test_what_cannot_be_seen_is_named(tmp_path):
    with open(tmp_path / "log", "w") as stream:
        law = Plain(1.0)
        law.out = stream
        assert identity(lambda t: law).unseen == ("<lambda>: law.out (_io.TextIOWrapper)",)
        assert identity(stream).unseen == ("an object of type _io.TextIOWrapper",)
    deep = []
    for _ in range(10**5):
        deep = [deep]
    assert identity(deep).unseen == ("a value that is nested too deeply",)


class Named:
    """Pickle would write its name only."""

    def __reduce__(self):
        return "law"


def test_names_alone_are_no_content():
    """Of functions and objects that packages have by that name only the name counts; others cannot be compared."""
    assert identity([np.sin, np.dot, len, np.add.reduce]).unseen == ()
    assert identity(np.frompyfunc(using(1.0), 1, 1)).unseen == ("an object of type numpy.ufunc",)
    assert identity(lambda t: law).unseen == (f"<lambda>: law ({__name__}.Named)",)


law = Named()


def test_values_that_are_named_by_text():
    """A name given as text to getattr is seen; what globals, eval and their like may reach is not."""
    module = types.ModuleType("laws_by_name")
    module.gain = 1.0
    found = identity(lambda t: getattr(module, "gain") * t)  # noqa: B009  the point of the test
    module.gain = 2.0
    assert found != identity(lambda t: getattr(module, "gain") * t)  # noqa: B009
    assert identity(lambda t: globals()["law"]).unseen == ("<lambda>: globals()",)
    assert identity(lambda t: eval("law")).unseen == ("<lambda>: eval()",)


def test_shared_values_are_read_once():
    value = [1.0]
    for _ in range(60):
        made = Plain(value)
        made.other = value
        value = made
    assert identity(value).unseen == ()


def test_another_process_finds_the_same():
    code = (
        "import lissom as ls, json; from lissom.formats.identity import identity\n"
        "class Law:\n"
        "    def __init__(self): self.names = {'p', 'q', 'r', 's'}; self.model = ls.load('two_link')\n"
        "law = Law(); print(json.dumps(identity(lambda case: law)))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "12"
    }
    assert len(found) == 1
