"""Programs recorded as tapes: calls of steps, on slots of a workspace.

Pairs become calls on several items at once: four at a time in four lanes' code; in one lane's code
four items side by side in one vector, which is why tapes differ between widths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, cast, final

from lissom.engine.recorded import Call, Tape
from lissom.engine.run import AbstractRun, Pairs, path
from lissom.engine.specialise import specialised, unbound
from lissom.engine.step import Step, sized
from lissom.records import ENTRY, FIELDS, Entries, Flat, filled, flat, of_values, tuple_of

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
GROUPS = (4, 2, 1)  # items a step takes at once in code of several lanes
ROW = 4  # items side by side in code of one lane


COPY = sized("copy", lambda x: x, "n")
RECORDED = COPY  # the steps of programs whose own steps are found by recording


class Block:
    """A vector in the workspace of a tape: the slots of its scalars."""

    __slots__ = ("slots",)

    def __init__(self, slots: range | tuple[int, ...]):
        self.slots = slots

    def __len__(self) -> int:
        return len(self.slots)

    def __getitem__(self, key: int | slice) -> Block:
        return Block(self.slots[key]) if isinstance(key, slice) else Slot((self.slots[key],))

    def __iter__(self) -> Iterator[Slot]:
        return (Slot((slot,)) for slot in self.slots)

    def __add__(self, other: Block) -> Block:
        return Block((*self.slots, *other.slots))

    @property
    def _flat(self) -> Flat:
        structure = tuple_of(len(self.slots))
        return Flat(structure, self, of_values(structure))


class Slot(Block):
    """One scalar in the workspace of a tape; also a vector of one entry."""

    __slots__ = ()

    @property
    def _flat(self) -> Flat:
        return Flat(ENTRY, self, of_values(ENTRY))


@final
class Recorder(AbstractRun):
    """Record a program as a tape for code of a given width.

    steps : those that calls name, paired ones without the number of items
    one_width : whether the tape serves this width only
    singly : pairs are recorded one by one, for tapes that are differentiated
    """

    def __init__(self, width: int, singly: bool = False) -> None:
        self.steps: dict[str, Step] = {}
        self.one_width = False
        self._width, self._singly = width, singly
        self._top = 0
        self._calls: list[Call] = []
        self._inputs: list[tuple[int, int]] = []
        self._fixed: list[tuple[int, float]] = []
        self._constants: list[float] = []
        self._rows: dict[tuple[float, ...], int] = {}
        self._outputs: list[tuple[int, ...]] = []
        self._life = Life()
        self._whole: Tape | None = None

    def _allocate(self, n: int) -> Block:
        self._top += n
        return Block(range(self._top - n, self._top))

    def input(self, n: int) -> Block:
        block = self._allocate(n)
        self._inputs.append((block.slots[0] if n else 0, n))
        return block

    def constant(self, value: R) -> R:
        if type(value) not in FIELDS:
            return cast(R, self._numbers(cast(Sequence[float], value)))
        form = flat(value)
        return cast(R, filled(form.structure, self._numbers(list(form.entries)), of_values(form.structure)))

    def _numbers(self, values: Sequence[float]) -> Block:
        block = self._allocate(len(values))
        self._fixed += [(slot, float(value)) for slot, value in zip(block.slots, values, strict=True)]
        return block

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        plain, values = unbound(function, args)
        forms = [flat(value) for value in values]
        arguments = tuple([form.argument for form in forms])
        special = specialised(plain, arguments)
        operands, numbers = special.operands(forms, arguments)
        outputs: list[Block] = []
        if special.step is not None:
            outputs = self._recorded(special.step, [self._in_one_piece(entries) for entries in operands], numbers)
        return cast(R, special.returned(operands, outputs))

    def call_pairs(
        self, function: Callable[[A, B], R], parents: Sequence[int], items: Sequence[A], shared: Sequence[B]
    ) -> Pairs[R]:
        if self._singly:
            count = range(len(parents))
            return {(i, j): self.call(function, items[i], shared[j]) for j in count for i in path(parents, j)}
        forms = [[flat(value) for value in some] for some in (items, shared)]
        kinds = [{form.argument for form in some} for some in forms]
        if any(len(kind) > 1 for kind in kinds):
            raise ValueError(f"{function.__qualname__}: pairs of values of different structures: {kinds}")
        if not len(parents):
            return {}
        special = specialised(function, (forms[0][0].argument, forms[1][0].argument), paired=True)
        assert special.step is not None
        blocks = [[self._in_one_piece(form.entries) for form in some] for some in forms]
        found = self.pairs(special.step, parents, *blocks)
        return {pair: cast(R, special.returned((), [block])) for pair, block in found.items()}

    def _in_one_piece(self, entries: Entries) -> Block:
        """Entries of an operand as a block; those that lie apart are copied."""
        block = _block(entries)
        slots = block.slots
        if type(slots) is range and slots.step == 1:
            return block
        first, n = slots[0], len(slots)
        if tuple(slots) == tuple(range(first, first + n)):
            return Block(range(first, first + n))
        return self.gathered([Slot((slot,)) for slot in slots])

    def apply(self, step: Step, *operands: Any, constants: Sequence[float] | Block = ()) -> Any:
        if isinstance(constants, Block):
            return self.apply(step.given, *operands, constants)
        outputs = self._recorded(step, [_block(operand) for operand in operands], constants)
        return outputs if len(outputs) > 1 else outputs[0]

    def _recorded(self, step: Step, operands: Sequence[Block], constants: Sequence[float]) -> list[Block]:
        """Append the call of a step and return its outputs."""
        self.note(step)
        outputs = [self._allocate(n) for n in step.outputs]
        made = [(block.slots.start, n) for block, n in zip(outputs, step.outputs, strict=True)]  # type: ignore[union-attr]
        read = [(_first(block, n, step), n) for block, n in zip(operands, step.inputs, strict=True)]
        slots = tuple([first for first, _ in (*made, *read)])
        self._append((step.name, slots, self._row(constants, step)), made, read)
        return outputs

    def note(self, step: Step) -> None:
        """Remember a step that is called; no two steps have one name."""
        known = self.steps.setdefault(step.name, step)
        if known is not step and known[2:5] != step[2:5]:
            raise ValueError(f"two steps are named {step.name!r}: {known[2:5]} and {step[2:5]}")

    def _append(self, call: Call, made: list[tuple[int, int]], read: list[tuple[int, int]]) -> None:
        """Append a call with first slots and lengths of its outputs and inputs."""
        self._calls.append(call)
        self._life.call(made, read)

    def pairs(
        self, step: Step, parents: Sequence[int], items: Sequence[Block], shared: Sequence[Block]
    ) -> Pairs[Block]:
        """See `AbstractRun.pairs`; steps of pairs have one output."""
        self.one_width = True
        self.note(step)
        if self._width == 1:
            return self._pairs_in_rows(step, parents, items, shared)
        out: dict[tuple[int, int], Block] = {}
        for j in range(len(parents)):
            left = path(parents, j)
            for count in GROUPS:
                while len(left) >= count:
                    now, left = left[:count], left[count:]
                    results = self._on_several(step, [items[i] for i in now], shared[j])
                    out |= {(i, j): r for i, r in zip(now, results, strict=True)}
        return out

    def _on_several(self, step: Step, items: Sequence[Block], shared: Block) -> list[Block]:
        """Append the call of a step on several items."""
        outputs = [self._allocate(step.outputs[0]) for _ in items]
        made = [(block.slots[0], len(block)) for block in outputs]
        sizes = [step.inputs[0]] * len(items) + [step.inputs[1]]
        read = [(_first(block, n, step), n) for block, n in zip((*items, shared), sizes, strict=True)]
        slots = tuple([first for first, _ in (*made, *read)])
        self._append((f"{step.name}_x{len(items)}", slots, 0), made, read)
        return outputs

    def _pairs_in_rows(
        self, step: Step, parents: Sequence[int], items: Sequence[Block], shared: Sequence[Block]
    ) -> Pairs[Block]:
        """Items of the current path, by depth, four side by side; one call does a whole path."""
        size, n_out = step.inputs[0], step.outputs[0]
        order = _depth_first(parents)
        deepest = max((depth for _, depth in order), default=0)
        table = self._allocate((deepest // ROW + 1) * size * ROW)
        self._fixed += [(slot, 0.0) for slot in table.slots]
        here: dict[int, int] = {}
        out: dict[tuple[int, int], Block] = {}
        for j, depth in order:
            here[depth] = j
            start = table.slots[0] + depth // ROW * size * ROW + depth % ROW
            item, share = _first(items[j], size, step), _first(shared[j], step.inputs[1], step)
            self._append((f"{step.name}_put", (start, item), 0), [], [(item, size)])
            groups = depth // ROW + 1
            result = self._allocate(groups * n_out * ROW).slots[0]
            slots = (result, table.slots[0], share)
            made = [(result, groups * n_out * ROW)]
            self._append((f"{step.name}_row", slots, groups), made, [(share, step.inputs[1])])
            for d in range(depth + 1):
                at = result + d // ROW * n_out * ROW + d % ROW
                out[here[d], j] = Block(tuple(at + m * ROW for m in range(n_out)))
        return out

    def _row(self, constants: Sequence[float], step: Step) -> int:
        row = tuple(float(c) for c in constants)
        if len(row) != step.constants:
            raise ValueError(f"step {step.name}: {len(row)} constants, expected {step.constants}")
        if row and row not in self._rows:
            self._rows[row] = len(self._constants)
            self._constants += row
        return self._rows.get(row, 0)

    def each(self, steps: Sequence[Step], *operands: Block) -> Block:
        """See `AbstractRun.each`; the result lies in one piece."""
        n = max(len(block) for block in operands)
        result = self._allocate(n)
        self._in_pieces(steps, operands, result, [(result.slots[0], n)])
        return result

    def gathered(self, entries: Sequence[Any]) -> Block:
        """See `AbstractRun.gathered`; the entries are copied to where they lie in one piece."""
        for step in COPY:
            self.note(step)
        result = self._allocate(len(entries))
        whole = [(result.slots[0], len(entries))]
        for k, entry in enumerate(entries):
            source = entry[0].slots[0]
            slots = (result.slots[k], source)
            self._append((COPY[-1].name, slots, 0), whole if k == 0 else [], [(source, 1), *whole])
        return result

    def partly(self, vector: Block, known: Mapping[int, float]) -> Block:
        """See `AbstractRun.partly`; a tape leaves the vector unchanged."""
        return vector

    def carry(self, new: Block, old: Block) -> Block:
        """Append a copy of the next value of the input `old` into its slots."""
        self._in_pieces(COPY, (new,), old, [])
        return old

    def _in_pieces(
        self, steps: Sequence[Step], operands: Sequence[Block], result: Block, made: list[tuple[int, int]]
    ) -> None:
        """Calls that fill `result` piece by piece; it is made by the first and counts as read by all."""
        at = 0
        for step in steps:
            self.note(step)
            n = step.outputs[0]
            while len(result) - at >= n:
                parts = [block if size < n or len(block) == 1 else block[at : at + n]
                         for block, size in zip(operands, step.inputs, strict=True)]  # fmt: skip
                read = [(_first(block, size, step), size) for block, size in zip(parts, step.inputs, strict=True)]
                slots = (result.slots[at], *(first for first, _ in read))
                self._append((step.name, slots, 0), made if at == 0 else [], read + made)
                at += n

    def output(self, *entries: Any) -> None:
        parts = [flat(entry).entries if type(entry) in FIELDS else entry for entry in entries]
        blocks = [block for part in parts for block in ([part] if isinstance(part, Block) else part)]
        self._outputs.append(tuple([slot for block in blocks for slot in block.slots]))

    def play(self, tape: Tape, steps: Mapping[str, Step]) -> None:
        """Use a tape that was recorded elsewhere."""
        self._whole = tape
        self.steps |= steps

    def tape(self, reuse: bool = True) -> Tape:
        """The tape; `reuse`: results take the room of earlier ones that nothing reads any more."""
        if self._whole is not None:
            return self._whole
        tape = Tape(
            tuple(self._calls), self._top, tuple(self._inputs), tuple(self._outputs), tuple(self._fixed),
            tuple(self._constants),
        )  # fmt: skip
        return self._life.compact(tape) if reuse else tape


def _depth_first(parents: Sequence[int]) -> list[tuple[int, int]]:
    """Yield (node, depth) of a tree, depth first."""
    children: dict[int, list[int]] = {}
    for j, parent in enumerate(parents):
        children.setdefault(int(parent), []).append(j)
    order: list[tuple[int, int]] = []
    stack = [(j, 0) for j in reversed(children.get(-1, []))]
    while stack:
        j, depth = stack.pop()
        order.append((j, depth))
        stack += [(child, depth + 1) for child in reversed(children.get(j, []))]
    return order


def _block(vector: Any) -> Block:
    """A vector as a block; also a list of slots is a vector."""
    return vector if isinstance(vector, Block) else Block(tuple([slot.slots[0] for slot in vector]))


def _first(block: Block, n: int, step: Step) -> int:
    """First slot of an operand, which must lie in one piece."""
    if type(block.slots) is range and block.slots.step == 1 and len(block.slots) == n:
        return block.slots.start
    slots = list(block.slots)
    if len(slots) != n or slots != list(range(slots[0], slots[0] + n)):
        raise ValueError(f"step {step.name}: operand with slots {slots}, expected {n} in a row")
    return slots[0]


class Life:
    """Lifetime of results: slots are reused after the last read.

    A large arm's workspace shrinks several times and stays in the processor's nearest cache.
    """

    def __init__(self) -> None:
        self._made: list[list[tuple[int, int]]] = []  # of every call: first slots and lengths of its results
        self._read: list[list[tuple[int, int]]] = []  # and of what it reads

    def call(self, made: list[tuple[int, int]], read: list[tuple[int, int]]) -> None:
        self._made.append(made)
        self._read.append(read)

    def compact(self, tape: Tape) -> Tape:
        """The tape with slots reused."""
        last = self._last_use(tape)
        if last is None:
            return tape
        place, slots = self._places(tape, last)
        return tape._replace(
            calls=tuple((name, tuple(place[s] for s in operands), at) for name, operands, at in tape.calls),
            slots=slots,
            inputs=tuple((place[first] if n else 0, n) for first, n in tape.inputs),
            outputs=tuple(tuple(place[s] for s in out) for out in tape.outputs),
            fixed=tuple((place[slot], value) for slot, value in tape.fixed),
        )

    def _last_use(self, tape: Tape) -> dict[int, int] | None:
        """The last call that reads a result, by its first slot; None when an operand lies across two results."""
        owner = [-1] * tape.slots
        last: dict[int, int] = {}
        for call, made in enumerate(self._made):
            for first, n in made:
                owner[first : first + n] = [first] * n
                last[first] = call
        for call, read in enumerate(self._read):
            for first, n in read:
                if owner[first] != owner[first + n - 1]:
                    return None
                if owner[first] >= 0:
                    last[owner[first]] = call
        for out in tape.outputs:
            last |= {owner[slot]: len(self._made) for slot in out if owner[slot] >= 0}
        return last

    def _places(self, tape: Tape, last: dict[int, int]) -> tuple[list[int], int]:
        """The new slot of every slot, and their number; inputs and constants keep theirs for good."""
        sizes = {first: n for made in self._made for first, n in made}
        place, top = [-1] * tape.slots, 0
        slot = 0
        while slot < tape.slots:
            if slot in sizes:
                slot += sizes[slot]
            else:
                place[slot] = top
                slot, top = slot + 1, top + 1
        free: dict[int, list[int]] = {}
        ends: dict[int, list[int]] = {}
        for call, made in enumerate(self._made):
            for first, n in made:
                at = free[n].pop() if free.get(n) else top
                top = max(top, at + n)
                place[first : first + n] = range(at, at + n)
                ends.setdefault(last[first], []).append(first)
            for first in ends.pop(call, ()):  # only later calls may use it: a call may write before it has read
                free.setdefault(sizes[first], []).append(place[first])
        return place, top
