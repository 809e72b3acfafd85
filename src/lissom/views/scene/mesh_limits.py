"""What a mesh file may ask of the libraries that read it: a bounded number of parts, each in the file once.

Formats with scenes (glTF, COLLADA) place a mesh many times, by nodes that may name each other: a few bytes can stand
for endless work. All of it is counted before it is read. Pictures are not needed, and are not unpacked.
"""

from __future__ import annotations

import codecs
import json
import re
import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lissom.errors import Unreadable
from lissom.formats import xml
from lissom.formats.files import LARGEST_MATRIX

MOST_PARTS = 1000  # pieces of a file, each placed once; some milliseconds each
MOST_GROUPS = 10_000  # lines of an .obj file that begin another group
MOST_TAGS = 200_000  # of XML, opening and closing
MOST_PLACED = 4 * LARGEST_MATRIX  # bytes of its parts, each as often as it is placed
PRIMITIVES = ("triangles", "polylist", "polygons", "tristrips", "trifans", "lines", "linestrips")
MOST_TRIANGLES = 10_000_000
DEEPEST = 200
ENCODING = re.compile(rb"""<\?xml[^>]*?\bencoding\s*=\s*["']([^"'>]*)""")
PLAIN = (b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252")  # encodings that contain ASCII
GROUPS = re.compile(rb"^\s*(?:o|g|usemtl|mtllib)\s", re.MULTILINE)
MATERIALS = re.compile(rb"^\s*usemtl\s+([^\n]*)$", re.MULTILINE)
GLB, GLB_HEAD, JSON = b"glTF", struct.Struct("<4sII"), b"JSON"
CHUNK = struct.Struct("<I4s")
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def harmless(data: bytes, kind: str) -> bytes:
    """The content of a mesh file of a kind (".glb"), without pictures, or `Unreadable`."""
    if kind == ".glb":
        return _glb(data)
    if kind == ".gltf":
        return _written(_gltf(data))
    if kind == ".dae":
        _refuse_entities(data)
        _refuse_many(*_dae_parts(data))
    if kind == ".obj":
        if sum(1 for _ in GROUPS.finditer(data)) > MOST_GROUPS:
            raise Unreadable(f"it has more than {MOST_GROUPS} groups")
        _refuse_many(len({found[1] for found in MATERIALS.finditer(data)}))
    if kind == ".stl" and data.lstrip().startswith(b"solid"):
        _refuse_many(data.count(b"endsolid"))
    return data


def refuse_large(scene: Any) -> None:
    """A scene as it was read, before its parts are placed."""
    sizes = [len(getattr(scene.geometry[scene.graph[node][1]], "faces", ())) for node in scene.graph.nodes_geometry]
    _refuse_many(len(sizes))
    if sum(sizes) > MOST_TRIANGLES:
        raise Unreadable(f"it has more than {MOST_TRIANGLES} triangles")


def _refuse_many(parts: float, size: float = 0.0) -> None:
    """So many parts, of so many bytes together."""
    if not parts <= MOST_PARTS:
        raise Unreadable(f"it has more than {MOST_PARTS} parts")
    if not size <= MOST_PLACED:
        raise Unreadable(f"its parts take more than {MOST_PLACED // 2**20} MiB when all are placed")


# ---- glTF ----------------------------------------------------------------------------------------


def _glb(data: bytes) -> bytes:
    """The same with a header of its own."""
    mark, version, _ = GLB_HEAD.unpack_from(data)
    length, name = CHUNK.unpack_from(data, GLB_HEAD.size)
    start = GLB_HEAD.size + CHUNK.size
    if mark != GLB or version != 2 or name != JSON or start + length > len(data):
        raise Unreadable("it is not glTF 2.0")
    text = _written(_gltf(data[start : start + length]))
    text += b" " * (-len(text) % 4)
    rest = data[start + length :]
    head = GLB_HEAD.pack(GLB, 2, start + len(text) + len(rest))
    return b"".join((head, CHUNK.pack(len(text), JSON), text, rest))


def _written(header: Any) -> bytes:
    return json.dumps(header).encode()


def _gltf(text: bytes) -> dict[str, Any]:
    """A header without pictures, that asks for no more than the file has."""
    header = json.loads(text.decode("utf-8-sig"))
    nodes, meshes = header.get("nodes", []), header.get("meshes", [])
    _refuse_shared_nodes(nodes)
    _refuse_many(sum(len(mesh["primitives"]) for mesh in meshes))
    placed = [primitive for node in nodes if "mesh" in node for primitive in meshes[node["mesh"]]["primitives"]]
    _refuse_many(len(placed), sum(12 * _corners(header, primitive) for primitive in placed))
    views = sum(abs(int(view["byteLength"])) for view in header.get("bufferViews", []))
    # no component is wider than 8 bytes
    numbers = sum(8 * abs(int(a["count"])) * WIDTHS[a["type"]] for a in header.get("accessors", []))
    if max(views, numbers) > MOST_PLACED:
        raise Unreadable(f"its header declares more than {MOST_PLACED // 2**20} MiB of numbers")
    for word in ("images", "textures"):
        header.pop(word, None)
    header["materials"] = [_without_pictures(material) for material in header.get("materials", [])]
    return dict(header)


def _corners(header: dict[str, Any], primitive: dict[str, Any]) -> int:
    """How many corners a part has, or says that it has."""
    which = primitive["attributes"].get("POSITION"), primitive.get("indices")
    return sum(abs(int(header["accessors"][k]["count"])) for k in which if k is not None)


def _refuse_shared_nodes(nodes: list[dict[str, Any]]) -> None:
    """Nodes form a forest, as the format demands: none has two parents or is its own ancestor."""
    children = [child for node in nodes for child in node.get("children", ())]
    inner = set(children)
    if not inner <= set(range(len(nodes))):
        raise Unreadable("it names nodes that it does not have")
    if len(inner) < len(children):
        raise Unreadable("one of its nodes has two parents")
    waiting = [k for k in range(len(nodes)) if k not in inner]
    seen = 0
    while waiting:
        seen += 1
        waiting += nodes[waiting.pop()].get("children", ())
    if seen < len(nodes):
        raise Unreadable("one of its nodes is its own ancestor")


def _without_pictures(value: Any) -> Any:
    """A material without its textures."""
    if not isinstance(value, dict):
        return value
    return {word: _without_pictures(inner) for word, inner in value.items() if not word.endswith("Texture")}


# ---- COLLADA -------------------------------------------------------------------------------------


def _refuse_entities(data: bytes) -> None:
    """XML may name other files; a mesh has no need to. Only where ASCII is written as such can that be seen."""
    content = data.removeprefix(codecs.BOM_UTF8).lstrip()
    said = ENCODING.match(content)
    if not content.startswith(b"<") or b"\0" in content or (said and said[1].lower() not in PLAIN):
        raise Unreadable("it is not XML in UTF-8; save it as UTF-8")
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise Unreadable("it declares a document type, which is not allowed")


class _Placed(NamedTuple):
    """Pieces and their bytes, each as often as it is placed."""

    parts: float
    size: float


def _dae_parts(data: bytes) -> _Placed:
    """What its scenes place, through nodes that stand for others too."""
    if data.count(b"<") > MOST_TAGS:
        raise Unreadable("it has too many tags for a mesh")
    elements = list(_all(xml.parse(data, "", deepest=DEEPEST)))
    named = [element for element in elements if "id" in element.attributes]
    nodes = {element.attributes["id"]: element for element in named if _tag(element) == "node"}
    pieces = {
        element.attributes["id"]: _Placed(sum(_tag(inner) in PRIMITIVES for inner in _all(element)), element.size)
        for element in named
        if _tag(element) in ("geometry", "controller")
    }
    scenes = [_placed(element, nodes, pieces) for element in elements if _tag(element) == "visual_scene"]
    return _total(scenes)


def _total(some: Iterable[_Placed]) -> _Placed:
    """All together."""
    rows = list(some)
    return _Placed(sum(x.parts for x in rows), sum(x.size for x in rows))


def _all(root: xml.Element) -> Iterator[xml.Element]:
    """An element and all inside it."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        yield element
        waiting += element.children


def _tag(element: xml.Element) -> str:
    """Return the name of an element without its name space."""
    return element.tag.rpartition(":")[2]


def _url(element: xml.Element) -> str:
    return element.attributes.get("url", "").removeprefix("#")


def _placed(scene: xml.Element, nodes: dict[str, xml.Element], pieces: dict[str, _Placed]) -> _Placed:
    """What is below a scene; without recursion."""

    def below(element: xml.Element) -> list[xml.Element]:
        inner = [child for child in element.children if _tag(child) == "node"]
        return inner + [
            nodes[_url(child)] for child in element.children if _tag(child) == "instance_node" and _url(child) in nodes
        ]

    def own(element: xml.Element) -> list[_Placed]:
        kinds = ("instance_geometry", "instance_controller")
        return [pieces.get(_url(child), _Placed(1, 0)) for child in element.children if _tag(child) in kinds]

    counted: dict[int, _Placed] = {}
    path = [(scene, iter(below(scene)))]
    above = {id(scene)}
    while path:
        element, rest = path[-1]
        following = next(rest, None)
        if following is None:
            counted[id(element)] = _total([*own(element), *(counted[id(inner)] for inner in below(element))])
            above.discard(id(element))
            path.pop()
        elif id(following) in above:
            raise Unreadable("one of its nodes is its own ancestor")
        elif id(following) not in counted:
            above.add(id(following))
            path.append((following, iter(below(following))))
    return counted[id(scene)]
