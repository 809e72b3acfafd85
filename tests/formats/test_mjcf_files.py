"""MJCF files that name files: models and includes are looked through as the file itself is."""

import subprocess
import sys

import pytest

import lissom as ls

BODY = '<mujoco>{0}<worldbody><body name="b"><joint name="j"/><geom size="0.1"/>{1}</body></worldbody></mujoco>'
MODEL = '<asset><model name="m" file="{0}"/></asset>'
ATTACH = '<attach model="m" body="b" prefix="{0}_"/>'
TEXTURE = '<asset><texture name="t" type="2d" builtin="checker" width="20000" height="20000"/></asset>'
COPIES = '<replicate count="5000" offset="0 0 1"><site/><site/></replicate>'


def body(head="", inside=""):
    return BODY.format(head, inside)


def several(count, prefix="x"):
    return "".join(ATTACH.format(f"{prefix}{k}") for k in range(count))


def chain(levels, width, attach):
    """Models that each take the next one several times."""
    assets = "<asset>{}</asset>"
    files = {}
    for k in range(levels):
        models = "".join(f'<model name="m{i}" file="m{k + 1}.xml"/>' for i in range(width))
        placed = "".join(f'<attach model="m{i}" body="b" prefix="p{k}{i}_"/>' for i in range(width if attach else 0))
        files[f"m{k or ''}.xml"] = body(assets.format(models), placed)
    return files | {f"m{levels}.xml": body()}


def doubled(levels):
    """Bodies that attach each other twice, within one file."""
    one = '<body name="b{0}"><joint name="j{0}"/><geom size="0.1"/>{1}</body>'
    twice = '<attach body="b{0}" prefix="p{0}_"/><attach body="b{0}" prefix="q{0}_"/>'
    bodies = "".join(one.format(k, twice.format(k - 1) if k else "") for k in range(levels))
    return f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"


NASTY = {
    "a model that names itself": {"m.xml": body(MODEL.format("m.xml"))},
    "models in a ring": {"m.xml": body(MODEL.format("n.xml")), "n.xml": body(MODEL.format("m.xml"))},
    "a model in a file that is included": {
        "m.xml": body('<include file="n.xml"/>'), "n.xml": f"<mujoco>{MODEL.format('m.xml')}</mujoco>",
    },
    "an include in a model": {
        "m.xml": body(MODEL.format("n.xml")), "n.xml": body('<include file="o.xml"/>'),
        "o.xml": f"<mujoco>{MODEL.format('n.xml')}</mujoco>",
    },
    "a ring in a folder": {
        "m.xml": body(MODEL.format("in/n.xml")), "in/n.xml": body(MODEL.format("o.xml")),
        "in/o.xml": body(MODEL.format("n.xml")),
    },
    "a ring in a folder for meshes": {
        "m.xml": body('<compiler meshdir="in"/>' + MODEL.format("n.xml")), "in/n.xml": body(MODEL.format("n.xml")),
    },
    "a texture in a model": {"m.xml": body(MODEL.format("n.xml"), several(1)), "n.xml": body(TEXTURE)},
    "copies in a model": {"m.xml": body(MODEL.format("n.xml"), several(60)), "n.xml": body("", COPIES)},
    "models that double": chain(20, 2, attach=True),
    "models that double and are not attached": chain(20, 2, attach=False),
    "bodies that double": {"m.xml": doubled(40)},
    "a body attached to itself": {"m.xml": body("", '<attach body="b" prefix="x_"/>')},
    "a document type in a model": {"m.xml": body(MODEL.format("n.xml")), "n.xml": "<!DOCTYPE a><mujoco/>"},
    "a model that is no XML": {"m.xml": body(MODEL.format("n.mjb")), "n.mjb": "\0\1\2"},
    "many textures": {
        "m.xml": body("<asset>" + "".join(
            f'<texture name="t{k}" type="2d" builtin="flat" width="2000" height="2000"/>' for k in range(200)
        ) + "</asset>"),
    },
    "samples of an actuator": {
        "m.xml": body().replace(
            "</mujoco>", '<actuator><motor joint="j" nsample="800000000" delay="0.1"/></actuator></mujoco>'
        ),
    },
    "many folders": {"m.xml": body("".join(f'<compiler meshdir="d{k}"/>' for k in range(20)))},
    "many names": {"m.xml": body("<asset>" + '<mesh file="x.stl"/>' * 20_000 + "</asset>")},
}  # fmt: skip


READ = """
import sys, lissom as ls
for place in sys.argv[1:]:
    try:
        ls.load(place)
    except ls.ModelError as error:
        print("refused")
    else:
        print("loaded", place)
"""


def test_files_that_name_files_are_looked_through(tmp_path):
    """In a process of its own: MuJoCo would end it."""
    for what, files in NASTY.items():
        put(tmp_path / what, files)
    places = [str(tmp_path / what / "m.xml") for what in NASTY]
    done = subprocess.run([sys.executable, "-c", READ, *places], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["refused"] * len(NASTY), done.stderr


def put(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def test_attached_models_are_read(tmp_path):
    files = {"m.xml": body(MODEL.format("in/n.xml"), several(2)), "in/n.xml": body('<include file="o.xml"/>')}
    put(tmp_path, files | {"in/o.xml": '<mujoco><default><default class="other"/></default></mujoco>'})
    assert len(ls.load(tmp_path / "m.xml").links) == 3


def test_a_few_bodies_attach_each_other(tmp_path):
    put(tmp_path, {"m.xml": doubled(3)})
    assert len(ls.load(tmp_path / "m.xml").links) > 3


def test_a_picture_that_unpacks_to_much_is_refused(tmp_path):
    import io

    from PIL import Image

    stream = io.BytesIO()
    Image.new("1", (9000, 9000)).save(stream, "PNG")
    texture = '<asset><texture name="t" type="2d" file="t.png"/></asset>'
    put(tmp_path, {"m.xml": body(texture), "t.png": stream.getvalue()})
    with pytest.raises(ls.ModelError, match="too large"):
        ls.load(tmp_path / "m.xml")
