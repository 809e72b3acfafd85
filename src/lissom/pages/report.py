"""The report of an arm, a run or a motion: everything about it on one page."""

from __future__ import annotations

import os
import re
import shlex
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Never

import numpy as np

from lissom.errors import InputError, LissomError, SolveError, shown
from lissom.formats.files import check_writable, read_bytes, write_text
from lissom.formats.kinds import kind_of
from lissom.formats.load import load
from lissom.formats.native_write import write
from lissom.formats.strict import parse
from lissom.gait.report import GaitReport
from lissom.identification.result.identification import Identification
from lissom.keywords import check_keywords, without_unknown
from lissom.listing import Listing
from lissom.markup import Markup, folded, paragraphs, tag
from lissom.model.arm import Arm
from lissom.model.describe import to_html as arm_words
from lissom.motion.result import overview as of_motion
from lissom.motion.result.files.read import load_record
from lissom.motion.result.motion import Motion
from lissom.motion.run_file import read_run_file
from lissom.motion.task.tracked_path import TrackedPath
from lissom.motion.task_file import read_task_file
from lissom.pages.gait import gait_page
from lissom.pages.identification import identification_page
from lissom.pages.page import Section, page, picture, verbatim
from lissom.simulation import overview as of_run
from lissom.simulation.run import Run
from lissom.simulation.simulate import simulate
from lissom.verbs.assembly import assemble, loop_findings
from lissom.verbs.inertia_findings import inertia_findings
from lissom.verbs.modes import modes
from lissom.versions import versions
from lissom.views.plots.plot import plot
from lissom.views.scene.draw import draw
from lissom.views.viewer.viewer import embedded
from lissom.views.web.web_page import GENERATOR

MOST_MODES = 6
MESHES = re.compile(r" \(not in .*?\); give the folder .*? \(--meshes\)")  # of this machine, and options of `view`
RUNS = (".nc", ".csv", ".parquet")
CAPTIONS = {
    "torques": "Torques and forces of the motors over time, with their limits.",
    "joints": "Positions, rates and accelerations of the joints over time.",
    "deflection": "Deflection of the end of each flexible link over time, relative to the undeflected link.",
    "residual": "Vibration of the tip after the motion has ended, compared with other plans of the same task.",
    "convergence": "Cost, constraint violation and optimality error at each iteration of the solver.",
    "motion": "Positions, rates and torques over time.",
    "tip": "Path and speed of the tip.",
    "energy": "Kinetic and potential energy, the work that was done, and the error of the energy balance.",
    "draw": "The arm in its home position.",
    "locked": "The lowest modes with locked joints: the arm moved by each mode to both sides of its rest (grey).",
    "free": "The lowest modes with free joints: the arm moved by each mode to both sides of its rest (grey). "
    "Overdamped modes return to rest without vibration.",
}


class Subject(NamedTuple):
    """What a report is about: an arm, and maybe a run or a motion of it; what it came from: a file with its text, or
    the name of a shipped arm."""

    arm: Arm
    result: Run | Motion | None = None
    source: str = ""
    text: str = ""
    words: Callable[[str], str] = str  # advice as the reader needs it

    def paragraphs(self, lines: Iterable[str]) -> Markup:
        """Return a paragraph for every sentence, with advice in the reader's words."""
        return paragraphs([self.words(line) for line in lines])

    @property
    def failed(self) -> str:
        """Why the motion or run failed; empty if it is ok, or there is none."""
        return "" if self.result is None or self.result.ok else self.result.status


@without_unknown
def write_report(
    what: Arm | Run | Motion | Identification | GaitReport | str | os.PathLike[str],
    into: str | os.PathLike[str] | None = None,
    *,
    verify: bool = True,
    progress: bool | None = None,
    **unknown: Never,
) -> Path:
    """Write a self-contained HTML report of an arm, run, motion, identification or walk: tables, checks, figures.

    Parameters
    ----------
    what : Arm, Run, Motion, Identification or GaitReport     what the report is about
        or str                    the name of a shipped arm, or a file: an arm (``.toml``, ``.urdf``, ``.xml``), a task
                                  (its motion is predicted), a run file (it is simulated), a saved run or motion
    into : path or None           the file, ``.html``; default: named after what it is about, in the working directory
    verify : bool                 replay a motion's torques in a simulation, and report the error
    progress : bool               show the progress of predicting or simulating; default: where it takes long

    Returns
    -------
    Path
        the file that was written; it needs no other files and no network

    Raises
    ------
    SolveError
        if no motion was found for a task, or the run of a run file failed; the report is written all the same

    Examples
    --------
    >>> import lissom as ls, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = ls.write_report("two_link_flexible", pathlib.Path(folder) / "arm.html")
    ...     path.name, "frequency Hz" in path.read_text()
    ('arm.html', True)
    """
    check_keywords(write_report, unknown)
    return written_report(what, into, verify=verify, progress=progress)


def written_report(
    what: Any, into: Any, *, verify: bool, progress: bool | None, words: Callable[[str], str] = str
) -> Path:
    """See `write_report`; `words` makes advice for Python advice for those who ask elsewhere."""
    if into is not None and not isinstance(into, str | os.PathLike):
        raise InputError(f"write_report: into is {shown(into)}; expected a path that ends in .html.")
    target = None if into is None else _refuse_unwritable(Path(into))
    if isinstance(what, Identification):
        target = target or _refuse_foreign(Path(f"{_plain_name(what.arm)}_identification.html"))
        write_text(target, identification_page(what))
        return target
    if isinstance(what, GaitReport):
        target = target or _refuse_foreign(Path(f"{_plain_name(what.samples.arm)}_gait.html"))
        write_text(target, gait_page(what))
        return target
    if target is None and isinstance(what, str | os.PathLike):
        target = _refuse_foreign(Path(f"{Path(what).stem}.html"))
    subject = _subject(what, progress)._replace(words=words)
    target = target or _refuse_foreign(Path(f"{_stem(subject)}.html"))
    write_text(target, report_page(subject, target, verify))
    if subject.text and subject.failed:
        raise SolveError(f"write_report: {subject.failed}; the report is in {target}.")
    return target


def _refuse_foreign(target: Path) -> Path:
    """Raise an error where a default file name would overwrite a file that is not a report."""
    if os.path.exists(target) and GENERATOR not in read_bytes(target).decode("utf-8", "replace"):
        raise InputError(f"write_report: {target} exists and is not a report; give another file name with `into`.")
    return _refuse_unwritable(target)


def _refuse_unwritable(target: Path) -> Path:
    if os.path.isdir(target):
        raise InputError(f"write_report: {target} is a folder; give a file name that ends in .html.")
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"write_report: {target} does not end in .html; a report is an HTML page.")
    check_writable(target, "write_report: ")
    return target


def _stem(subject: Subject) -> str:
    kind = {Motion: "_motion", Run: "_run"}.get(type(subject.result), "")
    return _plain_name(subject.arm) + kind


def _plain_name(arm: Arm) -> str:
    """The name of an arm, as part of a file name."""
    return arm.name.replace("/", "_").replace(" ", "_")


# ---- what the report is about -------------------------------------------------------------------


def _subject(what: Any, progress: bool | None) -> Subject:
    if isinstance(what, Arm):
        return Subject(what)
    if isinstance(what, Run | Motion):
        return Subject(what.arm, what)
    if not isinstance(what, str | os.PathLike):
        raise InputError(
            f"write_report: got {shown(what)}; expected an Arm, Run, Motion, Identification, GaitReport, a shipped "
            "arm's name or a file."
        )
    path = Path(what)
    if path.suffix.lower() in RUNS:
        result = load_record(path)
        return Subject(result.arm, result, str(path))
    if path.suffix.lower() == ".toml" and os.path.isfile(path):
        return _of_toml(path, progress)
    return Subject(load(what), None, str(what))


def contains_arm(what: str) -> bool:
    """Whether a file is a record, a task or a run file, which have an arm of their own."""
    path = Path(what)
    if path.suffix.lower() in RUNS:
        return True
    if path.suffix.lower() != ".toml" or not os.path.isfile(path):
        return False
    return kind_of(parse(str(path), read_bytes(path))[1]) in ("task", "run")


def _of_toml(path: Path, progress: bool | None) -> Subject:
    """Read an arm, a task or a run file, recognised by its keys."""
    text, document = parse(str(path), read_bytes(path))
    kind = kind_of(document)
    if kind == "task":
        asked = read_task_file(path)
        return Subject(asked.arm, asked.planned(on_failure="return", progress=progress), str(path), text)
    if kind == "run":
        given = read_run_file(path)
        arguments = given.arguments | {"on_failure": "return"}
        return Subject(given.arm, simulate(given.arm, **arguments, progress=progress), str(path), text)
    return Subject(load(path), None, str(path), text)


# ---- its page -----------------------------------------------------------------------------------


def report_page(subject: Subject, target: Path, verify: bool) -> str:
    """Return the page as HTML text."""
    sections = []
    if isinstance(subject.result, Motion):
        sections += [*_motion(subject, subject.result, verify)]
    elif subject.result is not None:
        sections += [*_run(subject, subject.result)]
    sections += [*_arm(subject.arm, subject.result is None), _again(subject, target, verify)]
    kind = {Motion: "Motion of ", Run: "Run of "}.get(type(subject.result), "")
    return page(f"{kind}{subject.arm.name}", _lead(subject), sections)


def _lead(subject: Subject) -> str:
    if isinstance(subject.result, Motion):
        return of_motion.headline(subject.result)
    if subject.result is not None:
        return subject.result.status
    return f"{len(subject.arm.links)} links, {subject.arm.dof} coordinates, {subject.arm.mass:.4g} kg"


def _motion(subject: Subject, motion: Motion, verify: bool) -> Iterator[Section]:
    kinds = ["torques", "joints", *(["deflection"] if motion.arm.mode_index.size else [])]
    kinds += ["residual"] if motion.compared is not None else []
    compared = Markup("") if motion.compared is None else motion.compared.listing().html()
    figures = "".join(picture(plot(motion, kind), CAPTIONS[kind]) for kind in kinds)
    table = Markup(of_motion.listing(motion).html() + subject.paragraphs(motion.notes))
    yield Section("Motion", Markup(_scene(motion.arm, motion) + table + compared + figures))
    found = subject.paragraphs(motion.report.describe().splitlines())
    if verify:
        found = Markup(found + tag("h3", "Verification by simulation"))
        found = Markup(found + subject.paragraphs(motion.verify().describe().splitlines()))
    yield Section("Checks", Markup(found + picture(plot(motion, "convergence"), CAPTIONS["convergence"])))


def _run(subject: Subject, run: Run) -> Iterator[Section]:
    figures = "".join(picture(plot(run, kind), CAPTIONS[kind]) for kind in ("motion", "tip"))
    yield Section("Run", Markup(_scene(run.arm, run) + of_run.listing(run).html() + figures))
    yield Section(
        "Checks", Markup(subject.paragraphs(of_run.audit(run)) + picture(plot(run, "energy"), CAPTIONS["energy"]))
    )


def _scene(arm: Arm, record: Run | Motion | None = None) -> Markup:
    """Return the player; nothing where a failed record has no valid states."""
    with warnings.catch_warnings(record=True) as found:  # missing meshes
        warnings.simplefilter("always", UserWarning)
        try:
            shown = embedded(arm, record)
        except (InputError, ValueError):
            return Markup("")
    return Markup(shown + paragraphs([MESHES.sub("", str(one.message)) for one in found]))


def _arm(arm: Arm, alone: bool) -> Iterator[Section]:
    """Yield what is known of an arm; in 3-D where no record shows it already."""
    state = _home(arm)
    shown = _scene(arm) if alone else picture(draw(arm, state), CAPTIONS["draw"])
    yield Section("Arm", Markup(shown + arm_words(arm)))
    yield Section("Modes", _modes(arm, state))
    findings = [*arm.check(), *loop_findings(arm), *inertia_findings(arm)]
    paragraphs = [tag("p", str(finding), kind=finding.level) for finding in findings]
    yield Section("Plausibility", Markup("".join(paragraphs) or tag("p", "No issues found.")))


def _home(arm: Arm) -> Any:
    """Return the home position with loops closed; open where they cannot close, which the plausibility section says."""
    try:
        return assemble(arm).q if arm.loops else arm.home
    except SolveError:
        return arm.home


def _modes(arm: Arm, state: Any) -> Markup:
    """Return tables and figures of the modes with joints locked and free."""
    parts = []
    for joints in ("locked", "free"):
        if joints == "locked" and arm.actuated.all():
            parts.append(tag("p", "Joints locked: no vibration modes, since the arm has no elastic parts."))
            continue
        try:
            found = modes(arm, state, joints=joints, count=MOST_MODES)
        except LissomError as error:
            parts.append(tag("p", f"Joints {joints}: {error}"))
            continue
        if not len(found.frequencies_hz):
            parts.append(tag("p", f"Joints {joints}: no vibration modes."))
            continue
        parts.append(found.listing()._replace(title=f"joints {joints}").html())
        parts.append(picture(plot(found), CAPTIONS[joints]))
    return Markup("".join(parts))


def _again(subject: Subject, target: Path, verify: bool) -> Section:
    """Return the section with the command, the input files and the versions."""
    parts = [verbatim(_command(subject, target, verify))]
    if isinstance(subject.result, Motion) and not subject.text:
        parts.append(verbatim(_search(subject.result, subject.source)))
    if isinstance(subject.result, Run):
        parts.append(_made(subject.result))
    if subject.text:
        parts.append(folded(f"the file {subject.source}", verbatim(subject.text)))
    parts.append(folded("the arm, in the native format", verbatim(write(subject.arm))))
    rows = [*versions().items(), ("fingerprint of the arm", subject.arm.digest)]
    parts.append(Listing.of(("made with", ""), rows).html())
    return Section("How to reproduce this report", Markup("".join(parts)))


def _command(subject: Subject, target: Path, verify: bool) -> str:
    """Return the command that makes the report again, or Python code if there was no file."""
    if subject.source:
        option = "" if verify or not isinstance(subject.result, Motion) else " --no-verify"
        return f"lissom report {shlex.quote(subject.source)} --output {shlex.quote(str(target))}{option}"
    if subject.result is None:
        return f'import lissom as ls\n\nls.write_report(ls.load("arm.toml"), {str(target)!r})  # arm.toml: below'
    word = type(subject.result).__name__.lower()
    return f"import lissom as ls\n\nls.write_report({word}, {str(target)!r})"


def _search(motion: Motion, file: str) -> str:
    """Return Python code that solves a saved motion's task again."""
    name, saved = (file, "") if file else ("motion.nc", "  # after motion.save")
    if motion.tracked is not None:
        return f"motion = ls.load_motion({name!r}){saved}\n{_tracking(motion, motion.tracked)}"
    return (
        f"motion = ls.load_motion({name!r}){saved}\n"
        f"again = ls.predict_motion(motion.arm, motion.task, segments={motion.basis.segments}, "
        f"degree={motion.degree})\n"
        "# add the other options (starts, seed, tolerance, ...) that were used: they are not stored in a motion"
    )


def _tracking(motion: Motion, path: TrackedPath) -> str:
    """Return Python code that follows the path of a motion again."""
    if not np.array_equal(path.reference, np.eye(3)):
        return "# motion.tracked has the path; its rotations count from motion.tracked.reference"
    after = motion.duration - path.shift - path.duration
    return (
        "path, task = motion.tracked, motion.task\n"
        "again = ls.track_motion(motion.arm, lambda t: path.at(t + path.shift), path.frame, path.axes, path.duration,\n"
        f"                        path.shift, {after:.6g}, {motion.basis.segments}, start=motion.q[0],\n"
        "                        point=path.point, limits=task.limits, loads=task.loads, bending=task.bending)"
    )


def _made(run: Run) -> Markup:
    """The options, the controller and the start of a run."""
    made = run.report.provenance
    words = ("command", "controller", "settings", "options", "time")
    rows = [(word, _text(made[word])) for word in words if made.get(word)]
    rows += [
        (f"simulated with {word}", str(made[word])) for word, now in versions().items() if made.get(word, now) != now
    ]
    first = run if run.count is None else run.member(0)
    rows += [(f"first {word}", ", ".join(repr(float(x)) for x in getattr(first, word)[0])) for word in ("q", "qd")]
    if "command" not in made:
        rows.append(("note", "loads, base motion and controllers written in Python are not stored in a run"))
    text = made.get("run_file", "")
    return Markup(Listing.of(("the run", ""), rows).html() + (folded("its run file", verbatim(text)) if text else ""))


def _text(value: Any) -> str:
    """A value of the provenance as text: of a table the entries that are given."""
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{word} = {x}" for word, x in value.items() if x is not None)
