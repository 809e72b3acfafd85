"""The engine without robots: graphs, lanes, tails, tapes, other targets."""

import numpy as np
import pytest

from lissom.engine import compile as compiler, pieces, straight, tape
from lissom.engine.cache import joined
from lissom.engine.derive import OPERATIONS
from lissom.engine.graph import evaluated, fused
from lissom.engine.ir import ANGLES, Lanes
from lissom.engine.kernel import graph_of, straight_kernel, tape_kernel
from lissom.engine.program import Inline, Plain
from lissom.engine.record import Recorder
from lissom.engine.step import Step
from lissom.spatial.scalar import cos, sign, sin

LARGEST = ANGLES[64].largest
ROWS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 64, 131]


def _mix(a, b, K):
    """Every operation the engine knows, with results that are inputs and constants too."""
    return [
        [sin(a[0]) * b[0] + K[0] * cos(a[0]), a[1] / b[1] - K[1] * a[2], sign(b[0]) * a[1], a[2], 0 * a[0] + 2.5],
        [b[0] * b[0] - b[1] * a[0], -(a[0] + a[0])],
    ]


MIX = Step("mix", _mix, (3, 2), (5, 2), 2)
JOIN = Step("join", lambda a: [[a[0] + a[1], a[0] - a[1]]], (2,), (2,))


def example(run):
    x, y = run.input(3), run.input(2)
    u, v = run.apply(MIX, x, y, constants=(1.5, -2.25))
    w, _ = run.apply(MIX, u[0:3], v, constants=(0.5, 3.0))
    run.output(w, v, y[1:2])
    run.output(run.apply(JOIN, u[3:5]))


STEPS = (MIX, JOIN)
SIZES = (3, 2), (8, 2)


def straight_example(key="example"):
    return straight_kernel(key, *SIZES, lambda: graph_of(example))


def inputs(rows, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(rows, n)) for n in SIZES[0]]


def plainly(program, arrays):
    run = Plain(arrays)
    program(run)
    rows = len(arrays[0])
    return [np.stack([np.broadcast_to(v, (rows,)) for v in vector], axis=-1) for vector in run.outputs]


def run(kernel, arrays, threads=1):
    out = [np.full((len(arrays[0]), n), np.nan) for n in kernel.outputs]
    assert kernel.run(arrays, out, threads)
    return out


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("make", [straight_example, lambda: tape_kernel("example", *SIZES, STEPS, example)])
def test_any_number_of_rows(make, rows):
    kernel, arrays = make(), inputs(rows)
    assert kernel.inputs == SIZES[0]
    assert kernel.outputs == SIZES[1]
    for got, want in zip(run(kernel, arrays), plainly(example, arrays), strict=True):
        # one fused rounding for two, a few operations deep
        assert np.allclose(got, want, rtol=1e-13, atol=1e-13)


def test_straight_and_tape_are_the_same_bits():
    arrays = inputs(50)
    ways = [run(kernel, arrays) for kernel in (straight_example(), tape_kernel("example", *SIZES, STEPS, example))]
    for a, b in zip(*ways, strict=True):
        assert np.array_equal(a, b)


def test_strided_and_repeated_rows():
    x, y = inputs(12)
    wide = np.zeros((24, 7))
    wide[::2, 2:5] = x
    once = y[:1]
    for kernel in (straight_example(), tape_kernel("example", *SIZES, STEPS, example)):
        got = run(kernel, [wide[::2, 2:5], np.broadcast_to(once, (12, 2))])
        want = run(kernel, [x, np.repeat(once, 12, axis=0)])
        assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))


def test_outputs_may_have_gaps():
    x, y = inputs(9)
    kernel = straight_example()
    room = np.zeros((18, 11))
    parts = [room[::2, 1:9], room[::2, 9:11]]
    assert kernel.run([x, y], parts, 1)
    assert np.array_equal(parts[0], run(kernel, [x, y])[0])
    assert not room[1::2].any()
    assert not room[:, 0].any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("rows", [1, 3, 4, 6])
def test_everything_not_finite_is_noticed(value, rows):
    """Also in an input that no output uses, and in the last lane of a tail."""
    for kernel in (straight_example(), tape_kernel("example", *SIZES, STEPS, example), unused_input()):
        for k in range(len(kernel.inputs)):
            arrays = [np.ones((rows, n)) for n in kernel.inputs]
            out = [np.zeros((rows, n)) for n in kernel.outputs]
            assert kernel.run(arrays, out, 1)
            arrays[k][-1, -1] = value
            assert not kernel.run(arrays, out, 1)
    overflow = [np.full((rows, n), 1e200) for n in SIZES[0]]
    assert not straight_example().run(overflow, [np.zeros((rows, n)) for n in SIZES[1]], 1)


def unused_input():
    def program(run):
        x, _ = run.input(2), run.input(3)
        run.output(x)

    return straight_kernel("unused", (2, 3), (2,), lambda: graph_of(program))


@pytest.mark.parametrize("fma", [True, False])
def test_sine_and_cosine_to_two_ulp(fma):
    """Against extended precision, also next to multiples of pi/2 where half the digits cancel."""

    def program(run):
        x = run.input(1)
        run.output([sin(x[0]), cos(x[0])])

    code = compiler.object_code(straight.kernel_ir(graph_of(program), Lanes(4, fma)))
    call = compiler_call(code)
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(-1, 1, 20_000) * LARGEST, rng.uniform(-8, 8, 20_000),
                        np.arange(-20_000, 20_000) * np.pi / 2, [0.0, -0.0, 1e-300, LARGEST]])  # fmt: skip
    out = np.zeros((len(x), 2))
    assert call(x[:, None], out) == 0
    exact = x.astype(np.longdouble)
    for k, function in enumerate((np.sin, np.cos)):
        want = function(exact)
        ulp = np.spacing(np.abs(want.astype(float)))
        assert (np.abs(out[:, k] - want) / ulp).max() <= 2.0


@pytest.mark.parametrize("fma", [True, False])
def test_sine_and_cosine_in_single_precision_to_two_ulp(fma):
    """Next to multiples of pi/2 a machine without fused arithmetic loses some 1e-11, far below the rounding of 1."""

    def program(run):
        x = run.input(1)
        run.output([sin(x[0]), cos(x[0])])

    call = compiler_call(compiler.object_code(straight.kernel_ir(graph_of(program), Lanes(8, fma, 32))))
    rng, largest = np.random.default_rng(1), ANGLES[32].largest
    x = np.concatenate([rng.uniform(-1, 1, 20_000) * largest, rng.uniform(-8, 8, 20_000),
                        np.arange(-6_000, 6_000) * np.pi / 2, [0.0, -0.0, 1e-30, largest]])  # fmt: skip
    x = x.astype(np.float32)
    out = np.zeros((len(x), 2), np.float32)
    assert call(x[:, None], out) == 0
    for k, function in enumerate((np.sin, np.cos)):
        want = function(x.astype(float))
        ulp = np.spacing(np.abs(want).astype(np.float32))
        assert (np.abs(out[:, k] - want) - 2.0 * ulp).max() <= (0.0 if fma else 5e-11)
    assert call(np.full((8, 1), 2 * largest, np.float32), out) != 0


def compiler_call(code):
    """Call a straight-line kernel with one input and one output directly."""
    from lissom.engine.compile import Loaded
    from lissom.engine.kernel import PROTOTYPE

    loaded = Loaded(code)
    function = PROTOTYPE(loaded.address("kernel"))

    def call(x, out):
        table = np.array([x.ctypes.data, x.strides[0], out.ctypes.data, out.strides[0]], np.int64)
        return function(table.ctypes.data, None, None, None, len(x)) + 0 * len(repr(loaded))

    return call


def test_angles_beyond_the_range_are_flagged_not_wrong():
    def program(run):
        x = run.input(1)
        run.output([sin(x[0])])

    kernel = straight_kernel("large", (1,), (1,), lambda: graph_of(program))
    out = np.zeros((1, 1))
    assert not kernel.run([np.array([[2 * LARGEST]])], [out], 1)
    assert np.isnan(out).all()


def test_fused_graphs_compute_the_same():
    run = Inline()
    example(run)
    plain, short = run.graph(fuse=False), run.graph(fuse=True)
    assert any(node.op in ("fma", "fms", "fnma") for node in short.nodes)
    assert len(short.nodes) < len(plain.nodes)
    assert fused(short) == short
    operations = OPERATIONS | {
        "fma": lambda a, b, c: a * b + c, "fms": lambda a, b, c: a * b - c, "fnma": lambda a, b, c: c - a * b,
    }  # fmt: skip
    arrays = [x.T for x in inputs(5)]
    for a, b in zip(evaluated(plain, arrays, operations), evaluated(short, arrays, operations), strict=True):
        assert all(np.array_equal(np.broadcast_to(x, 5), np.broadcast_to(y, 5)) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(
    ("triple", "cpu", "features", "width"),
    [
        ("aarch64-unknown-linux-gnu", "cortex-a76", "", 4),
        ("arm64-apple-darwin", "apple-m1", "", 4),
        ("x86_64-pc-windows-msvc", "haswell", "", 4),
        ("x86_64-unknown-linux-gnu", "skylake-avx512", "", 8),
        ("x86_64-unknown-linux-gnu", "skylake-avx512", "", 4),
        ("x86_64-unknown-linux-gnu", "x86-64", "", 2),
    ],
)
def test_other_machines_compile(triple, cpu, features, width):
    """Code for other processors and widths is generated (and not run here)."""
    lanes = Lanes(width, fma=cpu != "x86-64")
    text = straight.kernel_ir(graph_of(example), lanes)
    assert len(compiler.object_code(text, triple, cpu, features)) > 500
    steps = [tape.object_ir(some, lanes) for some in tape.objects(STEPS, width)]
    together = joined([tape.shell(lanes, tape.rows_ir), *steps])
    assert len(compiler.object_code(together, triple, cpu, features)) > 500
    assert len(compiler.object_code(pieces.module_ir(graph_of(example), lanes), triple, cpu, features)) > 500


def test_the_ir_can_be_read():
    text = straight.kernel_ir(graph_of(example), Lanes(4, True))
    assert "define i64 @kernel" in text
    assert "<4 x double>" in text
    assert "fast" not in text
    assert "contract" not in text


@pytest.mark.parametrize(
    ("lanes", "aligned"), [(Lanes(4, True), True), (Lanes(8, True, 32), True), (Lanes(1, True), False)]
)
def test_the_stack_of_vectors_starts_with_a_cache_line(lanes, aligned):
    """Without it a batch takes up to a quarter longer at some depths of the stack; one state has no use for it."""
    assert ("nounwind alignstack(64) {" in straight.kernel_ir(graph_of(example), lanes)) == aligned


def test_threads_share_a_kernel():
    from concurrent.futures import ThreadPoolExecutor

    kernel = tape_kernel("example", *SIZES, STEPS, example)
    work = [inputs(97, seed) for seed in range(16)]
    want = [run(kernel, arrays) for arrays in work]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            got = list(pool.map(lambda arrays: run(kernel, arrays), work))
            for a, b in zip(got, want, strict=True):
                assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def long_example(run):
    """Chains that cross many pieces; outputs that are inputs, constants and values of early pieces."""
    x, y = run.input(3), run.input(2)
    keep = []
    for k in range(60):
        u, v = run.apply(MIX, x[0:3], y, constants=(0.1 * k, -0.3))
        x, y = run.apply(JOIN, u[0:2]) + x[2:3], run.apply(JOIN, v)
        x, y = [sin(value) for value in x], [2 + sin(value) for value in y]
        keep += [u[2], u[4], x[0]]
    run.output(keep, y, x[2:3])


@pytest.mark.parametrize("length", [pytest.param(7, marks=pytest.mark.slow), 100, 500])
@pytest.mark.some(1)
def test_long_graphs_in_pieces_are_the_same_bits(length, monkeypatch):
    graph, sizes = graph_of(long_example), ((3, 2), (183,))
    whole = straight_kernel("long", *sizes, lambda: graph)
    monkeypatch.setattr(pieces, "WHOLE", 0)
    monkeypatch.setattr(pieces, "LENGTH", length)
    parted = straight_kernel(f"long in {length}", *sizes, lambda: graph)
    assert len(pieces.cut(graph)[0]) == -(-len(graph.nodes) // length)
    for rows in (1, 3, 4, 9):
        (a,), (b,) = (run(kernel, inputs(rows)) for kernel in (whole, parted))
        assert np.array_equal(a, b)


def test_pieces_use_slots_again():
    graph = graph_of(long_example)
    found, slots = pieces.cut(graph, 50)
    crossing = sum(len(piece.stores) for piece in found) - 183
    assert slots - 5 - 183 < crossing / 3


TIMES = Step("times", lambda a, b: [[a[0] * b[0] + a[1], a[1] - b[1]]], (2, 2), (2,), paired=True)
PARENTS = [-1, 0, 1, 2, 0, 4, 5, 6, 7, 8, -1, 10]


def pairing(run):
    x, y = run.input(24), run.input(24)
    items, shared = ([v[2 * k : 2 * k + 2] for k in range(12)] for v in (x, y))
    found = run.pairs(TIMES, PARENTS, items, shared)
    assert set(found) == {(i, j) for j in range(12) for i in ancestors(j)}
    for key in sorted(found):
        run.output(found[key])


def ancestors(j):
    return [] if j < 0 else [j, *ancestors(PARENTS[j])]


def test_pairs_along_paths():
    """Groups of items in four lanes, items side by side in one lane: the same numbers, bit for bit."""
    kernel = tape_kernel("pairing", (24, 24), [2] * sum(len(ancestors(j)) for j in range(12)), [TIMES], pairing)
    arrays = list(np.random.default_rng(4).normal(size=(2, 9, 24)))
    batch = run(kernel, arrays)
    for got, want in zip(batch, plainly(pairing, arrays), strict=True):
        assert np.allclose(got, want, rtol=1e-14, atol=1e-14)
    for k in range(9):
        alone = run(kernel, [x[k : k + 1] for x in arrays])
        assert all(np.array_equal(a[0], b[k]) for a, b in zip(alone, batch, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_slots_used_again_change_nothing(seed):
    """Random programs: values used late, once, never, in slices, and as outputs."""

    def program(run):
        rng = np.random.default_rng(seed)
        values = [run.input(3), run.input(2), run.constant([0.5, -1.5])]
        for _ in range(40):
            twos = [v for v in values if len(v) == 2] + [v[1:3] for v in values if len(v) >= 3]
            threes = [v[0:3] for v in values if len(v) >= 3]
            if rng.random() < 0.5:
                pick = (threes[rng.integers(len(threes))], twos[rng.integers(len(twos))])
                values += [*run.apply(MIX, *pick, constants=(0.1, 0.2))]
            else:
                values.append(run.apply(JOIN, twos[rng.integers(len(twos))]))
            if rng.random() < 0.3:
                del values[rng.integers(len(values))]
        run.output(*(values[k] for k in rng.integers(0, len(values), 4)))

    whole, short = Recorder(4), Recorder(4)
    program(whole)
    program(short)
    whole, short = whole.tape(reuse=False), short.tape()
    assert short.slots < whole.slots
    arrays, steps = inputs(3), {step.name: step for step in STEPS}
    results = []
    for recorded in (whole, short):
        plain = Plain(arrays)
        with np.errstate(all="ignore"):
            plain.play(recorded, steps)
        results.append([np.broadcast_to(v, (3,)) for v in plain.outputs[0]])
    assert np.array_equal(*results, equal_nan=True)


def test_recorder_refuses_operands_in_pieces():
    recorder = Recorder(4)
    x = recorder.input(4)
    with pytest.raises(ValueError, match="in a row"):
        recorder.apply(JOIN, x[0:1] + x[2:3])
    with pytest.raises(ValueError, match="constants"):
        recorder.apply(MIX, x[0:3], x[1:3], constants=(1.0,))
