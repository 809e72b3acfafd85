"""Import statements of a file, found without parsing the rest of it: hundreds of files are looked at."""

import ast
import re
import textwrap

COMMENT = re.compile(r"#[^\n]*|\\\n")  # a comment, or the end of a line that goes on
STATEMENT = re.compile(r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n(]+)|import[ \t]+\w[^\n]*)", re.M)


def imports_of(path):
    """`ast.Import` and `ast.ImportFrom` nodes, wherever they stand; also those in code that a string holds."""
    for match in STATEMENT.finditer(COMMENT.sub("", path.read_text(encoding="utf-8"))):
        try:
            nodes = ast.parse(textwrap.dedent(match.group()).strip()).body
        except SyntaxError:  # a sentence that begins like one
            continue
        yield from (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
