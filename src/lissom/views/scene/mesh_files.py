"""Mesh files that a robot's description names: where they are, and their triangles."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from lissom.errors import ModelError, Unreadable, install_extra, printable
from lissom.formats.files import LARGEST_MATRIX, read_bytes
from lissom.model.arm import Arm
from lissom.model.link import LinkShape
from lissom.views.scene.mesh_limits import MOST_TRIANGLES, harmless, refuse_large
from lissom.views.scene.solids import Mesh

SHARP = 0.5  # rad; edges that turn by more are shown as edges
KINDS = (".dae", ".stl", ".obj", ".ply", ".glb", ".gltf", ".off")


class Part(NamedTuple):
    """Triangles of one colour (red, green, blue, each 0 to 255), or of none."""

    mesh: Mesh
    colour: tuple[int, int, int] | None


class MeshFiles:
    """Reads each file once; `warn` names those that cannot be shown.

    folders : where to look beside the folder of the arm's own file and those of ROS_PACKAGE_PATH
    """

    def __init__(self, arm: Arm, folders: Sequence[Path] = ()):
        packages = [Path(word) for word in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if word]
        own = [Path(arm.folder)] if arm.folder else []
        self._folders = [*folders, *own, *packages]
        self._read: dict[Path, list[Part] | Unreadable] = {}
        self._faults: dict[str, dict[str, None]] = {}  # reasons, and the files of each
        self._left = MOST_TRIANGLES

    def parts(self, shape: LinkShape) -> list[Part] | None:
        """What a shape of kind "mesh" consists of, in link axes; None where its file cannot be shown."""
        try:
            parts = self._file(shape.file)
        except Unreadable as error:
            self._faults.setdefault(str(error), {})[shape.file] = None
            return None
        return [Part(_scaled(part.mesh, shape.size).placed(shape.origin), part.colour) for part in parts]

    def warn(self) -> None:
        """Warn of the files that could not be shown, once for each reason."""
        for reason, (first, *others) in self._faults.items():
            same = f" The same of {len(others)} other file{'s' * (len(others) > 1)}." if others else ""
            text = f"mesh {first}: {reason}; a capsule is shown instead.{same}"
            warnings.warn(printable(text), stacklevel=2)
        self._faults.clear()

    def _file(self, uri: str) -> list[Part]:
        """The parts of a file, which is read once; all that an arm shows is bounded."""
        path = self._find(uri).resolve()
        if path not in self._read:
            try:
                self._read[path] = triangles(path)
            except Unreadable as error:
                self._read[path] = error
        found = self._read[path]
        if isinstance(found, Unreadable):
            raise found
        self._left -= sum(len(part.mesh.faces) for part in found)
        if self._left < 0:
            raise Unreadable(f"the arm has more than {MOST_TRIANGLES} triangles")
        return found

    def _find(self, uri: str) -> Path:
        try:
            tried = list(dict.fromkeys(self._places(uri)))
        except ValueError as error:
            raise Unreadable(f"its address cannot be read ({error})") from None
        for path in tried:
            if os.path.isfile(path):
                return path
        where = f"not in {tried[0].parent}" if tried else "no folder to search"
        raise Unreadable(f"file not found ({where}); give the folder of its package with meshes= (--meshes)")

    def _places(self, uri: str) -> Iterator[Path]:
        """Places that a path or URI may point to: package://NAME/path is below a folder NAME, here or further up."""
        split = urlsplit(uri)
        if split.scheme == "file":
            yield Path(unquote(split.path))
            return
        if split.scheme in ("package", "model"):
            inside = unquote(split.path).lstrip("/")
            for folder in self._folders:
                for above in (folder.absolute(), *folder.absolute().parents):
                    if above.name == split.netloc:
                        yield above / inside
                    yield above / split.netloc / inside
            return
        path = Path(uri)
        if path.is_absolute():
            yield path
        else:
            yield from (folder / path for folder in self._folders or [Path()])


def triangles(path: Path) -> list[Part]:
    """Triangles of a file, read by trimesh."""
    try:
        import trimesh
    except ModuleNotFoundError:
        raise Unreadable(f"reading meshes needs trimesh: {install_extra('viewer')}") from None
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise Unreadable(f"its ending is not one of {', '.join(KINDS)}")
    try:
        data = harmless(read_bytes(path, LARGEST_MATRIX), kind)
        loaded = trimesh.load_scene(io.BytesIO(data), kind[1:], _Beside(path.parent))
        refuse_large(loaded)
        bodies = [body for body in loaded.dump() if isinstance(body, trimesh.Trimesh) and len(body.faces)]
        parts = [_part(trimesh, body) for body in bodies]
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from None
    except ModelError as error:
        raise Unreadable(error.problem.rstrip(".")) from None
    except ModuleNotFoundError as error:
        raise Unreadable(f"reading {path.suffix} needs the package {error.name} (pip install {error.name})") from None
    except Exception as error:  # the readers below raise all kinds of things on damaged files
        raise Unreadable(f"{path} cannot be read ({type(error).__name__}: {' '.join(str(error).split())})") from None
    if not parts:
        raise Unreadable(f"{path} has no triangles")
    return parts


class _Beside:
    """Files that a mesh names: colours and buffers in its own folder or below; no pictures, nothing elsewhere.

    All of them together are as large as one file may be, however often they are named.
    """

    def __init__(self, folder: Path):
        self._folder, self._left = folder.resolve(), LARGEST_MATRIX

    def get(self, name: str) -> bytes:
        """Content of a file, by the name that the mesh gives."""
        place = (self._folder / name.strip()).resolve()
        if place.suffix.lower() not in (".mtl", ".bin") or not place.is_relative_to(self._folder):
            raise FileNotFoundError(name)
        data = read_bytes(place, self._left)
        self._left -= len(data)
        return data

    __getitem__ = get


def _part(trimesh: Any, body: Any) -> Part:
    """Vertices at one place joined, and apart again along sharp edges."""
    merged = trimesh.Trimesh(body.vertices, body.faces, process=True)
    shaded = trimesh.graph.smooth_shade(merged, angle=SHARP)
    vertices = np.asarray(shaded.vertices, float)
    if not np.isfinite(vertices).all():
        raise Unreadable("it has vertices that are not finite")
    return Part(Mesh(vertices, np.asarray(shaded.faces, np.intp)), _colour(body.visual))


def _colour(visual: Any) -> tuple[int, int, int] | None:
    """The one that stands for all of it."""
    if not getattr(visual, "defined", False):
        return None
    source = getattr(visual, "material", visual)
    red, green, blue = (int(channel) for channel in np.asarray(source.main_color)[:3])
    return red, green, blue


def _scaled(mesh: Mesh, scale: Any) -> Mesh:
    """A mirrored mesh is turned inside out again."""
    faces = mesh.faces if np.prod(scale) >= 0 else mesh.faces[:, ::-1]
    return Mesh(mesh.vertices * scale, faces)
