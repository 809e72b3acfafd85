"""Plain words: terms of a private dialect stay out of public names, messages and public docstrings."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import lissom
from lissom.later import listed

SOURCE = Path(lissom.__file__).parent
# each banned word, and what to write in its place
BANNED = {
    "led": "actuated",
    "loose": "unactuated",
    "laden": "with payload",
    "told": "given, reported; for functions describe, message or summary",
    "felt": "external load, reaction or generalized force",
    "rubbing": "friction",
    "suited": "validated, checked, supported",
    "calm": "regularised",
    "alike": "same structure, structurally equal",
    "watched": "point of interest, output frame",
    "happening": "event; EventHit for one that occurred",
    "bent": "deflected",
    "dips": "singular configurations on the path",
    "dear": "slow, expensive",
    "passing": "arguments; giving",
    "mended": "repaired, corrected",
}
_WORD = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Found(NamedTuple):
    """A banned word in a source file."""

    path: Path
    line: int
    word: str
    place: str

    def __str__(self):
        where = f"src/lissom/{self.path.relative_to(SOURCE).as_posix()}:{self.line}"
        return f"{where}: {self.word!r} in {self.place}; write: {BANNED[self.word.lower()]}"


def in_name(name):
    """Banned words among the parts of an identifier, snake_case or CamelCase."""
    return [part for part in _PART.findall(name) if part.lower() in BANNED]


def in_text(text):
    """Banned words of a text, each with the number of line breaks before it."""
    return [(match.group(), text.count("\n", 0, match.start())) for match in _WORD.finditer(text)]


@cache
def text_of(path):
    return path.read_text(encoding="utf-8")


@cache
def tree(path):
    return ast.parse(text_of(path))


@cache
def sources():
    return sorted(SOURCE.rglob("*.py"))


def home(module):
    """Path of the file that holds a module."""
    path = SOURCE.parent.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def defined(path, name):
    """[(path, name, node)] of a class or function that a file defines or imports from lissom; [] for others."""
    for node in tree(path).body:
        if getattr(node, "name", None) == name:
            return [(path, name, node)]
        ours = isinstance(node, ast.ImportFrom) and str(node.module).startswith("lissom.")
        if ours and name in [alias.asname or alias.name for alias in node.names]:
            return defined(home(node.module), name)
    return []


def public_nodes():
    """(path, name, node) of every public name, and of the lissom classes that public ones inherit from."""
    todo = []
    for name, module in listed(str(SOURCE / "__init__.py")).items():
        todo += defined(home(module), name)
    done = set()
    while todo:
        path, name, node = todo.pop()
        if name in done:
            continue
        done.add(name)
        yield path, name, node
        for base in getattr(node, "bases", ()):
            if isinstance(base, ast.Name):
                todo += defined(path, base.id)


def parameters(function):
    """Every parameter of a function, as `ast.arg`."""
    given = function.args
    single = [arg for arg in (given.vararg, given.kwarg) if arg is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *single]


def members(node):
    """(name, node) of a class's public fields, methods and properties, and of their parameters."""
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            yield item.target.id, item
        elif isinstance(item, ast.Assign):
            yield from ((target.id, item) for target in item.targets if isinstance(target, ast.Name))
        elif isinstance(item, ast.FunctionDef):
            if item.name == "__init__":
                yield from ((name, at) for name, at in attributes(item) if not name.startswith("_"))
            if not item.name.startswith("_") or item.name in ("__init__", "__call__", "__new__"):
                yield item.name, item
                yield from ((arg.arg, arg) for arg in parameters(item))


def attributes(function):
    """(name, node) of what a method stores on `self`."""
    for node in ast.walk(function):
        stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if stored and isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node.attr, node


def names():
    """(path, line, name, description) of every public name, member, parameter, command and option."""
    for path, name, node in public_nodes():
        yield path, node.lineno, name, f"public name {name}"
        if isinstance(node, ast.ClassDef):
            for member, at in members(node):
                if not member.startswith("_"):
                    yield path, at.lineno, member, f"{name}: public member or parameter {member}"
        elif isinstance(node, ast.FunctionDef):
            for arg in parameters(node):
                yield path, arg.lineno, arg.arg, f"{name}: parameter {arg.arg}"
    for path in sorted((SOURCE / "cli").rglob("*.py")):
        yield from cli_names(path)


def cli_names(path):
    """Commands and options of one file of the command line: its functions, their parameters and "--option" literals."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("--"):
            yield path, node.lineno, node.value, f"option {node.value}"
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield path, node.lineno, node.name, f"command or helper {node.name}"
            for arg in parameters(node):
                yield path, arg.lineno, arg.arg, f"{node.name}: parameter {arg.arg}"


def docstring(node):
    """The node of a docstring, or None."""
    if not isinstance(node, _Documented) or not node.body or not isinstance(node.body[0], ast.Expr):
        return None
    value = node.body[0].value
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def sentences(path):
    """(line, text) of every string literal that is no docstring: messages, statuses, help, titles, labels and legends;
    f-strings without their expressions."""
    skip = set()  # parts of nodes that come before them in the walk
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant):
            if not isinstance(node.value, str) or id(node) in skip:
                continue
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [part for part in node.values if isinstance(part, ast.Constant)]
            skip.update(map(id, parts))
            text = "{}".join(part.value for part in parts)
        else:
            skip.add(id(docstring(node)))
            continue
        yield node.lineno, text


def commands():
    """(path, line, text, name) of the docstrings of commands, which `lissom COMMAND --help` shows."""
    for path in sorted((SOURCE / "cli").rglob("*.py")):
        for node in tree(path).body:
            text = docstring(node)
            if isinstance(node, ast.FunctionDef) and text is not None:
                yield path, text.lineno, text.value, node.name


def public_docstrings():
    """(path, line, text, name) of the docstrings of public names and of their public members."""
    for path, name, node in public_nodes():
        inner = [item for item in getattr(node, "body", ()) if not getattr(item, "name", "_").startswith("_")]
        for item in [node, *(inner if isinstance(node, ast.ClassDef) else ())]:
            text = docstring(item)
            if text is not None:
                yield path, text.lineno, text.value, name if item is node else f"{name}.{item.name}"


def report(found):
    return f"{len(found)} banned words:\n" + "\n".join(map(str, sorted(found)))


def test_public_names_hold_no_banned_word():
    found = [Found(path, line, word, place) for path, line, name, place in names() for word in in_name(name)]
    assert not found, report(found)


def test_messages_hold_no_banned_word():
    found = [
        Found(path, line, word, "a message")
        for path in sources()
        if _WORD.search(text_of(path))  # most files need not be parsed
        for line, text in sentences(path)
        for word, _ in in_text(text)
    ]
    assert not found, report(found)


def test_public_docstrings_hold_no_banned_word():
    found = [
        Found(path, line + down, word, f"the docstring of {name}")
        for path, line, text, name in (*public_docstrings(), *commands())
        for word, down in in_text(text)
    ]
    assert not found, report(found)


FRAGMENT = re.compile(
    r"(Of|Those|These|That|Its|Their|Without|With|From|In|To|As|By|For|After|Before|Between|Within|At|On|It|They)\b"
)


def test_docstrings_begin_with_a_noun_or_a_verb():
    """Not with a fragment that only makes sense beside the name of the function ("Of its tape.", "In other axes.")."""
    found = []
    for path in sources():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = (ast.get_docstring(node) or "").partition("\n")[0]
                if FRAGMENT.match(first):
                    found.append(f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}: {first}")
    assert not found, "\n".join(found)


def test_scripts_of_pages_hold_no_banned_word():
    """Labels of the player in the browser."""
    scripts = sorted(SOURCE.rglob("*.js"))
    assert scripts
    found = [Found(path, down + 1, word, "a script") for path in scripts for word, down in in_text(text_of(path))]
    assert not found, report(found)


def test_the_test_sees_parts_of_names_and_f_strings():
    assert in_name("led_count") == ["led"]
    assert in_name("HTTPToldLaden2") == ["Told", "Laden"]
    assert in_name("called") == in_name("bending") == []
    assert in_text("It is\ntold, untold.") == [("told", 1)]
    public = {name for _, _, name, _ in names()}
    assert {"predict_motion", "Motion", "verify", "--version", "EventHit", "LissomError"} <= public
    texts = [text for _, text in sentences(SOURCE / "errors.py")]
    assert any("{}" in text for text in texts)
    assert len(list(public_docstrings())) > len(lissom.__all__)
    helps = "Replay the torques of the motion in a simulation."
    wanted = {helps, "deflection of link ends [mm]", "motor torque", "stalled", "infeasible", "goal"}
    some = [next(path for path in sources() if f'"{text}' in text_of(path)) for text in wanted]  # parsing takes time
    assert wanted <= {text for path in some for _, text in sentences(path)}
    assert "predict" in {name for *_, name in commands()}
