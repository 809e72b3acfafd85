"""The machine code of CPython builtins on arrays, as LLVM text; see `native`.

A builtin's table of 64-bit words begins with those named here; two words for every input of `one_state` and `one_into`
follow (its length, its place in the kernel's table of arrays), then five for every result (number of axes, address of
its shape, place, bytes, address of its buffers or 0). `rows` has two words for every input and result.

Memory of large results is reused: `one_state` takes the first of a few buffers that nothing refers to but its owner. A
result is a new array on the buffer, which is its base; so the buffer has one reference more as long as the result,
or a view of it, exists.
"""

from __future__ import annotations

CONTIGUOUS, ALIGNED, WRITEABLE = 1, 256, 1024  # NumPy's flags
PLAIN = CONTIGUOUS | ALIGNED | WRITEABLE
MOST_INPUTS, MOST_OUTPUTS = 16, 4
RESULT = 5  # words of a result
BUFFERS = 4  # of a large result
NOT_READY = -1 - MOST_OUTPUTS  # as number of inputs: no call has as many arguments
# words of the table, before those of inputs and outputs
(N_IN, N_OUT, KERNEL, ARRAYS, TAPE, WORKSPACE, CONSTANTS, SLOW, RECORD, TYPE, DTYPE, TUPLE_TYPE, NEW, VECTORCALL,
 INCREF, DECREF, ALLOCATE, SETITEM, SAVE, RESTORE, TRUTH, NONE, ITEM, FIRST) = range(24)  # fmt: skip
HEAD = object.__basicsize__  # of every object; its type is the last word of it


def _word(name: str, k: int) -> str:
    """Word k of the table, as a number and as a pointer."""
    return (
        f"  %{name}.p = getelementptr i64, ptr %table, i64 {k}\n  %{name} = load i64, ptr %{name}.p\n"
        f"  %{name}.f = inttoptr i64 %{name} to ptr\n"
    )


def _field(name: str, offset: int, kind: str, of: str = "%arg") -> str:
    """A field of an object's struct."""
    return f"  %{name}.p = getelementptr i8, ptr {of}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}.p\n"


def _array_fields() -> str:
    """data, nd, dimensions, strides, descr and flags of the array %arg."""
    return (
        _field("where", HEAD, "ptr") + _field("axes", HEAD + 8, "i32") + _field("dims", HEAD + 16, "ptr")
        + _field("steps", HEAD + 24, "ptr") + _field("descr", HEAD + 40, "i64") + _field("flags", HEAD + 48, "i32")
    )  # fmt: skip


def _rows_ir() -> str:
    """LLVM code of the builtin on 2-D arguments with equal numbers of contiguous rows."""
    return f"""
define ptr @rows(ptr %self, ptr %args, i64 %nargs) nounwind {{
entry:
  %table.p = getelementptr i8, ptr %self, i64 {HEAD}
  %table = load ptr, ptr %table.p
{_word("n_in", N_IN)}{_word("n_out", N_OUT)}{_word("arrays", ARRAYS)}{_word("type", TYPE)}{_word("dtype", DTYPE)}\
{_word("item", ITEM)}
  %count = add i64 %n_in, %n_out
  %count.ok = icmp eq i64 %nargs, %count
  br i1 %count.ok, label %check, label %slow

check:
  %i = phi i64 [0, %entry], [%i.next, %fits]
  %rows = phi i64 [-1, %entry], [%rows.have, %fits]
  %arg.p = getelementptr ptr, ptr %args, i64 %i
  %arg = load ptr, ptr %arg.p
{_field("kind", HEAD - 8, "i64")}
  %kind.ok = icmp eq i64 %kind, %type
  br i1 %kind.ok, label %array, label %slow

array:
{_array_fields()}
  %flags.and = and i32 %flags, {ALIGNED}
  %flags.ok = icmp eq i32 %flags.and, {ALIGNED}
  %axes.ok = icmp eq i32 %axes, 2
  %descr.ok = icmp eq i64 %descr, %dtype
  %ok.1 = and i1 %flags.ok, %axes.ok
  %ok.2 = and i1 %ok.1, %descr.ok
  br i1 %ok.2, label %shape, label %slow

shape:
  %rows.have = load i64, ptr %dims
  %columns.p = getelementptr i64, ptr %dims, i64 1
  %columns = load i64, ptr %columns.p
  %step = load i64, ptr %steps
  %inner.p = getelementptr i64, ptr %steps, i64 1
  %inner = load i64, ptr %inner.p
  %word = shl i64 %i, 1
  %at = add i64 %word, {FIRST}
  %want.p = getelementptr i64, ptr %table, i64 %at
  %want = load i64, ptr %want.p
  %first = icmp eq i64 %i, 0
  %rows.same = icmp eq i64 %rows, %rows.have
  %rows.ok = or i1 %first, %rows.same
  %columns.ok = icmp eq i64 %columns, %want
  %inner.item = icmp eq i64 %inner, %item
  %inner.1 = icmp eq i64 %want, 1
  %inner.ok = or i1 %inner.item, %inner.1
  %ok.3 = and i1 %rows.ok, %columns.ok
  %ok.4 = and i1 %ok.3, %inner.ok
  br i1 %ok.4, label %fits, label %slow

fits:
  %place.p = getelementptr i64, ptr %want.p, i64 1
  %place = load i64, ptr %place.p
  %slot = getelementptr i64, ptr %arrays.f, i64 %place
  store ptr %where, ptr %slot
  %slot.step = getelementptr i64, ptr %slot, i64 1
  store i64 %step, ptr %slot.step
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %count
  br i1 %i.more, label %check, label %run

run:
{_word("kernel", KERNEL)}{_word("tape", TAPE)}{_word("ws", WORKSPACE)}{_word("constants", CONSTANTS)}\
{_word("save", SAVE)}{_word("restore", RESTORE)}{_word("truth", TRUTH)}
  %state = call ptr %save.f()
  %bad = call i64 %kernel.f(ptr %arrays.f, ptr %tape.f, ptr %ws.f, ptr %constants.f, i64 %rows.have)
  call void %restore.f(ptr %state)
  %finite = icmp eq i64 %bad, 0
  %answer.64 = zext i1 %finite to i64
  %answer = call ptr %truth.f(i64 %answer.64)
  ret ptr %answer

slow:
{_word("vectorcall", VECTORCALL)}{_word("callable", SLOW)}
  %other = call ptr %vectorcall.f(ptr %callable.f, ptr %args, i64 %nargs, ptr null)
  ret ptr %other
}}
"""


def _given_states(counted: str) -> str:
    """The beginning of a builtin on single states, whose first arguments are plain vectors.

    counted : goes to %check if the number of arguments is right, else to %slow

    The addresses of the vectors are then in %data; it goes on with the number of axes and the shape of every result %o.
    """
    return f"""
entry:
  %data = alloca [{MOST_INPUTS} x ptr]
  %made = alloca [{MOST_OUTPUTS} x ptr]
  %table.p = getelementptr i8, ptr %self, i64 {HEAD}
  %table = load ptr, ptr %table.p
{_word("n_in", N_IN)}{_word("n_out", N_OUT)}{_word("arrays", ARRAYS)}{_word("type", TYPE)}{_word("dtype", DTYPE)}
{counted}
check:
  br label %input

input:
  %i = phi i64 [0, %check], [%i.next, %fits]
  %arg.p = getelementptr ptr, ptr %args, i64 %i
  %arg = load ptr, ptr %arg.p
{_field("kind", HEAD - 8, "i64")}
  %kind.ok = icmp eq i64 %kind, %type
  br i1 %kind.ok, label %array, label %slow

array:
{_array_fields()}
  %flags.and = and i32 %flags, {CONTIGUOUS | ALIGNED}
  %flags.ok = icmp eq i32 %flags.and, {CONTIGUOUS | ALIGNED}
  %axes.ok = icmp eq i32 %axes, 1
  %descr.ok = icmp eq i64 %descr, %dtype
  %ok.1 = and i1 %flags.ok, %axes.ok
  %ok.2 = and i1 %ok.1, %descr.ok
  br i1 %ok.2, label %length, label %slow

length:
  %length.have = load i64, ptr %dims
  %in.word = shl i64 %i, 1
  %in.at = add i64 %in.word, {FIRST}
  %want.p = getelementptr i64, ptr %table, i64 %in.at
  %want = load i64, ptr %want.p
  %length.ok = icmp eq i64 %length.have, %want
  br i1 %length.ok, label %fits, label %slow

fits:
  %data.p = getelementptr ptr, ptr %data, i64 %i
  store ptr %where, ptr %data.p
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n_in
  br i1 %i.more, label %input, label %results

results:
  %out.first.0 = shl i64 %n_in, 1
  %out.first = add i64 %out.first.0, {FIRST}
  br label %result

result:
  %o = phi i64 [0, %results], [%o.next, %keep]
  %o.word = mul i64 %o, {RESULT}
  %o.at = add i64 %o.word, %out.first
  %nd.p = getelementptr i64, ptr %table, i64 %o.at
  %nd.64 = load i64, ptr %nd.p
  %nd = trunc i64 %nd.64 to i32
  %shape.p = getelementptr i64, ptr %nd.p, i64 1
  %shape = load ptr, ptr %shape.p
"""


def _wired(before: str) -> str:
    """The table of arrays filled from %data and %made after the block `before`, and the kernel run.

    Until the kernel returns no Python code can run, so the table, which all calls share, is ours.
    """
    return f"""
wire.in:
  %a = phi i64 [0, %{before}], [%a.next, %wire.in]
  %a.word = shl i64 %a, 1
  %a.at = add i64 %a.word, {FIRST + 1}
  %a.place.p = getelementptr i64, ptr %table, i64 %a.at
  %a.place = load i64, ptr %a.place.p
  %a.slot = getelementptr i64, ptr %arrays.f, i64 %a.place
  %a.data.p = getelementptr ptr, ptr %data, i64 %a
  %a.data = load ptr, ptr %a.data.p
  store ptr %a.data, ptr %a.slot
  %a.next = add i64 %a, 1
  %a.more = icmp slt i64 %a.next, %n_in
  br i1 %a.more, label %wire.in, label %wire.out

wire.out:
  %b = phi i64 [0, %wire.in], [%b.next, %wire.out]
  %b.word = mul i64 %b, {RESULT}
  %b.at.0 = add i64 %b.word, %out.first
  %b.at = add i64 %b.at.0, 2
  %b.place.p = getelementptr i64, ptr %table, i64 %b.at
  %b.place = load i64, ptr %b.place.p
  %b.slot = getelementptr i64, ptr %arrays.f, i64 %b.place
  %b.made.p = getelementptr ptr, ptr %made, i64 %b
  %b.made = load ptr, ptr %b.made.p
  %b.data.p = getelementptr i8, ptr %b.made, i64 {HEAD}
  %b.data = load ptr, ptr %b.data.p
  store ptr %b.data, ptr %b.slot
  %b.next = add i64 %b, 1
  %b.more = icmp slt i64 %b.next, %n_out
  br i1 %b.more, label %wire.out, label %run

run:
{_word("kernel", KERNEL)}{_word("tape", TAPE)}{_word("ws", WORKSPACE)}{_word("constants", CONSTANTS)}
  %bad = call i64 %kernel.f(ptr %arrays.f, ptr %tape.f, ptr %ws.f, ptr %constants.f, i64 1)
  %finite = icmp eq i64 %bad, 0
"""


def _python(result: str) -> str:
    """The end of a builtin: unusual arguments are forwarded to the Python function."""
    return f"""
slow:
{_word("vectorcall", VECTORCALL)}{_word("callable", SLOW)}
  %{result} = call ptr %vectorcall.f(ptr %callable.f, ptr %args, i64 %nargs, ptr null)
  ret ptr %{result}
"""


# results are given one by one after the inputs, or as one tuple or record
_RESULTS_GIVEN = f"""
  %given.first = alloca ptr
  %after = getelementptr ptr, ptr %args, i64 %n_in
  store ptr %after, ptr %given.first
  %count = add i64 %n_in, %n_out
  %count.ok = icmp eq i64 %nargs, %count
  br i1 %count.ok, label %check, label %together

together:
  %last = add i64 %n_in, 1
  %last.ok = icmp eq i64 %nargs, %last
  br i1 %last.ok, label %packed, label %slow

packed:
{_word("record", RECORD)}{_word("plain", TUPLE_TYPE)}
  %pack = load ptr, ptr %after
{_field("pack.kind", HEAD - 8, "i64", "%pack")}
  %pack.record = icmp eq i64 %pack.kind, %record
  %pack.plain = icmp eq i64 %pack.kind, %plain
  %pack.ok = or i1 %pack.record, %pack.plain
  br i1 %pack.ok, label %packed.size, label %slow

packed.size:
{_field("pack.size", HEAD, "i64", "%pack")}
  %pack.items = getelementptr i8, ptr %pack, i64 {HEAD + 8}
  store ptr %pack.items, ptr %given.first
  %pack.all = icmp eq i64 %pack.size, %n_out
  br i1 %pack.all, label %check, label %slow
"""


def _one_into_ir() -> str:
    """LLVM code of the builtin on one state with given results, plain and without shared memory."""
    return f"""
define ptr @one_into(ptr %self, ptr %args, i64 %nargs) nounwind {{
{_given_states(_RESULTS_GIVEN)}
  %bytes.p = getelementptr i64, ptr %nd.p, i64 3
  %bytes = load i64, ptr %bytes.p
  %given.all = load ptr, ptr %given.first
  %given.p = getelementptr ptr, ptr %given.all, i64 %o
  %given = load ptr, ptr %given.p
{_field("given.kind", HEAD - 8, "i64", "%given")}
  %given.ok = icmp eq i64 %given.kind, %type
  br i1 %given.ok, label %given.array, label %slow

given.array:
{_field("given.data", HEAD, "i64", "%given")}{_field("given.axes", HEAD + 8, "i32", "%given")}\
{_field("given.dims", HEAD + 16, "ptr", "%given")}{_field("given.descr", HEAD + 40, "i64", "%given")}\
{_field("given.flags", HEAD + 48, "i32", "%given")}
  %given.and = and i32 %given.flags, {PLAIN}
  %given.ok.1 = icmp eq i32 %given.and, {PLAIN}
  %given.ok.2 = icmp eq i32 %given.axes, %nd
  %given.ok.3 = icmp eq i64 %given.descr, %dtype
  %given.ok.4 = and i1 %given.ok.1, %given.ok.2
  %given.ok.5 = and i1 %given.ok.3, %given.ok.4
  br i1 %given.ok.5, label %axis, label %slow

axis:
  %d = phi i64 [0, %given.array], [%d.next, %axis]
  %d.have.p = getelementptr i64, ptr %given.dims, i64 %d
  %d.have = load i64, ptr %d.have.p
  %d.want.p = getelementptr i64, ptr %shape, i64 %d
  %d.want = load i64, ptr %d.want.p
  %d.same = icmp eq i64 %d.have, %d.want
  %d.next = add i64 %d, 1
  %d.more = icmp slt i64 %d.next, %nd.64
  %d.on = and i1 %d.same, %d.more
  br i1 %d.on, label %axis, label %shaped

shaped:
  %given.end = add i64 %given.data, %bytes
  br i1 %d.same, label %apart, label %slow

apart:
  %p = phi i64 [0, %shaped], [%p.next, %apart]
  %p.data.p = getelementptr i64, ptr %data, i64 %p
  %p.data = load i64, ptr %p.data.p
  %p.word = shl i64 %p, 1
  %p.at = add i64 %p.word, {FIRST}
  %p.length.p = getelementptr i64, ptr %table, i64 %p.at
  %p.length = load i64, ptr %p.length.p
  %p.bytes = shl i64 %p.length, 3
  %p.end = add i64 %p.data, %p.bytes
  %p.below = icmp ule i64 %p.end, %given.data
  %p.above = icmp ule i64 %given.end, %p.data
  %p.ok = or i1 %p.below, %p.above
  %p.next = add i64 %p, 1
  %p.more = icmp slt i64 %p.next, %n_in
  %p.on = and i1 %p.ok, %p.more
  br i1 %p.on, label %apart, label %aside

aside:
  br i1 %p.ok, label %others, label %slow

others:
  %r = phi i64 [0, %aside], [%r.next, %other]
  %r.done = icmp sge i64 %r, %o
  br i1 %r.done, label %keep, label %other

other:
  %r.made.p = getelementptr ptr, ptr %made, i64 %r
  %r.made = load ptr, ptr %r.made.p
{_field("r.data", HEAD, "i64", "%r.made")}
  %r.word = mul i64 %r, {RESULT}
  %r.at.0 = add i64 %r.word, %out.first
  %r.at = add i64 %r.at.0, 3
  %r.bytes.p = getelementptr i64, ptr %table, i64 %r.at
  %r.bytes = load i64, ptr %r.bytes.p
  %r.end = add i64 %r.data, %r.bytes
  %r.below = icmp ule i64 %r.end, %given.data
  %r.above = icmp ule i64 %given.end, %r.data
  %r.ok = or i1 %r.below, %r.above
  %r.next = add i64 %r, 1
  br i1 %r.ok, label %others, label %slow

keep:
  %made.p = getelementptr ptr, ptr %made, i64 %o
  store ptr %given, ptr %made.p
  %o.next = add i64 %o, 1
  %o.more = icmp slt i64 %o.next, %n_out
  br i1 %o.more, label %result, label %wire.in
{_wired("keep")}
  br i1 %finite, label %done, label %slow

done:
{_word("incref", INCREF)}{_word("none", NONE)}
  call void %incref.f(ptr %none.f)
  ret ptr %none.f
{_python("other.answer")}
}}
"""


_NOTHING_GIVEN = """
  %count.ok = icmp eq i64 %nargs, %n_in
  br i1 %count.ok, label %check, label %slow
"""


def _one_state_ir() -> str:
    """LLVM code of the builtin on one state that allocates its results."""
    return f"""
define ptr @one_state(ptr %self, ptr %args, i64 %nargs) nounwind {{
{_given_states(_NOTHING_GIVEN)}
{_word("new", NEW)}
  %buffers.p = getelementptr i64, ptr %nd.p, i64 4
  %buffers = load ptr, ptr %buffers.p
  %buffers.any = icmp ne ptr %buffers, null
  br i1 %buffers.any, label %buffer, label %anew

buffer:
  %u.k = phi i64 [0, %result], [%u.k.next, %used]
  %owner.p = getelementptr ptr, ptr %buffers, i64 %u.k
  %owner = load ptr, ptr %owner.p
  %references = load i32, ptr %owner
  %unused = icmp eq i32 %references, 1
  br i1 %unused, label %reuse, label %used

used:
  %u.k.next = add i64 %u.k, 1
  %u.k.more = icmp slt i64 %u.k.next, {BUFFERS}
  br i1 %u.k.more, label %buffer, label %anew

reuse:
{_field("room", HEAD, "ptr", "%owner")}{_word("incref", INCREF)}
  %view = call ptr %new.f(ptr %type.f, i32 %nd, ptr %shape, i32 12, ptr null, ptr %room, i32 0, i32 {PLAIN}, ptr null)
  %view.bad = icmp eq ptr %view, null
  br i1 %view.bad, label %drop, label %based

based:
  call void %incref.f(ptr %owner)
  %base.p = getelementptr i8, ptr %view, i64 {HEAD + 32}
  store ptr %owner, ptr %base.p
  br label %keep

anew:
  %fresh = call ptr %new.f(ptr %type.f, i32 %nd, ptr %shape, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %fresh.bad = icmp eq ptr %fresh, null
  br i1 %fresh.bad, label %drop, label %keep

keep:
  %array.made = phi ptr [%view, %based], [%fresh, %anew]
  %made.p = getelementptr ptr, ptr %made, i64 %o
  store ptr %array.made, ptr %made.p
  %o.next = add i64 %o, 1
  %o.more = icmp slt i64 %o.next, %n_out
  br i1 %o.more, label %result, label %wire.in

{_wired("keep")}
  br i1 %finite, label %done, label %undo

done:
  %single = icmp eq i64 %n_out, 1
  br i1 %single, label %one, label %several

one:
  %first = load ptr, ptr %made
  ret ptr %first

several:
{_word("allocate", ALLOCATE)}{_word("record", RECORD)}{_word("setitem", SETITEM)}
  %all = call ptr %allocate.f(ptr %record.f, i64 %n_out)
  %all.bad = icmp eq ptr %all, null
  br i1 %all.bad, label %drop.all, label %fill

fill:
  %f = phi i64 [0, %several], [%f.next, %fill]
  %f.p = getelementptr ptr, ptr %made, i64 %f
  %f.made = load ptr, ptr %f.p
  %f.set = call i32 %setitem.f(ptr %all, i64 %f, ptr %f.made)
  %f.next = add i64 %f, 1
  %f.more = icmp slt i64 %f.next, %n_out
  br i1 %f.more, label %fill, label %full

full:
  ret ptr %all

; not finite: give the results back and let Python find out why
undo:
{_word("decref.u", DECREF)}
  br label %undoing

undoing:
  %u = phi i64 [0, %undo], [%u.next, %undoing]
  %u.p = getelementptr ptr, ptr %made, i64 %u
  %u.made = load ptr, ptr %u.p
  call void %decref.u.f(ptr %u.made)
  %u.next = add i64 %u, 1
  %u.more = icmp slt i64 %u.next, %n_out
  br i1 %u.more, label %undoing, label %slow

; no memory: drop the results made so far, the error is set
drop:
  br label %dropping

drop.all:
  br label %dropping

dropping:
  %left = phi i64 [%o, %drop], [%n_out, %drop.all], [%left.next, %dropped]
  %any = icmp sgt i64 %left, 0
  br i1 %any, label %dropped, label %failed

dropped:
{_word("decref.d", DECREF)}
  %left.next = sub i64 %left, 1
  %left.p = getelementptr ptr, ptr %made, i64 %left.next
  %left.made = load ptr, ptr %left.p
  call void %decref.d.f(ptr %left.made)
  br label %dropping

failed:
  ret ptr null
{_python("answer")}
}}
"""


BUILTINS = {"one_state": _one_state_ir, "one_into": _one_into_ir, "rows": _rows_ir}  # a module each
