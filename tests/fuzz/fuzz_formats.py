"""Every format that lissom reads: good files of it, and its reader. A new format is a new line of `FORMATS`.

A good file is a folder: what lies in it by name, and first what is read. Any file in it may be broken, by its ending.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz import good_files as good
from tests.fuzz.fuzz_bytes import broken_bytes
from tests.fuzz.fuzz_records import broken_json, broken_netcdf, broken_npz, broken_parquet
from tests.fuzz.fuzz_text import TABLE, TOML, XML, Mutation, broken_text

import lissom as ls
from lissom.formats.table_header import header_lines, header_of

TOP = Path(__file__).parents[2]
Folder = dict[str, bytes]
Made = Callable[[random.Random, bytes], bytes]


class Format(NamedTuple):
    """seeds: good folders; read: what lissom makes of the first file of one; refusals: how it may say no."""

    seeds: Callable[[], list[Folder]]
    read: Callable[[Path], Any]
    refusals: tuple[type[Exception], ...] = (ls.LissomError,)


# ---- good folders --------------------------------------------------------------------------------------------------


def texts(**files: str) -> Folder:
    return {name.replace("__", "."): text.encode() for name, text in files.items()}


def arms() -> list[Folder]:
    shipped = [{"arm.toml": path.read_bytes()} for path in ls.shipped().values()]
    return [*shipped, *(texts(arm__toml=text) for text in (good.EVERYTHING_TOML, good.TABLE_TOML, good.ARM_TOML))]


def written(save: Callable[[Path], Any], ending: str) -> bytes:
    """The bytes that something saves."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / f"seed{ending}"
        save(place)
        return place.read_bytes()


def urdfs() -> list[Folder]:
    tree = written(lambda place: ls.save(ls.load("tree_demo"), place, lossy=True), ".urdf")
    return [texts(arm__urdf=good.EVERYTHING_URDF), {"arm.urdf": tree}]


def mjcfs() -> list[Folder]:
    split = good.MACHINE_XML.replace("<worldbody>", '<include file="more.xml"/>\n  <worldbody>')
    more = '<mujoco><default><default class="other"/></default></mujoco>'
    whole, urdf = texts(machine__xml=good.MACHINE_XML), texts(machine__xml=good.EVERYTHING_URDF)
    head = '<asset><model name="m" file="part.xml"/></asset>\n  <worldbody><attach model="m" body="part" prefix="x_"/>'
    joined = good.MACHINE_XML.replace("<worldbody>", head, 1)
    part = '<mujoco><worldbody><body name="part"><joint/><geom size="0.1"/></body></worldbody></mujoco>'
    return [whole, texts(machine__xml=split, more__xml=more), texts(machine__xml=joined, part__xml=part), urdf]


@cache
def small_arm() -> ls.Arm:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "arm.toml"
        place.write_text(good.ARM_TOML, encoding="utf-8")
        return ls.load(place)


@cache
def run(count: int | None = None) -> ls.Run:
    start = [0.1, 0.2] if count is None else [[0.1 * k, 0.2] for k in range(count)]
    return ls.simulate(small_arm(), start, until=0.02, dt=1e-3, every=2e-3)


def runs(ending: str) -> list[Folder]:
    return [{f"seed{ending}": written(run(count).save, ending)} for count in (None, 3)]


def parts() -> list[Folder]:
    one = written(run(3).save, ".nc")
    return [{"run.parts/part-000000.nc": one, "run.parts/part-000001.nc": one, "run.parts/plan.txt": b"0\n"}]


@cache
def motions() -> list[Folder]:
    arm, gentle = small_arm(), lambda q, qd, qdd, tau: 0.1 * qd[0] ** 2 + tau[1] ** 2
    options: list[dict[str, Any]] = [
        {
            "minimise": {"time": 1.0, gentle: 0.1},
            "iterations": 9,
            "on_failure": "return",
            "loads": [ls.Load("forearm", force=(0, 0, 1.0))],
        },
        {"duration": 1.0, "minimise": "torque_squared", "obstacles": [ls.Sphere((2.0, 2.0, 2.0), 0.1)]},
    ]
    made = [ls.predict_motion(arm, start=[0, -1], goal=[0.5, 0.2], segments=5, **more) for more in options]
    return [{"seed.nc": written(motion.save, ".nc")} for motion in made]


def modal_files() -> list[Folder]:
    import numpy as np
    from scipy import io, sparse
    from tests.flexible.test_matrices import frame_model

    M, K, nodes = frame_model(4)
    found = ls.ModalIntegrals.from_matrices(M, K, nodes, 0, 4, 2)
    words = ("C", "Ck", "Ckl", "K", "D", "tip", "tip_shift", "tip_turn")
    whole = written(lambda place: np.savez(place, **{word: getattr(found, word) for word in words}), ".npz")
    bare = written(lambda place: np.savez_compressed(place, M=M, K=K, nodes=nodes, root=0, tip=[4], count=2), ".npz")
    rows = "\n".join(",".join(repr(float(x)) for x in node) for node in nodes)
    market = {
        f"{word}.mtx": written(lambda place, A=A: io.mmwrite(place, sparse.coo_array(A), symmetry="symmetric"), ".mtx")
        for word, A in (("M", M), ("K", K))
    }
    dense = {
        f"{word}.mtx": written(lambda place, A=A: io.mmwrite(place, A), ".mtx") for word, A in (("M", M), ("K", K))
    }
    table = {"nodes.csv": f"x, y, z\n{rows}\n".encode()}
    return [{"seed.npz": whole}, {"seed.npz": bare}, market | table, dense | table]


def meshes() -> list[Folder]:
    import trimesh

    box = trimesh.creation.box((0.1, 0.2, 0.3))
    kinds = ("stl", "ply", "off", "glb", "dae", "obj")
    made = [{f"mesh.{kind}": written(lambda place: box.export(place), f".{kind}")} for kind in kinds]
    made.append({"mesh.stl": box.export(file_type="stl_ascii").encode()})
    made.append({"mesh.ply": box.export(file_type="ply", encoding="ascii")})
    scene = box.export(file_type="gltf")  # a header and buffers beside it
    names = sorted(scene, key=lambda name: not name.endswith(".gltf"))
    made.append({name: bytes(scene[name]) for name in names})
    return [*made, texts(mesh__obj=good.BOX_OBJ, box__mtl=good.BOX_MTL)]


def study_files() -> list[Folder]:
    example = (TOP / "examples" / "payloads.toml").read_bytes()
    page = (TOP / "docs" / "study-file.md").read_text("utf-8").split("```toml\n")[1].split("```")[0]
    return [
        {"study.toml": example},
        texts(study__toml=page),
        texts(study__toml=good.SWEPT_RUN_TOML, run__toml=good.RUN_TOML) | ARM | SIDE,
        texts(study__toml=good.SWEPT_TASK_TOML, task__toml=good.TASK_TOML) | ARM,
        texts(study__toml=good.SWEPT_LOADS_TOML) | ARM | SIDE,
    ]


def swept(case: ls.StudyCase) -> dict[str, Any]:
    if case["x"] == 3.0:
        raise ValueError("not this one")
    return {"y": case["x"] ** 2, "z": [case["x"], len(case["word"])]}


def stores() -> list[Folder]:
    """A folder of rows of a function, with words and a row that failed, and one of a shipped verb."""
    payload = ls.StudyParameter("arm.links.link2.payload.mass", normal=(0.2, 0.1), within=(0, None))
    modes = {"parameters": {"payload": payload}, "outputs": {"f": ls.StudyOutput("frequencies_hz", "min", unit="Hz")}}
    verb = ls.Study("modes", "two_link_flexible", {"count": 2}, **modes, sampling="random", count=5)
    return [stored(study) for study in (study_of_words(), verb)]


def study_of_words() -> ls.Study:
    parameters = {"x": ls.StudyParameter(grid=(0, 5, 6), unit="m"), "word": ls.StudyParameter(values=["ab", "c", "d"])}
    return ls.Study(swept, parameters=parameters, title="words")


def stored(study: ls.Study) -> Folder:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "rows"
        study.run(place, workers=1)
        return {f"rows/{file.name}": file.read_bytes() for file in sorted(place.glob("*.*"), key=_told_first)}


def _told_first(file: Path) -> tuple[bool, str]:
    return file.suffix != ".json", file.name


# ---- readers -------------------------------------------------------------------------------------------------------


def whole_arm(path: Path) -> ls.Arm:
    """What loads is a whole arm: it speaks, merges and survives being saved."""
    arm = ls.load(path)
    assert arm.name in arm.describe()
    assert all(finding.message for finding in arm.check())
    again = path.with_name("again.toml")
    ls.save(arm, again)
    assert ls.load(again) == arm, "it loads, but what is saved of it is another arm"
    again.unlink()
    arm.merge_fixed()  # sums of huge bodies may be beyond all bounds, which is said
    return arm


def whole_run(path: Path) -> ls.Run:
    """What loads can be looked at and saved, as a table with its header too."""
    found = ls.load_run(path)
    assert repr(found) + str(found.report)
    assert found.energy.shape == found.kinetic.shape
    assert header_lines(header_of(found.arm, found.report.provenance.get("loads", ())))
    if found.count is not None:
        assert repr(found.member(0))
    return found


def whole_motion(path: Path) -> ls.Motion:
    found = ls.load_motion(path)
    assert found.describe() + found._repr_html_()
    return found


def record(path: Path) -> Any:
    from lissom.motion.result.files.read import load_record

    return load_record(path)


def run_file(path: Path) -> Any:
    from lissom.motion.run_file import read_run_file

    return read_run_file(path)


def task_file(path: Path) -> Any:
    from lissom.motion.task_file import read_task_file

    return read_task_file(path)


def trajectory(path: Path) -> Any:
    from lissom.simulation.trajectory import read_trajectory

    return read_trajectory(path, small_arm())


def modal(path: Path) -> Any:
    if path.suffix == ".npz":
        return ls.load_modal_integrals(path)
    beside = {"mass": path, "stiffness": path.with_name("K.mtx"), "nodes": path.with_name("nodes.csv")}
    return ls.load_modal_integrals(**beside, root=0, tip=4, count=2)


def mesh(path: Path) -> Any:
    from lissom.views.scene.mesh_files import triangles

    return triangles(path)


def opensim(path: Path) -> ls.OpenSimTable:
    """What loads has columns of equal length, and says what it is."""
    found = ls.load_opensim_table(path)
    assert all(len(column) == len(found.t) for column in found.columns.values())
    assert found.describe() + found._repr_html_()
    return found


def study_file(path: Path) -> Any:
    """What loads can say which rows it has, and one of them can be made or is refused."""
    from lissom.studies.study_file import read_study_file

    study = read_study_file(path).study
    assert repr(study)
    assert study.rows > 0
    study.case(study.rows - 1)
    return study


def store(path: Path) -> ls.StudyResult:
    """What loads can be looked at; what a study of the same fingerprint goes on with becomes complete."""
    found = ls.load_study(path.parent)
    assert all(len(column) == len(found) <= found.rows for column in found.table.values())
    try:
        assert found.describe() + found._repr_html_()
        assert len(found.to_dataframe()) == len(found)
    except ls.LissomError as error:
        raise AssertionError("it loads, but cannot be looked at") from error
    if found.title == "words":
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(path.parent, Path(folder) / "rows")
            assert study_of_words().run(Path(folder) / "rows", workers=1, resume=True).complete
    return found


def unreadable() -> type[Exception]:
    from lissom.errors import Unreadable

    return Unreadable


def side(path: Path) -> ls.Arm:
    return ls.load(path.with_name("arm.toml"), flexible=path)


ARM = {"arm.toml": good.ARM_TOML.encode()}
SIDE = {"side.toml": good.SIDE_TOML.encode()}
SIDE_ALONG = texts(side__toml=good.SIDE_ALONG_TOML, arm__toml=good.ARM_WITH_VALVE_TOML)
RUN_FILES = [
    texts(run__toml=good.RUN_TOML) | ARM | SIDE,
    texts(run__toml=good.DRIVEN_TOML, tau__csv=good.TAU_CSV) | ARM,
]
FORMATS: dict[str, Format] = {
    "native": Format(arms, whole_arm),
    "urdf": Format(urdfs, whole_arm),
    "mjcf": Format(mjcfs, whole_arm),
    "side": Format(lambda: [SIDE | ARM, SIDE_ALONG], side),
    "run_file": Format(lambda: RUN_FILES, run_file),
    "task_file": Format(lambda: [texts(task__toml=good.TASK_TOML) | ARM], task_file),
    "trajectory": Format(lambda: [texts(path__csv=good.PATH_CSV)], trajectory),
    "run_nc": Format(lambda: runs(".nc"), whole_run),
    "run_csv": Format(lambda: runs(".csv"), whole_run),
    "run_parquet": Format(lambda: runs(".parquet"), whole_run),
    "parts": Format(parts, lambda path: whole_run(path.parent)),
    "motion": Format(motions, whole_motion),
    "record": Format(lambda: [*runs(".nc"), *motions()], record),
    "modal": Format(modal_files, modal),
    "mesh": Format(meshes, mesh, (unreadable(),)),
    "opensim": Format(lambda: [texts(walk__mot=good.WALK_MOT)], opensim),
    "study_file": Format(study_files, study_file),
    "store": Format(stores, store),
}


# ---- mutants -------------------------------------------------------------------------------------------------------

TEXTS: dict[str, tuple[Mutation, ...]] = {
    ".toml": TOML, ".urdf": XML, ".xml": XML, ".dae": XML, ".csv": TABLE, ".mtx": TABLE, ".obj": TABLE, ".mtl": TABLE,
    ".off": TABLE, ".mot": TABLE,
}  # fmt: skip
RECORDS: dict[str, Made] = {
    ".nc": broken_netcdf, ".parquet": broken_parquet, ".npz": broken_npz,
    ".json": lambda rng, data: broken_json(rng, data.decode()).encode("utf-8", "surrogatepass"),
}  # fmt: skip
ODD_NAMES = ("rows-0-000007.parquet", "rows-3-0.parquet", "rows-0-99999999999999999999.parquet",
             "rows-\u0663-1.parquet", ".rows.parquet", "_study.json", "other", "a b\n.toml",
             "\U0001f600.nc")  # fmt: skip


def mutant(rng: random.Random, seeds: list[Folder], strangers: list[bytes]) -> Folder:
    """A good folder with one broken file, now and then with a sound file of another kind in its place."""
    folder = dict(rng.choice(seeds))
    names = list(folder)
    name = names[0] if rng.random() < 0.7 else rng.choice(names)
    if rng.random() < 0.02:
        return folder | {name: rng.choice(strangers)}
    if len(names) > 1 and rng.random() < 0.05:
        return mixed_up(rng, folder)
    others = [other[key] for other in seeds for key in other if key.endswith(Path(name).suffix)]
    return folder | {name: broken(rng, folder[name], Path(name).suffix, others)}


def mixed_up(rng: random.Random, folder: Folder) -> Folder:
    """A file is missing, twice there, under another name, or in the place of another."""
    one, other = rng.sample(list(folder), 2)
    kind = rng.randrange(4)
    if kind == 0:
        return {name: data for name, data in folder.items() if name != one}
    if kind == 1:
        return folder | {one: folder[other], other: folder[one]}
    odd = str(Path(one).with_name(rng.choice(ODD_NAMES)))
    if kind == 2:
        return folder | {odd: folder[one]}
    return {odd if name == one else name: data for name, data in folder.items()}


def broken(rng: random.Random, data: bytes, ending: str, others: list[bytes]) -> bytes:
    """Bytes or meaning, by what the ending says it is."""
    if ending in RECORDS:
        return RECORDS[ending](rng, data) if rng.random() < 0.5 else broken_bytes(rng, data, others)
    text = _decoded(data)
    if text is None or rng.random() < 0.08:
        return broken_bytes(rng, data, others)
    made = broken_text(rng, text, [word for word in map(_decoded, others) if word], TEXTS.get(ending, TABLE))
    return made.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


# ---- seeds on disk, so that they are made once ---------------------------------------------------------------------


def keep_seeds(top: Path, names: Mapping[str, Format] = FORMATS) -> None:
    """All good folders, below a folder for each format."""
    for name, entry in names.items():
        for k, folder in enumerate(entry.seeds()):
            for order, (file, data) in enumerate(folder.items()):
                place = top / name / f"{k:02d}" / f"{order:02d}" / file
                place.parent.mkdir(parents=True)
                place.write_bytes(data)


def kept_seeds(top: Path, name: str) -> list[Folder]:
    return [
        {
            str(file.relative_to(order)): file.read_bytes()
            for order in sorted(seed.iterdir())
            for file in sorted(order.rglob("*"))
            if file.is_file()
        }
        for seed in sorted((top / name).iterdir())
    ]
