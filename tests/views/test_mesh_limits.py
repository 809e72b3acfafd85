"""Mesh files that ask for much in few bytes: refused at once, with a reason."""

import io
import json
import struct
import time

import numpy as np
import pytest

import lissom as ls
from lissom.errors import Unreadable
from lissom.views.scene.mesh_files import MeshFiles, triangles
from lissom.views.scene.mesh_limits import MOST_PARTS

TRIANGLE = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)


def gltf(nodes, **more):
    """A header about one triangle."""
    return {
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": nodes, "scenes": [{"nodes": [0]}],
    } | more  # fmt: skip


def glb(header, rest=TRIANGLE):
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    rest += b"\0" * (-len(rest) % 4)
    chunks = struct.pack("<I", len(text)) + b"JSON" + text + struct.pack("<I", len(rest)) + b"BIN\0" + rest
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def dae(scene, nodes=""):
    """A scene about one triangle."""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array>
<technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries><library_nodes>{nodes}</library_nodes>
<library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def doubling(levels):
    """Nodes that each place the next one twice."""
    twice = '<node id="n{0}"><instance_node url="#n{1}"/><instance_node url="#n{1}"/></node>'
    return "".join(twice.format(k, k + 1) for k in range(levels)) + f'<node id="n{levels}">{ONE}</node>'


ONE = '<instance_geometry url="#g"/>'
CORNERS = "outer loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
FACET = f"solid {{0}}\nfacet normal 0 0 1\n{CORNERS}endfacet\nendsolid {{0}}\n"
POINTS = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
MANY = 5 * MOST_PARTS
NASTY = {
    "instances.glb": (
        glb(gltf([{"children": list(range(1, MANY + 1))}] + [{"mesh": 0}] * MANY)),
        "more than 1000 parts",
    ),
    "primitives.glb": (
        glb(gltf([{"mesh": 0}], meshes=[{"primitives": [{"attributes": {"POSITION": 0}}] * MANY}])),
        "more than 1000 parts",
    ),
    "shared.glb": (glb(gltf([{"children": [1, 1]}, {"mesh": 0}])), "has two parents"),
    "doubling.glb": (glb(gltf([{"children": [k + 1, k + 1]} for k in range(40)] + [{"mesh": 0}])), "has two parents"),
    "ring.glb": (glb(gltf([{"mesh": 0}, {"children": [2]}, {"children": [1]}])), "its own ancestor"),
    "itself.glb": (glb(gltf([{"children": [0], "mesh": 0}])), "its own ancestor"),
    "backwards.glb": (glb(gltf([{"children": [1]}, {"children": [-1]}])), "does not have"),
    "zeros.glb": (
        glb(gltf([{"mesh": 0}], accessors=[{"componentType": 5126, "count": 10**10, "type": "VEC3"}])),
        "more than 1024 MiB",
    ),
    "views.glb": (
        glb(gltf([{"mesh": 0}], bufferViews=[{"buffer": 0, "byteLength": 2**20}] * 2000), bytes(2**20)),
        "MiB of numbers",
    ),
    "short.glb": (b"glTF\2\0\0\0", "cannot be read"),
    "deep.gltf": (b'{"a":' * 100_000, "cannot be read"),
    "ring.gltf": (json.dumps(gltf([{"children": [1]}, {"children": [0]}])).encode(), "its own ancestor"),
    "instances.dae": (dae(f'<node id="a">{ONE * MANY}</node>'), "more than 1000 parts"),
    "doubling.dae": (dae('<node id="a"><instance_node url="#n0"/></node>', doubling(60)), "more than 1000 parts"),
    "prefixed.dae": (
        dae('<node id="a"><instance_node url="#n0"/></node>', doubling(60))
        .replace(b"<COLLADA ", b'<COLLADA xmlns:x="http://www.collada.org/2005/11/COLLADASchema" ')
        .replace(b"<instance_node", b"<x:instance_node"),
        "more than 1000 parts",
    ),
    "ring.dae": (
        dae('<node id="a"><instance_node url="#n"/></node>', '<node id="n"><instance_node url="#n"/></node>'),
        "its own ancestor",
    ),
    "tags.dae": (b"<a>" + b"<b/>" * 300_000 + b"</a>", "too many tags"),
    "materials.obj": (
        (POINTS + "".join(f"usemtl a{k}\nf 1 2 3\n" for k in range(MANY))).encode(),
        "more than 1000 parts",
    ),
    "groups.obj": ((POINTS + "".join(f"o a{k}\nf 1 2 3\n" for k in range(11_000))).encode(), "more than 10000 groups"),
    "solids.stl": ("".join(FACET.format(k) for k in range(MANY)).encode(), "more than 1000 parts"),
}  # fmt: skip


@pytest.mark.parametrize("name", NASTY)
def test_much_in_few_bytes_is_refused(name, tmp_path):
    data, reason = NASTY[name]
    (tmp_path / name).write_bytes(data)
    triangles(good(tmp_path))  # what is loaded once
    start = time.process_time()
    with pytest.raises(Unreadable, match=reason):
        triangles(tmp_path / name)
    assert time.process_time() - start < 3.0


def good(folder):
    (folder / "good.glb").write_bytes(glb(gltf([{"children": [1, 2]}, {"mesh": 0}, {"mesh": 0}])))
    return folder / "good.glb"


def test_a_few_instances_are_read(tmp_path):
    assert len(triangles(good(tmp_path))) == 2
    (tmp_path / "a.dae").write_bytes(dae('<node id="a"><instance_node url="#n0"/></node>', doubling(2)))
    assert len(triangles(tmp_path / "a.dae")) == 4
    (tmp_path / "a.gltf").write_text(json.dumps(gltf([{"mesh": 0}], buffers=[{"byteLength": 36, "uri": "a.bin"}])))
    (tmp_path / "a.bin").write_bytes(TRIANGLE)
    assert len(triangles(tmp_path / "a.gltf")) == 1


@pytest.mark.parametrize("kind", ["dae", "glb", "stl", "obj", "ply", "off", "gltf"])
def test_sizes_are_looked_at_before_files_are_read(kind, tmp_path):
    with (tmp_path / f"a.{kind}").open("wb") as stream:
        stream.truncate(2**31)
    start = time.process_time()
    with pytest.raises(Unreadable, match="larger than 256 MiB"):
        triangles(tmp_path / f"a.{kind}")
    assert time.process_time() - start < 1.0


def test_pictures_are_not_unpacked(tmp_path, monkeypatch):
    from PIL import Image

    stream = io.BytesIO()
    Image.new("L", (64, 64)).save(stream, "PNG")
    picture = stream.getvalue()
    header = gltf(
        [{"mesh": 0}], buffers=[{"byteLength": 36 + len(picture)}],
        bufferViews=[{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": len(picture)}],
        images=[{"bufferView": 1, "mimeType": "image/png"}], textures=[{"source": 0}],
        materials=[{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1], "baseColorTexture": {"index": 0}}}],
        meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
    )  # fmt: skip
    (tmp_path / "a.glb").write_bytes(glb(header, TRIANGLE + picture))
    monkeypatch.setattr(Image, "open", lambda *_: pytest.fail("a picture is opened"))
    assert triangles(tmp_path / "a.glb")[0].colour == (255, 0, 0)


def test_a_buffer_that_is_named_often_is_not_read_without_end(tmp_path):
    (tmp_path / "a.bin").write_bytes(bytes(2**20))
    header = gltf([{"mesh": 0}], buffers=[{"byteLength": 2**20, "uri": "a.bin"}] * 300)
    (tmp_path / "a.gltf").write_text(json.dumps(header))
    with pytest.raises(Unreadable):
        triangles(tmp_path / "a.gltf")


def test_an_arm_that_places_a_mesh_too_often_shows_capsules(tmp_path, monkeypatch):
    monkeypatch.setattr("lissom.views.scene.mesh_files.MOST_TRIANGLES", 3)
    shape = ls.LinkShape("mesh", (1.0, 1.0, 1.0), file=str(good(tmp_path)))
    files = MeshFiles(ls.load("two_link"))
    assert len(files.parts(shape)) == 2
    assert files.parts(shape) is None
    with pytest.warns(UserWarning, match="more than 3 triangles"):
        files.warn()
    assert np.isfinite(triangles(good(tmp_path))[0].mesh.vertices).all()
