"""The errata as formulas.

The page has its equations in plain letters, which the tests compare with their own and which can be read as they are.
On the site ``Wdd_{j-1}^T p*_j`` becomes a formula, and the test of a row a note below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

PAGE = "errata"
BOOK = "## Book 1983"  # whose dA is a time derivative; elsewhere it is a derivative by a coordinate
LETTERS = {"eps": r"\epsilon", "th": r"\theta", "w": r"\omega"} | {
    word: rf"\{word}" for word in ("Phi", "phi", "sigma", "gamma", "beta", "delta", "tau", "mu")
}
WORDS = {"sum": r"\sum", "int": r"\int", "tr": r"\mathrm{tr}", "Tr": r"\mathrm{tr}", "skew": r"\mathrm{skew}",
         "EI": "EI", "MD": "MD", "dx": r"\,dx", "dm": r"\,dm"}  # fmt: skip
SIGNS = {"...": r"\ldots", "<=": r"\le", "1/2": r"\frac{1}{2}", "d2/dt2": r"\frac{d^2}{dt^2}", "x ": r"\times",
         ". ": r"\cdot"}  # fmt: skip
INDEX = r"\{[^{}]*\}|[a-z0-9]+(?:,e)?|[A-Z]"
SYMBOL = re.compile(
    r"(?P<frame>\{[^{}]*\}(?=[A-Z])|[ijh](?=[A-Z]|p_)|j_(?=r_))?(?P<slope>dd?(?=[A-Zpw]))?"
    rf"(?P<letter>{'|'.join(sorted(LETTERS, key=len, reverse=True))}|[A-Za-z])(?P<hat>hat)?(?P<dots>dd?)?"
    rf"(?P<marks>[*~']*)(?:\^(?P<power>j))?(?:_(?P<low>{INDEX}))?(?:\^(?P<high>[A-Za-z0-9]))?(?![A-Za-z0-9_~'*])"
)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
HEAD = re.compile(r"^\| equation \| as it reads \| should be \| test \|\n\|---\|---\|---\|---\|$", re.MULTILINE)
ROW = re.compile(r"^(\|.+?) \| `(tests/[^`|]+)` \|$", re.MULTILINE)


def symbol(found: re.Match[str], rates: bool) -> str:
    """A letter with all that is around it."""
    made = LETTERS.get(found["letter"], found["letter"])
    for accent, has in ((r"\hat", found["hat"]), (r"\tilde", "~" in found["marks"])):
        made = f"{accent}{{{made}}}" if has else made
    dots = found["dots"] or (found["slope"] if rates or found["letter"] == "w" else None)
    if dots:
        made = rf"\{'d' * (len(dots) - 1)}dot{{{made}}}"
    elif found["slope"]:
        made = rf"\partial {made}"
    above = found["marks"].replace("~", "").replace("'", r"\prime ") + (found["power"] or "") + (found["high"] or "")
    low = (found["low"] or "").strip("{}")
    low = rf"\mathrm{{{low}}}" if low in ("parent", "child") else low
    frame = rf"\,{{}}^{{{found['frame'].strip('{}_')}}}" if found["frame"] else ""
    return frame + made + (f"_{{{low}}}" if low else "") + (f"^{{{above}}}" if above else "")


def ratio(found: re.Match[str], rates: bool) -> str:
    top, bottom = formula(found["top"], rates), formula(found["bottom"], rates)
    return rf"\frac{{\partial {top}}}{{\partial {bottom}}}"


RULES: list[tuple[re.Pattern[str], Callable[[re.Match[str], bool], str]]] = [  # the first that fits is taken
    (re.compile(rf"({'|'.join(WORDS)})(?![A-Za-z0-9])(_\w)?"), lambda found, _: WORDS[found[1]] + (found[2] or "")),
    (re.compile("|".join(map(re.escape, SIGNS))), lambda found, _: SIGNS[found[0]]),
    (re.compile(r"d ?(?P<top>\([^()]*\)|[A-Za-z][^\s/()]*)/d ?(?P<bottom>[a-z]+(?:_\w)?)(?!\w)"), ratio),
    (SYMBOL, symbol),
    (re.compile(r"[{}]"), lambda found, _: f"\\{found[0]}"),
    (re.compile(r"(?<=\d) +(?=\d)"), lambda *_: r"\;"),  # entries of a vector
    (re.compile(r"( +|[-+=()\[\],;/]|\d+)([_^]\w)?"), lambda found, _: found[0]),
]


def formula(text: str, rates: bool = False) -> str | None:
    """LaTeX of an equation in plain letters, None for spans that are code; `rates`: ``dA`` is a time derivative."""
    made, at = [], 0
    while at < len(text):
        found = next(((rule, write) for pattern, write in RULES if (rule := pattern.match(text, at))), None)
        if found is None:
            return None
        made.append(found[1](found[0], rates))
        at = found[0].end()
    return " ".join(" ".join(made).split())


def formulas(text: str, rates: bool) -> str:
    """A part of the page with formulas; links and code stay."""

    def put(span: re.Match[str]) -> str:
        made = None if span.string[span.start() - 1] == "[" else formula(span[1], rates)
        return span[0] if made is None else f"${made}$"

    return SPAN.sub(put, text)


def page(text: str) -> str:
    """The page of the site."""
    text = HEAD.sub("| equation | as it reads | should be |\n|---|---|---|", text)
    text = ROW.sub(r'\1 <br><small class="test">test `\2`</small> |', text)
    before, book, rest = text.partition(BOOK)
    own, heading, after = rest.partition("\n## ")
    return formulas(before, False) + book + formulas(own, True) + heading + formulas(after, False)


def fill(app, docname: str, source: list[str]) -> None:
    if docname == PAGE:
        source[0] = page(source[0])


def setup(app) -> dict[str, bool]:
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
