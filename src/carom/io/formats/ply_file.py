"""PLY files, in text and in binary of either byte order: vertices and faces; everything else is skipped."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.frames import read_bytes
from carom.io.polygons.polygon_mesh import PolygonMesh
from carom.io.polygons.strips import BREAK, strip_triangles
from carom.io.text_rows import Row, index_lists, number_table, rows_of, text_lines, whole_numbers, wrong_line

_KINDS = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4", "double": "f8",
    "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4", "float32": "f4",
    "float64": "f8",
}  # fmt: skip
_CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}
"""Types by their codes in the module struct."""
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_END = re.compile(rb"(?:\A|[\r\n])end_header[ \t]*(?:\r\n|\n|\r|\Z)")
_COUNT = re.compile("[0-9]{1,18}")
_INDICES = ("vertex_indices", "vertex_index")


class _Property(NamedTuple):
    name: str
    kind: str
    counted_by: str | None  # Type of the length before a list; None for a single number


class _Element(NamedTuple):
    name: str
    entries: int
    properties: list[_Property]


class _Lists(NamedTuple):
    """The lists of all entries, one after the other, and their lengths."""

    sizes: NDArray[np.int64]
    values: NDArray[Any]


_Columns = dict[str, "NDArray[Any] | _Lists"]


def read_ply(path: Path) -> PolygonMesh:
    """Return the mesh of the file; InvalidInputError if its header and its contents disagree, or it has no faces."""
    data = read_bytes(path)
    end = _END.search(data)
    if not data.startswith(b"ply") or end is None:
        raise InvalidInputError(f"{path}: not a PLY file: it has no header from ply to end_header")
    head = text_lines(data[: end.end()])
    order, elements = _header(path, head[:-1])
    lines: dict[str, list[int]] = {}
    if order:
        tables = _binary(path, data, end.end(), elements, order)
    else:
        rows = rows_of(text_lines(data[end.end() :]), after=len(head) - 1)
        tables = _ascii(path, rows, elements)
        at = 0
        for element in elements:
            lines[element.name] = [row.line for row in rows[at : at + element.entries]]
            at += element.entries
    place = [tables.get("vertex", {}).get(axis) for axis in "xyz"]
    if not all(isinstance(column, np.ndarray) for column in place):
        raise InvalidInputError(f"{path}: has no vertices with x, y and z")
    vertices = np.stack([np.asarray(column, dtype=np.float64) for column in place], axis=1)
    sizes, corners = _polygons(path, tables)
    # Triangles of strips have no lines.
    face_lines = lines.get("face", []) if "tristrips" not in tables else []
    return PolygonMesh(vertices, sizes, corners, lines.get("vertex", []), face_lines)


def _polygons(path: Path, tables: dict[str, _Columns]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sizes and corners of all faces, and of the triangles of all strips."""
    sizes, corners = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for name in ("face", "tristrips"):
        held = tables.get(name, {})
        lists = next((held[key] for key in _INDICES if key in held), None)
        if lists is None:
            continue
        if not isinstance(lists, _Lists) or lists.values.dtype.kind == "f":
            raise InvalidInputError(f"{path}: its faces are no lists of whole numbers")
        rows = lists.values.astype(np.int64)
        if name == "face":
            sizes.append(lists.sizes)
            corners.append(rows)
            continue
        triangles = strip_triangles(np.insert(rows, np.cumsum(lists.sizes)[:-1], BREAK))
        sizes.append(np.full(len(triangles), 3))
        corners.append(triangles.reshape(-1))
    return np.concatenate(sizes), np.concatenate(corners)


def _header(path: Path, lines: list[str]) -> tuple[str, list[_Element]]:
    """Return the byte order, empty for text, and the elements of the file."""
    order = None
    elements: list[_Element] = []
    element_names: set[str] = set()
    names: set[str] = set()
    """Properties of the last element."""
    for row in rows_of(lines):
        match row.words:
            case ["ply"] | ["end_header"] | ["comment" | "obj_info", *_]:
                continue
            case ["format", form, _] if form in _ORDERS:
                order = _ORDERS[form]
            case ["element", name, count] if _COUNT.fullmatch(count):
                if name in element_names:
                    raise wrong_line(path, row.line, row.words, f"one element {name}")
                elements.append(_Element(name, int(count), []))
                element_names.add(name)
                names = set()
            case ["property", *_, name] if elements and name in names:
                raise wrong_line(path, row.line, row.words, f"one property {name} of {elements[-1].name}")
            case ["property", "list", length, kind, name] if elements and kind in _KINDS and length in _KINDS:
                if _KINDS[length][0] == "f":
                    raise wrong_line(path, row.line, row.words, "a length that is a whole number")
                elements[-1].properties.append(_Property(name, _KINDS[kind], _KINDS[length]))
                names.add(name)
            case ["property", kind, name] if elements and kind in _KINDS:
                elements[-1].properties.append(_Property(name, _KINDS[kind], None))
                names.add(name)
            case _:
                raise wrong_line(path, row.line, row.words, "a line of a PLY header")
    if order is None:
        raise InvalidInputError(f"{path}: its header names no format; expected {', '.join(_ORDERS)}")
    # Entries without properties take no bytes, so that any number of them could be declared.
    return order, [element for element in elements if element.properties]


def _ascii(path: Path, rows: list[Row], elements: list[_Element]) -> dict[str, _Columns]:
    expected = sum(element.entries for element in elements)
    if len(rows) != expected:
        held = " and ".join(f"{element.entries} {element.name}" for element in elements)
        raise InvalidInputError(
            f"{path}: its header counts {held} lines, but {len(rows)} follow: "
            f"{'it is cut off, or ' if len(rows) < expected else ''}its counts are wrong"
        )
    tables: dict[str, _Columns] = {}
    at = 0
    for element in elements:
        tables[element.name] = _ascii_columns(path, rows[at : at + element.entries], element)
        at += element.entries
    return tables


def _ascii_columns(path: Path, rows: list[Row], element: _Element) -> _Columns:
    expected = f"{element.name}: " + ", ".join(
        f"the length of {one.name}, then as many numbers" if one.counted_by else one.name for one in element.properties
    )
    if all(one.counted_by is None for one in element.properties):
        table = number_table(path, rows, len(element.properties), expected)
        return {one.name: table[:, k] for k, one in enumerate(element.properties)}
    if len(element.properties) == 1 and element.properties[0].kind[0] != "f":
        (one,) = element.properties
        lists = _Lists(*index_lists(path, rows, expected))
        for row, size in zip(rows, lists.sizes.tolist(), strict=True):
            if len(row.words) != size + 1:
                raise wrong_line(path, row.line, row.words, expected)
        return {one.name: lists}
    single: dict[str, list[str]] = {one.name: [] for one in element.properties}
    sizes: dict[str, list[int]] = {one.name: [] for one in element.properties}
    for row in rows:
        at = 0
        for one in element.properties:
            count = 1
            if one.counted_by:
                (count,) = whole_numbers(path, row, row.words[at : at + 1] or [""], expected)
                sizes[one.name].append(count)
                at += 1
            if not 0 <= count <= len(row.words) - at:
                raise wrong_line(path, row.line, row.words, expected)
            single[one.name] += row.words[at : at + count]
            at += count
        if at != len(row.words):
            raise wrong_line(path, row.line, row.words, expected)
    columns: _Columns = {}
    for one in element.properties:
        try:
            if any("_" in word for word in single[one.name]):  # Python accepts 1_000 as a number
                raise ValueError
            values = np.array(single[one.name], dtype=np.float64 if one.kind[0] == "f" else np.int64)
        except (ValueError, OverflowError):
            raise InvalidInputError(f"{path}: {one.name} of {element.name} holds words that are no numbers") from None
        columns[one.name] = _Lists(np.array(sizes[one.name], dtype=np.int64), values) if one.counted_by else values
    return columns


def _binary(path: Path, data: bytes, at: int, elements: list[_Element], order: str) -> dict[str, _Columns]:
    tables: dict[str, _Columns] = {}
    for element in elements:
        columns, end = _even(data, at, element, order) or _walked(path, data, at, element, order)
        tables[element.name], at = columns, end
    if data[at:].strip():
        raise InvalidInputError(f"{path}: goes on for {len(data) - at} bytes after all that its header counts")
    return tables


def _even(data: bytes, at: int, element: _Element, order: str) -> tuple[_Columns, int] | None:
    """Return the columns of an element whose lists all have the lengths of the first ones, and their end; None for others."""
    fields: list[tuple[str, str] | tuple[str, str, tuple[int]]] = []
    begin = at
    for k, one in enumerate(element.properties):
        if one.counted_by:
            kind = np.dtype(order + one.counted_by)
            if element.entries == 0 or at + kind.itemsize > len(data):
                return None
            size = max(0, int(np.frombuffer(data, kind, 1, at)[0]))
            fields += [(f"size {k}", order + one.counted_by), (f"value {k}", order + one.kind, (size,))]
            at += kind.itemsize + size * np.dtype(one.kind).itemsize
        else:
            fields.append((f"value {k}", order + one.kind))
            at += np.dtype(one.kind).itemsize
    if at - begin > len(data) or begin + (at - begin) * element.entries > len(data):
        return None
    rows: NDArray[Any] = np.frombuffer(data, np.dtype(fields), element.entries if fields else 0, begin)
    columns: _Columns = {}
    for k, one in enumerate(element.properties):
        values = rows[f"value {k}"]
        if one.counted_by:
            sizes = rows[f"size {k}"].astype(np.int64)
            if (sizes != values.shape[1]).any():
                return None
            columns[one.name] = _Lists(sizes, values.reshape(-1))
        else:
            columns[one.name] = values
    return columns, begin + (at - begin) * element.entries


def _walked(path: Path, data: bytes, at: int, element: _Element, order: str) -> tuple[_Columns, int]:
    """Return the same for lists of any lengths, entry by entry."""
    found: list[list[Any]] = [[] for _ in element.properties]
    sizes: list[list[int]] = [[] for _ in element.properties]
    width = [np.dtype(one.kind).itemsize for one in element.properties]
    for row in range(element.entries):
        for k, one in enumerate(element.properties):
            try:
                count = 1
                if one.counted_by:
                    (count,) = struct.unpack_from(order + _CODES[one.counted_by], data, at)
                    at += np.dtype(one.counted_by).itemsize
                    sizes[k].append(count)
                found[k] += struct.unpack_from(f"{order}{count}{_CODES[one.kind]}", data, at)
            except struct.error:
                raise InvalidInputError(
                    f"{path}: says that it holds {element.entries} of {element.name}, but {row} follow: it is cut off, or "
                    "its counts are wrong"
                ) from None
            at += count * width[k]
    columns: _Columns = {}
    for k, one in enumerate(element.properties):
        values = np.array(found[k], dtype=one.kind)
        columns[one.name] = _Lists(np.array(sizes[k], dtype=np.int64), values) if one.counted_by else values
    return columns, at
