"""Keys of many parts are refused before the TOML parser, which needs the square of their number, sees them."""

import random
import time
import tomllib
import tracemalloc

import pytest

import lissom as ls
from lissom.formats import native_read
from lissom.formats.side_file import made_flexible
from lissom.formats.strict import _TOKEN, MOST_PARTS, parse
from lissom.motion.run_file import read_run_file
from lissom.motion.task_file import read_task_file
from lissom.studies.study_file import read_study_file

MANY = 200_000
LONG = ".".join("a" * MANY)
KEYS = {
    "bare": f"{LONG} = 1\n",
    "quoted": ".".join(["'a'", '"b"'] * MANY) + " = 1\n",
    "spaced": " . ".join("a" * MANY) + " = 1\n",
    "table": f"[{LONG}]\n",
    "list of tables": f"[[ {LONG} ]]\n",
    "inline": f"x = {{ {LONG} = 1 }}\n",
    "behind text": f'x = """"a.b"""""\ny = \'\'\'\'\'\'\'\n# "\n{LONG} = 1\n',
}
READERS = {
    "arm": ls.load,
    "side": lambda path: made_flexible(ls.load("two_link"), path),
    "run": read_run_file,
    "task": read_task_file,
    "study": read_study_file,
    "text of an arm in a record": lambda path: native_read.read(path, path.read_bytes(), False, False),
}


@pytest.mark.parametrize("key", KEYS)
def test_long_keys_are_refused_at_once(key):
    start = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(ls.ModelError, match=f"file:.*more than {MOST_PARTS} parts"):
            parse("file", KEYS[key].encode())
        assert tracemalloc.get_traced_memory()[1] < 30 * len(KEYS[key]) + 2**20
    finally:
        tracemalloc.stop()
    assert time.process_time() - start < 2.0


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_refuses_them(reader, tmp_path):
    (tmp_path / "file.toml").write_text(f"{LONG} = 1\n", encoding="ascii")
    with pytest.raises(ls.ModelError, match="more than 16 parts"):
        READERS[reader](tmp_path / "file.toml")


DOTS = "x." * 50
GOOD = (
    f'a = "{DOTS}"', f"a = '{DOTS}'", f"# {DOTS}", f'a = """\n{DOTS}\n"""', f"a = '''{DOTS}'x'''", f'a = "\\"{DOTS}"',
    f'a = """{DOTS}\\"""{DOTS}""""', f'"{DOTS}".b = 1', f'a = ["{DOTS}", 1.0, 2.5e-3]', "a" + ".a" * 15 + "= 1",
    f"a = '''\n''{DOTS}'''''\nb = 1", "a = 07:32:00.99",
)  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_dots_in_text_and_comments_do_not_count(text):
    assert parse("file", text.encode())[1] == tomllib.loads(text)


def test_every_text_is_scanned_to_its_end():
    """Whatever stands there, closed or not, something takes it: the scan neither stops nor goes back."""
    pieces = ["a", ".", '"', "'", "\\", "\n", "#", " ", "=", '"""', "'''", "1", "é", "[", "}"]
    chosen = random.Random(1)
    for _ in range(3000):
        text = "".join(chosen.choices(pieces, k=chosen.randint(0, 60)))
        ends = [0]
        for found in _TOKEN.finditer(text):
            assert found.start() == ends[-1]
            ends.append(found.end())
        assert ends[-1] == len(text)


def test_words_without_quotes_are_named():
    with pytest.raises(ls.ModelError, match=r'text needs quotes: arm = "so101\.urdf"'):
        parse("task.toml", b"title = 'x'\narm = so101.urdf\n")
