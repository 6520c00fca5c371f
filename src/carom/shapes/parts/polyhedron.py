"""Convex polyhedra: vertices, edges and polygons, from the triangles of a hull."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.maths.fixed_order import dot
from carom.tolerances import COPLANAR

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """A convex solid by its features. Triangles in one plane are one side.

    vertices (n, 3); normals (s, 3) outward, unit, and offsets (s,): inside where normal . x <= offset;
    loops: the vertex rows around each side, anticlockwise from outside;
    edges (e, 2): vertex rows; edge_sides (e, 2): the side on the left of first -> second seen from outside, and the other;
    links (l, 2): pairs of vertex rows, first < second, along which climbing reaches a highest vertex from any other.
    """

    vertices: Floats
    normals: Floats
    offsets: Floats
    loops: tuple[Ints, ...]
    edges: Ints
    edge_sides: Ints
    links: Ints


def polyhedron(vertices: Floats, faces: Ints) -> Polyhedron:
    """The polyhedron of a convex hull given by `vertices` (n, 3) and outward triangles `faces` (m, 3)."""
    normals, areas = _triangle_normals(vertices, faces)
    side_of = _sides(vertices, faces, normals, areas)
    n_sides = int(side_of.max()) + 1
    # The largest triangle of a side has the normal with the smallest error.
    largest = np.full(n_sides, -1, dtype=np.int64)
    for face in np.argsort(areas, kind="stable"):
        largest[side_of[face]] = face
    side_normals = normals[largest]
    left: dict[tuple[int, int], int] = {}
    for face, row in enumerate(faces.tolist()):
        for k in range(3):
            left[row[k], row[(k + 1) % 3]] = int(side_of[face])
    rims: list[dict[int, int]] = [{} for _ in range(n_sides)]
    edges, edge_sides = [], []
    for (start, end), side in left.items():
        other = left[end, start]
        if other == side:
            continue
        rims[side][start] = end
        if start < end:
            edges.append((start, end))
            edge_sides.append((side, other))
    loops = tuple(_loop(rim) for rim in rims)
    offsets = np.array([dot(vertices[loop], side_normals[k]).max() for k, loop in enumerate(loops)])
    return Polyhedron(
        vertices,
        side_normals,
        offsets,
        loops,
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        np.array(edge_sides, dtype=np.int64).reshape(-1, 2),
        _links(vertices, faces, side_normals[side_of], loops),
    )


def _triangle_normals(vertices: Floats, faces: Ints) -> tuple[Floats, Floats]:
    """Unit normals (m, 3), from the two shorter edges, which loses fewest digits, and twice the areas (m,)."""
    corners = vertices[faces]
    edges = np.roll(corners, -1, axis=1) - corners
    longest = np.argmax((edges**2).sum(axis=2), axis=1)
    rows = np.arange(len(faces))
    cross = np.cross(edges[rows, (longest + 1) % 3], edges[rows, (longest + 2) % 3])
    areas = np.sqrt((cross**2).sum(axis=1))
    return cross / np.maximum(areas, np.finfo(np.float64).tiny)[:, None], areas


def _sides(vertices: Floats, faces: Ints, normals: Floats, areas: Floats) -> Ints:
    """Side (m,) of every triangle: neighbours join where the smaller lies in the plane of the larger."""
    size = float(np.ptp(vertices, axis=0).max())
    parent = list(range(len(faces)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    across: dict[tuple[int, int], int] = {}
    for face, row in enumerate(faces.tolist()):
        for k in range(3):
            start, end = row[k], row[(k + 1) % 3]
            other = across.get((end, start))
            across[start, end] = face
            if other is None:
                continue
            large, small = (face, other) if areas[face] >= areas[other] else (other, face)
            heights = dot(vertices[faces[small]] - vertices[faces[large][0]], normals[large])
            if np.abs(heights).max() <= COPLANAR * size:
                parent[root(face)] = root(other)
    roots = np.array([root(k) for k in range(len(faces))])
    return np.unique(roots, return_inverse=True)[1].astype(np.int64)


def _loop(rim: dict[int, int]) -> Ints:
    """Vertex rows in order around a rim of start -> end steps."""
    first = next(iter(rim))
    loop = [first]
    while (follower := rim[loop[-1]]) != first:
        loop.append(follower)
    return np.array(loop, dtype=np.int64)


def _links(vertices: Floats, faces: Ints, face_normals: Floats, loops: tuple[Ints, ...]) -> Ints:
    """Edges of the triangles; a vertex amid a flat side, whose neighbours all lie level, also gets one from below."""
    pairs = np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])
    amid = np.setdiff1d(faces, np.concatenate(loops))
    for vertex in amid:
        normal = face_normals[np.argmax((faces == vertex).any(axis=1))]
        pairs = np.vstack([pairs, [vertex, np.argmin(dot(vertices, normal))]])
    return np.unique(np.sort(pairs, axis=1), axis=0)
