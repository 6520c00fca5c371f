"""A replay as the bytes that its page reads: a JSON header and plain arrays, compressed.

Layout, before gzip: uint32 (little-endian) length of the header, the header, then the arrays one after the other. The header
names for each array its type, where it begins, and its length in items. Bytes of an array are stored by significance (all
first bytes, then all second ones ...), which compresses numbers that resemble each other.

Arrays, one row an item; rows of a thing k that has several are first[k] to first[k + 1] - 1:

- bodies: `body.shape`, `body.surface` (-1 for none)
- motion: `piece.first`, `piece.since`, `piece.start`, `piece.position`, `piece.velocity`, `piece.acceleration` (empty where
  all are 0); `turn.first`, `turn.orientation` (w, x, y, z), `turn.spin`: as many rows as pieces for a body that turns, one
  for a body that does not
- shapes: `shape.vertex_first`, `shape.face_first`, `shape.vertices`, `shape.faces`, `shape.sphere` (centre and radius),
  `shape.role` (see ROLES)
- sphere-trees: `shape.tree` (-1 for none), `shape.tree_scale`; `tree.first`, rows of its levels, coarse ones first;
  `level.first`, `level.spheres` (centre and radius, times the scale)
- deforming surfaces: `surface.face_first`, `surface.faces`; `surface.key_first`, `surface.times`, `surface.key_place` (which
  of the surface's own places the key has: keys that are the same share one); `surface.value_first`, `surface.vertices`
  (places by vertices by 3)
- contacts: `contact.time`, `.a`, `.b`, `.point`, `.normal`, `.speed`, `.face_a`, `.face_b`, `.kind`
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.motion import Deforming
from carom.shapes import Family, HalfSpace, Shape
from carom.view.draw.surface import shape_mesh
from carom.view.replay import Contacts, Pieces, Replay
from carom.view.room import room_of, wall_polygons

DATA_VERSION = 2
"""Raised by every change that an older page cannot show; page and data are always written together."""

ROLES = {"solid": 0, "mesh": 1, "wall": 2}
"""shape.role: the kind of triangles. Faces of contacts are rows of the triangles of a mesh; walls are seen from inside."""

_MOST_POINTS, _FEWEST_POINTS, _ALL_POINTS = 1200, 80, 200_000
"""Points of a drawn sphere: as many as all bodies together may have, within limits."""

_CODES = {"float64": "f8", "float32": "f4", "int32": "i4", "uint32": "u4", "uint16": "u2", "uint8": "u1"}

Arrays = dict[str, NDArray[Any]]


def pack_replay(replay: Replay) -> bytes:
    """Return the compressed bytes; deterministic."""
    low, high = room_of(replay)
    arrays = {
        **_bodies(replay),
        **_motions(replay.pieces),
        **_shapes(replay, low, high),
        **_levels(replay),
        **_surfaces(list(replay.surfaces.values())),
        **_contacts(replay.contacts),
    }
    header = {
        "version": DATA_VERSION,
        "title": replay.title,
        "begin": replay.begin,
        "end": replay.end,
        "names": list(replay.names),
        "words": list(replay.contacts.words),
        "periods": replay.periods.tolist(),
        "room": [low.tolist(), high.tolist()],
    }
    return _packed(header, arrays)


def _bodies(replay: Replay) -> Arrays:
    surface = np.full(len(replay), -1)
    surface[list(replay.surfaces)] = np.arange(len(replay.surfaces))
    return {"body.shape": _ints(replay.shape_index), "body.surface": _ints(surface)}


def _motions(pieces: Pieces) -> Arrays:
    motions, first = pieces.motions, pieces.first
    n_bodies = len(first) - 1
    body = np.repeat(np.arange(n_bodies), np.diff(first))
    changed = (motions.orientations != motions.orientations[first[body]]).any(axis=1) | motions.spins.any(axis=1)
    turns = np.bincount(body[changed], minlength=n_bodies) > 0
    kept = turns[body]
    kept[first[:-1]] = True
    turn_first = np.concatenate([[0], np.cumsum(np.where(turns, np.diff(first), 1))])
    return {
        "piece.first": _ints(first),
        "piece.since": pieces.since,
        "piece.start": motions.start,
        "piece.position": motions.positions,
        "piece.velocity": motions.velocities,
        "piece.acceleration": motions.accelerations if motions.accelerations.any() else np.empty(0),
        "turn.first": _ints(turn_first),
        "turn.orientation": motions.orientations[kept],
        "turn.spin": motions.spins[kept],
    }


def _shapes(replay: Replay, low: NDArray[np.float64], high: NDArray[np.float64]) -> Arrays:
    detail = int(np.clip(_ALL_POINTS / max(len(replay), 1), _FEWEST_POINTS, _MOST_POINTS))
    walls = wall_polygons(replay, low, high)
    meshes = [
        _wall(walls.get(k)) if isinstance(s, HalfSpace) else shape_mesh(s, detail) for k, s in enumerate(replay.shapes)
    ]
    spheres = [(*centre, radius) for centre, radius in (shape.bounding_sphere() for shape in replay.shapes)]
    return {
        "shape.vertex_first": _ends([len(vertices) for vertices, _ in meshes]),
        "shape.face_first": _ends([len(faces) for _, faces in meshes]),
        "shape.vertices": _joined([vertices for vertices, _ in meshes], np.float64).astype(np.float32),
        "shape.faces": _rows(_joined([faces for _, faces in meshes], np.int64)),
        "shape.sphere": np.array(spheres, dtype=np.float64).reshape(-1, 4),
        "shape.role": np.array([_role(shape) for shape in replay.shapes], dtype=np.uint8),
    }


def _wall(polygon: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return a convex polygon as vertices and a fan of faces."""
    if polygon is None:
        return np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)
    fan = np.arange(1, len(polygon) - 1)
    return polygon, np.column_stack([np.zeros_like(fan), fan, fan + 1])


def _role(shape: Shape) -> int:
    return ROLES[{Family.HALF_SPACE: "wall", Family.SURFACE: "mesh"}.get(shape.family, "solid")]


def _levels(replay: Replay) -> Arrays:
    trees: list[Sequence[NDArray[np.float64]]] = []
    tree_of_levels: dict[int, int] = {}
    tree = np.full(len(replay.shapes), -1)
    scale = np.ones(len(replay.shapes), dtype=np.float32)
    for row, levels in sorted(replay.sphere_levels.items()):
        if id(levels) not in tree_of_levels:
            tree_of_levels[id(levels)] = len(trees)
            trees.append(levels)
        tree[row] = tree_of_levels[id(levels)]
        scale[row] = replay.sphere_scales.get(row, 1.0)
    spheres = [np.asarray(level) for levels in trees for level in levels]
    return {
        "shape.tree": _ints(tree),
        "shape.tree_scale": scale,
        "tree.first": _ends([len(levels) for levels in trees]),
        "level.first": _ends([len(level) for level in spheres]),
        "level.spheres": _joined(spheres, np.float64).astype(np.float32),
    }


def _surfaces(surfaces: Sequence[Deforming]) -> Arrays:
    places = [_places(surface.vertices) for surface in surfaces]
    return {
        "surface.face_first": _ends([len(surface.faces) for surface in surfaces]),
        "surface.faces": _rows(_joined([surface.faces for surface in surfaces], np.int64)),
        "surface.key_first": _ends([len(surface.times) for surface in surfaces]),
        "surface.times": _joined([surface.times for surface in surfaces], np.float64),
        "surface.key_place": _ints(_joined([place for place, _ in places], np.int64)),
        "surface.value_first": _ends([kept.size for _, kept in places]),
        "surface.vertices": _joined([kept for _, kept in places], np.float64),
    }


def _places(vertices: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the row of each key's vertices (k,) among the distinct ones, and these, in the order of the keys."""
    row_of: dict[bytes, int] = {}
    rows = np.array([row_of.setdefault(key.tobytes(), len(row_of)) for key in vertices])
    return rows, vertices[np.unique(rows, return_index=True)[1]]


def _contacts(contacts: Contacts) -> Arrays:
    return {
        "contact.time": contacts.times,
        "contact.a": _ints(contacts.a),
        "contact.b": _ints(contacts.b),
        "contact.point": contacts.points,
        "contact.normal": contacts.normals,
        "contact.speed": contacts.speeds,
        "contact.face_a": _ints(contacts.faces_a),
        "contact.face_b": _ints(contacts.faces_b),
        "contact.kind": np.asarray(contacts.kinds, dtype=np.uint8),
    }


def _ints(values: NDArray[Any]) -> NDArray[np.int32]:
    return np.asarray(values, dtype=np.int32)


def _rows(values: NDArray[np.int64]) -> NDArray[Any]:
    """Return row numbers in the smallest type that holds them."""
    return values.astype(np.uint16 if values.max(initial=0) < 2**16 else np.uint32)


def _ends(counts: Sequence[int]) -> NDArray[np.int32]:
    return _ints(np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]))


def _joined(parts: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.ravel(part).astype(kind) for part in parts] + [np.empty(0, dtype=kind)])


def _packed(header: dict[str, Any], arrays: Arrays) -> bytes:
    parts, table, offset = [], {}, 0
    for name, array in arrays.items():
        plain = np.ascontiguousarray(array).ravel()
        little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
        table[name] = [_CODES[plain.dtype.name], offset, plain.size]
        by_significance = little.view(np.uint8).reshape(plain.size, plain.itemsize).T
        parts.append(by_significance.tobytes())
        offset += plain.nbytes
    words = json.dumps({**header, "arrays": table}, ensure_ascii=False).encode()
    return gzip.compress(len(words).to_bytes(4, "little") + words + b"".join(parts), 9, mtime=0)
