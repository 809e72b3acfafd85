"""Flexible links from .npz and MatrixMarket files, alone and named in a native file."""

import numpy as np
import pytest
from scipy import io, sparse
from tests.flexible.test_matrices import LOAD, frame_model

import lissom as ls

M, K, NODES = frame_model(5)
WANTED = ls.ModalIntegrals.from_matrices(M, K, NODES, 0, 5, 3, damping=0.02, carries=LOAD)
NATIVE = 'name = "x"\n[[links]]\nname = "boom"\nmass = 0.3\ninertia = [0.01, 0.01, 0.01]\n[links.modal_integrals]\n'
MTX = 'mass = "M.mtx"\nstiffness = "K.mtx"\nnodes = "nodes.csv"\nroot = 0\ntip = 5\n'
CARRIES = "carries = { mass = 0.22, inertia = [0.0009, 0.0011, 0.0013] }\n"


@pytest.fixture
def folder(tmp_path):
    np.savez(tmp_path / "boom.npz", M=M, K=K, nodes=NODES, root=0, tip=[5])
    io.mmwrite(tmp_path / "M.mtx", sparse.coo_array(M), symmetry="symmetric", precision=17)
    io.mmwrite(tmp_path / "K.mtx", sparse.coo_array(K), symmetry="symmetric", precision=17)
    rows = "\n".join(",".join(repr(float(x)) for x in node) for node in NODES)
    (tmp_path / "nodes.csv").write_text(f"# of the boom\nx, y, z\n{rows}\n", encoding="utf-8")
    np.savez(tmp_path / "integrals.npz", **{word: getattr(WANTED, word) for word in
             ("C", "Ck", "Ckl", "K", "D", "tip", "tip_shift", "tip_turn")})  # fmt: skip
    return tmp_path


def test_from_npz(folder):
    options = {"count": 3, "damping": 0.02, "carries": LOAD}
    assert ls.load_modal_integrals(folder / "boom.npz", **options) == WANTED
    assert ls.load_modal_integrals(str(folder / "boom.npz"), root=[0], **options) == WANTED  # in place of the file's
    assert ls.load_modal_integrals(folder / "integrals.npz") == WANTED


def test_from_matrix_market(folder):
    files = {"mass": folder / "M.mtx", "stiffness": folder / "K.mtx", "nodes": folder / "nodes.csv"}
    found = ls.load_modal_integrals(**files, root=0, tip=5, count=3, damping=0.02, carries=LOAD)
    assert found == WANTED


@pytest.mark.parametrize(
    "keys",
    [
        'file = "boom.npz"\ncount = 3\ndamping = 0.02\n' + CARRIES,
        'file = "integrals.npz"\n',
        MTX + "count = 3\ndamping = 0.02\n" + CARRIES,
    ],
    ids=["npz", "integrals", "mtx"],
)  # fmt: skip
def test_named_in_a_native_file(folder, keys):
    """Paths are relative to the file; the arm is saved with the integrals themselves."""
    (folder / "arm.toml").write_text(NATIVE + keys, encoding="utf-8")
    arm = ls.load(folder / "arm.toml")
    assert arm.link("boom").modes == WANTED
    (folder / "elsewhere").mkdir()
    ls.save(arm, folder / "elsewhere" / "arm.toml")
    assert ls.load(folder / "elsewhere" / "arm.toml") == arm


def test_second_order_terms_in_a_native_file(tmp_path):
    m = WANTED.count
    rng = np.random.default_rng(3)
    Lam, shift2 = rng.normal(size=(3, 4, m, m)), rng.normal(size=(m, m, 3))
    modal = WANTED.replace(
        Lam=Lam + np.transpose(Lam, (0, 1, 3, 2)), tip_shift2=shift2 + np.transpose(shift2, (1, 0, 2))
    )
    arm = ls.Arm("x", [ls.Link("boom", modes=modal)])
    ls.save(arm, tmp_path / "arm.toml")
    assert ls.load(tmp_path / "arm.toml") == arm


def broken(folder):
    (folder / "bad.npz").write_bytes(b"PK\x03\x04 no zip")
    (folder / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n3 3\n", encoding="utf-8")
    (folder / "bad.csv").write_text("x,y\n0,0\n", encoding="utf-8")
    np.savez(folder / "odd.npz", M=M, K=K, node=NODES)
    np.savez(folder / "half.npz", M=M, K=K, nodes=NODES)
    np.savez(folder / "part.npz", C=WANTED.C, Ck=WANTED.Ck)
    np.savez(folder / "object.npz", M=np.array([None]), K=K, nodes=NODES, root=0, tip=5)


BAD = {
    "missing file": ('file = "none.npz"\n', r"none\.npz link 'boom': it does not exist"),
    "ending": ('file = "M.mtx"\n', r"M\.mtx link 'boom': its ending is not \.npz"),
    "no zip": ('file = "bad.npz"\n', r"bad\.npz link 'boom': it cannot be read"),
    "pickle": ('file = "object.npz"\n', r"object\.npz link 'boom': it cannot be read .*array of objects"),
    "key": ('file = "odd.npz"\n', r"odd\.npz link 'boom': node is not a known key; did you mean 'nodes'"),
    "no root": ('file = "half.npz"\n', r"half\.npz link 'boom': root is missing; matrices need M, K, nodes, root, tip"),
    "part": ('file = "part.npz"\n', r"part\.npz link 'boom': Ckl is missing"),
    "count of integrals": ('file = "integrals.npz"\ncount = 3\n', "count is for matrices"),
    "both": (MTX + 'file = "boom.npz"\n', "give either file"),
    "no nodes": ('mass = "M.mtx"\nstiffness = "K.mtx"\n', "nodes is missing"),
    "unknown": (MTX + "cuont = 3\n", "cuont is not a key of modal_integrals from files; did you mean 'count'"),
    "market": (MTX.replace("M.mtx", "bad.mtx"), r"bad\.mtx link 'boom': it cannot be read as MatrixMarket"),
    "market ending": (MTX.replace("M.mtx", "boom.npz"), r"boom\.npz link 'boom': its ending is not \.mtx"),
    "columns": (MTX.replace("nodes.csv", "bad.csv"), r"bad\.csv link 'boom': .*there is no column z"),
    "physics": (MTX.replace("root = 0", "root = 5"), r"M\.mtx link 'boom' from_matrices: tip and root share a node"),
    "type": ("file = 3\n", "file is 3; expected text"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_refusals(case, folder):
    broken(folder)
    keys, sentence = BAD[case]
    (folder / "arm.toml").write_text(NATIVE + keys, encoding="utf-8")
    with pytest.raises(ls.ModelError, match=sentence):
        ls.load(folder / "arm.toml")


def test_nothing_given():
    with pytest.raises(ls.ModelError, match="give either file"):
        ls.load_modal_integrals()
