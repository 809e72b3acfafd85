"""Files that mean harm: links out of the file, bombs, code, pipes and devices, one thing given as another."""

from __future__ import annotations

import contextlib
import io
import json
import os
import threading
import time
import tracemalloc
import zipfile
import zlib
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from tests.fuzz import good_files as good
from tests.fuzz.fuzz_formats import FORMATS, motions, run, small_arm

import lissom as ls
from lissom.formats.files import read_bytes
from lissom.motion.result.files.read import load_record
from lissom.motion.result.files.written_criteria import read as read_criterion, written
from lissom.motion.run_file import read_run_file
from lissom.motion.task_file import read_task_file
from lissom.simulation.trajectory import read_trajectory

READERS = {
    "arm.toml": ls.load, "arm.urdf": ls.load, "arm.xml": ls.load, "run.nc": ls.load_run, "run.csv": ls.load_run,
    "run.parquet": ls.load_run, "motion.nc": ls.load_motion, "record.nc": load_record, "task.toml": read_task_file,
    "run.toml": read_run_file, "path.csv": lambda path: read_trajectory(path, small_arm()),
    "modal.npz": ls.load_modal_integrals, "side.toml": lambda path: ls.load("two_link", flexible=path),
    "modal.mtx": lambda path: ls.load_modal_integrals(mass=path, stiffness=path, nodes=path, root=0, tip=1, count=1),
    "table.npz": lambda path: ls.ConfigurationTable.load(path, small_arm()),
}  # fmt: skip


@pytest.fixture
def netcdf(tmp_path):
    """A saved run, to be changed by h5py."""
    run().save(tmp_path / "run.nc")
    return tmp_path / "run.nc"


# ---- places --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", READERS)
def test_pipes_devices_folders_and_nothing_are_refused_at_once(name, tmp_path):
    """A pipe that nobody writes to would stop a reader for ever."""
    pipe, device, folder = (tmp_path / f"{word}-{name}" for word in ("pipe", "device", "folder"))
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    folder.mkdir()
    for place in (pipe, device, folder, tmp_path / f"none-{name}"):
        with pytest.raises(ls.LissomError, match=r"not a file|does not exist|no finished runs|cannot be read"):
            READERS[name](place)


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_may_not_be_read(name, tmp_path, monkeypatch):
    place = tmp_path / name
    place.write_bytes(b"x")

    def refuse(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ls.LissomError, match=r"Permission denied|cannot be read"):
        READERS[name](place)


@cache
def good_bytes(given):
    return next(iter(FORMATS[given].seeds()[0].values()))


@pytest.mark.parametrize("given", sorted(FORMATS))
@pytest.mark.parametrize("name", READERS)
@pytest.mark.some(25)
def test_one_thing_given_as_another(name, given, tmp_path):
    """A sentence, or a file that is of both kinds."""
    (tmp_path / name).write_bytes(good_bytes(given))
    with contextlib.suppress(ls.LissomError):
        READERS[name](tmp_path / name)


def test_a_run_is_no_motion_and_a_motion_no_run(netcdf, tmp_path):
    (tmp_path / "motion.nc").write_bytes(motions()[0]["seed.nc"])
    with pytest.raises(ls.ModelError, match=r"run\.nc: it is not a motion: it is a run; `ls\.load_run` reads it"):
        ls.load_motion(netcdf)
    with pytest.raises(ls.ModelError, match=r"motion\.nc: it is not a run: it is a motion; `ls\.load_motion` reads it"):
        ls.load_run(tmp_path / "motion.nc")
    assert isinstance(load_record(netcdf), ls.Run)
    assert isinstance(load_record(tmp_path / "motion.nc"), ls.Motion)


# ---- NetCDF --------------------------------------------------------------------------------------------------------


def changed(path, word, change):
    import h5py

    with h5py.File(path, "a") as file:
        value = file[word][()]
        del file[word]
        change(file, value)


def linked(file, value):
    import h5py

    file["q"] = h5py.ExternalLink("other.nc", "/q")


def soft(file, value):
    import h5py

    file["q"] = h5py.SoftLink("/qd")


def external(file, value):
    file.create_dataset("q", value.shape, "f8", external=[("/dev/zero", 0, value.nbytes)])


def virtual(file, value):
    import h5py

    layout = h5py.VirtualLayout(shape=value.shape, dtype="f8")
    layout[...] = h5py.VirtualSource("other.nc", "q", shape=value.shape)
    file.create_virtual_dataset("q", layout)


def endless(file, value):
    file.create_dataset("q", (2**40, 2), "f8", chunks=(1024, 2))


def wide_chunk(file, value):
    file.create_dataset("q", value.shape, "f8", chunks=(2**26, 2), maxshape=(None, 2), compression="gzip")


def lying(file, value):
    made = file.create_dataset("q", value.shape, "f8", chunks=value.shape, compression="gzip")
    made.id.write_direct_chunk((0, 0), zlib.compress(bytes(2**27), 9))


def foreign(file, value):
    file.create_dataset("q", data=value, chunks=value.shape, compression="lzf")


def scaled(file, value):
    file["q"] = value
    file["q"].attrs["scale_factor"] = 2.0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (linked, "q is a link to elsewhere"),
        (soft, "q is a link to elsewhere"),
        (external, "q lies in other files"),
        (virtual, "q lies in other files"),
        (endless, "too much for a file of its size"),
        (wide_chunk, "too much for a file of its size"),
        (lying, "q unpacks to more data than it declares"),
        (foreign, "uses a compression that is not supported"),
        (scaled, "q is packed"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_netcdf_that_reaches_out_or_explodes(change, sentence, netcdf):
    changed(netcdf, "q", change)
    tracemalloc.start()
    with pytest.raises(ls.ModelError, match=sentence):
        ls.load_run(netcdf)
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


def test_compressed_records_and_fixed_texts_are_read(netcdf):
    """As other tools write them."""
    changed(netcdf, "q", lambda file, x: file.create_dataset("q", data=x, compression=9, shuffle=True, fletcher32=True))
    changed(netcdf, "record", lambda file, text: file.create_dataset("record", data=np.bytes_(text)))
    assert np.array_equal(ls.load_run(netcdf).q, run().q)


def test_a_heap_that_has_no_end(netcdf):
    """HDF5 itself does not come back from it."""
    data = bytearray(netcdf.read_bytes())
    start = data.index(b"GCOL")
    while start >= 0:
        data[start + 16 : start + 32] = bytes([9, 0, 1, 0] + 12 * [0])
        start = data.find(b"GCOL", start + 4)
    netcdf.write_bytes(data)
    for read in (ls.load_run, load_record):
        with pytest.raises(ls.ModelError, match="its text is damaged"):
            read(netcdf)


def test_reports_of_other_types_are_refused(netcdf):
    def change(file, text):
        told = json.loads(text)
        told["report"]["wall"] = {"a": 1}
        file["record"] = json.dumps(told)

    changed(netcdf, "record", change)
    with pytest.raises(ls.ModelError, match=r"its report\.wall is"):
        ls.load_run(netcdf)


def test_parts_of_unlike_simulations_are_not_joined(tmp_path):
    run(3).save(tmp_path / "part-000000.nc")
    ls.simulate(small_arm(), [[0.0, 0.1]], until=0.01, dt=1e-3).save(tmp_path / "part-000001.nc")
    with pytest.raises(ls.ModelError, match=r"part-000001\.nc: it belongs to a different simulation"):
        ls.load_run(tmp_path)


def test_parquet_that_says_more_than_it_holds(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pq.read_table(saved(tmp_path, "run.parquet")).column_names
    table = pa.table(dict.fromkeys(names, np.zeros(10**6)))  # a few bytes for each column
    text = pq.read_schema(tmp_path / "run.parquet").metadata[b"lissom"]
    pq.write_table(table.replace_schema_metadata({b"lissom": text}), tmp_path / "bomb.parquet")
    with pytest.raises(ls.ModelError, match="too much for a file of its size"):
        ls.load_run(tmp_path / "bomb.parquet")


def test_parquet_in_a_folder_with_a_name_of_partitions(tmp_path):
    """pyarrow takes such names for columns; a run is what is in its file."""
    folder = tmp_path / "run=7"
    folder.mkdir()
    assert np.array_equal(ls.load_run(saved(folder, "run.parquet")).q, run().q)


def test_parquet_whose_columns_cannot_be_described(tmp_path):
    """pyarrow ends the process when a column that contradicts its schema is asked for its size: it is not asked."""
    data = saved(tmp_path, "run.parquet").read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for at in [k for k in range(footer, footer + 400) if data[k] == 2]:
        (tmp_path / "odd.parquet").write_bytes(data[:at] + b"\x22" + data[at + 1 :])
        with contextlib.suppress(ls.LissomError):
            ls.load_run(tmp_path / "odd.parquet")


def saved(folder, name):
    run().save(folder / name)
    return folder / name


# ---- criteria ------------------------------------------------------------------------------------------------------


def test_criteria_in_files_are_arithmetic_only():
    """What casadi writes itself can name a library, whose code runs when it is read."""
    x = ca.SX.sym("x", 2)
    told = ca.Function("f", [x], [ca.sumsqr(x)]).serialize()
    odd = [["external", 0]], [["q", 2]], [["q", True, 0]], [[1.0], ["ADD", 0, 1]], [["SIN"]], [[None]]
    for steps in (told, [], *odd):
        with pytest.raises(ls.ModelError, match="criterion"):
            read_criterion(steps, 2)


@pytest.mark.parametrize(
    "f",
    [
        lambda q, qd, qdd, tau: 1 + 0.3 * ca.sumsqr(qdd - q) / (1 + tau[0] ** 2),
        lambda q, qd, qdd, tau: ca.if_else(q[0] > qd[1], ca.exp(q[1]), ca.sqrt(ca.fabs(tau[1]))) + ca.fmax(q[0], 0.1),
        lambda q, qd, qdd, tau: ca.atan2(q[0], qd[0]) ** 3 - ca.tanh(qdd[1]) * ca.sign(tau[0]) + ca.logic_not(q[0]),
        lambda q, qd, qdd, tau: 2.5,
        lambda q, qd, qdd, tau: q[1],
    ],
)
def test_criteria_come_back_bit_for_bit(f):
    steps = json.loads(json.dumps(written(f, 2)))
    again = read_criterion(steps, 2)
    for values in np.random.default_rng(1).normal(size=(10, 4, 2)):
        symbols = [ca.SX.sym(word, 2) for word in "abcd"]
        direct = ca.Function("f", symbols, [ca.SX(f(*symbols))])
        assert float(again(*values)) == float(direct(*values))


# ---- npz, MatrixMarket ---------------------------------------------------------------------------------------------


def npz(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as box:
        for word, data in members.items():
            box.writestr(f"{word}.npy", data)
    return out.getvalue()


def header(shape, descr="<f8"):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    ("make", "sentence"),  # packing a quarter of a gigabyte is no matter of collecting tests
    [
        (lambda: npz(C=header((10**12,))), r"an array of shape \(1000000000000,\) in 0 bytes"),
        (lambda: npz(C=header((-1,))), "in 0 bytes"),
        (lambda: npz(C=header((2,), "|O") + bytes(16)), "array of objects"),
        (lambda: npz(C=bytes(2**28), D=bytes(2**20)), "unpacks to more than 256 MiB"),
        (lambda: b"PK\x03\x04" + bytes(100), "cannot be read as .npz"),
    ],
    ids=["shape", "negative", "objects", "bomb", "no zip"],
)
def test_npz_that_lies(make, sentence, tmp_path):
    (tmp_path / "x.npz").write_bytes(make())
    with pytest.raises(ls.ModelError, match=sentence):
        ls.load_modal_integrals(tmp_path / "x.npz")


HEAD = "%%MatrixMarket matrix "


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"{HEAD}array real symmetric\n2 2\n" + "1\n" * 400, "it has 400 numbers; expected 3"),
        (f"{HEAD}array real general\n1000000000 1000000000\n1\n", "at most 10000000 rows"),
        (f"{HEAD}array real general\n9000000 9000000\n1\n", "it has 1 numbers"),
        (f"{HEAD}coordinate real general\n2 2 1\n3 1 1.0\n", "outside of the 2 rows"),
        (f"{HEAD}coordinate real general\n2 2 1\n1.5 1 1.0\n", "outside of the 2 rows"),
        (f"{HEAD}coordinate real general\n2 2 1000000000\n1 1 1.0\n", "expected 1000000000 lines"),
        (f"{HEAD}coordinate complex general\n2 2 1\n1 1 1.0 0\n", "it is coordinate complex general"),
        (f"{HEAD}coordinate real general\n{'9' * 5000} 2 1\n1 1 1.0\n", "expected 3 whole numbers"),
        ("", "its first line is not"),
    ],
)
def test_matrices_that_lie(text, sentence, tmp_path):
    """The first of these ended the process in SciPy's reader."""
    (tmp_path / "M.mtx").write_text(text, encoding="ascii")
    files = {"mass": tmp_path / "M.mtx", "stiffness": tmp_path / "M.mtx", "nodes": tmp_path / "M.mtx"}
    with pytest.raises(ls.ModelError, match=sentence):
        ls.load_modal_integrals(**files, root=0, tip=1, count=1)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_matrices_as_scipy_writes_them(form, symmetry, tmp_path):
    from scipy import io as scipy_io, sparse

    from lissom.formats.matrix_market import read_matrix

    A = np.random.default_rng(3).normal(size=(5, 5))
    A = (A + A.T) * (np.abs(A) > 0.3)
    A = (A + A.T) / 2
    kept = sparse.coo_array(A) if form == "sparse" else A
    scipy_io.mmwrite(tmp_path / "A.mtx", kept, symmetry=symmetry, precision=17)
    found = read_matrix(tmp_path / "A.mtx")
    assert np.array_equal(found.toarray() if form == "sparse" else found, A)


# ---- MJCF ----------------------------------------------------------------------------------------------------------


def machine(extra="", inside="", head=""):
    body = f'<body name="a"><joint name="j"/><geom size="0.1"/>{inside}</body>'
    return f"<mujoco>{head}<worldbody>{body}</worldbody>{extra}</mujoco>"


MJCF = {
    "texture": machine('<asset><texture name="t" type="2d" builtin="flat" width="60000" height="60000"/></asset>'),
    "hfield": machine('<asset><hfield name="h" nrow="40000" ncol="40000" size="1 1 1 1"/></asset>'),
    "user": machine(head='<size nuser_body="800000000"/>'),
    "keys": machine(head='<size nkey="100000000"/>'),
    "memory": machine(head='<size memory="100G"/>'),
    "sensor": machine('<sensor><user dim="800000000"/></sensor>'),
    "copies": machine(inside='<replicate count="1000000" offset="0 0 1"><site/></replicate>'),
    "copies of copies": machine(inside='<replicate count="300"><replicate count="300"><site/></replicate></replicate>'),
    "grid": machine(inside='<flexcomp name="f" type="grid" count="300 300 300" spacing=".1 .1 .1" mass="1"/>'),
    "states": machine('<actuator><general joint="j" dyntype="user" actdim="800000000"/></actuator>'),
    "device": machine('<asset><mesh name="m" file="/dev/zero"/></asset>'),
    "pipe": machine('<include file="pipe"/>'),
    "pipe in a folder": machine('<asset><mesh name="m" file="pipe"/></asset>', head='<compiler meshdir="inner"/>'),
    "doctype": machine('<include file="doctype.xml"/>'),
}


@pytest.mark.parametrize("what", MJCF)
def test_mjcf_that_asks_too_much(what, tmp_path):
    (tmp_path / "inner").mkdir()
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "inner" / "pipe")
    (tmp_path / "doctype.xml").write_text('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', encoding="ascii")
    (tmp_path / "m.xml").write_text(MJCF[what], encoding="ascii")
    start = time.process_time()
    with pytest.raises(ls.ModelError, match=r"too large for a robot|is not a file|DOCTYPE"):
        ls.load(tmp_path / "m.xml")
    assert time.process_time() - start < 2.0


def test_mjcf_beyond_all_bounds(tmp_path):
    text = good.MACHINE_XML.replace('quat="0.8 -0.3 0.4 0.2"', 'pos="1e300 1e308 0"').replace('pos="0.1 0 0.2"', "")
    (tmp_path / "m.xml").write_text(text, encoding="ascii")
    with pytest.raises(ls.ModelError):
        ls.load(tmp_path / "m.xml")


# ---- meshes --------------------------------------------------------------------------------------------------------


def test_meshes_read_nothing_elsewhere(tmp_path):
    """Neither colours nor buffers outside of their folder, nor pictures at all."""
    from lissom.errors import Unreadable
    from lissom.views.scene.mesh_files import triangles

    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "box.mtl").write_text(good.BOX_MTL, encoding="ascii")
    (inner / "box.obj").write_text(good.BOX_OBJ.replace("box.mtl", "../box.mtl"), encoding="ascii")
    assert triangles(inner / "box.obj")[0].colour != (204, 26, 26)
    (inner / "box.mtl").write_text(good.BOX_MTL, encoding="ascii")
    (inner / "box.obj").write_text(good.BOX_OBJ, encoding="ascii")
    assert triangles(inner / "box.obj")[0].colour == pytest.approx((204, 26, 26), abs=1)
    (inner / "x.gltf").write_text('{"asset": {"version": "2.0"}, "buffers": [{"uri": "../x.bin"}]}', encoding="ascii")
    with pytest.raises(Unreadable):
        triangles(inner / "x.gltf")


def test_addresses_of_meshes_are_not_fetched(tmp_path):
    """A server that waits here is not asked."""
    import socket

    from lissom.model.link import LinkShape
    from lissom.views.scene.mesh_files import MeshFiles

    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)

        def listen():
            with contextlib.suppress(TimeoutError):
                asked.append(server.accept())

        waiting = threading.Thread(target=listen)
        waiting.start()
        shape = LinkShape("mesh", (1.0, 1.0, 1.0), file=f"http://127.0.0.1:{server.getsockname()[1]}/x.stl")
        files = MeshFiles(small_arm())
        assert files.parts(shape) is None
        with pytest.warns(UserWarning, match="file not found"):
            files.warn()
        waiting.join()
    assert not asked


# ---- large texts ---------------------------------------------------------------------------------------------------

MEBI = 2**20


CHAINED = '<link name="{0}"/><joint name="{0}" type="fixed"><parent link="{0}"/><child link="{1}"/></joint>'
LARGE = {
    "lists.toml": lambda n: 'name = "x"\ngravity = [' + "1.0, " * (n // 5) + "]\n",
    "lines.toml": lambda n: 'name = "x"\n' + "".join(f"k{i} = 1\n" for i in range(n // 12)),
    "links.toml": lambda n: 'name = "x"\n' + "".join(f'[[links]]\nname = "l{i}"\n' for i in range(n // 24)),
    "tables.toml": lambda n: 'name = "x"\n' + "".join(f"[a{i}.b.c]\n" for i in range(n // 14)),
    "digits.toml": lambda n: 'name = "x"\ngravity = ' + "9" * n + "\n",
    "quotes.toml": lambda n: 'name = "' + '\\"' * (n // 2) + "\n",
    "equals.toml": lambda n: "=" * n,
    "links.urdf": lambda n: "<robot>" + "".join(f'<link name="l{i}"/>' for i in range(n // 20)) + "</robot>",
    "tags.urdf": lambda n: "<robot>" + "<a/>" * (n // 4) + "</robot>",
    "words.urdf": lambda n: "<robot " + " ".join(f'a{i}=""' for i in range(n // 10)) + "/>",
    "text.urdf": lambda n: f'<robot name="{"x" * n}"/>',
    "chain.urdf": lambda n: "<robot>" + "".join(CHAINED.format(i, i + 1) for i in range(n // 90)) + "</robot>",
}


@pytest.mark.parametrize("size", [MEBI // 16, pytest.param(MEBI, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", LARGE)
def test_much_of_anything_is_read_or_refused_in_seconds(name, size, tmp_path):
    """Work grows with the size, not with its square; the most is ten thousand links, about five seconds."""
    (tmp_path / name).write_text(LARGE[name](size), encoding="ascii")
    start = time.process_time()
    with contextlib.suppress(ls.ModelError):
        ls.load(tmp_path / name)
    assert time.process_time() - start < 10.0


def test_files_beyond_the_largest_are_not_read(tmp_path):
    place = tmp_path / "large.toml"
    with place.open("wb") as stream:
        stream.truncate(9 * MEBI)
    with pytest.raises(ls.ModelError, match="larger than 8 MiB"):
        ls.load(place)
    assert len(read_bytes(place, 64 * MEBI)) == 9 * MEBI


# ---- numbers and names ---------------------------------------------------------------------------------------------


def test_names_that_no_file_can_have(tmp_path):
    (tmp_path / "run.toml").write_text(f'arm = "{"x" * 300}"\nuntil = 1.0\n', encoding="ascii")
    for read, name in ((ls.load, "x" * 300), (read_run_file, tmp_path / "run.toml"), (ls.load, "x" * 300 + ".toml")):
        with pytest.raises(ls.ModelError, match=r"no shipped arm|File name too long"):
            read(name)
    with pytest.raises(ls.InputError, match="load_run: path is 3"):
        ls.load_run(3)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("[start]\nq = 0.1\n[ensemble]\nruns = 2\n", r"q is 0\.1; expected a list"),
        ("[ensemble]\nruns = 1000000000000\n", "expected a whole number from 1 to 1000000"),
    ],
)
def test_run_files_that_ask_too_much(more, sentence, tmp_path):
    (tmp_path / "run.toml").write_text(f'arm = "two_link"\nuntil = 1.0\n{more}', encoding="ascii")
    with pytest.raises(ls.ModelError, match=sentence):
        read_run_file(tmp_path / "run.toml")


def test_a_path_whose_rates_are_beyond_all_bounds(tmp_path):
    rows = "\n".join(f"{t},{q},0" for t, q in ((0, 0), (1e-300, 1e308), (2e-300, -1e308), (3e-300, 1e308)))
    (tmp_path / "path.csv").write_text(f"t,shoulder,elbow\n{rows}\n", encoding="ascii")
    with pytest.raises(ls.ModelError, match="rates or accelerations are not finite"):
        read_trajectory(tmp_path / "path.csv", small_arm())


def test_an_arm_of_too_many_links_is_refused_before_they_are_made(tmp_path):
    (tmp_path / "many.toml").write_text('name = "x"\n' + '[[links]]\nname = "a"\n' * 10_001, encoding="ascii")
    (tmp_path / "many.urdf").write_text(LARGE["links.urdf"](20 * 10_001), encoding="ascii")
    for name in ("many.toml", "many.urdf"):
        with pytest.raises(ls.ModelError, match="at most 10000 are read"):
            ls.load(tmp_path / name)


@pytest.mark.parametrize(
    ("word", "value"), [("size", "inf"), ("size", "-1.0"), ("size", "nan"), ("mass", "[0.0, inf]")]
)
def test_payloads_of_an_ensemble_are_finite(tmp_path: Path, word: str, value: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(f'arm = "two_link"\nuntil = 0.1\n[ensemble]\nruns = 3\npayload = {{ {word} = {value} }}\n')
    with pytest.raises(ls.ModelError, match=f"run.toml:.* {word} is"):
        read_run_file(path)
