"""COLLADA files: the meshes of their scene, placed and merged, with the polygons of the file.

XML is parsed without entities and external references. The unit and the up axis of a file are not applied: coordinates are
returned as they are in the file.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.files.unpack_limit import check_unpacked
from carom.io.frames import read_bytes
from carom.io.mesh_archive import check_zip
from carom.io.polygons.polygon_mesh import PolygonMesh, check_finite, check_polygons, without_unused_gaps
from carom.io.polygons.triangulate import triangulated
from carom.maths.fixed_order import length, product
from carom.maths.trigonometry import cosines, sines

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FORMATS = (".dae", ".zae")
_MOST_DEPTH = 200  # Largest nesting depth of elements, or of nodes that instance each other
_ELEMENT_BYTES = 500  # Approximate memory of an element
_POLYGONS = ("triangles", "polylist", "polygons", "tristrips", "trifans")


def read_collada(path: Path) -> tuple[Floats, Ints]:
    """Return vertices (n, 3) and triangles (m, 3). Polygons are cut in their own planes, so that notches stay open.

    InvalidInputError names the file if it is damaged, has no scene or triangles, or has skins, holes or unsupported elements.
    """
    mesh = _File(path).mesh()
    check_polygons(path, mesh)
    mesh = without_unused_gaps(mesh)
    check_finite(path, mesh)
    return mesh.vertices, triangulated(mesh)


class _File:
    """One file: its elements by id, and the meshes placed so far."""

    def __init__(self, path: Path) -> None:
        self._path, self._length = path, path.stat().st_size
        self._root = self._parsed(self._text())
        self._by_id = {element.get("id"): element for element in self._root.iter() if element.get("id") is not None}
        self._meshes: dict[int, PolygonMesh] = {}
        self._parts: list[PolygonMesh] = []
        self._bytes = 0

    def mesh(self) -> PolygonMesh:
        """Return all meshes of the scene."""
        scene = self._root.find("scene/instance_visual_scene")
        if scene is None:
            self._refuse("holds no scene; expected <scene> with an <instance_visual_scene>")
        for node in self._target(scene, "visual_scene").findall("node"):
            self._place(node, np.eye(4), 0)
        if not self._parts:
            return PolygonMesh(np.empty((0, 3)), np.empty(0, np.int64), np.empty(0, np.int64))
        firsts = np.cumsum([0, *(len(part.vertices) for part in self._parts[:-1])])
        return PolygonMesh(
            np.concatenate([part.vertices for part in self._parts]),
            np.concatenate([part.sizes for part in self._parts]),
            np.concatenate([part.corners + first for part, first in zip(self._parts, firsts, strict=True)]),
        )

    # ---- XML

    def _text(self) -> bytes:
        if self._path.suffix.lower() != ".zae":
            return read_bytes(self._path)
        if not zipfile.is_zipfile(self._path):
            self._refuse("is no archive, or damaged")
        check_zip(self._path)
        with zipfile.ZipFile(self._path) as archive:
            names = sorted(name for name in archive.namelist() if name.lower().endswith(".dae"))
            if not names:
                self._refuse("holds no .dae file")
            return archive.read(names[0])

    def _parsed(self, text: bytes) -> Element:
        builder, parser = TreeBuilder(), expat.ParserCreate()
        depth = elements = 0

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal depth, elements
            depth, elements = depth + 1, elements + 1
            if depth > _MOST_DEPTH:
                self._refuse(f"holds elements more than {_MOST_DEPTH} deep inside one another")
            if elements % 10_000 == 0:
                check_unpacked(self._path, elements * _ELEMENT_BYTES, self._length)
            builder.start(name.rpartition(":")[2], attributes)

        def end(name: str) -> None:
            nonlocal depth
            depth -= 1
            builder.end(name.rpartition(":")[2])

        def declared(*_: object) -> NoReturn:
            self._refuse("declares entities; expected none")

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CharacterDataHandler, parser.EntityDeclHandler = builder.data, declared
        parser.buffer_text = True
        try:
            parser.Parse(text, True)
        except expat.ExpatError as error:
            self._refuse(f"line {error.lineno}: is no XML: it is damaged or cut off ({expat.ErrorString(error.code)})")
        except InvalidInputError:
            raise
        except (LookupError, ValueError):  # from the codec of the encoding that the file names
            self._refuse("is in an encoding that is not read; expected UTF-8")
        root = builder.close()
        if root.tag != "COLLADA":
            self._refuse(f"is <{root.tag}>; expected <COLLADA>")
        return root

    def _refuse(self, why: str) -> NoReturn:
        raise InvalidInputError(f"{self._path}: {why}")

    def _target(self, element: Element, tag: str) -> Element:
        """Return the element that a url or source names; it must be in this file and of that kind."""
        name = element.get("url") or element.get("source") or ""
        found = self._by_id.get(name[1:]) if name.startswith("#") else None
        if found is None or found.tag != tag:
            self._refuse(f"<{element.tag}> refers to {name!r}; expected the id of a <{tag}> of the file")
        return found

    def _numbers(self, element: Element, kind: type, what: str) -> NDArray[np.generic]:
        try:
            return np.array((element.text or "").split(), dtype=kind)
        except (ValueError, OverflowError):
            self._refuse(f"{what} holds what is no number")

    def _whole(self, element: Element, key: str, default: int) -> int:
        value = element.get(key, str(default)).strip()
        if not value.isdecimal() or len(value) > 15:
            self._refuse(f"<{element.tag}> has {key} = {value[:20]!r}; expected a whole number from 0")
        return int(value)

    # ---- the scene

    def _place(self, node: Element, pose: Floats, depth: int) -> None:
        if depth > _MOST_DEPTH:
            self._refuse(f"places nodes more than {_MOST_DEPTH} deep inside one another")
        for child in node:
            if child.tag in ("matrix", "translate", "rotate", "scale"):
                pose = product(pose, self._transform(child))
            elif child.tag in ("lookat", "skew", "instance_controller"):
                self._refuse(f"holds a <{child.tag}>, which is not read; expected meshes that are placed as they are")
        for child in node:
            if child.tag == "instance_geometry":
                self._add(self._geometry(self._target(child, "geometry")), pose)
            elif child.tag == "instance_node":
                self._count(_ELEMENT_BYTES)
                self._place(self._target(child, "node"), pose, depth + 1)
            elif child.tag == "node":
                self._place(child, pose, depth + 1)

    def _transform(self, element: Element) -> Floats:
        values = self._numbers(element, float, f"<{element.tag}>").astype(np.float64)
        expected = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}[element.tag]
        if len(values) != expected or not np.isfinite(values).all():
            self._refuse(f"<{element.tag}> holds {len(values)} numbers; expected {expected} finite ones")
        placed = np.eye(4)
        if element.tag == "matrix":
            return values.reshape(4, 4)
        if element.tag == "translate":
            placed[:3, 3] = values
        elif element.tag == "scale":
            placed[:3, :3] = np.diag(values)
        elif values[:3].any():
            x, y, z = values[:3] / length(values[:3])
            across = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
            angle = np.radians(values[3])
            placed[:3, :3] += sines(angle) * across + (1.0 - cosines(angle)) * product(across, across)
        return placed

    def _count(self, size: int) -> None:
        self._bytes += size
        check_unpacked(self._path, self._bytes, self._length)

    def _add(self, mesh: PolygonMesh, pose: Floats) -> None:
        self._count(_ELEMENT_BYTES + 48 * len(mesh.vertices) + 32 * len(mesh.corners))
        with np.errstate(all="ignore"):
            vertices = product(mesh.vertices, pose[:3, :3].T) + pose[:3, 3]
        self._parts.append(mesh._replace(vertices=vertices))

    # ---- meshes

    def _geometry(self, geometry: Element) -> PolygonMesh:
        if id(geometry) not in self._meshes:
            name = geometry.get("id")
            mesh = geometry.find("mesh")
            if mesh is None:
                self._refuse(f"geometry {name!r} is no <mesh>")
            self._meshes[id(geometry)] = self._mesh(mesh, f"geometry {name!r}")
        return self._meshes[id(geometry)]

    def _mesh(self, mesh: Element, name: str) -> PolygonMesh:
        vertices, sizes, corners = np.empty((0, 3)), [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        placed: dict[int, tuple[int, int]] = {}
        for element in mesh:
            if element.tag not in _POLYGONS:
                continue
            inputs = [each for each in element.findall("input") if each.get("semantic") == "VERTEX"]
            if len(inputs) != 1:
                self._refuse(f"{name}: <{element.tag}> has {len(inputs)} inputs of vertices; expected 1")
            source = self._target(inputs[0], "vertices")
            if id(source) not in placed:
                added = self._positions(source, name)
                placed[id(source)] = len(vertices), len(added)
                vertices = np.concatenate([vertices, added])
            first, n = placed[id(source)]
            count, rows = self._faces(element, self._whole(inputs[0], "offset", 0), name)
            wrong = rows[(rows < 0) | (rows >= n)]
            if len(wrong):
                self._refuse(f"{name}: <{element.tag}> joins vertex {wrong[0]}; expected rows from 0 to {n - 1}")
            sizes.append(count)
            corners.append(rows + first)
        return PolygonMesh(vertices, np.concatenate(sizes), np.concatenate(corners))

    def _positions(self, vertices: Element, name: str) -> Floats:
        inputs = [each for each in vertices.findall("input") if each.get("semantic") == "POSITION"]
        if len(inputs) != 1:
            self._refuse(f"{name}: <vertices> has {len(inputs)} inputs of positions; expected 1")
        source = self._target(inputs[0], "source")
        accessor = source.find("technique_common/accessor")
        if accessor is None:
            self._refuse(f"{name}: positions have no <accessor>")
        array = self._target(accessor, "float_array")
        values = self._numbers(array, float, f"{name}: <float_array>").astype(np.float64)
        declared = self._whole(array, "count", len(values))
        if declared != len(values):
            self._refuse(f"{name}: <float_array> declares {declared} numbers and holds {len(values)}; expected as many")
        count, stride = self._whole(accessor, "count", 0), self._whole(accessor, "stride", 1)
        offset = self._whole(accessor, "offset", 0)
        if stride < 3 or offset + count * stride > len(values):
            self._refuse(
                f"{name}: <accessor> takes {count} rows of {stride} from {offset} on out of {len(values)} numbers; expected "
                "rows of 3 or more that are there"
            )
        return values[offset : offset + count * stride].reshape(count, stride)[:, :3]

    def _faces(self, element: Element, offset: int, name: str) -> tuple[Ints, Ints]:
        """Return the number of corners of each polygon of an element, and their rows of vertices."""
        stride = 1 + max(self._whole(each, "offset", 0) for each in element.findall("input"))
        if element.find("ph") is not None:
            self._refuse(f"{name}: holds polygons with holes, which are not read")
        lists = []
        for p in element.findall("p"):
            values = self._numbers(p, np.int64, f"{name}: <p>").astype(np.int64)
            if len(values) % stride:
                self._refuse(f"{name}: <p> holds {len(values)} numbers; expected a multiple of {stride}")
            lists.append(values.reshape(-1, stride)[:, offset])
        rows = np.concatenate(lists) if lists else np.empty(0, np.int64)
        if element.tag == "polygons":
            sizes = np.array([len(each) for each in lists], np.int64)
        elif element.tag == "polylist":
            vcount = element.find("vcount")
            sizes = np.empty(0, np.int64)
            if vcount is not None:
                sizes = self._numbers(vcount, np.int64, f"{name}: <vcount>").astype(np.int64)
        elif element.tag == "triangles":
            sizes = np.full(len(rows) // 3, 3)
        else:
            return self._strips(element.tag == "trifans", lists)
        declared = self._whole(element, "count", len(sizes))
        if len(sizes) != declared or (sizes < 0).any() or sizes.sum() != len(rows):
            self._refuse(
                f"{name}: <{element.tag}> declares {declared} polygons and holds {len(sizes)}, which join {sizes.sum()} of "
                f"{len(rows)} corners; expected all of them"
            )
        return sizes, rows

    @staticmethod
    def _strips(fans: bool, lists: list[Ints]) -> tuple[Ints, Ints]:
        found = [np.empty((0, 3), np.int64)]
        for rows in lists:
            k = np.arange(max(len(rows) - 2, 0))
            odd = k % 2
            corners = [np.zeros_like(k), k + 1, k + 2] if fans else [k, k + 1 + odd, k + 2 - odd]
            found.append(rows[np.stack(corners, axis=1)])
        triangles = np.concatenate(found)
        return np.full(len(triangles), 3), triangles.reshape(-1)
