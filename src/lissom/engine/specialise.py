"""Pure functions of records as steps.

Any function or method whose arguments and results are records can be called through a run (`run.AbstractRun.call`);
nothing is declared. It is *specialised* by the structures of its arguments: the motion of a link behind a revolute
joint is one step, behind a prismatic joint another, of a beam with two modes a third. Numbers of the arguments become
constants of the step, values of the run its operands, so a link whose mass is an input needs no other code. What a
function returns is found once, on placeholders. Results that only repeat operands, or earlier results, are not
computed: they are the same values.

A function may branch on the structure of its arguments, never on their values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from lissom.engine.step import Step
from lissom.records import Argument, Entries, Flat, Stretch, Structure, filled, flat, of_values


class Placeholder:
    """A scalar of which only the identity is known."""

    __slots__ = ()

    def _new(self, *_others: Any) -> Placeholder:
        return Placeholder()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _new
    __neg__ = __pos__ = sin = cos = sign = fabs = _new


class Result(NamedTuple):
    """A result of a specialised function: its structure, and where its entries are.

    computed : whether it is an output of the step; otherwise an operand
    vector, entries : number of the output or operand, and the entries of it
    """

    structure: Structure
    computed: bool
    vector: int
    entries: slice


class Specialised(NamedTuple):
    """A function for arguments of given structures.

    step : None where every result repeats operands
    results : one, or several where the function returns a tuple
    together : makes the tuple that the function returns, plain or named; None where it returns one value
    order : arguments in the order of the step's operands
    """

    step: Step | None
    results: tuple[Result, ...]
    together: Callable[[Sequence[Any]], Any] | None
    order: tuple[int, ...]

    def operands(self, forms: Sequence[Flat], arguments: Sequence[Argument]) -> tuple[list[Entries], list[float]]:
        """The entries of every operand of the step, and its constants."""
        operands: list[Entries] = []
        numbers: list[float] = []
        for k in self.order:
            entries, argument = forms[k].entries, arguments[k]
            if argument.numbers:
                numbers += entries
            elif argument.values:
                operands.append(entries)
            else:
                for stretch, some in cut(entries, argument):
                    if stretch.numbers:
                        numbers += some
                    else:
                        operands.append(some)
        return operands, numbers

    def returned(self, operands: Sequence[Entries], outputs: Sequence[Entries]) -> Any:
        """What the function returns, from the operands and the outputs of the step."""
        values = []
        for structure, computed, vector, place in self.results:
            entries: Entries = ()
            if structure.size:
                entries = (outputs if computed else operands)[vector][place]
            values.append(filled(structure, entries, of_values(structure)))
        return values[0] if self.together is None else self.together(values)


def cut(entries: Entries, argument: Argument) -> Iterator[tuple[Stretch, Entries]]:
    """Yield the stretches of an argument with their entries."""
    at = 0
    for stretch in argument.stretches:
        yield stretch, entries[at : at + stretch.length]
        at += stretch.length


F = TypeVar("F", bound=Callable[..., Any])


def once(function: F) -> F:
    """Mark a function that a program calls once: it is not worth remembering how it was traced."""
    function.__dict__["once"] = True
    return function


def unbound(function: Any, args: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function and its arguments; the owner of a bound method is the first one."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type):
        raise ValueError(f"{function.__qualname__} is a class method and cannot be a step; use a function.")
    return (function, args) if owner is None else (function.__func__, (owner, *args))


_known: dict[Hashable, Specialised] = {}


def specialised(function: Callable[..., Any], arguments: tuple[Argument, ...], paired: bool = False) -> Specialised:
    """A function specialised for arguments; made once."""
    key = (function, arguments, paired)
    found = _known.get(key)
    if found is None:
        found = _known.setdefault(key, _specialised(function, arguments, paired))
    return found


def _specialised(function: Callable[..., Any], arguments: tuple[Argument, ...], paired: bool) -> Specialised:
    _refuse_nameless(function)
    order = tuple(sorted(range(len(arguments)), key=lambda k: arguments[k].passive))  # stable: parameters last
    places = _Places()
    given: list[Any] = [None] * len(arguments)
    for k in order:
        entries = [Placeholder() for _ in range(arguments[k].structure.size)]
        given[k] = filled(arguments[k].structure, entries)
        for stretch, some in cut(entries, arguments[k]):
            if not stretch.numbers:
                places.add_operand(some)
    returned = function(*given)
    several = isinstance(returned, tuple)
    results, computed = [], []
    for item, value in enumerate(returned if several else (returned,)):
        form = flat(value)
        known = places.find(form.entries)
        if known is None:
            known = places.add_output(form.entries)
            computed.append(item)
        results.append(Result(form.structure, *known))
    together = getattr(type(returned), "_make", tuple) if several else None
    sizes = tuple(result.structure.size for result in (results[item] for item in computed))
    step = _step(function, arguments, order, computed, sizes, paired) if computed else None
    return Specialised(step, tuple(results), together, order)


def _refuse_nameless(function: Callable[..., Any]) -> None:
    """Raise an error for functions whose name does not stand for what they compute."""
    hidden = set(function.__code__.co_freevars) - {"__class__"}
    if hidden or "<lambda>" in function.__qualname__:
        raise ValueError(
            f"{function.__module__}.{function.__qualname__} cannot be a step: it is nameless or closes over "
            f"{sorted(hidden)}, which its name does not tell. Pass them as arguments of a named function."
        )


class _Places:
    """Where placeholders are: in operands, and in outputs that were found."""

    def __init__(self) -> None:
        self._places: dict[int, list[tuple[bool, int, int]]] = {}
        self._operands = self._outputs = 0
        self._alive: list[Any] = []  # identities hold as long as what they belong to

    def add_operand(self, entries: Entries) -> None:
        self._add(entries, False, self._operands)
        self._operands += 1

    def add_output(self, entries: Entries) -> tuple[bool, int, slice]:
        self._add(entries, True, self._outputs)
        self._outputs += 1
        return True, self._outputs - 1, slice(0, len(entries))

    def _add(self, entries: Entries, computed: bool, vector: int) -> None:
        self._alive.append(entries)
        for at, entry in enumerate(entries):
            if isinstance(entry, Placeholder):
                self._places.setdefault(id(entry), []).append((computed, vector, at))

    def find(self, entries: Entries) -> tuple[bool, int, slice] | None:
        """Where these entries already are side by side; None where they are not."""
        if not entries:
            return False, 0, slice(0, 0)
        self._alive.append(entries)
        for computed, vector, first in self._places.get(id(entries[0]), []):
            wanted = enumerate(entries, first)
            if all((computed, vector, at) in self._places.get(id(entry), []) for at, entry in wanted):
                return computed, vector, slice(first, first + len(entries))
        return None


def _step(
    function: Callable[..., Any], arguments: Sequence[Argument], order: Sequence[int], computed: Sequence[int],
    outputs: tuple[int, ...], paired: bool,
) -> Step:  # fmt: skip
    stretches = [(k, stretch) for k in order for stretch in arguments[k].stretches]
    inputs = tuple(stretch.length for _, stretch in stretches if not stretch.numbers)
    passive = sum(arguments[k].passive and not stretch.numbers for k, stretch in stretches)

    def on_lists(*lists: Entries) -> list[list[Any]]:
        vectors, constants = iter(lists), iter(lists[len(inputs)] if len(lists) > len(inputs) else ())
        entries: dict[int, list[Any]] = {k: [] for k in order}
        for k, stretch in stretches:
            entries[k] += [next(constants) for _ in range(stretch.length)] if stretch.numbers else next(vectors)
        given = [filled(argument.structure, entries[k]) for k, argument in enumerate(arguments)]
        returned = function(*given)
        items = returned if isinstance(returned, tuple) else (returned,)
        return [list(flat(items[k]).entries) for k in computed]

    on_lists.__module__ = _home(function, arguments)
    constants = sum(stretch.length for _, stretch in stretches if stretch.numbers)
    name = (
        _name(function, arguments) + paired * "_paired"
    )  # a tape may have the same function as a step of its own, too
    single = bool(getattr(function, "once", False))
    return Step(name, on_lists, inputs, outputs, constants, paired=paired, passive=passive, once=single)


def _home(function: Callable[..., Any], arguments: Sequence[Argument]) -> str:
    """The module of the function, or of the first record in its arguments that is from another package."""
    own = function.__module__.split(".")[0]
    modules = (cls.__module__ for argument in arguments for cls in argument.structure.classes())
    return next((word for word in modules if word.split(".")[0] not in (own, "builtins")), function.__module__)


def _name(function: Callable[..., Any], arguments: Sequence[Argument]) -> str:
    """A name that no other specialised function has, the same in every process."""
    whole = f"{function.__module__}.{function.__qualname__}|{';'.join(argument.text for argument in arguments)}"
    return f"{function.__qualname__.replace('.', '_')}_{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def whole_values(form: Flat) -> Argument:
    """The argument with all entries as values, where some of them are numbers and some are not."""
    argument = form.argument
    return argument if argument.numbers or argument.values else of_values(form.structure)
